/*
 * Branches, calls, convergence barriers, exits, and the special registers that
 * change.
 *
 * The number of an instruction is its offset in the text divided by SASS_BYTES;
 * a code address is the offset.
 */
#include <inttypes.h>

#include "isa/sass/exec.h"
#include "isa/sass/program.h"
#include "simt/barrier.h"
#include "simt/block.h"
#include "simt/converge.h"
#include "simt/exchange.h"
#include "simt/view.h"

/* Applies PP, the second condition of branches. False: no lane is left. */
static bool take_condition(struct warp *w, const struct inst *in)
{
	w->mask &= pred_src(w, in, in->e, 0);
	return w->mask != 0;
}

/* The lanes in w->mask continue at in->offset. */
static inline void branch(struct warp *w, const struct inst *in)
{
	if (LIKELY(w->mask == w->active))
		w->pc = (uint32_t)in->offset;
	else
		warp_diverge(w, w->mask, (uint32_t)in->offset, NO_PC);
	if (in->offset <= in->index)
		warp_end_turn(w);
}

void sass_bra_plain(struct warp *w, const struct inst *in)
{
	branch(w, in);
}

void sass_bra(struct warp *w, const struct inst *in)
{
	if (take_condition(w, in))
		branch(w, in);
}

/* One decision for all lanes: whether all of them, or any, fulfil the
 * condition. */
void sass_bra_u(struct warp *w, const struct inst *in)
{
	const struct sass_enc *e = sass_more_of(in)->inst.enc;
	bool any = sass_bits(e->value, 84, 1);

	if (!take_condition(w, in) || (!any && w->mask != w->active))
		return;
	w->mask = w->active;
	branch(w, in);
}

/* A uniform predicate decides. */
void sass_bra_up(struct warp *w, const struct inst *in)
{
	if (!take_condition(w, in))
		return;
	w->mask &= pred_src(w, in, sass_more_of(in)->pq, 1);
	if (w->mask)
		branch(w, in);
}

/* Taken, by all active lanes, if those that fulfil its conditions are not, or are,
 * the lanes in the mask. */
void sass_bra_div(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a);
	uint32_t mask = a[lanes_first(w->mask)] ^
			(in->m & SASS_NEG_A ? ~0u : 0);
	bool if_diverged = in->k == SASS_BRADIV_DIV;
	bool diverged;

	if (!take_condition(w, in))
		return;
	diverged = (uint32_t)w->mask != mask;
	w->mask = w->active;
	if (diverged == if_diverged)
		branch(w, in);
}

void sass_call(struct warp *w, const struct inst *in)
{
	sass_bra(w, in);
}

/* ---- targets in registers ------------------------------------------------ */

/* A code address in a pair. In a replay only the low word is known. */
static uint64_t address_in(const struct warp *w, slot_t s, int l)
{
	const uint32_t *low = slot_at(w, s);
	uint64_t high = launch_replays(w->block->launch) ? 0 : low[LANES + l];

	return low[l] | high << 32;
}

static void bad_target(struct warp *w, const struct inst *in, unsigned lane,
		       uint64_t to)
{
	warp_fault(w, in, FAULT_ILLEGAL, lane_bit(lane), to,
		   "branch to 0x%" PRIx64 ": the code of '%s' has 0x%x bytes",
		   to, w->frame->code->func->name,
		   w->frame->code->count * SASS_BYTES);
}

/* An indirect branch takes one target at a time, as an H200 counts it: lanes with
 * another one than the first lane execute it again. Traces of format version 1 have
 * it once. */
static void leave_others(struct warp *w, const uint64_t to[LANES])
{
	uint64_t first = to[lanes_first(w->mask)];
	lanes_t others = 0;

	for (lanes_t left = w->mask; left; left &= left - 1)
		if (to[lanes_first(left)] != first)
			others |= left & -left;
	if (!others || w->block->launch->program->old_trace)
		return;
	warp_leave(w, others);
	w->event |= EVENT_SWITCH;
}

/* Each lane in w->mask continues at its own address. */
static void jump_lanes(struct warp *w, const struct inst *in,
		       const uint64_t to[LANES])
{
	uint32_t pc[LANES] = { 0 };

	for (unsigned l = 0; l < LANES; l++) {
		if (!(w->mask >> l & 1))
			continue;
		if (to[l] % SASS_BYTES ||
		    to[l] / SASS_BYTES >= w->frame->code->count) {
			bad_target(w, in, l, to[l]);
			return;
		}
		pc[l] = (uint32_t)(to[l] / SASS_BYTES);
	}
	warp_jump_many(w, pc, NO_PC);
}

