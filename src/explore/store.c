#include "explore/store.h"

#ifdef HEDDLE_SQLITE

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "explore/run.h"
#include "explore/store_sql.h"

#define BUSY_MS 20000

const char store_schema[] = STORE_SCHEMA;

enum {
#define X(id, sql) SQL_##id,
	STORE_STATEMENTS(X)
#undef X
		SQL_COUNT
};

static const char *const statements[SQL_COUNT] = {
#define X(id, sql) [SQL_##id] = sql,
	STORE_STATEMENTS(X)
#undef X
};
struct result_store {
	sqlite3 *db;
	char *path;
	int lock; /* a file; -1: opened for reading */
	sqlite3_stmt *prepared[SQL_COUNT];
};

static enum err store_error(const struct result_store *s, struct diag *d)
{
	return fail(d, ERR_IO, "database '%.160s': %s", s->path,
		    s->db ? sqlite3_errmsg(s->db) : "out of memory");
}

/*
 * Statements
 */

/* A prepared statement without bindings, or NULL. */
static sqlite3_stmt *store_statement(struct result_store *s, int which,
				     struct diag *d)
{
	sqlite3_stmt **a = &s->prepared[which];

	if (!*a && sqlite3_prepare_v3(s->db, statements[which], -1,
				      SQLITE_PREPARE_PERSISTENT, a, NULL)) {
		store_error(s, d);
		return NULL;
	}
	sqlite3_reset(*a);
	sqlite3_clear_bindings(*a);
	return *a;
}

static void store_bind_text(sqlite3_stmt *a, int i, const char *text)
{
	sqlite3_bind_text(a, i, text, -1, SQLITE_STATIC);
}

/* NaN becomes NULL. */
static void store_bind_real(sqlite3_stmt *a, int i, double v)
{
	if (!isnan(v))
		sqlite3_bind_double(a, i, v);
}

/* Runs a bound statement that returns no row. */
static enum err store_execute(struct result_store *s, sqlite3_stmt *a,
			      struct diag *d)
{
	int rc = sqlite3_step(a);

	if (rc != SQLITE_DONE)
		store_error(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_DONE ? ERR_OK : d->code;
}

static enum err store_run(struct result_store *s, int which, struct diag *d)
{
	sqlite3_stmt *a = store_statement(s, which, d);

	return a ? store_execute(s, a, d) : d->code;
}

/* Runs a statement whose only parameter is a sweep. */
static enum err store_run_for(struct result_store *s, int which, int64_t sweep,
			      struct diag *d)
{
	sqlite3_stmt *a = store_statement(s, which, d);

	if (!a)
		return d->code;
	sqlite3_bind_int64(a, 1, sweep);
	return store_execute(s, a, d);
}

/* Runs a statement whose only parameter is a key. */
static enum err store_run_key(struct result_store *s, int which,
			      const char *key, struct diag *d)
{
	sqlite3_stmt *a = store_statement(s, which, d);

	if (!a)
		return d->code;
	store_bind_text(a, 1, key);
	return store_execute(s, a, d);
}

/* Runs a bound statement that returns a number; -1: it returned no row. */
static enum err store_number(struct result_store *s, sqlite3_stmt *a,
			     int64_t *out, struct diag *d)
{
	int rc = sqlite3_step(a);

	*out = rc == SQLITE_ROW ? sqlite3_column_int64(a, 0) : -1;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		store_error(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? ERR_OK : d->code;
}

/* Ends a transaction: commits it if e is ERR_OK, else rolls it back. */
static enum err store_commit(struct result_store *s, enum err e, struct diag *d)
{
	struct diag other;

	if (!e)
		e = store_run(s, SQL_COMMIT, d);
	if (e)
		(void)!store_run(s, SQL_ROLLBACK, &other);
	return e;
}

/*
 * Opening
 */

static enum err store_lock(struct result_store *s, struct diag *d)
{
	size_t n = strlen(s->path) + 6;
	char *name = malloc(n);

	if (!name)
		return fail(d, ERR_NOMEM, "out of memory");
	snprintf(name, n, "%s.lock", s->path);
	s->lock = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
	free(name);
	if (s->lock < 0)
		return fail(d, ERR_IO, "cannot create '%.160s.lock': %s",
			    s->path, strerror(errno));
	if (flock(s->lock, LOCK_EX | LOCK_NB))
		return fail(d, ERR_IO,
			    "database '%.160s': another sweep is using it",
			    s->path);
	return ERR_OK;
}

static enum err store_run_sql(struct result_store *s, const char *sql,
			      struct diag *d)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) ? store_error(s, d) :
							    ERR_OK;
}

