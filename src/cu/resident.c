/*
 * Resident work-groups and wavefronts of a cluster: their start and their end. A
 * group goes to the unit with the fewest groups that has room for it, its
 * wavefronts to the SIMDs with the most free slots.
 */
#include "base/minmax.h"
#include "cu/core.h"

enum err cu_occupancy(struct occupancy *out, uint32_t *used,
		      const struct cfg *cfg, const struct launch *l,
		      struct diag *d)
{
	struct occupancy_demand need = { .threads = l->block[0] * l->block[1] *
						    l->block[2] };
	struct wave_demand wave;

	wave_demand(&wave, l);
	*used = need.registers = wave.vectors;
	need.scalars = wave.scalars;
	need.shared = wave.lds_bytes;
	return occupancy_of(out, cfg, &need, d);
}

uint32_t cu_slot_number(const struct cu_unit *u, uint32_t slot)
{
	const struct cu_cluster *x = u->cluster;

	return slot / CU_WAVES * x->simd_waves + slot % CU_WAVES;
}

void cu_residency(struct cu_cluster *x, cycle_t t)
{
	cycle_t n = t - x->residency_at;

	for (uint32_t i = 0; i < x->units; i++) {
		const struct cu_unit *u = &x->unit[i];

		x->counts.st.warp_cycles += n * u->waves;
		x->counts.st.active_cycles += u->groups ? n : 0;
	}
	x->residency_at = t;
}

/* Wavefronts of the demand that SIMD k has room for. */
static uint32_t simd_room(const struct cu_unit *u, unsigned k,
			  const struct wave_demand *w)
{
	const struct cu_cluster *x = u->cluster;
	uint32_t live = (uint32_t)__builtin_popcount(u->simd[k].live);
	uint64_t n = x->simd_waves - live;

	if (w->vectors)
		n = min_u64(n, u->vectors[k] / w->vectors);
	if (w->scalars)
		n = min_u64(n, u->scalars[k] / w->scalars);
	return (uint32_t)n;
}

static bool unit_has_room(const struct cu_unit *u, const struct wave_demand *w)
{
	const struct cu_cluster *x = u->cluster;
	uint32_t waves = 0;

	for (unsigned k = 0; k < x->simds; k++)
		waves += simd_room(u, k, w);
	if (waves < w->waves || u->lds < w->lds_bytes ||
	    u->groups >= x->max_groups)
		return false;
	return w->waves == 1 || u->barriers < x->max_barriers;
}

static struct cu_unit *choose_unit(struct cu_cluster *x,
				   const struct wave_demand *w)
{
	struct cu_unit *best = NULL;

	for (uint32_t i = 0; i < x->units; i++) {
		struct cu_unit *u = &x->unit[i];

		if (unit_has_room(u, w) && (!best || u->groups < best->groups))
			best = u;
	}
	return best;
}

static unsigned choose_simd(const struct cu_unit *u,
			    const struct wave_demand *w)
{
	unsigned best = 0;
	uint32_t most = 0;

	for (unsigned k = 0; k < u->cluster->simds; k++) {
		uint32_t n = simd_room(u, k, w);

		if (n > most) {
			most = n;
			best = k;
		}
	}
	CHECK(most);
	return best;
}

static void cu_start_wave(struct cu_unit *u, unsigned group, struct wave *w)
{
	struct cu_cluster *x = u->cluster;
	struct cu_resident *r = &u->group[group];
	const struct wave_demand *need = &x->grids[r->grid]->demand;
	unsigned k = choose_simd(u, need);
	struct cu_simd *s = &u->simd[k];
	unsigned i = (unsigned)__builtin_ctz(~(uint32_t)s->live);
	struct cu_slot *p = &u->slot[k * CU_WAVES + i], old = *p;

	*p = (struct cu_slot){ .wave = w,
			       .group = (uint8_t)group,
			       .simd = (uint8_t)k,
			       .port = old.port,
			       .fetching = old.fetching,
			       .arrives = old.arrives,
			       .issued = x->now,
			       .start = x->now };
	p->count[WAVE_VM].in_order = p->count[WAVE_EXP].in_order = true;
	p->base = wave_pc_address(w) - wave_next(w)->at;
	p->ready = x->now + 1;
	p->ready_why = REASON_FETCH;
	s->live |= (uint16_t)(1u << i);
	s->held &= (uint16_t) ~(1u << i);
	s->ending &= (uint16_t) ~(1u << i);
	s->age[i] = cu_age(0, u->order++);
	u->vectors[k] -= need->vectors;
	u->scalars[k] -= need->scalars;
	r->slots |= UINT64_C(1) << (k * CU_WAVES + i);
	u->waves++;
	x->counts.st.warps++;
	cu_fetch_flush(u, p, wave_pc_address(w));
	cu_prepare(u, p, x->now);
}

/* The unit gets a group after it had none. */
static void cu_end_idle_time(struct cu_unit *u, uint32_t phase)
{
	u->idle.known = phase + 1;
	u->idle.end_known = false;
	cu_account_unit(u, u->cluster->now);
	for (unsigned k = 0; k < u->cluster->simds; k++)
		u->simd[k].accounted = cu_turn(u->cluster->now, k);
}

