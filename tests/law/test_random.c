/*
 * Random machines, each made from a seed, many of them absurd. LAW_SEED=n runs
 * one of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "law.h"

enum { MACHINES = 24, VALUES = 8, TRIES = 1000 };

static const struct {
	const char *key;
	const char *value[VALUES];
} choices[] = {
#define V(key, ...) { key, { __VA_ARGS__ } },
#include "random.def"
#undef V
};

enum { CHOICES = sizeof(choices) / sizeof(choices[0]) };

static uint32_t pick(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % n;
}

/* Sets a parameter, unless that breaks a rule. text: where the assignment is
 * noted; dump: the configuration before. */
static void choose(struct heddle_config *c, int i, const char *dump,
		   uint64_t *state, char *text)
{
	uint32_t n = 0;
	char set[64], value[32];

	while (n < VALUES && choices[i].value[n])
		n++;
	snprintf(set, sizeof(set), "%s=%s", choices[i].key,
		 choices[i].value[pick(state, n)]);
	if (heddle_config_set(c, set, NULL))
		printf("not set: %s\n", set);
	if (heddle_config_check(c, NULL)) {
		config_value(dump, choices[i].key, value, sizeof(value));
		snprintf(set, sizeof(set), "%s=%s", choices[i].key, value);
		heddle_config_set(c, set, NULL);
		return;
	}
	strcat(text, " ");
	strcat(text, set);
}

/*
 * The machine of a seed, or NULL if a component refuses what the rules accept.
 * Some machines change few parameters, some nearly all.
 */
static struct heddle_config *machine(uint64_t seed, char *text)
{
	struct heddle_config *c;
	struct heddle_device *dev;
	uint64_t state = seed * 7919 + 17;
	uint32_t dense = 1 + pick(&state, 8), start = pick(&state, CHOICES);
	char *dump;

	*text = 0;
	if (heddle_config_text(&c, "random", "sm.count=2", 10, NULL))
		return NULL;
	dump = heddle_config_dump(c);
	/* Start anywhere: parameters chosen first restrict the others. */
	for (uint32_t k = 0; k < CHOICES; k++)
		if (pick(&state, 8) < dense)
			choose(c, (int)((start + k) % CHOICES), dump, &state,
			       text);
	free(dump);
	if (!heddle_device_new(&dev,
			       &(struct heddle_device_options){ .config = c },
			       NULL)) {
		heddle_device_free(dev);
		return c;
	}
	heddle_config_free(c);
	return NULL;
}

struct machine_run {
	uint64_t seed;
	unsigned first, step; /* of the programs */
};

static char parameters[16384];

/* Also true when there is no such machine. */
static bool run_machine(const void *ctx)
{
	const struct machine_run *r = ctx;
	struct heddle_config *c = machine(r->seed, parameters);
	bool good = true;

	if (!c)
		return true;
	printf("seed %d:%s\n", (int)r->seed, parameters);
	for (unsigned i = r->first; good && i < program_count; i += r->step)
		good = program_obeys(&programs[i], c);
	heddle_config_free(c);
	return good;
}

/* Whether the seed makes a machine; in a child process, since it may crash. */
static bool is_machine(const void *ctx)
{
	const struct machine_run *r = ctx;
	struct heddle_config *c = machine(r->seed, parameters);

	if (c)
		heddle_config_free(c);
	return c != NULL;
}

static void run_some(unsigned first)
{
	const char *one = getenv("LAW_SEED");
	struct machine_run r = { .first = first, .step = 3 };
	int built = 0, bad = 0;

	if (one) {
		r.seed = strtoull(one, NULL, 10);
		OK(apart(run_machine, &r, 120));
		return;
	}
	for (r.seed = first; built < MACHINES && r.seed < TRIES * 3;
	     r.seed += 3) {
		if (!apart(is_machine, &r, 20))
			continue;
		built++;
		if (!apart(run_machine, &r, 120)) {
			printf("FAILED: LAW_SEED=%d\n", (int)r.seed);
			bad++;
		}
	}
	EQ(MACHINES, built);
	EQ(0, bad);
}

TEST(random, machines_obey_with_a_first_third_of_the_programs)
{
	run_some(0);
}

TEST(random, machines_obey_with_a_second_third_of_the_programs)
{
	run_some(1);
}

TEST(random, machines_obey_with_the_last_third_of_the_programs)
{
	run_some(2);
}
