/*
 * Writes the package of the circuit to the standard output: the codes, units,
 * modifiers and special registers of the instruction set, the tables of the
 * special functions, the circuit's limits and the map of its host port, from the
 * tables of src/.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fastlanes/circuit.h"
#include "isa/fastlanes/inst.h"

enum { C0_BITS = 27, C1_BITS = 24, C2_BITS = 20 };

static const char *const op_names[FL_OP_COUNT] = {
#define FL_OP(code, id, ...) #id,
#include "isa/fastlanes/op.def"
};

static const char *const class_names[FL_MODS_COUNT] = {
#define FL_MODS(class) #class,
#include "isa/fastlanes/mod.def"
};

static const char *const fl_unit_names[FL_UNIT_COUNT] = {
	[FL_UNIT_ALU] = "ALU", [FL_UNIT_MUL] = "MUL",   [FL_UNIT_FP] = "FP",
	[FL_UNIT_SFU] = "SFU", [FL_UNIT_DIV] = "DIV",   [FL_UNIT_MEM] = "MEM",
	[FL_UNIT_CTRL] = "CTRL"
};

struct row {
	const char *table;
	int32_t c0, c1, c2;
};

static const struct row rows[] = {
#define RCP(c0, c1, c2) { "RCP", c0, c1, c2 },
#define RSQ(c0, c1, c2) { "RSQ", c0, c1, c2 },
#define SQRT(c0, c1, c2) { "SQRT", c0, c1, c2 },
#define LG2(c0, c1, c2) { "LG2", c0, c1, c2 },
#define EX2(c0, c1, c2) { "EX2", c0, c1, c2 },
#define SIN(c0, c1, c2) { "SIN", c0, c1, c2 },
#define TANH(c0, c1, c2) { "TANH", c0, c1, c2 },
#include "simt/lane_sfu.def"
};
enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };
_Static_assert(ROW_COUNT <= 1024, "a row has a number of 10 bits");

static void write_ops(void)
{
	for (int u = 0; u < FL_UNIT_COUNT; u++)
		printf("\tlocalparam logic [2:0] UNIT_%s = 3'd%d;\n",
		       fl_unit_names[u], u);
	for (int i = 0; i < FL_OP_COUNT; i++)
		printf("\tlocalparam logic [6:0] OP_%s = 7'h%02x;\n",
		       op_names[i], fl_ops[i].code);
	printf("\n\tfunction automatic logic [2:0] unit_of"
	       "(input logic [6:0] code);\n\t\tcase (code)\n");
	for (int i = 0; i < FL_OP_COUNT; i++)
		printf("\t\tOP_%s: unit_of = UNIT_%s;\n", op_names[i],
		       fl_unit_names[fl_ops[i].unit]);
	printf("\t\tdefault: unit_of = UNIT_CTRL;\n\t\tendcase\n"
	       "\tendfunction\n\n");
}

/* Which operands an instruction has: a bit for each letter of op.def. */
static void write_operands(void)
{
	static const char letters[] = "dabcprqkymost";

	printf("\tlocalparam logic [2:0] PT = 3'd%d;\n"
	       "\tlocalparam int HAS_BITS = %zu;\n",
	       FL_PT, sizeof(letters) - 1);
	for (int i = 0; letters[i]; i++)
		printf("\tlocalparam int HAS_%c = %d;\n",
		       toupper((unsigned char)letters[i]), i);
	printf("\n\tfunction automatic logic [HAS_BITS-1:0] operands_of"
	       "(input logic [6:0] code);\n\t\tcase (code)\n");
	for (int i = 0; i < FL_OP_COUNT; i++) {
		unsigned set = 0;

		for (int k = 0; letters[k]; k++)
			if (strchr(fl_ops[i].operands, letters[k]))
				set |= 1u << k;
		printf("\t\tOP_%s: operands_of = %zu'd%u;\n", op_names[i],
		       sizeof(letters) - 1, set);
	}
	printf("\t\tdefault: operands_of = %zu'd0;\n\t\tendcase\n"
	       "\tendfunction\n\n",
	       sizeof(letters) - 1);
}

