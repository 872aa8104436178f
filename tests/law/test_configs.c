/* Every configuration that comes with the simulator runs every program. */
#include <stdio.h>

#include "test.h"

#include "law.h"

static bool run_config(const void *path)
{
	struct heddle_config *c;
	struct heddle_error err;
	bool good = true;

	if (heddle_config_load(&c, path, &err))
		return printf("%s\n", err.text), false;
	for (unsigned i = 0; good && i < program_count; i++)
		good = program_obeys(&programs[i], c);
	heddle_config_free(c);
	return good;
}

#define ON(name) \
	OK(apart(run_config, HEDDLE_SOURCE_DIR "/configs/" name ".cfg", 120))

TEST(configs, all_programs_obey_on_tiny)
{
	ON("tiny");
}

TEST(configs, all_programs_obey_on_the_gtx285)
{
	ON("gtx285");
}

TEST(configs, all_programs_obey_on_the_gtx480)
{
	ON("gtx480");
}

TEST(configs, all_programs_obey_on_the_c2050)
{
	ON("c2050");
}

TEST(configs, all_programs_obey_on_the_titanx)
{
	ON("titanx-pascal");
}

TEST(configs, all_programs_obey_on_the_qv100)
{
	ON("qv100");
}

TEST(configs, all_programs_obey_on_the_h200)
{
	ON("h200");
}

TEST(configs, all_programs_obey_on_the_a100)
{
	ON("a100");
}

TEST(configs, all_programs_obey_on_the_h100)
{
	ON("h100");
}

TEST(configs, all_programs_obey_on_the_rtx3080)
{
	ON("rtx3080");
}

TEST(configs, all_programs_obey_on_the_rtx4090)
{
	ON("rtx4090");
}

TEST(configs, all_programs_obey_on_cgm)
{
	ON("cgm");
}

TEST(configs, all_programs_obey_on_cgm_sm)
{
	ON("cgm-sm");
}

TEST(configs, all_programs_obey_on_fastlanes)
{
	ON("fastlanes");
}

/* Compares what the ports at the two ends count, with atomics or without. */
static bool same_bytes(const void *atomics)
{
	static struct outcome o;
	struct heddle_config *c;
	bool good = true;

	if (heddle_config_load(&c, HEDDLE_SOURCE_DIR "/configs/tiny.cfg", NULL))
		return false;
	for (unsigned i = 0; good && i < program_count; i++) {
		printf("  %s\n", programs[i].kernel);
		good = program_run(&programs[i], c, PLAIN_WAY, &o);
		if (good && !o.status && (atomics || !has_atomics(&o)))
			good = bytes_add_up(&o);
	}
	heddle_config_free(c);
	return good;
}

TEST(bytes, of_loads_and_stores_are_the_same_at_both_ends)
{
	OK(apart(same_bytes, NULL, 60));
}

TEST(bytes, of_atomics_are_the_same_at_both_ends)
{
	OK(apart(same_bytes, "too", 60));
}
