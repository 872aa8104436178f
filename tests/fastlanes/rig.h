/*
 * A kernel on FastLanes, for tests: compiled from PTX, run on the model.
 */
#ifndef HEDDLE_TESTS_FASTLANES_RIG_H
#define HEDDLE_TESTS_FASTLANES_RIG_H

#include "fastlanes/model.h"

struct rig {
	struct fl_code *code;
	struct fl_config config;
	struct fl_launch launch;
	struct fl_stats stats;
	struct fl_fault fault;
	uint8_t params[FL_PARAM_MAX];
	uint64_t seed; /* of a random program */
	struct diag d;
};

/* What else runs a launch: before the model does, and afterwards, when its results are
 * there to be compared. NULL: nothing. */
struct rig_other {
	uint8_t *(*memory)(void); /* 512 MiB that rig_memory shall return */
	void (*before)(struct rig *r);
	void (*after)(struct rig *r);
};
extern const struct rig_other *rig_other;

/* The machine of configs/fastlanes.cfg with these settings, NULL at the end. */
void rig_config(struct rig *r, const char *const *settings);
/* Compiles; false: r->d says why not. rig_free in any case. */
bool rig_compile(struct rig *r, const char *name, const char *text, size_t size,
		 const char *kernel);
void rig_param(struct rig *r, uint32_t index, uint64_t value);
/* Runs the first kernel; a launch that cannot be is a failure of the test. */
void rig_run(struct rig *r, uint32_t blocks, uint32_t threads);
void rig_free(struct rig *r);

/* 512 MiB that all tests share; only what a test writes is its own. */
uint8_t *rig_memory(void);

#endif
