#include "isa/x86/cpu.h"

#include "isa/x86/flags.h"
#include "isa/x86/mem.h"
#include "isa/x86/soft.h"

void x86_cpu_init(struct x86_cpu *c, struct x86_mem *mem)
{
	*c = (struct x86_cpu){ .mem = mem,
			       .memory = mem->memory,
			       .allowed = mem->allowed,
			       .fpu = { .control = X86_FPU_CONTROL } };
	x86_set_mxcsr(c, X86_MXCSR_DEFAULT);
	x86_set_flags(c, 0);
}

void x86_set_mxcsr(struct x86_cpu *c, uint32_t mxcsr)
{
	c->mxcsr = mxcsr;
	c->nearest = (mxcsr & ~X86_MXCSR_FLAGS) == X86_MXCSR_DEFAULT;
	c->quick = c->nearest && mxcsr & X86_FP_INEXACT;
}
