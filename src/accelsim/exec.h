/* The executors of a replay; for the files of accelsim only. */
#ifndef HEDDLE_ACCELSIM_EXEC_H
#define HEDDLE_ACCELSIM_EXEC_H

#include "accelsim/play.h"
#include "arch/kind.h"
#include "simt/block.h"

/* block.tape. */
struct asim_tape {
	struct asim_held *held; /* NULL: the block has none */
	struct {
		uint32_t next;    /* record of the warp */
		uint32_t arrived; /* lanes at a barrier that others will reach */
	} warp[32];
};

/* A block that was read. */
struct asim_held {
	struct asim_held *next;
	struct asim_block block;
};

exec_fn *asim_executor(enum timing_kind kind);
exec_fn asim_finish; /* the end of a warp: its last lanes exit */
/* block_hooks.peek */
bool asim_peek(struct warp *w, const struct inst *in, uint64_t addr[LANES]);

#endif
