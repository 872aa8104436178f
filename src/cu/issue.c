/*
 * Issue: each cycle one SIMD's wavefronts, at most one instruction of each kind and
 * of each wavefront. Instructions that stay in the instruction buffer (s_waitcnt,
 * s_nop, s_barrier) take no place.
 */
#include "base/minmax.h"
#include "cu/core.h"

/* Kinds that issue beside each other. */
enum {
	PORT_VECTOR,
	PORT_SCALAR,
	PORT_MEMORY,
	PORT_LDS,
	PORT_EXPORT,
	PORT_BRANCH,
	PORT_NONE,
	PORTS = PORT_NONE
};

static const uint8_t port_of_unit[WAVE_UNITS] = {
	[WAVE_VALU] = PORT_VECTOR,   [WAVE_SALU] = PORT_SCALAR,
	[WAVE_SMEM] = PORT_SCALAR,   [WAVE_VMEM] = PORT_MEMORY,
	[WAVE_LDS] = PORT_LDS,       [WAVE_EXPORT] = PORT_EXPORT,
	[WAVE_BRANCH] = PORT_BRANCH, [WAVE_SPECIAL] = PORT_NONE,
};

/* How far a counter counts. */
static const uint8_t counter_limit[WAVE_COUNTERS] = {
	[WAVE_VM] = 15,
	[WAVE_LGKM] = 15,
	[WAVE_EXP] = 7,
};

static struct cu_gridstate *grid_of(const struct cu_unit *u,
				    const struct cu_slot *p)
{
	return u->cluster->grids[u->group[p->group].grid];
}

void cu_set_wait(struct cu_unit *u, struct cu_slot *p, cycle_t at,
		 enum reason why)
{
	struct cu_simd *s = cu_simd_of(u, p);
	unsigned i = (unsigned)(p - u->slot) % CU_WAVES;

	s->at[i] = at;
	s->why[i] = (uint8_t)why;
	p->since = u->cluster->now;
	if (at == CYCLE_NEVER)
		return;
	s->next = min_u64(s->next, cu_turn(at, p->simd));
	u->next = min_u64(u->next, s->next);
}

/* What an instruction in flight of that counter is. */
static enum reason counter_reason(const struct cu_slot *p, unsigned counter)
{
	if (counter == WAVE_VM)
		return REASON_MEMORY;
	if (counter == WAVE_EXP)
		return REASON_LSU;
	return p->scalar_last ? REASON_CONSTANT : REASON_SHARED;
}

/* The most that a counter may be when the instruction issues. */
static unsigned counter_bound(const struct wave_op *op, unsigned c)
{
	unsigned most = op->kind == WAVE_WAIT ? op->wait[c] : WAVE_ANY;

	/* A scalar load may raise it by two. */
	if (op->raises >> c & 1)
		most = (unsigned)min_u64(
			most, counter_limit[c] - (c == WAVE_LGKM ? 2 : 1));
	return most;
}

void cu_prepare(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	const struct wave_op *op = wave_next(p->wave);
	cycle_t at = p->ready, code;
	enum reason why = (enum reason)p->ready_why;

	p->op = op;
	p->pc = p->base + op->at;
	code = u->cluster->env.cfg->front.perfect ? t : cu_fetch(u, p, t);
	if (code > at) {
		at = code;
		why = REASON_FETCH;
	}
	for (unsigned c = 0; c < WAVE_COUNTERS; c++) {
		unsigned most = counter_bound(op, c);
		cycle_t low;

		if (most >= p->count[c].sum)
			continue;
		low = cu_count_below(&p->count[c], t, most);
		if (low > at) {
			at = low;
			why = counter_reason(p, c);
		}
	}
	cu_set_wait(u, p, at, why);
}

/* When all that the ended wavefront has in flight is complete. */
static void prepare_end(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	cycle_t at = p->ready;

	for (unsigned c = 0; c < WAVE_COUNTERS; c++)
		at = max_u64(at, cu_count_below(&p->count[c], t, 0));
	cu_set_wait(u, p, at, REASON_DRAIN);
}

void cu_reconsider(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	unsigned i = (unsigned)(p - u->slot) % CU_WAVES;
	struct cu_simd *s = cu_simd_of(u, p);

	if (!(s->live >> i & 1) || s->at[i] != CYCLE_NEVER ||
	    s->why[i] == REASON_BARRIER)
		return;
	cu_account(u, p->simd, t);
	if (p->ending)
		prepare_end(u, p, t);
	else
		cu_prepare(u, p, t);
}

