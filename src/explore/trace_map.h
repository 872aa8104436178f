/*
 * Maps a trace to a GPU: what its SMs would execute, as one text file for each
 * SM. docs/traces.md describes the format.
 *
 * Models:  work-groups assigned to the SMs round-robin, accesses of global and
 *          local memory coalesced as the GPU does, bank conflicts of shared
 *          memory.
 * Does not model: time, and which work-group an SM really gets, which depends
 *          on time.
 */
#ifndef HEDDLE_EXPLORE_TRACE_MAP_H
#define HEDDLE_EXPLORE_TRACE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/space.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "trace/trace.h"

struct trace_map_request {
	struct trace *trace;
	const struct cfg *cfg; /* of the GPU */
	const char *folder;    /* created if it does not exist */
	bool one;              /* map only this launch: */
	uint32_t launch;
	/* Whether to stop early: asked before each work-group. */
	bool (*stopped)(void *ctx);
	void *ctx;
};

struct trace_map_counts {
	uint64_t blocks;
	uint64_t recorded; /* warp-instructions */
	uint64_t reg, shared, constant;
	uint64_t whole, split; /* of memory: in one access, in several */
	uint64_t accesses;     /* coalesced accesses of memory */
};

/* Writes the files; *n counts what they hold. */
MUST_USE enum err trace_map(const struct trace_map_request *q,
			    struct trace_map_counts *n, struct diag *d);

/* "global", "shared", ... */
const char *trace_space(enum space space);

#endif
