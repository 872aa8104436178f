#include "cgm/variants.h"

#include <stdio.h>

/* What the variants of a run share, and what they change. */
struct variant {
	const char *name;
	enum cfg_cgm_protocol cpu, gpu;
	enum cfg_cgm_gpu_at at;
	bool apart; /* address spaces */
	uint32_t jitter;
};

static const struct variant variants[] = {
	{ "coherent", CFG_CGM_PROTOCOL_MESI, CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_GPU_AT_L3, false, 0 },
	{ "coherent, late messages", CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_PROTOCOL_MESI, CFG_CGM_GPU_AT_L3, false, 30 },
	{ "coherent, two address spaces", CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_PROTOCOL_MESI, CFG_CGM_GPU_AT_L3, true, 0 },
	{ "GPU not coherent, at the L3", CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_PROTOCOL_NONE, CFG_CGM_GPU_AT_L3, false, 7 },
	{ "GPU not coherent, at memory", CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_PROTOCOL_NONE, CFG_CGM_GPU_AT_MEMORY, false, 0 },
	{ "CPU not coherent", CFG_CGM_PROTOCOL_NONE, CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_GPU_AT_L3, false, 0 },
	{ "nothing coherent", CFG_CGM_PROTOCOL_NONE, CFG_CGM_PROTOCOL_NONE,
	  CFG_CGM_GPU_AT_L3, false, 3 },
	{ "nothing coherent, GPU at memory", CFG_CGM_PROTOCOL_NONE,
	  CFG_CGM_PROTOCOL_NONE, CFG_CGM_GPU_AT_MEMORY, true, 0 },
};

_Static_assert(sizeof(variants) / sizeof(variants[0]) == VARIANTS,
	       "a name for each");

static void set_variant(struct random_test *t, const struct variant *v)
{
	t->cfg.cgm.cpu_protocol = v->cpu;
	t->cfg.cgm.gpu_protocol = v->gpu;
	t->cfg.cgm.gpu_at = v->at;
	t->cfg.cgm.shared = !v->apart;
	t->options.jitter = v->jitter;
}

const char *variant_try(unsigned variant, uint64_t accesses, bool roomy,
			uint64_t seed)
{
	struct cgm_stats stats;
	struct random_test t;
	const char *wrong;
	cycle_t ticks = 0;

	random_tiny(&t, accesses);
	if (roomy)
		random_roomy(&t);
	set_variant(&t, &variants[variant]);
	t.options.seed = seed;
	wrong = random_run(&t, &ticks, &stats);
	printf("%s: %s\n", variants[variant].name, wrong ? wrong : "good");
	return wrong;
}
