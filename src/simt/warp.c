#include "simt/warp.h"

#include <stdlib.h>

#include "simt/block.h"
#include "simt/converge.h"
#include "simt/fault.h"
#include "simt/mem.h"

/*
 * Forward progress of diverged lanes. Splits take turns of SLICE instructions; those
 * of machine code of LONG_SLICE, because an H200 does not take turns at all where
 * nothing yields, for as long as was measured.
 * Lanes that wait at a join continue alone when the others have executed SPINS
 * operations that could be part of a spin loop (atomics, volatile loads), or
 * PATIENCE instructions of any kind. The first rule is for locks; the second is
 * for everything else, and so large that ordinary loops reconverge as the
 * compiler intended.
 */
enum { SLICE = 256, LONG_SLICE = 4096, SPINS = 64, PATIENCE = 1 << 20 };

static bool independent(const struct warp *w)
{
	return w->block->launch->independent;
}

static void enter_frame(struct warp *w, struct frame *f)
{
	w->frame = f;
	w->base[SLOT_REG] = f->regs;
	w->insts = f->code->insts;
}

static void load_split(struct warp *w, int i)
{
	struct split *s = &w->splits[i];

	w->current = i;
	w->active = s->mask;
	w->pc = s->pc;
	enter_frame(w, s->frame);
}

static void save_split(struct warp *w)
{
	struct split *s = &w->splits[w->current];

	s->mask = w->active;
	s->pc = w->pc;
	s->frame = w->frame;
	s->ran = w->steps;
}

static struct split *push_split(struct warp *w, lanes_t mask, uint32_t pc,
				struct frame *f, int join)
{
	struct split *s;

	CHECK(w->split_count < LANES && mask);
	s = &w->splits[w->split_count++];
	*s = (struct split){ .mask = mask,
			     .pc = pc,
			     .frame = f,
			     .join = join,
			     .ran = w->steps };
	return s;
}

void warp_remove_split(struct warp *w, int i)
{
	memmove(&w->splits[i], &w->splits[i + 1],
		(size_t)(w->split_count - i - 1) * sizeof(w->splits[0]));
	w->split_count--;
	if (w->current == i) {
		w->current = -1;
		w->event |= EVENT_SWITCH;
	} else if (w->current > i) {
		w->current--;
	}
}

void warp_divide_split(struct warp *w, int i, lanes_t lanes)
{
	struct split *s;

	CHECK(w->split_count < LANES);
	s = &w->splits[w->split_count++];
	*s = w->splits[i];
	s->mask = lanes;
	w->splits[i].mask &= ~lanes;
}

static int new_join(struct warp *w, uint32_t pc, lanes_t expected, int parent)
{
	int i;

	for (i = 0; i < w->join_count; i++)
		if (!w->joins[i].used)
			break;
	if (i == w->join_room) {
		w->join_room = w->join_room ? 2 * w->join_room : 8;
		w->joins = realloc(w->joins,
				   (size_t)w->join_room * sizeof(*w->joins));
		CHECK(w->joins);
	}
	if (i == w->join_count)
		w->join_count++;
	w->joins[i] = (struct join){ .pc = pc,
				     .frame = w->frame,
				     .expected = expected,
				     .parent = parent,
				     .used = true };
	return i;
}

/* Frees the join and lets the lanes that have arrived continue from it. */
static void complete_join(struct warp *w, int i)
{
	struct join *j = &w->joins[i];

	j->used = false;
	if (j->arrived)
		push_split(w, j->arrived, j->pc, j->frame, j->parent);
}

static void complete_frame(struct warp *w, struct frame *f)
{
	if (f->returned)
		push_split(w, f->returned, f->return_pc, f->parent, f->join);
	block_frame_free(w->block, f);
}

/* Lanes leave join i: no lane waits for them there any more. */
static void leave_join(struct warp *w, int i, lanes_t lanes)
{
	struct join *j = &w->joins[i];

	j->expected &= ~lanes;
	if (j->arrived == j->expected)
		complete_join(w, i);
}

