/*
 * Branches, calls, returns, and the special registers that change.
 */
#include <inttypes.h>

#include "isa/ptx/branch.h"
#include "isa/ptx/exec_rows.h"
#include "isa/ptx/program.h"
#include "simt/block.h"
#include "simt/service.h"
#include "simt/view.h"

/* in->offset is the target, in->c where the paths reconverge. */
void exec_bra(struct warp *w, const struct inst *in)
{
	if (LIKELY(w->mask == w->active))
		w->pc = (uint32_t)in->offset;
	else
		warp_diverge(w, w->mask, (uint32_t)in->offset, in->c);
}

void exec_brx(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a);
	const struct branch_table *t = in->table;
	uint32_t pc[LANES];

	for (int l = 0; l < LANES; l++) {
		if (!(w->mask >> l & 1))
			continue;
		if (a[l] >= t->count) {
			warp_fault(w, in, FAULT_ILLEGAL, 1u << l, a[l],
				   "branch index %u is outside the list of %u "
				   "targets",
				   a[l], t->count);
			return;
		}
		pc[l] = t->pc[a[l]];
	}
	warp_jump_many(w, pc, in->c);
}

/* Sets *i to the index of the function at an address. False: there is none. */
static bool func_at(const struct program *p, uint64_t address, uint64_t *i)
{
	*i = (address - WINDOW_FUNC) / FUNC_STRIDE;
	return address >= WINDOW_FUNC && !(address % FUNC_STRIDE) &&
	       *i < p->func_count;
}

/* Whether the parameters and return values of the function have the sizes and
 * places that the call copies to and from. */
static bool call_fits(const struct program *p, const struct code *code,
		      const struct call_info *call)
{
	const struct ptx_func *f = ptx_func_of(code->func);
	const struct layout *l = &ptx_program_of(p)->layouts[f->index];

	if (f->is_entry || f->param_count != call->arg_count ||
	    f->ret_count != call->ret_count)
		return false;
	for (uint32_t i = 0; i < f->param_count; i++)
		if (f->params[i]->space == SPACE_REG ||
		    f->params[i]->bytes != call->args[i].bytes ||
		    l->param[i] != call->args[i].to)
			return false;
	for (uint32_t i = 0; i < f->ret_count; i++)
		if (f->rets[i]->space == SPACE_REG ||
		    f->rets[i]->bytes != call->rets[i].bytes ||
		    l->ret[i] != call->rets[i].from)
			return false;
	return true;
}

/*
 * Lanes may call different functions. Those that call the same as the first lane
 * do so now; the others execute the call again.
 */
static void call_indirect(struct warp *w, const struct inst *in)
{
	const struct call_info *call = in->x;
	const struct program *p = w->block->launch->program;
	int first = __builtin_ctz(w->mask);
	uint64_t to = slot_lane(w, in->a, in->width, first), i;
	bool found = func_at(p, to, &i);
	const struct code *code = found ? p->funcs[i].code : NULL;
	uint32_t same = 0, all = w->mask;

	if (found && p->funcs[i].refused) {
		warp_fault(w, in, FAULT_ILLEGAL, 1u << first, to,
			   "call of a refused function: %s",
			   p->funcs[i].refused);
		return;
	}
	if (!code || !call_fits(p, code, call)) {
		warp_fault(w, in, FAULT_ILLEGAL, 1u << first, to,
			   "call through 0x%" PRIx64
			   ", which is not a function of this prototype",
			   to);
		return;
	}
	for (int l = 0; l < LANES; l++)
		if (all >> l & 1 && slot_lane(w, in->a, in->width, l) == to)
			same |= 1u << l;
	w->mask = same;
	warp_call(w, in, code);
	if (same != all)
		w->pc--;
}

void exec_call(struct warp *w, const struct inst *in)
{
	const struct call_info *call = in->x;

	if (call->service)
		call->service->run(w, in, call);
	else if (call->target)
		warp_call(w, in, call->target);
	else
		call_indirect(w, in);
}

void exec_ret(struct warp *w, const struct inst *in)
{
	(void)in;
	warp_return(w);
}

void exec_exit(struct warp *w, const struct inst *in)
{
	(void)in;
	warp_exit(w, w->mask);
}

void exec_trap(struct warp *w, const struct inst *in)
{
	warp_fault(w, in, FAULT_TRAP, w->mask, 0,
		   "the program executed a trap instruction");
}

void exec_nanosleep(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a);
	uint32_t max = 0;

	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1 && a[l] > max)
			max = a[l];
	w->effect->sleep_ns = max;
	w->syncs++;
	w->event |= EVENT_YIELD;
}

