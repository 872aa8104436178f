/* fxsave and fxrstor. */
#include "isa/x86/exec_fx.h"

#include "isa/x86/exec.h"
#include "isa/x86/row.h"
#include "isa/x86/soft.h"

/* Where things are in the image. */
enum {
	X86_FX_CONTROL = 0,
	X86_FX_STATUS = 2,
	X86_FX_FULL = 4,
	X86_FX_MXCSR = 24,
	X86_FX_MASK = 28,
	X86_FX_ST = 32,
	X86_FX_XMM = 160,
	X86_FX_USED = 416, /* the rest is left as it is */
	X86_FX_TOP = 11,
	X86_MXCSR_ALL = 0xffff
};

void x86_fx_pack(const struct x86_cpu *c, uint8_t image[X86_FX_BYTES])
{
	const struct x86_fpu *f = &c->fpu;
	uint16_t status = x86_fpu_status(f);
	uint32_t mask = X86_MXCSR_ALL;

	memset(image, 0, X86_FX_USED);
	memcpy(image + X86_FX_CONTROL, &f->control, 2);
	memcpy(image + X86_FX_STATUS, &status, 2);
	image[X86_FX_FULL] = f->full;
	memcpy(image + X86_FX_MXCSR, &c->mxcsr, 4);
	memcpy(image + X86_FX_MASK, &mask, 4);
	for (unsigned n = 0; n < 8; n++) {
		const struct x86_f80 *v = &f->st[(f->top + n) & 7];

		memcpy(image + X86_FX_ST + 16 * n, &v->sig, 8);
		memcpy(image + X86_FX_ST + 16 * n + 8, &v->se, 2);
	}
	memcpy(image + X86_FX_XMM, c->x, sizeof(c->x));
}

bool x86_fx_unpack(struct x86_cpu *c, const uint8_t image[X86_FX_BYTES])
{
	struct x86_fpu *f = &c->fpu;
	uint16_t status;
	uint32_t mxcsr;

	memcpy(&mxcsr, image + X86_FX_MXCSR, 4);
	if (mxcsr & ~(uint32_t)X86_MXCSR_ALL)
		return false;
	x86_set_mxcsr(c, mxcsr);
	memcpy(&f->control, image + X86_FX_CONTROL, 2);
	memcpy(&status, image + X86_FX_STATUS, 2);
	f->top = status >> X86_FX_TOP & 7;
	f->status = (uint16_t)(status & ~(7u << X86_FX_TOP));
	f->full = image[X86_FX_FULL];
	for (unsigned n = 0; n < 8; n++) {
		struct x86_f80 *v = &f->st[(f->top + n) & 7];

		memcpy(&v->sig, image + X86_FX_ST + 16 * n, 8);
		memcpy(&v->se, image + X86_FX_ST + 16 * n + 8, 2);
	}
	memcpy(c->x, image + X86_FX_XMM, sizeof(c->x));
	return true;
}

X86_DO(fxsave)
{
	uint64_t at = x86_address(c, i);
	uint8_t *to;

	if (at % 16)
		return x86_raise(c, i, X86_FAULT_ALIGN);
	to = x86_writable(c, at, X86_FX_BYTES);
	if (UNLIKELY(!to))
		return x86_fail(c, i);
	x86_fx_pack(c, to);
	return i + 1;
}

X86_DO(fxrstor)
{
	uint64_t at = x86_address(c, i);
	const uint8_t *from;

	if (at % 16)
		return x86_raise(c, i, X86_FAULT_ALIGN);
	from = x86_readable(c, at, X86_FX_BYTES);
	if (UNLIKELY(!from))
		return x86_fail(c, i);
	if (!x86_fx_unpack(c, from))
		return x86_raise(c, i, X86_FAULT_PROTECT);
	return i + 1;
}
