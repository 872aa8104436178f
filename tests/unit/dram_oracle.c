#include "dram_oracle.h"

#include <string.h>

enum { ACT, PRE, RD, WR, REF };
enum { BANK, GROUP, RANK };

struct rule {
	int scope, before, after;
	int64_t clocks;
};

static int64_t in_scope(const struct oracle *o, const struct rule *u,
			uint32_t bank)
{
	uint32_t stride = u->scope == BANK  ? o->cfg->banks :
			  u->scope == GROUP ? o->cfg->groups :
					      o->cfg->pseudo;
	int64_t last = -1;

	if (u->before == REF)
		return o->last_ref;
	for (uint32_t b = bank % stride; b < o->cfg->banks; b += stride)
		if (o->last[u->before][b] > last)
			last = o->last[u->before][b];
	return last;
}

static bool window_full(const struct oracle *o, uint32_t pseudo, int count,
			int64_t clocks)
{
	int n = o->activate_count[pseudo];

	if (n < count)
		return false;
	return o->activates[pseudo][n - count] + clocks > (int64_t)o->clock;
}

static bool allowed(const struct oracle *o, int command, uint32_t bank)
{
	const uint32_t *t = o->cfg->clocks;
	const int64_t BURST = o->cfg->burst_clocks;
	const struct rule rules[] = {
#define T(parameter) (int64_t) t[DRAM_T_##parameter]
#define RULE(scope, before, after, clocks) { scope, before, after, clocks },
#include "mem/dram.def"
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		int64_t last;

		if (rules[i].after != command)
			continue;
		last = in_scope(o, &rules[i], bank);
		if (last >= 0 && last + rules[i].clocks > (int64_t)o->clock)
			return false;
	}
#define WINDOW(scope, before, n, clocks)                      \
	if (command == (before) &&                            \
	    window_full(o, bank % o->cfg->pseudo, n, clocks)) \
		return false;
#include "mem/dram.def"
#undef T
	return true;
}

static void record(struct oracle *o, int command, uint32_t bank)
{
	uint32_t pseudo = bank % o->cfg->pseudo;

	o->last[command][bank] = (int64_t)o->clock;
	if (command == ACT)
		o->activates[pseudo][o->activate_count[pseudo]++] =
			(int64_t)o->clock;
}

static void close_bank(struct oracle *o, uint32_t bank)
{
	record(o, PRE, bank);
	o->open[bank] = false;
	o->st.precharges++;
}

static void refresh(struct oracle *o)
{
	bool any = false, all = true;

	for (uint32_t b = 0; b < o->cfg->banks; b++)
		if (o->open[b]) {
			any = true;
			all = all && allowed(o, PRE, b);
		}
	if (any) {
		for (uint32_t b = 0; all && b < o->cfg->banks; b++)
			if (o->open[b])
				close_bank(o, b);
		return;
	}
	for (uint32_t b = 0; b < o->cfg->banks; b++)
		if (!allowed(o, REF, b))
			return;
	o->last_ref = (int64_t)o->clock;
	o->st.refreshes++;
	o->ref_due += o->cfg->clocks[DRAM_T_REFI];
}

static void choose_queue(struct oracle *o)
{
	const struct dram_config *c = o->cfg;
	bool was = o->draining;

	if (!o->draining && (o->count[1] >= c->drain_high ||
			     (o->count[0] == 0 && o->count[1] > 0)))
		o->draining = true;
	else if (o->draining &&
		 (o->count[1] == 0 ||
		  (o->count[0] > 0 && o->count[1] <= c->drain_low)))
		o->draining = false;
	o->st.drains += o->draining && !was;
}

static bool is_hit(const struct oracle *o, const struct oracle_request *q)
{
	return o->open[q->r.bank] && o->row[q->r.bank] == q->r.row;
}

static bool is_fcfs(const struct oracle *o)
{
	return strcmp(dram_policy_name(o->cfg->policy), "fcfs") == 0;
}

static bool starved(const struct oracle *o)
{
	return o->passed[o->draining] >= o->cfg->starve;
}

static void serve(struct oracle *o, uint32_t i)
{
	struct oracle_request *queue = o->queue[o->draining];
	struct oracle_request q;
	int latency = o->draining ? DRAM_T_CWL : DRAM_T_CL;

	o->st.bus_clocks += o->cfg->burst_clocks;
	if (--queue[i].bursts)
		return;
	q = queue[i];
	memmove(&queue[i], &queue[i + 1],
		(--o->count[o->draining] - i) * sizeof(queue[0]));
	o->passed[o->draining] = i ? o->passed[o->draining] + 1 : 0;
	o->done[o->done_count++] = (struct oracle_done){
		.tag = q.r.tag,
		.clock = o->clock + o->cfg->clocks[latency] +
			 o->cfg->burst_clocks,
		.write = q.r.write,
	};
	o->st.reads += !q.r.write;
	o->st.writes += q.r.write;
	o->st.bytes += q.r.bytes;
	o->st.wait_clocks += o->clock - q.arrival;
	o->st.row_conflicts += q.closed_for;
	o->st.row_misses += q.opened_for && !q.closed_for;
	o->st.row_hits += !q.opened_for && !q.closed_for;
}

