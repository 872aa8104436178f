#include "explore/roofline.h"

#include "base/human.h"
#include "cfg/cfg.h"

enum { SECTOR = 32, USUAL_MMA = 2 * 16 * 8 * 16 };

const char *const roof_level_names[ROOF_LEVELS] = { "L1", "L2", "DRAM" };

/* A unit, the latency class of its usual instruction, and the operations of
 * such an instruction in each lane. */
static const struct {
	enum unit_class unit;
	enum lat_class lat;
	unsigned operations;
} roof_units[ROOF_UNITS] = {
	[ROOF_FP32] = { UNIT_FP32, LAT_FMA, 2 },
	[ROOF_FP64] = { UNIT_FP64, LAT_F64, 2 },
	[ROOF_TENSOR] = { UNIT_TENSOR, LAT_MMA, 0 },
	[ROOF_FP16] = { UNIT_FP16, LAT_F16, 4 }, /* a pair of halves */
};

static double cycles_per_second(const struct cfg *c)
{
	return c->gpu.clock * 1e6;
}

double roof_peak(const struct cfg *c, enum roof_unit unit, uint64_t largest)
{
	enum unit_class u = roof_units[unit].unit;
	double each = roof_units[unit].operations * (double)c->sm.warp_size;
	double pipes = (double)(cfg_pipes(c, u) * c->sm.subcores);
	double issue = (double)(c->sm.schedulers * c->sm.issue_width) /
		       (double)c->sm.issue_interval;
	double rate;

	if (!c->unit[u].lanes)
		return 0;
	if (unit == ROOF_TENSOR)
		each = (double)(largest ? largest : USUAL_MMA);
	/* A unit that is narrower than the sub-cores are many is shared. */
	rate = (pipes > 0 ? pipes : 1) /
	       (double)cfg_interval(c, roof_units[unit].lat, u);
	return (rate < issue ? rate : issue) * each * (double)c->sm.count *
	       cycles_per_second(c);
}

double roof_bandwidth(const struct cfg *c, enum roof_level level)
{
	double channels =
		(double)(c->net.channels ? c->net.channels : c->l2.slices);
	double slices = channels * (double)c->net.slice_out;
	double sms = (double)(c->sm.count * c->net.sm_in);

	switch (level) {
	case ROOF_L1:
		return c->l1.on ? (double)(c->sm.count * c->lsu.return_width) *
					  cycles_per_second(c) :
				  0;
	case ROOF_L2:
		return c->l2.on ? (slices < sms ? slices : sms) *
					  cycles_per_second(c) :
				  0;
	default:
		return c->dram.bandwidth * 1e9;
	}
}

struct roofline roofline_of(const struct run_view *v)
{
	const struct cfg *c = &v->device->cfg;
	const struct stats *s = &v->s;
	struct roofline r = { .seconds = v->seconds };

	for (int u = 0; u < ROOF_UNITS; u++) {
		enum unit_class unit = roof_units[u].unit;

		r.name[u] = unit_names[unit];
		r.peak[u] = roof_peak(c, (enum roof_unit)u, v->largest[unit]);
		r.done[u] = (double)v->operations[unit];
	}
	for (int k = 0; k < ROOF_LEVELS; k++)
		r.bandwidth[k] = roof_bandwidth(c, (enum roof_level)k);
	r.bytes[ROOF_L1] =
		SECTOR * (double)(s->lsu.load_sectors + s->lsu.store_sectors);
	r.bytes[ROOF_L2] =
		SECTOR * (double)(s->l2.sectors_read + s->l2.sectors_written);
	r.bytes[ROOF_DRAM] =
		(double)(s->dram.bytes_read + s->dram.bytes_written);
	return r;
}

double roof_at(const struct roofline *r, enum roof_unit unit,
	       enum roof_level level, double intensity)
{
	double slope = r->bandwidth[level] * intensity;

	return slope < r->peak[unit] ? slope : r->peak[unit];
}

const char *roof_text(char text[ROOF_TEXT], double v)
{
	char number[GROUPED_TEXT];

	bool peta = v >= 1e15;

	/* scaled() ends at 10^9. */
	if (v < 1e12)
		return scaled(text, v);
	snprintf(text, ROOF_TEXT, "%s%c",
		 scaled(number, v / (peta ? 1e15 : 1e12)), peta ? 'P' : 'T');
	return text;
}
