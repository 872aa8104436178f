/*
 * Replays the trace of a kernel: a warp executes the records of its lines, one
 * after the other.
 *
 *   file --asim_scan--> code --asim_program--> program
 *   file --blocks, when they start--> records --executors--> effects
 *
 * The file is read twice: once as a whole, for its instructions and for what may
 * be wrong with it, and once while the blocks start, which they do in the order
 * of the file. Memory is bounded by the blocks that run at once.
 *
 * A warp is one split with all its lanes; which of them take part is in the
 * record. So diverged lanes take turns as they did when they were traced.
 *
 * Models:  lanes, addresses, barriers, copies and the groups of them, exits.
 * Does not model: values; how long NANOSLEEP sleeps; addresses of constants and
 *          textures; where in shared memory asynchronous copies go (without
 *          conflicts); named barriers that only some threads of a block use, of
 *          which the trace does not hold the number, and which are refused where
 *          it holds their count.
 * Owner:   the launch (launch.hooks).
 */
#ifndef HEDDLE_ACCELSIM_PLAY_H
#define HEDDLE_ACCELSIM_PLAY_H

#include <pthread.h>

#include "accelsim/kernel.h"
#include "simt/launch.h"
#include "simt/program.h"

/* Called now and then; false: stop. */
typedef bool asim_progress_fn(void *ctx, uint64_t bytes);

/* Reads a kernel's trace from its beginning to its end. On failure c must be
 * freed, too. ERR_FAULT: stopped. */
MUST_USE enum err asim_scan(struct asim_code *c, const char *path,
			    asim_progress_fn *progress, void *ctx,
			    struct diag *d);
/* Makes its program, with executors that replay. ERR_SYNTAX and others name file
 * and line. */
MUST_USE enum err asim_program(struct program **out, const struct asim_code *c,
			       const char *path, struct gmem *g,
			       struct diag *d);

void asim_program_free(struct program *p);

/* A launch that is replayed. */
struct asim_play {
	struct block_hooks hooks;
	struct asim_code *code;
	uint64_t local_low;   /* the lowest offset in local memory */
	uint64_t local_bytes; /* from there on, that a thread accesses */
	pthread_mutex_t lock; /* of what follows */
	struct asim_source *source;
	struct asim_held *ahead; /* blocks that were read but not started */
	struct asim_held *spare; /* for reuse */
};

/* Opens the file again. The code must be complete, and outlive *p. */
MUST_USE enum err asim_play_start(struct asim_play *p, struct asim_code *c,
				  const struct program *program,
				  const char *path, struct diag *d);
void asim_play_end(struct asim_play *p);

#endif
