/* Messages between partitions whose clocks differ. */
#include "test.h"

#include "net/post.h"

enum { PARTITIONS = 4, ROOM = 300 };

struct net {
	struct arena arena;
	struct wires *w;
	struct post *post;
	struct post_late late;
};

static void net_new(struct net *n)
{
	struct wire_room room[PARTITIONS];
	struct diag d;

	for (uint32_t i = 0; i < PARTITIONS; i++)
		room[i] = (struct wire_room){ .out = ROOM, .in = ROOM };
	*n = (struct net){ 0 };
	EQ(ERR_OK, wires_new(&n->w, &n->arena, PARTITIONS, room, 100, &d));
	arena_seal(&n->arena);
	for (uint32_t i = 0; i < PARTITIONS; i++)
		wire_open(n->w, i, 0);
	n->post = post_new(n->w);
	OK(n->post != NULL);
}

static void net_free(struct net *n)
{
	for (uint32_t i = 0; i < PARTITIONS; i++)
		EQ(0, wire_waiting(n->w, i));
	post_free(n->post);
	arena_free(&n->arena);
}

static void send(struct net *n, uint32_t from, uint32_t to, cycle_t time,
		 uint32_t id)
{
	struct msg m = { .time = time, .id = id, .kind = MSG_READ };

	wire_send(n->w, from, to, &m);
}

static void expect(struct net *n, uint32_t partition, cycle_t time, uint32_t id)
{
	struct msg m = { 0 };

	OK(wire_take(n->w, partition, 1000000, &m));
	EQ(time, m.time);
	EQ(id, m.id);
}

TEST(post, messages_are_ordered_by_time_source_and_sequence)
{
	struct net n;

	net_new(&n);
	send(&n, 2, 0, 50, 1);
	send(&n, 2, 0, 40, 2);
	send(&n, 2, 0, 40, 3);
	OK(post_send(n.post, 2));
	send(&n, 1, 0, 40, 4);
	send(&n, 1, 3, 10, 5);
	OK(post_send(n.post, 1));
	EQ(40, post_first(n.post, 0));
	EQ(4, post_waiting(n.post, 0));
	EQ(CYCLE_NEVER, post_first(n.post, 2));
	post_take(n.post, 0, 0, 50, UINT32_MAX, &n.late);
	EQ(50, post_first(n.post, 0));
	expect(&n, 0, 40, 4);
	expect(&n, 0, 40, 2);
	expect(&n, 0, 40, 3);
	post_take(n.post, 0, 50, 51, UINT32_MAX, &n.late);
	expect(&n, 0, 50, 1);
	post_take(n.post, 3, 0, 11, UINT32_MAX, &n.late);
	expect(&n, 3, 10, 5);
	EQ(0, n.late.messages);
	net_free(&n);
}

TEST(post, an_inbox_grows_and_shrinks_in_order)
{
	uint32_t sent = 0, got = 0;
	struct net n;

	net_new(&n);
	for (cycle_t t = 1; t <= 60; t++) {
		/* It grows to 200 messages and shrinks to none. */
		uint32_t more = t <= 20 ? 30 : 10, less = t <= 40 ? 20 : 10;

		for (uint32_t i = 0; i < more; i++)
			send(&n, 1, 0, t, sent++);
		OK(post_send(n.post, 1));
		post_take(n.post, 0, t, t + 1, UINT32_MAX, &n.late);
		for (uint32_t i = 0; i < less && got < sent; i++) {
			struct msg m = { 0 };

			OK(wire_take(n.w, 0, t, &m));
			EQ(got++, m.id);
		}
	}
	EQ(sent, got);
	net_free(&n);
}

TEST(post, a_late_message_arrives_now_and_is_counted)
{
	struct net n;

	net_new(&n);
	send(&n, 1, 0, 10, 1);
	send(&n, 1, 0, 17, 2);
	send(&n, 1, 0, 20, 3);
	OK(post_send(n.post, 1));
	post_take(n.post, 0, 20, 30, UINT32_MAX, &n.late);
	expect(&n, 0, 20, 1);
	expect(&n, 0, 20, 2);
	expect(&n, 0, 20, 3);
	EQ(2, n.late.messages);
	EQ(13, n.late.cycles);
	EQ(10, n.late.max);
	net_free(&n);
}

TEST(post, a_message_older_than_one_already_taken_is_late)
{
	struct net n;

	net_new(&n);
	send(&n, 1, 0, 25, 1);
	send(&n, 1, 0, 40, 2);
	OK(post_send(n.post, 1));
	/* Messages that are not due stay in the queue, and are ordered among
	 * those sent until they are taken. */
	post_take(n.post, 0, 0, 30, UINT32_MAX, &n.late);
	send(&n, 2, 0, 35, 3);
	send(&n, 2, 0, 20, 4);
	OK(post_send(n.post, 2));
	EQ(3, post_waiting(n.post, 0));
	expect(&n, 0, 25, 1);
	EQ(0, n.late.messages);
	post_take(n.post, 0, 30, 41, UINT32_MAX, &n.late);
	expect(&n, 0, 30, 4);
	expect(&n, 0, 35, 3);
	expect(&n, 0, 40, 2);
	EQ(1, n.late.messages);
	EQ(10, n.late.cycles);
	net_free(&n);
}

TEST(post, only_as_many_are_taken_as_there_is_room_for)
{
	struct net n;

	net_new(&n);
	for (uint32_t k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < ROOM; i++)
			send(&n, 1, 0, 5, k * ROOM + i);
		OK(post_send(n.post, 1));
	}
	post_take(n.post, 0, 0, 10, 7, &n.late);
	EQ(2 * ROOM - 7, post_waiting(n.post, 0));
	post_take(n.post, 0, 0, 10, UINT32_MAX, &n.late);
	EQ(ROOM, post_waiting(n.post, 0));
	for (uint32_t i = 0; i < ROOM; i++)
		expect(&n, 0, 5, i);
	post_take(n.post, 0, 10, 20, UINT32_MAX, &n.late);
	for (uint32_t i = 0; i < ROOM; i++)
		expect(&n, 0, 10, ROOM + i);
	EQ(ROOM, n.late.messages);
	net_free(&n);
}

TEST(post, nothing_can_be_freed)
{
	post_free(NULL);
}
