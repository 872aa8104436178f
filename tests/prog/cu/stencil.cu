/* Three-dimensional blocks and grids: a seven-point sum. */
extern "C" __global__ void stencil(const int *in, int *out, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int z = blockIdx.z * blockDim.z + threadIdx.z;
	int at = (z * n + y) * n + x;
	int sum = in[at] * 10;

	if (x > 0)
		sum += in[at - 1];
	if (x < n - 1)
		sum += in[at + 1];
	if (y > 0)
		sum += in[at - n];
	if (y < n - 1)
		sum += in[at + n];
	if (z > 0)
		sum += in[at - n * n];
	if (z < n - 1)
		sum += in[at + n * n];
	out[at] = sum;
}
