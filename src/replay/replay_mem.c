/*
 * Executors of a replay for memory: addresses come from the trace, memory
 * itself is not touched.
 */
#include <string.h>

#include "replay/replay.h"
#include "simt/bulk.h"
#include "simt/view.h"
#include "simt/winst.h"

/* Lanes outside of the mask repeat an active one, as mem_addresses does. */
static inline void fill_inactive(uint64_t addr[LANES], uint32_t mask)
{
	uint64_t any = addr[__builtin_ctz(mask)];

	if (LIKELY(mask == 0xffffffffu))
		return;
	for (int l = 0; l < LANES; l++)
		addr[l] = mask >> l & 1 ? addr[l] : any;
}

/* No GPU and no host has as much memory. */
enum { ADDRESS_BITS = 56 };

static bool bad_address(struct warp *w, const struct inst *in)
{
	replay_misfit(w, in, "a recorded address is misaligned or none at all");
	return false;
}

/* Timing relies on what the executors of live programs check. */
static inline bool sound(struct warp *w, const struct inst *in,
			 const uint64_t addr[LANES], uint32_t align)
{
	uint64_t all = 0;

	for (int l = 0; l < LANES; l++)
		all |= addr[l];
	return LIKELY(!(all & (align - 1) || all >> ADDRESS_BITS)) ||
	       bad_address(w, in);
}

/* The addresses of a memory operand of `in` into addr. */
static bool take(struct warp *w, const struct inst *in,
		 const struct inst *operand, uint32_t site, uint32_t align,
		 uint64_t addr[LANES])
{
	if (UNLIKELY(!tells_address(operand))) {
		mem_addresses(w, operand, addr);
		return true;
	}
	if (UNLIKELY(!replay_lanes(w, in, site, addr)))
		return false;
	fill_inactive(addr, w->mask);
	return sound(w, in, addr, align);
}

static bool take_access(struct warp *w, const struct inst *in, uint32_t bytes)
{
	return take(w, in, in, site_of(w, in)->site, bytes, w->addr);
}

/* The next fact without the lanes' own addresses. False: it is not that simple,
 * or the launch has faulted: w->event. */
static inline bool take_pattern(struct warp *w, const struct inst *in,
				struct trace_pattern *p)
{
	struct reel *r;

	if (UNLIKELY(!tells_address(in)))
		return false;
	r = replay_reel(w, in);
	if (UNLIKELY(!r || r->peeked))
		return false;
	if (LIKELY(trace_get_pattern(&r->stream, replay_site(in), w->mask, p)))
		return true;
	replay_bad_stream(w, in);
	return false;
}

/* What loads and stores do. */
static inline bool take_quickly(struct warp *w, const struct inst *in,
				uint32_t bytes)
{
	struct trace_pattern p;

	if (UNLIKELY(!take_pattern(w, in, &p)))
		return !(w->event & EVENT_FAULT) &&
		       take(w, in, in, replay_site(in), bytes, w->addr);
	trace_spread_out(&p, w->addr);
	fill_inactive(w->addr, w->mask);
	return sound(w, in, w->addr, bytes);
}

bool replay_peek(struct warp *w, const struct inst *in, uint64_t addr[LANES])
{
	const struct tape_site *s = site_of(w, in);

	if (s->kind != TAPE_ASYNC && !tells_address(in)) {
		mem_addresses(w, in, addr);
		return true;
	}
	if (!replay_ahead(w, in, s->site, addr))
		return false;
	fill_inactive(addr, w->mask);
	return sound(w, in, addr, 1);
}

void replay_load(struct warp *w, const struct inst *in)
{
	if (!take_quickly(w, in, (uint32_t)in->width * in->count))
		return;
	if (UNLIKELY(in->m & MEM_STRONG))
		w->syncs++;
}

/* As exec_ld32_shared tells timing when the words are near each other. */
void replay_load_shared(struct warp *w, const struct inst *in)
{
	struct view *v = warp_view(w);
	struct trace_pattern p;

	if (UNLIKELY(!v || w->mask != 0xffffffffu || in->d == SLOT_NONE ||
		     !take_pattern(w, in, &p))) {
		if (!(w->event & EVENT_FAULT))
			replay_load(w, in);
		return;
	}
	v->near = p.spread < v->near_bytes;
	if (v->near)
		return;
	trace_spread_out(&p, w->addr);
	(void)sound(w, in, w->addr, in->width);
}

