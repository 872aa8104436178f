/* The LSU between an SM and a memory, both played by the test, to the cycle. */
#include "sm/lsu.h"

#include <stdio.h>
#include <string.h>

#include "sm/coalesce.h"
#include "test.h"

enum { PARTITIONS = 4, LIMIT = 1 << 16, SM = 0, ALL = -1 };

struct rig {
	struct arena arena;
	struct cfg cfg;
	struct mem_shape shape;
	struct wires *wires;
	struct lsu *lsu;
	struct stat_lsu st;
	struct stat_l1 l1;
	cycle_t now;
	unsigned parity;
	/* The memory answers so many cycles after arrival (0: never), and
	 * returns credits after as many. */
	cycle_t answer_after;
	bool credits;
	cycle_t ready[LIMIT]; /* by tag; 0: not done */
	uint32_t dones, misses;
	cycle_t read; /* of the last call of lsu_env.read: when, and its reader */
	uint32_t reader;
	bool room;             /* lsu_advance has returned true */
	struct msg got[LIMIT]; /* what has arrived at the memory */
	uint32_t gots;
	/* Of the last call of lsu_env.came. */
	cycle_t came;
	bool came_operand;
	uint32_t came_subcore;
	uint64_t came_at;
};

static void on_done(void *ctx, uint32_t tag, cycle_t ready)
{
	struct rig *r = ctx;

	EQ(0u, r->ready[tag]);
	r->ready[tag] = ready;
	r->dones++;
}

static void on_near(void *ctx, uint32_t tag, cycle_t ready)
{
	OK(tag & LSU_NEAR);
	on_done(ctx, tag & ~LSU_NEAR & ((1u << LSU_NEAR_WIDTH) - 1), ready);
}

static void on_read(void *ctx, uint32_t reader, cycle_t when)
{
	struct rig *r = ctx;

	r->read = when;
	r->reader = reader;
}

static void on_miss(void *ctx, uint32_t tag, uint64_t line)
{
	struct rig *r = ctx;

	(void)tag, (void)line;
	r->misses++;
}

static void on_came(void *ctx, cycle_t now, bool operand, uint32_t subcore,
		    uint64_t address)
{
	struct rig *r = ctx;

	r->came = now;
	r->came_operand = operand;
	r->came_subcore = subcore;
	r->came_at = address;
}

static struct rig *rig_make(const char *settings, bool asks)
{
	static struct rig r;
	char text[400], *save = NULL;
	struct diag d;
	struct addrmap_cfg map = {
		.slices = PARTITIONS,
		.partitions = 1,
		.interleave = 256,
		.channels = PARTITIONS,
		.banks = 16,
		.row_bytes = 1024,
		.bank_bytes = 256,
	};

	memset(&r, 0, sizeof(r));
	cfg_defaults(&r.cfg);
	OK(strlen(settings) < sizeof(text));
	strcpy(text, settings);
	for (char *s = strtok_r(text, " ", &save); s;
	     s = strtok_r(NULL, " ", &save))
		EQ(ERR_OK, cfg_set(&r.cfg, s, &d));
	EQ(ERR_OK, addrmap_init(&r.shape.map, &map, &d));
	r.shape.partitions = PARTITIONS;
	r.shape.slices = r.shape.channels = 1;
	struct wire_room room[1 + PARTITIONS];
	room[SM] = lsu_room(&r.cfg, &r.shape, 1);
	for (int i = 1; i <= PARTITIONS; i++)
		room[i] = (struct wire_room){ .out = 4096, .in = 4096 };
	EQ(ERR_OK, wires_new(&r.wires, &r.arena, 1 + PARTITIONS, room,
			     lsu_horizon(&r.cfg) + 4096, &d));
	const struct lsu_env env = {
		.cfg = &r.cfg,
		.shape = &r.shape,
		.wires = r.wires,
		.self = SM,
		.first_partition = 1,
		.st = &r.st,
		.l1 = &r.l1,
		.done = on_done,
		.near = on_near,
		.read = on_read,
		.missed = on_miss,
		.came = asks ? on_came : NULL,
		.ctx = &r,
	};
	EQ(ERR_OK, lsu_new(&r.lsu, &r.arena, &env, &d));
	arena_seal(&r.arena);
	lsu_start(r.lsu, 0);
	r.credits = true;
	return &r;
}

static struct rig *rig_new(const char *settings)
{
	return rig_make(settings, false);
}

static void rig_free(struct rig *r)
{
	STREQ(NULL, lsu_broken_law(r->lsu));
	arena_free(&r->arena);
}

static void send(struct rig *r, uint32_t partition, enum msg_kind kind,
		 cycle_t after, uint64_t chunk, uint8_t sectors, uint32_t id)
{
	struct msg m = { .time = r->now + after,
			 .kind = (uint8_t)kind,
			 .chunk = chunk,
			 .sectors = sectors,
			 .id = id };

	wire_send(r->wires, partition, SM, &m);
}

static void serve(struct rig *r, uint32_t partition, const struct msg *m)
{
	OK(r->gots < LIMIT);
	r->got[r->gots++] = *m;
	if (r->credits && r->cfg.mem.kind == CFG_MEM_DETAILED)
		send(r, partition, MSG_CREDIT,
		     r->answer_after ? r->answer_after : 1, 0, 0, 1);
	if (!r->answer_after || m->kind == MSG_WRITE)
		return;
	send(r, partition, m->kind == MSG_READ ? MSG_DATA : MSG_ATOMIC_DONE,
	     r->answer_after, m->chunk, m->sectors, m->id);
}

/* Begins the next cycle: memory, then answers, then the LSU. */
static void step(struct rig *r)
{
	struct msg m;

	r->now++;
	r->parity ^= 1;
	for (uint32_t i = 0; i <= PARTITIONS; i++)
		wire_open(r->wires, i, r->parity);
	for (uint32_t i = 1; i <= PARTITIONS; i++)
		while (wire_take(r->wires, i, r->now, &m))
			serve(r, i, &m);
	while (wire_take(r->wires, SM, r->now, &m))
		lsu_answer(r->lsu, r->now, &m);
	OK(lsu_next(r->lsu) >= r->now);
	if (lsu_next(r->lsu) == r->now)
		r->room |= lsu_advance(r->lsu, r->now);
	OK(lsu_next(r->lsu) > r->now);
}

static void run_to(struct rig *r, cycle_t t)
{
	while (r->now < t)
		step(r);
}

static void run_idle(struct rig *r)
{
	cycle_t end = r->now + 200000;

	while (!lsu_idle(r->lsu)) {
		step(r);
		OK(r->now < end);
	}
	for (int i = 0; i < 300; i++) /* the last credits */
		step(r);
}

static struct lsu_inst inst(enum timing_kind kind, enum space space,
			    uint32_t tag, uint32_t bytes, const uint64_t *addr)
{
	return (struct lsu_inst){
		.kind = (uint8_t)kind,
		.space = (uint8_t)space,
		.tag = tag,
		.mask = (uint32_t)ALL,
		.bytes = bytes,
		.addr = addr,
		.local_base = UINT64_C(1) << 46,
	};
}

static void issue(struct rig *r, const struct lsu_inst *in)
{
	OK(lsu_can_issue(r->lsu, in->subcore));
	lsu_issue(r->lsu, r->now, in);
}