void warp_start(struct warp *w, struct frame *first, lanes_t members)
{
	w->members = members;
	w->exited = w->yielded = w->ahead = 0;
	w->steps = w->off = w->syncs = 0;
	w->spin_steps = w->spin_syncs = 0;
	w->event = 0;
	w->split_count = 0;
	w->join_count = 0;
	w->current = -1;
	w->slice = w->stop = 0;
	w->turn = w->whole = false;
	memset(w->lane_pattern, 0, sizeof(w->lane_pattern));
	if (w->met_barrier)
		memset(w->bar_arrived, 0, sizeof(w->bar_arrived));
	w->met_barrier = false;
	push_split(w, members, 0, first, NO_JOIN);
}

bool warp_ready(const struct warp *w)
{
	for (int i = 0; i < w->split_count; i++)
		if (w->splits[i].state == SPLIT_READY)
			return true;
	return false;
}

/* The join of a branch with this post-dominator: the split's next join if it is
 * the same one, as in a loop that lanes leave one by one; else a new one. */
static int join_for(struct warp *w, uint32_t join_pc)
{
	int j = w->splits[w->current].join;

	if (join_pc == NO_PC)
		return j;
	if (j != NO_JOIN && w->joins[j].pc == join_pc &&
	    w->joins[j].frame == w->frame)
		return j;
	return new_join(w, join_pc, w->active, j);
}

void warp_diverge(struct warp *w, lanes_t taken, uint32_t pc_taken,
		  uint32_t join_pc)
{
	int join = join_for(w, join_pc);

	w->active &= ~taken;
	w->splits[w->current].join = join;
	push_split(w, taken, pc_taken, w->frame, join);
	w->event |= EVENT_SWITCH;
}

void warp_jump_many(struct warp *w, const uint32_t pc[LANES], uint32_t join_pc)
{
	lanes_t left = w->mask;

	while (left) {
		uint32_t to = pc[lanes_first(left)];
		lanes_t same = 0;

		for (int l = 0; l < LANES; l++)
			if (left >> l & 1 && pc[l] == to)
				same |= lane_bit((unsigned)l);
		left &= ~same;
		if (same == w->active)
			w->pc = to;
		else
			warp_diverge(w, same, to, join_pc);
	}
}

static void note_wait(struct warp *w, uint64_t *since, uint64_t *syncs)
{
	*since = w->steps;
	*syncs = w->syncs;
}

void warp_arrive(struct warp *w)
{
	uint32_t pc = w->pc - 1;

	/* Most warps never diverge and need not read their splits. */
	if (!w->join_count)
		return;
	for (;;) {
		int i = w->splits[w->current].join;
		struct join *j = i == NO_JOIN ? NULL : &w->joins[i];

		if (!j || j->pc != pc || j->frame != w->frame)
			return;
		if (!j->arrived)
			note_wait(w, &j->since, &j->syncs);
		j->arrived |= w->active;
		if (j->arrived != j->expected) {
			warp_remove_split(w, w->current);
			return;
		}
		j->used = false;
		w->active = j->arrived;
		w->splits[w->current].join = j->parent;
	}
}

/* Copies `bytes` of local memory for each lane in w->mask. */
static void copy_local(struct warp *w, uint64_t to, uint64_t from,
		       uint32_t bytes)
{
	for (lanes_t left = w->mask; left; left &= left - 1) {
		char *lane =
			w->local + (uint64_t)lanes_first(left) * w->local_size;

		memmove(lane + to, lane + from, bytes);
	}
}

static void gather_local(const struct warp *w, uint64_t value[LANES],
			 uint64_t from, uint32_t bytes)
{
	for (int l = 0; l < LANES; l++) {
		value[l] = 0;
		memcpy(&value[l], w->local + (uint64_t)l * w->local_size + from,
		       bytes);
	}
}

static void scatter_local(struct warp *w, const uint64_t value[LANES],
			  uint64_t to, uint32_t bytes)
{
	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1)
			memcpy(w->local + (uint64_t)l * w->local_size + to,
			       &value[l], bytes);
}

/* One argument or result of a call, between two frames. */
static void copy_arg(struct warp *w, const struct call_arg *a, struct frame *to,
		     struct frame *from)
{
	struct frame *here = w->frame;
	uint64_t value[LANES];
	lanes_t pred = 0;

