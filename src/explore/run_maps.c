/* Reads what SMs and slices did over time. */
#include "explore/run.h"

static enum err run_read_map(struct run_result *r, struct run_map *map,
			     size_t columns, const struct json_node *node,
			     struct diag *d)
{
	const struct json_node *rows = json_get(node, "rows");
	size_t i = 0;

	if (!rows || rows->kind != JSON_ARRAY || rows->count > RUN_MAP_SIDE)
		return ERR_OK;
	map->count = arena_new(&r->arena, uint64_t, rows->count * columns + 1);
	if (!map->count)
		return fail(d, ERR_NOMEM, "out of memory");
	map->components = (size_t)run_whole(node, "components");
	map->rows = rows->count;
	for (const struct json_node *n = rows->first; n; n = n->next, i++) {
		const struct json_node *c = n->first;

		for (size_t k = 0; c && k < columns; k++, c = c->next)
			map->count[i * columns + k] = run_whole(c, "");
	}
	return ERR_OK;
}

enum err run_maps_read(struct run_result *r, struct run_launch *l,
		       const struct json_node *timing, struct diag *d)
{
	const struct json_node *parts = json_get(timing, "parts");
	const struct json_node *ends = json_get(parts, "ends");
	struct run_maps *m = &l->maps;

	if (!ends || ends->kind != JSON_ARRAY || ends->count > RUN_MAP_SIDE)
		return ERR_OK;
	m->ends = arena_new(&r->arena, uint64_t, ends->count + 1);
	if (!m->ends)
		return fail(d, ERR_NOMEM, "out of memory");
	for (const struct json_node *n = ends->first; n; n = n->next)
		m->ends[m->columns++] = run_whole(n, "");
	if (run_read_map(r, &m->sms, m->columns, json_get(parts, "sms"), d))
		return d->code;
	return run_read_map(r, &m->slices, m->columns,
			    json_get(parts, "slices"), d);
}