static enum err store_check_format(struct result_store *s, struct diag *d)
{
	sqlite3_stmt *a = NULL;
	bool same;

	if (sqlite3_prepare_v2(s->db,
			       "SELECT value FROM meta WHERE key = 'format'",
			       -1, &a, NULL) ||
	    sqlite3_step(a) != SQLITE_ROW) {
		sqlite3_finalize(a);
		return fail(d, ERR_SYNTAX,
			    "'%.200s' is not a database of sweeps", s->path);
	}
	same = !strcmp((const char *)sqlite3_column_text(a, 0), STORE_FORMAT);
	sqlite3_finalize(a);
	return same ? ERR_OK :
		      fail(d, ERR_UNSUPP,
			   "'%.200s' was written by another version of "
			   "Heddle",
			   s->path);
}

static enum err store_is_empty(struct result_store *s, bool *empty,
			       struct diag *d)
{
	sqlite3_stmt *a = NULL;
	int64_t tables;
	enum err e;

	if (sqlite3_prepare_v2(s->db, "SELECT COUNT(*) FROM sqlite_schema", -1,
			       &a, NULL))
		return store_error(s, d);
	e = store_number(s, a, &tables, d);
	sqlite3_finalize(a);
	*empty = tables == 0;
	return e;
}

static enum err store_make_tables(struct result_store *s, struct diag *d)
{
	bool empty;

	if (store_run_sql(
		    s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
		    d) ||
	    store_is_empty(s, &empty, d))
		return d->code;
	if (!empty) {
		enum err e = store_check_format(s, d);

		return e ? e :
			   store_run_sql(
				   s,
				   "CREATE TABLE IF NOT EXISTS" STORE_AGAIN
				   ";CREATE TABLE IF NOT EXISTS" STORE_CODE,
				   d);
	}
	if (store_run(s, SQL_BEGIN, d))
		return d->code;
	return store_commit(s, store_run_sql(s, store_schema, d), d);
}

/* A database that is only read does not change: one of an earlier version gets
 * an empty table for this process. */
static enum err store_find_tables(struct result_store *s, struct diag *d)
{
	bool there;
	sqlite3_stmt *a = NULL;

	if (store_check_format(s, d))
		return d->code;
	there = !sqlite3_prepare_v2(s->db, "SELECT key FROM again", -1, &a,
				    NULL);
	sqlite3_finalize(a);
	return there ? ERR_OK :
		       store_run_sql(s, "CREATE TEMP TABLE" STORE_AGAIN, d);
}

enum err store_open(struct result_store **out, const char *path,
		    enum store_mode mode, struct diag *d)
{
	struct result_store *s = calloc(1, sizeof(*s));
	int flags = mode == STORE_WRITE ?
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE :
			    SQLITE_OPEN_READWRITE;

	*out = s;
	if (s)
		s->lock = -1;
	if (!s || !(s->path = strdup(path)))
		return fail(d, ERR_NOMEM, "out of memory");
	if (mode == STORE_READ && access(path, R_OK))
		return fail(d, ERR_IO, "cannot open '%.200s': %s", path,
			    strerror(errno));
	if (mode == STORE_WRITE && store_lock(s, d))
		return d->code;
	if (sqlite3_open_v2(path, &s->db, flags, NULL))
		return store_error(s, d);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	return mode == STORE_WRITE ? store_make_tables(s, d) :
				     store_find_tables(s, d);
}

void store_close(struct result_store *s)
{
	if (!s)
		return;
	for (int i = 0; i < SQL_COUNT; i++)
		sqlite3_finalize(s->prepared[i]);
	sqlite3_close(s->db);
	if (s->lock >= 0)
		close(s->lock);
	free(s->path);
	free(s);
}