/* Issues now, and returns how many cycles it took. */
static cycle_t took(struct rig *r, const struct lsu_inst *in)
{
	cycle_t t = r->now;

	r->ready[in->tag] = 0;
	issue(r, in);
	while (!r->ready[in->tag])
		step(r);
	t = r->ready[in->tag] - t;
	run_to(r, r->ready[in->tag] + 100);
	return t;
}

static void strided(uint64_t addr[WARP_LANES], uint64_t base, uint64_t stride)
{
	for (int l = 0; l < WARP_LANES; l++)
		addr[l] = base + (uint64_t)l * stride;
}

#define GLOBAL SPACE_GLOBAL
#define SHARED SPACE_SHARED

TEST(lsu, shared_memory_takes_its_latency_and_a_cycle_per_conflict)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SHARED, 1, 4, a);

	run_to(r, 10);
	strided(a, 0, 4);
	EQ(23u, took(r, &in));
	strided(a, 0, 8);
	EQ(24u, took(r, &in));
	strided(a, 0, 128);
	EQ(23u + 31, took(r, &in));
	EQ(1u + 2 + 32, r->st.shared_passes);
	EQ(0u + 1 + 31, r->st.shared_conflicts);
	rig_free(r);
}

TEST(lsu, further_passes_cost_shared_conflict_cycles)
{
	struct rig *r = rig_new("shared.conflict=3");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SHARED, 1, 4, a);

	strided(a, 0, 16);
	EQ(23u + 3 * 3, took(r, &in));
	rig_free(r);
}

/* When a load and the one behind it are done; `near`: by lsu_issue_near, whose
 * width may have LSU_NEAR_PAIRED. */
static void time_two(const char *settings, bool near, uint32_t width,
		     cycle_t out[2], struct stat_lsu *st)
{
	struct rig *r = rig_new(settings);
	bool paired = width & LSU_NEAR_PAIRED;
	uint32_t bytes = 4u << width % LSU_NEAR_PAIRED;
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SHARED, 1, bytes, a);

	strided(a, 1024, paired ? 0 : bytes);
	run_to(r, 10);
	if (near)
		lsu_issue_near(r->lsu, r->now, 0,
			       LSU_NEAR | width << LSU_NEAR_WIDTH | 1);
	else
		issue(r, &in);
	strided(a, 0, 4);
	in = inst(KIND_LOAD, SHARED, 2, 4, a);
	in.subcore = 1;
	issue(r, &in);
	run_idle(r);
	out[0] = r->ready[1];
	out[1] = r->ready[2];
	*st = r->st;
	rig_free(r);
}

static void check_near(const char *settings, uint32_t width)
{
	cycle_t near[2], far[2];
	struct stat_lsu st[2];

	time_two(settings, true, width, near, &st[0]);
	time_two(settings, false, width, far, &st[1]);
	OK(near[0] > 10 && near[1] > 10);
	EQ(far[0], near[0]);
	EQ(far[1], near[1]);
	EQ(0, memcmp(&st[0], &st[1], sizeof(st[0])));
}

TEST(lsu, loads_without_conflicts_are_the_same_with_and_without_addresses)
{
	static const char *const settings[] = {
		"",
		"shared.conflict=3 shared.conflict_latency=5",
		"shared.bank_bytes=8 lsu.return_width=64",
		"lsu.accept_interval=3",
	};
	char pairs[128];

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		for (uint32_t width = 0; width < 3; width++) {
			check_near(settings[i], width);
			snprintf(pairs, sizeof(pairs), "%s shared.pairs=yes",
				 settings[i]);
			check_near(pairs, width);
			check_near(pairs, width | LSU_NEAR_PAIRED);
		}
}

enum { READER = 3 << 22 | 5 << 16 | 1 };

/* When the operands of a store have been read, and a load behind it is done;
 * `near`: by lsu_issue_near_store. */
static void time_store(const char *settings, bool near, uint32_t reader,
		       cycle_t out[2], struct stat_lsu *st)
{
	struct rig *r = rig_new(settings);
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_STORE, SHARED, 1, 4, a);

	strided(a, 1024, 4);
	in.reader = reader;
	run_to(r, 10);
	if (near)
		lsu_issue_near_store(r->lsu, r->now, 0, reader);
	else
		issue(r, &in);
	in = inst(KIND_LOAD, SHARED, 2, 4, a);
	in.subcore = 1;
	issue(r, &in);
	run_idle(r);
	EQ(0, r->ready[1]);
	EQ(reader, r->reader);
	out[0] = r->read;
	out[1] = r->ready[2];
	*st = r->st;
	rig_free(r);
}

TEST(lsu, stores_without_conflicts_are_the_same_with_and_without_addresses)
{
	static const char *const settings[] = {
		"",
		"shared.lanes=16 shared.conflict=3",
		"lsu.accept_interval=3",
		"mem.kind=latency",
	};
	const uint32_t readers[] = { 0, READER };

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		for (int k = 0; k < 2; k++) {
			cycle_t near[2], far[2];
			struct stat_lsu st[2];

			time_store(settings[i], true, readers[k], near, &st[0]);
			time_store(settings[i], false, readers[k], far, &st[1]);
			EQ(readers[k] != 0, near[0] > 10);
			EQ(far[0], near[0]);
			EQ(far[1], near[1]);
			EQ(0, memcmp(&st[0], &st[1], sizeof(st[0])));
		}
}

TEST(lsu, a_conflict_holds_up_those_behind_it)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES], b[WARP_LANES];
	struct lsu_inst slow = inst(KIND_STORE, SHARED, 1, 4, a);
	struct lsu_inst fast = inst(KIND_LOAD, SHARED, 2, 4, b);

	strided(a, 0, 128);
	strided(b, 0, 4);
	fast.subcore = 1;
	issue(r, &slow);
	issue(r, &fast);
	run_to(r, 100);
	EQ(32u + 23, r->ready[2]);
	EQ(1u, r->dones);
	rig_free(r);
}

TEST(lsu, atomics_on_one_word_of_shared_memory_are_served_one_by_one)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_ATOMIC, SHARED, 1, 4, a);

	strided(a, 0, 4);
	EQ(23u + 2 - 1, took(r, &in));
	strided(a, 64, 0);
	EQ(23u + 32 * 2 - 1, took(r, &in));
	rig_free(r);
}

TEST(lsu, further_passes_of_an_atomic_may_take_longer_than_they_occupy)
{
	struct rig *r = rig_new("shared.atomic=1 shared.atomic_latency=3 "
				"shared.atomic_again=1 shared.cas=2 "
				"shared.cas_again=2");
	uint64_t a[WARP_LANES], b[WARP_LANES];
	struct lsu_inst in = inst(KIND_ATOMIC, SHARED, 1, 4, a);
	struct lsu_inst next = inst(KIND_LOAD, SHARED, 2, 4, b);

	strided(a, 0, 4);
	EQ(23u + 3, took(r, &in));
	in.flags = TIMED_CAS;
	EQ(23u + 2 - 1 + 3, took(r, &in));
	strided(a, 64, 0);
	EQ(23u + 32 * 2 - 1 + 3 + 31 * 2, took(r, &in));
	in.flags = TIMED_SPIN; /* the other lanes try again */
	EQ(23u + 2 - 1 + 3, took(r, &in));
	in.flags = 0;
	EQ(23u + 32 - 1 + 3 + 31, took(r, &in));
	in.flags = TIMED_SHARES;
	EQ(23u + 3, took(r, &in));
	rig_free(r);
	r = rig_new("shared.atomic=1 shared.cas=2 shared.cas_latency=6");
	strided(a, 0, 4);
	in.flags = 0;
	EQ(23u, took(r, &in));
	in.flags = TIMED_CAS;
	EQ(23u + 2 - 1 + 6, took(r, &in));
	in.flags = TIMED_SPIN;
	EQ(23u + 2 - 1 + 6, took(r, &in));
	in.flags = 0;
	strided(a, 64, 0);
	rig_free(r);
	r = rig_new("shared.atomic=1 shared.atomic_again=1");
	strided(b, 0, 4);
	next.subcore = 1;
	issue(r, &in);
	issue(r, &next);
	run_to(r, 200);
	EQ(32u + 23, r->ready[2]);
	rig_free(r);
}

