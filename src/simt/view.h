/*
 * Global memory as one SM sees it while time passes.
 *
 * Memory changes only at the end of an epoch. What an SM stores during an epoch
 * goes to its own log; its loads see memory as of the start of the epoch and,
 * over it, its own log. At the end of the epoch the logs of all SMs are applied
 * in (cycle, SM, sequence) order; then the atomics that have reached their
 * slices are performed, in the order of arrival, so that a thread's atomic
 * comes after its earlier stores. No two SMs ever touch a word at the same
 * time, and the result of a racy program depends neither on the host's threads
 * nor on the order in which SMs are simulated.
 *
 *   store ---> log --------(end of epoch)-----\
 *   load  <--- log over memory                 memory
 *   atomic --> struct atomic --(its slice)----/
 *          <-- result, when the answer comes back
 *
 * Models:  plain loads and stores, byte by byte; atomics and reductions in two
 *          steps: recorded at issue, performed at the end of the epoch.
 * Does not model: time, caches, messages. Shared, local, constant and parameter
 *          memory do not pass through it: they belong to one SM.
 * Owner:   the SM. view_apply and atomic_perform are called between epochs.
 *
 * Nothing is allocated after view_new.
 */
#ifndef HEDDLE_SIMT_VIEW_H
#define HEDDLE_SIMT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/inst.h"
#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"

struct warp;
struct call_info;

enum {
	VIEW_LINE = 128,   /* bytes of a log entry's line */
	VIEW_BUCKETS = 64, /* by address: threads merge different ones */
	VIEW_HALF = LANES / 2,
	VIEW_NONE = 0xffffffffu
};

/* What one instruction stored to one line. */
struct view_entry {
	uint64_t line;  /* guest address / VIEW_LINE */
	cycle_t cycle;  /* of the store */
	char *host;     /* address of the line's first byte on the host */
	uint32_t older; /* in the same hash chain, or VIEW_NONE */
	uint32_t newer; /* in the same bucket, or VIEW_NONE */
	uint32_t bytes[VIEW_LINE / 32]; /* which bytes, as bits */
	_Alignas(16) unsigned char data[VIEW_LINE];
};

enum { VIEW_HASH = 256 };

/*
 * An atomic or reduction on global memory in flight. Owned by the view that
 * made it, from issue until atomic_finish. Until then the frame whose registers
 * it writes must live: the SM lets no lane leave the function or the kernel
 * before its results have arrived.
 */
struct atomic {
	const struct inst *in;
	/* Performs it for one lane; the old value in memory replaces b. NULL:
	 * nothing to do. */
	void (*perform)(struct atomic *a, unsigned lane);
	lanes_t mask;   /* lanes that take part */
	lanes_t left;   /* lanes not yet performed */
	uint32_t bytes; /* of a lane's access: width * count */
	uint64_t addr[LANES];
	uintptr_t host[LANES];
	/* Writes the results; NULL: to the frame's registers, as `in` says. */
	void (*put)(struct atomic *a);
	char *regs; /* the frame's registers, where results go */
	uint32_t next_free;
	bool vector; /* its results go to the registers of the list in->x */
	uint8_t op;  /* for `perform` of waves (simt/wave_mem.h) */
	/* Operands at issue, by element (in->count of them, 1 for a scalar);
	 * 16-byte atomics use two words for an element. */
	uint64_t c[2][LANES], b[8][LANES];
};

/*
 * A call of the system in flight. The result of malloc depends on the order of
 * calls, as does the time of all, so they are collected, and performed at the
 * end of the epoch in (cycle, SM, sequence) order. Until then the warp executes
 * nothing.
 */
struct service_call {
	struct warp *warp;
	const struct inst *in;
	const struct call_info *call; /* NULL: it only takes time */
	lanes_t mask;                 /* lanes that take part */
	cycle_t cycle;
	/* Set by the SM, where the warp is in a slot. */
	uint32_t sm;
	uint8_t slot, kind;    /* enum service_kind */
	uint64_t bytes[LANES]; /* without `call`: block_hooks.sizes */
};

/* What a call takes: when it returns, and what is executed for it until then, which
 * is counted, but not simulated. */
