/* Samples of single components: what each SM and each slice did. */
#include <stdlib.h>
#include <string.h>

#include "gpu/machine.h"

static uint32_t slices_of(const struct gpu *g)
{
	return g->mems * g->shape.slices;
}

/* The counts so far; slices follow the SMs. */
static uint64_t part_count(const struct gpu *g, uint32_t i)
{
	uint32_t slice = i - g->sms;

	if (i < g->sms)
		return gpu_takes_part(g, i) ? CORE_OF(g, i, issued) : 0;
	return mem_partition_requests(g->mem[slice / g->shape.slices],
				      slice % g->shape.slices);
}

enum err gpu_parts_begin(struct gpu *g, struct diag *d)
{
	size_t n = g->sms + slices_of(g);

	if (!g->options.parts)
		return ERR_OK;
	if (!g->part_counts)
		g->part_counts = calloc(2 * n, sizeof(*g->part_counts));
	if (!g->part_counts)
		return fail(d, ERR_NOMEM, "out of memory");
	/* SMs count from 0 in each run, slices go on. */
	for (uint32_t i = 0; i < n; i++)
		g->part_counts[i] = i < g->sms ? 0 : part_count(g, i);
	return ERR_OK;
}

void gpu_parts_sample(struct gpu *g, cycle_t at)
{
	uint32_t n = g->sms + slices_of(g);
	uint64_t *before = g->part_counts, *since = g->part_counts + n;
	struct gpu_parts p = { g->sms, slices_of(g), since, since + g->sms };

	if (!g->options.parts)
		return;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t now = part_count(g, i);

		since[i] = now - before[i];
		before[i] = now;
	}
	g->options.parts(g->options.ctx, g->sampled - g->now, at - g->now, &p);
}