TEST(lsu, groups_of_lanes_that_share_a_pass_take_half_the_time)
{
	struct rig *r = rig_new("shared.pairs=yes");
	uint64_t a[WARP_LANES], b[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SHARED, 1, 8, a);
	struct lsu_inst two = inst(KIND_LOAD, SHARED, 2, 8, b);

	strided(a, 64, 0);
	strided(b, 0, 8);
	EQ(23u, took(r, &in));
	EQ(1u, r->st.shared_passes);
	in.bytes = 16;
	EQ(took(r, &two), took(r, &in));
	EQ(1u + 2 + 2, r->st.shared_passes);
	EQ(0u, r->st.shared_conflicts);
	rig_free(r);
}

TEST(lsu, a_miss_and_then_a_hit_take_what_the_header_says)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

	r->answer_after = 40 + 60;
	run_to(r, 5);
	strided(a, 0x10000, 4);
	EQ(20u + 60 + 40 + 60 + 12, took(r, &in));
	EQ(1u, r->gots);
	EQ(MSG_READ, r->got[0].kind);
	EQ(0x10000u / 128, r->got[0].chunk);
	EQ(15, r->got[0].sectors);
	EQ(5u + 20 + 60, r->got[0].time);
	EQ(32u, took(r, &in));
	EQ(1u, r->l1.read_hits);
	EQ(1u, r->misses);
	EQ(8u, r->st.bytes_out);
	EQ(136u, r->st.bytes_in);
	strided(a, 0x10080, 0); /* one sector of the next line */
	EQ(192u, took(r, &in));
	EQ(1, r->got[1].sectors);
	OK(lsu_idle(r->lsu));
	rig_free(r);
}

/* A load of one address has a path of its own, unless it crosses a line. */
TEST(lsu, a_load_of_one_address_is_like_any_other)
{
	static const struct {
		uint64_t at;
		uint32_t bytes, sectors;
	} loads[] = {
		{ 0x10000, 8, 1 },  { 0x1011c, 8, 3 },  { 0x10260, 4, 8 },
		{ 0x103f8, 16, 8 }, { 0x10440, 16, 4 },
	};

	for (unsigned i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		cycle_t ready[2];

		for (int same = 0; same < 2; same++) {
			struct rig *r = rig_new("");
			uint64_t a[WARP_LANES];
			struct lsu_inst in =
				inst(KIND_LOAD, GLOBAL, 1, loads[i].bytes, a);
			struct lsu_place place = {
				.address = loads[i].at,
				.tag = 1,
				.mask = (uint32_t)ALL,
				.bytes = (uint8_t)loads[i].bytes
			};

			strided(a, loads[i].at, 0);
			r->answer_after = 100;
			run_to(r, 5);
			if (same)
				lsu_issue_place(r->lsu, r->now, &place);
			else
				issue(r, &in);
			run_idle(r);
			EQ(loads[i].at / 128, r->got[0].chunk);
			EQ(loads[i].sectors, r->got[0].sectors);
			EQ(1, r->st.global_loads);
			EQ(r->st.global_sectors, r->st.load_sectors);
			EQ(loads[i].at % 128 + loads[i].bytes > 128 ? 2 : 1,
			   r->gots);
			ready[same] = r->ready[1];
			rig_free(r);
		}
		EQ(ready[0], ready[1]);
	}
}

/* Loads a word at one address, as any load or as one of a place. */
static void load_place(struct rig *r, bool place, uint32_t tag, uint64_t at)
{
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, tag, 4, a);
	struct lsu_place p = {
		.address = at, .tag = tag, .reader = tag, .bytes = 4
	};

	strided(a, at, 0);
	in.reader = tag;
	OK(lsu_can_issue(r->lsu, 0));
	if (place)
		lsu_issue_place(r->lsu, r->now, &p);
	else
		lsu_issue(r->lsu, r->now, &in);
}

/* Loads of one address: alone, with another one behind them, when their line is
 * there, while it comes, and when they cannot be looked up or sent at once. */
static void load_places(const char *settings, bool place, cycle_t ready[8])
{
	static const struct {
		uint64_t at;
		cycle_t after; /* so many cycles the next one is issued */
	} loads[] = { { 0x10000, 1 },    { 0x20000, 2000 }, { 0x10004, 2000 },
		      { 0x30000, 20 },   { 0x30020, 20 },   { 0x40000, 20 },
		      { 0x40004, 2000 }, { 0x10000, 2000 } };
	struct rig *r = rig_new(settings);

	r->answer_after = 100;
	for (unsigned i = 0; i < 8; i++) {
		load_place(r, place, i + 1, loads[i].at);
		run_to(r, r->now + loads[i].after);
	}
	run_idle(r);
	EQ(8, r->reader);
	for (unsigned i = 0; i < 8; i++)
		ready[i] = r->ready[i + 1];
	rig_free(r);
}

TEST(lsu, loads_of_one_address_are_like_others_to_what_follows)
{
	static const char *const settings[] = { "",
						"net.queue=1",
						"l1.mshrs=1",
						"l1.in_order=yes",
						"l1.line=256",
						"l1.line=64" };

	for (unsigned s = 0; s < sizeof(settings) / sizeof(*settings); s++) {
		cycle_t any[8], place[8];

		load_places(settings[s], false, any);
		load_places(settings[s], true, place);
		for (unsigned i = 0; i < 8; i++) {
			OK(place[i]);
			EQ(any[i], place[i]);
		}
	}
}

TEST(lsu, lines_are_looked_up_one_a_cycle_or_as_many_as_there_are_ports)
{
	struct rig *r = rig_new("l1.lookups=4");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

	r->answer_after = 100;
	strided(a, 0, 128);
	took(r, &in);
	EQ(32u, r->gots);
	EQ(32u + 7, took(r, &in));
	rig_free(r);
	r = rig_new("");
	r->answer_after = 100;
	in.tag = 2;
	took(r, &in);
	EQ(32u + 31, took(r, &in));
	EQ(32u, r->l1.read_hits);
	rig_free(r);
}

/* The cycles between the results of two loads of lines that are there, of 32 words
 * each that are `stride` apart. */
static cycle_t two_rows(uint8_t subcore, uint64_t stride)
{
	struct rig *r = rig_new("lsu.address_interval=4 l1.tag_banks=4 "
				"l1.pass_latency=2");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);
	struct lsu_inst next = inst(KIND_LOAD, GLOBAL, 2, 4, a);
	cycle_t apart;

	r->answer_after = 100;
	strided(a, 0, stride);
	took(r, &in);
	next.subcore = subcore;
	r->ready[1] = r->ready[2] = 0;
	issue(r, &in);
	issue(r, &next);
	run_idle(r);
	apart = r->ready[2] > r->ready[1] ? r->ready[2] - r->ready[1] :
					    r->ready[1] - r->ready[2];
	rig_free(r);
	return apart;
}

