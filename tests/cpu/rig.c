#include "rig.h"

#include <string.h>

#include "test.h"

static struct rig_inst *rig_at(struct rig *r, uint64_t at)
{
	uint64_t n = at / r->stride;

	return n < RIG_MOST && at % r->stride == 0 && r->program[n].inst.uops ?
		       &r->program[n] :
		       NULL;
}

/*
 * The guest
 */

static const struct guest_inst *rig_decode(void *program, uint64_t at)
{
	struct rig_inst *i = rig_at(program, at);

	return i ? &i->inst : NULL;
}

static uint64_t rig_where(const void *thread)
{
	const struct rig_thread *t = thread;

	return (uint64_t)t->at * t->rig->stride;
}

static void rig_execute(void *thread, const struct guest_inst *inst,
			uint64_t cycle, struct guest_effect *e)
{
	struct rig_thread *t = thread;
	struct rig_inst *i = &t->rig->program[t->at];

	(void)cycle;
	*e = (struct guest_effect){ .repeats = 1 };
	if (!inst) {
		e->stop = GUEST_STOPS_FAULT;
		return;
	}
	e->address[0] = e->address[1] = i->address;
	t->at++;
	if (inst->branch) {
		if (i->done < i->turns)
			t->at = i->to[i->done];
		if (!t->stray)
			i->done++;
	}
	e->next = rig_where(t);
}

static void rig_stray(void *stray, const void *thread)
{
	struct rig_thread *t = stray;

	*t = *(const struct rig_thread *)thread;
	t->stray = true;
}

static void rig_go(void *stray, uint64_t at)
{
	struct rig_thread *t = stray;

	t->at = (unsigned)(at / t->rig->stride);
}

static const struct guest_ops rig_ops = {
	.decode = rig_decode,
	.at = rig_where,
	.execute = rig_execute,
	.stray_bytes = sizeof(struct rig_thread),
	.stray = rig_stray,
	.go = rig_go,
};

/* The thread has come to its end: what follows cannot be executed. */
static cycle_t rig_stopped(void *ctx, unsigned core, unsigned context,
			   enum guest_stop why, cycle_t cycle)
{
	struct rig *r = ctx;

	(void)core;
	EQ(GUEST_STOPS_FAULT, why);
	cpu_core_remove(r->core, context);
	r->stopped++;
	r->stopped_at = cycle;
	return CYCLE_NEVER;
}

static void rig_marked(void *ctx, unsigned core, unsigned context,
		       uint32_t mark, cycle_t cycle)
{
	(void)ctx;
	(void)core;
	(void)context;
	(void)mark;
	(void)cycle;
}

/*
 * Caches
 */

static void rig_cache_init(struct rig *r, struct rig_cache *c)
{
	struct cgm_wire_config cfg = {
		.latency = 1, .beat = 1, .width = 128, .room = 32
	};

	c->port.to = cgm_wire_new(&r->arena, &cfg);
	c->port.from = cgm_wire_new(&r->arena, &cfg);
	OK(c->port.to && c->port.from);
}

static void rig_cache_count(struct rig_cache *c, unsigned op)
{
	switch (cgm_ops[op].sort) {
	case CGM_SORT_READ:
		c->loads++;
		break;
	case CGM_SORT_WRITE:
		c->stores++;
		break;
	default:
		c->others++;
	}
}

/* A request arrives a cycle after it was sent, and so does the answer. */
static void rig_cache_step(struct rig_cache *c, cycle_t now)
{
	const struct cgm_packet *p;

	while ((p = cgm_wire_peek(c->port.to, CGM_LANE_REQUEST, now))) {
		OK(c->count < RIG_WAITING);
		c->waiting[c->count] = *p;
		c->waiting[c->count++].time = now + c->latency - 2;
		rig_cache_count(c, p->op);
		cgm_wire_pop(c->port.to, CGM_LANE_REQUEST, now);
	}
	if (c->count && c->waiting[0].time <= now) {
		struct cgm_packet out = c->waiting[0];

		out.kind = CGM_ANSWER;
		cgm_wire_send(c->port.from, CGM_LANE_REPLY, now, &out);
		memmove(c->waiting, c->waiting + 1, --c->count * sizeof(out));
	}
}

/*
 * Running
 */

void rig_init(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	cfg_defaults(&r->cfg);
	r->cfg.cpu.predictor = CFG_PREDICTOR_PERFECT;
	r->stride = 4;
	r->code.latency = r->data.latency = 4;
}

void rig_start(struct rig *r)
{
	struct diag d;

	r->guest = (struct guest){ &rig_ops, r };
	r->host = (struct cpu_host){ rig_stopped, rig_marked, r };
	rig_cache_init(r, &r->code);
	rig_cache_init(r, &r->data);
	EQ(ERR_OK, cpu_core_new(&r->core, &r->arena, 0, &r->cfg, &r->guest,
				&r->host, &d));
	cpu_core_connect(r->core, &r->code.port, &r->code.st, &r->data.port,
			 &r->data.st);
}

void rig_thread(struct rig *r, unsigned t, unsigned begin)
{
	r->thread[t] = (struct rig_thread){ .at = begin, .rig = r };
	cpu_core_place(r->core, t, &r->thread[t], 0);
}

