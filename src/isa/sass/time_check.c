/* What the check of hazards needs of machine code: arch/timed.h. */
#include <string.h>

#include "isa/sass/latency.h"
#include "isa/sass/time.h"

/* Where the registers of a file begin, in the numbers of the check. */
static const uint16_t file_base[SASS_FILES] = {
	[SASS_FILE_R] = 0,
	[SASS_FILE_UR] = 256,
	[SASS_FILE_P] = 512,
	[SASS_FILE_UP] = 520,
};

enum { CHECK_REGS = 528 };

_Static_assert((int)SASS_FROM_VARIABLE == (int)TIMED_VARIABLE,
	       "results that a counter ends");

/* Appends the uses of an instruction, or only counts them. */
static uint32_t add_uses(struct timed_use *to, const struct sass_inst *in)
{
	struct sass_use use[SASS_USES];
	unsigned n = sass_uses(in, use);

	for (unsigned i = 0; to && i < n; i++)
		to[i] = (struct timed_use){
			.reg = (uint16_t)(file_base[use[i].file] + use[i].reg),
			.class = (uint8_t)(use[i].writes ?
						   sass_producer_of(in,
								    &use[i]) :
						   sass_consumer_of(in,
								    &use[i])),
			.writes = use[i].writes
		};
	return n;
}

static const uint8_t *latency_table(struct arena *a, unsigned sm)
{
	struct sass_latencies *l = arena_new(a, struct sass_latencies, 1);

	if (!l)
		return NULL;
	sass_latencies(l, sm);
	return &l->cycles[0][0];
}

const struct timed_checks *
sass_time_checks(struct arena *a, const struct sass_inst *in, uint32_t count)
{
	struct timed_checks *c = arena_new(a, struct timed_checks, 1);
	struct timed_check *check = arena_new(a, struct timed_check, count + 1);
	struct timed_use *use;
	uint32_t total = 0;

	for (uint32_t i = 0; i < count; i++)
		total += add_uses(NULL, &in[i]);
	use = arena_new(a, struct timed_use, total + 1);
	if (!c || !check || !use)
		return NULL;
	total = 0;
	for (uint32_t i = 0; i < count; i++) {
		check[i].first = total;
		check[i].uses = (uint16_t)add_uses(&use[total], &in[i]);
		check[i].group = sass_order_group(&in[i]);
		total += check[i].uses;
	}
	*c = (struct timed_checks){ .inst = check,
				    .use = use,
				    .regs = CHECK_REGS,
				    .latency = latency_table(
					    a, count ? in[0].sm : 0),
				    .consumers = SASS_CONSUMERS };
	return c->latency ? c : NULL;
}