/*
 * Plans
 */

static enum err store_sweep_id(struct result_store *s, const char *name,
			       int64_t *id, struct diag *d)
{
	sqlite3_stmt *a = store_statement(s, SQL_SWEEP_ID, d);

	if (!a)
		return d->code;
	store_bind_text(a, 1, name);
	if (store_number(s, a, id, d))
		return d->code;
	return *id >= 0 ? ERR_OK :
			  fail(d, ERR_UNKNOWN,
			       "database '%.160s' has no sweep '%.80s'",
			       s->path, name);
}

static enum err store_put_sweep(struct result_store *s, const struct sweep *w,
				const char *text, int64_t *id, struct diag *d)
{
	sqlite3_stmt *a = store_statement(s, SQL_SWEEP, d);
	time_t now = time(NULL);
	char created[32];
	struct tm tm;

	if (!a)
		return d->code;
	gmtime_r(&now, &tm);
	strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", &tm);
	store_bind_text(a, 1, w->name);
	store_bind_text(a, 2, w->title);
	store_bind_text(a, 3, text);
	store_bind_text(a, 4, w->gpu);
	store_bind_text(a, 5, w->cost_text);
	store_bind_text(a, 6, created);
	if (store_execute(s, a, d) || store_sweep_id(s, w->name, id, d) ||
	    store_run_for(s, SQL_DROP_SETTINGS, *id, d))
		return d->code;
	return store_run_for(s, SQL_DROP_POINTS, *id, d);
}

static enum err store_put_program(struct result_store *s,
				  const struct store_program *p, int64_t *id,
				  struct diag *d)
{
	for (int which = SQL_PROGRAM; which <= SQL_PROGRAM_ID; which++) {
		sqlite3_stmt *a = store_statement(s, which, d);

		if (!a)
			return d->code;
		store_bind_text(a, 1, p->name);
		store_bind_text(a, 2, p->command);
		store_bind_text(a, 3, p->hash);
		if (which == SQL_PROGRAM ? store_execute(s, a, d) :
					   store_number(s, a, id, d))
			return d->code;
	}
	return ERR_OK;
}

static enum err store_put_config(struct result_store *s,
				 const struct sweep_plan *p, size_t config,
				 char hash[STORE_KEY_SIZE], int64_t *id,
				 struct diag *d)
{
	sqlite3_stmt *a;
	struct cfg c;
	char *text;
	enum err e;

	plan_resolve(p, config, &c);
	text = cfg_dump(&c, NULL);
	a = text ? store_statement(s, SQL_CONFIG, d) : NULL;
	if (!a) {
		e = text ? d->code : fail(d, ERR_NOMEM, "out of memory");
		free(text);
		return e;
	}
	store_hash(hash, text, strlen(text));
	store_bind_text(a, 1, hash);
	store_bind_text(a, 2, p->sweep->gpu);
	store_bind_text(a, 3, text);
	e = store_execute(s, a, d);
	free(text);
	a = e ? NULL : store_statement(s, SQL_CONFIG_ID, d);
	if (!a)
		return d->code;
	store_bind_text(a, 1, hash);
	return store_number(s, a, id, d);
}

static enum err store_put_settings(struct result_store *s,
				   const struct sweep_plan *p, size_t config,
				   int64_t point, struct diag *d)
{
	size_t n = plan_setting_count(p, config);

	for (size_t i = 0; i < n; i++) {
		sqlite3_stmt *a = store_statement(s, SQL_SETTING, d);
		struct plan_setting v;

		if (!a)
			return d->code;
		plan_setting(p, config, i, &v);
		sqlite3_bind_int64(a, 1, point);
		store_bind_text(a, 2, v.key);
		store_bind_text(a, 3, v.value);
		store_bind_real(a, 4, v.number);
		store_bind_real(a, 5, v.factor);
		if (store_execute(s, a, d))
			return d->code;
	}
	return ERR_OK;
}

/* A row of the table of points. */
struct point_row {
	int64_t sweep, program, config;
	size_t ordinal, config_number;
	const char *key;
};

