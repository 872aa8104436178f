/*
 * Any text as the argument of a kernel: parsing must give a spec or a message,
 * and the elements of a spec that names no file can be computed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SOME = 8 };

static void check_message(const struct diag *d)
{
	if (!d->code || !d->text[0])
		abort();
}

/* The first elements and the last ones. */
static void fill(const struct arg_spec *spec)
{
	uint64_t values[SOME];
	struct diag d = { 0 };
	struct source s;
	size_t n;

	if (source_open(&s, spec, 17, &d)) {
		check_message(&d);
		return;
	}
	n = s.count < SOME ? (size_t)s.count : SOME;
	if (!n || source_fill(&s, 0, n, values, &d) ||
	    source_fill(&s, s.count - n, n, values, &d))
		abort();
	source_close(&s);
}

/* What is printed must read back as the same value. */
static void check_number(const struct arg_spec *spec)
{
	char text[NUMBER_TEXT];
	uint64_t before = 0, after = 0;
	struct number n;
	struct diag d;

	elem_store(spec->type, &before, spec->number);
	elem_print(text, spec->type, elem_load(spec->type, &before));
	if (number_parse(&n, text, strlen(text), &d))
		abort();
	elem_store(spec->type, &after, n);
	if (before != after && n.is_float && n.real == n.real)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), about[256];
	struct arg_spec spec;
	struct diag d = { 0 };

	if (spec_parse(&spec, text, &d)) {
		check_message(&d);
	} else if (spec.kind == SPEC_NUMBER) {
		if (spec.typed)
			check_number(&spec);
	} else {
		spec_describe(about, sizeof(about), spec.type, &spec.shape);
		if (spec.init.kind != INIT_FILE)
			fill(&spec);
	}
	spec_is_init(text);
	free(text);
	return 0;
}