static bool column(struct oracle *o)
{
	struct oracle_request *queue = o->queue[o->draining];
	bool first_only = is_fcfs(o) || starved(o);
	int command = o->draining ? WR : RD;

	for (uint32_t i = 0; i < o->count[o->draining]; i++) {
		if (first_only && i > 0)
			break;
		if (!is_hit(o, &queue[i]) ||
		    !allowed(o, command, queue[i].r.bank))
			continue;
		record(o, command, queue[i].r.bank);
		serve(o, i);
		return true;
	}
	return false;
}

static bool row_for(struct oracle *o, struct oracle_request *q)
{
	uint32_t bank = q->r.bank;

	if (!allowed(o, o->open[bank] ? PRE : ACT, bank))
		return false;
	if (o->open[bank]) {
		close_bank(o, bank);
		q->closed_for = true;
		return true;
	}
	record(o, ACT, bank);
	o->open[bank] = true;
	o->row[bank] = q->r.row;
	o->st.activates++;
	q->opened_for = true;
	return true;
}

static void row(struct oracle *o)
{
	struct oracle_request *queue = o->queue[o->draining];
	uint32_t count = o->count[o->draining];
	bool hits[DRAM_MAX_BANKS] = { false }, seen[DRAM_MAX_BANKS] = { false };

	for (uint32_t i = 0; i < count; i++)
		if (is_hit(o, &queue[i]))
			hits[queue[i].r.bank] = true;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t bank = queue[i].r.bank;
		bool first = !seen[bank];
		bool spare_hits = !is_fcfs(o) && !(i == 0 && starved(o));

		seen[bank] = true;
		if (!first || is_hit(o, &queue[i]) ||
		    (hits[bank] && spare_hits))
			continue;
		if (row_for(o, &queue[i]))
			return;
	}
	for (uint32_t b = 0; o->cfg->close_page && b < o->cfg->banks; b++)
		if (!seen[b] && o->open[b] && allowed(o, PRE, b)) {
			close_bank(o, b);
			return;
		}
}

void oracle_init(struct oracle *o, const struct dram_config *resolved)
{
	memset(o, 0, sizeof(*o));
	memset(o->last, 0xff, sizeof(o->last));
	o->last_ref = -1;
	o->cfg = resolved;
	o->ref_due = resolved->refresh ? resolved->clocks[DRAM_T_REFI] :
					 UINT64_MAX;
}

bool oracle_push(struct oracle *o, cycle_t now, const struct dram_request *r)
{
	const struct dram_config *c = o->cfg;
	struct oracle_request *q;
	uint32_t end = r->column + r->bytes;

	(void)now;
	if (o->count[r->write] == (r->write ? c->writes : c->reads)) {
		o->st.rejected++;
		return false;
	}
	q = &o->queue[r->write][o->count[r->write]++];
	memset(q, 0, sizeof(*q));
	q->r = *r;
	q->arrival = o->clock + 1;
	for (uint32_t at = r->column / c->burst_bytes * c->burst_bytes;
	     at < end; at += c->burst_bytes)
		q->bursts++;
	return true;
}

void oracle_advance(struct oracle *o, cycle_t until)
{
	while ((o->clock + 1) * o->cfg->core_khz <= until * o->cfg->dram_khz) {
		bool bus;

		o->clock++;
		if (o->clock >= o->ref_due) {
			refresh(o);
			continue;
		}
		choose_queue(o);
		bus = !column(o) || o->cfg->pseudo > 1;
		if (bus)
			row(o);
	}
}

void oracle_sort(struct oracle *o)
{
	for (int i = 1; i < o->done_count; i++)
		for (int j = i;
		     j > 0 && o->done[j - 1].clock > o->done[j].clock; j--) {
			struct oracle_done x = o->done[j];

			o->done[j] = o->done[j - 1];
			o->done[j - 1] = x;
		}
}

struct dram_done oracle_result(const struct oracle *o, int i)
{
	const struct oracle_done *x = &o->done[i];
	uint64_t core = o->cfg->core_khz, dram = o->cfg->dram_khz;
	cycle_t cycle = x->clock * core / dram;

	while (cycle * dram < x->clock * core)
		cycle++;
	return (struct dram_done){ x->tag, cycle, x->write };
}
