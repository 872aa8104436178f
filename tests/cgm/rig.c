#include "cgm/rig.h"

struct cgm_wire *rig_wire(struct arena *a)
{
	struct cgm_wire_config cfg = {
		.latency = 1, .beat = 1, .width = 128, .room = 4
	};

	return cgm_wire_new(a, &cfg);
}

struct rig_pair rig_pair_new(struct arena *a)
{
	return (struct rig_pair){ { rig_wire(a), rig_wire(a) } };
}

void rig_send(struct rig_pair *p, cycle_t now, struct cgm_packet in)
{
	cgm_wire_send(p->wire[0], cgm_messages[in.kind].lane, now, &in);
}

void rig_run(struct cgm_part *part, cycle_t now)
{
	cycle_t mail = atomic_load(&part->mail);

	if (mail < part->wake)
		part->wake = cgm_part_cycle(part, mail);
	atomic_store(&part->mail, CYCLE_NEVER);
	cgm_part_run(part, now + 1);
}

cycle_t rig_answer(struct cgm_part *part, struct rig_pair *p, cycle_t from,
		   struct cgm_packet *out)
{
	for (cycle_t t = from; t < from + 100000; t++) {
		rig_run(part, t);
		for (unsigned i = 0; i < CGM_LANES; i++) {
			const struct cgm_packet *in =
				cgm_wire_peek(p->wire[1], i, t);

			if (!in)
				continue;
			*out = *in;
			cgm_wire_pop(p->wire[1], i, t);
			return t;
		}
	}
	return CYCLE_NEVER;
}

struct cgm_packet rig_access(enum cgm_op op, uint64_t block, uint64_t tag)
{
	return (struct cgm_packet){ .kind = CGM_ACCESS,
				    .op = (uint8_t)op,
				    .block = block,
				    .size = 8,
				    .tag = tag,
				    .mask = 0xff };
}
