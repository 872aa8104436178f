/*
 * The memory system of CPUs and a GPU through the library: its ports, and whoever
 * drives them. A port without a driver of the caller's has one that sends what
 * waits in a queue, so that both ways of driving it take the same time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "cfg/configs.h"
#include "mem/cgm/system.h"

/* clang-format off */
#define OPERATION(id, name, sort, doc) \
	_Static_assert((int)HEDDLE_CGM_##id == (int)CGM_OP_##id, name);
#include "mem/cgm/proto.def"
/* clang-format on */

_Static_assert((int)HEDDLE_CGM_PORT_FETCH == (int)CGM_PORT_FETCH &&
		       (int)HEDDLE_CGM_PORT_DATA == (int)CGM_PORT_DATA &&
		       (int)HEDDLE_CGM_PORT_VECTOR == (int)CGM_PORT_VECTOR &&
		       (int)HEDDLE_CGM_PORT_SCALAR == (int)CGM_PORT_SCALAR,
	       "ports");
_Static_assert((int)HEDDLE_CGM_BLOCK == (int)CGM_BLOCK &&
		       (int)HEDDLE_CGM_DEPTH == (int)CGM_SOURCE_DEPTH &&
		       HEDDLE_CGM_NEVER == CYCLE_NEVER,
	       "numbers");

struct cgm_flown {
	uint64_t tag, sent;
	bool used;
};

struct cgm_socket {
	struct cgm_source *source;
	struct heddle_cgm_driver driver;
	bool driven; /* by the caller's; else by the queue */
	struct heddle_cgm_request request;
	struct cgm_flown flight[HEDDLE_CGM_DEPTH];
	unsigned in_flight;
	/* Why a driver's request is impossible; NULL: it is not. */
	const char *wrong;
	uint64_t wrong_at;
	/* Of the queue: requests to be sent, answers to be taken. */
	struct heddle_cgm_request *queue;
	struct heddle_cgm_answer *answer;
	unsigned first, queued, first_answer, answers;
};

struct heddle_cgm {
	struct cgm_system *system;
	struct engine_plan plan;
	struct cgm_socket *socket; /* those of the cores, then of the GPU */
	unsigned cores, cus;
	bool started, running, lost;
};

static const char *const cgm_port_names[] = { "fetch port of core",
					      "data port of core",
					      "vector port of compute unit",
					      "scalar port of compute unit" };

/*
 * Ports
 */

static struct cgm_socket *cgm_socket_find(const struct heddle_cgm *m,
					  enum heddle_cgm_port port,
					  unsigned index)
{
	bool gpu = port == HEDDLE_CGM_PORT_VECTOR ||
		   port == HEDDLE_CGM_PORT_SCALAR;
	unsigned second = port == HEDDLE_CGM_PORT_DATA ||
			  port == HEDDLE_CGM_PORT_SCALAR;

	if ((unsigned)port > HEDDLE_CGM_PORT_SCALAR ||
	    index >= (gpu ? m->cus : m->cores))
		return NULL;
	return &m->socket[2 * ((gpu ? m->cores : 0) + (size_t)index) + second];
}

/* The port's number in the messages. */
static void cgm_socket_name(const struct heddle_cgm *m,
			    const struct cgm_socket *k, char *to, size_t size)
{
	size_t at = (size_t)(k - m->socket);
	bool gpu = at >= 2 * (size_t)m->cores;

	snprintf(to, size, "%s %zu", cgm_port_names[2 * gpu + at % 2],
		 (at - (gpu ? 2 * (size_t)m->cores : 0)) / 2);
}

/* The port for a call that may come now. */
static enum err cgm_socket_get(const struct heddle_cgm *m,
			       enum heddle_cgm_port port, unsigned index,
			       struct cgm_socket **out, struct diag *d)
{
	*out = cgm_socket_find(m, port, index);
	if (m->running)
		return fail(d, ERR_RANGE,
			    "a driver must not call on its memory system");
	if ((unsigned)port > HEDDLE_CGM_PORT_SCALAR)
		return fail(d, ERR_RANGE, "there is no port of kind %u",
			    (unsigned)port);
	if (!*out)
		return fail(d, ERR_RANGE,
			    "there is no %s %u: the memory system has %u cores "
			    "and %u compute units",
			    cgm_port_names[port], index, m->cores, m->cus);
	return ERR_OK;
}

/* Why a request is impossible, or NULL. */
static const char *cgm_socket_wrong(const struct heddle_cgm_request *r)
{
	struct cgm_request q = { .address = r->address,
				 .op = (enum cgm_op)r->op,
				 .size = r->size };

	if ((unsigned)r->op >= CGM_OPS)
		return "there is no such operation";
	if (r->op != HEDDLE_CGM_FENCE && r->address >> CGM_ADDRESS_BITS)
		return "the address is not below 2^46";
	return cgm_request_wrong(&q);
}

/* Notes a request in flight, as the memory system wants it. */
static void cgm_socket_send(struct cgm_socket *k, cycle_t now,
			    const struct heddle_cgm_request *r,
			    struct cgm_request *out)
{
	unsigned i = 0;

	while (k->flight[i].used)
		i++;
	k->flight[i] = (struct cgm_flown){ r->tag, now, true };
	k->in_flight++;
	*out = (struct cgm_request){ .tag = i,
				     .address = r->address,
				     .op = (enum cgm_op)r->op,
				     .size = r->size,
				     .mask = r->mask,
				     .compare = r->compare,
				     .value = r->value };
}

static void cgm_socket_answer(struct cgm_socket *k, cycle_t now,
			      const struct cgm_answer *a,
			      struct heddle_cgm_answer *out)
{
	struct cgm_flown *f = &k->flight[a->tag];

	*out = (struct heddle_cgm_answer){ .op = (enum heddle_cgm_op)a->op,
					   .size = a->size,
					   .tag = f->tag,
					   .sent = f->sent,
					   .time = now };
	memcpy(out->value, a->value, a->size);
	f->used = false;
	k->in_flight--;
}

/*
 * The caller's drivers
 */

static cycle_t cgm_driver_next(void *ctx, cycle_t now, struct cgm_request *r)
{
	struct cgm_socket *k = ctx;
	cycle_t at;

	if (k->wrong)
		return CYCLE_NEVER;
	memset(&k->request, 0, sizeof(k->request));
	at = k->driver.next(k->driver.ctx, now, &k->request);
	if (at > now)
		return at;
	k->wrong = at < now ? "it wants to be asked in the past" :
			      cgm_socket_wrong(&k->request);
	if (k->wrong) {
		k->wrong_at = now;
		return CYCLE_NEVER;
	}
	cgm_socket_send(k, now, &k->request, r);
	return now;
}

static void cgm_driver_answer(void *ctx, cycle_t now,
			      const struct cgm_answer *a)
{
	struct cgm_socket *k = ctx;
	struct heddle_cgm_answer out;

	cgm_socket_answer(k, now, a, &out);
	k->driver.answer(k->driver.ctx, &out);
}

int heddle_cgm_attach(struct heddle_cgm *m, enum heddle_cgm_port port,
		      unsigned index, const struct heddle_cgm_driver *driver,
		      struct heddle_error *err)
{
	struct cgm_socket *k;
	struct diag d = { 0 };

	if (cgm_socket_get(m, port, index, &k, &d))
		return api_result(d.code, &d, err);
	if (driver && (!driver->next || !driver->answer))
		return api_result(fail(&d, ERR_RANGE,
				       "a driver needs both functions"),
				  &d, err);
	if (k->in_flight || k->queued || k->answers)
		return api_result(fail(&d, ERR_RANGE,
				       "%s %u: %u answers are due",
				       cgm_port_names[port], index,
				       k->in_flight + k->queued + k->answers),
				  &d, err);
	k->driven = driver;
	k->wrong = NULL;
	if (driver) {
		k->driver = *driver;
		cgm_system_wake(m->system, k->source);
	}
	return api_result(ERR_OK, &d, err);
}

int heddle_cgm_wake(struct heddle_cgm *m, enum heddle_cgm_port port,
		    unsigned index, struct heddle_error *err)
{
	struct cgm_socket *k;
	struct diag d = { 0 };

	if (!cgm_socket_get(m, port, index, &k, &d))
		cgm_system_wake(m->system, k->source);
	return api_result(d.code, &d, err);
}

/*
 * The queue
 */

static cycle_t cgm_queue_next(struct cgm_socket *k, cycle_t now,
			      struct cgm_request *r)
{
	if (!k->queued)
		return CYCLE_NEVER;
	cgm_socket_send(k, now, &k->queue[k->first], r);
	k->first = (k->first + 1) % HEDDLE_CGM_DEPTH;
	k->queued--;
	return now;
}

static void cgm_queue_answer(struct cgm_socket *k, cycle_t now,
			     const struct cgm_answer *a)
{
	unsigned at = (k->first_answer + k->answers++) % HEDDLE_CGM_DEPTH;

	cgm_socket_answer(k, now, a, &k->answer[at]);
}

static cycle_t cgm_socket_next(void *ctx, cycle_t now, struct cgm_request *r)
{
	struct cgm_socket *k = ctx;

	return k->driven ? cgm_driver_next(k, now, r) :
			   cgm_queue_next(k, now, r);
}

static void cgm_socket_take(void *ctx, cycle_t now, const struct cgm_answer *a)
{
	struct cgm_socket *k = ctx;

	if (k->driven)
		cgm_driver_answer(k, now, a);
	else
		cgm_queue_answer(k, now, a);
}

static unsigned cgm_socket_room(const struct cgm_socket *k)
{
	return HEDDLE_CGM_DEPTH - k->in_flight - k->queued - k->answers;
}

unsigned heddle_cgm_room(const struct heddle_cgm *m, enum heddle_cgm_port port,
			 unsigned index)
{
	const struct cgm_socket *k = cgm_socket_find(m, port, index);

	return k && !k->driven ? cgm_socket_room(k) : 0;
}

static enum err cgm_socket_queue(struct cgm_socket *k,
				 const struct heddle_cgm_request *r,
				 const char *name, struct diag *d)
{
	const char *wrong = cgm_socket_wrong(r);
	unsigned at = (k->first + k->queued) % HEDDLE_CGM_DEPTH;

	if (k->driven)
		return fail(d, ERR_RANGE, "%s has a driver", name);
	if (wrong)
		return fail(d, ERR_RANGE, "%s: %s", name, wrong);
	if (!cgm_socket_room(k))
		return fail(d, ERR_RANGE,
			    "%s: no room, %d requests have not been answered, "
			    "or their answers not taken",
			    name, HEDDLE_CGM_DEPTH);
	if (!k->queue)
		k->queue = calloc(HEDDLE_CGM_DEPTH, sizeof(*k->queue));
	if (!k->answer)
		k->answer = calloc(HEDDLE_CGM_DEPTH, sizeof(*k->answer));
	if (!k->queue || !k->answer)
		return fail(d, ERR_NOMEM, "out of memory");
	k->queue[at] = *r;
	k->queued++;
	return ERR_OK;
}

int heddle_cgm_send(struct heddle_cgm *m, enum heddle_cgm_port port,
		    unsigned index, const struct heddle_cgm_request *r,
		    struct heddle_error *err)
{
	struct cgm_socket *k;
	struct diag d = { 0 };
	char name[64];

	if (cgm_socket_get(m, port, index, &k, &d))
		return api_result(d.code, &d, err);
	cgm_socket_name(m, k, name, sizeof(name));
	if (!cgm_socket_queue(k, r, name, &d))
		cgm_system_wake(m->system, k->source);
	return api_result(d.code, &d, err);
}

int heddle_cgm_take(struct heddle_cgm *m, enum heddle_cgm_port port,
		    unsigned index, struct heddle_cgm_answer *out)
{
	struct cgm_socket *k = cgm_socket_find(m, port, index);

	if (!k || !k->answers)
		return 0;
	*out = k->answer[k->first_answer];
	k->first_answer = (k->first_answer + 1) % HEDDLE_CGM_DEPTH;
	k->answers--;
	return 1;
}

/*
 * Life
 */

/* A configuration of its own, for the caller that names none. */
static enum err cgm_build_default(struct heddle_cgm *m,
				  const struct cgm_options *o, struct diag *d)
{
	struct cfg_sheet sheet;
	enum err e;

	cfg_sheet_init(&sheet);
	e = configs_load(&sheet, "cgm", NULL, 0, d);
	if (!e)
		e = cgm_system_new(&m->system, &sheet.cfg, o, d);
	cfg_sheet_free(&sheet);
	return e;
}

static enum err cgm_build_system(struct heddle_cgm *m,
				 const struct heddle_config *config,
				 const struct heddle_cgm_options *options,
				 struct diag *d)
{
	struct cgm_options o;
	enum err e;

	e = engine_plan_exact(&m->plan, options->engine, options->threads, d);
	if (e)
		return e;
	o = (struct cgm_options){ .threads = m->plan.threads,
				  .window = m->plan.window };
	if (!config)
		return cgm_build_default(m, &o, d);
	e = cfg_check(&config->sheet.cfg, d);
	return e ? e : cgm_system_new(&m->system, &config->sheet.cfg, &o, d);
}

static enum err cgm_build_sockets(struct heddle_cgm *m, struct diag *d)
{
	while (cgm_system_source(m->system, CGM_PORT_FETCH, m->cores))
		m->cores++;
	while (cgm_system_source(m->system, CGM_PORT_VECTOR, m->cus))
		m->cus++;
	m->socket = calloc(2 * ((size_t)m->cores + m->cus), sizeof(*m->socket));
	if (!m->socket)
		return fail(d, ERR_NOMEM, "out of memory");
	for (unsigned port = 0; port <= HEDDLE_CGM_PORT_SCALAR; port++)
		for (unsigned i = 0;; i++) {
			struct cgm_socket *k = cgm_socket_find(
				m, (enum heddle_cgm_port)port, i);

			if (!k)
				break;
			k->source = cgm_system_source(
				m->system, (enum cgm_port_kind)port, i);
			k->source->driver =
				(struct cgm_driver){ cgm_socket_next,
						     cgm_socket_take, k };
		}
	return ERR_OK;
}

int heddle_cgm_new(struct heddle_cgm **out, const struct heddle_config *config,
		   const struct heddle_cgm_options *options,
		   struct heddle_error *err)
{
	const struct heddle_cgm_options none = { 0 };
	struct heddle_cgm *m = calloc(1, sizeof(*m));
	struct diag d = { 0 };
	enum err e;

	*out = NULL;
	e = m ? cgm_build_system(m, config, options ? options : &none, &d) :
		fail(&d, ERR_NOMEM, "out of memory");
	if (!e)
		e = cgm_build_sockets(m, &d);
	if (e)
		heddle_cgm_free(m);
	else
		*out = m;
	return api_result(e, &d, err);
}

void heddle_cgm_free(struct heddle_cgm *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->socket && i < 2 * ((size_t)m->cores + m->cus);
	     i++) {
		free(m->socket[i].queue);
		free(m->socket[i].answer);
	}
	free(m->socket);
	cgm_system_free(m->system);
	free(m);
}

