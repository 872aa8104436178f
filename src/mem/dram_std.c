/* The tables of mem/dram.def, and configurations completed from them. */
#include <inttypes.h>

#include "mem/dram_sched.h"

/* clang-format off */
const struct dram_standard dram_standards[DRAM_STD_COUNT] = {
#define STANDARD(id_, name_, khz_, pseudo_, banks_, groups_, row_, burst_, \
		 clocks_, doc_)                                            \
	[DRAM_STD_##id_].name = name_,                                     \
	[DRAM_STD_##id_].doc = doc_,                                       \
	[DRAM_STD_##id_].khz = khz_,                                       \
	[DRAM_STD_##id_].pseudo = pseudo_,                                 \
	[DRAM_STD_##id_].banks = banks_,                                   \
	[DRAM_STD_##id_].groups = groups_,                                 \
	[DRAM_STD_##id_].row_bytes = row_,                                 \
	[DRAM_STD_##id_].burst_bytes = burst_,                             \
	[DRAM_STD_##id_].burst_clocks = clocks_,
#define TIME(standard_, parameter_, clocks_, source_)                      \
	[DRAM_STD_##standard_].clocks[DRAM_T_##parameter_] = clocks_,      \
	[DRAM_STD_##standard_].source[DRAM_T_##parameter_] = source_,
#include "mem/dram.def"
};
/* clang-format on */

const struct dram_time_info dram_times[DRAM_T_COUNT] = {
#define PARAMETER(id, scaled, doc) [DRAM_T_##id] = { #id, doc, scaled },
#include "mem/dram.def"
};

struct dram_config dram_defaults(enum dram_std standard)
{
	CHECK((unsigned)standard < DRAM_STD_COUNT);
	return (struct dram_config){
		.standard = standard,
		.core_khz = dram_standards[standard].khz,
		.reads = 64,
		.writes = 64,
		.drain_high = 48,
		.drain_low = 16,
		.policy = &dram_frfcfs,
		.starve = 256,
		.refresh = true,
	};
}

enum { MAX_CLOCKS = 1 << 20 };

static enum err check_range(const char *what, uint32_t value, uint32_t min,
			    uint32_t max, struct diag *diag)
{
	if (value >= min && value <= max)
		return ERR_OK;
	return fail(diag, ERR_RANGE,
		    "%s = %" PRIu32 ": outside [%" PRIu32 ", %" PRIu32 "]",
		    what, value, min, max);
}

static enum err check_power_of_two(const char *what, uint32_t value,
				   uint32_t min, uint32_t max,
				   struct diag *diag)
{
	enum err e = check_range(what, value, min, max, diag);

	if (e || (value & (value - 1)) == 0)
		return e;
	return fail(diag, ERR_RANGE, "%s = %" PRIu32 ": not a power of two",
		    what, value);
}

/* A value of the organisation, and that of the standard. */
struct dram_value {
	const char *key;
	uint32_t value, standard;
};

static enum err check_at_most_dram(struct dram_value a, struct dram_value b,
				   const char *standard, struct diag *diag)
{
	bool a_own = a.value != a.standard, b_own = b.value != b.standard;

	if (a.value <= b.value)
		return ERR_OK;
	return fail(diag, ERR_RANGE,
		    "%s = %" PRIu32 "%s%s: more than %s = %" PRIu32 "%s%s",
		    a.key, a.value, a_own ? "" : ", the default of ",
		    a_own ? "" : standard, b.key, b.value,
		    b_own ? "" : ", the default of ", b_own ? "" : standard);
}

static void use_default(uint32_t *value, uint32_t standard)
{
	if (*value == 0)
		*value = standard;
}

static void fill_from_standard(struct dram_config *c)
{
	const struct dram_standard *s = &dram_standards[c->standard];

	use_default(&c->dram_khz, s->khz);
	use_default(&c->pseudo, s->pseudo);
	use_default(&c->banks, s->banks);
	use_default(&c->groups, s->groups);
	use_default(&c->row_bytes, s->row_bytes);
	use_default(&c->burst_bytes, s->burst_bytes);
	use_default(&c->burst_clocks, s->burst_clocks);
	for (int i = 0; i < DRAM_T_COUNT; i++) {
		uint64_t n = s->clocks[i];

		if (dram_times[i].scaled)
			n = (n * c->dram_khz + s->khz - 1) / s->khz;
		use_default(&c->clocks[i],
			    n > UINT32_MAX ? UINT32_MAX : (uint32_t)n);
	}
}

static enum err check_controller(const struct dram_config *c, struct diag *diag)
{
	enum err e;

	if ((e = check_range("gpu.clock in kHz", c->core_khz, 1, DRAM_MAX_KHZ,
			     diag)) ||
	    (e = check_range("dram.clock in kHz", c->dram_khz, 1, DRAM_MAX_KHZ,
			     diag)) ||
	    (e = check_range("dram.queue", c->reads, 1, DRAM_MAX_QUEUE,
			     diag)) ||
	    (e = check_range("dram.write_queue", c->writes, 1, DRAM_MAX_QUEUE,
			     diag)) ||
	    (e = check_range("dram.write_high", c->drain_high, 1, c->writes,
			     diag)) ||
	    (e = check_range("dram.write_low", c->drain_low, 0,
			     c->drain_high - 1, diag)) ||
	    (e = check_range("dram.starve", c->starve, 1, UINT32_MAX, diag)))
		return e;
	if (!c->policy)
		return fail(diag, ERR_RANGE, "dram.policy: none");
	return ERR_OK;
}

/* The range of each value, and the rules between them. */
static enum err check_organisation(const struct dram_config *c,
				   struct diag *diag)
{
	const struct dram_standard *s = &dram_standards[c->standard];
	struct dram_value pseudo = { "dram.pseudo", c->pseudo, s->pseudo };
	struct dram_value banks = { "dram.banks", c->banks, s->banks };
	struct dram_value groups = { "dram.bank_groups", c->groups, s->groups };
	struct dram_value row = { "dram.row", c->row_bytes, s->row_bytes };
	struct dram_value burst = { "dram.burst", c->burst_bytes,
				    s->burst_bytes };
	enum err e;

	if ((e = check_power_of_two(pseudo.key, c->pseudo, 1, DRAM_MAX_PSEUDO,
				    diag)) ||
	    (e = check_power_of_two(banks.key, c->banks, 1, DRAM_MAX_BANKS,
				    diag)) ||
	    (e = check_power_of_two(groups.key, c->groups, 1, DRAM_MAX_BANKS,
				    diag)) ||
	    (e = check_power_of_two(row.key, c->row_bytes, 64, 65536, diag)) ||
	    (e = check_power_of_two(burst.key, c->burst_bytes, 8, 65536,
				    diag)) ||
	    (e = check_at_most_dram(groups, banks, s->name, diag)) ||
	    (e = check_at_most_dram(pseudo, groups, s->name, diag)) ||
	    (e = check_at_most_dram(burst, row, s->name, diag)))
		return e;
	return ERR_OK;
}

#define BURST_FROM "which dram.bandwidth, dram.clock and dram.channels give"

static enum err check_burst(const struct dram_config *c, struct diag *diag)
{
	if (c->burst_clocks < 1 || c->burst_clocks > 64)
		return fail(diag, ERR_RANGE,
			    "bursts of %" PRIu32 " clocks, " BURST_FROM
			    ": expected 1 to 64",
			    c->burst_clocks);
	/* There is at most one column command in a clock. */
	if (c->pseudo > c->burst_clocks)
		return fail(diag, ERR_RANGE,
			    "dram.pseudo = %" PRIu32 ": more than the %" PRIu32
			    " clocks of a burst, " BURST_FROM
			    ": one column command a clock cannot feed them",
			    c->pseudo, c->burst_clocks);
	return ERR_OK;
}

static enum err check_times(const struct dram_config *c, struct diag *diag)
{
	const char *name = dram_standards[c->standard].name;
	const uint32_t *t = c->clocks;
	uint32_t busy;

	for (int i = 0; i < DRAM_T_COUNT; i++)
		if (t[i] < 1 || t[i] > MAX_CLOCKS)
			return fail(diag, ERR_RANGE,
				    "%s of %s = %" PRIu32
				    " clocks: expected 1 to %d",
				    dram_times[i].name, name, t[i], MAX_CLOCKS);
	if (t[DRAM_T_CWL] > t[DRAM_T_CL] + c->burst_clocks + t[DRAM_T_TURN])
		return fail(diag, ERR_RANGE,
			    "CWL of %s = %" PRIu32
			    " clocks: the data of a write would follow those "
			    "of a later read; at most CL + a burst + TURN",
			    name, t[DRAM_T_CWL]);
	/* Otherwise refreshes would leave no time for requests. */
	busy = t[DRAM_T_RFC] + t[DRAM_T_RC] + t[DRAM_T_CWL] + t[DRAM_T_WR];
	if (c->refresh && t[DRAM_T_REFI] <= busy)
		return fail(diag, ERR_RANGE,
			    "REFI of %s = %" PRIu32
			    " clocks: must be more than %" PRIu32
			    ", the time that a refresh can take; or "
			    "dram.refresh = no",
			    name, t[DRAM_T_REFI], busy);
	return ERR_OK;
}

enum err dram_resolve(struct dram_config *cfg, struct diag *diag)
{
	enum err e;

	if ((unsigned)cfg->standard >= DRAM_STD_COUNT)
		return fail(diag, ERR_RANGE,
			    "dram.standard = %d: outside [0, %d]",
			    (int)cfg->standard, DRAM_STD_COUNT - 1);
	fill_from_standard(cfg);
	if ((e = check_controller(cfg, diag)) ||
	    (e = check_organisation(cfg, diag)) || (e = check_burst(cfg, diag)))
		return e;
	return check_times(cfg, diag);
}
