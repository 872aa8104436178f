/*
 * A port: what a processor's core or a compute unit sees of the memory system.
 *
 *	if (cgm_port_can_send(port, now))
 *		cgm_port_send(port, now, &request);
 *	while (cgm_port_take(port, now, &answer))
 *		...
 *
 * A core has a port for instructions and one for data; a compute unit has one
 * for vectors and one for scalars. A port takes one request a cycle, that of a core
 * cgm.l1i_ports or l1d_ports, and has a bounded number in flight. Times are ticks of the memory system
 * (cgm_ticks_per_cycle).
 *
 * An answer says that the access has been performed. Accesses that wait for
 * each other's answers are sequentially consistent with those of all others in
 * coherent caches (docs/cgm.md); those in flight together are performed in any
 * order. A core that needs order waits for the answer, or
 * forwards from its own store queue.
 *
 * Addresses are virtual. A request lies in one block of CGM_BLOCK bytes.
 */
#ifndef HEDDLE_MEM_CGM_PORT_H
#define HEDDLE_MEM_CGM_PORT_H

#include "mem/cgm/part.h"
#include "stat/cgm.h"

struct cgm_request {
	uint64_t tag;     /* comes back with the answer */
	uint64_t address; /* of a fence: ignored */
	enum cgm_op op;
	unsigned size; /* bytes, 1 to CGM_BLOCK; atomics: 1, 2, 4 or 8 */
	/* Of a store: which of the bytes are written, bit i for address + i;
	 * 0: all. For the lanes of a vector. */
	uint64_t mask;
	uint64_t compare;     /* CGM_OP_CAS */
	const uint8_t *value; /* `size` bytes, of a store or atomic */
};

struct cgm_answer {
	uint64_t tag;
	enum cgm_op op;
	unsigned size;
	/* What was there: of a load, or before an atomic. Nothing if the
	 * system has no values. */
	uint8_t value[CGM_BLOCK];
};

/* One end of two wires; the first-level cache has the other. */
struct cgm_port {
	struct cgm_wire *to, *from;
};

/* Why a request is not possible, or NULL if it is. */
const char *cgm_request_wrong(const struct cgm_request *r);
static inline bool cgm_port_can_send(const struct cgm_port *p, cycle_t now)
{
	return cgm_wire_is_free(p->to, now) &&
	       cgm_wire_has_room(p->to, CGM_LANE_REQUEST, 1, now);
}
/* The request must be possible. */
void cgm_port_send(const struct cgm_port *p, cycle_t now,
		   const struct cgm_request *r);
/* Takes an answer that has arrived by now; false: none. */
static inline bool cgm_port_take(const struct cgm_port *p, cycle_t now,
				 struct cgm_answer *out)
{
	const struct cgm_packet *in =
		cgm_wire_peek(p->from, CGM_LANE_REPLY, now);

	if (!in)
		return false;
	out->tag = in->tag;
	out->op = (enum cgm_op)in->op;
	out->size = in->size;
	if (!in->bare)
		memcpy(out->value, in->data + in->offset, in->size);
	cgm_wire_pop(p->from, CGM_LANE_REPLY, now);
	return true;
}
/* Counts an answer that took so many ticks. */
void cgm_port_count(struct cgm_stat_port *st, enum cgm_op op, cycle_t took);

#endif
