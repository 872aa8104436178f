/*
 * Writes docs/gcn-ops.md, the instructions of GFX6 as a page, to the standard output:
 * `make docs` keeps it, a test compares.
 */
#include <stdio.h>
#include <string.h>

#include "isa/gcn/exec.h"

static const char intro[] =
	"# The instructions of GFX6\n"
	"\n"
	"The instruction set of AMD's Southern Islands GPUs, as Heddle knows it: it "
	"decodes, prints and\n"
	"encodes what is on this page; `heddle dis` prints object files. Made from "
	"`src/isa/gcn/*.def`:\n"
	"`make docs` writes this page.\n"
	"\n"
	"An instruction has one or two words of 32 bits, and a third or second one "
	"with a constant if an\n"
	"operand's code is 255. Text is that of LLVM's assembler for `tahiti`. Vector "
	"instructions of the\n"
	"short formats VOP1, VOP2 and VOPC have a long form, VOP3, with modifiers for "
	"operands and\n"
	"result: their names end in `_e32` and `_e64`.\n"
	"\n"
	"The third column says what the result is, as `src/isa/gcn/exec_*.c` "
	"states it for one lane: `a`,\n"
	"`b`, `c` are the sources, `d` the destination before, `i` and `in` a "
	"carry. Where it is empty,\n"
	"the name says it, or [model.md](model.md) does. An instruction that "
	"is refused makes a program's\n"
	"kernels that contain it refused when the program is loaded, by name. "
	"The last column is the time\n"
	"that a vector instruction takes, in units of a simple one: four "
	"cycles of a SIMD.\n";

static const struct {
	unsigned format;
	const char *name, *about;
} chapters[] = {
	{ GCN_SOP2, "SOP2", "scalar, two sources" },
	{ GCN_SOPK, "SOPK", "scalar, a constant of 16 bits" },
	{ GCN_SOP1, "SOP1", "scalar, one source" },
	{ GCN_SOPC, "SOPC", "scalar comparisons" },
	{ GCN_SOPP, "SOPP", "program control" },
	{ GCN_SMRD, "SMRD", "scalar memory" },
	{ GCN_VOP2, "VOP2", "vector, two sources" },
	{ GCN_VOP1, "VOP1", "vector, one source" },
	{ GCN_VOPC, "VOPC", "vector comparisons" },
	{ GCN_VOP3, "VOP3", "vector, long form only" },
	{ GCN_VINTRP, "VINTRP", "interpolation" },
	{ GCN_DS, "DS", "local and global data share" },
	{ GCN_MUBUF, "MUBUF", "buffers" },
	{ GCN_MTBUF, "MTBUF", "typed buffers" },
	{ GCN_MIMG, "MIMG", "images" },
	{ GCN_EXP, "EXP", "export" },
};

static const struct {
	unsigned format, word, shift, bits;
	const char *name;
} fields[] = {
#define GCN_FIELD(format, field, word, shift, bits) \
	{ GCN_##format, word, shift, bits, #field },
#include "isa/gcn/format.def"
};

static void print_fields(unsigned format)
{
	printf("\nFields, by word and bits:");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].format == format)
			printf(" `%s` %u[%u:%u]", fields[i].name,
			       fields[i].word,
			       fields[i].shift + fields[i].bits - 1,
			       fields[i].shift);
	printf(".\n");
}

static int is_vector(unsigned format)
{
	return format == GCN_VOP1 || format == GCN_VOP2 || format == GCN_VOPC ||
	       format == GCN_VOP3;
}

/* Code in a table: bars are escaped. */
static void print_meaning(unsigned op)
{
	const char *does = gcn_exec[op] ? gcn_exec[op]->does : NULL;

	if (gcn_rows[op].refused) {
		printf("refused: %s", gcn_rows[op].refused);
		return;
	}
	if (!does)
		return;
	putchar('`');
	for (; *does; does++) {
		if (*does == '|')
			putchar('\\');
		putchar(*does);
	}
	putchar('`');
}

/* An instruction of the row with all fields 0. */
static void print_example(unsigned op, unsigned format)
{
	struct gcn_inst in = { .op = (uint16_t)op, .format = (uint8_t)format };
	char text[256];

	in.field[GCN_DMASK] = format == GCN_MIMG;
	gcn_print(text, sizeof(text), &in);
	printf("| `0x%02x` | `%s` | ", gcn_rows[op].code, text);
	print_meaning(op);
	if (is_vector(format) && !gcn_rows[op].refused)
		printf(" | %u |\n", gcn_rows[op].passes);
	else
		printf(" | |\n");
}

static void print_chapter(size_t chapter)
{
	unsigned format = chapters[chapter].format, count = 0;

	for (unsigned op = 0; op < GCN_OPS; op++)
		count += gcn_rows[op].format == format;
	printf("\n## %s: %s\n\n%u instructions.\n", chapters[chapter].name,
	       chapters[chapter].about, count);
	print_fields(format);
	printf("\n| code | with registers 0 | result | time |\n"
	       "|---|---|---|---|\n");
	for (unsigned op = 0; op < GCN_OPS; op++)
		if (gcn_rows[op].format == format)
			print_example(op, format);
}

int main(void)
{
	fputs(intro, stdout);
	for (size_t i = 0; i < sizeof(chapters) / sizeof(chapters[0]); i++)
		print_chapter(i);
	return 0;
}
