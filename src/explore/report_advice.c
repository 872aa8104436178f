/* Advice on a page: the first box. */
#include <inttypes.h>
#include <string.h>

#include "explore/advice.h"
#include "explore/files.h"
#include "explore/html.h"
#include "explore/report_parts.h"

enum { KERNELS_ADVISED = 5 };

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%.*s", (int)size - 1, from);
}

static void to_finding(struct advice_finding *to, const struct run_finding *f)
{
	copy_text(to->rule, sizeof(to->rule), f->rule);
	copy_text(to->finding, sizeof(to->finding), f->finding);
	copy_text(to->evidence, sizeof(to->evidence), f->evidence);
	copy_text(to->remedy, sizeof(to->remedy), f->remedy);
	copy_text(to->file, sizeof(to->file), f->file);
	to->line = f->line;
	to->bound = f->bound;
}

/* The advice as it was written; a file may have more findings than we do. */
static void advice_of_run(struct advice_list *out, const struct run_launch *l)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < l->finding_count && i < ADVICE_FINDINGS; i++)
		to_finding(&out->at[out->count++], &l->findings[i]);
	if (!out->count && l->advice_about)
		copy_text(out->none, sizeof(out->none), l->advice_about);
}

/* Sums up the launches of a kernel that ran alone and to their ends. */
static bool sum_kernel(struct advice_sum *sum, const struct run_result *r,
		       size_t device, const char *kernel)
{
	struct advice_list a;

	for (size_t i = 0; i < r->launch_count; i++) {
		const struct run_launch *l = &r->launches[i];

		if (!l->advised || l->device != device || l->at_once > 1 ||
		    !l->whole || l->fault || strcmp(l->kernel, kernel) != 0)
			continue;
		advice_of_run(&a, l);
		if (!advice_sum_add(sum, &a, (double)l->cycles))
			return false;
	}
	return true;
}

static void finding_item(FILE *to, const struct advice_finding *f)
{
	char bound[ADVICE_BOUND_TEXT];

	html(to, "<li><strong>%s</strong> <span class=\"gain\">%s</span><br>",
	     f->finding, advice_bound_text(bound, f->bound));
	html(to, "<span class=\"why\">%s</span><br>%s <small class=\"at\">%s",
	     f->evidence, f->remedy, f->rule);
	if (f->line)
		html(to, ", <span title=\"%s\">%s:%" PRIu32 "</span>", f->file,
		     file_base_name(f->file), f->line);
	html(to, "</small></li>\n");
}

static void advice_items(FILE *to, const struct advice_list *a)
{
	if (!a->count) {
		html(to, "<p>%s</p>\n", a->none);
		return;
	}
	html(to, "<ol class=\"advice\">\n");
	for (size_t i = 0; i < a->count; i++)
		finding_item(to, &a->at[i]);
	html(to, "</ol>\n");
}

static void kernel_advice(FILE *to, const struct run_result *r, size_t device,
			  const struct run_view *v, bool named)
{
	struct advice_sum sum = { 0 };
	struct advice_list a;

	if (named)
		html(to, "<h3>%s</h3>\n", v->name);
	if (!sum_kernel(&sum, r, device, v->name) || !sum.launches) {
		if (v->longest->advice_about)
			html(to, "<p>%s</p>\n", v->longest->advice_about);
	} else {
		advice_sum_find(&a, &sum);
		advice_items(to, &a);
	}
	advice_sum_free(&sum);
}

static bool has_advice(const struct run_result *r, size_t device)
{
	for (size_t i = 0; i < r->launch_count; i++)
		if (r->launches[i].device == device && r->launches[i].advised)
			return true;
	return false;
}

void part_advice(FILE *to, const struct run_result *r, size_t device,
		 const struct view_list *k)
{
	size_t shown = k->count < KERNELS_ADVISED ? k->count : KERNELS_ADVISED;

	if (!has_advice(r, device))
		return;
	html_section(
		to, "Advice",
		r->traced_sums ?
			"What limits the last launch of the trace, largest "
			"possible gain first." :
			"What limits it, largest possible gain first. A "
			"gain is the most that this alone could save.");
	for (size_t i = 0; i < shown; i++)
		kernel_advice(to, r, device, &k->at[i], k->count > 1);
	if (shown < k->count)
		html(to,
		     "<p class=\"about\">%zu more kernels took less "
		     "time.</p>\n",
		     k->count - shown);
	html_section_end(to);
}
