#include "explore/machine.h"

#include "cfg/param.h"
#include "gpu/gpu.h"
#include "mem/dram.h"
#include "mem/partition.h"

#define STANDARD_S "the standard's, for 0"
#define BY_UNIT "sm.warp_size over its unit's lanes in a sub-core, for 0"

static const struct {
	enum cfg_id id;
	const char *from;
} derived[] = {
	{ CFG_ID_dram_pseudo, STANDARD_S },
	{ CFG_ID_dram_banks, STANDARD_S },
	{ CFG_ID_dram_bank_groups, STANDARD_S },
	{ CFG_ID_dram_row, STANDARD_S },
	{ CFG_ID_dram_burst, STANDARD_S },
	{ CFG_ID_net_channels, "as many as l2.slices, for 0" },
	{ CFG_ID_l1_atomic_return, "as l1.fill_latency, for 0" },
	{ CFG_ID_l2_atomic_again, "as l2.atomic_interval, for 0" },
	{ CFG_ID_l2_cas_again, "as l2.atomic_again, for 0" },
	{ CFG_ID_l2_float_lane, "as l2.atomic_lane, for 0" },
	{ CFG_ID_shared_cas, "as shared.atomic, for 0" },
	{ CFG_ID_mem_epoch, "of a request and its answer, for 0" },
/* clang-format off */
#define LAT(id, ...) { CFG_ID_lat_##id##_interval, BY_UNIT },
#include "cfg/param.def"
	/* clang-format on */
};

const char *machine_derived(const struct cfg *c, enum cfg_id id)
{
	double value;

	if (!cfg_value_number(c, id, &value) || value != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(derived) / sizeof(derived[0]); i++)
		if (derived[i].id == id)
			return derived[i].from;
	return NULL;
}

/* The unit of most instructions of a latency class. */
enum main_unit {
	MAIN_ALU = UNIT_INT,
	MAIN_MAD = UNIT_INT,
	MAIN_WIDE = UNIT_INT,
	MAIN_IDIV = UNIT_INT,
	MAIN_POPC = UNIT_INT,
	MAIN_FMA = UNIT_FP32,
	MAIN_FDIV = UNIT_FP32,
	MAIN_F64 = UNIT_FP64,
	MAIN_F64DIV = UNIT_FP64,
	MAIN_F16 = UNIT_FP16,
	MAIN_SFU = UNIT_SFU,
	MAIN_CVT = UNIT_SFU,
	MAIN_F2I = UNIT_SFU,
	MAIN_CVT64 = UNIT_SFU,
	MAIN_SHFL = UNIT_LSU,
	MAIN_MMA = UNIT_TENSOR,
	MAIN_MEM = UNIT_LSU,
	MAIN_TEX = UNIT_TEX,
	MAIN_BAR = UNIT_BRANCH,
	MAIN_BRANCH = UNIT_BRANCH
};

/* Without that unit another one stands in, and 0 stays. */
static void resolve_intervals(struct cfg *c)
{
	static const enum main_unit units[LAT_COUNT] = {
#define LAT(id, ...) [LAT_##id] = MAIN_##id,
#include "cfg/param.def"
	};

	for (int i = 0; i < LAT_COUNT; i++) {
		enum unit_class unit = (enum unit_class)units[i];

		if ((i == LAT_MAD || i == LAT_WIDE) &&
		    c->sm.mad_unit == CFG_MAD_UNIT_FP32)
			unit = UNIT_FP32;
		if (c->unit[unit].lanes)
			c->lat[i].interval =
				cfg_interval(c, (enum lat_class)i, unit);
	}
}

void machine_resolve(struct cfg *c)
{
	struct dram_config dram;
	struct diag ignored;

	resolve_intervals(c);
	/* With mem.kind = latency there need not be such a channel. */
	if (mem_dram_config(&dram, c, &ignored) &&
	    c->mem.kind != CFG_MEM_LATENCY)
		return;
	c->dram.pseudo = dram.pseudo;
	c->dram.banks = dram.banks;
	c->dram.bank_groups = dram.groups;
	c->dram.row = dram.row_bytes;
	c->dram.burst = dram.burst_bytes;
	if (!c->net.channels)
		c->net.channels = c->l2.slices;
	if (!c->l1.atomic_return)
		c->l1.atomic_return = c->l1.fill_latency;
	if (c->l2.atomic_again == 0)
		c->l2.atomic_again = c->l2.atomic_interval;
	if (c->l2.cas_again == 0)
		c->l2.cas_again = c->l2.atomic_again;
	if (c->l2.float_lane == 0)
		c->l2.float_lane = c->l2.atomic_lane;
	if (!c->shared.cas)
		c->shared.cas = c->shared.atomic;
	if (!c->mem.epoch)
		c->mem.epoch = (int64_t)gpu_default_epoch(c);
}

bool machine_resolved(const struct cfg *c, enum cfg_id id, double *out)
{
	struct cfg resolved = *c;

	/* An interval also depends on the instruction's unit. */
	if (!machine_derived(c, id) ||
	    cfg_params[id].section == CFG_SECTION_lat)
		return false;
	machine_resolve(&resolved);
	return cfg_value_number(&resolved, id, out) && *out != 0;
}

enum err machine_load(struct cfg_sheet *s, const char *name,
		      const char *const *overrides, size_t count,
		      struct diag *d)
{
	struct mem_shape shape;
	struct diag rule;

	if (configs_load(s, name, overrides, count, d))
		return d->code;
	if (!mem_shape_init(&shape, &s->cfg, &rule))
		return ERR_OK;
	cfg_sheet_explain(s, &rule);
	return fail(d, rule.code, "%s: %s", name, rule.text);
}
