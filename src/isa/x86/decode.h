/*
 * From bytes to decoded instructions, by Zydis. Where Heddle was built without
 * it, x86_decode_ready says so.
 *
 * An instruction that no row of x86.def takes is decoded, too: executed, it is
 * the guest's fault and names itself.
 */
#ifndef HEDDLE_ISA_X86_DECODE_H
#define HEDDLE_ISA_X86_DECODE_H

#include <stddef.h>

#include "base/diag.h"
#include "isa/x86/inst.h"

enum { X86_LONGEST = 15 /* bytes of an instruction */ };

/* ERR_UNSUPP: this build has no decoder. */
MUST_USE enum err x86_decode_ready(struct diag *d);

/* Decodes the instruction that begins at `bytes`, address `at`. Returns whether
 * it ends a block. `size` bytes may be read; an instruction that is longer than
 * that is an invalid one. */
bool x86_decode(struct x86_inst *i, const void *bytes, size_t size,
		uint64_t at);
/* The instruction as an assembler writes it; *text stays if it is none. */
void x86_decode_text(const void *bytes, size_t bytes_size, uint64_t at,
		     char *text, size_t size);

#endif
