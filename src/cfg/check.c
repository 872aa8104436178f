/*
 * Checks the rules between parameters, so that the code that builds a machine
 * can rely on them. The range of one parameter is checked when it is set.
 */
#include "cfg/cfg.h"

#include <inttypes.h>

#include "cfg/param.h"

static bool is_power_of_two(int64_t v)
{
	return v > 0 && !(v & (v - 1));
}

/* The names and values of a cache's parameters. count: caches that divide the
 * bytes among them. */
struct cache_geometry {
	const char *bytes, *line, *ways;
	int64_t size, line_size, way_count, count;
};

static enum err check_cache(const struct cache_geometry *g, struct diag *d)
{
	char size[CFG_VALUE_SIZE];
	int64_t way = g->line_size * g->way_count * g->count;

	cfg_bytes_print(size, g->size);
	if (!is_power_of_two(g->line_size))
		return fail(d, ERR_RANGE,
			    "%s = %" PRId64 ": not a power of two", g->line,
			    g->line_size);
	if (g->size % way)
		return fail(d, ERR_RANGE,
			    "%s = %s: not a multiple of %" PRId64
			    " bytes, which is %s = %" PRId64
			    " times %s = %" PRId64 "%s",
			    g->bytes, size, way, g->ways, g->way_count, g->line,
			    g->line_size,
			    g->count > 1 ? " times the slices" : "");
	if (!is_power_of_two(g->size / way))
		return fail(d, ERR_RANGE,
			    "%s = %s: gives %" PRId64 " sets with %s = %" PRId64
			    ", expected a power of two",
			    g->bytes, size, g->size / way, g->ways,
			    g->way_count);
	return ERR_OK;
}

static enum err cfg_check_power(const char *key, int64_t v, struct diag *d)
{
	if (is_power_of_two(v))
		return ERR_OK;
	return fail(d, ERR_RANGE, "%s = %" PRId64 ": not a power of two", key,
		    v);
}

/* For parameters where 0 means another rule, or the standard's value. */
static enum err check_power_or_zero(const char *key, int64_t v, struct diag *d)
{
	return v ? cfg_check_power(key, v, d) : ERR_OK;
}

/* The tags keep one bit per sector, in a byte. */
static enum err check_sectors(const char *line_key, int64_t line,
			      const char *sector_key, int64_t sector,
			      struct diag *d)
{
	if (cfg_check_power(sector_key, sector, d))
		return d->code;
	if (sector <= line && line <= 8 * sector)
		return ERR_OK;
	return fail(d, ERR_RANGE,
		    "%s = %" PRId64
		    ": not 1 to 8 times the sector size %s = %" PRId64,
		    line_key, line, sector_key, sector);
}

/* a must be a multiple of b. */
static enum err check_multiple(const char *a_key, int64_t a, const char *b_key,
			       int64_t b, struct diag *d)
{
	if (b && a % b == 0)
		return ERR_OK;
	return fail(d, ERR_RANGE,
		    "%s = %" PRId64 ": not a multiple of %s = %" PRId64, a_key,
		    a, b_key, b);
}

static enum err check_at_most(const char *a_key, int64_t a, const char *b_key,
			      int64_t b, struct diag *d)
{
	if (a <= b)
		return ERR_OK;
	return fail(d, ERR_RANGE, "%s = %" PRId64 ": more than %s = %" PRId64,
		    a_key, a, b_key, b);
}

/* Name and value of a parameter, for the checks above. */
#define P(field) #field, c->field

static enum err check_sm(const struct cfg *c, struct diag *d)
{
	if (check_multiple(P(sm.schedulers), P(sm.subcores), d) ||
	    check_multiple(P(sm.max_warps), P(sm.schedulers), d) ||
	    check_multiple(P(sm.warp_size), P(sm.simd_width), d) ||
	    check_at_most(P(sm.max_blocks), P(sm.max_warps), d) ||
	    check_at_most(P(sm.block_threads), P(sm.max_threads), d) ||
	    check_multiple(P(sm.registers), P(sm.register_unit), d) ||
	    check_multiple(P(sm.registers), P(sm.subcores), d) ||
	    check_at_most(P(sm.block_shared), P(sm.shared), d) ||
	    check_multiple(P(sm.ccws_tags), P(sm.ccws_ways), d))
		return d->code;
	if (c->sm.max_threads > c->sm.max_warps * c->sm.warp_size)
		return fail(d, ERR_RANGE,
			    "sm.max_threads = %" PRId64
			    ": more than sm.max_warps = %" PRId64
			    " times sm.warp_size = %" PRId64,
			    c->sm.max_threads, c->sm.max_warps,
			    c->sm.warp_size);
	if (c->sm.block_shared + c->sm.shared_reserved > c->sm.shared)
		return fail(d, ERR_RANGE,
			    "sm.block_shared = %" PRId64
			    ": together with sm.shared_reserved = %" PRId64
			    ", more than sm.shared = %" PRId64,
			    c->sm.block_shared, c->sm.shared_reserved,
			    c->sm.shared);
	return ERR_OK;
}

