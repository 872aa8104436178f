/* Reads the results of a run: sums over its launches. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/jsonread.h"
#include "explore/engines.h"

enum { MAX_KEYS = 6 };

const char *const mix_names[MIXES] = { "INT/FP", "branch", "load", "store",
				       "other" };
const char *const cost_names[COSTS] = { "SMs", "network", "memory", "rest" };

/* The statistics that count a kind of instructions; MIX_OTHER is the rest. */
static const char *const mix_keys[MIX_OTHER][MAX_KEYS] = {
	[MIX_COMPUTE] = { "unit.int", "unit.fp32", "unit.fp64", "unit.fp16",
			  "unit.sfu", "unit.tensor" },
	[MIX_BRANCH] = { "sm.branches" },
	[MIX_LOAD] = { "lsu.global_loads", "lsu.local_loads",
		       "lsu.shared_loads", "lsu.const_loads", "lsu.textures",
		       "lsu.async_copies" },
	[MIX_STORE] = { "lsu.global_stores", "lsu.local_stores",
			"lsu.shared_stores" },
};

static const char *const cost_keys[COSTS][MAX_KEYS] = {
	[COST_SMS] = { "sms" },
	[COST_NETWORK] = { "network" },
	[COST_MEMORY] = { "memory" },
	[COST_REST] = { "dispatch", "rest" },
};

static double sum_keys(const struct json_node *n, const char *const *keys)
{
	double sum = 0;

	for (int i = 0; i < MAX_KEYS && keys[i]; i++)
		sum += json_get_number(n, keys[i], 0);
	return sum;
}

static void run_add_mix(struct engines_run *to, const struct json_node *stats)
{
	double n = json_get_number(stats, "sm.instructions", 0), known = 0;

	for (int i = 0; i < MIX_OTHER; i++) {
		double part = sum_keys(stats, mix_keys[i]);

		to->mix[i] += part;
		known += part;
	}
	to->mix[MIX_OTHER] += n > known ? n - known : 0;
	to->instructions += n;
}

static enum err run_add_ends(struct engines_run *to,
			     const struct json_node *ends, struct diag *d)
{
	size_t i = 0;

	if (!ends || ends->kind != JSON_ARRAY || !ends->count)
		return fail(d, ERR_SYNTAX, "a result has no 'sm_ends'");
	if (!to->ends) {
		to->ends = calloc(ends->count, sizeof(*to->ends));
		if (!to->ends)
			return fail(d, ERR_NOMEM, "out of memory");
		to->sms = ends->count;
	}
	for (const struct json_node *n = ends->first; n && i < to->sms;
	     n = n->next)
		to->ends[i++] += n->number;
	return ERR_OK;
}

static void run_add_waves(struct engines_run *to,
			  const struct json_node *timing)
{
	double blocks = json_get_number(timing, "blocks_done", 0);
	double deviation = json_get_number(timing, "waves.deviation", 0);
	double gap = json_get_number(timing, "waves.gap", 0);

	to->blocks += blocks;
	to->squares += blocks * deviation * deviation;
	to->gap = gap > to->gap ? gap : to->gap;
}

/* first: whether it is the first of launches that ran at the same time, which
 * share everything but the waves. */
static enum err run_add_timing(struct engines_run *to,
			       const struct json_node *timing, bool first,
			       struct diag *d)
{
	const struct json_node *whole = json_get(timing, "whole");
	const struct json_node *stats = json_get(timing, "stats");

	if (!whole || !stats)
		return fail(d, ERR_SYNTAX, "a result has no statistics");
	if (!whole->truth)
		return fail(d, ERR_FAULT, "a launch was cut short");
	run_add_waves(to, timing);
	if (!first)
		return ERR_OK;
	to->launches++;
	to->seconds += json_get_number(timing, "host_seconds", 0);
	to->cycles += json_get_number(timing, "cycles", 0);
	to->late += json_get_number(stats, "engine.late_messages", 0);
	for (int i = 0; i < COSTS; i++)
		to->cost[i] +=
			sum_keys(json_get(timing, "host_time"), cost_keys[i]);
	run_add_mix(to, stats);
	return run_add_ends(to, json_get(timing, "sm_ends"), d);
}

enum err engines_read_file(struct engines_run *to, const char *path,
			   struct diag *d)
{
	const struct json_node *root, *timing;
	struct arena a = { 0 };
	enum err e = json_read_file(&root, &a, path, d);

	if (!e) {
		timing = json_get(root, "timing");
		if (timing && timing->kind == JSON_OBJECT)
			e = run_add_timing(to, timing,
					   !json_get_number(root, "member", 0),
					   d);
	}
	arena_free(&a);
	return e;
}

/* The launches of one process. */
static enum err engines_read_process(struct engines_run *to, const char *folder,
				     struct diag *d)
{
	char path[PATH_MAX + 32];

	for (unsigned i = 1;; i++) {
		snprintf(path, sizeof(path), "%s/launch-%06u.json", folder, i);
		if (access(path, F_OK))
			return ERR_OK;
		if (engines_read_file(to, path, d))
			return d->code;
	}
}

enum err engines_read_folder(struct engines_run *to, const char *path,
			     struct diag *d)
{
	char process[PATH_MAX];

	if (engines_read_process(to, path, d))
		return d->code;
	for (unsigned i = 2;; i++) {
		if (snprintf(process, sizeof(process), "%s/process-%u", path,
			     i) >= (int)sizeof(process) ||
		    access(process, F_OK))
			return ERR_OK;
		if (engines_read_process(to, process, d))
			return d->code;
	}
}