void heddle_cgm_info(const struct heddle_cgm *m, struct heddle_cgm_info *out)
{
	const struct cgm_socket *gpu =
		cgm_socket_find(m, HEDDLE_CGM_PORT_VECTOR, 0);

	*out = (struct heddle_cgm_info){
		.cores = m->cores,
		.cus = m->cus,
		.ticks_per_second = cgm_system_khz(m->system) * 1000,
		.cpu_cycle = m->socket[0].source->part.period,
		.gpu_cycle = gpu ? gpu->source->part.period : 0,
		.memory_cycle = cgm_system_cycle(m->system),
		.now = cgm_system_now(m->system),
		.idle = cgm_system_is_idle(m->system),
		.bytes = cgm_system_bytes(m->system),
		.engine = m->plan.engine.name,
		.threads = cgm_system_threads(m->system),
		.window = cgm_system_window(m->system),
	};
	for (size_t i = 0; i < 2 * ((size_t)m->cores + m->cus); i++)
		out->idle &= !m->socket[i].queued;
}

int heddle_cgm_preload(struct heddle_cgm *m, uint64_t address, const void *from,
		       uint64_t size, struct heddle_error *err)
{
	const uint64_t end = UINT64_C(1) << CGM_ADDRESS_BITS;
	const uint8_t *p = from;
	struct diag d = { 0 };

	if (m->started)
		fail(&d, ERR_RANGE, "memory is filled before the first run");
	else if (address > end || size > end - address)
		fail(&d, ERR_RANGE,
		     "%" PRIu64 " bytes at 0x%" PRIx64 ": expected addresses "
		     "below 2^%d",
		     size, address, CGM_ADDRESS_BITS);
	while (!d.code && size) {
		uint64_t block = address / CGM_BLOCK;
		unsigned offset = address % CGM_BLOCK;
		uint64_t n = CGM_BLOCK - offset;
		uint8_t data[CGM_BLOCK];

		n = n < size ? n : size;
		cgm_system_peek(m->system, block, data);
		memcpy(data + offset, p, n);
		if (!cgm_system_poke(m->system, block, data))
			fail(&d, ERR_NOMEM, "out of memory");
		address += n;
		p += n;
		size -= n;
	}
	return api_result(d.code, &d, err);
}

