#include "explore/system_run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explore/files.h"
#include "explore/run.h"

#define PROGRAM_FILE "program.json"
#define ALONE_KIND "\"kind\": \"cgm\""
/* Longer lists are no results of ours. */
enum { MOST_SAMPLES = 4096, MOST_CORES = 4096 };

static enum err sysrun_no_memory(struct diag *d)
{
	return fail(d, ERR_NOMEM, "out of memory");
}

/* The file of the results: the path itself, or a file in the folder. */
static bool sysrun_result_file(char file[PATH_MAX], const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	if (!S_ISDIR(st.st_mode))
		return snprintf(file, PATH_MAX, "%s", path) < PATH_MAX;
	return snprintf(file, PATH_MAX, "%s/" PROGRAM_FILE, path) < PATH_MAX;
}

bool system_run_is(const char *path)
{
	char file[PATH_MAX], head[64] = "";
	FILE *f;
	size_t n;

	if (!sysrun_result_file(file, path) || !(f = fopen(file, "re")))
		return false;
	n = fread(head, 1, sizeof(head) - 1, f);
	fclose(f);
	head[n] = '\0';
	return strstr(head, "\"kind\": \"system\"") || strstr(head, ALONE_KIND);
}

/*
 * Values
 */

static const char *sysrun_text_of(const struct json_node *n, const char *key)
{
	return json_get_text(n, key, "");
}

static uint64_t sysrun_count_of(const struct json_node *n, const char *key)
{
	double v = json_get_number(n, key, 0);

	return v > 0 && v < 1.8e19 ? (uint64_t)v : 0;
}

/* The elements of an array; NULL: there is none. *count: how many. */
static const struct json_node *sysrun_list_of(const struct json_node *n,
					      const char *key, size_t *count)
{
	const struct json_node *list = json_get(n, key);

	*count = 0;
	if (!list || list->kind != JSON_ARRAY)
		return NULL;
	*count = list->count;
	return list->first;
}

static void sysrun_cpu(struct cpu_stats *to, const struct json_node *n)
{
	const struct json_node *slot = json_get(n, "slot");

	*to = (struct cpu_stats){ 0 };
	for (unsigned i = 0; i < cpu_stat_count; i++) {
		const struct cpu_stat_row *row = &cpu_stat_rows[i];

		*(uint64_t *)(void *)((char *)to + row->at) =
			sysrun_count_of(row->slot ? slot : n, row->name);
	}
}

static void sysrun_memory(struct cgm_stats *to, const struct json_node *n)
{
	*to = (struct cgm_stats){ 0 };
	for (unsigned i = 0; i < CGM_INSTANCES; i++) {
		const struct cgm_stat_place *p = &cgm_stat_places[i];
		const struct json_node *part = json_get(n, p->name);

		for (unsigned k = 0; k < cgm_stat_count; k++)
			if (cgm_stat_rows[k].kind == p->kind)
				*(uint64_t *)(void *)((char *)to + p->at +
						      cgm_stat_rows[k].at) =
					sysrun_count_of(part,
							cgm_stat_rows[k].name);
	}
}

static void sysrun_slots(uint64_t slot[CPU_SLOT_USES],
			 const struct json_node *n)
{
	unsigned use = 0;

	for (unsigned i = 0; i < cpu_stat_count; i++)
		if (cpu_stat_rows[i].slot)
			slot[use++] = sysrun_count_of(n, cpu_stat_rows[i].name);
}

/* Words of an array, with blanks between them. */
static const char *sysrun_join_words(struct system_run *r, const char *key)
{
	const struct json_node *n;
	size_t count, size = 1, used = 0;
	char *text;

	n = sysrun_list_of(r->json, key, &count);
	for (const struct json_node *i = n; i; i = i->next)
		size += (i->text ? strlen(i->text) : 0) + 1;
	text = arena_new(&r->arena, char, size);
	if (!text)
		return "";
	for (; n; n = n->next)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 used ? " " : "",
					 n->text ? n->text : "");
	return text;
}

/*
 * Lists
 */

static enum err sysrun_cores(struct system_run *r, struct diag *d)
{
	const struct json_node *n = sysrun_list_of(r->json, "core", &r->cores);

	if (r->cores > MOST_CORES)
		r->cores = MOST_CORES;
	r->core = arena_new(&r->arena, struct cpu_stats, r->cores + 1);
	if (!r->core)
		return sysrun_no_memory(d);
	for (size_t i = 0; i < r->cores; i++, n = n->next)
		sysrun_cpu(&r->core[i], n);
	return ERR_OK;
}

static enum err sysrun_links(struct system_run *r, struct diag *d)
{
	const struct json_node *n =
		sysrun_list_of(r->json, "links", &r->link_count);