void sass_brx(struct warp *w, const struct inst *in)
{
	uint64_t to[LANES];

	if (!take_condition(w, in))
		return;
	for (int l = 0; l < LANES; l++) {
		to[l] = address_in(w, in->a, l) + (uint64_t)in->offset;
		if (launch_replays(w->block->launch))
			to[l] = (uint32_t)to[l];
	}
	leave_others(w, to);
	jump_lanes(w, in, to);
}

void sass_jmx(struct warp *w, const struct inst *in)
{
	sass_brx(w, in);
}

void sass_call_reg(struct warp *w, const struct inst *in)
{
	sass_brx(w, in);
}

void sass_ret(struct warp *w, const struct inst *in)
{
	sass_brx(w, in);
}

void sass_ret_abs(struct warp *w, const struct inst *in)
{
	sass_brx(w, in);
}

/* ---- calls of the system ------------------------------------------------- */

/* The register pair with the return address. */
enum { RETURN_REG = 20 };

static void call_service(struct warp *w, const struct inst *in, unsigned number)
{
	const struct sass_code *c = sass_code_of(w->frame->code->func);
	const struct call_info *call = &c->services[number];
	uint64_t back[LANES];

	for (int l = 0; l < LANES; l++)
		back[l] = address_in(
			w, SLOT(SLOT_REG, RETURN_REG * SASS_REG_BYTES), l);
	if (launch_replays(w->block->launch))
		service_replay(w, in, call->service);
	else
		call->service->run(w, in, call);
	if (!(w->event & EVENT_FAULT))
		jump_lanes(w, in, back);
}

/* Lanes that call the same as the first one do so now, the others execute the
 * call again. */
void sass_call_abs(struct warp *w, const struct inst *in)
{
	uint64_t to[LANES], first;
	lanes_t same = 0, all;

	if (!take_condition(w, in))
		return;
	all = w->mask;
	first = address_in(w, in->a, (int)lanes_first(all));
	for (int l = 0; l < LANES; l++) {
		to[l] = address_in(w, in->a, l);
		same |= (lanes_t)(all >> l & 1 && to[l] == first) << l;
	}
	if (!sass_is_service(first)) {
		jump_lanes(w, in, to);
		return;
	}
	if (same != w->active)
		warp_set_apart(w, same);
	call_service(w, in,
		     (unsigned)(first - SASS_SERVICE_OFFSET) / SASS_BYTES);
}

/* The address of the instruction itself, or one that it names. */
void sass_lepc(struct warp *w, const struct inst *in)
{
	static const uint32_t zero[LANES];
	uint32_t low[LANES];

	for (int l = 0; l < LANES; l++)
		low[l] = (uint32_t)in->offset;
	put32(w, in->d, low);
	put32(w, in->d + SASS_PAIR_BYTES, zero);
}

/* ---- convergence --------------------------------------------------------- */

void sass_bssy(struct warp *w, const struct inst *in)
{
	if (take_condition(w, in))
		converge_enter(w, in->d);
}

void sass_bsync(struct warp *w, const struct inst *in)
{
	if (take_condition(w, in))
		converge_wait(w, in->d);
}

void sass_break(struct warp *w, const struct inst *in)
{
	if (take_condition(w, in))
		converge_leave(w, in->d);
}

void sass_bmov_get(struct warp *w, const struct inst *in)
{
	uint32_t *state = slot_at(w, in->c), active[LANES];
	static const uint32_t zero[LANES];

	if (in->k >= SASS_BARRIERS) {
		for (int l = 0; l < LANES; l++)
			active[l] = (uint32_t)w->active;
		put32(w, in->d, active);
		return;
	}
	put32(w, in->d, state);
	if (in->m)
		put32(w, in->c, zero);
}

void sass_bmov_set(struct warp *w, const struct inst *in)
{
	put32(w, in->c, slot_at(w, in->b));
}

/* From c to d. */
void sass_bmov_copy(struct warp *w, const struct inst *in)
{
	static const uint32_t zero[LANES];

	put32(w, in->d, slot_at(w, in->c));
	if (in->m)
		put32(w, in->c, zero);
}

