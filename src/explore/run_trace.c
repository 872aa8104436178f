/* Results of a replay of several launches: "timing" is that of the last one,
 * "trace" lists all. */
#include <string.h>

#include "explore/run.h"

#define REASON_GROUP "reason."

/* Reads counters by key, "l2.reads", into the launch. */
static enum err run_trace_sums(struct run_result *r, struct run_launch *l,
			       const struct json_node *sums, struct diag *d)
{
	size_t group = strlen(REASON_GROUP);

	l->stats = (struct stats){ 0 };
	l->others = NULL;
	l->other_count = 0;
	for (const struct json_node *n = sums->first; n; n = n->next) {
		int i = n->key ? stat_index(n->key) : -1;

		if (i >= 0 && stat_table[i].kind != STAT_RATE)
			stat_put(&l->stats, (unsigned)i, run_whole(n, ""));
		if (i >= 0)
			continue;
		r->unknown++;
		r->undivided |= n->key && stat_key_is_undivided(n->key);
		if (n->key && !strncmp(n->key, REASON_GROUP, group) &&
		    run_other_slots(r, l, n->key + group, run_whole(n, ""),
				    sums->count, d))
			return d->code;
	}
	return ERR_OK;
}

static enum err run_trace_launches(struct run_result *r,
				   const struct json_node *list, struct diag *d)
{
	r->traced = arena_new(&r->arena, struct run_traced, list->count);
	if (!r->traced)
		return fail(d, ERR_NOMEM, "out of memory");
	for (const struct json_node *n = list->first; n; n = n->next) {
		struct run_traced *l = &r->traced[r->traced_count++];

		l->number = run_whole(n, "number");
		l->cycles = run_whole(n, "cycles");
		l->instructions = run_whole(n, "warp_instructions");
		l->seconds = json_get_number(n, "gpu_seconds", 0);
		if (run_text(r, &l->kernel, json_get_text(n, "kernel", "?"), d))
			return d->code;
	}
	return ERR_OK;
}

enum err run_trace_read(struct run_result *r, const struct json_node *trace,
			struct diag *d)
{
	const struct json_node *list = json_get(trace, "launch");
	struct run_launch *l = &r->launches[0];
	const struct json_node *sums = json_get(trace, "stats");

	if (!list || list->kind != JSON_ARRAY || list->count < 2)
		return ERR_OK;
	if (run_trace_launches(r, list, d))
		return d->code;
	r->traced_sums = sums && sums->kind == JSON_OBJECT && sums->count;
	if (!r->traced_sums)
		return ERR_OK;
	if (run_trace_sums(r, l, sums, d))
		return d->code;
	l->cycles = l->group_cycles = run_whole(trace, "cycles");
	l->seconds = l->mhz > 0 ? (double)l->cycles / (l->mhz * 1e6) : 0;
	/* These are only of the last launch. */
	l->line_count = l->sample_count = 0;
	r->host_seconds =
		json_get_number(trace, "host_seconds", r->host_seconds);
	return ERR_OK;
}
