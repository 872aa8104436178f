/*
 * Marks the instructions of a PTX program for recordings and replays.
 */
#ifndef HEDDLE_ISA_PTX_MARK_H
#define HEDDLE_ISA_PTX_MARK_H

#include "isa/ptx/module.h"
#include "simt/program.h"

/* isa.mark. Fails with ERR_NOMEM only. */
MUST_USE enum err ptx_mark(struct program *p, struct diag *d);

/* mark_derive.c: by instruction, whether a replay computes it. NULL: out of
 * memory. */
bool *ptx_derived(const struct ptx_func *f, struct arena *scratch);

#endif
