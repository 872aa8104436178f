#include "gpu/dispatch.h"

#include <string.h>

#include "base/minmax.h"

/* A block costs PACE_UNITS, and each cycle supplies blocks_per_cycle times as
 * many. Whole numbers, so that rounding errors do not accumulate. */
enum { PACE_UNITS = 1000000 };

/* What an SM has for further blocks. */
struct dispatch_resources {
	uint32_t blocks, warps, registers;
	uint64_t shared;
};

/* An SM, by its place in the dispatch order. */
struct dispatch_place {
	uint32_t sm;
	cycle_t end; /* of the last block there; 0: it had none */
	bool held;   /* it has no block, and writes on their way */
	struct dispatch_resources left;
};

/* The dispatcher's own state of a grid. */
struct dispatch_entry {
	struct dispatch_grid *grid;
	uint32_t previous;  /* grid of the same stream, or NO_GRID */
	cycle_t active;     /* its blocks may be sent from then on */
	cycle_t over;       /* what it wrote is in memory; or CYCLE_NEVER */
	bool waits;         /* until then, for SMs that hold writes */
	bool stored;        /* a block that has ended wrote something */
	uint32_t cursor;    /* next place in turn */
	bool filled;        /* every place has been full once */
	uint16_t *resident; /* by place: its blocks on that SM */
};

/* The end of a block. */
struct dispatch_end {
	uint64_t block;
	uint32_t grid, place;
	bool stored;
};

_Static_assert((int)IDLE_PHASES >= (int)DISPATCH_GRIDS,
	       "each grid may begin a phase");

enum { NO_GRID = UINT32_MAX };

struct dispatch {
	struct wires *wires;
	struct idle_phases *phases;
	uint32_t self, sms;
	bool depth;
	cycle_t launch_latency, block_latency, flush_latency;
	uint32_t kernels;
	struct dispatch_resources empty; /* of an empty SM */
	struct dispatch_place *places;
	uint32_t *place_of; /* by SM */
	/* When the next block may be sent, in units of 1 / pace_rate cycles. */
	uint64_t pace_free, pace_rate;
	/* When the end of the next block may be handled, and what that costs,
	 * in units of 1 / PACE_UNITS cycles. */
	uint64_t end_free, end_cost;
	/* Ends that SMs have reported and that are not handled yet: a ring. */
	struct dispatch_end *ends;
	uint32_t ends_room, ends_first, ends_count;

	struct dispatch_entry entries[DISPATCH_GRIDS];
	uint32_t count;
	/* Grids that were started, in that order: all blocks of those before
	 * `head` have been sent. */
	uint32_t queue[DISPATCH_GRIDS];
	uint32_t queued, head;
	uint32_t running, ended;
	uint32_t flushing; /* grids whose last block has ended, but not they */
	uint32_t held;     /* places with writes on their way */
	uint64_t done;
	cycle_t start, last;

	/* Bit i: place i has room for a block of the queue's head. */
	uint64_t *room;
	uint32_t room_words;
};

struct wire_room dispatch_room(const struct cfg *cfg, uint32_t sms,
			       cycle_t window)
{
	uint64_t all =
		(uint64_t)sms * (uint64_t)cfg->sm.max_blocks * cfg_units(cfg);
	double paced = cfg->dispatch.blocks_per_cycle * (double)window + 2;

	return (struct wire_room){
		.out = (uint32_t)(paced < (double)all ? paced : (double)all),
		.in = (uint32_t)all + sms, /* MSG_WRITTEN */
	};
}

/* The SM at a place of the order; the last cluster may be smaller. */
static uint32_t sm_in_order(const struct cfg *cfg, uint32_t sms, uint32_t place)
{
	uint32_t size = (uint32_t)cfg->dispatch.cluster;
	uint32_t clusters = (sms + size - 1) / size;
	uint32_t last = sms - (clusters - 1) * size;
	uint32_t full = last * clusters; /* places in full rounds */

	if (cfg->dispatch.order != CFG_ORDER_BREADTH)
		return place;
	if (place < full)
		return place % clusters * size + place / clusters;
	place -= full;
	return place % (clusters - 1) * size + last + place / (clusters - 1);
}

/* An SM, or the units of a cluster together, when they are empty. */
static struct dispatch_resources empty_sm(const struct cfg *cfg)
{
	const struct cfg_sm *sm = &cfg->sm;
	int64_t warps = sm->max_threads / sm->warp_size;
	uint32_t n = cfg_units(cfg);

	return (struct dispatch_resources){
		.blocks = n * (uint32_t)sm->max_blocks,
		.warps = n * (uint32_t)(warps < sm->max_warps ? warps :
								sm->max_warps),
		.registers = n * (uint32_t)sm->registers,
		.shared = n * (uint64_t)sm->shared,
	};
}

