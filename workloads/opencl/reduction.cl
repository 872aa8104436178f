kernel void reduction(global const uint *in, int n, global uint *out,
		      local uint *t)
{
	int i = get_local_id(0);
	uint sum = 0;

	for (int k = get_global_id(0); k < n; k += get_global_size(0))
		sum += in[k];
	t[i] = sum;
	for (int d = get_local_size(0) / 2; d > 0; d /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i < d)
			t[i] += t[i + d];
	}
	if (i == 0)
		out[get_group_id(0)] = t[0];
}
