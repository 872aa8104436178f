#include "explore/swept.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HEDDLE_SQLITE
#include <sqlite3.h>

#include "base/human.h"
#include "base/utf8.h"
#include "cfg/param.h"

/* The database that is read, and the arena for its texts. */
struct swept_reader {
	sqlite3 *db;
	sqlite3_stmt *st;
	struct swept *s;
	struct arena *arena;
	const char *path;
	struct diag *d;
};

static enum err swept_db_error(struct swept_reader *r)
{
	return fail(r->d, ERR_IO, "'%.200s': %s", r->path,
		    sqlite3_errmsg(r->db));
}

/* Also an empty file is a database, but not one of sweeps. */
static enum err swept_check_tables(struct swept_reader *r)
{
	if (sqlite3_prepare_v2(r->db,
			       "SELECT 1 FROM sqlite_master WHERE type = "
			       "'table' AND name = 'point'",
			       -1, &r->st, NULL) == SQLITE_OK &&
	    sqlite3_step(r->st) == SQLITE_ROW)
		return ERR_OK;
	return fail(r->d, ERR_SYNTAX, "'%.200s' is not a database of sweeps",
		    r->path);
}

static enum err swept_open(struct swept_reader *r)
{
	int e;

	if (access(r->path, R_OK))
		return fail(r->d, ERR_IO, "cannot open '%.200s': %s", r->path,
			    strerror(errno));
	e = sqlite3_open_v2(r->path, &r->db, SQLITE_OPEN_READONLY, NULL);
	if (e != SQLITE_OK || !r->db)
		return fail(r->d, ERR_IO, "cannot open '%.200s': %s", r->path,
			    r->db ? sqlite3_errmsg(r->db) : "out of memory");
	/* A sweep may be writing. */
	sqlite3_busy_timeout(r->db, 10000);
	return swept_check_tables(r);
}

static void swept_close(struct swept_reader *r)
{
	sqlite3_finalize(r->st);
	sqlite3_close(r->db);
}

static enum err swept_prepare(struct swept_reader *r, const char *sql)
{
	sqlite3_finalize(r->st);
	r->st = NULL;
	return sqlite3_prepare_v2(r->db, sql, -1, &r->st, NULL) == SQLITE_OK ?
		       ERR_OK :
		       swept_db_error(r);
}

/* Goes to the next row; false: at the end, or after an error in *e. */
static bool swept_step(struct swept_reader *r, enum err *e)
{
	int got = *e ? SQLITE_DONE : sqlite3_step(r->st);

	if (got == SQLITE_ROW)
		return true;
	if (got != SQLITE_DONE)
		*e = swept_db_error(r);
	return false;
}

/* As it is. */
static char *swept_copy(struct swept_reader *r, int column, enum err *e)
{
	const char *t = (const char *)sqlite3_column_text(r->st, column);
	char *copy = arena_strndup(r->arena, t ? t : "", t ? strlen(t) : 0);

	if (!copy)
		*e = fail(r->d, ERR_NOMEM, "out of memory");
	return copy;
}

/* Without control characters. */
static const char *swept_text(struct swept_reader *r, int column, enum err *e)
{
	char *copy = swept_copy(r, column, e);

	utf8_make_plain(copy);
	return copy;
}

static double swept_real(struct swept_reader *r, int column)
{
	return sqlite3_column_type(r->st, column) == SQLITE_NULL ?
		       NAN :
		       sqlite3_column_double(r->st, column);
}

/* ---- which sweep ---- */

static enum err swept_not_one(struct swept_reader *r, const char *sweep)
{
	char names[300] = "";
	enum err e = ERR_OK;

	if (swept_prepare(r, "SELECT name FROM sweep ORDER BY id"))
		return r->d->code;
	while (swept_step(r, &e)) {
		const char *name = (const char *)sqlite3_column_text(r->st, 0);
		size_t used = strlen(names);

		snprintf(names + used, sizeof(names) - used, "%s%s",
			 used ? ", " : "", name ? name : "");
	}
	if (e)
		return e;
	if (!names[0])
		return fail(r->d, ERR_UNKNOWN, "'%.200s' holds no sweep",
			    r->path);
	return sweep ? fail(r->d, ERR_UNKNOWN,
			    "no sweep '%.60s' in '%.100s'; it has %s", sweep,
			    r->path, names) :
		       fail(r->d, ERR_UNKNOWN,
			    "'%.100s' holds several sweeps; choose one with "
			    "--sweep: %s",
			    r->path, names);
}

