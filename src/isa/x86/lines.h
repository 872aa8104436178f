/* The lines of a program's source, where it was compiled with -g. */
#ifndef HEDDLE_ISA_X86_LINES_H
#define HEDDLE_ISA_X86_LINES_H

#include "base/dwarf_line.h"
#include "base/elf.h"

struct x86_lines {
	struct dwarf_line_table table;
	uint64_t base; /* the address of the first byte of its code */
};

/* Everything is in the arena. base: what the program's addresses are moved by. A table
 * that is damaged, compressed or not there leaves the program without lines. ERR_NOMEM. */
MUST_USE enum err x86_lines_read(struct x86_lines *to, struct arena *a,
				 const struct elf *f, uint64_t base,
				 struct diag *d);
/* The line of an instruction, and the file's name; 0: not known. */
uint32_t x86_lines_find(const struct x86_lines *l, uint64_t at,
			const char **file);

#endif
