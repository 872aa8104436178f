/*
 * A core of a CPU: out of order, with one to four hardware threads.
 *
 *   fetch -> [queue] -> rename -> [ROB, issue queue, load/store queue]
 *     |                              |  issue -> units -> complete
 *   L1I, predictors, function        |  loads, stores -> L1D
 *                                    commit, in order
 *
 * Function: an instruction executes (arch/guest.h) when it is fetched on the
 * right path, in the order in which the cores fetch; so all threads agree on
 * one order of all accesses. Those that must be alone (atomics, fences, system
 * calls) are fetched when all before them has been performed. Time comes after:
 * the micro-operations pass the core with the addresses that were found. A load
 * that finds what another core's store has written is held until that store has
 * been performed (await.c).
 *
 * After a wrong prediction instructions of the wrong path are fetched, executed
 * on a copy of the registers (loads and instruction fetches with their
 * addresses, so that caches see them; stores change nothing) and renamed, until
 * the branch completes; then they are squashed. Predictions on a wrong path are
 * followed and not checked; it ends at instructions that must be alone.
 *
 * Models:  see above; widths and sizes by section cpu of the configuration;
 *          forwarding from the store queue; a store buffer behind commit; as
 *          many requests a cycle as each first-level cache takes.
 * Does not model: stores that wait for older ones to be performed (they are
 *          performed in any order); loads that were issued too early and have
 *          to be repeated: which stores a load depends on is known; fusion of
 *          micro-operations; the replay of dependents of a load that missed.
 * Owner:   the system. cpu_core_front is called between windows, by one thread;
 *          the rest is a part of the memory system (mem/cgm/part.h).
 */
#ifndef HEDDLE_CPU_CORE_H
#define HEDDLE_CPU_CORE_H

#include "arch/guest.h"
#include "cpu/predict.h"
#include "cpu/profile.h"
#include "mem/cgm/port.h"
#include "stat/cgm.h"
#include "stat/cpu.h"

#define CPU_NONE UINT16_MAX

enum {
	CPU_FLIGHTS = 256, /* accesses of a port in flight */
	CPU_WHEEL = 256,   /* cycles in which micro-operations complete */
	CPU_UNITS_MOST = 16,
	CPU_PHYS_MOST = 8192
};

/* Whom a core tells what its threads do; between windows. */
struct cpu_host {
	/* The thread stopped, with everything before performed. Returns the
	 * cycle in which it goes on; CYCLE_NEVER: it has left the core, or
	 * another one was put there. */
	cycle_t (*stopped)(void *ctx, unsigned core, unsigned context,
			   enum guest_stop why, cycle_t cycle);
	void (*marked)(void *ctx, unsigned core, unsigned context,
		       uint32_t mark, cycle_t cycle);
	void *ctx;
};

/* A physical register. */
struct cpu_phys {
	bool ready;
	uint8_t refs; /* registers that it holds */
	uint8_t file;
	uint16_t next;  /* free */
	uint16_t waits; /* the last to wait: slot * UOP_SOURCES + source */
};

enum cpu_state {
	CPU_WAITS,     /* for operands */
	CPU_READY,     /* for a unit */
	CPU_EXECUTES,  /* in a unit */
	CPU_ACCESSES,  /* waits for the port, or for the answer */
	CPU_FORWARDED, /* a load that an older store answers, or will */
	CPU_DONE
};

/* A micro-operation in the ROB: a line of the host's cache. */
struct cpu_slot {
	_Alignas(64) uint64_t seq;
	uint64_t address;
	const struct guest_inst *inst;
	uint32_t bytes;
	uint8_t kind, unit, lat, thread;
	uint8_t state;
	uint8_t missing;           /* sources that are not ready */
	uint8_t sends, sent, owed; /* requests to send; sent; unanswered */
	uint8_t number;            /* among those of its instruction */
	/* What is known of the stores older than a load. */
	uint8_t older;
	bool wrong : 1, last : 1;    /* of a wrong path; of its instruction */
	bool missed : 1, astray : 1; /* mispredicted; its target was */
	uint16_t phys[UOP_TARGETS], old[UOP_TARGETS];
	uint16_t waits[UOP_SOURCES]; /* the next that waits for the same */
	uint16_t before, after;      /* in the ready list */
	/* Its place in the store queue; of a load: that of a store it waits for. */
	uint16_t store;
	uint8_t dst[UOP_TARGETS];
};