void cu_memory_room(struct cu_unit *u, cycle_t t)
{
	if (!u->holds || cu_memory_full(u))
		return;
	u->holds = false;
	for (unsigned k = 0; k < u->cluster->simds; k++) {
		struct cu_simd *s = &u->simd[k];

		if (!s->held)
			continue;
		s->held = 0;
		s->next = min_u64(s->next, cu_turn(t, k));
		u->next = min_u64(u->next, s->next);
	}
}

/* ---- one instruction ----------------------------------------------------- */

static uint64_t *cu_place_of(const struct cu_gridstate *g,
			     const struct wave_op *op)
{
	return g->excess + (g->heat[op->func] - g->pool) + op->index;
}

void cu_count_excess(struct cu_unit *u, const struct cu_slot *p,
		     const struct wave_op *op, uint64_t n)
{
	if (n)
		*cu_place_of(grid_of(u, p), op) += n;
}

/* Statistics know the units of an SM. */
static enum unit_class unit_of(const struct wave_op *op)
{
	static const uint8_t units[WAVE_UNITS] = {
		[WAVE_VALU] = UNIT_FP32,     [WAVE_SALU] = UNIT_UNIFORM,
		[WAVE_SMEM] = UNIT_UNIFORM,  [WAVE_VMEM] = UNIT_LSU,
		[WAVE_LDS] = UNIT_LSU,       [WAVE_EXPORT] = UNIT_LSU,
		[WAVE_BRANCH] = UNIT_BRANCH, [WAVE_SPECIAL] = UNIT_BRANCH,
	};
	static const uint8_t rates[WAVE_RATES] = {
		[WAVE_FULL] = UNIT_FP32,
		[WAVE_QUARTER] = UNIT_SFU,
		[WAVE_F64_ADD] = UNIT_FP64,
		[WAVE_F64_MUL] = UNIT_FP64,
	};

	return (enum unit_class)(op->unit == WAVE_VALU ? rates[op->passes] :
							 units[op->unit]);
}

static void count_issue(struct cu_unit *u, struct cu_slot *p,
			const struct wave_op *op, unsigned lanes, cycle_t t)
{
	struct cu_gridstate *g = grid_of(u, p);
	struct cu_counts *n = &u->cluster->counts;
	struct sm_heat *h = &g->heat[op->func][op->index];

	h->issued++;
	h->waited += t - p->issued;
	p->issued = t;
	n->unit[unit_of(op)]++;
	n->st.lanes += lanes;
	if (UNLIKELY(g->details != NULL))
		g->details[h - g->pool].lanes_off += WAVE_LANES - lanes;
}

/* The wavefront may issue again at cycle `at`; until then it waits for `why`. */
static void hold_until(struct cu_slot *p, cycle_t at, enum reason why)
{
	p->ready = at;
	p->ready_why = (uint8_t)why;
}

static void cu_release_group(struct cu_unit *u, unsigned group, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	struct cu_resident *r = &u->group[group];

	r->releases = r->group->releases;
	for (uint64_t left = r->left; left; left &= left - 1) {
		struct cu_slot *p = &u->slot[__builtin_ctzll(left)];

		if (p->ending)
			continue;
		cu_account(u, p->simd, t);
		hold_until(p, t + x->barrier_cycles, REASON_BARRIER);
		cu_prepare(u, p, t);
	}
}

static void cu_issue_barrier(struct cu_unit *u, struct cu_slot *p,
			     const struct wave_op *op, cycle_t t)
{
	struct cu_resident *r = &u->group[p->group];

	u->cluster->counts.st.barriers++;
	p->barrier_func = op->func;
	p->barrier_index = op->index;
	if (r->releases != r->group->releases)
		cu_release_group(u, p->group, t);
	else
		cu_set_wait(u, p, CYCLE_NEVER, REASON_BARRIER);
}

static void issue_end(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	struct cu_resident *r = &u->group[p->group];

	p->ending = true;
	hold_until(p, t, REASON_DRAIN);
	prepare_end(u, p, t);
	/* Those at the barrier do not wait for it any more. */
	if (r->releases != r->group->releases)
		cu_release_group(u, p->group, t);
	if (u->simd[p->simd].at[(p - u->slot) % CU_WAVES] <= t)
		cu_end_slot(u, p, t);
}

