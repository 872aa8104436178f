/* Executors that replay wavefronts: they read the facts from the trace and compute
 * nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/wave_tape.h"
#include "simt/wave_mem.h"

/* workgroup.tape of a replay. */
struct wave_facts {
	struct trace_block_view view;
	bool open;     /* view must be dropped */
	uint64_t max;  /* instructions that were recorded */
	char why[160]; /* nothing can be replayed; "": it can */
	struct trace_reader_stream stream[];
};

static void wave_misfit(struct wave *w, const char *why)
{
	const struct launch *l = w->group->launch;
	const struct replaying *r = (const struct replaying *)l->hooks;

	wave_fault(w, FAULT_TRACE, 0, 0, "launch %u, block %llu, wave %u: %s",
		   r->launch, (unsigned long long)w->group->index, w->index,
		   why);
}

/* Reads a fact; false: the launch has faulted. */
static bool good(struct wave *w, bool read)
{
	if (UNLIKELY(!read))
		wave_misfit(w, "the recorded facts have ended or are damaged");
	return read;
}

static bool wave_get_bit(struct wave *w, struct trace_reader_stream *s,
			 uint32_t site, bool *out)
{
	uint32_t mask = 0;

	if (!good(w, trace_get_mask(s, site, 1, &mask)))
		return false;
	*out = mask;
	return true;
}

/* ---- memory ------------------------------------------------------------ */

static void set_access(struct wave_effect *e, uint64_t access)
{
	e->space = access & WAVE_ACCESS_SPACE;
	e->write = access & WAVE_ACCESS_WRITE;
	e->is_atomic = access & WAVE_ACCESS_ATOMIC;
	e->returns = access & WAVE_ACCESS_RETURNS;
	e->coherent = access & WAVE_ACCESS_COHERENT;
	e->image = access & WAVE_ACCESS_IMAGE;
	e->invalidate = access & WAVE_ACCESS_INVALIDATE;
	e->pairs = access & WAVE_ACCESS_PAIRS;
	e->bytes = (uint32_t)(access >> WAVE_ACCESS_BYTES);
	e->mask = 0;
	e->atomic[0] = e->atomic[1] = NULL;
}

/* Whether an instruction of its unit can do so. The file may be damaged. */
static bool access_fits(const struct wave_op *op, const struct wave_effect *e)
{
	static const uint8_t spaces[WAVE_UNITS] = {
		[WAVE_SMEM] = WAVE_SCALAR,
		[WAVE_VMEM] = WAVE_GLOBAL,
		[WAVE_LDS] = WAVE_SHARED,
	};

	if (e->space == WAVE_NOWHERE)
		return true;
	return e->space == spaces[op->unit] && e->bytes &&
	       e->bytes <= (op->unit == WAVE_SMEM ? 64u : 16u);
}

/* Addresses of the lanes of one half; of inactive lanes 0. */
static bool get_half(struct wave *w, struct trace_reader_stream *s,
		     uint32_t site, unsigned half, uint64_t base,
		     unsigned which)
{
	struct wave_effect *e = w->effect;
	unsigned first = half * TRACE_LANES;
	uint32_t mask = (uint32_t)(e->mask >> first);
	uint64_t v[TRACE_LANES] = { 0 };

	if (mask && !good(w, trace_get_lanes(s, site + half, mask, v)))
		return false;
	for (unsigned l = 0; l < TRACE_LANES; l++) {
		uint64_t at = mask >> l & 1 ? v[l] + base : 0;

		if (e->space == WAVE_SHARED)
			e->shared[which][first + l] = (uint32_t)at;
		else
			e->addr[first + l] = at;
	}
	return true;
}

static bool get_lanes(struct wave *w, struct trace_reader_stream *s,
		      uint32_t site, uint64_t active, uint64_t base)
{
	struct wave_effect *e = w->effect;

	for (unsigned h = 0; h < WAVE_HALVES; h++) {
		uint32_t may = (uint32_t)(active >> h * TRACE_LANES), mask = 0;

		if (may && !good(w, trace_get_mask(s, site + WAVE_SITE_MASK + h,
						   may, &mask)))
			return false;
		e->mask |= (uint64_t)mask << h * TRACE_LANES;
		if (!get_half(w, s, site + WAVE_SITE_FIRST, h, base, 0))
			return false;
		if (e->space == WAVE_SHARED && e->pairs &&
		    !get_half(w, s, site + WAVE_SITE_SECOND, h, base, 1))
			return false;
	}
	return true;
}

static bool replay_memory(struct wave *w, const struct wave_op *op,
			  struct trace_reader_stream *s, uint64_t active)
{
	struct wave_effect *e = w->effect;
	uint32_t site = wave_site(op, 0);
	uint64_t access, base = 0;

