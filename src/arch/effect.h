/*
 * The effect: what an executed warp-instruction did to memory and time.
 *
 *   executor --fills--> effect --> SM, watchers of a run, recorder
 *
 * A worker has one, because one of its warps executes at a time. It is valid
 * until the worker executes its next instruction, and undefined after an
 * instruction without active lanes.
 *
 * Models:  the lanes and addresses of loads, stores, atomics and copies, in
 *          the shortest description that its reader accepts; atomics that
 *          memory performs later; bulk copies; sleeps; calls of malloc.
 * Does not model: values. Textures have one address for each lane here, that of
 *          the first texel, and only for a reader that takes them.
 * Owner:   the worker (simt/block.h).
 */
#ifndef HEDDLE_ARCH_EFFECT_H
#define HEDDLE_ARCH_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/inst.h"
#include "arch/lanes.h"

struct atomic;

/* How the accessed addresses are described. */
enum effect_pattern {
	EFFECT_LANES, /* addr[] has an address for each lane of the mask */
	/* Shared memory: every lane of the warp accesses a word of 4 bytes, or
	 * a vector of two or four of them, where near_bytes and near_word say
	 * that no two lanes conflict. Only kind, pattern and bytes are
	 * valid. */
	EFFECT_NEAR,
	/* The same for vectors, if moreover any two groups of lanes that follow
	 * each other do not conflict (near_pairs). */
	EFFECT_PAIRED,
	/* Global memory: every lane of the warp accesses a word of 4 bytes. The
	 * words of each half of the warp are consecutive, from half[] on. Only
	 * kind, pattern and half[] are valid. */
	EFFECT_HALVES,
	/* Constant memory: all lanes of the mask read at half[0]. Accepted by
	 * READER_TIMING. Only kind, pattern, mask, bytes and half[0] are
	 * valid. */
	EFFECT_SAME,
	/* Global memory: every lane of the warp loads at half[0]. Accepted by
	 * READER_TIMING. Only kind, pattern, bytes and half[0] are valid. */
	EFFECT_PLACE
};

enum { EFFECT_WORD = 4 };

/* The reader of effects: executors skip what it does not read. */
enum effect_reader {
	READER_NONE,  /* functional execution */
	READER_WATCH, /* functional execution with a watcher: needs addr[] */
	/* EFFECT_SAME, EFFECT_PLACE, and the patterns that near_bytes and
	 * takes_halves allow */
	READER_TIMING
};

/* A bulk copy that one lane has requested: simt/bulk.h. */
struct bulk {
	uint64_t address;  /* in global memory */
	char *global;      /* host address of that; NULL: nothing is copied */
	char *shared;      /* host address of its bytes of shared memory */
	uint64_t *barrier; /* notified at the end; NULL: the thread's group */
	uint32_t offset;   /* of shared memory */
	uint32_t bytes;    /* a multiple of BULK_CHUNK, not 0 */
	uint16_t keep;     /* bytes of each chunk that are copied */
	bool store;        /* to global memory */
};

/* Calls of the system that take time. */
enum service_kind {
	SERVICE_NONE,
	SERVICE_PRINT,
	SERVICE_MALLOC, /* this one and the next change the heap */
	SERVICE_FREE
};

struct effect {
	_Alignas(64) uint8_t reader; /* enum effect_reader */
	uint8_t kind;                /* enum timing_kind; PLAIN: no access */
	uint8_t pattern;             /* enum effect_pattern */
	uint8_t space;               /* enum space */
	bool takes_halves;           /* the reader accepts EFFECT_HALVES */
	bool takes_texels;           /* the reader reads `fetched` */
	bool takes_sizes;            /* malloc takes time by the size */
	/* Two groups of lanes of a vector load that follow each other share a
	 * pass if they do not conflict: where near_bytes allows EFFECT_NEAR,
	 * the reader needs EFFECT_PAIRED for loads all of whose groups share,
	 * and EFFECT_LANES if only some do. */
	bool near_pairs;
	/* It was a call of the system, by these lanes: when it returns is known
	 * at the end of the epoch. The reader clears it. */
	uint8_t service; /* enum service_kind */
	lanes_t called;
	/* The reader accepts EFFECT_NEAR for words of shared memory within so
	 * many bytes, a power of two; 0: never. For vectors, if the same is
	 * true of every group of lanes that are served together, each of which
	 * has near_word bytes to itself: a group is LANES * near_word / bytes
	 * lanes, at most the warp. */
	uint32_t near_bytes, near_word;
	uint32_t bytes; /* that each lane accesses */
	lanes_t mask;   /* lanes that access memory */
	/* Lanes of mask with an address of their own; the others repeat one of
	 * these. */
	lanes_t distinct;
	uint64_t half[2];
	/* An atomic on global memory that is performed later; it has its own
	 * mask of lanes. The reader takes it and sets this to NULL. */
	struct atomic *atomic;
	/* Textures and loads of surfaces: lanes that read global memory at
	 * addr[]. The reader sets this to 0. */
	lanes_t fetched;
	uint64_t sleep_ns; /* that the instruction sleeps */
	uint64_t addr[LANES];
	/* A copy from global to shared memory reads here and writes at
	 * addr[]. */
	lanes_t source_mask;
	uint32_t bulk_count;
	uint64_t source[LANES];
	struct bulk bulk[LANES];
};

/* Each lane of `mask` accesses `bytes` bytes in `space`, at addr[]. */
static inline void effect_set(struct effect *e, enum timing_kind kind,
			      unsigned space, lanes_t mask, uint32_t bytes)
{
	e->kind = (uint8_t)kind;
	e->pattern = EFFECT_LANES;
	e->space = (uint8_t)space;
	e->mask = e->distinct = mask;
	e->bytes = bytes;
}

/* Every lane accesses `bytes` bytes. The pattern implies space and lanes. */
static inline void effect_set_pattern(struct effect *e, enum timing_kind kind,
				      enum effect_pattern pattern,
				      uint32_t bytes)
{
	e->kind = (uint8_t)kind;
	e->pattern = (uint8_t)pattern;
	e->bytes = bytes;
}

/* One memory access of an instruction: all lanes in one space. */
struct access {
	enum space space; /* resolved: never GENERIC */
	bool write;
	uint32_t bytes; /* at addr[l] for each lane l in mask */
	lanes_t mask;
	const uint64_t *addr;
};

/* One executed warp-instruction, as watchers receive it. */
struct step {
	const struct code *code;
	const struct inst *in;
	uint64_t block; /* number in the grid */
	uint32_t warp;  /* number in the block */
	lanes_t mask;   /* lanes that it acted on */
	lanes_t active; /* lanes that ran together */
	/* Its kind is PLAIN, or one of LOAD, STORE, ATOMIC and ASYNC with
	 * addresses in a resolved space. */
	const struct effect *effect;
};

enum { STEP_ACCESSES = 2 };

/* Lists the accesses of the step and returns their number. They are valid as
 * long as the effect. */
unsigned step_accesses(const struct step *s, struct access out[STEP_ACCESSES]);

/* Called by host thread `worker` after each instruction of its warps. */
typedef void step_fn(void *ctx, unsigned worker, const struct step *s);

#endif
