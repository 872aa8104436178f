#include "test.h"

#include <string.h>

#include "cfg/param.h"

TEST(cfg_param, every_row_is_complete)
{
	for (int i = 0; i < CFG_COUNT; i++) {
		const struct cfg_param *p = &cfg_params[i];

		OK(p->key != NULL);
		OK(strchr(p->key, '.') != NULL);
		OK(p->unit != NULL);
		OK(p->doc && p->doc[0]);
		OK(p->at < sizeof(struct cfg));
		OK(p->min <= p->max);
		OK(p->real_min <= p->real_max);
		EQ(p->type == CFG_ENUM, p->choices != NULL);
		EQ(i, cfg_find(p->key, strlen(p->key)));
	}
}

TEST(cfg_param, keys_begin_with_the_name_of_their_section)
{
	for (int i = 0; i < CFG_COUNT; i++) {
		const char *name = cfg_sections[cfg_params[i].section].name;

		EQ(0, strncmp(cfg_params[i].key, name, strlen(name)));
		EQ('.', cfg_params[i].key[strlen(name)]);
	}
}

TEST(cfg_param, defaults_are_in_their_ranges_and_pass_the_rules)
{
	char text[CFG_VALUE_SIZE];
	struct cfg c, again;
	struct diag d;

	cfg_defaults(&c);
	cfg_defaults(&again);
	for (int i = 0; i < CFG_COUNT; i++) {
		cfg_value_print(text, &c, (enum cfg_id)i);
		EQ(ERR_OK, cfg_value_parse(&again, (enum cfg_id)i, text,
					   strlen(text), &d));
	}
	OK(cfg_equal(&c, &again));
	EQ(ERR_OK, cfg_check(&c, &d));
}

TEST(cfg_param, the_choices_of_a_parameter_differ)
{
	for (int i = 0; i < CFG_COUNT; i++)
		for (const struct cfg_choice *a = cfg_params[i].choices;
		     a && a->word; a++)
			for (const struct cfg_choice *b = a + 1; b->word; b++)
				OK(strcmp(a->word, b->word) != 0);
}

static const char *near(const char *key)
{
	return cfg_nearest(key, strlen(key));
}

TEST(cfg_param, a_misspelt_key_finds_the_one_that_was_meant)
{
	STREQ("sm.count", near("sm.cuont"));
	STREQ("l2.ways", near("l2.way"));
	STREQ("lat.fma.cycles", near("lat.fma.cycle"));
	STREQ("sm.count", near("count"));
	STREQ(NULL, near("quite.something.else.altogether"));
	STREQ(NULL, near(""));
}

TEST(cfg_param, another_word_finds_the_key_that_means_the_same)
{
	static const char *const words[][2] = {
		{ "l1.size", "l1.bytes" },
		{ "l2.size", "l2.bytes" },
		{ "L2.Size", "l2.bytes" },
		{ "l2_size", "l2.bytes" },
		{ "l2.capacity", "l2.bytes" },
		{ "dram.bw", "dram.bandwidth" },
		{ "memory.bw", "dram.bandwidth" },
		{ "hbm.bandwidth", "dram.bandwidth" },
		{ "mem.size", "dram.bytes" },
		{ "sm.num", "sm.count" },
		{ "sms", "sm.count" },
		{ "num_sms", "sm.count" },
		{ "clock", "gpu.clock" },
		{ "freq", "gpu.clock" },
		{ "core.freq", "gpu.clock" },
		{ "dram.freq", "dram.clock" },
		{ "mem-clock", "dram.clock" },
		{ "smem", "sm.shared" },
		{ "shared.size", "sm.shared" },
		{ "smem.size", "sm.shared" },
		{ "sm.regs", "sm.registers" },
		{ "sm.warps", "sm.max_warps" },
		{ "l1.assoc", "l1.ways" },
		{ "l2.latency", "l2.hit_latency" },
		{ "icnt.queue", "net.queue" },
		{ "sm.maxwarps", "sm.max_warps" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		STREQ(words[i][1], near(words[i][0]));
}

/* A synonym that is a key would never be looked at, or hide a better one. */
TEST(cfg_param, no_synonym_is_a_key_and_every_part_is_part_of_one)
{
	static const char *const wholes[] = {
#define WHOLE(asked, id) asked,
#include "cfg/synonym.def"
	};
	static const char *const means[] = {
#define PART(asked, means) means,
#include "cfg/synonym.def"
	};

	for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++)
		EQ(-1, cfg_find(wholes[i], strlen(wholes[i])));
	for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++) {
		size_t n = strlen(means[i]);
		bool found = false;

		for (int k = 0; k < CFG_COUNT; k++) {
			const char *key = cfg_params[k].key;
			const char *name = strchr(key, '.') + 1;

			found |= !strcmp(name, means[i]) ||
				 (!strncmp(key, means[i], n) && key[n] == '.');
		}
		if (!found)
			STREQ("a part of a key", means[i]);
	}
}

