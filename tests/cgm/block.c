#include "cgm/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "cgm/states.h"

struct builder {
	struct block_graph *g;
	struct states seen;
	uint32_t from;
	unsigned uses; /* of `from` */
	uint64_t room;
};

static bool wrong(struct block_graph *g, const char *what)
{
	if (!g->system.failure[0])
		snprintf(g->system.failure, sizeof(g->system.failure), "%s",
			 what);
	return false;
}

static void *new_array(struct block_graph *g, uint64_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	CHECK(p);
	g->bytes += n * size;
	return p;
}

/*
 * States and steps
 */

static bool add_step(void *ctx, const struct sys *to, enum sys_step step)
{
	struct builder *b = ctx;
	struct block_graph *g = b->g;
	uint8_t byte[SYS_BYTES];
	unsigned needs = sys_uses(to, 0) & ~b->uses;
	uint32_t at;
	bool added;

	at = states_add(&b->seen, byte, sys_encode(to, &g->system, byte),
			&added);
	if (added && !sys_check(to, &g->system))
		return false;
	if (step == STEP_MESSAGE && needs & ~(1u << USE_HOME))
		return wrong(g, "a message takes what blocks share");
	if (at == b->from)
		return true;
	if (g->steps == b->room) {
		b->room *= 2;
		g->step = realloc(g->step, b->room * sizeof(*g->step));
		CHECK(g->step);
	}
	g->step[g->steps++] =
		(struct block_step){ at, (uint16_t)needs, (uint16_t)step };
	return true;
}

static bool find_all(struct builder *b)
{
	struct block_graph *g = b->g;
	struct moves *m = &g->system;
	uint64_t starts = 1 << 12;
	uint8_t byte[SYS_BYTES];
	struct sys s;
	bool added;

	g->start = malloc(starts * sizeof(*g->start));
	CHECK(g->start);
	sys_first(&s, m);
	states_add(&b->seen, byte, sys_encode(&s, m, byte), &added);
	for (b->from = 0; b->from < b->seen.count; b->from++) {
		unsigned size;
		const uint8_t *p = states_get(&b->seen, b->from, &size);

		if (b->from + 1 == starts) {
			starts *= 2;
			g->start =
				realloc(g->start, starts * sizeof(*g->start));
			CHECK(g->start);
		}
		g->start[b->from] = g->steps;
		sys_decode(&s, m, p, size);
		b->uses = sys_uses(&s, 0);
		if (!sys_steps(&s, m, add_step, b))
			return false;
	}
	g->start[b->from] = g->steps;
	g->states = b->seen.count;
	g->bytes += starts * sizeof(*g->start) + b->room * sizeof(*g->step);
	return true;
}

/*
 * Messages end
 */

/* How many messages it takes to rest, at most, in whatever order they arrive. */
struct rank {
	uint16_t *of; /* 0: not known, MARK: being found */
	uint32_t *stack;
	uint64_t *at; /* the next step to look at, by depth */
};

enum { RANK_MARK = UINT16_MAX };

/* The rank of a state whose next states have theirs. */
static unsigned rank_from(const struct block_graph *g, const struct rank *r,
			  uint32_t s)
{
	unsigned best = 0;

	for (uint64_t i = g->start[s]; i < g->start[s + 1]; i++)
		if (g->step[i].step == STEP_MESSAGE &&
		    r->of[g->step[i].to] > best)
			best = r->of[g->step[i].to];
	return best + 1;
}

/* Finds the ranks of all states that messages lead to from `first`. */
static bool rank_all(struct block_graph *g, struct rank *r, uint32_t first)
{
	uint32_t depth = 1;

	r->stack[0] = first;
	r->at[0] = g->start[first];
	r->of[first] = RANK_MARK;
	while (depth) {
		uint32_t s = r->stack[depth - 1];
		uint64_t *i = &r->at[depth - 1];
		uint32_t to;

		if (*i == g->start[s + 1]) {
			r->of[s] = (uint16_t)rank_from(g, r, s);
			depth--;
			continue;
		}
		to = g->step[*i].to;
		if (g->step[(*i)++].step != STEP_MESSAGE)
			continue;
		if (r->of[to] == RANK_MARK)
			return wrong(g, "messages never end");
		if (r->of[to])
			continue;
		r->of[to] = RANK_MARK;
		r->stack[depth] = to;
		r->at[depth++] = g->start[to];
	}
	return true;
}

static bool check_messages(struct builder *b)
{
	struct block_graph *g = b->g;
	struct rank r = { new_array(g, g->states, sizeof(*r.of)),
			  new_array(g, g->states + 1, sizeof(*r.stack)),
			  new_array(g, g->states + 1, sizeof(*r.at)) };
	bool good = true;
	struct sys s;

	for (uint32_t i = 0; good && i < g->states; i++) {
		unsigned size;
		const uint8_t *p = states_get(&b->seen, i, &size);

		good = r.of[i] || rank_all(g, &r, i);
		if (!good)
			break;
		sys_decode(&s, &g->system, p, size);
		g->uses[i] = (uint16_t)sys_uses(&s, 0);
		g->rest[i] = sys_is_at_rest(&s, &g->system);
		if (r.of[i] - 1u > g->longest)
			g->longest = r.of[i] - 1u;
		if (r.of[i] == 1)
			good = g->rest[i] ? sys_check_rest(&s, &g->system) :
					    wrong(g, "deadlock");
	}
	free(r.of);
	free(r.stack);
	free(r.at);
	return good;
}

