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

void cgm_port_send(const struct cgm_port *p, cycle_t now,
		   const struct cgm_request *r)
{
	struct cgm_packet *out = cgm_wire_begin(p->to, CGM_LANE_REQUEST);
	enum cgm_sort sort = cgm_ops[r->op].sort;

	CHECK(!cgm_request_wrong(r));
	memset(out, 0, CGM_SIZE(struct cgm_packet, p->to->cfg.bare));
	out->kind = CGM_ACCESS;
	out->op = (uint8_t)r->op;
	out->tag = r->tag;
	out->block = r->address / CGM_BLOCK;
	out->offset = r->address % CGM_BLOCK;
	out->size = (uint8_t)r->size;
	out->compare = r->compare;
	out->bare = p->to->cfg.bare;
	if (sort != CGM_SORT_FENCE)
		out->mask = cgm_mask(out->offset, r->size);
	if (r->mask)
		out->mask &= r->mask << out->offset;
	if (!out->bare && (sort == CGM_SORT_WRITE || sort == CGM_SORT_RMW))
		memcpy(out->data + out->offset, r->value, r->size);
	cgm_wire_end(p->to, CGM_LANE_REQUEST, now);
}

static void cgm_port_add(uint64_t *count, uint64_t *ticks, uint64_t *max,
			 cycle_t took)
{
	++*count;
	*ticks += took;
	*max = max_u64(*max, took);
}

void cgm_port_count(struct cgm_stat_port *st, enum cgm_op op, cycle_t took)
{
	switch (cgm_ops[op].sort) {
	case CGM_SORT_READ:
		cgm_port_add(&st->reads, &st->read_ticks, &st->read_max, took);
		break;
	case CGM_SORT_WRITE:
		cgm_port_add(&st->writes, &st->write_ticks, &st->write_max,
			     took);
		break;
	case CGM_SORT_RMW:
		cgm_port_add(&st->atomics, &st->atomic_ticks, &st->atomic_max,
			     took);
		break;
	case CGM_SORT_FLUSH:
	case CGM_SORT_FENCE:
		cgm_port_add(&st->flushes, &st->flush_ticks, &st->flush_max,
			     took);
		break;
	}
}
