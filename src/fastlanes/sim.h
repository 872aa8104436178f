/*
 * What a host says to the circuit that runs as a program (rtl/fl_sim.cpp), through a
 * pipe in each direction. Numbers are those of the machine; both run on the same.
 *
 * Also C++: the program is compiled where it runs, with this header beside it.
 */
#ifndef HEDDLE_FASTLANES_SIM_H
#define HEDDLE_FASTLANES_SIM_H

#include <stdint.h>

enum fl_sim_op {
	FL_SIM_WRITE, /* the word `data` to the host port's address `at` */
	FL_SIM_READ,  /* is answered with the word at `at` */
	FL_SIM_RUN, /* at most `data` cycles, until no launch runs; answered */
	FL_SIM_EVENTS, /* `data` 1: from now on answers to FL_SIM_RUN have events */
	FL_SIM_OPS
};

struct fl_sim_request {
	uint32_t op, at, data;
};

/* An answer to FL_SIM_RUN: `events` of struct fl_sim_event follow. The one with
 * `more` 0 is the last. */
struct fl_sim_ran {
	uint32_t events, more, busy;
};

struct fl_sim_event {
	uint64_t cycle;
	uint32_t sm, warp, pc, lanes;
};

#endif
