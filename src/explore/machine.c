#include "explore/machine.h"

#include <inttypes.h>

#include "cfg/param.h"
#include "mem/dram.h"
#include "mem/partition.h"

/* A parameter of the DRAM: 0 means the standard's value. */
struct dram_value {
	const char *key;
	int64_t value;
	bool own; /* set by the configuration */
};

static struct dram_value dram_value(const char *key, int64_t own,
				    uint32_t standard)
{
	return (struct dram_value){ key, own ? own : standard, own != 0 };
}

static enum err dram_at_most(struct dram_value a, struct dram_value b,
			     const char *standard, struct diag *d)
{
	if (a.value <= b.value)
		return ERR_OK;
	return fail(d, ERR_RANGE,
		    "%s = %" PRId64 "%s%s: more than %s = %" PRId64 "%s%s",
		    a.key, a.value, a.own ? "" : ", the default of ",
		    a.own ? "" : standard, b.key, b.value,
		    b.own ? "" : ", the default of ", b.own ? "" : standard);
}

static const struct dram_standard *dram_standard_of(const struct cfg_dram *c)
{
	static const enum dram_std standards[] = {
#define STANDARD(id, ...) [CFG_DRAM_##id] = DRAM_STD_##id,
#include "mem/dram.def"
	};

	return &dram_standards[standards[c->standard]];
}

bool machine_resolved(const struct cfg *c, enum cfg_id id, double *out)
{
	const struct dram_standard *s = dram_standard_of(&c->dram);

	if (!cfg_value_number(c, id, out) || *out != 0)
		return false;
	switch ((int)id) {
	case CFG_ID_dram_pseudo:
		*out = s->pseudo;
		return true;
	case CFG_ID_dram_banks:
		*out = s->banks;
		return true;
	case CFG_ID_dram_bank_groups:
		*out = s->groups;
		return true;
	case CFG_ID_dram_row:
		*out = s->row_bytes;
		return true;
	case CFG_ID_dram_burst:
		*out = s->burst_bytes;
		return true;
	case CFG_ID_net_channels:
		*out = (double)c->l2.slices;
		return true;
	case CFG_ID_l1_atomic_return:
		*out = (double)c->l1.fill_latency;
		return true;
	case CFG_ID_l2_atomic_again:
		*out = c->l2.atomic_interval;
		return true;
	default:
		return false;
	}
}

/* Checks what cfg_check cannot, because it does not know the standards. */
static enum err machine_check_dram(const struct cfg_dram *c, struct diag *d)
{
	const struct dram_standard *s = dram_standard_of(c);
	struct dram_value banks = dram_value("dram.banks", c->banks, s->banks);
	struct dram_value groups =
		dram_value("dram.bank_groups", c->bank_groups, s->groups);

	if (dram_at_most(groups, banks, s->name, d) ||
	    dram_at_most(dram_value("dram.pseudo", c->pseudo, s->pseudo),
			 groups, s->name, d) ||
	    dram_at_most(dram_value("dram.burst", c->burst, s->burst_bytes),
			 dram_value("dram.row", c->row, s->row_bytes), s->name,
			 d))
		return d->code;
	return ERR_OK;
}

enum err machine_load(struct cfg_sheet *s, const char *name,
		      const char *const *overrides, size_t count,
		      struct diag *d)
{
	struct mem_shape shape;
	struct diag rule;

	if (configs_load(s, name, overrides, count, d))
		return d->code;
	if (!machine_check_dram(&s->cfg.dram, &rule) &&
	    !mem_shape_init(&shape, &s->cfg, &rule))
		return ERR_OK;
	cfg_sheet_explain(s, &rule);
	return fail(d, rule.code, "%s: %s", name, rule.text);
}
