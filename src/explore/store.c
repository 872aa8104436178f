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

#define FORMAT "1"
#define BUSY_MS 20000

/* clang-format off */
const char store_schema[] =
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
	"CREATE TABLE sweep(id INTEGER PRIMARY KEY, name TEXT UNIQUE,"
	"  title TEXT, text TEXT, gpu TEXT, cost TEXT, created TEXT);"
	"CREATE TABLE program(id INTEGER PRIMARY KEY, name TEXT,"
	"  command TEXT, hash TEXT, UNIQUE(name, command, hash));"
	"CREATE TABLE config(id INTEGER PRIMARY KEY, hash TEXT UNIQUE,"
	"  gpu TEXT, text TEXT);"
	"CREATE TABLE point(id INTEGER PRIMARY KEY, sweep INTEGER,"
	"  ordinal INTEGER, program INTEGER, config INTEGER, axis TEXT,"
	"  label TEXT, baseline INTEGER, cost REAL, key TEXT,"
	"  UNIQUE(sweep, ordinal));"
	"CREATE INDEX point_key ON point(key);"
	"CREATE TABLE setting(point INTEGER, param TEXT, value TEXT,"
	"  number REAL, factor REAL);"
	"CREATE INDEX setting_point ON setting(point);"
	"CREATE TABLE result(key TEXT PRIMARY KEY, status TEXT, reason TEXT,"
	"  cycles REAL, gpu_seconds REAL, host_seconds REAL,"
	"  warp_instructions REAL, launches INTEGER, engine TEXT,"
	"  version TEXT, host TEXT, finished TEXT);"
	"CREATE TABLE stat(key TEXT, name TEXT, value REAL,"
	"  PRIMARY KEY(key, name)) WITHOUT ROWID;"
	"INSERT INTO meta VALUES('format', '" FORMAT "');";

/* What is asked again and again. */
#define STATEMENTS(X)                                                        \
	X(BEGIN, "BEGIN IMMEDIATE")                                          \
	X(COMMIT, "COMMIT")                                                  \
	X(ROLLBACK, "ROLLBACK")                                              \
	X(SWEEP, "INSERT INTO sweep(name, title, text, gpu, cost, created) " \
	  "VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET "        \
	  "title = excluded.title, text = excluded.text, "                   \
	  "gpu = excluded.gpu, cost = excluded.cost")                        \
	X(SWEEP_ID, "SELECT id FROM sweep WHERE name = ?")                   \
	X(DROP_SETTINGS, "DELETE FROM setting WHERE point IN "               \
	  "(SELECT id FROM point WHERE sweep = ?)")                          \
	X(DROP_POINTS, "DELETE FROM point WHERE sweep = ?")                  \
	X(PROGRAM, "INSERT INTO program(name, command, hash) "               \
	  "VALUES(?, ?, ?) ON CONFLICT DO NOTHING")                          \
	X(PROGRAM_ID, "SELECT id FROM program WHERE name = ? AND "           \
	  "command = ? AND hash = ?")                                        \
	X(CONFIG, "INSERT INTO config(hash, gpu, text) VALUES(?, ?, ?) "     \
	  "ON CONFLICT DO NOTHING")                                          \
	X(CONFIG_ID, "SELECT id FROM config WHERE hash = ?")                 \
	X(POINT, "INSERT INTO point(sweep, ordinal, program, config, axis, " \
	  "label, baseline, cost, key) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)")   \
	X(SETTING, "INSERT INTO setting VALUES(?, ?, ?, ?, ?)")              \
	X(TODO, "SELECT MIN(ordinal), key FROM point WHERE sweep = ? AND "   \
	  "key NOT IN (SELECT key FROM result) GROUP BY key "                \
	  "ORDER BY MIN(ordinal)")                                           \
	X(FORGET_STATS, "DELETE FROM stat WHERE key IN (SELECT result.key "  \
	  "FROM result JOIN point USING(key) WHERE sweep = ? AND "           \
	  "(? OR status = 'failed'))")                                       \
	X(FORGET, "DELETE FROM result WHERE key IN (SELECT key FROM point "  \
	  "WHERE sweep = ?) AND (? OR status = 'failed')")                   \
	X(RESULT, "INSERT OR REPLACE INTO result VALUES(?, ?, ?, ?, ?, ?, "  \
	  "?, ?, ?, ?, ?, ?)")                                               \
	X(DROP_STATS, "DELETE FROM stat WHERE key = ?")                      \
	X(STAT, "INSERT INTO stat VALUES(?, ?, ?)")                          \
	X(TALLY, "SELECT COUNT(*), SUM(status = 'ok'), "                     \
	  "SUM(status = 'failed'), SUM(status IS NULL) FROM point "          \
	  "LEFT JOIN result USING(key) WHERE sweep = ?")                     \
	X(SWEEPS, "SELECT COUNT(point.id), SUM(status = 'ok'), "             \
	  "SUM(status = 'failed'), SUM(point.id AND status IS NULL), "       \
	  "sweep.name, sweep.title FROM sweep "                              \
	  "LEFT JOIN point ON sweep = sweep.id LEFT JOIN result USING(key) " \
	  "GROUP BY sweep.id ORDER BY sweep.name")                           \
	X(FAILED, "SELECT program.name, axis, label, reason FROM point "     \
	  "JOIN result USING(key) JOIN program ON program.id = program "     \
	  "WHERE sweep = ? AND status = 'failed' ORDER BY ordinal")

