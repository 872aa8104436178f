/*
 * The plan of a sweep: all its configurations, resolved and checked before
 * anything runs. A point is a program on a configuration; point
 * p * config_count + c is program p on configuration c, and configuration 0 is
 * the baseline.
 *
 * Models:  `vary` and `variant` one at a time against the baseline, `cross` in
 *          every combination, the last axis fastest.
 * Does not model: how points are run; see explore/sweep_run.h.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_PLAN_H
#define HEDDLE_EXPLORE_SWEEP_PLAN_H

#include "explore/sweep.h"

#define PLAN_MAX_POINTS 1000000

struct plan_config {
	const struct sweep_set *set; /* NULL: the baseline */
	size_t step;                 /* number in the set */
	/* The varied parameters and their values, for people; several are
	 * joined by " x "; "" of the baseline. */
	const char *axis, *label;
	double cost;      /* NaN: the sweep has none */
	const char **env; /* "NAME=VALUE", that the sweep gives programs */
	size_t env_count;
};

struct sweep_plan {
	const struct sweep *sweep;
	struct cfg base;
	struct plan_config *configs;
	size_t config_count;
	struct arena arena;
};

/* A parameter that the axes of a configuration set. */
struct plan_setting {
	const char *key; /* "sm.count", "env.NAME" */
	char value[CFG_VALUE_SIZE];
	double number; /* NaN: not a number */
	/* As written after `*=`, else the value over the base's; NaN: none. */
	double factor;
};

/*
 * Makes the plan. gpu: the configuration that the sweep's `gpu` names. The
 * sweep must outlive the plan; call plan_free in any case. An error names the
 * place in the sweep file.
 */
MUST_USE enum err plan_make(struct sweep_plan *p, const struct sweep *s,
			    const struct cfg *gpu, struct diag *d);
void plan_free(struct sweep_plan *p);

size_t plan_points(const struct sweep_plan *p);
/* Computes the configuration with that number. */
void plan_resolve(const struct sweep_plan *p, size_t config, struct cfg *out);
size_t plan_setting_count(const struct sweep_plan *p, size_t config);
void plan_setting(const struct sweep_plan *p, size_t config, size_t i,
		  struct plan_setting *out);

#endif
