/*
 * Executors that record: each records the facts of its instruction, and calls
 * the original executor.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "replay/record.h"
#include "replay/tape_impl.h"
#include "replay/wave_tape.h"
#include "simt/mbarrier.h"
#include "simt/service.h"

/* A fact of a group: a mask, or numbers of the lanes. */
struct record_fact {
	lanes_t lanes; /* that have it */
	uint64_t v[LANES];
};

/* The facts of a group until all of them are known. */
struct record_group {
	uint32_t known;
	struct record_fact fact[];
};

/* A block's streams, [warp * LANES + lane]; made when they are first needed,
 * and reused by the next block in the same memory. */
struct record_block {
	uint32_t count;
	bool failed;                 /* no memory */
	struct record_group **group; /* by stream; made when first needed */
	struct trace_writer_stream *stream[];
};

static void *no_stream(struct record_block *b)
{
	b->failed = true;
	return NULL;
}

/* The stream of lanes that run together; NULL: out of memory. */
static struct trace_writer_stream *stream_of(struct warp *w, lanes_t lanes)
{
	struct record_block *b = w->block->tape;
	uint32_t at = w->id * LANES + lanes_first(lanes);
	struct trace_writer_stream *s;

	if (UNLIKELY(!b))
		return NULL;
	s = b->stream[at];
	if (LIKELY(s != NULL))
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return no_stream(b);
	trace_stream_start(s);
	b->stream[at] = s;
	return s;
}

static void note_dependence(struct warp *w, unsigned on)
{
	recording_note((struct recording *)w->block->launch->hooks, on);
}

static void record_lanes(struct warp *w, uint32_t site, const uint64_t v[LANES])
{
	struct trace_writer_stream *s = stream_of(w, w->active);

	if (LIKELY(s != NULL))
		trace_put_lanes(s, site, (uint32_t)w->mask, v);
}

static void record_mask(struct warp *w, uint32_t site, lanes_t mask)
{
	struct trace_writer_stream *s = stream_of(w, w->active);

	if (LIKELY(s != NULL))
		trace_put_mask(s, site, (uint32_t)w->mask,
			       (uint32_t)(mask & w->mask));
}

static void record_value(struct warp *w, uint32_t site, uint64_t v)
{
	struct trace_writer_stream *s = stream_of(w, w->active);

	if (LIKELY(s != NULL))
		trace_put_value(s, site, v);
}

static struct record_group *group_of(struct warp *w)
{
	struct record_block *b = w->block->tape;
	uint32_t at = w->id * LANES + lanes_first(w->active);
	uint32_t facts = w->block->launch->program->group_facts;
	struct record_group *g;

	if (UNLIKELY(!b))
		return NULL;
	if (!b->group)
		b->group = calloc(b->count, sizeof(struct record_group *));
	if (!b->group)
		return no_stream(b);
	g = b->group[at];
	if (LIKELY(g != NULL))
		return g;
	g = calloc(1, sizeof(*g) + facts * sizeof(g->fact[0]));
	if (!g)
		return no_stream(b);
	b->group[at] = g;
	return g;
}

/* Writes the facts of a group, each to the stream of the lanes that have it: all
 * that run together, or those that had branched off. */
static void write_group(struct warp *w, const struct tape_group *group,
			struct record_group *g)
{
	for (uint32_t i = 0; i < group->count; i++) {
		struct record_fact *f = &g->fact[i];
		bool apart = group->guard && group->guard[i];
		struct trace_writer_stream *s;

		if (!f->lanes)
			continue;
		s = stream_of(w, apart ? f->lanes : w->active);
		if (s && group->mask[i])
			trace_put_mask(s, group->site[i], (uint32_t)f->lanes,
				       (uint32_t)(f->v[0] & f->lanes));
		else if (s)
			trace_put_lanes(s, group->site[i], (uint32_t)f->lanes,
					f->v);
		f->lanes = 0;
	}
	g->known = 0;
}

/* Notes a fact of a group; writes all of them if it was the last. */
static void record_grouped(struct warp *w, const struct tape_group *group,
			   uint32_t turn, const uint64_t v[LANES])
{
	struct record_group *g = group_of(w);

	if (UNLIKELY(!g))
		return;
	memcpy(g->fact[turn].v, v, sizeof(g->fact[turn].v));
	g->fact[turn].lanes = w->mask;
	if (++g->known == group->count && !group->guard)
		write_group(w, group, g);
}

