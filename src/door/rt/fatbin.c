#include "door/rt/fatbin.h"

#include <elf.h>
#include <string.h>

#include "base/elf.h"

#define WRAPPER_MAGIC 0x466243b1
#define FATBIN_MAGIC 0xba55ed50

enum {
	FATBIN_VERSION = 1,
	IMAGE_VERSION = 1, /* the upper byte */
	WRAPPER_LINKED = 2,
};

enum image_flag {
	IMAGE_LZ4 = 0x2000,
	IMAGE_ZSTD = 0x8000,
	IMAGE_ARCH = 0x100000,   /* sm_90a */
	IMAGE_FAMILY = 0x200000, /* sm_100f */
};

struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *const *linked;
};

struct fatbin_head {
	uint32_t magic;
	uint16_t version, head_size;
	uint64_t size;
};

struct image_head {
	uint16_t kind, version;
	uint32_t head_size;
	uint64_t size;
	uint32_t packed_size, options;
	uint16_t minor, major;
	uint32_t sm;
	uint32_t name, name_size;
	uint64_t flags, unknown;
	uint64_t plain_size;
};

_Static_assert(sizeof(struct fatbin_head) == 16, "the stored layout");
_Static_assert(sizeof(struct image_head) == 64, "the stored layout");

/* Reads no byte after the first difference: the data may be shorter than what
 * it is compared with. */
static bool begins_with(const uint8_t *p, size_t size, const void *what,
			size_t n)
{
	const uint8_t *q = what;

	for (size_t i = 0; i < n; i++)
		if (i == size || p[i] != q[i])
			return false;
	return true;
}

static bool has_magic(const uint8_t *p, size_t size, uint32_t magic)
{
	return begins_with(p, size, &magic, sizeof(magic));
}

/* Reads the header of a fat binary at `at`; checks that its images fit into
 * `size`. */
static enum err read_fatbin_head(const uint8_t *data, size_t size, size_t at,
				 struct fatbin_head *h, struct diag *d)
{
	if (!has_magic(data + at, size - at, FATBIN_MAGIC))
		return fail(d, ERR_SYNTAX,
			    "fat binary: no magic number at byte %zu", at);
	if (size - at < sizeof(*h))
		return fail(d, ERR_SYNTAX,
			    "fat binary: ends within its header at byte %zu",
			    at);
	memcpy(h, data + at, sizeof(*h));
	if (h->version != FATBIN_VERSION)
		return fail(d, ERR_UNSUPP,
			    "fat binary: version %u at byte %zu; only %u is "
			    "known",
			    h->version, at, FATBIN_VERSION);
	if (h->head_size < sizeof(*h) || h->head_size > size - at ||
	    h->size > size - at - h->head_size || h->size > PTRDIFF_MAX)
		return fail(d, ERR_SYNTAX,
			    "fat binary: header of %u and images of %llu bytes "
			    "at byte %zu of %zu",
			    h->head_size, (unsigned long long)h->size, at,
			    size);
	return ERR_OK;
}

/* Skips the zeros that align the next fat binary. */
static size_t skip_padding(const struct fatbin *f, size_t at)
{
	while (at < f->size && !f->data[at])
		at++;
	return at;
}

static enum err read_image_head(const struct fatbin *f, size_t at, size_t end,
				struct image_head *h, struct diag *d)
{
	size_t left = end - at;

	if (left < sizeof(*h))
		return fail(d, ERR_SYNTAX,
			    "fat binary: ends within an image's header at byte "
			    "%zu",
			    at);
	memcpy(h, f->data + at, sizeof(*h));
	if (h->version >> 8 != IMAGE_VERSION)
		return fail(d, ERR_UNSUPP,
			    "fat binary: image of version 0x%x at byte %zu; "
			    "only 0x%x.. is known",
			    h->version, at, IMAGE_VERSION);
	if (h->head_size < sizeof(*h) || h->head_size > left ||
	    h->size > left - h->head_size || h->packed_size > h->size)
		return fail(d, ERR_SYNTAX,
			    "fat binary: image with a header of %u bytes and "
			    "%llu of data, %u of them compressed, at byte %zu: "
			    "%zu are left",
			    h->head_size, (unsigned long long)h->size,
			    h->packed_size, at, left);
	if (h->name > h->head_size || h->name_size > h->head_size - h->name)
		return fail(d, ERR_SYNTAX,
			    "fat binary: image with a name outside of its "
			    "header at byte %zu",
			    at);
	if (h->flags & IMAGE_LZ4 && h->flags & IMAGE_ZSTD)
		return fail(d, ERR_SYNTAX,
			    "fat binary: image compressed in two ways at byte "
			    "%zu",
			    at);
	return ERR_OK;
}

