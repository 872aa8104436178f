/*
 * The circuit with its external memory, to be called from C. fl_sim.cpp has it; the
 * program that runs the circuit and the tests use it.
 */
#ifndef FL_SIM_CIRCUIT_H
#define FL_SIM_CIRCUIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fl_sim;

/* memory: all lines of external memory. latency: cycles from a read to its answer, at
 * least 1; interval: cycles between two lines, at least 1. */
struct fl_sim *fl_sim_new(uint8_t *memory, unsigned latency, unsigned interval);
void fl_sim_free(struct fl_sim *s);
/* An access to the host port. */
void fl_sim_write(struct fl_sim *s, uint32_t at, uint32_t data);
uint32_t fl_sim_read(struct fl_sim *s, uint32_t at);
/* Whether events are kept from now on; those that nobody has fetched are dropped. */
void fl_sim_record(struct fl_sim *s, bool on);
/* Runs until no launch runs, until `cycles` have passed, or until `room` events are
 * there, and fetches them. Returns their number. */
size_t fl_sim_run(struct fl_sim *s, uint64_t *cycles,
		  struct fl_sim_event *events, size_t room);
bool fl_sim_busy(const struct fl_sim *s);

#ifdef __cplusplus
}
#endif

#endif
