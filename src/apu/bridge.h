/*
 * The bridge between a GPU's memory partition and the ports of CGM: requests wait in
 * a queue of their port until CGM takes them; answers wait until the GPU's next
 * window.
 *
 * A port's queues are used by the thread that simulates its source in CGM, and by
 * the GPU between windows.
 */
#ifndef HEDDLE_APU_BRIDGE_H
#define HEDDLE_APU_BRIDGE_H

#include "base/arena.h"
#include "base/diag.h"
#include "mem/cgm/system.h"
#include "mem/outside.h"
#include "simt/view.h"

enum {
	BRIDGE_PENDING = 512, /* messages of a port in flight, at most */
	BRIDGE_QUEUE = 4096,  /* requests that wait for CGM */
	/* Messages of a unit that have a credit: each is a request for every
	 * lane of an atomic, and beside those that wait for CGM a port has what
	 * CGM works on. */
	BRIDGE_CREDITS = 120,
	BRIDGE_FENCE = BRIDGE_PENDING,
	BRIDGE_COPIES = 256,           /* pieces of a copy in flight, at most */
	BRIDGE_COPY = BRIDGE_FENCE + 1 /* the first one's tag */
};

/* A message that CGM works on. */
struct bridge_pending {
	struct msg msg;
	uint32_t left; /* requests that have not been answered */
	uint32_t next; /* of the free ones */
};

struct bridge_request {
	cycle_t at; /* tick from which CGM may take it */
	uint64_t address, mask;
	uint32_t pending;
	uint8_t op, size; /* enum cgm_op */
	bool last;        /* of its message */
};

struct bridge_done {
	struct msg msg;
	cycle_t at; /* tick of the answer */
};

struct bridge_port {
	struct cgm_source *source;
	struct bridge_pending pending[BRIDGE_PENDING];
	uint32_t free;
	struct bridge_request queue[BRIDGE_QUEUE]; /* a ring */
	uint32_t first, count;
	struct bridge_done done[BRIDGE_PENDING]; /* a ring */
	uint32_t done_first, done_count;
	uint32_t credits; /* messages whose last request CGM has taken */
	uint32_t in_flight;
	uint32_t source_unit;
	uint64_t sent;
	bool fencing;    /* before or after a kernel */
	bool holds;      /* a kernel's fence is in flight: what follows waits */
	uint64_t fences; /* of kernels */
	uint8_t *copy_left; /* the bridge's */
};

/* Whether a request is for the port of scalars. */
typedef bool bridge_scalar(const struct msg *m);

struct bridge {
	struct cgm_system *memory;
	struct mem_outside outside;
	bridge_scalar *is_scalar;
	struct bridge_port *port; /* vectors and scalars of every unit */
	uint32_t ports;
	struct view *const *views; /* by unit: the addresses of atomics */
	cycle_t period, offset;    /* tick = offset + period * cycle */
	cycle_t reply;             /* cycles */
	cycle_t window; /* the first cycle of the GPU's next window */
	uint32_t turn;  /* port that bridge_next looks at */
	/* Requests of a copy's pieces that have not been answered; each is of one
	 * port, whose thread counts it. */
	uint8_t copy_left[BRIDGE_COPIES];
};

/* coherent: kernels' fences are no requests. */
MUST_USE enum err bridge_init(struct bridge *b, struct arena *a,
			      struct cgm_system *memory, uint32_t units,
			      bool coherent, bridge_scalar *is_scalar,
			      struct diag *d);
/* Queues a fence at every port. */
void bridge_fence(struct bridge *b, cycle_t at);
/* Queues a request of piece `i`, at the port for vectors of a unit. */
void bridge_copy(struct bridge *b, uint32_t i, const struct bridge_request *r);
bool bridge_is_idle(const struct bridge *b);
/* Forgets what is queued, and answers of what is in flight. */
void bridge_forget(struct bridge *b);
uint64_t bridge_sent(const struct bridge *b);
/* Of these, fences within kernels. */
uint64_t bridge_fences(const struct bridge *b);

#endif
