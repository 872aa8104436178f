/* What a processor, a driver and memory's data see of CGM. */
#include <string.h>

#include "cgm/rig.h"
#include "mem/cgm/memory.h"
#include "mem/cgm/source.h"
#include "test.h"

struct port_rig {
	struct arena a;
	struct rig_pair wires; /* [0]: to the port's processor */
	struct cgm_port port;
};

static void port_rig_init(struct port_rig *r)
{
	memset(r, 0, sizeof(*r));
	r->wires = rig_pair_new(&r->a);
	r->port = (struct cgm_port){ r->wires.wire[1], r->wires.wire[0] };
}

/* The first-level cache's answer to what has been sent. */
static void answer_port(struct port_rig *r, cycle_t now, uint8_t value)
{
	const struct cgm_packet *in =
		cgm_wire_peek(r->port.to, CGM_LANE_REQUEST, now);
	struct cgm_packet p;

	OK(in);
	p = *in;
	p.kind = CGM_ANSWER;
	memset(p.data, value, sizeof(p.data));
	cgm_wire_pop(r->port.to, CGM_LANE_REQUEST, now);
	rig_send(&r->wires, now, p);
}

TEST(port, a_request_becomes_a_message_and_its_answer_comes_back)
{
	const uint8_t value[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct cgm_request q = { .op = CGM_OP_STORE,
				 .tag = 77,
				 .address = 0x1048,
				 .size = 8,
				 .mask = 0x0f,
				 .value = value };
	const struct cgm_packet *p;
	struct cgm_answer a;
	struct port_rig r;

	port_rig_init(&r);
	cgm_port_send(&r.port, 0, &q);
	OK(!cgm_wire_peek(r.port.to, CGM_LANE_REQUEST, 0));
	p = cgm_wire_peek(r.port.to, CGM_LANE_REQUEST, 1);
	OK(p);
	EQ(0x41, p->block);
	EQ(8, p->offset);
	EQ(0x0f00, p->mask);
	OK(!memcmp(p->data + 8, value, 8));
	answer_port(&r, 10, 9);
	OK(!cgm_port_take(&r.port, 10, &a));
	OK(cgm_port_take(&r.port, 11, &a));
	EQ(77, a.tag);
	EQ(CGM_OP_STORE, a.op);
	EQ(8, a.size);
	OK(!cgm_port_take(&r.port, 12, &a));
	arena_free(&r.a);
}

TEST(port, it_takes_a_request_a_cycle_while_there_is_room)
{
	struct cgm_request q = { .op = CGM_OP_LOAD, .size = 4 };
	struct port_rig r;

	port_rig_init(&r);
	for (cycle_t t = 0; t < 4; t++) {
		OK(cgm_port_can_send(&r.port, t));
		cgm_port_send(&r.port, t, &q);
		OK(!cgm_port_can_send(&r.port, t));
	}
	OK(!cgm_port_can_send(&r.port, 50));
	cgm_wire_pop(r.port.to, CGM_LANE_REQUEST, 50);
	OK(!cgm_port_can_send(&r.port, 50));
	OK(cgm_port_can_send(&r.port, 51));
	arena_free(&r.a);
}

TEST(port, impossible_requests_are_named)
{
	struct cgm_request q = { .op = CGM_OP_LOAD, .size = 64 };

	OK(!cgm_request_wrong(&q));
	q.address = 1;
	STREQ("the bytes cross the end of a block of 64",
	      cgm_request_wrong(&q));
	q.size = 65;
	STREQ("the size is not 1 to 64 bytes", cgm_request_wrong(&q));
	q.op = CGM_OP_FENCE;
	OK(!cgm_request_wrong(&q));
	q = (struct cgm_request){ .op = CGM_OP_CAS, .size = 6 };
	STREQ("an atomic has 1, 2, 4 or 8 bytes", cgm_request_wrong(&q));
}

/* A driver that sends two loads, the second 5 ticks after the first's answer. */
struct port_driver {
	unsigned sent, answered;
	cycle_t at, last;
	uint64_t tag;
	uint8_t value;
};

static cycle_t driver_next(void *ctx, cycle_t now, struct cgm_request *r)
{
	struct port_driver *x = ctx;

	if (x->sent == 2 || x->answered < x->sent)
		return CYCLE_NEVER;
	if (x->sent && now < x->last + 5)
		return x->last + 5;
	x->at = now;
	x->sent++;
	*r = (struct cgm_request){ .tag = 1000 + x->sent,
				   .op = CGM_OP_LOAD,
				   .size = 8 };
	return now;
}

static void driver_answer(void *ctx, cycle_t now, const struct cgm_answer *a)
{
	struct port_driver *x = ctx;

	x->answered++;
	x->last = now;
	x->tag = a->tag;
	x->value = a->value[0];
}

TEST(source, a_driver_is_asked_when_it_said_and_gets_its_tags)
{
	struct port_driver x = { 0 };
	struct cgm_source s = { .in_flight = 0 };
	struct port_rig r;

	port_rig_init(&r);
	cgm_source_init(&s, 1, &r.port);
	s.driver = (struct cgm_driver){ driver_next, driver_answer, &x };
	s.part.wake = 3;
	cgm_part_run(&s.part, 20);
	EQ(3, x.at);
	EQ(1, s.in_flight);
	EQ(CYCLE_NEVER, s.part.wake);
	answer_port(&r, 20, 6);
	EQ(21, cgm_part_take_mail(&s.part));
	cgm_part_run(&s.part, 22);
	EQ(21, x.last);
	EQ(1001, x.tag);
	EQ(6, x.value);
	EQ(26, s.part.wake);
	cgm_part_run(&s.part, 40);
	EQ(26, x.at);
	EQ(2, x.sent);
	EQ(1, s.st.reads);
	EQ(21 - 3, s.st.read_ticks);
	EQ(18, s.st.read_max);
	arena_free(&r.a);
}

TEST(data, memory_keeps_the_bytes_of_a_mask_and_is_zero_elsewhere)
{
	struct cgm_store *s = cgm_store_new();
	uint8_t in[CGM_BLOCK], out[CGM_BLOCK];
	uint64_t far = UINT64_C(1) << 41;

	memset(in, 3, sizeof(in));
	memset(out, 1, sizeof(out));
	cgm_store_read(s, 12345, out);
	for (unsigned i = 0; i < CGM_BLOCK; i++)
		EQ(0, out[i]);
	OK(cgm_store_write(s, far, in, 0xf0));
	cgm_store_read(s, far, out);
	for (unsigned i = 0; i < CGM_BLOCK; i++)
		EQ(i >= 4 && i < 8 ? 3 : 0, out[i]);
	cgm_store_read(s, far + 1, out);
	EQ(0, out[4]);
	OK(cgm_store_bytes(s) > 0);
	cgm_store_free(s);
}
