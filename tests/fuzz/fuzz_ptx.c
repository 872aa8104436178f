/*
 * Any bytes as PTX: reading must give a module or a message. A module must
 * print to a text that reads back and prints the same, and each of its
 * functions must have a control flow.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/flow.h"
#include "isa/ptx/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_flow(const struct ptx_module *m)
{
	struct arena a = { 0 };
	struct diag d;

	for (const struct ptx_func *f = m->funcs; f; f = f->next) {
		struct ptx_flow flow;

		if (ptx_flow(&flow, f, &a, &d))
			abort();
		for (uint32_t i = 0; i < f->inst_count; i++)
			if (flow.join[i] != PTX_NO_JOIN &&
			    flow.join[i] >= f->inst_count)
				abort();
	}
	arena_free(&a);
}

static void check_same(const struct ptx_module *a, const struct ptx_module *b)
{
	const struct ptx_func *f = a->funcs, *g = b->funcs;

	if (a->func_count != b->func_count || a->var_count != b->var_count)
		abort();
	for (; f; f = f->next, g = g->next)
		if (f->inst_count != g->inst_count ||
		    f->reg_count != g->reg_count ||
		    f->var_count != g->var_count ||
		    f->label_count != g->label_count)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptx_module *m, *again;
	struct diag d = { 0 };
	char *text, *text_again;

	if (ptx_parse(&m, "fuzz", (const char *)data, size, &d)) {
		if (!d.code || !d.text[0])
			abort();
		return 0;
	}
	check_flow(m);
	text = ptx_print(m);
	if (!text || ptx_parse(&again, "again", text, strlen(text), &d))
		abort();
	text_again = ptx_print(again);
	if (!text_again || strcmp(text, text_again))
		abort();
	check_same(m, again);
	free(text);
	free(text_again);
	ptx_module_free(m);
	ptx_module_free(again);
	return 0;
}