/* The first ones of a thread's ROB, before a cycle. */
struct rig_oldest {
	const struct guest_inst *inst[16];
	uint16_t head;
};

static void rig_look(const struct rig *r, unsigned t, struct rig_oldest *o)
{
	const struct cpu_context *x = &r->core->context[t];

	o->head = x->rob_head;
	for (uint32_t n = 0; n < 16 && n < x->rob_count; n++)
		o->inst[n] = r->core->slot[cpu_rob_at(r->core, x, n)].inst;
}

/* Those that are no longer there were committed in this cycle. */
static void rig_note(struct rig *r, unsigned t, const struct rig_oldest *o)
{
	uint32_t rob = (uint32_t)r->cfg.cpu.rob;
	uint32_t gone = (r->core->context[t].rob_head + rob - o->head) % rob;

	for (uint32_t n = 0; n < gone; n++) {
		struct rig_inst *i =
			(struct rig_inst *)(uintptr_t)(const void *)o->inst[n];

		if (!i->first)
			i->first = r->now;
		i->last = r->now;
	}
}

void rig_step(struct rig *r)
{
	struct rig_oldest oldest[CPU_THREADS];
	unsigned threads = (unsigned)r->cfg.cpu.threads;

	for (unsigned t = 0; t < threads; t++)
		rig_look(r, t, &oldest[t]);
	rig_cache_step(&r->code, r->now);
	rig_cache_step(&r->data, r->now);
	cgm_part_take_mail(&r->core->part);
	if (r->core->part.wake <= r->now) {
		cpu_core_front(r->core, r->now);
		r->core->part.wake = r->core->part.step(&r->core->part, r->now);
	}
	for (unsigned t = 0; t < threads; t++)
		rig_note(r, t, &oldest[t]);
	r->now++;
}

void rig_run(struct rig *r)
{
	unsigned threads = 0;
	struct cpu_stats st;
	struct diag d = { 0 };

	for (int64_t t = 0; t < r->cfg.cpu.threads; t++)
		threads += r->core->context[t].thread != NULL;
	while (r->stopped < threads) {
		OK(r->now < 100000);
		rig_step(r);
	}
	cpu_core_stats(r->core, r->now, &st);
	OK(!cpu_stats_broken_law(&st, &d));
	EQ(r->now, st.cycles);
	EQ(r->now * (uint64_t)r->cfg.cpu.commit_width, st.slots);
}

void rig_free(struct rig *r)
{
	arena_free(&r->arena);
}

/*
 * Programs
 */

static struct rig_inst *rig_one(struct rig *r, unsigned n, struct uop u)
{
	struct rig_inst *i = &r->program[n];

	i->uop[0] = u;
	i->inst = (struct guest_inst){ .uop = i->uop,
				       .uops = 1,
				       .length = (uint8_t)r->stride };
	return i;
}

struct rig_inst *rig_compute(struct rig *r, unsigned n, enum uop_unit unit,
			     enum uop_lat lat, uint8_t d, uint8_t a, uint8_t b)
{
	return rig_one(r, n,
		       (struct uop){ .kind = UOP_COMPUTE,
				     .unit = (uint8_t)unit,
				     .lat = (uint8_t)lat,
				     .src = { a, b },
				     .dst = { d } });
}

struct rig_inst *rig_add(struct rig *r, unsigned n, uint8_t d, uint8_t a,
			 uint8_t b)
{
	return rig_compute(r, n, UOP_UNIT_ALU, UOP_LAT_ALU, d, a, b);
}

struct rig_inst *rig_load(struct rig *r, unsigned n, uint8_t d, uint8_t a,
			  uint64_t address, uint8_t bytes)
{
	struct rig_inst *i = rig_one(r, n,
				     (struct uop){ .kind = UOP_LOAD,
						   .unit = UOP_UNIT_LOAD,
						   .lat = UOP_LAT_LOAD,
						   .bytes = bytes,
						   .src = { a },
						   .dst = { d } });

	i->address = address;
	return i;
}

struct rig_inst *rig_store(struct rig *r, unsigned n, uint8_t value,
			   uint64_t address, uint8_t bytes)
{
	struct rig_inst *i = rig_one(r, n,
				     (struct uop){ .kind = UOP_STORE,
						   .unit = UOP_UNIT_STORE,
						   .lat = UOP_LAT_STORE,
						   .bytes = bytes,
						   .src = { value } });

	i->address = address;
	return i;
}

struct rig_inst *rig_branch(struct rig *r, unsigned n, enum guest_branch kind,
			    unsigned to, unsigned turns)
{
	struct rig_inst *i = rig_one(r, n,
				     (struct uop){ .kind = UOP_BRANCH,
						   .unit = UOP_UNIT_BRANCH,
						   .lat = UOP_LAT_BRANCH });

	i->inst.branch = (uint8_t)kind;
	i->inst.target = (uint64_t)to * r->stride;
	i->turns = turns;
	for (unsigned k = 0; k < turns; k++)
		i->to[k] = to;
	return i;
}
