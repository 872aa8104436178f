/* What is in an LSU: writes on their way, counts of grids, laws. */
#include "sm/lsu_queue.h"

bool lsu_holds_writes(const struct lsu *u)
{
	const struct l1 *c = u->l1;

	return c->acknowledged &&
	       (c->writes_taken != c->writes_sent || !lsu_idle(u));
}

/* Lines that an instruction has yet to write to the L2. */
static uint32_t lines_to_write(const struct lsu_entry *e)
{
	return e->path == PATH_WRITE ? (uint32_t)(e->n - e->at) : 0;
}

static uint32_t queued_writes(const struct lsu *u)
{
	uint32_t n = u->work ? lines_to_write(u->work) : 0;

	for (uint32_t k = 0; k < u->subcores; k++) {
		const struct lsu_queue *q = &u->queue[k];

		for (uint32_t i = 0; i < q->count; i++) {
			uint32_t what = q->ring[(q->head + i) & q->last].what;

			if (lsu_has_entry(what))
				n += lines_to_write(&u->entry[what]);
		}
	}
	return n;
}

uint64_t lsu_writes_due(const struct lsu *u)
{
	const struct l1 *c = u->l1;

	return c->writes_sent + c->merge_count + (c->out_count - c->out_at) +
	       queued_writes(u);
}

bool lsu_writes_taken(const struct lsu *u, uint64_t due)
{
	return u->l1->writes_taken >= due ||
	       u->l1->writes_taken == lsu_writes_due(u);
}

cycle_t lsu_written(const struct lsu *u, cycle_t now)
{
	return max_u64(now, u->l1->far_written);
}

bool lsu_idle(const struct lsu *u)
{
	return lsu_first_due(u) == CYCLE_NEVER && !u->work && !u->constants &&
	       !u->flight_count && !u->late_count && !u->known_count &&
	       !u->l1->out_count && !u->l1->merge_count &&
	       !u->l1->outstanding && !lsu_is_asking(u);
}

void lsu_start(struct lsu *u, uint64_t shared_bytes)
{
	CHECK(lsu_idle(u));
	l1_start(u->l1, shared_bytes);
	constcache_start(u->cc);
}

void lsu_share_regions(struct lsu *u, bitmap_word *known)
{
	tlb_share(&u->l1->tlb, known);
}

void lsu_empty_l1(struct lsu *u)
{
	l1_empty(u->l1);
}

void lsu_start_counts(struct lsu *u)
{
	u->mark = (struct lsu_counts){ *u->env.st, *u->env.l1 };
	u->grid = 0;
	u->l1->flags = 0;
}

void lsu_count_for(struct lsu *u, uint32_t grid, struct lsu_counts *to)
{
	CHECK(grid < LSU_GRIDS);
	u->own[grid] = to;
}

void lsu_settle(struct lsu *u)
{
	struct lsu_counts *own = u->own[u->grid];

	if (!own)
		return;
	COUNTS_MOVE(&own->lsu, u->env.st, &u->mark.lsu);
	COUNTS_MOVE(&own->l1, u->env.l1, &u->mark.l1);
}

void lsu_switch_grid(struct lsu *u, uint8_t grid)
{
	if (u->grid == grid)
		return;
	lsu_settle(u);
	u->grid = grid;
	u->l1->flags = msg_grid_flags(grid);
}

const char *lsu_broken_law(const struct lsu *u)
{
	const struct l1 *l1 = u->l1;
	const char *law = NULL;
	uint64_t tokens = 0;

	if (l1->data.tags)
		law = tags_broken_law(l1->data.tags);
	if (!law && l1->tex.tags)
		law = tags_broken_law(l1->tex.tags);
	if (law)
		return law;
	for (uint32_t i = 0; i < u->env.shape->partitions; i++)
		if (l1->credit[i] > (uint64_t)u->env.cfg->net.queue)
			return "credits <= net.queue";
	for (uint32_t i = 0; i < u->flights; i++)
		tokens += u->flight[i].tokens;
	if (tokens != u->tokens)
		return "tokens of all instructions == lsu.tokens";
	if (lsu_idle(u) && u->tokens)
		return "idle: no tokens are outstanding";
	if (l1->outstanding > l1->outstanding_max)
		return "outstanding requests <= their maximum";
	return NULL;
}
