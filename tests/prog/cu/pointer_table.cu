/* Device variables with initial values, some of them addresses of others. */
struct row {
	const int *values;
	int count;
	const char *name;
};

__device__ int ones[3] = { 1, 10, 100 };
__device__ int twos[5] = { 2, 20, 200, 2000, 20000 };
__device__ int threes[8] = { 3, 33 };
__device__ const int *middle = twos;
__device__ struct row rows[3] = {
	{ ones, 3, "ones" },
	{ twos, 5, "twos" },
	{ threes, 8, "threes" },
};
__device__ float table[2][3] = { { 0.5f, 1.5f, -2.5f }, { 1e10f, 0, 3 } };
__device__ long long counter = -5;

extern "C" __global__ void pointer_table(int *out, float *fout)
{
	int i = threadIdx.x;
	const row *r = &rows[i % 3];
	int sum = 0;
	for (int k = 0; k < r->count; k++)
		sum += r->values[k];
	for (const char *c = r->name; *c; c++)
		sum += *c;
	out[i] = sum + middle[i % 3 + 2];
	if (i < 6)
		fout[i] = table[i / 3][i % 3];
	atomicAdd((unsigned long long *)&counter, 2ull);
}
