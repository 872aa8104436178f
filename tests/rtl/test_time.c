/*
 * The circuit's timing model against the model's: random results of units and memory
 * instructions of several multiprocessors, which take turns, with random
 * configurations. Segments come late, and warps start anew while results of the
 * warp before are under way.
 */
#include <stdio.h>
#include <string.h>

#include "random.h"
#include "test.h"
#include "timing.h"

enum {
	SMS = 16,
	WARPS = 32,
	UNITS = 5,
	MOST = 2048,
	L2_WAYS = 8,
	L2_SETS = 1024
};

/* A result that is under way. */
struct result {
	uint64_t due;
	bool load, has_reg, has_pred;
	uint8_t warp, reg, pred;
};

struct bench {
	struct fl_config config;
	struct fl_machine machine;
	struct fl_sm sm[SMS];
	uint32_t l1_lines[SMS][512], l2_lines[L2_WAYS * L2_SETS];
	struct result results[SMS][MOST];
	unsigned count[SMS];
	unsigned active;

	struct timing_in in;
	struct timing_out out;
	/* a memory instruction, of which the circuit does not know all yet */
	struct fl_access access;
	uint32_t sent;
	bool ends;

	uint64_t cycles, results_seen, stale_seen, full_pool, waits;
};

static void bench_cycle(struct bench *b)
{
	struct timing_in *in = &b->in;

	in->seg_valid = in->seg_end = false;
	if (b->sent < b->access.count && !b->access.shared) {
		in->seg_valid = random_bits() % 4;
		in->seg_line = b->access.segment[b->sent];
	} else if (b->ends) {
		in->seg_end = random_bits() % 4;
		in->seg_shared_count =
			b->access.shared ? (uint8_t)b->access.count : 0;
	}
	in->now = b->sm[b->active].now;
	timing_cycle(in, &b->out);
	b->sent += in->seg_valid && b->out.seg_ready;
	b->ends = b->ends && !in->seg_end;
	in->put = in->put_mem = in->new_warp = in->clear = in->load_sm = false;
	in->comp_take = in->reset = false;
	b->cycles++;
}

/* ---- configurations ------------------------------------------------------ */

static uint32_t random_to(uint32_t most)
{
	return random_bits() % 3 ? random_bits() % (most + 1) :
				   random_bits() % 8 * most / 7;
}

static void configure_units(struct bench *b)
{
	for (int u = 0; u < UNITS; u++) {
		b->config.latency[u] =
			1 + random_to(random_bits() % 2 ? 254 : 9);
		b->config.interval[u] =
			1 + random_to(random_bits() % 4 ? 3 : 254);
		b->in.latency[u] = (uint8_t)b->config.latency[u];
		b->in.interval[u] = (uint8_t)b->config.interval[u];
	}
	for (int i = 0; i < FL_WAYS; i++) {
		b->config.way_latency[i] =
			random_to(random_bits() % 4 ? 600 : 65535);
		b->in.way_latency[i] = (uint16_t)b->config.way_latency[i];
	}
}

static void configure(struct bench *b)
{
	b->in.l1_sets_log2 = random_bits() % 8;
	b->in.l1_ways = 1 + random_bits() % 4;
	b->in.l2_sets_log2 = random_bits() % 11;
	b->in.l2_ways = 1 + random_bits() % L2_WAYS;
	b->config = (struct fl_config){ .sms = SMS,
					.warps = WARPS,
					.lsu_lanes = 1 + random_bits() % 32 };
	b->in.lsu_cycles =
		(uint8_t)((31 + b->config.lsu_lanes) / b->config.lsu_lanes);
	configure_units(b);
	b->machine = (struct fl_machine){
		.c = &b->config,
		.sm = b->sm,
		.l2 = { 1u << b->in.l2_sets_log2, b->in.l2_ways, b->l2_lines }
	};
	memset(b->l1_lines, 0, sizeof(b->l1_lines));
	memset(b->l2_lines, 0, sizeof(b->l2_lines));
	for (unsigned s = 0; s < SMS; s++) {
		b->sm[s] = (struct fl_sm){ .number = s,
					   .l1 = { 1u << b->in.l1_sets_log2,
						   b->in.l1_ways,
						   b->l1_lines[s] } };
		b->count[s] = 0;
	}
}

