/*
 * The state of a DRAM channel; for dram.c and dram_new.c only.
 */
#ifndef HEDDLE_MEM_DRAM_IMPL_H
#define HEDDLE_MEM_DRAM_IMPL_H

#include "base/divide.h"
#include "mem/dram_sched.h"

#define BIT(n) (UINT64_C(1) << (n))

/*
 * A clock relative to the channel's base. There are many of them, and 32 bits
 * take half the space of absolute clocks. The base moves on before one could
 * overflow: none is further ahead of it than MAX_SPAN, the longest rule and a
 * refresh interval together.
 */
typedef uint32_t rel_t;
#define CLOCK_NEVER UINT32_MAX
#define MAX_SPAN (UINT32_C(1) << 31)

enum dram_cmd { ACT, PRE, RD, WR, REF, CMD_COUNT };
enum dram_scope { BANK, GROUP, RANK, SCOPE_COUNT };

/* The first clock at which the rules allow each command. Refreshes concern the
 * whole rank and are kept apart. */
enum { BANK_CMDS = REF };
struct dram_allowed {
	rel_t at[BANK_CMDS];
};

/* The state of two banks fills a line of the host's cache. */
struct dram_bank {
	_Alignas(32) struct dram_allowed allows;
	uint64_t row;  /* the open row, if any */
	rel_t alarm;   /* if armed */
	uint8_t want;  /* enum dram_want */
	uint8_t entry; /* request it wants that for, or DRAM_NONE */
};

/* For the four-activate window: when those of the last three activates end, the
 * oldest first. 0 while there were fewer. */
enum { WINDOW_MAX = 4 };
struct activate_window {
	rel_t end[WINDOW_MAX - 1];
};

struct dram_completion {
	uint64_t tag;
	uint64_t when; /* twice its cycle, plus 1 for a write */
};

/* A time wheel of alarms, one per bank: a slot is a clock, its bits are
 * banks. */
enum { WHEEL_SLOTS = 64 };

/* What a GPU's channels have in common: they share it, so that it stays in the
 * host's cache. */
struct dram_rules {
	/* The ratio of the clocks, in lowest terms. */
	_Alignas(64) struct divisor core, dram;
	/* Clocks from a command to later ones, by command and scope. */
	struct dram_allowed delay[CMD_COUNT][SCOPE_COUNT];
	uint32_t delay_ref[CMD_COUNT];
	uint32_t window_clocks, burst_clocks;
	uint32_t data_clocks[2]; /* from a read, or a write, to its last byte */
	/* From a read, or a write, to the next one of the same bank. */
	uint32_t column_interval[2];
	uint32_t open_clocks; /* from an activate to a read of its row */
	/* After this many clocks, a refresh, or the commands of a read,
	 * delay nothing any longer. */
	uint32_t refresh_span, read_span;
	uint32_t group_mask, pseudo_mask;
	uint32_t banks, row_bytes;
};

struct dram {
	/* What a single request needs comes first. */
	_Alignas(64)
		uint64_t base; /* absolute clock, a multiple of WHEEL_SLOTS */
	rel_t next;            /* no event before this clock */
	rel_t tick;            /* the wheel's present */
	rel_t ref_due;
	rel_t refresh; /* first clock allowed for a refresh, of all ranks */
	cycle_t now;
	uint64_t open; /* banks */
	const struct dram_rules *rules;
	struct dram_queue *active; /* reads or writes, by draining */
	/* All at once: no request would be the only one. */
	union {
		struct {
			/* `single` waits, and both queues are empty. */
			bool lone;
			/* Swap reads and writes at the next clock. */
			bool switch_pending;
			bool never_lone; /* close_page */
			uint8_t queued;  /* requests in both queues */
		};
		uint32_t not_lone;
	};
	bool draining; /* serving writes */
	bool one_bus;
	bool in_order; /* FCFS */
	uint8_t burst_shift;

	/* The only request, of the kind that is being served. It moves to its
	 * queue when another one comes. */
	_Alignas(64) struct dram_entry single;
	uint32_t single_passed; /* dram_queue.passed */
	/* The ring of completions; both are 0 if there is none. */
	uint32_t done_mask, done_head, done_tail;

	_Alignas(64) uint64_t idle; /* banks that may close an unused row */
	uint64_t armed;             /* banks with an alarm */
	uint64_t wheel_used;
	struct dram_allowed rank[DRAM_MAX_PSEUDO];
	struct activate_window window[DRAM_MAX_PSEUDO];
	_Alignas(64) struct dram_stats st;
	_Alignas(64) struct dram_allowed group[DRAM_MAX_BANKS];
	struct dram_bank bank[DRAM_MAX_BANKS];
	uint64_t wheel[WHEEL_SLOTS];
	struct dram_queue reads, writes;
	struct dram_config cfg;
	struct dram_completion done[]; /* ring of completions, by cycle */
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
