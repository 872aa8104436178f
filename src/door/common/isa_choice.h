/*
 * Which instruction set runs, of those that a program is there in: the option
 * --isa and the variable HEDDLE_ISA.
 */
#ifndef HEDDLE_COMMON_ISA_CHOICE_H
#define HEDDLE_COMMON_ISA_CHOICE_H

#include <stdbool.h>
#include <string.h>

#include "base/diag.h"

enum isa_choice {
	ISA_AUTO, /* what a driver takes: machine code if it fits, else PTX */
	ISA_SASS, /* machine code; PTX is compiled with ptxas first */
	ISA_PTX,
};

/* "auto", "sass" or "ptx"; *d says what would be right. */
MUST_USE enum err isa_choice_read(enum isa_choice *out, const char *text,
				  struct diag *d);

/* "sm_90", or "gfx600": what heddle_kernel.ptx_version is a number of. */
static inline const char *isa_target_prefix(const char *isa)
{
	return !strcmp(isa, "gcn") ? "gfx" : "sm_";
}

/* Whether heddle_kernel.isa is machine code. */
static inline bool isa_is_machine(const char *isa)
{
	return !strcmp(isa, "sass") || !strcmp(isa, "gcn");
}

#endif
