/*
 * Any bytes as a fat binary and as an ELF file: reading must give images or a
 * message, and a decompressed image must have the announced size. What can be
 * read is read again as the image of a running program is, and its PTX linked.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "door/rt/fatbin.h"
#include "door/rt/join.h"

/* Larger images would only cost time. */
#define PLAIN_MAX (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns how many images are too large. */
static unsigned unpack(const struct fatbin *f)
{
	struct fatbin_image im = { 0 };
	unsigned count = 0, large = 0;

	while (fatbin_next(f, &im)) {
		struct diag d = { 0 };
		void *plain;
		size_t n;

		count++;
		if (im.part >= f->parts)
			abort();
		/* Every byte of it can be read. */
		free(strndup(im.name_size ? im.name : "", im.name_size));
		if (im.plain_size > PLAIN_MAX) {
			large++;
			continue;
		}
		if (fatbin_plain(&im, &plain, &n, &d)) {
			if (!d.code || !d.text[0])
				abort();
			continue;
		}
		if (n != im.plain_size || ((char *)plain)[n])
			abort();
		free(plain);
	}
	if (count != f->images)
		abort();
	return large;
}

static void choose(const struct fatbin *f)
{
	static const unsigned sms[] = { 0, 75, 90, 103, 121 };
	struct fatbin one;
	struct diag d;
	char *text;
	void *code;
	size_t n;

	for (unsigned i = 0; i < f->parts; i++) {
		if (fatbin_part(f, i, &one, &d) || one.parts != 1)
			abort();
		for (size_t k = 0; k < sizeof(sms) / sizeof(*sms); k++) {
			if (!fatbin_ptx(&one, sms[k], NULL, &text, &n, &d)) {
				if (text[n])
					abort();
				free(text);
			}
			if (!fatbin_machine(&one, sms[k], NULL, &code, &n, &d))
				free(code);
		}
	}
}

/* The texts for a GPU, best first, joined as those of separate objects. */
static void join(const struct fatbin *one)
{
	enum { TEXTS = 8 }; /* more would only cost time */
	struct fatbin_pick pick = { 0 };
	struct ptx_join all = { 0 };
	unsigned rank = UINT_MAX;
	struct diag d;
	char *text;
	size_t n;

	for (int i = 0; i < TEXTS; i++) {
		if (fatbin_ptx(one, 90, &pick, &text, &n, &d))
			break;
		if (pick.rank >= rank || !join_add(&all, text) ||
		    strlen(all.text) != all.size)
			abort();
		rank = pick.rank;
		free(text);
	}
	join_free(&all);
}

/* A program hands over a pointer; the image says how long it is. */
static void read_in_memory(const uint8_t *data, size_t size)
{
	struct {
		uint32_t magic, version;
		const void *data;
		const void *const *linked;
	} wrapper = { 0x466243b1, 1, NULL, NULL };
	char *copy = calloc(1, size + 1);
	struct fatbin f, one;
	struct diag d = { 0 };

	memcpy(copy, data, size);
	wrapper.data = copy;
	/* A wrapper in a wrapper is refused. */
	if (fatbin_open(&f, &wrapper, FATBIN_SIZE_UNKNOWN, &d)) {
		if (!d.code || !d.text[0])
			abort();
	} else if (f.parts) {
		if (fatbin_part(&f, 0, &one, &d))
			abort();
		join(&one);
	}
	free(copy);
}

static void read_elf(const uint8_t *data, size_t size)
{
	static const int tags[] = { DT_NEEDED, DT_RPATH, DT_RUNPATH };
	const char *s;
	struct elf_bytes b;
	struct elf f;
	struct diag d = { 0 };
	size_t total = 0;

	if (elf_open(&f, data, size, &d)) {
		if (!d.code || !d.text[0])
			abort();
		return;
	}
	for (size_t k = 0; k < sizeof(tags) / sizeof(*tags); k++)
		for (unsigned i = 0; (s = elf_string(&f, tags[k], i)); i++)
			total += strlen(s);
	if (elf_section(&f, ".nv_fatbin", &b))
		for (size_t i = 0; i < b.size; i++)
			total += b.data[i];
	if (total == SIZE_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = { 0 };
	struct fatbin f;

	read_elf(data, size);
	if (fatbin_open(&f, data, size, &d)) {
		if (!d.code || !d.text[0])
			abort();
		return 0;
	}
	if (!unpack(&f)) {
		choose(&f);
		/* Sizes in the headers of machine code are trusted there. */
		if (f.form != FATBIN_CUBIN)
			read_in_memory(data, size);
	}
	return 0;
}
