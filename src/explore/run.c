#include "explore/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/human.h"
#include "base/utf8.h"
#include "cfg/param.h"

enum err run_text(struct run_result *r, const char **out, const char *text,
		  struct diag *d)
{
	char *copy = text ? arena_strndup(&r->arena, text, strlen(text)) : NULL;

	utf8_make_plain(copy);
	*out = copy;
	return text && !*out ? fail(d, ERR_NOMEM, "out of memory") : ERR_OK;
}

static uint64_t json_whole_number(const struct json_node *n)
{
	if (!n || n->kind != JSON_NUMBER || n->number < 0)
		return 0;
	/* A counter may have more digits than a double. */
	return n->text[strcspn(n->text, ".eE")] ? whole_of_real(n->number) :
						  strtoull(n->text, NULL, 10);
}

uint64_t run_whole(const struct json_node *n, const char *path)
{
	return json_whole_number(json_get(n, path));
}

static bool json_get_bool(const struct json_node *n, const char *path,
			  bool otherwise)
{
	n = json_get(n, path);
	return n && n->kind == JSON_BOOL ? n->truth : otherwise;
}

/* ---- statistics ---- */

/* The index of a statistic by group and name. hint: where to start; the index
 * after the one found last. */
static int find_statistic(const char *group, const char *name, unsigned *hint)
{
	for (unsigned k = 0; k < stat_count; k++) {
		unsigned i = (*hint + k) % stat_count;
		const char *its = stat_name(i);

		if (!its || strcmp(its, name) ||
		    strcmp(stat_groups[stat_table[i].group].name, group) != 0)
			continue;
		*hint = i + 1;
		return (int)i;
	}
	return -1;
}

/* The same for any statistic, also one that has another name by now. */
static int find_any_statistic(struct run_result *r, const char *group,
			      const char *name, unsigned *hint)
{
	int i = find_statistic(group, name, hint);
	char key[2 * STAT_KEY_SIZE];

	if (i >= 0)
		return i;
	snprintf(key, sizeof(key), "%.60s.%.60s", group, name);
	r->undivided |= stat_key_is_undivided(key);
	return stat_index(key);
}

static void run_read_stats(struct run_result *r, struct stats *out,
			   const struct json_node *node)
{
	unsigned hint = 0, wanted = 0, found = 0;

	for (unsigned i = 0; i < stat_count; i++)
		wanted += stat_name(i) != NULL;
	for (const struct json_node *g = node ? node->first : NULL; g;
	     g = g->next)
		for (const struct json_node *n = g->first; n && g->key;
		     n = n->next) {
			int i = n->key ? find_any_statistic(r, g->key, n->key,
							    &hint) :
					 -1;

			r->unknown += i < 0;
			found += i >= 0;
			if (i >= 0 && stat_table[i].kind != STAT_RATE)
				stat_put(out, (unsigned)i,
					 json_whole_number(n));
		}
	if (found < wanted && wanted - found > r->missing)
		r->missing = wanted - found;
}

enum err run_other_slots(struct run_result *r, struct run_launch *l,
			 const char *name, uint64_t n, size_t room,
			 struct diag *d)
{
	struct run_slots *at;

	if (!l->others)
		l->others = arena_new(&r->arena, struct run_slots, room);
	if (!l->others)
		return fail(d, ERR_NOMEM, "out of memory");
	at = &l->others[l->other_count++];
	at->n = n;
	return run_text(r, &at->name, name, d);
}

/* Slots are kept whatever their reason is called, so that their sum is that of
 * all slots. */
static enum err run_read_reasons(struct run_result *r, struct run_launch *l,
				 const struct json_node *reasons,
				 struct diag *d)
{
	unsigned hint = 0;

	for (const struct json_node *n = reasons ? reasons->first : NULL; n;
	     n = n->next)
		if (n->key && find_statistic("reason", n->key, &hint) < 0 &&
		    run_other_slots(r, l, n->key, json_whole_number(n),
				    reasons->count, d))
			return d->code;
	return ERR_OK;
}

/* ---- configuration ---- */

