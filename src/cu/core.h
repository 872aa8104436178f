/* What the files of cu/ share: the state of a cluster. */
#ifndef HEDDLE_CU_CORE_H
#define HEDDLE_CU_CORE_H

#include <string.h>

#include "cu/cu.h"
#include "mem/tags.h"
#include "net/port.h"
#include "simt/view.h"
#include "simt/wave.h"

enum {
	CU_UNITS = 4,  /* of a cluster, at most */
	CU_SIMDS = 4,  /* of a unit: each has every fourth cycle */
	CU_WAVES = 16, /* of a SIMD, at most */
	CU_SLOTS = CU_SIMDS * CU_WAVES,
	CU_GROUPS = CU_SLOTS, /* of a unit, at most */
	CU_COUNTED = 16,      /* instructions that a counter counts, at most */
	CU_PARTS = 256,       /* lines of an instruction, at most */
	CU_BATCH = 8,         /* lines that are looked up ahead of time */
	CU_NONE = 0xff
};

/* Kinds of instructions that issue beside each other, but for those of CU_STAYS:
 * they stay in the instruction buffer. */
enum cu_port {
	CU_VECTOR,
	CU_SCALAR,
	CU_MEMORY,
	CU_LDS,
	CU_EXPORT,
	CU_BRANCH,
	CU_STAYS,
	CU_PORTS
};

/* msg.id of requests: what they are for, and a number: an MSHR, or an atomic. */
enum {
	CU_ID_SHIFT = 24,
	CU_ID_NUMBER = (1 << CU_ID_SHIFT) - 1,
	/* 0 to CU_UNITS - 1: the vector L1 of that unit */
	CU_ID_SCALAR = CU_UNITS,
	CU_ID_CODE,
	/* Of a unit, from here on: no cache, the number of an instruction. */
	CU_ID_AROUND
};

/*
 * Instructions in flight that a counter counts, in the order of their issue.
 * ready: when one is complete, CYCLE_NEVER if that is not known yet.
 */
struct cu_count {
	cycle_t ready[CU_COUNTED];
	uint8_t weight[CU_COUNTED]; /* by which it has raised the counter */
	uint8_t id[CU_COUNTED];
	uint8_t n, sum; /* of the weights */
	uint8_t next_id;
	bool in_order; /* one that is complete waits for those before it */
};

/* A scalar load in flight. */
struct cu_scalar_load {
	cycle_t ready;
	uint8_t left; /* lines that have not come */
};

/* A slot for a wavefront. */
struct cu_slot {
	struct wave *wave; /* NULL: free, or it has ended */
	const struct wave_op *op;
	uint64_t pc;   /* address of `op` */
	uint64_t base; /* of the program's code */
	/* The instruction buffer holds the code up to here, and what is being
	 * fetched ends there. */
	uint64_t held, coming;
	cycle_t arrives;      /* CYCLE_NEVER: not known yet */
	cycle_t ready;        /* nothing but counters and code holds it */
	bool fetching, stale; /* stale: what arrives is not wanted any more */
	uint8_t ready_why;
	uint8_t port; /* enum cu_port of `op` */
	uint8_t group, simd;
	bool scalar_last; /* of loads that lgkm counts, the last was scalar */
	struct cu_count count[WAVE_COUNTERS];
	struct cu_scalar_load load[CU_COUNTED]; /* by id mod CU_COUNTED */
	cycle_t issued, start;
	struct sm_heat *heat; /* of its function */
	/* Its last barrier, and its wait if events are reported. */
	uint32_t barrier_index, barrier_func;
	cycle_t since;
	uint32_t since_func, since_index;
};

struct cu_resident {
	struct workgroup *group; /* NULL: free */
	uint64_t slots, left;    /* its wavefronts; those that have not ended */
	uint32_t grid, releases;
	bool stored;
	cycle_t start;
};

/* A line that a memory instruction accesses. */
struct cu_part {
	uint64_t line;
	uint64_t bytes;     /* written, as bits */
	uint32_t partition; /* of memory, that has it */
};

