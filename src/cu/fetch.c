/*
 * Instruction buffers. A unit fetches for one wavefront a cycle, cu.fetch_bytes of
 * the cluster's instruction cache; a wavefront has one fetch in flight.
 */
#include "base/minmax.h"
#include "cu/core.h"

/* The fetch that was in flight has arrived. */
static void cu_land(struct cu_slot *p, cycle_t t)
{
	if (!p->fetching || p->arrives > t)
		return;
	p->fetching = false;
	if (!p->stale)
		p->held = p->coming;
	p->stale = false;
}

static void fetch_start(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	uint32_t token = u->index * CU_SLOTS + (uint32_t)(p - u->slot);
	uint64_t line = p->held >> x->code.shift;
	cycle_t at = max_u64(t, u->fetch_free);
	struct tags_out out;

	u->fetch_free = at + 1;
	p->fetching = true;
	p->coming = p->held + x->fetch_bytes;
	p->arrives = CYCLE_NEVER;
	x->counts.front.fetches++;
	switch (tags_read(x->code.tags, line, 1, token, &out)) {
	case TAGS_HIT:
		x->counts.front.l0_hits++;
		p->arrives = at + x->fetch_cycles;
		break;
	case TAGS_PENDING:
		x->counts.front.l0_pending++;
		break;
	case TAGS_MISS:
		x->counts.front.l0_misses++;
		x->counts.front.l1_misses++;
		cu_request_shared(
			x, (uint32_t)CU_ID_CODE << CU_ID_SHIFT | out.mshr, line,
			x->code.shift, at);
		break;
	default:
		BUG("an instruction cache has an MSHR for every wavefront");
	}
}

cycle_t cu_fetch(struct cu_unit *u, struct cu_slot *p, cycle_t t)
{
	const struct cu_cluster *x = u->cluster;
	uint64_t need = cu_code_end(p);

	cu_land(p, t);
	if (!p->fetching && (p->held < need || p->held + x->fetch_bytes <=
						       p->pc + x->buffer_bytes))
		fetch_start(u, p, t);
	return need <= p->held ? t : p->arrives;
}

void cu_fetch_flush(struct cu_unit *u, struct cu_slot *p, uint64_t pc)
{
	p->held = p->coming =
		pc / u->cluster->fetch_bytes * u->cluster->fetch_bytes;
	/* What is known to arrive takes no MSHR: it is dropped at once. */
	if (p->fetching && p->arrives != CYCLE_NEVER)
		p->fetching = false;
	p->stale = p->fetching;
}

void cu_code_arrives(struct cu_cluster *x, uint32_t token, cycle_t t,
		     cycle_t ready)
{
	struct cu_unit *u = &x->unit[token / CU_SLOTS];
	struct cu_slot *p = &u->slot[token % CU_SLOTS];

	p->arrives = ready;
	cu_reconsider(u, p, t);
}
