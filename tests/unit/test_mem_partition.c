/* A memory partition with mocked SMs, in exact cycles. */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem/partition.h"
#include "net/port.h"
#include "simt/view.h"

enum {
	SMS_MAX = 8,
	PARTS_MAX = 4,
	SCRIPT_MAX = 4096,
	LOG_MAX = 8192,
	FULL = 0xf,
	/* configs/tiny.cfg */
	REQUEST = 10,
	REPLY = 10,
	HIT = 7,
	HEADER = 8,
	PORT = 32,
	DRAM_LATENCY = 10,
	/* HBM2 with one clock per cycle: activate, read, data; the controller
	 * sees a request one clock after its push */
	CLOSED_ROW = 1 + 12 + 18 + 2,
	/* from a request's arrival, if all of its sectors are valid */
	ANSWER = HIT + REPLY,
	MISS = ANSWER + CLOSED_ROW + DRAM_LATENCY
};

struct item {
	cycle_t at; /* arrival, if the SM need not wait for credits */
	struct msg m;
};

struct sm {
	struct item script[SCRIPT_MAX];
	uint32_t count, next;
	struct msg log[LOG_MAX]; /* what it received, in order */
	uint32_t received;
	int32_t credits[PARTS_MAX], min;
};

struct rig {
	struct arena arena;
	struct cfg cfg;
	struct mem_shape shape;
	struct wires *wires;
	struct mem_partition *partition[PARTS_MAX];
	struct view *views[SMS_MAX];
	struct sm *sm;
	uint32_t sms;
	cycle_t window, now;
	unsigned parity;
	bool heed; /* SMs wait for credits */
	bool keep; /* atomics are not performed */
};

static void set(struct rig *r, const char *assignment)
{
	struct diag d = { 0 };

	if (cfg_set(&r->cfg, assignment, &d))
		STREQ("", d.text);
}

static void load(struct cfg *c, const char *name)
{
	char path[512];
	struct cfg_sheet s;
	struct diag d = { 0 };

	snprintf(path, sizeof(path), "%s/configs/%s", HEDDLE_SOURCE_DIR, name);
	cfg_sheet_init(&s);
	if (cfg_read_file(&s, path, CFG_SOURCED, &d))
		STREQ("", d.text);
	*c = s.cfg;
	cfg_sheet_free(&s);
}

/* The tiny GPU with one slice; set() may follow, then rig_start. */
static void rig_init(struct rig *r)
{
	/* Atomics have no lanes unless a test gives them some. */
	static struct atomic atomics[SCRIPT_MAX];
	static struct view view = { .atomics = atomics };
	static struct sm sms[SMS_MAX];

	*r = (struct rig){ .sms = 3, .window = 10, .heed = true, .sm = sms };
	memset(sms, 0, sizeof(sms));
	for (uint32_t i = 0; i < SMS_MAX; i++)
		r->views[i] = &view;
	load(&r->cfg, "tiny.cfg");
	set(r, "l2.slices=1");
	set(r, "l2.bytes=16K");
	set(r, "dram.channels=1");
	set(r, "dram.bandwidth=32");
}

static void rig_start(struct rig *r)
{
	struct wire_room room[SMS_MAX + PARTS_MAX] = { 0 };
	struct diag d = { 0 };

	if (cfg_check(&r->cfg, &d) || mem_shape_init(&r->shape, &r->cfg, &d))
		STREQ("", d.text);
	OK(r->shape.partitions <= PARTS_MAX);
	for (uint32_t i = 0; i < r->sms; i++)
		room[i] = (struct wire_room){ .out = 1000, .in = LOG_MAX };
	for (uint32_t i = 0; i < r->shape.partitions; i++)
		room[r->sms + i] = mem_partition_room(&r->cfg, &r->shape,
						      r->sms, r->window);
	EQ(ERR_OK,
	   wires_new(&r->wires, &r->arena, r->sms + r->shape.partitions, room,
		     r->window + mem_partition_horizon(&r->cfg), &d));
	for (uint32_t i = 0; i < r->shape.partitions; i++) {
		struct mem_partition_env env = {
			.cfg = &r->cfg,
			.shape = &r->shape,
			.wires = r->wires,
			.index = i,
			.self = r->sms + i,
			.sms = r->sms,
			.views = r->views,
		};

		EQ(ERR_OK,
		   mem_partition_new(&r->partition[i], &r->arena, &env, &d));
	}
	arena_seal(&r->arena);
	for (uint32_t i = 0; i < r->sms; i++) {
		r->sm[i].min = (int32_t)r->cfg.net.queue;
		for (uint32_t k = 0; k < PARTS_MAX; k++)
			r->sm[i].credits[k] = r->sm[i].min;
	}
}

static struct msg *add(struct rig *r, uint32_t sm, cycle_t arrival,
		       enum msg_kind kind, uint64_t chunk, unsigned sectors)
{
	struct sm *s = &r->sm[sm];
	struct item *x = &s->script[s->count];

	OK(s->count < SCRIPT_MAX && arrival >= REQUEST);
	*x = (struct item){
		.at = arrival,
		.m = {
			.kind = (uint8_t)kind,
			.chunk = chunk,
			.sectors = (uint8_t)sectors,
			.id = s->count++,
		},
	};
	for (int i = 0; i < CHUNK_SECTORS; i++)
		x->m.bytes[i] = kind == MSG_ATOMIC ? 0 : UINT32_MAX;
	return &x->m;
}

static void receive(struct rig *r, struct sm *s, const struct msg *m)
{
	OK(s->received < LOG_MAX);
	s->log[s->received++] = *m;
	if (m->kind == MSG_CREDIT)
		s->credits[m->source - r->sms] += (int32_t)m->id;
}

/* An SM sends at most one request a cycle, in order. */
static void play_sm(struct rig *r, uint32_t i, cycle_t end)
{
	struct sm *s = &r->sm[i];

	for (cycle_t t = r->now; t < end; t++) {
		struct item *x = &s->script[s->next];
		struct msg m;
		uint32_t p;

		while (wire_take(r->wires, i, t, &m))
			receive(r, s, &m);
		if (s->next == s->count || x->at > t + REQUEST)
			continue;
		p = mem_partition_of(&r->shape, x->m.chunk);
		if (r->heed && s->credits[p] == 0 &&
		    r->cfg.mem.kind != CFG_MEM_LATENCY)
			continue;
		if (--s->credits[p] < s->min)
			s->min = s->credits[p];
		m = x->m;
		m.time = t + REQUEST;
		wire_send(r->wires, i, r->sms + p, &m);
		s->next++;
	}
}

static bool at_rest(const struct rig *r)
{
	for (uint32_t i = 0; i < r->sms; i++)
		if (r->sm[i].next < r->sm[i].count || wire_waiting(r->wires, i))
			return false;
	for (uint32_t i = 0; i < r->shape.partitions; i++)
		if (!mem_partition_idle(r->partition[i]) ||
		    wire_waiting(r->wires, r->sms + i))
			return false;
	return true;
}

static void step_window(struct rig *r)
{
	cycle_t end = r->now + r->window;

	for (uint32_t i = 0; i < r->sms + r->shape.partitions; i++)
		wire_open(r->wires, i, r->parity);
	for (uint32_t i = 0; i < r->sms; i++)
		play_sm(r, i, end);
	for (uint32_t i = 0; i < r->shape.partitions; i++) {
		cycle_t next =
			mem_partition_advance(r->partition[i], r->now, end);

		OK(next >= end);
		if (!r->keep)
			mem_partition_perform(r->partition[i]);
		STREQ(NULL, mem_partition_broken_law(r->partition[i]));
	}
	r->now = end;
	r->parity ^= 1;
}

/* Runs until everything has been answered. */
static void run(struct rig *r)
{
	cycle_t limit = r->now + 1000000;

	do {
		step_window(r);
		OK(r->now < limit);
	} while (!at_rest(r));
}

static void rig_free(struct rig *r)
{
	arena_free(&r->arena);
}

/* The arrival of the answer to request `id`, which must come exactly once. */
static cycle_t answer(const struct rig *r, uint32_t sm, uint32_t id)
{
	const struct sm *s = &r->sm[sm];
	const struct msg *want = &s->script[id].m, *got = NULL;

	for (uint32_t i = 0; i < s->received; i++) {
		const struct msg *m = &s->log[i];

		if (m->kind == MSG_CREDIT || m->id != id)
			continue;
		EQ(NULL, got);
		got = m;
	}
	OK(got != NULL);
	EQ(want->kind == MSG_ATOMIC ? MSG_ATOMIC_DONE : MSG_DATA, got->kind);
	EQ(want->sectors, got->sectors);
	EQ(want->chunk, got->chunk);
	return got->time;
}

static struct stat_l2 l2_stats(const struct rig *r)
{
	struct stat_l2 l2 = { 0 };
	struct stat_dram dram = { 0 };

