/* Sorts one block's keys in dynamic shared memory. */
extern "C" __global__ void bitonic_sort(float *keys, int n)
{
	extern __shared__ float box[];
	int t = threadIdx.x;
	float *mine = keys + blockIdx.x * n;

	for (int i = t; i < n; i += blockDim.x)
		box[i] = mine[i];
	for (int size = 2; size <= n; size *= 2) {
		for (int stride = size / 2; stride > 0; stride /= 2) {
			__syncthreads();
			for (int k = t; k < n / 2; k += blockDim.x) {
				int i = 2 * stride * (k / stride) + k % stride;
				bool down = i & size;
				float a = box[i], b = box[i + stride];
				if ((a > b) != down) {
					box[i] = b;
					box[i + stride] = a;
				}
			}
		}
	}
	__syncthreads();
	for (int i = t; i < n; i += blockDim.x)
		mine[i] = box[i];
}
