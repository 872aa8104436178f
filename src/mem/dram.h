/*
 * One channel of DRAM with its memory controller.
 *
 *   push --> [ reads  ] --\                     /--> pseudo channel: banks
 *   push --> [ writes ] --+--> commands, in time +--> pseudo channel: banks
 *   take <-- [ done   ] <------------------------/
 *
 * Models:  banks with open rows, bank groups and pseudo channels; every rule
 *          between commands of mem/dram.def; the data bus; a queue of reads
 *          and one of writes, drained in batches; the order of service
 *          (FR-FCFS with a bound on starvation, or FCFS); all-bank refresh.
 * Does not model: data, forwarding from waiting writes to reads, power-down,
 *          several ranks or stack IDs, refresh of single banks, postponed
 *          refreshes, commands that take several clocks.
 * Owner:   the memory partition it belongs to; nothing else may call it.
 *
 * The interface counts time in cycles of the core's clock, the implementation
 * in clocks of the DRAM. Clock n ticks at cycle n * core_khz / dram_khz; its
 * effects are visible in the first cycle that is not earlier. Arithmetic is on
 * integers: the same calls give the same cycles on every host.
 *
 * The caller advances to a cycle, takes the completions, then may push requests
 * in that cycle; the controller sees a request from the next clock on. Results
 * do not depend on how time is divided into advances.
 */
#ifndef HEDDLE_MEM_DRAM_H
#define HEDDLE_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"

enum dram_std {
#define STANDARD(id, ...) DRAM_STD_##id,
#include "mem/dram.def"
	DRAM_STD_COUNT
};

enum dram_time {
#define PARAMETER(id, ...) DRAM_T_##id,
#include "mem/dram.def"
	DRAM_T_COUNT
};

/* A DRAM standard; times are in clocks of its khz. */
struct dram_standard {
	const char *name, *doc;
	uint32_t khz;
	uint32_t pseudo, banks, groups, row_bytes, burst_bytes, burst_clocks;
	uint32_t clocks[DRAM_T_COUNT];
	const char *source[DRAM_T_COUNT];
};
extern const struct dram_standard dram_standards[DRAM_STD_COUNT];

struct dram_time_info {
	const char *name, *doc;
	bool scaled; /* constant in nanoseconds, not in clocks */
};
extern const struct dram_time_info dram_times[DRAM_T_COUNT];

/* An order of service. */
struct dram_policy;
extern const struct dram_policy *const dram_policies[]; /* NULL ends them */
/* Finds a policy by name, "frfcfs" or "fcfs"; NULL: there is none. */
const struct dram_policy *dram_policy(const char *name);
const char *dram_policy_name(const struct dram_policy *p);

enum {
	DRAM_MAX_QUEUE = 64,
	DRAM_MAX_BANKS = 64,
	DRAM_MAX_PSEUDO = 4,
	/* Products of a time and a rate stay below 2^64, see mem/dram.c. */
	DRAM_MAX_KHZ = 1 << 24,
	DRAM_SECTOR = 32 /* requests are multiples of this many bytes */
};

struct dram_config {
	enum dram_std standard;
	uint32_t core_khz;
	uint32_t dram_khz; /* 0: the standard's */
	uint32_t reads, writes;
	/* The controller switches to writes when drain_high of them wait, and
	 * back to reads when drain_low are left; it also serves writes while no
	 * read waits. */
	uint32_t drain_high, drain_low;
	const struct dram_policy *policy;
	/* FR-FCFS: the oldest request is next once this many others were served
	 * since it became the oldest. */
	uint32_t starve;
	bool refresh;
	uint32_t refresh_early; /* clocks by which the first one is early */
	/* Close a row when its bank has no request of the kind (reads or
	 * writes) that is being served. */
	bool close_page;

	/* Override the standard; 0: the standard's value. */
	uint32_t pseudo, banks, groups, row_bytes, burst_bytes, burst_clocks;
	uint32_t clocks[DRAM_T_COUNT]; /* of dram_khz */
};