	if (a->from_local && a->to_local) {
		copy_local(w, to->local_base + a->to,
			   from->local_base + a->from, a->bytes);
		return;
	}
	enter_frame(w, from);
	if (a->from_local)
		gather_local(w, value, from->local_base + a->from, a->bytes);
	else if (a->from_reg == 1)
		pred = pred_get(w, a->from);
	else
		for (int l = 0; l < LANES; l++)
			value[l] = slot_lane(w, a->from, a->from_reg, l);
	enter_frame(w, to);
	if (a->to_local)
		scatter_local(w, value, to->local_base + a->to, a->bytes);
	else if (a->to_reg == 1)
		pred_put(w, a->to, pred);
	else
		put_any(w, a->to, a->to_reg, value);
	enter_frame(w, here);
}

void warp_call(struct warp *w, const struct inst *in, const struct code *to)
{
	const struct call_info *call = in->x;
	struct frame *caller = w->frame, *f;
	uint64_t base = (caller->local_top + 15u) & ~15u;

	if (base + to->local_bytes > w->local_size) {
		warp_fault(
			w, in, FAULT_LOCAL, w->mask, base,
			"stack overflow: calling %s needs %u bytes, all %llu "
			"bytes of local memory are in use",
			to->func->name, to->local_bytes,
			(unsigned long long)w->local_size);
		return;
	}
	f = block_frame_new(w->block, to);
	f->parent = caller;
	f->return_pc = w->pc;
	f->live = w->mask;
	f->returned = 0;
	f->local_base = (uint32_t)base;
	f->local_top = (uint32_t)base + to->local_bytes;
	f->call = in;
	for (uint32_t i = 0; i < call->arg_count; i++)
		copy_arg(w, &call->args[i], f, caller);
	if (w->mask != w->active) {
		warp_diverge(w, w->mask, 0, w->pc);
		w->splits[w->split_count - 1].frame = f;
		f->join = w->splits[w->split_count - 1].join;
		return;
	}
	f->join = w->splits[w->current].join;
	enter_frame(w, f);
	w->pc = 0;
}

/* Removes lanes from the current split, which may end with that. */
static void drop_lanes(struct warp *w, lanes_t lanes)
{
	w->active &= ~lanes;
	if (!w->active)
		warp_remove_split(w, w->current);
}

void warp_return(struct warp *w)
{
	struct frame *f = w->frame;
	const struct call_info *call;
	lanes_t lanes = w->mask;

	if (!f->parent) {
		warp_exit(w, lanes);
		return;
	}
	call = f->call->x;
	for (uint32_t i = 0; i < call->ret_count; i++)
		copy_arg(w, &call->rets[i], f->parent, f);
	if (lanes == f->live) {
		w->splits[w->current].join = f->join;
		w->pc = f->return_pc;
		enter_frame(w, f->parent);
		block_frame_free(w->block, f);
		return;
	}
	if (!f->returned)
		note_wait(w, &f->since, &f->syncs);
	f->returned |= lanes;
	drop_lanes(w, lanes);
	if (f->returned == f->live)
		complete_frame(w, f);
}

void warp_exit(struct warp *w, lanes_t lanes)
{
	struct frame *f, *parent;

	w->exited |= lanes;
	for (f = w->frame; f; f = parent) {
		parent = f->parent;
		f->live &= ~lanes;
		if (parent && f->live == f->returned)
			complete_frame(w, f);
	}
	for (int i = 0; i < w->join_count; i++)
		if (w->joins[i].used)
			leave_join(w, i, lanes);
	/* No .sync operation waits for them any more: try it again. */
	for (int i = 0; i < w->split_count; i++)
		if (w->splits[i].state == SPLIT_SYNC &&
		    w->splits[i].needs & lanes)
			w->splits[i].state = SPLIT_READY;
	drop_lanes(w, lanes);
	converge_exited(w);
	block_lanes_exited(w->block, w);
}

/* The innermost join that all splits in `set` will reach. */
static int common_join(const struct warp *w, lanes_t set)
{
	int j = w->splits[lanes_first(set)].join;

	for (; j != NO_JOIN; j = w->joins[j].parent) {
		lanes_t under = 0;

		for (int i = 0; i < w->split_count; i++)
			for (int k = w->splits[i].join; k != NO_JOIN;
			     k = w->joins[k].parent)
				if (k == j)
					under |= lane_bit((unsigned)i);
		if ((set & ~under) == 0)
			return j;
	}
	return NO_JOIN;
}

/* Merges the splits in `set`, which are all at the same pc, into the current
 * one. */