TEST(lsu, a_sub_core_waits_longer_for_passes_than_the_sm)
{
	/* A word of each bank in 32 lines, eight in a bank of tags. */
	EQ(8u, two_rows(0, 132));
	EQ(8u, two_rows(1, 132));
	/* All words in one bank: 32 passes, for each of which the sub-core waits
	 * beyond the interval between its instructions. */
	EQ(4u + 2 * 32, two_rows(0, 128));
	EQ(32u, two_rows(1, 128));
}

TEST(lsu, a_store_may_take_the_stage_longer)
{
	struct rig *r = rig_new("lsu.store_interval=5");
	uint64_t a[WARP_LANES], b[WARP_LANES];
	struct lsu_inst in = inst(KIND_STORE, GLOBAL, 1, 4, a);
	struct lsu_inst next = inst(KIND_LOAD, SHARED, 2, 4, b);

	strided(a, 0, 4);
	strided(b, 0, 4);
	next.subcore = 1;
	issue(r, &in);
	issue(r, &next);
	run_idle(r);
	EQ(23u + 5, r->ready[2]);
	rig_free(r);
}

/* Cycles in which sub-cores issue eight instructions each, as fast as they
 * can, the first in cycle 2. */
static void issue_times(struct rig *r, unsigned subs, cycle_t t[][8])
{
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SHARED, 0, 4, a);
	unsigned n[4] = { 0 };

	strided(a, 0, 4);
	run_to(r, 1);
	while (n[0] < 8 || n[subs - 1] < 8) {
		step(r);
		for (unsigned i = 0; i < subs; i++) {
			in.subcore = (uint8_t)i;
			if (n[i] == 8 || !lsu_can_issue(r->lsu, i))
				continue;
			t[i][n[i]++] = r->now;
			in.tag++;
			issue(r, &in);
		}
	}
	run_idle(r);
}

#define AMPERE "lat.mem.cycles=11 lsu.address_interval=4 lsu.accept_interval=2"

TEST(lsu, five_instructions_issue_back_to_back_and_then_one_in_four_cycles)
{
	/* Huerta et al., MICRO 2025, measured on Ampere. */
	static const cycle_t want[] = { 2, 3, 4, 5, 6, 13, 17, 21 };
	struct rig *r = rig_new(AMPERE);
	cycle_t t[4][8];

	issue_times(r, 1, t);
	for (int i = 0; i < 8; i++)
		EQ(want[i], t[0][i]);
	rig_free(r);
}

TEST(lsu, four_sub_cores_share_what_the_sm_accepts)
{
	struct rig *r = rig_new(AMPERE);
	cycle_t t[4][8];

	issue_times(r, 4, t);
	for (unsigned s = 0; s < 4; s++) {
		for (unsigned i = 0; i < 5; i++)
			EQ(2 + i, t[s][i]);
		for (unsigned i = 5; i < 8; i++)
			EQ(13 + 2 * s + 8 * (i - 5), t[s][i]);
	}
	rig_free(r);
}

TEST(lsu, a_second_load_of_a_line_in_flight_waits_for_the_same_answer)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

	r->answer_after = 100;
	strided(a, 0, 4);
	issue(r, &in);
	run_to(r, 30);
	in.tag = 2;
	issue(r, &in);
	run_idle(r);
	EQ(1u, r->gots);
	EQ(192u, r->ready[1]);
	/* The path to the registers passes 64 bytes a cycle. */
	EQ(194u, r->ready[2]);
	EQ(1u, r->l1.read_pending);
	rig_free(r);
}

TEST(lsu, without_an_mshr_the_head_waits_for_an_answer_and_is_counted)
{
	struct rig *r = rig_new("l1.mshrs=2");
	uint64_t a[3][WARP_LANES];

	r->answer_after = 100;
	for (uint32_t i = 0; i < 3; i++) {
		struct lsu_inst in = inst(KIND_LOAD, GLOBAL, i + 1, 4, a[i]);

		strided(a[i], 4096 * i, 4);
		in.subcore = (uint8_t)i;
		issue(r, &in);
	}
	run_to(r, 7);
	EQ(CYCLE_NEVER, lsu_next(r->lsu));
	run_idle(r);
	/* Accepted at 4, 5, 6; the first answer comes at 180. */
	EQ(180u - 6, r->st.stall_mshr);
	EQ(192u, r->ready[1]);
	EQ(194u, r->ready[2]); /* the port passes 136 bytes in 2.1 cycles */
	EQ(180u - 4 + 20 + 60 + 100 + 12, r->ready[3]);
	rig_free(r);
}

TEST(lsu, no_more_than_lsu_pending_instructions_are_in_flight)
{
	static const char *const how[] = { "lsu.pending=1",
					   "mem.kind=latency mem.fifo=1" };
	uint64_t a[WARP_LANES];

	for (int i = 0; i < 2; i++) {
		struct rig *r = rig_new(how[i]);
		struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

		strided(a, 0, 4);
		issue(r, &in);
		OK(!lsu_can_issue(r->lsu, 3));
		run_to(r, 200);
		r->room = false;
		send(r, 1, MSG_DATA, 5, 0, 15, r->got[0].id);
		run_to(r, 204);
		OK(!r->room && !lsu_can_issue(r->lsu, 3));
		step(r);
		OK(r->room && lsu_can_issue(r->lsu, 3));
		EQ(217u, r->ready[1]);
		rig_free(r);
	}
}

TEST(lsu, stores_are_written_through_with_their_bytes)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_STORE, GLOBAL, 1, 4, a);

	run_to(r, 3);
	strided(a, 0x1000, 4);
	issue(r, &in);
	run_idle(r);
	EQ(1u, r->gots);
	EQ(MSG_WRITE, r->got[0].kind);
	EQ(15, r->got[0].sectors);
	EQ(3u + 20 + 60, r->got[0].time);
	EQ(136u, r->st.bytes_out);
	for (int i = 0; i < 4; i++)
		EQ(~0u, r->got[0].bytes[i]);
	strided(a, 0x1004, 8);
	in.mask = 0x3f;
	in.bytes = 2;
	issue(r, &in);
	run_idle(r);
	EQ(3, r->got[1].sectors);
	EQ(0x30303030u, r->got[1].bytes[0]);
	EQ(0x00003030u, r->got[1].bytes[1]);
	EQ(0u, r->got[1].bytes[2]);
	EQ(0u, r->dones);
	EQ(2u, r->l1.writes);
	EQ(0u, r->l1.write_hits);
	rig_free(r);
}

/* A read may go past the queue of messages, but not past stores to its line. */
TEST(lsu, a_read_follows_stores_to_its_line_that_wait_for_others)
{
	struct rig *r = rig_new("lsu.merge=4 lsu.merge_cycles=500");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_STORE, GLOBAL, 1, 4, a);

	r->answer_after = 100;
	run_to(r, 3);
	strided(a, 0x1000, 0);
	issue(r, &in);
	in = inst(KIND_LOAD, GLOBAL, 2, 4, a);
	strided(a, 0x2000, 0);
	took(r, &in); /* of another line: alone */
	EQ(1u, r->gots);
	EQ(MSG_READ, r->got[0].kind);
	strided(a, 0x1040, 0);
	took(r, &in);
	EQ(3u, r->gots);
	EQ(MSG_WRITE, r->got[1].kind);
	EQ(MSG_READ, r->got[2].kind);
	EQ(r->got[1].chunk, r->got[2].chunk);
	rig_free(r);
}