static enum err store_put_point(struct result_store *s,
				const struct sweep_plan *p,
				const struct point_row *at, struct diag *d)
{
	const struct plan_config *k = &p->configs[at->config_number];
	sqlite3_stmt *a = store_statement(s, SQL_POINT, d);

	if (!a)
		return d->code;
	sqlite3_bind_int64(a, 1, at->sweep);
	sqlite3_bind_int64(a, 2, (int64_t)at->ordinal);
	sqlite3_bind_int64(a, 3, at->program);
	sqlite3_bind_int64(a, 4, at->config);
	store_bind_text(a, 5, k->axis);
	store_bind_text(a, 6, k->label);
	sqlite3_bind_int(a, 7, !k->set);
	store_bind_real(a, 8, k->cost);
	store_bind_text(a, 9, at->key);
	if (store_execute(s, a, d))
		return d->code;
	return store_put_settings(s, p, at->config_number,
				  sqlite3_last_insert_rowid(s->db), d);
}

/* A configuration is the same for all programs and written once. */
static enum err store_put_points(struct result_store *s,
				 const struct sweep_plan *p, int64_t sweep,
				 const struct store_program *programs,
				 const int64_t *ids, const char *version,
				 struct diag *d)
{
	for (size_t c = 0; c < p->config_count; c++) {
		char hash[STORE_KEY_SIZE], key[STORE_KEY_SIZE];
		struct point_row at = { .sweep = sweep,
					.config_number = c,
					.key = key };

		if (store_put_config(s, p, c, hash, &at.config, d))
			return d->code;
		store_hash_env(hash, (const char *const *)p->configs[c].env,
			       p->configs[c].env_count);
		for (size_t i = 0; i < p->sweep->program_count; i++) {
			at.program = ids[i];
			at.ordinal = i * p->config_count + c;
			store_key(key, programs[i].hash, hash, p->sweep,
				  version);
			if (store_put_point(s, p, &at, d))
				return d->code;
		}
	}
	return ERR_OK;
}

enum err store_plan(struct result_store *s, const struct sweep_plan *p,
		    const char *text, const struct store_program *programs,
		    const char *version, struct diag *d)
{
	size_t n = p->sweep->program_count;
	int64_t *ids = calloc(n, sizeof(*ids)), sweep = 0;
	enum err e;

	if (!ids)
		return fail(d, ERR_NOMEM, "out of memory");
	e = store_run(s, SQL_BEGIN, d);
	if (e) {
		free(ids);
		return e;
	}
	e = store_put_sweep(s, p->sweep, text, &sweep, d);
	for (size_t i = 0; !e && i < n; i++)
		e = store_put_program(s, &programs[i], &ids[i], d);
	if (!e)
		e = store_put_points(s, p, sweep, programs, ids, version, d);
	free(ids);
	return store_commit(s, e, d);
}

/*
 * Results
 */

enum err store_todo(struct result_store *s, const struct sweep_plan *p,
		    struct store_todo **out, size_t *count, struct diag *d)
{
	size_t points = plan_points(p);
	sqlite3_stmt *a;
	int64_t id;
	int rc;

