/*
 * Services: functions that the system provides to device code: vprintf,
 * __assertfail, malloc, free. A call of a function with one of these names that
 * has no body in the module is a call of the service.
 */
#ifndef HEDDLE_SIMT_SERVICE_H
#define HEDDLE_SIMT_SERVICE_H

#include <stdbool.h>

#include "arch/effect.h"
#include "arch/inst.h"

struct call_info;

struct service {
	const char *name;
	uint32_t args;
	uint8_t bytes[5]; /* of each argument, in a 64-bit program */
	uint8_t ret;      /* bytes of the result; 0: none */
	uint8_t kind;     /* enum service_kind */
	bool returns;     /* false: it ends the launch */
	void (*run)(struct warp *w, const struct inst *in,
		    const struct call_info *call);
};

/* Whether it changes the device's heap. */
static inline bool service_uses_heap(const struct service *s)
{
	return s->kind >= SERVICE_MALLOC;
}

/* For every call: the lanes of the warp's mask have made it. */
static inline void service_note(struct effect *e, const struct service *s,
				lanes_t mask)
{
	e->service = s->kind;
	e->called = mask;
}

/* For calls of a replay: they compute nothing, but take their time. */
void service_replay(struct warp *w, const struct inst *in,
		    const struct service *s);

/* NULL: no service has that name. */
const struct service *service_find(const char *name);

#endif
