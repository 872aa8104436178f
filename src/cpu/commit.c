/* Commit in order, the reasons of slots that are not used, and squashes. */
#include "cpu/core.h"

/* A completed micro-operation cannot leave: the store buffer is full. */
static bool cpu_commit_held(const struct cpu_core *c,
			    const struct cpu_context *x,
			    const struct cpu_slot *s)
{
	return s->kind == UOP_STORE &&
	       x->buffered >= (uint32_t)c->cfg.store_buffer;
}

static void cpu_commit_count(struct cpu_core *c, const struct cpu_slot *s)
{
	c->st.uops++;
	c->st.loads += s->kind == UOP_LOAD;
	c->st.stores += s->kind == UOP_STORE;
	c->st.atomics += s->kind == UOP_ATOMIC;
	c->st.instructions += s->last;
	if (s->kind != UOP_BRANCH)
		return;
	c->st.branches++;
	c->st.conditional += s->inst->branch == GUEST_BRANCH_COND;
	c->st.mispredicted += s->missed;
	c->st.wrong_target += s->astray;
}

static bool cpu_commit_one(struct cpu_core *c, struct cpu_context *x)
{
	struct cpu_slot *s;

	if (!x->rob_count)
		return false;
	s = &c->slot[cpu_rob_at(c, x, 0)];
	if (s->state != CPU_DONE || cpu_commit_held(c, x, s))
		return false;
	CHECK(!s->wrong);
	cpu_rename_commit(c, x, s);
	cpu_commit_count(c, s);
	if (c->profile) {
		cpu_profile_add(c->profile, s->inst, CPU_SLOT_committed, 1);
		x->last = s->inst;
	}
	if (s->bytes)
		c->lsq--;
	if (s->kind == UOP_STORE) {
		x->store[s->store].committed = true;
		x->buffered++;
		x->unsent++;
	}
	x->rob_head =
		(uint16_t)cpu_ring(x->rob_head + 1u, (uint32_t)c->cfg.rob);
	x->rob_count--;
	c->rob--;
	return true;
}

/* Why the oldest micro-operation of a thread has not been committed. */
static enum cpu_slot_use cpu_commit_oldest(const struct cpu_core *c,
					   const struct cpu_context *x)
{
	const struct cpu_slot *s = &c->slot[cpu_rob_at(c, x, 0)];

	switch ((enum cpu_state)s->state) {
	case CPU_WAITS:
	case CPU_FORWARDED:
		return CPU_SLOT_operand;
	case CPU_READY:
		return CPU_SLOT_unit;
	case CPU_ACCESSES:
		return s->kind == UOP_LOAD ? CPU_SLOT_load : CPU_SLOT_atomic;
	case CPU_DONE:
		return cpu_commit_held(c, x, s) ? CPU_SLOT_store :
						  CPU_SLOT_execute;
	default:
		return CPU_SLOT_execute;
	}
}

/* Why a thread has nothing in the ROB. */
static enum cpu_slot_use cpu_commit_empty(const struct cpu_context *x)
{
	if (x->count && x->queue[x->head].block > x->blocks_there)
		return CPU_SLOT_fetch;
	switch (x->why) {
	case CPU_FRONT_CALL:
		return CPU_SLOT_call;
	case CPU_FRONT_ORDER:
		return CPU_SLOT_order;
	case CPU_FRONT_BRANCH:
		return CPU_SLOT_branch;
	default:
		return CPU_SLOT_front;
	}
}

/* The instruction that a thread with nothing in the ROB waits for, or after which
 * it waits. */
static const struct guest_inst *cpu_commit_next(const struct cpu_context *x,
						enum cpu_slot_use use)
{
	if (x->count && (use == CPU_SLOT_fetch || use == CPU_SLOT_front))
		return x->queue[x->head].inst;
	return x->last;
}

enum cpu_slot_use cpu_commit_reason(const struct cpu_core *c,
				    const struct guest_inst **inst)
{
	enum cpu_slot_use use = CPU_SLOT_idle;

	*inst = NULL;
	for (unsigned i = 0; i < (unsigned)c->cfg.threads; i++) {
		const struct cpu_context *x = &c->context[cpu_thread_at(c, i)];

		if (x->rob_count) {
			*inst = c->slot[cpu_rob_at(c, x, 0)].inst;
			return cpu_commit_oldest(c, x);
		}
		if (!x->thread ||
		    (use != CPU_SLOT_idle && use != CPU_SLOT_call))
			continue;
		use = cpu_commit_empty(x);
		*inst = cpu_commit_next(x, use);
	}
	return use;
}

void cpu_commit(struct cpu_core *c)
{
	uint32_t left = (uint32_t)c->cfg.commit_width;
	const struct guest_inst *inst;
	enum cpu_slot_use use;

	c->st.slots += left;
	for (unsigned i = 0; i < (unsigned)c->cfg.threads; i++) {
		unsigned t = cpu_thread_at(c, i);

		while (left && cpu_commit_one(c, &c->context[t])) {
			c->st.committed++;
			c->active = true;
			left--;
		}
	}
	if (!left)
		return;
	use = cpu_commit_reason(c, &inst);
	*cpu_stat_slot(&c->st, use) += left;
	if (c->profile)
		cpu_profile_add(c->profile, inst, use, left);
}

static void cpu_squash_one(struct cpu_core *c, struct cpu_context *x,
			   uint16_t at)
{
	struct cpu_slot *s = &c->slot[at];

	cpu_rename_undo(c, x, at);
	if (s->state == CPU_READY)
		cpu_issue_drop(c, at);
	if (s->state == CPU_WAITS || s->state == CPU_READY)
		c->iq--;
	if (s->state == CPU_ACCESSES || s->state == CPU_FORWARDED)
		cpu_lsq_drop(c, at);
	if (s->bytes)
		c->lsq--;
	if (s->kind == UOP_STORE)
		cpu_lsq_undo(c, x);
	s->seq = UINT64_MAX;
	c->st.squashed++;
	x->rob_count--;
	c->rob--;
}

void cpu_squash(struct cpu_core *c, struct cpu_context *x, uint16_t at,
		cycle_t cycle)
{
	uint16_t last;

	while (last = cpu_rob_at(c, x, x->rob_count - 1u), last != at) {
		CHECK(c->slot[last].wrong);
		cpu_squash_one(c, x, last);
	}
	cpu_fetch_redirect(c, x, cycle);
}
