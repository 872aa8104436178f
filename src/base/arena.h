/*
 * Memory by lifetime: what is allocated together is freed together.
 *
 * Memory comes zeroed, aligned to 64 bytes when the request is that large or
 * larger and to 16 otherwise, and stays in place until arena_free.
 *
 * A *room* is an array that is sized for the worst case and filled from its
 * beginning. Rooms lie apart from other allocations, so that their unused ends
 * cost no memory and do not spread out the data that is used all the time.
 */
#ifndef HEDDLE_BASE_ARENA_H
#define HEDDLE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *top;
	struct arena_block *rooms;
	size_t used; /* bytes handed out, for the memory report */
	/* Minimum size of a block requested from the host; 0: a default for
	 * small allocations. Set it before the first allocation. */
	size_t piece;
	int sealed;
};

/* Allocates count * size zeroed bytes. NULL: out of memory, or overflow. */
void *arena_alloc(struct arena *a, size_t count, size_t size);
/* Allocates a room. */
void *arena_alloc_room(struct arena *a, size_t count, size_t size);
/* Copies the n bytes at s and appends a NUL. NULL: out of memory. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
/* Forbids further allocations: one after this is a bug in Heddle. */
void arena_seal(struct arena *a);
void arena_free(struct arena *a);

#define arena_new(a, type, n) ((type *)arena_alloc((a), (n), sizeof(type)))
#define arena_room(a, type, n) \
	((type *)arena_alloc_room((a), (n), sizeof(type)))

#endif
