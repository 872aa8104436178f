#include "isa/ptx/merge.h"

#include "base/minmax.h"

enum {
	PIECE = 16,      /* bytes: the widest access of a lane */
	MOST = PIECE / 4 /* loads in a piece */
};

/* ---- which loads ---- */

/* Where a load is in its aligned piece; -1: not known. */
static int place_in_piece(const struct plan *p, const struct plan_shared *s)
{
	struct lowbits low = s->var ? lowbits_of_var(s->var) :
				      p->value[s->base].low;

	low = lowbits_add(low, lowbits_of(s->offset));
	return low.known == LOWBITS ? low.bits : -1;
}

/* Where it is in its aligned 8 bytes. */
static int place_in_half(const struct plan *p, const struct plan_shared *s)
{
	struct lowbits low = s->var ? lowbits_of_var(s->var) :
				      p->value[s->base].low;

	low = lowbits_add(low, lowbits_of(s->offset));
	return low.known + 1 >= LOWBITS ? low.bits % (PIECE / 2) : -1;
}

/* The loads that may be one with load `first`, which comes first. */
struct candidates {
	uint32_t load[MOST]; /* index in p->shared; by word of the piece */
	bool found[MOST];
	unsigned count;
};

static bool same_base(const struct plan_shared *a, const struct plan_shared *b)
{
	return a->var == b->var && a->base == b->base && a->epoch == b->epoch &&
	       a->bytes == b->bytes;
}

/* Finds the loads of the piece of `bytes` bytes that load `first` is in, at
 * `place`. What they need is there where the first one is. */
static void merge_find_piece(const struct plan *p, uint32_t first, int place,
			     int64_t bytes, struct candidates *c)
{
	const struct plan_shared *a = &p->shared[first];
	int64_t start = a->offset - place;

	*c = (struct candidates){ .count = 0 };
	for (uint32_t i = first;
	     i < p->shareds && p->shared[i].epoch == a->epoch; i++) {
		const struct plan_shared *s = &p->shared[i];
		int64_t word = (s->offset - start) / 4;

		if (!same_base(a, s) || s->merged || s->offset < start ||
		    s->offset + s->bytes > start + bytes ||
		    (s->offset - start) % s->bytes || c->found[word] ||
		    (i != first && p->node[s->node].ready > a->node))
			continue;
		c->found[word] = true;
		c->load[word] = i;
		c->count++;
	}
}

/* ---- what becomes of them ---- */

/* Marks the loads found as one of `bytes` bytes. */
static void merge_piece(struct plan *p, uint32_t first,
			const struct candidates *c, unsigned bytes)
{
	uint32_t leader = p->shared[first].node, last = leader;

	p->shared[first].merged = true;
	p->fold[p->first + leader] = bytes == PIECE ? FOLD_WIDE_16 :
						      FOLD_WIDE_8;
	for (unsigned w = 0; w < MOST; w++) {
		uint32_t node;

		if (!c->found[w] || c->load[w] == first)
			continue;
		node = p->shared[c->load[w]].node;
		p->shared[c->load[w]].merged = true;
		p->fold[p->first + node] = FOLD_MERGED;
		p->node[node].folded = true;
		p->node[node].leader = leader;
		p->node[last].follower = node;
		last = node;
	}
	p->merged++;
}

/* Whether load `first` and later ones become one. */
static bool merge_from(struct plan *p, uint32_t first)
{
	const struct plan_shared *s = &p->shared[first];
	int place = place_in_piece(p, s), half = place_in_half(p, s);
	struct candidates c;

	if (place >= 0 && !(place % s->bytes)) {
		merge_find_piece(p, first, place, PIECE, &c);
		if (c.count * s->bytes > PIECE / 2) {
			merge_piece(p, first, &c, PIECE);
			return true;
		}
	}
	if (half < 0 || s->bytes != 4 || half % 4)
		return false;
	merge_find_piece(p, first, half, PIECE / 2, &c);
	if (c.count == 2)
		merge_piece(p, first, &c, PIECE / 2);
	return c.count == 2;
}

/* ---- dependences ---- */

/* By node: the number of nodes that must have been seen before all that it waits
 * for are there. What is folded is there as soon as what it reads. */
static void merge_find_ready(struct plan *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		p->node[i].ready = 0;
	for (uint32_t i = 0; i < p->count; i++) {
		const struct plan_node *n = &p->node[i];
		uint32_t when = n->folded ? n->ready : i + 1;

		for (uint32_t e = n->edges; e; e = p->edge[e - 1].next) {
			struct plan_node *to = &p->node[p->edge[e - 1].to];

			to->ready = (uint32_t)max_u64(to->ready, when);
		}
	}
}

/* A wide load waits for all that the loads in it wait for, and they for it. */
static bool order_merged(struct plan *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t e = p->node[i].edges; e;
		     e = p->edge[e - 1].next) {
			uint32_t leader = p->node[p->edge[e - 1].to].leader;

			if (leader != PLAN_NONE &&
			    !plan_edge(p, i, leader, p->edge[e - 1].latency))
				return false;
		}
	for (uint32_t i = 0; i < p->count; i++)
		if (p->node[i].leader != PLAN_NONE &&
		    !plan_edge(p, p->node[i].leader, i, 0))
			return false;
	return true;
}

bool merge_loads(struct plan *p)
{
	if (p->shareds < 2)
		return true;
	merge_find_ready(p);
	p->merged = 0;
	for (uint32_t i = 0; i + 1 < p->shareds; i++)
		if (!p->shared[i].merged)
			(void)merge_from(p, i);
	return !p->merged || order_merged(p);
}
