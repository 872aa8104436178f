/*
 * Writes docs/sass-ops.md, the table of machine code as a page, to the standard
 * output: `make docs` keeps it, a test compares.
 */
#include <stdio.h>
#include <string.h>

#include "isa/sass/row.h"

/* The words of an INST row. */
static const struct words {
	const char *id, *unit, *lat, *pipe, *kind, *exec;
} insts[SASS_OP_COUNT] = {
#define INST(id, unit, lat, pipe, kind, replay, exec) \
	[SASS_OP_##id] = { #id, #unit, #lat, #pipe, #kind, #exec },
#include "isa/sass/sass.def"
};

static const struct enc {
	unsigned op, from, to;
	const char *opcode, *fixed, *text;
} encs[] = {
#define ENC(inst, from, to, opcode, fixed, text) \
	{ SASS_OP_##inst, from, to, opcode, fixed, text },
#include "isa/sass/sass.def"
};

enum { ENCS = sizeof(encs) / sizeof(encs[0]) };

static const char *const class_docs[SASS_CLASS_COUNT] = {
#define CLASS(class, doc) doc,
#include "isa/sass/mod.def"
};

static const struct sreg {
	unsigned number, from, to;
	const char *name;
} sregs[] = {
#define SREG(number, from, to, name) { number, from, to, name },
#include "isa/sass/sreg.def"
};

static bool is_refused(const struct words *w)
{
	return !strcmp(w->exec, "sass_refused");
}

/* In a cell of a table a bar would end the cell. */
static void cell(const char *s)
{
	if (!*s) {
		printf(" |");
		return;
	}
	printf(" `");
	for (; *s; s++) {
		if (*s == '|')
			putchar('\\');
		putchar(*s);
	}
	printf("` |");
}

static void introduction(void)
{
	unsigned refused = 0;

	for (unsigned i = 0; i < SASS_OP_COUNT; i++)
		refused += is_refused(&insts[i]);
	printf("# Machine code: the instructions\n\n"
	       "<!-- made by `make docs` from src/isa/sass/*.def; changes here "
	       "are lost -->\n\n"
	       "SASS, the machine code of NVIDIA's GPUs from sm_70 on: %d "
	       "instructions, %d of which\nare executed, in %d rows of "
	       "encodings. The others are decoded, printed and assembled;\na "
	       "kernel that has one of them is refused with its name. How "
	       "opcodes, bits and texts\nare written is explained at the head "
	       "of `src/isa/sass/row.h`. Code of sm_70 to sm_90\nprints as "
	       "`cuobjdump -sass` prints it; of sm_100 and sm_120, which are "
	       "not executed,\nonly the rows that name them.\n\n",
	       SASS_OP_COUNT, SASS_OP_COUNT - (int)refused, (int)ENCS);
}

static void instructions(void)
{
	printf("## Instructions\n\n"
	       "| instruction | unit | latency class | pipe | kind | executor "
	       "|\n|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < SASS_OP_COUNT; i++) {
		const struct words *w = &insts[i];

		printf("| %s | %s | %s | %s | %s |", w->id, w->unit, w->lat,
		       w->pipe, w->kind);
		cell(is_refused(w) ? "" : w->exec);
		putchar('\n');
	}
}

static void encodings(void)
{
	printf("\n## Encodings\n\n"
	       "| instruction | sm | opcode | fixed bits | text |\n"
	       "|---|---|---|---|---|\n");
	for (unsigned i = 0; i < ENCS; i++) {
		const struct enc *e = &encs[i];

		printf("| %s | %u", insts[e->op].id, e->from);
		if (e->to != e->from)
			printf(" to %u", e->to);
		printf(" |");
		cell(e->opcode);
		cell(e->fixed);
		cell(e->text);
		putchar('\n');
	}
}

static void modifiers(void)
{
	printf("\n## Classes of modifiers\n\n"
	       "| class | what it says | values |\n|---|---|---|\n");
	for (unsigned c = 0; c < SASS_CLASS_COUNT; c++) {
		const char *comma = "";

		printf("| %s | %s | ", sass_class_names[c], class_docs[c]);
		for (size_t i = 0; i < sass_mod_count; i++) {
			if (sass_mods[i].class != c)
				continue;
			if (*sass_mods[i].text)
				printf("%s%u `%s`", comma, sass_mods[i].value,
				       sass_mods[i].text);
			else
				printf("%s%u none", comma, sass_mods[i].value);
			comma = ", ";
		}
		printf(" |\n");
	}
}

static void special_registers(void)
{
	printf("\n## Special registers\n\n"
	       "| number | sm | name |\n|---|---|---|\n");
	for (size_t i = 0; i < sizeof(sregs) / sizeof(sregs[0]); i++)
		printf("| %u | %u to %u | `%s` |\n", sregs[i].number,
		       sregs[i].from, sregs[i].to, sregs[i].name);
}

int main(void)
{
	introduction();
	instructions();
	encodings();
	modifiers();
	special_registers();
	return 0;
}
