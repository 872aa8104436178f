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

/* What a page allows, but for what only the simulator knows. */
static unsigned x86_page_allows(const struct x86_process *p, uint64_t page)
{
	unsigned allow = p->mem.allowed[page];

	if (allow & X86_DECODED)
		allow |= X86_WRITE;
	return allow & (X86_MAPPED | X86_READ | X86_WRITE | X86_EXEC);
}

static const struct x86_segment *x86_segment_of(const struct x86_process *p,
						uint64_t at)
{
	for (unsigned i = 0; i < p->image.segments; i++)
		if (at >= p->image.segment[i].at &&
		    at < p->image.segment[i].end)
			return &p->image.segment[i];
	return NULL;
}

/* Linux' line: addresses, what is allowed, offset, device, number, name. */
static void x86_say_range(FILE *to, const struct x86_process *p, uint64_t first,
			  uint64_t end)
{
	static const char *const text[] = { "---p", "r--p", "-w-p", "rw-p",
					    "--xp", "r-xp", "-wxp", "rwxp" };
	uint64_t at = first << X86_PAGE_BITS;
	const struct x86_segment *s = x86_segment_of(p, at);
	bool file = s && p->image.file;
	const char *name = file               ? p->image.path :
			   at == p->brk_start ? "[heap]" :
			   end << X86_PAGE_BITS == X86_STACK_TOP ? "[stack]" :
								   "";
	unsigned allow = x86_page_allows(p, first);
	int n = fprintf(
		to, "%08llx-%08llx %s %08llx 00:0%d %llu ",
		(unsigned long long)at,
		(unsigned long long)(end << X86_PAGE_BITS),
		text[allow & (X86_READ | X86_WRITE | X86_EXEC)],
		(unsigned long long)(s ? s->offset + (at - s->at) : 0), file,
		(unsigned long long)(file ? x86_path_number(name + 1) : 0));

	fprintf(to, "%*s%s\n", *name && n < 73 ? 73 - n : 0, "", name);
}

/* Pages of one line allow the same, and belong to the same. */
static bool x86_line_goes_on(const struct x86_process *p, uint64_t page)
{
	uint64_t at = page << X86_PAGE_BITS;

	return x86_page_allows(p, page) == x86_page_allows(p, page - 1) &&
	       x86_segment_of(p, at) == x86_segment_of(p, at - 1) &&
	       at != p->brk_start;
}

static void x86_say_maps(FILE *to, const struct x86_process *p)
{
	const uint64_t pages = X86_SPACE >> X86_PAGE_BITS;

	for (uint64_t i = 0; i < pages;) {
		uint64_t first = i++;

		if (!(p->mem.allowed[first] & X86_MAPPED))
			continue;
		while (i < pages && x86_line_goes_on(p, i))
			i++;
		x86_say_range(to, p, first, i);
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

int x86_special_nameless(unsigned mode)
{
	FILE *f = tmpfile();
	int fd;

	if (!f)
		return -EMFILE;
	fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 0);
	fclose(f);
	if (fd < 0)
		return -EMFILE;
	if (fchmod(fd, (mode_t)mode) == 0)
		return fd;
	close(fd);
	return -EIO;
}

/* A file that holds what is said. */
static int x86_special_written(const struct x86_process *p, unsigned n)
{
	int fd = x86_special_nameless(0444), copy = fd < 0 ? -1 : dup(fd);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "w");
	bool wrong;

	if (!f) {
		if (copy >= 0)
			close(copy);
		if (fd >= 0)
			close(fd);
		return -EMFILE;
	}
	x86_specials[n].say(f, p);
	wrong = ferror(f);
	wrong |= fclose(f) || lseek(fd, 0, SEEK_SET);
	if (wrong)
		close(fd);
	return wrong ? -EIO : fd;
}

int x86_special_link(const struct x86_process *p, const char *name, char *to,
		     size_t bytes)
{
	size_t n = strlen(p->image.path);

	if (strcmp(name, "proc/self/exe") != 0 || !n)
		return -ENOENT;
	if (n > bytes)
		n = bytes;
	memcpy(to, p->image.path, n);
	return (int)n;
}

int x86_special_open(const struct x86_process *p, const char *name, int flags,
		     bool *random)
{
	char link[1];
	int fd;

	if (x86_special_link(p, name, link, sizeof(link)) > 0)
		return -ELOOP;
	if (x86_image_is(p, name))
		return x86_image_reopen(p);
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

	if (fd == -ELOOP) {
		*s = (struct stat){ .st_mode = S_IFLNK | 0777, .st_nlink = 1 };
		return 0;
	}
	if (fd < 0)
		return fd;
	e = fstat(fd, s) ? -errno : 0;
	s->st_nlink = 1;
	close(fd);
	return e;
}
