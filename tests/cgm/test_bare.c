/* A system without values has the same times as one with them. */
#include <string.h>

#include "cgm/random.h"
#include "test.h"

enum { SIDES = 24, ACCESSES = 400, DEPTH = 6, BLOCKS = 12 };

/* A port whose accesses depend on times, not on values. */
struct bare_side {
	uint64_t random, seen; /* seen: of all answers and their times */
	unsigned left, in_flight;
	bool reads;    /* it does nothing else */
	uint64_t base; /* of its blocks */
	uint8_t value[CGM_BLOCK];
};

struct bare_result {
	cycle_t ticks;
	uint64_t seen[SIDES], messages[CGM_MESSAGES];
	struct cgm_stats stats;
};

static uint64_t draw_of(struct bare_side *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random >> 20;
}

static cycle_t ask(void *ctx, cycle_t now, struct cgm_request *r)
{
	static const enum cgm_op ops[] = { CGM_OP_LOAD,  CGM_OP_LOAD,
					   CGM_OP_LOAD,  CGM_OP_STORE,
					   CGM_OP_STORE, CGM_OP_ADD,
					   CGM_OP_CAS,   CGM_OP_FLUSH };
	struct bare_side *s = ctx;
	uint64_t at = draw_of(s) % BLOCKS * CGM_BLOCK + draw_of(s) % 8 * 8;

	if (!s->left || s->in_flight == DEPTH)
		return CYCLE_NEVER;
	/* Some pauses, in which what is on its way arrives. */
	if (draw_of(s) % 16 == 0)
		return now + 1 + draw_of(s) % 300;
	memcpy(s->value, &now, sizeof(now));
	*r = (struct cgm_request){ .tag = s->left--,
				   .op = s->reads ? CGM_OP_LOAD :
						    ops[draw_of(s) % 8],
				   .address = s->base + at,
				   .size = 8,
				   .value = s->value,
				   .compare = draw_of(s) % 2 };
	if (!s->reads && draw_of(s) % 64 == 0)
		r->op = CGM_OP_FENCE;
	s->in_flight++;
	return now;
}

static void take(void *ctx, cycle_t now, const struct cgm_answer *a)
{
	struct bare_side *s = ctx;

	s->in_flight--;
	s->seen = (s->seen ^ now ^ a->tag << 40) * UINT64_C(0x9e3779b97f4a7c15);
}

static void add_side(struct bare_side *s, unsigned n, struct cgm_system *c,
		     enum cgm_port_kind kind, unsigned index)
{
	struct cgm_source *source = cgm_system_source(c, kind, index);
	bool gpu = kind == CGM_PORT_VECTOR || kind == CGM_PORT_SCALAR;

	*s = (struct bare_side){
		.random = (n + 1) * UINT64_C(0x9e3779b97f4a7c15),
		.left = ACCESSES,
		.reads = kind == CGM_PORT_FETCH || kind == CGM_PORT_SCALAR,
		/* What is coherent shares no block with what is not. */
		.base = gpu ? 0x200000 : 0x100000,
	};
	source->driver = (struct cgm_driver){ ask, take, s };
	cgm_system_wake(c, source);
}

static void run_bare(const struct random_test *t, bool bare,
		     struct bare_result *out)
{
	static const enum cgm_port_kind kinds[] = {
		CGM_PORT_FETCH, CGM_PORT_DATA, CGM_PORT_VECTOR, CGM_PORT_SCALAR
	};
	struct cgm_options options = t->options;
	struct bare_side side[SIDES];
	struct cgm_system *c;
	struct diag d;

	memset(out, 0, sizeof(*out));
	options.bare = bare;
	OK(!cgm_system_new(&c, &t->cfg, &options, &d));
	for (unsigned i = 0; i < SIDES; i++)
		add_side(&side[i], i, c, kinds[i % 4], i / 4);
	OK(!cgm_system_run(c, CYCLE_NEVER, &d));
	OK(cgm_system_is_idle(c));
	for (unsigned i = 0; i < SIDES; i++) {
		EQ(0, side[i].left + side[i].in_flight);
		out->seen[i] = side[i].seen;
	}
	out->ticks = cgm_system_now(c);
	cgm_system_messages(c, out->messages);
	cgm_system_stats(c, &out->stats);
	cgm_system_free(c);
}

TEST(bare, values_change_no_time)
{
	struct bare_result with, without;
	struct random_test t;

	/* Both protocols on both sides; the GPU at the memory, too. */
	for (unsigned i = 0; i < 6; i++) {
		random_tiny(&t, 0);
		t.cfg.cgm.cores = t.cfg.cgm.cus = SIDES / 4;
		if (i % 2)
			t.cfg.cgm.cpu_protocol = CFG_CGM_PROTOCOL_NONE;
		if (i / 2)
			t.cfg.cgm.gpu_protocol = CFG_CGM_PROTOCOL_NONE;
		if (i / 2 == 2)
			t.cfg.cgm.gpu_at = CFG_CGM_GPU_AT_MEMORY;
		t.options.jitter = i;
		run_bare(&t, false, &with);
		run_bare(&t, true, &without);
		OK(with.stats.memory.reads > 0 && with.stats.l1d.hits > 0);
		OK(!memcmp(&with, &without, sizeof(with)));
	}
}