static enum fatbin_kind image_kind(unsigned stored)
{
	switch (stored) {
	case 1:
		return FATBIN_PTX;
	case 2:
		return FATBIN_ELF;
	default:
		return FATBIN_OTHER;
	}
}

static enum err read_image(const struct fatbin *f, struct fatbin_image *im,
			   struct diag *d)
{
	struct image_head h;
	size_t at = im->next;
	enum err e = read_image_head(f, at, im->end, &h, d);

	if (e)
		return e;
	im->kind = image_kind(h.kind);
	im->packing = h.flags & IMAGE_LZ4  ? FATBIN_LZ4 :
		      h.flags & IMAGE_ZSTD ? FATBIN_ZSTD :
					     FATBIN_PLAIN;
	im->sm = h.sm;
	im->version[0] = h.major;
	im->version[1] = h.minor;
	im->variant = h.flags & IMAGE_ARCH   ? 'a' :
		      h.flags & IMAGE_FAMILY ? 'f' :
					       0;
	im->name_size = h.name ? h.name_size : 0;
	im->name = im->name_size ? (const char *)f->data + at + h.name : NULL;
	im->data = f->data + at + h.head_size;
	im->size = im->packing ? h.packed_size : h.size;
	im->plain_size = im->packing ? h.plain_size : h.size;
	im->part = im->parts - 1;
	im->next = at + h.head_size + h.size;
	return ERR_OK;
}

/* Steps to the next image in a list of fat binaries; *more: there is one. */
static enum err next_image(const struct fatbin *f, struct fatbin_image *im,
			   bool *more, struct diag *d)
{
	*more = false;
	while (im->next == im->end) {
		size_t at = skip_padding(f, im->end);
		struct fatbin_head h;
		enum err e;

		if (at == f->size)
			return ERR_OK;
		e = read_fatbin_head(f->data, f->size, at, &h, d);
		if (e)
			return e;
		im->parts++;
		im->next = at + h.head_size;
		im->end = im->next + h.size;
	}
	*more = true;
	return read_image(f, im, d);
}

static enum err open_sequence(struct fatbin *f, struct diag *d)
{
	struct fatbin_image im = { 0 };
	bool more;
	enum err e;

	if (f->size == FATBIN_SIZE_UNKNOWN) {
		struct fatbin_head h;

		e = read_fatbin_head(f->data, f->size, 0, &h, d);
		if (e)
			return e;
		f->size = h.head_size + h.size;
	}
	while (!(e = next_image(f, &im, &more, d)) && more)
		f->images++;
	f->parts = im.parts;
	return e;
}

static bool is_text(uint8_t c)
{
	return c >= ' ' ? c != 0x7f : c >= '\t' && c <= '\r';
}

static enum err open_text(struct fatbin *f, struct diag *d)
{
	size_t n = 0;

	while (n < f->size && is_text(f->data[n]))
		n++;
	if (!n || (n < f->size && f->data[n]))
		return fail(d, ERR_SYNTAX,
			    "neither a fat binary nor machine code nor PTX");
	f->form = FATBIN_TEXT;
	f->size = n;
	f->parts = f->images = 1;
	return ERR_OK;
}

static enum err open_cubin(struct fatbin *f, struct diag *d)
{
	Elf64_Ehdr h;

	if (f->size < sizeof(h) || f->data[EI_CLASS] != ELFCLASS64)
		return fail(d, ERR_SYNTAX,
			    "neither a fat binary nor a 64-bit ELF file");
	memcpy(&h, f->data, sizeof(h));
	if (h.e_machine != EM_CUDA)
		return fail(d, ERR_SYNTAX,
			    "an ELF file for machine %u, not for a GPU",
			    h.e_machine);
	if (f->size == FATBIN_SIZE_UNKNOWN)
		f->size = (size_t)elf_extent(f->data);
	f->form = FATBIN_CUBIN;
	f->parts = f->images = 1;
	return ERR_OK;
}

static enum err open_wrapper(struct fatbin *f, const void *data, struct diag *d)
{
	struct wrapper w;
	enum err e;

	memcpy(&w, data, sizeof(w));
	if (w.version != 1 && w.version != WRAPPER_LINKED)
		return fail(d, ERR_UNSUPP,
			    "fat binary: wrapper of version %u; 1 and %u are "
			    "known",
			    w.version, WRAPPER_LINKED);
	if (!w.data || has_magic(w.data, FATBIN_SIZE_UNKNOWN, WRAPPER_MAGIC))
		return fail(d, ERR_SYNTAX,
			    "fat binary: wrapper with nothing in it");
	e = fatbin_open(f, w.data, FATBIN_SIZE_UNKNOWN, d);
	if (!e && w.version == WRAPPER_LINKED && w.linked) {
		f->prelinked = w.linked;
		while (w.linked[f->prelinked_count])
			f->prelinked_count++;
	}
	return e;
}

