/* The exclusive sums of a group's elements, two for each item, and their total. */
kernel void scan_groups(global const int *in, global int *out,
			global int *totals, local int *t)
{
	int i = get_local_id(0), n = 2 * get_local_size(0), offset = 1;
	int base = get_group_id(0) * n;

	t[2 * i] = in[base + 2 * i];
	t[2 * i + 1] = in[base + 2 * i + 1];
	for (int d = n >> 1; d > 0; d >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i < d)
			t[offset * (2 * i + 2) - 1] +=
				t[offset * (2 * i + 1) - 1];
		offset *= 2;
	}
	if (i == 0) {
		totals[get_group_id(0)] = t[n - 1];
		t[n - 1] = 0;
	}
	for (int d = 1; d < n; d *= 2) {
		offset >>= 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i < d) {
			int left = offset * (2 * i + 1) - 1;
			int right = offset * (2 * i + 2) - 1;
			int v = t[left];

			t[left] = t[right];
			t[right] += v;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[base + 2 * i] = t[2 * i];
	out[base + 2 * i + 1] = t[2 * i + 1];
}

kernel void add_totals(global int *out, global const int *totals)
{
	int sum = 0;

	for (int g = 0; g < get_group_id(0); g++)
		sum += totals[g];
	out[get_global_id(0)] += sum;
}
