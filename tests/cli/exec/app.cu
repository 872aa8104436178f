// A program for the tests of `heddle exec`: does what its words say, in order.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace ns {
template <typename T> __global__ void scale(T *x, T by)
{
	x[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}
}

__global__ void fill(float *x)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	x[i] = (float)i;
}

/* Reads past the end; with too many blocks it writes there, too. */
__global__ void past(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	float y = x[i + n];

	x[i] += y;
}

__global__ void spin(float *x, int times)
{
	for (int i = 0; i < times; i++)
		atomicAdd(x, 1.0f);
}

static const int n = 256;

/* Two launches that may run at the same time. */
static void beside(float *x)
{
	cudaStream_t s[2];

	cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking);
	fill<<<4, 64, 0, s[0]>>>(x);
	spin<<<2, 32, 0, s[1]>>>(x, 20);
	cudaDeviceSynchronize();
}

static bool show(const float *device)
{
	float x[n];

	if (cudaMemcpy(x, device, sizeof(x), cudaMemcpyDeviceToHost))
		return false;
	printf("%g %g\n", x[1], x[n - 1]);
	return true;
}

int main(int argc, char **argv)
{
	float *x;

	if (cudaMalloc(&x, n * sizeof(*x)))
		return 9;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "fill"))
			fill<<<4, 64>>>(x);
		else if (!strcmp(argv[i], "scale"))
			ns::scale<<<4, 64>>>(x, 2.0f);
		else if (!strcmp(argv[i], "beside"))
			beside(x);
		else if (!strcmp(argv[i], "stream")) {
			cudaStream_t s;

			if (cudaStreamCreate(&s))
				return 6;
			ns::scale<<<4, 64, 0, s>>>(x, 2.0f);
		} else if (!strcmp(argv[i], "many"))
			for (int k = 0; k < 30; k++)
				fill<<<4, 64>>>(x);
		else if (!strcmp(argv[i], "spin"))
			spin<<<64, 256>>>(x, 1 << 30);
		else if (!strcmp(argv[i], "past"))
			past<<<4, 64>>>(x, 8);
		else if (!strcmp(argv[i], "pastend"))
			past<<<5, 64>>>(x, 0);
		else if (!strcmp(argv[i], "wrong"))
			fill<<<4, 64>>>(x + (1 << 30));
		else if (!strcmp(argv[i], "show")) {
			if (!show(x))
				return 8;
		} else if (!strcmp(argv[i], "abort"))
			abort();
		else if (!strcmp(argv[i], "_exit"))
			_exit(3);
		else if (!strcmp(argv[i], "fork")) {
			if (!fork())
				exit(0);
			wait(NULL);
		} else if (!strcmp(argv[i], "other")) {
			if (cudaSetDevice(1) ||
			    cudaMalloc(&x, n * sizeof(*x)))
				return 7;
		} else
			return atoi(argv[i]);
	}
	return 0;
}