	r->links = arena_new(&r->arena, struct system_link, r->link_count + 1);
	if (!r->links)
		return sysrun_no_memory(d);
	for (size_t i = 0; i < r->link_count; i++, n = n->next) {
		const struct json_node *ring = json_get(n, "ring");

		r->links[i] = (struct system_link){
			.name = sysrun_text_of(n, "link"),
			.ring = ring && ring->kind == JSON_BOOL && ring->truth,
			.messages = json_get_number(n, "messages", 0),
			.bytes = json_get_number(n, "bytes", 0),
			.busy = json_get_number(n, "busy_ticks", 0),
			.waited = json_get_number(n, "waited_ticks", 0),
			.held = json_get_number(n, "held_ticks", 0),
			.peak = json_get_number(n, "peak", 0),
			.room = json_get_number(n, "room", 0),
		};
	}
	return ERR_OK;
}

static enum err sysrun_messages(struct system_run *r, struct diag *d)
{
	const struct json_node *all = json_get(r->json, "messages");
	size_t count = all && all->kind == JSON_OBJECT ? all->count : 0;

	r->messages = arena_new(&r->arena, struct system_messages, count + 1);
	if (!r->messages)
		return sysrun_no_memory(d);
	for (const struct json_node *n = count ? all->first : NULL; n;
	     n = n->next)
		r->messages[r->message_count++] = (struct system_messages){
			n->key, n->kind == JSON_NUMBER ? n->number : 0
		};
	return ERR_OK;
}

static enum err sysrun_parts(struct system_run *r, const char *key,
			     const char *name, struct system_part **out,
			     size_t *count, struct diag *d)
{
	const struct json_node *n = sysrun_list_of(r->json, key, count);
	struct system_part *p;

	*out = p = arena_new(&r->arena, struct system_part, *count + 1);
	if (!p)
		return sysrun_no_memory(d);
	for (; n; n = n->next, p++) {
		p->name = json_get_text(n, name, NULL);
		p->text = sysrun_text_of(n, "text");
		p->file = json_get_text(n, "file", NULL);
		p->line = sysrun_count_of(n, "line");
		p->at = sysrun_count_of(n, "at");
		p->slots = sysrun_count_of(n, "slots");
		p->pauses = sysrun_count_of(n, "pauses");
		sysrun_slots(p->slot, json_get(n, "slot"));
	}
	return ERR_OK;
}

static enum err sysrun_blocks(struct system_run *r, struct diag *d)
{
	const struct json_node *n =
		sysrun_list_of(r->json, "hot_blocks", &r->block_count);
	struct system_block *b;

	r->blocks = b =
		arena_new(&r->arena, struct system_block, r->block_count + 1);
	if (!b)
		return sysrun_no_memory(d);
	for (; n; n = n->next, b++)
		*b = (struct system_block){
			.what = sysrun_text_of(n, "what"),
			.at = sysrun_count_of(n, "at"),
			.count = json_get_number(n, "count", 0),
			.over = json_get_number(n, "over", 0),
			.forwards = json_get_number(n, "forwards", 0),
			.invalidations = json_get_number(n, "invalidations", 0),
			.recalls = json_get_number(n, "recalls", 0),
		};
	return ERR_OK;
}

/* [kind, begin, end, how many] */
static enum err sysrun_spans(struct system_run *r, const struct json_node *from,
			     const char *key, struct system_bars *out,
			     struct diag *d)
{
	const struct json_node *n = sysrun_list_of(from, key, &out->count);
	struct system_bar *b;

	out->at = b = arena_new(&r->arena, struct system_bar, out->count + 1);
	if (!b)
		return sysrun_no_memory(d);
	for (; n; n = n->next, b++) {
		double v[4] = { 0 };
		int i = 0;

		for (const struct json_node *k = n->first; k && i < 4;
		     k = k->next)
			v[i++] = k->number;
		*b = (struct system_bar){ .number = v[0] > 0 ? (uint64_t)v[0] :
							       0,
					  .begin = v[1],
					  .end = v[2],
					  .count = v[3] };
	}
	return ERR_OK;
}

static enum err sysrun_regions(struct system_run *r, struct diag *d)
{
	const struct json_node *n =
		sysrun_list_of(r->json, "region_stats", &r->region_count);
	struct system_region_row *row;

	r->region_rows = row = arena_new(&r->arena, struct system_region_row,
					 r->region_count + 1);
	if (!row)
		return sysrun_no_memory(d);
	for (; n; n = n->next, row++) {
		row->number = sysrun_count_of(n, "region");
		row->times = sysrun_count_of(n, "times");
		row->ns = json_get_number(n, "nanoseconds", 0);
		row->cycles = json_get_number(n, "cycles", 0);
		sysrun_cpu(&row->cpu, json_get(n, "cpu"));
		sysrun_memory(&row->cgm, json_get(n, "memory"));
	}
	return sysrun_spans(r, r->json,
			    r->alone ? "phase_spans" : "region_spans",
			    &r->regions, d);
}

