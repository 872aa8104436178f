/* Dot products of packed bytes. */
extern "C" __global__ void dot_bytes(const int *a, const int *b, int n,
				     int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int s = -5;
	unsigned u = 7;

	for (int k = 0; k < n; k++) {
		s = __dp4a(a[i * n + k], b[i * n + k], s);
		u = __dp4a((unsigned)a[i * n + k], (unsigned)b[i * n + k], u);
	}
	out[2 * i] = s;
	out[2 * i + 1] = (int)u;
}