/*
 * Running
 */

/* The first impossible request of the run, if there is any. */
static enum err cgm_find_wrong(struct heddle_cgm *m, struct diag *d)
{
	struct cgm_socket *first = NULL;
	char name[64];

	for (size_t i = 0; i < 2 * ((size_t)m->cores + m->cus); i++) {
		struct cgm_socket *k = &m->socket[i];

		if (k->wrong && (!first || k->wrong_at < first->wrong_at))
			first = k;
	}
	if (!first)
		return ERR_OK;
	cgm_socket_name(m, first, name, sizeof(name));
	fail(d, ERR_RANGE, "the driver of the %s, tick %" PRIu64 ": %s", name,
	     first->wrong_at, first->wrong);
	for (size_t i = 0; i < 2 * ((size_t)m->cores + m->cus); i++)
		m->socket[i].wrong = NULL;
	return ERR_RANGE;
}

static enum err cgm_run_until(struct heddle_cgm *m, uint64_t until,
			      struct diag *d)
{
	struct cgm_stats stats;
	enum err e;

	m->started = m->running = true;
	e = cgm_system_run(m->system, until, d);
	/* What has run is the past. */
	if (!e && until == HEDDLE_CGM_NEVER)
		e = cgm_system_run(m->system, cgm_system_end(m->system), d);
	m->running = false;
	m->lost = e;
	if (e)
		return e;
	e = cgm_find_wrong(m, d);
	if (e || !cgm_system_is_idle(m->system))
		return e;
	cgm_system_stats(m->system, &stats);
	return cgm_stats_broken_law(&stats, d) ? d->code : ERR_OK;
}

