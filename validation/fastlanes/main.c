/*
 * fastlanes_study VALUES PEER PROFILES FOLDER: writes FOLDER/index.html and
 * FOLDER/tables.md. VALUES: of validation/fastlanes/run. PEER: what GPGPU-Sim takes.
 * PROFILES: a folder with what an H200 measured, NAME.csv.
 */
#include <stdio.h>

#include "study.h"

static const struct study_part *const parts[] = { &study_ipc, &study_throughput,
						  &study_prediction,
						  &study_tradeoff, NULL };

static const struct html_page page = {
	.title = "FastLanes, as a circuit",
	.subtitle = "An FPGA Accelerated GPU Microarchitecture Simulator, "
		    "repeated with Heddle: the ten kernels of its Table III"
};

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
		e = study_write(&s, argv[4], &page, parts, &d);
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