/* A vector memory instruction in flight. */
struct cu_op {
	uint32_t next; /* of the free ones */
	uint16_t parts, at;
	uint16_t left; /* parts whose data are to come, and 1 while at < parts */
	uint8_t slot;
	uint8_t counted, read; /* ids in its counters vm and exp, or CU_NONE */
	bool write, around, returns, fence;
	uint8_t flags; /* of its messages: the grid */
	cycle_t ready;
	struct atomic *half[2];
	/* Last: few of them are used, beside the rest in the host's cache. */
	struct cu_part part[CU_PARTS];
};

/* A line of a scalar load that could not be looked up yet. */
struct cu_scalar {
	uint64_t line;
	uint32_t token;
};

struct cu_cache {
	struct tags *tags;
	uint32_t id;
	unsigned shift;
};

/* A message that waits for a credit. */
struct cu_out {
	struct msg m;
	uint32_t partition, bytes;
};

/* Slots as bits: bit i is slot i of the SIMD. */
struct cu_simd {
	cycle_t next; /* the turn in which something may happen */
	uint16_t live;
	uint16_t held;   /* wait for room in the queue of memory */
	uint16_t ending; /* s_endpgm has issued */
	uint16_t missing; /* when they may issue, their instruction has just come */
	uint16_t port[CU_PORTS]; /* of their next instruction */
	cycle_t at[CU_WAVES]; /* when each slot may issue, CYCLE_NEVER: event */
	uint64_t age[CU_WAVES]; /* the lowest issues first */
	uint8_t why[CU_WAVES];  /* what it waits for until `at` */
	cycle_t busy;           /* its lanes, until then */
	uint8_t busy_unit;      /* enum unit_class of what occupies them */
	cycle_t accounted;      /* turns before this have a reason */
};

struct cu_unit {
	struct cu_cluster *cluster;
	uint32_t index; /* in the cluster */
	cycle_t next;
	uint32_t groups, waves; /* resident */
	uint32_t barriers;      /* groups of several wavefronts */
	uint32_t order;
	bool holds; /* a SIMD has slots in `held` */
	struct cu_simd simd[CU_SIMDS];
	struct cu_slot slot[CU_SLOTS]; /* of SIMD k from k * CU_WAVES on */
	struct cu_resident group[CU_GROUPS];
	uint32_t scalars[CU_SIMDS], vectors[CU_SIMDS]; /* free registers */
	uint64_t lds;                                  /* free bytes */
	struct idle_time idle;
	cycle_t idle_at;

	cycle_t fetch_free, lds_free, branch_free;
	/* Vector memory. */
	struct cu_cache l1;
	struct port port_out, port_in;
	struct cu_op *ops;
	uint32_t free_op, queue_first, queue_count, pending;
	uint32_t *queue; /* of ops to be looked up: a ring */
	uint32_t queue_room;
	cycle_t memory_next, memory_free;
	bool blocked;       /* for a credit or an MSHR */
	cycle_t blocked_at; /* since then */
	uint64_t *blocked_for;
};

struct cu_gridstate {
	struct sm_grid grid;
	struct wave_worker *worker;
	struct sm_heat **heat; /* by function */
	struct sm_heat *pool;
	uint64_t *excess;
	struct sm_detail *details;
	struct wave_demand demand;
	struct stats own;
};

/* What all grids count together. */
struct cu_counts {
	struct stat_sm st;
	struct stat_front front;
	struct stat_lsu lsu;
	struct stat_l1 l1;
	uint64_t unit[UNIT_COUNT];
};

struct cu_waiting { /* a group for which no unit has room yet */
	uint64_t index;
	uint32_t grid, phase;
};

struct cu_cluster {
	cycle_t now, next, until, start, residency_at;
	uint32_t units, simds, width, simd_waves, max_groups, max_barriers;
	struct cu_unit *unit;
	struct view *view;
	struct cu_cache scalar, code;
	struct port port_out, port_in;
	uint32_t *credit; /* by memory partition */
	uint32_t *tokens;
	/* Messages of the shared caches that wait for a credit. */
	struct cu_out *out;
	uint32_t out_first, out_count, out_room;
	struct cu_scalar *scalars; /* a ring */
	uint32_t scalars_first, scalars_count, scalars_room;
	cycle_t scalar_free;
	struct cu_waiting *waiting;
	uint32_t waiting_count;
	/* By the number of an atomic in the view: what it belongs to. */
	uint32_t *atomic_op;
	uint8_t *atomic_unit;
	uint32_t atomics;

