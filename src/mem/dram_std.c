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
		    "DRAM: %s = %" PRIu32 ": outside [%" PRIu32 ", %" PRIu32
		    "]",
		    what, value, min, max);
}

static enum err check_power_of_two(const char *what, uint32_t value,
				   uint32_t min, uint32_t max,
				   struct diag *diag)
{
	enum err e = check_range(what, value, min, max, diag);

	if (e || (value & (value - 1)) == 0)
		return e;
	return fail(diag, ERR_RANGE,
		    "DRAM: %s = %" PRIu32 ": not a power of two", what, value);
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

	if ((e = check_range("core_khz", c->core_khz, 1, DRAM_MAX_KHZ, diag)) ||
	    (e = check_range("dram_khz", c->dram_khz, 1, DRAM_MAX_KHZ, diag)) ||
	    (e = check_range("reads", c->reads, 1, DRAM_MAX_QUEUE, diag)) ||
	    (e = check_range("writes", c->writes, 1, DRAM_MAX_QUEUE, diag)) ||
	    (e = check_range("drain_high", c->drain_high, 1, c->writes,
			     diag)) ||
	    (e = check_range("drain_low", c->drain_low, 0, c->drain_high - 1,
			     diag)) ||
	    (e = check_range("starve", c->starve, 1, UINT32_MAX, diag)))
		return e;
	if (!c->policy)
		return fail(diag, ERR_RANGE, "DRAM: no policy");
	return ERR_OK;
}

static enum err check_organisation(const struct dram_config *c,
				   struct diag *diag)
{
	enum err e;

	if ((e = check_power_of_two("pseudo", c->pseudo, 1, DRAM_MAX_PSEUDO,
				    diag)) ||
	    (e = check_power_of_two("banks", c->banks, 1, DRAM_MAX_BANKS,
				    diag)) ||
	    (e = check_power_of_two("groups", c->groups, c->pseudo, c->banks,
				    diag)) ||
	    (e = check_power_of_two("row_bytes", c->row_bytes, 64, 65536,
				    diag)) ||
	    (e = check_power_of_two("burst_bytes", c->burst_bytes, 8,
				    c->row_bytes, diag)) ||
	    (e = check_range("burst_clocks", c->burst_clocks, 1, 64, diag)))
		return e;
	/* There is at most one column command in a clock. */
	if (c->pseudo > c->burst_clocks)
		return fail(diag, ERR_RANGE,
			    "DRAM: pseudo = %" PRIu32
			    ": above burst_clocks = %" PRIu32
			    ", one column command a clock cannot feed them",
			    c->pseudo, c->burst_clocks);
	return ERR_OK;
}

static enum err check_times(const struct dram_config *c, struct diag *diag)
{
	const uint32_t *t = c->clocks;
	uint32_t busy;
	enum err e;

	for (int i = 0; i < DRAM_T_COUNT; i++)
		if ((e = check_range(dram_times[i].name, t[i], 1, MAX_CLOCKS,
				     diag)))
			return e;
	if (t[DRAM_T_CWL] > t[DRAM_T_CL] + c->burst_clocks + t[DRAM_T_TURN])
		return fail(diag, ERR_RANGE,
			    "DRAM: CWL = %" PRIu32
			    ": the data of a write would follow those of a "
			    "later read; at most CL + burst_clocks + TURN",
			    t[DRAM_T_CWL]);
	/* Otherwise refreshes would leave no time for requests. */
	busy = t[DRAM_T_RFC] + t[DRAM_T_RC] + t[DRAM_T_CWL] + t[DRAM_T_WR];
	if (c->refresh && t[DRAM_T_REFI] <= busy)
		return fail(diag, ERR_RANGE,
			    "DRAM: REFI = %" PRIu32
			    ": must be more than %" PRIu32
			    ", the time that a refresh can take",
			    t[DRAM_T_REFI], busy);
	return ERR_OK;
}

enum err dram_resolve(struct dram_config *cfg, struct diag *diag)
{
	enum err e;

	if ((unsigned)cfg->standard >= DRAM_STD_COUNT)
		return fail(diag, ERR_RANGE,
			    "DRAM: standard = %d: outside [0, %d]",
			    (int)cfg->standard, DRAM_STD_COUNT - 1);
	fill_from_standard(cfg);
	if ((e = check_controller(cfg, diag)) ||
	    (e = check_organisation(cfg, diag)))
		return e;
	return check_times(cfg, diag);
}
