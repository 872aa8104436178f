#include "isa/x86/row.h"

#include "isa/x86/flags.h"

enum {
	X86_UNDEF_0 = 0,
	X86_UNDEF_AF = X86_AF,
	X86_UNDEF_SHIFT = X86_OF | X86_AF | X86_CF,
	X86_UNDEF_ROTATE = X86_OF,
	X86_UNDEF_MUL = X86_SF | X86_ZF | X86_AF | X86_PF,
	X86_UNDEF_ARITH = X86_ARITH,
	X86_UNDEF_BT = X86_OF | X86_SF | X86_AF | X86_PF,
	X86_UNDEF_BSF = X86_ARITH & ~X86_ZF
};

#define X86_ONE(id, mn, form, sem, undef, unit, lat, uops) \
	static x86_exec *const x86_execs_##id[] = { x86_do_##sem };
#include "isa/x86/x86.def"

const struct x86_row x86_rows[X86_ROWS] = {
#define X86_INT(id, mn, form, sem, undef, unit, lat, uops) \
	{ #mn,                                             \
	  X86_FORM_##form,                                 \
	  X86_UNDEF_##undef,                               \
	  X86_UNIT_##unit,                                 \
	  X86_LATENCY_##lat,                               \
	  uops,                                            \
	  x86_execs_##id },
#define X86_COND X86_INT
#define X86_ONE X86_INT
#define X86_SSE X86_INT
#define X86_SSF X86_INT
#include "isa/x86/x86.def"
};