	/* Parameters. */
	cycle_t vector_cycles[WAVE_RATES];
	cycle_t scalar_cycles, branch_cycles, barrier_cycles;
	uint32_t fetch_bytes, buffer_bytes;
	cycle_t fetch_cycles;
	uint32_t scalar_width;
	cycle_t scalar_latency;
	uint32_t lds_lanes, lds_banks, lds_bank_shift;
	cycle_t lds_latency, lds_conflict, lds_atomic, lds_queue;
	uint32_t group_lanes, queue_max, pending_max, mshrs;
	cycle_t address_cycles, hit_after, lead, fill_latency, request_latency;
	cycle_t atomic_return, store_after, block_latency;
	uint32_t header, write_extra;
	uint64_t max_steps;

	uint32_t groups; /* resident, of all units */
	wave_prefetch_fn *prefetch;
	bool stopped, stop_at_end, ended, details, many;
	uint32_t outstanding; /* requests that will be answered */
	uint32_t counting;
	struct cu_counts counts, mark;
	uint64_t reason[REASON_COUNT];
	struct sm_env env;
	struct cu_gridstate *grids[SM_GRIDS];
};

static inline struct cu_simd *cu_simd_of(struct cu_unit *u,
					 const struct cu_slot *p)
{
	return &u->simd[p->simd];
}

/* The slot's number in its SIMD. */
static inline unsigned cu_place(const struct cu_unit *u,
				const struct cu_slot *p)
{
	return (unsigned)(p - u->slot) % CU_WAVES;
}

static inline uint16_t cu_bit(const struct cu_unit *u, const struct cu_slot *p)
{
	return (uint16_t)(1u << cu_place(u, p));
}

/* The higher priority, then the older one, comes first. */
static inline uint64_t cu_age(unsigned priority, uint32_t order)
{
	return (uint64_t)(UINT8_MAX - priority) << 32 | order;
}

/* Slots that wait for a cycle after t. */
static inline uint32_t cu_slots_after(const struct cu_simd *s, cycle_t t)
{
	uint32_t after = 0;

#ifdef __AVX2__ /* an instruction takes the signs of four comparisons */
	typedef int64_t four_t __attribute__((vector_size(32)));
	typedef double signs_t __attribute__((vector_size(32)));
	const four_t flip = (four_t){ 0 } + INT64_MIN;
	const four_t than = ((four_t){ 0 } + (int64_t)t) ^ flip;

	for (unsigned i = 0; i < CU_WAVES; i += 4) {
		four_t at;

		memcpy(&at, &s->at[i], sizeof(at));
		after |= (uint32_t)__builtin_ia32_movmskpd256(
				 (signs_t)((at ^ flip) > than))
			 << i;
	}
#else
	for (unsigned i = 0; i < CU_WAVES; i++)
		after |= (uint32_t)(s->at[i] > t) << i;
#endif
	return after;
}

/* The first turn of SIMD k at or after t. */
static inline cycle_t cu_turn(cycle_t t, unsigned k)
{
	return t + ((k - t) & (CU_SIMDS - 1));
}

/* count.c */
/* Raises a counter; returns the instruction's id. */
uint8_t cu_count_add(struct cu_count *c, cycle_t now, cycle_t ready,
		     unsigned weight);
void cu_count_set(struct cu_count *c, uint8_t id, cycle_t ready);
/* When the counter is at most `most`; CYCLE_NEVER: not known yet. */
cycle_t cu_count_below(struct cu_count *c, cycle_t now, unsigned most);

/* issue.c */
void cu_issue(struct cu_unit *u, unsigned k, cycle_t t);
/* Finds out when the wavefront may issue its next instruction. */
void cu_prepare(struct cu_unit *u, struct cu_slot *p, cycle_t t);
/* The same for one that waits for an event that may have come. */
void cu_reconsider(struct cu_unit *u, struct cu_slot *p, cycle_t t);
/* Adds to the excess of an instruction that the wavefront has issued. */
void cu_count_excess(struct cu_unit *u, const struct cu_slot *p,
		     const struct wave_op *op, uint64_t n);
