/*
 * The SQL of a store: what makes its tables, and the statements that are
 * prepared once and run many times. docs/sweeps.md describes the tables.
 */
#ifndef HEDDLE_EXPLORE_STORE_SQL_H
#define HEDDLE_EXPLORE_STORE_SQL_H

#define STORE_FORMAT "1"

/* The keys whose results are to be replaced, and the code that gave results.
 * Databases of earlier versions do not have them. */
#define STORE_AGAIN " again(key TEXT PRIMARY KEY)"
#define STORE_CODE " code(key TEXT PRIMARY KEY, code TEXT)"

/* clang-format off */
#define STORE_SCHEMA                                                           \
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"                 \
	"CREATE TABLE sweep(id INTEGER PRIMARY KEY, name TEXT UNIQUE,"         \
	"  title TEXT, text TEXT, gpu TEXT, cost TEXT, created TEXT);"         \
	"CREATE TABLE program(id INTEGER PRIMARY KEY, name TEXT,"              \
	"  command TEXT, hash TEXT, UNIQUE(name, command, hash));"             \
	"CREATE TABLE config(id INTEGER PRIMARY KEY, hash TEXT UNIQUE,"        \
	"  gpu TEXT, text TEXT);"                                              \
	"CREATE TABLE point(id INTEGER PRIMARY KEY, sweep INTEGER,"            \
	"  ordinal INTEGER, program INTEGER, config INTEGER, axis TEXT,"       \
	"  label TEXT, baseline INTEGER, cost REAL, key TEXT,"                 \
	"  UNIQUE(sweep, ordinal));"                                           \
	"CREATE INDEX point_key ON point(key);"                                \
	"CREATE TABLE setting(point INTEGER, param TEXT, value TEXT,"          \
	"  number REAL, factor REAL);"                                         \
	"CREATE INDEX setting_point ON setting(point);"                        \
	"CREATE TABLE result(key TEXT PRIMARY KEY, status TEXT, reason TEXT,"  \
	"  cycles REAL, gpu_seconds REAL, host_seconds REAL,"                  \
	"  warp_instructions REAL, launches INTEGER, engine TEXT,"             \
	"  version TEXT, host TEXT, finished TEXT);"                           \
	"CREATE TABLE stat(key TEXT, name TEXT, value REAL,"                   \
	"  PRIMARY KEY(key, name)) WITHOUT ROWID;"                             \
	"CREATE TABLE" STORE_AGAIN ";"                                         \
	"CREATE TABLE" STORE_CODE ";"                                          \
	"INSERT INTO meta VALUES('format', '" STORE_FORMAT "');"

/* X(id, SQL) */
#define STORE_STATEMENTS(X)                                                    \
	X(BEGIN, "BEGIN IMMEDIATE")                                            \
	X(COMMIT, "COMMIT")                                                    \
	X(ROLLBACK, "ROLLBACK")                                                \
	X(SWEEP, "INSERT INTO sweep(name, title, text, gpu, cost, created) "   \
	  "VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET "          \
	  "title = excluded.title, text = excluded.text, "                     \
	  "gpu = excluded.gpu, cost = excluded.cost")                          \
	X(SWEEP_ID, "SELECT id FROM sweep WHERE name = ?")                     \
	X(DROP_SETTINGS, "DELETE FROM setting WHERE point IN "                 \
	  "(SELECT id FROM point WHERE sweep = ?)")                            \
	X(DROP_POINTS, "DELETE FROM point WHERE sweep = ?")                    \
	X(PROGRAM, "INSERT INTO program(name, command, hash) "                 \
	  "VALUES(?, ?, ?) ON CONFLICT DO NOTHING")                            \
	X(PROGRAM_ID, "SELECT id FROM program WHERE name = ? AND "             \
	  "command = ? AND hash = ?")                                          \
	X(CONFIG, "INSERT INTO config(hash, gpu, text) VALUES(?, ?, ?) "       \
	  "ON CONFLICT DO NOTHING")                                            \
	X(CONFIG_ID, "SELECT id FROM config WHERE hash = ?")                   \
	X(POINT, "INSERT INTO point(sweep, ordinal, program, config, axis, "   \
	  "label, baseline, cost, key) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)")     \
	X(SETTING, "INSERT INTO setting VALUES(?, ?, ?, ?, ?)")                \
	X(TODO, "SELECT MIN(ordinal), key FROM point WHERE sweep = ? AND "     \
	  "(key NOT IN (SELECT key FROM result) OR "                           \
	  "key IN (SELECT key FROM again)) GROUP BY key "                      \
	  "ORDER BY MIN(ordinal)")                                             \
	X(AGAIN, "INSERT OR IGNORE INTO again SELECT key FROM result "         \
	  "WHERE key IN (SELECT key FROM point WHERE sweep = ?) AND "          \
	  "(? OR status = 'failed')")                                          \
	X(NOT_AGAIN, "DELETE FROM again WHERE key = ?")                        \
	X(RESULT, "INSERT OR REPLACE INTO result VALUES(?, ?, ?, ?, ?, ?, "    \
	  "?, ?, ?, ?, ?, ?)")                                                 \
	X(CODE, "INSERT OR REPLACE INTO code VALUES(?, ?)")                    \
	X(DROP_STATS, "DELETE FROM stat WHERE key = ?")                        \
	X(STAT, "INSERT INTO stat VALUES(?, ?, ?)")                            \
	X(TALLY, "SELECT COUNT(*), SUM(status = 'ok'), "                       \
	  "SUM(status = 'failed'), SUM(status IS NULL), "                      \
	  "SUM(key IN (SELECT key FROM again)) FROM point "                    \
	  "LEFT JOIN result USING(key) WHERE sweep = ?")                       \
	X(SWEEPS, "SELECT COUNT(point.id), SUM(status = 'ok'), "               \
	  "SUM(status = 'failed'), SUM(point.id AND status IS NULL), "         \
	  "SUM(key IN (SELECT key FROM again)), sweep.name, sweep.title FROM sweep "                                \
	  "LEFT JOIN point ON sweep = sweep.id LEFT JOIN result USING(key) "   \
	  "GROUP BY sweep.id ORDER BY sweep.name")                             \
	X(FAILED, "SELECT program.name, axis, label, reason FROM point "       \
	  "JOIN result USING(key) JOIN program ON program.id = program "       \
	  "WHERE sweep = ? AND status = 'failed' ORDER BY ordinal")
/* clang-format on */

#endif
