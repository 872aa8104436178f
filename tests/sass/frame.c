/*
 * The instructions around the one that is tested.
 *
 * Each waits for everything before it: the results do not depend on latencies.
 */
#include <stdio.h>
#include <string.h>

#include "vec.h"

struct frame_inst {
	uint64_t lo, hi; /* without control bits */
	const char *text;
	bool counted; /* its result takes a variable time */
};

/* clang-format off */
static const struct frame_inst before[] = {
	{ 0x0000000000007919, 0x00002100, "S2R R0, SR_TID.X", true },
	{ 0x0000000000027919, 0x00002500, "S2R R2, SR_CTAID.X", true },
	{ 0x00000000ff037b82, 0x00000800, "LDC R3, c[0x0][RZ]", true },
	{ 0x0000000302007224, 0x078e0200, "IMAD R0, R2, R3, R0", false },
	{ 0x00008400ff027b82, 0x00000a00, "LDC.64 R2, c[0x0][0x210]", true },
	{ 0x00008600ff1c7b82, 0x00000a00, "LDC.64 R28, c[0x0][0x218]", true },
	{ 0x0000820000287ab9, 0x00000a00, "ULDC.64 UR40, c[0x0][0x208]", false },
	{ 0x0000004000027825, 0x078e0002, "IMAD.WIDE.U32 R2, R0, 0x40, R2", false },
	{ 0x00000040001c7825, 0x078e001c, "IMAD.WIDE.U32 R28, R0, 0x40, R28", false },
	{ 0x0000002802047981, 0x0c1e1d00, "LDG.E.128 R4, desc[UR40][R2.64]", true },
	{ 0x0000102802087981, 0x0c1e1d00, "LDG.E.128 R8, desc[UR40][R2.64+0x10]", true },
	{ 0x00002028020c7981, 0x0c1e1d00, "LDG.E.128 R12, desc[UR40][R2.64+0x20]", true },
	{ 0x0000302802107981, 0x0c1e1d00, "LDG.E.128 R16, desc[UR40][R2.64+0x30]", true },
	{ 0x00000000040472ca, 0x000e0000, "R2UR UR4, R4", false },
	{ 0x00000000050572ca, 0x000e0000, "R2UR UR5, R5", false },
	{ 0x00000000060672ca, 0x000e0000, "R2UR UR6, R6", false },
	{ 0x00000000070772ca, 0x000e0000, "R2UR UR7, R7", false },
	{ 0x00000000080872ca, 0x000e0000, "R2UR UR8, R8", false },
	{ 0x00000000090972ca, 0x000e0000, "R2UR UR9, R9", false },
	{ 0x000000000a0a72ca, 0x000e0000, "R2UR UR10, R10", false },
	{ 0x000000000b0b72ca, 0x000e0000, "R2UR UR11, R11", false },
	{ 0x000000000c0c72ca, 0x000e0000, "R2UR UR12, R12", false },
	{ 0x000000000d0d72ca, 0x000e0000, "R2UR UR13, R13", false },
	{ 0x000000000e0e72ca, 0x000e0000, "R2UR UR14, R14", false },
	{ 0x000000000f0f72ca, 0x000e0000, "R2UR UR15, R15", false },
	{ 0x00000000101072ca, 0x000e0000, "R2UR UR16, R16", false },
	{ 0x00000100103f7892, 0x0f80c03f, "ULOP3.LUT UP0, URZ, UR16, 0x100, URZ, 0xc0, !UPT", false },
	{ 0x00000200103f7892, 0x0f82c03f, "ULOP3.LUT UP1, URZ, UR16, 0x200, URZ, 0xc0, !UPT", false },
	{ 0x00000400103f7892, 0x0f84c03f, "ULOP3.LUT UP2, URZ, UR16, 0x400, URZ, 0xc0, !UPT", false },
	{ 0x00000800103f7892, 0x0f86c03f, "ULOP3.LUT UP3, URZ, UR16, 0x800, URZ, 0xc0, !UPT", false },
	{ 0x00001000103f7892, 0x0f88c03f, "ULOP3.LUT UP4, URZ, UR16, 0x1000, URZ, 0xc0, !UPT", false },
	{ 0x00002000103f7892, 0x0f8ac03f, "ULOP3.LUT UP5, URZ, UR16, 0x2000, URZ, 0xc0, !UPT", false },
	{ 0x00004000103f7892, 0x0f8cc03f, "ULOP3.LUT UP6, URZ, UR16, 0x4000, URZ, 0xc0, !UPT", false },
	{ 0x0000007f10007804, 0x00000000, "R2P PR, R16, 0x7f", false },
	{ 0x0000000000007918, 0x00000000, "NOP", false },
	{ 0x0000000000007918, 0x00000000, "NOP", false },
};
static const struct frame_inst after[] = {
	{ 0x0000000000007918, 0x00000000, "NOP", false },
	{ 0x0000000000007918, 0x00000000, "NOP", false },
	{ 0x0000000000007918, 0x00000000, "NOP", false },
	{ 0x0000000000007918, 0x00000000, "NOP", false },
	{ 0x0000007fff187803, 0x00000000, "P2R R24, PR, RZ, 0x7f", false },
	{ 0x0000000c00147c02, 0x08000f00, "MOV R20, UR12", false },
	{ 0x0000000d00157c02, 0x08000f00, "MOV R21, UR13", false },
	{ 0x0000000e00167c02, 0x08000f00, "MOV R22, UR14", false },
	{ 0x0000000f00177c02, 0x08000f00, "MOV R23, UR15", false },
	{ 0x000000000000781c, 0x03f0f008, "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0", false },
	{ 0x000000000000781c, 0x03f2f018, "PLOP3.LUT P1, PT, PT, PT, UP1, 0x80, 0x0", false },
	{ 0x000000000000781c, 0x03f4f028, "PLOP3.LUT P2, PT, PT, PT, UP2, 0x80, 0x0", false },
	{ 0x000000000000781c, 0x03f6f038, "PLOP3.LUT P3, PT, PT, PT, UP3, 0x80, 0x0", false },
	{ 0x000000000000781c, 0x03f8f048, "PLOP3.LUT P4, PT, PT, PT, UP4, 0x80, 0x0", false },
	{ 0x000000000000781c, 0x03faf058, "PLOP3.LUT P5, PT, PT, PT, UP5, 0x80, 0x0", false },
	{ 0x000000000000781c, 0x03fcf068, "PLOP3.LUT P6, PT, PT, PT, UP6, 0x80, 0x0", false },
	{ 0x0000000000007918, 0x00000000, "NOP", false },
	{ 0x0000007fff197803, 0x00000000, "P2R R25, PR, RZ, 0x7f", false },
	{ 0x0000000c1c007986, 0x0c101d28, "STG.E.128 desc[UR40][R28.64], R12", false },
	{ 0x000010141c007986, 0x0c101d28, "STG.E.128 desc[UR40][R28.64+0x10], R20", false },
	{ 0x000020181c007986, 0x0c101d28, "STG.E.128 desc[UR40][R28.64+0x20], R24", false },
	{ 0x000000000000794d, 0x03800000, "EXIT", false },
};
/* clang-format on */