void cu_set_wait(struct cu_unit *u, struct cu_slot *p, cycle_t at,
		 enum reason why);

/* account.c */
void cu_account(struct cu_unit *u, unsigned k, cycle_t t);
void cu_account_unit(struct cu_unit *u, cycle_t t);
void cu_report_stall(struct cu_unit *u, const struct cu_slot *p, cycle_t to);
void cu_switch_grid(struct cu_cluster *x, uint32_t grid);

/* resident.c */
/* The number of a unit in the GPU, and of a slot in its unit, for events. */
static inline uint32_t cu_number(const struct cu_unit *u)
{
	return u->cluster->env.self * u->cluster->units + u->index;
}
uint32_t cu_slot_number(const struct cu_unit *u, uint32_t slot);
void cu_group_arrives(struct cu_cluster *x, const struct msg *m);
void cu_end_slot(struct cu_unit *u, struct cu_slot *p, cycle_t t);
void cu_residency(struct cu_cluster *x, cycle_t t);
void cu_report_rest(struct cu_cluster *x, cycle_t end);

/* fetch.c */
/* When the whole of the wavefront's next instruction is in its buffer;
 * CYCLE_NEVER: not known. Requests what follows. */
cycle_t cu_fetch(struct cu_unit *u, struct cu_slot *p, cycle_t t);
/* The end of its next instruction. */
static inline uint64_t cu_code_end(const struct cu_slot *p)
{
	return p->pc + 4u * p->op->words;
}
/* cu_fetch, quick if nothing has arrived and nothing is requested. */
static inline cycle_t cu_code(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	const struct cu_cluster *x = u->cluster;
	bool here = cu_code_end(p) <= p->held;

	if (p->fetching ?
		    p->arrives > t :
		    here && p->held + x->fetch_bytes > p->pc + x->buffer_bytes)
		return here ? t : p->arrives;
	return cu_fetch(u, p, t);
}
/* The wavefront continues elsewhere. */
void cu_fetch_flush(struct cu_unit *u, struct cu_slot *p, uint64_t pc);
void cu_code_arrives(struct cu_cluster *x, uint32_t token, cycle_t t,
		     cycle_t ready);

/* memory.c */
bool cu_memory_full(const struct cu_unit *u);
void cu_issue_memory(struct cu_unit *u, struct cu_slot *p,
		     const struct wave_op *op, cycle_t t);
void cu_memory_advance(struct cu_unit *u, cycle_t t);
/* There is a credit, or an MSHR. */
void cu_memory_unblock(struct cu_unit *u, cycle_t t);
/* There is room in the queue: for wavefronts that wait for it. */
void cu_memory_room(struct cu_unit *u, cycle_t t);
void cu_memory_atomic(struct cu_cluster *x, const struct msg *m, cycle_t t);
void cu_memory_answer(struct cu_cluster *x, const struct msg *m, cycle_t t);
uint32_t cu_op_bound(const struct cfg *c);

/* lds.c */
void cu_issue_lds(struct cu_unit *u, struct cu_slot *p,
		  const struct wave_op *op, cycle_t t);

/* cache.c: the shared caches and the network */
void cu_issue_scalar(struct cu_unit *u, struct cu_slot *p,
		     const struct wave_op *op, cycle_t t);
/* Sends a message that passes the port from t on; returns its arrival. There is
 * a credit. */
cycle_t cu_send(struct cu_cluster *x, struct port *port, struct cu_out *o,
		cycle_t t);
/* All of the message but the partition of memory that gets it. */
void cu_describe(const struct cu_cluster *x, struct cu_out *o,
		 enum msg_kind kind, uint64_t line, unsigned shift,
		 uint32_t id);
/* Requests a line of a shared cache, now or when there is a credit. */
void cu_request_shared(struct cu_cluster *x, uint32_t id, uint64_t line,
		       unsigned shift, cycle_t t);
void cu_take_mail(struct cu_cluster *x, cycle_t t);
void cu_drain(struct cu_cluster *x, cycle_t t);
MUST_USE enum err cu_cache_new(struct cu_cache *c, struct arena *a,
			       const struct tags_cfg *k, struct diag *d);
MUST_USE enum err cu_caches_new(struct cu_cluster *x, struct arena *a,
				struct diag *d);

#endif
