/*
 * The memory of an x86-64 guest: one address space of 128 GiB, reserved at once,
 * of which the host gives pages when they are touched. A byte for each page of
 * 4 KiB says what is allowed there, so that an access needs two look-ups and no
 * walk, and a wrong one is the guest's fault, never a signal for Heddle.
 *
 * Does not model: paging, protection keys, sharing between processes.
 */
#ifndef HEDDLE_ISA_X86_MEM_H
#define HEDDLE_ISA_X86_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "isa/x86/flags.h"

enum { X86_PAGE_BITS = 12, X86_PAGE = 1 << X86_PAGE_BITS, X86_SPACE_BITS = 37 };
#define X86_SPACE (1ull << X86_SPACE_BITS)

/* What a page allows. A page that holds decoded instructions loses WRITE for
 * DECODED, so that the first store to it comes to x86_write_slow. */
enum {
	X86_READ = 1,
	X86_WRITE = 2,
	X86_EXEC = 4,
	X86_DECODED = 8, /* writable, but the code must hear of it */
	X86_MAPPED = 16
};

struct x86_mem {
	uint8_t *memory;
	uint8_t *allowed; /* one for each page, and one more */
	uint8_t *nothing; /* the same, allows nothing: of strays */
	/* Counts changes of what instructions were decoded from. */
	uint64_t changes;
};

MUST_USE enum err x86_mem_new(struct x86_mem *m, struct diag *d);
void x86_mem_free(struct x86_mem *m);

/* at and bytes are multiples of a page, and inside of the space. */
void x86_mem_map(struct x86_mem *m, uint64_t at, uint64_t bytes,
		 unsigned allow);
void x86_mem_unmap(struct x86_mem *m, uint64_t at, uint64_t bytes);
/* What is mapped reads as zero from now on. */
void x86_mem_clear(struct x86_mem *m, uint64_t at, uint64_t bytes);
void x86_mem_protect(struct x86_mem *m, uint64_t at, uint64_t bytes,
		     unsigned allow);
/* Whether all, or none, of the pages are mapped. */
bool x86_mem_is_mapped(const struct x86_mem *m, uint64_t at, uint64_t bytes);
bool x86_mem_is_free(const struct x86_mem *m, uint64_t at, uint64_t bytes);
/* Finds unmapped pages below `top`, the highest ones. 0: there are none. */
uint64_t x86_mem_find(const struct x86_mem *m, uint64_t bytes, uint64_t top);

/* Whether the bytes may be read (written); for system calls. */
bool x86_mem_can(const struct x86_mem *m, uint64_t at, uint64_t bytes,
		 unsigned allow);
/* The bytes themselves. For those that may be read; or written, after which
 * instructions that were decoded from them are forgotten. NULL: they may not. */
const void *x86_mem_get(const struct x86_mem *m, uint64_t at, uint64_t bytes);
void *x86_mem_put(struct x86_mem *m, uint64_t at, uint64_t bytes);
/* A string with its end. NULL: it may not be read, or has no end within max. */
const char *x86_mem_string(const struct x86_mem *m, uint64_t at, size_t max);
/* Instructions were decoded from this page. */
void x86_mem_decoded(struct x86_mem *m, uint64_t at);

/* Accesses that c->allowed does not allow at once: a fault in c; a store to a
 * page of instructions; those of a stray, whose stores go nowhere. Return where
 * the bytes are, or NULL. */
const uint8_t *x86_read_slow(struct x86_cpu *c, uint64_t at, unsigned bytes);
uint8_t *x86_write_slow(struct x86_cpu *c, uint64_t at, unsigned bytes);

X86_INLINE bool x86_may(const struct x86_cpu *c, uint64_t at, unsigned bytes,
			unsigned allow)
{
	return LIKELY(at < X86_SPACE) &&
	       LIKELY(c->allowed[at >> X86_PAGE_BITS] &
		      c->allowed[(at + bytes - 1) >> X86_PAGE_BITS] & allow);
}

/* Where the bytes are, to be read or written. NULL: it faulted. */
X86_INLINE const uint8_t *x86_readable(struct x86_cpu *c, uint64_t at,
				       unsigned bytes)
{
	if (x86_may(c, at, bytes, X86_READ))
		return c->memory + at;
	return x86_read_slow(c, at, bytes);
}

X86_INLINE uint8_t *x86_writable(struct x86_cpu *c, uint64_t at, unsigned bytes)
{
	if (x86_may(c, at, bytes, X86_WRITE))
		return c->memory + at;
	return x86_write_slow(c, at, bytes);
}

X86_INLINE uint64_t x86_fetch_value(const void *from, unsigned bits)
{
	uint64_t v = 0;

	memcpy(&v, from, bits / 8);
	return v;
}

X86_INLINE bool x86_load(struct x86_cpu *c, uint64_t at, unsigned bits,
			 uint64_t *v)
{
	const uint8_t *p = x86_readable(c, at, bits / 8);

	if (UNLIKELY(!p))
		return false;
	*v = x86_fetch_value(p, bits);
	return true;
}

X86_INLINE bool x86_store(struct x86_cpu *c, uint64_t at, unsigned bits,
			  uint64_t v)
{
	uint8_t *p = x86_writable(c, at, bits / 8);

	if (UNLIKELY(!p))
		return false;
	memcpy(p, &v, bits / 8);
	return true;
}

#endif