enum err dispatch_new(struct dispatch **out, struct arena *a,
		      const struct dispatch_env *env, struct diag *d)
{
	const struct cfg *cfg = env->cfg;
	struct dispatch *x = arena_new(a, struct dispatch, 1);
	uint16_t *resident =
		arena_new(a, uint16_t, (size_t)DISPATCH_GRIDS * env->sms);

	if (!x || !resident)
		return fail(d, ERR_NOMEM, "out of memory");
	*x = (struct dispatch){
		.wires = env->wires,
		.phases = env->phases,
		.self = env->self,
		.sms = env->sms,
		.depth = cfg->dispatch.order == CFG_ORDER_DEPTH,
		.launch_latency = (cycle_t)cfg->dispatch.launch_latency,
		.block_latency = (cycle_t)cfg->dispatch.block_latency,
		.flush_latency = (cycle_t)cfg->dispatch.flush_latency,
		.kernels = (uint32_t)cfg->dispatch.kernels,
		.empty = empty_sm(cfg),
		.places = arena_new(a, struct dispatch_place, env->sms),
		.place_of = arena_new(a, uint32_t, env->sms),
		.ends_room = env->sms * (uint32_t)cfg->sm.max_blocks *
			     cfg_units(cfg),
		.room_words = (env->sms + 63) / 64,
		.room = arena_new(a, uint64_t, (env->sms + 63) / 64),
	};
	x->ends = arena_new(a, struct dispatch_end, x->ends_room);
	if (!x->places || !x->place_of || !x->room || !x->ends)
		return fail(d, ERR_NOMEM, "out of memory");
	x->pace_rate =
		(uint64_t)(cfg->dispatch.blocks_per_cycle * PACE_UNITS + 0.5);
	x->end_cost = (uint64_t)(cfg->dispatch.end_interval * PACE_UNITS + 0.5);
	for (uint32_t i = 0; i < env->sms; i++) {
		uint32_t sm = sm_in_order(cfg, env->sms, i);

		x->places[i].sm = sm;
		x->place_of[sm] = i;
	}
	for (uint32_t i = 0; i < DISPATCH_GRIDS; i++)
		x->entries[i].resident = resident + (size_t)i * env->sms;
	*out = x;
	return ERR_OK;
}

uint32_t dispatch_sm_at(const struct dispatch *x, uint32_t place)
{
	return x->places[place].sm;
}

uint32_t dispatch_place_of(const struct dispatch *x, uint32_t sm)
{
	return x->place_of[sm];
}

/* Starts grids that are next in their streams, as long as fewer than
 * dispatch.kernels run. */
static void start_grids(struct dispatch *x, cycle_t now)
{
	for (uint32_t i = 0; i < x->count; i++) {
		struct dispatch_entry *e = &x->entries[i];

		if (x->running == x->kernels)
			return;
		if (e->grid->start != CYCLE_NEVER)
			continue;
		if (e->previous != NO_GRID &&
		    x->entries[e->previous].grid->end == CYCLE_NEVER)
			continue;
		e->grid->start = now;
		idle_grid_starts(x->phases, now);
		e->active = now + x->launch_latency;
		x->queue[x->queued++] = i;
		x->running++;
	}
}

static uint32_t previous_in_stream(const struct dispatch *x, uint32_t n)
{
	for (uint32_t i = n; i-- > 0;)
		if (x->entries[i].grid->stream == x->entries[n].grid->stream)
			return i;
	return NO_GRID;
}

static bool has_room_for_head(const struct dispatch *x, uint32_t place)
{
	const struct dispatch_entry *e = &x->entries[x->queue[x->head]];
	const struct occupancy_share *s = &e->grid->share;
	const struct dispatch_resources *r = &x->places[place].left;

	return r->blocks && e->resident[place] < e->grid->max &&
	       r->warps >= s->warps && r->registers >= s->registers &&
	       r->shared >= s->shared;
}

static void update_place(struct dispatch *x, uint32_t place)
{
	uint64_t bit = UINT64_C(1) << place % 64;

	if (x->head == x->queued)
		return;
	if (has_room_for_head(x, place))
		x->room[place / 64] |= bit;
	else
		x->room[place / 64] &= ~bit;
}

static void update_all_places(struct dispatch *x)
{
	if (x->head == x->queued)
		return;
	for (uint32_t i = 0; i < x->sms; i++)
		update_place(x, i);
}

