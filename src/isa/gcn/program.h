/*
 * A code object that is ready to run: its sections in global memory with their
 * relocations applied, its functions decoded, its kernels described.
 *
 *   bytes --object.h--> sections --layout, relocate--> image in global memory
 *                          |--meta.h--> descriptors, arguments
 *                          \--lower.h--> struct wave_op
 *
 * Models:  kernels of the amdhsa and mesa3d triples; calls between functions;
 *          read-only and global variables.
 * Does not model: code that is made while it runs; symbols of other objects.
 * Owner:   isa.unload frees it.
 */
#ifndef HEDDLE_ISA_GCN_PROGRAM_H
#define HEDDLE_ISA_GCN_PROGRAM_H

#include "base/dwarf_line.h"
#include "isa/gcn/meta.h"
#include "isa/gcn/object.h"
#include "simt/program.h"
#include "simt/wave.h"

/* Where a function's section is: its number in the file, its offset in the image. */
struct gcn_section {
	uint32_t number;
	uint64_t at;
};

struct gcn_program {
	struct program base; /* first: isa functions cast */
	struct wave_code code;
	struct wave_op *ops;
	uint32_t *op_at;
	uint32_t *first_op;         /* by function */
	struct gcn_kernel *kernels; /* by function */
	uint64_t image;             /* address in global memory; 0: none */
	uint32_t gfx;
	const void *text; /* the code, to print it: a copy */
	struct dwarf_line_table lines;
	struct gcn_section *sections; /* of code, by function */
};

static inline const struct gcn_program *gcn_program_of(const struct program *p)
{
	return (const struct gcn_program *)p;
}

/* isa.load and isa.unload. */
struct cfg;
enum err gcn_load(struct program **out, const char *name, const char *bytes,
		  size_t size, const struct cfg *cfg, struct gmem *g,
		  struct diag *d);
void gcn_unload(struct program *p);

/* What waves ask: simt/wave.h. */
void gcn_start_wave(struct wave *w);
void gcn_demand(struct wave_demand *out, const struct launch *l);
/* Makes the block of memory that holds arguments and dispatch packet. */
enum err gcn_begin_launch(struct launch *l, struct diag *d);
void gcn_end_launch(struct launch *l);

struct cfg;
struct timed_program;

/* isa.time */
enum err gcn_time(struct timed_program **out, struct arena *a,
		  const struct program *p, const struct cfg *cfg,
		  struct diag *d);

#endif