int heddle_cgm_run(struct heddle_cgm *m, uint64_t until,
		   struct heddle_error *err)
{
	cycle_t now = cgm_system_now(m->system);
	struct diag d = { 0 };

	if (m->running)
		fail(&d, ERR_RANGE,
		     "a driver must not call on its memory system");
	else if (m->lost)
		fail(&d, ERR_NOMEM, "memory has run out in an earlier run");
	else if (until < now)
		fail(&d, ERR_RANGE, "tick %" PRIu64 " is over: it is %" PRIu64,
		     until, now);
	else
		cgm_run_until(m, until, &d);
	return api_result(d.code, &d, err);
}

/*
 * Statistics
 */

/* Number i of all, by the kinds of elements; false: there are fewer. */
static bool cgm_stats_place(size_t i, const struct cgm_stat_place **place,
			    const struct cgm_stat_row **row)
{
	for (unsigned p = 0; p < CGM_INSTANCES; p++)
		for (unsigned r = 0; r < cgm_stat_count; r++) {
			*place = &cgm_stat_places[p];
			*row = &cgm_stat_rows[r];
			if ((*row)->kind == (*place)->kind && !i--)
				return true;
		}
	return false;
}

size_t heddle_cgm_stats_count(void)
{
	const struct cgm_stat_place *place;
	const struct cgm_stat_row *row;
	size_t n = 0;

	while (cgm_stats_place(n, &place, &row))
		n++;
	return n;
}

