/*
 * Executors of a replay, except those of memory: they read the facts from the
 * trace and compute nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "replay/wave_tape.h"
#include "simt/exchange.h"
#include "simt/service.h"
#include "simt/view.h"

/* ---- facts ---- */

void replay_misfit(struct warp *w, const struct inst *in, const char *why)
{
	const struct replaying *r =
		(const struct replaying *)w->block->launch->hooks;

	warp_fault(w, in, FAULT_TRACE, w->mask ? w->mask : w->active, 0,
		   "launch %u, block %llu, warp %u: %s", r->launch,
		   (unsigned long long)w->block->index, w->id, why);
}

void replay_no_stream(struct warp *w, const struct inst *in)
{
	const struct replay_block *b = w->block->tape;

	replay_misfit(w, in,
		      b && w->steps > b->max ?
			      "more instructions than were recorded" :
			      "nothing was recorded of these lanes");
}

void replay_bad_stream(struct warp *w, const struct inst *in)
{
	replay_misfit(w, in, "the recorded facts have ended or are damaged");
}

static bool bad_stream(struct warp *w, const struct inst *in)
{
	replay_bad_stream(w, in);
	return false;
}

bool replay_lanes(struct warp *w, const struct inst *in, uint32_t site,
		  uint64_t out[LANES])
{
	struct replay_stream *r = replay_stream_of(w, in);

	if (UNLIKELY(!r))
		return false;
	if (UNLIKELY(r->peeked)) {
		r->peeked = false;
		memcpy(out, r->ahead, sizeof(r->ahead));
		return true;
	}
	return LIKELY(trace_get_lanes(&r->stream, site, (uint32_t)w->mask,
				      out)) ||
	       bad_stream(w, in);
}

bool replay_ahead(struct warp *w, const struct inst *in, uint32_t site,
		  uint64_t out[LANES])
{
	struct replay_stream *r = replay_stream_of(w, in);

	if (!r)
		return false;
	if (!r->peeked && !r->waits &&
	    !trace_get_lanes(&r->stream, site, (uint32_t)w->mask, r->ahead))
		return bad_stream(w, in);
	r->peeked |= !r->waits;
	memcpy(out, r->ahead, sizeof(r->ahead));
	return true;
}

bool replay_value(struct warp *w, const struct inst *in, uint32_t site,
		  uint64_t *out)
{
	struct replay_stream *r = replay_stream_of(w, in);

	return r &&
	       (trace_get_value(&r->stream, site, out) || bad_stream(w, in));
}

bool replay_mask(struct warp *w, const struct inst *in, uint32_t site,
		 lanes_t *out)
{
	struct replay_stream *r = replay_stream_of(w, in);
	uint32_t bits;

	if (UNLIKELY(!r))
		return false;
	if (UNLIKELY(!trace_get_mask(&r->stream, site, (uint32_t)w->mask,
				     &bits)))
		return bad_stream(w, in);
	*out = bits;
	return true;
}

/* ---- groups ---- */

/* The room for the facts of a group in stream r. */
static struct replay_fact *group_room(const struct warp *w,
				      const struct replay_stream *r)
{
	struct replay_block *b = w->block->tape;
	uint32_t at = r >= b->first && r < b->first + b->warps ?
			      (uint32_t)(r - b->first) :
			      b->warps + (uint32_t)(r - b->more);

	if (!b->facts[at])
		b->facts[at] = calloc(w->block->launch->program->group_facts,
				      sizeof(*b->facts[at]));
	return b->facts[at];
}

static bool read_lanes_fact(struct replay_stream *r, uint32_t site,
			    lanes_t mask, struct replay_fact *out)
{
	struct trace_pattern p;

	if (!trace_get_pattern(&r->stream, site, (uint32_t)mask, &p))
		return false;
	trace_spread_out(&p, out->lanes.offset);
	out->spread = p.spread;
	return true;
}

/* The lanes in which a predicate is true, by the facts before the one that it
 * guards. */
