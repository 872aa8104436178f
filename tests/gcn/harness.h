/*
 * One wave that executes instructions without a program: for vectors of operands
 * and for fuzzing.
 */
#ifndef TESTS_GCN_HARNESS_H
#define TESTS_GCN_HARNESS_H

#include "isa/gcn/exec.h"
#include "isa/gcn/lower.h"
#include "simt/gmem.h"
#include "simt/wave.h"

enum { HARNESS_OPS = 64, HARNESS_BYTES = 1 << 16, HARNESS_LDS = 4096 };

struct harness {
	struct gmem gmem;
	struct machine machine;
	struct launch launch;
	struct wave_worker *worker;
	struct workgroup *group;
	struct wave *w;
	struct wave_op ops[HARNESS_OPS + 1];
	uint32_t count;
	uint64_t memory; /* address of HARNESS_BYTES bytes */
	uint8_t *host;   /* the same on the host */
};

void harness_open(struct harness *h);
void harness_close(struct harness *h);
/* Adds an instruction behind the others; NULL, or why it is refused. */
const char *harness_add(struct harness *h, const struct gcn_inst *in);
/* Forgets all instructions and the last fault. */
void harness_clear(struct harness *h);
/* Runs from the first instruction until the wave ends, faults or waits, or has
 * executed `most`. False: a fault. */
bool harness_run(struct harness *h, unsigned most);

#endif
