/*
 * Writes docs/x86-ops.md, the instructions and system calls of x86-64 programs as
 * a page, to the standard output: `make docs` keeps it, a test compares.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "isa/x86/flags.h"
#include "isa/x86/process_impl.h"
#include "isa/x86/row.h"

static const char intro[] =
	"# Instructions and system calls of x86-64 programs\n"
	"\n"
	"What `heddle system` executes ([cpu.md](cpu.md)). Made from "
	"`src/isa/x86/x86.def` and\n"
	"`syscall.def`: `make docs` writes this page.\n"
	"\n"
	"## Instructions\n"
	"\n"
	"An instruction that is not in this table stops the program and is named. "
	"Flags that are left\n"
	"undefined have some value, the same in every run; those of shifts and "
	"rotations depend on the\n"
	"count. Micro-operations are those beside loads and stores.\n"
	"\n"
	"| instruction | operands | | undefined flags | unit | latency | "
	"micro-operations |\n"
	"|---|---|---|---|---|---|---|\n";

static const struct {
	const char *operands, *text;
} forms[] = {
#define X(id, operands, text) { operands, text },
	X86_FORM_MAP(X)
#undef X
};

static const char *const units[] = {
#define X(id, text) text,
	X86_UNIT_MAP(X)
#undef X
};

static const char *const latencies[] = {
#define X(id, text) text,
	X86_LATENCY_MAP(X)
#undef X
};

static const struct {
	unsigned flag;
	const char *name;
} flags[] = { { X86_CF, "CF" }, { X86_PF, "PF" }, { X86_AF, "AF" },
	      { X86_ZF, "ZF" }, { X86_SF, "SF" }, { X86_OF, "OF" } };

static void print_row(const struct x86_row *r)
{
	printf("| `");
	for (const char *c = r->name; *c; c++)
		putchar(tolower((unsigned char)*c));
	printf("` | %s | %s |", forms[r->form].operands, forms[r->form].text);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (r->undefined & flags[i].flag)
			printf(" %s", flags[i].name);
	printf(" | %s | %s | %u |\n", units[r->unit], latencies[r->latency],
	       r->uops);
}

static void print_call(unsigned number, const char *name, const char *text)
{
	printf("| %u | `%s` | %s |\n", number, name, text);
}

int main(void)
{
	fputs(intro, stdout);
	for (unsigned i = 0; i < X86_ROWS; i++)
		print_row(&x86_rows[i]);
	puts("\n## System calls\n\n"
	     "Another one is refused with ENOSYS, which `heddle system` says "
	     "at the end.\n\n"
	     "| number | name | |\n|---|---|---|");
#define X86_SYS(number, name, kind, text) print_call(number, #name, text);
#define X86_SYS_IS(number, name, kind, result, text) \
	print_call(number, #name, *text ? text : "always the same result");
#define X86_SYS_NONE(number, name, kind, text) \
	print_call(number, #name, *text ? "ENOSYS: " text : "ENOSYS");
#define X86_SYS_REFUSED(number, name, kind, error, text) \
	print_call(number, #name, "refused, " #error ": " text);
#include "isa/x86/syscall.def"
	return 0;
}
