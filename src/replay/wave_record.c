/* Executors that record wavefronts: each calls the original one, and records what
 * it did. */
#include <stdlib.h>
#include <string.h>

#include "replay/record.h"
#include "replay/wave_tape.h"

/* workgroup.tape of a recording: a stream for each wavefront. */
struct wave_streams {
	uint32_t count;
	bool mixed; /* an instruction accessed scratch memory and other memory */
	struct trace_writer_stream stream[];
};

static void wave_put_bit(struct trace_writer_stream *s, uint32_t site, bool bit)
{
	trace_put_mask(s, site, 1, bit);
}

/* ---- memory ------------------------------------------------------------ */

/* The bytes of the work-group's scratch memory. */
static struct range scratch_range(const struct wave *w)
{
	const struct workgroup *g = w->group;

	return (struct range){ .base = wave_scratch_address(&g->waves[0]),
			       .size = g->scratch_bytes * g->wave_count };
}

/* How many of the lanes access scratch memory. */
static unsigned scratch_lanes(const struct wave_effect *e,
			      const struct range *scratch)
{
	unsigned n = 0;

	for (uint64_t m = e->mask; scratch->size && m; m &= m - 1)
		n += e->addr[lanes_first(m)] - scratch->base < scratch->size;
	return n;
}

static uint64_t wave_access_of(const struct wave_effect *e, bool scratch)
{
	if (e->space == WAVE_NOWHERE)
		return e->invalidate ? WAVE_ACCESS_INVALIDATE : 0;
	return (uint64_t)e->bytes << WAVE_ACCESS_BYTES | e->space |
	       (e->write ? WAVE_ACCESS_WRITE : 0) |
	       (e->is_atomic ? WAVE_ACCESS_ATOMIC : 0) |
	       (e->returns ? WAVE_ACCESS_RETURNS : 0) |
	       (e->coherent ? WAVE_ACCESS_COHERENT : 0) |
	       (e->image ? WAVE_ACCESS_IMAGE : 0) |
	       (e->pairs ? WAVE_ACCESS_PAIRS : 0) |
	       (scratch ? WAVE_ACCESS_SCRATCH : 0);
}

/* The addresses of one half, as numbers. */
static void put_half(struct trace_writer_stream *s, uint32_t site,
		     const struct wave_effect *e, unsigned half, uint64_t base)
{
	unsigned first = half * TRACE_LANES;
	uint32_t mask = (uint32_t)(e->mask >> first);
	uint64_t v[TRACE_LANES];
	bool shared = e->space == WAVE_SHARED;

	for (unsigned l = 0; l < TRACE_LANES; l++)
		v[l] = shared ? e->shared[0][first + l] :
				e->addr[first + l] - base;
	trace_put_lanes(s, site + WAVE_SITE_FIRST + half, mask, v);
	if (!shared || !e->pairs)
		return;
	for (unsigned l = 0; l < TRACE_LANES; l++)
		v[l] = e->shared[1][first + l];
	trace_put_lanes(s, site + WAVE_SITE_SECOND + half, mask, v);
}

static void wave_put_lanes(struct trace_writer_stream *s, uint32_t site,
			   const struct wave_effect *e, uint64_t active,
			   uint64_t base)
{
	for (unsigned h = 0; h < WAVE_HALVES; h++) {
		uint32_t may = (uint32_t)(active >> h * TRACE_LANES);
		uint32_t mask = (uint32_t)(e->mask >> h * TRACE_LANES);

		if (may)
			trace_put_mask(s, site + WAVE_SITE_MASK + h, may, mask);
		if (mask)
			put_half(s, site, e, h, base);
	}
}

static void wave_note_access(struct recording *r, const struct wave_effect *e)
{
	if (e->is_atomic && e->returns && e->space == WAVE_GLOBAL)
		recording_note(r, TRACE_ON_ATOMICS);
	if (e->coherent && !e->write)
		recording_note(r, TRACE_ON_WAITS);
}

static void record_memory(struct wave *w, const struct wave_op *op,
			  struct trace_writer_stream *s, uint64_t active)
{
	const struct wave_effect *e = w->effect;
	struct recording *r = (struct recording *)w->group->launch->hooks;
	struct wave_streams *t = w->group->tape;
	struct range scratch = scratch_range(w);
	uint32_t site = wave_site(op, 0);
	unsigned in = 0;

	if (e->space == WAVE_GLOBAL)
		in = scratch_lanes(e, &scratch);
	t->mixed |= in && in != lanes_count(e->mask);
	trace_put_value(s, site + WAVE_SITE_ACCESS, wave_access_of(e, in > 0));
	if (e->space == WAVE_NOWHERE)
		return;
	if (e->space == WAVE_SCALAR) {
		trace_put_value(s, site + WAVE_SITE_ACCESS, e->addr[0]);
		return;
	}
	wave_note_access(r, e);
	wave_put_lanes(s, site, e, active, in ? scratch.base : 0);
}

