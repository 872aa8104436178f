#include "isa/x86/mem.h"

#include <sys/mman.h>

/* The last page of the space is never mapped, so that an access that begins in
 * the one before it needs no look at the end. */
enum { X86_PAGES = 1 << (X86_SPACE_BITS - X86_PAGE_BITS) };

static void *x86_mem_host(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

enum err x86_mem_new(struct x86_mem *m, struct diag *d)
{
	*m = (struct x86_mem){ .memory = x86_mem_host(X86_SPACE),
			       .allowed = x86_mem_host(X86_PAGES + 1),
			       .nothing = x86_mem_host(X86_PAGES + 1) };
	if (m->memory && m->allowed && m->nothing)
		return ERR_OK;
	x86_mem_free(m);
	return fail(d, ERR_NOMEM,
		    "cannot reserve 128 GiB of addresses for the guest; see "
		    "ulimit -v and vm.overcommit_memory, which must not be 2");
}

void x86_mem_free(struct x86_mem *m)
{
	if (m->memory)
		munmap(m->memory, X86_SPACE);
	if (m->allowed)
		munmap(m->allowed, X86_PAGES + 1);
	if (m->nothing)
		munmap(m->nothing, X86_PAGES + 1);
	m->memory = m->allowed = m->nothing = NULL;
}

static void x86_mem_allow(struct x86_mem *m, uint64_t at, uint64_t bytes,
			  unsigned allow)
{
	uint8_t *page = m->allowed + (at >> X86_PAGE_BITS);
	size_t pages = bytes >> X86_PAGE_BITS;

	CHECK(at + bytes <= X86_SPACE - X86_PAGE);
	for (size_t i = 0; i < pages; i++)
		if (page[i] & X86_EXEC)
			m->changes++;
	memset(page, (int)allow, pages);
}

/* Drops what a range holds: it reads as zero. */
static void x86_mem_drop(struct x86_mem *m, uint64_t at, uint64_t bytes)
{
	if (bytes)
		madvise(m->memory + at, bytes, MADV_DONTNEED);
}

void x86_mem_map(struct x86_mem *m, uint64_t at, uint64_t bytes, unsigned allow)
{
	x86_mem_drop(m, at, bytes);
	x86_mem_allow(m, at, bytes, allow | X86_MAPPED);
}

void x86_mem_clear(struct x86_mem *m, uint64_t at, uint64_t bytes)
{
	for (uint64_t i = at >> X86_PAGE_BITS;
	     i < (at + bytes) >> X86_PAGE_BITS; i++)
		if (m->allowed[i] & X86_EXEC)
			m->changes++;
	x86_mem_drop(m, at, bytes);
}

void x86_mem_unmap(struct x86_mem *m, uint64_t at, uint64_t bytes)
{
	x86_mem_drop(m, at, bytes);
	x86_mem_allow(m, at, bytes, 0);
}

void x86_mem_protect(struct x86_mem *m, uint64_t at, uint64_t bytes,
		     unsigned allow)
{
	x86_mem_allow(m, at, bytes, allow | X86_MAPPED);
}

bool x86_mem_is_mapped(const struct x86_mem *m, uint64_t at, uint64_t bytes)
{
	if (at >= X86_SPACE || bytes > X86_SPACE - at)
		return false;
	for (uint64_t i = at >> X86_PAGE_BITS;
	     i < (at + bytes + X86_PAGE - 1) >> X86_PAGE_BITS; i++)
		if (!(m->allowed[i] & X86_MAPPED))
			return false;
	return true;
}

bool x86_mem_is_free(const struct x86_mem *m, uint64_t at, uint64_t bytes)
{
	if (at >= X86_SPACE - X86_PAGE || bytes > X86_SPACE - X86_PAGE - at)
		return false;
	for (uint64_t i = at >> X86_PAGE_BITS;
	     i < (at + bytes) >> X86_PAGE_BITS; i++)
		if (m->allowed[i] & X86_MAPPED)
			return false;
	return true;
}

uint64_t x86_mem_find(const struct x86_mem *m, uint64_t bytes, uint64_t top)
{
	uint64_t need = bytes >> X86_PAGE_BITS, run = 0;

	for (uint64_t i = top >> X86_PAGE_BITS; i-- > 16;) {
		run = m->allowed[i] & X86_MAPPED ? 0 : run + 1;
		if (run == need)
			return i << X86_PAGE_BITS;
	}
	return 0;
}

bool x86_mem_can(const struct x86_mem *m, uint64_t at, uint64_t bytes,
		 unsigned allow)
{
	if (at >= X86_SPACE || bytes > X86_SPACE - at)
		return false;
	if (!bytes)
		return true;
	for (uint64_t i = at >> X86_PAGE_BITS;
	     i <= (at + bytes - 1) >> X86_PAGE_BITS; i++)
		if (!(m->allowed[i] & allow))
			return false;
	return true;
}

const void *x86_mem_get(const struct x86_mem *m, uint64_t at, uint64_t bytes)
{
	return x86_mem_can(m, at, bytes, X86_READ) ? m->memory + at : NULL;
}

/* Stores to pages of instructions are allowed from now on, and they are
 * forgotten. */
static void x86_mem_forget(struct x86_mem *m, uint64_t at, uint64_t bytes)
{
	for (uint64_t i = at >> X86_PAGE_BITS;
	     i <= (at + bytes - 1) >> X86_PAGE_BITS; i++)
		if (m->allowed[i] & X86_DECODED) {
			m->allowed[i] ^= X86_DECODED | X86_WRITE;
			m->changes++;
		}
}

void *x86_mem_put(struct x86_mem *m, uint64_t at, uint64_t bytes)
{
	if (!x86_mem_can(m, at, bytes, X86_WRITE | X86_DECODED))
		return NULL;
	if (bytes)
		x86_mem_forget(m, at, bytes);
	return m->memory + at;
}

const char *x86_mem_string(const struct x86_mem *m, uint64_t at, size_t max)
{
	for (size_t i = 0; i < max; i++) {
		if (!x86_mem_can(m, at + i, 1, X86_READ))
			return NULL;
		if (!m->memory[at + i])
			return (const char *)m->memory + at;
	}
	return NULL;
}

void x86_mem_decoded(struct x86_mem *m, uint64_t at)
{
	uint8_t *page = &m->allowed[at >> X86_PAGE_BITS];

	if (*page & X86_WRITE)
		*page ^= X86_DECODED | X86_WRITE;
}

static void x86_mem_fault(struct x86_cpu *c, enum x86_fault_kind kind,
			  uint64_t at, unsigned bytes)
{
	c->stop = X86_STOP_FAULT;
	c->fault = (struct x86_fault){ .kind = kind,
				       .address = at,
				       .bytes = bytes };
}

const uint8_t *x86_read_slow(struct x86_cpu *c, uint64_t at, unsigned bytes)
{
	if (c->stray && x86_mem_get(c->mem, at, bytes))
		return c->memory + at;
	x86_mem_fault(c, X86_FAULT_READ, at, bytes);
	return NULL;
}

uint8_t *x86_write_slow(struct x86_cpu *c, uint64_t at, unsigned bytes)
{
	if (c->stray && x86_mem_can(c->mem, at, bytes, X86_WRITE) &&
	    bytes <= X86_STRAY_BYTES) {
		memcpy(c->stray, c->memory + at, bytes);
		return c->stray;
	}
	if (!c->stray && x86_mem_put(c->mem, at, bytes))
		return c->memory + at;
	x86_mem_fault(c, X86_FAULT_WRITE, at, bytes);
	return NULL;
}
