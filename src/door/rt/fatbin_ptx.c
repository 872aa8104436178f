/* Decompresses images and chooses the PTX or the machine code for a GPU. */
#include "door/rt/fatbin.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/rt/lz4.h"
#include "door/rt/unzstd.h"

static const char *const kind_text[] = {
	[FATBIN_PTX] = "PTX",
	[FATBIN_ELF] = "machine code",
	[FATBIN_OTHER] = "intermediate code",
};

/* nvcc's prefixes of the architectures of a kind. */
static const char *const arch_text[] = {
	[FATBIN_PTX] = "compute_",
	[FATBIN_ELF] = "sm_",
	[FATBIN_OTHER] = "lto_",
};

bool fatbin_runs(const struct fatbin_image *im, unsigned sm)
{
	switch (im->variant) {
	case 'a':
		return sm == im->sm;
	case 'f':
		return sm >= im->sm && sm / 10 == im->sm / 10;
	default:
		return sm >= im->sm &&
		       (im->kind != FATBIN_ELF || sm / 10 == im->sm / 10);
	}
}

static enum err copy_plain(const struct fatbin_image *im, uint8_t **to,
			   struct diag *d)
{
	if (im->size == FATBIN_SIZE_UNKNOWN)
		return fail(d, ERR_UNSUPP, "its size is unknown");
	*to = malloc(im->size + 1);
	if (!*to)
		return fail(d, ERR_NOMEM, "no memory for %zu bytes", im->size);
	memcpy(*to, im->data, im->size);
	return ERR_OK;
}

static enum err image_unpack_lz4(const struct fatbin_image *im, uint8_t **to,
				 struct diag *d)
{
	enum err e;

	if (im->plain_size / LZ4_MAX_RATIO > im->size)
		return fail(d, ERR_SYNTAX,
			    "LZ4: %llu bytes cannot come from %zu",
			    (unsigned long long)im->plain_size, im->size);
	*to = malloc(im->plain_size + 1);
	if (!*to)
		return fail(d, ERR_NOMEM, "no memory for %llu bytes",
			    (unsigned long long)im->plain_size);
	e = lz4_decode(*to, im->plain_size, im->data, im->size, d);
	if (e)
		free(*to);
	return e;
}

static enum err image_unpack(const struct fatbin_image *im, uint8_t **to,
			     struct diag *d)
{
	if (im->kind == FATBIN_OTHER)
		return fail(d, ERR_UNSUPP,
			    "only PTX and machine code can be read");
	if (im->packing == FATBIN_PLAIN)
		return copy_plain(im, to, d);
	if (im->plain_size > FATBIN_PLAIN_MAX)
		return fail(d, ERR_RANGE,
			    "claims %llu bytes once decompressed, more than "
			    "%llu",
			    (unsigned long long)im->plain_size,
			    (unsigned long long)FATBIN_PLAIN_MAX);
	if (im->packing == FATBIN_LZ4)
		return image_unpack_lz4(im, to, d);
	return unzstd(to, im->plain_size, im->data, im->size, d);
}

enum err fatbin_plain(const struct fatbin_image *im, void **data, size_t *size,
		      struct diag *d)
{
	struct diag why;
	uint8_t *to;
	enum err e = image_unpack(im, &to, &why);

	if (e)
		return fail(d, e, "fat binary, %s for %s%u: %s",
			    kind_text[im->kind], arch_text[im->kind], im->sm,
			    why.text);
	to[im->plain_size] = 0;
	*data = to;
	*size = im->plain_size;
	return ERR_OK;
}

/* A line that grows, and ends in "..." when it is full. */
struct image_list {
	char text[200];
	size_t n;
};

PRINTF_LIKE(2, 3)
static void image_list_add(struct image_list *l, const char *fmt, ...)
{
	static const char dots[] = "...";
	size_t room = sizeof(l->text) - l->n;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->text + l->n, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room) {
		l->n = sizeof(l->text) - 1;
		memcpy(l->text + l->n + 1 - sizeof(dots), dots, sizeof(dots));
	} else {
		l->n += n;
	}
}

/* Adds "PTX for compute_75, compute_90a"; true: there is any of that kind. */
static bool image_list_kind(const struct fatbin *f, enum fatbin_kind kind,
			    struct image_list *l)
{
	struct fatbin_image im = { 0 };
	bool any = false;

	while (fatbin_next(f, &im)) {
		if (im.kind != kind)
			continue;
		if (!any)
			image_list_add(l, "%s%s for ", l->n ? " and " : "",
				       kind_text[kind]);
		image_list_add(l, "%s%s%u", any ? ", " : "", arch_text[kind],
			       im.sm);
		if (im.variant)
			image_list_add(l, "%c", im.variant);
		any = true;
	}
	return any;
}

/* Why there is no PTX to run. */
static enum err explain_no_ptx(const struct fatbin *f, unsigned sm,
			       struct diag *d)
{
	struct image_list l = { 0 };
	bool ptx;

