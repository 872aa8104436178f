/* Properties of the functional units that follow from several parameters. */
#include "cfg/cfg.h"

/* The lanes of a unit that a sub-core uses: its share, or all lanes of a shared
 * unit. */
static int64_t subcore_lanes(const struct cfg *c, enum unit_class unit)
{
	int64_t lanes = c->unit[unit].lanes;

	return lanes < c->sm.subcores ? lanes : lanes / c->sm.subcores;
}

int64_t cfg_interval(const struct cfg *c, enum lat_class lat,
		     enum unit_class unit)
{
	int64_t width = subcore_lanes(c, unit);

	if (c->lat[lat].interval)
		return c->lat[lat].interval;
	if (width > c->sm.simd_width)
		width = c->sm.simd_width;
	return width ? (c->sm.warp_size + width - 1) / width : 1;
}

int64_t cfg_pipes(const struct cfg *c, enum unit_class unit)
{
	int64_t lanes = subcore_lanes(c, unit);

	if (c->unit[unit].lanes < c->sm.subcores)
		return 0;
	return lanes > c->sm.simd_width ? lanes / c->sm.simd_width : 1;
}

/* The unit that replaces one that the SM does not have; itself: none does. */
static const uint8_t stand_in[UNIT_COUNT] = {
	[UNIT_INT] = UNIT_FP32,   [UNIT_FP32] = UNIT_INT,
	[UNIT_FP64] = UNIT_FP64,  [UNIT_FP16] = UNIT_FP32,
	[UNIT_SFU] = UNIT_FP32,   [UNIT_TENSOR] = UNIT_TENSOR,
	[UNIT_LSU] = UNIT_INT,    [UNIT_TEX] = UNIT_LSU,
	[UNIT_BRANCH] = UNIT_INT, [UNIT_UNIFORM] = UNIT_INT,
};

enum unit_class cfg_unit_for(const struct cfg *c, enum lat_class lat,
			     enum unit_class unit)
{
	if ((lat == LAT_MAD || lat == LAT_WIDE) && unit == UNIT_INT &&
	    c->sm.mad_unit == CFG_MAD_UNIT_FP32)
		unit = UNIT_FP32;
	for (int i = 0; !c->unit[unit].lanes; i++) {
		if (stand_in[unit] == unit || i == UNIT_COUNT)
			return UNIT_COUNT;
		unit = (enum unit_class)stand_in[unit];
	}
	return unit;
}