enum err fatbin_open(struct fatbin *f, const void *data, size_t size,
		     struct diag *d)
{
	*f = (struct fatbin){ .data = data, .size = size };
	if (!data)
		return fail(d, ERR_SYNTAX, "fat binary: a null pointer");
	if (has_magic(data, size, FATBIN_MAGIC))
		return open_sequence(f, d);
	if (size == FATBIN_SIZE_UNKNOWN && has_magic(data, size, WRAPPER_MAGIC))
		return open_wrapper(f, data, d);
	if (begins_with(data, size, ELFMAG, SELFMAG))
		return open_cubin(f, d);
	return open_text(f, d);
}

/* The compute capability moved within e_flags with the ABI of CUDA 13. */
static unsigned cubin_sm(const uint8_t *data)
{
	enum { OSABI_CUDA = 0x33, OSABI_CUDA_13 = 0x41 };
	Elf64_Ehdr h;

	memcpy(&h, data, sizeof(h));
	switch (h.e_ident[EI_OSABI]) {
	case OSABI_CUDA:
		return h.e_flags & 0xff;
	case OSABI_CUDA_13:
		return h.e_flags >> 8 & 0xff;
	default:
		return 0;
	}
}

/* Skips blanks and comments. */
static const char *skip_blank(const char *p, const char *end)
{
	while (p < end) {
		if (*p == ' ' || (*p >= '\t' && *p <= '\r')) {
			p++;
		} else if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
			while (p < end && *p != '\n')
				p++;
		} else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
			p += 2;
			while (end - p >= 2 && (p[0] != '*' || p[1] != '/'))
				p++;
			p = end - p >= 2 ? p + 2 : end;
		} else {
			break;
		}
	}
	return p;
}

/* Reads the first word of `.target sm_90a, debug`, which is among the first
 * directives. */
static void read_target(struct fatbin_image *im)
{
	static const char directive[] = ".target", arch[] = "sm_";
	const char *p = im->data, *end = p + im->size;
	size_t n = sizeof(directive) - 1;

	for (p = skip_blank(p, end); p < end && *p != '{';
	     p = skip_blank(p, end)) {
		const char *word = p;

		while (p<end && * p> ' ' && *p != '/' && *p != '{')
			p++;
		if (p == word)
			p++;
		if ((size_t)(p - word) != n || memcmp(word, directive, n))
			continue;
		p = skip_blank(p, end);
		n = sizeof(arch) - 1;
		if ((size_t)(end - p) <= n || memcmp(p, arch, n))
			return;
		for (p += n; p < end && *p >= '0' && *p <= '9'; p++)
			im->sm = im->sm < 1000 ? im->sm * 10 + *p - '0' :
						 im->sm;
		im->variant = p < end && (*p == 'a' || *p == 'f') ? *p : 0;
		return;
	}
}

/* The only image of a PTX text or a cubin. */
static bool next_single(const struct fatbin *f, struct fatbin_image *im)
{
	if (im->parts)
		return false;
	im->parts = 1;
	im->data = f->data;
	im->size = f->size;
	im->plain_size = f->size;
	if (f->form == FATBIN_CUBIN) {
		im->kind = FATBIN_ELF;
		im->sm = cubin_sm(f->data);
	} else {
		im->kind = FATBIN_PTX;
		read_target(im);
	}
	return true;
}

bool fatbin_next(const struct fatbin *f, struct fatbin_image *im)
{
	struct diag d;
	bool more;

	if (f->form != FATBIN_SEQUENCE)
		return next_single(f, im);
	return !next_image(f, im, &more, &d) && more;
}

enum err fatbin_part(const struct fatbin *f, unsigned i, struct fatbin *one,
		     struct diag *d)
{
	struct fatbin_head h = { 0 };
	size_t at = 0;

	if (i >= f->parts)
		return fail(d, ERR_RANGE, "fat binary %u of %u", i, f->parts);
	if (f->form != FATBIN_SEQUENCE) {
		*one = *f;
		return ERR_OK;
	}
	for (unsigned k = 0; k <= i; k++) {
		enum err e;

		at = skip_padding(f, at + h.head_size + h.size);
		e = read_fatbin_head(f->data, f->size, at, &h, d);
		if (e)
			return e;
	}
	return fatbin_open(one, f->data + at, h.head_size + h.size, d);
}

enum err fatbin_prelinked(const struct fatbin *f, unsigned i,
			  struct fatbin *one, struct diag *d)
{
	if (i >= f->prelinked_count)
		return fail(d, ERR_RANGE, "linked object %u of %u", i,
			    f->prelinked_count);
	return fatbin_open(one, f->prelinked[i], FATBIN_SIZE_UNKNOWN, d);
}
