#include "test.h"

#include <math.h>

#include "cfg/param.h"
#include "explore/machine.h"
#include "explore/roofline.h"

static struct cfg machine(const char *name)
{
	struct cfg_sheet sheet;
	struct diag d = { 0 };
	struct cfg c;

	cfg_sheet_init(&sheet);
	if (machine_load(&sheet, name, NULL, 0, &d))
		STREQ("", d.text);
	c = sheet.cfg;
	cfg_sheet_free(&sheet);
	return c;
}

/* Within so many percent of a published number. */
static bool near(double want, double got, double percent)
{
	return fabs(got / want - 1) <= percent / 100;
}

/* The data sheet: 67 TFLOPS in single precision, 34 in double precision, 4.8
 * TB/s. Matrices: 989 TFLOPS of halves at 1830 MHz, by warpgroups; an mma.sync
 * reaches 1360 of 2048 FMA per clock, as measured, at 1980 MHz. */
TEST(explore_roofline, peaks_of_the_h200_are_those_of_its_data_sheet)
{
	struct cfg c = machine(HEDDLE_SOURCE_DIR "/configs/h200.cfg");

	OK(near(67e12, roof_peak(&c, ROOF_FP32, 0), 1));
	OK(near(34e12, roof_peak(&c, ROOF_FP64, 0), 2));
	OK(near(989e12 * 1980 / 1830 * 1360 / 2048,
		roof_peak(&c, ROOF_TENSOR, 0), 1));
	OK(near(4.8e12, roof_bandwidth(&c, ROOF_DRAM), 3));
	/* Measured: 128 bytes per clock and SM; 54 per clock and slice. */
	OK(near(132 * 128 * 1.98e9, roof_bandwidth(&c, ROOF_L1), 1));
	OK(near(96 * 48 * 1.98e9, roof_bandwidth(&c, ROOF_L2), 1));
}

/* Quadro GV100: 5120 lanes at 1.447 GHz, half as many of double precision. */
TEST(explore_roofline, peaks_follow_from_lanes_and_clock)
{
	struct cfg c = machine(HEDDLE_SOURCE_DIR "/configs/qv100.cfg");
	double clock = c.gpu.clock * 1e6;

	OK(near(2 * 80 * 64 * clock, roof_peak(&c, ROOF_FP32, 0), 1));
	OK(near(2 * 80 * 32 * clock, roof_peak(&c, ROOF_FP64, 0), 1));
	c = machine(HEDDLE_SOURCE_DIR "/configs/c2050.cfg");
	clock = c.gpu.clock * 1e6;
	OK(near(2 * 14 * 32 * clock, roof_peak(&c, ROOF_FP32, 0), 1));
	c.unit[UNIT_FP64].lanes = 0;
	EQ(1, roof_peak(&c, ROOF_FP64, 0) == 0);
	/* No more than the schedulers issue. */
	c.unit[UNIT_FP32].lanes = 4096;
	OK(roof_peak(&c, ROOF_FP32, 0) <=
	   2.0 * 32 * (double)(c.sm.count * c.sm.schedulers) * clock * 1.001);
}

/* The data sheet: 3.79 TFLOPS in single precision, 947 GFLOPS in double. */
TEST(explore_roofline, peaks_of_compute_units)
{
	struct cfg c = machine(HEDDLE_SOURCE_DIR "/configs/hd7970.cfg");

	OK(near(3.79e12, roof_peak(&c, ROOF_FP32, 0), 1));
	OK(near(947e9, roof_peak(&c, ROOF_FP64, 0), 1));
}

TEST(explore_roofline, a_roof_is_the_lower_of_slope_and_ceiling)
{
	struct roofline r = { .peak = { [ROOF_FP32] = 100 },
			      .bandwidth = { [ROOF_DRAM] = 10 } };

	EQ(1, roof_at(&r, ROOF_FP32, ROOF_DRAM, 2) == 20);
	EQ(1, roof_at(&r, ROOF_FP32, ROOF_DRAM, 20) == 100);
}
