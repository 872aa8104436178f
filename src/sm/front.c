#include "sm/front.h"

#include <inttypes.h>
#include <string.h>

#include "base/minmax.h"
#include "sm/lru.h"

struct cache {
	struct lru lines;
	cycle_t *ready; /* by place: when it arrives or has arrived */
};

/* Holds lines first .. first + prefetch - 1; ready[] is indexed by the line
 * number mod prefetch. */
struct stream {
	uint32_t first;
	bool on;
	cycle_t requested; /* when the last line was requested */
	cycle_t *ready;    /* CYCLE_NEVER: skipped */
};

/* Lines that are tracked as arrived and never evicted, one bit each. */
enum { SETTLED = 1024 };

/* Lines that are fetched together: the next ones, and the line whose request
 * fetches them; UINT32_MAX: none. */
struct run {
	uint32_t next, trigger;
};

struct sub {
	uint64_t settled[SETTLED / 64];
	struct cache l0;
	struct stream stream;
	struct run run;
};

struct front {
	struct stat_front *st;
	bool perfect, has_l0, has_l1;
	bool fits;         /* every L0 holds the whole program */
	unsigned shift;    /* of front_line */
	unsigned l1_shift; /* log2 of the L0 lines in an L1 line */
	uint32_t prefetch; /* lines of a stream buffer; 0: no buffer */
	uint32_t run;      /* lines of a run; 0: no runs */
	uint32_t at_launch;
	cycle_t l1_cycles, l2_cycles, decode_cycles;
	cycle_t start_latency;
	double start_cycles; /* for each SM */
	cycle_t start;       /* how much later the first line arrives */
	cycle_t opened;      /* when it does; CYCLE_NEVER: not requested yet */
	struct cache l1;
	uint32_t sub_count;
	struct sub *sub;
	front_miss *miss; /* NULL: lines arrive after l2_cycles */
	void *miss_ctx;
};

static enum err front_no_memory(struct diag *d)
{
	return fail(d, ERR_NOMEM, "no memory for instruction caches");
}

static enum err cache_init(struct cache *c, struct arena *a, int64_t bytes,
			   int64_t line, int64_t ways, struct diag *d)
{
	if (!lru_init(&c->lines, a, bytes, line, ways))
		return front_no_memory(d);
	c->ready = arena_new(a, cycle_t, lru_lines(&c->lines));
	return c->ready ? ERR_OK : front_no_memory(d);
}

/* When the line arrives or has arrived, or CYCLE_NEVER if it is absent. */
static inline cycle_t cache_use(struct cache *c, uint32_t line)
{
	uint32_t at = lru_use(&c->lines, line);

	return at == LRU_NOWHERE ? CYCLE_NEVER : c->ready[at];
}

static void cache_put(struct cache *c, uint32_t line, cycle_t ready)
{
	c->ready[lru_put(&c->lines, line)] = ready;
}

/* log2 of the instructions in a line, whose number must be a power of two. */
static enum err log2_insts(unsigned *shift, const char *key, int64_t line,
			   int64_t inst, struct diag *d)
{
	int64_t n = line / inst;

	if (line % inst || n & (n - 1))
		return fail(d, ERR_RANGE,
			    "%s = %" PRId64 ": must hold a power of two of "
			    "instructions of front.inst = %" PRId64 " bytes",
			    key, line, inst);
	*shift = (unsigned)__builtin_ctzll((uint64_t)n);
	return ERR_OK;
}

static enum err front_set_shape(struct front *f, const struct cfg_front *c,
				struct diag *d)
{
	if (c->perfect) {
		f->shift = 31;
		return ERR_OK;
	}
	if (!f->has_l0)
		return log2_insts(&f->shift, "front.l1_line", c->l1_line,
				  c->inst, d);
	if (log2_insts(&f->shift, "front.l0_line", c->l0_line, c->inst, d))
		return d->code;
	if (!f->has_l1)
		return ERR_OK;
	if (c->l1_line < c->l0_line)
		return fail(d, ERR_RANGE,
			    "front.l1_line = %" PRId64
			    ": must not be less than front.l0_line = %" PRId64,
			    c->l1_line, c->l0_line);
	f->l1_shift =
		(unsigned)__builtin_ctzll((uint64_t)(c->l1_line / c->l0_line));
	return ERR_OK;
}

static enum err make_caches(struct front *f, struct arena *a,
			    const struct cfg_front *c, struct diag *d)
{
	if (f->has_l1 &&
	    cache_init(&f->l1, a, c->l1, c->l1_line, c->l1_ways, d))
		return d->code;
	if (!f->has_l0)
		return ERR_OK;
	f->sub = arena_new(a, struct sub, f->sub_count);
	if (!f->sub)
		return front_no_memory(d);
	for (uint32_t i = 0; i < f->sub_count; i++) {
		struct sub *u = &f->sub[i];

		if (cache_init(&u->l0, a, c->l0, c->l0_line, c->l0_ways, d))
			return d->code;
		u->stream.ready = arena_new(a, cycle_t, f->prefetch + 1);
		if (!u->stream.ready)
			return front_no_memory(d);
	}
	return ERR_OK;
}

