/*
 * Instructions as tracers list them: the row of a name, the registers of its
 * operands. The names are those of NVIDIA's disassembler for each architecture.
 */
#include <string.h>

#include "isa/sass/listed.h"
#include "isa/sass/regs.h"
#include "test.h"

static const struct {
	unsigned sm;
	const char *opcode;
	unsigned regs; /* that are named; the first one is R10, then R20, ... */
	bool first_writes;
	const char *row;
	unsigned writes, reads; /* registers, of which a pair has two */
} names[] = {
	{ 70, "IMAD.MOV.U32", 3, true, "IMAD", 1, 2 },
	{ 70, "IMAD.WIDE", 3, true, "IMAD_WIDE", 2, 3 },
	{ 70, "IMAD.WIDE.U32", 4, true, "IMAD_WIDE", 2, 4 },
	{ 70, "IADD3", 4, true, "IADD3", 1, 3 },
	{ 70, "IADD3.X", 4, true, "IADD3", 1, 3 },
	{ 70, "LOP3.LUT", 4, true, "LOP3", 1, 3 },
	{ 70, "LOP3.LUT", 4, false, "LOP3", 1, 3 },
	{ 70, "ISETP.GE.AND", 2, false, "ISETP", 0, 2 },
	{ 70, "ISETP.GE.U32.AND", 1, false, "ISETP", 0, 1 },
	{ 70, "S2R", 1, true, "S2R", 1, 0 },
	{ 70, "CS2R", 1, true, "CS2R", 2, 0 },
	{ 70, "SHF.L.U32", 4, true, "SHF", 1, 3 },
	{ 70, "FADD", 3, true, "FADD", 1, 2 },
	{ 70, "FFMA", 4, true, "FFMA", 1, 3 },
	{ 70, "FFMA.FTZ", 3, true, "FFMA", 1, 2 },
	{ 70, "DADD", 3, true, "DADD", 2, 4 },
	{ 70, "DFMA", 4, true, "DFMA", 2, 6 },
	{ 70, "MUFU.RCP", 2, true, "MUFU", 1, 1 },
	{ 70, "HFMA2", 4, true, "HFMA2", 1, 3 },
	{ 70, "LDG.E.SYS", 2, true, "LDG", 1, 2 },
	{ 70, "LDG.E.64.SYS", 2, true, "LDG", 2, 2 },
	{ 70, "LDG.E.128.CONSTANT.SYS", 2, true, "LDG", 4, 2 },
	{ 70, "LDG.E.U8.SYS", 2, true, "LDG", 1, 2 },
	{ 70, "LDG.E.STRONG.GPU", 2, true, "LDG", 1, 2 },
	{ 70, "STG.E.SYS", 2, false, "STG", 0, 3 },
	{ 70, "STG.E.128.SYS", 2, false, "STG", 0, 6 },
	{ 70, "LDS.U.128", 2, true, "LDS", 4, 1 },
	{ 70, "STS.64", 2, false, "STS", 0, 3 },
	{ 70, "LDL", 2, true, "LDL", 1, 1 },
	{ 70, "STL.64", 2, false, "STL", 0, 3 },
	{ 70, "ATOMG.E.ADD.STRONG.GPU", 3, false, "ATOMG", 1, 3 },
	{ 70, "ATOMG.E.CAS.STRONG.GPU", 4, false, "ATOMG_CAS", 1, 4 },
	{ 70, "RED.E.ADD.STRONG.GPU", 2, false, "RED", 0, 3 },
	{ 70, "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 2, false, "RED", 0, 3 },
	{ 70, "ATOMS.ADD", 3, true, "ATOMS", 1, 2 },
	{ 70, "SHFL.IDX", 4, false, "SHFL", 1, 3 },
	{ 70, "BAR.SYNC", 0, false, "BAR", 0, 0 },
	{ 70, "MEMBAR.SC.GPU", 0, false, "MEMBAR", 0, 0 },
	{ 70, "HMMA.884.F32.F32.STEP0", 4, true, "HMMA_884", 1, 3 },
	{ 70, "EXIT", 0, false, "EXIT", 0, 0 },
	{ 70, "BRA", 0, false, "BRA", 0, 0 },
	{ 70, "CALL.REL.NOINC", 0, false, "CALL", 0, 0 },
	{ 70, "RET.REL.NODEC", 1, false, "RET", 0, 2 },
	{ 75, "LDG.E.CONSTANT.SYS", 2, true, "LDG", 1, 2 },
	{ 75, "HMMA.1688.F32", 4, true, "HMMA", 4, 7 },
	{ 75, "LDSM.16.M88.4", 2, true, "LDSM", 4, 1 },
	{ 80, "LDG.E.CONSTANT", 2, true, "LDG", 1, 2 },
	{ 80, "LDG.E.128", 2, true, "LDG", 4, 2 },
	{ 80, "HMMA.16816.F32", 4, true, "HMMA", 4, 10 },
	{ 80, "LDGSTS.E.BYPASS.LTC128B.128", 2, false, "LDGSTS", 0, 3 },
	{ 80, "LDGDEPBAR", 0, false, "LDGDEPBAR", 0, 0 },
	{ 80, "DEPBAR.LE", 0, false, "DEPBAR", 0, 0 },
	{ 80, "ULDC.64", 0, false, "ULDC", 0, 0 },
	{ 86, "FFMA", 4, true, "FFMA", 1, 3 },
	{ 90, "LDG.E.64.CONSTANT", 2, true, "LDG", 2, 2 },
	{ 90, "VIADD", 2, true, "VIADD", 1, 1 },
	/* Names that another architecture has. */
	{ 80, "LDG.E.SYS", 2, true, "LDG", 1, 2 },
	{ 70, "VIADD", 2, true, "VIADD", 1, 1 },
};

static void count_uses(const struct sass_inst *in, unsigned *writes,
		       unsigned *reads)
{
	struct sass_use use[SASS_USES];
	unsigned n = sass_uses(in, use);

	*writes = *reads = 0;
	for (unsigned i = 0; i < n; i++)
		if (use[i].file == SASS_FILE_R)
			++*(use[i].writes ? writes : reads);
}

TEST(sass_listed, names_give_rows_and_registers)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct listed_inst from = { .regs = (uint8_t)names[i].regs,
					    .first_writes =
						    names[i].first_writes };
		struct sass_inst in;
		unsigned writes, reads;
		struct diag d;

		strcpy(from.opcode, names[i].opcode);
		for (unsigned k = 0; k < names[i].regs; k++)
			from.reg[k] = (uint8_t)(10 + 10 * k);
		STREQ("", sass_listed_inst(&in, names[i].sm, &from, &d) ?
				  d.text :
				  "");
		STREQ(names[i].row, sass_row_of(&in)->id);
		count_uses(&in, &writes, &reads);
		test_eq(__FILE__, __LINE__, names[i].opcode,
			TEST_VALUE(names[i].writes), TEST_VALUE(writes));
		test_eq(__FILE__, __LINE__, names[i].opcode,
			TEST_VALUE(names[i].reads), TEST_VALUE(reads));
	}
}

TEST(sass_listed, what_is_no_instruction_is_refused)
{
	static const char *const wrong[] = { "LDX.E", "LDG.E.ODD", "LDG.E.",
					     "ldg.e", "XMAD",      "EXI",
					     "IADD3." };
	struct sass_inst in;
	struct diag d;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct listed_inst from = { .regs = 2 };

		strcpy(from.opcode, wrong[i]);
		EQ(ERR_UNKNOWN, sass_listed_inst(&in, 70, &from, &d));
		OK(strstr(d.text, wrong[i]) != NULL);
	}
}
