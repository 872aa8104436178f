/* The JSON of a launch, shared by all that write it. */
#ifndef HEDDLE_COMMON_LAUNCH_JSON_H
#define HEDDLE_COMMON_LAUNCH_JSON_H

#include "base/jsonwrite.h"
#include "heddle/heddle.h"

/* "illegal address" */
const char *fault_name(enum heddle_fault_kind kind);

/* [1, 2, 3] */
void json_dim3(struct json *j, const char *key, struct heddle_dim3 v);
/* Writes the member "fault"; null without one. */
/* The code that ran: its instruction set and architecture, 90 for sm_90. */
void json_code(struct json *j, const char *isa, unsigned sm);
void json_fault(struct json *j, const struct heddle_fault *f);
/* Writes members of the open object: how long the launch or group took, how
 * that was computed, the occupancy of one of its kernels, all statistics. */
void json_timing(struct json *j, const struct heddle_timing *t, size_t kernel);

#endif
