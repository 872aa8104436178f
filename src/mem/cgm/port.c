#include "mem/cgm/port.h"

#include <string.h>

#include "base/minmax.h"

const char *cgm_request_wrong(const struct cgm_request *r)
{
	unsigned offset = r->address % CGM_BLOCK;
	enum cgm_sort sort = cgm_ops[r->op].sort;

	if (sort == CGM_SORT_FENCE)
		return NULL;
	if (!r->size || r->size > CGM_BLOCK)
		return "the size is not 1 to 64 bytes";
	if (offset + r->size > CGM_BLOCK)
		return "the bytes cross the end of a block of 64";
	if (sort == CGM_SORT_RMW && (r->size > 8 || r->size & (r->size - 1)))
		return "an atomic has 1, 2, 4 or 8 bytes";
	return NULL;
}

bool cgm_port_can_send(const struct cgm_port *p, cycle_t now)
{
	return cgm_wire_is_free(p->to, now) &&
	       cgm_wire_room(p->to, CGM_LANE_REQUEST, now);
}

void cgm_port_send(const struct cgm_port *p, cycle_t now,
		   const struct cgm_request *r)
{
	struct cgm_packet out = { .kind = CGM_ACCESS,
				  .op = (uint8_t)r->op,
				  .tag = r->tag,
				  .block = r->address / CGM_BLOCK,
				  .offset = r->address % CGM_BLOCK,
				  .size = (uint8_t)r->size,
				  .compare = r->compare,
				  .bare = p->to->cfg.bare };
	enum cgm_sort sort = cgm_ops[r->op].sort;

	CHECK(!cgm_request_wrong(r));
	out.mask = sort == CGM_SORT_FENCE ? 0 : cgm_mask(out.offset, r->size);
	if (r->mask)
		out.mask &= r->mask << out.offset;
	if (!out.bare && (sort == CGM_SORT_WRITE || sort == CGM_SORT_RMW))
		memcpy(out.data + out.offset, r->value, r->size);
	cgm_wire_send(p->to, CGM_LANE_REQUEST, now, &out);
}

bool cgm_port_take(const struct cgm_port *p, cycle_t now,
		   struct cgm_answer *out)
{
	const struct cgm_packet *in =
		cgm_wire_peek(p->from, CGM_LANE_REPLY, now);

	if (!in)
		return false;
	out->tag = in->tag;
	out->op = (enum cgm_op)in->op;
	out->size = in->size;
	if (!in->bare)
		memcpy(out->value, in->data + in->offset, in->size);
	cgm_wire_pop(p->from, CGM_LANE_REPLY, now);
	return true;
}

void cgm_port_count(struct cgm_stat_port *st, enum cgm_op op, cycle_t took)
{
	struct {
		uint64_t *count, *ticks, *max;
	} to[] = {
		[CGM_SORT_READ] = { &st->reads, &st->read_ticks,
				    &st->read_max },
		[CGM_SORT_WRITE] = { &st->writes, &st->write_ticks,
				     &st->write_max },
		[CGM_SORT_RMW] = { &st->atomics, &st->atomic_ticks,
				   &st->atomic_max },
		[CGM_SORT_FLUSH] = { &st->flushes, &st->flush_ticks,
				     &st->flush_max },
		[CGM_SORT_FENCE] = { &st->flushes, &st->flush_ticks,
				     &st->flush_max },
	};
	enum cgm_sort sort = cgm_ops[op].sort;

	++*to[sort].count;
	*to[sort].ticks += took;
	*to[sort].max = max_u64(*to[sort].max, took);
}
