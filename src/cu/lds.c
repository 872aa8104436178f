/*
 * The local data share: shared.banks banks, shared.lanes lanes at a time, each of
 * which takes the passes that its fullest bank needs. Instructions are served one
 * after the other.
 */
#include "base/minmax.h"
#include "cu/core.h"

enum { LDS_BANKS = 128, LDS_WORDS = 64, LDS_GROUP = 32 };

/* Words of each bank that a group of lanes accesses. */
struct lds_banks {
	uint32_t word[LDS_BANKS][LDS_WORDS];
	uint16_t n[LDS_BANKS];
	uint32_t most;
};

/* each: a word counts for every lane that accesses it. */
static void count_word(const struct cu_cluster *x, struct lds_banks *b,
		       uint32_t word, bool each)
{
	uint32_t bank = word & (x->lds_banks - 1);
	uint32_t n = b->n[bank];

	for (uint32_t i = 0; i < n && i < LDS_WORDS && !each; i++)
		if (b->word[bank][i] == word)
			return;
	if (n < LDS_WORDS)
		b->word[bank][n] = word;
	b->n[bank] = (uint16_t)(n + 1);
	b->most = (uint32_t)max_u64(b->most, n + 1);
}

static void count_lane(const struct cu_cluster *x, struct lds_banks *b,
		       uint64_t addr, uint32_t bytes, bool each)
{
	uint32_t first = (uint32_t)(addr >> x->lds_bank_shift);
	uint32_t last = (uint32_t)((addr + bytes - 1) >> x->lds_bank_shift);

	for (uint32_t w = first; w <= last; w++)
		count_word(x, b, w, each);
}

static uint32_t cu_group_passes(const struct cu_cluster *x,
				const struct wave_effect *e, uint64_t mask)
{
	struct lds_banks b;

	for (uint32_t i = 0; i < x->lds_banks; i++)
		b.n[i] = 0;
	b.most = 0;
	for (; mask; mask &= mask - 1) {
		unsigned l = (unsigned)__builtin_ctzll(mask);

		count_lane(x, &b, e->shared[0][l], e->bytes, e->is_atomic);
		if (e->pairs)
			count_lane(x, &b, e->shared[1][l], e->bytes,
				   e->is_atomic);
	}
	return b.most;
}

/* The words that lanes l, l + 1 ... access: the first and the last one, and their
 * banks, if that is fewer than all of them. */
struct lds_range {
	uint32_t first, last, banks;
};

static struct lds_range lds_range_of(const uint32_t *addr)
{
	uint32_t first = UINT32_MAX, last = 0;
	struct lds_range r = { 0 };

	for (unsigned l = 0; l < LDS_GROUP; l++) {
		first = addr[l] < first ? addr[l] : first;
		last = addr[l] > last ? addr[l] : last;
	}
	r.first = first >> 2;
	r.last = last >> 2;
	for (unsigned l = 0; l < LDS_GROUP; l++)
		r.banks |= UINT32_C(1) << (addr[l] >> 2 & 31);
	return r;
}

/* The passes of 32 lanes from l on, all of them active, whose words are close
 * together, as in rows of a matrix; 0: not known. */
static uint32_t close_passes(const struct wave_effect *e, unsigned l)
{
	struct lds_range a = lds_range_of(e->shared[0] + l), b;

	if (a.last - a.first >= LDS_GROUP)
		return 0;
	if (!e->pairs)
		return 1;
	b = lds_range_of(e->shared[1] + l);
	if (b.last - b.first >= LDS_GROUP)
		return 0;
	if (max_u64(a.last, b.last) - min_u64(a.first, b.first) < LDS_GROUP)
		return 1;
	if (a.last >= b.first && b.last >= a.first)
		return 0;
	return a.banks & b.banks ? 2 : 1;
}

/* Whether close_passes knows the machine and the access. */
static bool may_be_close(const struct cu_cluster *x,
			 const struct wave_effect *e)
{
	return x->lds_lanes == LDS_GROUP && x->lds_banks == LDS_GROUP &&
	       x->lds_bank_shift == 2 && e->bytes == 4 && !e->is_atomic &&
	       !~e->mask;
}

/* *least: those that no order of addresses could avoid. */
static uint32_t lds_passes(const struct cu_cluster *x,
			   const struct wave_effect *e, uint32_t *least)
{
	uint32_t n = 0, words = (e->bytes + 3) / 4 * (e->pairs ? 2 : 1);
	uint32_t lanes = x->lds_lanes;
	bool close = may_be_close(x, e);

	*least = 0;
	for (unsigned l = 0; l < WAVE_LANES; l += lanes) {
		uint64_t mask = e->mask >> l << l;
		uint32_t passes;

		if (l + lanes < WAVE_LANES)
			mask &= (UINT64_C(1) << (l + lanes)) - 1;
		if (!mask)
			continue;
		passes = close ? close_passes(e, l) : 0;
		n += passes ? passes : cu_group_passes(x, e, mask);
		*least += (uint32_t)max_u64(
			1, ((uint32_t)__builtin_popcountll(mask) * words +
			    x->lds_banks - 1) /
				   x->lds_banks);
	}
	*least = (uint32_t)min_u64(*least, n);
	return n;
}

static void count_lds(struct stat_lsu *st, const struct wave_effect *e,
		      uint32_t passes, uint32_t least)
{
	st->shared_loads += !e->write;
	st->shared_stores += e->write && !e->is_atomic;
	st->shared_atomics += e->is_atomic;
	st->shared_passes += passes;
	st->shared_conflicts += passes - least;
}

void cu_issue_lds(struct cu_unit *u, struct cu_slot *p,
		  const struct wave_op *op, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	const struct wave_effect *e = p->wave->effect;
	cycle_t start = max_u64(t, u->lds_free), cycles = 0;
	uint32_t passes = 0, least = 0;

	if (e->space == WAVE_SHARED) {
		passes = lds_passes(x, e, &least);
		cycles = passes *
			 (e->is_atomic ? x->lds_atomic : x->lds_conflict);
		count_lds(&x->counts.lsu, e, passes, least);
		cu_count_excess(u, p, op, passes - least);
	}
	u->lds_free = start + cycles;
	/* Without lanes it passes through the unit. */
	if (op->raises >> WAVE_LGKM & 1)
		cu_count_add(&p->count[WAVE_LGKM], t,
			     start + x->lds_latency + cycles -
				     min_u64(cycles, least),
			     1);
}
