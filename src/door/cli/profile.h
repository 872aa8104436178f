/*
 * The output of `heddle run --profile`: the instruction mix, memory accesses,
 * and the source lines that executed most.
 */
#ifndef HEDDLE_CLI_PROFILE_H
#define HEDDLE_CLI_PROFILE_H

#include "base/diag.h"
#include "base/jsonwrite.h"
#include "door/common/sources.h"
#include "heddle/heddle.h"

enum { PROFILE_UNITS = 16, PROFILE_HOT = 10 };

/* One line of a source file. */
struct profile_line {
	const char *file;
	uint32_t line;
	uint64_t executions, sectors, conflicts;
};

struct profile_unit {
	const char *name;
	uint64_t executions;
};

struct profile {
	uint64_t executions, lanes, branches, diverged;
	struct profile_unit units[PROFILE_UNITS];
	size_t unit_count;
	struct heddle_traffic global[2], local[2], shared[2]; /* [writes] */
	struct profile_line *lines; /* hottest first */
	size_t line_count;
	const struct sources *sources; /* that may be shown */
};

/* Sums up the rows. Call profile_clear in any case. */
MUST_USE enum err profile_read(struct profile *out, struct heddle_profile *p,
			       const struct sources *sources, struct diag *d);
void profile_clear(struct profile *p);

/* Prints it to stderr. */
void profile_print(const struct profile *p);
/* Writes the member "profile". */
void profile_json(const struct profile *p, struct json *j);

#endif
