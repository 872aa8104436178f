/*
 * The state of the model while a kernel runs. Private to the model.
 */
#ifndef HEDDLE_FASTLANES_MACHINE_H
#define HEDDLE_FASTLANES_MACHINE_H

#include "fastlanes/model.h"

/* A decoded instruction. */
struct fl_decoded {
	struct fl_inst in;
	/* Registers (bits 0 to 31) and predicates (from 32 on) that it reads or
	 * writes, and those that it writes. */
	uint64_t uses, writes;
};

struct fl_entry {
	uint32_t lanes;
	uint16_t pc, join;
};

struct fl_warp {
	bool live;      /* it has lanes that have not ended */
	bool waits;     /* at a barrier */
	uint8_t block;  /* of the multiprocessor */
	uint8_t index;  /* in its block */
	uint32_t ended; /* lanes that have ended, or never were */
	uint32_t depth;
	struct fl_entry stack[FL_STACK];
	uint32_t buffered;  /* instructions in the buffer, from pc on */
	uint64_t no_fetch;  /* it does not fetch in this cycle */
	uint64_t ready[40]; /* by bit of fl_decoded.uses: cycle */
	uint32_t reg[FL_REGS][FL_LANES];
	uint32_t pred[8];
};

struct fl_block {
	bool live;
	uint32_t id[3];
	uint32_t warps, waiting; /* that have not ended; that wait */
	uint32_t shared_at;      /* in the multiprocessor's shared memory */
};

/* A cache's tags, of which the model keeps the line numbers, plus 1. */
struct fl_tags {
	uint32_t sets, ways;
	uint32_t *line; /* by set and way, most recently used first */
};

struct fl_sm {
	uint32_t number;
	uint64_t now;
	struct fl_warp *warp;
	struct fl_block block[FL_MAX_BLOCKS];
	uint32_t live_warps;
	uint32_t last_issued, last_fetched;
	uint64_t simd_free, lsu_free, segments_free;
	uint64_t pool[FL_POOL]; /* when a load is done; past: free */
	struct fl_tags l1;
	uint8_t *shared;
	uint64_t end; /* the cycle after its last block ended */
};

struct fl_machine {
	const struct fl_config *c;
	const struct fl_launch *l;
	struct arena arena;
	struct fl_decoded *code;
	struct fl_sm *sm;
	struct fl_tags l2;
	struct fl_stats stats;
	struct fl_fault fault;
	struct fl_visit visit; /* for somebody who watches */
	uint64_t next_block, block_count;
	uint32_t places; /* for blocks in a multiprocessor */
	uint32_t warps_of_block, shared_of_block, local_words;
};

/* What a memory instruction did, for its time. */
struct fl_access {
	bool shared, load;
	uint32_t count;             /* of segments */
	uint32_t segment[FL_LANES]; /* line numbers; none of shared memory */
};

/* function.c: executes an instruction of the warp for these lanes: all but what
 * changes the stack and barriers. False: a fault. */
bool fl_execute(struct fl_machine *m, struct fl_sm *sm, struct fl_warp *w,
		const struct fl_decoded *in, uint32_t lanes,
		struct fl_access *access);

/* stack.c */
void fl_stack_start(struct fl_warp *w, uint32_t lanes);
/* Pops what has ended or reconverged. False: the warp has ended. */
bool fl_stack_settle(struct fl_warp *w);
/* The lanes that execute next. */
uint32_t fl_stack_lanes(const struct fl_warp *w);
uint32_t fl_stack_pc(const struct fl_warp *w);
/* Lanes `taken` of those branch. Returns whether they diverge. */
bool fl_stack_branch(struct fl_warp *w, const struct fl_inst *in,
		     uint32_t taken);

/* timing.c: when a memory instruction that is issued now is done. */
uint64_t fl_access_time(struct fl_machine *m, struct fl_sm *sm,
			const struct fl_access *a);

#endif
