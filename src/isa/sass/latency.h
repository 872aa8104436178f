/*
 * How long the results of machine code take, as compilers rely on it: the check
 * --hazards and the tests of it. Timing does not need this, for stall counts
 * are in the word.
 */
#ifndef HEDDLE_ISA_SASS_LATENCY_H
#define HEDDLE_ISA_SASS_LATENCY_H

#include "isa/sass/regs.h"

enum sass_producer {
#define PRODUCER(id, doc) SASS_FROM_##id,
#include "isa/sass/latency.def"
	SASS_PRODUCERS
};

enum sass_consumer {
#define CONSUMER(id, doc) SASS_TO_##id,
#include "isa/sass/latency.def"
	SASS_CONSUMERS
};

extern const char *const sass_producer_names[SASS_PRODUCERS];
extern const char *const sass_consumer_names[SASS_CONSUMERS];

/* How an instruction writes, or reads, one of its registers. */
enum sass_producer sass_producer_of(const struct sass_inst *in,
				    const struct sass_use *u);
enum sass_consumer sass_consumer_of(const struct sass_inst *in,
				    const struct sass_use *u);

/* Instructions of one group, not 0, complete in the order of the text, so that
 * a counter of one ends those before it, too. */
uint8_t sass_order_group(const struct sass_inst *in);

/* The cycles between them, on an architecture, by producer and consumer; 0: not
 * known. */
struct sass_latencies {
	uint8_t cycles[SASS_PRODUCERS][SASS_CONSUMERS];
};
void sass_latencies(struct sass_latencies *out, unsigned sm);

#endif
