/*
 * The state of a memory partition; for partition*.c and slice.c only.
 *
 *   wires -> [in port] -> queue -> lookup --hit--> [answers] -> [out port]
 *                                    |                 ^
 *                                  [staged] -> DRAM -> [fills]
 *
 * A slice takes requests from its queue, looks them up in the tags, and turns
 * misses and victims into requests to the DRAM. Those that find a full queue
 * there stay staged; until they are gone, the slice takes no request that may
 * need the DRAM.
 */
#ifndef HEDDLE_MEM_SLICE_H
#define HEDDLE_MEM_SLICE_H

#include "mem/dram.h"
#include "mem/partition.h"
#include "mem/tags.h"
#include "net/port.h"

#define SLICE_NONE UINT32_MAX

enum {
	ATOMIC_LANES = 32, /* of a MSG_ATOMIC */
	LINES_MAX = 8      /* chunks of a line, or lines of a chunk */
};

/* A request in the queue of a slice. */
struct request {
	cycle_t ready; /* when it has passed the in port */
	uint64_t chunk;
	uint64_t offset; /* of the chunk in the slice */
	uint32_t set;    /* of the tags, for its first line */
	uint32_t id;
	uint16_t sm;
	uint8_t kind, sectors, flags, lanes; /* as in the message */
	uint16_t combining;                  /* slice.combining */
	uint32_t bytes[CHUNK_SECTORS];
};

enum { SLICE_RING = 64 }; /* initial size of the queue */

/* A request that waits for its answer. */
struct slice_waiter {
	uint64_t chunk;
	uint32_t id; /* the SM's; in a free waiter, the next free one */
	uint16_t sm;
	uint8_t kind, sectors, flags, lanes;
	uint16_t slice;
	bool missed : 1;
	bool combined : 1; /* with another read: takes no room in the port */
	uint8_t left;      /* lines, or requests to the DRAM, still to come */
	uint16_t late;     /* cycles: it waits for a copy, see below */
};

/*
 * A region of the chip keeps copies of what its SMs read in the slices of the
 * others (l2.far_first). A copy that is on its way:
 */
struct copying {
	uint64_t chunk;
	cycle_t here; /* when it is there */
};

enum { COPYING = 64 }; /* of a slice; others are forgotten */

/* A read that others can be combined with. */
struct combining {
	uint64_t chunk;
	cycle_t until; /* if it hits */
	uint8_t group, sectors;
	uint8_t left; /* reads that may still join */
	bool missed;
};

enum { COMBINING = 128 }; /* of a slice; others are forgotten */

/* A request that waits for room in the queue of the DRAM controller. */
struct staged {
	struct dram_request request;
	uint32_t channel;
};

/* What a lookup needs comes first. */
struct slice {
	cycle_t next; /* next lookup; CYCLE_NEVER: no request, or blocked */
	cycle_t free; /* from then on it takes another request */
	/* Ring of requests; it grows up to its room, so that a short queue
	 * stays in the host's cache. lines_done, token and worst belong to its
	 * head: the lines looked up so far, its waiter and the worst result. */
	struct request *queue;
	struct tags *tags; /* NULL: no L2 */
	struct slice_waiter *waiter;
	uint32_t mask, head, tail;
	uint32_t seen; /* end of those that have passed the port */
	uint32_t lines_done, token;
	uint16_t late; /* of its head, if it is a read: as in the waiter */

	enum tags_result worst;
	/* A list of waiters used before, then those never used. */
	uint32_t free_waiter, unused_waiter, waiter_room;
	uint32_t waiting;
	uint32_t net_channel;
	uint64_t served; /* requests before the queue was empty last */
	uint32_t staged_head, staged_tail;
	uint16_t index; /* in the partition */
	uint8_t region; /* of the chip */
	bool blocked;
	bool awaits_drain;           /* when blocked: until nothing is staged */
	uint32_t busy_left;          /* 256ths of a cycle, carried over */
	struct combining *combining; /* by chunk; NULL: there are none */
	struct copying *copying;     /* by chunk; NULL: l2.far_first is 0 */
	uint64_t crossed; /* 256ths of a cycle: what has gone to another region */
	cycle_t blocked_since; /* when blocked */
	uint64_t atomic_chunk; /* of the last one */

	/* Ring of requests to the DRAM. */
	struct staged *staged;
	uint32_t staged_mask;
	uint32_t room; /* of the queue */
};

struct fill {
	uint64_t tag; /* fill_tag */
	cycle_t time;
};

struct channel {
	struct dram *dram;
	cycle_t next;    /* next event */
	cycle_t due;     /* of it, what the DRAM does ... */
	cycle_t look;    /* ... but nobody can tell before this cycle */
	cycle_t reached; /* by the DRAM, which may be ahead */
	/* Ring of fills on their way back, in order of time. */
	struct fill *fill;
	uint32_t mask, head, tail;
	bool stale; /* `due` must be computed again */
	struct dram_stats base;
};

