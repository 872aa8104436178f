/*
 * The whole circuit (fl_top) beside the model: what rig_run runs, the circuit runs, too,
 * and must leave the same memory, statistics, faults and events.
 */
#ifndef HEDDLE_TESTS_RTL_CIRCUIT_H
#define HEDDLE_TESTS_RTL_CIRCUIT_H

#include "fastlanes/circuit.h"

/* The link to the circuit that the tests share. */
const struct fl_link *circuit_link(void);
/* What it did in the last launch. */
const struct fl_counters *circuit_counters(void);
/* Its external memory. */
uint8_t *circuit_memory(void);

#endif