void replay_store(struct warp *w, const struct inst *in)
{
	(void)take_quickly(w, in, (uint32_t)in->width * in->count);
}

/* An atomic under way whose lanes have all been performed already. */
static void start_atomic(struct warp *w, const struct inst *in, uint32_t lanes,
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
	if (!take_access(w, in, in->width))
		return;
	w->syncs++;
	start_atomic(w, in, mem_global(w, in), in->width);
}

void replay_atom_vec(struct warp *w, const struct inst *in)
{
	uint32_t bytes = (uint32_t)in->width * in->count;

	if (take_access(w, in, bytes))
		start_atomic(w, in, w->mask, bytes);
}

enum { MBAR_BYTES = 8 };

static char *shared_at(const struct block *b, const struct inst *in,
		       uint64_t addr, uint32_t bytes)
{
	if (in->space == SPACE_GENERIC) {
		if (window_of(addr) != SPACE_SHARED)
			return NULL;
		addr -= WINDOW_SHARED;
	}
	if (addr % bytes || addr > b->shared_bytes ||
	    b->shared_bytes - addr < bytes)
		return NULL;
	return b->shared + addr;
}

bool replay_shared(struct warp *w, const struct inst *in, uint64_t *host[LANES])
{
	for (int l = 0; l < LANES; l++) {
		host[l] = (uint64_t *)(void *)shared_at(w->block, in,
							w->addr[l], MBAR_BYTES);
		if (!host[l]) {
			replay_misfit(w, in,
				      "a barrier outside of shared memory");
			return false;
		}
	}
	return true;
}

/* The address, and the operand for the executor that reads it. */
static bool take_mbar(struct warp *w, const struct inst *in,
		      const struct tape_site *s)
{
	uint64_t v[LANES];

	if (!take_access(w, in, MBAR_BYTES))
		return false;
	if (!(s->told & TOLD_OPERAND))
		return true;
	if (!replay_lanes(w, in, s->site + NEXT_SITE, v))
		return false;
	put_any(w, in->b, mbar_bytes(in), v);
	return true;
}

void replay_mbar(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);

	if (take_mbar(w, in, s))
		s->plain(w, in);
}

static void end_test(struct warp *w, const struct inst *in, uint32_t done)
{
	w->syncs++;
	pred_put(w, in->d, done);
	if (done != w->mask)
		w->event |= EVENT_YIELD;
}

/* Of a loop that only waits: the lanes that were done in the end are done when
 * their barriers are, which are as the replay has them. */
static void replay_spin(struct warp *w, const struct inst *in,
			const struct tape_site *s)
{
	struct replay_block *b = w->block->tape;
	struct reel *r = replay_reel(w, in);
	uint64_t *at[LANES];

	if (!r)
		return;
	if (!r->waits) {
		if (!take_mbar(w, in, s) ||
		    !replay_mask(w, in, s->site, &r->done))
			return;
		memcpy(r->ahead, w->addr, sizeof(r->ahead));
	}
	memcpy(w->addr, r->ahead, sizeof(r->ahead));
	if (!replay_shared(w, in, at))
		return;
	r->waits = (r->done & ~mbar_done(w, in, at)) != 0;
	if (r->waits)
		b->most += SPIN_MOST;
	end_test(w, in, r->waits ? 0 : r->done);
}

void replay_mbar_test(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	uint32_t done;

	if (s->told & TOLD_SPIN)
		replay_spin(w, in, s);
	else if (take_mbar(w, in, s) && replay_mask(w, in, s->site, &done))
		end_test(w, in, done);
}

void replay_async(struct warp *w, const struct inst *in)
{
	struct replay_block *b = w->block->tape;
	const struct tape_site *s = site_of(w, in);
	struct inst source = mem_async_source(in);
	struct view *v = warp_view(w);

	if (!take(w, in, &source, s->site, in->width, b->source) ||
	    !replay_mask(w, in, s->site, &b->source_mask) ||
	    !take(w, in, in, s->site + NEXT_SITE, in->width, w->addr) || !v)
		return;
	v->source_mask = b->source_mask;
	memcpy(v->source, b->source, sizeof(v->source));
}

/* The facts of a bulk copy, by lane. */
struct bulk_facts {
	uint64_t size[LANES], global[LANES], shared[LANES], keep[LANES];
	uint64_t barrier[LANES];
};

static bool take_bulk(struct warp *w, const struct inst *in,
		      struct bulk_facts *f)
{
	const uint32_t site = site_of(w, in)->site;

