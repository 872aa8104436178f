/* Rename: micro-operations get physical registers, and places in the queues. */
#include "cpu/core.h"

#define WAITS_NONE UINT16_MAX

static uint16_t cpu_phys_take(struct cpu_core *c, enum uop_file file)
{
	uint16_t p = c->free[file];

	c->free[file] = c->phys[p].next;
	c->phys[p].ready = false;
	c->phys[p].refs = 0;
	c->phys[p].waits = WAITS_NONE;
	return p;
}

static void cpu_phys_release(struct cpu_core *c, uint16_t p)
{
	struct cpu_phys *r = &c->phys[p];

	if (--r->refs)
		return;
	r->next = c->free[r->file];
	c->free[r->file] = p;
}

bool cpu_rename_init(struct cpu_core *c, struct arena *a)
{
	const int64_t more[UOP_FILES] = { c->cfg.int_regs, c->cfg.fp_regs,
					  c->cfg.vector_regs };
	uint32_t n = 0;

	for (unsigned f = 0; f < UOP_FILES; f++)
		n += (uint32_t)more[f];
	n += UREGS * (uint32_t)c->cfg.threads;
	c->phys = arena_new(a, struct cpu_phys, n);
	if (!c->phys)
		return false;
	n = 0;
	for (unsigned f = 0; f < UOP_FILES; f++) {
		c->free[f] = CPU_NONE;
		for (int64_t i = 0; i < more[f]; i++, n++) {
			c->phys[n].file = (uint8_t)f;
			c->phys[n].next = c->free[f];
			c->free[f] = (uint16_t)n;
		}
	}
	for (int64_t t = 0; t < c->cfg.threads; t++)
		for (unsigned r = 1; r < UREGS; r++, n++) {
			c->phys[n] = (struct cpu_phys){
				.ready = true,
				.refs = 1,
				.file = (uint8_t)ureg_file(r),
				.waits = WAITS_NONE
			};
			c->context[t].map[r] = (uint16_t)n;
		}
	return true;
}

/* A source of a slot, as the lists of those that wait name it. */
static uint16_t cpu_waiter(uint16_t at, unsigned k)
{
	return (uint16_t)(at * UOP_SOURCES + k);
}

static void cpu_rename_source(struct cpu_core *c, struct cpu_context *x,
			      uint16_t at, unsigned k, unsigned reg)
{
	struct cpu_slot *s = &c->slot[at];
	struct cpu_phys *p = &c->phys[x->map[reg]];

	if (!reg || p->ready)
		return;
	s->waits[k] = p->waits;
	p->waits = cpu_waiter(at, k);
	s->missing++;
}

/* Registers of one file that an instruction writes share a physical one. */
static void cpu_rename_target(struct cpu_core *c, struct cpu_context *x,
			      struct cpu_slot *s, unsigned k, unsigned reg)
{
	enum uop_file file = ureg_file(reg);

	s->dst[k] = (uint8_t)reg;
	if (!reg)
		return;
	if (k && s->dst[0] && ureg_file(s->dst[0]) == file)
		s->phys[k] = s->phys[0];
	else
		s->phys[k] = cpu_phys_take(c, file);
	c->phys[s->phys[k]].refs++;
	s->old[k] = x->map[reg];
	x->map[reg] = s->phys[k];
}

void cpu_rename_wake(struct cpu_core *c, struct cpu_slot *s)
{
	for (unsigned k = 0; k < UOP_TARGETS; k++) {
		struct cpu_phys *p;

		if (!s->dst[k])
			continue;
		p = &c->phys[s->phys[k]];
		p->ready = true;
		for (uint16_t w = p->waits; w != WAITS_NONE;) {
			uint16_t at = (uint16_t)(w / UOP_SOURCES);
			struct cpu_slot *to = &c->slot[at];

			w = to->waits[w % UOP_SOURCES];
			if (!--to->missing)
				cpu_issue_ready(c, at);
		}
		p->waits = WAITS_NONE;
	}
}

void cpu_rename_commit(struct cpu_core *c, struct cpu_context *x,
		       const struct cpu_slot *s)
{
	(void)x;
	for (unsigned k = 0; k < UOP_TARGETS; k++)
		if (s->dst[k])
			cpu_phys_release(c, s->old[k]);
}

void cpu_rename_undo(struct cpu_core *c, struct cpu_context *x, uint16_t at)
{
	const struct cpu_slot *s = &c->slot[at];
	const struct uop *op = &s->inst->uop[s->number];

	for (unsigned k = UOP_TARGETS; k-- > 0;)
		if (s->dst[k]) {
			x->map[s->dst[k]] = s->old[k];
			cpu_phys_release(c, s->phys[k]);
		}
	if (s->state != CPU_WAITS)
		return;
	/* The youngest are undone first: each is the last in its list, and
	 * registers are mapped as they were when it was renamed. */
	for (unsigned k = UOP_SOURCES; k-- > 0;) {
		struct cpu_phys *p = &c->phys[x->map[op->src[k]]];

		if (op->src[k] && p->waits == cpu_waiter(at, k))
			p->waits = s->waits[k];
	}
}

