/* System calls: memory. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "isa/x86/sys.h"

/* Linux' flags, the same for all guests. */
enum {
	X86_MAP_SHARED = 0x01,
	X86_MAP_FIXED = 0x10,
	X86_MAP_ANON = 0x20,
	X86_MAP_NOREPLACE = 0x100000,
	X86_MREMAP_MAYMOVE = 1,
	X86_MREMAP_FIXED = 2
};

/* PROT_READ, PROT_WRITE and PROT_EXEC have the values of X86_READ and so on; what
 * may be written or executed may be read. */
static unsigned x86_allow_of(uint64_t prot)
{
	unsigned allow = prot & (X86_READ | X86_WRITE | X86_EXEC);

	return allow ? allow | X86_READ : 0;
}

static bool x86_range_fits(uint64_t at, uint64_t bytes)
{
	return at % X86_PAGE == 0 && bytes && at < X86_SPACE - X86_PAGE &&
	       bytes <= X86_SPACE - X86_PAGE - at;
}

/* Copies a file's bytes into what was mapped. */
static int64_t x86_map_file(struct x86_process *p, uint64_t at, uint64_t bytes,
			    int host, uint64_t offset)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(host, p->mem.memory + at + done, bytes - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (uint64_t)n;
	}
	return (int64_t)at;
}

static uint64_t x86_choose(struct x86_process *p, uint64_t hint, uint64_t bytes)
{
	hint &= ~(uint64_t)(X86_PAGE - 1);
	if (hint && x86_range_fits(hint, bytes) &&
	    x86_mem_is_free(&p->mem, hint, bytes))
		return hint;
	return x86_mem_find(&p->mem, bytes, X86_MMAP_TOP);
}

X86_SYSCALL(mmap)
{
	uint64_t at = a[0], bytes = x86_round_up(a[1]), flags = a[3];
	bool fixed = flags & (X86_MAP_FIXED | X86_MAP_NOREPLACE);
	int host = -1;
	int64_t e;

	if (!a[1] || a[5] % X86_PAGE || (fixed && at % X86_PAGE))
		return -EINVAL;
	if (bytes < a[1] || bytes > X86_MMAP_TOP)
		return -ENOMEM;
	if (!(flags & X86_MAP_ANON)) {
		host = x86_host_file(p, (uint32_t)a[4]);
		if (host < 0)
			return -EBADF;
		if (flags & X86_MAP_SHARED && a[2] & X86_WRITE &&
		    (fcntl(host, F_GETFL) & O_ACCMODE) != O_RDWR)
			return -EACCES;
	}
	if (flags & X86_MAP_NOREPLACE && !x86_mem_is_free(&p->mem, at, bytes))
		return -EEXIST;
	if (!fixed)
		at = x86_choose(p, at, bytes);
	if (!at || !x86_range_fits(at, bytes))
		return -ENOMEM;
	x86_shared_end(p, at, bytes);
	x86_mem_map(&p->mem, at, bytes, x86_allow_of(a[2]));
	if (host < 0)
		return (int64_t)at;
	x86_shared_store(p, host);
	e = x86_map_file(p, at, bytes, host, a[5]);
	if (e >= 0 && flags & X86_MAP_SHARED)
		e = x86_shared_add(p, at, bytes, host, a[5]);
	return e;
}

X86_SYSCALL(mprotect)
{
	uint64_t bytes = x86_round_up(a[1]);

	if (a[0] % X86_PAGE)
		return -EINVAL;
	if (!a[1])
		return 0;
	if (!x86_range_fits(a[0], bytes) ||
	    !x86_mem_is_mapped(&p->mem, a[0], bytes))
		return -ENOMEM;
	x86_mem_protect(&p->mem, a[0], bytes, x86_allow_of(a[2]));
	return 0;
}

X86_SYSCALL(munmap)
{
	uint64_t bytes = x86_round_up(a[1]);

	if (!x86_range_fits(a[0], bytes))
		return -EINVAL;
	x86_shared_end(p, a[0], bytes);
	x86_mem_unmap(&p->mem, a[0], bytes);
	return 0;
}

X86_SYSCALL(brk)
{
	uint64_t old = x86_round_up(p->brk), new = x86_round_up(a[0]);

	if (a[0] < p->brk_start || a[0] >= X86_MMAP_TOP || new < a[0])
		return (int64_t)p->brk;
	if (new > old) {
		if (!x86_mem_is_free(&p->mem, old, new - old))
			return (int64_t)p->brk;
		x86_mem_map(&p->mem, old, new - old, X86_READ | X86_WRITE);
	} else if (new < old) {
		x86_mem_unmap(&p->mem, new, old - new);
	}
	p->brk = a[0];
	return (int64_t)p->brk;
}

static void x86_move_pages(struct x86_process *p, uint64_t from, uint64_t old,
			   uint64_t to, uint64_t bytes)
{
	unsigned allow = p->mem.allowed[from >> X86_PAGE_BITS];

	if (allow & X86_DECODED)
		allow |= X86_WRITE;
	allow &= X86_READ | X86_WRITE | X86_EXEC;
	x86_mem_map(&p->mem, to, bytes, allow);
	memcpy(p->mem.memory + to, p->mem.memory + from,
	       old < bytes ? old : bytes);
	x86_mem_unmap(&p->mem, from, old);
}

X86_SYSCALL(mremap)
{
	uint64_t at = a[0], old = x86_round_up(a[1]), new = x86_round_up(a[2]);
	uint64_t to;

	if (a[3] & X86_MREMAP_FIXED || !new || !x86_range_fits(at, old))
		return -EINVAL;
	if (!x86_mem_is_mapped(&p->mem, at, old))
		return -EFAULT;
	if (new <= old) {
		x86_shared_end(p, at + new, old - new);
		if (new < old)
			x86_mem_unmap(&p->mem, at + new, old - new);
		return (int64_t)at;
	}
	if (!(a[3] & X86_MREMAP_MAYMOVE))
		return -ENOMEM;
	to = new < X86_MMAP_TOP ? x86_choose(p, 0, new) : 0;
	if (!to)
		return -ENOMEM;
	x86_move_pages(p, at, old, to, new);
	x86_shared_move(p, at, old, to, new);
	return (int64_t)to;
}

enum { X86_DONTNEED = 4 };

/* A private mapping of a file would show the file again: its bytes are copied, and
 * nobody knows any more which file it was. */
X86_SYSCALL(madvise)
{
	uint64_t bytes = x86_round_up(a[1]);

	if (a[0] % X86_PAGE)
		return -EINVAL;
	if (!a[1] || a[2] != X86_DONTNEED)
		return 0;
	if (!x86_range_fits(a[0], bytes) ||
	    !x86_mem_is_mapped(&p->mem, a[0], bytes))
		return -ENOMEM;
	x86_mem_clear(&p->mem, a[0], bytes);
	return 0;
}