/* From rest: an eviction from the home, then messages, then another eviction:
 * the block has left. */
static bool leaves(const struct block_graph *g, uint32_t s, unsigned tries)
{
	for (uint64_t i = g->start[s]; i < g->start[s + 1]; i++) {
		enum sys_step want = g->rest[s] ? STEP_HOME_EVICT :
						  STEP_MESSAGE;

		if (g->step[i].step == want)
			return tries && leaves(g, g->step[i].to, tries - 1);
	}
	return !(g->uses[s] >> USE_HOME & 1);
}

static bool check_leaves(struct block_graph *g)
{
	for (uint32_t i = 0; i < g->states; i++)
		if (g->rest[i] && !leaves(g, i, 2 + g->longest))
			return wrong(g, "a block stays at the home");
	return true;
}

/*
 * Names and numbers
 */

static void find_names(struct builder *b)
{
	struct block_graph *g = b->g;
	struct moves *m = &g->system;
	uint8_t byte[SYS_BYTES];
	struct sys s, t;

	g->renamed = new_array(g, g->states, sizeof(*g->renamed));
	for (uint32_t i = 0; i < g->states; i++) {
		unsigned size;
		const uint8_t *p = states_get(&b->seen, i, &size);

		sys_decode(&s, m, p, size);
		for (unsigned k = 0; k < SYS_ORDERS; k++) {
			if (!sys_may_rename(m, k)) {
				g->renamed[i][k] = STATES_NONE;
				continue;
			}
			sys_rename(&t, &s, m, k, false);
			g->renamed[i][k] = states_find(&b->seen, byte,
						       sys_encode(&t, m, byte));
			CHECK(g->renamed[i][k] != STATES_NONE);
		}
	}
}

/* Numbers by use: number[old] = new. */
static uint32_t *number_by_use(struct block_graph *g)
{
	uint32_t *number = new_array(g, g->states, sizeof(*number));
	uint32_t *next = calloc((2u << USE_HOME) + 1, sizeof(*next));

	CHECK(next);
	for (uint32_t i = 0; i < g->states; i++)
		next[g->uses[i] + 1]++;
	for (uint32_t u = 0; u < 2u << USE_HOME; u++)
		next[u + 1] += next[u];
	for (uint32_t i = 0; i < g->states; i++)
		number[i] = next[g->uses[i]]++;
	free(next);
	return number;
}

static void renumber(struct block_graph *g)
{
	uint32_t *number = number_by_use(g);
	struct block_graph n = *g;
	uint64_t at = 0;
	uint32_t *old = new_array(&n, g->states, sizeof(*old));

	for (uint32_t i = 0; i < g->states; i++)
		old[number[i]] = i;
	n.uses = new_array(&n, n.states, sizeof(*n.uses));
	n.rest = new_array(&n, n.states, sizeof(*n.rest));
	n.start = new_array(&n, n.states + 1ull, sizeof(*n.start));
	n.step = new_array(&n, n.steps, sizeof(*n.step));
	n.renamed = new_array(&n, n.states, sizeof(*n.renamed));
	for (uint32_t i = 0; i < g->states; i++) {
		uint32_t o = old[i];

		n.uses[i] = g->uses[o];
		n.rest[i] = g->rest[o];
		n.start[i] = at;
		for (uint64_t k = g->start[o]; k < g->start[o + 1]; k++) {
			n.step[at] = g->step[k];
			n.step[at++].to = number[g->step[k].to];
		}
		for (unsigned k = 0; k < SYS_ORDERS; k++)
			n.renamed[i][k] = g->renamed[o][k] == STATES_NONE ?
						  STATES_NONE :
						  number[g->renamed[o][k]];
	}
	n.start[n.states] = at;
	n.first = number[0];
	block_free(g);
	*g = n;
	free(number);
	free(old);
}

bool block_explore(struct block_graph *g, const struct moves *system)
{
	struct builder b = { .g = g, .room = 1 << 12 };
	bool good;

	CHECK(system->blocks == 1);
	*g = (struct block_graph){ .system = *system };
	g->step = malloc(b.room * sizeof(*g->step));
	CHECK(g->step);
	states_init(&b.seen);
	good = find_all(&b);
	if (good) {
		g->uses = new_array(g, g->states, sizeof(*g->uses));
		g->rest = new_array(g, g->states, sizeof(*g->rest));
		good = check_messages(&b) && check_leaves(g);
	}
	if (good) {
		find_names(&b);
		g->bytes += states_bytes(&b.seen);
		renumber(g);
	}
	states_free(&b.seen);
	return good;
}

void block_free(struct block_graph *g)
{
	free(g->uses);
	free(g->rest);
	free(g->start);
	free(g->step);
	free(g->renamed);
}

uint32_t block_distinct(const struct block_graph *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->states; i++) {
		bool least = true;

		for (unsigned k = 0; k < SYS_ORDERS; k++)
			least &= g->renamed[i][k] >= i;
		n += least;
	}
	return n;
}
