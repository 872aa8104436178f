/*
 * A warp: lanes in lock step, and their divergence.
 *
 * Lanes that run together are a *split*. A divergent branch ends one split and
 * starts two, which reconverge at a *join*: the branch's immediate
 * post-dominator. A function's return is a join too, kept in its frame. The
 * youngest split runs first and the others wait, which is the SIMT stack. With
 * independent lanes (sm_70 and later) splits take turns, and lanes that have
 * waited at a join for too long continue alone, so that every lane makes
 * progress: see warp_schedule.
 *
 * Machine code has no joins: it says itself where lanes wait for each other
 * (simt/converge.h).
 *
 * Models:  divergence, calls, recursion, .sync operations that wait for the
 *          lanes they name, exit of some lanes.
 * Does not model: time.
 * Owner:   its block; used by the one host thread that runs the block.
 */
#ifndef HEDDLE_SIMT_WARP_H
#define HEDDLE_SIMT_WARP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "arch/effect.h"
#include "arch/inst.h"

struct block;

enum { NO_JOIN = -1, BARRIERS = 16 };

enum split_state {
	SPLIT_READY,
	SPLIT_BARRIER, /* waits at a block barrier, number in `barrier` */
	SPLIT_SYNC,    /* waits for the other lanes of a .sync operation */
	SPLIT_CONVERGE /* waits at a convergence barrier: simt/converge.h */
};

struct split {
	lanes_t mask;
	uint32_t pc;
	struct frame *frame;
	int join; /* where these lanes reconverge with others, or NO_JOIN */
	uint8_t state;
	uint8_t barrier;
	slot_t converge; /* SPLIT_CONVERGE: the register of the barrier */
	lanes_t needs;   /* SPLIT_SYNC: lanes that must arrive; see tape.h */
	uint64_t ran;    /* w->steps when it last ran or was made */
	bool recent; /* machine code: the last one that let another go first */
};

struct join {
	uint32_t pc;
	struct frame *frame;
	lanes_t expected, arrived;
	int parent;     /* the join after this one */
	uint64_t since; /* w->steps at the first arrival */
	uint64_t syncs; /* w->syncs at the first arrival */
	bool used;
};

/* One activation of a function by lanes that called together. */
struct frame {
	struct frame *parent;
	const struct code *code;
	char *regs;
	uint32_t return_pc;
	lanes_t live;            /* lanes in the function */
	lanes_t returned;        /* of these, lanes that wait for the rest */
	int join;                /* of the split that called */
	uint64_t since, syncs;   /* as in struct join */
	uint32_t local_base;     /* of this frame's variables in local memory */
	uint32_t local_top;      /* alloca grows it */
	const struct inst *call; /* the call instruction, for its returns */
	struct frame *next_free;
	struct frame *next_all; /* list of all frames of the worker */
};

/* Why the inner loop must stop. Bits of warp.event. */
enum {
	EVENT_SWITCH = 1, /* the current split ended or blocked */
	EVENT_YIELD = 2,  /* let others run: nanosleep, a failed try_wait */
	EVENT_FAULT = 4
};

/*
 * The lane pattern of a register with addresses in shared memory, if all lanes
 * of each half of the warp have the same address, or those of consecutive
 * words: the addresses of the first lane of each half, PATTERN_BITS each, and
 * these bits. 0: no such pattern is known.
 */
#define PATTERN_KNOWN (UINT64_C(1) << 63)
#define PATTERN_SAME (UINT64_C(1) << 62) /* else consecutive words */
#define PATTERN_NEAR (UINT64_C(1) << 61) /* a load of words is EFFECT_NEAR */
enum { PATTERN_BITS = 24 };

struct warp {
	/* The current split, unpacked. What every step touches comes first, in
	 * one line of the host's cache. */
	_Alignas(64) char *base[3]; /* by enum slot_place */
	uint32_t pc;                /* of the next instruction */
	uint32_t event;
	lanes_t mask;   /* that this instruction acts on */
	lanes_t active; /* of the split */
	uint64_t steps; /* warp-instructions executed */
	uint64_t stop;  /* when stepped: w->steps at which its turn ends */

	struct block *block;
	const struct inst *insts;
	struct frame *frame;
	int current;           /* index in splits, or -1 */
	uint32_t id;           /* in its block */
	struct effect *effect; /* of its last instruction; the worker's */
	struct worker *worker; /* its block's */
	/* Of address registers, at in->m >> MEM_PATTERN. 0 is no place, and
	 * stays 0. */
	uint64_t lane_pattern[LANE_PATTERNS + 1];
	lanes_t members; /* lanes that exist; the last warp may be partial */
	lanes_t exited;
	lanes_t yielded; /* in code that spins: warp_spin, simt/converge.h */
	lanes_t ahead;   /* did not wait for those: simt/converge.h */
	uint64_t off;    /* lanes that took no part, over all steps */
	uint64_t syncs;  /* operations that could be part of a spin loop */
	uint64_t spin_steps, spin_syncs; /* when block.c began to count these */