enum err front_new(struct front **out, struct arena *a, const struct cfg *cfg,
		   struct stat_front *st, struct diag *d)
{
	const struct cfg_front *c = &cfg->front;
	struct front *f = arena_new(a, struct front, 1);

	if (!f)
		return front_no_memory(d);
	f->st = st;
	f->perfect = c->perfect;
	f->has_l0 = !c->perfect && c->l0;
	f->has_l1 = !c->perfect && c->l1;
	f->prefetch = c->prefetch == CFG_PREFETCH_STREAM ?
			      (uint32_t)c->prefetch_lines :
			      0;
	f->run = c->prefetch == CFG_PREFETCH_RUN ?
			 (uint32_t)c->prefetch_lines + 1 :
			 0;
	f->at_launch = (uint32_t)(c->launch_prefetch / c->l1_line);
	f->l1_cycles = f->has_l0 && f->has_l1 ? (cycle_t)c->l1_cycles : 0;
	f->l2_cycles = (cycle_t)c->l2_cycles;
	f->decode_cycles = (cycle_t)c->decode_cycles;
	f->start_latency = (cycle_t)c->start_latency;
	f->start_cycles = c->start_cycles;
	f->sub_count = (uint32_t)cfg->sm.subcores;
	if (!c->perfect && !c->l0 && !c->l1)
		return fail(d, ERR_RANGE,
			    "front.l0 = 0, front.l1 = 0: "
			    "instructions need a cache, or "
			    "front.perfect = yes");
	if (front_set_shape(f, c, d) || make_caches(f, a, c, d))
		return d->code;
	front_start(f);
	*out = f;
	return ERR_OK;
}

void front_start(struct front *f)
{
	lru_empty(&f->l1.lines);
	f->start = 0;
	f->opened = CYCLE_NEVER;
	for (uint32_t i = 0; f->has_l0 && i < f->sub_count; i++) {
		lru_empty(&f->sub[i].l0.lines);
		memset(f->sub[i].settled, 0, sizeof(f->sub[i].settled));
		f->sub[i].stream.on = false;
		f->sub[i].stream.requested = 0;
		f->sub[i].run = (struct run){ UINT32_MAX, UINT32_MAX };
	}
}

void front_launch(struct front *f, uint32_t from, uint32_t to, uint32_t sms)
{
	uint32_t first = from >> f->l1_shift, last = to >> f->l1_shift;

	f->start = max_u64(f->start,
			   f->start_latency + (cycle_t)(f->start_cycles * sms));
	if (!f->has_l1)
		return;
	for (uint32_t i = 0; i < f->at_launch && first + i <= last; i++)
		if (lru_find(&f->l1.lines, first + i) == LRU_NOWHERE)
			cache_put(&f->l1, first + i, 0);
}

unsigned front_shift(const struct front *f)
{
	return f->shift;
}

/* When a line arrives that is requested at cycle t, from the L2 or the memory. */
static cycle_t beyond_l1(struct front *f, uint32_t line, cycle_t t)
{
	if (LIKELY(!f->miss))
		return t + f->l2_cycles;
	f->miss(f->miss_ctx, line);
	return FRONT_COMING;
}

/* When the L1 or, beyond it, the L2 delivers a line requested at cycle t. */
static cycle_t front_l1_arrival(struct front *f, uint32_t line, cycle_t t)
{
	uint32_t of_l1 = line >> f->l1_shift;
	cycle_t out = t + f->l1_cycles;
	cycle_t there;

	if (UNLIKELY(f->opened == CYCLE_NEVER))
		f->opened = out + f->start;
	out = max_u64(out, f->opened);
	if (!f->has_l1) {
		f->st->l1_misses++;
		return beyond_l1(f, line, out);
	}
	there = cache_use(&f->l1, of_l1);
	if (there <= out) {
		f->st->l1_hits++;
		return out;
	}
	f->st->l1_misses++;
	if (there != CYCLE_NEVER)
		return there;
	out = beyond_l1(f, of_l1, out);
	cache_put(&f->l1, of_l1, out);
	return out;
}

/* Requests lines from..to - 1, one per cycle, after `now` and after earlier
 * requests. */
static void stream_request(struct front *f, struct sub *u, uint32_t from,
			   uint32_t to, cycle_t now)
{
	struct stream *s = &u->stream;

	if (s->requested < now)
		s->requested = now;
	for (uint32_t line = from; line != to; line++) {
		cycle_t *cell = &s->ready[line % f->prefetch];

		*cell = CYCLE_NEVER;
		if (line == UINT32_MAX ||
		    lru_find(&u->l0.lines, line) != LRU_NOWHERE)
			continue;
		s->requested++;
		*cell = front_l1_arrival(f, line, s->requested);
		f->st->prefetches++;
	}
}

/* The cycle in which the stream buffer has the line; the buffer then advances.
 * CYCLE_NEVER: the line is not in it. */
