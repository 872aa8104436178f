/*
 * From an instruction to the line of the source that it came from, and to the
 * line of the PTX that ptxas made it from.
 *
 * Reads: .debug_line of DWARF 2 to 5, as nvcc -lineinfo and -G write it, with
 *	NVIDIA's opcode for calls that were inlined; .nv_debug_line_sass, a table
 *	of the same form for the PTX in .nv_debug_ptx_txt.
 * Does not read: units of other versions of DWARF, whose code then has no lines;
 *	columns; tables of code that no relocation names.
 *
 * Owner:   everything is in the arena that sass_lines_read is given.
 */
#ifndef HEDDLE_SASS_LINES_H
#define HEDDLE_SASS_LINES_H

#include "arch/isa.h"
#include "base/dwarf_line.h"
#include "isa/sass/cubin.h"

struct sass_lines {
	const struct sass_cubin *cubin;
	struct dwarf_line_table source, ptx;
	const char **ptx_text; /* by line, from 1 */
	uint32_t ptx_lines;
	uint32_t *shared; /* texts of functions, by sass_text.at */
	uint32_t shared_count;
};

/* Without the sections there are no lines. ERR_SYNTAX: damaged, with the name of
 * the section. *c must stay valid. */
MUST_USE enum err sass_lines_read(struct sass_lines *out, struct arena *a,
				  const struct sass_cubin *c, struct diag *d);

/* The line of the instruction at offset `at` of k's text; false: not known. */
bool sass_lines_at(const struct sass_lines *l, const struct sass_kernel *k,
		   uint32_t at, struct inst_place *out);
/* If it was inlined: the line that called it (depth 0), the line that called that
 * function (1), and so on. False: no more. */
bool sass_lines_caller(const struct sass_lines *l, const struct sass_kernel *k,
		       uint32_t at, unsigned depth, struct inst_place *out);
/* The line of the PTX; 0: not known. */
uint32_t sass_lines_ptx(const struct sass_lines *l, const struct sass_kernel *k,
			uint32_t at);
/* The text of a line of the PTX; NULL: there is none. */
const char *sass_lines_ptx_text(const struct sass_lines *l, uint32_t line);

#endif
