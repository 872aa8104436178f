/*
 * Code that ptxas has made never reads a register before latency.def says that
 * it has been written: each text is followed from its beginning to its end, as
 * a warp issues it that waits for nothing but its control words.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "isa/sass/cubin.h"
#include "isa/sass/latency.h"

enum { FILE_ROOM = 1 << 20, NUMBERS = 256, COUNTERS = 6, DRAIN = 36 };

/* The last write of a register. */
struct last_write {
	bool known;
	uint64_t at;
	uint8_t producer, counter;
};

struct walk {
	struct sass_latencies l;
	struct last_write last[SASS_FILES][NUMBERS];
	uint64_t now, zero[COUNTERS]; /* when a counter was waited for */
	unsigned pairs, early;        /* reads that were checked; too early */
};

static void check_use(struct walk *w, const struct sass_inst *in,
		      const struct sass_use *u)
{
	const struct last_write *p = &w->last[u->file][u->reg];
	unsigned need;

	if (!p->known)
		return;
	if (p->producer == SASS_FROM_VARIABLE) {
		if (p->counter == SASS_NO_COUNTER)
			return; /* a later one of its kind ends it */
		w->pairs++;
		w->early += w->zero[p->counter] <= p->at;
		return;
	}
	need = w->l.cycles[p->producer][sass_consumer_of(in, u)];
	w->pairs += need > 0;
	w->early += w->now - p->at < need;
}

static bool ends_text(const struct sass_inst *in)
{
	switch (sass_row_of(in)->kind) {
	case KIND_BRANCH:
	case KIND_INDIRECT:
	case KIND_CALL:
	case KIND_EXIT:
		return in->guard == SASS_PT && !in->guard_not;
	default:
		return false;
	}
}

static void step(struct walk *w, const struct sass_inst *in)
{
	struct sass_use use[SASS_USES];
	unsigned n = sass_uses(in, use);

	for (unsigned i = 0; i < COUNTERS; i++)
		if (in->ctrl.wait >> i & 1)
			w->zero[i] = w->now;
	if (sass_op_of(in) == SASS_OP_DEPBAR)
		w->zero[in->opnd[SASS_J].reg % COUNTERS] = w->now;
	for (unsigned i = 0; i < n; i++)
		if (!use[i].writes)
			check_use(w, in, &use[i]);
	for (unsigned i = 0; i < n; i++)
		if (use[i].writes)
			w->last[use[i].file][use[i].reg] = (struct last_write){
				true, w->now,
				(uint8_t)sass_producer_of(in, &use[i]),
				in->ctrl.write
			};
	w->now += in->ctrl.stall ? in->ctrl.stall : DRAIN;
	if (ends_text(in)) /* what follows is reached from elsewhere */
		memset(w->last, 0, sizeof(w->last));
}

/* Follows a kernel's text, in which all stall counts of `long_one` and more are
 * smaller by one; 0: none are. */
static void walk_text(struct walk *w, unsigned sm, const uint8_t *text,
		      uint32_t size, unsigned long_one)
{
	memset(w->last, 0, sizeof(w->last));
	memset(w->zero, 0, sizeof(w->zero));
	w->now = 1;
	sass_latencies(&w->l, sm);
	for (uint32_t i = 0; i + SASS_BYTES <= size; i += SASS_BYTES) {
		struct sass_inst in;
		uint64_t word[2];

		memcpy(word, text + i, sizeof(word));
		EQ(SASS_DECODED, sass_decode(&in, sm, word));
		if (long_one && in.ctrl.stall >= long_one)
			in.ctrl.stall--;
		step(w, &in);
	}
}

static void walk_file(struct walk *w, const char *name, unsigned long_one)
{
	static char bytes[FILE_ROOM];
	struct arena a = { 0 };
	struct sass_cubin c;
	struct diag d = { .text = "" };
	char path[512];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), HEDDLE_SOURCE_DIR "/%s", name);
	f = fopen(path, "rb");
	OK(f);
	size = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	EQ(ERR_OK, sass_cubin_read(&c, &a, bytes, size, &d));
	for (uint32_t i = 0; i < c.kernel_count; i++)
		walk_text(w, c.sm, c.kernels[i].text, c.kernels[i].text_size,
			  long_one);
	arena_free(&a);
}

static const char *const files[] = {
	"bench/kernels.cubin",
	"tests/cli/isa/saxpy_80.cubin",
	"tests/cli/isa/saxpy_90.cubin",
	"tests/cli/sass/k.cubin",
	"tests/fuzz/corpus/fuzz_cubin/cluster.cubin",
	"tests/fuzz/corpus/fuzz_cubin/lines_75.cubin",
	"tests/fuzz/corpus/fuzz_cubin/lines_90.cubin",
	"tests/fuzz/corpus/fuzz_cubin/linked_75.cubin",
	"tests/sass/unit/async.sm90.cubin",
	"tests/sass/unit/atom.sm80.cubin",
	"tests/sass/unit/atom.sm90.cubin",
	"tests/sass/unit/barrier80.sm80.cubin",
	"tests/sass/unit/copy.sm80.cubin",
	"tests/sass/unit/copy.sm90.cubin",
	"tests/sass/unit/cube.sm75.cubin",
	"tests/sass/unit/cube.sm80.cubin",
	"tests/sass/unit/cube.sm90.cubin",
	"tests/sass/unit/mma.sm80.cubin",
	"tests/sass/unit/mma.sm90.cubin",
	"tests/sass/unit/mma4.sm80.cubin",
	"tests/sass/unit/mma75.sm75.cubin",
	"tests/sass/unit/mma89.sm89.cubin",
	"tests/sass/unit/mma90.sm90.cubin",
	"tests/sass/unit/tex.sm75.cubin",
	"tests/sass/unit/tex.sm80.cubin",
	"tests/sass/unit/tex.sm90.cubin",
	"tests/timing/data/stamps.cubin",
};

TEST(sass_latency, code_of_ptxas_waits_long_enough)
{
	static struct walk w;

	memset(&w, 0, sizeof(w));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		walk_file(&w, files[i], 0);
		if (w.early)
			fprintf(stderr, "%s\n", files[i]);
		EQ(0, w.early);
	}
	OK(w.pairs > 2000);
}

/* It waits no longer than it must, so smaller stall counts are noticed. */
TEST(sass_latency, smaller_stall_counts_are_too_early)
{
	static struct walk w;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		memset(&w, 0, sizeof(w));
		walk_file(&w, files[i], 4);
		OK(w.early > 0);
	}
}