	for (uint32_t i = 0; i < r->shape.partitions; i++)
		mem_partition_stats(r->partition[i], &l2, &dram);
	return l2;
}

static struct stat_dram dram_stat(const struct rig *r)
{
	struct stat_l2 l2 = { 0 };
	struct stat_dram dram = { 0 };

	for (uint32_t i = 0; i < r->shape.partitions; i++)
		mem_partition_stats(r->partition[i], &l2, &dram);
	return dram;
}

/*
 * Reads
 */

TEST(mem_partition, a_miss_takes_what_the_dram_does_and_a_hit_the_hit_latency)
{
	for (unsigned sectors = 1; sectors <= FULL; sectors = 2 * sectors + 1) {
		struct rig r;
		uint32_t more = (uint32_t)__builtin_popcount(sectors) - 1;

		rig_init(&r);
		rig_start(&r);
		add(&r, 0, 20, MSG_READ, 0, sectors);
		add(&r, 0, 200, MSG_READ, 0, sectors);
		run(&r);
		/* A burst of two clocks for each sector, three clocks apart in
		 * one bank group. */
		EQ(20 + MISS + 3 * more, answer(&r, 0, 0));
		EQ(200 + ANSWER, answer(&r, 0, 1));
		EQ(1, l2_stats(&r).read_hits);
		EQ(1, l2_stats(&r).read_misses);
		EQ(2 * (more + 1), l2_stats(&r).sectors_read);
		EQ(more + 1, l2_stats(&r).sectors_missed);
		EQ(2 * HEADER, l2_stats(&r).bytes_in);
		EQ(2 * (HEADER + 32 * (more + 1)), l2_stats(&r).bytes_out);
		EQ(1, dram_stat(&r).reads);
		EQ(32 * (more + 1), dram_stat(&r).bytes_read);
		rig_free(&r);
	}
}

TEST(mem_partition, a_hit_on_a_miss_is_answered_after_it)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	add(&r, 0, 20, MSG_READ, 0, 1);
	add(&r, 1, 25, MSG_READ, 0, 1);
	run(&r);
	EQ(20 + MISS, answer(&r, 0, 0));
	/* The port is busy with the first one's 40 bytes: it could begin in
	 * the cycle after the next. */
	EQ(20 + MISS + 1, answer(&r, 1, 0));
	EQ(1, l2_stats(&r).read_pending);
	EQ(1, dram_stat(&r).reads);
	rig_free(&r);
}

/* Brings chunks into the L2, and leaves no counts. */
static void warm(struct rig *r, uint64_t first, uint64_t chunks)
{
	for (uint32_t i = 0; i < r->shape.partitions; i++)
		mem_partition_host_copy(r->partition[i], first, chunks);
	EQ(0, l2_stats(r).writes);
	EQ(0, l2_stats(r).evictions);
}

TEST(mem_partition, answers_pass_the_out_port_one_after_the_other)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	warm(&r, 0, 3);
	for (uint32_t i = 0; i < 3; i++)
		add(&r, i, 20, MSG_READ, i, FULL);
	run(&r);
	/* Looked up at 21, 22, 23; 136 bytes are 4 cycles and a quarter, and
	 * the quarter is not lost. */
	EQ(20 + ANSWER, answer(&r, 0, 0));
	EQ(25 + ANSWER - 1, answer(&r, 1, 0));
	EQ(29 + ANSWER - 1, answer(&r, 2, 0));
	EQ(3, l2_stats(&r).queue_most);
	rig_free(&r);
}

TEST(mem_partition, the_lookups_of_a_cycle_are_limited)
{
	for (int n = 1; n <= 2; n++) {
		struct rig r;

		rig_init(&r);
		set(&r, n == 1 ? "l2.lookups=1" : "l2.lookups=2");
		set(&r, "net.slice_out=4096");
		rig_start(&r);
		warm(&r, 0, 3);
		for (uint32_t i = 0; i < 3; i++)
			add(&r, i, 20, MSG_READ, i, FULL);
		run(&r);
		EQ(20 + ANSWER, answer(&r, 0, 0));
		EQ((n == 1 ? 21 : 20) + ANSWER, answer(&r, 1, 0));
		EQ((n == 1 ? 22 : 21) + ANSWER, answer(&r, 2, 0));
		rig_free(&r);
	}
}

TEST(mem_partition, requests_pass_the_in_port_one_after_the_other)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	warm(&r, 0, 2);
	/* 136 bytes from cycle 20 on, then the read's 8. */
	add(&r, 0, 20, MSG_WRITE, 0, FULL);
	add(&r, 1, 20, MSG_READ, 1, 1);
	run(&r);
	/* The write has passed after 4.25 cycles, at 25, the read after 4.5; it
	 * is looked up one cycle after the write. */
	EQ(26 + ANSWER - 1, answer(&r, 1, 0));
	EQ(4, l2_stats(&r).sectors_written);
	EQ(HEADER + 128 + HEADER, l2_stats(&r).bytes_in);
	rig_free(&r);
}

/* SM 0 writes, SM 1 reads right behind it; returns when the read is answered,
 * beyond a read alone that is looked up in cycle 27. */
static uint64_t read_after_write(const char *how, uint32_t bytes)
{
	struct rig r;
	uint64_t time;

	rig_init(&r);
	set(&r, how);
	set(&r, "l2.write_sector=2.5");
	set(&r, "l2.write_masks=4");
	set(&r, "net.slice_in=4096");
	rig_start(&r);
	warm(&r, 0, 2);
	add(&r, 0, 26, MSG_WRITE, 0, FULL)->bytes[0] = bytes;
	add(&r, 1, 26, MSG_READ, 1, 1);
	run(&r);
	time = answer(&r, 1, 0) - (27 + ANSWER - 1);
	rig_free(&r);
	return time;
}

TEST(mem_partition, a_write_occupies_its_slice)
{
	/* Looked up at 27: four sectors written in full, or one in part. */
	EQ(4 * 5 / 2, read_after_write("l2.write_interval=0", UINT32_MAX));
	EQ(4 * 5 / 2 + 4, read_after_write("l2.write_interval=0", 15));
	EQ(12, read_after_write("l2.write_interval=12", UINT32_MAX));
	EQ(4 * 5 / 2 + 4, read_after_write("l2.write_interval=12", 15));
}

TEST(mem_partition, a_write_has_extra_bytes)
{
	struct rig r;

	rig_init(&r);
	set(&r, "net.write_extra=56");
	rig_start(&r);
	warm(&r, 0, 2);
	/* 192 bytes are 6 cycles of 32, then the read's 8. */
	add(&r, 0, 20, MSG_WRITE, 0, FULL)->bytes[0] = 15;
	add(&r, 1, 20, MSG_READ, 1, 1);
	run(&r);
	EQ(27 + ANSWER - 1, answer(&r, 1, 0));
	EQ(HEADER + 56 + 128 + HEADER, l2_stats(&r).bytes_in);
	rig_free(&r);
}

TEST(mem_partition, a_write_of_whole_sectors_has_no_extra_bytes)
{
	struct rig r;

	rig_init(&r);
	set(&r, "net.write_extra=56");
	rig_start(&r);
	add(&r, 0, 20, MSG_WRITE, 0, FULL);
	add(&r, 0, 30, MSG_WRITE, 1, 5);
	run(&r);
	EQ(HEADER + 128 + HEADER + 64, l2_stats(&r).bytes_in);
	rig_free(&r);
}

TEST(mem_partition, a_latency_below_the_ports_is_what_the_ports_take)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.hit_latency=2");
	rig_start(&r);
	warm(&r, 0, 1);
	add(&r, 0, 20, MSG_READ, 0, FULL);
	run(&r);
	EQ(20 + 1 + 5 + REPLY, answer(&r, 0, 0));
	rig_free(&r);
}

TEST(mem_partition, a_far_slice_takes_longer)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.slices=2");
	set(&r, "l2.partitions=2");
	set(&r, "l2.far_latency=30");
	r.sms = 4;
	rig_start(&r);
	warm(&r, 0, 4);
	for (uint32_t i = 0; i < 4; i++) {
		add(&r, i, 20 + 10 * i, MSG_READ, 0, 1);
		add(&r, i, 120 + 10 * i, MSG_READ, 2, 1);
	}
	run(&r);
	for (uint32_t i = 0; i < 4; i++) {
		EQ(20 + 10 * i + ANSWER + (i >= 2 ? 30 : 0), answer(&r, i, 0));
		EQ(120 + 10 * i + ANSWER + (i >= 2 ? 0 : 30), answer(&r, i, 1));
	}
	rig_free(&r);
}

