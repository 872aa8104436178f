/*
 * The circuit of FastLanes (rtl/) as a host sees it: its limits, the addresses of its
 * host port, which circuit.def lists, and the driver that launches kernels through it.
 * rtl/package.c takes limits and addresses to the circuit.
 */
#ifndef HEDDLE_FASTLANES_CIRCUIT_H
#define HEDDLE_FASTLANES_CIRCUIT_H

#include "fastlanes/model.h"

/* What there is room for. Less is a matter of the settings. */
enum {
	FL_CIRCUIT_SMS = 16,
	FL_CIRCUIT_SHARED = 16 * 1024, /* bytes of a multiprocessor */
	FL_CIRCUIT_L1_WAYS = 4,
	FL_CIRCUIT_L1_SETS = 128,
	FL_CIRCUIT_L2_WAYS = 8,
	FL_CIRCUIT_L2_SETS = 1024,
	FL_CIRCUIT_LATENCY = 255,       /* and interval, of a unit */
	FL_CIRCUIT_WAY_LATENCY = 65535, /* of a way to memory */
	FL_CIRCUIT_LOCAL_WORDS = 65535, /* of a thread */
	FL_CIRCUIT_CODE = 65536,        /* instructions */
	FL_CIRCUIT_PARAMS = FL_PARAM_MAX / 4,
	FL_CIRCUIT_CYCLE_BITS = 40,
	FL_CIRCUIT_BLOCK_BITS = 48 /* of the number of blocks */
};

/* External memory: lines of FL_SEGMENT bytes. The lower half of it is the memory of
 * the GPU, the upper one holds registers of multiprocessors. */
enum {
	FL_CIRCUIT_LINE_BITS = 23,
	FL_CIRCUIT_LINE_WORDS = FL_SEGMENT / 4,
	FL_CIRCUIT_CONTEXT = 1 << (FL_CIRCUIT_LINE_BITS - 1),
	FL_CIRCUIT_LINES = FL_CIRCUIT_CONTEXT + FL_CIRCUIT_SMS * 2048
};
#define FL_CIRCUIT_IDENTITY 0x464c0001u

/* The host port's addresses, by words: where each part of the map begins. */
enum {
	FL_HOST_CONTROL = 0,
	FL_HOST_FAULT = 0x20,
	FL_HOST_SETTING = 0x40,
	FL_HOST_COUNTED = 0x80,
	FL_HOST_COUNTER = 0xc0,
	FL_HOST_WINDOW = 0xe0, /* a line of external memory */
	FL_HOST_PARAMS = 0x400,
	FL_HOST_CODE = 0x20000, /* two words for each instruction */
	FL_HOST_BITS = 18
};

/* The addresses of the rows of circuit.def. */
enum fl_host_control {
	FL_CONTROL_BEFORE = FL_HOST_CONTROL - 1,
#define FL_CONTROL(id, access, about) FL_CONTROL_##id,
#include "fastlanes/circuit.def"
	FL_CONTROL_END
};
enum fl_host_setting {
	FL_SETTING_BEFORE = FL_HOST_SETTING - 1,
#define FL_SETTING(id, bits, about)    \
	FL_SETTING_##id,               \
		FL_SETTING_LAST_##id = \
			FL_SETTING_##id + ((bits) + 31) / 32 - 1,
#include "fastlanes/circuit.def"
	FL_SETTING_END
};
enum fl_host_fault {
	FL_FAULT_BEFORE = FL_HOST_FAULT - 1,
#define FL_FAULT_WORD(id, about) FL_FAULT_AT_##id,
#include "fastlanes/circuit.def"
	FL_FAULT_END
};
enum fl_host_counted {
	FL_COUNTED_BEFORE = FL_HOST_COUNTED - 1,
#define FL_COUNTED(id) \
	FL_COUNTED_##id, FL_COUNTED_LAST_##id = FL_COUNTED_##id + 1,
#include "fastlanes/circuit.def"
	FL_COUNTED_END
};
enum fl_host_counter {
	FL_COUNTER_BEFORE = FL_HOST_COUNTER - 1,
#define FL_COUNTER(id, about) \
	FL_COUNTER_##id, FL_COUNTER_LAST_##id = FL_COUNTER_##id + 1,
#include "fastlanes/circuit.def"
	FL_COUNTER_END
};

_Static_assert((int)FL_CONTROL_END <= (int)FL_HOST_FAULT &&
		       (int)FL_FAULT_END <= (int)FL_HOST_SETTING &&
		       (int)FL_SETTING_END <= (int)FL_HOST_COUNTED &&
		       (int)FL_COUNTED_END <= (int)FL_HOST_COUNTER &&
		       (int)FL_COUNTER_END <= (int)FL_HOST_WINDOW &&
		       FL_HOST_WINDOW + FL_CIRCUIT_LINE_WORDS <= FL_HOST_PARAMS,
	       "the parts of the map do not overlap");

/* What the circuit itself did. */
struct fl_counters {
#define FL_COUNTER(id, about) uint64_t id;
#include "fastlanes/circuit.def"
};

/* How the driver reaches a circuit. A function fails with d if it is gone. */
struct fl_link {
	enum err (*write)(void *ctx, uint32_t at, uint32_t data,
			  struct diag *d);
	enum err (*read)(void *ctx, uint32_t at, uint32_t *data,
			 struct diag *d);
	/* Says whether the launch's events are wanted; NULL: there are none. */
	enum err (*record)(void *ctx, bool on, struct diag *d);
	/* Lets the circuit run for a while, or until no launch runs, and passes
	 * on all events so far; NULL: it runs by itself. */
	enum err (*wait)(void *ctx, const struct fl_launch *l, struct diag *d);
	void *ctx;
};

/* Whether the configuration and the launch are within the limits; the error names
 * what is beyond them. */
MUST_USE enum err fl_circuit_fits(const struct fl_config *c,
				  const struct fl_launch *l, struct diag *d);

/* Moves bytes between the host and the circuit's memory, through the window. */
MUST_USE enum err fl_circuit_store(const struct fl_link *link, uint32_t at,
				   const uint8_t *bytes, uint32_t size,
				   struct diag *d);
MUST_USE enum err fl_circuit_load(const struct fl_link *link, uint32_t at,
				  uint8_t *bytes, uint32_t size,
				  struct diag *d);

/*
 * Runs a kernel on the circuit, as fl_model_run does on the model: memory, statistics
 * and faults are the same. The memory of the launch is that of the circuit already, or
 * was moved there with fl_circuit_store. After a fault statistics are those of the
 * instructions that the circuit had begun.
 */
MUST_USE enum err fl_circuit_run(const struct fl_link *link,
				 const struct fl_config *c,
				 const struct fl_launch *l,
				 struct fl_stats *stats,
				 struct fl_counters *counters,
				 struct fl_fault *fault, struct diag *d);

#endif
