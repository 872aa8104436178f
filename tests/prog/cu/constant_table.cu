/* Constant memory: initialised in the program, written by the host, indexed
 * differently by each lane. */
__constant__ int primes[12] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37 };
__constant__ double weight[4];
__constant__ struct {
	char name[6];
	short id;
	float scale;
} entry[2] = { { "alpha", 7, 0.5f }, { "beta", -9, 4.0f } };

extern "C" __global__ void constant_table(double *out)
{
	int i = threadIdx.x;
	int e = i & 1;
	out[i] = primes[i % 12] * weight[i / 16] + entry[e].name[i % 4] +
		 entry[e].id * entry[e].scale;
}