TEST(mem_partition, an_atomic_far_away_takes_longer_still)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.slices=2");
	set(&r, "l2.partitions=2");
	set(&r, "l2.far_latency=30");
	set(&r, "l2.far_atomic=50");
	set(&r, "l2.atomic_latency=0");
	r.sms = 2;
	rig_start(&r);
	warm(&r, 0, 1);
	for (uint32_t i = 0; i < 2; i++) {
		add(&r, i, 20 + 20 * i, MSG_ATOMIC, 0, 1);
		add(&r, i, 120 + 20 * i, MSG_READ, 0, 1);
	}
	run(&r);
	EQ(20 + ANSWER, answer(&r, 0, 0));
	EQ(40 + ANSWER + 30 + 50, answer(&r, 1, 0));
	EQ(120 + ANSWER, answer(&r, 0, 1));
	EQ(140 + ANSWER + 30, answer(&r, 1, 1));
	rig_free(&r);
}

/*
 * Copies in another region: SM 0 is near slice 0, SMs 2 and 3 are far from it
 */

enum { FIRST = 40, FAR_MISS = 50 };

static void copies_rig(struct rig *r)
{
	rig_init(r);
	set(r, "l2.slices=2");
	set(r, "l2.partitions=2");
	set(r, "l2.far_first=40");
	set(r, "l2.far_miss=50");
	set(r, "l2.atomic_latency=0");
	r->sms = 4;
	rig_start(r);
}

TEST(mem_partition, the_first_reading_of_another_region_takes_longer)
{
	struct rig r;

	copies_rig(&r);
	warm(&r, 0, 1);
	add(&r, 0, 20, MSG_READ, 0, FULL);
	add(&r, 2, 120, MSG_READ, 0, 3);
	add(&r, 2, 220, MSG_READ, 0, 3);
	add(&r, 3, 320, MSG_READ, 0, 3);
	add(&r, 3, 420, MSG_READ, 0, FULL); /* of two sectors, no copy */
	run(&r);
	EQ(20 + ANSWER, answer(&r, 0, 0));
	EQ(120 + ANSWER + FIRST, answer(&r, 2, 0));
	EQ(220 + ANSWER, answer(&r, 2, 1));
	EQ(320 + ANSWER, answer(&r, 3, 0));
	EQ(420 + ANSWER + FIRST, answer(&r, 3, 1));
	rig_free(&r);
}

TEST(mem_partition, others_wait_for_a_copy_that_is_on_its_way)
{
	struct rig r;

	copies_rig(&r);
	warm(&r, 0, 1);
	add(&r, 2, 20, MSG_READ, 0, 1);
	add(&r, 3, 30, MSG_READ, 0, 1);
	add(&r, 0, 40, MSG_READ, 0, 1);
	run(&r);
	EQ(20 + ANSWER + FIRST, answer(&r, 2, 0));
	EQ(20 + ANSWER + FIRST, answer(&r, 3, 0));
	EQ(40 + ANSWER, answer(&r, 0, 0));
	rig_free(&r);
}

TEST(mem_partition, a_miss_from_another_region_leaves_a_copy)
{
	struct rig r;
	cycle_t came;

	copies_rig(&r);
	add(&r, 2, 20, MSG_READ, 0, 1);
	add(&r, 0, 20, MSG_READ, 8, 1); /* a miss nearby does not */
	add(&r, 2, 1020, MSG_READ, 0, 1);
	add(&r, 2, 1120, MSG_READ, 8, 1);
	run(&r);
	came = answer(&r, 2, 0);
	OK(came > 20 + ANSWER + FAR_MISS);
	EQ(1020 + ANSWER, answer(&r, 2, 1));
	EQ(1120 + ANSWER + FIRST, answer(&r, 2, 2));
	rig_free(&r);
}

/* What `kind` by an SM does to a copy that SM 2 has: the time of its next
 * reading. */
static cycle_t after_change(uint32_t sm, uint8_t kind, uint8_t sectors)
{
	struct rig r;
	cycle_t time;

	copies_rig(&r);
	warm(&r, 0, 1);
	add(&r, 2, 20, MSG_READ, 0, 1);
	add(&r, sm, 120, kind, 0, sectors);
	add(&r, 2, 220, MSG_READ, 0, 1);
	run(&r);
	time = answer(&r, 2, sm == 2 ? 2 : 1);
	rig_free(&r);
	return time - 220 - ANSWER;
}

TEST(mem_partition, atomics_and_writes_nearby_discard_copies)
{
	EQ(FIRST, after_change(0, MSG_WRITE, 1));
	EQ(FIRST, after_change(0, MSG_ATOMIC, 1));
	EQ(FIRST, after_change(2, MSG_ATOMIC, 1));
	EQ(0, after_change(0, MSG_WRITE, 2)); /* another sector */
	EQ(0, after_change(2, MSG_WRITE, 1));
	EQ(0, after_change(3, MSG_WRITE, 1));
	EQ(0, after_change(0, MSG_READ, 1));
}

TEST(mem_partition, a_whole_write_of_another_region_leaves_a_copy_there)
{
	struct rig r;

	copies_rig(&r);
	warm(&r, 0, 1);
	add(&r, 2, 20, MSG_WRITE, 0, 3);
	add(&r, 2, 120, MSG_READ, 0, 3);
	add(&r, 0, 220, MSG_READ, 0, 3); /* where it belongs */
	add(&r, 3, 320, MSG_WRITE, 0, 4)->bytes[2] = 15;
	add(&r, 3, 420, MSG_READ, 0, 4); /* a part of a sector: no copy */
	run(&r);
	EQ(120 + ANSWER, answer(&r, 2, 1));
	EQ(220 + ANSWER, answer(&r, 0, 0));
	EQ(420 + ANSWER + FIRST, answer(&r, 3, 1));
	rig_free(&r);
}

TEST(mem_partition, sectors_that_are_fetched_together_are_copied_together)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.slices=2");
	set(&r, "l2.partitions=2");
	set(&r, "l2.far_first=40");
	set(&r, "l2.fetch_sectors=2");
	r.sms = 4;
	rig_start(&r);
	warm(&r, 0, 1);
	add(&r, 2, 20, MSG_READ, 0, 1);
	add(&r, 2, 120, MSG_READ, 0, 2);
	add(&r, 2, 220, MSG_READ, 0, 4);
	run(&r);
	EQ(20 + ANSWER + FIRST, answer(&r, 2, 0));
	EQ(120 + ANSWER, answer(&r, 2, 1));
	EQ(220 + ANSWER + FIRST, answer(&r, 2, 2));
	rig_free(&r);
}

/* A link between the regions that takes a sector in 8 cycles, so does a write. */
static void region_link_rig(struct rig *r, const char *setting)
{
	rig_init(r);
	set(r, "l2.slices=2");
	set(r, "l2.partitions=2");
	set(r, "l2.far_first=40");
	set(r, "l2.far_sector=8");
	set(r, "l2.write_sector=4");
	set(r, setting);
	r->sms = 4;
	rig_start(r);
	warm(r, 0, 2);
}

TEST(mem_partition, copies_go_to_another_region_one_by_one)
{
	struct rig r;

	region_link_rig(&r, "l2.far_queue=0");
	add(&r, 2, 20, MSG_READ, 0, FULL);
	add(&r, 3, 30, MSG_READ, 1, FULL);
	add(&r, 0, 40, MSG_READ, 1, FULL);
	run(&r);
	EQ(20 + ANSWER + FIRST, answer(&r, 2, 0));
	EQ(30 + ANSWER + FIRST + 20 + 4 * 8 - 30, answer(&r, 3, 0));
	EQ(40 + ANSWER, answer(&r, 0, 0));
	rig_free(&r);
}

/* How much later a read arrives behind two writes of this SM, of a line each. */
static cycle_t behind_two_writes(uint32_t sm, const char *setting)
{
	struct rig r;
	cycle_t time;

	region_link_rig(&r, setting);
	add(&r, sm, 20, MSG_WRITE, 0, FULL);
	add(&r, sm, 28, MSG_WRITE, 0, FULL);
	add(&r, 1, 40, MSG_READ, 1, 1);
	run(&r);
	time = answer(&r, 1, 0);
	rig_free(&r);
	return time - 40 - ANSWER;
}

TEST(mem_partition, writes_to_another_region_wait_for_their_link)
{
	/* A write has arrived 5 cycles later, the read one. */
	EQ(20 + 5 + 4 * 8 + 1 - 41, behind_two_writes(2, "l2.far_queue=0"));
	EQ(0, behind_two_writes(2, "l2.far_queue=4"));
	EQ(0, behind_two_writes(0, "l2.far_queue=0"));
}

TEST(mem_partition, groups_of_SMs_are_in_one_region)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.slices=2");
	set(&r, "l2.partitions=2");
	set(&r, "l2.far_latency=30");
	set(&r, "l2.combine_groups=2");
	set(&r, "l2.combine_first=1");
	r.sms = 6;
	rig_start(&r);
	warm(&r, 0, 1);
	/* Blocks go to five SMs: the first one, three, and one of the last group,
	 * which the first one is in, too. */
	for (uint32_t i = 0; i < r.shape.partitions; i++)
		mem_partition_spread(&r.partition[i], 1, 5);
	for (uint32_t i = 0; i < 5; i++)
		add(&r, i, 20 + 10 * i, MSG_READ, 0, 1);
	run(&r);
	for (uint32_t i = 0; i < 5; i++)
		EQ(20 + 10 * i + ANSWER + (i >= 4 ? 30 : 0), answer(&r, i, 0));
	rig_free(&r);
}

