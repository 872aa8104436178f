/* Each thread sorts its own row in place, recursively. */
__device__ __noinline__ void sort(int *a, int lo, int hi)
{
	if (lo >= hi)
		return;
	int pivot = a[(lo + hi) / 2], i = lo, j = hi;
	while (i <= j) {
		while (a[i] < pivot)
			i++;
		while (a[j] > pivot)
			j--;
		if (i <= j) {
			int t = a[i];
			a[i++] = a[j];
			a[j--] = t;
		}
	}
	sort(a, lo, j);
	sort(a, i, hi);
}

extern "C" __global__ void quicksort(int *rows, int width)
{
	int local[64];
	int *row = rows + (blockIdx.x * blockDim.x + threadIdx.x) * width;
	for (int i = 0; i < width; i++)
		local[i] = row[i];
	sort(local, 0, width - 1 - threadIdx.x % 4);
	for (int i = 0; i < width; i++)
		row[i] = local[i];
}