	if (!replay_lanes(w, in, site, f->size) ||
	    !replay_lanes(w, in, site + NEXT_SITE, f->global) ||
	    !replay_lanes(w, in, site + 2 * NEXT_SITE, f->shared))
		return false;
	if (in->op == PTX_OP_BULK_LOAD &&
	    !replay_lanes(w, in, site + 3 * NEXT_SITE, f->barrier))
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

	if (v)
		v->bulk_count = 0;
	if (!take_bulk(w, in, &f))
		return;
	for (uint32_t left = w->mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint32_t size = (uint32_t)f.size[l];
		struct bulk b = { .address = f.global[l],
				  .offset = (uint32_t)f.shared[l],
				  .bytes = size / BULK_CHUNK * BULK_CHUNK,
				  .keep = (uint16_t)f.keep[l],
				  .store = in->op == PTX_OP_BULK_STORE };

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
			v->bulk[v->bulk_count++] = b;
		else
			bulk_land(&b);
	}
}

enum { ROW_BYTES = 16 };

void replay_rows(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	unsigned rows = 8u * x->count[0];

	if (!warp_converge(w, 0xffffffffu))
		return;
	w->splits[w->current].needs = 0;
	if (!w->mask || !take_access(w, in, ROW_BYTES))
		return;
	for (unsigned l = rows; l < LANES; l++)
		w->addr[l] = w->addr[l % rows];
}

void replay_matrix(struct warp *w, const struct inst *in)
{
	uint64_t stride, base;
	uint32_t align;

	if (!warp_converge(w, 0xffffffffu))
		return;
	w->splits[w->current].needs = 0;
	if (!w->mask || !take_access(w, in, 1) ||
	    !replay_value(w, in, site_of(w, in)->site, &stride))
		return;
	base = w->addr[__builtin_ctz(w->mask)];
	align = wmma_lines(w, in, base, stride, w->addr);
	(void)sound(w, in, w->addr, align);
}

void replay_surface(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	const uint32_t site = site_of(w, in)->site;
	const uint32_t bytes = ptx_types[x->op->type[0]].bytes;
	uint32_t lanes;

	if (!replay_mask(w, in, site, &lanes) ||
	    !replay_lanes(w, in, site, w->addr))
		return;
	fill_inactive(w->addr, w->mask);
	if (!sound(w, in, w->addr, bytes))
		return;
	if (in->op == PTX_OP_SURED_B)
		start_atomic(w, in, lanes, bytes);
}

/* ---- for who watches ---- */

static struct waccess *add(struct winst *wi, const struct warp *w,
			   enum space space, uint32_t bytes, bool write)
{
	struct waccess *a = &wi->access[wi->accesses++];

	a->space = space;
	a->bytes = bytes;
	a->write = write;
	a->mask = w->mask;
	memcpy(a->addr, w->addr, sizeof(a->addr));
	return a;
}

static void add_async(struct winst *wi, const struct warp *w,
		      const struct inst *in)
{
	const struct replay_block *b = w->block->tape;
	struct waccess *a = add(wi, w, SPACE_GLOBAL, in->width, false);

	a->mask = b->source_mask;
	memcpy(a->addr, b->source, sizeof(a->addr));
	add(wi, w, SPACE_SHARED, in->width, true);
}

void replay_accesses(struct winst *wi, struct warp *w, const struct inst *in)
{
	enum space space = (enum space)in->space;
	uint32_t bytes = (uint32_t)in->width * (in->count ? in->count : 1);

	wi->accesses = 0;
	if (!w->mask)
		return;
	switch ((enum tape_kind)wi->code->sites[in - wi->code->insts].kind) {
	case TAPE_LOAD:
	case TAPE_LOAD_SHARED:
	case TAPE_STORE:
	case TAPE_ATOM:
	case TAPE_ATOM_VEC:
		winst_settle(add(wi, w, space, bytes,
				 exec_table[in->op] != exec_ld));
		break;
	case TAPE_ASYNC:
		add_async(wi, w, in);
		break;
	case TAPE_ROWS: {
		const struct opnd_lists *x = in->x;
		struct waccess *a = add(wi, w, space, ROW_BYTES,
					exec_table[in->op] == exec_stmatrix);

		a->mask &= winst_rows(x->count[0]);
		winst_settle(a);
		break;
	}
	default:
		break;
	}
}
