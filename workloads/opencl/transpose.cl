#define TILE 16

kernel void transpose(global const float *from, global float *to, int width,
		      int height, local float *tile)
{
	int x = get_local_id(0), y = get_local_id(1);
	int tx = get_group_id(0) * TILE, ty = get_group_id(1) * TILE;

	tile[y * (TILE + 1) + x] = from[(ty + y) * width + tx + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	to[(tx + y) * height + ty + x] = tile[x * (TILE + 1) + y];
}
