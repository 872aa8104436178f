/* Reading JSON: valid text, and texts that are not JSON. */
#include "base/jsonread.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

static struct diag diag;

static const struct json_node *read_text(struct arena *a, const char *text)
{
	const struct json_node *n = NULL;

	return json_read(&n, a, text, strlen(text), "x.json", &diag) ? NULL : n;
}

static void refused(const char *text, const char *why)
{
	struct arena a = { 0 };

	OK(!read_text(&a, text));
	STREQ(why, diag.text);
	arena_free(&a);
}

TEST(jsonread, members_are_found_by_their_path)
{
	struct arena a = { 0 };
	const struct json_node *n = read_text(
		&a, " {\"a\": {\"b\": [1, -2.5e1, \"x\"], \"t\": true},"
		    "\"n\" : null, \"a\": 7}\n");

	EQ(3, n->count);
	EQ(JSON_ARRAY, json_get(n, "a.b")->kind);
	EQ(3, json_get(n, "a.b")->count);
	EQ(-25.0, json_get(n, "a.b")->first->next->number);
	STREQ("-2.5e1", json_get(n, "a.b")->first->next->text);
	OK(json_get(n, "a.t")->truth);
	EQ(JSON_NULL, json_get(n, "n")->kind);
	OK(!json_get(n, "a.b.c"));
	OK(!json_get(n, "a.bb"));
	OK(!json_get(NULL, "a"));
	arena_free(&a);
}

TEST(jsonread, a_value_of_another_kind_gives_the_default)
{
	struct arena a = { 0 };
	const struct json_node *n = read_text(&a, "{\"s\": \"v\", \"x\": 4}");

	STREQ("v", json_get_text(n, "s", "?"));
	STREQ("?", json_get_text(n, "x", "?"));
	EQ(4.0, json_get_number(n, "x", -1));
	EQ(-1.0, json_get_number(n, "s", -1));
	EQ(-1.0, json_get_number(n, "none", -1));
	arena_free(&a);
}

TEST(jsonread, escapes_become_utf8)
{
	struct arena a = { 0 };

	STREQ("\"\\/\b\f\n\r\t", read_text(&a, "\"\\\"\\\\\\/\\b\\f\\n"
					       "\\r\\t\"")
					 ->text);
	STREQ("A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
	      read_text(&a, "\"\\u0041\\u00e4\\u20AC\\ud83d\\uDE00\"")->text);
	STREQ("\xef\xbf\xbd|\xef\xbf\xbd"
	      "A",
	      read_text(&a, "\"\\ud83d|\\ud83d\\u0041\"")->text);
	arena_free(&a);
}

TEST(jsonread, invalid_json_is_refused_with_its_position)
{
	refused("", "x.json:1:1: expected a value");
	refused("{\n \"a\": 01}", "x.json:2:7: expected a value");
	refused("[1, 2", "x.json:1:6: expected ',' or ']'");
	refused("{\"a\": 1", "x.json:1:8: expected ',' or '}'");
	refused("{\"a\" 1}", "x.json:1:6: expected ':' after a key");
	refused("{a: 1}", "x.json:1:2: expected a key in quotes");
	refused("{\"a\": 1,}", "x.json:1:9: expected a key in quotes");
	refused("1 2", "x.json:1:3: text after the end of the value");
	refused("\"abc", "x.json:1:2: string without a closing quote");
	refused("\"\\", "x.json:1:2: string without a closing quote");
	refused("\"\\x\"", "x.json:1:4: unknown escape: expected one of "
			   "\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
	refused("\"\\u12g4\"",
		"x.json:1:4: expected four hexadecimal digits after \\u");
	refused("\"\\u12\x13"
		"4\"",
		"x.json:1:4: expected four hexadecimal digits after \\u");
	refused("\"\\u0000\"", "x.json:1:8: NUL in a string is not supported");
	refused("\"a\nb\"", "x.json:2:1: control character in a string: write "
			    "an escape");
	refused("nul", "x.json:1:1: expected a value");
	refused("-", "x.json:1:1: expected a value");
	refused("1.", "x.json:1:1: expected a value");
	refused("1e+", "x.json:1:1: expected a value");
}

TEST(jsonread, nesting_has_a_limit)
{
	char text[2 * JSON_DEPTH + 3];
	struct arena a = { 0 };

	for (int depth = JSON_DEPTH; depth <= JSON_DEPTH + 1; depth++) {
		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		text[2 * depth] = 0;
		EQ(depth == JSON_DEPTH, read_text(&a, text) != NULL);
	}
	STREQ("x.json:1:66: nested too deeply: at most 64 levels", diag.text);
	arena_free(&a);
}

TEST(jsonread, a_file_larger_than_a_buffer_is_read_whole)
{
	const char *path = "jsonread.test.json";
	struct arena a = { 0 };
	const struct json_node *n;
	FILE *f = fopen(path, "w");

	fputs("[0", f);
	for (int i = 1; i < 50000; i++)
		fprintf(f, ", %d", i);
	fputs("]", f);
	fclose(f);
	EQ(ERR_OK, json_read_file(&n, &a, path, &diag));
	remove(path);
	EQ(50000, n->count);
	EQ(ERR_IO, json_read_file(&n, &a, path, &diag));
	arena_free(&a);
}
