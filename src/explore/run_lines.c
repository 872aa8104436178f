/* Reads what source lines and their instructions did. */
#include <string.h>

#include "explore/run.h"

/* The reason of a name, or REASON_COUNT. */
static unsigned reason_named(const char *name)
{
	static const char *const names[] = {
#define REASON(id, name, doc) name,
#include "stat/stat.def"
	};
	unsigned r = 0;

	while (r < REASON_COUNT && strcmp(names[r], name) != 0)
		r++;
	return r;
}

static void run_read_slots(struct run_result *r, uint64_t slots[REASON_COUNT],
			   const struct json_node *node)
{
	for (const struct json_node *n = node ? node->first : NULL; n;
	     n = n->next) {
		unsigned k = n->key ? reason_named(n->key) : REASON_COUNT;

		if (k < REASON_COUNT)
			slots[k] = run_whole(n, "");
		else
			r->unknown++;
	}
}

static enum err run_read_code(struct run_result *r, struct run_line *l,
			      const struct json_node *node, struct diag *d)
{
	if (!node || node->kind != JSON_ARRAY)
		return ERR_OK;
	l->code = arena_new(&r->arena, struct run_code, node->count + 1);
	if (!l->code)
		return fail(d, ERR_NOMEM, "out of memory");
	for (const struct json_node *n = node->first; n; n = n->next) {
		struct run_code *c = &l->code[l->code_count++];

		c->pc = (uint32_t)run_whole(n, "pc");
		c->issued = run_whole(n, "issued");
		c->waited = run_whole(n, "waited");
		c->lanes = run_whole(n, "lanes");
		run_read_slots(r, c->slots, json_get(n, "slots"));
		if (run_text(r, &c->text, json_get_text(n, "text", ""), d))
			return d->code;
	}
	return ERR_OK;
}

static enum err run_read_line(struct run_result *r, struct run_line *at,
			      const struct json_node *n, struct diag *d)
{
	at->line = (uint32_t)run_whole(n, "line");
	at->issued = run_whole(n, "issued");
	at->waited = run_whole(n, "waited");
	at->total_issued = json_get(n, "total_issued") ?
				   run_whole(n, "total_issued") :
				   at->issued;
	at->total_waited = json_get(n, "total_waited") ?
				   run_whole(n, "total_waited") :
				   at->waited;
	run_read_slots(r, at->slots, json_get(n, "total_slots"));
	if (run_text(r, &at->file, json_get_text(n, "file", "?"), d) ||
	    run_text(r, &at->source, json_get_text(n, "source", NULL), d) ||
	    run_text(r, &at->instruction, json_get_text(n, "instruction", ""),
		     d))
		return d->code;
	return run_read_code(r, at, json_get(n, "code"), d);
}

static void read_operations(struct run_launch *l, const struct json_node *node)
{
	for (const struct json_node *n = node ? node->first : NULL; n;
	     n = n->next) {
		const char *unit = json_get_text(n, "unit", "");

		for (int u = 0; u < UNIT_COUNT; u++)
			if (!strcmp(unit, unit_names[u])) {
				l->operations[u] = run_whole(n, "operations");
				l->largest[u] = run_whole(n, "most");
			}
	}
}

enum err run_lines_read(struct run_result *r, struct run_launch *l,
			const struct json_node *timing, struct diag *d)
{
	const struct json_node *node = json_get(timing, "lines");

	read_operations(l, json_get(timing, "operations"));
	if (!node || node->kind != JSON_ARRAY)
		return ERR_OK;
	l->lines = arena_new(&r->arena, struct run_line, node->count + 1);
	if (!l->lines)
		return fail(d, ERR_NOMEM, "out of memory");
	for (const struct json_node *n = node->first; n; n = n->next)
		if (run_read_line(r, &l->lines[l->line_count++], n, d))
			return d->code;
	return ERR_OK;
}
