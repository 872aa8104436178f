/* The page of a program on a system, or of a trace on its memory: `heddle system --out`,
 * `heddle cgm --out`, `heddle report`. */
#ifndef HEDDLE_EXPLORE_REPORT_SYSTEM_H
#define HEDDLE_EXPLORE_REPORT_SYSTEM_H

#include <stdio.h>

#include "explore/system_run.h"

/* The caller checks whether the file could be written. */
MUST_USE enum err report_system(FILE *to, struct system_run *r, struct diag *d);
/* The same of results in a file or a folder. */
MUST_USE enum err report_system_of(FILE *to, const char *path, struct diag *d);

/* report_system_time.c: values over time, and what OpenCL did when. Nothing
 * without samples. */
MUST_USE enum err system_part_time(FILE *to, struct system_run *r,
				   struct diag *d);
MUST_USE enum err system_part_traffic(FILE *to, struct system_run *r,
				      struct diag *d);
MUST_USE enum err system_part_opencl(FILE *to, struct system_run *r,
				     struct diag *d);

/* report_cgm.c: requests of a trace. */
void system_requests_warning(FILE *to, const struct system_run *r);
void system_request_cards(FILE *to, const struct system_run *r);
void system_part_requests(FILE *to, const struct system_run *r);

/* report_system_tables.c */
void system_part_functions(FILE *to, const struct system_run *r);
void system_part_regions(FILE *to, const struct system_run *r);
void system_part_caches(FILE *to, const struct system_run *r);
MUST_USE enum err system_part_queues(FILE *to, struct system_run *r,
				     struct diag *d);
void system_part_everything(FILE *to, const struct system_run *r);
/* One bar of a part's slots by use, as wide as `share` of the room. */
void system_slot_bar(FILE *to, const uint64_t slot[CPU_SLOT_USES],
		     const char *class);
/* The uses of slots by their number: their rows, and their colours. */
const struct cpu_stat_row *system_use(unsigned use);
const char *system_use_colour(unsigned use);

#endif