/* What the core has no room for; NULL: it has. */
static uint64_t *cpu_rename_stall(struct cpu_core *c,
				  const struct cpu_context *x,
				  const struct uop *op, bool accesses)
{
	uint16_t need[UOP_FILES] = { 0 };

	if (c->rob >= (uint32_t)c->cfg.rob)
		return &c->st.stall_rob;
	if (c->iq >= (uint32_t)c->cfg.iq)
		return &c->st.stall_iq;
	if (accesses && (c->lsq >= (uint32_t)c->cfg.lsq ||
			 (op->kind == UOP_STORE && x->stores == c->store_room)))
		return &c->st.stall_lsq;
	for (unsigned k = 0; k < UOP_TARGETS; k++)
		if (op->dst[k])
			need[ureg_file(op->dst[k])] = 1;
	for (unsigned f = 0; f < UOP_FILES; f++)
		if (need[f] && c->free[f] == CPU_NONE)
			return &c->st.stall_regs;
	return NULL;
}

static void cpu_rename_store(struct cpu_core *c, struct cpu_context *x,
			     struct cpu_slot *s, const struct cpu_fetched *f)
{
	uint32_t n = x->stores++;
	struct cpu_store *to = cpu_store_at(c, x, n);

	*to = (struct cpu_store){ .seq = s->seq,
				  .address = s->address,
				  .bytes = s->bytes,
				  .sends = s->sends,
				  .wrong = s->wrong,
				  .stamp = f->stamp };
	s->store = (uint16_t)(to - x->store);
}

/* How many blocks an access touches. */
static uint8_t cpu_blocks(uint64_t address, uint32_t bytes)
{
	return (uint8_t)((address + bytes - 1) / CGM_BLOCK -
			 address / CGM_BLOCK + 1);
}

static void cpu_rename_access(struct cpu_core *c, struct cpu_context *x,
			      struct cpu_slot *s, const struct cpu_fetched *f,
			      const struct uop *op)
{
	unsigned n = 0;

	for (const struct uop *o = f->inst->uop; o != op; o++)
		n += o->kind >= UOP_LOAD;
	s->address = cpu_access_address(f, n);
	s->bytes = cpu_access_bytes(f, op);
	s->sends = s->kind == UOP_ATOMIC || s->kind == UOP_FLUSH ?
			   1 :
			   cpu_blocks(s->address, s->bytes);
	c->st.split += s->sends > 1;
	c->lsq++;
	if (s->kind == UOP_STORE)
		cpu_rename_store(c, x, s, f);
	if (s->kind == UOP_ATOMIC || s->kind == UOP_FLUSH)
		x->atomics++;
}

static void cpu_rename_one(struct cpu_core *c, unsigned thread,
			   const struct cpu_fetched *f, const struct uop *op)
{
	struct cpu_context *x = &c->context[thread];
	uint16_t at = cpu_rob_at(c, x, x->rob_count++);
	struct cpu_slot *s = &c->slot[at];
	bool accesses = op->kind >= UOP_LOAD && !f->idle;

	*s = (struct cpu_slot){
		.seq = c->seq++,
		.inst = f->inst,
		.kind = op->kind,
		.unit = op->unit,
		.lat = op->lat,
		.thread = (uint8_t)thread,
		.number = (uint8_t)(op - f->inst->uop),
		.wrong = f->wrong,
		.last = f->last && op == &f->inst->uop[f->inst->uops - 1],
	};
	if (op->kind >= UOP_LOAD && f->idle) {
		s->kind = UOP_COMPUTE;
		s->unit = UOP_UNIT_ALU;
		s->lat = UOP_LAT_ALU;
	}
	if (s->kind == UOP_BRANCH) {
		s->missed = f->missed;
		s->astray = f->astray;
	}
	c->rob++;
	c->iq++;
	for (unsigned k = 0; k < UOP_SOURCES; k++)
		cpu_rename_source(c, x, at, k, op->src[k]);
	for (unsigned k = 0; k < UOP_TARGETS; k++)
		cpu_rename_target(c, x, s, k, op->dst[k]);
	if (accesses)
		cpu_rename_access(c, x, s, f, op);
	if (!s->missing)
		cpu_issue_ready(c, at);
}

/* Renames up to `most` micro-operations of a thread; returns how many. */
static uint32_t cpu_rename_thread(struct cpu_core *c, unsigned thread,
				  cycle_t cycle, uint32_t most)
{
	struct cpu_context *x = &c->context[thread];
	uint32_t n = 0;

	while (n < most && x->count) {
		struct cpu_fetched *f = &x->queue[x->head];
		const struct uop *op = &f->inst->uop[x->uop];
		uint64_t *stall;

		if (f->block > x->blocks_there ||
		    f->cycle + (cycle_t)c->cfg.front_latency > cycle)
			break;
		stall = cpu_rename_stall(c, x, op,
					 op->kind >= UOP_LOAD && !f->idle);
		if (stall) {
			++*stall;
			break;
		}
		cpu_rename_one(c, thread, f, op);
		x->why = CPU_FRONT_FLOWS;
		n++;
		if (++x->uop < f->inst->uops)
			continue;
		x->uop = 0;
		x->head = cpu_ring(x->head + 1, (uint32_t)c->cfg.fetch_queue);
		x->count--;
	}
	return n;
}

void cpu_rename(struct cpu_core *c, cycle_t cycle)
{
	uint32_t left = (uint32_t)c->cfg.width;

	for (unsigned i = 0; i < (unsigned)c->cfg.threads && left; i++) {
		unsigned t = cpu_thread_at(c, i);

		left -= cpu_rename_thread(c, t, cycle, left);
	}
	if (left < (uint32_t)c->cfg.width)
		c->active = true;
}