static void cgm_stats_describe(struct heddle_stat *out,
			       const struct cgm_stats *s,
			       const struct cgm_stat_place *place,
			       const struct cgm_stat_row *row)
{
	uint64_t v = cgm_stat_value(s, place, row);

	*out = (struct heddle_stat){
		.group = place->name,
		.name = row->name,
		.unit = row->unit,
		.doc = row->doc,
		.kind = row->peak ? HEDDLE_STAT_PEAK : HEDDLE_STAT_COUNT,
		.count = v,
		.value = (double)v,
	};
}

int heddle_cgm_stats_get(const struct heddle_cgm *m, size_t i,
			 struct heddle_stat *out, struct heddle_error *err)
{
	const struct cgm_stat_place *place;
	const struct cgm_stat_row *row;
	struct cgm_stats stats;
	struct diag d = { 0 };

	memset(out, 0, sizeof(*out));
	if (!cgm_stats_place(i, &place, &row))
		return api_result(fail(&d, ERR_RANGE, "no statistic %zu of %zu",
				       i, heddle_cgm_stats_count()),
				  &d, err);
	cgm_system_stats(m->system, &stats);
	cgm_stats_describe(out, &stats, place, row);
	return api_result(ERR_OK, &d, err);
}

int heddle_cgm_stats_find(const struct heddle_cgm *m, const char *key,
			  struct heddle_stat *out, struct heddle_error *err)
{
	const struct cgm_stat_place *place;
	const struct cgm_stat_row *row;
	struct diag d = { 0 };

	for (size_t i = 0; cgm_stats_place(i, &place, &row); i++) {
		size_t n = strlen(place->name);

		if (!strncmp(key, place->name, n) && key[n] == '.' &&
		    !strcmp(key + n + 1, row->name))
			return heddle_cgm_stats_get(m, i, out, err);
	}
	memset(out, 0, sizeof(*out));
	return api_result(fail(&d, ERR_UNKNOWN, "no statistic named '%.80s'",
			       key),
			  &d, err);
}
