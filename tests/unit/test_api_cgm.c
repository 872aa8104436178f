/* The memory system of CPUs and a GPU through the library. */
#include <stdio.h>
#include <string.h>

#include "heddle/heddle.h"
#include "test.h"

static struct heddle_cgm *system_of(const char *set, unsigned threads)
{
	struct heddle_cgm_options o = { .threads = threads };
	struct heddle_config *c = NULL;
	struct heddle_cgm *m = NULL;
	struct heddle_error err = { 0 };

	OK(!heddle_config_load(&c, HEDDLE_SOURCE_DIR "/configs/cgm.cfg", &err));
	OK(!set || !heddle_config_set(c, set, &err));
	OK(!heddle_cgm_new(&m, c, &o, &err));
	STREQ("", err.text);
	heddle_config_free(c);
	return m;
}

static struct heddle_cgm_request request(enum heddle_cgm_op op,
					 uint64_t address, uint64_t value)
{
	struct heddle_cgm_request r = {
		.op = op, .address = address, .size = 8, .tag = address ^ value
	};

	memcpy(r.value, &value, sizeof(value));
	return r;
}

/* One request from start to end, at a port without a driver. */
static uint64_t ask(struct heddle_cgm *m, enum heddle_cgm_port port,
		    const struct heddle_cgm_request *r)
{
	struct heddle_cgm_answer a = { 0 };
	uint64_t v;

	OK(!heddle_cgm_send(m, port, 0, r, NULL));
	OK(!heddle_cgm_run(m, HEDDLE_CGM_NEVER, NULL));
	EQ(1, heddle_cgm_take(m, port, 0, &a));
	EQ(0, heddle_cgm_take(m, port, 0, &a));
	EQ(r->tag, a.tag);
	EQ(r->op, a.op);
	memcpy(&v, a.value, sizeof(v));
	return v;
}

static uint64_t load(struct heddle_cgm *m, enum heddle_cgm_port port,
		     uint64_t address)
{
	struct heddle_cgm_request r = request(HEDDLE_CGM_LOAD, address, 0);

	return ask(m, port, &r);
}

/* A driver that sends requests of a list, each after the answer to the one
 * before, and remembers when. */
struct script {
	const struct heddle_cgm_request *request;
	unsigned count, at, answers;
	uint64_t gap; /* ticks from an answer to the next request */
	uint64_t sent[16], time[16], value[16];
};

static uint64_t script_next(void *ctx, uint64_t now,
			    struct heddle_cgm_request *r)
{
	struct script *s = ctx;

	if (s->at == s->count || s->answers < s->at)
		return HEDDLE_CGM_NEVER;
	if (s->at && now < s->time[s->at - 1] + s->gap)
		return s->time[s->at - 1] + s->gap;
	*r = s->request[s->at++];
	return now;
}

static void script_answer(void *ctx, const struct heddle_cgm_answer *a)
{
	struct script *s = ctx;

	s->sent[s->answers] = a->sent;
	s->time[s->answers] = a->time;
	memcpy(&s->value[s->answers++], a->value, 8);
}

static void attach(struct heddle_cgm *m, enum heddle_cgm_port port,
		   unsigned index, struct script *s)
{
	struct heddle_cgm_driver d = { script_next, script_answer, s };
	struct heddle_error err;

	EQ(0, heddle_cgm_attach(m, port, index, &d, &err));
	STREQ("", err.text);
}

TEST(api_cgm, a_port_has_values_and_times)
{
	struct heddle_cgm *m = system_of(NULL, 0);
	struct heddle_cgm_request store = request(HEDDLE_CGM_STORE, 0x1008, 42);
	struct heddle_cgm_request cas = request(HEDDLE_CGM_CAS, 0x1008, 7);
	struct heddle_cgm_info info;
	uint64_t before;

	cas.compare = 42;
	heddle_cgm_info(m, &info);
	EQ(4, info.cores);
	EQ(8, info.cus);
	EQ(UINT64_C(4000000000), info.ticks_per_second);
	EQ(1, info.cpu_cycle);
	EQ(4, info.gpu_cycle);
	EQ(2, info.memory_cycle);
	EQ(0, info.now);
	STREQ("serial", info.engine);
	ask(m, HEDDLE_CGM_PORT_DATA, &store);
	heddle_cgm_info(m, &info);
	OK(info.now > 0 && info.idle);
	before = info.now;
	EQ(42, load(m, HEDDLE_CGM_PORT_VECTOR, 0x1008));
	EQ(42, ask(m, HEDDLE_CGM_PORT_SCALAR, &cas));
	EQ(7, load(m, HEDDLE_CGM_PORT_FETCH, 0x1008));
	heddle_cgm_info(m, &info);
	OK(info.now > before);
	OK(info.bytes > 0);
	heddle_cgm_free(m);
}

