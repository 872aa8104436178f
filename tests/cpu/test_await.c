/*
 * Loads of what another core has yet to write, to the cycle: two cores, each with a
 * cache of its own that answers after so many cycles.
 */
#include "rig.h"
#include "test.h"

enum { A = UREG_INT, B, LATENCY = 50 };

struct pair {
	struct rig writer, reader;
	struct cpu_core *core[2];
	uint64_t order;
};

/* The writer stores 8 bytes at 0x1000; its cache takes LATENCY cycles. */
static void pair_init(struct pair *p)
{
	rig_init(&p->writer);
	rig_init(&p->reader);
	rig_store(&p->writer, 0, A, 0x1000, 8);
	p->writer.data.latency = LATENCY;
}

/* Both fetch in cycle 0, the writer first. */
static void pair_run(struct pair *p)
{
	rig_start(&p->writer);
	rig_start(&p->reader);
	p->core[0] = p->writer.core;
	p->core[1] = p->reader.core;
	cpu_core_meet(p->core[0], p->core, 2, &p->order);
	cpu_core_meet(p->core[1], p->core, 2, &p->order);
	rig_thread(&p->writer, 0, 0);
	rig_thread(&p->reader, 0, 0);
	while (!p->writer.stopped || !p->reader.stopped) {
		OK(p->writer.now < 1000);
		rig_step(&p->writer);
		rig_step(&p->reader);
	}
	rig_free(&p->writer);
	rig_free(&p->reader);
}

/* The store commits in 12 and is sent then. In 62 its answer is there; the reader,
 * whose turn comes later in the cycle, lets the load go: 10 cycles to rename, one to
 * issue, one to the port, 4 of the cache. */
TEST(await, a_load_waits_until_the_store_is_performed)
{
	struct pair p = { 0 };

	pair_init(&p);
	rig_load(&p.reader, 0, A, 0, 0x1004, 4);
	rig_load(&p.reader, 1, B, 0, 0x2000, 8);
	pair_run(&p);
	EQ(12, p.writer.program[0].first);
	EQ(12 + LATENCY + 12 + 4, p.reader.program[0].first);
	/* The port takes a request a cycle. */
	EQ(12 + LATENCY + 12 + 5, p.reader.program[1].first);
}

TEST(await, bytes_beside_it_are_not_waited_for)
{
	struct pair p = { 0 };

	pair_init(&p);
	rig_load(&p.reader, 0, A, 0, 0x1008, 8);
	pair_run(&p);
	EQ(12 + 4, p.reader.program[0].first);
}

TEST(await, what_the_core_itself_writes_is_forwarded)
{
	struct pair p = { 0 };

	pair_init(&p);
	rig_load(&p.writer, 1, A, 0, 0x1000, 8);
	rig_load(&p.reader, 0, A, 0, 0x3000, 8);
	pair_run(&p);
	OK(p.writer.program[1].first < 20);
}

/* The reader's front end comes to the load when the store has long been performed. */
TEST(await, a_store_that_is_performed_is_not_waited_for)
{
	struct pair p = { 0 };

	pair_init(&p);
	p.writer.data.latency = 4;
	rig_compute(&p.reader, 0, UOP_UNIT_DIV, UOP_LAT_DIV, A, 0, 0);
	p.reader.program[0].inst.order = GUEST_PAUSE;
	p.reader.cfg.cpu.pause = 100;
	rig_load(&p.reader, 1, A, 0, 0x1000, 8);
	pair_run(&p);
	EQ(100 + 12 + 4, p.reader.program[1].first);
}