/*
 * Memory that stays with the host
 */

/* Chunks 8 to 15 of two partitions, whichever slice they would be in. */
static void link_rig(struct rig *r)
{
	static const struct mem_far far[] = { { 2, 3 }, { 8, 16 } };

	rig_init(r);
	set(r, "l2.slices=2");
	set(r, "host.access_latency=500");
	set(r, "host.access_width=16");
	set(r, "host.line_interval=70");
	rig_start(r);
	r->shape.far = far;
	r->shape.fars = 2;
}

/* From its arrival to that of the answer: so many sectors pass the link first. */
enum { LINK = 2 + 500 + REPLY };

TEST(mem_partition, what_the_host_keeps_is_reached_over_a_link)
{
	struct rig r;

	link_rig(&r);
	add(&r, 0, 20, MSG_READ, 8, 1);
	add(&r, 1, 20, MSG_READ, 15, 1);  /* behind its two cycles */
	add(&r, 2, 1000, MSG_READ, 8, 1); /* again: nothing keeps it */
	add(&r, 0, 1000, MSG_READ, 7, 1);
	add(&r, 1, 1000, MSG_READ, 2, FULL);
	run(&r);
	EQ(20 + LINK, answer(&r, 0, 0));
	EQ(22 + LINK, answer(&r, 1, 0));
	OK(answer(&r, 0, 1) < 1000 + 100);
	EQ(1000 + LINK - 2 + 8, answer(&r, 1, 1));
	EQ(1008 + LINK, answer(&r, 2, 0)); /* behind its eight cycles */
	EQ(5, l2_stats(&r).reads);
	EQ(5, l2_stats(&r).read_misses);
	EQ(8, l2_stats(&r).sectors_read);
	EQ(32, dram_stat(&r).bytes_read);
	rig_free(&r);
}

TEST(mem_partition, a_line_of_the_host_is_loaded_in_turn_and_held_by_atomics)
{
	struct msg *m;
	struct rig r;

	link_rig(&r);
	add(&r, 0, 20, MSG_READ, 9, 1);
	add(&r, 1, 40, MSG_READ, 9, 2);
	add(&r, 2, 60, MSG_ATOMIC, 9, 1);
	add(&r, 0, 80, MSG_READ, 9, 1)->flags = MSG_STRONG;
	add(&r, 1, 100, MSG_READ, 9, 1);
	add(&r, 1, 120, MSG_READ, 10, 1);
	/* Four lanes on one address. */
	m = add(&r, 2, 4000, MSG_ATOMIC, 9, 1);
	m->lanes = m->bytes[0] = 3;
	/* 32 lanes with two words each. */
	m = add(&r, 2, 8000, MSG_ATOMIC, 9, FULL);
	m->lanes = 31;
	m->bytes[1] = MSG_SORT_CAS;
	run(&r);
	EQ(20 + LINK, answer(&r, 0, 0));
	EQ(20 + LINK + 70, answer(&r, 1, 0));
	/* In the cycle in which these are done the next one goes. */
	EQ(20 + LINK + 140 + 1, answer(&r, 2, 0));
	EQ(20 + LINK + 140 + 500 + 1, answer(&r, 0, 1));
	EQ(20 + LINK + 140 + 1000, answer(&r, 1, 1));
	EQ(120 + LINK, answer(&r, 1, 2));
	EQ(4000 + LINK + 3 * 500, answer(&r, 2, 1));
	EQ(8000 + LINK + 6 + 500, answer(&r, 2, 2));
	EQ(3, l2_stats(&r).atomics);
	rig_free(&r);
}

TEST(mem_partition, a_write_to_the_host_is_taken_when_it_has_passed_the_link)
{
	struct rig r;

	link_rig(&r);
	for (uint32_t i = 0; i < 100; i++)
		add(&r, 0, 20, MSG_WRITE, 8 + i % 8, FULL);
	add(&r, 1, 20, MSG_READ, 8, 1);
	run(&r);
	EQ(100, l2_stats(&r).writes);
	EQ(400, l2_stats(&r).sectors_written);
	/* The other direction is free. */
	EQ(20 + LINK, answer(&r, 1, 0));
	OK(r.now > 20 + 100 * 8);
	EQ(0, dram_stat(&r).bytes_written);
	rig_free(&r);
}

/*
 * Credits and waiting
 */

TEST(mem_partition, credits_come_back_in_groups_as_late_as_a_request)
{
	struct rig r;
	uint32_t n = 0;

	rig_init(&r); /* net.queue = 8: two at once */
	rig_start(&r);
	warm(&r, 0, 8);
	for (uint32_t i = 0; i < 5; i++)
		add(&r, 0, 20 + 10 * i, i & 1 ? MSG_WRITE : MSG_READ, 0, 1);
	run(&r);
	for (uint32_t i = 0; i < r.sm[0].received; i++) {
		const struct msg *m = &r.sm[0].log[i];

		if (m->kind != MSG_CREDIT)
			continue;
		EQ(2, m->id);
		/* With the second and the fourth: writes of 40 bytes. */
		EQ(30 + 20 * n + 2 + REQUEST, m->time);
		n++;
	}
	EQ(2, n);
	rig_free(&r);
}

/* Five writes and a read, which is not acknowledged: which of them have a message of
 * credits, which come back two at once. */
static void acknowledge(const char *setting, bool acknowledges)
{
	struct rig r;
	uint32_t k = 0;

	rig_init(&r);
	set(&r, setting);
	rig_start(&r);
	warm(&r, 0, 8);
	for (uint32_t i = 0; i < 6; i++)
		add(&r, 0, 20 + 10 * i, i == 5 ? MSG_READ : MSG_WRITE, 0, 1);
	run(&r);
	for (uint32_t i = 0; i < r.sm[0].received; i++) {
		const struct msg *m = &r.sm[0].log[i];

		if (m->kind != MSG_CREDIT)
			continue;
		k += !acknowledges;
		EQ(k & 1 ? 2 : 0, m->id);
		EQ(acknowledges && k < 5, m->bytes[0]);
		EQ(20 + 10 * k + (k < 5 ? 2 : 1) + REQUEST, m->time);
		k++;
	}
	EQ(6, k);
	rig_free(&r);
}

TEST(mem_partition, writes_are_acknowledged_with_or_without_credits)
{
	acknowledge("l2.acknowledge=yes", true);
	acknowledge("l2.acknowledge=no", false);
}

TEST(mem_partition, a_full_mshr_file_holds_the_queue_up)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.mshrs=1");
	rig_start(&r);
	warm(&r, 8, 1);
	add(&r, 0, 20, MSG_READ, 0, 1);
	add(&r, 1, 21, MSG_READ, 1, 1);
	add(&r, 2, 22, MSG_READ, 8, 1);
	run(&r);
	EQ(20 + MISS, answer(&r, 0, 0));
	/* Looked up when the first one's line is filled; its row is open then:
	 * 1 + CL + burst. The hit behind it follows a cycle later; the port is
	 * busy for 1.25 cycles from then on. */
	cycle_t fill = 21 + CLOSED_ROW + DRAM_LATENCY;

	EQ(fill + 1 + 18 + 2 + DRAM_LATENCY + ANSWER - 1, answer(&r, 1, 0));
	EQ(fill + 1 + ANSWER - 1, answer(&r, 2, 0));
	EQ(fill - 22, l2_stats(&r).stall_cycles);
	rig_free(&r);
}

TEST(mem_partition, a_full_dram_queue_holds_misses_up_but_not_hits)
{
	struct rig r;

	rig_init(&r);
	set(&r, "dram.queue=1");
	rig_start(&r);
	warm(&r, 100, 1);
	/* Chunks of one bank's row: the first fills the queue, the second
	 * stays staged, the hit passes, the last waits. */
	add(&r, 0, 20, MSG_READ, 0, 1);
	add(&r, 0, 21, MSG_READ, 1, 1);
	add(&r, 1, 22, MSG_READ, 100, 1);
	add(&r, 1, 23, MSG_READ, 1, 2);
	run(&r);
	EQ(20 + MISS, answer(&r, 0, 0));
	EQ(22 + ANSWER, answer(&r, 1, 0));
	/* The first read is issued at clock 21 + 1 + 12, which frees its place
	 * in that cycle. The next is read a clock later, but not before CCD_L
	 * has passed; the third likewise. */
	EQ(21 + CLOSED_ROW + 3 + DRAM_LATENCY + ANSWER - 1, answer(&r, 0, 1));
	EQ(21 + CLOSED_ROW + 6 + DRAM_LATENCY + ANSWER - 1, answer(&r, 1, 1));
	OK(l2_stats(&r).stall_cycles > 0);
	rig_free(&r);
}

