/*
 * Executors of a replay for memory: addresses come from the trace, memory
 * itself is not accessed.
 */
#include <string.h>

#include "arch/isa.h"
#include "replay/replay.h"
#include "simt/bulk.h"
#include "simt/mbarrier.h"
#include "simt/view.h"

/* No GPU or host has longer addresses. */
enum { ADDRESS_BITS = 56 };

static bool replay_bad_address(struct warp *w, const struct inst *in)
{
	replay_misfit(w, in, "a recorded address is misaligned or invalid");
	return false;
}

/* Checks addresses as executors do without a trace: timing relies on it. */
static inline bool check_addresses(struct warp *w, const struct inst *in,
				   const uint64_t addr[LANES], uint32_t align)
{
	uint64_t all = 0;

	for (int l = 0; l < LANES; l++)
		all |= addr[l];
	return LIKELY(!(all & (align - 1) || all >> ADDRESS_BITS)) ||
	       replay_bad_address(w, in);
}

/* Reads the addresses of a memory operand of `in`. */
static bool read_addresses(struct warp *w, const struct inst *in,
			   const struct inst *operand, uint32_t site,
			   uint32_t align, uint64_t addr[LANES])
{
	if (UNLIKELY(!records_address(operand))) {
		mem_addresses(w, operand, addr);
		return true;
	}
	if (UNLIKELY(!replay_lanes(w, in, site, addr)))
		return false;
	mem_fill_inactive(addr, w->mask);
	return check_addresses(w, in, addr, align);
}

/* Reads the access of `in` into the effect, `bytes` for each lane; KIND_PLAIN
 * if watchers shall not see it. */
static bool read_access(struct warp *w, const struct inst *in,
			enum timing_kind kind, uint32_t bytes)
{
	effect_set(w->effect, kind, in->space, w->mask, bytes);
	return read_addresses(w, in, in, site_of(w, in)->site, bytes,
			      w->effect->addr);
}

static __attribute__((noinline)) bool
read_group_pattern(struct warp *w, const struct inst *in,
		   struct trace_pattern *p)
{
	const struct replay_fact *f =
		replay_group_fact(w, in, replay_site(in), true);

	if (f)
		*p = (struct trace_pattern){ .shape = &f->lanes,
					     .spread = f->spread };
	return f;
}

/* Reads the next fact as a pattern, without an address for each lane. False:
 * that is not possible, or the launch has faulted (w->event). */
static inline bool read_pattern(struct warp *w, const struct inst *in,
				struct trace_pattern *p)
{
	struct replay_stream *r;

	if (UNLIKELY(!records_address(in)))
		return false;
	if (UNLIKELY(is_grouped(in)))
		return read_group_pattern(w, in, p);
	r = replay_stream_of(w, in);
	if (UNLIKELY(!r || r->peeked))
		return false;
	if (LIKELY(trace_get_pattern(&r->stream, replay_site(in),
				     (uint32_t)w->mask, p)))
		return true;
	replay_bad_stream(w, in);
	return false;
}

/* Reads the access of a load or store. */
static inline bool read_access_fast(struct warp *w, const struct inst *in,
				    enum timing_kind kind, uint32_t bytes)
{
	struct trace_pattern p;

	effect_set(w->effect, kind, in->space, w->mask, bytes);
	if (UNLIKELY(!read_pattern(w, in, &p)))
		return !(w->event & EVENT_FAULT) &&
		       read_addresses(w, in, in, replay_site(in), bytes,
				      w->effect->addr);
	trace_spread_out(&p, w->effect->addr);
	mem_fill_inactive(w->effect->addr, w->mask);
	return check_addresses(w, in, w->effect->addr, bytes);
}

bool replay_peek(struct warp *w, const struct inst *in, uint64_t addr[LANES])
{
	const struct tape_site *s = site_of(w, in);

	if (s->kind != REPLAY_ASYNC && !records_address(in)) {
		mem_addresses(w, in, addr);
		return true;
	}
	if (s->group) {
		const struct replay_fact *f =
			replay_group_fact(w, in, s->site, false);

		if (!f)
			return false;
		memcpy(addr, f->lanes.offset, sizeof(f->lanes.offset));
	} else if (!replay_ahead(w, in, s->site, addr)) {
		return false;
	}
	mem_fill_inactive(addr, w->mask);
	return check_addresses(w, in, addr, 1);
}

