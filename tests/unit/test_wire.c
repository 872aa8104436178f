/* Order, room and time of messages between partitions. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "net/wire.h"

enum { PARTITIONS = 11, MOST = 70, LATENCY = 20, SPREAD = 30, ROOM = 4096 };
enum { CYCLES = 400 };

struct net {
	struct arena arena;
	struct wires *w;
};

static void net_new(struct net *n, uint32_t partitions, cycle_t horizon)
{
	struct wire_room room[MOST];
	struct diag d;

	for (uint32_t i = 0; i < partitions; i++)
		room[i] = (struct wire_room){ .out = ROOM, .in = ROOM };
	*n = (struct net){ 0 };
	EQ(ERR_OK, wires_new(&n->w, &n->arena, partitions, room, horizon, &d));
	arena_seal(&n->arena);
}

static void send(struct net *n, uint32_t from, uint32_t to, cycle_t time,
		 uint32_t id)
{
	struct msg m = { .time = time, .id = id, .kind = MSG_READ };

	wire_send(n->w, from, to, &m);
}

/* The id of the next message, or -1. */
static int64_t take(struct net *n, uint32_t partition, cycle_t now)
{
	struct msg m;

	return wire_take(n->w, partition, now, &m) ? (int64_t)m.id : -1;
}

static void open_all(struct net *n, uint32_t partitions, unsigned parity)
{
	for (uint32_t i = 0; i < partitions; i++)
		wire_open(n->w, i, parity);
}

TEST(wire, a_message_is_found_in_the_next_window_and_taken_at_its_time)
{
	struct net n;

	net_new(&n, 3, 100);
	open_all(&n, 3, 0);
	EQ(0, wire_any(n.w, 0));
	EQ(CYCLE_NEVER, wire_sent(n.w, 1));
	send(&n, 1, 2, 25, 7);
	EQ(25, wire_sent(n.w, 1));
	EQ(1, wire_any(n.w, 0));
	EQ(1, wire_waiting(n.w, 2));
	EQ(CYCLE_NEVER, wire_next(n.w, 2));
	EQ(25, wire_open(n.w, 2, 1));
	EQ(CYCLE_NEVER, wire_open(n.w, 0, 1));
	EQ(CYCLE_NEVER, wire_open(n.w, 1, 1));
	EQ(1, wire_waiting(n.w, 2));
	EQ(-1, take(&n, 2, 24));
	EQ(7, take(&n, 2, 25));
	EQ(-1, take(&n, 2, 1000));
	EQ(CYCLE_NEVER, wire_next(n.w, 2));
	EQ(0, wire_waiting(n.w, 2));
	arena_free(&n.arena);
}

TEST(wire, what_is_collected_is_received_once)
{
	const uint64_t both = UINT64_C(1) << 3 | UINT64_C(1) << 5;
	struct net n;

	net_new(&n, MOST, 100);
	wires_deal(n.w, 3, 0, 70);
	open_all(&n, 70, 0);
	send(&n, 0, 3, 25, 1);
	send(&n, 68, 3, 24, 2);
	send(&n, 69, 5, 30, 3);
	send(&n, 69, 4, 30, 4);
	EQ(both, wire_collect(n.w, 0, 0, both));
	EQ(UINT64_C(1) << 4, wire_mail(n.w, 0, 0)); /* outside the mask */
	EQ(0, wire_collect(n.w, 0, 0, both));
	EQ(24, wire_receive(n.w, 3, 0));
	EQ(30, wire_receive(n.w, 5, 0));
	EQ(2, take(&n, 3, 24));
	EQ(1, take(&n, 3, 25));
	EQ(3, take(&n, 5, 30));
	EQ(0, wire_waiting(n.w, 3) + wire_waiting(n.w, 5));
	EQ(30, wire_take_sent(n.w, 69));
	EQ(CYCLE_NEVER, wire_take_sent(n.w, 69));
	arena_free(&n.arena);
}

TEST(wire, mail_is_known_until_it_is_opened)
{
	struct net n;

	net_new(&n, MOST, 100);
	wires_deal(n.w, 3, 0, 70);
	open_all(&n, 70, 0);
	for (unsigned word = 0; word < 2; word++)
		EQ(0, wire_mail(n.w, 0, word));
	send(&n, 0, 69, 25, 1);
	send(&n, 68, 69, 25, 2);
	send(&n, 69, 3, 25, 3);
	EQ(UINT64_C(1) << 3, wire_mail(n.w, 0, 0));
	EQ(UINT64_C(1) << (69 - 64), wire_mail(n.w, 0, 1));
	EQ(0, wire_mail(n.w, 1, 0) | wire_mail(n.w, 1, 1));
	wire_open(n.w, 4, 1); /* another one's */
	wire_open(n.w, 69, 1);
	EQ(0, wire_mail(n.w, 0, 1));
	EQ(UINT64_C(1) << 3, wire_mail(n.w, 0, 0));
	wire_open(n.w, 3, 1);
	EQ(0, wire_any(n.w, 0));
	EQ(1, take(&n, 69, 25));
	EQ(2, take(&n, 69, 25));
	EQ(3, take(&n, 3, 25));
	arena_free(&n.arena);
}

