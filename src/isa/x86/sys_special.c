/* Files that the root does not have: devices, and what /proc says of the processor and
 * of the program. A file of the same name below the root comes first. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/x86/special.h"

/* Bytes of memory that the program is told of, in KiB. */
enum { X86_MEMORY_KIB = 1 << 20 };

static void x86_say_cpuinfo(FILE *to, const struct x86_process *p)
{
	for (unsigned i = 0; i < p->cores; i++)
		fprintf(to,
			"processor\t: %u\nvendor_id\t: GenuineIntel\n"
			"cpu family\t: 6\nmodel\t\t: 13\n"
			"model name\t: Heddle\ncpu cores\t: %u\n"
			"flags\t\t: fpu tsc cx8 cmov clflush fxsr sse sse2 "
			"syscall nx rdtscp lm constant_tsc pni ssse3 cx16 "
			"sse4_1 sse4_2 popcnt lahf_lm\n"
			"clflush size\t: 64\ncache_alignment\t: 64\n\n",
			i, p->cores);
}

static void x86_say_meminfo(FILE *to, const struct x86_process *p)
{
	(void)p;
	fprintf(to,
		"MemTotal:       %8d kB\nMemFree:        %8d kB\n"
		"MemAvailable:   %8d kB\n",
		X86_MEMORY_KIB, X86_MEMORY_KIB, X86_MEMORY_KIB);
}

static void x86_say_status(FILE *to, const struct x86_process *p)
{
	unsigned threads = 0;

	for (unsigned i = 0; i < p->threads; i++)
		threads += p->thread[i]->state != X86_DEAD;
	fprintf(to,
		"Name:\tguest\nState:\tR (running)\nTgid:\t%d\nPid:\t%d\n"
		"PPid:\t1\nUid:\t1000\t1000\t1000\t1000\n"
		"Gid:\t1000\t1000\t1000\t1000\nThreads:\t%u\n",
		X86_PID, X86_PID, threads);
}

/* What a page allows, as it is written. */
static const char *x86_say_allow(unsigned allow)
{
	static const char *const text[] = { "---p", "r--p", "-w-p", "rw-p",
					    "--xp", "r-xp", "-wxp", "rwxp" };

	if (allow & X86_DECODED)
		allow |= X86_WRITE;
	return text[allow & (X86_READ | X86_WRITE | X86_EXEC)];
}

static void x86_say_range(FILE *to, const struct x86_process *p, uint64_t first,
			  uint64_t end, unsigned allow)
{
	uint64_t at = first << X86_PAGE_BITS;
	const char *name = at == p->brk_start                    ? "[heap]" :
			   end << X86_PAGE_BITS == X86_STACK_TOP ? "[stack]" :
								   "";

	fprintf(to, "%08llx-%08llx %s 00000000 00:00 0 %*s%s\n",
		(unsigned long long)at,
		(unsigned long long)(end << X86_PAGE_BITS),
		x86_say_allow(allow), *name ? 26 : 0, "", name);
}

static void x86_say_maps(FILE *to, const struct x86_process *p)
{
	const uint64_t pages = X86_SPACE >> X86_PAGE_BITS;

	for (uint64_t i = 0; i < pages;) {
		unsigned allow = p->mem.allowed[i];
		uint64_t first = i;

		while (i < pages && p->mem.allowed[i] == allow)
			i++;
		if (allow & X86_MAPPED)
			x86_say_range(to, p, first, i, allow);
	}
}

static const struct {
	const char *name; /* relative to the root */
	const char *host; /* a device of the host; NULL: it is written */
	void (*say)(FILE *to, const struct x86_process *p);
	bool random;
} x86_specials[] = {
	{ "dev/null", "/dev/null", NULL, false },
	{ "dev/zero", "/dev/zero", NULL, false },
	{ "dev/full", "/dev/full", NULL, false },
	{ "dev/random", "/dev/null", NULL, true },
	{ "dev/urandom", "/dev/null", NULL, true },
	{ "proc/cpuinfo", NULL, x86_say_cpuinfo, false },
	{ "proc/meminfo", NULL, x86_say_meminfo, false },
	{ "proc/self/maps", NULL, x86_say_maps, false },
	{ "proc/self/status", NULL, x86_say_status, false },
};

/* A file without a name that holds what is said. */
static int x86_special_written(const struct x86_process *p, unsigned n)
{
	FILE *f = tmpfile();
	int fd;

	if (!f)
		return -EMFILE;
	x86_specials[n].say(f, p);
	if (fflush(f) || fseek(f, 0, SEEK_SET)) {
		fclose(f);
		return -EIO;
	}
	fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 0);
	fclose(f);
	return fd < 0 ? -EMFILE : fd;
}

int x86_special_open(const struct x86_process *p, const char *name, int flags,
		     bool *random)
{
	int fd;

	for (unsigned i = 0; i < sizeof(x86_specials) / sizeof(x86_specials[0]);
	     i++) {
		if (strcmp(x86_specials[i].name, name) != 0)
			continue;
		*random = x86_specials[i].random;
		if (x86_specials[i].say)
			return flags & O_ACCMODE ? -EACCES :
						   x86_special_written(p, i);
		fd = open(x86_specials[i].host,
			  (flags & O_ACCMODE) | O_CLOEXEC | O_NOCTTY);
		return fd < 0 ? -errno : fd;
	}
	return -ENOENT;
}

int x86_special_stat(const struct x86_process *p, const char *name,
		     struct stat *s)
{
	bool random;
	int fd = x86_special_open(p, name, O_RDONLY, &random), e;

	if (fd < 0)
		return fd;
	e = fstat(fd, s) ? -errno : 0;
	close(fd);
	return e;
}