static void sets(const char *text, int64_t want, const int64_t *at,
		 struct cfg *c)
{
	struct diag d;

	EQ(ERR_OK, cfg_set(c, text, &d));
	EQ(want, *at);
}

TEST(cfg_value, integers_are_decimal_or_hexadecimal)
{
	struct cfg c;

	cfg_defaults(&c);
	sets("sm.count=64", 64, &c.sm.count, &c);
	sets(" sm.count = 0x20 ", 32, &c.sm.count, &c);
	sets("sm.count=0064", 64, &c.sm.count, &c);
}

TEST(cfg_value, sizes_take_suffixes)
{
	struct cfg c;

	cfg_defaults(&c);
	sets("l2.bytes=768K", 768 * 1024, &c.l2.bytes, &c);
	sets("l2.bytes=6M", 6 * 1024 * 1024, &c.l2.bytes, &c);
	sets("l2.bytes=0x10000", 65536, &c.l2.bytes, &c);
	sets("dram.bytes=80G", INT64_C(80) << 30, &c.dram.bytes, &c);
}

TEST(cfg_value, reals_keep_fifteen_digits)
{
	static const char *const texts[] = { "4916.736",        "0.87",
					     "1600.5",          "100",
					     "0.001",           "1.1",
					     "99999.9999999999" };
	char text[CFG_VALUE_SIZE];
	struct diag d;
	struct cfg c;

	cfg_defaults(&c);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		EQ(ERR_OK, cfg_value_parse(&c, CFG_ID_dram_bandwidth, texts[i],
					   strlen(texts[i]), &d));
		cfg_value_print(text, &c, CFG_ID_dram_bandwidth);
		STREQ(texts[i], text);
	}
	EQ(99999.9999999999, c.dram.bandwidth);
	EQ(ERR_RANGE, cfg_set(&c, "dram.bandwidth=1.0000000000000001", &d));
}

TEST(cfg_value, a_real_set_by_code_still_prints)
{
	char text[CFG_VALUE_SIZE];
	struct cfg c;

	cfg_defaults(&c);
	c.dram.bandwidth = 100000.0 / 3;
	cfg_value_print(text, &c, CFG_ID_dram_bandwidth);
	EQ(0, strncmp("33333.3333333", text, 13));
}

TEST(cfg_value, choices_switches_and_texts_are_words)
{
	struct diag d;
	struct cfg c;

	cfg_defaults(&c);
	EQ(ERR_OK, cfg_set(&c, "sm.scheduler=ccws", &d));
	EQ(CFG_SCHEDULER_CCWS, c.sm.scheduler);
	EQ(ERR_OK, cfg_set(&c, "l1.on=no", &d));
	OK(!c.l1.on);
	EQ(ERR_OK, cfg_set(&c, "l1.on=true", &d));
	OK(c.l1.on);
	EQ(ERR_OK, cfg_set(&c, "gpu.name=\"my GPU\"", &d));
	STREQ("my GPU", c.gpu.name);
	EQ(ERR_OK, cfg_set(&c, "gpu.name=mine", &d));
	STREQ("mine", c.gpu.name);
}

static void refuses(const char *assignment, enum err code, const char *message)
{
	struct cfg c, before;
	struct diag d;

	cfg_defaults(&c);
	cfg_defaults(&before);
	EQ(code, cfg_set(&c, assignment, &d));
	STREQ(message, d.text);
	OK(cfg_equal(&before, &c));
}

