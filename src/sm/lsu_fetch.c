/* Prefetching: brings what an LSU will need into the host's cache. */
#include "sm/lsu_impl.h"

/* Cache lines of statistics; sub-cores, as many as most SMs have. */
enum { PREFETCH_STAT = 3, PREFETCH_SUBCORES = 4 };

void lsu_prefetch(const struct lsu *u)
{
	fetch_early(u, offsetof(struct lsu, due));
	fetch_early(u->due, PREFETCH_SUBCORES * sizeof(*u->due));
	fetch_early(&u->env,
		    offsetof(struct lsu, queue) - offsetof(struct lsu, env));
	fetch_early(u->queue, PREFETCH_SUBCORES * sizeof(*u->queue));
	fetch_early(&u->back, offsetof(struct back, cell));
}

void lsu_prefetch_queues(const struct lsu *u)
{
	back_prefetch(&u->back);
	for (uint32_t i = 0; i < u->subcores; i++)
		fetch_early(u->queue[i].ring, 1);
	fetch_early(u->entry_free, LSU_FETCH_ENTRY);
	fetch_early(&u->flight[u->flight_free % u->flights], 1);
	fetch_early(u->env.st, PREFETCH_STAT * 64);
	fetch_early(u->env.l1, sizeof(*u->env.l1));
	fetch_early(u->l1, offsetof(struct l1, out) + sizeof(*u->l1->out));
	if (u->tags)
		tags_prefetch_self(u->tags);
}

/* About how many units of an instruction are looked up in a window. */
enum { PREFETCH_UNITS = 12 };

/* Prefetches the tags that the lookups of an instruction need: it may have
 * waited since an earlier window. */
static void prefetch_rows(const struct lsu_entry *e)
{
	unsigned end = e->at + PREFETCH_UNITS;

	for (unsigned i = e->at; i < e->n && i < end; i++)
		tags_prefetch_lookup(e->cache->tags, e->unit[i].set);
}

/* The entry at the head of a sub-core's queue, or NULL. */
static const struct lsu_entry *queue_head(const struct lsu *u, uint32_t subcore)
{
	const struct lsu_queue *q = &u->queue[subcore];
	uint32_t what = q->ring[q->head].what;

	return q->count && lsu_has_entry(what) ? &u->entry[what] : NULL;
}

void lsu_prefetch_mshrs(const struct lsu *u, cycle_t to)
{
	const struct lsu_env *env = &u->env;

	for (uint32_t i = 0; i < u->subcores; i++) {
		const struct lsu_entry *e = queue_head(u, i);

		if (e)
			fetch_early(e, LSU_FETCH_ENTRY);
	}
	if (u->work && u->work->path == PATH_READ)
		prefetch_rows(u->work);
	for (const struct msg *m = wire_peek(env->wires, env->self, to); m;
	     m = wire_peek_after(env->wires, env->self, m, to))
		if (m->kind == MSG_DATA)
			l1_prefetch_mshr(u->l1, m->id);
}

void lsu_prefetch_fills(const struct lsu *u, cycle_t to)
{
	const struct lsu_env *env = &u->env;

	if (u->work && u->work->path == PATH_READ)
		for (unsigned i = 0; i < LSU_AHEAD; i++)
			lsu_fetch_line(u->work, u->work->at + i);
	for (uint32_t i = 0; i < u->subcores; i++) {
		const struct lsu_entry *e = queue_head(u, i);

		if (e && e->path == PATH_READ)
			prefetch_rows(e);
	}
	for (const struct msg *m = wire_peek(env->wires, env->self, to); m;
	     m = wire_peek_after(env->wires, env->self, m, to)) {
		uint32_t token;

		if (m->kind != MSG_DATA)
			continue;
		token = l1_prefetch_fill(u->l1, m->id);
		if (token != TAGS_NO_TOKEN)
			fetch_early(&u->flight[token], 1);
	}
}
