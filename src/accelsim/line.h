/* One line of a kernel's trace; for block.c only. */
#ifndef HEDDLE_ACCELSIM_LINE_H
#define HEDDLE_ACCELSIM_LINE_H

#include "accelsim/kernel.h"

/* Reads the line of an instruction. r->inst is its number in c->inst. */
MUST_USE enum err asim_read_line(struct asim_record *r, struct asim_block *b,
				 struct asim_code *c,
				 const struct asim_source *s, const char *line,
				 struct diag *d);

#endif
