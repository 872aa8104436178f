#include "cgm/pairs.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/team.h"

enum { USES = 2 << USE_HOME, WORD = 64 };

/*
 * The first half of a pair has the smallest number of all its names; its second
 * halves are numbered among those with room beside it, use by use.
 */
struct space {
	struct pairs *p;
	const struct block_graph *g;
	struct team *team;
	uint32_t first[USES + 1];     /* states of each use */
	uint32_t (*offset)[USES + 1]; /* [use of the one][use of the other] */
	uint32_t *least;              /* by state: its smallest name */
	uint8_t *order;               /* the naming that gives it */
	uint8_t *same;                /* namings that change nothing */
	uint64_t *row; /* of a first half: where its bits begin */
	_Atomic uint64_t *seen;
	uint64_t *done; /* written by the member that has the row */
	uint64_t words;
	/* What members write is apart from what all of them read. */
	_Alignas(64) atomic_uint next; /* row to be taken */
	atomic_bool changed, failed;
	atomic_ullong steps, states;
};

static bool has_room(const struct space *s, unsigned needs, uint32_t other)
{
	return !(needs & s->g->uses[other] & s->p->shared);
}

/*
 * Names
 */

static void find_least(struct space *s)
{
	for (uint32_t i = 0; i < s->g->states; i++) {
		const uint32_t *name = s->g->renamed[i];

		s->least[i] = i;
		for (unsigned k = 0; k < SYS_ORDERS; k++) {
			if (name[k] < s->least[i]) {
				s->least[i] = name[k];
				s->order[i] = (uint8_t)k;
			}
			if (name[k] == i)
				s->same[i] |= (uint8_t)(1u << k);
		}
	}
}

/* The smallest second half when `a` gets its smallest name. */
static uint32_t other_half(const struct space *s, uint32_t a, uint32_t b)
{
	uint32_t x = s->g->renamed[b][s->order[a]], best = x;

	for (unsigned m = s->same[s->least[a]]; m; m &= m - 1) {
		uint32_t y = s->g->renamed[x][__builtin_ctz(m)];

		if (y < best)
			best = y;
	}
	return best;
}

static uint64_t place_of(const struct space *s, uint32_t a, uint32_t b)
{
	uint32_t x = s->least[a], y;
	unsigned use;

	if (s->least[b] < x) {
		x = s->least[b];
		y = other_half(s, b, a);
	} else {
		y = other_half(s, a, b);
		if (s->least[b] == x) {
			uint32_t z = other_half(s, b, a);

			y = z < y ? z : y;
		}
	}
	use = s->g->uses[y];
	return s->row[x] + s->offset[s->g->uses[x]][use] + (y - s->first[use]);
}

static void mark(struct space *s, uint32_t a, uint32_t b)
{
	uint64_t at = place_of(s, a, b), bit = UINT64_C(1) << at % WORD;
	_Atomic uint64_t *w = &s->seen[at / WORD];

	if (atomic_load_explicit(w, memory_order_relaxed) & bit)
		return;
	atomic_fetch_or_explicit(w, bit, memory_order_relaxed);
	/* Written once: the others read this line in every step. */
	if (!atomic_load_explicit(&s->changed, memory_order_relaxed))
		atomic_store_explicit(&s->changed, true, memory_order_relaxed);
}

/*
 * Steps
 */

/* Takes all steps of `a` beside `b`; whether a message is among them. */
static bool step_half(struct space *s, uint32_t a, uint32_t b, uint64_t *steps)
{
	bool message = false;

	for (uint64_t i = s->g->start[a]; i < s->g->start[a + 1]; i++) {
		const struct block_step *x = &s->g->step[i];

		if (!has_room(s, x->needs, b))
			continue;
		message |= x->step == STEP_MESSAGE;
		mark(s, x->to, b);
		++*steps;
	}
	return message;
}

static bool can_make_room(const struct space *s, uint32_t a)
{
	return s->g->rest[a] && s->g->uses[a] >> USE_HOME & 1;
}

