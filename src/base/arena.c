#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/pages.h"

enum { BLOCK_BYTES = 1 << 16, WIDE_ALIGN = 64, ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	char *data; /* zeroed, WIDE_ALIGN-aligned */
	size_t fill, size;
	int mapped; /* by base/pages.h rather than malloc */
};

enum { MAPPED_BYTES = 1 << 20 }; /* blocks of at least this size are mapped */

/* Rooms smaller than ROOM_BYTES, a few pages, come from the ordinary blocks.
 * The others come from blocks of ROOM_PIECE bytes; their pages cost no memory
 * until they are touched. */
enum { ROOM_BYTES = 1 << 14, ROOM_PIECE = 64 << 20 };

typedef void *map_fn(size_t bytes);

static struct arena_block *arena_block_new(size_t size, map_fn *map)
{
	struct arena_block *b = malloc(sizeof(*b));

	if (!b)
		return NULL;
	size = (size + WIDE_ALIGN - 1) & ~(size_t)(WIDE_ALIGN - 1);
	b->mapped = size >= MAPPED_BYTES;
	b->data = b->mapped ? map(size) : aligned_alloc(WIDE_ALIGN, size);
	if (!b->data) {
		free(b);
		return NULL;
	}
	if (!b->mapped)
		memset(b->data, 0, size);
	b->fill = 0;
	b->size = size;
	return b;
}

static void *arena_take(struct arena_block *b, size_t bytes, size_t align)
{
	size_t at = (b->fill + align - 1) & ~(align - 1);

	if (at > b->size || b->size - at < bytes)
		return NULL;
	b->fill = at + bytes;
	return b->data + at;
}

/* Takes bytes from the first block of a list, or else from a new block of at
 * least `piece` bytes. */
static void *arena_take_from(struct arena_block **top, size_t piece,
			     size_t bytes, map_fn *map)
{
	size_t align = bytes >= WIDE_ALIGN ? WIDE_ALIGN : ALIGN;
	void *p = *top ? arena_take(*top, bytes, align) : NULL;
	struct arena_block *b;

	if (p)
		return p;
	b = arena_block_new(bytes > piece / 4 ? bytes : piece, map);
	if (!b)
		return NULL;
	/* A block made for one large request never becomes the top: the
	 * half-empty one below it still serves small requests. */
	if (*top && bytes > piece / 4) {
		b->next = (*top)->next;
		(*top)->next = b;
	} else {
		b->next = *top;
		*top = b;
	}
	return arena_take(b, bytes, align);
}

/* False if count * size overflows, or is more than a host can have. */
static bool arena_size_of(size_t *bytes, size_t count, size_t size)
{
	if (__builtin_mul_overflow(count, size, bytes) ||
	    *bytes > SIZE_MAX - ROOM_PIECE)
		return false;
	*bytes = *bytes ? *bytes : 1;
	return true;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	size_t bytes;
	void *p;

	CHECK(!a->sealed);
	if (!arena_size_of(&bytes, count, size))
		return NULL;
	p = arena_take_from(&a->top, a->piece ? a->piece : BLOCK_BYTES, bytes,
			    pages_map);
	if (p)
		a->used += bytes;
	return p;
}

void *arena_alloc_room(struct arena *a, size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (!arena_size_of(&bytes, count, size))
		return NULL;
	if (bytes < ROOM_BYTES)
		return arena_alloc(a, count, size);
	CHECK(!a->sealed);
	p = arena_take_from(&a->rooms, ROOM_PIECE, bytes, pages_map_small);
	if (p)
		a->used += bytes;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1, 1);

	if (p)
		memcpy(p, s, n);
	return p;
}

void arena_seal(struct arena *a)
{
	a->sealed = 1;
}

static void arena_free_blocks(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;

		if (b->mapped)
			pages_unmap(b->data, b->size);
		else
			free(b->data);
		free(b);
		b = next;
	}
}

void arena_free(struct arena *a)
{
	arena_free_blocks(a->top);
	arena_free_blocks(a->rooms);
	a->top = a->rooms = NULL;
	a->used = 0;
	a->sealed = 0;
}
