/* Latencies and bandwidths of the memory hierarchy, as CSV: what,bytes,threads,value
 *
 *	memory CPU[,CPU...]
 *
 * latency: nanoseconds of a load that the next one waits for, a random cycle through
 * the lines of an array. read, write, copy: GB/s of all threads together, each with
 * an array of its own of that many bytes. loads, stores, both: of 4 bytes, in L1, per
 * nanosecond. Arrays ask for large pages. */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, MOST = 16, TIMES = 5 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static char *get(size_t bytes)
{
	char *p = aligned_alloc(2 << 20, (bytes + (2 << 20) - 1) >> 21 << 21);

	if (!p)
		exit(1);
	madvise(p, bytes, MADV_HUGEPAGE);
	return memset(p, 0, bytes);
}

static uint64_t state = 88172645463325252u;
static uint64_t bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void latency(size_t bytes)
{
	size_t n = bytes / LINE;
	char *a = get(bytes);
	size_t *order = malloc(n * sizeof(*order));
	double best = 1e30;
	size_t steps = n < 100000 ? 400000 : n < 2000000 ? 2 * n : n / 2;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = bits() % (i + 1), t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
	for (size_t i = 0; i < n; i++)
		*(void **)(a + order[i] * LINE) = a + order[(i + 1) % n] * LINE;
	if (steps > 4000000)
		steps = 4000000;
	for (int r = 0; r < TIMES; r++) {
		void **p = (void **)a;
		double from = now(), d;

		for (size_t i = 0; i < steps; i++)
			p = *p;
		__asm__ volatile("" : : "r"(p));
		d = (now() - from) / (double)steps;
		best = d < best ? d : best;
	}
	printf("latency,%zu,1,%.3f\n", bytes, best);
	free(order);
	free(a);
}

struct job {
	int cpu;
	char kind;
	size_t bytes, rounds;
	double rate;
};
static pthread_barrier_t barrier;

static void work(char *a, char *b, size_t bytes, char kind)
{
	__m128i v = _mm_setzero_si128(), w = v;

	for (size_t i = 0; i < bytes; i += LINE)
		for (int k = 0; k < LINE; k += 16)
			switch (kind) {
			case 'r':
				v = _mm_add_epi32(
					v,
					_mm_load_si128((__m128i *)(a + i + k)));
				break;
			case 'w':
				_mm_store_si128((__m128i *)(a + i + k), w);
				break;
			default:
				_mm_store_si128(
					(__m128i *)(b + i + k),
					_mm_load_si128((__m128i *)(a + i + k)));
			}
	__asm__ volatile("" : : "x"(v) : "memory");
}

static void *stream(void *arg)
{
	struct job *j = arg;
	char *a, *b = NULL;
	double from;

	pin(j->cpu);
	a = get(j->bytes);
	if (j->kind == 'c')
		b = get(j->bytes);
	work(a, b, j->bytes, j->kind);
	pthread_barrier_wait(&barrier);
	from = now();
	for (size_t r = 0; r < j->rounds; r++)
		work(a, b, j->bytes, j->kind);
	j->rate = (double)j->bytes * (double)j->rounds / (now() - from);
	pthread_barrier_wait(&barrier);
	free(a);
	free(b);
	return NULL;
}

static void bandwidth(const int *cpu, int threads, char kind, size_t bytes)
{
	const char *name = kind == 'r' ? "read" :
			   kind == 'w' ? "write" :
					 "copy";
	double best = 0;

	for (int r = 0; r < 3; r++) {
		struct job j[MOST];
		pthread_t t[MOST];
		double sum = 0;

		pthread_barrier_init(&barrier, NULL, (unsigned)threads);
		for (int i = 0; i < threads; i++) {
			j[i] = (struct job){ cpu[i], kind, bytes,
					     ((size_t)256 << 20) / bytes, 0 };
			pthread_create(&t[i], NULL, stream, &j[i]);
		}
		for (int i = 0; i < threads; i++) {
			pthread_join(t[i], NULL);
			sum += j[i].rate;
		}
		best = sum > best ? sum : best;
	}
	printf("%s,%zu,%d,%.2f\n", name, bytes, threads, best);
}

