/*
 * Writes docs/fastlanes-ops.md, the instruction set of FastLanes as a page, to the
 * standard output: `make docs` keeps it, a test compares.
 */
#include <stdio.h>
#include <string.h>

#include "fastlanes/circuit.h"
#include "isa/fastlanes/inst.h"

static const char *const classes[FL_MODS_COUNT] = {
#define FL_MODS(class) #class,
#include "isa/fastlanes/mod.def"
};

static const char *const units[FL_UNIT_COUNT] = { "ALU", "MUL", "FP",  "SFU",
						  "DIV", "MEM", "CTRL" };

static const char intro[] =
	"# The instructions of FastLanes\n"
	"\n"
	"Made from `src/isa/fastlanes/*.def`: `make docs` writes this page. "
	"[fastlanes.md](fastlanes.md)\n"
	"explains the machine.\n"
	"\n"
	"An instruction is a word of 64 bits, in memory its lowest byte first:\n"
	"\n"
	"| bits | field | meaning |\n"
	"|---|---|---|\n"
	"| 6:0 | code | the instruction; other codes are invalid |\n"
	"| 9:7 | guard | predicate p0 to p6, or 7, pt: lanes in which it does "
	"not hold do nothing |\n"
	"| 10 | neg | 1: lanes in which it *does* hold do nothing |\n"
	"| 15:11 | d | register that is written; or a predicate, in bits 13:11 |\n"
	"| 20:16 | a | register; or a predicate in bits 18:16, negated by bit "
	"19 |\n"
	"| 25:21 | c | register; or a predicate in bits 23:21, negated by bit "
	"24 |\n"
	"| 30:26 | mod | modifiers: bits 4:0 of the tables below |\n"
	"| 31 | im | 1: b is a constant |\n"
	"| 63:32 | b | a constant of 32 bits; or a register, in bits 36:32 |\n"
	"\n"
	"Bits of a field that an instruction does not use are 0, except the "
	"guard, which is 7 where\nthere is none. A word with other bits there, or "
	"with a modifier that has no name, is invalid.\n";

static const char operands[] =
	"\n## Operands\n"
	"\n"
	"| letter | field | meaning |\n"
	"|---|---|---|\n"
	"| d, a, c | d, a, c | registers r0 to r31 |\n"
	"| b | b, im | a register or a constant |\n"
	"| p | d | predicate that is written; writing pt changes nothing |\n"
	"| r, q | a, c | predicates that are read, or their negations |\n"
	"| y | c | the carry: a predicate that `.ci` reads and `.co` writes; 0 "
	"without both |\n"
	"| k | mod, bits 4:2 | predicate that is written |\n"
	"| m | a, b | memory at the address a + b modulo 2^32; at b alone, with a = "
	"0, if `.abs`; im is 1 |\n"
	"| o | b | a byte offset in the kernel's parameters, a multiple of 4; im is "
	"1 |\n"
	"| s | b | the number of a special register; im is 1 |\n"
	"| t | b | bits 47:32: the instruction branched to; bits 63:48: the "
	"instruction at which the lanes reconverge, 65535 if there is none. Both "
	"count from the kernel's first; im is 1 |\n";

static void print_letters(const char *text)
{
	printf("%s", *text ? text : " ");
}

static void print_ops(void)
{
	printf("\n## Instructions\n\n"
	       "| code | name | operands | modifiers | unit | what it does |\n"
	       "|---|---|---|---|---|---|\n");
	for (int i = 0; i < FL_OP_COUNT; i++) {
		const struct fl_op_info *o = &fl_ops[i];

		printf("| 0x%02x | %s | ", o->code, o->name);
		print_letters(o->operands);
		printf(" | %s | %s | %s |\n", o->mods ? classes[o->mods] : " ",
		       units[o->unit], o->about);
	}
}