static enum err swept_read_sweep(struct swept_reader *r, const char *sweep,
				 int64_t *id)
{
	struct swept *s = r->s;
	enum err e = ERR_OK;
	int found = 0;

	if (swept_prepare(
		    r, "SELECT id, name, title, gpu, cost, created FROM sweep "
		       "WHERE ?1 IS NULL OR name = ?1 ORDER BY id"))
		return r->d->code;
	if (sweep && sqlite3_bind_text(r->st, 1, sweep, -1, SQLITE_STATIC))
		return swept_db_error(r);
	while (swept_step(r, &e)) {
		*id = sqlite3_column_int64(r->st, 0);
		s->name = swept_text(r, 1, &e);
		s->title = swept_text(r, 2, &e);
		s->gpu = swept_text(r, 3, &e);
		s->cost = swept_text(r, 4, &e);
		s->created = swept_text(r, 5, &e);
		found++;
	}
	return e ? e : found == 1 ? ERR_OK : swept_not_one(r, sweep);
}

/* ---- programs, axes, configurations ---- */

static enum err swept_count_rows(struct swept_reader *r, const char *sql,
				 int64_t sweep, size_t *out)
{
	enum err e = ERR_OK;

	if (swept_prepare(r, sql))
		return r->d->code;
	sqlite3_bind_int64(r->st, 1, sweep);
	if (swept_step(r, &e))
		*out = (size_t)sqlite3_column_int64(r->st, 0);
	return e;
}

/* ids[i]: the id of programs[i] in the database. */
static enum err swept_read_programs(struct swept_reader *r, int64_t sweep,
				    int64_t **ids)
{
	struct swept *s = r->s;
	enum err e = ERR_OK;
	size_t n = 0;

	if (swept_count_rows(r,
			     "SELECT count(DISTINCT program) FROM point "
			     "WHERE sweep = ?1",
			     sweep, &n))
		return r->d->code;
	s->programs = arena_new(r->arena, struct swept_program, n + 1);
	*ids = arena_new(r->arena, int64_t, n + 1);
	if (!s->programs || !*ids)
		return fail(r->d, ERR_NOMEM, "out of memory");
	if (swept_prepare(r,
			  "SELECT id, name, command FROM program WHERE id IN "
			  "(SELECT program FROM point WHERE sweep = ?1) "
			  "ORDER BY id"))
		return r->d->code;
	sqlite3_bind_int64(r->st, 1, sweep);
	while (s->program_count < n && swept_step(r, &e)) {
		struct swept_program *p = &s->programs[s->program_count];

		(*ids)[s->program_count++] = sqlite3_column_int64(r->st, 0);
		p->name = swept_text(r, 1, &e);
		p->command = swept_text(r, 2, &e);
	}
	return e;
}

static enum err swept_read_axes(struct swept_reader *r, int64_t sweep)
{
	struct swept *s = r->s;
	enum err e = ERR_OK;
	size_t n = 0;

	if (swept_count_rows(r,
			     "SELECT count(DISTINCT axis) FROM point "
			     "WHERE sweep = ?1",
			     sweep, &n))
		return r->d->code;
	s->axes = arena_new(r->arena, struct swept_axis, n + 2);
	if (!s->axes)
		return fail(r->d, ERR_NOMEM, "out of memory");
	s->axes[s->axis_count++] = (struct swept_axis){ .name = "" };
	if (swept_prepare(r, "SELECT axis, min(ordinal) AS first FROM point "
			     "WHERE sweep = ?1 AND coalesce(axis, '') <> '' "
			     "GROUP BY axis ORDER BY first"))
		return r->d->code;
	sqlite3_bind_int64(r->st, 1, sweep);
	while (s->axis_count < n + 2 && swept_step(r, &e)) {
		s->axes[s->axis_count].numbers = true;
		s->axes[s->axis_count].variant = true;
		s->axes[s->axis_count++].name = swept_text(r, 0, &e);
	}
	return e;
}

