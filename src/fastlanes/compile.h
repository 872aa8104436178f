/*
 * The tool chain of FastLanes: from PTX to the CODE file.
 *
 * Models:  what the paper's compiler does: registers are reused, and spilled to
 *          local memory beyond 32; the reconvergence point of a branch comes from
 *          the flow graph; every instruction becomes one or several of FastLanes.
 *          Beside that, copies are forwarded and unused results dropped.
 * Does not model: scheduling, inlining: a kernel that calls a function is refused.
 */
#ifndef HEDDLE_FASTLANES_COMPILE_H
#define HEDDLE_FASTLANES_COMPILE_H

#include "isa/fastlanes/code.h"

/*
 * Compiles PTX text, which errors call `name`. kernel: only this one, NULL: all. A
 * kernel with something unsupported is an error that names the instruction and
 * its line. Free *out with fl_code_free.
 */
MUST_USE enum err fl_compile(struct fl_code **out, const char *name,
			     const char *text, size_t size, const char *kernel,
			     struct diag *d);

#endif