/* A fetched instruction, or one round of a repeated one. */
struct cpu_fetched {
	const struct guest_inst *inst;
	uint64_t address[GUEST_ACCESSES];
	uint64_t block; /* the last block of instructions it needs */
	cycle_t cycle;
	uint64_t stamp; /* its place in the order of all cores */
	uint32_t bytes;
	bool wrong, missed, astray, idle;
	bool last;     /* the last round */
	bool accesses; /* memory, on the right path */
};

/* A store from rename until it is performed. */
struct cpu_store {
	uint64_t seq, address;
	uint64_t stamp; /* of its instruction */
	uint32_t bytes;
	bool ready, committed, done, wrong;
	uint8_t sends, sent, owed;
	uint16_t leader; /* the store whose request it shares, or itself */
};

/* Why nothing comes from fetch, for the accounting of slots. */
enum cpu_front {
	CPU_FRONT_FLOWS,
	CPU_FRONT_BRANCH, /* until the first instruction after a squash */
	CPU_FRONT_ORDER,
	CPU_FRONT_CALL
};

struct cpu_context {
	void *thread; /* NULL: none */
	void *stray;
	/* Fetch. */
	uint64_t at;       /* on a wrong path: where that is */
	bool wrong, stuck; /* stuck: the wrong path does not go on */
	cycle_t resume;
	enum guest_stop stop; /* told when everything has been performed */
	uint64_t block;       /* asked for last, plus 1 */
	uint64_t blocks_asked, blocks_there;
	uint64_t arrived; /* a bit for each block after blocks_there */
	enum cpu_front why;
	const struct guest_inst *last; /* committed, while there is a profile */
	/* Rounds that are left of a repeated instruction. */
	struct cpu_fetched round;
	uint64_t rounds;
	int32_t step;
	struct cpu_fetched *queue;
	uint32_t head, count, uop; /* uop: of the first one, the next */
	/* The ROB of this thread: slots base + (head + n) % size. */
	uint16_t base, rob_head, rob_count;
	uint16_t map[UREGS];
	struct cpu_store *store;
	uint32_t stores_first, stores, buffered;
	uint32_t unsent;  /* buffered stores that have something to send */
	uint32_t atomics; /* in flight: younger loads wait */
	/* The one that is not performed; 0 bytes: none. */
	uint64_t atomic, atomic_stamp;
	uint32_t atomic_bytes;
	/* The last one of the queue reads what another core has yet to write. */
	bool awaits;
};

struct cpu_flight {
	uint64_t tag, seq;
	cycle_t since;
	uint16_t slot; /* of a load or atomic; CPU_NONE: a store */
	uint16_t store;
	uint8_t thread;
};

struct cpu_port {
	struct cgm_port port;
	struct cgm_stat_port *st;
	struct cpu_flight flight[CPU_FLIGHTS];
	uint64_t used[CPU_FLIGHTS / 64]; /* bits: of these, those in flight */
	uint32_t in_flight;
};

struct cpu_event {
	uint64_t seq;
	uint16_t slot, next;
};

struct cpu_core {
	struct cgm_part part; /* first */
	unsigned number;
	const struct guest *guest;
	const struct cpu_host *host;
	struct cfg_cpu cfg;
	uint32_t lat[UOP_LATS], interval[UOP_LATS], units[UOP_UNITS];
	struct cpu_predict predict;
	/* All cores of the system. */
	struct cpu_core *const *peer;
	unsigned peers;
	uint64_t *order; /* stamps given to instructions of all of them */
	/* Stores that are fetched and not performed, by hash, and all. */
	uint16_t *announced;
	uint32_t announcements;
	struct cpu_port code, data;
	struct cpu_context context[CPU_THREADS];
	struct cpu_slot *slot;
	uint32_t slots;
	uint32_t rob, iq, lsq; /* in use */
	struct cpu_phys *phys;
	uint16_t free[UOP_FILES];
	uint32_t store_room;    /* of each thread's store queue */
	uint32_t store_flights; /* requests of stores in flight */
	cycle_t unit_free[UOP_UNITS][CPU_UNITS_MOST];
	uint16_t ready_first, ready_last;
	uint16_t *access; /* loads that have an address and wait */
	uint32_t accesses;
	/* Micro-operations that complete, by cycle. */
	struct cpu_event *event;
	uint16_t event_free, wheel[CPU_WHEEL];
	uint64_t wheel_live[CPU_WHEEL / 64];
	uint64_t seq;
	unsigned turn; /* of threads */
	bool active;   /* something happened: the next cycle is executed */
	bool blocked;  /* a port took no request: tried again */
	bool ended;    /* nothing is fetched any more */
	bool hurries;  /* executes without detail, see cpu_core_hurry */
	cycle_t cycle; /* the last one that was executed; plus 1 */
	enum cpu_slot_use idle_use;         /* of the cycles since */
	const struct guest_inst *idle_inst; /* and which one that concerns */
	struct cpu_profile *profile;        /* NULL: none is kept */
	struct cpu_stats st;
};

