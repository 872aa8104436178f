/*
 * The operands of a form are words, in order:
 *
 *   r1 r2 r4 r8   a general register of so many bytes: RAX, then RCX, then RDX
 *   h             AH; then CH
 *   m1 ... m28    memory of so many bytes: [rbx + 4 * r9 + 4]
 *   i             an immediate
 *   n             a small one, 0 to 7
 *   k             0 to 15
 *   t             0 to 127, each of its bits in half of the cases
 *   c             CL
 *   x             XMM0, then XMM1
 *   s0 ... s7     ST(0) ...
 *   j             a jump over the next instruction, which increments R15
 *   f3 f2         prefixes: rep, repne
 */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "isa/x86/flags.h"
#include "isa/x86/row.h"
#include "isa/x86/soft.h"

static const ZydisMnemonic mnemonics[] = {
#define X86_INT(id, mn, form, sem, undef, unit, lat, uops) ZYDIS_MNEMONIC_##mn,
#define X86_COND X86_INT
#define X86_ONE X86_INT
#define X86_SSE X86_INT
#define X86_SSF X86_INT
#include "isa/x86/x86.def"
};

static const struct {
	unsigned row;
	const char *why;
} left_out[] = {
	{ X86_ROW_TZCNT, "a processor with BMI executes it otherwise" },
	{ X86_ROW_JMP, "programs" },
	{ X86_ROW_JMPI, "programs" },
	{ X86_ROW_CALL, "programs" },
	{ X86_ROW_CALLI, "programs" },
	{ X86_ROW_RET, "programs" },
	{ X86_ROW_SYSCALL, "programs" },
	{ X86_ROW_CPUID, "it says what Heddle is" },
	{ X86_ROW_RDTSC, "it counts what Heddle does" },
	{ X86_ROW_RDTSCP, "it counts what Heddle does" },
	{ X86_ROW_PAUSE, "programs" },
	{ X86_ROW_REGION, "programs" },
	{ X86_ROW_FXSAVE, "programs" },
	{ X86_ROW_FXSAVE64, "programs" },
	{ X86_ROW_FXRSTOR, "programs" },
	{ X86_ROW_FXRSTOR64, "programs" },
	{ X86_ROW_UD2, "unit tests" },
	{ X86_ROW_INT3, "unit tests" },
	{ X86_ROW_HLT, "unit tests" },
	{ X86_ROW_RDSSPD, "a processor may have shadow stacks" },
	{ X86_ROW_RDSSPQ, "a processor may have shadow stacks" },
	{ X86_ROW_RCPSS, "test_approximations.c" },
	{ X86_ROW_RCPPS, "test_approximations.c" },
	{ X86_ROW_RSQRTSS, "test_approximations.c" },
	{ X86_ROW_RSQRTPS, "test_approximations.c" },
	{ X86_ROW_XLAT, "not encoded" },
	{ X86_ROW_FSIN, "test_x87.c" },
	{ X86_ROW_FCOS, "test_x87.c" },
	{ X86_ROW_FSINCOS, "test_x87.c" },
	{ X86_ROW_FPTAN, "test_x87.c" },
	{ X86_ROW_FPATAN, "test_x87.c" },
	{ X86_ROW_F2XM1, "test_x87.c" },
	{ X86_ROW_FYL2X, "test_x87.c" },
	{ X86_ROW_FYL2XP1, "test_x87.c" },
};

const char *case_left_out(unsigned row)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (left_out[i].row == row)
			return left_out[i].why;
	return NULL;
}