TEST(mem_partition, a_full_out_port_holds_reads_up_and_credits_bound_the_queue)
{
	struct rig r;
	struct stat_l2 l2;

	rig_init(&r);
	set(&r, "net.slice_out=1");
	r.sms = 4;
	rig_start(&r);
	warm(&r, 0, 64);
	for (uint32_t i = 0; i < 64; i++)
		for (uint32_t k = 0; k < 4; k++)
			add(&r, k, 20, MSG_READ, i, FULL);
	run(&r);
	l2 = l2_stats(&r);
	EQ(256, l2.answers);
	EQ(256, l2.read_hits);
	OK(l2.stall_cycles > 30000);
	OK(l2.queue_most > 16 && l2.queue_most <= 4 * 8);
	for (uint32_t k = 0; k < 4; k++) {
		EQ(0, r.sm[k].min);
		EQ(8, r.sm[k].credits[0]);
	}
	OK(r.now >= 256 * 136);
	OK(r.now < 256 * 136 + 300);
	rig_free(&r);
}

/*
 * Writes
 */

TEST(mem_partition, a_written_sector_is_read_without_the_dram)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	add(&r, 0, 20, MSG_WRITE, 0, 2);
	add(&r, 0, 100, MSG_READ, 0, 2);
	run(&r);
	EQ(100 + ANSWER, answer(&r, 0, 1));
	EQ(0, dram_stat(&r).reads);
	EQ(1, l2_stats(&r).read_hits);
	rig_free(&r);
}

TEST(mem_partition, a_partly_written_sector_is_fetched_when_it_is_read)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	add(&r, 0, 20, MSG_WRITE, 0, 2)->bytes[1] = 0xff;
	add(&r, 0, 100, MSG_READ, 0, 2);
	run(&r);
	EQ(100 + MISS, answer(&r, 0, 1));
	EQ(1, dram_stat(&r).reads);
	EQ(0, dram_stat(&r).writes);
	rig_free(&r);
}

TEST(mem_partition, a_dirty_victim_is_written_back)
{
	struct rig r;

	rig_init(&r); /* 16 KB, 4 ways: 32 sets of 128 bytes */
	rig_start(&r);
	add(&r, 0, 20, MSG_WRITE, 0, 5);
	for (uint32_t i = 1; i <= 4; i++)
		add(&r, 0, 20 + 200 * i, MSG_READ, 32 * i, 1);
	add(&r, 0, 1200, MSG_READ, 0, 1);
	run(&r);
	EQ(2, l2_stats(&r).evictions);
	EQ(2, l2_stats(&r).write_backs);
	EQ(2, dram_stat(&r).writes); /* sectors 0 and 2: two pieces */
	EQ(64, dram_stat(&r).bytes_written);
	EQ(5, dram_stat(&r).reads);
	OK(answer(&r, 0, 5) > 1200 + ANSWER);
	rig_free(&r);
}

TEST(mem_partition, a_full_write_queue_holds_victims_up)
{
	struct rig r;

	rig_init(&r);
	set(&r, "dram.write_queue=1");
	set(&r, "dram.write_high=1");
	set(&r, "dram.write_low=0");
	rig_start(&r);
	for (uint32_t i = 0; i < 400; i++)
		add(&r, i % 3, 20, MSG_WRITE, i, FULL);
	run(&r);
	EQ(400, l2_stats(&r).writes);
	EQ(400 - 128, l2_stats(&r).evictions);
	EQ((400 - 128) * 128, dram_stat(&r).bytes_written);
	OK(l2_stats(&r).stall_cycles > 0);
	rig_free(&r);
}

TEST(mem_partition, a_copy_of_the_host_is_in_the_cache_and_counted_nowhere)
{
	struct rig r;
	struct stat_l2 l2;

	rig_init(&r);
	rig_start(&r);
	warm(&r, 1000, 1000); /* more than there is room for */
	for (uint32_t i = 0; i < 128; i++)
		add(&r, i % 3, 20, MSG_READ, 2000 - 128 + i, FULL);
	run(&r);
	l2 = l2_stats(&r);
	EQ(128, l2.read_hits);
	EQ(0, l2.evictions);
	EQ(0, dram_stat(&r).writes);
	mem_partition_clear_stats(r.partition[0]);
	l2 = l2_stats(&r);
	EQ(0, l2.reads);
	EQ(0, l2.queue_most);
	/* They are dirty. */
	add(&r, 0, r.now + 20, MSG_READ, 4 * 32, FULL);
	run(&r);
	EQ(4, l2_stats(&r).write_backs);
	rig_free(&r);
}

TEST(mem_partition, without_room_for_host_copies_there_are_none)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.host_copies=no");
	rig_start(&r);
	warm(&r, 0, 8);
	add(&r, 0, 20, MSG_READ, 0, 1);
	run(&r);
	EQ(20 + MISS, answer(&r, 0, 0));
	rig_free(&r);
}

/*
 * Reads of several SMs at once
 */

static void combine(struct rig *r)
{
	rig_init(r);
	set(r, "l2.combine=2");
	set(r, "l2.combine_groups=2"); /* SMs 0 and 1, SM 2 */
	set(r, "l2.combine_cycles=10");
	rig_start(r);
}

TEST(mem_partition, reads_of_a_group_are_served_as_one)
{
	struct rig r;

	combine(&r);
	warm(&r, 0, 1);
	add(&r, 0, 1000, MSG_READ, 0, 1);
	add(&r, 1, 1005, MSG_READ, 0, 1);
	run(&r);
	EQ(1000 + ANSWER, answer(&r, 0, 0));
	EQ(1005 + ANSWER, answer(&r, 1, 0));
	EQ(1, l2_stats(&r).combined);
	EQ(1, l2_stats(&r).sectors_combined);
	EQ(1, l2_stats(&r).reads);
	EQ(2, l2_stats(&r).answers);
	rig_free(&r);
}

TEST(mem_partition, reads_are_not_combined_too_late_or_by_others)
{
	struct rig r;

	combine(&r);
	warm(&r, 0, 1);
	add(&r, 0, 1000, MSG_READ, 0, 1);
	add(&r, 2, 1002, MSG_READ, 0, 1); /* another group */
	add(&r, 1, 1003, MSG_READ, 0, 3); /* another sector */
	add(&r, 0, 1100, MSG_READ, 0, 1);
	add(&r, 1, 1115, MSG_READ, 0, 1); /* too late */
	add(&r, 0, 1150, MSG_READ, 0, 3);
	add(&r, 1, 1153, MSG_READ, 0, 1); /* a part of it */
	add(&r, 0, 1200, MSG_READ, 0, 1);
	add(&r, 1, 1203, MSG_READ, 0, 1); /* this one */
	add(&r, 1, 1206, MSG_READ, 0, 1); /* one too many */
	run(&r);
	EQ(1, l2_stats(&r).combined);
	rig_free(&r);
}

TEST(mem_partition, the_blocks_of_a_launch_are_divided_among_the_groups)
{
	struct rig r;

	combine(&r);
	mem_partition_spread(&r.partition[0], 1, 2); /* SM 0, SM 1 */
	warm(&r, 0, 1);
	add(&r, 0, 1000, MSG_READ, 0, 1);
	add(&r, 1, 1005, MSG_READ, 0, 1);
	run(&r);
	EQ(0, l2_stats(&r).combined);
	rig_free(&r);
	rig_init(&r);
	set(&r, "l2.combine=2");
	set(&r, "l2.combine_first=1"); /* SM 0, SMs 1 and 2 */
	set(&r, "l2.combine_cycles=10");
	rig_start(&r);
	warm(&r, 0, 1);
	add(&r, 0, 1000, MSG_READ, 0, 1);
	add(&r, 1, 1003, MSG_READ, 0, 1);
	add(&r, 2, 1006, MSG_READ, 0, 1);
	run(&r);
	EQ(1, l2_stats(&r).combined);
	rig_free(&r);
}

TEST(mem_partition, a_read_that_misses_can_be_combined_until_it_is_there)
{
	struct rig r;

	combine(&r);
	add(&r, 0, 1000, MSG_READ, 0, 1);
	add(&r, 1, 1000 + MISS / 2, MSG_READ, 0, 1);
	run(&r);
	EQ(1, l2_stats(&r).combined);
	EQ(1, l2_stats(&r).read_misses);
	EQ(0, l2_stats(&r).read_pending);
	rig_free(&r);
}

/*
 * Atomics
 */

