/* The source lines in which warps of a timed launch spent their time. */
#ifndef HEDDLE_COMMON_HOT_H
#define HEDDLE_COMMON_HOT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/jsonwrite.h"
#include "door/common/sources.h"
#include "heddle/heddle.h"

struct hot_line {
	const char *file;
	uint32_t line;
	uint64_t issued, waited;
	uint64_t most;         /* waited for the instruction below */
	char instruction[160]; /* of the line: the one with the longest wait */
	const char *source;    /* text of the line; NULL: not known */
};

struct hot {
	struct hot_line *lines; /* hottest first */
	size_t count;
	uint64_t waited; /* sum over all lines */
	struct arena sources;
};

/* Adds up the instructions of each line of a kernel of the group. Only sources
 * that may be shown are read. Call hot_clear in any case. */
MUST_USE enum err hot_read(struct hot *out, const struct heddle_timing *t,
			   size_t kernel, const struct sources *sources,
			   struct diag *d);
void hot_clear(struct hot *h);

/* Writes the member "lines". */
void hot_json(const struct hot *h, struct json *j);

#endif
