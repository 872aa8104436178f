/*
 * Statistics of the machine: sums over the partitions, and conservation laws.
 */
#include <string.h>

#include "base/minmax.h"
#include "gpu/machine.h"

/* SMs that get no block in this run all count the same: one stands for all. */
static void count_sms(struct gpu *g, cycle_t now, struct stats *to)
{
	struct stats one = { 0 };

	for (uint32_t i = 0; i < g->places; i++) {
		CORE(g, gpu_sm_at(g, i), stats, now, &one);
		stats_add(to, &one);
	}
	if (g->places == g->sms)
		return;
	CORE(g, gpu_sm_at(g, g->places), stats, now, &one);
	stats_add_equal(to, &one, g->sms - g->places);
}

static void count_late_messages(const struct gpu *g, struct stat_engine *to)
{
	for (uint32_t i = 0; i < g->partitions; i++) {
		const struct post_late *l = &g->partition[i].late;

		to->late_messages += l->messages;
		to->late_cycles += l->cycles;
		to->late_most = max_u64(to->late_most, l->max);
	}
}

void gpu_count(struct gpu *g, cycle_t now, struct stats *to)
{
	/* A window may begin later, if nothing happens until then. */
	cycle_t memory = min_u64(g->memory_at, now + g->lead);

	memset(to, 0, sizeof(*to));
	count_sms(g, now, to);
	for (uint32_t i = 0; i < g->mems; i++)
		if (bitmap_has(g->touched, g->sms + i)) {
			mem_partition_catch_up(g->mem[i], memory);
			mem_partition_stats(g->mem[i], &to->l2, &to->dram);
		}
	if (g->drifted)
		count_late_messages(g, &to->engine);
	to->gpu.cycles = now - g->now;
	to->gpu.blocks = dispatch_blocks_done(g->dispatch);
	to->gpu.host_bytes = g->host_bytes;
	for (uint32_t i = 0; i < g->grid_count; i++) {
		const uint32_t *b = g->grids[i].launch->block;

		to->gpu.threads += g->queue[i].done * b[0] * b[1] * b[2];
		to->gpu.launched += g->queue[i].start != CYCLE_NEVER;
	}
}

/* The cycles from its start to its end, or to where it was cut short. */
static cycle_t grid_cycles(const struct gpu *g, uint32_t id, cycle_t now)
{
	const struct dispatch_grid *q = &g->queue[id];

	if (q->start == CYCLE_NEVER)
		return 0;
	return (q->end == CYCLE_NEVER ? now : q->end) - q->start;
}

void gpu_count_grid(struct gpu *g, uint32_t id, cycle_t now, struct stats *to)
{
	const struct gpu_grid *grid = &g->grids[id];
	const struct dispatch_grid *q = &g->queue[id];
	const uint32_t *b = grid->launch->block;
	uint32_t lanes = (uint32_t)g->cfg.sm.warp_size;

	memset(to, 0, sizeof(*to));
	for (uint32_t i = 0; i < g->attached[id]; i++)
		CORE(g, gpu_sm_at(g, i), own_stats, id, to);
	for (uint32_t i = 0; i < g->mems; i++)
		if (bitmap_has(g->touched, g->sms + i))
			mem_partition_own_stats(g->mem[i], id, &to->l2,
						&to->dram);
	stats_keep_own(to);
	to->gpu.cycles = grid_cycles(g, id, now);
	to->gpu.blocks = q->done;
	to->gpu.threads = q->done * b[0] * b[1] * b[2];
	to->gpu.launched = q->start != CYCLE_NEVER;
	to->sm.cycles = to->gpu.cycles * (uint64_t)g->cfg.sm.count;
	to->sm.slots = to->sm.cycles * (uint64_t)g->cfg.sm.schedulers;
	to->sm.blocks = q->sent;
	to->sm.blocks_done = q->done;
	to->sm.warps = q->sent * ((b[0] * b[1] * b[2] + lanes - 1) / lanes);
}

static const char *law_of_sm(const struct gpu *g, uint32_t sm)
{
	const char *law = CORE_OF(g, sm, broken_law);

	if (!law && !CORE_OF(g, sm, idle))
		law = "every SM is idle at the end";
	return law;
}

static const char *law_of_memory(const struct gpu *g, uint32_t mem)
{
	const char *law = mem_partition_broken_law(g->mem[mem]);

	if (!law && !mem_partition_idle(g->mem[mem]))
		law = "every memory partition is idle at the end";
	return law;
}

/* A law that a partition breaks, or that the machine breaks at rest; NULL:
 * none. Nothing has changed where nothing was simulated. */
static const char *law_of_partitions(const struct gpu *g)
{
	const char *law = NULL;

	for (uint32_t i = 0; !law && i < g->partitions; i++) {
		if (!bitmap_has(g->touched, i))
			continue;
		if (i < g->sms)
			law = law_of_sm(g, i);
		else if (i < g->partitions - 1)
			law = law_of_memory(g, i - g->sms);
		if (!law && wire_waiting(g->wires, i))
			law = "no message is in flight at the end";
	}
	if (!law &&
	    (wire_any(g->wires, BOX_SM) || wire_any(g->wires, BOX_MEMORY)))
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
