/*
 * The tags of a cache and its outstanding misses: what the L1 of an SM and a
 * slice of the L2 have in common.
 *
 *   read, write --> [ tags ] --> request: sectors to ask the next level for
 *        tokens <-- [ MSHR ] <-- fill: sectors that have arrived
 *                       |------> victim: dirty bytes to write back
 *
 * A line is named by its number, address / line bytes, and consists of
 * sectors, each valid, in flight, partly written or absent on its own. A line
 * in flight holds the number of its MSHR (miss status holding register), so
 * the lookup of the tag is the lookup of the MSHR. It is never a victim.
 *
 * Models:  the replacement policies of mem/replace.h, bounded MSHRs and merges,
 *          write-through and write-back with three kinds of write miss, byte
 *          masks of what was written, limits on dirty lines and on lines that
 *          are written in part, fetching of several sectors together, a size
 *          that changes between kernels.
 * Does not model: time, ports, data.
 * Owner:   one cache. Nothing is allocated after tags_new; the state is all
 *          in the arena, so equal calls give equal answers on every host.
 *
 * Replacement takes an empty way before it evicts: the one emptied last, and
 * at first way 0, 1, 2... Policies see accepted accesses and the allocation of
 * a line; a fill that arrives changes nothing for them.
 */
#ifndef HEDDLE_MEM_TAGS_H
#define HEDDLE_MEM_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "mem/addrmap.h"

enum {
	TAGS_WAYS_MAX = 128,
	TAGS_SECTORS_MAX = 8, /* of a line */
	TAGS_PIECE_BYTES = 32,
	TAGS_PIECES_MAX = 32 /* of a line */
};

enum tags_write_miss {
	TAGS_AROUND,  /* write around: an absent sector stays absent */
	TAGS_FETCH,   /* fetch the sector unless the write covers it */
	TAGS_VALIDATE /* note the bytes; the first read fetches the rest */
};

struct tags_cfg {
	uint64_t bytes;
	uint32_t line_bytes, sector_bytes; /* powers of two */
	uint32_t ways;
	uint32_t group;   /* sectors that a miss fetches together, aligned: a
			   * power of two; 0: one */
	uint32_t mshrs;   /* lines in flight */
	uint32_t merges;  /* reads that wait for one line, the first included */
	uint32_t waiters; /* reads that wait for any line; 0: the product of
			   * the two above */
	enum cfg_replace replace;
	uint64_t seed; /* of the replacement policy */
	enum map_hash hash;
	bool write_back; /* else write-through */
	/* The caller asks for the number of an evicted line only if it is
	 * dirty. That of a clean one need not be read then. */
	bool unnamed_victims;
	enum tags_write_miss write_miss;
	/* Dirty lines of a set, at most; 0: no limit. A write beyond it cleans
	 * the oldest other one of the set. */
	uint32_t dirty_ways;
	/* The same for lines with a sector of which a part was written and the
	 * rest is not there; a write beyond it completes and cleans the oldest
	 * other one. */
	uint32_t partial_ways;
};

struct tags;

enum tags_result {
	TAGS_HIT,     /* a write: every sector is valid, in flight or written */
	TAGS_PENDING, /* a read waits for what is already in flight */
	TAGS_MISS,
	/* Not accepted: nothing has changed, try again after a fill. */
	TAGS_STALL_WAY,   /* all ways of the set are in flight */
	TAGS_STALL_MSHR,  /* no MSHR is free */
	TAGS_STALL_MERGE, /* the line's MSHR has no room for another read */
	TAGS_STALL_WAITER /* no room for another read in any MSHR */
};

static inline bool tags_stalled(enum tags_result r)
{
	return r >= TAGS_STALL_WAY;
}

struct tags_victim {
	bool evicted;  /* a line was evicted */
	uint8_t dirty; /* its sectors to write back, or those of a line that
			* stays (cfg.dirty_ways) */
	/* Undefined unless dirty, or evicted without cfg.unnamed_victims. */
	uint64_t line;
	/* The dirty bytes of each piece; undefined for sectors not dirty. */
	uint32_t bytes[TAGS_PIECES_MAX];
};