TEST(cfg_value, a_message_names_the_key_and_the_range)
{
	refuses("sm.count=0", ERR_RANGE,
		"sm.count = 0: out of range; expected 1 to 1024 SM");
	refuses("sm.count=-1", ERR_SYNTAX,
		"sm.count = -1: invalid value; expected 1 to 1024 SM");
	refuses("sm.count=64K", ERR_SYNTAX,
		"sm.count = 64K: invalid value; expected 1 to 1024 SM");
	refuses("sm.count=99999999999999999999", ERR_RANGE,
		"sm.count = 99999999999999999999: out of range; expected 1 "
		"to 1024 SM");
	refuses("sm.shared=9223372036854775807G", ERR_RANGE,
		"sm.shared = 9223372036854775807G: out of range; expected 0 "
		"to 1M byte");
	refuses("gpu.clock=1e3", ERR_SYNTAX,
		"gpu.clock = 1e3: invalid value; expected 1 to 10000 MHz");
	refuses("l1.on=maybe", ERR_SYNTAX,
		"l1.on = maybe: invalid value; expected one of yes, no");
	refuses("l1.replace=mru", ERR_UNKNOWN,
		"l1.replace = mru: invalid value; expected one of lru, fifo, "
		"random, srrip, plru");
	refuses("sm.count", ERR_SYNTAX,
		"'sm.count': expected section.key=value");
	refuses("sm.cuont=1", ERR_UNKNOWN,
		"no parameter named 'sm.cuont', did you mean 'sm.count'?");
	refuses("sm.count=", ERR_SYNTAX,
		"sm.count = '': invalid value; expected 1 to 1024 SM");
}

TEST(cfg_value, a_message_holds_no_byte_that_disturbs_a_terminal)
{
	struct diag d;
	struct cfg c;

	cfg_defaults(&c);
	EQ(ERR_SYNTAX, cfg_set(&c, "sm.count=\033[2J\377", &d));
	for (const char *p = d.text; *p; p++)
		OK(*p >= 0x20 && *p < 0x7f);
}

TEST(cfg_interval, a_narrow_pipeline_needs_several_cycles_for_a_warp)
{
	struct cfg c;

	cfg_defaults(&c); /* 4 sub-cores, 32 lanes of SIMD */
	c.unit[UNIT_FP32].lanes = 128;
	EQ(1, cfg_interval(&c, LAT_FMA, UNIT_FP32));
	EQ(1, cfg_pipes(&c, UNIT_FP32));
	c.unit[UNIT_FP32].lanes = 64;
	EQ(2, cfg_interval(&c, LAT_FMA, UNIT_FP32));
	c.unit[UNIT_SFU].lanes = 16;
	EQ(8, cfg_interval(&c, LAT_SFU, UNIT_SFU));
	c.lat[LAT_SFU].interval = 5;
	EQ(5, cfg_interval(&c, LAT_SFU, UNIT_SFU));
}

TEST(cfg_interval, two_pipelines_of_sixteen_lanes_as_on_fermi)
{
	struct cfg c;

	cfg_defaults(&c);
	c.sm.subcores = 1;
	c.sm.simd_width = 16;
	c.unit[UNIT_FP32].lanes = 32;
	EQ(2, cfg_interval(&c, LAT_FMA, UNIT_FP32));
	EQ(2, cfg_pipes(&c, UNIT_FP32));
}

TEST(cfg_interval, a_unit_with_fewer_lanes_than_sub_cores_is_shared)
{
	struct cfg c;

	cfg_defaults(&c);
	c.unit[UNIT_FP16].lanes = 1;
	EQ(32, cfg_interval(&c, LAT_F16, UNIT_FP16));
	EQ(0, cfg_pipes(&c, UNIT_FP16));
}

TEST(cfg_param, a_number_is_set_as_its_text_would_be)
{
	struct cfg c;
	struct diag d;
	double v;

	cfg_defaults(&c);
	EQ(ERR_OK, cfg_value_set(&c, CFG_ID_sm_count, 7, &d));
	EQ(7, c.sm.count);
	EQ(ERR_OK, cfg_value_set(&c, CFG_ID_dram_bandwidth, 432.5, &d));
	OK(c.dram.bandwidth == 432.5);
	OK(cfg_value_number(&c, CFG_ID_dram_bandwidth, &v) && v == 432.5);
	OK(cfg_value_number(&c, CFG_ID_l1_on, &v) && v == 1);
	OK(!cfg_value_number(&c, CFG_ID_sm_scheduler, &v));

	EQ(ERR_RANGE, cfg_value_set(&c, CFG_ID_sm_count, 1025, &d));
	STREQ("sm.count = 1025: out of range; expected 1 to 1024 SM", d.text);
	EQ(ERR_RANGE, cfg_value_set(&c, CFG_ID_sm_count, 1.5, &d));
	STREQ("sm.count = 1.5: not a whole number; expected 1 to 1024 SM",
	      d.text);
	EQ(ERR_RANGE, cfg_value_set(&c, CFG_ID_sm_count, -1, &d));
	EQ(ERR_RANGE, cfg_value_set(&c, CFG_ID_sm_count, 0.0 / 0.0, &d));
	EQ(ERR_SYNTAX, cfg_value_set(&c, CFG_ID_l1_on, 1, &d));
	EQ(7, c.sm.count);
}