static enum err run_read_param(uint64_t *unknown, struct cfg *c,
			       const struct json_node *n, struct diag *d)
{
	int id = n->key ? cfg_find(n->key, strlen(n->key)) : -1;
	const char *text = n->kind == JSON_BOOL ? n->truth ? "yes" : "no" :
						  n->text;
	char quoted[CFG_TEXT_SIZE + 2];

	if (id < 0 || !text) {
		++*unknown;
		return ERR_OK;
	}
	if (cfg_params[id].type == CFG_TEXT) {
		snprintf(quoted, sizeof(quoted), "\"%.*s\"", CFG_TEXT_SIZE - 1,
			 text);
		text = quoted;
	} else if (n->kind == JSON_NUMBER && strchr(text, '.')) {
		/* As many digits as a configuration file may have. */
		snprintf(quoted, sizeof(quoted), "%.15g", n->number);
		text = quoted;
	}
	return cfg_value_parse(c, (enum cfg_id)id, text, strlen(text), d);
}

enum err run_config_read(struct cfg *c, const struct json_node *node,
			 const char *path, uint64_t *unknown, struct diag *d)
{
	struct diag why;

	cfg_defaults(c);
	if (!node || node->kind != JSON_OBJECT)
		return fail(d, ERR_SYNTAX, "'%.200s' has no configuration",
			    path);
	for (const struct json_node *n = node->first; n; n = n->next)
		if (run_read_param(unknown, c, n, &why))
			return fail(d, why.code, "'%.150s': %.300s", path,
				    why.text);
	return ERR_OK;
}

/* ---- samples ---- */

/* Joins each two neighbours. */
static void halve_samples(struct run_launch *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->sample_count; i += 2, n++) {
		l->samples[n] = l->samples[i];
		if (i + 1 == l->sample_count)
			continue;
		l->samples[n].to = l->samples[i + 1].to;
		stats_add(&l->samples[n].stats, &l->samples[i + 1].stats);
	}
	l->sample_count = n;
}

static enum err run_read_samples(struct run_result *r, struct run_launch *l,
				 const struct json_node *node, struct diag *d)
{
	uint64_t stride = 1, in_last = 0;
	struct run_sample *at = NULL, one;

	if (!node || node->kind != JSON_ARRAY || !node->count)
		return ERR_OK;
	l->samples = arena_new(&r->arena, struct run_sample, RUN_SAMPLES);
	if (!l->samples)
		return fail(d, ERR_NOMEM, "out of memory");
	for (const struct json_node *n = node->first; n; n = n->next) {
		one = (struct run_sample){ .from = run_whole(n, "from"),
					   .to = run_whole(n, "to") };
		run_read_stats(r, &one.stats, json_get(n, "stats"));
		l->samples_read++;
		if (at && in_last < stride) {
			at->to = one.to;
			stats_add(&at->stats, &one.stats);
			in_last++;
			continue;
		}
		if (l->sample_count == RUN_SAMPLES) {
			halve_samples(l);
			stride *= 2;
		}
		at = &l->samples[l->sample_count++];
		*at = one;
		in_last = 1;
	}
	return ERR_OK;
}

/* ---- launches ---- */

static void run_read_size(uint32_t out[3], const struct json_node *n)
{
	n = n ? n->first : NULL;
	for (int i = 0; i < 3; i++, n = n ? n->next : NULL)
		out[i] = n ? (uint32_t)json_whole_number(n) : 1;
}

/* Reads what the launch did itself, if others ran at the same time. group: what
 * all of them did. */
static void run_read_own(struct run_result *r, struct run_launch *l,
			 const struct json_node *t,
			 const struct json_node *group)
{
	const struct json_node *own = json_get(t, "stats");
	uint64_t missing = r->missing, unknown = r->unknown;

	l->own_known = own != group;
	if (!l->own_known)
		return;
	run_read_stats(r, &l->own, own);
	/* What launches share is missing on purpose; what is not known stands
	 * in the group's, too. */
	r->missing = missing;
	r->unknown = unknown;
}