static void issue_special(struct cu_unit *u, struct cu_slot *p,
			  const struct wave_op *op, cycle_t t)
{
	switch (op->kind) {
	case WAVE_BARRIER:
		cu_issue_barrier(u, p, op, t);
		return;
	case WAVE_END:
		issue_end(u, p, t);
		return;
	case WAVE_NOP:
		hold_until(p, t + CU_SIMDS * max_u64(op->amount, 1),
			   REASON_DEPENDENCE);
		break;
	case WAVE_SLEEP:
		hold_until(p, t + max_u64(64u * op->amount, CU_SIMDS),
			   REASON_SLEEP);
		break;
	case WAVE_PRIORITY:
		p->priority = (uint8_t)op->amount;
		hold_until(p, t + CU_SIMDS, REASON_DEPENDENCE);
		break;
	default:
		hold_until(p, t + CU_SIMDS, REASON_DEPENDENCE);
		break;
	}
	cu_prepare(u, p, t);
}

static void issue_branch(struct cu_unit *u, struct cu_slot *p,
			 const struct wave_op *op, cycle_t t)
{
	struct stat_sm *st = &u->cluster->counts.st;

	if (op->kind != WAVE_JUMP) {
		hold_until(p, t + CU_SIMDS, REASON_DEPENDENCE);
		return;
	}
	st->branches++;
	hold_until(p, t + u->cluster->branch_cycles, REASON_REDIRECT);
	if (wave_next(p->wave) != op + 1)
		cu_fetch_flush(u, p, p->base + wave_next(p->wave)->at);
}

static void issue_vector(struct cu_unit *u, struct cu_slot *p,
			 const struct wave_op *op, cycle_t t)
{
	struct cu_simd *s = cu_simd_of(u, p);

	s->busy = t + u->cluster->vector_cycles[op->passes];
	s->busy_unit = (uint8_t)unit_of(op);
	hold_until(p, s->busy, REASON_DEPENDENCE);
}

static bool cu_is_scalar(const struct wave_op *op)
{
	return op->unit != WAVE_VALU && op->unit != WAVE_VMEM &&
	       op->unit != WAVE_LDS;
}

static bool over_limit(const struct cu_unit *u, struct cu_slot *p)
{
	if (LIKELY(p->wave->steps < u->cluster->max_steps))
		return false;
	wave_fault(p->wave, FAULT_LOOP, 0, 0,
		   "the wavefront has executed %llu instructions, the limit; "
		   "an infinite loop?",
		   (unsigned long long)p->wave->steps);
	return true;
}

static void issue_one(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	const struct wave_op *op = p->op;
	uint64_t lanes = p->wave->lane_steps;

	if (UNLIKELY(x->env.event != NULL))
		cu_report_stall(u, p, t);
	if (UNLIKELY(x->many))
		cu_switch_grid(x, u->group[p->group].grid);
	if (!over_limit(u, p))
		wave_step(p->wave);
	if (UNLIKELY(p->wave->state == WAVE_FAULTED)) {
		x->stopped = true;
		x->until = t + 1;
		return;
	}
	/* A scalar instruction is one of the whole wavefront. */
	lanes = cu_is_scalar(op) ? WAVE_LANES : p->wave->lane_steps - lanes;
	count_issue(u, p, op, (unsigned)lanes, t);
	hold_until(p, t + CU_SIMDS, REASON_DEPENDENCE);
	switch (op->unit) {
	case WAVE_VALU:
		issue_vector(u, p, op, t);
		break;
	case WAVE_SALU:
		hold_until(p, t + x->scalar_cycles, REASON_DEPENDENCE);
		/* s_setpc, s_swappc: a jump. */
		if (op->kind == WAVE_JUMP)
			issue_branch(u, p, op, t);
		break;
	case WAVE_SMEM:
		p->scalar_last = true;
		cu_issue_scalar(u, p, op, t);
		break;
	case WAVE_VMEM:
	case WAVE_EXPORT:
		cu_issue_memory(u, p, op, t);
		break;
	case WAVE_LDS:
		p->scalar_last = false;
		cu_issue_lds(u, p, op, t);
		break;
	case WAVE_BRANCH:
		if (op->kind == WAVE_END) {
			issue_end(u, p, t);
			return;
		}
		issue_branch(u, p, op, t);
		break;
	default:
		issue_special(u, p, op, t);
		return;
	}
	cu_prepare(u, p, t);
}

/* ---- a turn -------------------------------------------------------------- */

/* What the wavefronts of a SIMD may issue in a turn. */
struct turn {
	uint8_t best[PORTS];  /* slot, or CU_NONE */
	uint8_t order[PORTS]; /* those, in the order of their choice */
	unsigned n;
	uint32_t special; /* slots of the SIMD, as bits */
};

/* The higher priority, then the older one, comes first. */
static bool comes_before(const struct cu_slot *a, const struct cu_slot *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return a->order < b->order;
}