MUST_USE enum err cpu_core_new(struct cpu_core **out, struct arena *a,
			       unsigned number, const struct cfg *cfg,
			       const struct guest *guest,
			       const struct cpu_host *host, struct diag *d);
/* The cores of a system, itself among them, while it lives; none: it is alone. *order
 * is theirs together, 0 at first. */
void cpu_core_meet(struct cpu_core *c, struct cpu_core *const *peer,
		   unsigned peers, uint64_t *order);
/* Connects it to the memory system. */
void cpu_core_connect(struct cpu_core *c, const struct cgm_port *code,
		      struct cgm_stat_port *code_st,
		      const struct cgm_port *data,
		      struct cgm_stat_port *data_st);
/* Counts in a profile from now on; ends with the cycles before `cycle`. */
void cpu_core_profile(struct cpu_core *c, struct cpu_profile *p);
void cpu_core_profile_end(struct cpu_core *c, cycle_t cycle);
/* Fetches in the cycle at tick `now`; before the part's step. */
void cpu_core_front(struct cpu_core *c, cycle_t now);
/* Puts a thread on a context, which has none; it begins in that cycle. */
void cpu_core_place(struct cpu_core *c, unsigned context, void *thread,
		    cycle_t cycle);
/* Takes the thread away; everything before it has been performed. */
void cpu_core_remove(struct cpu_core *c, unsigned context);
/* Lets the thread stop before its next instruction, for GUEST_STOPS_TURN. */
void cpu_core_preempt(struct cpu_core *c, unsigned context);
/* Everything of a context has been performed, and nothing is in flight. */
bool cpu_core_drained(const struct cpu_core *c, unsigned context);
/* From now on instructions only execute, many in a cycle: no pipeline, no caches. What
 * is in flight is finished first. */
void cpu_core_hurry(struct cpu_core *c);
/* Wakes it at a tick. */
void cpu_core_wake(struct cpu_core *c, cycle_t tick);
/* The core's statistics up to a cycle. */
void cpu_core_stats(const struct cpu_core *c, cycle_t cycle,
		    struct cpu_stats *out);

/* For the core's own files. */
static inline cycle_t cpu_core_cycle(const struct cpu_core *c, cycle_t tick)
{
	/* At the fastest clock: a division less. */
	return c->part.period == 1 ? tick : tick / c->part.period;
}

/* The n-th access of an instruction: of those that have no address of their own, the
 * first one's. */
static inline uint64_t cpu_access_address(const struct cpu_fetched *f,
					  unsigned n)
{
	return f->address[n < GUEST_ACCESSES ? n : 0];
}

static inline uint32_t cpu_access_bytes(const struct cpu_fetched *f,
					const struct uop *op)
{
	return f->bytes ? f->bytes : op->bytes;
}

/* A place in a ring of `room`, less than twice that: without a division. */
static inline uint32_t cpu_ring(uint32_t at, uint32_t room)
{
	return at < room ? at : at - room;
}

static inline uint16_t cpu_rob_at(const struct cpu_core *c,
				  const struct cpu_context *x, uint32_t n)
{
	return (uint16_t)(x->base +
			  cpu_ring(x->rob_head + n, (uint32_t)c->cfg.rob));
}

static inline struct cpu_store *
cpu_store_at(const struct cpu_core *c, const struct cpu_context *x, uint32_t n)
{
	return &x->store[cpu_ring(x->stores_first + n, c->store_room)];
}

/* The n-th fetched instruction that is not renamed. */
static inline struct cpu_fetched *cpu_fetched_at(const struct cpu_core *c,
						 const struct cpu_context *x,
						 uint32_t n)
{
	return &x->queue[cpu_ring(x->head + n, (uint32_t)c->cfg.fetch_queue)];
}

