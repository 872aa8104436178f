#include "timing.h"

#include "Vfl_time.h"

static uint64_t bytes_of(const uint8_t of[5])
{
	uint64_t v = 0;

	for (int i = 4; i >= 0; i--)
		v = v << 8 | of[i];
	return v;
}

static void set_config(Vfl_time *t, const struct timing_in *in)
{
	t->cfg_lsu_cycles = in->lsu_cycles;
	t->cfg_latency = bytes_of(in->latency);
	t->cfg_interval = bytes_of(in->interval);
	t->cfg_way_latency = in->way_latency[0] |
			     (uint64_t)in->way_latency[1] << 16 |
			     (uint64_t)in->way_latency[2] << 32 |
			     (uint64_t)in->way_latency[3] << 48;
	t->cfg_l1_sets_log2 = in->l1_sets_log2;
	t->cfg_l1_ways = in->l1_ways;
	t->cfg_l2_sets_log2 = in->l2_sets_log2;
	t->cfg_l2_ways = in->l2_ways;
}

static void set_inputs(Vfl_time *t, const struct timing_in *in)
{
	t->reset = in->reset;
	t->clear = in->clear;
	t->load_sm = in->load_sm;
	t->sm = in->sm;
	t->now = in->now;
	t->new_warp = in->new_warp;
	t->new_warp_id = in->new_warp_id;
	t->put = in->put;
	t->put_unit = in->put_unit;
	t->put_warp = in->put_warp;
	t->put_reg_valid = in->put_reg_valid;
	t->put_reg = in->put_reg;
	t->put_pred_valid = in->put_pred_valid;
	t->put_pred = in->put_pred;
	t->put_mem = in->put_mem;
	t->put_load = in->put_load;
	t->put_shared = in->put_shared;
	t->seg_valid = in->seg_valid;
	t->seg_line = in->seg_line;
	t->seg_end = in->seg_end;
	t->seg_shared_count = in->seg_shared_count;
	t->comp_take = in->comp_take;
}

static void get_statistics(Vfl_time *t, struct timing_out *out)
{
	out->loads = t->stat_loads;
	out->stores = t->stat_stores;
	out->segments = t->stat_segments;
	out->shared_accesses = t->stat_shared_accesses;
	out->shared_segments = t->stat_shared_segments;
	out->l1_hits = t->stat_l1_hits;
	out->l1_misses = t->stat_l1_misses;
	out->l2_hits = t->stat_l2_hits;
	out->l2_misses = t->stat_l2_misses;
}

static void get_outputs(Vfl_time *t, struct timing_out *out)
{
	out->cleared = t->cleared;
	out->loaded = t->loaded;
	out->seg_ready = t->seg_ready;
	out->simd_is_free = t->simd_is_free;
	out->lsu_is_free = t->lsu_is_free;
	out->pool_has_room = t->pool_has_room;
	out->resolved = t->resolved;
	out->hold_at = t->hold_at;
	out->next_event = t->next_event;
	out->comp_valid = t->comp_valid;
	out->comp_reg_valid = t->comp_reg_valid;
	out->comp_pred_valid = t->comp_pred_valid;
	out->comp_none = t->comp_none;
	out->comp_warp = t->comp_warp;
	out->comp_reg = t->comp_reg;
	out->comp_pred = t->comp_pred;
}

void timing_cycle(const struct timing_in *in, struct timing_out *out)
{
	static Vfl_time *t = new Vfl_time;

	set_config(t, in);
	set_inputs(t, in);
	t->clk = 0;
	t->eval();
	get_outputs(t, out);
	get_statistics(t, out);
	t->clk = 1;
	t->eval();
}
