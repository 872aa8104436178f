/* A generation of Conway's game on a torus of bytes. */
extern "C" __global__ void life(const unsigned char *now, unsigned char *then,
				int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	int n = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			if (dx || dy)
				n += now[(y + dy + height) % height * width +
					 (x + dx + width) % width];
	then[y * width + x] = n == 3 || (n == 2 && now[y * width + x]);
}