static void print_names(const char *names)
{
	int value = 0;

	for (const char *at = names;; value++) {
		int n = (int)strcspn(at, "|");

		if (n)
			printf("%s%d `.%.*s`", value ? ", " : "", value, n, at);
		else
			printf("%s%d", value ? ", " : "", value);
		if (!at[n])
			return;
		at += n + 1;
	}
}

static void print_mods(void)
{
	printf("\n## Modifiers\n\n| class | bits | values |\n|---|---|---|\n");
	for (size_t i = 0; i < fl_mod_count; i++) {
		const struct fl_mod_info *m = &fl_mods[i];

		printf("| %s | %u", classes[m->mods], m->shift + m->bits - 1u);
		if (m->bits > 1)
			printf(":%u", m->shift);
		printf(" | ");
		print_names(m->names);
		printf(" |\n");
	}
}

static void print_sregs(void)
{
	printf("\n## Special registers\n\n| number | name | what it is |\n"
	       "|---|---|---|\n");
	for (int i = 0; i < FL_SREG_COUNT; i++)
		printf("| %d | %s | %s |\n", i, fl_sregs[i].name,
		       fl_sregs[i].about);
}

static void print_stats(void)
{
	printf("\n## Statistics\n\n"
	       "Made from `src/fastlanes/model.h`.\n\n"
	       "| name | what it counts |\n|---|---|\n");
#define X(name, about) printf("| `%s` | %s |\n", #name, about);
	FL_STATS(X)
#undef X
}

/* ---- the host port -------------------------------------------------------- */

/* Rows of the map: their first and last address. */
static void print_row(uint32_t first, uint32_t last, const char *name,
		      const char *access, const char *about)
{
	printf("| 0x%x", first);
	if (last > first)
		printf(" to 0x%x", last);
	printf(" | `%s` | %s | %s |\n", name, access, *about ? about : " ");
}

static void print_host_port(void)
{
	printf("\n## Host port\n\n"
	       "Made from `src/fastlanes/circuit.def`. Addresses count words of "
	       "32 bits; of values with\nmore, the lowest word comes first. "
	       "Statistics are those above but `empty`, which follows\nfrom "
	       "others.\n\n| address | name | access | what it is |\n"
	       "|---|---|---|---|\n");
#define FL_CONTROL(id, access, about) \
	print_row(FL_CONTROL_##id, FL_CONTROL_##id, #id, access, about);
#include "fastlanes/circuit.def"
#define FL_FAULT_WORD(id, about)                                            \
	print_row(FL_FAULT_AT_##id, FL_FAULT_AT_##id, "fault_" #id, "read", \
		  about);
#include "fastlanes/circuit.def"
#define FL_SETTING(id, bits, about) \
	print_row(FL_SETTING_##id, FL_SETTING_LAST_##id, #id, "both", about);
#include "fastlanes/circuit.def"
#define FL_COUNTED(id)                                                \
	print_row(FL_COUNTED_##id, FL_COUNTED_LAST_##id, #id, "read", \
		  "the statistic");
#include "fastlanes/circuit.def"
#define FL_COUNTER(id, about) \
	print_row(FL_COUNTER_##id, FL_COUNTER_LAST_##id, #id, "read", about);
#include "fastlanes/circuit.def"
	print_row(FL_HOST_WINDOW, FL_HOST_WINDOW + FL_CIRCUIT_LINE_WORDS - 1,
		  "window", "both", "a line of external memory");
	print_row(FL_HOST_PARAMS, FL_HOST_PARAMS + FL_CIRCUIT_PARAMS - 1,
		  "parameters", "write", "the kernel's parameters");
	print_row(FL_HOST_CODE, FL_HOST_CODE + 2 * FL_CIRCUIT_CODE - 1, "code",
		  "write", "the kernel's instructions, the upper word last");
}

int main(void)
{
	fputs(intro, stdout);
	print_ops();
	fputs(operands, stdout);
	print_mods();
	print_sregs();
	print_stats();
	print_host_port();
	return 0;
}