#define CACHE(section, bytes, line, ways)                                     \
	&(struct cache_geometry)                                              \
	{                                                                     \
#section "." #bytes, #section "." #line, #section "." #ways,  \
			c->section.bytes, c->section.line, c->section.ways, 1 \
	}

/* An SM has warps of 32 lanes, and issues from one warp at a time. */
static enum err check_core_sm(const struct cfg *c, struct diag *d)
{
	if (c->sm.warp_size != 32)
		return fail(d, ERR_RANGE,
			    "sm.warp_size = %" PRId64
			    ": 32, unless gpu.core = cu",
			    c->sm.warp_size);
	if (c->sm.issue_width > 4)
		return fail(d, ERR_RANGE,
			    "sm.issue_width = %" PRId64
			    ": at most 4, unless gpu.core = cu",
			    c->sm.issue_width);
	return ERR_OK;
}

static enum err check_lines(const char *key, int64_t line, struct diag *d)
{
	if (line == 32 || line == 64 || line == 128)
		return ERR_OK;
	return fail(d, ERR_RANGE, "%s = %" PRId64 ": 32, 64 or 128", key, line);
}

/* What src/cu takes for granted. */
static enum err check_core_cu(const struct cfg *c, struct diag *d)
{
	if (c->sm.warp_size != 64)
		return fail(d, ERR_RANGE,
			    "sm.warp_size = %" PRId64
			    ": a wavefront has 64 lanes (gpu.core = cu)",
			    c->sm.warp_size);
	if (c->sm.schedulers != 1 || c->sm.warp_unit != 4)
		return fail(d, ERR_RANGE,
			    "sm.schedulers = %" PRId64
			    ", sm.warp_unit = %" PRId64
			    ": 1 and 4, since one of four SIMDs issues in a "
			    "cycle (gpu.core = cu)",
			    c->sm.schedulers, c->sm.warp_unit);
	if (c->mem.kind != CFG_MEM_DETAILED || !c->l1.on || c->l1.adaptive ||
	    c->l1.write != CFG_WRITE_THROUGH ||
	    c->l1.write_miss != CFG_WRITE_MISS_AROUND)
		return fail(d, ERR_RANGE,
			    "gpu.core = cu: mem.kind is detailed, l1.on yes, "
			    "l1.adaptive no, l1.write through and "
			    "l1.write_miss around");
	if (c->l1.line != 64)
		return fail(d, ERR_RANGE,
			    "l1.line = %" PRId64 ": 64 (gpu.core = cu)",
			    c->l1.line);
	if (c->tlb.region)
		return fail(d, ERR_RANGE,
			    "tlb.region = %" PRId64 ": 0 (gpu.core = cu)",
			    c->tlb.region);
	if (check_cache(CACHE(cu, code_bytes, code_line, code_ways), d) ||
	    check_cache(CACHE(cu, scalar_bytes, scalar_line, scalar_ways), d) ||
	    check_lines(P(cu.code_line), d) ||
	    check_lines(P(cu.scalar_line), d) ||
	    cfg_check_power(P(cu.address_lanes), d) ||
	    cfg_check_power(P(cu.fetch_bytes), d) ||
	    check_at_most(P(cu.fetch_bytes), P(cu.code_line), d) ||
	    check_at_most(P(cu.fetch_bytes), "cu.buffer_bytes / 2",
			  c->cu.buffer_bytes / 2, d) ||
	    check_multiple(P(sm.count), P(cu.cluster), d) ||
	    check_multiple(P(sm.max_warps), P(sm.warp_unit), d) ||
	    cfg_check_power(P(shared.lanes), d) ||
	    check_at_most("lat.mem.cycles", c->lat[LAT_MEM].cycles,
			  P(l1.miss_latency), d) ||
	    check_at_most("lat.mem.cycles", c->lat[LAT_MEM].cycles,
			  P(l1.hit_latency), d))
		return d->code;
	return ERR_OK;
}

