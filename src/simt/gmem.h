/*
 * Global memory of a simulated GPU: allocations in a guest address space.
 *
 * Models:  allocations at addresses that are the same in every run, aligned to
 *          256 bytes; an access outside of all allocations is detected, to the
 *          byte. The host backs pages when they are touched. Memory that the
 *          host shares with the GPU has the host's address. On request, pages
 *          of 2 MiB as on hardware: bytes beside an allocation can be accessed.
 * Does not model: caches, time, virtual memory of the GPU, migration of memory
 *          shared with the host: it is as near as the rest.
 * Owner:   the device. Allocating and freeing while a launch runs is a bug.
 */
#ifndef HEDDLE_SIMT_GMEM_H
#define HEDDLE_SIMT_GMEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * The generic address space. Shared and local memory are windows at the bottom,
 * so that programs with 32-bit addresses can use them too; functions and kernel
 * parameters have windows of their own beside them.
 */
#define WINDOW_BYTES 0x01000000u
#define WINDOW_SHARED 0x01000000u
#define WINDOW_LOCAL 0x02000000u
#define WINDOW_FUNC 0x03000000u
#define WINDOW_PARAM 0x04000000u
/* Shared memory once more, for machine code that puts an address together from
 * the upper word of the window and an offset. */
#define WINDOW_SHARED_HIGH 0x100000000ull
#define WINDOWS_END (WINDOW_SHARED_HIGH + WINDOW_BYTES)
#define GMEM_BASE_32 0x10000000ull
/* Far from where Linux puts the host's own memory on x86-64 and arm64. */
#define GMEM_BASE_64 0x200000000000ull
/* Addresses of one device; the next device's follow. */
#define GMEM_SPAN_64 0x020000000000ull
enum { GMEM_DEVICES = 16 };

/* Where the bytes of a range come from. */
enum range_kind {
	RANGE_OWN,    /* gmem_alloc */
	RANGE_SHARED, /* gmem_alloc_shared: base is also the host's address */
	RANGE_MAPPED, /* gmem_map: likewise, and the caller owns the bytes */
	RANGE_TOP     /* gmem_alloc_top */
};

struct range {
	uint64_t base, size; /* guest addresses */
	char *host;
};

struct gmem_range {
	struct range range;
	enum range_kind kind;
	bool kept; /* the simulator's own: gmem_free refuses it */
	bool far;  /* gmem_stay */
	/* It maps pages of gmem.paged; RANGE_OWN: its bytes are there. */
	bool maps_pages;
};

/*
 * Memory that is no allocation of the GPU's, and that it may access all the same:
 * that of a process on a processor beside it. find: the bytes may be read (written);
 * fills in a range around them, and returns whether it may be kept for further
 * accesses of any kind, by kept.
 */
struct gmem_beyond {
	void *ctx;
	bool (*find)(void *ctx, uint64_t at, uint64_t size, bool write,
		     struct range *out, bool *kept);
};

struct gmem {
	struct gmem_range *ranges; /* sorted by base, never overlapping */
	uint32_t count, room;
	uint64_t base, limit;    /* range of guest addresses */
	uint64_t floor;          /* lowest address of further allocations */
	uint64_t used, capacity; /* bytes */
	/*
	 * With gmem_page: the host's memory of addresses from paged_from on.
	 * Allocations there have their bytes in it, so that those beside them
	 * are contiguous with theirs. 0 bytes: there are no pages.
	 */
	char *paged;
	uint64_t paged_from, paged_bytes;
	atomic_bool written_outside; /* a byte of no allocation, ever */
	struct gmem_beyond beyond;   /* find NULL: there is none */
};

