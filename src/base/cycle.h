/*
 * Simulated time.
 */
#ifndef HEDDLE_BASE_CYCLE_H
#define HEDDLE_BASE_CYCLE_H

#include <stdint.h>

/* Cycles of the GPU's core clock (gpu.clock) since the simulation began. Units
 * with a clock of their own, such as the DRAM, convert to it. */
typedef uint64_t cycle_t;

#define CYCLE_NEVER UINT64_MAX

#endif
