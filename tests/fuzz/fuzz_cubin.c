/*
 * Any bytes as a cubin: reading must give kernels or a message. What was read
 * lies within its own bounds, and every relocation can be applied.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/lines.h"
#include "isa/sass/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touches every byte, for the address sanitizer. */
static void touch(const void *p, size_t n)
{
	const volatile uint8_t *b = p;

	for (size_t i = 0; i < n; i++)
		(void)b[i];
}

static void check_relocs(struct sass_reloc *r, uint32_t count, uint8_t *bytes,
			 uint64_t size)
{
	for (uint32_t i = 0; i < count; i++) {
		if (r[i].offset > size)
			abort();
		touch(r[i].symbol->name, strlen(r[i].symbol->name));
		if (bytes)
			sass_reloc_apply(&r[i], r[i].offset * 0x123456789abcdef,
					 bytes);
	}
}

static void check_data(const struct sass_data *d)
{
	if (d->bytes)
		touch(d->bytes, d->size);
	check_relocs(d->relocs, d->reloc_count, d->bytes, d->size);
}

static void check_kernel(const struct sass_cubin *c,
			 const struct sass_kernel *k)
{
	uint32_t at;

	touch(k->text, k->text_size);
	if (k->text_size % SASS_INST_BYTES || !k->text_size ||
	    k->symbol >= c->symbol_count)
		abort();
	check_relocs(k->relocs, k->reloc_count, k->text, k->text_size);
	for (uint32_t i = 0; i < k->func_count; i++)
		if (k->funcs[i].at > k->text_size ||
		    k->funcs[i].size > k->text_size - k->funcs[i].at)
			abort();
	for (at = 0; at < k->text_size; at += 1 << 10)
		sass_kernel_func(k, at);
	for (uint32_t i = 0; i < k->param_count; i++)
		if (k->param_base + k->params[i].offset + k->params[i].size >
		    k->bank0_bytes)
			abort();
	for (uint32_t i = 0; i < k->bank_count; i++)
		check_data(&k->banks[i].data);
	for (uint32_t i = 0; i < c->symbol_count; i++)
		if (c->symbols[i].place == SASS_TEXT &&
		    sass_symbol_offset(c, k, &c->symbols[i], &at) &&
		    at > k->text_size)
			abort();
}

/* Its hazards, each between two of its instructions. */
static void check_hazard(void *ctx, const struct sass_hazard *h)
{
	const struct sass_kernel *k = ctx;
	uint32_t count = k->text_size / SASS_INST_BYTES;

	if (h->writer >= count || h->reader >= count)
		abort();
}

static void scan_kernel(const struct sass_cubin *c, struct sass_kernel *k)
{
	struct sass_scan s = { .found = check_hazard, .ctx = k };
	struct diag d = { 0 };

	if (sass_scan_knows(c->sm) && sass_scan(&s, c->sm, k, &d))
		abort();
}

/* Asks for the lines of all instructions. */
static void check_lines(struct arena *a, const struct sass_cubin *c)
{
	struct sass_lines l;
	struct diag d = { 0 };

	if (sass_lines_read(&l, a, c, &d)) {
		if (!d.code || !d.text[0])
			abort();
		return;
	}
	for (uint32_t i = 0; i < c->kernel_count; i++) {
		const struct sass_kernel *k = &c->kernels[i];

		for (uint32_t at = 0; at < k->text_size; at += 16) {
			const char *text = sass_lines_ptx_text(
				&l, sass_lines_ptx(&l, k, at));
			struct inst_place p;

			if (text)
				touch(text, strlen(text));
			if (sass_lines_at(&l, k, at, &p))
				touch(p.file, strlen(p.file));
			for (unsigned n = 0; n < 3; n++)
				if (sass_lines_caller(&l, k, at, n, &p))
					touch(p.file, strlen(p.file));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct sass_cubin c;
	struct diag d = { 0 };

	if (sass_cubin_read(&c, &a, data, size, &d)) {
		if (!d.code || !d.text[0])
			abort();
		arena_free(&a);
		return 0;
	}
	check_data(&c.global);
	check_data(&c.init);
	for (uint32_t i = 0; i < c.bank_count; i++)
		check_data(&c.banks[i].data);
	for (uint32_t i = 0; i < c.kernel_count; i++) {
		check_kernel(&c, &c.kernels[i]);
		scan_kernel(&c, &c.kernels[i]);
	}
	check_lines(&a, &c);
	arena_free(&a);
	return 0;
}