static enum err check_core(const struct cfg *c, struct diag *d)
{
	return c->gpu.core == CFG_CORE_CU ? check_core_cu(c, d) :
					    check_core_sm(c, d);
}

static enum err check_units(const struct cfg *c, struct diag *d)
{
	static const enum cfg_id ids[UNIT_COUNT] = {
#define UNIT(id, name, lanes, doc) [UNIT_##id] = CFG_ID_unit_##id##_lanes,
#include "cfg/param.def"
	};
	static const enum unit_class needed[] = { UNIT_INT, UNIT_FP32, UNIT_LSU,
						  UNIT_BRANCH };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!c->unit[needed[i]].lanes)
			return fail(d, ERR_RANGE,
				    "%s = 0: every GPU needs this unit",
				    cfg_params[ids[needed[i]]].key);
	for (int i = 0; i < UNIT_COUNT; i++) {
		const char *key = cfg_params[ids[i]].key;
		int64_t lanes = c->unit[i].lanes;

		if (lanes < c->sm.subcores)
			continue;
		if (check_multiple(key, lanes, P(sm.subcores), d))
			return d->code;
		lanes /= c->sm.subcores;
		if (lanes > c->sm.simd_width && lanes % c->sm.simd_width)
			return fail(d, ERR_RANGE,
				    "%s = %" PRId64 ": the %" PRId64
				    " lanes of a sub-core are not a multiple "
				    "of sm.simd_width = %" PRId64,
				    key, c->unit[i].lanes, lanes,
				    c->sm.simd_width);
	}
	return ERR_OK;
}

static enum err check_small_caches(const struct cfg *c, struct diag *d)
{
	if (!c->front.perfect) {
		if (c->front.l0 &&
		    check_cache(CACHE(front, l0, l0_line, l0_ways), d))
			return d->code;
		if (c->front.l1 &&
		    check_cache(CACHE(front, l1, l1_line, l1_ways), d))
			return d->code;
		if (!c->front.l0 && !c->front.l1)
			return fail(
				d, ERR_RANGE,
				"front.l0 = 0, front.l1 = 0: no instruction "
				"cache; give one a size, or set "
				"front.perfect = yes");
	}
	if (!c->ccache.perfect) {
		if (check_cache(CACHE(ccache, l0, l0_line, l0_ways), d))
			return d->code;
		if (c->ccache.l1 &&
		    check_cache(CACHE(ccache, l1, l1_line, l1_ways), d))
			return d->code;
	}
	if (c->tex.bytes && check_cache(CACHE(tex, bytes, line, ways), d))
		return d->code;
	return ERR_OK;
}

static enum err check_shared(const struct cfg *c, struct diag *d)
{
	if (cfg_check_power(P(shared.banks), d) ||
	    cfg_check_power(P(shared.bank_bytes), d) ||
	    check_multiple(P(sm.warp_size), P(shared.lanes), d) ||
	    check_multiple(P(sm.warp_size), P(lsu.coalesce_lanes), d) ||
	    cfg_check_power(P(lsu.coalesce), d))
		return d->code;
	return ERR_OK;
}

static enum err check_l1(const struct cfg *c, struct diag *d)
{
	int64_t way = c->l1.bytes / c->l1.ways;

	if (!c->l1.on)
		return ERR_OK;
	if (check_cache(CACHE(l1, bytes, line, ways), d) ||
	    check_sectors(P(l1.line), P(l1.sector), d) ||
	    check_multiple(P(l1.line), P(lsu.coalesce), d) ||
	    check_at_most(P(l1.sector), P(l2.line), d) ||
	    check_power_or_zero(P(l1.tag_banks), d))
		return d->code;
	if (c->l1.adaptive && c->sm.shared + way > c->l1.bytes)
		return fail(d, ERR_RANGE,
			    "sm.shared = %" PRId64
			    ": with l1.adaptive = yes, leaves the cache less "
			    "than one way (%" PRId64
			    " bytes) of l1.bytes = %" PRId64,
			    c->sm.shared, way, c->l1.bytes);
	return ERR_OK;
}

static enum err check_tlb(const struct cfg *c, struct diag *d)
{
	if (check_power_or_zero(P(tlb.region), d))
		return d->code;
	if (c->tlb.region && c->tlb.region < 4 * 1024)
		return fail(d, ERR_RANGE,
			    "tlb.region = %" PRId64 ": at least 4K",
			    c->tlb.region);
	return ERR_OK;
}

