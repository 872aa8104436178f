/*
 * Issue: each cycle one SIMD's wavefronts, at most one instruction of each kind and
 * of each wavefront. Instructions that stay in the instruction buffer (s_waitcnt,
 * s_nop, s_barrier) take no place.
 */
#include "base/minmax.h"
#include "cu/core.h"

static const uint8_t port_of_unit[WAVE_UNITS] = {
	[WAVE_VALU] = CU_VECTOR,   [WAVE_SALU] = CU_SCALAR,
	[WAVE_SMEM] = CU_SCALAR,   [WAVE_VMEM] = CU_MEMORY,
	[WAVE_LDS] = CU_LDS,       [WAVE_EXPORT] = CU_EXPORT,
	[WAVE_BRANCH] = CU_BRANCH, [WAVE_SPECIAL] = CU_STAYS,
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
	unsigned i = cu_place(u, p);

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

/* When the counters let the instruction issue, if that is after `at`. */
static void await_counters(struct cu_slot *p, const struct wave_op *op,
			   cycle_t t, cycle_t *at, enum reason *why)
{
	for (unsigned c = 0; c < WAVE_COUNTERS; c++) {
		unsigned most = counter_bound(op, c);
		cycle_t low;

		if (most >= p->count[c].sum)
			continue;
		low = cu_count_below(&p->count[c], t, most);
		if (low > *at) {
			*at = low;
			*why = counter_reason(p, c);
		}
	}
}

/* Its next instruction waits for the port, and for its code if `missing`. */
static void set_port(struct cu_unit *u, struct cu_slot *p, bool missing)
{
	struct cu_simd *s = cu_simd_of(u, p);
	uint16_t bit = cu_bit(u, p);

	s->port[p->port] &= (uint16_t)~bit;
	p->port = port_of_unit[p->op->unit];
	s->port[p->port] |= bit;
	s->missing = missing ? s->missing | bit : s->missing & (uint16_t)~bit;
}

void cu_prepare(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	const struct wave_op *op = wave_next(p->wave);
	cycle_t at = p->ready, code;
	enum reason why = (enum reason)p->ready_why;
	bool perfect = u->cluster->env.cfg->front.perfect;

	p->op = op;
	p->pc = p->base + op->at;
	code = perfect ? t : cu_code(u, p, t);
	if (code > at) {
		at = code;
		why = REASON_FETCH;
	}
	if (op->kind == WAVE_WAIT || op->raises)
		await_counters(p, op, t, &at, &why);
	u->cluster->prefetch(p->wave, op);
	set_port(u, p, !perfect && cu_code_end(p) > p->held);
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
	unsigned i = cu_place(u, p);
	struct cu_simd *s = cu_simd_of(u, p);

	if (!(s->live >> i & 1) || s->at[i] != CYCLE_NEVER ||
	    s->why[i] == REASON_BARRIER)
		return;
	cu_account(u, p->simd, t);
	if (s->ending >> i & 1)
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

static void count_issue(struct cu_unit *u, struct cu_slot *p,
			const struct wave_op *op, unsigned lanes, cycle_t t)
{
	struct cu_gridstate *g = grid_of(u, p);
	struct cu_counts *n = &u->cluster->counts;
	struct sm_heat *h = &g->heat[op->func][op->index];

	h->issued++;
	h->waited += t - p->issued;
	p->issued = t;
	n->unit[wave_unit_class(op)]++;
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

		if (cu_simd_of(u, p)->ending & cu_bit(u, p))
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

	cu_simd_of(u, p)->ending |= cu_bit(u, p);
	hold_until(p, t, REASON_DRAIN);
	prepare_end(u, p, t);
	/* Those at the barrier do not wait for it any more. */
	if (r->releases != r->group->releases)
		cu_release_group(u, p->group, t);
	if (cu_simd_of(u, p)->at[cu_place(u, p)] <= t)
		cu_end_slot(u, p, t);
}

static void issue_priority(struct cu_unit *u, const struct cu_slot *p,
			   unsigned priority)
{
	uint64_t *age = &cu_simd_of(u, p)->age[cu_place(u, p)];

	*age = cu_age(priority, (uint32_t)*age);
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
		issue_priority(u, p, op->amount);
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
	s->busy_unit = (uint8_t)wave_unit_class(op);
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
	uint32_t ready;   /* slots of the SIMD, as bits */
	uint32_t special; /* those of CU_STAYS */
	unsigned n;
	uint64_t age[CU_STAYS]; /* of the chosen ones, sorted */
	uint8_t place[CU_STAYS];
};

/* The turn in which the first of the slots that wait may issue. */
static cycle_t turn_after(const struct cu_simd *s, unsigned k, cycle_t t)
{
	cycle_t next = CYCLE_NEVER;

	for (unsigned i = 0; i < CU_WAVES; i++) {
		cycle_t at = s->at[i] <= t ? CYCLE_NEVER : s->at[i];

		next = at < next ? at : next;
	}
	return next == CYCLE_NEVER ? CYCLE_NEVER : cu_turn(next, k);
}

/* Slots that have waited until now for their end, or for their instruction, which
 * may not be all there. Returns those of the latter that may issue. */
static uint32_t settle_slots(struct cu_unit *u, unsigned k, uint32_t slots,
			     cycle_t t)
{
	struct cu_simd *s = &u->simd[k];
	uint32_t ready = 0;

	for (; slots; slots &= slots - 1) {
		unsigned i = (unsigned)__builtin_ctz(slots);
		struct cu_slot *p = &u->slot[k * CU_WAVES + i];

		if (s->ending >> i & 1) {
			cu_end_slot(u, p, t);
			continue;
		}
		cu_prepare(u, p, t);
		ready |= (uint32_t)(s->at[i] <= t) << i;
	}
	return ready;
}

/* Slots whose instructions have no unit that could take them now. */
static uint32_t slots_refused(struct cu_unit *u, struct cu_simd *s,
			      uint32_t ready, cycle_t t)
{
	uint32_t memory = ready & (s->port[CU_MEMORY] | s->port[CU_EXPORT]);
	uint32_t not = 0;

	if (s->busy > t)
		not |= s->port[CU_VECTOR];
	if (u->lds_free > t + u->cluster->lds_queue)
		not |= s->port[CU_LDS];
	if (memory && cu_memory_full(u)) {
		s->held |= (uint16_t)memory;
		u->holds = true;
		not |= memory;
	}
	return not ;
}

/* Adds the first of these slots to those that are chosen. */
static void cu_choose(const struct cu_simd *s, struct turn *c, uint32_t slots)
{
	unsigned best = (unsigned)__builtin_ctz(slots), at = c->n++;
	uint64_t age = s->age[best];

	for (slots &= slots - 1; slots; slots &= slots - 1) {
		unsigned i = (unsigned)__builtin_ctz(slots);

		best = s->age[i] < age ? i : best;
		age = min_u64(age, s->age[i]);
	}
	for (; at && age < c->age[at - 1]; at--) {
		c->age[at] = c->age[at - 1];
		c->place[at] = c->place[at - 1];
	}
	c->age[at] = age;
	c->place[at] = (uint8_t)best;
}

/* Finds out what issues. */
static void find_ready(struct cu_unit *u, unsigned k, cycle_t t, struct turn *c)
{
	struct cu_simd *s = &u->simd[k];
	uint32_t ready = s->live & ~(cu_slots_after(s, t) | s->held);
	uint32_t settle, left;

	settle = ready & (s->ending | s->missing);
	if (settle)
		ready = (ready & ~settle) | settle_slots(u, k, settle, t);
	c->n = 0;
	c->ready = ready;
	c->special = ready & s->port[CU_STAYS];
	left = ready & ~(c->special | slots_refused(u, s, ready, t));
	while (left) { /* those of the first one's port */
		unsigned i = (unsigned)__builtin_ctz(left);
		uint32_t port = s->port[u->slot[k * CU_WAVES + i].port];

		cu_choose(s, c, left & port);
		left &= ~port;
	}
}

/* Issues to the units, then what stays in the buffers. */
static void issue_chosen(struct cu_unit *u, unsigned k, struct turn *c,
			 cycle_t t)
{
	struct cu_slot *first = &u->slot[k * CU_WAVES];
	const bool *stopped = &u->cluster->stopped;
	uint32_t left = c->special;

	for (unsigned i = 0; i < c->n && !*stopped; i++) {
		c->ready &= ~(1u << c->place[i]);
		issue_one(u, first + c->place[i], t);
	}
	c->ready &= ~left;
	for (; left && !*stopped; left &= left - 1)
		issue_one(u, first + __builtin_ctz(left), t);
}

void cu_issue(struct cu_unit *u, unsigned k, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	struct cu_simd *s = &u->simd[k];
	struct turn c;
	unsigned n;

	cu_account(u, k, t);
	CHECK(!u->groups || s->accounted == t);
	s->next = CYCLE_NEVER;
	find_ready(u, k, t, &c);
	c.n = (unsigned)min_u64(c.n, x->width);
	n = c.n + (unsigned)__builtin_popcount(c.special);
	if (n) {
		s->accounted = t + CU_SIMDS;
		x->reason[REASON_ISSUED]++;
		x->counts.st.dual += n - 1;
	}
	issue_chosen(u, k, &c, t);
	/* Slots that were settled may have asked for this turn. */
	if (c.ready & ~(uint32_t)s->held || s->next <= t)
		s->next = t + CU_SIMDS;
	else if (s->next > t + CU_SIMDS)
		s->next = min_u64(s->next, turn_after(s, k, t));
}
