/*
 * The system agent: connects the ring, a GPU that is not on the ring, and the
 * memory controller.
 *
 *   ring --\                        /--> ring
 *           +--> memory controller +
 *   GPU  --/                        \--> GPU
 *
 * Models:  the latency; one message to memory and one from it a cycle, ring and
 *          GPU in turn.
 * Does not model: devices of input and output, other processors.
 * Owner:   the system.
 */
#ifndef HEDDLE_MEM_CGM_AGENT_H
#define HEDDLE_MEM_CGM_AGENT_H

#include "mem/cgm/part.h"

enum cgm_agent_port {
	CGM_AGENT_RING,
	CGM_AGENT_GPU,
	CGM_AGENT_MEMORY,
	CGM_AGENT_PORTS
};

struct cgm_agent_config {
	cycle_t period;
	uint32_t latency;
	uint32_t room;
	/* What comes from memory for these goes to the GPU's port. */
	uint16_t gpu_first, gpu_end;
	uint16_t hub;
};

struct cgm_agent {
	struct cgm_part part; /* first */
	struct cgm_agent_config cfg;
	struct cgm_wire *in[CGM_AGENT_PORTS];
	struct cgm_out out[CGM_AGENT_PORTS];
	unsigned turn;
};

/* wire[port][2]: into and out of the agent; the GPU's may be NULL. */
MUST_USE enum err cgm_agent_new(struct cgm_agent **out, struct arena *a,
				const struct cgm_agent_config *cfg,
				struct cgm_wire *const wire[CGM_AGENT_PORTS][2],
				struct diag *d);
bool cgm_agent_is_idle(const struct cgm_agent *g);

#endif
