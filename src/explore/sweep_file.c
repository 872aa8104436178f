#include "explore/sweep_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "explore/run.h"

/*
 * Points
 */

enum err sweep_job_write(FILE *to, const struct sweep_job *j, struct diag *d)
{
	struct json out = { .to = to };

	json_open_line(&out, NULL, '{');
	json_string(&out, "key", j->key);
	json_string(&out, "version", j->version);
	json_real(&out, "timeout", j->timeout);
	json_real(&out, "region", j->region);
	json_open_line(&out, "argv", '[');
	for (size_t i = 0; j->argv[i]; i++)
		json_string(&out, NULL, j->argv[i]);
	json_close(&out, '[');
	json_close(&out, '{');
	return ferror(to) ? fail(d, ERR_IO, "cannot write the points: %s",
				 strerror(errno)) :
			    ERR_OK;
}

static enum err job_read(struct sweep_job *j, struct arena *a, const char *line,
			 size_t size, const char *name, struct diag *d)
{
	const struct json_node *root, *argv;
	size_t n = 0;

	if (json_read(&root, a, line, size, name, d))
		return d->code;
	argv = json_get(root, "argv");
	j->key = json_get_text(root, "key", "");
	j->version = json_get_text(root, "version", "");
	j->timeout = json_get_number(root, "timeout", 0);
	j->region = (int)json_get_number(root, "region", -1);
	if (!argv || argv->kind != JSON_ARRAY || !argv->count ||
	    strlen(j->key) + 1 != STORE_KEY_SIZE ||
	    strspn(j->key, "0123456789abcdef") + 1 != STORE_KEY_SIZE)
		return fail(d, ERR_SYNTAX,
			    "%.300s: a line is not a point of a sweep", name);
	j->argv = arena_new(a, const char *, argv->count + 1);
	if (!j->argv)
		return fail(d, ERR_NOMEM, "out of memory");
	for (const struct json_node *w = argv->first; w; w = w->next)
		if (w->kind == JSON_STRING)
			j->argv[n++] = w->text;
	return ERR_OK;
}

static enum err jobs_read_lines(FILE *in, struct sweep_job **out, size_t *count,
				struct arena *a, const char *name,
				struct diag *d)
{
	size_t room = 0, line_room = 0;
	char *line = NULL;
	ssize_t n;

	while ((n = getline(&line, &line_room, in)) > 0) {
		if (*count == room) {
			struct sweep_job *more =
				arena_new(a, struct sweep_job, 2 * room + 64);

			if (!more)
				break;
			memcpy(more, *out, *count * sizeof(*more));
			*out = more;
			room = 2 * room + 64;
		}
		if (job_read(&(*out)[*count], a, line, (size_t)n, name, d)) {
			free(line);
			return d->code;
		}
		++*count;
	}
	free(line);
	return n > 0      ? fail(d, ERR_NOMEM, "out of memory") :
	       ferror(in) ? fail(d, ERR_IO, "cannot read '%.300s': %s", name,
				 strerror(errno)) :
			    ERR_OK;
}

enum err sweep_jobs_read(struct sweep_job **out, size_t *count, struct arena *a,
			 const char *folder, struct diag *d)
{
	char path[PATH_MAX];
	FILE *in;
	enum err e;

	*out = arena_new(a, struct sweep_job, 1);
	*count = 0;
	if (!*out)
		return fail(d, ERR_NOMEM, "out of memory");
	snprintf(path, sizeof(path), "%s/" SWEEP_POINTS, folder);
	in = fopen(path, "re");
	if (!in)
		return fail(d, ERR_IO, "cannot open '%.300s': %s", path,
			    strerror(errno));
	e = jobs_read_lines(in, out, count, a, path, d);
	fclose(in);
	return e;
}

/*
 * Results
 */

static void result_path(char path[PATH_MAX], const char *folder,
			const char *key, const char *end)
{
	snprintf(path, PATH_MAX, "%s/" SWEEP_RESULTS "/%s%s", folder, key, end);
}

static void result_write_stats(struct json *j, const struct stats *s)
{
	char name[STAT_KEY_SIZE];

	json_open(j, "stats", '{');
	for (unsigned i = 0; i < stat_count; i++)
		if (stat_table[i].kind != STAT_RATE && stat_key(name, i))
			json_uint(j, name, stat_value(&stat_table[i], s));
	json_close(j, '{');
}

static void result_write_system(struct json *j, const struct outcome_system *s)
{
	struct outcome_value v;

	json_open(j, "system", '{');
	for (size_t i = 0; outcome_system_value(&v, s, i); i++)
		json_real(j, v.name, v.value);
	json_close(j, '{');
}

