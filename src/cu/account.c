/* Accounts each turn of each SIMD to one reason. */
#include "base/minmax.h"
#include "cu/core.h"
#include "sm/own.h"

/* The first reason of slots whose instructions no unit takes, in the SIMD's turns
 * from s->accounted on. */
static unsigned reason_refused(const struct cu_simd *s, uint32_t slots)
{
	uint32_t vector = slots & s->port[CU_VECTOR];
	uint32_t memory = slots & (s->port[CU_MEMORY] | s->port[CU_LDS] |
				   s->port[CU_EXPORT]);
	unsigned why = slots & ~(vector | memory) ? REASON_THROTTLED :
						    REASON_UNFILLED;

	if (vector)
		why = (unsigned)min_u64(why, REASON_INT + s->busy_unit);
	return memory ? (unsigned)min_u64(why, REASON_LSU) : why;
}

/* The first reason of these slots, which wait. */
static unsigned reason_waiting(const struct cu_simd *s, uint32_t slots)
{
	uint8_t why = UINT8_MAX;

	for (unsigned i = 0; i < CU_WAVES; i++) {
		uint8_t r = slots >> i & 1 ? s->why[i] : UINT8_MAX;

		why = r < why ? r : why;
	}
	return why;
}

/* Those of the slots that have the reason. */
static uint32_t slots_with(const struct cu_simd *s, uint32_t waiting,
			   enum reason why)
{
	uint32_t with = 0;

	for (uint32_t left = s->live; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		uint32_t one = left & -left;
		unsigned r = waiting & one ? s->why[i] : reason_refused(s, one);

		with |= r == why ? one : 0;
	}
	return with;
}

/* How many turns before number `end` leave the remainder i when divided by n. */
static uint64_t turns_of(uint64_t end, unsigned i, unsigned n)
{
	return (end + n - 1 - i) / n;
}

/* Charges turns to the instructions that wavefronts wait for, in turn. */
static void cu_charge_details(struct cu_unit *u, unsigned k, uint32_t slots,
			      cycle_t end, enum reason why)
{
	unsigned n = (unsigned)__builtin_popcount(slots), i = 0;
	uint64_t from = u->simd[k].accounted / CU_SIMDS, to = end / CU_SIMDS;

	for (; slots; slots &= slots - 1, i++) {
		const struct cu_slot *p =
			&u->slot[k * CU_WAVES + (unsigned)__builtin_ctz(slots)];
		const struct cu_gridstate *g =
			u->cluster->grids[u->group[p->group].grid];
		bool barrier = why == REASON_BARRIER;
		uint32_t func = barrier ? p->barrier_func : p->op->func;
		uint32_t index = barrier ? p->barrier_index : p->op->index;

		if (g->details)
			g->details[g->heat[func] - g->pool + index].slots[why] +=
				turns_of(to, i, n) - turns_of(from, i, n);
	}
}

static void cu_charge(struct cu_unit *u, unsigned k, cycle_t end)
{
	struct cu_simd *s = &u->simd[k];
	uint32_t waiting = cu_slots_after(s, s->accounted) & s->live;
	enum reason why =
		(enum reason)min_u64(reason_waiting(s, waiting),
				     reason_refused(s, s->live & ~waiting));

	if (UNLIKELY(u->cluster->details))
		cu_charge_details(u, k, slots_with(s, waiting, why), end, why);
	u->cluster->reason[why] += (end - s->accounted) / CU_SIMDS;
	s->accounted = end;
}

void cu_account(struct cu_unit *u, unsigned k, cycle_t t)
{
	if (u->groups && u->simd[k].accounted < t)
		cu_charge(u, k, cu_turn(t, k));
}

void cu_account_unit(struct cu_unit *u, cycle_t t)
{
	struct cu_cluster *x = u->cluster;

	for (unsigned k = 0; k < x->simds; k++)
		cu_account(u, k, t);
	if (u->groups || u->idle_at >= t)
		return;
	idle_charge(x->env.phases, &u->idle, u->idle_at, t, x->reason);
	u->idle_at = t;
}

void cu_report_stall(struct cu_unit *u, const struct cu_slot *p, cycle_t to)
{
	const struct cu_cluster *x = u->cluster;
	const struct cu_simd *s = &u->simd[p->simd];
	unsigned slot = (unsigned)(p - u->slot);
	const struct cu_resident *r = &u->group[p->group];
	struct sm_event e = { .kind = SM_EVENT_STALL,
			      .reason = s->why[slot % CU_WAVES],
			      .sm = (uint16_t)cu_number(u),
			      .slot = (uint16_t)cu_slot_number(u, slot),
			      .grid = r->grid,
			      .func = p->op->func,
			      .pc = p->op->index,
			      .block = r->group->index,
			      .from = p->since,
			      .to = to };

	/* Every fourth cycle is its turn. */
	if (to > p->since + CU_SIMDS)
		x->env.event(x->env.event_ctx, &e);
}

static void settle(struct cu_cluster *x)
{
	struct stats *own = &x->grids[x->counting]->own;
	struct cu_counts *n = &x->counts, *mark = &x->mark;

	COUNTS_MOVE(&own->sm, &n->st, &mark->st);
	COUNTS_MOVE(&own->lsu, &n->lsu, &mark->lsu);
	COUNTS_MOVE(&own->l1, &n->l1, &mark->l1);
	counts_move(own->unit, n->unit, mark->unit, UNIT_COUNT);
}

void cu_switch_grid(struct cu_cluster *x, uint32_t grid)
{
	if (grid == x->counting)
		return;
	settle(x);
	x->counting = grid;
}

void cu_own_stats(struct cu_cluster *x, uint32_t grid, struct stats *to)
{
	struct stats one;

	settle(x);
	one = x->grids[grid]->own;
	one.sm.instructions = one.sm.cycles = one.sm.slots = 0;
	for (unsigned i = 0; i < UNIT_COUNT; i++)
		one.sm.instructions += one.unit[i];
	one.sm.blocks = one.sm.blocks_done = one.sm.warps = 0;
	stats_add(to, &one);
}
