/* System calls: time, and facts about the system. All of them are the same in
 * every run. */
#include <errno.h>

#include "isa/x86/sys.h"

enum { X86_NS = 1000000000 };
enum { X86_REALTIME = 0, X86_ABSTIME = 1 };

static bool x86_put_bytes(struct x86_process *p, uint64_t at, const void *from,
			  uint64_t bytes)
{
	void *to = x86_mem_put(&p->mem, at, bytes);

	if (to)
		memcpy(to, from, bytes);
	return to;
}

static uint64_t x86_clock(const struct x86_process *p, uint64_t clock)
{
	/* CLOCK_REALTIME, and its coarse twin. */
	if (clock == X86_REALTIME || clock == 5)
		return X86_EPOCH_NS + x86_now(p);
	return x86_now(p);
}

int64_t x86_put_time(struct x86_process *p, uint64_t at, uint64_t ns,
		     unsigned unit)
{
	uint64_t v[2] = { ns / X86_NS, ns % X86_NS / unit };

	return x86_put_bytes(p, at, v, sizeof(v)) ? 0 : -EFAULT;
}

bool x86_get_time(const struct x86_process *p, uint64_t at, uint64_t *ns)
{
	const void *from = x86_mem_get(&p->mem, at, 16);
	uint64_t v[2];

	if (!from)
		return false;
	memcpy(v, from, sizeof(v));
	if (v[1] >= X86_NS || (int64_t)v[0] < 0)
		return false;
	*ns = v[0] > UINT64_MAX / 2 / X86_NS ? UINT64_MAX / 2 :
					       v[0] * X86_NS + v[1];
	return true;
}

X86_SYSCALL(clock_gettime)
{
	return x86_put_time(p, a[1], x86_clock(p, a[0]), 1);
}

X86_SYSCALL(clock_getres)
{
	return a[1] ? x86_put_time(p, a[1], 1, 1) : 0;
}

X86_SYSCALL(gettimeofday)
{
	return a[0] ? x86_put_time(p, a[0], x86_clock(p, X86_REALTIME), 1000) :
		      0;
}

X86_SYSCALL(time)
{
	uint64_t now = x86_clock(p, X86_REALTIME) / X86_NS;

	if (a[0] && !x86_put_bytes(p, a[0], &now, sizeof(now)))
		return -EFAULT;
	return (int64_t)now;
}

/* rest: where to write how long it would have slept on; 0: nowhere. */
static int64_t x86_sleep(struct x86_thread *t, uint64_t until, uint64_t rest)
{
	t->state = X86_SLEEPING;
	t->sig.rest_to = rest;
	t->wake = until;
	t->cpu.r[X86_RAX] = 0;
	return X86_SYS_LATER;
}

X86_SYSCALL(nanosleep)
{
	uint64_t ns;

	if (!x86_get_time(p, a[0], &ns))
		return -EINVAL;
	return x86_sleep(t, x86_now(p) + ns, a[1]);
}

X86_SYSCALL(clock_nanosleep)
{
	uint64_t ns, now = x86_now(p);

	if (!x86_get_time(p, a[2], &ns))
		return -EINVAL;
	if (!(a[1] & X86_ABSTIME))
		return x86_sleep(t, now + ns, a[3]);
	if (a[0] == X86_REALTIME)
		ns = ns > X86_EPOCH_NS ? ns - X86_EPOCH_NS : 0;
	return x86_sleep(t, ns, 0);
}