static enum err check_l2(const struct cfg *c, struct diag *d)
{
	struct cache_geometry all = { "l2.bytes",  "l2.line",  "l2.ways",
				      c->l2.bytes, c->l2.line, c->l2.ways,
				      c->l2.slices };

	if (check_multiple(P(l2.slices), P(l2.partitions), d) ||
	    cfg_check_power(P(l2.line), d) ||
	    cfg_check_power(P(l2.interleave), d) ||
	    check_multiple(P(l2.interleave), P(l2.line), d))
		return d->code;
	if (c->l2.slices % c->dram.channels && c->dram.channels % c->l2.slices)
		return fail(d, ERR_RANGE,
			    "l2.slices = %" PRId64
			    ": neither a multiple nor a divisor of "
			    "dram.channels = %" PRId64,
			    c->l2.slices, c->dram.channels);
	if (!c->l2.on)
		return ERR_OK;
	if (check_cache(&all, d) ||
	    check_sectors(P(l2.line), P(l2.sector), d) ||
	    cfg_check_power(P(l2.fetch_sectors), d))
		return d->code;
	if (c->l2.copy_ways >= c->l2.ways)
		return fail(d, ERR_RANGE,
			    "l2.copy_ways = %" PRId64
			    ": leaves no way of l2.ways = %" PRId64,
			    c->l2.copy_ways, c->l2.ways);
	return ERR_OK;
}

static enum err check_dram(const struct cfg *c, struct diag *d)
{
	double clocks = c->dram.clock * 1e6 * (double)c->dram.channels;
	double width = c->dram.bandwidth * 1e9 / clocks;

	if (check_power_or_zero(P(dram.pseudo), d) ||
	    check_power_or_zero(P(dram.banks), d) ||
	    check_power_or_zero(P(dram.bank_groups), d) ||
	    check_power_or_zero(P(dram.row), d) ||
	    check_power_or_zero(P(dram.burst), d) ||
	    cfg_check_power(P(dram.bank_bytes), d) ||
	    check_at_most(P(dram.write_high), P(dram.write_queue), d))
		return d->code;
	if (c->dram.banks &&
	    check_at_most(P(dram.bank_groups), P(dram.banks), d))
		return d->code;
	if (c->dram.row && (check_at_most(P(dram.burst), P(dram.row), d) ||
			    check_at_most(P(dram.bank_bytes), P(dram.row), d)))
		return d->code;
	if (c->dram.write_low >= c->dram.write_high)
		return fail(d, ERR_RANGE,
			    "dram.write_low = %" PRId64
			    ": not below dram.write_high = %" PRId64,
			    c->dram.write_low, c->dram.write_high);
	/* Every standard moves at least this per channel and clock cycle. */
	if (width < 1)
		return fail(d, ERR_RANGE,
			    "dram.bandwidth = %g: less than one byte per "
			    "channel and cycle of dram.clock, which is %g GB/s",
			    c->dram.bandwidth, clocks * 1e-9);
	return ERR_OK;
}

static enum err check_mem(const struct cfg *c, struct diag *d)
{
	if (check_at_most(P(mem.l1_latency), P(mem.l2_latency), d) ||
	    check_at_most(P(mem.l2_latency), P(mem.dram_latency), d) ||
	    check_at_most(P(dispatch.cluster), P(sm.count), d))
		return d->code;
	return ERR_OK;
}

/* Sets must be a power of two. */
static enum err check_cgm_cache(const char *key, int64_t bytes,
				const char *ways_key, int64_t ways,
				struct diag *d)
{
	char size[CFG_VALUE_SIZE];

	if (bytes % (64 * ways) == 0 && is_power_of_two(bytes / (64 * ways)))
		return ERR_OK;
	cfg_bytes_print(size, bytes);
	return fail(d, ERR_RANGE,
		    "%s = %s: not a power of two times 64 bytes times %s = "
		    "%" PRId64,
		    key, size, ways_key, ways);
}

