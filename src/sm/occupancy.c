/*
 * The rules of NVIDIA's cuda_occupancy.h for compute capability 2.0 and later,
 * and of the occupancy calculator's sheet for 1.x (registers by block).
 */
#include "sm/occupancy.h"

#include <inttypes.h>
#include <stdbool.h>

const char *const occupancy_limit_names[] = {
	[OCCUPANCY_BLOCKS] = "blocks",
	[OCCUPANCY_WARPS] = "warps",
	[OCCUPANCY_REGISTERS] = "registers",
	[OCCUPANCY_SHARED] = "shared memory",
};

static int64_t round_up_demand(int64_t n, int64_t to)
{
	return (n + to - 1) / to * to;
}

/* The registers allocated to a warp, or to the block (sm.register_scope). */
static int64_t register_grant(const struct cfg_sm *sm, int64_t warps,
			      int64_t registers)
{
	int64_t warp = registers * sm->warp_size;

	if (sm->register_scope == CFG_REG_SCOPE_BLOCK)
		return round_up_demand(round_up_demand(warps, sm->warp_unit) *
					       warp,
				       sm->register_unit);
	return round_up_demand(warp, sm->register_unit);
}

/*
 * The register file has as many sub-partitions as warps are allocated at a time
 * (sm.warp_unit), and the registers of a warp are in one of them. A launch is
 * refused as if the number of a block's warps were rounded up to sm.warp_unit.
 */
static int64_t by_registers(const struct cfg_sm *sm, int64_t warps,
			    int64_t grant)
{
	int64_t sub_partition = sm->registers / sm->warp_unit;

	if (!grant)
		return INT64_MAX;
	if (sm->register_scope == CFG_REG_SCOPE_BLOCK)
		return sm->registers / grant;
	if (round_up_demand(warps, sm->warp_unit) * grant > sm->registers)
		return 0;
	return sub_partition / grant * sm->warp_unit / warps;
}

/* A compute unit has so many barriers for groups of several wavefronts. */
static int64_t by_blocks(const struct cfg *c, int64_t warps)
{
	bool barriers = c->gpu.core == CFG_CORE_CU && warps > 1 &&
			c->cu.barriers < c->sm.max_blocks;

	return barriers ? c->cu.barriers : c->sm.max_blocks;
}

/* Each SIMD of a compute unit has its own scalar registers. */
static int64_t by_scalars(const struct cfg *c, int64_t warps, int64_t scalars)
{
	return scalars ? c->cu.scalars / scalars * c->sm.warp_unit / warps :
			 INT64_MAX;
}

static int64_t min_limit(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t by_warps(const struct cfg_sm *sm, int64_t warps)
{
	int64_t max = sm->max_threads / sm->warp_size;

	return (max < sm->max_warps ? max : sm->max_warps) / warps;
}

static enum err check_demand(const struct cfg_sm *sm,
			     const struct occupancy_demand *need,
			     struct diag *d)
{
	if (!need->threads || need->threads > sm->block_threads)
		return fail(d, ERR_RANGE,
			    "a block of %" PRIu32 " threads: must be 1 to "
			    "%" PRId64,
			    need->threads, sm->block_threads);
	if (need->registers > sm->thread_registers)
		return fail(d, ERR_RANGE,
			    "%" PRIu32 " registers a thread: at most "
			    "%" PRId64,
			    need->registers, sm->thread_registers);
	if (need->shared > (uint64_t)sm->block_shared)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes of shared memory: a block may "
			    "have %" PRId64,
			    need->shared, sm->block_shared);
	return ERR_OK;
}

/* Why not even one block fits. */
static enum err too_much(const struct cfg_sm *sm,
			 const struct occupancy_demand *need,
			 const struct occupancy *o, struct diag *d)
{
	switch (o->limit) {
	case OCCUPANCY_REGISTERS:
		return fail(d, ERR_RANGE,
			    "a block of %" PRIu32 " threads with %" PRIu32
			    " registers each: an SM has %" PRId64,
			    need->threads, need->registers, sm->registers);
	case OCCUPANCY_SHARED:
		return fail(d, ERR_RANGE,
			    "a block takes %" PRIu64 " bytes of shared memory: "
			    "an SM has %" PRId64,
			    o->share.shared, sm->shared);
	default:
		return fail(d, ERR_RANGE,
			    "a block of %" PRIu32 " threads: an SM holds "
			    "%" PRId64 " and %" PRId64 " warps",
			    need->threads, sm->max_threads, sm->max_warps);
	}
}

enum err occupancy_of(struct occupancy *out, const struct cfg *cfg,
		      const struct occupancy_demand *need, struct diag *d)
{
	const struct cfg_sm *sm = &cfg->sm;
	enum err e = check_demand(sm, need, d);

	if (e != ERR_OK)
		return e;

	int64_t warps =
		round_up_demand(need->threads, sm->warp_size) / sm->warp_size;
	int64_t grant = register_grant(sm, warps, need->registers);
	bool whole = sm->register_scope == CFG_REG_SCOPE_BLOCK;
	int64_t shared = round_up_demand(
		(int64_t)need->shared + sm->shared_reserved, sm->shared_unit);
	const int64_t max[] = {
		[OCCUPANCY_BLOCKS] = by_blocks(cfg, warps),
		[OCCUPANCY_WARPS] = by_warps(sm, warps),
		[OCCUPANCY_REGISTERS] =
			min_limit(by_registers(sm, warps, grant),
				  by_scalars(cfg, warps, need->scalars)),
		[OCCUPANCY_SHARED] = shared ? sm->shared / shared : INT64_MAX,
	};

	out->share.warps = (uint32_t)warps;
	out->share.registers = (uint32_t)(whole ? grant : grant * warps);
	out->share.shared = (uint64_t)shared;
	out->limit = OCCUPANCY_BLOCKS;
	for (int i = OCCUPANCY_WARPS; i <= OCCUPANCY_SHARED; i++)
		if (max[i] < max[out->limit])
			out->limit = (enum occupancy_limit)i;
	out->blocks = (uint32_t)max[out->limit];
	return out->blocks ? ERR_OK : too_much(sm, need, out, d);
}