static void write_upper(const char *name)
{
	for (; *name; name++)
		putchar(*name == '.' ? '_' : toupper((unsigned char)*name));
}

/* The values of the modifier bits, each at its place. */
static void write_mods(void)
{
	char name[16];

	for (size_t i = 0; i < fl_mod_count; i++) {
		const struct fl_mod_info *m = &fl_mods[i];

		for (unsigned v = 0; v < 1u << m->bits; v++) {
			if (!fl_mod_name(name, sizeof(name), m, v) || !name[0])
				continue;
			printf("\tlocalparam logic [4:0] MOD_%s_",
			       class_names[m->mods]);
			write_upper(name);
			printf(" = 5'd%u;\n", v << m->shift);
		}
	}
	for (int i = 0; i < FL_SREG_COUNT; i++) {
		printf("\tlocalparam logic [3:0] SREG_");
		write_upper(fl_sregs[i].name);
		printf(" = 4'd%d;\n", i);
	}
}

static unsigned cut_to(int32_t v, unsigned bits)
{
	return (unsigned)v & ((1u << bits) - 1);
}

static void write_tables(void)
{
	const char *table = "";

	printf("\n\tlocalparam int SFU_C0_BITS = %d;\n"
	       "\tlocalparam int SFU_C1_BITS = %d;\n"
	       "\tlocalparam int SFU_C2_BITS = %d;\n"
	       "\tlocalparam int SFU_BITS = %d;\n",
	       C0_BITS, C1_BITS, C2_BITS, C0_BITS + C1_BITS + C2_BITS);
	for (int i = 0; i < ROW_COUNT; i++)
		if (rows[i].table != table) {
			table = rows[i].table;
			printf("\tlocalparam logic [9:0] SFU_%s = 10'd%d;\n",
			       table, i);
		}
#define SFU_BIAS(table, bias) \
	printf("\tlocalparam int SFU_" #table "_BIAS = %d;\n", bias);
#include "simt/lane_sfu.def"
	printf("\n\t/* c0, c1, c2 */\n\tfunction automatic logic [%d:0] "
	       "sfu_row(input logic [9:0] row);\n\t\tcase (row)\n",
	       C0_BITS + C1_BITS + C2_BITS - 1);
	for (int i = 0; i < ROW_COUNT; i++)
		printf("\t\t10'd%d: sfu_row = {%d'd%d, %d'd%u, %d'd%u};\n", i,
		       C0_BITS, rows[i].c0, C1_BITS,
		       cut_to(rows[i].c1, C1_BITS), C2_BITS,
		       cut_to(rows[i].c2, C2_BITS));
	printf("\t\tdefault: sfu_row = %d'd0;\n\t\tendcase\n\tendfunction\n",
	       C0_BITS + C1_BITS + C2_BITS);
}

/* How often a power of two of tanh is halved, and the first of its segments. */
static void write_tanh(void)
{
	int power = 0;

	printf("\n\tfunction automatic logic [8:0] "
	       "tanh_power(input logic [3:0] power);\n\t\tcase (power)\n");
#define TANH_POWER(halvings, first)                                     \
	printf("\t\t4'd%d: tanh_power = {3'd%d, 6'd%d};\n", power++, \
	       halvings, first);
#include "simt/lane_sfu.def"
	printf("\t\tdefault: tanh_power = 9'd0;\n\t\tendcase\n"
	       "\tendfunction\n");
}

/* Whether a coefficient is within its bits; c0 has no sign. */
static int fits(const struct row *r)
{
	return r->c0 >= 0 && r->c0 < 1 << C0_BITS &&
	       r->c1 >= -(1 << (C1_BITS - 1)) && r->c1 < 1 << (C1_BITS - 1) &&
	       r->c2 >= -(1 << (C2_BITS - 1)) && r->c2 < 1 << (C2_BITS - 1);
}

/* ---- limits and the host port ------------------------------------------- */

static void write_int(const char *group, const char *name, int value)
{
	printf("\tlocalparam int %s", group);
	write_upper(name);
	printf(" = %d;\n", value);
}

static void write_limits(void)
{
	printf("\n");
#define LIMIT(name) write_int("", #name, FL_##name);
	LIMIT(MAX_WARPS)
	LIMIT(MAX_BLOCKS)
	LIMIT(STACK)
	LIMIT(POOL)
	LIMIT(MEMORY_BYTES)
	LIMIT(DATA_BASE)
#undef LIMIT
#define LIMIT(name) write_int("", #name, FL_CIRCUIT_##name);
	LIMIT(SMS)
	LIMIT(SHARED)
	LIMIT(L1_WAYS)
	LIMIT(L1_SETS)
	LIMIT(L2_WAYS)
	LIMIT(L2_SETS)
	LIMIT(CODE)
	LIMIT(PARAMS)
	LIMIT(CONTEXT)
#undef LIMIT
	printf("\tlocalparam logic [31:0] IDENTITY = 32'h%08x;\n",
	       FL_CIRCUIT_IDENTITY);
#define WAY(name) write_int("WAY_", #name, FL_WAY_##name);
	WAY(L1)
	WAY(L2)
	WAY(SHARED)
	WAY(GLOBAL)
#undef WAY
#define FAULT(name)                                             \
	printf("\tlocalparam logic [2:0] FAULT_%s = 3'd%d;\n", \
	       #name, FL_FAULT_##name);
	FAULT(NONE)
	FAULT(ADDRESS)
	FAULT(MISALIGNED)
	FAULT(TRAP)
	FAULT(LIMIT)
	FAULT(STOPPED)
#undef FAULT
}

/* Settings, statistics and counters are numbered within their part of the map. */
static void write_host_port(void)
{
	printf("\n");
	write_int("HOST_", "FAULT", FL_HOST_FAULT);
	write_int("HOST_", "SETTING", FL_HOST_SETTING);
	write_int("HOST_", "COUNTED", FL_HOST_COUNTED);
	write_int("HOST_", "COUNTER", FL_HOST_COUNTER);
	write_int("HOST_", "WINDOW", FL_HOST_WINDOW);
#define FL_CONTROL(id, access, about) \
	write_int("HOST_", #id, FL_CONTROL_##id);
#define FL_SETTING(id, bits, about) \
	write_int("SET_", #id, FL_SETTING_##id - FL_HOST_SETTING);
#define FL_COUNTED(id) \
	write_int("STAT_", #id, (FL_COUNTED_##id - FL_HOST_COUNTED) / 2);
#define FL_COUNTER(id, about) \
	write_int("COUNT_", #id, (FL_COUNTER_##id - FL_HOST_COUNTER) / 2);
#include "fastlanes/circuit.def"
	write_int("", "SETTING_WORDS", FL_SETTING_END - FL_HOST_SETTING);
	write_int("", "FAULT_WORDS", FL_FAULT_END - FL_HOST_FAULT);
	write_int("", "STATS", (FL_COUNTED_END - FL_HOST_COUNTED) / 2);
	write_int("", "COUNTERS", (FL_COUNTER_END - FL_HOST_COUNTER) / 2);
}

int main(void)
{
	for (int i = 0; i < ROW_COUNT; i++)
		if (!fits(&rows[i])) {
			fprintf(stderr, "row %d of %s does not fit\n", i,
				rows[i].table);
			return 1;
		}
	printf("/* Made from the tables of src/ by rtl/package.c. */\n"
	       "package fl_pkg;\n");
	write_ops();
	write_operands();
	write_mods();
	write_tables();
	write_tanh();
	write_limits();
	write_host_port();
	printf("endpackage\n");
	return ferror(stdout) || fflush(stdout);
}