enum {
#define X(id, sql) ASK_##id,
	STATEMENTS(X)
#undef X
	ASK_COUNT
};

static const char *const statements[ASK_COUNT] = {
#define X(id, sql) [ASK_##id] = sql,
	STATEMENTS(X)
#undef X
};
/* clang-format on */

struct store {
	sqlite3 *db;
	char *path;
	int lock; /* -1: only read */
	sqlite3_stmt *asks[ASK_COUNT];
};

static enum err wrong(const struct store *s, struct diag *d)
{
	return fail(d, ERR_IO, "database '%.160s': %s", s->path,
		    s->db ? sqlite3_errmsg(s->db) : "out of memory");
}

/*
 * Asking
 */

/* The statement, ready to be bound, or NULL. */
static sqlite3_stmt *ask(struct store *s, int which, struct diag *d)
{
	sqlite3_stmt **a = &s->asks[which];

	if (!*a && sqlite3_prepare_v3(s->db, statements[which], -1,
				      SQLITE_PREPARE_PERSISTENT, a, NULL)) {
		wrong(s, d);
		return NULL;
	}
	sqlite3_reset(*a);
	sqlite3_clear_bindings(*a);
	return *a;
}

static void bind_text(sqlite3_stmt *a, int i, const char *text)
{
	sqlite3_bind_text(a, i, text, -1, SQLITE_STATIC);
}

/* NaN stays NULL. */
static void bind_real(sqlite3_stmt *a, int i, double v)
{
	if (!isnan(v))
		sqlite3_bind_double(a, i, v);
}

/* A statement without an answer. */
static enum err done(struct store *s, sqlite3_stmt *a, struct diag *d)
{
	int rc = sqlite3_step(a);

	if (rc != SQLITE_DONE)
		wrong(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_DONE ? ERR_OK : d->code;
}

static enum err simple(struct store *s, int which, struct diag *d)
{
	sqlite3_stmt *a = ask(s, which, d);

	return a ? done(s, a, d) : d->code;
}

/* One about a sweep. */
static enum err about(struct store *s, int which, int64_t sweep, struct diag *d)
{
	sqlite3_stmt *a = ask(s, which, d);

	if (!a)
		return d->code;
	sqlite3_bind_int64(a, 1, sweep);
	return done(s, a, d);
}

/* The number that a bound statement answers; -1: it answers nothing. */
static enum err number(struct store *s, sqlite3_stmt *a, int64_t *out,
		       struct diag *d)
{
	int rc = sqlite3_step(a);

	*out = rc == SQLITE_ROW ? sqlite3_column_int64(a, 0) : -1;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		wrong(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? ERR_OK : d->code;
}

/* All or nothing: ends what `begin` began, e: whether it went well. */
static enum err settle(struct store *s, enum err e, struct diag *d)
{
	struct diag other;

	if (!e)
		e = simple(s, ASK_COMMIT, d);
	if (e)
		(void)!simple(s, ASK_ROLLBACK, &other);
	return e;
}

/*
 * Opening
 */

static enum err take_lock(struct store *s, struct diag *d)
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

static enum err run_sql(struct store *s, const char *sql, struct diag *d)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) ? wrong(s, d) :
							    ERR_OK;
}

static enum err check_format(struct store *s, struct diag *d)
{
	sqlite3_stmt *a = NULL;
	bool same;

