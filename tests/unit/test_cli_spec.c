#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/source.h"

static struct arg_spec good(const char *text)
{
	struct diag d = { 0 };
	struct arg_spec s;

	EQ(ERR_OK, spec_parse(&s, text, &d));
	return s;
}

/* The text is refused, with a message that contains `why`. */
static void bad(const char *text, const char *why)
{
	struct diag d = { 0 };
	struct arg_spec s;

	OK(spec_parse(&s, text, &d) != ERR_OK);
	if (!strstr(d.text, why))
		STREQ(why, d.text);
}

/* The first elements that the spec stands for. */
static void elements(const char *text, void *to, size_t count)
{
	struct arg_spec s = good(text);
	struct diag d = { 0 };
	struct source src;

	EQ(ERR_OK, source_open(&src, &s, random_key(1, 0), &d));
	EQ(ERR_OK, source_fill(&src, 0, count, to, &d));
	source_close(&src);
}

TEST(cli_number, integers_keep_all_64_bits_and_their_sign)
{
	EQ(UINT64_MAX, good("18446744073709551615").number.magnitude);
	EQ(16, good("0x10").number.magnitude);
	EQ(5, good("0b101").number.magnitude);
	OK(good("-1").number.negative);
	OK(!good("-0").number.negative);
	EQ(65536, good("64K").number.magnitude);
	EQ(3u << 30, good("3G").number.magnitude);
}

TEST(cli_number, a_number_that_no_type_holds_is_refused)
{
	bad("18446744073709551616", "too large");
	bad("17179869184G", "too large");
	bad("1e999", "too large");
	bad("12abc", "not a number");
	bad("0x", "not a number");
	bad(" 1", "not a number");
	bad("-", "not a number");
}

TEST(cli_number, floats_are_what_strtod_makes_of_them)
{
	OK(good("3.5").number.is_float);
	EQ(3.5, good("3.5").number.real);
	EQ(1e-3, good("1e-3").number.real);
	EQ(-INFINITY, good("-inf").number.real);
	OK(isnan(good("nan").number.real));
}

TEST(cli_number, a_typed_number_is_checked_against_its_type)
{
	EQ(ELEM_f16, good("1.5:f16").type);
	EQ(ELEM_s8, good("-128:s8").type);
	bad("-129:s8", "does not fit in s8: -128 to 127");
	bad("256:u8", "0 to 255");
	bad("-1:u64", "does not fit");
	bad("1.5:s32", "whole numbers");
	bad("70000:f16", "at most 65504");
	bad("1:f33", "did you mean");
	bad("f32:1", "NUMBER:f32");
}

TEST(cli_spec, a_name_may_stand_in_front)
{
	struct arg_spec s = good("C:f32[4]=zero");

	STREQ("C", s.name);
	EQ(SPEC_ARRAY, s.kind);
	STREQ("", good("f32[4]=random:0:1").name);
	STREQ("n", good("n:42").name);
	STREQ("", good("bytes:00ff").name);
	STREQ("", good("tex2d:f32[4x4]").name);
	STREQ("t", good("t:tex2d:f32[4x4]").name);
	STREQ("s", good("s:bytes:00").name);
	STREQ("x", good("x:1.5:f16").name);
}

TEST(cli_spec, sizes_multiply_and_take_suffixes)
{
	struct arg_spec s = good("f32[2x3K]");

	EQ(2, s.shape.dims);
	EQ(2, s.shape.size[0]);
	EQ(3072, s.shape.size[1]);
	EQ(6144, s.shape.count);
	EQ(INIT_ZERO, s.init.kind);
}

TEST(cli_spec, sizes_that_make_no_sense_are_refused)
{
	bad("f32[0]", "cannot be empty");
	bad("f32[4Gx4G]", "larger than any memory");
	bad("f64[4Gx1G]", "larger than any memory");
	bad("f32[-1]", "whole number");
	bad("f32[2x]", "whole number");
	bad("f32[1.5]", "whole number");
	bad("f32[4", "expected TYPE[SIZE]");
	bad("f32[]", "needs a size");
	bad("f32[1x1x1x1x1x1x1x1x1]", "more than 8 dimensions");
	bad("f32[4]zero", "expected '='");
	bad("f31[4]", "did you mean");
}