static void bench_start(struct bench *b)
{
	configure(b);
	b->sent = 0;
	b->ends = false;
	b->access = (struct fl_access){ 0 };
	b->in.reset = true;
	bench_cycle(b);
	b->in.clear = true;
	do
		bench_cycle(b);
	while (!b->out.cleared);
	b->active = 0;
	b->in.sm = 0;
	b->in.load_sm = true;
	do
		bench_cycle(b);
	while (!b->out.loaded);
}

/* ---- what is under way ----------------------------------------------------- */

static void add_result(struct bench *b, struct result r)
{
	OK(b->count[b->active] < MOST);
	b->results[b->active][b->count[b->active]++] = r;
}

/* The circuit tells of something that is due, once. */
static void drop_result(struct bench *b)
{
	struct result *r = b->results[b->active];
	const struct timing_out *o = &b->out;
	unsigned i = 0, *n = &b->count[b->active];

	while (i < *n && !(r[i].due <= b->sm[b->active].now &&
			   r[i].warp == o->comp_warp &&
			   r[i].has_reg == o->comp_reg_valid &&
			   r[i].has_pred == o->comp_pred_valid &&
			   (!r[i].has_reg || r[i].reg == o->comp_reg) &&
			   (!r[i].has_pred || r[i].pred == o->comp_pred)))
		i++;
	OK(i < *n);
	b->results_seen++;
	b->stale_seen += !r[i].has_reg && !r[i].has_pred;
	r[i] = r[--*n];
}

static void take_completions(struct bench *b)
{
	const struct result *r = b->results[b->active];

	for (;;) {
		b->in.comp_take = random_bits() % 4;
		if (b->in.comp_take) {
			bench_cycle(b);
			EQ(!b->out.comp_valid, b->out.comp_none);
			if (b->out.comp_none)
				break;
			drop_result(b);
		} else {
			bench_cycle(b);
		}
	}
	for (unsigned i = 0; i < b->count[b->active]; i++)
		OK(r[i].due > b->sm[b->active].now);
}

static void check_state(const struct bench *b)
{
	const struct fl_sm *sm = &b->sm[b->active];
	const struct result *r = b->results[b->active];
	uint64_t next = (UINT64_C(1) << 40) - 1;
	unsigned loads = 0;

	for (unsigned i = 0; i < b->count[b->active]; i++) {
		loads += r[i].load;
		if (r[i].due < next)
			next = r[i].due;
	}
	if (sm->simd_free > sm->now && sm->simd_free < next)
		next = sm->simd_free;
	if (sm->lsu_free > sm->now && sm->lsu_free < next)
		next = sm->lsu_free;
	EQ(sm->simd_free <= sm->now, b->out.simd_is_free);
	EQ(sm->lsu_free <= sm->now, b->out.lsu_is_free);
	/* What is not resolved yet is not due before the LD/ST units are free. */
	if (b->out.resolved || next <= sm->lsu_free)
		EQ(next, b->out.next_event);
	EQ(loads < FL_POOL, b->out.pool_has_room);
}

/* ---- instructions ------------------------------------------------------------- */

static void random_target(struct bench *b)
{
	b->in.put_warp = random_bits() % WARPS;
	b->in.put_reg = random_bits() % 32;
	b->in.put_pred = random_bits() % 7;
}

static void put_unit(struct bench *b)
{
	struct fl_sm *sm = &b->sm[b->active];
	unsigned unit = random_bits() % UNITS;

	random_target(b);
	b->in.put = true;
	b->in.put_unit = (uint8_t)unit;
	b->in.put_reg_valid = random_bits() % 4;
	b->in.put_pred_valid = random_bits() % 4 == 0;
	sm->simd_free = sm->now + b->config.interval[unit];
	if (b->in.put_reg_valid || b->in.put_pred_valid)
		add_result(b, (struct result){
				      sm->now + b->config.latency[unit], false,
				      b->in.put_reg_valid, b->in.put_pred_valid,
				      b->in.put_warp, b->in.put_reg,
				      b->in.put_pred });
	bench_cycle(b);
}

static void random_segments(struct fl_access *a)
{
	uint32_t count = random_bits() % 4 ? random_bits() % 4 :
					     random_bits() % 33;
	uint32_t base = random_bits() % 8 ? 0x200 : random_bits() % (1 << 22);
	uint32_t step = 1 + random_bits() % 3 * random_bits() % 64;

	*a = (struct fl_access){ .shared = random_bits() % 3 == 0,
				 .load = random_bits() % 4,
				 .count = count };
	for (uint32_t i = 0; i < count; i++)
		a->segment[i] =
			(base + (random_bits() % 2 + i * 2) * step) % (1 << 22);
}

