/*
 * Executors of a replay, other than those of memory: they take from the trace
 * what values have decided, and compute nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "simt/service.h"
#include "simt/view.h"

/* ---- facts ---- */

void replay_misfit(struct warp *w, const struct inst *in, const char *why)
{
	const struct replaying *r =
		(const struct replaying *)w->block->launch->deck;

	warp_fault(w, in, FAULT_TRACE, w->mask ? w->mask : w->active, 0,
		   "launch %u, block %llu, warp %u: %s", r->launch,
		   (unsigned long long)w->block->index, w->id, why);
}

void replay_no_reel(struct warp *w, const struct inst *in)
{
	const struct replay_block *b = w->block->tape;

	replay_misfit(w, in,
		      b && w->steps > b->most ?
			      "more instructions than were recorded" :
			      "nothing was recorded of these lanes");
}

void replay_bad_stream(struct warp *w, const struct inst *in)
{
	replay_misfit(w, in, "the recorded facts are at their end, or damaged");
}

static bool bad_stream(struct warp *w, const struct inst *in)
{
	replay_bad_stream(w, in);
	return false;
}

bool replay_lanes(struct warp *w, const struct inst *in, uint32_t site,
		  uint64_t out[LANES])
{
	struct reel *r = replay_reel(w, in);

	if (UNLIKELY(!r))
		return false;
	if (UNLIKELY(r->peeked)) {
		r->peeked = false;
		memcpy(out, r->ahead, sizeof(r->ahead));
		return true;
	}
	return LIKELY(trace_get_lanes(&r->stream, site, w->mask, out)) ||
	       bad_stream(w, in);
}

bool replay_ahead(struct warp *w, const struct inst *in, uint32_t site,
		  uint64_t out[LANES])
{
	struct reel *r = replay_reel(w, in);

	if (!r)
		return false;
	if (!r->peeked && !r->waits &&
	    !trace_get_lanes(&r->stream, site, w->mask, r->ahead))
		return bad_stream(w, in);
	r->peeked |= !r->waits;
	memcpy(out, r->ahead, sizeof(r->ahead));
	return true;
}

bool replay_value(struct warp *w, const struct inst *in, uint32_t site,
		  uint64_t *out)
{
	struct reel *r = replay_reel(w, in);

	return r &&
	       (trace_get_value(&r->stream, site, out) || bad_stream(w, in));
}

bool replay_mask(struct warp *w, const struct inst *in, uint32_t site,
		 uint32_t *out)
{
	struct reel *r = replay_reel(w, in);

	return LIKELY(r != NULL) &&
	       (LIKELY(trace_get_mask(&r->stream, site, w->mask, out)) ||
		bad_stream(w, in));
}

/* ---- executors ---- */

static bool take_predicate(struct warp *w, const struct inst *in, uint32_t site,
			   slot_t to)
{
	uint32_t bits;

	if (!replay_mask(w, in, site, &bits))
		return false;
	pred_put(w, to, bits);
	return true;
}

static void replay_pred(struct warp *w, const struct inst *in)
{
	uint32_t site = replay_site(in);

	if (in->k & 1 && !take_predicate(w, in, site++, in->d))
		return;
	if (in->k & 2)
		(void)take_predicate(w, in, site, in->d2);
}

/* A register that steers, for the executor that reads it. */
static bool take_operand(struct warp *w, const struct inst *in, uint32_t site,
			 slot_t to, unsigned bytes)
{
	uint64_t v[LANES];

	if (!replay_lanes(w, in, site, v))
		return false;
	put_any(w, to, bytes, v);
	return true;
}

static void replay_steer(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	uint32_t site = s->site;

	for (int i = 0; i < 2; i++)
		if (s->told >> i & 1 &&
		    !take_operand(w, in, site++, tape_steer_slot(in, i),
				  tape_steer_bytes(in, i)))
			return;
	s->plain(w, in);
}

/* As record_sync: who waits and is woken has named its members before. */
static void replay_sync(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	slot_t members = tape_members(in);
	uint64_t before = w->steps;
	uint32_t site = s->site;

	if (s->told & 1) {
		if (!w->splits[w->current].needs &&
		    !take_operand(w, in, site, members, 4))
			return;
		site++;
	}
	if (s->plain == exec_vote || s->plain == exec_elect)
		s->plain(w, in);
	else
		warp_by_members(w, in, members, exec_nop);
	if (w->steps < before)
		return;
	w->splits[w->current].needs = 0;
	if (s->told & 2)
		(void)take_predicate(w, in, site, in->d2);
}

static void replay_converge(struct warp *w, const struct inst *in)
{
	(void)in;
	if (warp_converge(w, 0xffffffffu))
		w->splits[w->current].needs = 0;
}

static void replay_clock(struct warp *w, const struct inst *in)
{
	(void)in;
	w->syncs++;
}

/* Nothing is printed and nothing allocated, but malloc takes its time. */
static void replay_service(struct warp *w, const struct inst *in)
{
	const struct call_info *call = in->x;
	struct view *v = warp_view(w);

	if (v)
		v->asked = call->service->heap;
	if (!call->service->returns)
		warp_fault(w, in, FAULT_ASSERT, w->mask, 0,
			   "an assertion failed");
}

