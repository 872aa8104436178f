/*
 * HEDDLE_CSV and HEDDLE_TIMELINE: what all timed launches of the process did over
 * time, in one file each. They get their names when the process ends; those of
 * further processes append a number. What cannot be written is dropped, and the
 * program goes on.
 */
#ifndef HEDDLE_RT_SERIES_H
#define HEDDLE_RT_SERIES_H

#include "door/rt/report.h"
#include "door/rt/state.h"

/* A group of timed launches begins on a device, `start` simulated seconds after
 * the program: adds to its options. first: its first launch. */
void series_begin(const struct report_launch *first, const struct rt_device *d,
		  double start, struct heddle_timing_options *o);
/* A launch of the group has ended; series_end follows the last one. */
void series_launch(const struct report_launch *l);
void series_end(const struct heddle_timing *t);
/* The process ends. */
void series_close(void);
/* In a forked child: the files are its parent's. */
void series_forked(void);

#endif