static lanes_t guard_lanes(const struct warp *w, const struct tape_group *g,
			   const struct tape_guard *t,
			   const struct replay_fact *facts)
{
	lanes_t v, other = 0;

	switch ((enum tape_guard_kind)t->kind) {
	case GUARD_FACT:
		v = facts[g->sites[t->at].turn + t->fact].mask;
		return t->negated ? ~v : v;
	case GUARD_REG:
		v = pred_get(w, t->reg);
		return t->negated ? ~v : v;
	case GUARD_SAME:
		v = guard_lanes(w, g, t->source[0], facts);
		return t->negated ? ~v : v;
	default:
		break;
	}
	v = guard_lanes(w, g, t->source[0], facts);
	other = guard_lanes(w, g, t->source[1], facts);
	v = t->kind == GUARD_AND ? v & other :
	    t->kind == GUARD_OR  ? v | other :
				   v ^ other;
	return t->negated ? ~v : v;
}

/* Reads a fact of the lanes from their stream. */
static bool read_fact(struct warp *w, const struct inst *in,
		      struct replay_stream *r, const struct tape_group *g,
		      uint32_t i, lanes_t lanes, struct replay_fact *to)
{
	bool good = g->mask[i] ? trace_get_mask(&r->stream, g->site[i],
						(uint32_t)lanes, &to->mask) :
				 read_lanes_fact(r, g->site[i], lanes, to);

	return good || bad_stream(w, in);
}

/* Reads the first `count` facts of a group. */
static bool read_facts(struct warp *w, const struct inst *in,
		       struct replay_stream *r, const struct tape_group *g,
		       uint32_t count, struct replay_fact *to)
{
	for (uint32_t i = 0; i < count; i++) {
		struct replay_stream *from = r;
		lanes_t lanes = w->active;

		if (g->guard && g->guard[i]) {
			lanes &= guard_lanes(w, g, g->guard[i], to);
			memset(&to[i], 0, sizeof(to[i]));
			if (!lanes)
				continue;
			from = replay_stream_of_lanes(w, in, lanes);
		}
		if (!from || !read_fact(w, in, from, g, i, lanes, &to[i]))
			return false;
	}
	return true;
}

/* Begins to use the facts of a group. Those of an iteration may have been
 * read. */
static bool use_group(struct warp *w, const struct inst *in,
		      struct replay_stream *r, const struct tape_group *g,
		      struct replay_fact *facts)
{
	if (!r->have && !read_facts(w, in, r, g, g->count, facts))
		return false;
	r->group = g;
	r->left = g->count;
	return true;
}

static void leave_group(struct replay_stream *r)
{
	if (r->have)
		r->used += r->group->count;
	if (r->used == r->have)
		r->used = r->have = 0;
	r->group = NULL;
}

/* Whether all lanes go on after the iteration whose facts were read last. */
static bool iterates(const struct warp *w, const struct inst *in,
		     const struct tape_site *s, const struct replay_fact *last)
{
	lanes_t p = last[s->turn].mask;

	return !((in->count ? ~p : p) & w->mask);
}

static void replay_unrolled(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	struct replay_stream *r = replay_stream_of(w, in);
	struct replay_fact *facts = r ? group_room(w, r) : NULL;
	uint32_t all = s->group->count, one = all / in->k;

	if (!facts) {
		if (r)
			replay_misfit(w, in, "no memory for the facts");
		return;
	}
	memmove(facts, facts + r->used, (r->have - r->used) * sizeof(*facts));
	r->have -= r->used;
	r->used = 0;
	while (r->have < all &&
	       (!r->have || iterates(w, in, s, facts + r->have - one))) {
		if (!read_facts(w, in, r, s->group, one, facts + r->have))
			return;
		r->have += one;
	}
	if (r->have < all)
		w->pc = (uint32_t)in->offset;
}

const struct replay_fact *replay_group_fact(struct warp *w,
					    const struct inst *in,
					    uint32_t site, bool use)
{
	const struct tape_site *s = site_of(w, in);
	struct replay_stream *r = replay_stream_of(w, in);
	struct replay_fact *facts = r ? group_room(w, r) : NULL;

	if (!facts) {
		if (r)
			replay_misfit(w, in, "no memory for the facts");
		return NULL;
	}
	if (r->group && r->group != s->group) {
		replay_misfit(w, in, "facts were left over");
		return NULL;
	}
	if (!r->group && !use_group(w, in, r, s->group, facts))
		return NULL;
	facts += r->used + s->turn + (site - s->site);
	if (use && !--r->left && !s->group->guard)
		leave_group(r);
	return facts;
}

