/* The path and the units of an instruction that enters the LSU. */
#include "sm/lsu_one.h"

#include <string.h>

/* The passes that an instruction takes through shared memory; it has lanes. */
static unsigned shared_passes(const struct lsu *u, const struct lsu_inst *in)
{
	if (in->kind == KIND_LOAD)
		return bank_count_load(&u->banks, in->addr, in->mask,
				       in->bytes);
	if (in->kind != KIND_ATOMIC)
		return bank_count(&u->banks, in->addr, in->mask, in->bytes);
	if ((in->flags & TIMED_SPIN) == TIMED_SPIN)
		return 1;
	if (in->flags & TIMED_SHARES)
		return bank_count(&u->banks, in->addr, in->mask, in->bytes);
	return bank_count_atomic(&u->banks, in->addr, in->mask, in->bytes);
}

/* The cycles for which passes through shared memory occupy it. The result comes
 * *late cycles later. */
static uint16_t shared_cycles(const struct lsu *u, unsigned passes,
			      enum timing_kind kind, unsigned flags,
			      uint32_t *late)
{
	unsigned more = passes - 1;

	if (kind != KIND_ATOMIC) {
		*late = more * u->conflict_latency;
		return (uint16_t)(1 + more * u->conflict);
	}
	*late = u->atomic_latency;
	if (flags & TIMED_CAS) {
		*late += more * u->cas_again + u->shared_cas_latency;
		return (uint16_t)(passes * u->cas_pass);
	}
	*late += more * u->atomic_again;
	return (uint16_t)(passes * u->atomic_pass);
}

static void count_passes(struct lsu *u, unsigned passes, unsigned min)
{
	struct stat_lsu *st = u->env.st;

	st->shared_passes += passes;
	st->shared_conflicts += passes > min ? passes - min : 0;
}

/* For an instruction on shared memory. */
static void prepare_shared(struct lsu *u, struct lsu_entry *e,
			   const struct lsu_inst *in)
{
	unsigned min = bank_min(&u->banks, in->mask, in->bytes), passes = min;
	uint32_t late;

	e->hit = u->shared_after;
	if (!in->mask || u->latency)
		return;
	if (in->addr)
		passes = shared_passes(u, in);
	else if (in->paired)
		passes = (min + 1) / 2;
	count_passes(u, passes, min);
	e->passes = shared_cycles(u, passes, (enum timing_kind)in->kind,
				  in->flags, &late);
	e->hit += e->passes - 1 + late;
	if (in->kind == KIND_LOAD)
		e->bytes = lsu_returned(u, passes, e->bytes);
}

/* The cycles for which a copy that arrives writes to shared memory. */
static uint16_t copy_cycles(struct lsu *u, const struct lsu_inst *in)
{
	unsigned passes;
	uint32_t late;

	if (!in->mask || u->latency)
		return 1;
	passes = bank_count(&u->banks, in->shared, in->mask, in->bytes);
	count_passes(u, passes, bank_min(&u->banks, in->mask, in->bytes));
	return shared_cycles(u, passes, KIND_ASYNC, 0, &late);
}

/* Fills unit[] with the next words of an instruction on local memory. */
static void refill_units(struct lsu_entry *e, unsigned shift)
{
	uint64_t offset[WARP_LANES];

	e->n = e->at = 0;
	for (; e->word < e->words; e->word++) {
		if (e->n + WARP_LANES > COALESCE_MAX)
			break;
		for (unsigned l = 0; l < WARP_LANES; l++)
			offset[l] = e->offset[l] + 4 * e->word;
		e->n += coalesce_local(
			e->unit + e->n,
			e->path == PATH_WRITE ? e->written + e->n : NULL,
			e->local_base, offset, e->mask, e->size, shift);
	}
}

static void coalesce_groups(struct lsu *u, struct lsu_entry *e,
			    const struct lsu_inst *in, unsigned shift)
{
	unsigned step = u->coalesce_lanes, n = 0;
	uint32_t lanes = step < WARP_LANES ? (1u << step) - 1 : ~0u;
	bool write = e->path == PATH_WRITE;

	if (in->half) {
		e->n = (uint16_t)coalesce_halves(
			e->unit, write ? e->written : NULL, in->half, shift);
		return;
	}
	/* A slice performs the lanes of an atomic by chunk, so each chunk must
	 * be sent once. */
	if (e->path == PATH_ATOMIC || step == WARP_LANES) {
		e->n = (uint16_t)coalesce(e->unit, write ? e->written : NULL,
					  in->addr, in->mask, in->bytes, shift);
		return;
	}
	for (unsigned l = 0; l < WARP_LANES; l += step)
		n += coalesce(e->unit + n, write ? e->written + n : NULL,
			      in->addr, in->mask & lanes << l, in->bytes,
			      shift);
	e->n = (uint16_t)n;
}

