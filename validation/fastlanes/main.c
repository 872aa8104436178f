/*
 * fastlanes_study VALUES PEER PROFILES FOLDER: writes FOLDER/index.html and
 * FOLDER/tables.md. VALUES: of validation/fastlanes/run. PEER: what GPGPU-Sim takes.
 * PROFILES: a folder with what an H200 measured, NAME.csv.
 */
#include <math.h>
#include <string.h>

#include "base/outfile.h"
#include "explore/html.h"
#include "study.h"

static const struct study_part *const parts[] = {
	&study_ipc, &study_throughput, &study_prediction, &study_tradeoff
};
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
		.title = "FastLanes, as a circuit",
		.subtitle = "An FPGA Accelerated GPU Microarchitecture "
			    "Simulator, repeated with Heddle: the ten kernels "
			    "of its Table III"
	};

	for (int i = 0; i < PARTS; i++)
		if (parts[i]->plot(p, s, d))
			return d->code;
	if (plots_draw(&p->plots, d))
		return d->code;
	html_open(p->out.page, &page);
	fprintf(p->out.text, "# %s\n\n%s.\n", page.title, page.subtitle);
	if (!s->circuit) {
		html(p->out.page, "<p class=\"about\">The circuit has not "
				  "run.</p>\n");
		fprintf(p->out.text, "\nThe circuit has not run.\n");
	}
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

	if (argc != 5) {
		fputs("usage: fastlanes_study VALUES PEER PROFILES FOLDER\n",
		      stderr);
		return 2;
	}
	e = study_read(&s, &(struct study_files){ argv[1], argv[2], argv[3] },
		       &d);
	if (!e)
		e = write_all(&s, argv[4], &d);
	if (!e && s.circuit && study_worst_prediction(&s) > STUDY_TOLERANCE)
		e = fail(&d, ERR_MISMATCH,
			 "the performance model is %.1f%% from the circuit; at "
			 "most %.0f%% are allowed",
			 100 * study_worst_prediction(&s),
			 100 * STUDY_TOLERANCE);
	study_free(&s);
	if (e)
		fprintf(stderr, "fastlanes_study: %s\n", d.text);
	return e ? 1 : 0;
}
