/* Through a padded tile, so that rows and columns are read alike. */
extern "C" __global__ void transpose(const double *in, double *out, int width,
				     int height)
{
	__shared__ double tile[16][17];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;

	for (int k = 0; k < 16; k += blockDim.y)
		if (x < width && y + k < height)
			tile[threadIdx.y + k][threadIdx.x] =
				in[(y + k) * width + x];
	__syncthreads();
	x = blockIdx.y * 16 + threadIdx.x;
	y = blockIdx.x * 16 + threadIdx.y;
	for (int k = 0; k < 16; k += blockDim.y)
		if (x < height && y + k < width)
			out[(y + k) * height + x] =
				tile[threadIdx.x][threadIdx.y + k];
}
