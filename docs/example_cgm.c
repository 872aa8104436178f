/*
 * Four processors of one's own on the memory system of CPUs and a GPU, by way of
 * the C library: they count together, a compute unit reads the sum.
 *
 *	cc example_cgm.c -lheddle -o example_cgm && ./example_cgm
 */
#include <heddle/heddle.h>
#include <stdio.h>
#include <string.h>

enum { CORES = 4, STEPS = 1000, COUNTER = 0x1000 };

/* A processor that adds 1 to the counter again and again, and waits for each
 * answer before it goes on. */
struct core {
	unsigned left;
	int waits;
	uint64_t longest; /* ticks */
};

static uint64_t next(void *ctx, uint64_t now, struct heddle_cgm_request *r)
{
	const uint64_t one = 1;
	struct core *c = ctx;

	if (c->waits || !c->left)
		return HEDDLE_CGM_NEVER; /* ask again after an answer */
	c->left--;
	c->waits = 1;
	r->op = HEDDLE_CGM_ADD;
	r->address = COUNTER;
	r->size = sizeof(one);
	memcpy(r->value, &one, sizeof(one));
	return now; /* send it now */
}

static void answer(void *ctx, const struct heddle_cgm_answer *a)
{
	struct core *c = ctx;

	c->waits = 0;
	if (a->time - a->sent > c->longest)
		c->longest = a->time - a->sent;
}

/* What a compute unit finds. This port has no driver: the program has a clock of
 * its own, sends requests and takes answers between steps. */
static int read_counter(struct heddle_cgm *m, uint64_t *found,
			struct heddle_error *err)
{
	struct heddle_cgm_request load = { .op = HEDDLE_CGM_LOAD,
					   .address = COUNTER,
					   .size = sizeof(*found) };
	struct heddle_cgm_answer a;
	struct heddle_cgm_info info;

	if (heddle_cgm_send(m, HEDDLE_CGM_PORT_VECTOR, 0, &load, err))
		return -1;
	while (!heddle_cgm_take(m, HEDDLE_CGM_PORT_VECTOR, 0, &a)) {
		heddle_cgm_info(m, &info);
		if (heddle_cgm_run(m, info.now + info.gpu_cycle, err))
			return -1;
	}
	memcpy(found, a.value, sizeof(*found));
	return 0;
}

int main(void)
{
	struct core core[CORES] = { { 0 } };
	struct heddle_stat forwards;
	struct heddle_cgm *m = NULL;
	struct heddle_cgm_info info;
	struct heddle_error err;
	uint64_t found = 0;
	int failed = heddle_cgm_new(&m, NULL, NULL, &err);

	for (unsigned i = 0; !failed && i < CORES; i++) {
		struct heddle_cgm_driver d = { next, answer, &core[i] };

		core[i].left = STEPS;
		failed =
			heddle_cgm_attach(m, HEDDLE_CGM_PORT_DATA, i, &d, &err);
	}
	failed = failed || heddle_cgm_run(m, HEDDLE_CGM_NEVER, &err) ||
		 read_counter(m, &found, &err) ||
		 heddle_cgm_stats_find(m, "l3.forwards", &forwards, &err);
	if (failed) {
		fprintf(stderr, "%s\n", err.text);
	} else {
		heddle_cgm_info(m, &info);
		printf("the counter is %llu after %.1f us; core 0 waited for "
		       "%.1f ns at most\n"
		       "%llu times a core got it from another one\n",
		       (unsigned long long)found,
		       1e6 * (double)info.now / (double)info.ticks_per_second,
		       1e9 * (double)core[0].longest /
			       (double)info.ticks_per_second,
		       (unsigned long long)forwards.count);
	}
	heddle_cgm_free(m);
	return failed != 0;
}