static enum err check_cgm_caches(const struct cfg_cgm *c, struct diag *d)
{
	if (check_cgm_cache("cgm.l1i_bytes", c->l1i_bytes, "cgm.l1_ways",
			    c->l1_ways, d) ||
	    check_cgm_cache("cgm.l1d_bytes", c->l1d_bytes, "cgm.l1_ways",
			    c->l1_ways, d) ||
	    check_cgm_cache("cgm.l2_bytes", c->l2_bytes, "cgm.l2_ways",
			    c->l2_ways, d) ||
	    check_cgm_cache("cgm.l3_bytes", c->l3_bytes, "cgm.l3_ways",
			    c->l3_ways, d) ||
	    check_cgm_cache("cgm.vector_bytes", c->vector_bytes,
			    "cgm.gpu_l1_ways", c->gpu_l1_ways, d) ||
	    check_cgm_cache("cgm.scalar_bytes", c->scalar_bytes,
			    "cgm.gpu_l1_ways", c->gpu_l1_ways, d) ||
	    check_cgm_cache("cgm.gpu_l2_bytes", c->gpu_l2_bytes,
			    "cgm.gpu_l2_ways", c->gpu_l2_ways, d))
		return d->code;
	return ERR_OK;
}

static enum err check_cgm_tlb(const char *key, int64_t entries,
			      const char *ways_key, int64_t ways,
			      struct diag *d)
{
	if (entries % ways == 0 && is_power_of_two(entries / ways))
		return ERR_OK;
	return fail(d, ERR_RANGE,
		    "%s = %" PRId64 ": not a power of two times %s = %" PRId64,
		    key, entries, ways_key, ways);
}

static enum err check_cgm_clock(const char *key, double clock, double fastest,
				struct diag *d)
{
	double ratio = fastest / clock;

	if (ratio - (double)(int64_t)(ratio + 0.5) < 1e-9 &&
	    (double)(int64_t)(ratio + 0.5) - ratio < 1e-9)
		return ERR_OK;
	return fail(d, ERR_RANGE,
		    "%s = %g: the fastest clock of cgm, %g MHz, is not a "
		    "multiple of it",
		    key, clock, fastest);
}

static enum err check_cgm(const struct cfg *cfg, struct diag *d)
{
	const struct cfg_cgm *c = &cfg->cgm;
	double fastest = c->clock;

	if (c->cpu_clock > fastest)
		fastest = c->cpu_clock;
	if (c->cus && c->gpu_clock > fastest)
		fastest = c->gpu_clock;
	if (check_cgm_clock("cgm.clock", c->clock, fastest, d) ||
	    check_cgm_clock("cgm.cpu_clock", c->cpu_clock, fastest, d) ||
	    (c->cus &&
	     check_cgm_clock("cgm.gpu_clock", c->gpu_clock, fastest, d)))
		return d->code;
	if (c->gpu_at == CFG_CGM_GPU_AT_MEMORY &&
	    c->gpu_protocol == CFG_CGM_PROTOCOL_MESI && c->cus)
		return fail(d, ERR_RANGE,
			    "cgm.gpu_at = memory: the directory is in the L3; "
			    "needs cgm.gpu_protocol = none");
	if (cfg_check_power("cgm.page", c->page, d) ||
	    cfg_check_power("cgm.gpu_distance", c->gpu_distance, d) ||
	    check_cgm_tlb("cgm.tlb_entries", c->tlb_entries, "cgm.tlb_ways",
			  c->tlb_ways, d) ||
	    check_cgm_tlb("cgm.hub_entries", c->hub_entries, "cgm.hub_ways",
			  c->hub_ways, d))
		return d->code;
	return check_cgm_caches(c, d);
}

static enum err check_cpu(const struct cfg_cpu *c, struct diag *d)
{
	if (cfg_check_power("cpu.bimodal_entries", c->bimodal_entries, d) ||
	    cfg_check_power("cpu.history_entries", c->history_entries, d) ||
	    cfg_check_power("cpu.pattern_entries", c->pattern_entries, d) ||
	    cfg_check_power("cpu.chooser_entries", c->chooser_entries, d) ||
	    check_cgm_tlb("cpu.btb_entries", c->btb_entries, "cpu.btb_ways",
			  c->btb_ways, d))
		return d->code;
	return ERR_OK;
}

enum err cfg_check(const struct cfg *c, struct diag *d)
{
	if (check_sm(c, d) || check_core(c, d) || check_units(c, d) ||
	    check_small_caches(c, d) || check_shared(c, d) || check_l1(c, d) ||
	    check_tlb(c, d) || check_l2(c, d) || check_dram(c, d) ||
	    check_mem(c, d) || check_cgm(c, d) || check_cpu(&c->cpu, d))
		return d->code;
	return ERR_OK;
}