TEST(api_cgm, a_driver_and_a_queue_take_the_same_time)
{
	const struct heddle_cgm_request r[] = {
		request(HEDDLE_CGM_STORE, 0x40, 1),
		request(HEDDLE_CGM_LOAD, 0x40, 0),
		request(HEDDLE_CGM_LOAD, 0x4000, 0),
		request(HEDDLE_CGM_ADD, 0x40, 5),
		request(HEDDLE_CGM_FLUSH, 0x40, 0),
		request(HEDDLE_CGM_LOAD, 0x40, 0),
	};
	enum { N = sizeof(r) / sizeof(r[0]) };
	struct script s = { .request = r, .count = N, .gap = 1 };
	struct heddle_cgm *driven = system_of(NULL, 0);
	struct heddle_cgm *queued = system_of(NULL, 0);
	struct heddle_cgm_answer a;
	uint64_t v;

	attach(driven, HEDDLE_CGM_PORT_DATA, 2, &s);
	EQ(0, heddle_cgm_run(driven, HEDDLE_CGM_NEVER, NULL));
	EQ(N, s.answers);
	for (unsigned i = 0; i < N; i++) {
		EQ(0, heddle_cgm_run(queued, s.sent[i], NULL));
		EQ(0, heddle_cgm_send(queued, HEDDLE_CGM_PORT_DATA, 2, &r[i],
				      NULL));
		EQ(0, heddle_cgm_run(queued, s.time[i], NULL));
		EQ(0, heddle_cgm_take(queued, HEDDLE_CGM_PORT_DATA, 2, &a));
		EQ(0, heddle_cgm_run(queued, s.time[i] + 1, NULL));
		EQ(1, heddle_cgm_take(queued, HEDDLE_CGM_PORT_DATA, 2, &a));
		EQ(s.sent[i], a.sent);
		EQ(s.time[i], a.time);
		memcpy(&v, a.value, 8);
		if (r[i].op == HEDDLE_CGM_LOAD || r[i].op == HEDDLE_CGM_ADD)
			EQ(s.value[i], v);
	}
	EQ(6, s.value[5]);
	heddle_cgm_free(driven);
	heddle_cgm_free(queued);
}

/* Everything that can be told of a run. */
struct told {
	struct heddle_cgm_info info;
	uint64_t stat[400];
	uint64_t value[4][16];
};

static void count_together(struct told *t, unsigned threads)
{
	static struct heddle_cgm_request r[16];
	struct heddle_cgm *m = system_of("cgm.l2_bytes=4K", threads);
	struct script s[4];
	struct heddle_stat x;

	for (unsigned i = 0; i < 16; i++)
		r[i] = request(i % 3 ? HEDDLE_CGM_ADD : HEDDLE_CGM_LOAD,
			       i % 5 * 8, i);
	for (unsigned i = 0; i < 4; i++) {
		s[i] = (struct script){ .request = r, .count = 16 };
		attach(m, i < 2 ? HEDDLE_CGM_PORT_DATA : HEDDLE_CGM_PORT_VECTOR,
		       i % 2, &s[i]);
	}
	memset(t, 0, sizeof(*t));
	EQ(0, heddle_cgm_run(m, HEDDLE_CGM_NEVER, NULL));
	heddle_cgm_info(m, &t->info);
	STREQ(threads > 1 ? "exact" : "serial", t->info.engine);
	OK(heddle_cgm_stats_count() < 400);
	for (size_t i = 0; i < heddle_cgm_stats_count(); i++) {
		EQ(0, heddle_cgm_stats_get(m, i, &x, NULL));
		t->stat[i] = x.count;
	}
	for (unsigned i = 0; i < 4; i++)
		memcpy(t->value[i], s[i].value, sizeof(s[i].value));
	heddle_cgm_free(m);
}