static void start_group(struct cu_unit *u, const struct cu_waiting *g)
{
	struct cu_cluster *x = u->cluster;
	struct cu_gridstate *grid = x->grids[g->grid];
	struct cu_resident *r = u->group;

	while (r->group)
		r++;
	cu_residency(x, x->now);
	*r = (struct cu_resident){ .group = workgroup_start(grid->worker,
							    g->index),
				   .grid = g->grid,
				   .start = x->now };
	CHECK(r->group && r->group->wave_count == grid->demand.waves);
	r->releases = r->group->releases;
	if (!u->groups)
		cu_end_idle_time(u, g->phase);
	for (unsigned k = 0; k < x->simds; k++)
		cu_account(u, k, x->now);
	u->groups++;
	x->groups++;
	x->counts.st.blocks++;
	u->lds -= grid->demand.lds_bytes;
	u->barriers += grid->demand.waves > 1;
	for (uint32_t i = 0; i < r->group->wave_count; i++)
		cu_start_wave(u, (unsigned)(r - u->group), &r->group->waves[i]);
	r->left = r->slots;
}

void cu_group_arrives(struct cu_cluster *x, const struct msg *m)
{
	struct cu_waiting g = { .index = m->chunk,
				.grid = m->id,
				.phase = m->bytes[0] };
	struct cu_unit *u = choose_unit(x, &x->grids[m->id]->demand);

	if (u)
		start_group(u, &g);
	else
		x->waiting[x->waiting_count++] = g;
}

/* Groups of several kernels may leave room in no single unit. */
static void start_waiting(struct cu_cluster *x)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->waiting_count; i++) {
		const struct cu_waiting g = x->waiting[i];
		struct cu_unit *u =
			n ? NULL : choose_unit(x, &x->grids[g.grid]->demand);

		if (u)
			start_group(u, &g);
		else
			x->waiting[n++] = g;
	}
	x->waiting_count = n;
}

static void cu_report_event(struct cu_unit *u, enum sm_event_kind kind,
			    uint32_t slot, const struct cu_resident *r,
			    cycle_t from, cycle_t to)
{
	const struct cu_cluster *x = u->cluster;

	if (x->env.event)
		x->env.event(x->env.event_ctx,
			     &(struct sm_event){
				     .kind = (uint8_t)kind,
				     .sm = (uint16_t)cu_number(u),
				     .slot = (uint16_t)cu_slot_number(u, slot),
				     .grid = r->grid,
				     .block = r->group->index,
				     .from = from,
				     .to = to });
}

static void cu_end_group(struct cu_unit *u, struct cu_resident *r, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	struct cu_gridstate *grid = x->grids[r->grid];
	struct msg m = { .time = t + x->block_latency,
			 .kind = MSG_BLOCK_DONE,
			 .chunk = r->group->index,
			 .id = r->grid,
			 .flags = r->stored ? MSG_STORED : 0 };

	cu_report_event(u, SM_EVENT_BLOCK, (uint32_t)__builtin_ctzll(r->slots),
			r, r->start, t);
	wire_send(x->env.wires, x->env.self, x->env.dispatcher, &m);
	workgroup_retire(grid->worker, r->group);
	r->group = NULL;
	u->lds += grid->demand.lds_bytes;
	u->barriers -= grid->demand.waves > 1;
	if (u->groups == 1) {
		/* This cycle is a turn that the group still had. */
		cu_account_unit(u, t + 1);
		u->idle_at = t + 1;
		u->idle.since = t + 1;
		u->idle.had_block = true;
	}
	u->groups--;
	x->groups--;
	x->counts.st.blocks_done++;
	if (x->stop_at_end) {
		x->ended = true;
		x->until = t + 1;
	}
	if (x->waiting_count)
		start_waiting(x);
}

void cu_end_slot(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	struct cu_resident *r = &u->group[p->group];
	uint32_t slot = (uint32_t)(p - u->slot);
	struct cu_simd *s = &u->simd[p->simd];
	const struct wave_demand *need = &u->cluster->grids[r->grid]->demand;
	bool last;

	cu_account(u, p->simd, t);
	cu_residency(u->cluster, t);
	if (u->cluster->env.event)
		cu_report_stall(u, p, t);
	cu_report_event(u, SM_EVENT_WARP, slot, r, p->start, t);
	r->left &= ~(UINT64_C(1) << slot);
	last = !r->left;
	if (last && u->groups == 1)
		cu_account_unit(u, t + 1);
	u->vectors[p->simd] += need->vectors;
	u->scalars[p->simd] += need->scalars;
	s->live &= (uint16_t) ~(1u << slot % CU_WAVES);
	s->at[slot % CU_WAVES] = CYCLE_NEVER;
	u->waves--;
	p->wave = NULL;
	if (last)
		cu_end_group(u, r, t);
}

/* The run was cut short: reports what has not ended, until cycle `end`. */
void cu_report_rest(struct cu_cluster *x, cycle_t end)
{
	for (uint32_t i = 0; i < x->units && x->env.event; i++) {
		struct cu_unit *u = &x->unit[i];

		for (uint32_t g = 0; g < CU_GROUPS; g++) {
			const struct cu_resident *r = &u->group[g];
			uint64_t left = r->group ? r->left : 0;

			for (; left; left &= left - 1) {
				uint32_t slot = (uint32_t)__builtin_ctzll(left);

				cu_report_stall(u, &u->slot[slot], end);
				cu_report_event(u, SM_EVENT_WARP, slot, r,
						u->slot[slot].start, end);
			}
			if (r->group)
				cu_report_event(
					u, SM_EVENT_BLOCK,
					(uint32_t)__builtin_ctzll(r->slots), r,
					r->start, end);
		}
	}
}