void replay_load(struct warp *w, const struct inst *in)
{
	if (!read_access_fast(w, in, KIND_LOAD,
			      (uint32_t)in->width * in->count))
		return;
	if (UNLIKELY(in->m & MEM_STRONG))
		w->syncs++;
}

/* Sets EFFECT_NEAR in the same cases as mem_load_shared. */
void replay_load_shared(struct warp *w, const struct inst *in)
{
	struct effect *e = w->effect;
	struct trace_pattern p;

	if (UNLIKELY(e->reader != READER_TIMING || !lanes_are_all(w->mask) ||
		     in->d == SLOT_NONE || !read_pattern(w, in, &p))) {
		if (!(w->event & EVENT_FAULT))
			replay_load(w, in);
		return;
	}
	if (p.spread < e->near_bytes) {
		effect_set_pattern(e, KIND_LOAD, EFFECT_NEAR, EFFECT_WORD);
		return;
	}
	effect_set(e, KIND_LOAD, SPACE_SHARED, w->mask, in->width);
	trace_spread_out(&p, e->addr);
	(void)check_addresses(w, in, e->addr, in->width);
}

void replay_store(struct warp *w, const struct inst *in)
{
	(void)read_access_fast(w, in, KIND_STORE,
			       (uint32_t)in->width * in->count);
}

void replay_start_atomic(struct warp *w, const struct inst *in, lanes_t lanes,
			 uint32_t bytes)
{
	static const uintptr_t nowhere[LANES];
	struct view *v = warp_view(w);
	struct atomic *a;

	if (!v || !lanes)
		return;
	a = view_atomic(v, w, in, lanes, bytes, nowhere);
	a->left = 0;
	memset(a->b, 0, sizeof(a->b));
}

void replay_atom(struct warp *w, const struct inst *in)
{
	if (!read_access(w, in, KIND_ATOMIC, in->width))
		return;
	w->syncs++;
	replay_start_atomic(w, in, mem_global(w, in), in->width);
}

void replay_atom_vec(struct warp *w, const struct inst *in)
{
	uint32_t bytes = (uint32_t)in->width * in->count;

	if (read_access(w, in, KIND_ATOMIC, bytes))
		replay_start_atomic(w, in, w->mask, bytes);
}

enum { MBAR_BYTES = 8 };

static char *shared_at(const struct block *b, const struct inst *in,
		       uint64_t addr, uint32_t bytes)
{
	if (in->space == SPACE_GENERIC) {
		if (window_of(addr) != SPACE_SHARED)
			return NULL;
		addr -= window_start(SPACE_SHARED, addr);
	}
	if (addr % bytes || addr > b->shared_bytes ||
	    b->shared_bytes - addr < bytes)
		return NULL;
	return b->shared + addr;
}

bool replay_shared(struct warp *w, const struct inst *in, uint64_t *host[LANES])
{
	for (int l = 0; l < LANES; l++) {
		host[l] = (uint64_t *)(void *)shared_at(
			w->block, in, w->effect->addr[l], MBAR_BYTES);
		if (!host[l]) {
			replay_misfit(w, in,
				      "a barrier outside of shared memory");
			return false;
		}
	}
	return true;
}

/* Reads the address, and puts the operand into its register for the
 * executor. */
static bool read_mbar(struct warp *w, const struct inst *in,
		      const struct tape_site *s)
{
	uint64_t v[LANES];

	if (!read_access(w, in, KIND_PLAIN, MBAR_BYTES))
		return false;
	if (!(s->recorded & RECORDED_OPERAND))
		return true;
	if (!replay_lanes(w, in, s->site + NEXT_SITE, v))
		return false;
	put_any(w, in->b, mbar_bytes(in), v);
	return true;
}

void replay_mbar(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);

	if (read_mbar(w, in, s))
		s->plain(w, in);
}

static void end_test(struct warp *w, const struct inst *in, lanes_t done)
{
	w->syncs++;
	pred_put(w, in->d, done);
	if (done != w->mask)
		w->event |= EVENT_YIELD;
}

/* For a loop that only waits: the lanes whose test succeeded in the end are
 * done when the mbarriers of the replay are. */