TEST(lsu, a_write_back_cache_sends_what_it_evicts)
{
	struct rig *r = rig_new("l1.write=back l1.write_miss=validate "
				"l1.bytes=1K l1.ways=1 l1.adaptive=no "
				"l1.hash=none");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_STORE, GLOBAL, 1, 4, a);

	strided(a, 0, 4);
	in.mask = 3;
	issue(r, &in);
	run_idle(r);
	EQ(0u, r->gots);
	strided(a, 1024, 4);
	in.mask = (uint32_t)ALL;
	issue(r, &in);
	run_idle(r);
	EQ(1u, r->gots);
	EQ(0u, r->got[0].chunk);
	EQ(1, r->got[0].sectors);
	EQ(0xffu, r->got[0].bytes[0]);
	EQ(1u, r->l1.evictions);
	/* A read that evicts: the write-back leaves first. */
	r->answer_after = 100;
	in = inst(KIND_LOAD, GLOBAL, 2, 4, a);
	strided(a, 2048, 0);
	took(r, &in);
	EQ(3u, r->gots);
	EQ(MSG_WRITE, r->got[1].kind);
	EQ(MSG_READ, r->got[2].kind);
	rig_free(r);
}

TEST(lsu, uncached_loads_go_around_the_l1)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

	r->answer_after = 100;
	in.flags = TIMED_UNCACHED;
	strided(a, 0, 8);
	/* A chunk a cycle, but the port takes 2.1 cycles for the first. */
	EQ(192u + 2, took(r, &in));
	EQ(2u, r->gots);
	took(r, &in);
	EQ(4u, r->gots);
	EQ(4u, r->l1.bypassed);
	EQ(0u, r->l1.reads);
	rig_free(r);
}

TEST(lsu, what_the_l1_does_not_keep_goes_around_it)
{
	static const char *const how[] = {
		"l1.on=no l1.adaptive=no",
		"l1.global=no",
		"l1.local=no",
		"l1.readonly=no",
	};
	uint64_t a[WARP_LANES];

	for (unsigned i = 0; i < 4; i++) {
		struct rig *r = rig_new(how[i]);
		struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

		if (i == 2)
			in.space = SPACE_LOCAL;
		if (i == 3)
			in.flags = TIMED_READONLY;
		r->answer_after = 100;
		strided(a, 0, 0);
		EQ(192u, took(r, &in));
		EQ(192u, took(r, &in));
		EQ(2u, r->l1.bypassed);
		in.kind = KIND_STORE;
		issue(r, &in);
		run_idle(r);
		EQ(1u, r->st.writes_sent);
		rig_free(r);
	}
}

TEST(lsu, constants_come_from_the_first_level_that_has_them)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SPACE_CONST, 1, 4, a);

	run_to(r, 9);
	strided(a, 0x40, 0);
	EQ(250u, took(r, &in));
	EQ(26u, took(r, &in));
	in.subcore = 1;
	EQ(80u, took(r, &in));
	EQ(26u, took(r, &in));
	strided(a, 0, 2); /* the line of 0x40 is there, that of 0 is not */
	EQ(250u, took(r, &in));
	EQ(26u, took(r, &in));
	strided(a, 0, 4); /* two lines, one after the other */
	EQ(27u, took(r, &in));
	EQ(0u, r->gots);
	EQ(2u, r->st.const_misses);
	EQ(1u, r->st.const_l1_hits);
	rig_free(r);
}

TEST(lsu, a_constant_line_in_flight_is_waited_for)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SPACE_CONST, 1, 4, a);

	strided(a, 0x40, 0);
	issue(r, &in);
	run_to(r, 50);
	in.tag = 2;
	issue(r, &in);
	in.tag = 3;
	in.subcore = 1;
	issue(r, &in);
	run_idle(r);
	EQ(250u, r->ready[1]);
	/* It is the other sub-core's turn; results take two cycles each. */
	EQ(252u, r->ready[3]);
	EQ(254u, r->ready[2]);
	rig_free(r);
}

TEST(lsu, equal_offsets_of_local_memory_lie_side_by_side)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SPACE_LOCAL, 1, 8, a);

	r->answer_after = 100;
	strided(a, 16, 0);
	took(r, &in);
	EQ(2u, r->gots);
	EQ((UINT64_C(1) << 46) / 128 + 4, r->got[0].chunk);
	EQ((UINT64_C(1) << 46) / 128 + 5, r->got[1].chunk);
	EQ(15, r->got[0].sectors);
	EQ(8u, r->st.local_sectors);
	in.kind = KIND_STORE;
	in.bytes = 1;
	in.mask = 0x101;
	strided(a, 18, 0);
	issue(r, &in);
	run_idle(r);
	EQ(3, r->got[2].sectors);
	EQ(4u, r->got[2].bytes[0]);
	EQ(4u, r->got[2].bytes[1]);
	rig_free(r);
}

TEST(lsu, wide_local_accesses_at_different_offsets_touch_every_word)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SPACE_LOCAL, 1, 16, a);

	r->answer_after = 100;
	strided(a, 0, 16);
	took(r, &in);
	EQ(128u, r->gots);
	EQ(128u, r->st.read_sectors_sent);
	EQ(128u, r->st.local_sectors);
	in.kind = KIND_STORE;
	issue(r, &in);
	run_idle(r);
	EQ(256u, r->gots);
	rig_free(r);
}

TEST(lsu, the_port_sends_so_many_bytes_a_cycle_and_stops_the_stage)
{
	struct rig *r = rig_new("lsu.address_interval=1");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_STORE, GLOBAL, 1, 4, a);
	uint64_t quarters = 4 * (20 + 60 - 5);

	for (unsigned i = 0; i < 20; i++) {
		in.subcore = (uint8_t)(i % 4);
		strided(a, 128 * i, 4);
		issue(r, &in);
	}
	run_idle(r);
	EQ(20u, r->gots);
	/* 136 bytes are four cycles and a quarter. */
	for (unsigned i = 0; i < 20; i++) {
		quarters += 17;
		EQ((quarters + 3) / 4, r->got[i].time);
	}
	OK(r->st.stall_port > 0);
	/* All were looked up by then, each in a cycle of its own. */
	EQ(20u * 136, r->st.bytes_out);
	rig_free(r);
}

TEST(lsu, no_message_leaves_later_than_the_horizon_says)
{
	struct rig *r = rig_new("net.sm_out=5");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_STORE, GLOBAL, 1, 4, a);
	cycle_t sent = 0;

	EQ(60u + 20 - 4, lsu_lookahead(&r->cfg));
	for (unsigned i = 0; i < 40; i++) {
		while (!lsu_can_issue(r->lsu, 0))
			step(r);
		strided(a, 128 * i, 4);
		issue(r, &in);
	}
	while (!lsu_idle(r->lsu)) {
		uint64_t before = r->st.writes_sent;

		step(r);
		if (r->st.writes_sent > before)
			sent = r->now;
	}
	run_to(r, r->now + 200);
	OK(r->got[39].time <= sent + lsu_horizon(&r->cfg));
	OK(r->got[39].time >= sent + lsu_lookahead(&r->cfg));
	rig_free(r);
}

