#define BINS 256

kernel void histogram(global const uchar *data, int n, global uint *bins)
{
	local uint mine[BINS];

	for (int i = get_local_id(0); i < BINS; i += get_local_size(0))
		mine[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(&mine[data[i]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = get_local_id(0); i < BINS; i += get_local_size(0))
		atomic_add(&bins[i], mine[i]);
}