static void replay_spin(struct warp *w, const struct inst *in,
			const struct tape_site *s)
{
	struct replay_block *b = w->block->tape;
	struct replay_stream *r = replay_stream_of(w, in);
	uint64_t *at[LANES];

	if (!r)
		return;
	if (!r->waits) {
		if (!read_mbar(w, in, s) ||
		    !replay_mask(w, in, s->site, &r->done))
			return;
		memcpy(r->ahead, w->effect->addr, sizeof(r->ahead));
	}
	effect_set(w->effect, KIND_PLAIN, in->space, w->mask, MBAR_BYTES);
	memcpy(w->effect->addr, r->ahead, sizeof(r->ahead));
	if (!replay_shared(w, in, at))
		return;
	r->waits = (r->done & ~mbar_done(w, in, at)) != 0;
	if (r->waits)
		b->max += SPIN_MAX;
	end_test(w, in, r->waits ? 0 : r->done);
}

void replay_mbar_test(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	lanes_t done;

	if (s->recorded & RECORDED_SPIN)
		replay_spin(w, in, s);
	else if (read_mbar(w, in, s) && replay_mask(w, in, s->site, &done))
		end_test(w, in, done);
}

void replay_async(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	struct inst source = mem_async_source(in);
	struct effect *e = w->effect;

	effect_set(e, KIND_ASYNC, in->space, w->mask, in->width);
	(void)(read_addresses(w, in, &source, s->site, in->width, e->source) &&
	       replay_mask(w, in, s->site, &e->source_mask) &&
	       read_addresses(w, in, in, s->site + NEXT_SITE, in->width,
			      e->addr));
}

/* The facts of a bulk copy, for each lane. */
struct bulk_facts {
	uint64_t size[LANES], global[LANES], shared[LANES], keep[LANES];
	uint64_t barrier[LANES];
};

static bool read_bulk(struct warp *w, const struct inst *in,
		      struct bulk_facts *f)
{
	const uint32_t site = site_of(w, in)->site;
	const struct bulk_opnds *x = in->x;

	if (!replay_lanes(w, in, site, f->size) ||
	    !replay_lanes(w, in, site + NEXT_SITE, f->global) ||
	    !replay_lanes(w, in, site + 2 * NEXT_SITE, f->shared))
		return false;
	if (!x->store && !replay_lanes(w, in, site + 3 * NEXT_SITE, f->barrier))
		return false;
	for (int l = 0; l < LANES; l++)
		f->keep[l] = BULK_ALL;
	return in->c == SLOT_NONE ||
	       replay_lanes(w, in, site + 4 * NEXT_SITE, f->keep);
}

static bool bulk_fits(const struct block *b, const struct bulk *c)
{
	return !(c->address % BULK_CHUNK) && !(c->offset % BULK_CHUNK) &&
	       c->bytes <= b->shared_bytes &&
	       c->offset <= b->shared_bytes - c->bytes;
}

void replay_bulk(struct warp *w, const struct inst *in)
{
	const struct bulk_opnds *x = in->x;
	struct view *v = warp_view(w);
	struct bulk_facts f;

	w->effect->bulk_count = 0;
	if (!read_bulk(w, in, &f))
		return;
	for (lanes_t left = bulk_lanes(in, w->mask); left; left &= left - 1) {
		unsigned l = lanes_first(left);
		struct bulk b = { .address = f.global[l],
				  .offset = (uint32_t)f.shared[l],
				  .bytes = bulk_bytes(in, f.size[l]),
				  .keep = (uint16_t)f.keep[l],
				  .store = x->store };

		if (!b.bytes)
			continue;
		if (!b.store)
			b.barrier = (uint64_t *)(void *)shared_at(w->block,
								  &x->barrier,
								  f.barrier[l],
								  MBAR_BYTES);
		if (!bulk_fits(w->block, &b) || (!b.store && !b.barrier)) {
			replay_misfit(w, in,
				      "a recorded copy does not fit "
				      "into shared memory");
			return;
		}
		if (v)
			w->effect->bulk[w->effect->bulk_count++] = b;
		else
			bulk_land(&b);
	}
}

enum { ROW_BYTES = 16 };