TEST(mem_partition, atomics_take_longer_and_keep_the_slice_busy)
{
	struct msg *m;
	struct rig r;

	rig_init(&r);
	set(&r, "l2.atomic_interval=3");
	set(&r, "l2.atomic_latency=40");
	r.keep = true;
	rig_start(&r);
	warm(&r, 0, 1);
	m = add(&r, 0, 20, MSG_ATOMIC, 0, 3);
	m->lanes = 5; /* 8 + 24 bytes */
	m->bytes[2] = 3;
	add(&r, 1, 20, MSG_READ, 0, 1);
	add(&r, 2, 200, MSG_ATOMIC, 1, 1)->lanes = 0;
	run(&r);
	EQ(20 + ANSWER + 40, answer(&r, 0, 0));
	/* Looked up at 21 + 2 * 3. */
	EQ(27 + ANSWER - 1, answer(&r, 1, 0));
	/* Nothing in the row of chunk 1 has been read: it is closed. */
	EQ(200 + MISS + 40, answer(&r, 2, 0));
	EQ(2, l2_stats(&r).atomics);
	EQ(7, l2_stats(&r).atomic_lanes);
	EQ(3, l2_stats(&r).atomic_sectors);
	EQ(2, l2_stats(&r).atomic_answers);
	OK(mem_partition_has_atomics(r.partition[0]));
	mem_partition_perform(r.partition[0]);
	OK(!mem_partition_has_atomics(r.partition[0]));
	rig_free(&r);
}

/* How much longer than an integer one to another line an atomic to this chunk
 * occupies the slice, of `lanes` lanes on one address. */
static uint64_t atomic_busy(uint64_t chunk, enum msg_sort sort, uint32_t lanes)
{
	uint64_t when;
	struct msg *m;
	struct rig r;

	rig_init(&r);
	set(&r, "l2.atomic_interval=3");
	set(&r, "l2.atomic_again=2");
	set(&r, "l2.cas_again=7");
	set(&r, "l2.atomic_lane=4");
	set(&r, "l2.float_lane=9");
	rig_start(&r);
	warm(&r, 0, 8);
	add(&r, 0, 20, MSG_ATOMIC, 0, 1);
	m = add(&r, 1, 60, MSG_ATOMIC, chunk, 1);
	m->lanes = (uint8_t)(lanes - 1);
	m->bytes[0] = lanes - 1;
	m->bytes[1] = sort;
	add(&r, 2, 60, MSG_READ, chunk, 1);
	run(&r);
	when = answer(&r, 2, 0);
	rig_free(&r);
	/* Looked up after the atomic, which is looked up at 60. */
	return when - (60 + ANSWER);
}

TEST(mem_partition, the_sort_of_an_atomic_says_how_long_it_takes)
{
	EQ(2, atomic_busy(0, MSG_SORT_INT, 1));
	EQ(2, atomic_busy(1, MSG_SORT_INT, 1)); /* the same 256 bytes */
	EQ(3, atomic_busy(2, MSG_SORT_INT, 1));
	EQ(2, atomic_busy(0, MSG_SORT_FLOAT, 1));
	EQ(7, atomic_busy(0, MSG_SORT_CAS, 1));
	EQ(3, atomic_busy(2, MSG_SORT_CAS, 1));
	EQ(2 + 2 * 4, atomic_busy(0, MSG_SORT_INT, 3));
	EQ(2 + 2 * 9, atomic_busy(0, MSG_SORT_FLOAT, 3));
	EQ(7 + 2 * 4, atomic_busy(0, MSG_SORT_CAS, 3));
}

TEST(mem_partition, an_atomic_makes_its_sector_dirty)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	add(&r, 0, 20, MSG_ATOMIC, 0, 1);
	add(&r, 0, 200, MSG_ATOMIC, 0, 1);
	for (uint32_t i = 1; i <= 4; i++)
		add(&r, 0, 200 + 200 * i, MSG_READ, 32 * i, 1);
	run(&r);
	EQ(1, l2_stats(&r).write_backs);
	rig_free(&r);
}

TEST(mem_partition, an_atomic_without_result_is_answered_by_a_header)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r);
	warm(&r, 0, 1);
	add(&r, 0, 20, MSG_ATOMIC, 0, 1)->lanes = 7;
	add(&r, 0, 100, MSG_ATOMIC, 0, 1)->lanes = 7;
	r.sm[0].script[1].m.flags = MSG_NO_RESULT;
	run(&r);
	EQ(20 + ANSWER + 40, answer(&r, 0, 0));
	EQ(100 + ANSWER + 40, answer(&r, 0, 1));
	EQ(HEADER + 32 + HEADER, l2_stats(&r).bytes_out);
	rig_free(&r);
}

static void exchange_lane(struct atomic *a, unsigned lane)
{
	uint32_t *word = (uint32_t *)a->host[lane], old = *word;

	*word = (uint32_t)a->b[0][lane];
	a->b[0][lane] = old;
}

TEST(mem_partition, atomics_are_performed_in_the_order_of_their_arrival)
{
	static struct atomic atomics[3][1];
	struct inst exchange = { .width = 4 };
	struct view views[3] = { 0 };
	uint32_t word[2] = { 7, 8 };
	struct rig r;

	rig_init(&r);
	r.keep = true;
	memset(atomics, 0, sizeof(atomics));
	for (uint32_t i = 0; i < 3; i++) {
		struct atomic *a = atomics[i];

		/* Lane 0 lies in sector 1 of chunk 2, lane 3 in chunk 3. */
		*a = (struct atomic){ .in = &exchange,
				      .perform = exchange_lane,
				      .mask = 9,
				      .left = 9 };
		a->bytes = 4;
		a->addr[0] = 2 * CHUNK_BYTES + 36;
		a->addr[3] = 3 * CHUNK_BYTES;
		a->host[0] = (uintptr_t)&word[0];
		a->host[3] = (uintptr_t)&word[1];
		a->b[0][0] = 100 + i;
		a->b[0][3] = 200 + i;
		views[i].atomics = a;
		r.views[i] = &views[i];
	}
	rig_start(&r);
	/* The first one misses and is still performed first. */
	add(&r, 2, 20, MSG_ATOMIC, 2, 2);
	add(&r, 1, 30, MSG_ATOMIC, 2, 2);
	add(&r, 0, 30, MSG_ATOMIC, 2, 2);
	run(&r);
	EQ(7, word[0]);
	mem_partition_perform(r.partition[0]);
	EQ(7, atomics[2]->b[0][0]);
	EQ(102, atomics[0]->b[0][0]);
	EQ(100, atomics[1]->b[0][0]);
	EQ(101, word[0]);
	EQ(8, word[1]);
	for (uint32_t i = 0; i < 3; i++)
		EQ(8, atomics[i]->left);
	mem_partition_perform(r.partition[0]);
	EQ(101, word[0]);
	rig_free(&r);
}

/*
 * Other shapes
 */

TEST(mem_partition, with_fixed_latencies_only_the_tags_matter)
{
	struct rig r;
	/* The parts of a load's latency before and after: l1.miss_latency, the
	 * wire, l1.fill_latency. */
	cycle_t way = 5 + REQUEST + 3;

	rig_init(&r);
	set(&r, "mem.kind=latency");
	rig_start(&r);
	for (uint32_t i = 0; i < 3; i++) {
		add(&r, i, 20, MSG_READ, i, FULL);
		add(&r, i, 100, MSG_READ, i, FULL);
		add(&r, i, 200, MSG_ATOMIC, i, FULL);
		add(&r, i, 300, MSG_WRITE, i, FULL);
	}
	run(&r);
	for (uint32_t i = 0; i < 3; i++) {
		EQ(20 + 80 - way, answer(&r, i, 0));
		EQ(100 + 35 - way, answer(&r, i, 1));
		EQ(200 + 35 - way + 40, answer(&r, i, 2));
	}
	EQ(3, l2_stats(&r).read_hits);
	EQ(3, l2_stats(&r).read_misses);
	EQ(0, dram_stat(&r).reads);
	rig_free(&r);
}

TEST(mem_partition, fixed_latencies_that_leave_no_time_are_refused)
{
	struct rig r;
	struct diag d;

	rig_init(&r);
	set(&r, "mem.kind=latency");
	set(&r, "mem.l1_latency=10");
	set(&r, "mem.l2_latency=18"); /* as long as the paths of a request */
	EQ(ERR_RANGE, mem_shape_init(&r.shape, &r.cfg, &d));
	OK(strstr(d.text, "mem.l2_latency") != NULL);
	set(&r, "mem.l2_latency=19");
	EQ(ERR_OK, mem_shape_init(&r.shape, &r.cfg, &d));
}

TEST(mem_partition, without_an_l2_answers_that_wait_hold_up_no_read)
{
	enum { READS = 40 };
	struct rig r;

	/* 136 bytes through a port of 4 a cycle: answers pile up. */
	rig_init(&r);
	set(&r, "l2.on=no");
	set(&r, "net.slice_out=4");
	set(&r, "net.queue=2");
	set(&r, "l2.mshrs=64");
	rig_start(&r);
	for (int i = 0; i < READS; i++)
		add(&r, 0, 20 + 20 * i, MSG_READ, i, FULL);
	run(&r);
	EQ(READS, dram_stat(&r).reads);
	EQ(0, l2_stats(&r).stall_cycles);
	rig_free(&r);
}

