/*
 * A trace of requests for CGM, as text: what `heddle cgm` reads.
 *
 *	# when  who    what   address  size  value   expected
 *	*       cpu0   store  0x1000   8     42
 *	+10     cpu0   load   0x1000   8             = 42
 *	250     cu3    load   0x1000   4
 *	barrier
 *	*       cpu1   cas    0x1000   8     7 42    = 42
 *
 * when: * at once; N not before cycle N of the memory system's clock; +N that
 * many of these cycles after everything that this requester asked before has
 * been answered. who: cpuN, a core; cuN, a compute unit's vectors; scalarN, its
 * scalars. barrier: what follows begins when everything before is done.
 *
 * Owner:   whoever read it; cgm_trace_free.
 */
#ifndef HEDDLE_MEM_CGM_TRACE_H
#define HEDDLE_MEM_CGM_TRACE_H

#include "mem/cgm/system.h"

enum cgm_when { CGM_WHEN_NOW, CGM_WHEN_CYCLE, CGM_WHEN_AFTER };

struct cgm_trace_row {
	uint64_t at; /* cycles */
	uint64_t address, value, compare, expected;
	uint32_t line;
	uint32_t phase; /* barriers before it */
	uint16_t index; /* of the core or compute unit */
	uint8_t when;   /* enum cgm_when */
	uint8_t kind;   /* enum cgm_port_kind */
	uint8_t op, size;
	bool expects;
};

struct cgm_trace {
	struct cgm_trace_row *row;
	size_t count, room;
	uint32_t phases;
};

/* Reads a text of `size` bytes. ERR_SYNTAX, ERR_RANGE, ERR_NOMEM: the message
 * starts with the name and the line. */
MUST_USE enum err cgm_trace_read(struct cgm_trace *t, const char *name,
				 const char *text, size_t size, struct diag *d);
void cgm_trace_free(struct cgm_trace *t);

/* What became of a request. */
struct cgm_record {
	cycle_t sent, answered; /* ticks */
	uint64_t found;         /* its first 8 bytes; loads and atomics */
};

struct cgm_played {
	uint64_t wrong; /* values other than expected */
	uint32_t line;  /* of the first of them */
	uint64_t expected, found;
};

/* Runs a trace. record: of each row, or NULL. ERR_RANGE: it names a core or unit that
 * the system does not have. ERR_NOMEM. */
MUST_USE enum err cgm_trace_play(const struct cgm_trace *t, const char *name,
				 struct cgm_system *s,
				 struct cgm_record *record,
				 struct cgm_played *out, struct diag *d);
/* "cpu", "cu" or "scalar": a requester's name without its number. */
const char *cgm_trace_who(enum cgm_port_kind kind);

#endif
