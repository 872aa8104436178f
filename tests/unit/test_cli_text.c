#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/jsonwrite.h"
#include "base/utf8.h"
#include "base/words.h"
#include "door/cli/text.h"

static void demangles(const char *want, const char *symbol)
{
	char name[64];

	demangle(name, sizeof(name), symbol);
	STREQ(want, name);
}

TEST(cli_demangle, a_symbol_gives_the_name_in_the_source)
{
	demangles("matmul", "_Z6matmulPKfS0_Pfi");
	demangles("ns::scale", "_ZN2ns5scaleEPf");
	demangles("fill", "_ZL4fillPf");
	demangles("sum", "_Z3sumIfLi4EEvPT_");
	demangles("kernel", "kernel");
}

static void demangles_instance(const char *want, const char *symbol)
{
	char name[64];

	demangle_instance(name, sizeof(name), symbol);
	STREQ(want, name);
}

TEST(cli_demangle, instances_of_a_template_are_told_apart)
{
	demangles_instance("sum<float, 4>", "_Z3sumIfLi4EEvPT_");
	demangles_instance("ns::scale<unsigned long>", "_ZN2ns5scaleImEEvPT_");
	demangles_instance("k<true, -3, Type>", "_Z1kILb1ELin3E4TypeEvv");
	demangles_instance("k<...>", "_Z1kIN2ns1TEEvv");
	demangles_instance("k<...>", "_Z1kIfLi");
	demangles_instance("k<...>", "_Z1kI");
	demangles_instance("matmul", "_Z6matmulPKfS0_Pfi");
	demangles_instance("kernel", "kernel");
	demangles_instance("", "");
	/* no room for more */
	demangles_instance(
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaa<fl",
		"_Z60aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaIffEvv");
}

TEST(cli_demangle, what_is_not_understood_stays_as_it_is)
{
	demangles("_Z", "_Z");
	demangles("_Z9short", "_Z9short");
	demangles("_Z99999999999999999999x", "_Z99999999999999999999x");
	demangles("_ZN", "_ZN");
	demangles("", "");
}

TEST(cli_demangle, a_kernel_is_found_by_symbol_full_name_and_last_part)
{
	OK(demangle_matches("_ZN2ns5scaleEPf", "_ZN2ns5scaleEPf"));
	OK(demangle_matches("_ZN2ns5scaleEPf", "ns::scale"));
	OK(demangle_matches("_ZN2ns5scaleEPf", "scale"));
	OK(!demangle_matches("_ZN2ns5scaleEPf", "cale"));
	OK(!demangle_matches("_ZN2ns5scaleEPf", "ns"));
	OK(!demangle_matches("scale", ""));
}

static const char *near(const char *word)
{
	struct nearest n = { .word = word };

	nearest_offer(&n, "grid");
	nearest_offer(&n, "block");
	nearest_offer(&n, "max-instructions");
	return nearest_best(&n);
}

TEST(cli_text, a_misspelt_word_finds_the_one_that_was_meant)
{
	STREQ("grid", near("gird"));
	STREQ("block", near("blocks"));
	STREQ("max-instructions", near("max"));
	STREQ("max-instructions", near("max-instuctions"));
	STREQ(NULL, near("xyzzy"));
	STREQ(NULL, near(""));
}

TEST(cli_text, numbers_are_easy_to_read)
{
	char text[GROUPED_TEXT];

	STREQ("0", grouped(text, 0));
	STREQ("999", grouped(text, 999));
	STREQ("1,000", grouped(text, 1000));
	STREQ("18,446,744,073,709,551,615", grouped(text, UINT64_MAX));
	STREQ("2.50 ms", duration(text, 0.0025));
	STREQ("1000 ms", duration(text, 0.9999));
	STREQ("2 min 5 s", duration(text, 125));
	STREQ("12.0 M", scaled(text, 1.2e7));
}

TEST(cli_text, what_a_file_says_does_not_steer_the_terminal)
{
	char text[] = "a\tb\n\033[31m\x7f\xc2\x9bm \xc3\xa9";

	utf8_make_plain(text);
	STREQ("a\tb??[31m???m \xc3\xa9", text);
	utf8_make_plain(NULL);
}

TEST(cli_text, numbers_beyond_all_bounds_are_printed_all_the_same)
{
	char text[GROUPED_TEXT];

	STREQ("18,446,744,073,709,551,615", grouped_real(text, 1e30));
	STREQ("18,446,744,073,709,551,615", grouped_real(text, INFINITY));
	STREQ("0", grouped_real(text, -3.5));
	STREQ("0", grouped_real(text, NAN));
	STREQ("1,234", grouped_real(text, 1234.9));
	STREQ("2 min 5 s", duration(text, 125.5));
	STREQ("18446744073709551615 min 0 s", duration(text, INFINITY));
}

TEST(cli_json, what_belongs_on_one_line_is_there)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct json j = { .to = f };

	json_open(&j, NULL, '[');
	for (unsigned i = 0; i < 2; i++) {
		json_open_line(&j, NULL, '{');
		json_uint(&j, "a", i);
		json_open_line(&j, "b", '[');
		json_uint(&j, NULL, 1);
		json_uint(&j, NULL, 2);
		json_close(&j, '[');
		json_close(&j, '{');
	}
	json_close(&j, '[');
	fclose(f);
	STREQ("[\n  {\"a\": 0, \"b\": [1, 2]},\n"
	      "  {\"a\": 1, \"b\": [1, 2]}\n]\n",
	      text);
	free(text);
}

static char *json_of(const char *v)
{
	static char text[64];
	FILE *f = fmemopen(text, sizeof(text), "w");
	struct json j = { .to = f };

	json_string(&j, NULL, v);
	fclose(f);
	return text;
}

TEST(cli_json, bytes_that_are_no_text_are_replaced)
{
	STREQ("\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82\"",
	      json_of("\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82"));
	STREQ("\"\\ufffdx\"", json_of("\xff"
				      "x"));
	STREQ("\"\\ufffd\"", json_of("\xc3"));
	STREQ("\"\\ufffd\\ufffd\"", json_of("\xc0\xaf"));
	STREQ("\"\\ufffd\\ufffd\\ufffd\"", json_of("\xed\xa0\x80"));
}

TEST(cli_json, strings_are_escaped_and_values_separated)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct json j = { .to = f };

	json_open(&j, NULL, '{');
	json_string(&j, "a", "\"\\\n\x01");
	json_real(&j, "b", INFINITY);
	json_open(&j, "c", '[');
	json_close(&j, '[');
	json_open(&j, "d", '[');
	json_uint(&j, NULL, 1);
	json_bool(&j, NULL, true);
	json_close(&j, '[');
	json_uints(&j, "e", (const uint32_t[]){ 1, 2 }, 2);
	json_close(&j, '{');
	fclose(f);
	STREQ("{\n  \"a\": \"\\\"\\\\\\u000a\\u0001\",\n  \"b\": null,\n"
	      "  \"c\": [],\n  \"d\": [\n    1,\n    true\n  ],\n"
	      "  \"e\": [1, 2]\n}\n",
	      text);
	free(text);
}