enum {
	BEFORE = sizeof(before) / sizeof(before[0]),
	AFTER = sizeof(after) / sizeof(after[0]),
	CONTROL_AT = 105 - 64,
	CONTROL_BITS = 21
};

const char *vec_frame_text(unsigned i, uint64_t word[2])
{
	const struct frame_inst *f = i < BEFORE ? &before[i] :
						  &after[i - BEFORE];

	if (i >= BEFORE + AFTER)
		return NULL;
	word[0] = f->lo;
	word[1] = f->hi;
	return f->text;
}

/* Waits for all counters; counts itself at the first one. */
static uint64_t control(bool counted)
{
	return UINT64_C(15) | (counted ? UINT64_C(0) : UINT64_C(7)) << 5 |
	       UINT64_C(7) << 8 | UINT64_C(0x3f) << 11;
}

static void put_word(unsigned char **at, uint64_t lo, uint64_t hi, bool counted)
{
	uint64_t all = (UINT64_C(1) << CONTROL_BITS) - 1;

	hi = (hi & ~(all << CONTROL_AT)) | control(counted) << CONTROL_AT;
	for (int i = 0; i < 8; i++) {
		(*at)[i] = (unsigned char)(lo >> 8 * i);
		(*at)[8 + i] = (unsigned char)(hi >> 8 * i);
	}
	*at += 16;
}

static void put_all(unsigned char **at, const struct frame_inst *f, int n)
{
	for (int i = 0; i < n; i++)
		put_word(at, f[i].lo, f[i].hi, f[i].counted);
}

/* Whether the time of its result is announced by a counter. */
static bool is_counted(const struct sass_inst *in)
{
	static const char *const names[] = { "BREV", "F2F",  "F2I",   "FCHK",
					     "FLO",  "FRND", "I2F",   "MATCH",
					     "MUFU", "POPC", "REDUX", "SHFL" };
	const char *id = sass_row_of(in)->id;

	if (!strncmp(id, "I2FP", 4) || !strncmp(id, "F2FP", 4))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(id, names[i], strlen(names[i])))
			return true;
	return false;
}

bool vec_patch(unsigned char *cubin, size_t size, const struct vec_form *f)
{
	unsigned char *at = cubin + VEC_TEXT_AT, *end = at + VEC_TEXT_SIZE;

	if (size < VEC_TEXT_AT + VEC_TEXT_SIZE || memcmp(cubin, "\177ELF", 4))
		return false;
	put_all(&at, before, BEFORE);
	put_word(&at, f->word[0], f->word[1], is_counted(&f->inst));
	put_all(&at, after, AFTER);
	while (at < end)
		put_word(&at, 0x7918, 0, false);
	return true;
}