static void warp_merge(struct warp *w, lanes_t set)
{
	int join = common_join(w, set);
	lanes_t lanes = 0;

	for (int i = w->split_count - 1; i >= 0; i--) {
		if (!(set >> i & 1))
			continue;
		for (int k = w->splits[i].join, up; k != join; k = up) {
			up = w->joins[k].parent;
			leave_join(w, k, w->splits[i].mask);
		}
		lanes |= w->splits[i].mask;
	}
	for (int i = LANES - 1; i >= 0; i--)
		if (set >> i & 1 && i != w->current)
			warp_remove_split(w, i);
	w->active = lanes;
	w->splits[w->current].mask = lanes;
	w->splits[w->current].join = join;
	w->splits[w->current].state = SPLIT_READY;
}

static bool same_place(const struct split *a, const struct split *b)
{
	return a->pc == b->pc && a->frame == b->frame;
}

/* Whether the split is at a barrier of the warp, which need not be the same
 * instruction for all lanes. */
static bool warp_at_barrier(const struct split *s)
{
	return s->frame->code->insts[s->pc].flip & INST_WARP_BARRIER;
}

/* Counts the instruction as executed by `lanes` (steps = 1), or undoes that
 * (-1). */
static void warp_count_step(struct warp *w, int steps, lanes_t lanes)
{
	int64_t off = warp_off(lanes);

	w->steps += (uint64_t)(int64_t)steps;
	w->off += (uint64_t)(steps < 0 ? -off : off);
}

/* The splits that wait for the same lanes as the current one, as bits; *lanes:
 * all their lanes. */
static lanes_t waiting_with(const struct warp *w, lanes_t need, lanes_t *lanes)
{
	const struct split *s = &w->splits[w->current];
	lanes_t set = 0;

	*lanes = 0;
	for (int i = 0; i < w->split_count; i++) {
		const struct split *o = &w->splits[i];

		if (o->state != SPLIT_SYNC ||
		    (o->needs & warp_live(w)) != need ||
		    (!same_place(o, s) &&
		     !(warp_at_barrier(o) && warp_at_barrier(s))))
			continue;
		*lanes |= o->mask;
		set |= lane_bit((unsigned)i);
	}
	return set;
}

bool warp_converge(struct warp *w, lanes_t members)
{
	lanes_t need = members & warp_live(w), here, set;
	const struct inst *in = &w->insts[w->pc - 1];
	bool arrivals = w->block->launch->program->lanes_by_place;
	struct split *s;

	if (LIKELY((need & ~w->active) == 0))
		return true;
	save_split(w);
	if (!arrivals)
		warp_count_step(w, -1, w->mask); /* it will be executed again */
	s = &w->splits[w->current];
	s->pc = w->pc - 1;
	s->needs = need;
	s->state = SPLIT_SYNC;
	set = waiting_with(w, need, &here);
	if (need & ~here) {
		w->current = -1;
		w->event |= EVENT_SWITCH;
		return false;
	}
	for (int i = 0; i < w->split_count; i++) {
		struct split *o = &w->splits[i];

		if (!(set >> i & 1) || same_place(o, s))
			continue;
		set &= ~(lane_bit((unsigned)i));
		warp_count_step(w, 1, o->mask);
		o->pc++;
		o->needs = 0;
		o->state = SPLIT_READY;
	}
	warp_merge(w, set);
	w->mask = warp_guard(w, in);
	if (!arrivals)
		warp_count_step(w, 1, w->mask);
	return true;
}

void warp_set_apart(struct warp *w, lanes_t stay)
{
	lanes_t rest = w->active & ~stay;

	push_split(w, rest, w->pc - 1, w->frame, w->splits[w->current].join);
	w->off += lanes_count(w->mask & ~stay);
	w->active = w->mask = stay;
}

void warp_leave(struct warp *w, lanes_t others)
{
	push_split(w, others, w->pc - 1, w->frame, w->splits[w->current].join);
	w->off += lanes_count(others);
	w->active &= ~others;
	w->mask &= ~others;
}

void warp_part(struct warp *w)
{
	lanes_t rest = w->active & ~w->mask;

	if (!rest)
		return;
	push_split(w, rest, w->pc, w->frame, w->splits[w->current].join);
	w->active = w->mask;
}

