/*
 * An instruction set, as the rest of the simulator sees it. Each folder below
 * isa/ fills in one struct isa; isa/isa.h lists them.
 *
 *   bytes --load--> program --time--> timed instructions    (static)
 *                      |
 *                      \--> inst.exec --> effect             (dynamic)
 */
#ifndef HEDDLE_ARCH_ISA_H
#define HEDDLE_ARCH_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/inst.h"
#include "arch/lanes.h"
#include "base/arena.h"
#include "base/diag.h"
#include "cfg/cfg.h"

struct block;
struct function;
struct gmem;
struct launch;
struct listing;
struct program;
struct timed_program;
struct wave_isa;

/* An instruction, described for messages and reports. */
struct inst_text {
	char text[256];         /* cut to fit, no newline */
	const char *file;       /* of the source, or of the module */
	uint32_t line;          /* in that file */
	uint32_t asm_line, col; /* in the module's own text; 0: no text */
	enum unit_class unit;   /* that executes it */
	enum timing_kind kind;
};

/* A line of a source. */
struct inst_place {
	const char *file;
	uint32_t line;
};

/* Floating-point operations of an instruction, of which a fused multiply-add is
 * two, or operations on matrices. */
struct inst_work {
	uint32_t lane; /* of each lane */
	uint32_t warp; /* of the warp as a whole */
};

struct isa {
	const char *name;
	unsigned lanes; /* of a warp */
	/* Machine code: runs on GPUs with the major number of program.target's
	 * compute capability and no lower minor number. */
	bool native;

	/* Of an instruction set whose programs handle divergence themselves
	 * (simt/wave.h): how its waves execute, in place of inst.exec. Else
	 * NULL. */
	const struct wave_isa *waves;

	/* Whether the bytes are a module of this instruction set. */
	bool (*matches)(const char *bytes, size_t size);
	/* Whether such a module can run at all; NULL: yes. */
	bool (*runs)(const char *bytes, size_t size);
	/* Reads a module and lowers it. On failure *d names the place. Errors
	 * call the module `name`. cfg: the GPU that it will be timed on, or
	 * NULL; the order of instructions may depend on it, results do not. */
	enum err (*load)(struct program **out, const char *name,
			 const char *bytes, size_t size, const struct cfg *cfg,
			 struct gmem *g, struct diag *d);
	/* Makes a program of one kernel, of what a tracer has listed. Its
	 * instructions have no executors: the caller sets them. An instruction
	 * that does not exist is ERR_UNKNOWN, and *which is its number in the
	 * listing. The program's isa differs from this one in what it can do.
	 * NULL: there are no such tracers. */
	enum err (*listed)(struct program **out, const struct listing *l,
			   struct gmem *g, uint32_t *which, struct diag *d);
	void (*unload)(struct program *p);
	/* The module as text, malloc'ed; NULL when out of memory. executed: as
	 * it was loaded for a GPU, not as it was read. */
	char *(*print)(const struct program *p, bool executed);
	/* Instruction `inst` of f's text. */
	void (*describe)(const struct function *f, uint32_t inst,
			 struct inst_text *out);
	/* Of an instruction that was inlined, the line that called it (depth 0),
	 * the line that called that function (1), and so on. False: no more. */
	bool (*caller)(const struct function *f, uint32_t inst, unsigned depth,
		       struct inst_place *out);
	struct inst_work (*work)(const struct function *f, uint32_t inst);

	/* Makes the timed instructions of all functions, in *a. Fails with
	 * ERR_NOMEM only: an instruction that the GPU cannot execute marks its
	 * function as refused. */
	enum err (*time)(struct timed_program **out, struct arena *a,
			 const struct program *p, const struct cfg *cfg,
			 struct diag *d);

	/* Prepare and release what lasts as long as a launch; NULL: nothing.
	 * begin_launch may replace launch.pool and set launch.state. Fails with
	 * ERR_NOMEM only; end_launch is called also then. */
	enum err (*begin_launch)(struct launch *l, struct diag *d);
	void (*end_launch)(struct launch *l);
	/* Set the special registers of a warp that are constant during the
	 * launch, and those that depend on its block. */
	void (*start_launch)(char *sregs, const struct launch *l,
			     uint32_t warp);
	void (*start_block)(char *sregs, const struct block *b);

	/* Fills code.sites of all functions, for recording and replay. */
	enum err (*mark)(struct program *p, struct diag *d);
	/* For recording and replay of matrix accesses. matrix_stride: the bytes
	 * from line to line. matrix_lines: the lines that lanes access from
	 * `base` on, where inactive lanes repeat another's; returns the
	 * alignment that the lines must have. */
	uint64_t (*matrix_stride)(const struct warp *w, const struct inst *in);
	uint32_t (*matrix_lines)(const struct warp *w, const struct inst *in,
				 uint64_t base, uint64_t stride,
				 uint64_t addr[]);
	/* For stores and reductions on surfaces: the addresses that lanes have
	 * written. Returns the lanes of w->mask that wrote; the others get the
	 * address of one that did, or 0. */
	lanes_t (*surface_addresses)(struct warp *w, const struct inst *in,
				     uint64_t addr[]);
};

#endif