	if (!good(w, trace_get_value(s, site + WAVE_SITE_ACCESS, &access)))
		return false;
	set_access(e, access);
	if (!access_fits(op, e)) {
		wave_misfit(w, "an access that the instruction cannot make");
		return false;
	}
	if (e->space == WAVE_NOWHERE)
		return true;
	if (e->space == WAVE_SCALAR)
		return good(w, trace_get_value(s, site + WAVE_SITE_ACCESS,
					       &e->addr[0]));
	if (access & WAVE_ACCESS_SCRATCH)
		base = wave_scratch_address(&w->group->waves[0]);
	if (!get_lanes(w, s, site, active, base))
		return false;
	if (e->space == WAVE_GLOBAL && e->is_atomic)
		wave_atomic_without_values(w);
	return true;
}

/* ---- a step ------------------------------------------------------------ */

static bool replay_jump(struct wave *w, const struct wave_op *op,
			struct trace_reader_stream *s)
{
	const struct program *p = w->group->launch->program;
	const struct wave_code *c = p->isa->waves->code(p);
	uint32_t site = wave_site(op, WAVE_SITE_JUMP);
	uint64_t to;
	bool taken;

	if (op->unit == WAVE_BRANCH) {
		if (!wave_get_bit(w, s, site, &taken))
			return false;
		w->pc = taken ? op + op->jump : op + 1;
		return true;
	}
	if (!good(w, trace_get_value(s, site, &to)))
		return false;
	if (to < c->count) {
		w->pc = c->ops + to;
		return true;
	}
	wave_misfit(w, "a jump to where no instruction is");
	return false;
}

static bool replay_active(struct wave *w, const struct wave_op *op,
			  struct trace_reader_stream *s)
{
	uint32_t site = wave_site(op, WAVE_SITE_ACTIVE);
	uint64_t mask;
	bool changes;

	if (!wave_get_bit(w, s, site, &changes))
		return false;
	if (!changes)
		return true;
	if (!good(w, trace_get_value(s, site, &mask)))
		return false;
	w->group->launch->program->isa->waves->set_active(w, mask);
	return true;
}

static bool replay_facts(struct wave *w, const struct wave_op *op,
			 struct trace_reader_stream *s)
{
	const struct wave_isa *isa = w->group->launch->program->isa->waves;
	uint64_t active = isa->active(w);
	bool counts = false;

	if (wave_is_vector(op) && active &&
	    !wave_get_bit(w, s, wave_site(op, WAVE_SITE_LANES), &counts))
		return false;
	w->lane_steps += counts ? lanes_count(active) : 0;
	if (wave_is_memory(op) && !replay_memory(w, op, s, active))
		return false;
	if (isa->traits(op) & WAVE_SETS_ACTIVE && !replay_active(w, op, s))
		return false;
	return op->kind != WAVE_JUMP || replay_jump(w, op, s);
}

void wave_replay_step(struct wave *w, const struct wave_op *op)
{
	struct wave_facts *t = w->group->tape;

	if (UNLIKELY(!t || t->why[0]))
		wave_misfit(w, t ? t->why : "no memory for the facts");
	else if (UNLIKELY(w->steps > t->max))
		wave_misfit(w, "more instructions than were recorded");
	else if (op->kind == WAVE_PLAIN || op->kind == WAVE_JUMP)
		(void)replay_facts(w, op, &t->stream[w->index]);
	else
		wave_tape_plain(w, op)(w, op);
}

/* ---- work-groups ------------------------------------------------------- */

static void start_streams(struct wave_facts *t, const struct workgroup *g)
{
	const struct trace_block *b = &t->view.block;

	t->max = b->warp_instructions;
	for (uint32_t i = 0; i < g->wave_count; i++)
		trace_read_start(&t->stream[i], NULL, 0);
	for (uint32_t i = 0; i < b->stream_count; i++) {
		const struct trace_stream *s = &b->streams[i];

		if (s->warp >= g->wave_count || s->lane) {
			snprintf(t->why, sizeof(t->why),
				 "it has streams of waves that do not exist");
			return;
		}
		trace_read_start(&t->stream[s->warp], s->bytes, s->size);
	}
}

void wave_replay_start(struct block_hooks *hooks, struct workgroup *g)
{
	struct replaying *r = (struct replaying *)hooks;
	struct wave_facts *t = g->tape;
	struct diag d;

	if (!t)
		g->tape = t = calloc(
			1, sizeof(*t) + g->wave_count * sizeof(*t->stream));
	if (!t)
		return; /* wave_replay_step reports it */
	t->why[0] = 0;
	t->open =
		!trace_block_read(r->trace, r->launch, g->index, &t->view, &d);
	if (t->open)
		start_streams(t, g);
	else
		snprintf(t->why, sizeof(t->why), "%.*s",
			 (int)sizeof(t->why) - 1, d.text);
}

void wave_replay_end(struct block_hooks *hooks, struct workgroup *g, bool done)
{
	struct replaying *r = (struct replaying *)hooks;
	struct wave_facts *t = g->tape;

	if (!t || !t->open)
		return;
	for (uint32_t i = 0; done && i < g->wave_count; i++)
		if (!trace_read_done(&t->stream[i])) {
			wave_misfit(&g->waves[i],
				    "fewer facts were used than recorded");
			break;
		}
	trace_block_drop(r->trace, &t->view);
	t->open = false;
}

void wave_replay_drop(struct workgroup *g)
{
	free(g->tape);
	g->tape = NULL;
}