/* Behind a group of which some facts may be missing. */
static void replay_facts_end(struct warp *w, const struct inst *in)
{
	const struct tape_group *g = site_of(w, in)->group;
	struct replay_stream *r = g && g->guard ? replay_stream_of(w, in) :
						  NULL;

	if (r && r->have)
		r->group = g;
	if (r && r->group)
		leave_group(r);
}

/* ---- executors ---- */

static bool read_plain_predicate(struct warp *w, const struct inst *in,
				 uint32_t site, slot_t to)
{
	lanes_t bits;

	if (!replay_mask(w, in, site, &bits))
		return false;
	pred_put(w, to, bits);
	return true;
}

static bool read_predicate(struct warp *w, const struct inst *in, uint32_t site,
			   slot_t to)
{
	const struct replay_fact *f;

	if (LIKELY(!is_grouped(in)))
		return read_plain_predicate(w, in, site, to);
	f = replay_group_fact(w, in, site, true);
	if (f)
		pred_put(w, to, f->mask);
	return f;
}

/* Predicates of the warp as a whole. */
static void replay_whole_pred(struct warp *w, const struct inst *in)
{
	const slot_t to[] = { in->d, in->d2 };
	uint32_t site = replay_site(in);

	for (int i = 0; i < 2; i++) {
		lanes_t bits;
		pred_t all;

		if (!(in->k >> i & 1))
			continue;
		if (!replay_mask(w, in, site++, &bits))
			return;
		all = bits & w->mask ? ~(pred_t)0 : 0;
		memcpy(slot_at(w, to[i]), &all, sizeof(all));
	}
}

static void replay_pred(struct warp *w, const struct inst *in)
{
	uint32_t site = replay_site(in);

	if (UNLIKELY(in->k & REPLAY_WHOLE)) {
		replay_whole_pred(w, in);
		return;
	}
	if (in->k & 1 && !read_predicate(w, in, site++, in->d))
		return;
	if (in->k & 2)
		(void)read_predicate(w, in, site, in->d2);
}

/* Puts a recorded operand into its register, for the executor that reads it. */
static bool read_operand(struct warp *w, const struct inst *in, uint32_t site,
			 slot_t to, unsigned bytes)
{
	uint64_t v[LANES];

	if (!replay_lanes(w, in, site, v))
		return false;
	put_any(w, to, bytes, v);
	return true;
}

/* The same of a word that is one for all lanes. */
static bool read_whole_operand(struct warp *w, const struct inst *in,
			       uint32_t site, slot_t to)
{
	uint32_t *lanes = slot_at(w, to);
	uint64_t v[LANES];

	if (!replay_lanes(w, in, site, v))
		return false;
	for (int l = 0; l < LANES; l++)
		lanes[l] = (uint32_t)v[lanes_first(w->mask)];
	return true;
}

static void replay_steer(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	uint32_t site = s->site;

	for (int i = 0; i < 2; i++)
		if (s->recorded >> i & 1 &&
		    !(s->whole ?
			      read_whole_operand(w, in, site++, s->operand[i]) :
			      read_operand(w, in, site++, s->operand[i],
					   s->operand_bytes[i])))
			return;
	s->plain(w, in);
}

/* Like record_sync: lanes that have waited have read their members already. */
static void replay_sync(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	slot_t members = s->operand[0];
	uint64_t before = w->steps;
	uint32_t site = s->site;

	if (s->recorded & 1) {
		if (!w->splits[w->current].needs &&
		    !read_operand(w, in, site, members, 4))
			return;
		site++;
	}
	if (s->follows)
		s->plain(w, in);
	else
		warp_by_members(w, in, members, warp_nop);
	if (w->steps < before)
		return;
	w->splits[w->current].needs = 0;
	if (s->recorded & 2)
		(void)read_plain_predicate(w, in, site, in->d2);
}