void warp_wait_converge(struct warp *w, slot_t barrier)
{
	struct split *s = &w->splits[w->current];

	save_split(w);
	s->state = SPLIT_CONVERGE;
	s->converge = barrier;
	w->current = -1;
	w->event |= EVENT_SWITCH;
}

void warp_wait_barrier(struct warp *w, uint8_t barrier)
{
	struct split *s = &w->splits[w->current];

	save_split(w);
	s->state = SPLIT_BARRIER;
	s->barrier = barrier;
	w->current = -1;
	w->event |= EVENT_SWITCH;
}

void warp_release_barrier(struct warp *w, uint8_t barrier)
{
	for (int i = 0; i < w->split_count; i++) {
		struct split *s = &w->splits[i];

		if (s->state == SPLIT_BARRIER && s->barrier == barrier)
			s->state = SPLIT_READY;
	}
}

static bool release_join(struct warp *w, int i)
{
	struct join *j = &w->joins[i];
	lanes_t lanes = j->arrived;

	if (!j->used || !lanes)
		return false;
	j->arrived = 0;
	j->expected &= ~lanes;
	j->used = j->expected != 0;
	push_split(w, lanes, j->pc, j->frame, j->parent);
	return true;
}

static bool release_frame(struct warp *w, struct frame *f)
{
	lanes_t lanes = f->returned;

	if (!lanes)
		return false;
	f->returned = 0;
	f->live &= ~lanes;
	push_split(w, lanes, f->return_pc, f->parent, f->join);
	return true;
}

/* Whether lanes that have waited since then may continue alone. */
static bool waited_long(const struct warp *w, uint64_t since, uint64_t syncs)
{
	return w->syncs - syncs >= SPINS || w->steps - since >= PATIENCE;
}

static bool release_frames(struct warp *w, struct frame *f, bool all)
{
	bool any = false;

	for (; f; f = f->parent)
		if (all || waited_long(w, f->since, f->syncs))
			any |= release_frame(w, f);
	return any;
}

static bool release_waiting(struct warp *w, bool all)
{
	bool any = false;
	int splits = w->split_count;

	for (int i = 0; i < w->join_count; i++)
		if (w->joins[i].used)
			any |= release_frames(w, w->joins[i].frame, all);
	for (int i = 0; i < splits; i++)
		any |= release_frames(w, w->splits[i].frame, all);
	for (int i = 0; i < w->join_count; i++)
		if (all || waited_long(w, w->joins[i].since, w->joins[i].syncs))
			any |= release_join(w, i);
	return any;
}

bool warp_release_joins(struct warp *w)
{
	return independent(w) && release_waiting(w, true);
}

/* Lanes of machine code that are ready at one instruction run together. Adds
 * them to split `best`, and returns its number. */
static __attribute__((noinline)) int take_all_ready(struct warp *w, int best)
{
	for (int i = w->split_count - 1; i >= 0; i--) {
		const struct split *s = &w->splits[i];

		if (i == best || s->state != SPLIT_READY ||
		    !same_place(s, &w->splits[best]))
			continue;
		w->splits[best].mask |= s->mask;
		warp_remove_split(w, i);
		best -= i < best;
	}
	w->yielded &= ~w->splits[best].mask;
	return best;
}

/* What waits among the splits of machine code; -1: there is none. */
struct ready_splits {
	int here,
		branched; /* they have run until now: two, if they part here */
	int recent;       /* the last one that let another go first */
	int last;         /* of the others, the one that ran last */
};

static struct ready_splits ready_splits_of(const struct warp *w)
{
	struct ready_splits r = { -1, -1, -1, -1 };

	for (int i = 0; i < w->split_count; i++) {
		const struct split *s = &w->splits[i];

		if (s->state != SPLIT_READY)
			continue;
		if (s->ran == w->steps)
			*(r.here < 0 ? &r.here : &r.branched) = i;
		else if (s->recent)
			r.recent = i;
		else if (r.last < 0 || s->ran > w->splits[r.last].ran)
			r.last = i;
	}
	return r;
}

/* Where splits part, the one with fewer lanes goes first, of two with as many the one
 * that does not take the branch, which is older. */
static int go_first(struct warp *w, const struct ready_splits *r)
{
	unsigned stay = lanes_count(w->splits[r->here].mask);
	bool swap = lanes_count(w->splits[r->branched].mask) < stay;

	if (r->recent >= 0)
		w->splits[r->recent].recent = false;
	w->splits[swap ? r->here : r->branched].recent = true;
	return swap ? r->branched : r->here;
}

