/*
 * From an instruction of a code object to the line of the source that it came from:
 * .debug_line, as clang writes it for -gline-directives-only and -g, linked or not.
 *
 * Does not read: which functions were inlined: that is in other sections.
 * Owner:   everything is in the arena.
 */
#ifndef HEDDLE_ISA_GCN_LINES_H
#define HEDDLE_ISA_GCN_LINES_H

#include "base/dwarf_line.h"
#include "isa/gcn/object.h"

/* Without the section there are no lines. ERR_SYNTAX: damaged. Code is known by the
 * number of its section (struct gcn_function). */
MUST_USE enum err gcn_lines_read(struct dwarf_line_table *out, struct arena *a,
				 const struct gcn_object *o, struct diag *d);

#endif