TEST(api_cgm_threads, threads_change_nothing)
{
	static const unsigned threads[] = { 2, 4, 8 };
	static struct told one, more;

	count_together(&one, 1);
	for (unsigned i = 0; i < 3; i++) {
		count_together(&more, threads[i]);
		EQ(one.info.now, more.info.now);
		OK(!memcmp(one.stat, more.stat, sizeof(one.stat)));
		OK(!memcmp(one.value, more.value, sizeof(one.value)));
	}
}
LABEL(api_cgm_threads, threads);

TEST(api_cgm, memory_can_be_filled_before_the_first_run)
{
	struct heddle_cgm *m = system_of(NULL, 0);
	struct heddle_error err;
	uint64_t data[40];

	for (unsigned i = 0; i < 40; i++)
		data[i] = 1000 + i;
	EQ(0, heddle_cgm_preload(m, 0x2038, data, sizeof(data), &err));
	EQ(0, heddle_cgm_preload(m, 0x2040, &(uint8_t){ 0xff }, 1, &err));
	EQ(HEDDLE_RANGE,
	   heddle_cgm_preload(m, (UINT64_C(1) << 46) - 8, data, 16, &err));
	EQ(1000, load(m, HEDDLE_CGM_PORT_DATA, 0x2038));
	EQ(1001 | 0xff, load(m, HEDDLE_CGM_PORT_DATA, 0x2040));
	EQ(1039, load(m, HEDDLE_CGM_PORT_VECTOR, 0x2038 + 39 * 8));
	EQ(0, load(m, HEDDLE_CGM_PORT_DATA, 0x2030));
	EQ(HEDDLE_RANGE, heddle_cgm_preload(m, 0, data, 8, &err));
	STREQ("memory is filled before the first run", err.text);
	heddle_cgm_free(m);
}

TEST(api_cgm, impossible_requests_are_refused)
{
	struct heddle_cgm *m = system_of(NULL, 0);
	struct {
		struct heddle_cgm_request r;
		const char *why;
	} bad[] = {
		{ { .op = 99, .size = 8 }, "there is no such operation" },
		{ { .op = (enum heddle_cgm_op) - 1, .size = 8 },
		  "there is no such operation" },
		{ { .op = HEDDLE_CGM_LOAD }, "the size is not 1 to 64 bytes" },
		{ { .op = HEDDLE_CGM_LOAD, .size = 65 },
		  "the size is not 1 to 64 bytes" },
		{ { .op = HEDDLE_CGM_LOAD, .size = 2, .address = 63 },
		  "the bytes cross the end of a block of 64" },
		{ { .op = HEDDLE_CGM_ADD, .size = 3 },
		  "an atomic has 1, 2, 4 or 8 bytes" },
		{ { .op = HEDDLE_CGM_FLUSH,
		    .size = 1,
		    .address = UINT64_C(1) << 46 },
		  "the address is not below 2^46" },
	};
	struct heddle_error err;

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[200];

		EQ(HEDDLE_RANGE, heddle_cgm_send(m, HEDDLE_CGM_PORT_DATA, 1,
						 &bad[i].r, &err));
		snprintf(text, sizeof(text), "data port of core 1: %s",
			 bad[i].why);
		STREQ(text, err.text);
	}
	EQ(64, heddle_cgm_room(m, HEDDLE_CGM_PORT_DATA, 1));
	EQ(0, heddle_cgm_run(m, HEDDLE_CGM_NEVER, &err));
	heddle_cgm_free(m);
}

TEST(api_cgm, a_port_that_is_not_there_is_refused)
{
	struct heddle_cgm *m = system_of("cgm.cus=0", 0);
	struct heddle_cgm_request r = request(HEDDLE_CGM_LOAD, 0, 0);
	struct heddle_cgm_answer a;
	struct heddle_cgm_info info;
	struct heddle_error err;

	EQ(HEDDLE_RANGE, heddle_cgm_send(m, HEDDLE_CGM_PORT_DATA, 4, &r, &err));
	STREQ("there is no data port of core 4: the memory system has 4 cores "
	      "and 0 compute units",
	      err.text);
	EQ(HEDDLE_RANGE, heddle_cgm_wake(m, HEDDLE_CGM_PORT_VECTOR, 0, &err));
	EQ(HEDDLE_RANGE, heddle_cgm_wake(m, (enum heddle_cgm_port)9, 0, &err));
	STREQ("there is no port of kind 9", err.text);
	EQ(HEDDLE_RANGE,
	   heddle_cgm_attach(m, (enum heddle_cgm_port) - 1, 0, NULL, &err));
	EQ(0, heddle_cgm_room(m, HEDDLE_CGM_PORT_SCALAR, 0));
	EQ(0, heddle_cgm_take(m, (enum heddle_cgm_port)9, 0, &a));
	heddle_cgm_info(m, &info);
	EQ(0, info.gpu_cycle);
	heddle_cgm_free(m);
	heddle_cgm_free(NULL);
}