static enum err run_read_timing(struct run_result *r, struct run_launch *l,
				const struct json_node *t, struct diag *d)
{
	const struct json_node *o = json_get(t, "occupancy");
	const struct json_node *group = json_get(t, "group_stats") ?
						json_get(t, "group_stats") :
						json_get(t, "stats");

	l->timed = true;
	l->whole = json_get_bool(t, "whole", true);
	l->group_cycles = run_whole(t, "cycles");
	l->cycles = json_get(t, "kernel_cycles") ?
			    run_whole(t, "kernel_cycles") :
			    l->group_cycles;
	l->mhz = json_get_number(t, "clock_mhz", 0);
	l->seconds = l->mhz > 0 ? (double)l->cycles / (l->mhz * 1e6) : 0;
	l->occupancy = (struct run_occupancy){
		.blocks = run_whole(o, "blocks_per_sm"),
		.warps = run_whole(o, "warps_per_block"),
		.registers = run_whole(o, "registers"),
		.shared = run_whole(o, "shared_bytes"),
		.most_warps = run_whole(o, "most_warps"),
	};
	if (run_text(r, &l->occupancy.limit, json_get_text(o, "limit", ""), d))
		return d->code;
	if (!r->engine) {
		r->threads = run_whole(t, "threads");
		r->exact = json_get_bool(t, "exact", true);
		if (run_text(r, &r->engine, json_get_text(t, "engine", "?"), d))
			return d->code;
	}
	run_read_own(r, l, t, group);
	run_read_stats(r, &l->stats, group);
	if (run_read_reasons(r, l, json_get(group, "reason"), d) ||
	    run_lines_read(r, l, t, d) || run_maps_read(r, l, t, d))
		return d->code;
	return run_read_samples(r, l, json_get(t, "intervals"), d);
}

static enum err run_read_finding(struct run_result *r, struct run_finding *f,
				 const struct json_node *n, struct diag *d)
{
	double bound = json_get_number(n, "bound", 0);

	f->bound = bound > 0 && bound < 1 ? bound : 0;
	f->line = (uint32_t)run_whole(n, "line");
	if (run_text(r, &f->rule, json_get_text(n, "rule", "?"), d) ||
	    run_text(r, &f->finding, json_get_text(n, "finding", ""), d) ||
	    run_text(r, &f->evidence, json_get_text(n, "evidence", ""), d) ||
	    run_text(r, &f->remedy, json_get_text(n, "remedy", ""), d) ||
	    run_text(r, &f->file, json_get_text(n, "file", ""), d))
		return d->code;
	return ERR_OK;
}

static enum err run_read_advice(struct run_result *r, struct run_launch *l,
				const struct json_node *n, struct diag *d)
{
	const struct json_node *list = json_get(n, "advice");

	if (!list || list->kind != JSON_ARRAY)
		return ERR_OK;
	l->advised = true;
	l->findings = arena_new(&r->arena, struct run_finding, list->count + 1);
	if (!l->findings)
		return fail(d, ERR_NOMEM, "out of memory");
	for (n = list->first; n; n = n->next)
		if (run_read_finding(r, &l->findings[l->finding_count++], n, d))
			return d->code;
	return ERR_OK;
}

enum err run_launch_read(struct run_result *r, struct run_launch *l,
			 const struct json_node *n, struct diag *d)
{
	const struct json_node *timing = json_get(n, "timing");

	l->number = run_whole(n, "launch");
	l->stream = run_whole(n, "stream");
	l->at_once = json_get(n, "launches_at_once") ?
			     run_whole(n, "launches_at_once") :
			     1;
	l->place = run_whole(n, "member");
	run_read_size(l->grid, json_get(n, "grid"));
	run_read_size(l->block, json_get(n, "block"));
	if (run_text(r, &l->kernel, json_get_text(n, "kernel", "?"), d) ||
	    run_text(r, &l->isa, json_get_text(n, "isa", NULL), d) ||
	    run_text(r, &l->target, json_get_text(n, "target", NULL), d) ||
	    run_text(r, &l->fault, json_get_text(n, "fault.text", NULL), d) ||
	    run_text(r, &l->advice_about,
		     json_get_text(n, "advice_about", NULL), d) ||
	    run_read_advice(r, l, n, d))
		return d->code;
	if (!timing || timing->kind != JSON_OBJECT)
		return ERR_OK;
	r->timed_count++;
	return run_read_timing(r, l, timing, d);
}

