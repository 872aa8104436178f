/* Jumps, calls, single flags, what belongs to the system, the ends of blocks. */
#include "isa/x86/exec.h"
#include "isa/x86/region.h"
#include "isa/x86/row.h"

X86_DO(end)
{
	return x86_jump(c, i->imm);
}

X86_DO(refuse)
{
	x86_raise(c, i, X86_FAULT_UNSUPP);
	c->fault.name = (const char *)(uintptr_t)i->imm;
	return NULL;
}

X86_DO(invalid)
{
	return x86_raise(c, i, X86_FAULT_INVALID);
}

/* Of a direct jump: imm is where it goes, disp the next instruction. */

X86_DO(jmp)
{
	return x86_jump(c, i->imm);
}

X86_DO(call)
{
	if (UNLIKELY(!x86_push(c, 64, i->disp)))
		return x86_fail(c, i);
	return x86_jump(c, i->imm);
}

/* Of an indirect one: imm is the next instruction. */

X86_DO(jmpi)
{
	uint64_t to;

	if (UNLIKELY(!x86_get_dst(c, i, &to)))
		return x86_fail(c, i);
	return x86_jump(c, to);
}

X86_DO(calli)
{
	uint64_t to;

	if (UNLIKELY(!x86_get_dst(c, i, &to) || !x86_push(c, 64, i->imm)))
		return x86_fail(c, i);
	return x86_jump(c, to);
}

X86_DO(ret)
{
	uint64_t to;

	if (UNLIKELY(!x86_pop(c, 64, &to)))
		return x86_fail(c, i);
	c->r[X86_RSP] += i->imm;
	return x86_jump(c, to);
}

X86_DO(jrcxz)
{
	return x86_jump(c, c->r[X86_RCX] ? i->disp : i->imm);
}

X86_DO(jecxz)
{
	return x86_jump(c, (uint32_t)c->r[X86_RCX] ? i->disp : i->imm);
}

static const struct x86_inst *x86_loop_if(struct x86_cpu *c,
					  const struct x86_inst *i, bool go)
{
	unsigned bits = i->size32 ? 32 : 64;
	uint64_t left = x86_low(c->r[X86_RCX] - 1, bits);

	x86_put(c, X86_RCX, bits, left);
	return x86_jump(c, left && go ? i->imm : i->disp);
}

X86_DO(loop)
{
	return x86_loop_if(c, i, true);
}

X86_DO(loope)
{
	return x86_loop_if(c, i, x86_zf(c));
}

X86_DO(loopne)
{
	return x86_loop_if(c, i, !x86_zf(c));
}

X86_DO(clc)
{
	x86_set_cf(c, false);
	return i + 1;
}

X86_DO(stc)
{
	x86_set_cf(c, true);
	return i + 1;
}

X86_DO(cmc)
{
	x86_set_cf(c, !x86_cf(c));
	return i + 1;
}

X86_DO(cld)
{
	c->down = false;
	return i + 1;
}

X86_DO(std)
{
	c->down = true;
	return i + 1;
}

X86_DO(nop)
{
	return i + 1;
}

X86_DO(syscall)
{
	c->stop = X86_STOP_SYSCALL;
	return x86_fail(c, i);
}

X86_DO(pause)
{
	c->stop = X86_STOP_YIELD;
	return x86_fail(c, i);
}

X86_DO(region)
{
	c->stop = X86_STOP_REGION;
	c->mark = (uint16_t)(i->disp - X86_MARK);
	return x86_fail(c, i);
}

X86_DO(ud2)
{
	return x86_raise(c, i, X86_FAULT_INVALID);
}

X86_DO(int3)
{
	return x86_raise(c, i, X86_FAULT_TRAP);
}

/* Only the kernel may halt. */
X86_DO(hlt)
{
	return x86_raise(c, i, X86_FAULT_PROTECT);
}

/* c->count is that of the blocks before. */
X86_DO(rdtsc)
{
	uint64_t t = c->timed ? c->cycle : c->count + i->place;

	x86_put(c, X86_RAX, 32, t);
	x86_put(c, X86_RDX, 32, t >> 32);
	return i + 1;
}

/* Programs that measure use it without asking; the processor's number is 0. */
X86_DO(rdtscp)
{
	x86_put(c, X86_RCX, 32, 0);
	return x86_do_rdtsc(c, i);
}

static void x86_cpuid_put(struct x86_cpu *c, uint32_t a, uint32_t b,
			  uint32_t cx, uint32_t d)
{
	x86_put(c, X86_RAX, 32, a);
	x86_put(c, X86_RBX, 32, b);
	x86_put(c, X86_RCX, 32, cx);
	x86_put(c, X86_RDX, 32, d);
}

/* What is executed: x86-64-v2, which is up to SSE4.2. It says that it is Intel's: gcc's and clang's __builtin_cpu_supports looks
 * at features only of vendors that it knows. */
enum {
	X86_CPUID_SIGNATURE = 0x000006d0,
	/* FPU, TSC, CX8, CMOV, CLFLUSH, FXSR, SSE, SSE2 */
	X86_CPUID_EDX = 1 << 0 | 1 << 4 | 1 << 8 | 1 << 15 | 1 << 19 | 1 << 24 |
			1 << 25 | 1 << 26,
	/* SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT */
	X86_CPUID_ECX = 1 << 0 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 23,
	/* SYSCALL, NX, RDTSCP, long mode */
	X86_CPUID_EXT_EDX = 1 << 11 | 1 << 20 | 1 << 27 | 1 << 29,
	X86_CPUID_EXT_ECX = 1 << 0, /* LAHF */
	X86_CPUID_LINE = 8 << 8     /* CLFLUSH: 64 bytes */
};

X86_DO(cpuid)
{
	switch ((uint32_t)c->r[X86_RAX]) {
	case 0: /* "GenuineIntel"; no leaves but 1 */
		x86_cpuid_put(c, 1, 0x756e6547, 0x6c65746e, 0x49656e69);
		break;
	case 1:
		x86_cpuid_put(c, X86_CPUID_SIGNATURE, X86_CPUID_LINE,
			      X86_CPUID_ECX, X86_CPUID_EDX);
		break;
	case 0x80000000:
		x86_cpuid_put(c, 0x80000001, 0, 0, 0);
		break;
	case 0x80000001:
		x86_cpuid_put(c, X86_CPUID_SIGNATURE, 0, X86_CPUID_EXT_ECX,
			      X86_CPUID_EXT_EDX);
		break;
	default:
		x86_cpuid_put(c, 0, 0, 0, 0);
		break;
	}
	return i + 1;
}
