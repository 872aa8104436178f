/*
 * cgm_study RUNS MEASURED FOLDER: writes FOLDER/index.html and FOLDER/tables.md. RUNS: a
 * folder with what validation/system/run has simulated. MEASURED: one with what
 * measure.sh has measured.
 */
#include <stdio.h>

#include "study.h"

static const struct study_part *const parts[] = {
	&study_missing, &study_speedup, &study_time, &study_traffic,
	&study_shares,  &study_spaces,  NULL
};

static const struct html_page page = {
	.title = "CPUs, a GPU, and coherent memory",
	.subtitle = "M2S-CGM: A Detailed Architectural Simulator for "
		    "Heterogeneous CPU-GPU Systems, repeated with Heddle"
};

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
		e = study_write(&s, argv[3], &page, parts, &d);
	study_free(&s);
	if (e)
		fprintf(stderr, "cgm_study: %s\n", d.text);
	return e ? 1 : 0;
}