static enum err sysrun_requesters(struct system_run *r, struct diag *d)
{
	const struct json_node *n =
		sysrun_list_of(r->json, "requesters", &r->requester_count);
	struct system_requester *q;

	r->requesters = q = arena_new(&r->arena, struct system_requester,
				      r->requester_count + 1);
	if (!q)
		return sysrun_no_memory(d);
	for (; n; n = n->next, q++) {
		q->who = sysrun_text_of(n, "who");
		q->port = sysrun_text_of(n, "port");
		q->number = sysrun_count_of(n, "number");
		for (unsigned k = 0; k < cgm_stat_count; k++)
			if (cgm_stat_rows[k].kind == CGM_KIND_port)
				*(uint64_t *)(void *)((char *)&q->st +
						      cgm_stat_rows[k].at) =
					sysrun_count_of(n,
							cgm_stat_rows[k].name);
	}
	return ERR_OK;
}

static enum err sysrun_slowest(struct system_run *r, struct diag *d)
{
	const struct json_node *n =
		sysrun_list_of(r->json, "slowest", &r->slowest_count);
	struct system_request *q;

	r->slowest = q = arena_new(&r->arena, struct system_request,
				   r->slowest_count + 1);
	if (!q)
		return sysrun_no_memory(d);
	for (; n; n = n->next, q++)
		*q = (struct system_request){
			.who = sysrun_text_of(n, "who"),
			.what = sysrun_text_of(n, "what"),
			.number = sysrun_count_of(n, "number"),
			.line = sysrun_count_of(n, "line"),
			.address = sysrun_count_of(n, "address"),
			.size = sysrun_count_of(n, "size"),
			.sent = json_get_number(n, "sent_ns", 0),
			.latency = json_get_number(n, "latency_ns", 0),
		};
	return ERR_OK;
}

static enum err sysrun_opencl(struct system_run *r, struct diag *d)
{
	const struct json_node *cl = json_get(r->json, "opencl"), *n;
	struct system_opencl *o = &r->opencl;
	struct system_bar *b;

	o->begin = json_get_number(cl, "begin_ns", 0);
	o->region = json_get_number(cl, "region_ns", 0);
	o->kernel = json_get_number(cl, "kernel_ns", 0);
	o->call = json_get_number(cl, "call_ns", 0);
	o->copy = json_get_number(cl, "copy_ns", 0);
	o->rest = json_get_number(cl, "cpu_ns", 0);
	o->calls = json_get_number(cl, "calls", 0);
	o->copied = json_get_number(cl, "copied_bytes", 0);
	n = sysrun_list_of(cl, "kernels", &o->kernels.count);
	o->kernels.at = b =
		arena_new(&r->arena, struct system_bar, o->kernels.count + 1);
	if (!b)
		return sysrun_no_memory(d);
	for (; n; n = n->next, b++) {
		b->name = sysrun_text_of(n, "kernel");
		b->begin = json_get_number(n, "start_ns", 0);
		b->end = b->begin + json_get_number(n, "kernel_ns", 0);
		b->count = 1;
	}
	if (sysrun_spans(r, cl, "call_spans", &o->call_spans, d))
		return d->code;
	return sysrun_spans(r, cl, "copy_spans", &o->copy_spans, d);
}

static enum err sysrun_ends(struct system_run *r, struct diag *d)
{
	const struct json_node *n =
		sysrun_list_of(r->json, "series.cycles", &r->samples);
	double before = 0;

	if (r->samples > MOST_SAMPLES)
		return fail(d, ERR_SYNTAX, "'%.200s': %zu samples", r->path,
			    r->samples);
	r->ends = arena_new(&r->arena, double, r->samples + 1);
	if (!r->ends)
		return sysrun_no_memory(d);
	for (size_t i = 0; n; n = n->next, i++) {
		r->ends[i] = n->kind == JSON_NUMBER ? n->number : 0;
		if (!(r->ends[i] >= before))
			return fail(d, ERR_SYNTAX,
				    "'%.200s': samples are not in order",
				    r->path);
		before = r->ends[i];
	}
	return ERR_OK;
}

/* The member at a path in which numbers are places in arrays. */
static const struct json_node *sysrun_series_node(const struct json_node *n,
						  const char *path)
{
	char key[80];

	while (n && *path) {
		size_t size = strcspn(path, ".");
		char *end;
		unsigned long at = strtoul(path, &end, 10);

		if (end == path + size && n->kind == JSON_ARRAY) {
			for (n = n->first; n && at; at--)
				n = n->next;
		} else if (size < sizeof(key)) {
			memcpy(key, path, size);
			key[size] = '\0';
			n = json_get(n, key);
		} else {
			return NULL;
		}
		path += size + (path[size] == '.');
	}
	return n;
}