	*count = 0;
	*out = calloc(points, sizeof(**out));
	if (!*out)
		return fail(d, ERR_NOMEM, "out of memory");
	if (store_sweep_id(s, p->sweep->name, &id, d) ||
	    !(a = store_statement(s, SQL_TODO, d)))
		return d->code;
	sqlite3_bind_int64(a, 1, id);
	while ((rc = sqlite3_step(a)) == SQLITE_ROW && *count < points) {
		struct store_todo *t = &(*out)[(*count)++];
		size_t ordinal = (size_t)sqlite3_column_int64(a, 0);

		t->program = ordinal / p->config_count;
		t->config = ordinal % p->config_count;
		snprintf(t->key, sizeof(t->key), "%s",
			 (const char *)sqlite3_column_text(a, 1));
	}
	if (rc != SQLITE_DONE)
		store_error(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_DONE ? ERR_OK : d->code;
}

enum err store_again(struct result_store *s, const char *sweep,
		     bool only_failed, struct diag *d)
{
	sqlite3_stmt *a;
	int64_t id = 0;

	if (store_sweep_id(s, sweep, &id, d) ||
	    !(a = store_statement(s, SQL_AGAIN, d)))
		return d->code;
	sqlite3_bind_int64(a, 1, id);
	sqlite3_bind_int(a, 2, !only_failed);
	return store_execute(s, a, d);
}

static enum err store_put_stat(struct result_store *s, const char *key,
			       const char *name, double v, struct diag *d)
{
	sqlite3_stmt *a = store_statement(s, SQL_STAT, d);

	if (!a)
		return d->code;
	store_bind_text(a, 1, key);
	store_bind_text(a, 2, name);
	sqlite3_bind_double(a, 3, v);
	return store_execute(s, a, d);
}

static enum err store_put_system(struct result_store *s, const char *key,
				 const struct sweep_outcome *o, struct diag *d)
{
	struct outcome_value v;

	for (size_t i = 0; outcome_system_value(&v, &o->system, i); i++)
		if (store_put_stat(s, key, v.name, v.value, d))
			return d->code;
	return ERR_OK;
}

static enum err store_put_stats(struct result_store *s, const char *key,
				const struct sweep_outcome *o, struct diag *d)
{
	char name[STAT_KEY_SIZE];

	for (unsigned i = 0; i < stat_count && !o->system.is; i++) {
		double v = stat_real(&stat_table[i], &o->stats);

		if (!isnan(v) && stat_key(name, i) &&
		    store_put_stat(s, key, name, v, d))
			return d->code;
	}
	return o->system.is ? store_put_system(s, key, o, d) : ERR_OK;
}

static enum err store_put_code(struct result_store *s, const char *key,
			       const char *code, struct diag *d)
{
	sqlite3_stmt *a = store_statement(s, SQL_CODE, d);

	if (!a)
		return d->code;
	store_bind_text(a, 1, key);
	store_bind_text(a, 2, code);
	return store_execute(s, a, d);
}

static enum err store_put_result(struct result_store *s, const char *key,
				 const struct sweep_outcome *o, struct diag *d)
{
	sqlite3_stmt *a = store_statement(s, SQL_RESULT, d);

	if (!a)
		return d->code;
	store_bind_text(a, 1, key);
	store_bind_text(a, 2, o->ok ? "ok" : "failed");
	store_bind_text(a, 3, o->reason);
	if (o->ok) {
		store_bind_real(a, 4, o->cycles);
		store_bind_real(a, 5, o->gpu_seconds);
		store_bind_real(a, 7, o->warp_instructions);
		sqlite3_bind_int64(a, 8, (int64_t)o->launches);
	}
	store_bind_real(a, 6, o->host_seconds);
	store_bind_text(a, 9, o->engine);
	store_bind_text(a, 10, o->version);
	store_bind_text(a, 11, o->host);
	store_bind_text(a, 12, o->finished);
	if (store_execute(s, a, d) || store_run_key(s, SQL_NOT_AGAIN, key, d) ||
	    store_run_key(s, SQL_DROP_STATS, key, d) ||
	    store_put_code(s, key, o->code, d))
		return d->code;
	return o->ok ? store_put_stats(s, key, o, d) : ERR_OK;
}

enum err store_result(struct result_store *s, const char *key,
		      const struct sweep_outcome *o, struct diag *d)
{
	if (store_run(s, SQL_BEGIN, d))
		return d->code;
	return store_commit(s, store_put_result(s, key, o, d), d);
}

static struct store_counts store_row_counts(sqlite3_stmt *a)
{
	return (struct store_counts){ (uint64_t)sqlite3_column_int64(a, 0),
				      (uint64_t)sqlite3_column_int64(a, 1),
				      (uint64_t)sqlite3_column_int64(a, 2),
				      (uint64_t)sqlite3_column_int64(a, 3),
				      (uint64_t)sqlite3_column_int64(a, 4) };
}

enum err store_count(struct result_store *s, const char *sweep,
		     struct store_counts *out, struct diag *d)
{
	sqlite3_stmt *a;
	int64_t id;
	int rc;

