/*
 * Fast paths of the most common loads and stores; for mem.c, which has the
 * general ones. They return false if the access is not that simple; then
 * nothing is done.
 */
#ifndef HEDDLE_SIMT_MEM_QUICK_H
#define HEDDLE_SIMT_MEM_QUICK_H

#include <stdbool.h>

#include "simt/mem.h"

/* mem_halves.c: words of global memory, where time is modelled and
 * effect.takes_halves is set. from: mem_wide_register. */
bool load_halves(struct warp *w, const struct inst *in, const uint64_t *from);
bool store_halves(struct warp *w, const struct inst *in);

/* mem_shared.c: words of shared memory, at addresses in 32-bit registers. */
bool store_shared_words(struct warp *w, const struct inst *in);

#endif