	if (f->prelinked_count)
		return fail(d, ERR_UNSUPP,
			    "the program was linked from %u objects of "
			    "relocatable device code (nvcc -rdc=true), and "
			    "only these may hold PTX",
			    f->prelinked_count);
	ptx = image_list_kind(f, FATBIN_PTX, &l);
	image_list_kind(f, FATBIN_ELF, &l);
	image_list_kind(f, FATBIN_OTHER, &l);
	if (ptx)
		return fail(d, ERR_UNSUPP,
			    "the program holds %s; none of the PTX is for "
			    "sm_%u: rebuild it with nvcc -gencode "
			    "arch=compute_%u,code=compute_%u, or simulate a "
			    "GPU that it was built for",
			    l.text, sm, sm, sm);
	if (!l.n)
		return fail(d, ERR_UNSUPP,
			    "the program holds an empty fat binary, with "
			    "neither PTX nor machine code");
	return fail(d, ERR_UNSUPP,
		    "the program holds %s only and no PTX: rebuild it with "
		    "nvcc -arch=sm_%u, which adds PTX to the machine code, or "
		    "with -gencode arch=compute_%u,code=compute_%u",
		    l.text, sm, sm, sm);
}

/* Why there is no machine code to run. */
static enum err explain_no_machine(const struct fatbin *f, unsigned sm,
				   struct diag *d)
{
	struct image_list l = { 0 };

	if (!image_list_kind(f, FATBIN_ELF, &l))
		return fail(d, ERR_UNSUPP, "the program holds no machine code");
	return fail(d, ERR_UNSUPP,
		    "the program holds %s, which sm_%u does not execute",
		    l.text, sm);
}

enum { RUNS = 1 << 20 };

static unsigned variant_rank(const struct fatbin_image *im)
{
	return im->variant == 'a' ? 2 : im->variant == 'f';
}

/* Higher is better; PTX that can run ranks above RUNS; 0: not PTX. */
static unsigned ptx_rank(const struct fatbin_image *im, unsigned sm)
{
	unsigned variant = variant_rank(im);

	if (im->kind != FATBIN_PTX || im->sm >= RUNS / 8)
		return 0;
	if (fatbin_runs(im, sm))
		return RUNS + im->sm * 4 + variant + 1;
	return im->sm > sm ? RUNS - (im->sm * 4 + variant) : 0;
}

/* The image with the highest rank in [from, to). */
static struct fatbin_pick ptx_best(const struct fatbin *f, unsigned sm,
				   unsigned from, unsigned to,
				   struct fatbin_image *out)
{
	struct fatbin_image im = { 0 };
	struct fatbin_pick p = { 0 };

	while (fatbin_next(f, &im)) {
		unsigned r = ptx_rank(&im, sm);

		if (r < from || r >= to || r <= p.rank)
			continue;
		p = (struct fatbin_pick){ FATBIN_PTX, r, im.sm, im.variant,
					  r <= RUNS };
		*out = im;
	}
	return p;
}

enum err fatbin_ptx(const struct fatbin *f, unsigned sm,
		    struct fatbin_pick *pick, char **text, size_t *size,
		    struct diag *d)
{
	unsigned last = pick ? pick->rank : 0;
	struct fatbin_image im;
	struct fatbin_pick p;
	void *data;
	enum err e;

	if (f->parts != 1)
		return fail(d, ERR_RANGE,
			    "%u fat binaries where one is expected", f->parts);
	p = ptx_best(f, sm, RUNS + 1, last ? last : UINT_MAX, &im);
	if (!p.rank && pick && !last)
		p = ptx_best(f, sm, 1, RUNS + 1, &im);
	if (!p.rank)
		return explain_no_ptx(f, sm, d);
	e = fatbin_plain(&im, &data, size, d);
	if (e)
		return e;
	if (pick)
		*pick = p;
	*text = data;
	/* PTX is stored with a NUL and padding. */
	while (*size && !(*text)[*size - 1])
		--*size;
	return ERR_OK;
}

enum err fatbin_machine(const struct fatbin *f, unsigned sm,
			struct fatbin_pick *pick, void **data, size_t *size,
			struct diag *d)
{
	struct fatbin_image im = { 0 }, best = { 0 };
	struct fatbin_pick p = { .kind = FATBIN_ELF };
	enum err e;

	if (f->parts != 1)
		return fail(d, ERR_RANGE,
			    "%u fat binaries where one is expected", f->parts);
	while (fatbin_next(f, &im)) {
		unsigned rank = im.sm * 4 + variant_rank(&im) + 1;

		if (im.kind != FATBIN_ELF || im.sm >= RUNS / 8 ||
		    !fatbin_runs(&im, sm) || rank <= p.rank)
			continue;
		p.rank = rank;
		p.sm = im.sm;
		p.variant = im.variant;
		best = im;
	}
	if (!p.rank)
		return explain_no_machine(f, sm, d);
	e = fatbin_plain(&best, data, size, d);
	if (!e && pick)
		*pick = p;
	return e;
}
