/*
 * Litmus tests: small programs whose results show the memory model that
 * docs/cgm.md states. A requester whose accesses wait for each other is
 * sequentially consistent with all others, in coherent caches. Each program
 * runs with many timings, from caches that have every variable.
 */
#include <stdio.h>
#include <string.h>

#include "cgm/random.h"
#include "test.h"

enum { THREADS = 4, STEPS = 6, VARS = 2, REGS = 4, RUNS = 150 };

/* "W0=1 R1:2 F": write 1 to variable 0, read variable 1 to register 2, fence;
 * D0: flush variable 0. */
struct litmus {
	const char *thread[THREADS];
	const char *forbidden; /* registers; . is any */
	const char *seen;      /* a result that some timing gives, or NULL */
};

struct player {
	const char *at;
	struct cgm_source *source;
	unsigned *reg;
	cycle_t start;
	unsigned warm; /* variables read so far */
	bool busy;
	unsigned to; /* register of the read in flight */
	uint64_t value;
};

static uint64_t variable(unsigned i)
{
	return 0x10000 + i * 0x1040;
}

static cycle_t player_next(void *ctx, cycle_t now, struct cgm_request *r)
{
	struct player *p = ctx;

	if (p->busy)
		return CYCLE_NEVER;
	*r = (struct cgm_request){ .size = 8,
				   .value = (const uint8_t *)&p->value };
	p->to = REGS;
	if (p->warm < VARS) {
		r->op = CGM_OP_LOAD;
		r->address = variable(p->warm++);
	} else if (!*p->at) {
		return CYCLE_NEVER;
	} else if (now < p->start) {
		return p->start;
	} else {
		r->address = variable((unsigned)(p->at[1] - '0'));
		r->op = *p->at == 'W' ? CGM_OP_STORE :
			*p->at == 'R' ? CGM_OP_LOAD :
			*p->at == 'D' ? CGM_OP_FLUSH :
					CGM_OP_FENCE;
		if (*p->at == 'W')
			p->value = (uint64_t)(p->at[3] - '0');
		if (*p->at == 'R')
			p->to = (unsigned)(p->at[3] - '0');
		p->at += strcspn(p->at, " ");
		p->at += strspn(p->at, " ");
	}
	p->busy = true;
	return now;
}

static void player_answer(void *ctx, cycle_t now, const struct cgm_answer *a)
{
	struct player *p = ctx;

	(void)now;
	p->busy = false;
	if (p->to < REGS)
		p->reg[p->to] = a->value[0];
}

/* Runs a program once; threads from `gpu` on are compute units, of different
 * banks. */
static void litmus_once(const struct litmus *l, struct random_test *t,
			unsigned gpu, unsigned run, char result[REGS + 1])
{
	struct player p[THREADS];
	unsigned reg[REGS] = { 0 };
	struct cgm_system *s;
	struct diag d;

	t->options.jitter = run % 3 * 20;
	t->options.seed = run + 1;
	OK(!cgm_system_new(&s, &t->cfg, &t->options, &d));
	for (unsigned i = 0; i < THREADS; i++) {
		bool unit = i >= gpu;

		p[i] = (struct player){
			.at = l->thread[i] ? l->thread[i] : "",
			.reg = reg,
			.start = 4000 + (run * 37 + i * 53 * (run % 7)) % 320
		};
		p[i].source = cgm_system_source(
			s, unit ? CGM_PORT_VECTOR : CGM_PORT_DATA,
			unit ? 4 * (i - gpu) : i);
		if (!l->thread[i])
			continue;
		p[i].source->driver = (struct cgm_driver){ player_next,
							   player_answer,
							   &p[i] };
		cgm_system_wake(s, p[i].source);
	}
	OK(!cgm_system_run(s, CYCLE_NEVER, &d));
	OK(cgm_system_is_idle(s));
	cgm_system_free(s);
	for (unsigned i = 0; i < REGS; i++)
		result[i] = (char)('0' + reg[i]);
	result[REGS] = 0;
}

