/*
 * Fences of kernels, from the GPU's requests to what memory and caches have: with caches
 * that are not coherent others find what was written before a fence, and a unit
 * finds behind it what others have written.
 */
#include <string.h>

#include "apu/bridge.h"
#include "test.h"

enum {
	UNITS = 8,
	BANK = 4, /* units of a bank */
	OLD = 0x11,
	NEW = 0, /* what a bridge's store writes */
	OTHERS = 0x77
};
static const uint64_t data = 0x40, flag = 0x82; /* chunks */

struct bridge_rig {
	struct arena a;
	struct cgm_system *s;
	struct bridge b;
	/* What the unit that the test looks at has loaded, block by block. */
	struct cgm_driver unit;
	uint8_t seen[16];
	unsigned loads;
	/* What a core asks, and what it has found. */
	struct cgm_request ask;
	bool asked;
	uint8_t found;
	uint64_t left; /* of the unit's requests */
};

static bool no_scalars(const struct msg *m)
{
	(void)m;
	return false;
}

static void watch(void *ctx, cycle_t now, const struct cgm_answer *a)
{
	struct bridge_rig *r = ctx;

	if (a->op == CGM_OP_LOAD)
		r->seen[r->loads++ % 16] = a->value[0];
	r->unit.answer(r->unit.ctx, now, a);
}

static cycle_t unit_asks(void *ctx, cycle_t now, struct cgm_request *q)
{
	struct bridge_rig *r = ctx;

	return r->unit.next(r->unit.ctx, now, q);
}

static cycle_t core_asks(void *ctx, cycle_t now, struct cgm_request *q)
{
	struct bridge_rig *r = ctx;

	if (r->asked)
		return CYCLE_NEVER;
	r->asked = true;
	*q = r->ask;
	return now;
}

static void core_hears(void *ctx, cycle_t now, const struct cgm_answer *a)
{
	struct bridge_rig *r = ctx;

	(void)now;
	r->found = a->value[0];
}

static void settle(struct bridge_rig *r)
{
	struct mem_outside_event e;
	struct diag d;

	OK(!cgm_system_run(r->s, CYCLE_NEVER, &d));
	while (r->b.outside.next(r->b.outside.ctx, &e))
		r->left -= e.kind != MEM_OUTSIDE_CREDIT;
}

static uint8_t core(struct bridge_rig *r, enum cgm_op op, uint64_t chunk,
		    uint8_t byte)
{
	static uint8_t value[8];

	memset(value, byte, sizeof(value));
	r->ask = (struct cgm_request){ .op = op,
				       .address = chunk * CHUNK_BYTES,
				       .size = 8,
				       .value = value };
	r->asked = false;
	cgm_system_wake(r->s, cgm_system_source(r->s, CGM_PORT_DATA, 0));
	settle(r);
	return r->found;
}

/* What is in memory, as a core finds it. */
static uint8_t in_memory(struct bridge_rig *r, uint64_t chunk)
{
	core(r, CGM_OP_FLUSH, chunk, 0);
	return core(r, CGM_OP_LOAD, chunk, 0);
}

static void rig_open(struct bridge_rig *r, enum cfg_cgm_protocol protocol)
{
	struct cgm_source *unit;
	struct cfg cfg;
	struct diag d;

	memset(r, 0, sizeof(*r));
	cfg_defaults(&cfg);
	cfg.cgm.cores = 1;
	cfg.cgm.cus = UNITS;
	cfg.cgm.bank_cus = BANK;
	cfg.cgm.gpu_protocol = protocol;
	OK(!cgm_system_new(&r->s, &cfg, &(struct cgm_options){ 0 }, &d));
	OK(!bridge_init(&r->b, &r->a, r->s, UNITS,
			protocol == CFG_CGM_PROTOCOL_MESI, no_scalars, &d));
	r->b.period = 1;
	unit = cgm_system_source(r->s, CGM_PORT_VECTOR, 0);
	r->unit = unit->driver;
	unit->driver = (struct cgm_driver){ unit_asks, watch, r };
	cgm_system_source(r->s, CGM_PORT_DATA, 0)->driver =
		(struct cgm_driver){ core_asks, core_hears, r };
	core(r, CGM_OP_STORE, data, OLD);
	core(r, CGM_OP_FLUSH, data, 0);
	core(r, CGM_OP_STORE, flag, OLD);
	core(r, CGM_OP_FLUSH, flag, 0);
}