TEST(mem_partition, slices_of_one_network_channel_share_its_ports)
{
	for (int shared = 0; shared < 2; shared++) {
		struct rig r;

		rig_init(&r);
		set(&r, "l2.slices=2");
		set(&r, "dram.channels=2");
		set(&r, "dram.bandwidth=64");
		set(&r, shared ? "net.channels=1" : "net.channels=2");
		rig_start(&r);
		EQ(shared ? 1 : 2, r.shape.partitions);
		EQ(shared ? 2 : 1, r.shape.slices);
		EQ(shared ? 2 : 1, r.shape.channels);
		warm(&r, 0, 4);
		add(&r, 0, 20, MSG_READ, 0, FULL);
		add(&r, 1, 20, MSG_READ, 2, FULL);
		run(&r);
		/* Both are looked up at 21; the slice that is first in that
		 * cycle goes first. */
		EQ(20 + ANSWER + (shared ? 4 : 0), answer(&r, 0, 0));
		EQ(20 + ANSWER, answer(&r, 1, 0));
		rig_free(&r);
	}
}

TEST(mem_partition, slices_of_one_dram_channel_share_a_partition)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.slices=4");
	set(&r, "dram.channels=2");
	set(&r, "dram.bandwidth=64");
	rig_start(&r);
	EQ(2, r.shape.partitions);
	EQ(2, r.shape.slices);
	EQ(1, r.shape.channels);
	for (uint32_t i = 0; i < 4; i++)
		add(&r, 0, 20 + 200 * i, MSG_READ, 2 * i, 1);
	run(&r);
	EQ(20 + MISS, answer(&r, 0, 0));
	EQ(4, l2_stats(&r).answers);
	rig_free(&r);
}

TEST(mem_partition, without_an_l2_the_dram_answers)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.on=no");
	rig_start(&r);
	warm(&r, 0, 4);
	add(&r, 0, 20, MSG_READ, 0, 1);
	add(&r, 0, 200, MSG_READ, 0, 5);
	add(&r, 0, 400, MSG_WRITE, 0, FULL);
	add(&r, 0, 600, MSG_ATOMIC, 0, 1);
	run(&r);
	EQ(20 + MISS, answer(&r, 0, 0));
	/* The row is open; the two sectors are two reads. */
	EQ(200 + MISS - 12 + 3, answer(&r, 0, 1));
	OK(answer(&r, 0, 3) > 600 + ANSWER + 40);
	EQ(2, l2_stats(&r).read_misses);
	EQ(4, dram_stat(&r).reads);
	EQ(2, dram_stat(&r).writes);
	EQ(128 + 32, dram_stat(&r).bytes_written);
	rig_free(&r);
}

/* Lines and sectors of other sizes than the chunk's. */
static void read_and_write(const char *line, const char *sector,
			   uint32_t fetched, uint32_t hits)
{
	struct rig r;

	rig_init(&r);
	set(&r, line);
	set(&r, sector);
	rig_start(&r);
	add(&r, 0, 20, MSG_READ, 2, 3);
	add(&r, 0, 200, MSG_READ, 2, 3);  /* hits */
	add(&r, 0, 400, MSG_READ, 2, 12); /* hits in a large sector */
	add(&r, 0, 600, MSG_READ, 3, FULL);
	add(&r, 0, 800, MSG_WRITE, 6, 2);
	add(&r, 0, 1000, MSG_READ, 6, 2);
	add(&r, 0, 1200, MSG_ATOMIC, 7, 1);
	run(&r);
	EQ(fetched * 32, dram_stat(&r).bytes_read);
	EQ(hits, l2_stats(&r).read_hits);
	EQ(200 + ANSWER, answer(&r, 0, 1));
	EQ(5, l2_stats(&r).answers);
	EQ(1, l2_stats(&r).atomic_answers);
	rig_free(&r);
}

TEST(mem_partition, lines_and_sectors_of_all_sizes_serve_chunks)
{
	/* 3 and 12, all of chunk 3, one for the atomic */
	read_and_write("l2.line=32", "l2.sector=32", 9, 2);
	read_and_write("l2.line=64", "l2.sector=32", 9, 2);
	read_and_write("l2.line=128", "l2.sector=32", 9, 2);
	read_and_write("l2.line=256", "l2.sector=32", 9, 2);
	/* Halves of a chunk; the write fills no sector, so the read fetches. */
	read_and_write("l2.line=128", "l2.sector=64", 12, 1);
	read_and_write("l2.line=64", "l2.sector=64", 12, 1);
	/* Whole chunks. */
	read_and_write("l2.line=128", "l2.sector=128", 16, 2);
	/* Chunks 2 and 3 are one sector, 6 and 7 are, too. */
	read_and_write("l2.line=256", "l2.sector=256", 16, 3);
	/* The parts of one of the chunk's sectors are fetched together. */
	read_and_write("l2.line=128", "l2.sector=16", 9, 2);
	read_and_write("l2.line=32", "l2.sector=4", 9, 2);
}

TEST(mem_partition, a_line_in_several_banks_is_fetched_by_several_reads)
{
	struct rig r;

	rig_init(&r);
	set(&r, "dram.bank_bytes=64");
	rig_start(&r);
	add(&r, 0, 20, MSG_READ, 0, FULL);
	add(&r, 0, 200, MSG_READ, 1, 3);
	run(&r);
	EQ(2 + 1, dram_stat(&r).reads);
	EQ(128 + 64, dram_stat(&r).bytes_read);
	rig_free(&r);
}

TEST(mem_partition, the_rest_of_a_sector_is_fetched_as_a_whole_one)
{
	struct rig r;
	struct msg *m;

	rig_init(&r);
	set(&r, "l2.sector=16");
	rig_start(&r);
	m = add(&r, 0, 20, MSG_WRITE, 0, 1);
	m->bytes[0] = 0xffff;
	add(&r, 0, 200, MSG_READ, 0, 1);
	run(&r);
	EQ(1, dram_stat(&r).reads);
	EQ(32, dram_stat(&r).bytes_read);
	rig_free(&r);
}

TEST(mem_partition, write_through_sends_writes_to_the_dram)
{
	struct rig r;

	rig_init(&r);
	set(&r, "l2.write=through");
	set(&r, "l2.write_miss=around");
	rig_start(&r);
	add(&r, 0, 20, MSG_WRITE, 0, 3);
	add(&r, 0, 200, MSG_READ, 0, 1);
	add(&r, 0, 400, MSG_WRITE, 0, 1);
	add(&r, 0, 600, MSG_ATOMIC, 0, 4);
	add(&r, 0, 800, MSG_READ, 0, 4);
	run(&r);
	EQ(1, l2_stats(&r).read_misses);
	EQ(1, l2_stats(&r).read_hits);
	EQ(3, dram_stat(&r).writes);
	EQ(4 * 32, dram_stat(&r).bytes_written);
	EQ(2, dram_stat(&r).reads);
	rig_free(&r);
}

static void bad_shape(const char *a, const char *b, const char *names)
{
	struct rig r;
	struct diag d = { 0 };

	rig_init(&r);
	set(&r, a);
	set(&r, b);
	EQ(ERR_RANGE, mem_shape_init(&r.shape, &r.cfg, &d));
	if (!strstr(d.text, names))
		STREQ(names, d.text);
}

TEST(mem_partition, counts_that_do_not_divide_are_refused)
{
	bad_shape("l2.slices=6", "net.channels=4", "net.channels");
	bad_shape("l2.slices=2", "net.channels=4", "net.channels");
	bad_shape("l2.slices=6", "dram.channels=4", "dram.channels");
	bad_shape("l2.interleave=64", "l2.line=64", "l2.interleave");
	bad_shape("l2.interleave=128", "l2.line=256", "l2.line");
	bad_shape("dram.bank_bytes=64", "l2.sector=128", "dram.bank_bytes");
}

TEST(mem_partition, a_channel_that_is_too_fast_is_refused)
{
	bad_shape("dram.clock=1000", "dram.bandwidth=540",
		  "dram.bandwidth = 540: 540 GB/s per channel need");
	bad_shape("dram.clock=1", "dram.bandwidth=100000", "dram.bandwidth");
}

