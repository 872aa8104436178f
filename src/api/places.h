/*
 * The instructions that events are about, described when the first event of
 * each comes: a launch has many events and few instructions.
 */
#ifndef HEDDLE_API_PLACES_H
#define HEDDLE_API_PLACES_H

#include "arch/timed.h"
#include "base/arena.h"
#include "base/diag.h"
#include "heddle/heddle.h"

/* Of one kernel and the functions of its module. */
struct places {
	struct arena *arena;
	const struct timed_program *timed;
	struct heddle_place ***at; /* by function, then by instruction */
};

/* Memory comes from *a, which must outlive the places. */
MUST_USE enum err places_init(struct places *p, struct arena *a,
			      const struct timed_program *timed,
			      struct diag *d);
/* NULL: there is no such instruction, or no memory. */
const struct heddle_place *places_find(struct places *p, uint32_t func,
				       uint32_t pc);

#endif
