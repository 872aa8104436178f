/*
 * Work that appears while it is done: blocks that stay take rows of a Julia set
 * from a counter, one by one; warps take pieces of integrals from a stack in
 * memory and put halves back where the error is large; and the queens' problem by
 * threads that draw the next beginning when they are done.
 *
 * SIZE: rows of the larger picture.
 */
#include "common.h"

static struct workload self = { "work_queue", "rows", 160, 8, 4096 };

__host__ __device__ static int escape(float x, float y, int most)
{
	int n = 0;

	while (n < most && x * x + y * y < 4) {
		float t = x * x - y * y - 0.7436f;

		y = 2 * x * y + 0.1318f;
		x = t;
		n++;
	}
	return n;
}

__global__ void julia(int rows, unsigned *next, unsigned char *out)
{
	__shared__ unsigned row;

	for (;;) {
		__syncthreads();
		if (threadIdx.x == 0)
			row = atomicAdd(next, 1);
		__syncthreads();
		if (row >= rows)
			return;
		for (int x = threadIdx.x; x < rows; x += blockDim.x)
			out[row * rows + x] = escape(3.0f * x / rows - 1.5f,
						     3.0f * row / rows - 1.5f,
						     255);
	}
}

/* sin(k x) / (x + 0.05) between 0 and 1; in 32 pieces of a span. */
__host__ __device__ static double integrand(double x, double k)
{
	return x * x * k / (0.01 + (x - 0.3) * (x - 0.3) * k);
}

struct span {
	float from, to;
};

struct stack {
	int top, busy, lock;
};

/* The spans that a warp keeps are added in fixed point, so that their order does
 * not matter. */
__global__ void integrate(float k, float error, struct span *spans,
			  struct stack *stack, unsigned long long *sum)
{
	int lane = threadIdx.x % WARP;

	for (;;) {
		struct span s;
		int state =
			0; /* 0: nothing there now, 1: a span, 2: all done */

		if (lane == 0 && (*(volatile int *)&stack->top > 0 ||
				  *(volatile int *)&stack->busy == 0)) {
			while (atomicCAS(&stack->lock, 0, 1) != 0)
				__nanosleep(100);
			__threadfence();
			int top = *(volatile int *)&stack->top;
			int busy = *(volatile int *)&stack->busy;
			if (top > 0) {
				volatile struct span *p = &spans[top - 1];
				s.from = p->from;
				s.to = p->to;
				*(volatile int *)&stack->top = top - 1;
				*(volatile int *)&stack->busy = busy + 1;
				state = 1;
			} else if (busy == 0) {
				state = 2;
			}
			__threadfence();
			atomicExch(&stack->lock, 0);
		}
		state = __shfl_sync(ALL, state, 0);
		if (state == 2)
			return;
		if (state == 0) {
			__nanosleep(200);
			continue;
		}
		s.from = __shfl_sync(ALL, s.from, 0);
		s.to = __shfl_sync(ALL, s.to, 0);
		double h = ((double)s.to - s.from) / WARP,
		       x = s.from + lane * h;
		double a = integrand(x, k), b = integrand(x + h / 2, k);
		double c = integrand(x + h, k);
		double coarse = h * (a + c) / 2, fine = h * (a + 4 * b + c) / 6;
		bool split = __any_sync(ALL, fabs(coarse - fine) > error);
		if (!split)
			atomicAdd(sum,
				  (unsigned long long)(long long)(fine * 1e12));
		if (lane == 0) {
			while (atomicCAS(&stack->lock, 0, 1) != 0)
				__nanosleep(100);
			__threadfence();
			int top = *(volatile int *)&stack->top;
			if (split) {
				float middle = (s.from + s.to) / 2;
				volatile struct span *p = &spans[top];

				p[0].from = s.from;
				p[0].to = middle;
				p[1].from = middle;
				p[1].to = s.to;
				*(volatile int *)&stack->top = top + 2;
			}
			*(volatile int *)&stack->busy =
				*(volatile int *)&stack->busy - 1;
			__threadfence();
			atomicExch(&stack->lock, 0);
		}
		__syncwarp();
	}
}

__host__ __device__ static int queens(int n, unsigned columns, unsigned left,
				      unsigned right, int depth)
{
	unsigned open[16], all = (1u << n) - 1;
	unsigned stack[16][3];
	int count = 0, d = depth;

	stack[d][0] = columns;
	stack[d][1] = left;
	stack[d][2] = right;
	open[d] = all & ~(columns | left | right);
	while (d >= depth) {
		if (d == n || !open[d]) {
			count += d == n;
			d--;
			continue;
		}
		unsigned bit = open[d] & -open[d];
		open[d] ^= bit;
		stack[d + 1][0] = stack[d][0] | bit;
		stack[d + 1][1] = (stack[d][1] | bit) << 1;
		stack[d + 1][2] = (stack[d][2] | bit) >> 1;
		d++;
		open[d] = d < n ? all & ~(stack[d][0] | stack[d][1] |
					  stack[d][2]) :
				  0;
	}
	return count;
}

/* Beginnings: queens in the first two rows. */
__global__ void count_queens(int n, unsigned *next, unsigned *solutions)
{
	unsigned count = 0, i;

	while ((i = atomicAdd(next, 1)) < n * n) {
		unsigned a = 1u << i % n, b = 1u << i / n;

		if (b & (a | a << 1 | a >> 1))
			continue;
		count += queens(n, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1,
				2);
	}
	count = __reduce_add_sync(ALL, count);
	if (threadIdx.x % WARP == 0)
		atomicAdd(solutions, count);
}

static void picture(int rows, int blocks, int threads)
{
	array<unsigned char> out(rows * rows), want(out.n);
	array<unsigned> next(1);

	next.fill(0);
	julia<<<blocks, threads>>>(rows, next.device, out.device);
	CHECK_LAUNCH();
	out.download();
	int differ = 0, few = 1;
	for (int i = 0; i < rows * rows; i++) {
		want[i] = escape(3.0f * (i % rows) / rows - 1.5f,
				 3.0f * (i / rows) / rows - 1.5f, 255);
		differ += out[i] !=
			  want[i]; /* the compiler fuses other products */
	}
	few = differ < rows * rows / 50 + 2;
	int yes = 1;
	check_exact(&self, &few, &yes, 1, "picture");
}

static void integral(double k, double error, int blocks)
{
	array<struct span> spans(4096);
	array<struct stack> stack(1);
	array<unsigned long long> sum(1);
	double want = 0, got;

	spans[0].to = 1;
	stack[0].top = 1;
	spans.upload();
	stack.upload();
	sum.fill(0);
	integrate<<<blocks, 64>>>(k, error, spans.device, stack.device,
				  sum.device);
	CHECK_LAUNCH();
	sum.download();
	for (int i = 0; i < 1000000; i++)
		want += integrand((i + 0.5) / 1000000, k) / 1000000;
	got = (long long)sum[0] / 1e12;
	check_close(&self, &got, &want, 1, 1e-5, 0, "integral");
}

static void board(int n, unsigned want, int blocks)
{
	array<unsigned> counts(2);

	counts.fill(0);
	count_queens<<<blocks, 64>>>(n, counts.device, counts.device + 1);
	CHECK_LAUNCH();
	counts.download();
	check_exact(&self, counts.host + 1, &want, 1, "queens");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	picture(n / 4, 4, 64);
	picture(n, 264, 128);
	integral(30, 1e-6, 2);
	integral(300, 1e-7, 8);
	board(7, 40, 1);
	board(9, 352, 2);
	return report(&self);
}