/* bytes: those of all lanes. */
static void count_units(struct lsu *u, const struct lsu_entry *e,
			uint64_t bytes, uint64_t group)
{
	struct stat_lsu *st = u->env.st;
	uint64_t n = 0;

	for (unsigned i = 0; i < e->n; i++)
		n += pieces_count(e->unit[i].pieces);
	if (e->path == PATH_ATOMIC)
		return;
	if (e->words) {
		st->local_sectors += n;
	} else if (e->kind != KIND_TEX) {
		st->global_sectors += n;
		lsu_count_excess(st, n, bytes, group);
	}
	if (e->path == PATH_WRITE)
		st->store_sectors += n;
	else
		st->load_sectors += n;
}

/* Loads request whole pieces of lsu.coalesce bytes. Then counts the sectors,
 * and prefetches the sets that will be looked up. */
static void round_units(struct lsu *u, struct lsu_entry *e, unsigned shift,
			uint64_t bytes)
{
	unsigned group = 1u << (shift - PIECE_SHIFT);

	group = u->group < group ? u->group : group;
	if (e->path != PATH_READ && e->path != PATH_AROUND)
		group = 1;
	if (group > 1)
		for (unsigned i = 0; i < e->n; i++)
			e->unit[i].pieces =
				pieces_round(e->unit[i].pieces, group);
	count_units(u, e, bytes, group);
	if (e->path == PATH_READ || e->keep)
		for (unsigned i = 0; i < e->n; i++)
			l1_find_set(e->cache, &e->unit[i]);
}

/* Finds the units of an instruction on global or local memory. */
static void find_units(struct lsu *u, struct lsu_entry *e,
		       const struct lsu_inst *in)
{
	unsigned shift = UNIT_SHIFT;

	if (e->path == PATH_READ)
		shift = l1_unit_shift(e->cache);
	if (in->space == SPACE_LOCAL && in->mask) {
		e->words = in->bytes > 4 ? in->bytes / 4 : 1;
		e->word = 0;
		e->mask = in->mask;
		e->size = in->bytes < 4 ? in->bytes : 4;
		e->local_base = in->local_base;
		memcpy(e->offset, in->addr, sizeof(e->offset));
		refill_units(e, shift);
	} else {
		coalesce_groups(u, e, in, shift);
	}
	round_units(u, e, shift, (uint64_t)lsu_lanes(in->mask) * in->bytes);
}

static void count_inst(struct stat_lsu *st, const struct lsu_inst *in)
{
	bool load = in->kind == KIND_LOAD, store = in->kind == KIND_STORE;

	if (in->kind == KIND_TEX) {
		st->textures++;
		return;
	}
	if (in->kind == KIND_ASYNC) {
		st->async_copies++;
		return;
	}
	switch (in->space) {
	case SPACE_SHARED:
		st->shared_loads += load;
		st->shared_stores += store;
		st->shared_atomics += !load && !store;
		break;
	case SPACE_CONST:
		st->const_loads++;
		break;
	case SPACE_LOCAL:
		st->local_loads += load;
		st->local_stores += store;
		break;
	default:
		st->global_loads += load;
		st->global_stores += store;
		st->global_atomics += !load && !store;
	}
}

/* Whether the L1 caches what the instruction accesses. */
static bool l1_keeps(const struct lsu *u, const struct lsu_inst *in)
{
	const struct cfg_l1 *k = &u->env.cfg->l1;

	if (!k->on)
		return false;
	if (in->space == SPACE_LOCAL)
		return k->local;
	if (in->kind == KIND_TEX || in->flags & TIMED_READONLY)
		return k->readonly;
	return k->global;
}

