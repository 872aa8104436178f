/*
 * The arbiter of external memory: random requests of its three users to a memory that is
 * ready at random and answers late. Loads and stores go first, then the exchange of
 * registers, then the host; an answer goes to who has asked.
 */
#include <stdio.h>
#include <string.h>

#include "port.h"
#include "random.h"
#include "test.h"

enum { READS = 64, LINES = 1 << 23 };

struct bench {
	struct port_in in;
	struct port_out out;
	uint8_t asked[READS]; /* users whose reads are under way, in order */
	unsigned first, count;
	unsigned slow; /* memory answers one cycle in so many */
	uint64_t taken[PORT_USERS], answers[PORT_USERS];
	uint64_t full, writes_of_full;
};

/* A user that has no request makes one, now and then. */
static void new_request(struct port_request *r)
{
	if (r->valid)
		return;
	r->valid = random_bits() % 3 == 0;
	r->write = random_bits() % 3 == 0;
	r->line = random_bits() % LINES;
	for (int i = 0; i < PORT_BYTES; i++)
		r->bytes[i] = random_bits();
	for (int i = 0; i < PORT_DATA; i++)
		r->data[i] = random_bits();
}

/* The user whose request is next; PORT_USERS: none. */
static unsigned next_user(const struct port_in *in)
{
	unsigned u = 0;

	while (u < PORT_USERS && !in->user[u].valid)
		u++;
	return u;
}

static void check_request(struct bench *b)
{
	unsigned u = next_user(&b->in);
	const struct port_request *r = &b->in.user[u];
	bool goes;

	if (u == PORT_USERS) {
		OK(!b->out.mem.valid);
		return;
	}
	goes = r->write || b->count < READS;
	EQ(goes, b->out.mem.valid);
	for (unsigned i = 0; i < PORT_USERS; i++)
		if (b->in.user[i].valid)
			EQ(i == u && goes && b->in.mem_ready, b->out.ready[i]);
	EQ(u == PORT_LS && b->out.ready[u], b->out.took_ls);
	EQ(u == PORT_SWITCH && b->out.ready[u], b->out.took_switch);
	if (!goes)
		return;
	EQ(r->write, b->out.mem.write);
	EQ(r->line, b->out.mem.line);
	OK(!memcmp(r->bytes, b->out.mem.bytes, sizeof(r->bytes)));
	OK(!memcmp(r->data, b->out.mem.data, sizeof(r->data)));
}

static void check_answer(const struct bench *b)
{
	for (unsigned i = 0; i < PORT_USERS; i++)
		EQ(b->in.mem_resp_valid && b->asked[b->first] == i,
		   b->out.resp_valid[i]);
}

/* What this cycle changes. */
static void account(struct bench *b)
{
	unsigned u = next_user(&b->in);

	b->full += b->count == READS;
	if (u < PORT_USERS && b->out.ready[u]) {
		b->taken[u]++;
		b->in.user[u].valid = false;
		b->writes_of_full += b->count == READS;
		if (!b->in.user[u].write)
			b->asked[(b->first + b->count++) % READS] = (uint8_t)u;
	}
	if (b->in.mem_resp_valid) {
		b->answers[b->asked[b->first]]++;
		b->first = (b->first + 1) % READS;
		b->count--;
	}
}

TEST(rtl_port, serves_its_users_in_order_and_answers_who_asked)
{
	static struct bench b;

	b.in.reset = true;
	port_cycle(&b.in, &b.out);
	b.in.reset = false;
	for (uint64_t i = 0; i < 20 * random_words(); i++) {
		/* Sometimes so slow that all reads are under way. */
		b.slow = i / 1000 % 3 == 2 ? 8 : 2;
		for (unsigned u = 0; u < PORT_USERS; u++)
			new_request(&b.in.user[u]);
		b.in.mem_ready = random_bits() % 4 != 0;
		b.in.mem_resp_valid = b.count && random_bits() % b.slow == 0;
		port_cycle(&b.in, &b.out);
		check_request(&b);
		check_answer(&b);
		account(&b);
	}
	printf("  %u, %u and %u requests; %u cycles with all reads under way\n",
	       (unsigned)b.taken[0], (unsigned)b.taken[1], (unsigned)b.taken[2],
	       (unsigned)b.full);
	for (unsigned u = 0; u < PORT_USERS; u++)
		OK(b.taken[u] > 100 && b.answers[u] > 50);
	OK(b.full > 100 && b.writes_of_full > 10);
}
