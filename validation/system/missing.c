/* Which runs are not on the page. */
#include <stdio.h>

#include "explore/html.h"
#include "study.h"

static enum err plot_nothing(struct study_page *p, const struct study *s,
			     struct diag *d)
{
	(void)p, (void)s, (void)d;
	return ERR_OK;
}

static enum err write_missing(struct study_page *p, const struct study *s,
			      struct diag *d)
{
	const struct study_out *o = &p->out;

	(void)d;
	if (!s->missing_count)
		return ERR_OK;
	out_section(o, "Runs that are missing",
		    "Simulations that have not been made, or that failed. What "
		    "needs them has no number below.");
	html(o->page, "<p class=\"about\">");
	fputc('\n', o->text);
	for (size_t i = 0; i < s->missing_count; i++) {
		const char *comma = i ? ", " : "";

		html(o->page, "%s%s", comma, s->missing[i]);
		fprintf(o->text, "%s%s", comma, s->missing[i]);
	}
	html(o->page, "</p>\n");
	fputc('\n', o->text);
	out_section_end(o);
	fprintf(stderr, "cgm_study: without %zu runs, from %s on\n",
		s->missing_count, s->missing[0]);
	return ERR_OK;
}

const struct study_part study_missing = { plot_nothing, write_missing };
