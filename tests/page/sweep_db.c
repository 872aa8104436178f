/*
 * Fills a database as a sweep does, for the tests of its report:
 *
 *	sweep_db FILE POINTS [hostile|cross]
 *
 * Times are made up by a rule, so that what the report must say is known: on
 * the axis sm.count a point with k times the SMs is as many times as fast, to
 * a quarter of the programs more each; dram.bandwidth helps half as much;
 * l1.replace does nothing. POINTS is how many there are at least; those that
 * the small axes do not need belong to a cross product. hostile: names that
 * would be markup, commands or formulas if someone took them for that. cross:
 * cross products of two and three parameters with known effects, and an axis of
 * 40 values that differ by less than 1%, in place of the rest.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/cfg.h"
#include "explore/store.h"

enum { PROGRAMS = 4 };

static const char *const plain[PROGRAMS] = { "matmul", "stencil", "convolution",
					     "reduction" };
static const char *const bad[PROGRAMS] = {
	"<script>alert(1)</script>",
	"'; system('touch pwned') #",
	"`touch pwned`",
	"=cmd|' /C calc'!A0\xff",
};

static sqlite3 *db;
static int hostile, ordinal, configs;

static void check(int e)
{
	if (e == SQLITE_OK || e == SQLITE_DONE || e == SQLITE_ROW)
		return;
	fprintf(stderr, "sweep_db: %s\n", sqlite3_errmsg(db));
	exit(1);
}

static void run(const char *sql)
{
	check(sqlite3_exec(db, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *prepare(const char *sql)
{
	sqlite3_stmt *st;

	check(sqlite3_prepare_v2(db, sql, -1, &st, NULL));
	return st;
}

static void finish(sqlite3_stmt *st)
{
	check(sqlite3_step(st));
	check(sqlite3_reset(st));
}

/* A configuration with these settings; NULL ends them. */
static int add_config(const char *const *settings)
{
	static sqlite3_stmt *st;
	struct cfg c;
	struct diag d;
	char hash[32], *text;

	if (!st)
		st = prepare("INSERT INTO config VALUES(?1, ?2, 'tiny', ?3)");
	cfg_defaults(&c);
	for (; settings && *settings; settings++)
		if (cfg_set(&c, *settings, &d)) {
			fprintf(stderr, "sweep_db: %s\n", d.text);
			exit(1);
		}
	text = cfg_dump(&c, NULL);
	snprintf(hash, sizeof(hash), "hash%d", ++configs);
	check(sqlite3_bind_int(st, 1, configs));
	check(sqlite3_bind_text(st, 2, hash, -1, SQLITE_TRANSIENT));
	check(sqlite3_bind_text(st, 3, text, -1, SQLITE_TRANSIENT));
	finish(st);
	free(text);
	return configs;
}

struct value {
	const char *axis, *label;
	const char *settings[4]; /* "sm.count=14", NULL at the end */
	double speedup, cost;
	int failed;
};

static void add_setting(int point, const char *setting)
{
	static sqlite3_stmt *st;
	const char *equals = strchr(setting, '=');
	char *end;
	double number = strtod(equals + 1, &end);

	if (!st)
		st = prepare(
			"INSERT INTO setting VALUES(?1, ?2, ?3, ?4, NULL)");
	check(sqlite3_bind_int(st, 1, point));
	check(sqlite3_bind_text(st, 2, setting, (int)(equals - setting),
				SQLITE_TRANSIENT));
	check(sqlite3_bind_text(st, 3, equals + 1, -1, SQLITE_TRANSIENT));
	if (*end)
		check(sqlite3_bind_null(st, 4));
	else
		check(sqlite3_bind_double(st, 4, number));
	finish(st);
}

static void add_result(const char *key, const struct value *v)
{
	static sqlite3_stmt *st, *stat;
	double seconds = 1e-3 / v->speedup;

	if (!st) {
		st = prepare("INSERT INTO result VALUES(?1, ?2, ?3, ?4, ?5, "
			     "0.1, 12345, 1, 'serial', '0.1.0', 'here', "
			     "'2026-01-01T00:00:00Z')");
		stat = prepare("INSERT INTO stat VALUES(?1, ?2, ?3)");
	}
	check(sqlite3_bind_text(st, 1, key, -1, SQLITE_TRANSIENT));
	check(sqlite3_bind_text(st, 2, v->failed ? "failed" : "ok", -1,
				SQLITE_STATIC));
	check(sqlite3_bind_text(st, 3,
				!v->failed ? "" :
				hostile ? "<img src=x onerror=alert(2)>\n=1+1" :
					  "sm.shared = 0: no block fits",
				-1, SQLITE_STATIC));
	check(sqlite3_bind_double(st, 4, v->failed ? 0 : seconds * 1e9));
	check(sqlite3_bind_double(st, 5, v->failed ? 0 : seconds));
	if (v->failed) {
		check(sqlite3_bind_null(st, 4));
		check(sqlite3_bind_null(st, 5));
	}
	finish(st);
	check(sqlite3_bind_text(stat, 1, key, -1, SQLITE_TRANSIENT));
	check(sqlite3_bind_text(stat, 2, "gpu.cycles", -1, SQLITE_STATIC));
	check(sqlite3_bind_double(stat, 3, seconds * 1e9));
	finish(stat);
}