TEST(lsu, requests_wait_for_credits_of_their_partition)
{
	struct rig *r = rig_new("net.queue=2");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

	r->credits = false;
	r->answer_after = 1;
	/* Three chunks of one partition, then one of another. */
	strided(a, 0, 0);
	a[1] = 1024, a[2] = 2048, a[3] = 256;
	in.mask = 15;
	issue(r, &in);
	run_to(r, 400);
	EQ(2u, r->gots);
	EQ(CYCLE_NEVER, lsu_next(r->lsu));
	send(r, 2, MSG_CREDIT, 1, 0, 0, 1); /* not that one */
	run_to(r, 402);
	EQ(CYCLE_NEVER, lsu_next(r->lsu));
	send(r, 1, MSG_CREDIT, 3, 0, 0, 1);
	r->credits = true;
	run_idle(r);
	EQ(4u, r->gots);
	EQ(405u - 6, r->st.stall_credit);
	EQ(405u - 4 + 20 + 60, r->got[2].time);
	EQ(1u, r->dones);
	r->shape.partitions = 0; /* the test has made up a credit */
	rig_free(r);
}

/* Reads `lines` lines twice, and returns the hits of the second time. */
static uint64_t second_round(struct rig *r, unsigned lines)
{
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

	for (unsigned round = 0; round < 2; round++) {
		memset(&r->l1, 0, sizeof(r->l1));
		for (unsigned i = 0; i < lines; i++) {
			strided(a, 128 * i, 0);
			took(r, &in);
		}
	}
	return r->l1.read_hits;
}

TEST(lsu, shared_memory_in_use_is_taken_out_of_an_adaptive_l1)
{
	struct rig *r = rig_new("l1.bytes=8K l1.ways=8 l1.hash=none");

	r->answer_after = 10;
	EQ(64u, second_round(r, 64));
	/* Two ways and a bit: five of 8 lines each are left. */
	lsu_start(r->lsu, 2049);
	EQ(40u, second_round(r, 40));
	lsu_start(r->lsu, 2049);
	EQ(0u, second_round(r, 48));
	/* One way stays whatever shared memory takes. */
	lsu_start(r->lsu, 8192);
	EQ(8u, second_round(r, 8));
	EQ(0u, second_round(r, 16));
	rig_free(r);
}

TEST(lsu, a_compare_and_swap_has_a_latency_of_its_own)
{
	struct rig *r = rig_new("l1.cas_latency=30");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_ATOMIC, GLOBAL, 1, 4, a);

	r->answer_after = 100;
	strided(a, 0, 0);
	EQ(192u, took(r, &in));
	EQ(MSG_SORT_INT, r->got[0].bytes[1]);
	in.flags = TIMED_CAS;
	EQ(192u + 30, took(r, &in));
	EQ(MSG_SORT_CAS, r->got[1].bytes[1]);
	in.flags = TIMED_FLOAT;
	EQ(192u, took(r, &in));
	EQ(MSG_SORT_FLOAT, r->got[2].bytes[1]);
	rig_free(r);
}

TEST(lsu, a_global_atomic_is_done_when_all_its_chunks_are)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

	r->answer_after = 100;
	strided(a, 0, 4);
	took(r, &in);
	in.kind = KIND_ATOMIC;
	in.tag = 2;
	in.atomic = 77;
	strided(a, 0, 8);
	EQ(192u + 2, took(r, &in));
	EQ(MSG_ATOMIC, r->got[1].kind);
	EQ(77u, r->got[1].id);
	EQ(15, r->got[1].lanes);
	EQ(4, r->got[1].bytes[2]);
	EQ(0, r->got[1].flags);
	EQ(15, r->got[2].sectors);
	EQ(1u, r->got[2].chunk);
	EQ(8u + 2 * (8 + 16 * 4), r->st.bytes_out);
	in.flags = TIMED_NO_RESULT;
	in.tag = 3;
	strided(a, 0, 0);
	EQ(192u, took(r, &in));
	EQ(MSG_NO_RESULT, r->got[3].flags);
	EQ(31, r->got[3].lanes);
	in = inst(KIND_LOAD, GLOBAL, 4, 4, a);
	EQ(192u, took(r, &in)); /* the line is no longer in the L1 */
	EQ(2u, r->st.global_atomics);
	rig_free(r);
}

TEST(lsu, an_asynchronous_copy_writes_to_shared_memory_at_the_end)
{
	struct rig *r = rig_new("");
	uint64_t a[WARP_LANES], b[WARP_LANES];
	struct lsu_inst in = inst(KIND_ASYNC, GLOBAL, 1, 4, a);

	r->answer_after = 100;
	in.shared = b;
	strided(a, 0, 4);
	strided(b, 0, 16); /* four passes */
	EQ(192u + 4, took(r, &in));
	EQ(32u + 4, took(r, &in));
	in.flags = TIMED_UNCACHED;
	EQ(192u + 4, took(r, &in));
	in.mask = 0;
	EQ(32u + 1, took(r, &in));
	rig_free(r);
}

TEST(lsu, textures_take_their_latency)
{
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_TEX, GLOBAL, 1, 4, a);

	strided(a, 0, 4);
	for (int cache = 0; cache < 2; cache++) {
		struct rig *r = rig_new(cache ? "tex.bytes=8K" : "");

		r->answer_after = 100;
		in.mask = 0;
		EQ(90u, took(r, &in));
		EQ(0u, r->gots);
		in.mask = (uint32_t)ALL;
		EQ(192u + 90 - 32, took(r, &in));
		EQ(90u, took(r, &in));
		in.kind = KIND_LOAD;
		EQ(cache ? 192u : 32u, took(r, &in));
		in.kind = KIND_TEX;
		rig_free(r);
	}
}

TEST(lsu, results_share_the_path_to_the_registers)
{
	struct rig *r = rig_new("lsu.address_interval=1");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SHARED, 1, 16, a);

	strided(a, 0, 16);
	/* Three more passes, and 384 bytes more than are free. */
	EQ(23u + 3 + 6, took(r, &in));
	in.bytes = 4;
	strided(a, 0, 4);
	cycle_t t = r->now;
	for (uint32_t i = 0; i < 4; i++) {
		in.tag = 10 + i;
		issue(r, &in);
	}
	run_idle(r);
	/* One a cycle is looked up, one in two cycles comes back. */
	for (uint32_t i = 0; i < 4; i++)
		EQ(t + 23 + 2 * i, r->ready[10 + i]);
	rig_free(r);
}

TEST(lsu, a_short_latency_does_not_wait_for_a_long_one)
{
	struct rig *r = rig_new("lsu.address_interval=1");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_TEX, GLOBAL, 1, 4, a);

	in.mask = 0;
	in.bytes = 16;
	issue(r, &in);
	in = inst(KIND_LOAD, SHARED, 2, 4, a);
	strided(a, 0, 4);
	issue(r, &in);
	run_idle(r);
	EQ(24u, r->ready[2]);
	rig_free(r);
}

TEST(lsu, answers_pass_the_port_one_after_the_other)
{
	struct rig *r = rig_new("lsu.address_interval=1");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 0, 4, a);

	for (uint32_t i = 0; i < 4; i++) {
		strided(a, 128 * i, 4);
		in.tag = i + 1;
		issue(r, &in);
	}
	run_to(r, 200);
	EQ(4u, r->gots);
	for (unsigned i = 0; i < 4; i++)
		send(r, 1, MSG_DATA, 50, r->got[i].chunk, 15, r->got[i].id);
	run_idle(r);
	/* 136 bytes at 64 a cycle: 0, 2 1/8, 4 2/8, 6 3/8 cycles later. */
	EQ(262u, r->ready[1]);
	EQ(264u, r->ready[2]);
	EQ(266u, r->ready[3]);
	EQ(268u, r->ready[4]);
	rig_free(r);
}