static enum err swept_read_configs(struct swept_reader *r, int64_t sweep)
{
	struct swept *s = r->s;
	enum err e = ERR_OK;
	size_t n = 0;

	if (swept_count_rows(r,
			     "SELECT count(DISTINCT config) FROM point "
			     "WHERE sweep = ?1",
			     sweep, &n))
		return r->d->code;
	s->configs = arena_new(r->arena, struct swept_config, n + 1);
	if (!s->configs)
		return fail(r->d, ERR_NOMEM, "out of memory");
	if (swept_prepare(r, "SELECT id, gpu, text FROM config WHERE id IN "
			     "(SELECT config FROM point WHERE sweep = ?1) "
			     "ORDER BY id"))
		return r->d->code;
	sqlite3_bind_int64(r->st, 1, sweep);
	while (s->config_count < n && swept_step(r, &e)) {
		struct swept_config *c = &s->configs[s->config_count++];

		c->id = sqlite3_column_int64(r->st, 0);
		c->gpu = swept_text(r, 1, &e);
		c->text = swept_copy(r, 2, &e);
	}
	return e;
}

/* ---- points ---- */

static size_t id_index(const int64_t *ids, size_t n, int64_t id)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return i;
	return n;
}

static size_t axis_index(const struct swept *s, const char *name)
{
	for (size_t i = 0; i < s->axis_count; i++)
		if (!strcmp(s->axes[i].name, name))
			return i;
	return 0;
}

static enum swept_state swept_state_of(const char *status)
{
	return !strcmp(status, "ok") ? SWEPT_OK :
	       !*status              ? SWEPT_WAITING :
				       SWEPT_FAILED;
}

static enum err swept_read_point(struct swept_reader *r,
				 const int64_t *programs)
{
	struct swept *s = r->s;
	struct swept_point *p = &s->points[s->point_count];
	const char *axis = (const char *)sqlite3_column_text(r->st, 4);
	const char *status = (const char *)sqlite3_column_text(r->st, 8);
	enum err e = ERR_OK;

	*p = (struct swept_point){
		.id = sqlite3_column_int64(r->st, 0),
		.ordinal = sqlite3_column_int64(r->st, 1),
		.program = id_index(programs, s->program_count,
				    sqlite3_column_int64(r->st, 2)),
		.config = sqlite3_column_int64(r->st, 3),
		.axis = axis_index(s, axis ? axis : ""),
		.label = swept_text(r, 5, &e),
		.baseline = sqlite3_column_int(r->st, 6) != 0,
		.cost = swept_real(r, 7),
		.state = swept_state_of(status ? status : ""),
		.reason = swept_text(r, 9, &e),
		.cycles = swept_real(r, 10),
		.seconds = swept_real(r, 11),
		.host_seconds = swept_real(r, 12),
		.instructions = swept_real(r, 13),
		.speedup = NAN,
	};
	if (!e && p->program == s->program_count)
		e = fail(r->d, ERR_SYNTAX,
			 "'%.200s': point %lld has no program", r->path,
			 (long long)p->id);
	s->axes[p->axis].points++;
	s->point_count++;
	return e;
}

static enum err swept_read_points(struct swept_reader *r, int64_t sweep,
				  const int64_t *programs)
{
	struct swept *s = r->s;
	enum err e = ERR_OK;
	size_t n = 0;

	if (swept_count_rows(r, "SELECT count(*) FROM point WHERE sweep = ?1",
			     sweep, &n))
		return r->d->code;
	s->points = arena_new(r->arena, struct swept_point, n + 1);
	if (!s->points)
		return fail(r->d, ERR_NOMEM, "out of memory");
	if (swept_prepare(
		    r, "SELECT p.id, p.ordinal, p.program, p.config, p.axis, "
		       "p.label, p.baseline, p.cost, r.status, r.reason, "
		       "r.cycles, r.gpu_seconds, r.host_seconds, "
		       "r.warp_instructions FROM point p "
		       "LEFT JOIN result r ON r.key = p.key "
		       "WHERE p.sweep = ?1 ORDER BY p.ordinal"))
		return r->d->code;
	sqlite3_bind_int64(r->st, 1, sweep);
	while (s->point_count < n && swept_step(r, &e))
		e = swept_read_point(r, programs);
	return e;
}

