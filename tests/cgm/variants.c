#define _POSIX_C_SOURCE 199309L /* clock_gettime */

#include "cgm/variants.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"

/* The GPU's protocol and place. Not coherent is the only way at memory. */
static const struct {
	const char *name;
	enum cfg_cgm_protocol protocol;
	enum cfg_cgm_gpu_at at;
} gpus[] = {
	{ "mesi at l3", CFG_CGM_PROTOCOL_MESI, CFG_CGM_GPU_AT_L3 },
	{ "none at l3", CFG_CGM_PROTOCOL_NONE, CFG_CGM_GPU_AT_L3 },
	{ "none at memory", CFG_CGM_PROTOCOL_NONE, CFG_CGM_GPU_AT_MEMORY },
};

enum { GPUS = sizeof(gpus) / sizeof(gpus[0]), LATEST = 30 };

_Static_assert(VARIANTS == 4 * GPUS, "every combination");

static void set_variant(struct random_test *t, unsigned variant, uint64_t seed)
{
	struct cfg_cgm *c = &t->cfg.cgm;

	c->gpu_protocol = gpus[variant % GPUS].protocol;
	c->gpu_at = gpus[variant % GPUS].at;
	c->cpu_protocol = variant / GPUS % 2 ? CFG_CGM_PROTOCOL_NONE :
					       CFG_CGM_PROTOCOL_MESI;
	c->shared = variant / GPUS < 2;
	t->options.jitter = seed % 2 ? 1 + (uint32_t)(seed % LATEST) : 0;
	t->options.seed = seed;
	c->l2_prefetch = seed / 2 % 2 ? 8 : 0;
	c->l2_snoop = seed / 4 % 2 ? LATEST : 0;
	c->migratory = seed / 8 % 2;
}

bool variant_try(unsigned variant, uint64_t accesses, enum variant_room room,
		 uint64_t seed)
{
	static const char *const names[] = { "tiny caches",
					     "tiny caches, many pages",
					     "roomy caches" };
	double start = clock_seconds();
	struct random_result r;
	struct random_test t;
	bool good;

	random_tiny(&t, accesses);
	if (room == ROOM_PAGES)
		t.stride = 4096 + CGM_BLOCK;
	if (room == ROOM_ENOUGH)
		random_roomy(&t);
	set_variant(&t, variant, seed);
	good = random_run(&t, &r);
	printf("variant %u: CPU %s, GPU %s, %s, %s, %s: %" PRIu64
	       " accesses, %" PRIu64 " values checked, %" PRIu64
	       " ticks, %.2f s: %s\n",
	       variant, variant / GPUS % 2 ? "none" : "mesi",
	       gpus[variant % GPUS].name,
	       t.cfg.cgm.shared ? "one address space" : "two address spaces",
	       names[room], t.options.jitter ? "late messages" : "on time",
	       r.accesses, r.checks, r.ticks, clock_seconds() - start,
	       good ? "good" : r.failure);
	return good;
}
