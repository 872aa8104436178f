/*
 * What a channel of DRAM is made of; for dram.c and dram_new.c only.
 */
#ifndef HEDDLE_MEM_DRAM_IMPL_H
#define HEDDLE_MEM_DRAM_IMPL_H

#include "mem/dram_sched.h"

#define BIT(n) (UINT64_C(1) << (n))

/*
 * A clock within the channel, counted from its base: half as large as one
 * counted from the start, of which there are many. The base moves along before
 * one of them could overflow: none lies further than SPAN, the longest rule and
 * a refresh interval ahead of it.
 */
typedef uint32_t rel_t;
#define CLOCK_NEVER UINT32_MAX
#define SPAN (UINT32_C(1) << 31)

enum cmd { ACT, PRE, RD, WR, REF, CMD_COUNT };
enum scope { BANK, GROUP, RANK, SCOPE_COUNT };

/* The first clock that the rules leave to each command. A refresh is a matter
 * of the rank alone. */
enum { BANK_CMDS = REF };
struct allowed {
	rel_t at[BANK_CMDS];
};

/* A line of the host's cache has all that there is of two banks. */
struct bank {
	_Alignas(32) struct allowed allows;
	uint64_t row;  /* if open */
	rel_t alarm;   /* where armed */
	uint8_t want;  /* enum dram_want */
	uint8_t whose; /* entry, or DRAM_NONE */
};

/* A ring of the last activates. */
enum { WINDOW_MAX = 4 };
struct window {
	rel_t at[WINDOW_MAX];
	uint32_t next;
};

struct done {
	uint64_t tag;
	uint64_t cycle : 63, write : 1;
};

/* A wheel of alarms, one per bank: a slot is a clock, its bits are banks. */
enum { WHEEL = 64 };

struct dram {
	uint64_t base; /* clock, from the start: a multiple of WHEEL */
	rel_t next;    /* nothing can happen before it */
	rel_t tick;    /* the present of the wheel */
	rel_t ref_due;
	uint64_t open;  /* banks */
	uint64_t idle;  /* banks that may close a row nobody waits for */
	uint64_t armed; /* banks with an alarm */
	uint64_t wheel_used;
	cycle_t now;
	bool draining; /* serving writes */
	bool turns;    /* from the next clock on, the others are served */
	bool one_bus;
	bool in_order; /* FCFS */
	uint32_t group_mask, pseudo_mask;
	struct dram_queue *active; /* reads or writes, by draining */
	struct allowed rank[DRAM_MAX_PSEUDO];
	rel_t refresh; /* the same of a refresh, for all of them */
	struct window window[DRAM_MAX_PSEUDO];
	uint64_t wheel[WHEEL];
	struct allowed group[DRAM_MAX_BANKS];
	/* By the command before. */
	struct allowed delay[CMD_COUNT][SCOPE_COUNT];
	uint32_t delay_ref[CMD_COUNT];
	uint32_t window_clocks;
	struct bank bank[DRAM_MAX_BANKS];

	/* Of the completions. */
	uint32_t done_mask, done_head, done_tail;

	/* The ratio of the clocks, in lowest terms. */
	uint64_t core, dram;
	uint32_t burst_shift;
	struct dram_queue reads, writes;
	struct dram_stats st;
	struct dram_config cfg;
	struct done done[]; /* completions, by cycle: a ring */
};

static inline rel_t dram_sooner(rel_t a, rel_t b)
{
	return a < b ? a : b;
}

static inline rel_t dram_later(rel_t a, rel_t b)
{
	return a > b ? a : b;
}

static inline uint32_t dram_lowest(uint64_t mask)
{
	return (uint32_t)__builtin_ctzll(mask);
}

#endif