void replay_rows(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	unsigned rows = 8u * x->count[0];
	enum timing_kind kind = site_of(w, in)->writes ? KIND_STORE : KIND_LOAD;

	if (!warp_converge(w, LANES_ALL))
		return;
	w->splits[w->current].needs = 0;
	if (!w->mask || !read_access(w, in, kind, ROW_BYTES))
		return;
	w->effect->mask &= mem_matrix_lanes(x->count[0]);
	w->effect->distinct = w->effect->mask;
	for (unsigned l = rows; l < LANES; l++)
		w->effect->addr[l] = w->effect->addr[l % rows];
}

void replay_matrix(struct warp *w, const struct inst *in)
{
	uint64_t stride, base;
	uint32_t align;

	if (!warp_converge(w, LANES_ALL))
		return;
	w->splits[w->current].needs = 0;
	effect_set(w->effect, KIND_PLAIN, in->space, w->mask, inst_bytes(in));
	if (!w->mask ||
	    !read_addresses(w, in, in, site_of(w, in)->site, 1,
			    w->effect->addr) ||
	    !replay_value(w, in, site_of(w, in)->site, &stride))
		return;
	base = w->effect->addr[lanes_first(w->mask)];
	align = isa_of_warp(w)->matrix_lines(w, in, base, stride,
					     w->effect->addr);
	(void)check_addresses(w, in, w->effect->addr, align);
}

/* Reads which lanes have written, and where. False: the launch has faulted. */
static bool read_surface(struct warp *w, const struct inst *in, lanes_t *lanes)
{
	const uint32_t site = site_of(w, in)->site;
	uint64_t *addr = w->effect->addr;

	effect_set(w->effect, KIND_PLAIN, in->space, w->mask, inst_bytes(in));
	if (!replay_mask(w, in, site, lanes) ||
	    !replay_lanes(w, in, site, addr))
		return false;
	mem_fill_inactive(addr, w->mask);
	return check_addresses(w, in, addr, site_of(w, in)->operand_bytes[0]);
}

void replay_surface(struct warp *w, const struct inst *in)
{
	lanes_t lanes;

	(void)read_surface(w, in, &lanes);
}

void replay_surface_red(struct warp *w, const struct inst *in)
{
	lanes_t lanes;

	if (read_surface(w, in, &lanes))
		replay_start_atomic(w, in, lanes,
				    site_of(w, in)->operand_bytes[0]);
}

static bool read_texels(struct warp *w, const struct inst *in,
			uint64_t out[LANES])
{
	const struct replay_fact *f;

	if (LIKELY(!is_grouped(in)))
		return replay_lanes(w, in, replay_site(in), out);
	f = replay_group_fact(w, in, replay_site(in), true);
	if (f)
		memcpy(out, f->lanes.offset, sizeof(f->lanes.offset));
	return f;
}

/* Keeps the texel of a lane. False: no executor has such a one. */
static bool keep_texel(struct effect *e, unsigned lane, uint64_t fact)
{
	uint32_t bytes = 1u << (fact & TEXEL_MASK) >> 1;

	if (!(fact & TEXEL_MASK) || fact >> TEXEL_BITS >> ADDRESS_BITS ||
	    (e->fetched && e->bytes != bytes))
		return false;
	e->fetched |= lane_bit(lane);
	e->bytes = bytes;
	e->addr[lane] = fact >> TEXEL_BITS;
	return true;
}

/* A watcher sees a load. */
void replay_texels(struct warp *w, const struct inst *in)
{
	struct effect *e = w->effect;
	uint64_t texel[LANES];

	e->fetched = 0;
	if (!read_texels(w, in, texel))
		return;
	for (lanes_t left = w->mask; left; left &= left - 1) {
		unsigned l = lanes_first(left);

		if (texel[l] && !keep_texel(e, l, texel[l])) {
			replay_misfit(w, in, "a recorded texel is invalid");
			break;
		}
	}
	if (e->reader == READER_WATCH && e->fetched)
		effect_set(e, KIND_LOAD, SPACE_GLOBAL, e->fetched, e->bytes);
	if (!e->takes_texels)
		e->fetched = 0;
}

void replay_no_texels(struct warp *w, const struct inst *in)
{
	if (w->effect->takes_texels)
		replay_misfit(w, in,
			      "format version 1 of traces has no addresses of "
			      "texels: record it again, or replay it with "
			      "tex.lookup = no");
}