/* Writes what is known of a group of which some facts may be missing. */
static void record_facts_end(struct warp *w, const struct inst *in)
{
	const struct tape_group *group = site_of(w, in)->group;
	struct record_group *g = group && group->guard ? group_of(w) : NULL;

	if (g)
		write_group(w, group, g);
}

static void record_operand(struct warp *w, uint32_t site, slot_t s,
			   unsigned bytes)
{
	uint64_t v[LANES];

	for (int l = 0; l < LANES; l++)
		v[l] = slot_lane(w, s, bytes, l);
	record_lanes(w, site, v);
}

static void record_addresses(struct warp *w, uint32_t site,
			     const struct inst *in)
{
	uint64_t addr[LANES];

	mem_addresses(w, in, addr);
	record_lanes(w, site, addr);
}

static void record_operand_address(struct warp *w, const struct inst *in,
				   const struct tape_site *s)
{
	uint64_t addr[LANES];

	if (!records_address(in))
		return;
	if (LIKELY(!s->group)) {
		record_addresses(w, s->site, in);
		return;
	}
	mem_addresses(w, in, addr);
	record_grouped(w, s->group, s->turn, addr);
}

/* Records the predicates that the instruction has set. */
static void record_predicates(struct warp *w, const struct tape_site *s)
{
	uint32_t n = 0;

	for (int i = 0; i < 2; i++) {
		uint64_t v[LANES] = { 0 };

		if (!(s->recorded >> i & 1))
			continue;
		v[0] = pred_get(w, s->operand[i]);
		if (s->group)
			record_grouped(w, s->group, s->turn + n++, v);
		else
			record_mask(w, s->site + n++, (lanes_t)v[0]);
	}
}

static void record_pred(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);

	s->plain(w, in);
	record_predicates(w, s);
}

static void record_steer(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	uint32_t site = s->site;

	for (int i = 0; i < 2; i++)
		if (s->recorded >> i & 1)
			record_operand(w, site++, s->operand[i],
				       s->operand_bytes[i]);
	w->effect->service = SERVICE_NONE;
	s->plain(w, in);
	if (w->effect->service >= SERVICE_MALLOC)
		note_dependence(w, TRACE_ON_HEAP);
}

static void record_sleep(struct warp *w, const struct inst *in)
{
	note_dependence(w, TRACE_ON_WAITS);
	record_steer(w, in);
}

/* Lanes that wait record their members once, not each time that they are
 * woken. */
static void record_sync(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	uint64_t before = w->steps;
	uint32_t site = s->site;

	if (s->recorded & 1) {
		if (!w->splits[w->current].needs)
			record_operand(w, site, s->operand[0], 4);
		site++;
	}
	s->plain(w, in);
	if (w->steps < before)
		return;
	w->splits[w->current].needs = 0;
	if (s->recorded & 2)
		record_mask(w, site, pred_get(w, in->d2));
}

/* Whether the whole warp is here; if not, it waits. */
static bool converged(struct warp *w)
{
	if (!warp_converge(w, LANES_ALL))
		return false;
	w->splits[w->current].needs = 0;
	return true;
}

static void record_converge(struct warp *w, const struct inst *in)
{
	if (converged(w))
		site_of(w, in)->plain(w, in);
}

static void record_rows(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);

	if (!converged(w))
		return;
	if (w->mask)
		record_operand_address(w, in, s);
	s->plain(w, in);
}

static void record_matrix(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);

	if (!converged(w))
		return;
	if (w->mask) {
		record_operand_address(w, in, s);
		record_value(w, s->site, isa_of_warp(w)->matrix_stride(w, in));
	}
	s->plain(w, in);
}

static void record_clock(struct warp *w, const struct inst *in)
{
	note_dependence(w, TRACE_ON_CLOCK);
	site_of(w, in)->plain(w, in);
}

/* block_hooks.sizes. Behind the sites of operands that a call has. */
static bool record_heap_sizes(struct warp *w, const struct inst *in,
			      uint64_t bytes[LANES])
{
	record_lanes(w, site_of(w, in)->site + SIZES_SITE, bytes);
	return true;
}

static void record_service(struct warp *w, const struct inst *in)
{
	const struct call_info *call = in->x;

	if (service_uses_heap(call->service))
		note_dependence(w, TRACE_ON_HEAP);
	site_of(w, in)->plain(w, in);
}

static void record_access(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);

	record_operand_address(w, in, s);
	s->plain(w, in);
}

static void record_load(struct warp *w, const struct inst *in)
{
	if (in->m & MEM_STRONG)
		note_dependence(w, TRACE_ON_WAITS);
	record_access(w, in);
}

