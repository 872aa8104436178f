/*
 * What a page shows: the sum of all launches of a run on one device, or of
 * those of one kernel, and how much of the GPU they used.
 */
#ifndef HEDDLE_EXPLORE_VIEW_H
#define HEDDLE_EXPLORE_VIEW_H

#include "explore/run.h"

struct run_view {
	const char *name; /* of the kernel; NULL: all of a device */
	const struct run_device *device;
	struct stats s;
	double cycles, seconds;
	uint64_t launches;
	/* Launches of the kernel that ran together with others: what they did
	 * cannot be told apart, and is in no view of a kernel. */
	uint64_t together;
	const struct run_launch *longest;
	struct run_line *lines; /* hottest first */
	size_t line_count;
	uint64_t waited; /* of all lines */
};

/* The lines live in the arena. kernel NULL: all. */
MUST_USE enum err view_of(struct run_view *v, struct arena *a,
			  const struct run_result *r, size_t device,
			  const char *kernel, struct diag *d);

/* The kernels of a device, by cycles; those that ran together with others come
 * with what they took alone. */
struct view_list {
	struct run_view *at;
	size_t count;
};
MUST_USE enum err view_kernels(struct view_list *out, struct arena *a,
			       const struct run_result *r, size_t device,
			       struct diag *d);

/* The part of what the GPU could have done in the time. */
struct peak_share {
	const char *name;
	double share; /* 0 to 1 */
	char about[120];
};

enum { SHARES_MOST = 16 };

struct peak_shares {
	struct peak_share at[SHARES_MOST];
	size_t count;
	double most;
	const char *of; /* whose share that is */
};

/* Issue slots and functional units: of their rates at the shortest interval. */
struct peak_shares view_sm_shares(const struct run_view *v);
/* L1, shared memory, network, L2, DRAM. */
struct peak_shares view_memory_shares(const struct run_view *v);

/* over / under, and 0 where there is nothing under the line. */
double ratio_of(double over, double under);

#endif