#define LOOP(body)                                                    \
	{                                                             \
		double from = now(), d;                               \
		unsigned long n = 1000000;                            \
		__asm__ volatile("1:\n\t" body "dec %0\n\tjnz 1b"     \
				 : "+r"(n)                            \
				 : "r"(a)                             \
				 : "eax", "ecx", "edx", "esi", "edi", \
				   "memory");                         \
		d = (now() - from) / 1e6;                             \
		best = d < best ? d : best;                           \
	}
#define LOADS                                                                \
	"mov (%1), %%eax\n\tmov 64(%1), %%ecx\n\tmov 128(%1), %%edx\n\t"     \
	"mov 192(%1), %%esi\n\tmov 256(%1), %%edi\n\tmov 320(%1), %%eax\n\t" \
	"mov 384(%1), %%ecx\n\tmov 448(%1), %%edx\n\tmov 512(%1), %%esi\n\t" \
	"mov 576(%1), %%edi\n\tmov 640(%1), %%eax\n\tmov 704(%1), %%ecx\n\t"
#define STORES_NEAR                                                       \
	"mov %%eax, (%1)\n\tmov %%eax, 4(%1)\n\tmov %%eax, 8(%1)\n\t"     \
	"mov %%eax, 12(%1)\n\tmov %%eax, 16(%1)\n\tmov %%eax, 20(%1)\n\t" \
	"mov %%eax, 24(%1)\n\tmov %%eax, 28(%1)\n\tmov %%eax, 32(%1)\n\t" \
	"mov %%eax, 36(%1)\n\tmov %%eax, 40(%1)\n\tmov %%eax, 44(%1)\n\t"
#define STORES_FAR                                                           \
	"mov %%eax, (%1)\n\tmov %%eax, 64(%1)\n\tmov %%eax, 128(%1)\n\t"     \
	"mov %%eax, 192(%1)\n\tmov %%eax, 256(%1)\n\tmov %%eax, 320(%1)\n\t" \
	"mov %%eax, 384(%1)\n\tmov %%eax, 448(%1)\n\tmov %%eax, 512(%1)\n\t" \
	"mov %%eax, 576(%1)\n\tmov %%eax, 640(%1)\n\tmov %%eax, 704(%1)\n\t"
#define BOTH                                                                  \
	"mov (%1), %%eax\n\tmov 64(%1), %%ecx\n\tmov %%edx, 2048(%1)\n\t"     \
	"mov 128(%1), %%eax\n\tmov 192(%1), %%ecx\n\tmov %%edx, 2052(%1)\n\t" \
	"mov 256(%1), %%eax\n\tmov 320(%1), %%ecx\n\tmov %%edx, 2056(%1)\n\t" \
	"mov 384(%1), %%eax\n\tmov 448(%1), %%ecx\n\tmov %%edx, 2060(%1)\n\t"

static void ports(void)
{
	char *a = get(1 << 16);
	double best;

#define RATE(name, body)                \
	best = 1e30;                    \
	for (int r = 0; r < TIMES; r++) \
		LOOP(body)              \
	printf("%s,65536,1,%.3f\n", name, 12 / best);
	RATE("loads", LOADS)
	RATE("stores_one_line", STORES_NEAR)
	RATE("stores_twelve_lines", STORES_FAR)
	RATE("two_loads_one_store", BOTH)
}

int main(int argc, char **argv)
{
	static const char kinds[] = "rwc";
	int cpu[MOST], n = 0;

	for (char *p = strtok(argc > 1 ? argv[1] : (char[]){ "0" }, ",");
	     p && n < MOST; p = strtok(NULL, ","))
		cpu[n++] = atoi(p);
	printf("what,bytes,threads,value\n");
	pin(cpu[0]);
	ports();
	for (size_t b = 16 << 10; b <= (size_t)1 << 30; b *= 2) {
		latency(b);
		if (b >= 1 << 20 && b < 16 << 20)
			latency(b + b / 2);
	}
	fflush(stdout);
	for (int k = 0; kinds[k]; k++)
		for (int t = 1; t <= n; t *= 2) {
			bandwidth(cpu, t, kinds[k], 24 << 10);
			bandwidth(cpu, t, kinds[k], 1 << 20);
			bandwidth(cpu, t, kinds[k], 8 << 20);
			bandwidth(cpu, t, kinds[k], 256 << 20);
			fflush(stdout);
		}
	return 0;
}