/*
 * Selects the split of machine code to run, or returns -1: what goes on without a
 * branch; where one stops, the last that let another go first. Of all others only the
 * lanes' places are known, so those that are at one place go on together.
 */
static __attribute__((noinline)) int next_of_code(struct warp *w)
{
	struct ready_splits r = ready_splits_of(w);
	int next = r.here >= 0 ? r.here : r.recent;

	if (r.branched >= 0)
		next = go_first(w, &r);
	else if (next < 0 && r.last >= 0)
		next = take_all_ready(w, r.last);
	if (next >= 0) {
		w->splits[next].recent = false;
		w->yielded &= ~w->splits[next].mask;
	}
	return next;
}

/* Selects the split that has waited longest. */
static __attribute__((noinline)) int next_in_turn(struct warp *w, bool by_place)
{
	int best = -1;

	for (int i = w->split_count - 1; i >= 0; i--) {
		const struct split *s = &w->splits[i];

		if (s->state == SPLIT_READY &&
		    (best < 0 || s->ran < w->splits[best].ran + by_place))
			best = i;
	}
	return by_place && best >= 0 ? take_all_ready(w, best) : best;
}

/* Selects the split that ran last, the youngest of several. */
static inline __attribute__((always_inline)) int
next_that_ran(const struct warp *w)
{
	int best = -1;

	for (int i = w->split_count - 1; i >= 0; i--) {
		const struct split *s = &w->splits[i];

		if (s->state == SPLIT_READY &&
		    (best < 0 || s->ran > w->splits[best].ran))
			best = i;
	}
	return best;
}

/* Selects the split to run. Inline, because programs with many barriers call it
 * often. */
static inline __attribute__((always_inline)) bool warp_schedule(struct warp *w)
{
	bool by_place = w->block->launch->program->lanes_by_place;
	int next = w->turn  ? next_in_turn(w, by_place) :
		   by_place ? next_of_code(w) :
			      next_that_ran(w);

	if (UNLIKELY(next < 0 && by_place) && converge_unlock(w))
		next = next_of_code(w);
	w->turn = false;
	w->current = -1;
	if (next < 0)
		return false;
	load_split(w, next);
	return true;
}

static bool lanes_wait(const struct warp *w)
{
	return w->active != warp_live(w);
}

/* Whether the turn of diverged lanes ends at w->slice, wherever they are. */
static bool turns_anywhere(const struct warp *w)
{
	const struct launch *l = w->block->launch;

	return l->independent && !l->program->turns_at_branches;
}

static __attribute__((noinline)) void run_split(struct warp *w, uint64_t end)
{
	do {
		const struct inst *in = &w->insts[w->pc++];

		w->mask = warp_guard(w, in);
		if (LIKELY(!(in->flip & INST_PSEUDO))) {
			w->steps++;
			if (UNLIKELY(!lanes_are_all(w->mask)))
				warp_count_off(w, in);
		}
		if (LIKELY(w->mask))
			in->exec(w, in);
	} while (LIKELY(!w->event) && w->steps < end);
}

/*
 * The same, and calls the launch's watcher for each instruction: when it is
 * executed, not when it is tried and waits for other lanes.
 */
static void run_watched(struct warp *w, uint64_t end)
{
	const struct launch *l = w->block->launch;
	struct effect *e = w->effect;

	do {
		const struct inst *in = &w->insts[w->pc++];
		struct step s = { .code = w->frame->code,
				  .in = in,
				  .block = w->block->index,
				  .warp = w->id,
				  .effect = e };
		uint64_t before = w->steps;

		w->mask = warp_guard(w, in);
		s.active = w->active;
		e->kind = KIND_PLAIN;
		if (!(in->flip & INST_PSEUDO) &&
		    (w->mask || !(in->flip & INST_APART)))
			warp_count_step(w, 1, w->mask);
		if (w->mask)
			in->exec(w, in);
		if (w->steps == before)
			continue;
		mem_resolve_effect(e);
		s.mask = w->mask;
		l->watch(l->watch_ctx, (unsigned)w->worker->index, &s);
	} while (!w->event && w->steps < end);
}

