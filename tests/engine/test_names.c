/* Engines are chosen by name, and a result says which one was used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "heddle/heddle.h"

static struct heddle_config *tiny(void)
{
	struct heddle_config *c = NULL;

	heddle_config_load(&c, HEDDLE_SOURCE_DIR "/configs/tiny.cfg", NULL);
	return c;
}

/* Makes a device with that engine; returns the status, with its text in err. */
static int make(const char *engine, uint64_t window, bool timed,
		struct heddle_error *err)
{
	struct heddle_config *c = timed ? tiny() : NULL;
	struct heddle_device_options o = { .engine = engine,
					   .window = window,
					   .config = c };
	struct heddle_device *dev = NULL;
	int code = heddle_device_new(&dev, &o, err);

	heddle_device_free(dev);
	heddle_config_free(c);
	return code;
}

/* The engine's name, with a number for K. */
static void with_number(const char *name, char *to, size_t size)
{
	size_t n = strcspn(name, ":");

	snprintf(to, size, "%.*s%s", (int)n, name, name[n] ? ":25" : "");
}

TEST(names, every_engine_of_the_list_makes_a_device)
{
	struct heddle_error err;
	struct heddle_engine e;
	char name[64];

	EQ(5, heddle_engine_count());
	for (size_t i = 0; i < heddle_engine_count(); i++) {
		EQ(HEDDLE_OK, heddle_engine_get(i, &e, &err));
		OK(e.doc[0]);
		with_number(e.name, name, sizeof(name));
		EQ(HEDDLE_OK, make(name, 0, true, &err));
	}
	EQ(HEDDLE_RANGE, heddle_engine_get(heddle_engine_count(), &e, &err));
	STREQ("no engine 5 of 5", err.text);
}

TEST(names, an_unknown_one_is_an_error_that_lists_them)
{
	struct heddle_error err;

	EQ(HEDDLE_UNKNOWN, make("quick", 0, true, &err));
	STREQ("no engine named 'quick'; there are: serial, exact, cycle, "
	      "slack:K, workgroup",
	      err.text);
	EQ(HEDDLE_UNKNOWN, make("", 0, true, &err));
	EQ(HEDDLE_UNKNOWN, make("exact ", 0, true, &err));
	EQ(HEDDLE_UNKNOWN, make("slack", 0, true, &err));
	EQ(HEDDLE_UNKNOWN, make("workgroup:10", 0, true, &err));
}

TEST(names, a_slack_is_a_number_of_cycles)
{
	static const char *const wrong[] = { "slack:",    "slack:0",
					     "slack:K",   "slack:-1",
					     "slack: 1",  "slack:10 ",
					     "slack:1e3", "slack:4294967297" };
	struct heddle_error err;

	EQ(HEDDLE_OK, make("slack:1", 0, true, &err));
	EQ(HEDDLE_OK, make("slack:4294967296", 0, true, &err));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EQ(HEDDLE_RANGE, make(wrong[i], 0, true, &err));
	make("slack:ten", 0, true, &err);
	STREQ("engine 'slack:ten': expected a number of cycles from 1 to "
	      "4294967296, such as slack:10",
	      err.text);
}

TEST(names, an_engine_without_a_configuration_is_an_error)
{
	struct heddle_error err;

	EQ(HEDDLE_RANGE, make("exact", 0, false, &err));
	STREQ("the engine exact needs a GPU with a configuration", err.text);
}

TEST(names, cycle_has_windows_of_one_cycle_and_no_others)
{
	struct heddle_error err;

	EQ(HEDDLE_OK, make("cycle", 1, true, &err));
	EQ(HEDDLE_OK, make("exact", 5, true, &err));
	EQ(HEDDLE_RANGE, make("cycle", 5, true, &err));
	STREQ("windows of 5 cycles: the engine cycle has windows of 1",
	      err.text);
}

/* docs/engines.md has a row for each engine. */
TEST(names, every_engine_is_in_the_documentation)
{
	FILE *f = fopen(HEDDLE_SOURCE_DIR "/docs/engines.md", "rb");
	char *text = calloc(1, 1 << 16), row[160];
	struct heddle_engine e;
	size_t n;

	OK(f && text);
	n = fread(text, 1, (1 << 16) - 1, f);
	fclose(f);
	OK(n > 0);
	for (size_t i = 0; i < heddle_engine_count(); i++) {
		heddle_engine_get(i, &e, NULL);
		snprintf(row, sizeof(row), "| `%s` | %s | %s |", e.name, e.doc,
			 e.exact ? "yes" : "no");
		STREQ(row, strstr(text, row) ? row : "no such row");
	}
	free(text);
}