/* A generator by Steele, Lea and Flood. */
uint64_t x86_random(struct x86_process *p)
{
	uint64_t z = p->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

X86_SYSCALL(getrandom)
{
	uint64_t bytes = a[1] < 1 << 25 ? a[1] : 1 << 25;
	uint8_t *to = x86_mem_put(&p->mem, a[0], bytes);

	if (!to)
		return -EFAULT;
	for (uint64_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)x86_random(p);
	return (int64_t)bytes;
}

enum { X86_UTS = 65, X86_UTS_FIELDS = 6 };

X86_SYSCALL(uname)
{
	static const char names[X86_UTS_FIELDS][X86_UTS] = {
		"Linux", "heddle", "6.1.0", "#1 Heddle", "x86_64", "(none)"
	};

	return x86_put_bytes(p, a[0], names, sizeof(names)) ? 0 : -EFAULT;
}

/* Words of Linux' struct rusage; the first two are the time of the program. */
enum { X86_RUSAGE_WORDS = 18 };

X86_SYSCALL(getrusage)
{
	uint64_t v[X86_RUSAGE_WORDS] = { x86_now(p) / X86_NS,
					 x86_now(p) % X86_NS / 1000 };

	return x86_put_bytes(p, a[1], v, sizeof(v)) ? 0 : -EFAULT;
}

/* A tick is a hundredth of a second; there are no children. */
X86_SYSCALL(times)
{
	uint64_t ticks = x86_now(p) / (X86_NS / 100), v[4] = { ticks };

	if (a[0] && !x86_put_bytes(p, a[0], v, sizeof(v)))
		return -EFAULT;
	return (int64_t)ticks;
}

/* Linux' struct sysinfo: uptime, three loads, total and free memory, ... */
enum { X86_SYSINFO_WORDS = 14, X86_SYSINFO_UNIT = 13 };

X86_SYSCALL(sysinfo)
{
	uint64_t v[X86_SYSINFO_WORDS] = { x86_now(p) / X86_NS };

	v[4] = v[5] = 1ull << 30;
	v[10] = 1; /* processes, in 16 bits */
	v[X86_SYSINFO_UNIT] = 1;
	return x86_put_bytes(p, a[0], v, sizeof(v)) ? 0 : -EFAULT;
}

enum { X86_RLIMIT_STACK = 3, X86_RLIMIT_NOFILE = 7 };

static int64_t x86_put_limit(struct x86_process *p, uint64_t which, uint64_t at)
{
	uint64_t v = which == X86_RLIMIT_STACK  ? X86_STACK_BYTES :
		     which == X86_RLIMIT_NOFILE ? X86_FILES :
						  UINT64_MAX;
	uint64_t limits[2] = { v, v };

	return x86_put_bytes(p, at, limits, sizeof(limits)) ? 0 : -EFAULT;
}

X86_SYSCALL(getrlimit)
{
	return x86_put_limit(p, a[0], a[1]);
}

/* New limits are taken and have no effect. */
X86_SYSCALL(prlimit64)
{
	return a[3] ? x86_put_limit(p, a[1], a[3]) : 0;
}

X86_SYSCALL(sched_getaffinity)
{
	uint64_t bytes = (p->cores + 63) / 64 * 8;
	uint8_t *to = x86_mem_put(&p->mem, a[2], bytes);

	if (a[1] < bytes || a[1] % 8)
		return -EINVAL;
	if (!to)
		return -EFAULT;
	memset(to, 0, bytes);
	for (unsigned i = 0; i < p->cores; i++)
		to[i / 8] |= (uint8_t)(1u << i % 8);
	return (int64_t)bytes;
}

X86_SYSCALL(sched_getparam)
{
	const int priority = 0;

	return x86_put_bytes(p, a[1], &priority, sizeof(priority)) ? 0 :
								     -EFAULT;
}

X86_SYSCALL(getcpu)
{
	uint32_t cpu = (uint32_t)(t->tid - X86_PID) % p->cores, node = 0;

	if ((a[0] && !x86_put_bytes(p, a[0], &cpu, 4)) ||
	    (a[1] && !x86_put_bytes(p, a[1], &node, 4)))
		return -EFAULT;
	return 0;
}

enum {
	X86_ARCH_SET_GS = 0x1001,
	X86_ARCH_SET_FS = 0x1002,
	X86_ARCH_GET_FS = 0x1003,
	X86_ARCH_GET_GS = 0x1004
};

X86_SYSCALL(arch_prctl)
{
	uint64_t *segment = t->cpu.segment;

	switch (a[0]) {
	case X86_ARCH_SET_GS:
		segment[X86_SEG_GS] = a[1];
		return 0;
	case X86_ARCH_SET_FS:
		segment[X86_SEG_FS] = a[1];
		return 0;
	case X86_ARCH_GET_FS:
		return x86_put_bytes(p, a[1], &segment[X86_SEG_FS], 8) ?
			       0 :
			       -EFAULT;
	case X86_ARCH_GET_GS:
		return x86_put_bytes(p, a[1], &segment[X86_SEG_GS], 8) ?
			       0 :
			       -EFAULT;
	default: /* control-flow enforcement and the like: there is none */
		return -EINVAL;
	}
}
