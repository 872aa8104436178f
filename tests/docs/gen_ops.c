/*
 * Writes docs/ops.md, the table of instructions as a page, to the standard
 * output: `make docs` keeps it, a test compares.
 */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/row.h"

/* What ptx_rows does not keep: the words of the row for unit, latency class
 * and semantics. */
static const struct words {
	const char *unit, *lat, *does;
} words[PTX_OP_COUNT] = {
#define ROW(id, unit, lat, does) [PTX_OP_##id] = { unit, lat, does },
#define LANE1(id, p, d, a, unit, lat, ...) ROW(id, #unit, #lat, #__VA_ARGS__)
#define LANE2(id, p, d, a, b, unit, lat, ...) ROW(id, #unit, #lat, #__VA_ARGS__)
#define LANE3(id, p, d, a, b, c, unit, lat, ...) \
	ROW(id, #unit, #lat, #__VA_ARGS__)
#define LANE4(id, p, d, a, b, c, e, unit, lat, ...) \
	ROW(id, #unit, #lat, #__VA_ARGS__)
#define CARRY2(id, p, d, a, b, unit, lat, carry, ...) \
	ROW(id, #unit, #lat, #__VA_ARGS__)
#define CARRY3(id, p, d, a, b, c, unit, lat, carry, ...) \
	ROW(id, #unit, #lat, #__VA_ARGS__)
#define SETP(id, p, type, unit, lat) ROW(id, #unit, #lat, "p = a CMP b")
#define SET(id, p, d, a, unit, lat, one) \
	ROW(id, #unit, #lat, "d = a CMP b ? " #one " : 0")
#define SELP(id, p, type, unit, lat) ROW(id, #unit, #lat, "d = q ? a : b")
#define TEST1(id, p, a, unit, lat, ...) ROW(id, #unit, #lat, #__VA_ARGS__)
#define WARP(id, p, form, unit, lat, kind, replay, exec) \
	ROW(id, #unit, #lat, #exec)
#define REFUSED(id, p, what) ROW(id, "", "", "")
#include "isa/ptx/ptx.def"
};

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

static void rows(int class, const char *does)
{
	printf("| pattern | operands | unit | latency class | %s |\n"
	       "|---|---|---|---|---|\n",
	       does);
	for (int i = 0; i < PTX_OP_COUNT; i++) {
		const struct ptx_row *r = &ptx_rows[i];

		if (r->class != class)
			continue;
		putchar('|');
		cell(r->pattern);
		cell(r->form);
		printf(" %s | %s |", words[i].unit, words[i].lat);
		cell(words[i].does);
		putchar('\n');
	}
}

static void refused(void)
{
	printf("| first words | belongs to |\n|---|---|\n");
	for (int i = 0; i < PTX_OP_COUNT; i++)
		if (ptx_rows[i].class == PTX_ROW_REFUSED)
			printf("| `%s` | %s |\n", ptx_rows[i].pattern,
			       ptx_rows[i].form);
}

static void classes(void)
{
	printf("| in a pattern | stands for one of |\n|---|---|\n");
	for (int c = 1; c < PTX_CLASS_COUNT; c++) {
		printf("| `%s` |", ptx_class_names[c]);
		for (int a = 1; a < PTX_ATTR_COUNT; a++)
			if (ptx_attrs[a].class == c)
				printf(" `.%s`", ptx_attrs[a].text);
		puts(" |");
	}
}

static void types(void)
{
	printf("| type | bytes |\n|---|---|\n");
	for (int t = 0; t < PTX_TYPE_COUNT; t++)
		printf("| `.%s` | %u |\n", ptx_types[t].text,
		       (unsigned)ptx_types[t].bytes);
}

static void special_registers(void)
{
	printf("| register | type | value |\n|---|---|---|\n");
	for (int s = 0; s < PTX_SREG_COUNT; s++)
		printf("| `%s` | `.%s` | %s |\n", ptx_sregs[s].text,
		       ptx_types[ptx_sregs[s].type].text,
		       ptx_sregs[s].fixed ? "fixed when the warp starts" :
					    "read when executed");
}

int main(void)
{
	int counts[3] = { 0 };

	for (int i = 0; i < PTX_OP_COUNT; i++)
		counts[ptx_rows[i].class]++;
	printf("# The instructions\n\n"
	       "<!-- made by `make docs` from src/isa/ptx/*.def; "
	       "changes here are lost -->\n\n"
	       "%d rows: %d lane by lane, %d on whole warps, %d refused. "
	       "A pattern covers every\nopcode that it spells: capitals stand "
	       "for a class of modifiers (below), `(a|b)` for\none of several "
	       "words, braces for what may be left out. Modifiers may come in\n"
	       "any order. The letters of the operands are explained at the "
	       "head of\n`src/isa/ptx/row.h`.\n\n",
	       PTX_OP_COUNT, counts[PTX_ROW_LANE], counts[PTX_ROW_WARP],
	       counts[PTX_ROW_REFUSED]);
	printf("## Lane by lane\n\n");
	rows(PTX_ROW_LANE, "semantics");
	printf("\n## Whole warps: memory, control, exchange between lanes\n\n");
	rows(PTX_ROW_WARP, "executor");
	printf("\n## Refused, with the functions that have them\n\n");
	refused();
	printf("\n## Classes of modifiers\n\n");
	classes();
	printf("\n## Types\n\n");
	types();
	printf("\n## Special registers\n\n");
	special_registers();
	return 0;
}