	if (sqlite3_prepare_v2(s->db,
			       "SELECT value FROM meta WHERE key = 'format'",
			       -1, &a, NULL) ||
	    sqlite3_step(a) != SQLITE_ROW) {
		sqlite3_finalize(a);
		return fail(d, ERR_SYNTAX, "'%.200s' is no database of sweeps",
			    s->path);
	}
	same = !strcmp((const char *)sqlite3_column_text(a, 0), FORMAT);
	sqlite3_finalize(a);
	return same ? ERR_OK :
		      fail(d, ERR_UNSUPP,
			   "'%.200s' is a database of another version of "
			   "Heddle",
			   s->path);
}

static enum err is_empty(struct store *s, bool *empty, struct diag *d)
{
	sqlite3_stmt *a = NULL;
	int64_t tables;
	enum err e;

	if (sqlite3_prepare_v2(s->db, "SELECT COUNT(*) FROM sqlite_schema", -1,
			       &a, NULL))
		return wrong(s, d);
	e = number(s, a, &tables, d);
	sqlite3_finalize(a);
	*empty = tables == 0;
	return e;
}

static enum err make_tables(struct store *s, struct diag *d)
{
	bool empty;

	if (run_sql(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
		    d) ||
	    is_empty(s, &empty, d))
		return d->code;
	if (!empty)
		return check_format(s, d);
	if (simple(s, ASK_BEGIN, d))
		return d->code;
	return settle(s, run_sql(s, store_schema, d), d);
}

enum err store_open(struct store **out, const char *path, enum store_mode mode,
		    struct diag *d)
{
	struct store *s = calloc(1, sizeof(*s));
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
	if (mode == STORE_WRITE && take_lock(s, d))
		return d->code;
	if (sqlite3_open_v2(path, &s->db, flags, NULL))
		return wrong(s, d);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	return mode == STORE_WRITE ? make_tables(s, d) : check_format(s, d);
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (int i = 0; i < ASK_COUNT; i++)
		sqlite3_finalize(s->asks[i]);
	sqlite3_close(s->db);
	if (s->lock >= 0)
		close(s->lock);
	free(s->path);
	free(s);
}

/*
 * A plan
 */

static enum err sweep_id(struct store *s, const char *name, int64_t *id,
			 struct diag *d)
{
	sqlite3_stmt *a = ask(s, ASK_SWEEP_ID, d);

	if (!a)
		return d->code;
	bind_text(a, 1, name);
	if (number(s, a, id, d))
		return d->code;
	return *id >= 0 ? ERR_OK :
			  fail(d, ERR_UNKNOWN,
			       "database '%.160s' has no sweep '%.80s'",
			       s->path, name);
}

static enum err put_sweep(struct store *s, const struct sweep *w,
			  const char *text, int64_t *id, struct diag *d)
{
	sqlite3_stmt *a = ask(s, ASK_SWEEP, d);
	time_t now = time(NULL);
	char created[32];
	struct tm tm;

	if (!a)
		return d->code;
	gmtime_r(&now, &tm);
	strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", &tm);
	bind_text(a, 1, w->name);
	bind_text(a, 2, w->title);
	bind_text(a, 3, text);
	bind_text(a, 4, w->gpu);
	bind_text(a, 5, w->cost_text);
	bind_text(a, 6, created);
	if (done(s, a, d) || sweep_id(s, w->name, id, d) ||
	    about(s, ASK_DROP_SETTINGS, *id, d))
		return d->code;
	return about(s, ASK_DROP_POINTS, *id, d);
}

static enum err put_program(struct store *s, const struct store_program *p,
			    int64_t *id, struct diag *d)
{
	for (int which = ASK_PROGRAM; which <= ASK_PROGRAM_ID; which++) {
		sqlite3_stmt *a = ask(s, which, d);

		if (!a)
			return d->code;
		bind_text(a, 1, p->name);
		bind_text(a, 2, p->command);
		bind_text(a, 3, p->hash);
		if (which == ASK_PROGRAM ? done(s, a, d) : number(s, a, id, d))
			return d->code;
	}
	return ERR_OK;
}

static enum err put_config(struct store *s, const struct plan *p, size_t config,
			   char hash[STORE_KEY_SIZE], int64_t *id,
			   struct diag *d)
{
	sqlite3_stmt *a;
	struct cfg c;
	char *text;
	enum err e;

	plan_resolve(p, config, &c);
	text = cfg_dump(&c, NULL);
	a = text ? ask(s, ASK_CONFIG, d) : NULL;
	if (!a) {
		e = text ? d->code : fail(d, ERR_NOMEM, "out of memory");
		free(text);
		return e;
	}
	store_hash(hash, text, strlen(text));
	bind_text(a, 1, hash);
	bind_text(a, 2, p->sweep->gpu);
	bind_text(a, 3, text);
	e = done(s, a, d);
	free(text);
	a = e ? NULL : ask(s, ASK_CONFIG_ID, d);
	if (!a)
		return d->code;
	bind_text(a, 1, hash);
	return number(s, a, id, d);
}

