#include "test.h"

#include "cfg/cfg.h"

/* Changes one default; the check must fail with this message. */
static void breaks(const char *assignment, const char *message)
{
	struct cfg c;
	struct diag d;

	cfg_defaults(&c);
	EQ(ERR_OK, cfg_set(&c, assignment, &d));
	EQ(ERR_RANGE, cfg_check(&c, &d));
	STREQ(message, d.text);
}

TEST(cfg_check, the_parts_of_an_sm_fit_together)
{
	breaks("sm.schedulers=6",
	       "sm.schedulers = 6: not a multiple of sm.subcores = 4");
	breaks("sm.max_warps=62",
	       "sm.max_warps = 62: not a multiple of sm.schedulers = 4");
	breaks("sm.simd_width=12",
	       "sm.warp_size = 32: not a multiple of sm.simd_width = 12");
	breaks("sm.max_threads=4096",
	       "sm.max_threads = 4096: more than sm.max_warps = 64 times "
	       "sm.warp_size = 32");
	breaks("sm.block_threads=4096",
	       "sm.block_threads = 4096: more than sm.max_threads = 2048");
	breaks("sm.register_unit=1000",
	       "sm.registers = 65536: not a multiple of sm.register_unit = "
	       "1000");
	breaks("sm.shared_reserved=1K",
	       "sm.block_shared = 98304: together with sm.shared_reserved = "
	       "1024, more than sm.shared = 98304");
}

TEST(cfg_check, a_cache_is_ways_times_line_times_sets)
{
	breaks("l1.ways=33",
	       "l1.bytes = 128K: not a multiple of 4224 bytes, which is l1.ways "
	       "= 33 times l1.line = 128");
	breaks("l1.bytes=192K",
	       "l1.bytes = 192K: gives 48 sets with l1.ways = 32, expected a "
	       "power of two");
	breaks("l2.slices=60",
	       "l2.slices = 60: neither a multiple nor a divisor of "
	       "dram.channels = 32");
	breaks("l2.fetch_sectors=3",
	       "l2.fetch_sectors = 3: not a power of two");
	breaks("l2.copy_ways=24",
	       "l2.copy_ways = 24: leaves no way of l2.ways = 24");
	breaks("l2.bytes=5M",
	       "l2.bytes = 5M: not a multiple of 196608 bytes, which is l2.ways "
	       "= 24 times l2.line = 128 times the slices");
	breaks("front.l0_line=96", "front.l0_line = 96: not a power of two");
	breaks("l1.sector=48", "l1.sector = 48: not a power of two");
	breaks("l1.sector=8",
	       "l1.line = 128: not 1 to 8 times the sector size l1.sector = 8");
}

TEST(cfg_check, shared_memory_leaves_a_way_to_an_adaptive_l1)
{
	struct cfg c;
	struct diag d;

	breaks("sm.shared=128K",
	       "sm.shared = 131072: with l1.adaptive = yes, leaves the cache "
	       "less than one way (4096 bytes) of l1.bytes = 131072");
	cfg_defaults(&c);
	EQ(ERR_OK, cfg_set(&c, "sm.shared=128K", &d));
	EQ(ERR_OK, cfg_set(&c, "l1.adaptive=no", &d));
	EQ(ERR_OK, cfg_check(&c, &d));
}

TEST(cfg_check, what_is_switched_off_is_not_checked)
{
	struct cfg c;
	struct diag d;

	cfg_defaults(&c);
	EQ(ERR_OK, cfg_set(&c, "l1.ways=33", &d));
	EQ(ERR_OK, cfg_set(&c, "l1.on=no", &d));
	EQ(ERR_OK, cfg_set(&c, "l2.ways=23", &d));
	EQ(ERR_OK, cfg_set(&c, "l2.on=no", &d));
	EQ(ERR_OK, cfg_set(&c, "front.l0_ways=3", &d));
	EQ(ERR_OK, cfg_set(&c, "front.perfect=yes", &d));
	EQ(ERR_OK, cfg_check(&c, &d));
}

TEST(cfg_check, needed_units_exist_and_divide_among_sub_cores)
{
	breaks("unit.int.lanes=0",
	       "unit.int.lanes = 0: every GPU needs this unit");
	breaks("unit.fp32.lanes=66",
	       "unit.fp32.lanes = 66: not a multiple of sm.subcores = 4");
	breaks("unit.fp32.lanes=160",
	       "unit.fp32.lanes = 160: the 40 lanes of a sub-core are not a "
	       "multiple of sm.simd_width = 32");
}

TEST(cfg_check, dram_parameters_are_consistent)
{
	breaks("dram.banks=12", "dram.banks = 12: not a power of two");
	breaks("dram.bank_groups=3",
	       "dram.bank_groups = 3: not a power of two");
	breaks("dram.write_low=48",
	       "dram.write_low = 48: not below dram.write_high = 48");
	breaks("dram.write_queue=32",
	       "dram.write_high = 48: more than dram.write_queue = 32");
	breaks("dram.row=128",
	       "dram.bank_bytes = 256: more than dram.row = 128");
	breaks("dram.bandwidth=20",
	       "dram.bandwidth = 20: less than one byte per channel and cycle "
	       "of dram.clock, which is 28.064 GB/s");
}

TEST(cfg_check, fixed_latencies_grow_with_the_distance)
{
	breaks("mem.l2_latency=500",
	       "mem.l2_latency = 500: more than mem.dram_latency = 450");
}

/* The same of hd7970. */
static void breaks_units(const char *assignment, const char *message)
{
	struct cfg_sheet s;
	struct diag d;

	cfg_sheet_init(&s);
	EQ(ERR_OK, cfg_read_file(&s, HEDDLE_SOURCE_DIR "/configs/hd7970.cfg",
				 CFG_SOURCED, &d));
	EQ(ERR_OK, cfg_check(&s.cfg, &d));
	EQ(ERR_OK, cfg_set(&s.cfg, assignment, &d));
	EQ(ERR_RANGE, cfg_check(&s.cfg, &d));
	STREQ(message, d.text);
	cfg_sheet_free(&s);
}

TEST(cfg_check, the_parts_of_a_compute_unit_fit_together)
{
	breaks("sm.warp_size=64",
	       "sm.warp_size = 64: 32, unless gpu.core = cu");
	breaks("sm.issue_width=5",
	       "sm.issue_width = 5: at most 4, unless gpu.core = cu");
	breaks_units("sm.warp_size=32",
		     "sm.max_threads = 2560: more than sm.max_warps = 40 times "
		     "sm.warp_size = 32");
	breaks_units("sm.count=30",
		     "sm.count = 30: not a multiple of cu.cluster = 4");
	breaks_units("l1.line=128", "l1.line = 128: 64 (gpu.core = cu)");
	breaks_units("mem.kind=latency",
		     "gpu.core = cu: mem.kind is detailed, l1.on yes, "
		     "l1.adaptive no, l1.write through and l1.write_miss "
		     "around");
	breaks_units("cu.code_bytes=48K",
		     "cu.code_bytes = 48K: gives 192 sets with cu.code_ways = "
		     "4, expected a power of two");
	breaks_units("cu.fetch_bytes=64",
		     "cu.fetch_bytes = 64: more than cu.buffer_bytes / 2 = 32");
	breaks_units("l1.miss_latency=4",
		     "lat.mem.cycles = 8: more than l1.miss_latency = 4");
}