static void replay_converge(struct warp *w, const struct inst *in)
{
	(void)in;
	if (warp_converge(w, LANES_ALL))
		w->splits[w->current].needs = 0;
}

static void replay_clock(struct warp *w, const struct inst *in)
{
	(void)in;
	w->syncs++;
}

static void replay_service(struct warp *w, const struct inst *in)
{
	const struct call_info *call = in->x;

	service_replay(w, in, call->service);
}

/* block_hooks.sizes */
static bool replay_sizes(struct warp *w, const struct inst *in,
			 uint64_t bytes[LANES])
{
	uint64_t found[LANES];

	memset(bytes, 0, sizeof(found));
	if (w->block->launch->program->no_sizes) {
		if (w->effect->takes_sizes)
			replay_misfit(
				w, in,
				"format versions 1 and 2 of traces have no "
				"sizes of what malloc allocates: record it "
				"again, or replay it with "
				"system.malloc_cycles = 0");
		return !w->effect->takes_sizes;
	}
	if (!replay_lanes(w, in, site_of(w, in)->site + SIZES_SITE, found))
		return false;
	for (lanes_t left = w->mask; left; left &= left - 1)
		bytes[lanes_first(left)] = found[lanes_first(left)];
	return true;
}

exec_fn *const replay_fn[REPLAY_KINDS] = {
	[REPLAY_COMPUTE] = warp_nop,
	[REPLAY_PRED] = replay_pred,
	[REPLAY_STEER] = replay_steer,
	[REPLAY_SLEEP] = replay_steer,
	[REPLAY_SYNC] = replay_sync,
	[REPLAY_CONVERGE] = replay_converge,
	[REPLAY_UNROLLED] = replay_unrolled,
	[REPLAY_END] = replay_facts_end,
	[REPLAY_CLOCK] = replay_clock,
	[REPLAY_SERVICE] = replay_service,
	[REPLAY_LOAD] = replay_load,
	[REPLAY_LOAD_SHARED] = replay_load_shared,
	[REPLAY_STORE] = replay_store,
	[REPLAY_ATOM] = replay_atom,
	[REPLAY_ATOM_VEC] = replay_atom_vec,
	[REPLAY_MBAR] = replay_mbar,
	[REPLAY_MBAR_TEST] = replay_mbar_test,
	[REPLAY_ASYNC] = replay_async,
	[REPLAY_BULK] = replay_bulk,
	[REPLAY_ROWS] = replay_rows,
	[REPLAY_MATRIX] = replay_matrix,
	[REPLAY_SURFACE] = replay_surface,
	[REPLAY_SURFACE_RED] = replay_surface_red,
	[REPLAY_TEXELS] = replay_texels,
	[REPLAY_NO_TEXELS] = replay_no_texels,
};

/* ---- blocks ---- */

static bool replay_make_room(struct replay_block *t, uint32_t streams)
{
	struct replay_stream *more;

	if (streams <= t->room)
		return true;
	/* The old streams are not needed any more. */
	more = aligned_alloc(_Alignof(struct replay_stream),
			     streams * sizeof(*more));
	if (!more)
		return false;
	free(t->more);
	t->more = more;
	t->room = streams;
	return true;
}

static struct replay_block *replay_block_of(struct block *b)
{
	struct replay_block *t = b->tape;
	size_t index = b->warp_count * LANES * sizeof(t->index[0]);

	if (t)
		return t;
	t = calloc(1, sizeof(*t) + index);
	if (!t)
		return NULL;
	t->warps = b->warp_count;
	t->first = (struct replay_stream *)(void *)b->tape_room;
	b->tape = t;
	return t;
}

static bool streams_fit(const struct trace_block *from, uint32_t warps)
{
	if (from->stream_count > warps * LANES)
		return false;
	for (uint32_t i = 0; i < from->stream_count; i++)
		if (from->streams[i].warp >= warps ||
		    from->streams[i].lane >= LANES)
			return false;
	return true;
}