static void step_pair(struct space *s, uint32_t a, uint32_t b, uint64_t *steps)
{
	bool message = step_half(s, a, b, steps);

	message |= step_half(s, b, a, steps);
	if (message || (s->g->rest[a] && s->g->rest[b]) ||
	    can_make_room(s, a) || can_make_room(s, b))
		return;
	if (!atomic_exchange(&s->failed, true))
		snprintf(s->p->failure, sizeof(s->p->failure),
			 "two blocks wait for each other (states %u and %u)", a,
			 b);
}

/* Goes through the bits of a first half that have not been gone through. */
static void do_row(struct space *s, uint32_t a, uint64_t *steps,
		   uint64_t *states)
{
	const uint32_t *offset = s->offset[s->g->uses[a]];
	uint64_t begin = s->row[a], end = begin + offset[USES];
	unsigned use = 0;

	for (uint64_t w = begin / WORD; w * WORD < end; w++) {
		uint64_t todo = atomic_load_explicit(&s->seen[w],
						     memory_order_relaxed) &
				~s->done[w];

		s->done[w] |= todo;
		for (; todo; todo &= todo - 1) {
			uint64_t at = w * WORD +
				      (unsigned)__builtin_ctzll(todo) - begin;

			while (at >= offset[use + 1])
				use++;
			step_pair(s, a,
				  s->first[use] + (uint32_t)(at - offset[use]),
				  steps);
			++*states;
		}
	}
}

static void do_rows(void *ctx, unsigned member)
{
	struct space *s = ctx;
	uint64_t steps = 0, states = 0;
	uint32_t a;

	(void)member;
	while (a = atomic_fetch_add(&s->next, 1), a < s->g->states)
		if (s->least[a] == a)
			do_row(s, a, &steps, &states);
	atomic_fetch_add(&s->steps, steps);
	atomic_fetch_add(&s->states, states);
}

/*
 * Memory
 */

static void *new_array(struct space *s, uint64_t n, size_t size)
{
	void *p = calloc(n, size);

	CHECK(p);
	s->p->bytes += n * size;
	return p;
}

/* Rows begin at words, so that no two members write one word of `done`. */
static void lay_out(struct space *s)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < s->g->states; i++)
		s->first[s->g->uses[i] + 1]++;
	for (unsigned u = 0; u < USES; u++)
		s->first[u + 1] += s->first[u];
	for (unsigned u = 0; u < USES; u++)
		for (unsigned v = 0; v < USES; v++) {
			bool room = !(u & v & s->p->shared);

			s->offset[u][v + 1] =
				s->offset[u][v] +
				(room ? s->first[v + 1] - s->first[v] : 0);
		}
	for (uint32_t i = 0; i < s->g->states; i++) {
		if (s->least[i] != i)
			continue;
		s->row[i] = at;
		at += s->offset[s->g->uses[i]][USES];
		at = (at + WORD - 1) / WORD * WORD;
	}
	s->p->places = at;
	s->words = at / WORD;
}

static void make_space(struct space *s)
{
	uint32_t n = s->g->states;

	s->offset = new_array(s, USES, sizeof(*s->offset));
	s->least = new_array(s, n, sizeof(*s->least));
	s->order = new_array(s, n, sizeof(*s->order));
	s->same = new_array(s, n, sizeof(*s->same));
	s->row = new_array(s, n, sizeof(*s->row));
	find_least(s);
	lay_out(s);
	s->seen = new_array(s, s->words, sizeof(*s->seen));
	s->done = new_array(s, s->words, sizeof(*s->done));
	s->team = team_new(s->p->threads ? s->p->threads : 1);
	CHECK(s->team);
}

static void free_space(struct space *s)
{
	team_free(s->team);
	free(s->offset);
	free(s->least);
	free(s->order);
	free(s->same);
	free(s->row);
	free((void *)s->seen);
	free(s->done);
}

bool pairs_explore(struct pairs *p)
{
	struct space s = { .p = p, .g = p->graph };

	p->bytes = p->graph->bytes;
	make_space(&s);
	mark(&s, p->graph->first, p->graph->first);
	while (atomic_exchange(&s.changed, false) && !s.failed) {
		s.next = 0;
		team_do(s.team, do_rows, &s);
		p->rounds++;
	}
	p->states = s.states;
	p->steps = s.steps;
	free_space(&s);
	return !p->failure[0];
}
