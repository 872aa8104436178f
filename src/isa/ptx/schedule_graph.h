/* Shared by the files of schedule.h only: the dependences of a region. */
#ifndef HEDDLE_ISA_PTX_SCHEDULE_GRAPH_H
#define HEDDLE_ISA_PTX_SCHEDULE_GRAPH_H

#include "arch/timed.h"
#include "base/arena.h"
#include "isa/ptx/fold.h"
#include "isa/ptx/lowbits.h"
#include "isa/ptx/schedule.h"
#include "isa/ptx/time_live.h"

enum { PLAN_NONE = 0xffffffffu, PLAN_REGION = 1024 };

/* What may move across an instruction. */
enum plan_class {
	PLAN_PURE,    /* only registers order it */
	PLAN_FACT,    /* a comparison, a weak load or store: see schedule.h */
	PLAN_ORDERED, /* keeps its order among these and the instructions above */
	PLAN_WALL     /* nothing moves across it */
};

struct plan_node {
	uint32_t edges;    /* list: index in plan.edge, plus 1 */
	uint32_t waits;    /* instructions before it that are not placed yet */
	uint32_t height;   /* cycles to the end of the region */
	uint32_t earliest; /* cycle in which its operands are there */
	uint32_t group;    /* of instructions with facts; 0: none */
	uint16_t latency;
	uint8_t class; /* enum plan_class */
	bool stores;
	bool folded; /* takes no cycle */
	/* merge.h: the load that it is merged into, or PLAN_NONE; the next one
	 * that follows where it is placed, or PLAN_NONE. */
	uint32_t leader, follower;
	uint32_t ready; /* for merge.h */
};

struct plan_edge {
	uint32_t to, next;
	uint32_t latency;
};

/* A value that a register holds in a region, from its write to its last read. */
struct plan_value {
	uint32_t reads;   /* that are not placed yet */
	uint32_t writer;  /* node, or PLAN_NONE: from before the region */
	uint32_t readers; /* list of nodes: index in plan.reader, plus 1 */
	uint8_t words;
	bool stays; /* live at the end of the region */
	/* It is `base` plus `offset`, where base is another value, or itself. */
	uint32_t base;
	int64_t offset;
	struct lowbits low; /* of its register */
};

struct plan_reader {
	uint32_t node, next;
};

/* A value that an instruction reads or writes, as time_live.ref has them. */
struct plan_use {
	uint32_t value;
	bool write;
};

/* Where a load or store goes. */
struct plan_access {
	uint32_t node;
	uint8_t space;             /* enum space */
	bool constant;             /* of read-only memory */
	uint32_t base;             /* value; or PLAN_NONE */
	const struct ptx_var *var; /* or NULL */
	int64_t offset;
	uint32_t bytes;
};

/* A load of shared memory that others may be merged into: merge.h. */
struct plan_shared {
	uint32_t node;
	uint32_t base; /* value; or PLAN_NONE */
	const struct ptx_var *var;
	int64_t offset;
	uint32_t bytes;
	uint32_t epoch; /* stores to shared memory before it */
	bool merged;
};

/* One function while it is scheduled. The arrays of a region are large enough
 * for any. */
struct plan {
	const struct ptx_func *f;
	const struct cfg *cfg;
	const struct time_live *live;
	uint8_t *fold; /* by instruction of the text: enum ptx_fold */
	const struct lowbits *low; /* by cell */
	uint32_t limit;            /* registers that may be in use */
	bool *now;                 /* by cell: live at the end of the region */
	/* By cell: its value, if `seen` is the number of the region. */
	uint32_t *value_of, *seen;
	uint32_t region;       /* number */
	uint32_t group;        /* the last number given to a group of facts */
	uint32_t first, count; /* instructions of the region */
	struct plan_node *node;
	struct plan_edge *edge;
	struct plan_value *value;
	struct plan_reader *reader;
	struct plan_use *use;
	uint32_t *use_at; /* by node: its uses start here */
	uint32_t edges, values, readers, uses;
	uint32_t edge_room, use_room;
	struct plan_access access[SCHEDULE_FACTS]; /* of the current group */
	uint32_t accesses;
	uint32_t facts[SCHEDULE_FACTS], fact_count;
	uint32_t ordered; /* the last PLAN_ORDERED node, or PLAN_NONE */
	struct plan_shared *shared; /* of the region */
	uint32_t shareds, epoch, merged;
};

enum plan_class plan_class_of(const struct ptx_func *f,
			      const struct ptx_inst *in);
/* `to` waits for `from`, and for so many cycles. False: out of memory. */
MUST_USE bool plan_edge(struct plan *p, uint32_t from, uint32_t to,
			uint32_t latency);
/* Finds the dependences of p's region, and the heights of its instructions.
 * False: out of memory. */
MUST_USE bool plan_graph(struct plan *p);

#endif
