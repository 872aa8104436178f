#include "mem/dram_impl.h"

static void set_rule(struct dram_rules *r, enum dram_scope s,
		     enum dram_cmd before, enum dram_cmd after, uint32_t clocks)
{
	/* Closing a row depends on its own bank only. */
	CHECK(after != PRE || s == BANK);
	if (after != REF) {
		r->delay[before][s].at[after] = clocks;
		return;
	}
	CHECK(s == RANK && (before == PRE || before == REF));
	r->delay_ref[before] = clocks;
}

static void set_rules(struct dram_rules *r, const struct dram_config *c)
{
	const uint32_t *t = c->clocks;
	const uint32_t BURST = c->burst_clocks;

#define T(parameter) t[DRAM_T_##parameter]
#define RULE(scope, before, after, clocks) \
	set_rule(r, scope, before, after, clocks);
#define WINDOW(scope, command, count, clocks)                           \
	_Static_assert((int)(scope) == RANK && (int)(command) == ACT && \
			       (int)(count) == WINDOW_MAX,              \
		       "the only window is that of four activates");    \
	r->window_clocks = clocks;
#include "mem/dram.def"
#undef T
}

/* What the rules say, and at least a clock. */
static uint32_t column_interval(const struct dram_rules *r, enum dram_cmd c)
{
	uint32_t clocks = 1;

	for (int s = 0; s < SCOPE_COUNT; s++)
		clocks = dram_later(clocks, r->delay[c][s].at[c]);
	return clocks;
}

/* The longest rule of a command to any other one. */
static uint32_t longest_delay(const struct dram_rules *r, enum dram_cmd c)
{
	uint32_t clocks = 0;

	for (int s = 0; s < SCOPE_COUNT; s++)
		for (int after = 0; after < BANK_CMDS; after++)
			clocks = dram_later(clocks, r->delay[c][s].at[after]);
	return clocks;
}

/* What a channel with little to do goes by: serve_at_once and refresh_at_rest. */
static void set_spans(struct dram_rules *r)
{
	r->open_clocks = 1;
	for (int s = 0; s < SCOPE_COUNT; s++)
		r->open_clocks =
			dram_later(r->open_clocks, r->delay[ACT][s].at[RD]);
	r->read_span = dram_later(longest_delay(r, ACT), longest_delay(r, RD));
	r->read_span = dram_later(r->read_span, r->window_clocks);
	r->refresh_span = dram_later(longest_delay(r, REF), r->delay_ref[REF]);
	/* What closing a row delays is over when the refresh is issued. */
	CHECK(longest_delay(r, PRE) <= r->delay_ref[PRE]);
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static struct dram_rules *new_rules(struct arena *a,
				    const struct dram_config *c)
{
	struct dram_rules *r = arena_new(a, struct dram_rules, 1);
	uint64_t common = gcd(c->core_khz, c->dram_khz);

	if (!r)
		return NULL;
	r->core = divisor_of(c->core_khz / common);
	r->dram = divisor_of(c->dram_khz / common);
	r->group_mask = c->groups - 1;
	r->pseudo_mask = c->pseudo - 1;
	r->banks = c->banks;
	r->row_bytes = c->row_bytes;
	r->burst_clocks = c->burst_clocks;
	r->data_clocks[0] = c->clocks[DRAM_T_CL] + c->burst_clocks;
	r->data_clocks[1] = c->clocks[DRAM_T_CWL] + c->burst_clocks;
	set_rules(r, c);
	r->column_interval[0] = column_interval(r, RD);
	r->column_interval[1] = column_interval(r, WR);
	set_spans(r);
	return r;
}

static void dram_init(struct dram *m)
{
	const struct dram_config *c = &m->cfg;

	m->in_order = c->policy->in_order;
	m->one_bus = c->pseudo == 1;
	m->never_lone = c->close_page;
	m->burst_shift = (uint8_t)dram_lowest(c->burst_bytes);
	m->ref_due = CLOCK_NEVER;
	if (c->refresh)
		m->ref_due = c->clocks[DRAM_T_REFI] -
			     c->refresh_early % c->clocks[DRAM_T_REFI];
	m->next = m->ref_due;
	dram_queue_init(&m->reads, c->reads, c->starve, c->pseudo);
	dram_queue_init(&m->writes, c->writes, c->starve, c->pseudo);
	m->active = &m->reads;
	for (uint32_t i = 0; i < c->banks; i++)
		m->bank[i].entry = DRAM_NONE;
}

/* Room for the completions of both queues and of data in flight. */
static uint32_t done_size(const struct dram_config *c)
{
	uint32_t cl = c->clocks[DRAM_T_CL], cwl = c->clocks[DRAM_T_CWL];
	uint32_t need = c->reads + c->writes + (cl > cwl ? cl : cwl) +
			c->burst_clocks + 1;
	uint32_t size = 1;

	while (size < need)
		size *= 2;
	return size;
}

enum err dram_new(struct dram **out, struct arena *a,
		  const struct dram_config *cfg, const struct dram *twin,
		  struct diag *diag)
{
	struct dram_config resolved = *cfg;
	enum err e = dram_resolve(&resolved, diag);
	struct dram *m;
	uint32_t done;

	if (e)
		return e;
	done = done_size(&resolved);
	m = arena_alloc(a, 1, sizeof(*m) + done * sizeof(*m->done));
	if (m)
		m->rules = twin ? twin->rules : new_rules(a, &resolved);
	if (!m || !m->rules)
		return fail(diag, ERR_NOMEM,
			    "out of memory for a DRAM channel");
	m->cfg = resolved;
	m->done_mask = done - 1;
	dram_init(m);
	*out = m;
	return ERR_OK;
}