struct tags_out {
	uint8_t request; /* sectors to fetch */
	uint8_t forward; /* sectors of a write that go to the next level */
	uint32_t mshr;   /* of the line, if it is in flight */
	/* Sectors of another line to fetch (cfg.partial_ways), or 0. */
	uint8_t complete;
	uint64_t complete_line;
	uint32_t complete_mshr;
	struct tags_line *line; /* for tags_copy; NULL: it is not there */
	struct tags_victim victim;
};

/* Of a read that nothing waits for: a prefetch. */
#define TAGS_NO_TOKEN UINT32_MAX

/* Lives in *a. ERR_NOMEM, or ERR_RANGE if cfg makes no sense. */
MUST_USE enum err tags_new(struct tags **out, struct arena *a,
			   const struct tags_cfg *cfg, struct diag *d);

/*
 * Empties the array and gives it another shape, with at most the sets and ways
 * that it was made with. Nothing may be in flight or dirty.
 */
void tags_resize(struct tags *t, uint32_t sets, uint32_t ways);
uint32_t tags_sets(const struct tags *t);
uint32_t tags_ways(const struct tags *t);

/* Returns the set of a line, for the functions that take it as an argument:
 * one access needs it several times. */
uint32_t tags_set(const struct tags *t, uint64_t line);
/* The same, and prefetches what an access to the set needs that misses, into the
 * host's cache. */
uint32_t tags_prefetch_set(const struct tags *t, uint64_t line);

/* Unless the read hits, the fill that completes its sectors returns the
 * token. */
enum tags_result tags_read(struct tags *t, uint64_t line, unsigned sectors,
			   uint32_t token, struct tags_out *out);
enum tags_result tags_read_in(struct tags *t, uint32_t set, uint64_t line,
			      unsigned sectors, uint32_t token,
			      struct tags_out *out);

/*
 * A piece is a sector, or 32 bytes of a larger one. `pieces` has a bit for
 * each piece written; bytes[i] has a bit for each byte of piece i. NULL: all
 * bytes.
 */
enum tags_result tags_write(struct tags *t, uint64_t line, uint32_t pieces,
			    const uint32_t *bytes, struct tags_out *out);

/*
 * A write to a write-through cache that makes its sectors valid without fetching
 * anything, whatever bytes it writes: for lines whose readers have written what
 * they read. Those in flight stay so.
 */
enum tags_result tags_claim(struct tags *t, uint64_t line, uint32_t pieces,
			    struct tags_out *out);

/* Makes all bytes of these pieces valid and written without fetching anything.
 * Does nothing if all ways of the set are in flight. */
void tags_place(struct tags *t, uint64_t line, uint32_t pieces);

/*
 * Elsewhere there may be copies of sectors. Of the line of an accepted access,
 * until it is evicted: tags_copy notes copies of these sectors and returns those
 * of which there were none, tags_drop_copies forgets them.
 */
unsigned tags_copy(struct tags_line *l, unsigned sectors);
void tags_drop_copies(struct tags_line *l, unsigned sectors);

/*
 * Sectors in flight arrive. Stores the tokens of the reads that now have all
 * of their sectors in tokens, in the order of the reads, and returns their
 * number, cfg.merges at most. Frees the MSHR if nothing more is in flight.
 */
uint32_t tags_fill(struct tags *t, uint64_t line, unsigned sectors,
		   uint32_t *tokens);
uint32_t tags_fill_mshr(struct tags *t, uint32_t mshr, unsigned sectors,
			uint32_t *tokens);
/* Returns the line that an MSHR waits for, or waited for when it was last in
 * use. */
uint64_t tags_mshr_line(const struct tags *t, uint32_t mshr);

/*
 * Discards valid and written sectors, dirty ones too: clean first to keep
 * them. What is in flight still arrives, wakes its readers and becomes valid.
 */