static cycle_t stream_take(struct front *f, struct sub *u, uint32_t line,
			   cycle_t now)
{
	struct stream *s = &u->stream;
	uint32_t old_end = s->first + f->prefetch;
	cycle_t ready;

	if (!s->on || line - s->first >= f->prefetch)
		return CYCLE_NEVER;
	ready = s->ready[line % f->prefetch];
	if (ready == CYCLE_NEVER)
		return ready;
	s->first = line + 1;
	stream_request(f, u, old_end, s->first + f->prefetch, now);
	return ready;
}

/* Requests a run of lines from `from` on, all at once. */
static void fetch_run(struct front *f, struct sub *u, uint32_t from,
		      cycle_t now)
{
	u->run = (struct run){ from + f->run, from + 1 };
	for (uint32_t line = from; line != from + f->run && line != UINT32_MAX;
	     line++) {
		if (lru_find(&u->l0.lines, line) != LRU_NOWHERE)
			continue;
		cache_put(&u->l0, line, front_l1_arrival(f, line, now));
		f->st->prefetches++;
	}
}

static cycle_t miss_l0(struct front *f, struct sub *u, uint32_t line,
		       cycle_t now)
{
	cycle_t ready;

	f->st->l0_misses++;
	ready = front_l1_arrival(f, line, now);
	cache_put(&u->l0, line, ready);
	if (f->prefetch) {
		u->stream.on = true;
		u->stream.first = line + 1;
		u->stream.requested = now;
		stream_request(f, u, line + 1, line + 1 + f->prefetch, now);
	}
	if (f->run)
		fetch_run(f, u, line, now);
	return ready + f->decode_cycles;
}

static __attribute__((noinline)) cycle_t
not_in_l0(struct front *f, struct sub *u, uint32_t line, cycle_t now)
{
	cycle_t ready = stream_take(f, u, line, now);

	if (ready == CYCLE_NEVER)
		return miss_l0(f, u, line, now);
	cache_put(&u->l0, line, ready);
	if (ready <= now) {
		f->st->l0_hits++;
		return now;
	}
	f->st->l0_pending++;
	return ready + f->decode_cycles;
}

/* If there is no L0. */
static cycle_t fetch_l1(struct front *f, uint32_t line, cycle_t now)
{
	cycle_t ready;

	f->st->l0_misses++;
	ready = front_l1_arrival(f, line, now);
	return ready > now ? ready + f->decode_cycles : now;
}

cycle_t front_fetch(struct front *f, uint32_t sub, uint32_t line, cycle_t now)
{
	struct sub *u;
	cycle_t there;

	if (f->perfect)
		return now;
	f->st->fetches++;
	if (UNLIKELY(!f->has_l0))
		return fetch_l1(f, line, now);
	u = &f->sub[sub];
	if (LIKELY(f->fits) && u->settled[line / 64] >> line % 64 & 1) {
		f->st->l0_hits++;
		return now;
	}
	there = cache_use(&u->l0, line);
	if (UNLIKELY(there == CYCLE_NEVER))
		return not_in_l0(f, u, line, now);
	if (UNLIKELY(line == u->run.trigger))
		fetch_run(f, u, u->run.next, now);
	if (LIKELY(there <= now)) {
		f->st->l0_hits++;
		if (f->fits)
			u->settled[line / 64] |= UINT64_C(1) << line % 64;
		return now;
	}
	f->st->l0_pending++;
	return there + f->decode_cycles;
}

void front_ask(struct front *f, front_miss *miss, void *ctx)
{
	f->miss = miss;
	f->miss_ctx = ctx;
}

static void cache_arrives(struct cache *c, uint32_t line, cycle_t now)
{
	uint32_t at = lru_find(&c->lines, line);

	if (at != LRU_NOWHERE && c->ready[at] >= FRONT_COMING)
		c->ready[at] = now;
}

static void line_arrives(struct front *f, struct sub *u, uint32_t line,
			 cycle_t now)
{
	struct stream *s = &u->stream;
	cycle_t *cell = f->prefetch ? &s->ready[line % f->prefetch] : NULL;

	cache_arrives(&u->l0, line, now);
	/* CYCLE_NEVER: skipped. */
	if (cell && s->on && line - s->first < f->prefetch &&
	    *cell == FRONT_COMING)
		*cell = now;
}

void front_arrived(struct front *f, uint32_t line, cycle_t now)
{
	uint32_t first = line << f->l1_shift, n = 1u << f->l1_shift;

	if (f->has_l1)
		cache_arrives(&f->l1, line, now);
	for (uint32_t i = 0; f->has_l0 && i < f->sub_count; i++)
		for (uint32_t k = 0; k < n; k++)
			line_arrives(f, &f->sub[i], first + k, now);
}

unsigned front_ask_shift(const struct front *f)
{
	return f->l1_shift;
}

cycle_t front_decode_cycles(const struct front *f)
{
	return f->decode_cycles;
}

void front_code(struct front *f, uint32_t lines)
{
	/* Consecutive lines fill the sets evenly. */
	f->fits = f->has_l0 && lines <= SETTLED &&
		  lines <= lru_lines(&f->sub[0].l0.lines);
}