struct service_cost {
	cycle_t end;
	uint64_t instructions; /* of warps */
	uint64_t lanes;        /* of threads */
};

enum { VIEW_WARPS = 64 }; /* of an SM: each has at most one call in flight */

/* What every load reads comes first. */
struct view {
	cycle_t now;          /* set by the SM before each instruction */
	uint32_t count, room; /* entries of the log */
	uint32_t first;       /* entry of the instruction that stores now */
	uint32_t call_count;
	struct view_entry *log;
	uint64_t filled; /* buckets that have entries */
	struct atomic *atomics;
	uint32_t atomic_room, atomic_count;
	uint32_t atomic_used; /* records from this one on were never used */
	uint32_t atomic_free; /* list of other free records, or VIEW_NONE */
	uint32_t newest[VIEW_HASH]; /* by line: heads of the hash chains */
	uint32_t head[VIEW_BUCKETS], tail[VIEW_BUCKETS];
	struct service_call calls[VIEW_WARPS];
	_Alignas(16) unsigned char patch[LANES][VIEW_LINE];
};

/* Lives in *a. `stores`: maximum log entries of one epoch; `atomics`: maximum
 * in flight. The SM must not issue more than either. */
MUST_USE enum err view_new(struct view **out, struct arena *a, uint32_t stores,
			   uint32_t atomics, struct diag *d);

/*
 * For executors. All lanes in mask are in global memory. host[] holds the host
 * addresses of their bytes, and is changed for lanes that must read or write
 * elsewhere.
 *
 * size: bytes of a lane. For a load at most VIEW_LINE, at any alignment; for a
 * store a power of two that divides the address, at most 32.
 */
void view_load(struct view *v, const uint64_t addr[LANES], lanes_t mask,
	       uint32_t size, uintptr_t host[LANES]);
void view_store(struct view *v, const uint64_t addr[LANES], lanes_t mask,
		uint32_t size, uintptr_t host[LANES]);
/* For all lanes of a warp, at any alignment. True: none of their bytes is in
 * the log. False: some may be; only the common cases, the same or consecutive
 * addresses, are checked. */
bool view_misses(const struct view *v, const uint64_t addr[LANES],
		 uint32_t size);
/* The same for the words at half[], as in struct effect; exact. */
bool view_misses_halves(const struct view *v, const uint64_t half[2]);
/* Stores of one instruction, piece by piece: view_begin, then any number of
 * view_write, at any alignment; `host` is the host address of the bytes. */
void view_begin(struct view *v);
void view_write(struct view *v, uint64_t addr, char *host, const void *from,
		uint32_t size);
/* Makes an atomic record with in, mask, bytes, addr (from the effect), host and
 * regs set, and puts it into the effect. The executor adds the operands and
 * `perform`. */
struct atomic *view_atomic(struct view *v, struct warp *w,
			   const struct inst *in, lanes_t mask, uint32_t bytes,
			   const uintptr_t host[LANES]);

/* A record without contents but next_free; the caller fills in the rest. */
struct atomic *view_atomic_new(struct view *v);

/* At the end of the epoch: performs the atomic for `lanes`, in their order. */
void atomic_perform(struct atomic *a, lanes_t lanes);
/* The answer has arrived: writes the results to the registers and frees the
 * record. */
void atomic_finish(struct view *v, struct atomic *a);

/* At the end of the epoch, for each call of the views, in order; the caller
 * then clears call_count. bytes: what each lane has allocated or freed; 1 if it
 * is not known. */
void service_call_perform(const struct service_call *c, uint64_t bytes[LANES]);

/*
 * Applies one bucket of the logs of n views (index: the SM) to memory, in
 * (cycle, SM, sequence) order. All stores are of [epoch, epoch + length).
 * scratch has room for as many pointers as all logs have entries. Different
 * threads may apply different buckets at the same time; each bucket once.
 */
void view_apply(struct view *const views[], uint32_t n, unsigned bucket,
		cycle_t epoch, cycle_t length,
		const struct view_entry **scratch);
/* Applies one entry at once, for engines without epochs. */
void view_apply_entry(const struct view_entry *e);
/* The epoch is over, the log has been applied: empties it. */
void view_clear(struct view *v);

#endif
