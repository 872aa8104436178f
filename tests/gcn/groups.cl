/* Kernels of work-groups; test_program.c says what they give. */
kernel void scan(global int *data, local int *part)
{
	int i = get_local_id(0), n = get_local_size(0);
	int g = get_global_id(0);

	part[i] = data[g];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 1; k < n; k *= 2) {
		int v = i >= k ? part[i - k] : 0;

		barrier(CLK_LOCAL_MEM_FENCE);
		part[i] += v;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	data[g] = part[i];
}

kernel void histogram(global int *bins, global const int *in, global int *most)
{
	local int own[16];
	int i = get_local_id(0);

	if (i < 16)
		own[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&own[in[get_global_id(0)] & 15]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < 16)
		atomic_add(&bins[i], own[i]);
	atomic_max(most, in[get_global_id(0)]);
	atomic_cmpxchg(&most[1], 0, (int)get_group_id(0) + 1);
}

kernel void shape(global int *out)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	int w = get_global_size(0), h = get_global_size(1);
	int ox = get_global_offset(0), oy = get_global_offset(1);
	int at = ((z * h + y - oy) * w + x - ox) * 8;

	out[at] = get_local_id(0) + 100 * get_local_id(1) +
		  10000 * get_local_id(2);
	out[at + 1] = get_group_id(0) + 100 * get_group_id(1) +
		      10000 * get_group_id(2);
	out[at + 2] = get_local_size(0) + 100 * get_local_size(1) +
		      10000 * get_local_size(2);
	out[at + 3] = get_num_groups(0) + 100 * get_num_groups(1) +
		      10000 * get_num_groups(2);
	out[at + 4] = x;
	out[at + 5] = y;
	out[at + 6] = z;
	out[at + 7] = get_work_dim();
}

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
matmul(global const float *a, global const float *b, global float *c, int n)
{
	local float ta[16][16], tb[16][16];
	int x = get_local_id(0), y = get_local_id(1);
	int gx = get_global_id(0), gy = get_global_id(1);
	float s = 0;

	for (int k = 0; k < n; k += 16) {
		ta[y][x] = a[gy * n + k + x];
		tb[y][x] = b[(k + y) * n + gx];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = 0; i < 16; i++)
			s += ta[y][i] * tb[i][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[gy * n + gx] = s;
}

__attribute__((noinline)) static float twice(float v, int depth)
{
	return depth ? v * 2 : v + 1;
}
kernel void calls(global float *out, global const float *in)
{
	int i = get_global_id(0);

	out[i] = twice(in[i], i & 1) + twice(in[i] * 3, i & 2);
}

kernel void wild(global int *out, int at)
{
	out[(size_t)at * get_global_id(0)] = 1;
}
