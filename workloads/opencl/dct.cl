#define BLOCK 8

/* The cosine transform of blocks of 8x8: T * block * T', T in constant memory. */
kernel void dct(global const float *in, global float *out,
		constant float *t, int width)
{
	local float half_done[BLOCK][BLOCK];
	int x = get_local_id(0), y = get_local_id(1);
	int at = get_group_id(1) * BLOCK * width + get_group_id(0) * BLOCK;
	float sum = 0;

	for (int k = 0; k < BLOCK; k++)
		sum += t[y * BLOCK + k] * in[at + k * width + x];
	half_done[y][x] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	sum = 0;
	for (int k = 0; k < BLOCK; k++)
		sum += half_done[y][k] * t[x * BLOCK + k];
	out[at + y * width + x] = sum;
}