void gmem_init(struct gmem *g, uint64_t base, uint64_t capacity);
void gmem_free_all(struct gmem *g);
/*
 * Maps memory in pages of GMEM_PAGE bytes from now on, as a GPU does; to be
 * called before the first allocation. A page is mapped while an allocation that
 * the GPU or the host and the GPU own has bytes in it. Bytes of a mapped page
 * that are in no allocation are 0 until they are written, and 0 again when an
 * allocation has taken them, or no allocation is left in the page. Placement
 * does not change. There are pages after `skipped` bytes (gmem_skip) for twice
 * the capacity, since memory that the host shares takes addresses, too; for
 * less if the host has no addresses for that (ulimit -v). Where there are none,
 * no byte outside of an allocation is found.
 */
enum { GMEM_PAGE = 2 << 20 };
void gmem_page(struct gmem *g, uint64_t skipped);
/* The host's address of bytes that gmem_find has not found: those of mapped
 * pages, in and beside allocations, and those beyond. NULL: not all are mapped.
 * write: they may be written. */
char *gmem_outside(struct gmem *g, uint64_t at, uint64_t size, bool write);
/* The allocation that is nearest to an address; NULL: there are none. */
const struct range *gmem_nearest(const struct gmem *g, uint64_t at);
/* Zeroed memory. ERR_NOMEM: the GPU's or the host's memory is used up. */
MUST_USE enum err gmem_alloc(struct gmem *g, uint64_t size, uint64_t *out,
			     struct diag *d);
/* Zeroed memory of the host that the GPU sees at the host's address. It does
 * not count as the GPU's memory. */
MUST_USE enum err gmem_alloc_shared(struct gmem *g, uint64_t size,
				    uint64_t *out, struct diag *d);
/* Zeroed memory at the top of the addresses, where it does not move any other
 * allocation; it does not count either. One at a time; gmem_drop frees it. */
MUST_USE enum err gmem_alloc_top(struct gmem *g, uint64_t size, uint64_t *out,
				 struct diag *d);
/* Makes bytes of the host visible to the GPU at their own address; the caller
 * keeps owning them. ERR_RANGE: the addresses are in use. */
MUST_USE enum err gmem_map(struct gmem *g, void *host, uint64_t size,
			   struct diag *d);
/* The same at another address. */
MUST_USE enum err gmem_map_at(struct gmem *g, uint64_t at, void *host,
			      uint64_t size, struct diag *d);
MUST_USE enum err gmem_unmap_at(struct gmem *g, uint64_t at, struct diag *d);
MUST_USE enum err gmem_unmap(struct gmem *g, const void *host, struct diag *d);
/* The memory at `at`, shared or mapped, stays with the host: it is far for the GPU.
 * ERR_RANGE: no such memory starts there. */
MUST_USE enum err gmem_stay(struct gmem *g, uint64_t at, struct diag *d);
/* The next range that is far from *i on (start with 0); NULL: none. */
const struct range *gmem_next_far(const struct gmem *g, uint32_t *i);
MUST_USE enum err gmem_free(struct gmem *g, uint64_t at, struct diag *d);
/* Places further allocations as if one of that many bytes came first. */
void gmem_skip(struct gmem *g, uint64_t size);
/* Marks an allocation as the simulator's own: only gmem_drop frees it. */
void gmem_keep(struct gmem *g, uint64_t at);
void gmem_drop(struct gmem *g, uint64_t at);
/* The allocation that holds all of [at, at + size), or NULL. */
const struct range *gmem_find(const struct gmem *g, uint64_t at, uint64_t size);
/* The inverse: the guest address of a byte on the host; slow. 0: it is in no
 * allocation. */
uint64_t gmem_guest(const struct gmem *g, const void *host);
/* Sets bytes that gmem_host has found. Whole pages of zeros are returned to the
 * host, so that they cost nothing until they are touched again. */
void gmem_fill(const struct gmem *g, uint64_t at, uint8_t value, uint64_t size);
/* The same as gmem_find, with a host pointer and a diagnosis. */
MUST_USE enum err gmem_host(const struct gmem *g, uint64_t at, uint64_t size,
			    void **out, struct diag *d);

#endif
