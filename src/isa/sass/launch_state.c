/*
 * What a launch tells its kernel: constant bank 0, and the constants of all
 * banks in its pool.
 */
#include <stdlib.h>
#include <string.h>

#include "isa/sass/program.h"

static void put_state(uint8_t *bank, uint32_t size, uint32_t offset,
		      uint32_t bytes, uint64_t value)
{
	if (offset + bytes <= size)
		memcpy(bank + offset, &value, bytes);
}

static void fill_bank0(const struct launch *l, uint8_t *bank, uint32_t size)
{
	uint32_t sm = l->program->target;

#define STATE(from, to, offset, bytes, value) \
	if (sm >= (from) && sm <= (to))       \
		put_state(bank, size, offset, bytes, (uint64_t)(value));
#include "isa/sass/launch_state.def"
}

/* The value of a constant: 64 bits of the bank, zeros where it ends. */
static uint64_t const_value(const struct sass_launch *s,
			    const struct sass_const *c)
{
	const struct sass_bank_view *b = &s->bank[c->bank];
	uint64_t v = 0, top;
	uint32_t left = c->offset < b->size ? b->size - c->offset : 0;

	if (left)
		memcpy(&v, b->bytes + c->offset,
		       left < c->bytes ? left : c->bytes);
	top = UINT64_C(1) << (8 * c->bytes - 1);
	return c->is_signed ? (v ^ top) - top : v;
}

static void fill_pool(const struct sass_launch *s, const struct sass_code *code)
{
	memcpy(s->pool, code->pool, code->pool_bytes);
	for (uint32_t i = 0; i < code->const_count; i++) {
		uint64_t v = const_value(s, &code->consts[i]);
		uint32_t *to =
			(uint32_t *)(void *)(s->pool + code->consts[i].at);

		for (int l = 0; l < LANES; l++) {
			to[l] = (uint32_t)v;
			to[LANES + l] = (uint32_t)(v >> 32);
		}
	}
}

enum err sass_begin_launch(struct launch *l, struct diag *d)
{
	const struct sass_code *code = sass_code_of(l->kernel->func);
	const struct sass_kernel *k = code->kernel;
	struct sass_launch *s = calloc(1, sizeof(*s));

	l->state = s;
	if (!s)
		return fail(d, ERR_NOMEM, "out of memory");
	memcpy(s->bank, code->bank, sizeof(s->bank));
	s->bank0 = calloc(1, k->bank0_bytes + 16);
	s->pool = aligned_alloc(64, (code->pool_bytes + 63) & ~63u);
	if (!s->bank0 || !s->pool)
		return fail(d, ERR_NOMEM, "out of memory");
	fill_bank0(l, s->bank0, k->bank0_bytes);
	/* A replay has no parameters. */
	if (l->params && k->param_base + l->param_bytes <= k->bank0_bytes)
		memcpy(s->bank0 + k->param_base, l->params, l->param_bytes);
	s->bank[0].bytes = s->bank0;
	s->bank[0].size = k->bank0_bytes;
	fill_pool(s, code);
	l->pool = s->pool;
	return ERR_OK;
}

void sass_end_launch(struct launch *l)
{
	struct sass_launch *s = l->state;

	if (!s)
		return;
	free(s->bank0);
	free(s->pool);
	free(s);
	l->state = NULL;
	l->pool = NULL;
}
