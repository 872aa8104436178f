/* Virtual functions of objects that live in local memory. */
struct shape {
	int size;
	__device__ shape(int s) : size(s) {}
	__device__ virtual int area() const = 0;
	__device__ virtual int edges() const { return 4; }
};
struct square : shape {
	__device__ square(int s) : shape(s) {}
	__device__ int area() const override { return size * size; }
};
struct triangle : shape {
	__device__ triangle(int s) : shape(s) {}
	__device__ int area() const override { return size * size / 2; }
	__device__ int edges() const override { return 3; }
};
struct comb : square {
	int teeth;
	__device__ comb(int s, int n) : square(s), teeth(n) {}
	__device__ int edges() const override
	{
		int e = 0;
		for (int i = 0; i < teeth; i++)
			e += 2 + square::edges() / 4;
		return e;
	}
};

__device__ __noinline__ int measure(const shape *s)
{
	return s->area() * 100 + s->edges();
}

extern "C" __global__ void virtual_call(int *out)
{
	int i = threadIdx.x;
	square q(i);
	triangle t(i + 1);
	comb c(i, i % 7);
	const shape *s = &c;
	if (i % 3 == 0)
		s = &q;
	else if (i % 3 == 1)
		s = &t;
	out[i] = measure(s) + measure(&q);
}