static bool make_facts_room(struct replay_block *t, uint32_t more)
{
	uint32_t n = t->warps + more;
	struct replay_fact **facts;

	if (n <= t->facts_room)
		return true;
	facts = realloc(t->facts, n * sizeof(*facts));
	if (!facts)
		return false;
	memset(facts + t->facts_room, 0, (n - t->facts_room) * sizeof(*facts));
	t->facts = facts;
	t->facts_room = n;
	return true;
}

/* Fills in the index of streams by warp and lane. The file may be damaged. */
static bool index_streams(struct replay_block *t)
{
	const struct trace_block *from = &t->view.block;
	uint32_t more = 0, last = UINT32_MAX;

	memset(t->index, 0, t->warps * LANES * sizeof(t->index[0]));
	t->max = from->warp_instructions;
	if (!streams_fit(from, t->warps))
		return false;
	for (uint32_t i = 0; i < from->stream_count; i++) {
		more += from->streams[i].warp == last;
		last = from->streams[i].warp;
	}
	if (!replay_make_room(t, more))
		return false;
	more = 0;
	last = UINT32_MAX;
	for (uint32_t i = 0; i < from->stream_count; i++) {
		const struct trace_stream *s = &from->streams[i];
		uint16_t *at = &t->index[s->warp * LANES + s->lane];
		struct replay_stream *r;

		*at = (uint16_t)(s->warp == last ? 1 + t->warps + more++ :
						   1 + s->warp);
		last = s->warp;
		r = stream_at(t, *at);
		trace_read_start(&r->stream, s->bytes, s->size);
		r->peeked = r->waits = false;
		r->group = NULL;
		r->have = r->used = 0;
	}
	return make_facts_room(t, more);
}

static void replay_start(struct block_hooks *hooks, struct block *b)
{
	struct replaying *r = (struct replaying *)hooks;
	struct replay_block *t = replay_block_of(b);
	struct warp *w = &b->warps[0];
	struct diag d;

	if (!t) {
		replay_misfit(w, NULL, "no memory for the facts of a block");
		return;
	}
	t->open =
		!trace_block_read(r->trace, r->launch, b->index, &t->view, &d);
	t->indexed = false;
	if (!t->open)
		replay_misfit(w, NULL, d.text);
	else if (index_streams(t))
		t->indexed = true;
	else
		replay_misfit(w, NULL,
			      "it has streams of warps that do not exist");
}

/* Checks that the block has used all recorded facts. */
static void check_all_used(struct block *b, const struct replay_block *t)
{
	for (uint32_t i = 0; i < t->warps * LANES; i++) {
		const struct replay_stream *r;

		if (!t->index[i])
			continue;
		r = stream_at(t, t->index[i]);
		if (r->peeked || r->waits || r->group ||
		    !trace_read_done(&r->stream)) {
			replay_misfit(&b->warps[0], NULL,
				      "fewer facts were used than recorded");
			return;
		}
	}
}

static void replay_end(struct block_hooks *hooks, struct block *b, bool done)
{
	struct replaying *r = (struct replaying *)hooks;
	struct replay_block *t = b->tape;

	if (!t || !t->open)
		return;
	if (done && t->indexed)
		check_all_used(b, t);
	trace_block_drop(r->trace, &t->view);
	t->open = false;
}

static void replay_drop(struct block *b)
{
	struct replay_block *t = b->tape;

	for (uint32_t i = 0; i < t->facts_room; i++)
		free(t->facts[i]);
	free(t->facts);
	free(t->more);
	free(t);
	b->tape = NULL;
}

void replaying_start(struct replaying *r, struct trace *t, uint32_t launch)
{
	*r = (struct replaying){ .hooks = { .start = replay_start,
					    .end = replay_end,
					    .drop = replay_drop,
					    .warp_bytes = sizeof(
						    struct replay_stream),
					    .locate_shared = replay_shared,
					    .peek = replay_peek,
					    .sizes = replay_sizes,
					    .start_group = wave_replay_start,
					    .end_group = wave_replay_end,
					    .drop_group = wave_replay_drop,
					    .replays = true },
				 .trace = t,
				 .launch = launch };
}
