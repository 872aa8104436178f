/*
 * Prints, hashes, stores and compares arrays after a launch. outputs_add finds
 * mistakes before the launch.
 */
#ifndef HEDDLE_CLI_OUTPUT_H
#define HEDDLE_CLI_OUTPUT_H

#include "base/jsonwrite.h"
#include "door/cli/memory.h"

enum output_kind { OUTPUT_PRINT, OUTPUT_HASH, OUTPUT_FILE, OUTPUT_EXPECT };

#define DIFFERENCES 8 /* printed of each comparison */

struct difference {
	uint64_t index;
	struct number want, got;
};

struct output {
	enum output_kind kind;
	const struct array *array;
	const char *path; /* of a file, or the value of --expect */

	uint64_t limit; /* of --print */
	uint64_t hash;

	struct source want;
	uint64_t different;
	double max_error;
	struct difference first[DIFFERENCES];
};

struct outputs {
	const struct memory *memory;
	struct tolerance tolerance;
	struct output *at;
	size_t count, room;
};

/* texts: values of the option: NAME[:COUNT], NAME, NAME=FILE or NAME=SPEC. */
MUST_USE enum err outputs_add(struct outputs *o, enum output_kind kind,
			      const struct words *texts, struct diag *d);
/* Processes all outputs. ERR_MISMATCH: a comparison failed. */
MUST_USE enum err outputs_finish(struct outputs *o, struct diag *d);
/* Prints failed comparisons to stderr; all: also those that succeeded. */
void outputs_report(const struct outputs *o, bool all);
void outputs_json(const struct outputs *o, struct json *j);
void outputs_free(struct outputs *o);

#endif
