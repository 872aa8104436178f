/*
 * Statistics of the machine: sums over the partitions, and conservation laws.
 */
#include <string.h>

#include "base/minmax.h"
#include "gpu/machine.h"

void gpu_count(struct gpu *g, cycle_t now, struct stats *to)
{
	struct stats one = { 0 };

	memset(to, 0, sizeof(*to));
	for (uint32_t i = 0; i < g->sms; i++) {
		sm_stats(g->sm[i], now, &one);
		stats_add(to, &one);
	}
	for (uint32_t i = 0; i < g->mems; i++)
		mem_partition_stats(g->mem[i], &to->l2, &to->dram);
	for (uint32_t i = 0; i < g->partitions; i++) {
		const struct post_late *l = &g->partition[i].late;

		to->engine.late_messages += l->messages;
		to->engine.late_cycles += l->cycles;
		to->engine.late_most = max_u64(to->engine.late_most, l->max);
	}
	to->gpu.cycles = now - g->now;
	to->gpu.blocks = dispatch_blocks_done(g->dispatch);
	to->gpu.host_bytes = g->host_bytes;
	for (uint32_t i = 0; i < g->grid_count; i++) {
		const uint32_t *b = g->grids[i].launch->block;

		to->gpu.threads += g->queue[i].done * b[0] * b[1] * b[2];
		to->gpu.launched += g->queue[i].start != CYCLE_NEVER;
	}
}

/* A law that a partition breaks, or that the machine breaks at rest; NULL:
 * none. */
static const char *law_of_partitions(const struct gpu *g)
{
	const char *law = NULL;

	for (uint32_t i = 0; !law && i < g->sms; i++) {
		law = sm_broken_law(g->sm[i]);
		if (!law && !sm_idle(g->sm[i]))
			law = "every SM is idle at the end";
	}
	for (uint32_t i = 0; !law && i < g->mems; i++) {
		law = mem_partition_broken_law(g->mem[i]);
		if (!law && !mem_partition_idle(g->mem[i]))
			law = "every memory partition is idle at the end";
	}
	for (uint32_t i = 0; !law && i < g->partitions; i++)
		if (wire_waiting(g->wires, i))
			law = "no message is in flight at the end";
	return law;
}

enum err gpu_broken_law(const struct gpu *g, const struct stats *s,
			struct diag *d)
{
	const char *law;

	if (stats_broken_law(s, d))
		return d->code;
	law = law_of_partitions(g);
	if (law)
		return fail(d, ERR_MISMATCH, "law broken: %s", law);
	*d = (struct diag){ 0 };
	return ERR_OK;
}