/* Operands by row, where the form does not say them: separated by commas. */
static const struct {
	unsigned row;
	const char *operands;
} by_row[] = {
	{ X86_ROW_MOVZX,
	  "r2 r1,r4 r1,r8 r1,r4 h,r4 m1,r8 m1,r4 r2,r8 r2,r8 m2" },
	{ X86_ROW_MOVSX,
	  "r2 r1,r4 r1,r8 r1,r4 h,r4 m1,r8 m1,r4 r2,r8 r2,r8 m2" },
	{ X86_ROW_MOVSXD, "r8 r4,r8 m4" },
	{ X86_ROW_TEST, "r1 r1,h r1,r2 r2,r4 r4,r8 r8,m1 r1,m4 r4,m8 r8,r1 i,"
			"h i,r2 i,r4 i,r8 i,m1 i,m2 i,m4 i,m8 i" },
	{ X86_ROW_MOVNTI, "m4 r4,m8 r8" },
	{ X86_ROW_LEA, "r2 m8,r4 m8,r8 m8" },
	{ X86_ROW_BSWAP, "r4,r8" },
	{ X86_ROW_XCHG, "r1 r1,h r1,r2 r2,r4 r4,r8 r8,m1 r1,m4 r4,m8 r8" },
	{ X86_ROW_XADD, "r1 r1,r2 r2,r4 r4,r8 r8,m1 r1,m2 r2,m4 r4,m8 r8" },
	{ X86_ROW_CMPXCHG, "r1 r1,r2 r2,r4 r4,r8 r8,m1 r1,m2 r2,m4 r4,m8 r8" },
	{ X86_ROW_CMPXCHG8B, "m8" },
	{ X86_ROW_CMPXCHG16B, "m16" },
	{ X86_ROW_PUSH, "r8,r2,m8,i" },
	{ X86_ROW_POP, "r8,r2,m8" },
	{ X86_ROW_IMUL2, "r2 r2,r4 r4,r8 r8,r2 m2,r4 m4,r8 m8" },
	{ X86_ROW_IMUL3, "r2 r2 i,r4 r4 i,r8 r8 i,r4 m4 i,r8 m8 i" },
	{ X86_ROW_SHLD, "r2 r2 i,r4 r4 i,r8 r8 i,r4 r4 c,r8 r8 c,m8 r8 c" },
	{ X86_ROW_SHRD, "r2 r2 i,r4 r4 i,r8 r8 i,r4 r4 c,r8 r8 c,m8 r8 c" },
	{ X86_ROW_BT, "r2 r2,r4 r4,r8 r8,r2 i,r4 i,r8 i,m4 i,m8 i" },
	{ X86_ROW_BTS, "r2 r2,r4 r4,r8 r8,r2 i,r4 i,r8 i,m4 i,m8 i" },
	{ X86_ROW_BTR, "r2 r2,r4 r4,r8 r8,r2 i,r4 i,r8 i,m4 i,m8 i" },
	{ X86_ROW_BTC, "r2 r2,r4 r4,r8 r8,r2 i,r4 i,r8 i,m4 i,m8 i" },
	{ X86_ROW_BSF, "r2 r2,r4 r4,r8 r8,r2 m2,r4 m4,r8 m8" },
	{ X86_ROW_BSR, "r2 r2,r4 r4,r8 r8,r2 m2,r4 m4,r8 m8" },
	{ X86_ROW_LDMXCSR, "m4" },
	{ X86_ROW_STMXCSR, "m4" },
	{ X86_ROW_NOP, ",r4,m4" },
	{ X86_ROW_PREFETCHT0, "m1" },
	{ X86_ROW_PREFETCHT1, "m1" },
	{ X86_ROW_PREFETCHT2, "m1" },
	{ X86_ROW_PREFETCHNTA, "m1" },
	{ X86_ROW_PREFETCHW, "m1" },
	{ X86_ROW_CLFLUSH, "m64" },
	{ X86_ROW_SHUFPS, "x x i,x m16 i" },
	{ X86_ROW_SHUFPD, "x x i,x m16 i" },
	{ X86_ROW_PSHUFD, "x x i,x m16 i" },
	{ X86_ROW_PSHUFLW, "x x i,x m16 i" },
	{ X86_ROW_PSHUFHW, "x x i,x m16 i" },
	{ X86_ROW_CMPSS, "x x n,x m4 n" },
	{ X86_ROW_CMPSD, "x x n,x m8 n" },
	{ X86_ROW_CMPPS, "x x n,x m16 n" },
	{ X86_ROW_CMPPD, "x x n,x m16 n" },
	{ X86_ROW_MOVHLPS, "x x" },
	{ X86_ROW_MOVLHPS, "x x" },
	{ X86_ROW_MOVLPS, "x m8" },
	{ X86_ROW_MOVLPD, "x m8" },
	{ X86_ROW_MOVHPS, "x m8" },
	{ X86_ROW_MOVHPD, "x m8" },
	{ X86_ROW_MOVLPS_S, "m8 x" },
	{ X86_ROW_MOVLPD_S, "m8 x" },
	{ X86_ROW_MOVHPS_S, "m8 x" },
	{ X86_ROW_MOVHPD_S, "m8 x" },
	{ X86_ROW_MOVSS_L, "x m4" },
	{ X86_ROW_MOVSS_S, "m4 x" },
	{ X86_ROW_MOVSS, "x x" },
	{ X86_ROW_MOVSD_L, "x m8" },
	{ X86_ROW_MOVSD_S, "m8 x" },
	{ X86_ROW_MOVSD, "x x" },
	{ X86_ROW_MOVD_G, "r4 x,m4 x" },
	{ X86_ROW_MOVD_X, "x r4,x m4" },
	{ X86_ROW_MOVQ_G, "r8 x" },
	{ X86_ROW_MOVQ_X, "x r8" },
	{ X86_ROW_MOVQ, "x x,x m8,m8 x" },
	{ X86_ROW_MOVMSKPS, "r4 x" },
	{ X86_ROW_MOVMSKPD, "r4 x" },
	{ X86_ROW_PMOVMSKB, "r4 x" },
	{ X86_ROW_PEXTRW, "r4 x i" },
	{ X86_ROW_PINSRW, "x r4 i,x m2 i" },
	{ X86_ROW_MASKMOVDQU, "x x" },
	{ X86_ROW_PSLLDQ, "x i" },
	{ X86_ROW_PSRLDQ, "x i" },
	{ X86_ROW_CVTSI2SS, "x r4,x r8,x m4,x m8" },
	{ X86_ROW_CVTSI2SD, "x r4,x r8,x m4,x m8" },
	{ X86_ROW_CVTSS2SI, "r4 x,r8 x,r4 m4,r8 m4" },
	{ X86_ROW_CVTTSS2SI, "r4 x,r8 x,r4 m4,r8 m4" },
	{ X86_ROW_CVTSD2SI, "r4 x,r8 x,r4 m8,r8 m8" },
	{ X86_ROW_CVTTSD2SI, "r4 x,r8 x,r4 m8,r8 m8" },
	{ X86_ROW_FLD, "s0,s1,m4,m8,m10" },
	{ X86_ROW_FST, "s1,m4,m8" },
	{ X86_ROW_FSTP, "s1,m4,m8,m10" },
	{ X86_ROW_FILD, "m2,m4,m8" },
	{ X86_ROW_FIST, "m2,m4" },
	{ X86_ROW_FISTP, "m2,m4,m8" },
	{ X86_ROW_FXCH, "s1" },
	{ X86_ROW_FADD, "s0 s1,s1 s0,m4,m8" },
	{ X86_ROW_FSUB, "s0 s1,s1 s0,m4,m8" },
	{ X86_ROW_FSUBR, "s0 s1,s1 s0,m4,m8" },
	{ X86_ROW_FMUL, "s0 s1,s1 s0,m4,m8" },
	{ X86_ROW_FDIV, "s0 s1,s1 s0,m4,m8" },
	{ X86_ROW_FDIVR, "s0 s1,s1 s0,m4,m8" },
	{ X86_ROW_FADDP, "s1 s0" },
	{ X86_ROW_FSUBP, "s1 s0" },
	{ X86_ROW_FSUBRP, "s1 s0" },
	{ X86_ROW_FMULP, "s1 s0" },
	{ X86_ROW_FDIVP, "s1 s0" },
	{ X86_ROW_FDIVRP, "s1 s0" },
	{ X86_ROW_FIADD, "m2,m4" },
	{ X86_ROW_FIMUL, "m2,m4" },
	{ X86_ROW_FUCOMI, "s0 s1" },
	{ X86_ROW_FUCOMIP, "s0 s1" },
	{ X86_ROW_FCOMI, "s0 s1" },
	{ X86_ROW_FCOMIP, "s0 s1" },
	{ X86_ROW_FCOM, "s1,m4,m8" },
	{ X86_ROW_FCOMP, "s1,m4,m8" },
	{ X86_ROW_FUCOM, "s1" },
	{ X86_ROW_FUCOMP, "s0 s1" },
	{ X86_ROW_FICOM, "m2,m4" },
	{ X86_ROW_FICOMP, "m2,m4" },
	{ X86_ROW_FISUB, "m2,m4" },
	{ X86_ROW_FISUBR, "m2,m4" },
	{ X86_ROW_FIDIV, "m2,m4" },
	{ X86_ROW_FIDIVR, "m2,m4" },
	{ X86_ROW_FBLD, "m10" },
	{ X86_ROW_FBSTP, "m10" },
	{ X86_ROW_FFREE, "s0,s1" },
	{ X86_ROW_FNSTCW, "m2" },
	{ X86_ROW_FLDCW, "m2" },
	{ X86_ROW_FNSTSW, "m2" },
	{ X86_ROW_FNSTENV, "m28" },
	{ X86_ROW_FISTTP, "m2,m4,m8" },
	{ X86_ROW_LDDQU, "x m16" },
	{ X86_ROW_MOVNTDQA, "x m16" },
	{ X86_ROW_PALIGNR, "x x i,x m16 i" },
	{ X86_ROW_BLENDPS, "x x i,x m16 i" },
	{ X86_ROW_BLENDPD, "x x i,x m16 i" },
	{ X86_ROW_PBLENDW, "x x i,x m16 i" },
	{ X86_ROW_DPPS, "x x i,x m16 i" },
	{ X86_ROW_DPPD, "x x i,x m16 i" },
	{ X86_ROW_ROUNDSS, "x x k,x m4 k" },
	{ X86_ROW_ROUNDSD, "x x k,x m8 k" },
	{ X86_ROW_ROUNDPS, "x x k,x m16 k" },
	{ X86_ROW_ROUNDPD, "x x k,x m16 k" },
	{ X86_ROW_EXTRACTPS, "r4 x i,m4 x i" },
	{ X86_ROW_INSERTPS, "x x i,x m4 i" },
	{ X86_ROW_MPSADBW, "x x i,x m16 i" },
	{ X86_ROW_PEXTRB, "r4 x i,m1 x i" },
	{ X86_ROW_PEXTRD, "r4 x i,m4 x i" },
	{ X86_ROW_PEXTRQ, "r8 x i,m8 x i" },
	{ X86_ROW_PINSRB, "x r4 i,x m1 i" },
	{ X86_ROW_PINSRD, "x r4 i,x m4 i" },
	{ X86_ROW_PINSRQ, "x r8 i,x m8 i" },
	{ X86_ROW_PCMPESTRI, "x x t,x m16 t" },
	{ X86_ROW_PCMPESTRM, "x x t,x m16 t" },
	{ X86_ROW_PCMPISTRI, "x x t,x m16 t" },
	{ X86_ROW_PCMPISTRM, "x x t,x m16 t" },
	{ X86_ROW_CRC32, "r4 r1,r4 r2,r4 r4,r8 r8,r4 m1,r4 m2,r4 m4,r8 m8" },
	{ X86_ROW_POPCNT, "r2 r2,r4 r4,r8 r8,r2 m2,r4 m4,r8 m8" },
	{ X86_ROW_FLDENV, "m28" },
};