static bool matches(const char *result, const char *pattern)
{
	for (unsigned i = 0; pattern[i]; i++)
		if (pattern[i] != '.' && pattern[i] != result[i])
			return false;
	return true;
}

static void litmus_with(const struct litmus *l, struct random_test *t,
			unsigned gpu)
{
	bool seen = !l->seen;

	t->cfg.cgm.cores = 4;
	t->cfg.cgm.cus = 16;
	for (unsigned run = 0; run < RUNS; run++) {
		char result[REGS + 1];

		litmus_once(l, t, gpu, run, result);
		if (l->forbidden && matches(result, l->forbidden)) {
			printf("forbidden: %s\n", result);
			OK(false);
		}
		seen = seen || matches(result, l->seen);
	}
	OK(seen);
}

/* Between cores, between compute units, and between both. */
static void litmus(const struct litmus *l)
{
	static const unsigned gpus[] = { 4, 0, 1, 2 };

	for (unsigned i = 0; i < 4; i++) {
		struct random_test t;

		random_tiny(&t, 0);
		random_roomy(&t);
		litmus_with(l, &t, gpus[i]);
	}
}

TEST(litmus, store_buffering_sees_at_least_one_store)
{
	litmus(&(struct litmus){ { "W0=1 R1:0", "W1=1 R0:1" }, "00", NULL });
}

TEST(litmus, message_passing_sees_the_data_after_the_flag)
{
	litmus(&(struct litmus){ { "W0=1 W1=1", "R1:0 R0:1" }, "10", NULL });
}

TEST(litmus, load_buffering_sees_no_store_from_the_future)
{
	litmus(&(struct litmus){ { "R0:0 W1=1", "R1:1 W0=1" }, "11", NULL });
}

TEST(litmus, independent_readers_agree_on_the_order_of_writes)
{
	litmus(&(struct litmus){
		{ "W0=1", "W1=1", "R0:0 R1:1", "R1:2 R0:3" }, "1010", NULL });
}

TEST(litmus, reads_of_one_word_never_go_back)
{
	litmus(&(struct litmus){
		{ "W0=1", "R0:0 R0:1", "R0:2 R0:3" }, "10", NULL });
	litmus(&(struct litmus){
		{ "W0=1", "W0=2", "R0:0 R0:1", "R0:2 R0:3" }, "1221", NULL });
}

TEST(litmus, what_was_read_and_passed_on_is_seen)
{
	litmus(&(struct litmus){
		{ "W0=1", "R0:0 W1=1", "R1:1 R0:2" }, "110", NULL });
}

TEST(litmus, two_writers_of_two_words_agree)
{
	litmus(&(struct litmus){
		{ "W0=1 W1=2", "W1=1 W0=2", "R0:0 R0:1", "R1:2 R1:3" },
		"2121",
		NULL });
}

static void not_coherent(struct random_test *t)
{
	random_tiny(t, 0);
	random_roomy(t);
	t->cfg.cgm.gpu_protocol = CFG_CGM_PROTOCOL_NONE;
}

TEST(litmus, without_coherence_old_data_is_found)
{
	struct random_test t;

	/* Both variables are in the reader's cache, and stay there. */
	not_coherent(&t);
	litmus_with(
		&(struct litmus){ { "W0=1 W1=1", "R1:0 R0:1" }, "1.", "00" },
		&t, 1);
}

TEST(litmus, without_coherence_a_flush_and_a_fence_pass_a_message)
{
	struct random_test t;

	/* From a core to a compute unit: the core's data goes to the L3 by a
	 * flush, the reader drops what it has by a fence. */
	not_coherent(&t);
	litmus_with(&(struct litmus){ { "W0=1 D0 W1=1 D1", "F R1:0 F R0:1" },
				      "10",
				      NULL },
		    &t, 1);
	/* The other way round, and through memory. */
	not_coherent(&t);
	t.cfg.cgm.gpu_at = CFG_CGM_GPU_AT_MEMORY;
	litmus_with(&(struct litmus){ { "D1 R1:0 D0 R0:1", "W0=1 F W1=1 F" },
				      "10",
				      NULL },
		    &t, 1);
}