static enum path path_of(const struct lsu *u, const struct lsu_inst *in)
{
	if (in->kind == KIND_TEX) {
		if (!in->mask)
			return PATH_FIXED;
		return u->l1->tex.tags || l1_keeps(u, in) ? PATH_READ :
							    PATH_AROUND;
	}
	if (in->kind == KIND_ASYNC)
		return l1_keeps(u, in) && !(in->flags & TIMED_UNCACHED) ?
			       PATH_READ :
			       PATH_AROUND;
	if (in->space == SPACE_SHARED)
		return PATH_SHARED;
	if (in->space == SPACE_CONST)
		return PATH_CONST;
	if (in->kind == KIND_STORE)
		return PATH_WRITE;
	if (in->kind == KIND_ATOMIC)
		return PATH_ATOMIC;
	if (in->flags & TIMED_UNCACHED || !l1_keeps(u, in))
		return PATH_AROUND;
	return PATH_READ;
}

/* Finds the distinct addresses or lines of constant memory, as units. */
static void find_constants(struct lsu *u, struct lsu_entry *e,
			   const struct lsu_inst *in)
{
	unsigned shift = constcache_shift(u->cc), n = 0;
	uint32_t mask = in->mask;

	if (!in->addr && mask) {
		e->unit[n++].number = *in->half >> shift;
		mask = 0;
	}
	/* All lanes share the first lane's access. */
	if (mask && !(coalesce_spread(in->addr, mask) >> shift))
		mask &= -mask;
	for (uint32_t m = mask; m; m &= m - 1) {
		uint64_t line = in->addr[__builtin_ctz(m)] >> shift;
		unsigned i = n;

		while (i && e->unit[i - 1].number != line)
			i--;
		if (!i)
			e->unit[n++].number = line;
	}
	e->n = (uint16_t)n;
	e->passes = (uint16_t)(n ? n * constcache_interval(u->cc) : 1);
}

/* What no constant cache has will be requested. */
static void ask_constants(struct lsu *u, struct lsu_entry *e)
{
	e->path = PATH_ASK;
	e->passes = e->pace = 1;
	e->hit = (uint32_t)u->env.cfg->ccache.l0_cycles;
	e->flight = lsu_new_flight(u, e->tag, e->bytes);
	u->flight[e->flight].subcore = e->subcore;
}

/* The bank of tags that a line is in: a hash of its number. */
static unsigned tag_bank(uint64_t line, uint32_t banks)
{
	unsigned bits = (unsigned)__builtin_ctz(banks);

	/* The exclusive or of all groups of so many bits: of two, of four ... */
	for (unsigned by = bits; by - 1 < 63; by *= 2)
		line ^= line >> by;
	return (unsigned)line & (banks - 1);
}

/* The most lines that are in one bank of tags. */
static unsigned tag_passes(const struct lsu *u, const struct lsu_entry *e)
{
	uint8_t lines[TAG_BANKS_MAX] = { 0 };
	uint64_t both = e->unit[0].number ^ e->unit[1].number;
	unsigned most = 0;

	if (e->n == 2) /* one hash will do, for it consists of exclusive ors */
		return tag_bank(both, u->tag_banks) ? 1 : 2;

	for (unsigned i = 0; i < e->n; i++) {
		unsigned n = ++lines[tag_bank(e->unit[i].number, u->tag_banks)];

		most = n > most ? n : most;
	}
	return most;
}

/* A load of several lines takes the L1 for its passes through the banks, which are
 * those of shared memory, or through those of the tags. The lookups take the latter;
 * returns the latency that the former add to them. */
static uint32_t read_in_passes(const struct lsu *u, struct lsu_entry *e,
			       const struct lsu_inst *in)
{
	unsigned tags = tag_passes(u, e);
	unsigned data = in->half ? bank_passes_of_halves(in->half) :
				   bank_passes(in->addr, in->mask, in->bytes);

	e->passes = (uint16_t)(data > tags ? data : tags);
	e->pace = (uint16_t)((e->n + tags - 1) / tags);
	if (data > 1)
		e->apart = (uint16_t)(data * u->pass_latency);
	return (data - 1) * u->pass_latency;
}

