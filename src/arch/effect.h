/*
 * The effect: what an executed warp-instruction did to memory and time.
 *
 *   executor --fills--> effect --> SM, watchers of a run, recorder
 *
 * A worker has one, because one of its warps executes at a time. It holds
 * until the worker executes its next instruction, and means nothing after an
 * instruction without active lanes.
 *
 * Models:  the lanes and addresses of loads, stores, atomics and copies, by
 *          the shortest description that its reader accepts; atomics that
 *          memory performs later; bulk copies; sleeps; calls of malloc.
 * Does not model: values. Textures have no addresses here.
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
	/* Shared memory, a word of 4 bytes for every lane of the warp, all of
	 * them within near_bytes: no two lanes conflict. Only kind and pattern
	 * mean something. */
	EFFECT_NEAR,
	/* Global memory, a word of 4 bytes for every lane of the warp. Those of
	 * each half of the warp are consecutive from half[] on. Only kind,
	 * pattern and half[] mean something. */
	EFFECT_HALVES
};

enum { EFFECT_WORD = 4 };

/* Who reads effects: executors skip what nobody reads. */
enum effect_reader {
	READER_NONE,  /* functional execution */
	READER_WATCH, /* the same with a watcher: wants addr[] */
	READER_TIMING /* accepts all patterns that near_bytes and halves allow */
};

/* What one lane has asked of the engine for bulk copies: simt/bulk.h. */
struct bulk {
	uint64_t address;  /* in global memory */
	char *global;      /* where that is; NULL: nothing is copied */
	char *shared;      /* where its bytes of shared memory are */
	uint64_t *barrier; /* to tell on completion; NULL: the thread's group */
	uint32_t offset;   /* of shared memory */
	uint32_t bytes;    /* a multiple of BULK_CHUNK, not 0 */
	uint16_t keep;     /* bytes of each chunk that are copied */
	bool store;        /* to global memory */
};

struct effect {
	_Alignas(64) uint8_t reader; /* enum effect_reader */
	uint8_t kind;                /* enum timing_kind; PLAIN: no access */
	uint8_t pattern;             /* enum effect_pattern */
	uint8_t space;               /* enum space */
	/* What the reader accepts: shared words within so many bytes as
	 * EFFECT_NEAR, 0 for none; EFFECT_HALVES. */
	bool takes_halves;
	/* It was a call of malloc or free: the result is known at the end of
	 * the epoch. The reader clears it. */
	bool calls_heap;
	uint32_t near_bytes;
	uint32_t bytes; /* that each lane accesses */
	lanes_t mask;   /* lanes that access memory */
	/* Of these, lanes whose own address counts; the others repeat it. */
	lanes_t distinct;
	uint64_t half[2];
	/* An atomic on global memory that is performed later: the lanes that
	 * take part are its own. The reader takes it and sets it to NULL. */
	struct atomic *atomic;
	uint64_t sleep_ns; /* that the instruction asks for */
	uint64_t addr[LANES];
	/* Of a copy from global to shared memory: where it reads. addr[] is
	 * where it writes. */
	lanes_t source_mask;
	uint32_t bulk_count;
	uint64_t source[LANES];
	struct bulk bulk[LANES];
};

/* The lanes of `mask` access `bytes` bytes each in `space`, at addr[]. */
static inline void effect_set(struct effect *e, enum timing_kind kind,
			      unsigned space, lanes_t mask, uint32_t bytes)
{
	e->kind = (uint8_t)kind;
	e->pattern = EFFECT_LANES;
	e->space = (uint8_t)space;
	e->mask = e->distinct = mask;
	e->bytes = bytes;
}

/* A word of each lane, as the pattern says: it implies space, lanes and
 * bytes. */
static inline void effect_set_words(struct effect *e, enum timing_kind kind,
				    enum effect_pattern pattern)
{
	e->kind = (uint8_t)kind;
	e->pattern = (uint8_t)pattern;
}

/* One access of an instruction, all lanes in one space. */
struct access {
	enum space space; /* resolved: never GENERIC */
	bool write;
	uint32_t bytes; /* at addr[l] for each lane l in mask */
	lanes_t mask;
	const uint64_t *addr;
};

/* One warp-instruction as watchers are told of it. */
struct step {
	const struct code *code;
	const struct inst *in;
	uint64_t block; /* number in the grid */
	uint32_t warp;  /* number in the block */
	lanes_t mask;   /* lanes that it acted on */
	lanes_t active; /* lanes that ran together */
	/* Its kind is PLAIN, or LOAD, STORE, ATOMIC, ASYNC with addresses in a
	 * resolved space. */
	const struct effect *effect;
};

enum { STEP_ACCESSES = 2 };

/* What the step has accessed; returns how many accesses there are. They hold as
 * long as the effect. */
unsigned step_accesses(const struct step *s, struct access out[STEP_ACCESSES]);

/* Called by host thread `worker` after each instruction of its warps. */
typedef void step_fn(void *ctx, unsigned worker, const struct step *s);

#endif