	struct split *splits; /* LANES; apart from what every step touches */
	int split_count;
	bool turn;      /* it is the turn of the other splits */
	bool whole;     /* when stepped: the split began with all live lanes */
	uint64_t slice; /* w->steps at which the other splits have their turn */
	struct join *joins;
	int join_count, join_room;

	bool met_barrier;              /* bar_arrived may hold something */
	lanes_t bar_arrived[BARRIERS]; /* lanes that wait or arrived there */

	char *local; /* by lane: lane * local_size + address */
	uint64_t local_size;
};

/* The lanes of an operand. */
static inline void *slot_at(const struct warp *w, slot_t s)
{
	return w->base[SLOT_PLACE(s)] + SLOT_OFFSET(s);
}

static inline pred_t pred_get(const struct warp *w, slot_t s)
{
	pred_t v;

	memcpy(&v, slot_at(w, s), sizeof(v));
	return v;
}

/* Writes predicate bits of the lanes in w->mask; SLOT_NONE drops them. */
static inline void pred_put(struct warp *w, slot_t s, lanes_t bits)
{
	pred_t *p;

	if (s == SLOT_NONE)
		return;
	p = slot_at(w, s);
	*p = (pred_t)((*p & ~w->mask) | (bits & w->mask));
}

/* Predicate source number i of the instruction, negation applied. */
static inline pred_t pred_src(const struct warp *w, const struct inst *in,
			      slot_t s, int i)
{
	pred_t v = pred_get(w, s);

	return in->flip >> i & 1 ? ~v : v;
}

/* Copies the lanes in w->mask of `from` to slot s. SLOT_NONE drops them. */
#define LANE_PUT(bits)                                           \
	static inline void put##bits(struct warp *w, slot_t s,   \
				     const uint##bits##_t *from) \
	{                                                        \
		const pred_t mask = (pred_t)w->mask;             \
		uint##bits##_t *to;                              \
                                                                 \
		if (s == SLOT_NONE)                              \
			return;                                  \
		to = slot_at(w, s);                              \
		if (lanes_are_all(mask)) {                       \
			memcpy(to, from, LANES * sizeof(*to));   \
			return;                                  \
		}                                                \
		for (int l = 0; l < LANES; l++)                  \
			to[l] = mask >> l & 1 ? from[l] : to[l]; \
	}
LANE_PUT(16)
LANE_PUT(32)
LANE_PUT(64)
#undef LANE_PUT

/* Lanes that exist and have not exited. */
static inline lanes_t warp_live(const struct warp *w)
{
	return w->members & ~w->exited;
}

/* Lanes of the split whose guard is true. */
static inline lanes_t warp_guard(const struct warp *w, const struct inst *in)
{
	if (LIKELY(in->guard == SLOT_NONE))
		return w->active;
	return w->active & (pred_get(w, in->guard) ^ (pred_t)in->guard_flip);
}

/* Lanes that take no part in an instruction. */
static inline unsigned warp_off(lanes_t mask)
{
	return LANES - lanes_count(mask);
}

/* Counts them, or not even the instruction. */
static inline void warp_count_off(struct warp *w, const struct inst *in)
{
	if (UNLIKELY(in->flip & INST_APART && !w->mask))
		w->steps--;
	else
		w->off += warp_off(w->mask);
}

/* Thread-instructions executed: each step counts once for every lane that took
 * part. */
static inline uint64_t warp_lane_steps(const struct warp *w)
{
	return LANES * w->steps - w->off;
}

/* Starts a warp with its first frame; clears everything else. */
void warp_start(struct warp *w, struct frame *first, lanes_t members);

/*
 * Runs until the warp is done, blocked or faulted, or has executed about
 * `budget` instructions. The caller checks warp_done and warp_ready.
 */
void warp_run(struct warp *w, uint64_t budget);
static inline bool warp_done(const struct warp *w)
{
	return warp_live(w) == 0;
}
bool warp_ready(const struct warp *w); /* some split can run */