/* Whether the unit of the wavefront's next instruction takes it. */
static bool unit_takes(struct cu_unit *u, struct cu_simd *s, unsigned i,
		       const struct cu_slot *p, cycle_t t)
{
	const struct cu_cluster *x = u->cluster;

	switch (p->op->unit) {
	case WAVE_VALU:
		return s->busy <= t;
	case WAVE_VMEM:
	case WAVE_EXPORT:
		if (!cu_memory_full(u))
			return true;
		s->held |= (uint16_t)(1u << i);
		u->holds = true;
		return false;
	case WAVE_LDS:
		return u->lds_free <= t + x->lds_queue;
	default:
		return true;
	}
}

static void cu_choose(struct cu_unit *u, struct turn *c, uint8_t slot)
{
	const struct cu_slot *p = &u->slot[slot];
	unsigned port = port_of_unit[p->op->unit];

	if (port == PORT_NONE) {
		c->special |= 1u << slot % CU_WAVES;
		return;
	}
	if (c->best[port] == CU_NONE ||
	    comes_before(p, &u->slot[c->best[port]]))
		c->best[port] = slot;
}

/* A wavefront that has waited until now: whether its instruction is there. */
static bool still_ready(struct cu_unit *u, struct cu_simd *s, unsigned i,
			struct cu_slot *p, cycle_t t)
{
	if (p->ending) {
		cu_end_slot(u, p, t);
		return false;
	}
	if (p->pc + 4u * p->op->words <= p->held ||
	    u->cluster->env.cfg->front.perfect)
		return true;
	cu_prepare(u, p, t);
	return s->at[i] <= t;
}

static void find_ready(struct cu_unit *u, unsigned k, cycle_t t, struct turn *c)
{
	struct cu_simd *s = &u->simd[k];
	uint32_t left = 0;

	for (unsigned i = 0; i < CU_WAVES; i++)
		left |= (uint32_t)(s->at[i] <= t) << i;
	left &= s->live & ~(uint32_t)s->held;
	*c = (struct turn){ 0 };
	for (unsigned i = 0; i < PORTS; i++)
		c->best[i] = CU_NONE;
	for (; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		struct cu_slot *p = &u->slot[k * CU_WAVES + i];

		if (still_ready(u, s, i, p, t) && unit_takes(u, s, i, p, t))
			cu_choose(u, c, (uint8_t)(k * CU_WAVES + i));
	}
}

/* The chosen ones, those of the highest priority first. */
static void order_chosen(const struct cu_unit *u, struct turn *c)
{
	for (unsigned i = 0; i < PORTS; i++) {
		uint8_t slot = c->best[i];
		unsigned at = c->n;

		if (slot == CU_NONE)
			continue;
		for (; at &&
		       comes_before(&u->slot[slot], &u->slot[c->order[at - 1]]);
		     at--)
			c->order[at] = c->order[at - 1];
		c->order[at] = slot;
		c->n++;
	}
}

/* The next turn in which a wavefront may issue. Slots without one, and those that
 * wait for an event, have CYCLE_NEVER. */
static void set_next_turn(struct cu_simd *s, unsigned k, cycle_t t)
{
	cycle_t next = CYCLE_NEVER;

	for (unsigned i = 0; i < CU_WAVES; i++) {
		cycle_t at = s->held >> i & 1 ? CYCLE_NEVER : s->at[i];

		next = at < next ? at : next;
	}
	s->next = next == CYCLE_NEVER ? CYCLE_NEVER :
					cu_turn(max_u64(next, t + 1), k);
}

void cu_issue(struct cu_unit *u, unsigned k, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	struct cu_simd *s = &u->simd[k];
	struct turn c;
	unsigned n = 0;

	cu_account(u, k, t);
	CHECK(!u->groups || s->accounted == t);
	find_ready(u, k, t, &c);
	order_chosen(u, &c);
	c.n = (unsigned)min_u64(c.n, x->width);
	n = c.n + (unsigned)__builtin_popcount(c.special);
	if (n) {
		s->accounted = t + CU_SIMDS;
		x->reason[REASON_ISSUED]++;
		x->counts.st.dual += n - 1;
	}
	for (unsigned i = 0; i < c.n && !x->stopped; i++)
		issue_one(u, &u->slot[c.order[i]], t);
	for (; c.special && !x->stopped; c.special &= c.special - 1)
		issue_one(u,
			  &u->slot[k * CU_WAVES +
				   (unsigned)__builtin_ctz(c.special)],
			  t);
	set_next_turn(s, k, t);
}
