/*
 * Machine code as text, in the form of cuobjdump -sass: of a cubin, of the
 * images of a fat binary, of a program or an object file with such.
 *
 * An instruction that Heddle does not know stands as .inst with its two words.
 */
#ifndef HEDDLE_CLI_SASSLIST_H
#define HEDDLE_CLI_SASSLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

/* Where the text of an instruction begins; a guard ends there. */
enum { SASS_LIST_GAP = 19, SASS_LIST_COLUMN = 16 + SASS_LIST_GAP };

enum { SASS_LIST_NOTE = 200 };

struct sass_listing {
	FILE *to;
	const char *kernel; /* this function only; NULL: all */
	unsigned sm;        /* images for this architecture only; 0: all */
	bool control;       /* with control words */
	/* Instead of the code, the registers that are read too early. */
	bool hazards;
	/* What has been listed. */
	uint64_t images, functions, unknown;
	uint64_t partial; /* instructions with bits that are not known */
	uint64_t early;
	/* The first of them: "0x40 of k, opcode 0xfff". */
	char first_unknown[SASS_LIST_NOTE], first_partial[SASS_LIST_NOTE];
};

/* Whether a file holds machine code, or may: an ELF file or a fat binary. */
bool sass_list_matches(const void *data, size_t size);

/* Lists a file's code and counts. ERR_UNSUPP: it holds none that was asked
 * for. */
MUST_USE enum err sass_list(struct sass_listing *l, const void *data,
			    size_t size, struct diag *d);

/* The lines of instructions, without headings. */
void sass_list_code(struct sass_listing *l, unsigned sm, const uint8_t *code,
		    uint64_t size);

/* The number of an architecture: of "sm_90", "sm_90a", "90". 0: it is none. */
unsigned sass_list_arch(const char *text);

#endif