/* ---- the file of a run ---- */

/* Notes that the run ended early, where no launch tells: between two launches
 * of --repeat or of a trace. */
static enum err run_read_status(struct run_result *r,
				const struct json_node *root, struct diag *d)
{
	const char *status = json_get_text(root, "status", "ok");
	const struct run_launch *l = &r->launches[0];

	if (l->fault || !l->whole)
		return ERR_OK;
	if (!strcmp(status, "interrupted"))
		return run_text(r, &r->incomplete, "it was interrupted", d);
	if (!strcmp(status, "error"))
		return run_text(r, &r->incomplete, "it ended with an error", d);
	return ERR_OK;
}

static enum err run_read_file(struct run_result *r,
			      const struct json_node *root, struct diag *d)
{
	const struct json_node *timing = json_get(root, "timing");

	if (!json_get(root, "heddle") || !json_get(root, "kernel"))
		return fail(d, ERR_SYNTAX,
			    "'%.200s' is not a result of 'heddle run --json'",
			    r->path);
	if (!timing)
		return fail(d, ERR_SYNTAX,
			    "'%.200s' has no timing: the run was made without "
			    "--gpu",
			    r->path);
	r->launches = arena_new(&r->arena, struct run_launch, 1);
	r->devices = arena_new(&r->arena, struct run_device, 1);
	if (!r->launches || !r->devices)
		return fail(d, ERR_NOMEM, "out of memory");
	r->launch_count = r->device_count = 1;
	r->host_seconds = json_get_number(root, "seconds", 0);
	if (run_text(r, &r->version, json_get_text(root, "heddle", "?"), d) ||
	    run_text(r, &r->program, json_get_text(root, "program", "?"), d) ||
	    run_text(r, &r->devices[0].gpu, json_get_text(timing, "gpu", "?"),
		     d) ||
	    run_launch_read(r, &r->launches[0], root, d))
		return d->code;
	r->launches[0].number = 1;
	if (run_read_status(r, root, d) ||
	    run_config_read(&r->devices[0].cfg, json_get(timing, "config"),
			    r->path, &r->unknown, d))
		return d->code;
	return run_trace_read(r, json_get(root, "trace"), d);
}

enum err run_read_text(struct run_result *r, const char *path, const char *text,
		       size_t size, struct diag *d)
{
	const struct json_node *root;
	struct arena tree = { 0 };
	enum err e;

	*r = (struct run_result){ .path = path };
	e = json_read(&root, &tree, text, size, path, d);
	if (!e)
		e = run_read_file(r, root, d);
	arena_free(&tree);
	return e;
}

enum err run_read(struct run_result *r, const char *path, struct diag *d)
{
	const struct json_node *root;
	struct arena tree = { 0 };
	struct stat st;
	enum err e;

	*r = (struct run_result){ .path = path };
	if (stat(path, &st))
		return fail(d, ERR_IO, "cannot read '%.200s': %s", path,
			    strerror(errno));
	if (S_ISDIR(st.st_mode))
		return run_folder_read(r, d);
	e = json_read_file(&root, &tree, path, d);
	if (!e)
		e = run_read_file(r, root, d);
	arena_free(&tree);
	return e;
}

enum err run_check_complete(const struct run_result *r, struct diag *d)
{
	if (r->incomplete)
		return fail(d, ERR_FAULT, "'%.200s' is incomplete: %.200s",
			    r->path, r->incomplete);
	for (size_t i = 0; i < r->launch_count; i++) {
		const struct run_launch *l = &r->launches[i];

		if (l->fault || (l->timed && !l->whole))
			return fail(d, ERR_FAULT,
				    "'%.200s' was cut short in launch %" PRIu64
				    ", %.60s%s%.160s",
				    r->path, l->number, l->kernel,
				    l->fault ? ": " : "",
				    l->fault ? l->fault : "");
	}
	return ERR_OK;
}

void run_free(struct run_result *r)
{
	arena_free(&r->arena);
}