const double *system_run_series(struct system_run *r, const char *path)
{
	const struct json_node *n =
		sysrun_series_node(json_get(r->json, "series"), path);
	double *v = arena_new(&r->arena, double, r->samples + 1);

	if (!v || !n || n->kind != JSON_ARRAY)
		return v;
	n = n->first;
	for (size_t i = 0; n && i < r->samples; i++, n = n->next)
		v[i] = n->kind == JSON_NUMBER ? n->number : 0;
	return v;
}

static enum err sysrun_idle(struct system_run *r, struct diag *d)
{
	char path[64];

	r->core_idle = arena_new(&r->arena, const double *, r->cores + 1);
	if (!r->core_idle)
		return sysrun_no_memory(d);
	for (size_t i = 0; i < r->cores; i++) {
		snprintf(path, sizeof(path), "core.%zu.idle", i);
		r->core_idle[i] = system_run_series(r, path);
		if (!r->core_idle[i])
			return sysrun_no_memory(d);
	}
	return ERR_OK;
}

/*
 * All of it
 */

static enum err sysrun_mark(struct system_run *r, const char *path,
			    struct diag *d)
{
	char file[PATH_MAX], text[200] = "";
	size_t n;
	FILE *f;

	if (snprintf(file, sizeof(file), "%s/" FOLDER_MARK, path) >=
	    (int)sizeof(file))
		return ERR_OK;
	f = fopen(file, "re");
	if (!f)
		return ERR_OK;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	r->incomplete = arena_strndup(&r->arena, text, strlen(text));
	return r->incomplete ? ERR_OK : sysrun_no_memory(d);
}

static enum err sysrun_head(struct system_run *r, struct diag *d)
{
	const struct json_node *j = r->json;
	const struct json_node *stopped = json_get(j, "interrupted");

	r->alone = !strcmp(sysrun_text_of(j, "kind"), "cgm");
	r->program = sysrun_text_of(j, "program");
	r->config = sysrun_text_of(j, "config");
	r->engine = sysrun_text_of(j, "engine");
	r->version = sysrun_text_of(j, "version");
	r->end = sysrun_text_of(j, "end");
	r->arguments = sysrun_join_words(r, "arguments");
	r->environment = sysrun_join_words(r, "environment");
	r->cycles = json_get_number(j, "cycles", 0);
	r->khz = json_get_number(j, "ticks_khz", 0);
	r->host_seconds = json_get_number(j, "host_seconds", 0);
	r->threads = json_get_number(j, "threads", 0);
	if (!(r->khz > 0) || !(r->cycles >= 0))
		return fail(d, ERR_SYNTAX,
			    "'%.200s' is not a result of a system", r->path);
	if (run_config_read(&r->cfg, json_get(j, "parameters"), r->path,
			    &r->unknown, d))
		return d->code;
	r->clock = r->alone ? r->cfg.cgm.clock : r->cfg.cgm.cpu_clock;
	r->ns = r->cycles * 1e3 / r->clock;
	if (stopped && stopped->kind == JSON_BOOL && stopped->truth)
		r->incomplete = "The run was interrupted.";
	return ERR_OK;
}

enum err system_run_read(struct system_run *r, const char *path, struct diag *d)
{
	char file[PATH_MAX];

	*r = (struct system_run){ .path = path };
	if (!sysrun_result_file(file, path))
		return fail(d, ERR_IO, "cannot read '%.200s'", path);
	if (json_read_file(&r->json, &r->arena, file, d) || sysrun_head(r, d) ||
	    sysrun_cores(r, d) || sysrun_links(r, d) || sysrun_messages(r, d) ||
	    sysrun_parts(r, "functions", "function", &r->functions,
			 &r->function_count, d) ||
	    sysrun_parts(r, "lines", "function", &r->lines, &r->line_count,
			 d) ||
	    sysrun_parts(r, "hot_instructions", "place", &r->hot, &r->hot_count,
			 d) ||
	    sysrun_blocks(r, d) || sysrun_regions(r, d) ||
	    sysrun_opencl(r, d) || sysrun_ends(r, d))
		return d->code;
	if (sysrun_idle(r, d) || sysrun_requesters(r, d) ||
	    sysrun_slowest(r, d))
		return d->code;
	sysrun_cpu(&r->cpu, json_get(r->json, "cpu"));
	sysrun_memory(&r->cgm, json_get(r->json, "memory"));
	r->instructions = (double)r->cpu.instructions;
	return r->incomplete ? ERR_OK : sysrun_mark(r, path, d);
}

void system_run_free(struct system_run *r)
{
	arena_free(&r->arena);
}