static void record_atom(struct warp *w, const struct inst *in)
{
	if (in->d != SLOT_NONE)
		note_dependence(w, TRACE_ON_ATOMICS);
	record_access(w, in);
}

static void record_atom_vec(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;

	if (x->count[0])
		note_dependence(w, TRACE_ON_ATOMICS);
	record_access(w, in);
}

static void record_mbar_operand(struct warp *w, const struct inst *in,
				const struct tape_site *s)
{
	if (s->recorded & RECORDED_OPERAND)
		record_operand(w, s->site + NEXT_SITE, in->b, mbar_bytes(in));
}

static void record_mbar(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);

	record_operand_address(w, in, s);
	record_mbar_operand(w, in, s);
	s->plain(w, in);
}

/* Of a loop that only waits, only the last iteration is recorded: the number of
 * iterations depends on time, and a replay has its own. */
static void record_mbar_test(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	lanes_t done;

	s->plain(w, in);
	if (w->event & EVENT_FAULT)
		return;
	done = in->d == SLOT_NONE ? (w->event & EVENT_YIELD ? 0 : w->mask) :
				    pred_get(w, in->d) & w->mask;
	if (s->recorded & RECORDED_SPIN && !done)
		return;
	if (done != w->mask)
		note_dependence(w, TRACE_ON_WAITS);
	record_operand_address(w, in, s);
	record_mbar_operand(w, in, s);
	record_mask(w, s->site, done);
}

/* Records where it reads, which lanes do, and where it writes. */
static void record_async(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	struct inst source = mem_async_source(in);

	record_addresses(w, s->site, &source);
	record_mask(w, s->site, mem_async_lanes(w, in));
	if (records_address(in))
		record_addresses(w, s->site + NEXT_SITE, in);
	s->plain(w, in);
}

static void record_bulk(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	const struct bulk_opnds *x = in->x;

	record_operand(w, s->site, in->b, 4);
	record_addresses(w, s->site + NEXT_SITE, &x->global);
	record_addresses(w, s->site + 2 * NEXT_SITE, &x->shared);
	if (!x->store)
		record_addresses(w, s->site + 3 * NEXT_SITE, &x->barrier);
	if (in->c != SLOT_NONE)
		record_operand(w, s->site + 4 * NEXT_SITE, in->c, 2);
	s->plain(w, in);
}

static void record_surface(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	uint64_t addr[LANES];

	s->plain(w, in);
	if (w->event & EVENT_FAULT)
		return;
	record_mask(w, s->site, isa_of_warp(w)->surface_addresses(w, in, addr));
	record_lanes(w, s->site, addr);
}

/* The effect has the texels only for a reader that takes them: here one is. */
static void record_texels(struct warp *w, const struct inst *in)
{
	const struct tape_site *s = site_of(w, in);
	struct effect *e = w->effect;
	bool timed = e->takes_texels;
	uint64_t texel[LANES] = { 0 };

	e->takes_texels = true;
	e->fetched = 0;
	s->plain(w, in);
	e->takes_texels = timed;
	for (lanes_t left = e->fetched; left; left &= left - 1) {
		unsigned l = lanes_first(left);

		texel[l] = texel_fact(e->addr[l], e->bytes);
	}
	if (!timed)
		e->fetched = 0;
	if (w->event & EVENT_FAULT)
		return;
	if (s->group)
		record_grouped(w, s->group, s->turn, texel);
	else
		record_lanes(w, s->site, texel);
}

exec_fn *const record_fn[REPLAY_KINDS] = {
	[REPLAY_PRED] = record_pred,
	[REPLAY_STEER] = record_steer,
	[REPLAY_SLEEP] = record_sleep,
	[REPLAY_SYNC] = record_sync,
	[REPLAY_CONVERGE] = record_converge,
	[REPLAY_END] = record_facts_end,
	[REPLAY_CLOCK] = record_clock,
	[REPLAY_SERVICE] = record_service,
	[REPLAY_LOAD] = record_load,
	[REPLAY_LOAD_SHARED] = record_access,
	[REPLAY_STORE] = record_access,
	[REPLAY_ATOM] = record_atom,
	[REPLAY_ATOM_VEC] = record_atom_vec,
	[REPLAY_MBAR] = record_mbar,
	[REPLAY_MBAR_TEST] = record_mbar_test,
	[REPLAY_ASYNC] = record_async,
	[REPLAY_BULK] = record_bulk,
	[REPLAY_ROWS] = record_rows,
	[REPLAY_MATRIX] = record_matrix,
	[REPLAY_SURFACE] = record_surface,
	[REPLAY_SURFACE_RED] = record_surface,
	[REPLAY_TEXELS] = record_texels,
};

