/*
 * Any bytes as a sweep file: reading must give a sweep or a message of one line
 * with a position. Planning it on a small GPU must succeed or say which point
 * is wrong; every configuration of a plan satisfies the rules.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "explore/sweep_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger plans only take longer. */
enum { POINTS = 200 };

static void check_message(const struct diag *d)
{
	unsigned line, column;
	const char *place = strchr(d->text, ':');

	if (!d->code || !place)
		abort();
	for (const char *p = d->text; *p; p++)
		if ((unsigned char)*p < 0x20)
			abort();
	line = (unsigned)strtoul(place + 1, (char **)&place, 10);
	column = *place == ':' ? (unsigned)strtoul(place + 1, NULL, 10) : 0;
	if (!line || !column)
		abort();
}

static size_t points(const struct sweep *s)
{
	size_t all = 1;

	for (size_t i = 0; i < s->set_count; i++) {
		size_t n = 1;

		for (size_t j = 0; j < s->sets[i].count && n <= POINTS; j++)
			n *= s->sets[i].axes[j].count;
		all += n;
	}
	return all * s->program_count;
}

static void check_plan(const struct sweep *s, const struct cfg *gpu)
{
	struct diag d = { 0 };
	struct sweep_plan p;

	if (plan_make(&p, s, gpu, &d)) {
		check_message(&d);
		plan_free(&p);
		return;
	}
	for (size_t i = 0; i < p.config_count; i++) {
		size_t n = plan_setting_count(&p, i);
		struct plan_setting v;
		struct cfg c;

		plan_resolve(&p, i, &c);
		if (cfg_check(&c, &d) || isinf(p.configs[i].cost) ||
		    !p.configs[i].axis || !p.configs[i].label)
			abort();
		for (size_t j = 0; j < n; j++)
			plan_setting(&p, i, j, &v);
	}
	plan_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cfg_sheet tiny;
	static int ready;
	struct diag d = { 0 };
	struct sweep s;

	if (!ready) {
		cfg_sheet_init(&tiny);
		if (cfg_read_file(&tiny, HEDDLE_TINY, CFG_ANY, &d))
			abort();
		ready = 1;
	}
	if (sweep_read(&s, "fuzz", (const char *)data, size, &d))
		check_message(&d);
	else if (points(&s) <= POINTS)
		check_plan(&s, &tiny.cfg);
	sweep_free(&s);
	return 0;
}
