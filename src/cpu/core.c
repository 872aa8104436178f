#include "cpu/core.h"

#include "base/minmax.h"

static bool cpu_has_thread(const struct cpu_core *c)
{
	for (int64_t t = 0; t < c->cfg.threads; t++)
		if (c->context[t].thread)
			return true;
	return false;
}

/* Adds the cycles before `cycle` in which nothing happened. */
static void cpu_core_skip(const struct cpu_core *c, cycle_t cycle,
			  struct cpu_stats *st)
{
	cycle_t gap = cycle > c->cycle ? cycle - c->cycle : 0;
	uint64_t slots = gap * (uint64_t)c->cfg.commit_width;

	st->cycles += gap;
	st->slots += slots;
	*cpu_stat_slot(st, c->idle_use) += slots;
	if (c->idle_use != CPU_SLOT_idle)
		st->busy += gap;
}

/* The same for the profile. */
static void cpu_core_profile_skip(struct cpu_core *c, cycle_t cycle)
{
	cycle_t gap = cycle > c->cycle ? cycle - c->cycle : 0;

	if (c->profile && gap)
		cpu_profile_add(c->profile, c->idle_inst, c->idle_use,
				gap * (uint64_t)c->cfg.commit_width);
}

void cpu_core_profile(struct cpu_core *c, struct cpu_profile *p)
{
	c->profile = p;
}

void cpu_core_profile_end(struct cpu_core *c, cycle_t cycle)
{
	cpu_core_profile_skip(c, cycle);
	c->profile = NULL;
}

void cpu_core_stats(const struct cpu_core *c, cycle_t cycle,
		    struct cpu_stats *out)
{
	*out = c->st;
	cpu_core_skip(c, cycle, out);
}

/* When a thread's front end can go on by itself. */
static cycle_t cpu_core_next_front(const struct cpu_core *c,
				   const struct cpu_context *x, cycle_t cycle)
{
	cycle_t next = CYCLE_NEVER;

	if (x->thread && x->resume > cycle && x->resume != CYCLE_NEVER)
		next = x->resume;
	if (x->count && x->queue[x->head].block <= x->blocks_there &&
	    x->queue[x->head].cycle + (cycle_t)c->cfg.front_latency > cycle)
		next = min_u64(next, x->queue[x->head].cycle +
					     (cycle_t)c->cfg.front_latency);
	return next;
}

/* The next cycle in which anything can happen, after one in which nothing has. */
static cycle_t cpu_core_next(const struct cpu_core *c, cycle_t cycle)
{
	cycle_t next = cpu_issue_next(c, cycle);

	for (int64_t t = 0; t < c->cfg.threads; t++)
		next = min_u64(next,
			       cpu_core_next_front(c, &c->context[t], cycle));
	return max_u64(next, cycle + 1);
}

static cycle_t cpu_core_step(struct cgm_part *part, cycle_t now)
{
	struct cpu_core *c = (struct cpu_core *)part;
	cycle_t cycle = cpu_core_cycle(c, now), next;

	cpu_core_skip(c, cycle, &c->st);
	cpu_core_profile_skip(c, cycle);
	c->cycle = cycle + 1;
	c->blocked = false;
	c->st.cycles++;
	c->st.busy += cpu_has_thread(c);
	cpu_lsq_answers(c, now);
	cpu_fetch_answers(c, now);
	cpu_issue_complete(c, cycle);
	cpu_commit(c);
	cpu_issue(c, cycle);
	cpu_lsq(c, now);
	cpu_rename(c, cycle);
	c->turn = cpu_thread_at(c, 1);
	if (c->active || c->blocked) {
		c->active = false;
		return now + c->part.period;
	}
	next = cpu_core_next(c, cycle);
	c->idle_use = cpu_commit_reason(c, &c->idle_inst);
	if (next != CYCLE_NEVER)
		next *= c->part.period;
	next = min_u64(next,
		       cgm_wire_next_of(c->code.port.from, CGM_LANE_REPLY));
	next = min_u64(next,
		       cgm_wire_next_of(c->data.port.from, CGM_LANE_REPLY));
	return max_u64(next, now + 1);
}

void cpu_core_meet(struct cpu_core *c, struct cpu_core *const *peer,
		   unsigned peers, uint64_t *order)
{
	c->peer = peer;
	c->peers = peers;
	c->order = order;
}

void cpu_core_wake(struct cpu_core *c, cycle_t tick)
{
	c->part.wake = min_u64(c->part.wake, cgm_part_cycle(&c->part, tick));
}

void cpu_core_place(struct cpu_core *c, unsigned context, void *thread,
		    cycle_t cycle)
{
	struct cpu_context *x = &c->context[context];

	CHECK(!x->thread && cpu_core_drained(c, context));
	x->thread = thread;
	x->at = c->guest->ops->at(thread);
	x->wrong = x->stuck = false;
	x->stop = GUEST_GOES_ON;
	x->resume = cycle;
	x->block = 0;
	x->blocks_there = x->blocks_asked;
	x->arrived = 0;
	x->why = CPU_FRONT_CALL;
	cpu_predict_forget_returns(&c->predict, context);
	c->st.switches++;
	c->active = true;
	cpu_core_wake(c, cycle * c->part.period);
}

void cpu_core_remove(struct cpu_core *c, unsigned context)
{
	struct cpu_context *x = &c->context[context];

	CHECK(cpu_core_drained(c, context));
	x->thread = NULL;
	x->why = CPU_FRONT_FLOWS;
}

void cpu_core_connect(struct cpu_core *c, const struct cgm_port *code,
		      struct cgm_stat_port *code_st,
		      const struct cgm_port *data,
		      struct cgm_stat_port *data_st)
{
	c->code.port = *code;
	c->code.st = code_st;
	c->data.port = *data;
	c->data.st = data_st;
	code->from->to = data->from->to = &c->part;
}

static void cpu_core_set(struct cpu_core *c)
{
	const struct cfg_cpu *k = &c->cfg;

#define X(id, name, text) c->units[UOP_UNIT_##id] = (uint32_t)k->name##_units;
	UOP_UNIT_MAP(X)
#undef X
#define X(id, name, text)                                   \
	c->lat[UOP_LAT_##id] = (uint32_t)k->name##_latency; \
	c->interval[UOP_LAT_##id] = (uint32_t)k->name##_interval;
	UOP_LAT_MAP(X)
#undef X
	c->slots = (uint32_t)(k->rob * k->threads);
	for (int64_t t = 0; t < k->threads; t++)
		c->context[t].base = (uint16_t)(t * k->rob);
}

enum err cpu_core_new(struct cpu_core **out, struct arena *a, unsigned number,
		      const struct cfg *cfg, const struct guest *guest,
		      const struct cpu_host *host, struct diag *d)
{
	struct cpu_core *c = arena_new(a, struct cpu_core, 1);

	if (!c)
		return fail(d, ERR_NOMEM, "out of memory");
	c->number = number;
	c->guest = guest;
	c->host = host;
	c->cfg = cfg->cpu;
	c->idle_use = CPU_SLOT_idle;
	cpu_core_set(c);
	c->slot = arena_new(a, struct cpu_slot, c->slots);
	if (!c->slot || !cpu_predict_init(&c->predict, a, &c->cfg) ||
	    !cpu_rename_init(c, a) || !cpu_issue_init(c, a) ||
	    !cpu_lsq_init(c, a) || !cpu_fetch_init(c, a) ||
	    !cpu_await_init(c, a))
		return fail(d, ERR_NOMEM, "out of memory");
	cgm_part_init(&c->part, cpu_core_step, 1);
	*out = c;
	return ERR_OK;
}