TEST(api_cgm, a_queue_has_room_for_64)
{
	struct heddle_cgm *m = system_of(NULL, 0);
	struct heddle_cgm_request r = request(HEDDLE_CGM_LOAD, 0, 0);
	struct heddle_cgm_answer a;
	struct heddle_error err;

	for (unsigned i = 0; i < HEDDLE_CGM_DEPTH; i++) {
		r.address = 64 * i;
		r.tag = i;
		EQ(0, heddle_cgm_send(m, HEDDLE_CGM_PORT_DATA, 0, &r, &err));
	}
	EQ(0, heddle_cgm_room(m, HEDDLE_CGM_PORT_DATA, 0));
	EQ(HEDDLE_RANGE, heddle_cgm_send(m, HEDDLE_CGM_PORT_DATA, 0, &r, &err));
	STREQ("data port of core 0: no room, 64 requests have not been "
	      "answered, or their answers not taken",
	      err.text);
	EQ(0, heddle_cgm_run(m, HEDDLE_CGM_NEVER, &err));
	/* Answers that nobody takes keep their places. */
	EQ(HEDDLE_RANGE, heddle_cgm_send(m, HEDDLE_CGM_PORT_DATA, 0, &r, &err));
	EQ(HEDDLE_RANGE,
	   heddle_cgm_attach(m, HEDDLE_CGM_PORT_DATA, 0, NULL, &err));
	STREQ("data port of core 0: 64 answers are due", err.text);
	for (unsigned i = 0; i < HEDDLE_CGM_DEPTH; i++)
		EQ(1, heddle_cgm_take(m, HEDDLE_CGM_PORT_DATA, 0, &a));
	EQ(0, heddle_cgm_take(m, HEDDLE_CGM_PORT_DATA, 0, &a));
	EQ(64, heddle_cgm_room(m, HEDDLE_CGM_PORT_DATA, 0));
	heddle_cgm_free(m);
}

/* A driver that breaks a rule. */
struct rogue {
	struct heddle_cgm *m;
	uint64_t at; /* returned, if not 0 */
	bool calls, sends;
	int status;
};

static uint64_t rogue_next(void *ctx, uint64_t now,
			   struct heddle_cgm_request *r)
{
	struct rogue *b = ctx;

	if (b->calls) {
		b->calls = false;
		b->status = heddle_cgm_run(b->m, HEDDLE_CGM_NEVER, NULL);
		OK(heddle_cgm_wake(b->m, HEDDLE_CGM_PORT_DATA, 0, NULL));
		return HEDDLE_CGM_NEVER;
	}
	if (b->sends) {
		b->sends = false;
		r->op = HEDDLE_CGM_STORE;
		r->address = 60;
		r->size = 8;
		return now;
	}
	return b->at ? b->at : HEDDLE_CGM_NEVER;
}

static void rogue_answer(void *ctx, const struct heddle_cgm_answer *a)
{
	(void)ctx, (void)a;
}

TEST(api_cgm, a_driver_that_breaks_a_rule_ends_with_its_port)
{
	struct heddle_cgm *m = system_of(NULL, 0);
	struct rogue b = { .m = m, .sends = true };
	struct heddle_cgm_driver d = { rogue_next, rogue_answer, &b };
	const struct heddle_cgm_request r[] = { request(HEDDLE_CGM_STORE, 8,
							3) };
	struct script s = { .request = r, .count = 1 };
	struct heddle_error err;

	attach(m, HEDDLE_CGM_PORT_DATA, 0, &s);
	EQ(0, heddle_cgm_attach(m, HEDDLE_CGM_PORT_VECTOR, 5, &d, &err));
	EQ(HEDDLE_RANGE, heddle_cgm_run(m, HEDDLE_CGM_NEVER, &err));
	STREQ("the driver of the vector port of compute unit 5, tick 0: the "
	      "bytes cross the end of a block of 64",
	      err.text);
	/* The others have gone on. */
	EQ(1, s.answers);
	b.at = 1;
	EQ(0, heddle_cgm_wake(m, HEDDLE_CGM_PORT_VECTOR, 5, &err));
	EQ(HEDDLE_RANGE, heddle_cgm_run(m, HEDDLE_CGM_NEVER, &err));
	OK(strstr(err.text, "it wants to be asked in the past"));
	b.at = 0;
	b.calls = true;
	EQ(0, heddle_cgm_wake(m, HEDDLE_CGM_PORT_VECTOR, 5, &err));
	EQ(0, heddle_cgm_run(m, HEDDLE_CGM_NEVER, &err));
	EQ(HEDDLE_RANGE, b.status);
	EQ(HEDDLE_RANGE,
	   heddle_cgm_send(m, HEDDLE_CGM_PORT_VECTOR, 5, r, &err));
	STREQ("vector port of compute unit 5 has a driver", err.text);
	EQ(0, heddle_cgm_attach(m, HEDDLE_CGM_PORT_VECTOR, 5, NULL, &err));
	EQ(0, heddle_cgm_send(m, HEDDLE_CGM_PORT_VECTOR, 5, r, &err));
	d.answer = NULL;
	EQ(HEDDLE_RANGE,
	   heddle_cgm_attach(m, HEDDLE_CGM_PORT_VECTOR, 4, &d, &err));
	STREQ("a driver needs both functions", err.text);
	heddle_cgm_free(m);
}