/* The thread whose turn is the i-th in this cycle. */
static inline unsigned cpu_thread_at(const struct cpu_core *c, unsigned i)
{
	return cpu_ring(c->turn + i, (uint32_t)c->cfg.threads);
}

/* rename.c */
MUST_USE bool cpu_rename_init(struct cpu_core *c, struct arena *a);
void cpu_rename(struct cpu_core *c, cycle_t cycle);
/* A slot's registers are written: those that wait for them become ready. */
void cpu_rename_wake(struct cpu_core *c, struct cpu_slot *s);
void cpu_rename_commit(struct cpu_core *c, struct cpu_context *x,
		       const struct cpu_slot *s);
void cpu_rename_undo(struct cpu_core *c, struct cpu_context *x, uint16_t at);

/* issue.c */
MUST_USE bool cpu_issue_init(struct cpu_core *c, struct arena *a);
void cpu_issue_ready(struct cpu_core *c, uint16_t at);
void cpu_issue_drop(struct cpu_core *c, uint16_t at);
void cpu_issue(struct cpu_core *c, cycle_t cycle);
void cpu_issue_complete_at(struct cpu_core *c, uint16_t at, cycle_t cycle);
/* Micro-operations that complete in this cycle. */
void cpu_issue_complete(struct cpu_core *c, cycle_t cycle);
/* The next cycle in which something completes or a unit is free again. */
cycle_t cpu_issue_next(const struct cpu_core *c, cycle_t cycle);

/* lsq.c */
MUST_USE bool cpu_lsq_init(struct cpu_core *c, struct arena *a);
/* A load, atomic or flush has its address. */
void cpu_lsq_access(struct cpu_core *c, uint16_t at);
void cpu_lsq_answers(struct cpu_core *c, cycle_t now);
void cpu_lsq(struct cpu_core *c, cycle_t now);
/* The youngest store of a thread is squashed. */
void cpu_lsq_undo(struct cpu_core *c, struct cpu_context *x);
void cpu_lsq_drop(struct cpu_core *c, uint16_t at);
/* Sends a request with a tag of its own; returns its flight, which the caller
 * fills. NULL: not now. */
struct cpu_flight *cpu_port_ask(struct cpu_core *c, struct cpu_port *p,
				cycle_t now, struct cgm_request *r);
/* Whether there is an answer by now. */
static inline bool cpu_port_answers(const struct cpu_port *p, cycle_t now)
{
	return cgm_wire_peek(p->port.from, CGM_LANE_REPLY, now);
}
/* The flight that was answered by now, until another is sent. */
const struct cpu_flight *cpu_port_answer(struct cpu_core *c, struct cpu_port *p,
					 cycle_t now);

/* await.c */
MUST_USE bool cpu_await_init(struct cpu_core *c, struct arena *a);
/* What an instruction that accesses memory will write; and that one of its stores
 * has. */
void cpu_await_announce(struct cpu_core *c, struct cpu_context *x,
			struct cpu_fetched *f);
void cpu_await_performed(struct cpu_core *c, uint64_t address, uint32_t bytes);
/* Holds the last instruction of the queue, which accesses memory, if it reads what
 * another core has yet to write. */
bool cpu_await_hold(struct cpu_core *c, struct cpu_context *x);
/* Releases it once that is written; for a context that awaits. */
void cpu_await_poll(struct cpu_core *c, struct cpu_context *x, cycle_t cycle);

/* fetch.c */
MUST_USE bool cpu_fetch_init(struct cpu_core *c, struct arena *a);
void cpu_fetch_answers(struct cpu_core *c, cycle_t now);
/* The branch has completed: fetch goes on on the right path. */
void cpu_fetch_redirect(struct cpu_core *c, struct cpu_context *x,
			cycle_t cycle);

/* commit.c */
void cpu_commit(struct cpu_core *c);
/* Drops everything of a thread that is younger than the slot. */
void cpu_squash(struct cpu_core *c, struct cpu_context *x, uint16_t at,
		cycle_t cycle);
/* What the slots are lost for that are not used in this state, and the instruction
 * that this concerns; NULL: none is known. */
enum cpu_slot_use cpu_commit_reason(const struct cpu_core *c,
				    const struct guest_inst **inst);

#endif
