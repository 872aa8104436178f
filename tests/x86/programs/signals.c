/* Signals: handlers, their frames and stacks, masks, waits, timers, threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t count, last, inside;
static volatile siginfo_t seen;
static sigjmp_buf back;
static char *page;
static char other_stack[1 << 16];

static void install(int number, void (*f)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = { .sa_flags = SA_SIGINFO | flags };

	a.sa_sigaction = f;
	sigaction(number, &a, NULL);
}

static void note(int number, siginfo_t *info, void *context)
{
	sigset_t now;

	(void)context;
	sigprocmask(SIG_BLOCK, NULL, &now);
	inside = sigismember(&now, number);
	count++;
	last = number;
	memcpy((void *)&seen, info, sizeof(*info));
}

static void raised(void)
{
	sigset_t set, old;

	install(SIGUSR1, note, 0);
	raise(SIGUSR1);
	printf("raised %d %d blocked %d code %d own %d\n", count, last, inside,
	       seen.si_code, seen.si_pid == getpid());
	install(SIGUSR1, note, SA_NODEFER);
	kill(getpid(), SIGUSR1);
	printf("killed %d blocked %d code %d\n", count, inside, seen.si_code);
	install(SIGUSR1, note, SA_RESETHAND);
	raise(SIGUSR1);
	printf("reset %d\n", signal(SIGUSR1, SIG_IGN) == SIG_DFL);
	raise(SIGUSR1);
	install(SIGUSR1, note, 0);
	install(SIGUSR2, note, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &old);
	count = 0;
	raise(SIGUSR2);
	raise(SIGUSR1);
	raise(SIGUSR1);
	sigpending(&set);
	printf("pending %d %d %d, %d so far\n", sigismember(&set, SIGUSR1),
	       sigismember(&set, SIGUSR2), sigismember(&set, SIGALRM), count);
	sigprocmask(SIG_SETMASK, &old, NULL);
	printf("then %d\n", count);
}

static void fault(int number, siginfo_t *info, void *context)
{
	note(number, info, context);
	siglongjmp(back, 1);
}

/* Makes the page writable, and the store is made again. */
static void mend(int number, siginfo_t *info, void *context)
{
	note(number, info, context);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void skip(int number, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	note(number, info, context);
	if (number == SIGILL)
		r[REG_RIP] += 2; /* ud2 */
	r[REG_RAX] = 77;
}

static void faults(void)
{
	volatile int zero = 0;
	volatile double none = 0;
	long rax;

	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	install(SIGSEGV, fault, 0);
	install(SIGFPE, fault, 0);
	if (!sigsetjmp(back, 1))
		*(volatile char *)48 = 1;
	printf("segv code %d at %p\n", seen.si_code, seen.si_addr);
	if (!sigsetjmp(back, 1))
		page[5] = 1;
	printf("segv code %d at +%d\n", seen.si_code,
	       (int)((char *)seen.si_addr - page));
	if (!sigsetjmp(back, 1))
		*(volatile char *)0xdeadbeef00000000 = 1;
	printf("segv code %d at %p\n", seen.si_code, seen.si_addr);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("hlt");
	printf("hlt code %d\n", seen.si_code);
	if (!sigsetjmp(back, 1))
		((void (*)(void))0x12345000)();
	printf("jump code %d at %p\n", seen.si_code, seen.si_addr);
	install(SIGSEGV, mend, 0);
	page[6] = 42;
	printf("mended %d\n", page[6]);
	if (!sigsetjmp(back, 1))
		zero = 1 / zero;
	printf("fpe code %d\n", seen.si_code);
	feenableexcept(FE_DIVBYZERO);
	if (!sigsetjmp(back, 1))
		none = 1 / none;
	printf("fpe code %d\n", seen.si_code);
	feenableexcept(FE_INVALID);
	feclearexcept(FE_ALL_EXCEPT);
	if (!sigsetjmp(back, 1))
		none = none / (none * 0);
	printf("fpe code %d\n", seen.si_code);
	fedisableexcept(FE_ALL_EXCEPT);
	install(SIGILL, skip, 0);
	install(SIGTRAP, skip, 0);
	__asm__ volatile("mov $1, %%eax; ud2" : "=a"(rax));
	printf("ud2 %d rax %ld\n", last, rax);
	__asm__ volatile("mov $1, %%eax; int3" : "=a"(rax));
	printf("int3 %d rax %ld\n", last, rax);
}

static void overflow(int number, siginfo_t *info, void *context)
{
	char here;

	(void)info;
	(void)context;
	last = number;
	inside = &here > other_stack &&
		 &here < other_stack + sizeof(other_stack);
	siglongjmp(back, 1);
}

static int deep(volatile int n)
{
	volatile char big[4096];

	big[n & 4095] = (char)n;
	return deep(n + 1) + big[n & 1];
}

static void stacks(void)
{
	stack_t s = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	stack_t old;

	sigaltstack(&s, &old);
	printf("no stack %d\n", old.ss_flags == SS_DISABLE);
	install(SIGSEGV, overflow, SA_ONSTACK);
	if (!sigsetjmp(back, 1))
		deep(0);
	printf("overflow %d on the other stack %d\n", last, inside);
	s.ss_flags = SS_DISABLE;
	sigaltstack(&s, &old);
	printf("the stack %d\n", old.ss_sp == other_stack);
}

static void clobber(int number, siginfo_t *info, void *context)
{
	volatile long double x = 1.5L;
	volatile double y[8];

	for (int i = 0; i < 100; i++) {
		x = x * 1.25L;
		y[i % 8] = (double)x;
	}
	note(number, info, context);
	(void)y;
}

/* Registers of all kinds survive handlers in between. */
static double compute(void)
{
	double sum = 0;
	long double product = 1;

	for (int i = 1; i < 100000; i++) {
		sum += 1.0 / i;
		product *= 1 + 1e-7L * i / (i + 1);
	}
	return sum + (double)product;
}

static void timers(void)
{
	struct itimerval tick = { { 0, 500 }, { 0, 500 } }, off = { 0 }, left;
	sigset_t none;
	double quiet = compute(), busy;
	struct timespec long_sleep = { 5, 0 }, rest = { 0 };
	int result;

	install(SIGALRM, clobber, 0);
	count = 0;
	setitimer(ITIMER_REAL, &tick, NULL);
	busy = compute();
	sigemptyset(&none);
	while (count < 3)
		sigsuspend(&none);
	setitimer(ITIMER_REAL, &off, &left);
	printf("same %d interval %ld\n", quiet == busy,
	       (long)left.it_interval.tv_usec);
	tick.it_interval.tv_usec = 0;
	tick.it_value.tv_usec = 20000;
	setitimer(ITIMER_REAL, &tick, NULL);
	result = nanosleep(&long_sleep, &rest);
	printf("slept %d %d", result, errno == EINTR);
	printf(" rest %d\n", rest.tv_sec == 4 && rest.tv_nsec < 999000000);
	printf("alarm %u", alarm(100));
	printf(" %u\n", alarm(0));
	count = 0;
	ualarm(1000, 0);
	result = pause();
	printf("pause %d %d %d\n", result, errno == EINTR, count);
	install(SIGVTALRM, note, 0);
	tick.it_value.tv_usec = 1000;
	setitimer(ITIMER_VIRTUAL, &tick, NULL);
	while (last != SIGVTALRM)
		;
	printf("virtual\n");
}

static sem_t posted;
static volatile int told;

static void *waiter(void *p)
{
	int n;

	while ((n = sem_wait(&posted)) && errno == EINTR)
		told++;
	return p;
}

static void *sleeper(void *p)
{
	for (;;)
		pause();
	return p;
}

static void *taker(void *set)
{
	int number = 0;

	sigwait(set, &number);
	return (void *)(long)number;
}

static void threads(void)
{
	struct timespec soon = { 0, 20000000 };
	pthread_t t;
	sigset_t set, old;
	void *result;
	int number;

	sem_init(&posted, 0, 0);
	install(SIGUSR1, note, SA_RESTART);
	count = 0;
	pthread_create(&t, NULL, waiter, NULL);
	nanosleep(&soon, NULL);
	pthread_kill(t, SIGUSR1);
	nanosleep(&soon, NULL);
	printf("restarted %d %d\n", count, told);
	install(SIGUSR1, note, 0);
	pthread_kill(t, SIGUSR1);
	nanosleep(&soon, NULL);
	printf("interrupted %d %d\n", count, told);
	sem_post(&posted);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, sleeper, NULL);
	nanosleep(&soon, NULL);
	pthread_cancel(t);
	pthread_join(t, &result);
	printf("cancelled %d\n", result == PTHREAD_CANCELED);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	pthread_create(&t, NULL, taker, &set);
	nanosleep(&soon, NULL);
	kill(getpid(), SIGTERM);
	pthread_join(t, &result);
	printf("waited for %d\n", (int)(long)result);
	soon.tv_nsec = 1000000;
	number = sigtimedwait(&set, NULL, &soon);
	printf("timed out %d %d\n", number, errno == EAGAIN);
	raise(SIGTERM);
	printf("took %d\n", sigwaitinfo(&set, NULL));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* The image that a handler gets, by instructions. */
static void image(void)
{
	static unsigned char a[512] __attribute__((aligned(16))), b[512];
	int top;

	__asm__ volatile("fninit; fld1; fldz; fld1; fxsave %0" : "=m"(a));
	memcpy(b, a, 512);
	top = b[3] >> 3 & 7;
	printf("fxsave %x %x %d full %x mxcsr %x st0 %x%02x st2 %x%02x\n", b[0],
	       b[1], top, b[4], b[24], b[41], b[40], b[73], b[72]);
	b[32 + 9] = 0xc0; /* another sign */
	memcpy(a, b, 512);
	__asm__ volatile("fninit; fxrstor %1; fnstcw %0; fstpt %0"
			 : "=m"(b)
			 : "m"(a));
	printf("fxrstor %x%02x\n", b[9], b[8]);
	__asm__ volatile("fninit");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	raised();
	faults();
	stacks();
	timers();
	threads();
	image();
	printf("number %d\n",
	       sigaction(SIGKILL, &(struct sigaction){ 0 }, NULL));
	install(SIGABRT, note, 0);
	abort();
}
