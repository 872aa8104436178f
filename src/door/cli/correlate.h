/* What `heddle correlate` prints and writes. */
#ifndef HEDDLE_CLI_CORRELATE_H
#define HEDDLE_CLI_CORRELATE_H

#include <stdio.h>

#include "base/wordlist.h"
#include "explore/correlate.h"

struct correlate_options {
	struct words runs, limits;
	const char *profiles, *spread;
	unsigned worst;
	bool halves;
	const char *json, *csv, *html;
};

/* Prints summaries, the launches that are farthest off, and those without a
 * partner. */
MUST_USE enum err correlate_print(const struct correlate *c,
				  const struct correlate_options *o,
				  struct diag *d);
MUST_USE enum err correlate_write_json(FILE *to, const struct correlate *c,
				       const struct correlate_options *o,
				       struct diag *d);
MUST_USE enum err correlate_write_csv(FILE *to, const struct correlate *c,
				      const struct correlate_options *o,
				      struct diag *d);

#endif