void dispatch_start(struct dispatch *x, cycle_t now,
		    struct dispatch_grid *grids, uint32_t n)
{
	CHECK(n <= DISPATCH_GRIDS);
	x->count = n;
	x->queued = x->head = x->running = x->ended = x->flushing = 0;
	x->held = 0;
	x->done = 0;
	x->start = x->last = now;
	idle_clear(x->phases);
	x->pace_free = now * x->pace_rate;
	x->end_free = now * PACE_UNITS;
	x->ends_first = x->ends_count = 0;
	for (uint32_t i = 0; i < x->sms; i++) {
		x->places[i].left = x->empty;
		x->places[i].end = 0;
		x->places[i].held = false;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct dispatch_entry *e = &x->entries[i];

		e->grid = &grids[i];
		e->grid->start = e->grid->end = CYCLE_NEVER;
		e->grid->sent = e->grid->done = 0;
		e->cursor = 0;
		e->over = CYCLE_NEVER;
		e->stored = e->filled = e->waits = false;
		memset(e->resident, 0, x->sms * sizeof(*e->resident));
		e->previous = previous_in_stream(x, i);
	}
	start_grids(x, now);
	update_all_places(x);
}

static void end_grid_at(struct dispatch *x, struct dispatch_entry *e,
			cycle_t now)
{
	bool starved = x->head == x->queued;

	e->grid->end = x->last = now;
	x->running--;
	x->ended++;
	start_grids(x, now);
	if (starved)
		update_all_places(x);
}

static void end_flushed_grids(struct dispatch *x, cycle_t now)
{
	for (uint32_t i = 0; i < x->count; i++) {
		struct dispatch_entry *e = &x->entries[i];

		if (e->over > now || e->waits)
			continue;
		e->over = CYCLE_NEVER;
		x->flushing--;
		end_grid_at(x, e, now);
	}
}

static void last_block_done(struct dispatch *x, struct dispatch_entry *e,
			    cycle_t now)
{
	e->waits = e->stored && x->held;
	if (!e->stored || (!x->flush_latency && !e->waits)) {
		end_grid_at(x, e, now);
		return;
	}
	e->over = now + x->flush_latency;
	x->flushing++;
}

static void hold(struct dispatch *x, uint32_t place)
{
	x->held += !x->places[place].held;
	x->places[place].held = true;
}

/* The SM at a place has sent all that it stored, and it has arrived; or it has
 * another block, and is not waited for any longer. */
static void let_go(struct dispatch *x, uint32_t place, cycle_t now)
{
	if (!x->places[place].held)
		return;
	x->places[place].held = false;
	if (--x->held)
		return;
	for (uint32_t i = 0; i < x->count; i++) {
		struct dispatch_entry *e = &x->entries[i];

		if (!e->waits)
			continue;
		e->waits = false;
		e->over = max_u64(e->over, now);
	}
}

static cycle_t next_flushed(const struct dispatch *x)
{
	cycle_t next = CYCLE_NEVER;

	for (uint32_t i = 0; x->flushing && i < x->count; i++)
		if (!x->entries[i].waits)
			next = min_u64(next, x->entries[i].over);
	return next;
}

/* Handles the end of a block. */
static void block_done(struct dispatch *x, const struct dispatch_end *d,
		       cycle_t now)
{
	struct dispatch_entry *e = &x->entries[d->grid];
	struct dispatch_grid *g = e->grid;
	uint32_t place = d->place;
	struct dispatch_resources *r = &x->places[place].left;

	CHECK(e->resident[place]);
	r->blocks++;
	r->warps += g->share.warps;
	r->registers += g->share.registers;
	r->shared += g->share.shared;
	e->resident[place]--;
	x->done++;
	x->last = now;
	x->places[place].end = max_u64(x->places[place].end, now - x->start);
	if (g->waves)
		waves_add(g->waves, d->block, now - x->start);
	e->stored |= d->stored;
	if (++g->done == g->blocks)
		last_block_done(x, e, now);
	update_place(x, place);
}

/* The first place with room at or after this one, or x->sms. */
static uint32_t next_place_with_room(const struct dispatch *x, uint32_t place)
{
	uint32_t word = place / 64;
	uint64_t bits;

	if (place >= x->sms)
		return x->sms;
	bits = x->room[word] >> place % 64 << place % 64;
	while (!bits && ++word < x->room_words)
		bits = x->room[word];
	return bits ? word * 64 + (uint32_t)__builtin_ctzll(bits) : x->sms;
}

static uint32_t choose_place(const struct dispatch *x,
			     const struct dispatch_entry *e)
{
	uint32_t place = x->sms;

	if (!x->depth && !e->filled)
		place = next_place_with_room(x, e->cursor);
	return place < x->sms ? place : next_place_with_room(x, 0);
}