TEST(cli_spec, what_fills_an_array_is_checked)
{
	bad("f32[4]=zeros", "did you mean zero");
	bad("f32[4]=zero:1", "after zero");
	bad("f32[4]=fill", "fill:VALUE");
	bad("f32[4]=fill:1:2", "fill:VALUE");
	bad("u8[4]=fill:300", "does not fit");
	bad("f32[4]=random:1", "random:LO:HI");
	bad("f32[4]=random:2:1", "random:LO:HI");
	bad("f32[4]=random:0:inf", "finite");
	bad("s32[4]=iota:1:2:3", "after two numbers");
	bad("s32[4]=list:", "not a number");
	bad("s32[4]=list:1,,2", "not a number");
	bad("f32[4]=@", "name of a file");
	bad("@data.raw", "TYPE[]=@data.raw");
	bad("", "empty");
}

TEST(cli_spec, structs_are_pairs_of_hexadecimal_digits)
{
	uint8_t got[3];

	elements("bytes:00fFa5", got, 3);
	EQ(0x00, got[0]);
	EQ(0xff, got[1]);
	EQ(0xa5, got[2]);
	bad("bytes:0", "pairs");
	bad("bytes:", "pairs");
	bad("bytes:0g", "hexadecimal");
}

TEST(cli_spec, textures_take_channels_and_flags)
{
	struct arg_spec s =
		good("tex2d:f32x4[8x16]=random,linear,clamp,normalized");

	EQ(SPEC_TEXTURE, s.kind);
	EQ(4, s.channels);
	EQ(2, s.dims);
	OK(s.linear && s.normalized && !s.surface && !s.read_as_float);
	EQ(HEDDLE_ADDRESS_CLAMP, s.address);
	EQ(INIT_RANDOM, s.init.kind);
	OK(good("surf3d:u8[2x2x2]").surface);
	EQ(INIT_LIST, good("tex1d:u8[2]=list:1,2,wrap").init.kind);
}

TEST(cli_spec, a_texture_file_may_have_commas_in_its_name)
{
	struct arg_spec s = good("tex1d:u8[4]=@a,b.npy,mirror");

	EQ(INIT_FILE, s.init.kind);
	EQ(7, s.init.length);
	EQ(0, memcmp(s.init.text, "a,b.npy", 7));
	EQ(HEDDLE_ADDRESS_MIRROR, s.address);
}

TEST(cli_spec, textures_that_make_no_sense_are_refused)
{
	bad("tex2d:f32[4]", "expected 2 sizes");
	bad("tex2d:f64[4x4]", "cannot hold f64");
	bad("tex2d:f32[4x4]=random,liner", "did you mean linear");
	bad("tex1d:f32x3[4]", "unknown type");
	bad("tex1d:u8[8G]", "on a side");
	bad("tex4d:f32[4]", "unknown kind of texture");
	bad("tex2D:f32[4x4]", "unknown kind of texture");
}

TEST(cli_source, iota_counts_and_integers_wrap)
{
	uint8_t bytes[4];
	float floats[3];

	elements("u8[4]=iota:254", bytes, 4);
	EQ(254, bytes[0]);
	EQ(255, bytes[1]);
	EQ(0, bytes[2]);
	elements("f32[3]=iota:1:-0.5", floats, 3);
	EQ(1.0f, floats[0]);
	EQ(0.0f, floats[2]);
}

TEST(cli_source, lists_and_fills_are_stored_in_the_type)
{
	int16_t list[3];
	uint16_t half;

	elements("s16[]=list:-1,2,0x7fff", list, 3);
	EQ(-1, list[0]);
	EQ(0x7fff, list[2]);
	elements("f16[1]=fill:-2", &half, 1);
	EQ(0xc000, half);
	elements("bf16[1]=fill:1", &half, 1);
	EQ(0x3f80, half);
}

TEST(cli_source, a_list_must_have_as_many_values_as_the_array)
{
	struct arg_spec s = good("s32[4]=list:1,2,3");
	struct diag d = { 0 };
	struct source src;

	OK(source_open(&src, &s, 0, &d) != ERR_OK);
	OK(strstr(d.text, "3 values") != NULL);
}