static enum err put_settings(struct store *s, const struct plan *p,
			     size_t config, int64_t point, struct diag *d)
{
	size_t n = plan_setting_count(p, config);

	for (size_t i = 0; i < n; i++) {
		sqlite3_stmt *a = ask(s, ASK_SETTING, d);
		struct plan_setting v;

		if (!a)
			return d->code;
		plan_setting(p, config, i, &v);
		sqlite3_bind_int64(a, 1, point);
		bind_text(a, 2, cfg_params[v.id].key);
		bind_text(a, 3, v.value);
		bind_real(a, 4, v.number);
		bind_real(a, 5, v.factor);
		if (done(s, a, d))
			return d->code;
	}
	return ERR_OK;
}

/* Where a point belongs. */
struct spot {
	int64_t sweep, program, config;
	size_t ordinal, config_number;
	const char *key;
};

static enum err put_point(struct store *s, const struct plan *p,
			  const struct spot *at, struct diag *d)
{
	const struct plan_config *k = &p->configs[at->config_number];
	sqlite3_stmt *a = ask(s, ASK_POINT, d);

	if (!a)
		return d->code;
	sqlite3_bind_int64(a, 1, at->sweep);
	sqlite3_bind_int64(a, 2, (int64_t)at->ordinal);
	sqlite3_bind_int64(a, 3, at->program);
	sqlite3_bind_int64(a, 4, at->config);
	bind_text(a, 5, k->axis);
	bind_text(a, 6, k->label);
	sqlite3_bind_int(a, 7, !k->set);
	bind_real(a, 8, k->cost);
	bind_text(a, 9, at->key);
	if (done(s, a, d))
		return d->code;
	return put_settings(s, p, at->config_number,
			    sqlite3_last_insert_rowid(s->db), d);
}

/* What all programs have in common is written once. */
static enum err put_points(struct store *s, const struct plan *p, int64_t sweep,
			   const struct store_program *programs,
			   const int64_t *ids, const char *version,
			   struct diag *d)
{
	for (size_t c = 0; c < p->config_count; c++) {
		char hash[STORE_KEY_SIZE], key[STORE_KEY_SIZE];
		struct spot at = { .sweep = sweep,
				   .config_number = c,
				   .key = key };

		if (put_config(s, p, c, hash, &at.config, d))
			return d->code;
		for (size_t i = 0; i < p->sweep->program_count; i++) {
			at.program = ids[i];
			at.ordinal = i * p->config_count + c;
			store_key(key, programs[i].hash, hash, p->sweep,
				  version);
			if (put_point(s, p, &at, d))
				return d->code;
		}
	}
	return ERR_OK;
}

enum err store_plan(struct store *s, const struct plan *p, const char *text,
		    const struct store_program *programs, const char *version,
		    struct diag *d)
{
	size_t n = p->sweep->program_count;
	int64_t *ids = calloc(n, sizeof(*ids)), sweep = 0;
	enum err e;

	if (!ids)
		return fail(d, ERR_NOMEM, "out of memory");
	e = simple(s, ASK_BEGIN, d);
	if (e) {
		free(ids);
		return e;
	}
	e = put_sweep(s, p->sweep, text, &sweep, d);
	for (size_t i = 0; !e && i < n; i++)
		e = put_program(s, &programs[i], &ids[i], d);
	if (!e)
		e = put_points(s, p, sweep, programs, ids, version, d);
	free(ids);
	return settle(s, e, d);
}

/*
 * Results
 */

