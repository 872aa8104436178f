/*
 * Every recorded opcode that FastLanes compiles, with the results of an H200.
 *
 * FASTLANES_SHARE=2/16 tries the third of 16 equal shares, so that many processes can
 * share them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opfile.h"
#include "opgen.h"
#include "rig.h"
#include "test.h"

enum {
	AT_INPUT = 0x100000,
	AT_OUTPUT = 0x1000000,
	AT_SCRATCH = 0x2000000,
	SHOWN = 20
};

struct tally {
	unsigned run, refused, wrong;
};

static uint64_t low_bytes(uint64_t v, int bytes)
{
	return bytes == 8 ? v : v & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* Prints the first case that differs; returns whether there is one. */
static bool differs(const struct op_form *f, const uint64_t *want)
{
	const uint64_t *got = (const void *)(rig_memory() + AT_OUTPUT);

	for (size_t i = 0; i < (size_t)f->cases; i++)
		for (size_t s = 0; s < (size_t)f->outputs; s++) {
			size_t at = s * (size_t)f->cases + i;
			uint64_t g = low_bytes(got[at], f->output[s].bytes);
			const uint64_t *in =
				(const void *)(rig_memory() + AT_INPUT);

			if (g == want[at])
				continue;
			printf("  %s: case %zu:", f->line, i);
			for (size_t k = 0; k < (size_t)f->inputs; k++)
				printf(" %llx",
				       (unsigned long long)
					       in[k * (size_t)f->cases + i]);
			printf(", output %zu: want %llx, got %llx\n", s,
			       (unsigned long long)want[at],
			       (unsigned long long)g);
			return true;
		}
	return false;
}

static void run_form(struct tally *t, const struct op_form *f,
		     const uint64_t *want)
{
	struct rig r = { 0 };
	struct op_text text = { 0 };

	op_ptx_header(&text, f->legacy);
	op_ptx_kernel(&text, f, 0);
	OK(!text.failed);
	if (!rig_compile(&r, "op.ptx", text.s, text.size, NULL)) {
		t->refused++;
	} else {
		rig_config(&r, NULL);
		op_inputs(f, (void *)(rig_memory() + AT_INPUT));
		memset(rig_memory() + AT_OUTPUT, 0,
		       (size_t)f->outputs * (size_t)f->cases * 8);
		rig_param(&r, 0, AT_INPUT);
		rig_param(&r, 1, AT_OUTPUT);
		rig_param(&r, 2, AT_SCRATCH);
		rig_run(&r, (uint32_t)(f->cases / OP_BLOCK), OP_BLOCK);
		t->run++;
		t->wrong += r.fault.kind || differs(f, want);
		OK(t->wrong < SHOWN);
	}
	free(text.s);
	rig_free(&r);
}

/* The share: forms `first`, `first + step`, ... */
static void share(uint32_t *first, uint32_t *step)
{
	const char *text = getenv("FASTLANES_SHARE");

	*first = 0;
	*step = 1;
	if (text)
		EQ(2, sscanf(text, "%u/%u", first, step));
	OK(*first < *step);
}

TEST(fastlanes_vectors, instructions_compute_what_an_h200_computed)
{
	struct tally t = { 0 };
	struct op_reader r;
	uint32_t first, step;

	share(&first, &step);
	STREQ(NULL,
	      op_reader_open(&r, HEDDLE_SOURCE_DIR "/tests/op/vectors.bin"));
	/* The reader counts r.forms down. */
	for (uint32_t i = 0, forms = r.forms; i < forms; i++) {
		struct op_form f;
		uint64_t hash, *want;

		STREQ(NULL, op_reader_next(&r, &f, &hash, &want));
		if (i % step == first)
			run_form(&t, &f, want);
		free(want);
	}
	op_reader_close(&r);
	printf("  %u forms run, %u refused\n", t.run, t.refused);
	EQ(0u, t.wrong);
	/* Fewer: the compiler has lost an instruction. */
	OK(step > 1 || t.run >= 1967);
}
