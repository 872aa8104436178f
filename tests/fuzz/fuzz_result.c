/*
 * Any bytes as the result of a run: `heddle compare` and `heddle report` must
 * show it or say what is wrong with it. The pages must hold no markup of the
 * result's: every quote and bracket in a text is escaped.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/compare.h"
#include "explore/report_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A page is closed, and its only elements are those of Heddle. */
static void check_page(const char *page)
{
	if (strncmp(page, "<!DOCTYPE html>", 15) != 0 ||
	    !strstr(page, "</html>") || strstr(page, "<script") ||
	    strstr(page, "<iframe"))
		abort();
}

static void check_slots(const struct compare *c)
{
	for (size_t k = 0; k < c->count; k++) {
		double cycles = 0;

		for (size_t i = 0; i < c->slot_count; i++)
			cycles += c->slots[i].cycles[k];
		if (c->slot_count && cycles > 0 &&
		    fabs(cycles - c->runs[k].cycles) > 1e-6 * c->runs[k].cycles)
			abort();
	}
	for (size_t i = 1; i < c->row_count; i++)
		if (c->rows[i].effect > c->rows[i - 1].effect)
			abort();
}

/* The run beside itself, and beside another one with nothing in it. */
static void show_beside(const struct run_result *r, struct diag *d)
{
	struct compare_options o = { 0 };
	struct compare c = { 0 };
	char *page = NULL;
	size_t size = 0;
	FILE *to;

	if (compare_add(&c, r, "A", d) || compare_add(&c, r, "B", d))
		goto out;
	if (!compare_add_empty(&c, "C", d))
		goto out;
	c.runs[2].program = c.runs[2].gpu = "";
	if (compare_rows(&c, &o, d))
		goto out;
	check_slots(&c);
	to = open_memstream(&page, &size);
	report_compare(to, &c);
	fclose(to);
	check_page(page);
	free(page);
out:
	compare_free(&c);
}

static void show_alone(const struct run_result *r, struct diag *d)
{
	char *page = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&page, &size);
	enum err e = report_run(to, r, d);

	fclose(to);
	if (!e)
		check_page(page);
	free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = { 0 };
	struct run_result r;

	if (run_read_text(&r, "fuzz", (const char *)data, size, &d)) {
		if (!d.code || !d.text[0] || strchr(d.text, '\n'))
			abort();
	} else {
		show_alone(&r, &d);
		if (!run_check_complete(&r, &d))
			show_beside(&r, &d);
	}
	run_free(&r);
	return 0;
}
