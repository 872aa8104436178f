/*
 * Reports a launch that has ended, as text and as JSON.
 */
#ifndef HEDDLE_CLI_SUMMARY_H
#define HEDDLE_CLI_SUMMARY_H

#include "door/cli/output.h"
#include "door/cli/profile.h"
#include "door/cli/timing.h"

struct summary {
	const char *program;
	const struct heddle_kernel *kernel;
	const struct heddle_launch *launch;
	struct heddle_result result; /* of the last launch */
	uint64_t seed, repeat, done; /* launches: requested, completed */
	double seconds;              /* of all launches */
	uint64_t warp_instructions;  /* of all launches */
	uint64_t cycles;             /* of all launches */
	const char *status;
	const struct outputs *outputs;
	const struct profile *profile; /* NULL: not requested */
	struct timing *timing;         /* the same */
	/* Writes further members of the JSON; NULL: none. */
	void (*more)(const void *ctx, struct json *j);
	const void *more_ctx;
};

void summary_print(const struct summary *s);
/* Prints the fault of the kernel to stderr. */
void summary_fault(const struct summary *s);
/* path: "-" is standard output. */
MUST_USE enum err summary_json(const struct summary *s, const char *path,
			       struct diag *d);

#endif
