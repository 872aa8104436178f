/*
 * What an instruction is to timing and to replays. Every row of an
 * instruction table names one of each.
 */
#ifndef HEDDLE_ARCH_KIND_H
#define HEDDLE_ARCH_KIND_H

/* How a core treats an instruction once it has issued. */
enum timing_kind {
	KIND_PLAIN,  /* its result is ready after lat.cycles */
	KIND_LOAD,   /* reads memory, and tests of barriers in it: by space */
	KIND_STORE,  /* writes memory */
	KIND_ATOMIC, /* atomics, reductions, barriers in memory */
	KIND_ASYNC,  /* copies global to shared memory, nobody waits yet */
	KIND_BULK,   /* bulk copies: their engine takes them over */
	KIND_COMMIT, /* closes a group of copies */
	KIND_ASYNC_WAIT, /* waits for groups of copies */
	KIND_TEX,        /* textures and loads of surfaces */
	KIND_BARRIER,    /* waits at a barrier of the block */
	KIND_ARRIVE,     /* arrives at one and goes on */
	KIND_FENCE,      /* orders memory accesses */
	KIND_BRANCH,     /* may change the pc: to one of two places */
	KIND_INDIRECT,   /* the same, to one of many */
	KIND_CALL,       /* call, return: another frame of registers */
	KIND_EXIT,       /* ends lanes */
	KIND_SLEEP,      /* lets a stated time pass */
	KIND_COUNT
};

/* What depends on values in an instruction, for recordings and replays. */
enum replay_kind {
	REPLAY_FREE,     /* depends on predicates alone: executed as ever */
	REPLAY_COMPUTE,  /* its result is a value: nothing to do */
	REPLAY_PRED,     /* gives predicates that others may depend on */
	REPLAY_STEER,    /* registers say where it goes, or how far */
	REPLAY_SLEEP,    /* the same, and it waits */
	REPLAY_SYNC,     /* lanes that name each other execute it together */
	REPLAY_CONVERGE, /* the whole warp does */
	REPLAY_CLOCK,    /* reads the time */
	REPLAY_SERVICE,  /* calls the device run-time: printf, malloc */
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
	REPLAY_MATRIX, /* the same with a stride between lines */
	REPLAY_SURFACE,
	REPLAY_SURFACE_RED,
	REPLAY_KINDS
};

#endif