/*
 * Stepping: the same, one instruction at a time, for a caller that decides when
 * each instruction is executed. A warp is run or stepped from its start to its
 * end, never both.
 *
 * warp_next returns the instruction that the warp executes next, after making
 * its split the current one and passing joins, which take no time. NULL: the
 * warp is done, blocked or faulted. A second call changes nothing.
 *
 * warp_step executes what warp_next returned, without calling the launch's
 * watcher. False: it was not executed; its lanes wait for others and will try
 * again. Until the next warp_next, w->mask has the lanes that it acted on
 * (0: none), and w->event may have EVENT_YIELD or EVENT_FAULT.
 */
const struct inst *warp_advance(struct warp *w); /* for warp_next only */
static inline const struct inst *warp_next(struct warp *w)
{
	if (LIKELY(w->current >= 0 && !w->event)) {
		const struct inst *in = &w->insts[w->pc];

		if (LIKELY(!(in->flip & INST_PSEUDO)))
			return in;
	}
	return warp_advance(w);
}
/* Executes the instruction that warp_next returned. True: the step was
 * uneventful, and the warp continues at its pc. False: warp_end_step must
 * follow. */
static inline bool warp_execute(struct warp *w, const struct inst *in)
{
	w->pc++;
	w->mask = warp_guard(w, in);
	w->steps++;
	if (UNLIKELY(!lanes_are_all(w->mask)))
		warp_count_off(w, in);
	if (LIKELY(w->mask))
		in->exec(w, in);
	return LIKELY(!w->event && w->steps < w->stop);
}
/* Ends a step after which the warp does not simply continue: an event, or the
 * turn of other splits. Returns what warp_step does; `before` is w->steps
 * before the step. */
bool warp_end_step(struct warp *w, uint64_t before);
static inline bool warp_step(struct warp *w)
{
	uint64_t before = w->steps;

	return warp_execute(w, &w->insts[w->pc]) || warp_end_step(w, before);
}
/* Ends the launch with a fault: the warp has executed machine.max_steps
 * instructions. The warp must be ready. */
void warp_endless(struct warp *w);

/* For executors. */
exec_fn warp_nop;  /* does nothing */
exec_fn warp_meet; /* a join: where diverged lanes reconverge */
/* The lanes spin until others have done something: lanes that wait at a join
 * for lanes that spin alone go on, and have their turn. */
exec_fn warp_spin;
void warp_diverge(struct warp *w, lanes_t taken, uint32_t pc_taken,
		  uint32_t join_pc);
void warp_jump_many(struct warp *w, const uint32_t pc[LANES], uint32_t join_pc);
void warp_arrive(struct warp *w); /* at a join instruction */
void warp_call(struct warp *w, const struct inst *in, const struct code *to);
void warp_return(struct warp *w);
void warp_exit(struct warp *w, lanes_t lanes);
/*
 * The lanes in `members` that have not exited must execute this instruction
 * together. True: they are all here. False: the split waits; the executor must
 * return at once, and is called again when they are. A bar.warp.sync may be a
 * different instruction for each of them.
 */
bool warp_converge(struct warp *w, lanes_t members);
/* Only the lanes in `stay` execute this instruction now, the others of the
 * split after them. */
void warp_set_apart(struct warp *w, lanes_t stay);
/* These lanes of w->mask, not all of them, execute the instruction after the
 * others. */
void warp_leave(struct warp *w, lanes_t others);
/* Leaves only the lanes in w->mask in the current split: lanes whose guard is
 * false do not wait at a barrier with the others. */
void warp_part(struct warp *w);
/* Blocks the current split at a convergence barrier: simt/converge.h. */
void warp_wait_converge(struct warp *w, slot_t barrier);
/* Removes split i, or makes a copy of it with some of its lanes, at the end of
 * the list. */
void warp_remove_split(struct warp *w, int i);
void warp_divide_split(struct warp *w, int i, lanes_t lanes);
/* At a branch, if the program's lanes take turns there: ends the turn of
 * diverged lanes that is over. */
static inline void warp_end_turn(struct warp *w)
{
	if (UNLIKELY(w->active != warp_live(w) && w->steps >= w->slice))
		w->event |= EVENT_SWITCH;
}
/* Blocks the current split at a block barrier. */
void warp_wait_barrier(struct warp *w, uint8_t barrier);
/* Makes the splits that wait at the barrier ready again. */
void warp_release_barrier(struct warp *w, uint8_t barrier);
/*
 * Lets all lanes that wait at joins continue alone, because what they wait for
 * cannot happen otherwise. False: there were none.
 */
bool warp_release_joins(struct warp *w);
/* Ends the launch with a fault of the lowest lane in `lanes`. */
void warp_fault(struct warp *w, const struct inst *in, int kind, lanes_t lanes,
		uint64_t address, const char *fmt, ...) PRINTF_LIKE(6, 7);

#endif