TEST(lsu, old_gpus_coalesce_half_warps_into_larger_segments)
{
	struct rig *r = rig_new("l1.on=no l1.adaptive=no "
				"lsu.coalesce_lanes=16 lsu.coalesce=64");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

	r->answer_after = 100;
	strided(a, 0, 0);
	took(r, &in);
	EQ(2u, r->gots); /* one for each half */
	EQ(3, r->got[0].sectors);
	strided(a, 32, 0);
	took(r, &in);
	EQ(3, r->got[2].sectors);
	rig_free(r);
}

TEST(lsu, lines_of_any_size_work)
{
	static const char *const how[] = {
		"l1.line=32 l1.sector=32 l1.bytes=32K",
		"l1.line=64 l1.sector=32 l1.bytes=64K",
		"l1.line=256 l1.sector=32",
		"l1.line=256 l1.sector=256",
		"l1.line=128 l1.sector=128",
		"l1.line=1K l1.sector=512 l1.bytes=1M",
	};
	static const unsigned sectors[] = { 4, 4, 4, 8, 4, 16 };
	static const unsigned lookups[] = { 4, 2, 1, 1, 1, 1 };

	for (unsigned i = 0; i < 6; i++) {
		struct rig *r = rig_new(how[i]);
		uint64_t a[WARP_LANES];
		struct lsu_inst in = inst(KIND_LOAD, GLOBAL, 1, 4, a);

		r->answer_after = 100;
		strided(a, 0x100080, 4);
		took(r, &in);
		EQ(sectors[i], r->st.read_sectors_sent);
		EQ(lookups[i], r->l1.reads);
		EQ(31u + lookups[i], took(r, &in));
		in.kind = KIND_STORE;
		issue(r, &in);
		run_idle(r);
		EQ(lookups[i], r->l1.write_hits);
		EQ(4u, r->st.write_sectors_sent);
		for (unsigned k = 0; k < lookups[i]; k++)
			EQ(0x100080u / 128, r->got[r->gots - 1 - k].chunk);
		rig_free(r);
	}
}

TEST(lsu, with_fixed_latencies_nothing_waits)
{
	struct rig *r = rig_new("mem.kind=latency mem.fifo=8");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SHARED, 1, 4, a);

	EQ(80u, lsu_lookahead(&r->cfg));
	r->answer_after = 220 - 20 - 60 - 12;
	strided(a, 0, 128);
	EQ(23u, took(r, &in));
	in = inst(KIND_LOAD, GLOBAL, 1, 16, a);
	in.mask = 3;
	cycle_t t = r->now;
	EQ(220u, took(r, &in));
	EQ(2u, r->gots);
	EQ(t + 80, r->got[1].time);
	EQ(32u, took(r, &in));
	strided(a, 1 << 20, 128);
	in.mask = 0xff;
	in.tag = 9;
	issue(r, &in);
	OK(!lsu_can_issue(r->lsu, 0));
	run_idle(r);
	OK(lsu_can_issue(r->lsu, 0));
	in = inst(KIND_ATOMIC, GLOBAL, 2, 4, a);
	EQ(220u, took(r, &in));
	in.kind = KIND_STORE;
	issue(r, &in);
	run_idle(r);
	EQ(32u, r->st.writes_sent);
	rig_free(r);
}

TEST(lsu, stores_touch_no_more_lines_than_the_bound)
{
	struct rig *r = rig_new("net.sm_out=4096 net.queue=4096 l1.lookups=4 "
				"sm.issue_width=4");
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_STORE, GLOBAL, 1, 4, a);
	uint64_t lines = 0;

	strided(a, 0, 128);
	for (cycle_t c = 1; c < 200; c++) {
		step(r);
		for (uint8_t s = 0; s < 4; s++) {
			in.subcore = s;
			for (int i = 0; i < 4 && lsu_can_issue(r->lsu, s);
			     i++) {
				issue(r, &in);
				lines += 32;
			}
		}
		OK(lines <= lsu_store_bound(&r->cfg, c));
	}
	run_idle(r);
	EQ(lines, r->st.writes_sent);
	rig_free(r);
}

static uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)((*state >> 32) * n >> 32);
}

static struct lsu_inst random_inst(uint64_t *seed, uint32_t tag,
				   uint64_t a[WARP_LANES],
				   const uint64_t b[WARP_LANES])
{
	static const uint8_t kinds[] = { KIND_LOAD,   KIND_LOAD,  KIND_STORE,
					 KIND_ATOMIC, KIND_ASYNC, KIND_TEX };
	static const uint8_t spaces[] = { GLOBAL, GLOBAL, SHARED, SPACE_LOCAL,
					  SPACE_CONST };
	uint32_t kind = kinds[random_below(seed, 6)];
	uint32_t space = spaces[random_below(seed, 5)];
	uint32_t bytes = 1u << random_below(seed, 5), how;
	struct lsu_inst in;

	if (kind == KIND_ASYNC || kind == KIND_TEX ||
	    (kind == KIND_ATOMIC && space != SHARED))
		space = GLOBAL;
	if (kind == KIND_STORE && space == SPACE_CONST)
		space = GLOBAL;
	how = random_below(seed, 3);
	for (int l = 0; l < WARP_LANES; l++)
		a[l] = how == 2 ? random_below(seed, 1 << 14) * bytes :
				  4096 + (uint32_t)l * how * bytes;
	in = inst(kind, space, tag, bytes, a);
	in.flags = (uint8_t)(random_below(seed, 4) ? 0 : TIMED_UNCACHED);
	in.subcore = (uint8_t)random_below(seed, 4);
	in.shared = b;
	if (random_below(seed, 3) == 0)
		in.mask = random_below(seed, UINT32_MAX);
	return in;
}

static void check_random(const char *how, uint64_t seed)
{
	struct rig *r = rig_new(how);
	uint64_t a[WARP_LANES], b[WARP_LANES];
	uint32_t tag = 0, want = 0, atomics = 0;
	uint32_t limit = lsu_atomics(&r->cfg);

	r->answer_after = 50;
	strided(b, 0, 4);
	while (tag < 3000) {
		struct lsu_inst in = random_inst(&seed, tag + 1, a, b);

		step(r);
		if (!lsu_can_issue(r->lsu, in.subcore))
			continue;
		/* Numbers of atomics are not reused while they are in
		 * flight. */
		if (in.kind == KIND_ATOMIC && in.space == GLOBAL) {
			if (atomics == limit || !in.mask) {
				run_idle(r);
				atomics = 0;
			}
			in.atomic = atomics++;
		}
		issue(r, &in);
		tag++;
		want += in.kind != KIND_STORE;
		if (tag % 100 == 0)
			STREQ(NULL, lsu_broken_law(r->lsu));
	}
	run_idle(r);
	EQ(want, r->dones);
	EQ(r->st.reads_sent, r->st.answers);
	EQ(r->st.atomics_sent, r->st.atomic_answers);
	EQ(r->l1.reads,
	   r->l1.read_hits + r->l1.read_pending + r->l1.read_misses);
	EQ(r->gots, r->st.reads_sent + r->st.writes_sent + r->st.atomics_sent);
	EQ(0u, wire_waiting(r->wires, SM));
	rig_free(r);
}