TEST(wire, a_message_arrives_only_once)
{
	struct net n;

	net_new(&n, 2, 100);
	open_all(&n, 2, 0);
	send(&n, 0, 1, 30, 1);
	for (unsigned k = 1; k < 6; k++)
		open_all(&n, 2, k & 1);
	EQ(0, wire_any(n.w, 0));
	EQ(1, take(&n, 1, 30));
	EQ(-1, take(&n, 1, 99));
	arena_free(&n.arena);
}

TEST(wire, equal_times_are_ordered_by_source_then_by_sequence)
{
	struct net n;

	net_new(&n, 5, 100);
	open_all(&n, 5, 0);
	send(&n, 3, 0, 50, 30);
	send(&n, 3, 0, 50, 31);
	send(&n, 1, 0, 60, 10);
	open_all(&n, 5, 1);
	/* Sent later, for the same time. */
	send(&n, 1, 0, 50, 11);
	send(&n, 3, 0, 50, 32);
	send(&n, 4, 0, 50, 40);
	send(&n, 1, 0, 50, 12);
	EQ(50, wire_open(n.w, 0, 0));
	EQ(11, take(&n, 0, 60));
	EQ(12, take(&n, 0, 60));
	EQ(30, take(&n, 0, 60));
	EQ(31, take(&n, 0, 60));
	EQ(32, take(&n, 0, 60));
	EQ(40, take(&n, 0, 60));
	EQ(60, wire_next(n.w, 0));
	EQ(10, take(&n, 0, 60));
	EQ(-1, take(&n, 0, 60));
	arena_free(&n.arena);
}

TEST(wire, all_of_a_message_arrives)
{
	struct msg m = {
		.time = 9,
		.chunk = UINT64_C(0x123456789abc),
		.id = 77,
		.kind = MSG_ATOMIC,
		.sectors = 5,
		.flags = MSG_NO_RESULT,
		.lanes = 31,
		.bytes = { 1, 2, 3, 4 },
	};
	struct msg got;
	struct net n;

	net_new(&n, 2, 10);
	open_all(&n, 2, 0);
	wire_send(n.w, 1, 0, &m);
	wire_open(n.w, 0, 1);
	OK(wire_take(n.w, 0, 9, &got));
	EQ(1, got.source);
	EQ(m.chunk, got.chunk);
	EQ(77, got.id);
	EQ(MSG_ATOMIC, got.kind);
	EQ(5, got.sectors);
	EQ(MSG_NO_RESULT, got.flags);
	EQ(31, got.lanes);
	EQ(0, memcmp(m.bytes, got.bytes, sizeof(m.bytes)));
	arena_free(&n.arena);
}

TEST(wire, exceeding_the_room_or_sending_to_no_partition_is_a_bug)
{
	struct wire_room room[2] = {
		{ .out = 1, .in = 2 },
		{ .out = 2, .in = 2 },
	};
	struct net n = { 0 };
	struct diag d;

	EQ(ERR_OK, wires_new(&n.w, &n.arena, 2, room, 10, &d));
	open_all(&n, 2, 0);
	send(&n, 1, 0, 5, 0);
	send(&n, 1, 0, 6, 0);
	DIES(send(&n, 1, 0, 7, 0));
	DIES(send(&n, 0, 2, 7, 0));
	wire_open(n.w, 0, 1);
	wire_open(n.w, 1, 1);
	/* Two have not been taken. */
	send(&n, 1, 0, 8, 0);
	DIES(wire_open(n.w, 0, 0));
	wires_use_outboxes(n.w, true);
	send(&n, 0, 1, 5, 0);
	DIES(send(&n, 0, 1, 6, 0));
	arena_free(&n.arena);
}

TEST(wire, a_distant_horizon_does_not_change_the_order)
{
	const cycle_t times[] = { 70000, 5, 5003, 5001, 6, 70000, 5002, 5001 };
	const int64_t order[] = { 1, 4, 3, 7, 6, 2, 0, 5 };
	struct net n;

	net_new(&n, 3, 1 << 20);
	open_all(&n, 3, 0);
	for (uint32_t i = 0; i < 8; i++)
		send(&n, i / 4 + 1, 0, times[i], i);
	EQ(5, wire_open(n.w, 0, 1));
	for (uint32_t i = 0; i < 8; i++)
		EQ(order[i], take(&n, 0, 70000));
	EQ(-1, take(&n, 0, 70000));
	arena_free(&n.arena);
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x * UINT64_C(0x2545f4914f6cdd1d) >> 33;
}

