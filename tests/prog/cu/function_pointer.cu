/* Calls through a table of functions; the lanes of a warp call different ones
 * and some of these call others. */
typedef int (*op)(int, int);

__device__ int op_add(int a, int b)
{
	return a + b;
}
__device__ int op_mul(int a, int b)
{
	return a * b;
}
__device__ int op_gcd(int a, int b)
{
	while (b) {
		int t = a % b;
		a = b;
		b = t;
	}
	return a;
}
__device__ int op_loop(int a, int b);

__device__ op table[4] = { op_add, op_mul, op_gcd, op_loop };

__device__ int op_loop(int a, int b)
{
	int s = 0;
	for (int k = 0; k < b % 4; k++)
		s += table[k % 3](a, k + 1);
	return s;
}

extern "C" __global__ void function_pointer(const int *which, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	op f = table[which[i]];
	out[i] = f(i + 1, 12);
	if (i % 2)
		out[i] += table[which[i] ^ 1](out[i], 3);
}
