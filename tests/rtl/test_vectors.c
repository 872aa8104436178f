/*
 * The recorded results of an H200, with the circuit's arithmetic: the kernels of
 * tests/op, compiled for FastLanes, run as the model runs them, but for the
 * instructions that a lane of the circuit computes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fastlanes/compile.h"
#include "opfile.h"
#include "opgen.h"
#include "test.h"
#include "warp.h"

enum {
	AT_INPUT = 0x100000,
	AT_OUTPUT = 0x1000000,
	AT_SCRATCH = 0x2000000,
	AT_LOCAL = 0x3000000,
	STEPS = 100000 /* of a warp, at most */
};

struct tally {
	unsigned run, refused, wrong;
	uint64_t computed; /* instructions of warps, by the circuit */
};

static uint8_t *device_memory(void)
{
	static void *at;

	if (!at)
		at = mmap(NULL, FL_MEMORY_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	OK(at != MAP_FAILED);
	return at;
}

static uint32_t guarded(const struct fl_warp *w, const struct fl_inst *in)
{
	uint32_t p = w->pred[in->guard & 7];

	return fl_stack_lanes(w) & (in->guard & FL_PRED_NOT ? ~p : p);
}

/* One instruction: all but branches and exits go on to the next. */
static void step(struct fl_machine *m, struct fl_warp *w, struct tally *t)
{
	struct fl_decoded d = { 0 };
	struct fl_access access;
	uint32_t lanes;

	STREQ(NULL,
	      fl_decode(
		      &d.in,
		      m->l->code->words[m->l->kernel->first + fl_stack_pc(w)]));
	lanes = guarded(w, &d.in);
	if (d.in.op == FL_BRA) {
		fl_stack_branch(w, &d.in, lanes);
		return;
	}
	if (d.in.op == FL_EXIT)
		w->ended |= lanes;
	if (warp_has(&d.in)) {
		warp_execute(w, &d.in, lanes);
		t->computed++;
	} else {
		OK(fl_execute(m, m->sm, w, &d, lanes, &access));
	}
	w->stack[w->depth - 1].pc++;
}

static void run_warp(struct fl_machine *m, unsigned index, struct tally *t)
{
	struct fl_warp *w = &m->sm->warp[0];
	unsigned steps = 0;

	*w = (struct fl_warp){ .index = (uint8_t)index };
	w->pred[FL_PT] = ~0u;
	for (unsigned l = 0; l < FL_LANES; l++)
		w->reg[0][l] = index * FL_LANES + l;
	fl_stack_start(w, ~0u);
	while (fl_stack_settle(w)) {
		step(m, w, t);
		OK(++steps < STEPS);
	}
}

/* Runs the kernel's warps one after the other: nothing in it has to wait. */
static void run_kernel(const struct fl_code *code, const struct op_form *f,
		       struct tally *t)
{
	static struct fl_warp warp;
	static const struct fl_config config = { .sms = 1, .warps = 1 };
	const struct fl_kernel *k = &code->kernels[0];
	const uint64_t pointers[] = { AT_INPUT, AT_OUTPUT, AT_SCRATCH };
	uint8_t params[sizeof(pointers)];
	struct fl_launch l = { .code = code,
			       .kernel = k,
			       .grid = { (uint32_t)(f->cases / OP_BLOCK), 1,
					 1 },
			       .block = { OP_BLOCK, 1, 1 },
			       .params = params,
			       .memory = device_memory(),
			       .local_base = AT_LOCAL };
	struct fl_sm sm = { .warp = &warp };
	struct fl_machine m = { .c = &config,
				.l = &l,
				.sm = &sm,
				.local_words = (k->local + 3) / 4,
				.shared_of_block = k->shared };

	EQ((uint32_t)sizeof(params), k->param_bytes);
	memcpy(params, pointers, sizeof(params));
	for (uint32_t b = 0; b < l.grid[0]; b++) {
		sm.block[0].id[0] = b;
		for (unsigned w = 0; w < OP_BLOCK / FL_LANES; w++)
			run_warp(&m, w, t);
	}
}

static bool differs(const struct op_form *f, const uint64_t *want)
{
	const uint64_t *got = (const void *)(device_memory() + AT_OUTPUT);

	for (size_t s = 0; s < (size_t)f->outputs; s++)
		for (size_t i = 0; i < (size_t)f->cases; i++) {
			size_t at = s * (size_t)f->cases + i;
			int unused = 64 - 8 * f->output[s].bytes;

			if (got[at] << unused == want[at] << unused)
				continue;
			printf("  %s: case %zu, output %zu: want %llx, "
			       "got %llx\n",
			       f->line, i, s, (unsigned long long)want[at],
			       (unsigned long long)got[at]);
			return true;
		}
	return false;
}

static void run_form(struct tally *t, const struct op_form *f,
		     const uint64_t *want)
{
	struct op_text text = { 0 };
	struct fl_code *code = NULL;
	struct diag d = { 0 };

	op_ptx_header(&text, f->legacy);
	op_ptx_kernel(&text, f, 0);
	OK(!text.failed);
	if (fl_compile(&code, "op.ptx", text.s, text.size, NULL, &d)) {
		t->refused++;
	} else {
		op_inputs(f, (void *)(device_memory() + AT_INPUT));
		memset(device_memory() + AT_OUTPUT, 0,
		       (size_t)f->outputs * (size_t)f->cases * 8);
		run_kernel(code, f, t);
		t->run++;
		t->wrong += differs(f, want);
		OK(t->wrong < 20);
		fl_code_free(code);
	}
	free(text.s);
}

/* Of how many forms one is run. */
static uint32_t stride(void)
{
	const char *n = getenv("RTL_STRIDE");

	return n ? (uint32_t)strtoul(n, NULL, 10) : 16;
}

TEST(rtl_vectors, instructions_compute_what_an_h200_computed)
{
	struct tally t = { 0 };
	struct op_reader r;

	STREQ(NULL,
	      op_reader_open(&r, HEDDLE_SOURCE_DIR "/tests/op/vectors.bin"));
	for (uint32_t left = r.forms; left; left--) {
		struct op_form f;
		uint64_t hash, *want;

		STREQ(NULL, op_reader_next(&r, &f, &hash, &want));
		if (left % stride() == 0)
			run_form(&t, &f, want);
		free(want);
	}
	op_reader_close(&r);
	printf("  %u forms run, %u refused, %llu instructions by the circuit\n",
	       t.run, t.refused, (unsigned long long)t.computed);
	EQ(0u, t.wrong);
	OK(t.run * stride() >= 1500 && t.computed > t.run);
}
