/*
 * The SIMD against the model: random words of all instructions that it has, for
 * random lanes, registers and predicates, as fast as it takes them.
 */
#include <stdio.h>
#include <string.h>

#include "random.h"
#include "simd.h"
#include "test.h"
#include "warp.h"

enum { UNDER_WAY = 16 };

/* An instruction that the SIMD has taken: the warp before and after it, as the
 * model says. */
struct flight {
	struct fl_inst in;
	struct fl_warp was, want;
	uint64_t due; /* cycle */
	uint8_t owner;
};

struct bench {
	uint64_t cycle, done, divisions;
	uint64_t ready; /* nothing starts before */
	struct flight flight[UNDER_WAY];
	unsigned first, count;
	struct random_launch r;
	bool seen[FL_OP_COUNT];
};

static void fill_input(struct simd_in *x, const struct bench *b,
		       const struct fl_inst *in, const struct fl_warp *w)
{
	x->word = fl_encode(in);
	memcpy(x->a, w->reg[in->a], sizeof(x->a));
	memcpy(x->b, w->reg[in->b % FL_REGS], sizeof(x->b));
	memcpy(x->c, w->reg[in->c], sizeof(x->c));
	memcpy(x->preds, w->pred, sizeof(x->preds));
	x->preds[FL_PT] = random_bits(); /* it is not looked at */
	x->param = random_param(&b->r, in->b);
	random_places(&b->r, x->places);
	x->warp = w->index;
}

/* Applies what the circuit writes to the warp as it was. */
static void write_back(struct fl_warp *w, const struct simd_out *out)
{
	for (unsigned l = 0; l < FL_LANES; l++)
		if (out->d_lanes >> l & 1)
			w->reg[out->d_reg][l] = out->d[l];
	w->pred[out->p_reg] = (w->pred[out->p_reg] & ~out->p_lanes) |
			      (out->p & out->p_lanes);
}

static void check_result(struct bench *b, const struct simd_out *out)
{
	struct flight *f = &b->flight[b->first];
	char text[80];

	OK(b->count > 0);
	EQ(f->due, b->cycle);
	EQ(f->owner, out->done_owner);
	write_back(&f->was, out);
	if (memcmp(f->was.reg, f->want.reg, sizeof(f->was.reg)) ||
	    memcmp(f->was.pred, f->want.pred, sizeof(f->was.pred))) {
		fl_print(text, sizeof(text), &f->in);
		printf("  the circuit differs from the model: %s\n", text);
		OK(false);
	}
	b->first = (b->first + 1) % UNDER_WAY;
	b->count--;
	b->done++;
}

/* An instruction into the SIMD and the model, unless the SIMD is not ready. */
static void issue(struct bench *b, struct simd_in *x, uint32_t *executes)
{
	struct flight *f = &b->flight[(b->first + b->count) % UNDER_WAY];
	struct fl_decoded d;

	random_warp(&f->was);
	f->in = d.in = random_inst();
	f->want = f->was;
	x->lanes = random_bits() % 4 ? random_bits() : ~0u;
	fill_input(x, b, &f->in, &f->was);
	*executes = guarded_lanes(&f->was, &f->in, x->lanes);
	OK(fl_execute(&b->r.machine, &b->r.sm, &f->want, &d, *executes, NULL));
	f->due = b->cycle + warp_cycles(d.in.op);
	f->owner = x->owner = (uint8_t)(random_bits() % 32);
	b->ready = b->cycle + 1 + warp_waits(d.in.op);
	b->seen[d.in.op] = true;
	b->divisions += fl_ops[d.in.op].unit == FL_UNIT_DIV;
}

static void bench_cycle(struct bench *b, bool want_start)
{
	static struct simd_in x;
	struct simd_out out;
	bool blocked = b->cycle < b->ready;
	uint32_t executes = 0;

	x.start = want_start && !blocked;
	if (x.start)
		issue(b, &x, &executes);
	simd_cycle(&x, &out);
	b->cycle++;
	EQ(!blocked, out.ready);
	if (x.start) {
		EQ(executes, out.executes);
		EQ(b->ready > b->cycle, out.slow);
		b->count++;
	}
	if (out.valid)
		check_result(b, &out);
	OK(!b->count || b->flight[b->first].due >= b->cycle);
}

static void simd_reset(void)
{
	struct simd_in x = { .reset = true };
	struct simd_out out;

	simd_cycle(&x, &out);
}

TEST(rtl_simd, executes_words_as_the_model_does)
{
	static struct bench b;

	random_launch(&b.r);
	simd_reset();
	while (b.done < random_words())
		bench_cycle(&b, random_bits() % 8);
	printf("  %llu words, %llu divisions, %llu cycles\n",
	       (unsigned long long)b.done, (unsigned long long)b.divisions,
	       (unsigned long long)b.cycle);
	for (int op = 0; op < FL_OP_COUNT; op++)
		EQ(fl_ops[op].unit < FL_UNIT_MEM, b.seen[op]);
}

/* Memory and control instructions go through without a result. */
TEST(rtl_simd, writes_nothing_for_other_units)
{
	static struct simd_in x;
	struct simd_out out;

	simd_reset();
	for (int op = 0; op < FL_OP_COUNT; op++) {
		if (fl_ops[op].unit < FL_UNIT_MEM)
			continue;
		x.start = true;
		x.word = fl_ops[op].code | UINT64_C(7) << 7;
		x.lanes = ~0u;
		simd_cycle(&x, &out);
		EQ(~0u, out.executes);
		x.start = false;
		for (int i = 0; i < 80; i++) {
			simd_cycle(&x, &out);
			OK(out.ready && !out.valid);
			EQ(0u, out.d_lanes | out.p_lanes);
		}
	}
}
