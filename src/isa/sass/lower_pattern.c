/*
 * Registers with addresses in shared memory whose lane pattern a warp remembers
 * (warp.lane_pattern): those that each thread writes at most once, before the
 * first access that uses them. Then accesses need not look at the addresses
 * again.
 */
#include "isa/sass/lower.h"
#include "isa/sass/regs.h"

enum { REGS = 256, NEVER = -1, OFTEN = -2 };

struct writers {
	int64_t at[REGS];    /* the only instruction that writes it, or above */
	int64_t first[REGS]; /* the first access with it as an address */
	uint32_t accesses[REGS];
};

static bool takes_pattern(const struct inst *in)
{
	return in->addr == ADDR_REG32 && (in->exec == mem_load_shared ||
					  in->exec == mem_load_shared_vectors ||
					  in->exec == mem_store_shared);
}

static void note_writes(struct writers *w, const struct sass_inst *si,
			int64_t index)
{
	struct sass_use use[SASS_USES];
	unsigned n = sass_uses(si, use);

	for (unsigned i = 0; i < n; i++) {
		int64_t *at = &w->at[use[i].reg];

		if (use[i].file == SASS_FILE_R && use[i].writes)
			*at = *at == NEVER ? index : OFTEN;
	}
}

static void note_access(struct writers *w, const struct sass_inst *si,
			int64_t index)
{
	uint8_t r = si->opnd[SASS_M].reg;

	if (!w->accesses[r]++)
		w->first[r] = index;
}

/* Whether code can be executed again in a way that its branches do not show. */
static bool is_called(const struct sass_inst *si)
{
	switch (sass_row_of(si)->kind) {
	case KIND_CALL:
	case KIND_INDIRECT:
		return true;
	default:
		return false;
	}
}

/* Takes out registers that are written between a branch and its target before
 * it: in a loop. */
static void drop_loop(struct writers *w, int64_t from, int64_t to)
{
	for (unsigned r = 0; r < REGS; r++)
		if (w->at[r] >= from && w->at[r] <= to)
			w->at[r] = OFTEN;
}

/* The register of most accesses that qualifies; -1: there is none. */
static int best_register(const struct writers *w)
{
	int best = -1;

	for (int r = 0; r < REGS; r++)
		if (w->accesses[r] && w->at[r] >= 0 && w->at[r] < w->first[r] &&
		    (best < 0 || w->accesses[r] > w->accesses[best]))
			best = r;
	return best;
}

static void remember(struct code *code, const struct sass_inst *si, int reg,
		     uint32_t place)
{
	for (uint32_t i = 0; i < code->count; i++)
		if (takes_pattern(&code->insts[i]) &&
		    si[i].opnd[SASS_M].reg == reg)
			code->insts[i].m |= place << MEM_PATTERN;
}

void sass_lower_patterns(struct code *code, const struct sass_inst *si)
{
	struct writers w = { .accesses = { 0 } };

	for (unsigned r = 0; r < REGS; r++)
		w.at[r] = NEVER;
	for (uint32_t i = 0; i < code->count; i++) {
		note_writes(&w, &si[i], i);
		if (takes_pattern(&code->insts[i]))
			note_access(&w, &si[i], i);
		if (is_called(&si[i]))
			return;
	}
	for (uint32_t i = 0; i < code->count; i++)
		if (si[i].opnd[SASS_T].type != SASS_NONE &&
		    code->insts[i].offset <= (int64_t)i)
			drop_loop(&w, code->insts[i].offset, i);
	for (uint32_t place = 1; place <= LANE_PATTERNS; place++) {
		int r = best_register(&w);

		if (r < 0)
			return;
		remember(code, si, r, place);
		w.at[r] = OFTEN;
	}
}