static void put_memory(struct bench *b, bool load_fits)
{
	struct fl_sm *sm = &b->sm[b->active];
	struct fl_access a;
	uint64_t done;

	random_segments(&a);
	a.load = a.load && load_fits;
	random_target(b);
	b->in.put_mem = true;
	b->in.put_load = a.load;
	b->in.put_shared = a.shared;
	bench_cycle(b);
	b->access = a;
	b->sent = 0;
	b->ends = true;
	done = fl_access_time(&b->machine, sm, &b->access);
	if (b->access.load)
		add_result(b,
			   (struct result){ done, true, true, false,
					    b->in.put_warp, b->in.put_reg, 0 });
}

/* Another warp begins in a place: what the old one has under way is nobody's. */
static void new_warp(struct bench *b)
{
	struct result *r = b->results[b->active];
	uint8_t warp = random_bits() % WARPS;

	for (unsigned i = 0; i < b->count[b->active]; i++)
		if (r[i].warp == warp)
			r[i].has_reg = r[i].has_pred = false;
	b->in.new_warp = true;
	b->in.new_warp_id = warp;
	bench_cycle(b);
}

/* ---- time -------------------------------------------------------------------- */

static void wait_resolved(struct bench *b)
{
	unsigned cycles = 0;

	while (!b->out.resolved) {
		EQ(b->sm[b->active].lsu_free, b->out.hold_at);
		bench_cycle(b);
		OK(++cycles < 1000);
		b->waits++;
	}
}

static void advance(struct bench *b)
{
	struct fl_sm *sm = &b->sm[b->active];
	uint64_t next = sm->now + 1;

	if (random_bits() % 4 == 0 && b->out.next_event < UINT64_C(1) << 39)
		next = b->out.next_event;
	if (!b->out.resolved && next >= b->out.hold_at)
		wait_resolved(b);
	sm->now = next;
}

static void change_sm(struct bench *b)
{
	wait_resolved(b);
	b->active = random_bits() % SMS;
	b->in.sm = (uint8_t)b->active;
	b->in.load_sm = true;
	do
		bench_cycle(b);
	while (!b->out.loaded);
}

static void one_cycle(struct bench *b, unsigned busy)
{
	take_completions(b);
	check_state(b);
	b->full_pool += !b->out.pool_has_room;
	if (random_bits() % 64 == 0)
		new_warp(b);
	if (random_bits() % 8 < busy) {
		if (random_bits() % 2 && b->out.simd_is_free)
			put_unit(b);
		else if (b->out.lsu_is_free && b->out.resolved)
			put_memory(b, b->out.pool_has_room);
	}
	/* What was put is seen. */
	bench_cycle(b);
	advance(b);
	if (random_bits() % 256 == 0)
		change_sm(b);
}

static void same_statistics(const struct bench *b)
{
	const struct fl_stats *s = &b->machine.stats;

	EQ(s->loads, b->out.loads);
	EQ(s->stores, b->out.stores);
	EQ(s->segments, b->out.segments);
	EQ(s->shared_accesses, b->out.shared_accesses);
	EQ(s->shared_segments, b->out.shared_segments);
	EQ(s->l1_hits, b->out.l1_hits);
	EQ(s->l1_misses, b->out.l1_misses);
	EQ(s->l2_hits, b->out.l2_hits);
	EQ(s->l2_misses, b->out.l2_misses);
}

TEST(rtl_time, completes_when_the_model_does)
{
	static struct bench b;
	uint64_t hits = 0;

	for (uint64_t i = 0; i < random_words() / 100; i++) {
		unsigned busy = 1 + random_bits() % 8;

		bench_start(&b);
		for (int t = 0; t < 2000; t++)
			one_cycle(&b, busy);
		wait_resolved(&b);
		bench_cycle(&b);
		same_statistics(&b);
		hits += b.out.l1_hits + b.out.l2_hits;
	}
	printf("  %llu results, %llu of warps that have ended, %llu cycles with a "
	       "full pool, %llu hits\n",
	       (unsigned long long)b.results_seen,
	       (unsigned long long)b.stale_seen,
	       (unsigned long long)b.full_pool, (unsigned long long)hits);
	OK(b.results_seen > 10000 && b.stale_seen > 100 && b.full_pool > 100 &&
	   b.waits > 100 && hits > 10000);
}
