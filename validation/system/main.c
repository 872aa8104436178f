/*
 * cgm_study RUNS MEASURED FOLDER: writes FOLDER/index.html and FOLDER/tables.md. RUNS: a
 * folder with what validation/system/run has simulated. MEASURED: one with what
 * measure.sh has measured.
 */
#include <string.h>

#include "base/outfile.h"
#include "explore/html.h"
#include "study.h"

static const struct study_part *const parts[] = { &study_speedup, &study_time,
						  &study_traffic, &study_shares,
						  &study_spaces };
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

enum err study_show(struct study_page *p, const char *caption, struct diag *d)
{
	enum err e;

	html(p->out.page,
	     "<figure class=\"plot\"><figcaption>%s</figcaption>\n", caption);
	e = plots_inline(&p->plots, p->shown++, p->out.page, caption, d);
	html(p->out.page, "</figure>\n");
	return e;
}

static enum err write_parts(struct study_page *p, const struct study *s,
			    struct diag *d)
{
	static const struct html_page page = {
		.title = "CPUs, a GPU, and coherent memory",
		.subtitle = "M2S-CGM: A Detailed Architectural Simulator for "
			    "Heterogeneous CPU-GPU Systems, repeated with "
			    "Heddle"
	};

	for (int i = 0; i < PARTS; i++)
		if (parts[i]->plot(p, s, d))
			return d->code;
	if (plots_draw(&p->plots, d))
		return d->code;
	html_open(p->out.page, &page);
	fprintf(p->out.text, "# %s\n\n%s.\n", page.title, page.subtitle);
	for (int i = 0; i < PARTS; i++)
		if (parts[i]->write(p, s, d))
			return d->code;
	html_close(p->out.page, &page);
	return ERR_OK;
}

/* Writes both files, or neither. */
static enum err write_all(const struct study *s, const char *folder,
			  struct diag *d)
{
	char page[PATH_MAX], text[PATH_MAX];
	struct outfile a, b;
	enum err e;

	snprintf(page, sizeof(page), "%s/index.html", folder);
	snprintf(text, sizeof(text), "%s/tables.md", folder);
	e = outfile_open(&a, page, d);
	if (e)
		return e;
	e = outfile_open(&b, text, d);
	if (!e) {
		struct study_page p = { .out = { a.to, b.to } };

		e = plots_begin(&p.plots, false, d);
		if (!e)
			e = write_parts(&p, s, d);
		plots_end(&p.plots);
		e = outfile_close(&b, e, d);
	}
	return outfile_close(&a, e, d);
}

int main(int argc, char **argv)
{
	struct study s;
	struct diag d;
	enum err e;

	if (argc != 4) {
		fputs("usage: cgm_study RUNS MEASURED FOLDER\n", stderr);
		return 2;
	}
	e = study_read(&s, argv[1], argv[2], &d);
	if (!e)
		e = write_all(&s, argv[3], &d);
	study_free(&s);
	if (e)
		fprintf(stderr, "cgm_study: %s\n", d.text);
	return e ? 1 : 0;
}