TEST(api_cgm, time_does_not_go_back)
{
	struct heddle_cgm *m = system_of(NULL, 0);
	struct heddle_cgm_info info;
	struct heddle_error err;

	EQ(0, heddle_cgm_run(m, 1000, &err));
	heddle_cgm_info(m, &info);
	EQ(1000, info.now);
	EQ(HEDDLE_RANGE, heddle_cgm_run(m, 999, &err));
	STREQ("tick 999 is over: it is 1000", err.text);
	EQ(0, heddle_cgm_run(m, 1000, &err));
	EQ(0, heddle_cgm_run(m, HEDDLE_CGM_NEVER, &err));
	heddle_cgm_info(m, &info);
	EQ(1000, info.now);
	heddle_cgm_free(m);
}

TEST(api_cgm, engines_and_configurations_are_checked)
{
	struct heddle_cgm_options o = { .engine = "slack:4" };
	struct heddle_config *c = NULL;
	struct heddle_cgm *m = NULL;
	struct heddle_error err;

	OK(!heddle_config_load(&c, HEDDLE_SOURCE_DIR "/configs/cgm.cfg", &err));
	EQ(HEDDLE_UNSUPP, heddle_cgm_new(&m, c, &o, &err));
	OK(!m);
	o.engine = "none";
	EQ(HEDDLE_UNKNOWN, heddle_cgm_new(&m, c, &o, &err));
	o.engine = "serial";
	o.threads = 8;
	EQ(0, heddle_cgm_new(&m, c, &o, &err));
	heddle_cgm_free(m);
	EQ(0, heddle_config_set(c, "cgm.gpu_at=memory", &err));
	EQ(HEDDLE_RANGE, heddle_cgm_new(&m, c, NULL, &err));
	OK(strstr(err.text, "cgm.gpu_protocol"));
	heddle_config_free(c);
}

TEST(api_cgm, statistics_have_names)
{
	struct heddle_cgm *m = system_of(NULL, 0);
	struct heddle_stat s;
	struct heddle_error err;
	bool peak = false;

	load(m, HEDDLE_CGM_PORT_DATA, 0);
	load(m, HEDDLE_CGM_PORT_DATA, 8);
	EQ(0, heddle_cgm_stats_find(m, "l1d.hits", &s, &err));
	EQ(1, s.count);
	STREQ("l1d", s.group);
	STREQ("access", s.unit);
	EQ(HEDDLE_UNKNOWN, heddle_cgm_stats_find(m, "l1d.hit", &s, &err));
	EQ(HEDDLE_UNKNOWN, heddle_cgm_stats_find(m, "l1d", &s, &err));
	EQ(HEDDLE_UNKNOWN, heddle_cgm_stats_find(m, "", &s, &err));
	STREQ("no statistic named ''", err.text);
	for (size_t i = 0; i < heddle_cgm_stats_count(); i++) {
		EQ(0, heddle_cgm_stats_get(m, i, &s, &err));
		peak |= s.kind == HEDDLE_STAT_PEAK;
	}
	OK(peak);
	EQ(HEDDLE_RANGE,
	   heddle_cgm_stats_get(m, heddle_cgm_stats_count(), &s, &err));
	heddle_cgm_free(m);
}