static void rig_close(struct bridge_rig *r)
{
	EQ(0, r->left);
	OK(bridge_is_idle(&r->b));
	cgm_system_free(r->s);
	arena_free(&r->a);
}

/* A request of unit 0. */
static void unit(struct bridge_rig *r, enum msg_kind kind, uint64_t chunk)
{
	const struct msg m = { .kind = (uint8_t)kind,
			       .chunk = chunk,
			       .sectors = 3,
			       .bytes = { UINT32_MAX, UINT32_MAX } };

	r->left++;
	r->b.offset = cgm_system_now(r->s);
	r->b.outside.request(r->b.outside.ctx, &m);
}

TEST(bridge, others_find_what_a_unit_has_written_before_a_fence)
{
	struct bridge_rig r;

	for (int fence = 0; fence < 2; fence++) {
		rig_open(&r, CFG_CGM_PROTOCOL_NONE);
		OK(r.b.outside.fences);
		unit(&r, MSG_WRITE, data);
		if (fence)
			unit(&r, MSG_FENCE, 0);
		unit(&r, MSG_WRITE, flag);
		settle(&r);
		EQ(fence ? NEW : OLD, in_memory(&r, data));
		/* Nothing comes after it. */
		EQ(OLD, in_memory(&r, flag));
		EQ(fence, bridge_fences(&r.b));
		rig_close(&r);
	}
}

TEST(bridge, a_unit_finds_what_others_have_written_behind_a_fence)
{
	struct bridge_rig r;

	for (int fence = 0; fence < 2; fence++) {
		rig_open(&r, CFG_CGM_PROTOCOL_NONE);
		unit(&r, MSG_READ, data);
		settle(&r);
		core(&r, CGM_OP_STORE, data, OTHERS);
		core(&r, CGM_OP_FLUSH, data, 0);
		if (fence)
			unit(&r, MSG_FENCE, 0);
		unit(&r, MSG_READ, data);
		unit(&r, MSG_READ, data);
		settle(&r);
		EQ(3, r.loads);
		EQ(OLD, r.seen[0]);
		EQ(fence ? OTHERS : OLD, r.seen[1]);
		EQ(fence ? OTHERS : OLD, r.seen[2]);
		rig_close(&r);
	}
}

TEST(bridge, what_follows_a_fence_waits_for_it)
{
	struct bridge_rig r;
	cycle_t alone, behind, begin;

	rig_open(&r, CFG_CGM_PROTOCOL_NONE);
	unit(&r, MSG_READ, data);
	settle(&r);
	begin = cgm_system_now(r.s);
	unit(&r, MSG_READ, data); /* a hit */
	settle(&r);
	alone = cgm_system_now(r.s) - begin;
	begin = cgm_system_now(r.s);
	unit(&r, MSG_FENCE, 0);
	settle(&r);
	behind = cgm_system_now(r.s) - begin;
	unit(&r, MSG_READ, data);
	settle(&r);
	begin = cgm_system_now(r.s);
	unit(&r, MSG_FENCE, 0);
	unit(&r, MSG_READ, data);
	settle(&r);
	OK(cgm_system_now(r.s) - begin > alone + behind);
	EQ(4, r.loads);
	rig_close(&r);
}

TEST(bridge, coherent_caches_need_no_fences)
{
	struct bridge_rig r;

	rig_open(&r, CFG_CGM_PROTOCOL_MESI);
	OK(!r.b.outside.fences);
	unit(&r, MSG_READ, data);
	settle(&r);
	core(&r, CGM_OP_STORE, data, OTHERS);
	unit(&r, MSG_READ, data);
	settle(&r);
	EQ(OTHERS, r.seen[1]);
	unit(&r, MSG_WRITE, data);
	settle(&r);
	EQ(NEW, core(&r, CGM_OP_LOAD, data, 0));
	rig_close(&r);
}