/* A channel of the network: a pair of ports that slices share. */
struct net_channel {
	/* Ring of answers that wait for the out port. */
	uint32_t head, tail;
	struct port in, out;
	struct slice_waiter *answer;
	uint32_t mask;
};

/* An atomic to be performed at the end of the epoch. */
struct atomic_record {
	uint64_t chunk;
	uint32_t id;
	uint16_t sm;
	uint8_t sectors;
};

struct link;

/* What every request needs comes first. */
struct mem_partition {
	struct mem_partition_env env;
	cycle_t now;
	cycle_t next; /* event of any component */
	struct wire_box *inbox;

	struct slice *slice;
	struct channel *channel;
	struct net_channel *net_channel;
	uint32_t slices, channels, net_channels;
	uint32_t first_slice, first_channel; /* of all, their numbers */
	/* What is seldom there. All at once: see partition_has_more. */
	union {
		struct {
			uint16_t staging; /* slices with staged requests */
			bool linked;      /* link is there */
			uint32_t held;    /* answers that wait for a port */
		};
		uint64_t more;
	};
	uint32_t header, lookups;
	uint32_t max_answers; /* that wait for a port */
	/* Below: lines of a chunk. */
	uint32_t lines;
	uint8_t line_bits;
	uint8_t chunk_mask; /* a chunk's place in its line: low bits of its number */
	bool fixed;         /* mem.kind = latency */
	bool single;      /* it has one of each component, and simulates them */
	bool one_line;    /* there is an L2, and a chunk lies in one line */
	bool whole_lines; /* none lies in two banks; sectors are not too small */
	bool same_bytes; /* a message's byte masks fit the pieces as they are */
	bool write_back;
	bool dirty_limited; /* l2.dirty_ways is less than the ways */
	bool timed_writes;  /* a write takes time, see below */
	bool near_far;      /* how far an answer goes makes a difference */
	uint8_t combine;    /* l2.combine, less one */
	uint8_t copy_group; /* l2.fetch_sectors */

	/* What an answer takes longer by: [it goes far][it missed]. */
	cycle_t far_lag[2][2];
	cycle_t far_miss, far_first, request_latency, dram_latency;
	uint8_t *sm_region;
	uint8_t *sm_group;      /* mem_partition_spread */
	uint32_t spread;        /* SMs that get blocks, as it knows them */
	uint32_t *credits_owed; /* by SM */
	bool acknowledges;      /* l2.acknowledge */
	uint32_t *token;        /* room for the waiters that one fill wakes */
	uint32_t credits_at_once;
	uint32_t grid; /* that the counts belong to, since they were `mark` */

	/* Cycles from the end of an answer's passage through the port to its
	 * arrival: by sectors; by lanes, with result and without. */
	cycle_t data_lag[CHUNK_SECTORS + 1];
	/* The same from the passage's beginning, if the port is idle, and what a
	 * read takes to pass the in port. */
	cycle_t data_time[CHUNK_SECTORS + 1], header_cycles;
	uint32_t sector_bytes, piece_bytes, bank_bytes;
	uint32_t atomics, atomic_room;

	struct stat_l2 st;
	uint64_t bytes_read, bytes_written; /* of the DRAM; cleared with st */
	uint64_t asked, answered, moved;    /* since creation; bytes */

	/* How chunks map to lines. A chunk is the k-th chunk of one line, or
	 * consists of `lines` lines, of which k is one. [k][sectors of the
	 * chunk] gives the sectors, or the pieces (mem/tags.h), of that
	 * line. */
	uint8_t sector_map[LINES_MAX][1 << CHUNK_SECTORS];
	uint32_t piece_map[LINES_MAX][1 << CHUNK_SECTORS];

	/* l2.write_interval, _sector and _masks in 256ths of a cycle. */
	uint32_t write_least, write_sector, write_masks;
	uint32_t far_sector; /* l2.far_sector in the same unit */
	uint32_t far_room;   /* time of l2.far_queue sectors */
	cycle_t cross_most;  /* that a read waits for others to cross */
	uint32_t write_extra;
	/* l2.atomic_interval, _again and _lane in the same unit; the latter two
	 * by enum msg_sort. */
	uint32_t atomic_sector, atomic_again[MSG_SORT_CAS + 1],
		atomic_lane[MSG_SORT_CAS + 1];
	struct link *link; /* to memory of the host; NULL: it has none */
	cycle_t combine_cycles;
	cycle_t atomic_latency, far_atomic;
	cycle_t atomic_lag[2][ATOMIC_LANES + 1];
	struct atomic_record *atomic;
	cycle_t fixed_lag[2]; /* mem.kind = latency: hit, miss */

	/* What belongs to each of several grids of a run (MSG_GRIDS). */
	bool shared; /* by several grids: `own` is not all zeros */
	struct stat_l2 mark, *own;
};

