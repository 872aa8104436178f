/* Sections of a page that show where the time of a view went. */
#ifndef HEDDLE_EXPLORE_REPORT_PARTS_H
#define HEDDLE_EXPLORE_REPORT_PARTS_H

#include <stdio.h>

#include "explore/nsight.h"
#include "explore/view.h"

/* What limits the launches, for the kernels that took the longest. Nothing if the
 * result has no advice. */
void part_advice(FILE *to, const struct run_result *r, size_t device,
		 const struct view_list *kernels);
/* The numbers at the top: time, cycles, IPC, occupancy, ... */
void part_cards(FILE *to, const struct run_view *v);
/* How much of the peak of SMs and memory was used. */
void part_peaks(FILE *to, const struct run_view *v);
/* What became of the issue slots. */
void part_slots(FILE *to, const struct run_view *v);
/* The picture of the memory hierarchy, and tables beside it. */
void part_memory(FILE *to, const struct run_view *v);
/* Operations per second and per byte, if it computed in floating point. */
void part_roofline(FILE *to, const struct run_view *v);
void part_mix(FILE *to, const struct run_view *v);
void part_lines(FILE *to, const struct run_view *v);

/* Folded tables: every statistic, every parameter, with explanations. */
void part_statistics(FILE *to, const struct stats *s);
void part_config(FILE *to, const struct run_device *dev);

/* Nsight Compute's name of a statistic, in small print. Nothing if it has none,
 * or if n is NULL. */
void part_nsight(FILE *to, const struct nsight_name *n);

/* Formats a statistic for people; a ratio without a value is "-". */
#define STAT_TEXT_SIZE 40
const char *stat_text(char text[STAT_TEXT_SIZE], unsigned i,
		      const struct stats *s);

#endif