TEST(lsu, every_instruction_of_random_traffic_is_done_once)
{
	static const char *const how[] = {
		"",
		"l1.mshrs=2 l1.merges=1 lsu.pending=4 net.queue=1",
		"l1.bytes=4K l1.ways=4 l1.adaptive=no l1.write=back "
		"l1.write_miss=validate",
		"l1.bytes=4K l1.ways=2 l1.adaptive=no l1.write=back "
		"l1.write_miss=fetch l1.mshrs=3",
		"l1.bytes=8K l1.ways=2 l1.line=256 l1.sector=256 "
		"l1.adaptive=no l1.write=back l1.write_miss=fetch",
		"l1.on=no l1.adaptive=no tex.bytes=4K tex.line=64 tex.ways=4",
		"l1.line=64 l1.sector=64 l1.bytes=4K l1.ways=8 l1.adaptive=no "
		"lsu.coalesce=64 lsu.coalesce_lanes=8 l1.write_miss=fetch",
		"mem.kind=latency mem.fifo=64",
		"mem.kind=latency l1.bytes=1K l1.ways=1 l1.adaptive=no "
		"l1.write=back l1.write_miss=fetch",
		"net.sm_out=3 net.sm_in=3 lsu.return_width=4 l1.lookups=4",
	};

	for (unsigned i = 0; i < sizeof(how) / sizeof(*how); i++)
		check_random(how[i], 88172645463325252u + i);
}

/*
 * A load that is all there is to do goes past its queue
 */

enum { LONE_LOADS = 1500, LONE_MESSAGES = 8 * LONE_LOADS };

struct lone_log {
	cycle_t ready[LONE_LOADS + 1];
	struct stat_lsu st;
	struct stat_l1 l1;
	uint32_t gots;
	struct msg got[LONE_MESSAGES];
};

/* Loads, some of which are alone. disturbed: none is for long, since something
 * comes after each of them, which means nothing. */
static void play_loads(struct lone_log *log, const char *how, bool disturbed)
{
	struct rig *r = rig_new(how);
	uint64_t seed = 88172645463325252u, a[WARP_LANES];

	r->answer_after = 50;
	for (uint32_t tag = 1; tag <= LONE_LOADS;) {
		enum space space = random_below(&seed, 8) ? GLOBAL : SHARED;
		struct lsu_inst in = inst(KIND_LOAD, space, tag, 8, a);

		in.subcore = (uint8_t)random_below(&seed, 4);
		strided(a, random_below(&seed, 1 << 11) * 16,
			random_below(&seed, 4) ? 0 : 8);
		run_to(r, r->now + 1 + random_below(&seed, tag % 8 ? 200 : 4));
		if (!lsu_can_issue(r->lsu, in.subcore))
			continue;
		issue(r, &in);
		if (disturbed)
			send(r, 1, MSG_CREDIT, 1, 0, 0, 0);
		tag++;
	}
	run_idle(r);
	memcpy(log->ready, r->ready, sizeof(log->ready));
	log->st = r->st;
	log->l1 = r->l1;
	log->gots = r->gots;
	OK(r->gots <= LONE_MESSAGES);
	memcpy(log->got, r->got, r->gots * sizeof(*r->got));
	rig_free(r);
}

static void compare_loads(const struct lone_log *a, const struct lone_log *b)
{
	for (uint32_t i = 1; i <= LONE_LOADS; i++)
		EQ(a->ready[i], b->ready[i]);
	EQ(0, memcmp(&a->st, &b->st, sizeof(a->st)));
	EQ(0, memcmp(&a->l1, &b->l1, sizeof(a->l1)));
	EQ(a->gots, b->gots);
	for (uint32_t i = 0; i < a->gots; i++) {
		EQ(a->got[i].time, b->got[i].time);
		EQ(a->got[i].chunk, b->got[i].chunk);
		EQ(a->got[i].sectors, b->got[i].sectors);
	}
}

TEST(lsu, a_load_that_is_alone_takes_as_long_as_in_a_queue)
{
	static const char *const how[] = {
		"",
		"l1.mshrs=1 l1.merges=1",
		"net.queue=1",
		"net.sm_out=1 net.sm_in=3",
		"lsu.pending=1",
		"l1.line=64 l1.sector=64 l1.bytes=4K l1.ways=8 l1.adaptive=no",
		"lsu.address_interval=40 lsu.accept_interval=9",
	};
	static struct lone_log alone, queued;

	for (unsigned i = 0; i < sizeof(how) / sizeof(*how); i++) {
		play_loads(&alone, how[i], false);
		play_loads(&queued, how[i], true);
		OK(alone.l1.read_hits > 0 && alone.l1.read_misses > 0);
		compare_loads(&alone, &queued);
	}
}

/*
 * Constants and code that are requested from the memory
 */

TEST(lsu, constants_that_no_cache_has_are_requested)
{
	struct rig *r = rig_make("ccache.l0_cycles=10 ccache.l1_cycles=30 "
				 "l1.miss_latency=5 net.request_latency=20 "
				 "l1.fill_latency=3 lat.mem.cycles=5",
				 true);
	uint64_t a[WARP_LANES];
	struct lsu_inst in = inst(KIND_LOAD, SPACE_CONST, 1, 4, a);

	run_to(r, 10);
	r->answer_after = 40;
	strided(a, 0x1000000010, 0);
	EQ(5u + 20 + 40 + 3, took(r, &in));
	EQ(1u, r->gots);
	OK(lsu_is_scalar(&r->got[0]));
	EQ(UINT64_C(0x1000000000) / CHUNK_BYTES, r->got[0].chunk);
	EQ(3u, r->got[0].sectors);
	/* It is in both caches now. */
	EQ(10u, took(r, &in));
	in.subcore = 1;
	EQ(30u, took(r, &in));
	EQ(1u, r->gots);
	/* Two lines, two requests; a parameter comes with the launch. */
	strided(a, 0x1000000100, 4);
	took(r, &in);
	EQ(3u, r->gots);
	in.flags = TIMED_PARAMETER;
	strided(a, 0x1000000400, 0);
	EQ(30u, took(r, &in));
	EQ(3u, r->gots);
	run_idle(r);
	rig_free(r);
}

TEST(lsu, an_operand_and_code_are_requested_and_told_of)
{
	struct rig *r = rig_make("net.queue=1", true);

	run_to(r, 10);
	r->answer_after = 40;
	EQ(CYCLE_NEVER, lsu_constant(r->lsu, 2, 0x200044, false, r->now));
	lsu_ask_code(r->lsu, r->now, UINT64_C(1) << 56, 128);
	OK(!lsu_idle(r->lsu));
	while (!r->came)
		step(r);
	EQ(1u, r->gots); /* the other one has waited for the credit */
	OK(r->came_operand);
	EQ(2u, r->came_subcore);
	OK(lsu_same_constants(r->lsu, 0x200044, r->came_at));
	OK(lsu_constant(r->lsu, 2, 0x200050, false, r->now) <= r->now);
	while (r->came_operand)
		step(r);
	EQ(UINT64_C(1) << 56, r->came_at);
	EQ(15u, r->got[1].sectors);
	OK(lsu_is_scalar(&r->got[1]));
	run_idle(r);
	rig_free(r);
}