	if (store_sweep_id(s, sweep, &id, d) ||
	    !(a = store_statement(s, SQL_TALLY, d)))
		return d->code;
	sqlite3_bind_int64(a, 1, id);
	rc = sqlite3_step(a);
	if (rc == SQLITE_ROW)
		*out = store_row_counts(a);
	else
		store_error(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_ROW ? ERR_OK : d->code;
}

static const char *store_column(sqlite3_stmt *a, int i)
{
	const char *text = (const char *)sqlite3_column_text(a, i);

	return text ? text : "";
}

enum err store_sweeps(struct result_store *s,
		      void (*each)(void *ctx, const char *name,
				   const char *title,
				   const struct store_counts *c),
		      void *ctx, struct diag *d)
{
	sqlite3_stmt *a = store_statement(s, SQL_SWEEPS, d);
	struct store_counts c;
	int rc;

	if (!a)
		return d->code;
	while ((rc = sqlite3_step(a)) == SQLITE_ROW) {
		c = store_row_counts(a);
		each(ctx, store_column(a, 5), store_column(a, 6), &c);
	}
	if (rc != SQLITE_DONE)
		store_error(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_DONE ? ERR_OK : d->code;
}

enum err store_failed(struct result_store *s, const char *sweep,
		      void (*each)(void *ctx, const char *program,
				   const char *axis, const char *label,
				   const char *reason),
		      void *ctx, struct diag *d)
{
	sqlite3_stmt *a;
	int64_t id;
	int rc;

	if (store_sweep_id(s, sweep, &id, d) ||
	    !(a = store_statement(s, SQL_FAILED, d)))
		return d->code;
	sqlite3_bind_int64(a, 1, id);
	while ((rc = sqlite3_step(a)) == SQLITE_ROW)
		each(ctx, store_column(a, 0), store_column(a, 1),
		     store_column(a, 2), store_column(a, 3));
	if (rc != SQLITE_DONE)
		store_error(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_DONE ? ERR_OK : d->code;
}

#else

/* Without SQLite a store cannot be opened, so the other functions have no
 * caller that could hold one. */
#define NO_STORE BUG("there is no store without SQLite")

enum err store_open(struct result_store **out, const char *path,
		    enum store_mode mode, struct diag *d)
{
	(void)path, (void)mode;
	*out = NULL;
	return fail(d, ERR_UNSUPP,
		    "Heddle was built without SQLite, which stores the results "
		    "of sweeps; install the package libsqlite3-dev and build "
		    "again");
}

void store_close(struct result_store *s)
{
	CHECK(!s);
}

enum err store_plan(struct result_store *s, const struct sweep_plan *p,
		    const char *text, const struct store_program *programs,
		    const char *version, struct diag *d)
{
	(void)s, (void)p, (void)text, (void)programs, (void)version, (void)d;
	NO_STORE;
}

enum err store_todo(struct result_store *s, const struct sweep_plan *p,
		    struct store_todo **out, size_t *count, struct diag *d)
{
	(void)s, (void)p, (void)out, (void)count, (void)d;
	NO_STORE;
}

enum err store_again(struct result_store *s, const char *sweep,
		     bool only_failed, struct diag *d)
{
	(void)s, (void)sweep, (void)only_failed, (void)d;
	NO_STORE;
}

enum err store_result(struct result_store *s, const char *key,
		      const struct sweep_outcome *o, struct diag *d)
{
	(void)s, (void)key, (void)o, (void)d;
	NO_STORE;
}

enum err store_count(struct result_store *s, const char *sweep,
		     struct store_counts *out, struct diag *d)
{
	(void)s, (void)sweep, (void)out, (void)d;
	NO_STORE;
}

enum err store_sweeps(struct result_store *s,
		      void (*each)(void *ctx, const char *name,
				   const char *title,
				   const struct store_counts *c),
		      void *ctx, struct diag *d)
{
	(void)s, (void)each, (void)ctx, (void)d;
	NO_STORE;
}

enum err store_failed(struct result_store *s, const char *sweep,
		      void (*each)(void *ctx, const char *program,
				   const char *axis, const char *label,
				   const char *reason),
		      void *ctx, struct diag *d)
{
	(void)s, (void)sweep, (void)each, (void)ctx, (void)d;
	NO_STORE;
}

#endif
