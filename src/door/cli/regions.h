/* What `heddle system` says of the regions that a program has marked. */
#ifndef HEDDLE_CLI_REGIONS_H
#define HEDDLE_CLI_REGIONS_H

#include "base/jsonwrite.h"
#include "isa/x86/process.h"

/* Says which markers have no partner; of each region the first one. */
void regions_warn(const struct x86_process *p);
/* A table, if there are any. A unit of time is `unit` seconds. */
void regions_print(const struct x86_regions *r, double unit);
/* An array of objects, if there are any; the time is called `time`. */
void regions_write(struct json *j, const struct x86_regions *r,
		   const char *time);

#endif