/* The other splits have their turn at the end of a slice, however often the
 * splits have changed meanwhile, and when the current one yields. */
static inline __attribute__((always_inline)) void
warp_take_turns(struct warp *w, bool was_whole)
{
	bool by_place = w->block->launch->program->lanes_by_place;
	uint64_t slice = by_place ? LONG_SLICE : SLICE;

	if (was_whole)
		w->slice = w->steps + slice;
	if (w->steps < w->slice && !(w->event & EVENT_YIELD))
		return;
	w->slice = w->steps + slice;
	w->turn = true;
	release_waiting(w, false);
}

void warp_run(struct warp *w, uint64_t budget)
{
	uint64_t end = w->steps + budget;

	w->event = 0;
	while (w->steps < end && warp_schedule(w)) {
		bool whole = !lanes_wait(w);
		uint64_t stop;

		stop = !whole && turns_anywhere(w) && w->slice < end ?
			       w->slice :
			       end;
		if (UNLIKELY(w->block->launch->watch != NULL))
			run_watched(w, stop);
		else
			run_split(w, stop);
		if (w->current >= 0)
			save_split(w);
		if (w->event & EVENT_FAULT)
			return;
		if (independent(w))
			warp_take_turns(w, whole);
		if (w->event & EVENT_YIELD)
			return;
		w->event = 0;
	}
}

/* What warp_run does before the first instruction of a split. */
static bool begin_split(struct warp *w)
{
	if (!warp_schedule(w))
		return false;
	w->whole = !lanes_wait(w);
	w->stop = !w->whole && turns_anywhere(w) ? w->slice : UINT64_MAX;
	return true;
}

/* What warp_run does after the last one. */
static void end_split(struct warp *w)
{
	if (w->current >= 0)
		save_split(w);
	w->current = -1;
	if (w->event & EVENT_FAULT)
		return;
	if (independent(w))
		warp_take_turns(w, w->whole);
	w->event &= EVENT_YIELD;
}

const struct inst *warp_advance(struct warp *w)
{
	if (w->event & EVENT_FAULT)
		return NULL;
	w->event = 0;
	for (;;) {
		const struct inst *in;

		if (w->current < 0 && !begin_split(w))
			return NULL;
		in = &w->insts[w->pc];
		if (!(in->flip & INST_PSEUDO))
			return in;
		w->pc++;
		w->mask = warp_guard(w, in);
		if (w->mask)
			in->exec(w, in);
		if (w->event)
			end_split(w);
	}
}

bool warp_end_step(struct warp *w, uint64_t before)
{
	bool executed = w->steps != before;

	end_split(w);
	return executed;
}

void warp_endless(struct warp *w)
{
	const struct split *s = w->splits;

	if (w->current >= 0)
		save_split(w);
	while (s->state != SPLIT_READY)
		s++;
	w->frame = s->frame;
	warp_fault(w, &s->frame->code->insts[s->pc], FAULT_LOOP, s->mask, 0,
		   "the warp has executed %llu instructions, the limit; an "
		   "infinite loop?",
		   (unsigned long long)w->steps);
}

void warp_meet(struct warp *w, const struct inst *in)
{
	(void)in;
	warp_arrive(w);
}

/* Releases the frames in which lanes wait for lanes that spin only. */
static bool release_spun_frames(struct warp *w, struct frame *f)
{
	bool any = false;

	for (; f; f = f->parent)
		if (!(f->live & ~(f->returned | w->yielded)))
			any |= release_frame(w, f);
	return any;
}

static bool release_spun(struct warp *w)
{
	int splits = w->split_count;
	bool any = false;

	for (int i = 0; i < splits; i++)
		any |= release_spun_frames(w, w->splits[i].frame);
	for (int i = 0; i < w->join_count; i++) {
		const struct join *j = &w->joins[i];

		if (j->used && !(j->expected & ~(j->arrived | w->yielded)))
			any |= release_join(w, i);
	}
	return any;
}

void warp_spin(struct warp *w, const struct inst *in)
{
	(void)in;
	if (w->active == warp_live(w) || !independent(w))
		return;
	w->yielded |= w->active;
	if (release_spun(w))
		w->yielded = 0;
	w->slice = w->steps;
	w->event |= EVENT_SWITCH;
}

void warp_nop(struct warp *w, const struct inst *in)
{
	(void)w;
	(void)in;
}