static void result_write_outcome(FILE *to, const struct sweep_outcome *o)
{
	struct json j = { .to = to };

	json_open(&j, NULL, '{');
	json_bool(&j, "ok", o->ok);
	json_string(&j, "reason", o->reason);
	json_real(&j, "cycles", o->cycles);
	json_real(&j, "gpu_seconds", o->gpu_seconds);
	json_real(&j, "host_seconds", o->host_seconds);
	json_real(&j, "warp_instructions", o->warp_instructions);
	json_uint(&j, "launches", o->launches);
	json_string(&j, "engine", o->engine);
	json_string(&j, "code", o->code);
	json_string(&j, "version", o->version);
	json_string(&j, "host", o->host);
	json_string(&j, "finished", o->finished);
	result_write_stats(&j, &o->stats);
	if (o->system.is)
		result_write_system(&j, &o->system);
	json_close(&j, '{');
}

enum err sweep_result_write(const char *folder, const char *key,
			    const struct sweep_outcome *o, struct diag *d)
{
	char path[PATH_MAX], other[PATH_MAX], end[32];
	bool whole;
	FILE *f;

	snprintf(end, sizeof(end), ".%ld.tmp", (long)getpid());
	result_path(path, folder, key, ".json");
	result_path(other, folder, key, end);
	f = fopen(other, "we");
	if (f)
		result_write_outcome(f, o);
	whole = f && !ferror(f) && !fflush(f) && !fsync(fileno(f));
	if (f && fclose(f))
		whole = false;
	if (whole && !rename(other, path))
		return ERR_OK;
	return fail(d, ERR_IO, "cannot write '%.300s': %s", path,
		    strerror(errno));
}

bool sweep_result_exists(const char *folder, const char *key)
{
	char path[PATH_MAX];

	result_path(path, folder, key, ".json");
	return !access(path, F_OK);
}

void sweep_result_remove(const char *folder, const char *key)
{
	char path[PATH_MAX];

	result_path(path, folder, key, ".json");
	unlink(path);
}

/* The statistics are in the order of stat_table. */
static enum err result_read_stats(struct stats *s, const struct json_node *list,
				  const char *path, struct diag *d)
{
	const struct json_node *n = list ? list->first : NULL;
	char name[STAT_KEY_SIZE];

	for (unsigned i = 0; i < stat_count; i++) {
		if (stat_table[i].kind == STAT_RATE || !stat_key(name, i))
			continue;
		if (!n || n->kind != JSON_NUMBER || strcmp(n->key, name) != 0)
			return fail(
				d, ERR_SYNTAX,
				"'%.300s' was written by another version: it has "
				"no %s",
				path, name);
		stat_put(s, i, strtoull(n->text, NULL, 10));
		n = n->next;
	}
	return ERR_OK;
}

static void result_read_system(struct outcome_system *s,
			       const struct json_node *list)
{
	s->is = list && list->kind == JSON_OBJECT;
	for (const struct json_node *n = s->is ? list->first : NULL; n;
	     n = n->next) {
		struct outcome_value v = { .value = n->number };

		if (n->kind != JSON_NUMBER)
			continue;
		snprintf(v.name, sizeof(v.name), "%s", n->key);
		outcome_system_put(s, &v);
	}
}

static void result_copy_text(char *to, size_t room,
			     const struct json_node *root, const char *key)
{
	snprintf(to, room, "%s", json_get_text(root, key, ""));
}

static enum err result_read_outcome(struct sweep_outcome *o,
				    const struct json_node *root,
				    const char *path, struct diag *d)
{
	const struct json_node *ok = json_get(root, "ok");

	*o = (struct sweep_outcome){ .ok = ok && ok->kind == JSON_BOOL &&
					   ok->truth };
	o->cycles = json_get_number(root, "cycles", 0);
	o->gpu_seconds = json_get_number(root, "gpu_seconds", 0);
	o->host_seconds = json_get_number(root, "host_seconds", 0);
	o->warp_instructions = json_get_number(root, "warp_instructions", 0);
	o->launches = whole_of_real(json_get_number(root, "launches", 0));
	result_copy_text(o->reason, sizeof(o->reason), root, "reason");
	result_copy_text(o->engine, sizeof(o->engine), root, "engine");
	result_copy_text(o->code, sizeof(o->code), root, "code");
	result_copy_text(o->version, sizeof(o->version), root, "version");
	result_copy_text(o->host, sizeof(o->host), root, "host");
	result_copy_text(o->finished, sizeof(o->finished), root, "finished");
	result_read_system(&o->system, json_get(root, "system"));
	return result_read_stats(&o->stats, json_get(root, "stats"), path, d);
}

enum err sweep_result_read(struct sweep_outcome *o, const char *folder,
			   const char *key, struct diag *d)
{
	const struct json_node *root;
	struct arena a = { 0 };
	char path[PATH_MAX];
	enum err e;

	result_path(path, folder, key, ".json");
	if (access(path, R_OK) && errno == ENOENT)
		return fail(d, ERR_UNKNOWN, "'%.300s' does not exist", path);
	e = json_read_file(&root, &a, path, d);
	if (!e)
		e = result_read_outcome(o, root, path, d);
	arena_free(&a);
	return e;
}