/* Takes the messages up to `until`, checks their order, returns how many. */
static uint32_t take_all(struct net *n, uint32_t partition, cycle_t until)
{
	struct msg m, last = { 0 };
	uint32_t count = 0;

	for (; wire_take(n->w, partition, until, &m); last = m, count++)
		OK(m.time > last.time ||
		   (m.time == last.time &&
		    (m.source > last.source ||
		     (m.source == last.source && m.id > last.id))));
	return count;
}

TEST(wire, more_than_a_few_messages_arrive_in_order)
{
	uint64_t seed = 3;
	struct net n;

	net_new(&n, 4, 300);
	for (uint32_t window = 0; window < 3; window++) {
		open_all(&n, 4, window & 1);
		for (uint32_t i = 0; i < 100; i++)
			for (uint32_t from = 1; from < 4; from++)
				send(&n, from, 0,
				     100 + next_random(&seed) % 100,
				     1000 * window + i);
	}
	wire_open(n.w, 0, 1);
	EQ(900, wire_waiting(n.w, 0));
	OK(take_all(&n, 0, 150) > 300);
	OK(wire_next(n.w, 0) > 150);
	take_all(&n, 0, 200);
	EQ(0, wire_waiting(n.w, 0));
	arena_free(&n.arena);
}

TEST(wire, impossible_wires_are_refused)
{
	struct wire_room room = { .out = 1, .in = 1 };
	struct arena a = { 0 };
	struct wires *w;
	struct diag d;

	EQ(ERR_RANGE, wires_new(&w, &a, 0, &room, 10, &d));
	EQ(ERR_RANGE, wires_new(&w, &a, 1 << 16, &room, 10, &d));
	EQ(ERR_RANGE, wires_new(&w, &a, 1, &room, 0, &d));
	EQ(ERR_RANGE, wires_new(&w, &a, 1, &room, 1 << 30, &d));
	arena_free(&a);
}

/* Random traffic, the same for every window. */
struct planned {
	cycle_t sent;
	uint32_t from, to, sequence;
	cycle_t time;
};

static uint32_t plan(struct planned *p, uint64_t seed)
{
	uint32_t n = 0;

	for (cycle_t t = 0; t < CYCLES; t++)
		for (uint32_t from = 0; from < PARTITIONS; from++)
			for (uint64_t k = next_random(&seed) % 3; k > 0; k--) {
				p[n] = (struct planned){
					.sent = t,
					.from = from,
					.to = next_random(&seed) % PARTITIONS,
					.sequence = n,
					.time = t + LATENCY +
						next_random(&seed) % SPREAD,
				};
				n++;
			}
	return n;
}

static int by_arrival(const void *a, const void *b)
{
	const struct planned *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->sequence < y->sequence ? -1 : 1;
}

/* Sends the plan in windows of this size and records the order of arrival. */
static void play(const struct planned *p, uint32_t count, cycle_t window,
		 unsigned threads, uint32_t (*order)[ROOM], uint32_t *got)
{
	struct net n;
	uint32_t i = 0;
	unsigned parity = 0;

	net_new(&n, PARTITIONS, window + LATENCY + SPREAD);
	wires_deal(n.w, threads, 0, PARTITIONS);
	memset(got, 0, PARTITIONS * sizeof(*got));
	for (cycle_t t = 0; t < CYCLES + 2 * LATENCY + SPREAD; t += window) {
		uint32_t first = i;

		for (uint32_t partition = 0; partition < PARTITIONS;
		     partition++) {
			cycle_t end = t + window;
			struct msg m;

			wire_open(n.w, partition, parity);
			while (wire_take(n.w, partition, end - 1, &m)) {
				OK(m.time >= t);
				order[partition][got[partition]++] = m.id;
			}
			for (i = first; i < count && p[i].sent < end; i++)
				if (p[i].from == partition)
					send(&n, partition, p[i].to, p[i].time,
					     p[i].sequence);
		}
		parity ^= 1;
	}
	for (uint32_t partition = 0; partition < PARTITIONS; partition++)
		EQ(0, wire_waiting(n.w, partition));
	arena_free(&n.arena);
}

TEST(wire, random_traffic_has_one_order_for_any_window_and_threads)
{
	static struct planned p[PARTITIONS * CYCLES * 3],
		sorted[PARTITIONS * CYCLES * 3];
	static uint32_t order[PARTITIONS][ROOM];
	uint32_t got[PARTITIONS], at[PARTITIONS], count = plan(p, 12345);

	memcpy(sorted, p, sizeof(p));
	qsort(sorted, count, sizeof(*sorted), by_arrival);
	for (cycle_t window = 1; window <= LATENCY; window++) {
		play(p, count, window, 1 + (unsigned)window % 6, order, got);
		memset(at, 0, sizeof(at));
		for (uint32_t i = 0; i < count; i++) {
			uint32_t to = sorted[i].to;

			EQ(sorted[i].sequence, order[to][at[to]]);
			at[to]++;
		}
		EQ(0, memcmp(at, got, sizeof(at)));
	}
}
