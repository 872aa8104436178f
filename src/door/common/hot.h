/*
 * The source lines in which warps of a timed launch spent their time, and the
 * instructions of each.
 *
 * The numbers of a line are those of its own instructions. Its totals include
 * the instructions of functions that were inlined into it, so that a line that
 * calls one shows what the call costs. Calls that were not inlined are not
 * followed.
 */
#ifndef HEDDLE_COMMON_HOT_H
#define HEDDLE_COMMON_HOT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/jsonwrite.h"
#include "door/common/sources.h"
#include "heddle/heddle.h"

enum { HOT_REASONS = 64, HOT_UNITS = 16 }; /* at most */

/* What was counted; reasons in the order of hot.reasons. */
struct hot_count {
	uint64_t issued, waited;
	uint64_t slots[HOT_REASONS]; /* all 0 without details */
};

struct hot_code {
	const char *file; /* of its line */
	uint32_t line, pc;
	size_t order; /* in the PTX */
	const char *text;
	uint64_t issued, waited, lanes;
	const uint64_t *slots; /* NULL: no details */
};

struct hot_line {
	const char *file;
	uint32_t line;
	uint64_t issued, waited;
	uint64_t most;         /* waited for the instruction below */
	char instruction[160]; /* of the line: the one with the longest wait */
	const char *source;    /* text of the line; NULL: not known */
	struct hot_count total;
	const struct hot_code *code; /* its own instructions */
	size_t code_count;
};

/* Operations of a functional unit: heddle_hot_detail.operations. */
struct hot_work {
	const char *unit;
	uint64_t operations;
	uint64_t most; /* of one warp-instruction */
};

struct hot {
	struct hot_line *lines; /* hottest first */
	size_t count;
	struct hot_code *code; /* by line */
	size_t code_count;
	struct hot_work work[HOT_UNITS];
	size_t work_count;
	uint64_t waited; /* sum over all lines */
	const char *reasons[HOT_REASONS];
	size_t reason_count; /* 0: no details */
	struct arena sources;
};

/* Adds up the instructions of each line of a kernel of the group. Only sources
 * that may be shown are read. Call hot_clear in any case. */
MUST_USE enum err hot_read(struct hot *out, const struct heddle_timing *t,
			   size_t kernel, const struct sources *sources,
			   struct diag *d);
void hot_clear(struct hot *h);

/* Writes the members "lines" and "operations". */
void hot_json(const struct hot *h, struct json *j);

#endif
