/*
 * Blocks of an SM. The answers for compute capability 2.0 and later are those
 * of NVIDIA's cuda_occupancy.h, for 1.3 those of its occupancy calculator.
 */
#include <string.h>

#include "sm/occupancy.h"
#include "test.h"

static void set(struct cfg *c, const char *const *text)
{
	struct diag d = { .text = "" };

	cfg_defaults(c);
	for (; *text; text++) {
		EQ(ERR_OK, cfg_set(c, *text, &d));
		STREQ("", d.text);
	}
}

static const char *const cc13[] = { "sm.max_warps=32",
				    "sm.max_blocks=8",
				    "sm.max_threads=1024",
				    "sm.block_threads=512",
				    "sm.registers=16384",
				    "sm.thread_registers=124",
				    "sm.register_scope=block",
				    "sm.register_unit=512",
				    "sm.warp_unit=2",
				    "sm.shared=16K",
				    "sm.block_shared=16K",
				    "sm.shared_unit=512",
				    NULL };
static const char *const cc20[] = { "sm.max_warps=48",
				    "sm.max_blocks=8",
				    "sm.max_threads=1536",
				    "sm.registers=32768",
				    "sm.thread_registers=63",
				    "sm.register_unit=64",
				    "sm.warp_unit=2",
				    "sm.shared=48K",
				    "sm.block_shared=48K",
				    "sm.shared_unit=128",
				    NULL };
static const char *const cc61[] = { "sm.shared=96K", "sm.block_shared=48K",
				    NULL };
static const char *const cc70[] = { NULL };
static const char *const cc90[] = { "sm.shared=228K", "sm.block_shared=227K",
				    "sm.shared_unit=128",
				    "sm.shared_reserved=1K", NULL };

struct known {
	const char *const *gpu;
	struct occupancy_demand need;
	uint32_t blocks;
	enum occupancy_limit limit;
};

TEST(occupancy, agrees_with_the_vendors_calculator)
{
	static const struct known known[] = {
		/* registers by block; a block of one warp counts as two */
		{ cc13, { 256, 16, 0, 0 }, 4, OCCUPANCY_WARPS },
		{ cc13, { 256, 17, 0, 0 }, 3, OCCUPANCY_REGISTERS },
		{ cc13, { 288, 10, 0, 0 }, 3, OCCUPANCY_WARPS },
		{ cc13, { 32, 60, 0, 0 }, 4, OCCUPANCY_REGISTERS },
		{ cc13, { 64, 8, 0, 0 }, 8, OCCUPANCY_BLOCKS },
		{ cc13, { 128, 10, 5000, 0 }, 3, OCCUPANCY_SHARED },
		{ cc20, { 192, 20, 0, 0 }, 8, OCCUPANCY_BLOCKS },
		{ cc20, { 256, 20, 0, 0 }, 6, OCCUPANCY_WARPS },
		{ cc20, { 256, 21, 0, 0 }, 5, OCCUPANCY_REGISTERS },
		{ cc20, { 256, 63, 0, 0 }, 2, OCCUPANCY_REGISTERS },
		{ cc20, { 96, 40, 0, 0 }, 8, OCCUPANCY_BLOCKS },
		{ cc20, { 256, 16, 24 * 1024, 0 }, 2, OCCUPANCY_SHARED },
		{ cc61, { 256, 32, 0, 0 }, 8, OCCUPANCY_WARPS },
		{ cc61, { 256, 33, 0, 0 }, 6, OCCUPANCY_REGISTERS },
		{ cc61, { 1024, 64, 0, 0 }, 1, OCCUPANCY_REGISTERS },
		{ cc61, { 128, 32, 48 * 1024, 0 }, 2, OCCUPANCY_SHARED },
		{ cc61, { 32, 16, 0, 0 }, 32, OCCUPANCY_BLOCKS },
		{ cc70, { 128, 255, 0, 0 }, 2, OCCUPANCY_REGISTERS },
		{ cc70, { 96, 168, 0, 0 }, 4, OCCUPANCY_REGISTERS },
		{ cc70, { 32, 200, 0, 0 }, 8, OCCUPANCY_REGISTERS },
		{ cc90, { 256, 32, 0, 0 }, 8, OCCUPANCY_WARPS },
		{ cc90, { 1024, 64, 0, 0 }, 1, OCCUPANCY_REGISTERS },
		{ cc90, { 256, 32, 100 * 1024, 0 }, 2, OCCUPANCY_SHARED },
		{ cc90, { 256, 32, 227 * 1024, 0 }, 1, OCCUPANCY_SHARED },
		{ cc90, { 64, 32, 7 * 1024, 0 }, 28, OCCUPANCY_SHARED },
		{ cc90, { 33, 32, 0, 0 }, 32, OCCUPANCY_BLOCKS },
		{ cc90, { 384, 168, 0, 0 }, 1, OCCUPANCY_REGISTERS },
		{ cc90, { 992, 40, 0, 0 }, 1, OCCUPANCY_REGISTERS },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct diag d = { .text = "" };
		struct occupancy o;
		struct cfg c;

		set(&c, known[i].gpu);
		EQ(ERR_OK, occupancy_of(&o, &c, &known[i].need, &d));
		EQ(known[i].blocks * 1000 + i, o.blocks * 1000 + i);
		STREQ(occupancy_limit_names[known[i].limit],
		      occupancy_limit_names[o.limit]);
	}
}

