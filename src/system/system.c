#include "system/system.h"

#include <stdlib.h>

#include "base/minmax.h"
#include "system/impl.h"

cycle_t system_ticks(const struct system *s, uint64_t ns)
{
	if (ns > UINT64_MAX / 8 / s->khz * 1000000)
		return CYCLE_NEVER / 2;
	return ns / 1000000 * s->khz +
	       (ns % 1000000 * s->khz + 999999) / 1000000;
}

double system_ns(const struct system *s)
{
	return (double)(s->ended ? s->end : s->now) * 1e6 / (double)s->khz;
}

uint64_t system_cycles(const struct system *s)
{
	return (s->ended ? s->end : s->now) / s->period;
}

void system_set_time(struct system *s)
{
	s->guest.ops->set_time(s->guest.program,
			       s->now / s->khz * 1000000 +
				       s->now % s->khz * 1000000 / s->khz);
}

/* The program has ended: cores fetch nothing more. */
void system_end(struct system *s)
{
	if (s->ended)
		return;
	s->end = s->now;
	for (unsigned i = 0; i < s->cores; i++) {
		system_core_stats(s, i, &s->final[i]);
		cpu_core_profile_end(s->core[i], s->now / s->period);
		s->core[i]->ended = true;
	}
	system_set_time(s);
	s->ended = true;
}

/*
 * Between windows
 */

/* The timer's window at a tick comes, whatever else happens. */
void system_timer_at(struct system *s, cycle_t at)
{
	at = max_u64(at, s->now + 1);
	s->alarm = min_u64(s->alarm, at);
	s->timer.wake = min_u64(s->timer.wake, at);
}

void system_at(struct system *s, cycle_t at, system_event *event, void *ctx)
{
	CHECK(s->events < SYSTEM_EVENTS);
	s->event[s->events++] = (struct system_timed_event){
		.at = at, .order = s->order++, .event = event, .ctx = ctx
	};
	system_timer_at(s, at);
}

void system_watch(struct system *s, system_event *watch, void *ctx)
{
	CHECK(s->watches < SYSTEM_WATCHES);
	s->watch[s->watches].watch = watch;
	s->watch[s->watches++].ctx = ctx;
}

/* The first event that is due, or NULL. */
static struct system_timed_event *system_due(struct system *s)
{
	struct system_timed_event *due = NULL;

	for (unsigned i = 0; i < s->events; i++) {
		struct system_timed_event *e = &s->event[i];

		if (e->at <= s->now &&
		    (!due || e->at < due->at ||
		     (e->at == due->at && e->order < due->order)))
			due = e;
	}
	return due;
}

static void system_run_events(struct system *s)
{
	struct system_timed_event *e;

	while (!s->ended && (e = system_due(s))) {
		struct system_timed_event now = *e;

		*e = s->event[--s->events];
		now.event(now.ctx, s->now);
	}
}

static void system_wake_sleepers(struct system *s)
{
	uint64_t wake;

	if (s->sleepers > s->now)
		return;
	system_set_time(s);
	s->guest.ops->wake(s->guest.program);
	if (s->guest.ops->ended(s->guest.program)) { /* by a signal */
		system_end(s);
		return;
	}
	wake = s->guest.ops->next_wake(s->guest.program);
	s->sleepers = wake == UINT64_MAX ?
			      CYCLE_NEVER :
			      max_u64(system_ticks(s, wake), s->now + 1);
	system_sched_find(s, s->now + system_ticks(s, (uint64_t)s->os.resume));
	system_sched_interrupt(s);
}

static cycle_t system_next_event(const struct system *s)
{
	cycle_t next = s->sleepers;

	for (unsigned i = 0; i < s->events; i++)
		next = min_u64(next, s->event[i].at);
	return next;
}

