/*
 * The circuit of FastLanes as a program: Verilator and a C++ compiler make it of the
 * sources (rtl/, installed as share/heddle/rtl) when it is needed for the first time.
 */
#ifndef HEDDLE_CLI_CIRCUIT_H
#define HEDDLE_CLI_CIRCUIT_H

#include <sys/types.h>

#include "door/cli/clang.h"
#include "fastlanes/circuit.h"

/*
 * Finds the program: $HEDDLE_CIRCUIT, else the one that was built of these sources with
 * this Verilator and is kept in the cache folder. If there is none, builds it, which
 * takes minutes and is said on stderr. Interrupted: an error, and nothing is left.
 */
MUST_USE enum err circuit_find(char out[CLANG_PATH_SIZE], struct diag *d);

/* A circuit that runs, and its external memory. */
struct circuit {
	struct fl_link link;
	uint8_t *memory; /* FL_MEMORY_BYTES of it */
	int memory_file;
	pid_t pid;                    /* 0: it does not run */
	int to, from;                 /* pipes */
	struct fl_sim_request *queue; /* requests that are not sent yet */
	size_t queued;
};

struct fl_sim_request;

/* Makes the external memory; circuit_close frees it. */
MUST_USE enum err circuit_open(struct circuit *c, struct diag *d);
/* Starts the program. latency: cycles from a request to its answer; interval: cycles
 * for each line. */
MUST_USE enum err circuit_start(struct circuit *c, const char *program,
				uint32_t latency, uint32_t interval,
				struct diag *d);
void circuit_close(struct circuit *c);

#endif
