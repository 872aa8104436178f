#include "cgm/explore.h"

#include <stdio.h>
#include <string.h>

#include "cgm/states.h"

enum { MAX_SETTLE = 400 };

struct run {
	struct explore *x;
	struct states seen;
};

/* What a cache looks like without its name. */
static uint64_t cache_look(const struct sys *s, const struct moves *m,
			   unsigned cache, bool swap_blocks)
{
	uint64_t h = 0;

	for (unsigned k = 0; k < m->blocks; k++) {
		unsigned b = k ^ swap_blocks;
		const struct sys_copy *c = &s->copy[cache][b];

		h = h * 16 + c->state;
		h = h * 8 + (uint8_t)(c->acks + SYS_CACHES);
		h = h * 8 + c->want;
		h = h * 8 + c->dirty * 4u + c->fresh * 2u + c->kids;
		h = h * 2 + (s->home[b].readers >> cache & 1u);
	}
	return h;
}

/* Whether a naming numbers caches in the order of their looks: of namings that
 * do not, another one stands for the state. */
static bool is_ordered(const uint64_t *look, const struct moves *m,
		       unsigned order)
{
	const uint8_t *name = sys_orders[order];
	unsigned alike = m->caches - m->plain;

	for (unsigned i = 0; i < alike; i++)
		for (unsigned k = 0; k < alike; k++)
			if (name[i] < name[k] && look[i] > look[k])
				return false;
	return true;
}

/* The smallest form of all namings: the same for states that are alike. */
static unsigned smallest(const struct sys *s, const struct moves *m,
			 uint8_t *best)
{
	uint64_t look[SYS_CACHES] = { 0 };
	uint8_t other[SYS_BYTES];
	unsigned size = 0;
	struct sys t;

	for (unsigned swap = 0; swap < m->blocks; swap++) {
		for (unsigned i = 0; i < m->caches; i++)
			look[i] = cache_look(s, m, i, swap);
		for (unsigned i = 0; i < SYS_ORDERS; i++) {
			unsigned n;

			if (!sys_may_rename(m, i) || !is_ordered(look, m, i))
				continue;
			sys_rename(&t, s, m, i, swap);
			n = sys_encode(&t, m, other);
			if (size && memcmp(other, best, n) >= 0)
				continue;
			memcpy(best, other, n);
			size = n;
		}
	}
	return size;
}

/* Lets messages alone go on from here until nothing moves. */
static bool settles(struct explore *x, const struct sys *from)
{
	struct sys s = *from;

	for (unsigned n = 0; n < MAX_SETTLE; n++) {
		if (sys_is_at_rest(&s, &x->system)) {
			if (n > x->longest)
				x->longest = n;
			return sys_check_rest(&s, &x->system);
		}
		if (!sys_settle(&s, &x->system))
			return false;
	}
	snprintf(x->system.failure, sizeof(x->system.failure),
		 "messages never end");
	return false;
}

/* A state that a step has reached. */
static bool reached(void *ctx, const struct sys *to, enum sys_step step)
{
	struct run *r = ctx;
	struct moves *m = &r->x->system;
	uint8_t byte[SYS_BYTES];
	bool added;

	(void)step;
	r->x->steps++;
	states_add(&r->seen, byte, smallest(to, m, byte), &added);
	if (!added)
		return true;
	r->x->states++;
	return sys_check(to, m) && settles(r->x, to);
}

bool explore_run(struct explore *x)
{
	struct moves *m = &x->system;
	struct run r = { .x = x };
	struct sys s;
	bool good;

	states_init(&r.seen);
	sys_first(&s, m);
	good = reached(&r, &s, STEP_MESSAGE);
	for (uint32_t i = 0; good && i < r.seen.count; i++) {
		unsigned size;
		const uint8_t *byte = states_get(&r.seen, i, &size);

		if (x->states >= x->limit) {
			snprintf(m->failure, sizeof(m->failure),
				 "more states than the limit");
			good = false;
			break;
		}
		sys_decode(&s, m, byte, size);
		good = sys_steps(&s, m, reached, &r);
	}
	states_free(&r.seen);
	return good;
}