/* What is due has been done before the window. */
static cycle_t system_timer_step(struct cgm_part *part, cycle_t now)
{
	const struct system *s =
		(const struct system *)(const void *)((const char *)part -
						      offsetof(struct system,
							       timer));

	return s->alarm > now && !s->ended ? s->alarm : CYCLE_NEVER;
}

static void system_between(void *ctx, cycle_t now, cycle_t to)
{
	struct system *s = ctx;
	cycle_t next;

	if (s->ended)
		return;
	s->now = now;
	if (s->alarm <= now)
		s->alarm = CYCLE_NEVER;
	system_run_events(s);
	system_wake_sleepers(s);
	for (unsigned i = 0; i < s->watches && !s->ended; i++)
		s->watch[i].watch(s->watch[i].ctx, now);
	next = s->timer.wake < to ? system_sched_quanta(s) : CYCLE_NEVER;
	for (unsigned i = 0; i < s->cores && !s->ended; i++) {
		struct cpu_core *c = s->core[i];

		if (c->part.wake >= to)
			continue;
		s->now = c->part.wake;
		cpu_core_front(c, c->part.wake);
	}
	next = min_u64(next, system_next_event(s));
	if (next != CYCLE_NEVER)
		system_timer_at(s, next);
}

/*
 * Making it
 */

unsigned system_cores(const struct cfg *cfg)
{
	return (unsigned)(cfg->cgm.cores * cfg->cpu.threads);
}

static enum err system_add_core(struct system *s, unsigned n,
				const struct cfg *cfg, struct diag *d)
{
	struct cgm_source *code = cgm_system_source(s->cgm, CGM_PORT_FETCH, n);
	struct cgm_source *data = cgm_system_source(s->cgm, CGM_PORT_DATA, n);

	if (cpu_core_new(&s->core[n], &s->arena, n, cfg, &s->guest, &s->host,
			 d))
		return d->code;
	s->core[n]->part.period = code->part.period;
	s->period = code->part.period;
	cpu_core_connect(s->core[n], &code->port, &code->st, &data->port,
			 &data->st);
	cgm_system_attach(s->cgm, &s->core[n]->part);
	return ERR_OK;
}

static enum err system_init(struct system *s, const struct cfg *cfg,
			    const struct system_options *o, struct diag *d)
{
	/* Values are the program's, which has them in its own memory. */
	struct cgm_options options = { .threads = o->threads, .bare = true };

	if (cgm_system_new(&s->cgm, cfg, &options, d))
		return d->code;
	s->khz = cgm_system_khz(s->cgm);
	for (unsigned i = 0; i < s->cores; i++)
		if (system_add_core(s, i, cfg, d))
			return d->code;
	for (unsigned i = 0; i < s->cores; i++)
		cpu_core_meet(s->core[i], s->core, s->cores, &s->stamp);
	cgm_part_init(&s->timer, system_timer_step, 1);
	cgm_system_attach(s->cgm, &s->timer);
	cgm_system_lead(s->cgm, system_between, s);
	s->context = arena_new(&s->arena, struct system_context, s->contexts);
	s->final = arena_new(&s->arena, struct cpu_stats, s->cores);
	if (!s->context || !s->final)
		return fail(d, ERR_NOMEM, "out of memory");
	system_set_time(s);
	system_sched_find(s, 0);
	return ERR_OK;
}

enum err system_new(struct system **out, const struct cfg *cfg,
		    const struct guest *guest, const struct system_options *o,
		    struct diag *d)
{
	struct system *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return fail(d, ERR_NOMEM, "out of memory");
	s->os = cfg->os;
	s->guest = *guest;
	s->host = (struct cpu_host){ system_sched_stopped, system_mark, s };
	s->cores = (unsigned)cfg->cgm.cores;
	s->each = (unsigned)cfg->cpu.threads;
	s->contexts = s->cores * s->each;
	s->sleepers = s->alarm = s->sample = CYCLE_NEVER;
	s->limit = o->limit;
	s->detail_until = o->detail_until;
	if (system_init(s, cfg, o, d)) {
		system_free(s);
		return d->code;
	}
	*out = s;
	return ERR_OK;
}

