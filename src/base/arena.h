/*
 * Memory by lifetime: what is allocated together is freed together.
 *
 * Memory comes zeroed, aligned to 64 bytes when the request is that large or
 * larger and to 16 otherwise, and stays in place until arena_free.
 *
 * What is sized for the worst case and used from its beginning on is a *room*:
 * rooms lie apart, so that what they do not use costs no memory and does not
 * part the things that are used all the time.
 */
#ifndef HEDDLE_BASE_ARENA_H
#define HEDDLE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *top;
	struct arena_block *rooms;
	size_t used; /* bytes handed out, for the memory report */
	/* Memory is had from the host in pieces of at least this size; 0: what
	 * suits small things. Set before the first allocation. */
	size_t piece;
	int sealed;
};

/* Zeroed memory for count * size bytes, or NULL: no memory, or overflow. */
void *arena_alloc(struct arena *a, size_t count, size_t size);
/* The same, as a room. */
void *arena_alloc_room(struct arena *a, size_t count, size_t size);
/* A copy of the n bytes at s, followed by a NUL; NULL when out of memory. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
/* An allocation after this is a bug of ours. */
void arena_seal(struct arena *a);
void arena_free(struct arena *a);

#define arena_new(a, type, n) ((type *)arena_alloc((a), (n), sizeof(type)))
#define arena_room(a, type, n) \
	((type *)arena_alloc_room((a), (n), sizeof(type)))

#endif