/* Lets the other lanes of a diverged warp run. */
void sass_yield(struct warp *w, const struct inst *in)
{
	(void)in;
	if (w->active == warp_live(w))
		return;
	converge_yield(w);
	w->slice = w->steps;
	w->event |= EVENT_SWITCH;
}

/* b: the lanes that wait for each other. */
void sass_warpsync(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->b, warp_nop);
}

/* One group of lanes goes on, to where it meets the others. */
void sass_warpsync_exclusive(struct warp *w, const struct inst *in)
{
	warp_members_apart(w, in->b);
}

/* The region up to ENDCOLLECTIVE is executed once, by all lanes of a group. */
void sass_warpsync_collective(struct warp *w, const struct inst *in)
{
	warp_members_apart(w, in->b);
}

void sass_endcollective(struct warp *w, const struct inst *in)
{
	warp_nop(w, in);
}

void sass_exit(struct warp *w, const struct inst *in)
{
	if (take_condition(w, in))
		warp_exit(w, w->mask);
}

/* ---- barriers of the block ----------------------------------------------- */

/* What rows name; the lowering takes those of simt/barrier.h. */
void sass_bar(struct warp *w, const struct inst *in)
{
	bar_sync(w, in);
}

void sass_bar_arv(struct warp *w, const struct inst *in)
{
	bar_arrive(w, in);
}

void sass_bar_red(struct warp *w, const struct inst *in)
{
	bar_red(w, in);
}

/* The result of the last reduction at a barrier. */
void sass_b2r(struct warp *w, const struct inst *in)
{
	put32(w, in->d, slot_at(w, in->a));
	pred_put(w, in->d2, pred_get(w, in->b));
}

/* ---- others -------------------------------------------------------------- */

void sass_nop(struct warp *w, const struct inst *in)
{
	warp_nop(w, in);
}

/* Copies are complete when they are executed. */
void sass_depbar(struct warp *w, const struct inst *in)
{
	warp_nop(w, in);
}

void sass_bpt(struct warp *w, const struct inst *in)
{
	warp_fault(w, in, FAULT_TRAP, w->mask, 0,
		   "the program executed a trap instruction");
}

void sass_nanosleep(struct warp *w, const struct inst *in)
{
	const uint32_t *b = slot_at(w, in->b);
	uint32_t max = 0;

	if (!take_condition(w, in))
		return;
	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1 && b[l] > max)
			max = b[l];
	w->effect->sleep_ns = max;
	w->syncs++;
	w->event |= EVENT_YIELD;
}

void sass_uniform(struct warp *w, const struct inst *in)
{
	lanes_t mask = w->mask;

	w->mask = sass_uniform_lanes(w);
	sass_more_of(in)->vector(w, in);
	w->mask = mask;
}

/* ---- special registers --------------------------------------------------- */

void sass_s2r(struct warp *w, const struct inst *in)
{
	put32(w, in->d, slot_at(w, in->a));
}

/* A uniform register has the value of the first active lane. */
void sass_s2ur(struct warp *w, const struct inst *in)
{
	const uint32_t *from = slot_at(w, in->a);

	sass_put_uniform(w, in->d, from[lanes_first(w->mask)]);
}

/* Moves a word from or to Rpc, which code uses as one more register. */
void sass_rpcmov(struct warp *w, const struct inst *in)
{
	put32(w, in->d, slot_at(w, in->b));
}

/* Only SRZ is stored: it clears one register or two. */
void sass_cs2r(struct warp *w, const struct inst *in)
{
	put32(w, in->d, slot_at(w, in->a));
	if (in->count == 2)
		put32(w, in->d + SASS_PAIR_BYTES, slot_at(w, in->a));
}

/* The time: of the clock, or in nanoseconds. Without timing, it counts the
 * warp's instructions: a program can only rely on its advancing. */
void sass_clock(struct warp *w, const struct inst *in)
{
	const struct worker *wk = w->worker;
	uint64_t v = wk->view ? wk->view->now : w->steps;
	uint32_t low[LANES], high[LANES];

	if (wk->view && sass_sreg_is_timer(in->k))
		v = v * 1000 / wk->clock_mhz;
	if (sass_sreg_is_high(in->k))
		v >>= 32;
	w->syncs++;
	for (int l = 0; l < LANES; l++) {
		low[l] = (uint32_t)v;
		high[l] = (uint32_t)(v >> 32);
	}
	put32(w, in->d, low);
	if (in->count == 2)
		put32(w, in->d + SASS_PAIR_BYTES, high);
}
