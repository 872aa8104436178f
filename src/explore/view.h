/*
 * What a page shows: the sum over all launches of a run on one device, or over
 * those of one kernel, and how much of the GPU they used.
 */
#ifndef HEDDLE_EXPLORE_VIEW_H
#define HEDDLE_EXPLORE_VIEW_H

#include "explore/run.h"

struct run_view {
	const char *name; /* of the kernel; NULL: all kernels */
	const struct run_device *device;
	struct stats s;
	double cycles, seconds;
	uint64_t launches;
	/* Launches of the kernel that ran at the same time as others: their
	 * statistics cannot be separated and are in no view of a kernel. */
	uint64_t together;
	const struct run_launch *longest;
	struct run_line *lines; /* hottest first */
	size_t line_count;
	uint64_t waited;                                      /* of all lines */
	uint64_t operations[UNIT_COUNT], largest[UNIT_COUNT]; /* run_launch */
};

/* Sums up a view. Its lines live in the arena. kernel: its name; NULL: all. */
MUST_USE enum err view_of(struct run_view *v, struct arena *a,
			  const struct run_result *r, size_t device,
			  const char *kernel, struct diag *d);

/* The kernels of a device, by cycles; of launches that ran alone. */
struct view_list {
	struct run_view *at;
	size_t count;
};
MUST_USE enum err view_kernels(struct view_list *out, struct arena *a,
			       const struct run_result *r, size_t device,
			       struct diag *d);

/* What a part of the GPU did, relative to its peak in that time. */
struct peak_share {
	const char *name;
	double share; /* 0 to 1 */
	char about[120];
};

enum { MAX_SHARES = 16 };

struct peak_shares {
	struct peak_share at[MAX_SHARES];
	size_t count;
	double most;    /* the largest share */
	const char *of; /* the name of its part */
};

/* Issue slots and functional units, relative to their highest rates. */
struct peak_shares view_sm_shares(const struct run_view *v);
/* L1, shared memory, network, L2, DRAM. */
struct peak_shares view_memory_shares(const struct run_view *v);

/* over / under; 0 if `under` is not positive. */
double ratio_of(double over, double under);

#endif