static int64_t sign_extended(uint64_t v, unsigned bytes)
{
	return bytes == 4 ? (int32_t)v : (int64_t)v;
}

static unsigned relation(const struct loop_count *c, uint64_t a, uint64_t b)
{
	if (c->bytes == 4) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	if (a == b)
		return IF_EQ;
	if (c->is_signed)
		return sign_extended(a, c->bytes) < sign_extended(b, c->bytes) ?
			       IF_LT :
			       IF_GT;
	return a < b ? IF_LT : IF_GT;
}

/* Whether the comparison is `goes_on` in the next `tests` iterations of lane
 * l. */
static bool counts_on(const struct warp *w, const struct loop_count *c, int l,
		      unsigned tests, bool goes_on)
{
	uint64_t v = slot_lane(w, c->counter, c->bytes, l);
	uint64_t step = slot_lane(w, c->step, c->bytes, l);
	uint64_t limit = slot_lane(w, c->limit, c->bytes, l);

	step = c->subtracts ? -step : step;
	v = c->tests_old ? v : v + step;
	for (; tests; tests--, v += step) {
		unsigned is = c->swapped ? relation(c, limit, v) :
					   relation(c, v, limit);

		if (((is & c->truth) != 0) != goes_on)
			return false;
	}
	return true;
}

void exec_unrolled(struct warp *w, const struct inst *in)
{
	const struct loop_count *c = in->x;

	for (lanes_t left = w->mask; left; left &= left - 1)
		if (!counts_on(w, c, (int)lanes_first(left), in->k - 1u,
			       in->count)) {
			w->pc = (uint32_t)in->offset;
			return;
		}
}

void exec_facts_end(struct warp *w, const struct inst *in)
{
	(void)w;
	(void)in;
}

/*
 * Without timing, the clock counts the warp's instructions. A program can only
 * rely on its advancing.
 */
static uint64_t warp_cycles(const struct warp *w)
{
	const struct worker *wk = w->worker;

	return wk->view ? wk->view->now : w->steps;
}

static uint64_t warp_nanoseconds(const struct warp *w)
{
	const struct worker *wk = w->worker;

	return wk->view ? wk->view->now * 1000 / wk->clock_mhz : w->steps;
}

void exec_sreg(struct warp *w, const struct inst *in)
{
	uint64_t v, out[LANES];

	switch (in->k) {
	case PTX_SREG_CLOCK_HI:
		v = warp_cycles(w) >> 32;
		break;
	case PTX_SREG_CLOCK:
	case PTX_SREG_CLOCK64:
		v = warp_cycles(w);
		break;
	case PTX_SREG_GLOBALTIMER_HI:
		v = warp_nanoseconds(w) >> 32;
		break;
	case PTX_SREG_GLOBALTIMER:
	case PTX_SREG_GLOBALTIMER_LO:
		v = warp_nanoseconds(w);
		break;
	default:
		v = 0; /* performance counters are not modelled */
	}
	w->syncs++;
	for (int l = 0; l < LANES; l++)
		out[l] = v;
	put_any(w, in->d, in->width, out);
}

/* Allocates on the frame's stack; in->offset is the alignment. */
void exec_alloca(struct warp *w, const struct inst *in)
{
	uint64_t max = 0, at, align = (uint64_t)in->offset, out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint64_t n = slot_lane(w, in->a, in->width, l);

		if (w->mask >> l & 1 && n > max)
			max = n;
	}
	at = (w->frame->local_top + align - 1) / align * align;
	if (max > w->local_size || at + max > w->local_size) {
		warp_fault(w, in, FAULT_LOCAL, w->mask, at,
			   "stack overflow: alloca of %" PRIu64 " bytes", max);
		return;
	}
	w->frame->local_top = (uint32_t)(at + max);
	for (int l = 0; l < LANES; l++)
		out[l] = at;
	put_any(w, in->d, in->width, out);
}

void exec_stacksave(struct warp *w, const struct inst *in)
{
	uint64_t out[LANES];

	for (int l = 0; l < LANES; l++)
		out[l] = w->frame->local_top;
	put_any(w, in->d, in->width, out);
}

/* Frees memory only if all lanes of the frame execute it: other lanes may still
 * use what is above. */
void exec_stackrestore(struct warp *w, const struct inst *in)
{
	uint64_t top = slot_lane(w, in->a, in->width, __builtin_ctz(w->mask));

	if (w->mask == w->frame->live && top <= w->frame->local_top)
		w->frame->local_top = (uint32_t)top;
}
