#include "simt/fault.h"

#include <stdio.h>

#include "simt/block.h"
#include "simt/view.h"

const char *fault_text(enum fault_kind kind)
{
	static const char *const text[FAULT_COUNT] = {
#define X(id, words) [FAULT_##id] = words,
		FAULT_MAP(X)
#undef X
	};
	return (unsigned)kind < FAULT_COUNT ? text[kind] : "unknown fault";
}

static void fault_place(struct fault *f, const struct warp *w,
			const struct inst *in, lanes_t lanes)
{
	const struct block *b = w->block;
	const uint32_t *dim = b->launch->block;
	uint32_t lane = lanes ? lanes_first(lanes) : 0;
	uint32_t t = w->id * LANES + lane;

	f->warp = w->id;
	f->lane = lane;
	for (int i = 0; i < 3; i++)
		f->block[i] = b->ctaid[i];
	f->thread[0] = t % dim[0];
	f->thread[1] = t / dim[0] % dim[1];
	f->thread[2] = t / dim[0] / dim[1];
	f->func = w->frame ? w->frame->code->func : b->launch->kernel->func;
	f->inst = in ? in->index : FAULT_NO_INST;
}

/* Whether to keep this fault: the first one is kept. If time is modelled, that
 * is the first by (cycle, SM), whichever SM the host has simulated first. */
static bool is_first(const struct fault *f, const struct worker *wk)
{
	if (f->kind == FAULT_NONE)
		return true;
	return wk->view && (wk->view->now < f->clock ||
			    (wk->view->now == f->clock && wk->smid < f->smid));
}

void warp_fault(struct warp *w, const struct inst *in, int kind, lanes_t lanes,
		uint64_t address, const char *fmt, ...)
{
	const struct worker *wk = w->worker;
	struct launch *l = w->block->launch;
	va_list ap;

	w->event |= EVENT_FAULT;
	pthread_mutex_lock(&l->lock);
	if (is_first(&l->fault, wk)) {
		l->fault.kind = (enum fault_kind)kind;
		l->fault.clock = wk->view ? wk->view->now : 0;
		l->fault.smid = wk->smid;
		l->fault.address = address;
		fault_place(&l->fault, w, in, lanes);
		va_start(ap, fmt);
		vsnprintf(l->fault.text, sizeof(l->fault.text), fmt, ap);
		va_end(ap);
	}
	pthread_mutex_unlock(&l->lock);
	atomic_store_explicit(&l->ended, true, memory_order_relaxed);
}
