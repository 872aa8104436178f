/*
 * Global memory of a simulated GPU: allocations in a guest address space.
 *
 * Models:  allocations at addresses that are the same in every run, aligned to
 *          256 bytes; an access outside of every allocation is found, to the
 *          byte. Pages are backed by the host when touched. Memory that the
 *          host shares with the GPU lies at the host's address.
 * Does not model: caches, time, virtual memory of the GPU, where shared memory
 *          is at a time: it is as near as the rest.
 * Owner:   the device. Allocating and freeing while a launch runs is a bug.
 */
#ifndef HEDDLE_SIMT_GMEM_H
#define HEDDLE_SIMT_GMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * The generic address space. Shared and local memory are windows at the
 * bottom, so that they fit programs with 32-bit addresses too; functions and
 * kernel parameters have addresses of their own beside them.
 */
#define WINDOW_BYTES 0x01000000u
#define WINDOW_SHARED 0x01000000u
#define WINDOW_LOCAL 0x02000000u
#define WINDOW_FUNC 0x03000000u
#define WINDOW_PARAM 0x04000000u
#define GMEM_BASE_32 0x10000000ull
/* Far from where Linux puts the host's own memory on x86-64 and arm64. */
#define GMEM_BASE_64 0x200000000000ull
/* Addresses of one device; the next device's follow. */
#define GMEM_SPAN_64 0x020000000000ull
enum { GMEM_DEVICES = 16 };

/* Where a range's bytes are from. */
enum range_kind {
	RANGE_OWN,    /* gmem_alloc */
	RANGE_SHARED, /* gmem_alloc_shared: base is the host's address, too */
	RANGE_MAPPED, /* gmem_map: the same, and the caller owns the bytes */
	RANGE_TOP     /* gmem_alloc_top */
};

struct range {
	uint64_t base, size; /* guest addresses */
	char *host;
};

struct gmem_range {
	struct range range;
	enum range_kind kind;
	bool kept; /* the simulator's: gmem_free refuses it */
};

struct gmem {
	struct gmem_range *ranges; /* sorted by base, never overlapping */
	uint32_t count, room;
	uint64_t base, limit;    /* guest addresses handed out */
	uint64_t floor;          /* the lowest of those to come */
	uint64_t used, capacity; /* bytes */
};

void gmem_init(struct gmem *g, uint64_t base, uint64_t capacity);
void gmem_free_all(struct gmem *g);
/* Zeroed memory. ERR_NOMEM: the GPU's or the host's memory is used up. */
MUST_USE enum err gmem_alloc(struct gmem *g, uint64_t size, uint64_t *out,
			     struct diag *d);
/* Zeroed memory of the host that the GPU sees at the host's address. It does
 * not count as the GPU's memory. */
MUST_USE enum err gmem_alloc_shared(struct gmem *g, uint64_t size,
				    uint64_t *out, struct diag *d);
/* Zeroed memory at the top of the addresses, where it moves no other
 * allocation; not counted either. One at a time, for gmem_drop. */
MUST_USE enum err gmem_alloc_top(struct gmem *g, uint64_t size, uint64_t *out,
				 struct diag *d);
/* The GPU sees the host's bytes at their address; they stay the caller's.
 * ERR_RANGE: there is something else. */
MUST_USE enum err gmem_map(struct gmem *g, void *host, uint64_t size,
			   struct diag *d);
MUST_USE enum err gmem_unmap(struct gmem *g, const void *host, struct diag *d);
MUST_USE enum err gmem_free(struct gmem *g, uint64_t at, struct diag *d);
/* What comes is as if an allocation of that many bytes were the first. */
void gmem_skip(struct gmem *g, uint64_t size);
/* An allocation that only gmem_drop frees: not the program's to give back. */
void gmem_keep(struct gmem *g, uint64_t at);
void gmem_drop(struct gmem *g, uint64_t at);
/* The allocation that holds all of [at, at + size), or NULL. */
const struct range *gmem_find(const struct gmem *g, uint64_t at, uint64_t size);
/* The other way: the guest address of a byte inside of an allocation; slow.
 * 0: it is in none. */
uint64_t gmem_guest(const struct gmem *g, const void *host);
/* Sets bytes that gmem_host has found. Whole pages of zeros go back to the
 * host, so that they cost nothing until they are touched again. */
void gmem_fill(const struct gmem *g, uint64_t at, uint8_t value, uint64_t size);
/* As gmem_find, as a host pointer, with a diagnosis. */
MUST_USE enum err gmem_host(const struct gmem *g, uint64_t at, uint64_t size,
			    void **out, struct diag *d);

#endif
