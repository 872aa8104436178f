/* Sections of a page that say where the time of a view went. */
#ifndef HEDDLE_EXPLORE_REPORT_PARTS_H
#define HEDDLE_EXPLORE_REPORT_PARTS_H

#include <stdio.h>

#include "explore/view.h"

/* The numbers at the top: cycles, time, IPC, occupancy ... */
void part_cards(FILE *to, const struct run_view *v);
/* Shares of the peak, of SMs and memory. */
void part_peaks(FILE *to, const struct run_view *v);
/* What became of the issue slots. */
void part_slots(FILE *to, const struct run_view *v);
/* The picture of the memory, and tables beside it. */
void part_memory(FILE *to, const struct run_view *v);
void part_mix(FILE *to, const struct run_view *v);
void part_lines(FILE *to, const struct run_view *v);

/* Folded: every statistic with its explanation; every parameter. */
void part_statistics(FILE *to, const struct stats *s);
void part_config(FILE *to, const struct run_device *dev);

/* A statistic as people read it; of a ratio without a value "-". */
#define STAT_TEXT_SIZE 40
const char *stat_text(char text[STAT_TEXT_SIZE], unsigned i,
		      const struct stats *s);

#endif