/* These values are a promise: results recorded with a seed rest on them. */
TEST(cli_source, random_numbers_never_change)
{
	uint64_t words[2];
	float floats[2];

	elements("u64[2]=random", words, 2);
	EQ(0xb18a02f46d8d86c3u, words[0]);
	EQ(0xf8c5b62c83f707e8u, words[1]);
	elements("f32[2]=random", floats, 2);
	EQ((float)(words[0] >> 40) * 0x1p-24f, floats[0]);
	EQ((float)(words[1] >> 40) * 0x1p-24f, floats[1]);
}

TEST(cli_source, random_numbers_stay_in_their_range)
{
	static int8_t ints[4096];
	static double reals[4096];
	bool low = false, high = false;

	elements("s8[4096]=random:-3:4", ints, 4096);
	for (int i = 0; i < 4096; i++) {
		OK(ints[i] >= -3 && ints[i] <= 4);
		low |= ints[i] == -3;
		high |= ints[i] == 4;
	}
	OK(low && high);
	elements("f64[4096]=random:-1:1", reals, 4096);
	for (int i = 0; i < 4096; i++)
		OK(reals[i] >= -1 && reals[i] < 1);
}

TEST(cli_values, every_type_stores_and_loads_its_numbers)
{
	for (int i = 0; i < ELEM_COUNT; i++) {
		enum elem_type type = (enum elem_type)i, again;
		const char *name = elem_info[i].name;
		uint8_t bytes[ELEM_MAX_BYTES];

		OK(elem_find(name, strlen(name), &again) && again == type);
		OK(elem_info[i].bytes <= ELEM_MAX_BYTES);
		OK(strstr(ELEM_NAMES, name) != NULL);
		elem_store(type, bytes, number_uint(100));
		EQ(100.0, number_real(elem_load(type, bytes)));
		if (elem_info[i].cls == ELEM_UNSIGNED)
			continue;
		elem_store(type, bytes, number_int(-100));
		EQ(-100.0, number_real(elem_load(type, bytes)));
	}
}

TEST(cli_values, printed_numbers_are_short_and_read_back)
{
	char text[NUMBER_TEXT];

	elem_print(text, ELEM_f32, number_float(0.1f));
	STREQ("0.1", text);
	elem_print(text, ELEM_f64, number_float(0.1));
	STREQ("0.1", text);
	elem_print(text, ELEM_f64, number_float(0.1f));
	EQ((double)0.1f, strtod(text, NULL));
	elem_print(text, ELEM_s64, number_int(INT64_MIN));
	STREQ("-9223372036854775808", text);
	elem_print(text, ELEM_f32, number_float(NAN));
	STREQ("nan", text);
}

TEST(cli_values, closeness_is_absolute_plus_relative)
{
	struct tolerance none = { 0 }, some = { 0.5, 0.1 };
	double error;

	OK(number_close(number_float(NAN), number_float(NAN), &none, &error));
	OK(!number_close(number_float(NAN), number_float(1), &some, &error));
	EQ(INFINITY, error);
	OK(number_close(number_float(0.0), number_float(-0.0), &none, &error));
	OK(number_close(number_float(10), number_float(11.5), &some, &error));
	EQ(1.5, error);
	OK(!number_close(number_float(10), number_float(11.6), &some, &error));
	/* Beyond 2^53, where doubles would call them equal. */
	OK(!number_close(number_uint(UINT64_MAX), number_uint(UINT64_MAX - 1),
			 &none, &error));
	EQ(1.0, error);
	OK(!number_close(number_int(-1), number_uint(1), &none, &error));
	EQ(2.0, error);
}

TEST(cli_values, the_hash_is_fnv_1a)
{
	EQ(0xcbf29ce484222325u, hash_bytes(HASH_START, "", 0));
	EQ(0xaf63dc4c8601ec8cu, hash_bytes(HASH_START, "a", 1));
	EQ(0x85944171f73967e8u, hash_bytes(HASH_START, "foobar", 6));
}