static const char *const by_form[] = {
	[X86_FORM_RMW2] = "r1 r1,h r1,r1 h,r2 r2,r4 r4,r8 r8,r1 m1,r2 m2,r4 m4,"
			  "r8 m8,m1 r1,m2 r2,m4 r4,m8 r8,r1 i,h i,r2 i,"
			  "r4 i,r8 i,m1 i,m2 i,m4 i,m8 i",
	[X86_FORM_RMW1] = "r1,h,r2,r4,r8,m1,m2,m4,m8",
	[X86_FORM_SHIFT] =
		"r1 i,h i,r2 i,r4 i,r8 i,m1 i,m2 i,m4 i,m8 i,r1 c,h c,"
		"r2 c,r4 c,r8 c,m1 c,m2 c,m4 c,m8 c",
	[X86_FORM_GPR1] = "r1,h,r2,r4,r8,m1,m2,m4,m8",
	[X86_FORM_JUMP] = "j",
	[X86_FORM_SET] = "r1,h,m1",
	[X86_FORM_CMOV] = "r2 r2,r4 r4,r8 r8,r2 m2,r4 m4,r8 m8",
	[X86_FORM_FCMOV] = "s0 s1",
	[X86_FORM_STR] = ",f3",
	[X86_FORM_A16] = "x x,x m16",
	[X86_FORM_U16] = "x x,x m16",
	[X86_FORM_U8] = "x x,x m8",
	[X86_FORM_U4] = "x x,x m4",
	[X86_FORM_U2] = "x x,x m2",
	[X86_FORM_VSH] = "x x,x m16,x i",
	[X86_FORM_XMEM] = "m16 x",
};