exec_fn *const replay_fn[TAPE_KINDS] = {
	[TAPE_COMPUTE] = exec_nop,
	[TAPE_PRED] = replay_pred,
	[TAPE_STEER] = replay_steer,
	[TAPE_SLEEP] = replay_steer,
	[TAPE_SYNC] = replay_sync,
	[TAPE_CONVERGE] = replay_converge,
	[TAPE_CLOCK] = replay_clock,
	[TAPE_SERVICE] = replay_service,
	[TAPE_LOAD] = replay_load,
	[TAPE_LOAD_SHARED] = replay_load_shared,
	[TAPE_STORE] = replay_store,
	[TAPE_ATOM] = replay_atom,
	[TAPE_ATOM_VEC] = replay_atom_vec,
	[TAPE_MBAR] = replay_mbar,
	[TAPE_MBAR_TEST] = replay_mbar_test,
	[TAPE_ASYNC] = replay_async,
	[TAPE_BULK] = replay_bulk,
	[TAPE_ROWS] = replay_rows,
	[TAPE_MATRIX] = replay_matrix,
	[TAPE_SURFACE] = replay_surface,
};

/* ---- blocks ---- */

static bool make_room(struct replay_block *t, uint32_t reels)
{
	struct reel *more;

	if (reels <= t->room)
		return true;
	/* What was there is not needed any more. */
	more = aligned_alloc(_Alignof(struct reel), reels * sizeof(*more));
	if (!more)
		return false;
	free(t->more);
	t->more = more;
	t->room = reels;
	return true;
}

static struct replay_block *tape_of(struct block *b)
{
	struct replay_block *t = b->tape;
	size_t index = b->warp_count * LANES * sizeof(t->index[0]);

	if (t)
		return t;
	t = calloc(1, sizeof(*t) + index);
	if (!t)
		return NULL;
	t->warps = b->warp_count;
	t->first = (struct reel *)(void *)b->tape_room;
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

/* Streams by warp and lane. The file may say anything. */
static bool wind(struct replay_block *t)
{
	const struct trace_block *from = &t->view.block;
	uint32_t more = 0, last = UINT32_MAX;

	memset(t->index, 0, t->warps * LANES * sizeof(t->index[0]));
	t->most = from->warp_instructions;
	if (!streams_fit(from, t->warps))
		return false;
	for (uint32_t i = 0; i < from->stream_count; i++) {
		more += from->streams[i].warp == last;
		last = from->streams[i].warp;
	}
	if (!make_room(t, more))
		return false;
	more = 0;
	last = UINT32_MAX;
	for (uint32_t i = 0; i < from->stream_count; i++) {
		const struct trace_stream *s = &from->streams[i];
		uint16_t *at = &t->index[s->warp * LANES + s->lane];
		struct reel *r;

		*at = (uint16_t)(s->warp == last ? 1 + t->warps + more++ :
						   1 + s->warp);
		last = s->warp;
		r = reel_at(t, *at);
		trace_read_start(&r->stream, s->bytes, s->size);
		r->peeked = r->waits = false;
	}
	return true;
}

static void replay_start(struct deck *deck, struct block *b)
{
	struct replaying *r = (struct replaying *)deck;
	struct replay_block *t = tape_of(b);
	struct warp *w = &b->warps[0];
	struct diag d;

	if (!t) {
		replay_misfit(w, NULL, "no memory for the facts of a block");
		return;
	}
	t->open =
		!trace_block_read(r->trace, r->launch, b->index, &t->view, &d);
	t->wound = false;
	if (!t->open)
		replay_misfit(w, NULL, d.text);
	else if (wind(t))
		t->wound = true;
	else
		replay_misfit(w, NULL, "streams of other warps than it has");
}

/* A block that did less than was recorded has not done the same. */
static void check_end(struct block *b, const struct replay_block *t)
{
	for (uint32_t i = 0; i < t->warps * LANES; i++) {
		const struct reel *r;

		if (!t->index[i])
			continue;
		r = reel_at(t, t->index[i]);
		if (r->peeked || r->waits || !trace_read_done(&r->stream)) {
			replay_misfit(&b->warps[0], NULL,
				      "fewer facts were needed than recorded");
			return;
		}
	}
}

static void replay_end(struct deck *deck, struct block *b, bool done)
{
	struct replaying *r = (struct replaying *)deck;
	struct replay_block *t = b->tape;

	if (!t || !t->open)
		return;
	if (done && t->wound)
		check_end(b, t);
	trace_block_drop(r->trace, &t->view);
	t->open = false;
}

static void replay_drop(struct block *b)
{
	struct replay_block *t = b->tape;

	free(t->more);
	free(t);
	b->tape = NULL;
}

void replaying_start(struct replaying *r, struct trace *t, uint32_t launch)
{
	*r = (struct replaying){ .deck = { .start = replay_start,
					   .end = replay_end,
					   .drop = replay_drop,
					   .warp_bytes = sizeof(struct reel),
					   .replays = true },
				 .trace = t,
				 .launch = launch };
}