void tags_invalidate(struct tags *t, uint64_t line);
void tags_invalidate_all(struct tags *t);

/*
 * Cleans the next dirty line from *cursor on (start with 0) and describes it
 * in *v. The line stays; its partly written sectors are discarded. Returns
 * false if no line was dirty.
 */
bool tags_clean_next(struct tags *t, uint32_t *cursor, struct tags_victim *v);

struct tags_probe {
	bool present;
	uint8_t valid, pending;
	uint8_t written; /* dirty, or partly written */
	uint32_t set, way;
};

/* Looks a line up without changing anything. */
struct tags_probe tags_probe(const struct tags *t, uint64_t line);
struct tags_probe tags_probe_in(const struct tags *t, uint32_t set,
				uint64_t line);
/* Prefetch into the host's cache. First what every access needs. */
void tags_prefetch_self(const struct tags *t);
/* Ahead of an access: the whole set. */
void tags_prefetch(const struct tags *t, uint32_t set);
/* For sets of many ways: only what finds a line in the set. Later, once that
 * has arrived, the entry of the line. */
void tags_prefetch_lookup(const struct tags *t, uint32_t set);
void tags_prefetch_line(const struct tags *t, uint32_t set, uint64_t line);
/* Ahead of a fill: the MSHR. Later the line it refers to; returns the token of
 * its first read, or TAGS_NO_TOKEN if that has left. */
void tags_prefetch_mshr(const struct tags *t, uint32_t mshr);
uint32_t tags_prefetch_fill(const struct tags *t, uint32_t mshr);

/* MSHRs in use. */
uint32_t tags_outstanding(const struct tags *t);
uint32_t tags_dirty_lines(const struct tags *t);

/* clang-format off */
/*  name             unit      doc */
#define TAGS_STAT_MAP(X)                                                       \
	X(reads,           "access", "reads accepted")                         \
	X(read_hits,       "access", "reads whose sectors were all valid")     \
	X(read_pending,    "access", "reads that only waited for earlier ones")\
	X(read_misses,     "access", "reads that fetched sectors")           \
	X(read_partials,   "access", "of these, some sector was partly written")\
	X(read_sectors,    "sector", "sectors read")                           \
	X(sector_hits,     "sector", "sectors read that were valid")           \
	X(sector_pending,  "sector", "sectors read that were in flight")       \
	X(sector_misses,   "sector", "sectors read that were fetched")       \
	X(writes,          "access", "writes accepted")                        \
	X(write_hits,      "access", "writes whose sectors were all present")  \
	X(write_misses,    "access", "writes with an absent sector")           \
	X(write_sectors,   "sector", "sectors written")                        \
	X(write_fetches,   "sector", "sectors fetched by writes")            \
	X(group_fetches,   "sector", "sectors fetched because of others")      \
	X(completions,     "sector", "sectors written in part, then fetched")  \
	X(evictions,       "line",   "lines replaced")                         \
	X(dirty_evictions, "line",   "of these, dirty ones")                   \
	X(cleans,          "line",   "dirty lines written back in place")      \
	X(dirty_sectors,   "sector", "sectors written back")                   \
	X(fills,           "access", "arrivals")                               \
	X(fill_sectors,    "sector", "sectors that arrived")                   \
	X(stall_way,       "try",    "accesses refused: no way to replace")    \
	X(stall_mshr,      "try",    "accesses refused: no MSHR")              \
	X(stall_merge,     "try",    "reads refused: MSHR full")               \
	X(stall_waiter,    "try",    "reads refused: too many wait")
/* clang-format on */

struct tags_stats {
#define X(name, unit, doc) uint64_t name;
	TAGS_STAT_MAP(X)
#undef X
};

const struct tags_stats *tags_stats(const struct tags *t);
/* Returns the first law between counters (since creation) that does not hold,
 * or NULL. */
const char *tags_broken_law(const struct tags *t);

#endif
