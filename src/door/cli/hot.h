/* The source lines in which warps of a timed launch spent their time. */
#ifndef HEDDLE_CLI_HOT_H
#define HEDDLE_CLI_HOT_H

#include "base/diag.h"
#include "door/common/json.h"
#include "heddle/heddle.h"

enum { HOT_SHOWN = 10 };

struct hot_line {
	const char *file;
	uint32_t line;
	uint64_t issued, waited;
	uint64_t most;         /* waited for the instruction below */
	char instruction[160]; /* of the line: where it waited most */
};

struct hot {
	struct hot_line *lines; /* hottest first */
	size_t count;
	uint64_t waited; /* of all */
};

/* Adds up the instructions of each line. hot_clear in any case. */
MUST_USE enum err hot_read(struct hot *out, const struct heddle_timing *t,
			   struct diag *d);
void hot_clear(struct hot *h);

/* On stderr. */
void hot_print(const struct hot *h);
/* As member "lines". */
void hot_json(const struct hot *h, struct json *j);

#endif
