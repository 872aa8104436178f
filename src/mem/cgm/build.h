/*
 * The parts of a CGM system; for build.c, which makes them, and system.c.
 */
#ifndef HEDDLE_MEM_CGM_BUILD_H
#define HEDDLE_MEM_CGM_BUILD_H

#include "mem/cgm/agent.h"
#include "mem/cgm/hub.h"
#include "mem/cgm/l1.h"
#include "mem/cgm/memory.h"
#include "mem/cgm/slice.h"
#include "mem/cgm/switch.h"
#include "mem/cgm/system.h"
#include "mem/cgm/wheel.h"

/* Numbers of the elements in the system: caches first, as directories list
 * them. */
enum {
	CGM_NODE_SLICE = CGM_AGENTS,
	CGM_NODE_MEMORY = CGM_NODE_SLICE + 64,
	CGM_NODE_HUB,
	CGM_NODES
};

struct cgm_system {
	struct arena arena;
	const struct cfg *cfg; /* while it is built */
	struct cgm_options options;
	uint64_t khz; /* of ticks */
	cycle_t cpu_period, gpu_period, mem_period;
	cycle_t window, now, to;
	uint32_t cores, cus, banks, slices, switches;
	uint32_t bank_cus; /* compute units of a bank */
	bool gpu_on_ring;
	struct cgm_table migratory; /* what cores follow with cgm.migratory */
	struct cgm_store *store;
	struct team *team;
	uint32_t members;

	struct cgm_part **part;
	uint32_t parts, part_room;
	/* The first of them are the system's own: the wheel knows when they
	 * wake. The rest may be told to wake by anybody, and are looked at. */
	uint32_t own;
	struct cgm_wheel wheel;
	void (*before)(void *ctx, cycle_t now, cycle_t to); /* or NULL */
	void *before_ctx;
	struct cgm_wire **wire; /* the first `links` are those of the ring */
	uint32_t wires, wire_room, links;

	/* Two each of every core, then of every compute unit. */
	struct cgm_source *source;
	struct cgm_l1 **l1;
	uint32_t l1s;
	struct cgm_cache **cache; /* of cores, then banks */
	uint32_t caches;
	struct cgm_slice **slice;
	struct cgm_hot *hot; /* of each slice; NULL: not asked for */
	struct cgm_switch **crossbar;
	uint8_t (*route)[CGM_NODES];
	struct cgm_hub *hub; /* NULL: no GPU */
	struct cgm_agent *agent;
	struct cgm_memory *memory;
};

#endif
