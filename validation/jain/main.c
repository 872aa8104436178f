/*
 * jain list classes|scheduling     the runs of a stage: name, instruction set,
 *                                  options
 * jain list programs               the programs of the case study: name, source
 * jain write RUNS PROFILES MORE FOLDER
 *                                  FOLDER/index.html, and FOLDER/tables.md
 *
 * RUNS: the folder of scripts/validate. PROFILES, MORE: folders with NAME.csv.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/html.h"
#include "jain.h"

static int usage(void)
{
	fputs("usage: jain list classes|scheduling|programs\n"
	      "       jain write RUNS PROFILES MORE FOLDER\n",
	      stderr);
	return 2;
}

static void list_variants(enum jain_stage stage)
{
	for (int i = 0; i < JAIN_VARIANTS; i++)
		if (jain_variants[i].stage == stage)
			printf("%s %s %s\n", jain_variants[i].name,
			       jain_variants[i].isa, jain_variants[i].options);
}

static int list(const char *word)
{
	if (!strcmp(word, "classes"))
		list_variants(JAIN_STAGE_CLASSES);
	else if (!strcmp(word, "scheduling"))
		list_variants(JAIN_STAGE_SCHEDULING);
	else if (!strcmp(word, "programs"))
		for (int i = 0; i < JAIN_STUDIED; i++)
			printf("%s %s\n", jain_study_info[i].name,
			       jain_study_info[i].source);
	else
		return usage();
	return 0;
}

static enum err cards(FILE *to, const struct jain *j, struct diag *d)
{
	static const char *const names[JAIN_SETS] = { "error of cycles, PTX",
						      "machine code" };
	struct correlate_filter f = CORRELATE_ALL;
	struct correlate_sum s;
	char text[64], about[80];

	html(to, "<dl class=\"cards\">\n");
	for (int i = 0; i < JAIN_SETS; i++) {
		f.set = jain_set_names[i];
		if (correlate_summarise(&s, &j->c, &f, CORRELATE_CYCLES, d))
			return d->code;
		snprintf(text, sizeof(text), "%.1f%%", 100 * s.mean);
		snprintf(about, sizeof(about),
			 "mean over %zu launches; correlation %.3f", s.launches,
			 s.pearson);
		html_card(to, names[i], text, about);
	}
	html_card(to, "the paper, PTX", "65.5%", "GPGPU-Sim, Titan X");
	html_card(to, "the paper, machine code", "71.9%",
		  "PTXPlus; correlation 0.79");
	html(to, "</dl>\n");
	return ERR_OK;
}

static enum err write_page(const struct study_out *o, const void *study,
			   struct diag *d)
{
	const struct jain *j = study;
	struct html_page page = { .title = "Jain et al., on an H200" };
	char subtitle[200];

	snprintf(subtitle, sizeof(subtitle),
		 "A Quantitative Evaluation of Contemporary GPU Simulation "
		 "Methodology, repeated with Heddle: %zu programs, %zu "
		 "launches",
		 j->count, j->c.point_count / JAIN_SETS);
	page.subtitle = subtitle;
	html_open(o->page, &page);
	fprintf(o->text, "# %s\n\n%s.\n", page.title, subtitle);
	if (cards(o->page, j, d))
		return d->code;
	for (size_t i = 0; jain_without[i].name; i++) {
		html(o->page, "<p class=\"about\">Left out: %s. %s.</p>\n",
		     jain_without[i].name, jain_without[i].why);
		fprintf(o->text, "\nLeft out: %s. %s.\n", jain_without[i].name,
			jain_without[i].why);
	}
	if (jain_write_tables(o, j, d) || jain_write_figures(o, j, d))
		return d->code;
	jain_write_study(o, j);
	html_close(o->page, &page);
	return ERR_OK;
}

static enum err read_and_write(const struct jain_files *f, const char *folder,
			       struct diag *d)
{
	struct jain j;
	enum err e = jain_read(&j, f, d);

	if (!e)
		e = out_files(folder, write_page, &j, d);
	jain_free(&j);
	return e;
}

int main(int argc, char **argv)
{
	struct jain_files f;
	struct diag d;

	if (argc == 3 && !strcmp(argv[1], "list"))
		return list(argv[2]);
	if (argc != 6 || strcmp(argv[1], "write") != 0)
		return usage();
	f = (struct jain_files){ argv[2], argv[3], argv[4] };
	if (read_and_write(&f, argv[5], &d)) {
		fprintf(stderr, "jain: %s\n", d.text);
		return 1;
	}
	return 0;
}
