#include "base/arena.h"

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
	int mapped; /* by pages_map */
};

enum { MAPPED_BYTES = 1 << 20 }; /* from this size on */

static struct arena_block *block_new(size_t size)
{
	struct arena_block *b = malloc(sizeof(*b));

	if (!b)
		return NULL;
	size = (size + WIDE_ALIGN - 1) & ~(size_t)(WIDE_ALIGN - 1);
	b->mapped = size >= MAPPED_BYTES;
	b->data = b->mapped ? pages_map(size) : aligned_alloc(WIDE_ALIGN, size);
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

static void *take(struct arena_block *b, size_t bytes, size_t align)
{
	size_t at = (b->fill + align - 1) & ~(align - 1);

	if (at > b->size || b->size - at < bytes)
		return NULL;
	b->fill = at + bytes;
	return b->data + at;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	size_t piece = a->piece ? a->piece : BLOCK_BYTES;
	size_t bytes, align;
	void *p;

	CHECK(!a->sealed);
	if (__builtin_mul_overflow(count, size, &bytes) ||
	    bytes > SIZE_MAX - piece)
		return NULL;
	bytes = bytes ? bytes : 1;
	align = bytes >= WIDE_ALIGN ? WIDE_ALIGN : ALIGN;
	p = a->top ? take(a->top, bytes, align) : NULL;
	if (!p) {
		struct arena_block *b =
			block_new(bytes > piece / 4 ? bytes : piece);

		if (!b)
			return NULL;
		p = take(b, bytes, align);
		/* A block made for one large request never becomes the top:
		 * the half-empty one below it still serves small requests. */
		if (a->top && bytes > piece / 4) {
			b->next = a->top->next;
			a->top->next = b;
		} else {
			b->next = a->top;
			a->top = b;
		}
	}
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

void arena_free(struct arena *a)
{
	while (a->top) {
		struct arena_block *b = a->top;

		a->top = b->next;
		if (b->mapped)
			pages_unmap(b->data, b->size);
		else
			free(b->data);
		free(b);
	}
	a->used = 0;
	a->sealed = 0;
}