TEST(mem_partition, every_configuration_has_a_shape_and_can_be_built)
{
	DIR *dir = opendir(HEDDLE_SOURCE_DIR "/configs");
	struct dirent *e;

	OK(dir != NULL);
	while ((e = readdir(dir))) {
		struct mem_partition_env env = { .sms = 4 };
		struct wire_room room[2] = { 0 };
		struct arena a = { 0 };
		struct mem_shape s;
		struct cfg c;
		struct mem_partition *m;
		struct wires *w;
		struct diag d = { 0 };

		if (!strstr(e->d_name, ".cfg"))
			continue;
		load(&c, e->d_name);
		if (mem_shape_init(&s, &c, &d))
			STREQ("", d.text);
		EQ(c.l2.slices, s.partitions * s.slices);
		EQ(c.dram.channels, s.partitions * s.channels);
		room[1] = mem_partition_room(&c, &s, (uint32_t)c.sm.count, 60);
		OK(room[1].out > 0 && room[1].out < 5000000);
		EQ(ERR_OK, wires_new(&w, &a, 2, room,
				     60 + mem_partition_horizon(&c), &d));
		env.cfg = &c;
		env.shape = &s;
		env.wires = w;
		env.self = 1;
		if (mem_partition_new(&m, &a, &env, &d))
			STREQ("", d.text);
		OK(mem_partition_idle(m));
		STREQ(NULL, mem_partition_broken_law(m));
		arena_free(&a);
	}
	closedir(dir);
}

/*
 * Random traffic
 */

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x * UINT64_C(0x2545f4914f6cdd1d) >> 33;
}

static void random_script(struct rig *r, uint64_t seed, uint32_t count)
{
	for (uint32_t i = 0; i < r->sms; i++)
		for (uint32_t k = 0; k < count; k++) {
			uint64_t x = next_random(&seed);
			cycle_t at = 20 + k * (x % 7);
			unsigned sectors = 1 + (x >> 8) % FULL;
			uint64_t chunk = (x >> 12) % 600;
			struct msg *m;

			if (k)
				at = r->sm[i].script[k - 1].at + x % 7;
			m = add(r, i, at,
				x % 11 < 6 ? MSG_READ :
				x % 11 < 9 ? MSG_WRITE :
					     MSG_ATOMIC,
				chunk, sectors);
			m->lanes = (x >> 3) % 32;
			m->flags = m->kind == MSG_ATOMIC && (x >> 4 & 1);
			for (int j = 0; j < CHUNK_SECTORS; j++)
				m->bytes[j] = x >> 5 & 1 ? UINT32_MAX : 0xff00;
			if (m->kind == MSG_ATOMIC)
				m->bytes[1] =
					(uint32_t)(x >> 6) % (MSG_SORT_CAS + 1);
		}
}

/* Answers of reads leave no faster than the ports allow: each starts when all
 * that started before it have passed, except for rounding. */
static void check_rate(const struct rig *r)
{
	struct port port = port_of(PORT);
	cycle_t last = 0;

	/* One partition, reads only: they pass in the order of arrival. */
	for (;;) {
		const struct msg *first = NULL;

		for (uint32_t i = 0; i < r->sms; i++) {
			struct sm *s = &r->sm[i];
			const struct msg *m;

			while (s->next < s->received &&
			       s->log[s->next].kind != MSG_DATA)
				s->next++;
			m = &s->log[s->next];
			if (s->next < s->received &&
			    (!first || m->time < first->time))
				first = m;
		}
		if (!first)
			break;
		for (uint32_t i = 0; i < r->sms; i++)
			if (first >= r->sm[i].log &&
			    first < r->sm[i].log + LOG_MAX)
				r->sm[i].next++;
		OK(first->time >= last);
		last = first->time;
		OK(port_free(&port) <= last + 1);
		port_pass(&port, last,
			  HEADER + 32u * (uint32_t)__builtin_popcount(
						 first->sectors));
	}
}

TEST(mem_partition, random_traffic_is_answered_once_within_the_ports_rate)
{
	struct rig r;
	struct stat_l2 l2;
	struct stat_dram dram;
	uint64_t reads = 0, atomics = 0, writes = 0;

	rig_init(&r);
	r.sms = 5;
	rig_start(&r);
	random_script(&r, 99, 1000);
	run(&r);
	for (uint32_t i = 0; i < r.sms; i++)
		for (uint32_t k = 0; k < r.sm[i].count; k++) {
			enum msg_kind kind = r.sm[i].script[k].m.kind;

			reads += kind == MSG_READ;
			writes += kind == MSG_WRITE;
			atomics += kind == MSG_ATOMIC;
			if (kind != MSG_WRITE)
				OK(answer(&r, i, k) >=
				   r.sm[i].script[k].at + ANSWER);
		}
	l2 = l2_stats(&r);
	dram = dram_stat(&r);
	EQ(reads, l2.reads);
	EQ(reads, l2.answers);
	EQ(reads, l2.read_hits + l2.read_pending + l2.read_misses);
	EQ(writes, l2.writes);
	EQ(atomics, l2.atomics);
	EQ(atomics, l2.atomic_answers);
	EQ(dram.bytes_read, 32 * l2.sectors_missed);
	EQ(dram.bytes_written, 32 * l2.write_backs);
	EQ(dram.row_hits + dram.row_misses + dram.row_conflicts,
	   dram.reads + dram.writes);
	OK(l2.read_hits && l2.read_pending && l2.read_misses);
	OK(l2.bytes_out <= (r.now + 1) * PORT);
	OK(l2.bytes_in <= (r.now + 1) * PORT);
	rig_free(&r);
}

TEST(mem_partition, answers_never_leave_faster_than_the_port)
{
	struct rig r;

	rig_init(&r);
	r.sms = 5;
	rig_start(&r);
	random_script(&r, 7, 1000);
	for (uint32_t i = 0; i < r.sms; i++)
		for (uint32_t k = 0; k < r.sm[i].count; k++) {
			r.sm[i].script[k].m.kind = MSG_READ;
			r.sm[i].script[k].m.flags = 0;
		}
	run(&r);
	for (uint32_t i = 0; i < r.sms; i++)
		r.sm[i].next = 0;
	check_rate(&r);
	rig_free(&r);
}

static void random_setting(struct rig *r, int k)
{
	static const char *const settings[][3] = {
		{ "l2.slices=1", "l2.line=128", "l2.sector=32" },
		{ "l2.slices=2", "net.channels=1", "l2.lookups=2" },
		{ "l2.slices=4", "dram.latency=0", "l2.mshrs=3" },
		{ "l2.on=no", "l2.mshrs=4", "dram.queue=2" },
		{ "l2.write=through", "l2.write_miss=fetch", "dram.queue=1" },
		{ "l2.line=64", "l2.sector=32", "l2.mshrs=2" },
		{ "l2.line=256", "l2.sector=256", "dram.write_queue=6" },
		{ "mem.kind=latency", "l2.slices=2", "l2.ways=2" },
		{ "dram.refresh=yes", "dram.clock=877", "net.queue=3" },
		{ "l2.write_miss=around", "net.header=0", "net.queue=1" },
	};

	for (int i = 0; i < 3; i++)
		set(r, settings[k][i]);
	if (r->cfg.l2.slices > 1)
		set(r, "l2.bytes=32K");
}

enum { SETTINGS = 10 };

struct outcome {
	struct stat_l2 l2;
	struct stat_dram dram;
	uint32_t received[SMS_MAX];
	struct msg *log[SMS_MAX];
};

static void play(int setting, cycle_t window, struct outcome *o)
{
	struct rig r;

	rig_init(&r);
	random_setting(&r, setting);
	r.sms = 5;
	r.window = window;
	rig_start(&r);
	random_script(&r, 1000 + (uint64_t)setting, 400);
	run(&r);
	o->l2 = l2_stats(&r);
	o->dram = dram_stat(&r);
	for (uint32_t i = 0; i < r.sms; i++) {
		size_t size = r.sm[i].received * sizeof(struct msg);

		o->received[i] = r.sm[i].received;
		o->log[i] = malloc(size);
		OK(o->log[i] != NULL);
		for (uint32_t k = 0; k < r.sm[i].received; k++)
			r.sm[i].log[k].next = 0;
		memcpy(o->log[i], r.sm[i].log, size);
		for (uint32_t k = 0; k < r.sm[i].count; k++)
			if (r.sm[i].script[k].m.kind != MSG_WRITE)
				answer(&r, i, k);
	}
	rig_free(&r);
}

TEST(mem_partition, nothing_depends_on_the_window)
{
	static const cycle_t windows[] = { 10, 7, 1 };

	for (int k = 0; k < SETTINGS; k++) {
		struct outcome o[3] = { 0 };

		for (int i = 0; i < 3; i++)
			play(k, windows[i], &o[i]);
		for (int i = 1; i < 3; i++) {
			EQ(0, memcmp(&o[0].l2, &o[i].l2, sizeof(o[0].l2)));
			EQ(0,
			   memcmp(&o[0].dram, &o[i].dram, sizeof(o[0].dram)));
			for (int s = 0; s < 5; s++) {
				EQ(o[0].received[s], o[i].received[s]);
				EQ(0, memcmp(o[0].log[s], o[i].log[s],
					     o[0].received[s] *
						     sizeof(struct msg)));
			}
		}
		for (int i = 0; i < 3; i++)
			for (int s = 0; s < 5; s++)
				free(o[i].log[s]);
	}
}