static inline uint32_t popcount(unsigned mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

/* The tag of a read from the DRAM: the MSHR and the sectors of its line, or
 * without L2 the number of a struct slice_waiter. */
static inline uint64_t fill_tag(uint32_t slice, uint32_t mshr, unsigned sectors)
{
	return (uint64_t)slice << 40 | (uint64_t)mshr << 8 | sectors;
}

static inline uint32_t tag_slice(uint64_t tag)
{
	return (uint32_t)(tag >> 40);
}

static inline uint32_t tag_mshr(uint64_t tag)
{
	return (uint32_t)(tag >> 8);
}

static inline unsigned tag_sectors(uint64_t tag)
{
	return tag & 0xff;
}

void partition_settle(struct mem_partition *m, uint32_t grid);
/* From now on, what is counted belongs to the grid of a request. */
static inline void partition_switch_grid(struct mem_partition *m, uint8_t flags)
{
	if (UNLIKELY(msg_grid(flags) != m->grid))
		partition_settle(m, msg_grid(flags));
}

/* Whether there is more than the slices and channels themselves to look after. */
static inline bool partition_has_more(const struct mem_partition *m)
{
	return m->more != 0;
}

static inline bool slice_has_staged(const struct slice *s)
{
	return s->staged_head != s->staged_tail;
}

/* Lets the head try again: something has changed that it may have waited
 * for. */
static inline void slice_wake(struct slice *s, cycle_t now)
{
	if (s->blocked && !s->awaits_drain)
		s->next = now;
}

/* Performs the lookups of this cycle. */
void slice_step(struct mem_partition *m, struct slice *s, cycle_t now);
/* Prefetches what the i-th request of the queue needs into the host's cache:
 * shortly before its turn, since the queue may be long. */
enum { SLICE_AHEAD = 8 };
void slice_prefetch(const struct slice *s, uint32_t i);
/* Handles the data of a read from the DRAM. */
void slice_fill(struct mem_partition *m, struct slice *s, uint64_t tag,
		cycle_t now);
/* Sends staged requests to the DRAM as long as there is room. */
void slice_drain(struct mem_partition *m, struct slice *s, cycle_t now);
/* Makes the sectors of a request valid and returns whether they were, without
 * timing: for mem.kind = latency. */
bool slice_touch(struct mem_partition *m, struct slice *s,
		 const struct request *r);
/* Makes a chunk valid, without timing: returns the sectors of 32 bytes that the
 * DRAM had to provide. */
uint32_t slice_preload(struct mem_partition *m, struct slice *s,
		       uint64_t offset);
/* Puts a chunk that the host has copied into the tags. */
void slice_host_chunk(struct mem_partition *m, struct slice *s,
		      uint64_t offset);

/* What slices call: functions of partition.c. */
void partition_answer(struct mem_partition *m, const struct slice *s,
		      const struct slice_waiter *w, cycle_t now);
/* The same without the port: it arrives at `time`. */
void partition_send(struct mem_partition *m, const struct slice_waiter *w,
		    cycle_t time);
/* Sends an SM this many credits, and that a write has been taken. */
void partition_send_credits(struct mem_partition *m, const struct slice *s,
			    uint32_t sm, uint32_t credits, bool write,
			    cycle_t now);
/* A request of the SM has left its queue. */
static inline void partition_credit(struct mem_partition *m,
				    const struct slice *s, uint32_t sm,
				    bool write, cycle_t now)
{
	uint32_t credits = m->credits_owed[sm] + 1;

	if (credits < m->credits_at_once) {
		m->credits_owed[sm] = credits;
		if (LIKELY(!write || !m->acknowledges))
			return;
		credits = 0;
	} else {
		m->credits_owed[sm] = 0;
	}
	partition_send_credits(m, s, sm, credits, write, now);
}
void partition_record_atomic(struct mem_partition *m, const struct request *r);
/* Data that the DRAM has read are on their way back. */
enum dram_taken partition_collect_fills(struct mem_partition *m,
					struct channel *c);
/* Advances the channel's DRAM to this cycle. */
static inline enum dram_taken
partition_sync_dram(struct mem_partition *m, struct channel *c, cycle_t now)
{
	if (c->reached == now)
		return DRAM_TOOK_NONE;
	c->reached = now;
	c->stale = true;
	return dram_advance(c->dram, now) ? partition_collect_fills(m, c) :
					    DRAM_TOOK_NONE;
}

/* Where a read of an SM may be combined with others: an index. */
static inline uint16_t slice_combining(const struct mem_partition *m,
				       uint64_t offset, uint32_t sm)
{
	return (offset / CHUNK_BYTES + m->sm_group[sm] * 17u) % COMBINING;
}

static inline bool partition_can_answer(const struct mem_partition *m,
					const struct slice *s)
{
	const struct net_channel *d = &m->net_channel[s->net_channel];

	return d->tail - d->head < m->max_answers;
}

#endif