/* ---- blocks ---- */

static void record_start(struct block_hooks *hooks, struct block *b)
{
	struct record_block *t = b->tape;
	uint32_t n = b->warp_count * LANES;

	(void)hooks;
	if (!t) {
		t = calloc(1, sizeof(*t) + n * sizeof(t->stream[0]));
		if (!t)
			return; /* record_put_block reports it */
		t->count = n;
		b->tape = t;
	}
	t->failed = false;
	for (uint32_t i = 0; i < n; i++) {
		if (t->stream[i])
			trace_stream_start(t->stream[i]);
		if (t->group && t->group[i])
			t->group[i]->known = 0;
	}
}

static void record_drop(struct block *b)
{
	struct record_block *t = b->tape;

	for (uint32_t i = 0; i < t->count; i++)
		if (t->stream[i]) {
			trace_stream_free(t->stream[i]);
			free(t->stream[i]);
		}
	for (uint32_t i = 0; t->group && i < t->count; i++)
		free(t->group[i]);
	free(t->group);
	free(t);
	b->tape = NULL;
}

void recording_fail(struct recording *r, const struct diag *d)
{
	pthread_mutex_lock(&r->lock);
	if (!atomic_load(&r->failed))
		r->error = *d;
	pthread_mutex_unlock(&r->lock);
	atomic_store(&r->failed, true);
}

/* Ends the streams and lists those that are not empty. */
static enum err record_list_streams(struct record_block *t,
				    struct trace_stream *to, uint32_t *count,
				    struct diag *d)
{
	*count = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		struct trace_writer_stream *s = t->stream[i];

		if (s && trace_stream_end(s))
			t->failed = true;
		if (s && s->size)
			to[(*count)++] =
				(struct trace_stream){ .warp = i / LANES,
						       .lane = i % LANES,
						       .bytes = s->bytes,
						       .size = s->size };
	}
	for (uint32_t i = 0; t->group && i < t->count; i++)
		if (t->group[i] && t->group[i]->known)
			return fail(d, ERR_UNSUPP,
				    "lanes of a warp met between a matrix "
				    "operation and a memory access that was "
				    "moved across it: record without a GPU, or "
				    "with sm.compiled = no");
	return t->failed ? fail(d, ERR_NOMEM, "no memory for a block's trace") :
			   ERR_OK;
}

static enum err record_put_block(struct recording *r, struct block *b,
				 struct diag *d)
{
	struct record_block *t = b->tape;
	struct trace_block out = { .index = b->index };
	struct trace_stream *streams;
	enum err e;

	streams = t ? malloc((t->count + 1) * sizeof(*streams)) : NULL;
	if (!streams)
		return fail(d, ERR_NOMEM, "no memory for a block's trace");
	e = record_list_streams(t, streams, &out.stream_count, d);
	out.streams = streams;
	for (uint32_t i = 0; i < b->warp_count; i++) {
		out.warp_instructions += b->warps[i].steps;
		out.thread_instructions += warp_lane_steps(&b->warps[i]);
	}
	if (!e)
		e = trace_put_block(r->writer, r->launch, &out, d);
	free(streams);
	return e;
}

/* Blocks that a fault cut short are not recorded. */
static void record_block_end(struct block_hooks *hooks, struct block *b,
			     bool done)
{
	struct recording *r = (struct recording *)hooks;
	struct diag d;

	if (done && !atomic_load(&r->failed) && record_put_block(r, b, &d))
		recording_fail(r, &d);
}

void recording_start(struct recording *r, struct trace_writer *w,
		     uint32_t launch, const struct program *p)
{
	*r = (struct recording){ .hooks = { .start = record_start,
					    .end = record_block_end,
					    .drop = record_drop,
					    .sizes = record_heap_sizes,
					    .start_group = wave_record_start,
					    .end_group = wave_record_end,
					    .drop_group = wave_record_drop },
				 .writer = w,
				 .launch = launch };
	pthread_mutex_init(&r->lock, NULL);
	if (p->reads_place)
		atomic_store(&r->depends, TRACE_ON_PLACE);
}

enum err recording_end(struct recording *r, struct diag *d)
{
	pthread_mutex_destroy(&r->lock);
	if (!atomic_load(&r->failed))
		return ERR_OK;
	*d = r->error;
	return d->code;
}