static void send_block(struct dispatch *x, struct dispatch_entry *e,
		       uint32_t place, cycle_t now)
{
	struct dispatch_grid *g = e->grid;
	struct dispatch_resources *r = &x->places[place].left;
	struct msg m = { .time = now + x->block_latency,
			 .kind = MSG_BLOCK,
			 .chunk = g->sent++,
			 .id = (uint32_t)(e - x->entries),
			 .bytes = { idle_last(x->phases) } };

	wire_send(x->wires, x->self, x->places[place].sm, &m);
	let_go(x, place, now);
	if (x->pace_free < now * x->pace_rate)
		x->pace_free = now * x->pace_rate;
	x->pace_free += PACE_UNITS;
	r->blocks--;
	r->warps -= g->share.warps;
	r->registers -= g->share.registers;
	r->shared -= g->share.shared;
	e->resident[place]++;
	e->cursor = place + 1;
	if (g->sent == g->blocks) {
		x->head++;
		if (x->head == x->queued)
			idle_all_sent(x->phases, m.time);
		update_all_places(x);
	} else {
		update_place(x, place);
	}
}

/* The first cycle from `now` on in which a block can be sent, in the present
 * state. */
static cycle_t next_send(struct dispatch *x, cycle_t now)
{
	struct dispatch_entry *e;
	cycle_t at;

	if (x->head == x->queued)
		return CYCLE_NEVER;
	e = &x->entries[x->queue[x->head]];
	if (choose_place(x, e) == x->sms) {
		e->filled = true;
		return CYCLE_NEVER;
	}
	at = x->pace_free / x->pace_rate;
	at = at > e->active ? at : e->active;
	return at > now ? at : now;
}

/* Takes the reports of SMs; they must not stay on the wires. */
static void take_reports(struct dispatch *x, cycle_t now)
{
	struct msg m;

	while (wire_take(x->wires, x->self, now, &m)) {
		uint32_t at = (x->ends_first + x->ends_count) % x->ends_room;
		uint32_t place = x->place_of[m.source];

		if (m.kind == MSG_WRITTEN) {
			let_go(x, place, now);
			continue;
		}
		CHECK(m.kind == MSG_BLOCK_DONE && m.id < x->count &&
		      x->ends_count < x->ends_room);
		x->ends[at] =
			(struct dispatch_end){ .block = m.chunk,
					       .grid = m.id,
					       .place = place,
					       .stored = m.flags & MSG_STORED };
		x->ends_count++;
		/* A block may have been sent since then: its end tells more. */
		if (m.flags & MSG_HELD)
			hold(x, place);
		else
			let_go(x, place, now);
	}
}

/* When the next end can be handled. */
static cycle_t next_end(const struct dispatch *x, cycle_t now)
{
	if (!x->ends_count)
		return CYCLE_NEVER;
	return max_u64(now, x->end_free / PACE_UNITS);
}

/* Handles as many ends as it can, and those of grids that follow. */
static void handle_ends(struct dispatch *x, cycle_t now)
{
	while (next_end(x, now) <= now) {
		x->end_free = max_u64(x->end_free, now * PACE_UNITS);
		x->end_free += x->end_cost;
		block_done(x, &x->ends[x->ends_first], now);
		x->ends_first = (x->ends_first + 1) % x->ends_room;
		x->ends_count--;
	}
	if (x->flushing)
		end_flushed_grids(x, now);
}

cycle_t dispatch_advance(struct dispatch *x, cycle_t from, cycle_t to)
{
	cycle_t now = from;

	for (;;) {
		cycle_t report = wire_next(x->wires, x->self);
		cycle_t end = min_u64(next_end(x, now), next_flushed(x));
		cycle_t send = next_send(x, now);

		now = min_u64(min_u64(report, end), send);
		if (now >= to)
			return now;
		now = now > from ? now : from;
		if (report <= now)
			take_reports(x, now);
		if (report <= now || end <= now) {
			handle_ends(x, now);
			continue;
		}
		struct dispatch_entry *e = &x->entries[x->queue[x->head]];

		send_block(x, e, choose_place(x, e), now);
	}
}

bool dispatch_finished(const struct dispatch *x)
{
	return x->ended == x->count;
}

cycle_t dispatch_last_end(const struct dispatch *x)
{
	return x->last;
}

bool dispatch_has_more_blocks(const struct dispatch *x)
{
	return x->head < x->queued || x->queued < x->count;
}

uint64_t dispatch_blocks_done(const struct dispatch *x)
{
	return x->done;
}

cycle_t dispatch_sm_end(const struct dispatch *x, uint32_t sm)
{
	return x->places[x->place_of[sm]].end;
}
