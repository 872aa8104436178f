/*
 * Nsight Compute's names of our statistics: see explore/nsight.def.
 */
#ifndef HEDDLE_EXPLORE_NSIGHT_H
#define HEDDLE_EXPLORE_NSIGHT_H

struct nsight_name {
	const char *name;   /* of a metric or a warp state; "": there is none */
	const char *suffix; /* a warp state's word in metrics; NULL: a metric */
	const char *note;   /* where the two differ; "": they do not */
};

/* By index in stat_table. NULL: of a unit that does not exist. */
const struct nsight_name *nsight_of(unsigned stat);

#endif