/* A value of an axis, for every program. waiting: without a result. */
static void add_value(const struct value *v, int baseline, int waiting)
{
	static sqlite3_stmt *st;
	int config = add_config(v->settings);
	char key[32];

	if (!st)
		st = prepare("INSERT INTO point VALUES(?1, 1, ?1, ?2, ?3, ?4, "
			     "?5, ?6, ?7, ?8)");
	for (int k = 0; k < PROGRAMS; k++) {
		struct value mine = *v;

		ordinal++;
		if (mine.speedup > 1)
			mine.speedup =
				1 + (mine.speedup - 1) * (k + 1) / PROGRAMS;
		snprintf(key, sizeof(key), "key%d", ordinal);
		check(sqlite3_bind_int(st, 1, ordinal));
		check(sqlite3_bind_int(st, 2, k + 1));
		check(sqlite3_bind_int(st, 3, config));
		check(sqlite3_bind_text(st, 4, v->axis, -1, SQLITE_TRANSIENT));
		check(sqlite3_bind_text(st, 5, v->label, -1, SQLITE_TRANSIENT));
		check(sqlite3_bind_int(st, 6, baseline));
		check(sqlite3_bind_double(st, 7, v->cost));
		check(sqlite3_bind_text(st, 8, key, -1, SQLITE_TRANSIENT));
		finish(st);
		for (int i = 0; v->settings[i]; i++)
			add_setting(ordinal, v->settings[i]);
		if (!waiting)
			add_result(key, &mine);
	}
}

static void add_programs(void)
{
	sqlite3_stmt *st =
		prepare("INSERT INTO program VALUES(?1, ?2, 'run it', 'h')");

	for (int k = 0; k < PROGRAMS; k++) {
		check(sqlite3_bind_int(st, 1, k + 1));
		check(sqlite3_bind_text(st, 2, (hostile ? bad : plain)[k], -1,
					SQLITE_STATIC));
		finish(st);
	}
	check(sqlite3_finalize(st));
}

static void add_small_axes(void)
{
	static const char *const factors[] = { "dram.bandwidth=450",
					       "dram.bandwidth=900",
					       "dram.bandwidth=1800",
					       "dram.bandwidth=3600" };
	char setting[64], label[16];

	for (int k = 1; k <= 8; k *= 2) {
		snprintf(setting, sizeof(setting), "sm.count=%d", 20 * k);
		snprintf(label, sizeof(label), "%d", 20 * k);
		add_value(&(struct value){ "sm.count",
					   label,
					   { setting },
					   k / 4.0,
					   20.0 * k,
					   0 },
			  0, 0);
	}
	for (int k = 0; k < 4; k++) {
		snprintf(label, sizeof(label), "x %g", 0.5 * (1 << k));
		add_value(&(struct value){ "dram.bandwidth",
					   label,
					   { factors[k] },
					   1 + 0.25 * (k - 1),
					   80 + 10 * k,
					   0 },
			  0, 0);
	}
	add_value(
		&(struct value){
			"l1.replace", "lru", { "l1.replace=lru" }, 1, 80, 0 },
		0, 0);
	add_value(
		&(struct value){
			"l1.replace", "fifo", { "l1.replace=fifo" }, 1, 79, 0 },
		0, 0);
	add_value(
		&(struct value){ "no L1", "no L1", { "l1.on=no" }, 0.8, 60, 0 },
		0, 0);
	add_value(
		&(struct value){ hostile ? "<b>\"bold\"</b>" : "perfect fetch",
				 hostile ? "<b>\"bold\"</b>" : "perfect fetch",
				 { "front.perfect=yes" },
				 1.1,
				 95,
				 0 },
		0, 0);
	add_value(
		&(struct value){
			"l2.bytes", "768K", { "l2.bytes=768K" }, 1, 70, 1 },
		0, 0);
	add_value(
		&(struct value){
			"l2.bytes", "12M", { "l2.bytes=12M" }, 1.2, 90, 0 },
		0, 1);
}