TEST(occupancy, a_share_is_rounded_to_allocation_units)
{
	struct occupancy_demand need = { 100, 33, 1000, 0 };
	struct diag d = { .text = "" };
	struct occupancy o;
	struct cfg c;

	set(&c, cc90);
	EQ(ERR_OK, occupancy_of(&o, &c, &need, &d));
	EQ(4, o.share.warps);
	EQ(4 * 1280, o.share.registers);
	EQ(1024 + 1024, o.share.shared);
	set(&c, cc13);
	EQ(ERR_OK, occupancy_of(&o, &c, &need, &d));
	EQ(4608, o.share.registers); /* 4 * 33 * 32 = 4224 */
	EQ(1024, o.share.shared);
}

static void refused(const char *const *gpu, struct occupancy_demand need,
		    const char *what)
{
	struct diag d = { .text = "" };
	struct occupancy o;
	struct cfg c;

	set(&c, gpu);
	EQ(ERR_RANGE, occupancy_of(&o, &c, &need, &d));
	OK(strstr(d.text, what));
}

TEST(occupancy, a_block_that_does_not_fit_is_refused_with_the_reason)
{
	refused(cc90, (struct occupancy_demand){ 0, 32, 0, 0 }, "threads");
	refused(cc90, (struct occupancy_demand){ 1025, 32, 0, 0 }, "1024");
	refused(cc90, (struct occupancy_demand){ 32, 256, 0, 0 }, "255");
	refused(cc90, (struct occupancy_demand){ 1024, 65, 0, 0 }, "65 reg");
	refused(cc90, (struct occupancy_demand){ 32, 32, 227 * 1024 + 1, 0 },
		"shared");
	refused(cc13, (struct occupancy_demand){ 512, 33, 0, 0 }, "16384");
	/* 25 warps of 80 registers would fit; they count as 28 */
	refused(cc90, (struct occupancy_demand){ 800, 80, 0, 0 }, "registers");
}

TEST(occupancy, without_registers_and_shared_memory_warps_decide)
{
	struct occupancy_demand need = { 1024, 0, 0, 0 };
	struct diag d = { .text = "" };
	struct occupancy o;
	struct cfg c;

	set(&c, cc70);
	EQ(ERR_OK, occupancy_of(&o, &c, &need, &d));
	EQ(2, o.blocks);
	EQ(OCCUPANCY_WARPS, o.limit);
}