void system_free(struct system *s)
{
	if (!s)
		return;
	cgm_system_free(s->cgm);
	arena_free(&s->arena);
	free(s);
}

/*
 * Running it
 */

static bool system_limit_reached(struct system *s)
{
	struct cpu_stats st;

	if (!s->limit || s->ended)
		return false;
	system_cpu_stats(s, &st);
	if (st.instructions < s->limit)
		return false;
	s->limited = true;
	system_end(s);
	return true;
}

/* How often it is looked whether it has ended, in cycles. */
enum { SYSTEM_SLICE = 10000 };
/* The DRAM counts no further. */
#define SYSTEM_TICKS ((UINT64_C(1) << 40) - (UINT64_C(1) << 20))

static enum err system_too_long(const struct system *s, struct diag *d)
{
	return fail(d, ERR_UNSUPP,
		    "the program has reached %.0f s of simulated time, and a "
		    "system can simulate no more",
		    system_ns(s) * 1e-9);
}

/* When it is looked next: all of a time in which every thread sleeps is one
 * slice. */
static cycle_t system_slice(const struct system *s, cycle_t until)
{
	cycle_t to = s->now + SYSTEM_SLICE * s->period;

	if (!s->used && s->alarm != CYCLE_NEVER)
		to = max_u64(to, s->alarm);
	return min_u64(min_u64(until, to), SYSTEM_TICKS);
}

/* Simulates up to a tick, with the samples that are taken before. */
static enum err system_run_to(struct system *s, cycle_t to, struct diag *d)
{
	while (s->sample < to && !s->ended) {
		if (cgm_system_run(s->cgm, s->sample, d))
			return d->code;
		if (s->ended)
			break;
		s->now = s->sample;
		system_sample(s);
	}
	return cgm_system_run(s->cgm, to, d);
}

enum err system_run(struct system *s, uint64_t cycles, struct diag *d)
{
	cycle_t until = s->now + cycles * s->period;

	while (!s->ended && s->now < until) {
		cycle_t to = system_slice(s, until);

		if (s->now >= SYSTEM_TICKS)
			return system_too_long(s, d);
		if (system_run_to(s, to, d))
			return d->code;
		if (s->ended || system_limit_reached(s))
			break;
		s->now = to;
	}
	/* What is in flight comes to rest. */
	if (s->ended)
		return cgm_system_run(s->cgm, CYCLE_NEVER, d);
	return ERR_OK;
}

bool system_ended(const struct system *s)
{
	return s->ended;
}

bool system_limited(const struct system *s)
{
	return s->limited;
}

/*
 * What is known
 */

void system_core_stats(const struct system *s, unsigned n,
		       struct cpu_stats *out)
{
	if (s->ended)
		*out = s->final[n];
	else
		cpu_core_stats(s->core[n], s->now / s->period, out);
}

void system_cpu_stats(const struct system *s, struct cpu_stats *out)
{
	*out = (struct cpu_stats){ 0 };
	for (unsigned i = 0; i < s->cores; i++) {
		struct cpu_stats one;

		system_core_stats(s, i, &one);
		cpu_stats_add(out, &one);
	}
}

void system_cgm_stats(const struct system *s, struct cgm_stats *out)
{
	cgm_system_stats(s->cgm, out);
}

uint64_t system_bytes(const struct system *s)
{
	return s->arena.used + cgm_system_bytes(s->cgm);
}

/*
 * Devices
 */

struct cgm_system *system_memory(struct system *s)
{
	return s->cgm;
}

cycle_t system_now(const struct system *s)
{
	return s->now;
}

void system_woken(struct system *s)
{
	system_sched_find(s, s->now + system_ticks(s, (uint64_t)s->os.resume));
}

void system_busy(struct system *s, int by)
{
	s->busy += by;
	CHECK(s->busy >= 0);
}
