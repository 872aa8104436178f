/*
 * The guest of the benchmark of systems: four threads without a library, each of
 * which multiplies matrices, chases pointers and adds to a sum that all share, for
 * ever. bench/busy is made of it:
 *
 *	gcc -O2 -std=gnu11 -static -nostdlib -ffreestanding -fno-pie -no-pie \
 *	    -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
 *	    -mno-avx -Wl,--build-id=none -Wl,-z,noseparate-code -s -o busy busy.c
 */
enum { CLONE = 56, THREADS = 4, ORDER = 40, NODES = 1 << 14 };

static double a[THREADS][ORDER][ORDER], b[THREADS][ORDER][ORDER];
static double c[THREADS][ORDER][ORDER];
static unsigned next[THREADS][NODES];
static volatile long sum;
static char stack[THREADS][16384] __attribute__((aligned(16)));

static void multiply(int t)
{
	for (int i = 0; i < ORDER; i++)
		for (int k = 0; k < ORDER; k++)
			for (int j = 0; j < ORDER; j++)
				c[t][i][j] += a[t][i][k] * b[t][k][j];
}

/* 64 KiB of each thread, in an order that no cache expects. */
static unsigned chase(int t, unsigned at)
{
	for (int i = 0; i < NODES / 4; i++)
		at = next[t][at];
	return at;
}

__attribute__((noreturn)) static void work(int t)
{
	unsigned at = 0;

	for (int i = 0; i < NODES; i++)
		next[t][i] = (unsigned)(i * 5 + 7) % NODES;
	for (int i = 0; i < ORDER; i++)
		for (int j = 0; j < ORDER; j++) {
			a[t][i][j] = i + t;
			b[t][i][j] = j - t;
		}
	for (;;) {
		multiply(t);
		at = chase(t, at);
		__atomic_fetch_add(&sum, at, __ATOMIC_SEQ_CST);
	}
}

#define THREAD(n)                                            \
	__attribute__((noreturn, used)) void thread##n(void) \
	{                                                    \
		work(n);                                     \
	}
THREAD(1)
THREAD(2)
THREAD(3)

/* VM, FS, FILES, SIGHAND, THREAD: the new one returns to its function. */
static void begin(int t, void (*function)(void))
{
	char *top = stack[t] + sizeof(stack[t]) - 16;

	long number = CLONE;

	*(void **)top = (void *)function;
	__asm__ volatile("syscall\n\t"
			 "test %%eax, %%eax\n\t"
			 "jnz 1f\n\t"
			 "ret\n"
			 "1:"
			 : "+a"(number)
			 : "D"(0x10f00l), "S"(top), "d"(0l)
			 : "rcx", "r8", "r10", "r11", "memory");
}

__attribute__((used, noreturn)) void start(void)
{
	begin(1, thread1);
	begin(2, thread2);
	begin(3, thread3);
	work(0);
}

__asm__(".globl _start\n"
	"_start:\n"
	"	and $-16, %rsp\n"
	"	call start\n");