/* For an instruction that needs the L1 or the network. */
static void prepare_memory(struct lsu *u, struct lsu_entry *e,
			   const struct lsu_inst *in)
{
	const struct cfg *cfg = u->env.cfg;
	struct flight *f;
	uint32_t late;

	e->cache = &u->l1->data;
	e->hit = u->hit_latency;
	if (in->kind == KIND_TEX) {
		e->hit = lsu_tex_latency(u, in->flags);
		if (u->l1->tex.tags)
			e->cache = &u->l1->tex;
	}
	e->keep = e->path == PATH_WRITE && l1_keeps(u, in);
	e->passes = 1;
	e->pace = (uint16_t)u->lookups;
	find_units(u, e, in);
	if (e->path == PATH_WRITE) {
		e->passes = (uint16_t)u->store_interval;
		return;
	}
	e->flight = lsu_new_flight(u, in->tag, e->bytes);
	f = &u->flight[e->flight];
	if (u->order && in->kind == KIND_LOAD)
		f->order = in->warp + 1;
	if (in->kind == KIND_TEX && e->hit > cfg->l1.hit_latency)
		f->result_latency += e->hit - (uint32_t)cfg->l1.hit_latency;
	if (in->kind == KIND_ASYNC)
		f->copy = copy_cycles(u, in);
	if (e->path == PATH_ATOMIC) {
		CHECK(in->atomic < u->atomics);
		u->by_atomic[in->atomic] = e->flight;
		e->bytes = in->bytes;
		e->same = in->mask ? coalesce_same(in->addr, in->mask) - 1 : 0;
		coalesce_atomics(e->counted, e->unit, e->n, in->addr, in->mask,
				 e->same + 1);
		f->result_latency = in->flags & TIMED_NO_RESULT ?
					    u->reduction_return :
					    u->atomic_return;
		if (in->flags & TIMED_CAS)
			f->result_latency += u->cas_latency;
		return;
	}
	if (e->n > 1 && !u->latency) {
		late = (e->n - 1u) * u->line_latency / 256;
		if (u->tag_banks && e->path == PATH_READ && !e->words &&
		    in->kind == KIND_LOAD)
			late = read_in_passes(u, e, in);
		e->hit += late;
		f->result_latency += late;
		f->span = late;
	}
}

/* Whether all lanes load from one address, in one unit of the L1. */
static inline bool loads_one_unit(const struct lsu *u,
				  const struct lsu_inst *in)
{
	const uint64_t *addr = in->addr;

	return u->plain_loads && in->kind == KIND_LOAD && addr && in->bytes &&
	       in->space == SPACE_GLOBAL && in->mask == ~0u &&
	       addr[0] == addr[WARP_LANES - 1] &&
	       lsu_is_one_unit(u, addr[0], in->bytes, in->flags) &&
	       !coalesce_spread(addr, ~0u);
}

/* Not inline, or the compiler would count before it knows that it must. */
uint32_t lsu_count_lanes(uint32_t mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

void lsu_prepare(struct lsu *u, struct lsu_entry *e, const struct lsu_inst *in)
{
	e->kind = in->kind;
	e->flags = in->flags;
	e->subcore = in->subcore;
	e->tag = in->tag;
	e->reader = in->reader;
	e->bytes = lsu_lanes(in->mask) * in->bytes;
	e->atomic = in->atomic;
	e->grid = u->grid;
	e->n = e->at = 0;
	e->words = 0;
	e->apart = 0;
	e->passes = 1;
	if (loads_one_unit(u, in)) {
		lsu_prepare_one_unit(u, e, *in->addr, in->bytes, in->warp);
		return;
	}
	if (in->kind == KIND_ASYNC || in->flags & TIMED_NO_RESULT)
		e->bytes = 0;
	e->path = (uint8_t)path_of(u, in);
	count_inst(u->env.st, in);
	switch (e->path) {
	case PATH_SHARED:
		prepare_shared(u, e, in);
		break;
	case PATH_CONST:
		find_constants(u, e, in);
		if (UNLIKELY(u->asking != NULL))
			ask_constants(u, e);
		break;
	case PATH_FIXED:
		break;
	default:
		prepare_memory(u, e, in);
	}
}

bool lsu_refill(struct lsu *u, struct lsu_entry *e)
{
	unsigned shift = UNIT_SHIFT;

	if (e->word >= e->words)
		return false;
	if (e->path == PATH_READ)
		shift = l1_unit_shift(e->cache);
	refill_units(e, shift);
	round_units(u, e, shift, 0);
	return true;
}
