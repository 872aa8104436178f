/*
 * What kind of instruction it is to timing and to replays. Every row of an
 * instruction table names one kind of each.
 */
#ifndef HEDDLE_ARCH_KIND_H
#define HEDDLE_ARCH_KIND_H

/* How a core treats an instruction once it has issued. */
enum timing_kind {
	KIND_PLAIN,  /* its result is ready after lat.cycles */
	KIND_LOAD,   /* reads memory, or tests a barrier in it; by space */
	KIND_STORE,  /* writes memory */
	KIND_ATOMIC, /* atomics, reductions, barriers in memory */
	KIND_ASYNC,  /* copies global to shared memory; the warp continues */
	KIND_BULK,   /* bulk copies: handed to the bulk-copy engine */
	KIND_COMMIT, /* closes a group of copies */
	KIND_ASYNC_WAIT, /* waits for groups of copies */
	KIND_TEX,        /* textures and loads of surfaces */
	KIND_BARRIER,    /* waits at a barrier of the block */
	KIND_ARRIVE,     /* arrives at one and continues */
	KIND_FENCE,      /* orders memory accesses */
	KIND_BRANCH,     /* may change the pc, to one target */
	KIND_INDIRECT,   /* may change the pc, to one of many targets */
	KIND_CALL,       /* call, return: changes the frame of registers */
	KIND_EXIT,       /* ends lanes */
	KIND_SLEEP,      /* waits for a stated time */
	/* Only timing makes these, of plain instructions with control bits. */
	KIND_COUNTED,    /* raises a counter until it is complete */
	KIND_COUNT_WAIT, /* waits until a counter is low enough */
	KIND_EMPTY_L1,   /* raises a counter, and empties the L1 */
	KIND_MEET,       /* lanes wait for others, or go on with them */
	KIND_COUNT
};

/* What in an instruction depends on values, and so must be recorded. */
enum replay_kind {
	REPLAY_FREE,     /* depends on predicates alone: executed normally */
	REPLAY_COMPUTE,  /* only computes a value: skipped */
	REPLAY_PRED,     /* sets predicates that others may depend on */
	REPLAY_STEER,    /* registers decide where it branches, or how far */
	REPLAY_SLEEP,    /* registers decide how long it waits */
	REPLAY_SYNC,     /* lanes that name each other execute it together */
	REPLAY_CONVERGE, /* the whole warp executes it together */
	/* looks whether several iterations of a loop are to be executed: a
	 * replay reads their facts ahead */
	REPLAY_UNROLLED,
	/* ends a group of facts of which some are missing (arch/site.h) */
	REPLAY_END,
	REPLAY_CLOCK,   /* reads the time */
	REPLAY_SERVICE, /* calls the device run-time: printf, malloc */
	REPLAY_LOAD,
	REPLAY_LOAD_SHARED, /* a word of shared memory for each lane */
	REPLAY_STORE,
	REPLAY_ATOM,
	REPLAY_ATOM_VEC,
	REPLAY_MBAR, /* changes a barrier in shared memory */
	REPLAY_MBAR_TEST,
	REPLAY_ASYNC,
	REPLAY_BULK,
	REPLAY_ROWS,   /* loads or stores matrices by rows of 16 bytes */
	REPLAY_MATRIX, /* loads or stores matrices by lines with a stride */
	REPLAY_SURFACE,
	REPLAY_SURFACE_RED,
	REPLAY_TEXELS, /* reads texels: textures and loads of surfaces */
	/* Only a replay makes it, of TEXELS, for traces without their
	 * addresses. */
	REPLAY_NO_TEXELS,
	REPLAY_KINDS
};

#endif
