/* The image of the x87 and SSE registers that fxsave writes; a signal's handler
 * gets one, too. */
#ifndef HEDDLE_ISA_X86_EXEC_FX_H
#define HEDDLE_ISA_X86_EXEC_FX_H

#include "isa/x86/cpu.h"

enum { X86_FX_BYTES = 512 };

/* The status register, with its field TOP. */
uint16_t x86_fpu_status(const struct x86_fpu *f);
/* The pointers to the last x87 instruction are zero. */
void x86_fx_pack(const struct x86_cpu *c, uint8_t image[X86_FX_BYTES]);
/* False, and nothing is changed: a reserved bit of MXCSR is set. */
bool x86_fx_unpack(struct x86_cpu *c, const uint8_t image[X86_FX_BYTES]);

#endif
