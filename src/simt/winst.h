/*
 * One warp-instruction as executed: what whoever watches a run is told.
 *
 * Models:  the instruction, its lanes, and the memory that it touches, lane
 *          by lane. The same record for every watcher.
 * Does not model: time. Matrix loads and stores of wmma, textures, surfaces
 *          and bulk copies are instructions here, without their addresses.
 */
#ifndef HEDDLE_SIMT_WINST_H
#define HEDDLE_SIMT_WINST_H

#include "arch/inst.h"

/* One access: `bytes` at addr[l] for each lane in mask. */
struct waccess {
	enum space space; /* resolved: never GENERIC */
	bool write;
	uint32_t bytes, mask;
	uint64_t addr[LANES];
};

struct winst {
	const struct code *code;
	const struct inst *in;
	uint64_t block;  /* number in the grid */
	uint32_t warp;   /* number in the block */
	uint32_t mask;   /* lanes that it acted on */
	uint32_t active; /* lanes that ran together */
	uint32_t accesses;
	struct waccess access[2];
};

/* Called by host thread `worker` after each instruction of its warps. */
typedef void winst_fn(void *ctx, unsigned worker, const struct winst *wi);

/* The memory that `in` is about to touch, from the registers as they are. */
void winst_accesses(struct winst *wi, struct warp *w, const struct inst *in);

/* For replays: resolves a generic address; lanes that have a row of as many
 * matrices. */
void winst_settle(struct waccess *a);
uint32_t winst_rows(unsigned matrices);

#endif
