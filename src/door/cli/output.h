/*
 * What is done with the arrays after a launch: printed, hashed, written to
 * files, compared. Mistakes are found before the launch, by outputs_add.
 */
#ifndef HEDDLE_CLI_OUTPUT_H
#define HEDDLE_CLI_OUTPUT_H

#include "base/jsonwrite.h"
#include "door/cli/memory.h"

enum output_kind { OUTPUT_PRINT, OUTPUT_HASH, OUTPUT_FILE, OUTPUT_EXPECT };

#define DIFFERENCES 8 /* shown of each comparison */

struct difference {
	uint64_t index;
	struct number want, got;
};

struct output {
	enum output_kind kind;
	const struct array *array;
	const char *path; /* of a file; what --expect names */

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

/* `text` is the option's value: NAME[:COUNT], NAME, NAME=FILE, NAME=SPEC. */
MUST_USE enum err outputs_add(struct outputs *o, enum output_kind kind,
			      const struct words *texts, struct diag *d);
/* ERR_MISMATCH, after all is done, when a comparison failed. */
MUST_USE enum err outputs_finish(struct outputs *o, struct diag *d);
/* One line per comparison on stderr; `all`: also of those that hold. */
void outputs_report(const struct outputs *o, bool all);
void outputs_json(const struct outputs *o, struct json *j);
void outputs_free(struct outputs *o);

#endif
