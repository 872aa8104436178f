/*
 * Hazards of machine code without running it: registers that an instruction
 * reads before an earlier one has written them, on some path through the text.
 *
 * From every instruction that writes a register, all paths are followed until
 * the register is ready, as long as its latency or until its counter has been
 * waited for, or is written again. Time passes by stall counts alone.
 *
 * Models:  fixed latencies (latency.def); counters, DEPBAR, and loads that a
 *          later one of their kind ends; branches both ways, calls of known
 *          targets.
 * Does not model: what follows an indirect branch, a return or a call into
 *          another text; results of branch units (LEPC, BMOV) and of HMMA.884; predicates that exclude each other; registers that are
 *          written before an earlier instruction has read them; DEPBAR that
 *          leaves some outstanding, which counts as a wait for all.
 * Owner:   the caller.
 */
#ifndef HEDDLE_ISA_SASS_SCAN_H
#define HEDDLE_ISA_SASS_SCAN_H

#include "isa/sass/cubin.h"
#include "isa/sass/regs.h"

enum { SASS_NEVER_WAITED = 0 };

/* A register that is read too early. */
struct sass_hazard {
	const struct sass_inst *insts; /* of the text, decoded */
	uint32_t writer, reader;       /* instructions, by index */
	uint8_t file, reg;             /* as in struct sass_use */
	/* How much too early; SASS_NEVER_WAITED: its counter was not waited
	 * for, or it has none. */
	uint32_t cycles;
};

struct sass_scan {
	void (*found)(void *ctx, const struct sass_hazard *h);
	void *ctx;
	/* What has been looked at: reads of registers that took their time. */
	uint64_t reads, hazards;
	/* Instructions that are not known: nothing is said about them. */
	uint64_t unknown;
};

/* Scans a kernel's text; each pair of instructions is found once for every
 * register. Fails with ERR_NOMEM only. */
MUST_USE enum err sass_scan(struct sass_scan *s, unsigned sm,
			    const struct sass_kernel *k, struct diag *d);

/* Whether the latencies of an architecture are known, 90 for sm_90. */
bool sass_scan_knows(unsigned sm);

/* "R12", "UP3": returns its length. */
size_t sass_print_register(char *out, size_t room, unsigned file, unsigned reg);

#endif