static const char *operands_of(unsigned row)
{
	enum x86_form form = x86_rows[row].form;

	for (size_t i = 0; i < sizeof(by_row) / sizeof(by_row[0]); i++)
		if (by_row[i].row == row)
			return by_row[i].operands;
	if (form == X86_FORM_RD2 || form == X86_FORM_MOV2)
		form = X86_FORM_RMW2;
	/* These look for something. */
	if (row >= X86_ROW_SCASB && row <= X86_ROW_CMPSQ)
		return ",f3,f2";
	if (form < sizeof(by_form) / sizeof(by_form[0]) && by_form[form])
		return by_form[form];
	return "";
}

enum { FORMS_MOST = 2000 };

size_t case_forms(const struct case_form **out)
{
	static struct case_form forms[FORMS_MOST];
	static size_t count;
	bool made = count;

	*out = forms;
	for (unsigned row = 0; row < X86_ROWS && !made; row++) {
		const char *at = operands_of(row);
		size_t n;

		if (case_left_out(row))
			continue;
		do {
			n = strcspn(at, ",");
			forms[count].row = row;
			memcpy(forms[count].operands, at, n);
			count++;
			at += n;
		} while (*at++);
	}
	return count;
}

/* Numbers that are the same on every machine. */
static uint64_t mix(uint64_t z)
{
	z = (z + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t number(unsigned n, unsigned which)
{
	static const uint64_t edges[] = {
		0,
		1,
		0x7f,
		0x80,
		0xff,
		0x7fff,
		0x8000,
		0xffff,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x100000000,
		0x7fffffffffffffff,
		0x8000000000000000,
		0xffffffffffffffff,
		0xfffffffffffffffe,
		0x0f0f0f0f0f0f0f10,
		0x55,
	};
	uint64_t h = mix(n * 64u + which);

	if (h % 3)
		return edges[(h >> 8) % (sizeof(edges) / sizeof(edges[0]))];
	return mix(h);
}

/* Bits of doubles, or of two floats, where something happens. */
static uint64_t real64(unsigned n, unsigned which)
{
	static const uint64_t edges[] = {
		0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000,
		0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
		0x7ff8000000000000, 0x7ff0000000000001, 0xfff8000000001234,
		0x0000000000000001, 0x000fffffffffffff, 0x8010000000000000,
		0x0010000000000000, 0x7fefffffffffffff, 0x3fe5555555555555,
		0x4008000000000000, 0x41dfffffffc00000, 0xc1e0000000000000,
		0x41dfffffffe00000, 0x43e0000000000000, 0xc3e0000000000000,
		0x4330000000000001, 0x3fe0000000000000, 0x4004000000000000,
		0x1e60000000000000, 0x47efffffefffffff, 0x36a0000000000000,
		0x380fffffffffffff,
	};
	uint64_t h = mix(n * 64u + which + 7777);

	if (h % 4)
		return edges[(h >> 8) % (sizeof(edges) / sizeof(edges[0]))];
	return (mix(h) & 0x800fffffffffffff) | (0x3f0 + (h >> 40) % 32) << 52;
}

static uint32_t real32(unsigned n, unsigned which)
{
	static const uint32_t edges[] = {
		0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
		0xff800000, 0x7fc00000, 0x7f800001, 0xffc01234, 0x00000001,
		0x007fffff, 0x80800000, 0x00800000, 0x7f7fffff, 0x3f2aaaab,
		0x40400000, 0x4effffff, 0x4f000000, 0xcf000000, 0x5f000000,
		0xdf000000, 0x4b000001, 0x3f000000, 0x40200000, 0x1f800000,
	};
	uint64_t h = mix(n * 64u + which + 9999);

	if (h % 4)
		return edges[(h >> 8) % (sizeof(edges) / sizeof(edges[0]))];
	return (uint32_t)(mix(h) & 0x807fffff) |
	       (uint32_t)(0x70 + (h >> 40) % 32) << 23;
}

/* Eight bytes of data: integers, doubles or floats, by case. */
static uint64_t bytes8(const struct case_form *f, unsigned n, unsigned which)
{
	const char *name = x86_rows[f->row].name;
	size_t length = strlen(name);
	bool single = strstr(name, "SS2") || strstr(name, "PS2");
	bool dbl = strstr(name, "SD2") || strstr(name, "PD2");

	single |= length > 2 && (!strcmp(name + length - 2, "SS") ||
				 !strcmp(name + length - 2, "PS"));
	dbl |= length > 2 && (!strcmp(name + length - 2, "SD") ||
			      !strcmp(name + length - 2, "PD"));
	if (strstr(name, "DQ2") || strstr(name, "SI2"))
		return number(n, which);
	if (single && !dbl)
		return (uint64_t)real32(n, which + 32) << 32 | real32(n, which);
	if (single || dbl || x86_rows[f->row].unit == X86_UNIT_FADD)
		return real64(n, which);
	if (x86_rows[f->row].unit == X86_UNIT_X87 && strstr(f->operands, "m4"))
		return real32(n, which);
	if (x86_rows[f->row].unit == X86_UNIT_X87 && name[1] != 'I')
		return real64(n, which);
	return number(n, which);
}

/* Integers that leave MXCSR and the x87's control word valid, with all
 * exceptions masked. */
static void put_control(const struct case_form *f, unsigned n, uint8_t *to)
{
	uint32_t mxcsr = (uint32_t)mix(n) & 0xe07f;
	uint16_t control = (uint16_t)(0x7f | (mix(n) & 0xf00));

	mxcsr |= X86_MXCSR_MASKS;
	if (f->row == X86_ROW_LDMXCSR)
		memcpy(to, &mxcsr, 4);
	if (f->row == X86_ROW_FLDCW || f->row == X86_ROW_FLDENV)
		memcpy(to, &control, 2);
	/* No exceptions and a top of 6; the registers that there are. */
	if (f->row == X86_ROW_FLDENV) {
		uint16_t status = (uint16_t)(6 << 11 | (mix(n + 1) & 0x4700));

		memcpy(to + 4, &status, 2);
		to[9] = 0xff;
		memset(to + 12, 0, 16);
	}
}

/* Numbers of 80 bits, with some encodings that no operation makes. */
static void put_f80(unsigned n, unsigned which, uint8_t *to)
{
	struct x86_env e = { 0 };
	struct x86_f80 v = x86_to80(x86_from64(real64(n, which), &e));
	uint64_t h = mix(n * 64u + which + 4242);

	if (h % 8 == 0)
		v.sig ^= mix(h);
	if (h % 16 == 1)
		v.se = (uint16_t)mix(h);
	memcpy(to, &v.sig, 8);
	memcpy(to + 8, &v.se, 2);
}

static bool compares(unsigned row)
{
	return row == X86_ROW_CMPXCHG || row == X86_ROW_CMPXCHG8B ||
	       row == X86_ROW_CMPXCHG16B;
}

static void before_registers(const struct case_form *f, unsigned n,
			     struct case_state *s)
{
	for (unsigned i = 0; i < 16; i++)
		s->r[i] = number(n, i);
	s->r[X86_RBX] = CASE_DATA_AT + 240;
	s->r[9] = 3; /* the index */
	s->r[X86_RSP] = CASE_DATA_AT + 448;
	s->r[X86_RBP] = CASE_DATA_AT + 400;
	s->r[X86_RSI] = CASE_DATA_AT + 64 + n % 5;
	s->r[X86_RDI] = CASE_DATA_AT + 128 + n % 3;
	if (x86_rows[f->row].form == X86_FORM_STR)
		s->r[X86_RCX] = n % 6;
	if (x86_rows[f->row].form == X86_FORM_JUMP)
		s->r[X86_RCX] = n % 3;
	s->flags = mix(n + 99) & (X86_ARITH | X86_DF);
}

void case_state_before(const struct case_form *f, unsigned n,
		       struct case_state *s)
{
	*s = (struct case_state){ 0 };
	before_registers(f, n, s);
	for (unsigned i = 0; i < CASE_DATA / 8; i++) {
		uint64_t v = bytes8(f, n, 20 + i % 11);

		memcpy(s->data + 8 * i, &v, 8);
	}
	/* What popf takes: no trap, no check of alignment. */
	if (f->row == X86_ROW_POPFQ) {
		uint64_t flags = mix(n) & (X86_ARITH | X86_DF);

		memcpy(s->data + 448, &flags, 8);
	}
	/* The operand in memory is at 256. */
	put_control(f, n, s->data + 256);
	if (strstr(f->operands, "m10"))
		put_f80(n, 3, s->data + 256);
	if (compares(f->row) && n % 2) {
		memcpy(s->data + 256, &s->r[X86_RAX], 8);
		memcpy(s->data + (f->row == X86_ROW_CMPXCHG8B ? 260 : 264),
		       &s->r[X86_RDX], 8);
	}
	s->fx.control = (uint16_t)(0x7f | (mix(n + 5) & 0xf00));
	if ((s->fx.control >> 8 & 3) == 1)
		s->fx.control |= 0x300;
	s->fx.status = 6 << 11;
	s->fx.full = 0xc0;
	for (unsigned i = 0; i < 2; i++)
		put_f80(n, i, s->fx.st[i]);
	/* Half of the cases round to nearest and have "inexact" set. */
	s->fx.mxcsr = X86_MXCSR_DEFAULT | 0x20;
	if (n % 2)
		s->fx.mxcsr = X86_MXCSR_MASKS | ((uint32_t)mix(n + 6) & 0xe07f);
	for (unsigned i = 0; i < 32; i++) {
		uint64_t v = bytes8(f, n, 32 + i);

		memcpy((uint8_t *)s->fx.xmm + 8 * i, &v, 8);
	}
	/* Counts of vector shifts. */
	if (x86_rows[f->row].form == X86_FORM_VSH && n % 3) {
		memset(s->fx.xmm[1], 0, 8);
		s->fx.xmm[1][0] = (uint8_t)(mix(n) % 70);
		memcpy(s->data + 256, s->fx.xmm[1], 8);
	}
}

/* The count of a shift or a rotation. */
static unsigned count_of(const struct case_form *f, unsigned n)
{
	struct case_state s;

	if (strchr(f->operands, 'c')) {
		case_state_before(f, n, &s);
		return (unsigned)s.r[X86_RCX] & 0xff;
	}
	return (unsigned)number(n, 50) & 0xff;
}

static unsigned size_of(const char *operand)
{
	return operand[0] == 'h' ? 1 : (unsigned)(operand[1] - '0');
}

uint64_t case_flags(const struct case_form *f, unsigned n)
{
	uint64_t undefined = x86_rows[f->row].undefined;
	enum x86_form form = x86_rows[f->row].form;
	bool twice = f->row == X86_ROW_SHLD || f->row == X86_ROW_SHRD;

	if (form == X86_FORM_SHIFT || twice) {
		unsigned bits = 8 * size_of(f->operands);
		unsigned count = count_of(f, n) & (bits == 64 ? 63 : 31);

		if (!count)
			undefined = 0;
		if (count == 1)
			undefined &= ~(uint64_t)X86_OF;
		if (count < bits || (count == bits && !twice))
			undefined &= ~(uint64_t)X86_CF;
		if (twice && count > bits)
			undefined = X86_ARITH;
	}
	return (X86_ARITH | X86_DF) & ~undefined;
}

bool case_is_undefined(const struct case_form *f, unsigned n)
{
	bool twice = f->row == X86_ROW_SHLD || f->row == X86_ROW_SHRD;

	/* Processors agree on counts up to the size. */
	return twice && size_of(f->operands) == 2 && (count_of(f, n) & 31) > 16;
}

void case_forget_nans(const struct case_form *f, struct case_state *s)
{
	bool wide = f->row == X86_ROW_DPPD;
	size_t width = wide ? sizeof(double) : sizeof(float);

	if (!wide && f->row != X86_ROW_DPPS)
		return;
	for (size_t at = 0; at < sizeof(s->fx.xmm); at += width) {
		uint8_t *element = &s->fx.xmm[0][0] + at;
		double d;
		float v;

		memcpy(&d, element - at % sizeof(d), sizeof(d));
		memcpy(&v, element, sizeof(v));
		if (wide ? isnan(d) : isnan(v))
			memset(element, 0xff, width);
	}
}

/* An operand of the request. Returns how many letters it has. */
static size_t encode_operand(ZydisEncoderRequest *q, const char *at, unsigned n,
			     unsigned *registers)
{
	static const ZydisRegister files[4][3] = {
		{ ZYDIS_REGISTER_AL, ZYDIS_REGISTER_CL, ZYDIS_REGISTER_DL },
		{ ZYDIS_REGISTER_AX, ZYDIS_REGISTER_CX, ZYDIS_REGISTER_DX },
		{ ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_ECX, ZYDIS_REGISTER_EDX },
		{ ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RDX },
	};
	ZydisEncoderOperand *o = &q->operands[q->operand_count];
	size_t length = strcspn(at, " ");
	int value = 0;

	sscanf(at + 1, "%d", &value);
	o->type = ZYDIS_OPERAND_TYPE_REGISTER;
	switch (at[0]) {
	case 'r':
		o->reg.value =
			files[__builtin_ctz((unsigned)value)][(*registers)++];
		break;
	case 'h':
		o->reg.value = (*registers)++ ? ZYDIS_REGISTER_CH :
						ZYDIS_REGISTER_AH;
		break;
	case 'x':
		o->reg.value =
			ZYDIS_REGISTER_XMM0 + (ZydisRegister)(*registers)++;
		break;
	case 's':
		o->reg.value = ZYDIS_REGISTER_ST0 + (ZydisRegister)value;
		break;
	case 'c':
		o->reg.value = ZYDIS_REGISTER_CL;
		break;
	case 'm':
		o->type = ZYDIS_OPERAND_TYPE_MEMORY;
		o->mem.base = ZYDIS_REGISTER_RBX;
		o->mem.index = ZYDIS_REGISTER_R9;
		o->mem.scale = 4;
		o->mem.displacement = 4;
		o->mem.size = (ZyanU16)value;
		break;
	case 'n':
		o->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		o->imm.u = n % 8;
		break;
	case 'k':
		o->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		o->imm.u = n % 16;
		break;
	case 't':
		o->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		o->imm.u = mix(n) % 128;
		break;
	case 'j':
		o->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		o->imm.u = 3;
		q->branch_type = ZYDIS_BRANCH_TYPE_SHORT;
		q->branch_width = ZYDIS_BRANCH_WIDTH_8;
		break;
	case 'f':
		q->prefixes |= value == 3 ? ZYDIS_ATTRIB_HAS_REP : 0;
		return length;
	default:
		o->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		break;
	}
	q->operand_count++;
	return length;
}

/* An immediate operand of as many bytes as the first operand, 4 at most. */
static void encode_immediate(const struct case_form *f, unsigned n,
			     ZydisEncoderRequest *q)
{
	ZydisEncoderOperand *o = &q->operands[q->operand_count - 1];
	unsigned size =
		f->operands[0] == 'x' || f->operands[0] == 'i' ||
				x86_rows[f->row].form == X86_FORM_SHIFT ||
				!strncmp(x86_rows[f->row].name, "BT", 2) ||
				strstr(x86_rows[f->row].name, "SH") ||
				x86_rows[f->row].form == X86_FORM_XTOG ?
			1 :
			size_of(f->operands);
	uint64_t v = number(n, 50);

	if (!strchr(f->operands, 'i'))
		return;
	if (size == 1 && x86_rows[f->row].form <= X86_FORM_MOV2)
		o->imm.s = (int8_t)v;
	else if (size == 1)
		o->imm.u = v & 0xff;
	else if (size == 2)
		o->imm.s = (int16_t)v;
	else
		o->imm.s = (int32_t)v;
}

size_t case_encode(const struct case_form *f, unsigned n,
		   uint8_t code[CASE_CODE])
{
	static const uint8_t inc_r15[] = { 0x49, 0xff, 0xc7 };
	ZydisEncoderRequest q = {
		.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
		.mnemonic = mnemonics[f->row],
	};
	ZyanUSize size = CASE_CODE - 8;
	unsigned registers = 0;

	for (const char *at = f->operands; *at;) {
		at += encode_operand(&q, at, n, &registers);
		at += *at == ' ';
	}
	if (q.operand_count)
		encode_immediate(f, n, &q);
	if (x86_rows[f->row].form == X86_FORM_STR && f->operands[0]) {
		bool looks = f->row >= X86_ROW_SCASB;

		q.prefixes = f->operands[1] == '2' ? ZYDIS_ATTRIB_HAS_REPNE :
			     looks                 ? ZYDIS_ATTRIB_HAS_REPE :
						     ZYDIS_ATTRIB_HAS_REP;
	}
	if (ZYAN_FAILED(ZydisEncoderEncodeInstruction(&q, code, &size)))
		return 0;
	if (f->operands[0] == 'j') {
		memcpy(code + size, inc_r15, sizeof(inc_r15));
		size += sizeof(inc_r15);
	}
	return size;
}

void case_normalise(struct case_state *s, uint64_t flags)
{
	s->flags &= flags;
	/* The direction of rounding; a summary that needs unmasked ones. */
	s->fx.status &= (uint16_t) ~(1 << 9);
	s->fx.opcode = 0;
	s->fx.pad = 0;
	s->fx.mask = 0;
	memset(s->fx.pointers, 0, sizeof(s->fx.pointers));
	memset(s->fx.rest, 0, sizeof(s->fx.rest));
	if (s->fault)
		*s = (struct case_state){ .fault = true };
}

uint32_t case_hash(const struct case_state *s)
{
	const uint8_t *p = (const uint8_t *)s;
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < offsetof(struct case_state, fault) + 1; i++)
		h = (h ^ p[i]) * 1099511628211u;
	return (uint32_t)(h ^ h >> 32);
}