struct dram_request {
	uint64_t tag; /* comes back with the completion */
	uint64_t row;
	/* Bank b is in bank group b % groups and in pseudo channel b % pseudo,
	 * so that neighbours are as independent as possible. */
	uint32_t bank;
	uint32_t column; /* first byte in the row */
	uint32_t bytes;
	bool write;
};

struct dram_done {
	uint64_t tag;
	cycle_t cycle; /* the last byte has crossed the data bus */
	bool write;
};

/* Requests are counted when they leave their queue, commands when they are
 * issued. */
struct dram_stats {
	uint64_t reads, writes, bytes;
	/* Hit: no row command was issued for the request. Miss: its row was
	 * opened in a closed bank. Conflict: another row was closed for it. */
	uint64_t row_hits, row_misses, row_conflicts;
	uint64_t activates, precharges, refreshes;
	uint64_t bus_clocks;  /* of data, summed over pseudo channels */
	uint64_t wait_clocks; /* in a queue, summed over requests */
	uint64_t drains;      /* switches from reads to writes */
	uint64_t rejected;    /* pushes that found their queue full */
};

struct dram;

/* A plausible controller at the standard's clock; core_khz is the same
 * clock. */
struct dram_config dram_defaults(enum dram_std standard);

/* Lives in *a. twin: another channel in *a, whose configuration differs at most
 * in refresh_early; or NULL. ERR_NOMEM, or ERR_RANGE for a value of cfg that is
 * out of range. */
MUST_USE enum err dram_new(struct dram **out, struct arena *a,
			   const struct dram_config *cfg,
			   const struct dram *twin, struct diag *diag);

bool dram_can_accept(const struct dram *m, bool write);
/* Adds a request in the cycle that dram_advance has reached, 0 at first. False:
 * the queue is full. The request must lie in one row, aligned to
 * DRAM_SECTOR. */
bool dram_push(struct dram *m, cycle_t now, const struct dram_request *r);
/* Simulates up to and including that cycle. Returns whether there are
 * completions to take. */
bool dram_advance(struct dram *m, cycle_t until);
enum dram_kind { DRAM_READ = 1, DRAM_WRITE = 2 };
/* Whether there is room for any of a set of enum dram_kind. */
bool dram_has_room(const struct dram *m, unsigned kinds);
/* Like dram_advance, but stops in the first cycle in which there is room for
 * any of a set of kinds, for which there is none now. Returns the cycle
 * reached, so that a caller that waits for room need not check after every
 * command. */
cycle_t dram_advance_to_room(struct dram *m, unsigned kinds, cycle_t until);
/* Takes the next completion up to the cycle reached, in order of cycles. Take all of
 * them before pushing more requests. */
enum dram_taken {
	DRAM_TOOK_NONE,
	DRAM_TOOK_ONE, /* there may be more */
	DRAM_TOOK_LAST /* and there is no event: see dram_next_event */
};
enum dram_taken dram_take(struct dram *m, struct dram_done *out);
/* The first cycle in which there may be a completion, or more room in a queue:
 * until then advancing has no visible effect. It lies in the future once all
 * completions are taken. */
cycle_t dram_next_event(const struct dram *m);
/* If all there is to do is one read: a cycle before which it is not complete,
 * mostly that in which it is. Else 0. */
cycle_t dram_lone_read_done(const struct dram *m);
/* Both at once: the next event, and a cycle before which there is no completion,
 * nor room that the caller could wait for. */
struct dram_outlook {
	cycle_t event, done;
};
struct dram_outlook dram_outlook(const struct dram *m);

/* Prefetches what every advance needs into the host's cache. */
void dram_prefetch(const struct dram *m);

/* As of the cycle reached. */
const struct dram_stats *dram_stats(const struct dram *m);
/* The configuration in use: every 0 is replaced by the standard's value. */
const struct dram_config *dram_config(const struct dram *m);
/* Clocks of the DRAM up to and including a cycle. */
uint64_t dram_clock(const struct dram *m, cycle_t cycle);

#endif