enum err store_todo(struct store *s, const struct plan *p,
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
	if (sweep_id(s, p->sweep->name, &id, d) || !(a = ask(s, ASK_TODO, d)))
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
		wrong(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_DONE ? ERR_OK : d->code;
}

enum err store_forget(struct store *s, const char *sweep, bool only_failed,
		      struct diag *d)
{
	static const int both[] = { ASK_FORGET_STATS, ASK_FORGET };
	enum err e;
	int64_t id;

	if (sweep_id(s, sweep, &id, d) || simple(s, ASK_BEGIN, d))
		return d->code;
	e = ERR_OK;
	for (int i = 0; i < 2 && !e; i++) {
		sqlite3_stmt *a = ask(s, both[i], d);

		if (!a) {
			e = d->code;
			break;
		}
		sqlite3_bind_int64(a, 1, id);
		sqlite3_bind_int(a, 2, !only_failed);
		e = done(s, a, d);
	}
	return settle(s, e, d);
}

static enum err put_stats(struct store *s, const char *key,
			  const struct outcome *o, struct diag *d)
{
	char name[STAT_KEY_SIZE];

	for (unsigned i = 0; i < stat_count; i++) {
		double v = stat_real(&stat_table[i], &o->stats);
		sqlite3_stmt *a;

		if (isnan(v) || !stat_key(name, i))
			continue;
		a = ask(s, ASK_STAT, d);
		if (!a)
			return d->code;
		bind_text(a, 1, key);
		bind_text(a, 2, name);
		sqlite3_bind_double(a, 3, v);
		if (done(s, a, d))
			return d->code;
	}
	return ERR_OK;
}

static enum err put_result(struct store *s, const char *key,
			   const struct outcome *o, struct diag *d)
{
	sqlite3_stmt *a = ask(s, ASK_RESULT, d);

	if (!a)
		return d->code;
	bind_text(a, 1, key);
	bind_text(a, 2, o->ok ? "ok" : "failed");
	bind_text(a, 3, o->reason);
	if (o->ok) {
		bind_real(a, 4, o->cycles);
		bind_real(a, 5, o->gpu_seconds);
		bind_real(a, 7, o->warp_instructions);
		sqlite3_bind_int64(a, 8, (int64_t)o->launches);
	}
	bind_real(a, 6, o->host_seconds);
	bind_text(a, 9, o->engine);
	bind_text(a, 10, o->version);
	bind_text(a, 11, o->host);
	bind_text(a, 12, o->finished);
	if (done(s, a, d) || !(a = ask(s, ASK_DROP_STATS, d)))
		return d->code;
	bind_text(a, 1, key);
	if (done(s, a, d))
		return d->code;
	return o->ok ? put_stats(s, key, o, d) : ERR_OK;
}

enum err store_result(struct store *s, const char *key, const struct outcome *o,
		      struct diag *d)
{
	if (simple(s, ASK_BEGIN, d))
		return d->code;
	return settle(s, put_result(s, key, o, d), d);
}

static struct store_counts counts(sqlite3_stmt *a)
{
	return (struct store_counts){ (uint64_t)sqlite3_column_int64(a, 0),
				      (uint64_t)sqlite3_column_int64(a, 1),
				      (uint64_t)sqlite3_column_int64(a, 2),
				      (uint64_t)sqlite3_column_int64(a, 3) };
}

enum err store_count(struct store *s, const char *sweep,
		     struct store_counts *out, struct diag *d)
{
	sqlite3_stmt *a;
	int64_t id;
	int rc;

	if (sweep_id(s, sweep, &id, d) || !(a = ask(s, ASK_TALLY, d)))
		return d->code;
	sqlite3_bind_int64(a, 1, id);
	rc = sqlite3_step(a);
	if (rc == SQLITE_ROW)
		*out = counts(a);
	else
		wrong(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_ROW ? ERR_OK : d->code;
}

static const char *column(sqlite3_stmt *a, int i)
{
	const char *text = (const char *)sqlite3_column_text(a, i);

	return text ? text : "";
}

enum err store_sweeps(struct store *s,
		      void (*each)(void *ctx, const char *name,
				   const char *title,
				   const struct store_counts *c),
		      void *ctx, struct diag *d)
{
	sqlite3_stmt *a = ask(s, ASK_SWEEPS, d);
	struct store_counts c;
	int rc;

	if (!a)
		return d->code;
	while ((rc = sqlite3_step(a)) == SQLITE_ROW) {
		c = counts(a);
		each(ctx, column(a, 4), column(a, 5), &c);
	}
	if (rc != SQLITE_DONE)
		wrong(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_DONE ? ERR_OK : d->code;
}

enum err store_failed(struct store *s, const char *sweep,
		      void (*each)(void *ctx, const char *program,
				   const char *axis, const char *label,
				   const char *reason),
		      void *ctx, struct diag *d)
{
	sqlite3_stmt *a;
	int64_t id;
	int rc;

	if (sweep_id(s, sweep, &id, d) || !(a = ask(s, ASK_FAILED, d)))
		return d->code;
	sqlite3_bind_int64(a, 1, id);
	while ((rc = sqlite3_step(a)) == SQLITE_ROW)
		each(ctx, column(a, 0), column(a, 1), column(a, 2),
		     column(a, 3));
	if (rc != SQLITE_DONE)
		wrong(s, d);
	sqlite3_reset(a);
	return rc == SQLITE_DONE ? ERR_OK : d->code;
}

#endif