/* ---- a step ------------------------------------------------------------ */

static void record_jump(struct wave *w, const struct wave_op *op,
			struct trace_writer_stream *s)
{
	const struct program *p = w->group->launch->program;
	uint32_t site = wave_site(op, WAVE_SITE_JUMP);

	if (op->unit == WAVE_BRANCH)
		wave_put_bit(s, site, w->pc != op + 1);
	else
		trace_put_value(
			s, site,
			(uint64_t)(w->pc - p->isa->waves->code(p)->ops));
}

static void record_active(struct wave *w, const struct wave_op *op,
			  struct trace_writer_stream *s, uint64_t before)
{
	uint64_t now = w->group->launch->program->isa->waves->active(w);
	uint32_t site = wave_site(op, WAVE_SITE_ACTIVE);

	wave_put_bit(s, site, now != before);
	if (now != before)
		trace_put_value(s, site, now);
}

void wave_record_step(struct wave *w, const struct wave_op *op)
{
	const struct wave_isa *isa = w->group->launch->program->isa->waves;
	struct recording *r = (struct recording *)w->group->launch->hooks;
	struct wave_streams *t = w->group->tape;
	uint64_t before = isa->active(w), lanes = w->lane_steps;
	unsigned traits = isa->traits(op);
	struct trace_writer_stream *s;

	wave_tape_plain(w, op)(w, op);
	if (w->state == WAVE_FAULTED || UNLIKELY(!t))
		return;
	s = &t->stream[w->index];
	if (op->kind == WAVE_SLEEP)
		recording_note(r, TRACE_ON_WAITS);
	if (traits & WAVE_READS_CLOCK)
		recording_note(r, TRACE_ON_CLOCK);
	if (wave_is_vector(op) && before)
		wave_put_bit(s, wave_site(op, WAVE_SITE_LANES),
			     w->lane_steps != lanes);
	if (wave_is_memory(op))
		record_memory(w, op, s, before);
	if (traits & WAVE_SETS_ACTIVE)
		record_active(w, op, s, before);
	if (op->kind == WAVE_JUMP)
		record_jump(w, op, s);
}

/* ---- work-groups ------------------------------------------------------- */

void wave_record_start(struct block_hooks *hooks, struct workgroup *g)
{
	struct wave_streams *t = g->tape;

	(void)hooks;
	if (!t) {
		t = calloc(1,
			   sizeof(*t) + g->wave_count * sizeof(t->stream[0]));
		if (!t)
			return; /* wave_put_group reports it */
		t->count = g->wave_count;
		g->tape = t;
	}
	t->mixed = false;
	for (uint32_t i = 0; i < t->count; i++)
		trace_stream_start(&t->stream[i]);
}

void wave_record_drop(struct workgroup *g)
{
	struct wave_streams *t = g->tape;

	for (uint32_t i = 0; i < t->count; i++)
		trace_stream_free(&t->stream[i]);
	free(t);
	g->tape = NULL;
}

static enum err list_streams(struct wave_streams *t, struct trace_stream *to,
			     uint32_t *count, struct diag *d)
{
	bool failed = false;

	*count = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		struct trace_writer_stream *s = &t->stream[i];

		failed |= trace_stream_end(s) != ERR_OK;
		if (s->size)
			to[(*count)++] = (struct trace_stream){
				.warp = i, .bytes = s->bytes, .size = s->size
			};
	}
	if (t->mixed)
		return fail(d, ERR_UNSUPP,
			    "lanes of one instruction accessed both scratch "
			    "memory and other memory: traces have no such "
			    "facts");
	return failed ? fail(d, ERR_NOMEM, "no memory for a block's trace") :
			ERR_OK;
}

static enum err wave_put_group(struct recording *r, struct workgroup *g,
			       struct diag *d)
{
	struct wave_streams *t = g->tape;
	struct trace_block out = { .index = g->index };
	struct trace_stream *streams;
	enum err e;

	streams = t ? malloc((t->count + 1) * sizeof(*streams)) : NULL;
	if (!streams)
		return fail(d, ERR_NOMEM, "no memory for a block's trace");
	e = list_streams(t, streams, &out.stream_count, d);
	out.streams = streams;
	for (uint32_t i = 0; i < g->wave_count; i++) {
		out.warp_instructions += g->waves[i].steps;
		out.thread_instructions += g->waves[i].lane_steps;
	}
	if (!e)
		e = trace_put_block(r->writer, r->launch, &out, d);
	free(streams);
	return e;
}

void wave_record_end(struct block_hooks *hooks, struct workgroup *g, bool done)
{
	struct recording *r = (struct recording *)hooks;
	struct diag d;

	if (done && !atomic_load(&r->failed) && wave_put_group(r, g, &d))
		recording_fail(r, &d);
}
