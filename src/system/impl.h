/* The inside of a system, for its own files. */
#ifndef HEDDLE_SYSTEM_IMPL_H
#define HEDDLE_SYSTEM_IMPL_H

#include "base/arena.h"
#include "cpu/core.h"
#include "mem/cgm/system.h"
#include "system/system.h"

enum {
	SYSTEM_THREADS = 1024,
	SYSTEM_EVENTS = 256,
	SYSTEM_WATCHES = 8,
	SYSTEM_REGIONS = 256
};

/* A thread of the program. */
struct system_thread {
	bool placed, queued;
	uint32_t last; /* the context it was on */
	bool was;      /* it was on one */
};

/* A hardware thread, by core * threads + context. */
struct system_context {
	bool used;
	uint32_t thread; /* number */
	cycle_t since;   /* tick in which it was placed */
};

struct system_timed_event {
	cycle_t at;
	uint64_t order;
	system_event *event;
	void *ctx;
};

struct system {
	struct arena arena;
	struct cfg_os os;
	struct guest guest;
	struct cpu_host host;
	struct cgm_system *cgm;
	uint64_t khz;
	cycle_t period; /* ticks of a core's cycle */
	struct cpu_core *core[64];
	uint64_t stamp;       /* of the cores' instructions */
	unsigned cores, each; /* each: hardware threads of a core */
	struct system_context *context;
	unsigned contexts, used;
	struct system_thread thread[SYSTEM_THREADS];
	uint32_t queue[SYSTEM_THREADS];
	unsigned first, queued;
	/* Wakes the system for what is to come: events, sleepers, quanta. */
	struct cgm_part timer;
	cycle_t alarm;    /* when it wakes */
	cycle_t sleepers; /* when the first one wakes */
	struct system_timed_event event[SYSTEM_EVENTS];
	unsigned events;
	uint64_t order;
	struct {
		system_event *watch;
		void *ctx;
	} watch[SYSTEM_WATCHES];
	unsigned watches;
	int busy;
	cycle_t now;
	uint64_t limit;
	uint32_t detail_until; /* plus 1 */
	bool ended, limited;
	cycle_t end;
	struct cpu_stats *final; /* of each core, when it ended */
	struct system_region region[SYSTEM_REGIONS];
	unsigned regions;
	struct spans spans;           /* of regions */
	struct system_series *series; /* NULL: not asked for */
	cycle_t sample;               /* when the next one is taken */
	struct cpu_profile *profile[64];
};

/* system.c */
void system_set_time(struct system *s);
void system_end(struct system *s);
void system_timer_at(struct system *s, cycle_t at);

/* call.c: the time of a system call, in ticks. */
cycle_t system_call_ticks(const struct system *s, const struct guest_call *c);

/* sched.c */
/* Finds threads that run and have no place; the earliest tick they start at. */
void system_sched_find(struct system *s, cycle_t at);
cycle_t system_sched_stopped(void *ctx, unsigned core, unsigned context,
			     enum guest_stop why, cycle_t cycle);
/* Preempts those whose quantum is over; returns when the next one is. */
cycle_t system_sched_quanta(struct system *s);
void system_sched_interrupt(struct system *s);
void system_sched_deadlock(struct system *s);

/* sample.c */
void system_sample(struct system *s);

/* region.c */
void system_mark(void *ctx, unsigned core, unsigned context, uint32_t mark,
		 cycle_t cycle);

#endif