static void add_cross(int points)
{
	char settings[2][64], label[64];

	for (int i = 0; ordinal < points; i++) {
		int sms = 8 + i % 100, bandwidth = 100 + 10 * (i / 100);

		snprintf(settings[0], 64, "sm.count=%d", sms);
		snprintf(settings[1], 64, "dram.bandwidth=%d", bandwidth);
		snprintf(label, sizeof(label), "%d x %d", sms, bandwidth);
		add_value(
			&(struct value){ "sm.count x dram.bandwidth",
					 label,
					 { settings[0], settings[1] },
					 0.2 + sms / 100.0 + bandwidth / 1000.0,
					 sms + bandwidth / 10.0,
					 0 },
			0, 0);
	}
}

/* SMs times bandwidth; the last SMs need the last bandwidth to be twice as
 * fast, and the first of each fails. */
static void add_pairs(void)
{
	char settings[2][64], label[64];

	for (int i = 0; i < 4 * 3; i++) {
		int sms = 1 + i / 3, bandwidth = 100 << i % 3;
		double speed = 0.1 * sms * (1 + 0.1 * (i % 3));

		snprintf(settings[0], 64, "sm.count=%d", sms);
		snprintf(settings[1], 64, "dram.bandwidth=%d", bandwidth);
		snprintf(label, sizeof(label), "%d x %d", sms, bandwidth);
		add_value(&(struct value){ "sm.count x dram.bandwidth",
					   label,
					   { settings[0], settings[1] },
					   i == 11 ? 2 * speed : speed,
					   NAN,
					   i == 0 },
			  0, 0);
	}
}

/* Three parameters that act independently: 0.1, 0.2, 0.4; 1, 1.2; 1, 0.5. */
static void add_triples(void)
{
	char settings[3][64], label[64];

	for (int i = 0; i < 3 * 2 * 2; i++) {
		int sms = 1 << i / 4, ways = 2 << i / 2 % 2, on = !(i % 2);

		snprintf(settings[0], 64, "sm.count=%d", sms);
		snprintf(settings[1], 64, "l2.ways=%d", ways);
		snprintf(settings[2], 64, "l1.on=%s", on ? "yes" : "no");
		snprintf(label, sizeof(label), "%d x %d x %s", sms, ways,
			 on ? "L1" : "no L1");
		add_value(&(struct value){ "sm.count x l2.ways x variant",
					   label,
					   { settings[0], settings[1],
					     settings[2] },
					   0.1 * sms * (ways == 4 ? 1.2 : 1) *
						   (on ? 1 : 0.5),
					   NAN,
					   0 },
			  0, 0);
	}
}

static void add_near(void)
{
	char setting[64], label[16];

	for (int i = 1; i <= 40; i++) {
		snprintf(setting, sizeof(setting), "lat.fma.cycles=%d", i);
		snprintf(label, sizeof(label), "%d", i);
		add_value(&(struct value){ "lat.fma.cycles",
					   label,
					   { setting },
					   1 - 0.0002 * i,
					   NAN,
					   0 },
			  0, 0);
	}
}

int main(int argc, char **argv)
{
	bool cross = argc > 3 && !strcmp(argv[3], "cross");

	if (argc < 3) {
		fputs("usage: sweep_db FILE POINTS [hostile|cross]\n", stderr);
		return 2;
	}
	hostile = argc > 3 && !cross;
	remove(argv[1]);
	check(sqlite3_open(argv[1], &db));
	run("PRAGMA synchronous = OFF; BEGIN");
	run(store_schema);
	run(hostile ? "INSERT INTO sweep VALUES(1, 'hostile', "
		      "'</title><script>alert(3)</script>', '', 'tiny', "
		      "'<i>sm.count</i>', '2026-01-01')" :
		      "INSERT INTO sweep VALUES(1, 'small', 'A small sweep', "
		      "'', 'tiny', 'sm.count + 10 * log(dram.bandwidth)', "
		      "'2026-01-01')");
	add_programs();
	add_value(&(struct value){ "", "", { NULL }, 1, 80, 0 }, 1, 0);
	if (cross) {
		add_pairs();
		add_triples();
		add_near();
	} else {
		add_small_axes();
		add_cross(atoi(argv[2]));
	}
	run("COMMIT");
	check(sqlite3_close_v2(db));
	return 0;
}