/* Databases of earlier versions do not have the table. */
static enum err swept_count_again(struct swept_reader *r, int64_t sweep)
{
	size_t there = 0;

	if (swept_count_rows(r,
			     "SELECT count(*) FROM sqlite_master WHERE type = "
			     "'table' AND name = 'again' AND ?1",
			     1, &there))
		return r->d->code;
	if (!there)
		return ERR_OK;
	return swept_count_rows(r,
				"SELECT count(*) FROM point JOIN again "
				"USING(key) JOIN result USING(key) WHERE "
				"sweep = ?1",
				sweep, &r->s->again);
}

static int points_by_id(const void *a, const void *b)
{
	const struct swept_point *const *x = a, *const *y = b;

	return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

/* Rows are sorted by the ids of their points. */
static enum err swept_read_settings(struct swept_reader *r, int64_t sweep)
{
	struct swept *s = r->s;
	struct swept_point **by = calloc(s->point_count + 1, sizeof(*by));
	struct swept_setting *all;
	enum err e = ERR_OK;
	size_t n = 0, used = 0, at = 0;

	if (!by)
		return fail(r->d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < s->point_count; i++)
		by[i] = &s->points[i];
	if (s->point_count)
		qsort(by, s->point_count, sizeof(*by), points_by_id);
	e = swept_count_rows(r,
			     "SELECT count(*) FROM setting WHERE point IN "
			     "(SELECT id FROM point WHERE sweep = ?1)",
			     sweep, &n);
	all = arena_new(r->arena, struct swept_setting, n + 1);
	if (!e && !all)
		e = fail(r->d, ERR_NOMEM, "out of memory");
	if (!e)
		e = swept_prepare(
			r, "SELECT point, param, value, number FROM setting "
			   "WHERE point IN (SELECT id FROM point WHERE "
			   "sweep = ?1) ORDER BY point, rowid");
	if (!e)
		sqlite3_bind_int64(r->st, 1, sweep);
	while (used < n && swept_step(r, &e)) {
		int64_t id = sqlite3_column_int64(r->st, 0);

		while (at < s->point_count && by[at]->id < id)
			at++;
		if (at == s->point_count || by[at]->id != id)
			continue;
		all[used].param = swept_text(r, 1, &e);
		all[used].value = swept_text(r, 2, &e);
		all[used].number = swept_real(r, 3);
		if (!by[at]->setting_count)
			by[at]->settings = &all[used];
		by[at]->setting_count++;
		used++;
	}
	free(by);
	return e;
}

/* An axis is one of numbers if all settings of its points are numbers, and a
 * variant if its labels are its name. */
static void swept_find_kinds(struct swept *s)
{
	for (size_t i = 0; i < s->point_count; i++) {
		const struct swept_point *p = &s->points[i];
		struct swept_axis *a = &s->axes[p->axis];

		a->variant &= !strcmp(p->label, a->name);
		a->numbers &= p->setting_count > 0;
		for (size_t k = 0; k < p->setting_count; k++)
			a->numbers &= !isnan(p->settings[k].number);
	}
}

enum err swept_read(struct swept *s, const char *path, const char *sweep,
		    struct diag *d)
{
	struct swept_reader r = { .s = s, .path = path, .d = d };
	int64_t id = 0, *programs = NULL;
	enum err e;

	*s = (struct swept){ 0 };
	r.arena = &s->arena;
	e = swept_open(&r);
	if (!e)
		e = swept_read_sweep(&r, sweep, &id);
	if (!e)
		e = swept_read_programs(&r, id, &programs);
	if (!e)
		e = swept_read_axes(&r, id);
	if (!e)
		e = swept_read_configs(&r, id);
	if (!e)
		e = swept_read_points(&r, id, programs);
	if (!e)
		e = swept_read_settings(&r, id);
	if (!e)
		e = swept_count_again(&r, id);
	swept_close(&r);
	if (e)
		return e;
	swept_find_kinds(s);
	return swept_effects(s, d);
}

/* ---- one point, to compare ---- */

static enum err swept_read_values(struct swept_reader *r, struct compare *c,
				  struct compare_run *to, int64_t point)
{
	enum err e = ERR_OK;

	if (swept_prepare(r, "SELECT name, value FROM stat WHERE key = "
			     "(SELECT key FROM point WHERE id = ?1)"))
		return r->d->code;
	sqlite3_bind_int64(r->st, 1, point);
	while (swept_step(r, &e)) {
		const char *name = (const char *)sqlite3_column_text(r->st, 0);
		int i = name ? stat_index(name) : -1;

		double v = swept_real(r, 1);

		to->undivided |= name && stat_key_is_undivided(name);
		if (i >= 0) {
			to->values[i] = v;
			if (stat_table[i].kind != STAT_RATE)
				stat_put(&to->counts, (unsigned)i,
					 whole_of_real(v));
		} else if (name && !strncmp(name, "reason.", 7)) {
			e = compare_add_slots(c, to, name + 7, whole_of_real(v),
					      r->d);
		}
	}
	return e;
}

static enum err swept_read_run(struct swept_reader *r, struct compare_run *to,
			       int64_t point)
{
	struct cfg_sheet sheet;
	const char *config;
	enum err e = ERR_OK;

	if (swept_prepare(
		    r, "SELECT g.name, c.gpu, c.text, r.status, r.cycles, "
		       "r.gpu_seconds, r.launches FROM point p "
		       "JOIN program g ON g.id = p.program "
		       "JOIN config c ON c.id = p.config "
		       "LEFT JOIN result r ON r.key = p.key WHERE p.id = ?1"))
		return r->d->code;
	sqlite3_bind_int64(r->st, 1, point);
	if (!swept_step(r, &e))
		return e ? e :
			   fail(r->d, ERR_UNKNOWN, "'%.200s' has no point %lld",
				r->path, (long long)point);
	if (!sqlite3_column_text(r->st, 3) ||
	    strcmp((const char *)sqlite3_column_text(r->st, 3), "ok") != 0)
		return fail(r->d, ERR_UNKNOWN,
			    "'%.200s': point %lld has no result", r->path,
			    (long long)point);
	to->program = swept_text(r, 0, &e);
	to->gpu = swept_text(r, 1, &e);
	to->cycles = sqlite3_column_double(r->st, 4);
	to->seconds = sqlite3_column_double(r->st, 5);
	to->launches = (uint64_t)sqlite3_column_int64(r->st, 6);
	config = (const char *)sqlite3_column_text(r->st, 2);
	cfg_sheet_init(&sheet);
	if (!e)
		e = cfg_read_text(&sheet, r->path, config ? config : "",
				  config ? strlen(config) : 0, CFG_ANY, r->d);
	to->cfg = sheet.cfg;
	cfg_sheet_free(&sheet);
	return e;
}

enum err swept_compare(struct compare *c, const char *path, int64_t point,
		       const char *name, struct diag *d)
{
	struct swept_reader r = { .arena = &c->arena, .path = path, .d = d };
	struct compare_run *to = compare_add_empty(c, name, d);
	enum err e = to ? swept_open(&r) : d->code;

	if (!e)
		e = swept_read_run(&r, to, point);
	if (!e)
		e = swept_read_values(&r, c, to, point);
	swept_close(&r);
	return e;
}

#else

static enum err swept_no_sqlite(const char *path, struct diag *d)
{
	return fail(d, ERR_UNSUPP,
		    "cannot read '%.200s': Heddle was built without SQLite "
		    "(package libsqlite3-dev)",
		    path);
}

enum err swept_read(struct swept *s, const char *path, const char *sweep,
		    struct diag *d)
{
	(void)sweep;
	*s = (struct swept){ 0 };
	return swept_no_sqlite(path, d);
}

enum err swept_compare(struct compare *c, const char *path, int64_t point,
		       const char *name, struct diag *d)
{
	(void)c, (void)point, (void)name;
	return swept_no_sqlite(path, d);
}

#endif
