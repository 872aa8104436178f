/*
 * What a memory partition is made of; for part.c and slice.c only.
 *
 *   wires -> [in port] -> queue -> lookup --hit--> [answers] -> [out port]
 *                                    |                 ^
 *                                  [staged] -> DRAM -> [fills]
 *
 * A slice takes requests from its queue, asks the tags, and turns misses and
 * victims into requests to the DRAM. Those that find a full queue there stay
 * staged; until they are gone, the slice takes nothing that may need the DRAM.
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

/* A request that has arrived. */
struct request {
	cycle_t ready; /* it has passed the in port */
	uint64_t chunk;
	uint64_t offset; /* of the chunk in the slice */
	uint32_t set;    /* of the tags, for its first line */
	uint32_t id;
	uint16_t sm;
	uint8_t kind, sectors, flags, lanes; /* as in the message */
	uint32_t bytes[CHUNK_SECTORS];
};

enum { SLICE_RING = 64 }; /* requests: where it begins */

/* A request that an answer is owed to. */
struct wait {
	uint64_t chunk;
	uint32_t id; /* of the SM's; of a free one, the next free one */
	uint16_t sm, slice;
	uint8_t kind, sectors, flags, lanes;
	uint8_t left; /* lines, or parts of the DRAM, still to come */
};

struct staged {
	struct dram_request to;
	uint32_t channel;
};

struct slice {
	cycle_t next; /* of a lookup; CYCLE_NEVER: no request, or blocked */
	cycle_t free; /* from when on it takes another request */
	uint32_t atomic_left;  /* 256ths of a cycle that atomics are owed */
	uint64_t atomic_chunk; /* of the last one */
	bool blocked;
	bool awaits_drain; /* when blocked: nothing else helps */
	cycle_t since;     /* when blocked: from when on */
	uint32_t door;
	uint16_t index; /* in the partition */
	uint8_t region; /* part of the chip that it is in */

	/* Ring of requests; it grows up to its room, so that a short queue
	 * stays in the host's cache. Of its head, the lines done so far and
	 * what was found there. */
	struct request *queue;
	uint32_t mask, room, head, tail;
	uint32_t seen; /* up to which they had passed the port */
	uint32_t done, token;
	enum tags_result worst;

	struct tags *tags; /* NULL: no L2 */
	struct wait *wait;
	/* As in mem/tags.c: those used before, then those never used. */
	uint32_t free_wait, fresh_wait, waits;
	uint32_t waiting;

	/* Ring of requests to the DRAM. */
	struct staged *staged;
	uint32_t staged_mask, staged_head, staged_tail;
};

struct fill {
	uint64_t tag; /* fill_tag */
	cycle_t time;
};

struct channel {
	struct dram *dram;
	cycle_t next;    /* to be looked at */
	cycle_t reached; /* the DRAM has been advanced to it, maybe ahead */
	bool stale;      /* next is to be found anew */
	/* Ring of what is on its way back, in order of time. */
	struct fill *fill;
	uint32_t mask, head, tail;
	struct dram_stats base;
};

/* A channel of the network. */
struct door {
	struct port in, out;
	/* Ring of answers that wait for the out port. */
	struct wait *answer;
	uint32_t mask, head, tail;
};

struct atomic_record {
	uint64_t chunk;
	uint32_t id;
	uint16_t sm;
	uint8_t sectors;
};

struct mem_partition {
	struct mem_partition_env env;
	cycle_t now;
	cycle_t next; /* of all parts */
	bool fixed;   /* mem.kind = latency */
	uint32_t slices, channels, doors;
	struct slice *slice;
	struct channel *channel;
	struct door *door;
	uint32_t staging; /* slices with something staged */

	/* A line and its sectors as parts of chunks. A chunk lies in one line,
	 * the k-th chunk of it, or has `lines` lines; [k][sectors of the
	 * chunk] are those of the line. Pieces as in mem/tags.h. */
	uint32_t lines;
	uint8_t line_bits;
	bool same_bytes; /* a message's byte masks are those of the pieces */
	uint32_t sector_bytes, piece_bytes, bank_bytes;
	uint8_t sector_map[LINES_MAX][1 << CHUNK_SECTORS];
	uint32_t piece_map[LINES_MAX][1 << CHUNK_SECTORS];
	bool write_back;

	/* From the end of an answer's passing the port to its arrival: by
	 * sectors; by lanes, with result and without. */
	cycle_t data_lag[CHUNK_SECTORS + 1];
	cycle_t atomic_lag[2][ATOMIC_LANES + 1];
	cycle_t fixed_lag[2]; /* mem.kind = latency: hit, miss */
	cycle_t far, request_latency, dram_latency;
	cycle_t atomic_latency;
	/* l2.atomic_interval, _again and _lane in 256ths of a cycle. */
	uint32_t atomic_sector, atomic_again, atomic_lane;
	uint32_t header, lookups, limit; /* limit: answers that wait */
	uint8_t *sm_region;

	uint32_t *owed; /* credits, by SM */
	uint32_t credits_at_once;
	struct atomic_record *atomic;
	uint32_t atomics, atomic_room;
	uint32_t *token; /* room for what one fill wakes */

	struct stat_l2 st;
	uint64_t bytes_read, bytes_written; /* of the DRAM; with clearing */
	uint64_t asked, answered, moved;    /* since creation; bytes */
};

static inline uint32_t popcount(unsigned mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

/* What comes back with a read of the DRAM: the sectors of the MSHR's line, or
 * without L2 the number of a struct wait. */
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

static inline bool slice_has_staged(const struct slice *s)
{
	return s->staged_head != s->staged_tail;
}

/* Something has changed that the head may have waited for. */
static inline void slice_wake(struct slice *s, cycle_t now)
{
	if (s->blocked && !s->awaits_drain)
		s->next = now;
}

/* Does the lookups of this cycle. */
void slice_step(struct mem_partition *m, struct slice *s, cycle_t now);
/* Brings what the i-th request of the queue needs into the host's cache: soon
 * before its turn, since the queue may be long. */
enum { SLICE_AHEAD = 8 };
void slice_prefetch(const struct slice *s, uint32_t i);
/* A read of the DRAM has come. */
void slice_fill(struct mem_partition *m, struct slice *s, uint64_t tag,
		cycle_t now);
/* Passes on to the DRAM what is staged, as far as there is room. */
void slice_drain(struct mem_partition *m, struct slice *s, cycle_t now);
/* Makes what a request needs valid and returns whether it was, without any
 * timing: mem.kind = latency. */
bool slice_touch(struct mem_partition *m, struct slice *s,
		 const struct request *r);
/* A chunk that the host has written. */
void slice_host_chunk(struct mem_partition *m, struct slice *s,
		      uint64_t offset);

/* What slices call. */
void partition_answer(struct mem_partition *m, const struct wait *w,
		      cycle_t now);
void partition_credit(struct mem_partition *m, uint32_t sm, cycle_t now);
void partition_record(struct mem_partition *m, const struct request *r);
/* Advances the channel's DRAM to this cycle. */
void partition_sync(struct mem_partition *m, struct channel *c, cycle_t now);

static inline bool partition_can_answer(const struct mem_partition *m,
					const struct slice *s)
{
	const struct door *d = &m->door[s->door];

	return d->tail - d->head < m->limit;
}

#endif
