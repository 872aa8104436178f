/*
 * Does each instruction compute what a processor computes? vectors.txt has a hash
 * of the results of each case, recorded on an x86-64 machine; on such a machine
 * each case also runs natively, and differences are shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "isa/x86/row.h"
#include "test.h"

#ifdef __x86_64__
static void show(const char *what, const void *a, const void *b, size_t size)
{
	const uint8_t *x = a, *y = b;

	if (!memcmp(a, b, size))
		return;
	printf("  %s:", what);
	for (size_t i = 0; i < size; i++)
		if (x[i] != y[i])
			printf(" [%zu] %02x, not %02x", i, y[i], x[i]);
	printf("\n");
}

static void show_difference(const struct case_form *f, unsigned n,
			    const struct case_state *want,
			    const struct case_state *got)
{
	printf("%s %s, case %u\n", x86_rows[f->row].name, f->operands, n);
	show("registers", want->r, got->r, sizeof(want->r));
	show("flags", &want->flags, &got->flags, 8);
	show("control", &want->fx, &got->fx, 8);
	show("mxcsr", &want->fx.mxcsr, &got->fx.mxcsr, 4);
	show("st", want->fx.st, got->fx.st, sizeof(want->fx.st));
	show("xmm", want->fx.xmm, got->fx.xmm, sizeof(want->fx.xmm));
	show("data", want->data, got->data, sizeof(want->data));
	show("fault", &want->fault, &got->fault, 1);
}

static bool same_as_native(const struct case_form *f, unsigned n,
			   const uint8_t *code, size_t size,
			   const struct case_state *got)
{
	struct case_state want, mine = *got;

	case_state_before(f, n, &want);
	case_run_native(&want, code, size);
	case_normalise(&want, case_flags(f, n));
	case_forget_nans(f, &want);
	case_forget_nans(f, &mine);
	if (!memcmp(&want, &mine, offsetof(struct case_state, fault) + 1))
		return true;
	show_difference(f, n, &want, &mine);
	return false;
}
#endif

/* The hash of all cases of a form; counts those that differ from this
 * processor's. */
static uint32_t run_form(const struct case_form *f, unsigned *wrong)
{
	uint32_t hash = 0;

	for (unsigned n = 0; n < CASES; n++) {
		uint8_t code[CASE_CODE];
		size_t size = case_encode(f, n, code);
		struct case_state s;

		if (!size) {
			printf("%s %s: not encoded\n", x86_rows[f->row].name,
			       f->operands);
			++*wrong;
			return 0;
		}
		case_state_before(f, n, &s);
		case_run_heddle(&s, code, size);
		case_normalise(&s, case_flags(f, n));
#ifdef __x86_64__
		*wrong += !case_is_undefined(f, n) &&
			  !same_as_native(f, n, code, size, &s);
#endif
		hash = hash * 31 + case_hash(&s);
	}
	return hash;
}

/* X86_RECORD: the file to write, on an x86-64 machine. */
TEST(ops, every_instruction_computes_what_a_processor_does)
{
	const char *record = getenv("X86_RECORD");
	FILE *f = fopen(record ? record :
				 HEDDLE_SOURCE_DIR "/tests/x86/vectors.txt",
			record ? "w" : "r");
	const struct case_form *forms;
	size_t count = case_forms(&forms);
	unsigned wrong = 0;

	OK(f);
	for (size_t i = 0; i < count; i++) {
		const struct case_form *c = &forms[i];
		const char *name = x86_rows[c->row].name;
		unsigned before = wrong, want;
		uint32_t got = run_form(c, &wrong);

		if (record) {
			fprintf(f, "%08x %s%s%s\n", got, name,
				c->operands[0] ? " " : "", c->operands);
			continue;
		}
		OK(fscanf(f, "%x %*[^\n]", &want) == 1);
		if (wrong == before && want != got) {
			printf("%s %s: not as recorded\n", name, c->operands);
			wrong++;
		}
	}
	fclose(f);
	EQ(0u, wrong);
}

TEST(ops, every_row_has_cases_or_a_reason)
{
	const struct case_form *forms;
	size_t count = case_forms(&forms), next = 0;

	for (unsigned row = 0; row < X86_ROWS; row++) {
		bool has = next < count && forms[next].row == row;

		OK(has != (case_left_out(row) != NULL));
		while (next < count && forms[next].row == row)
			next++;
	}
}
