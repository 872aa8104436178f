/*
 * The executor of every row.
 */
#include "isa/sass/exec.h"
#include "simt/fault.h"

/* Never executed: kernels with such an instruction are refused. */
void sass_refused(struct warp *w, const struct inst *in)
{
	warp_fault(w, in, FAULT_ILLEGAL, w->mask, 0,
		   "the instruction is not supported");
}

void sass_past_end(struct warp *w, const struct inst *in)
{
	warp_fault(w, in, FAULT_ILLEGAL, w->mask, 0,
		   "the code runs past the end of its text");
}

exec_fn *const sass_exec_table[SASS_OP_COUNT] = {
#define INST(id, unit, lat, pipe, kind, replay, exec) [SASS_OP_##id] = exec,
#include "isa/sass/sass.def"
};
