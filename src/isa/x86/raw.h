/* An instruction as Zydis decodes it; for builds that have Zydis. */
#ifndef HEDDLE_ISA_X86_RAW_H
#define HEDDLE_ISA_X86_RAW_H

#ifdef HEDDLE_ZYDIS

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

struct x86_raw {
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand opnd[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t at;
};

/* False: it is none. */
bool x86_decode_raw(struct x86_raw *raw, const void *bytes, size_t size);

#endif

#endif
