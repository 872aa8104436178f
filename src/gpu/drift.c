#include "gpu/drift.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "gpu/machine.h"
#include "sm/lsu.h"

struct gpu_drift_lock {
	_Alignas(64) pthread_mutex_t mutex;
};

struct gpu_drift {
	struct post *post;
	struct gpu_drift_lock *locks; /* by memory partition */
	pthread_mutex_t calls;        /* of the system */
};

/* Maximum cycles between two deliveries of events, which bounds the logs. */
enum { EVENT_CYCLES = 4096 };

bool gpu_drift_begin(struct gpu *g)
{
	struct gpu_drift *x = calloc(1, sizeof(*x));

	if (!x)
		return false;
	g->drift = x;
	g->drifted = true;
	pthread_mutex_init(&x->calls, NULL);
	x->post = post_new(g->wires);
	x->locks = aligned_alloc(64, g->mems * sizeof(*x->locks));
	for (uint32_t i = 0; x->locks && i < g->mems; i++)
		pthread_mutex_init(&x->locks[i].mutex, NULL);
	if (!x->post || !x->locks) {
		gpu_drift_end(g);
		return false;
	}
	for (uint32_t i = 0; i < g->partitions; i++)
		wire_open(g->wires, i, gpu_box_of(g, i));
	return true;
}

void gpu_drift_end(struct gpu *g)
{
	struct gpu_drift *x = g->drift;

	for (uint32_t i = 0; x->locks && i < g->mems; i++)
		pthread_mutex_destroy(&x->locks[i].mutex);
	pthread_mutex_destroy(&x->calls);
	free(x->locks);
	post_free(x->post);
	free(x);
	g->drift = NULL;
}

uint32_t gpu_dispatcher(const struct gpu *g)
{
	return g->partitions - 1;
}

cycle_t gpu_request_time(const struct gpu *g)
{
	return (cycle_t)g->cfg.net.request_latency;
}

/* Credits take as long as requests. */
cycle_t gpu_answer_time(const struct gpu *g)
{
	return min_u64((cycle_t)g->cfg.net.request_latency,
		       (cycle_t)g->cfg.net.reply_latency);
}

cycle_t gpu_block_time(const struct gpu *g)
{
	return (cycle_t)g->cfg.dispatch.block_latency;
}

/* In order, which the locks preserve: a thread that sees a store also sees
 * those before it. */
static void apply_stores(struct gpu *g, uint32_t sm)
{
	struct view *v = g->views[sm];

	for (uint32_t i = 0; i < v->count; i++) {
		const struct view_entry *e = &v->log[i];
		struct gpu_drift_lock *lock =
			&g->drift->locks[mem_partition_of(&g->shape, e->line)];

		pthread_mutex_lock(&lock->mutex);
		view_apply_entry(e);
		pthread_mutex_unlock(&lock->mutex);
	}
	view_clear(v);
}

_Static_assert((int)VIEW_LINE == (int)CHUNK_BYTES,
	       "a line's number is a chunk's");

static void gpu_drift_perform_calls(struct gpu *g, struct view *v)
{
	if (!v->call_count)
		return;
	pthread_mutex_lock(&g->drift->calls);
	for (uint32_t i = 0; i < v->call_count; i++)
		gpu_perform_call(g, &v->calls[i]);
	pthread_mutex_unlock(&g->drift->calls);
	v->call_count = 0;
}

static void gpu_drift_perform_atomics(struct gpu *g, uint32_t mem)
{
	struct gpu_drift_lock *lock = &g->drift->locks[mem];

	if (!mem_partition_has_atomics(g->mem[mem]))
		return;
	pthread_mutex_lock(&lock->mutex);
	mem_partition_perform(g->mem[mem]);
	pthread_mutex_unlock(&lock->mutex);
}

static cycle_t gpu_drift_simulate(struct gpu *g, uint32_t partition,
				  cycle_t from, cycle_t to)
{
	cycle_t next;

	gpu_mark(g, g->touched, partition, true);
	if (partition < g->sms) {
		next = CORE(g, partition, advance, from, to);
		if (CORE_OF(g, partition, ended))
			to = CORE_OF(g, partition, last) + 1;
		apply_stores(g, partition);
		gpu_drift_perform_calls(g, g->views[partition]);
	} else if (partition < g->partitions - 1) {
		next = mem_partition_advance(g->mem[partition - g->sms], from,
					     to);
		gpu_drift_perform_atomics(g, partition - g->sms);
	} else {
		next = dispatch_advance(g->dispatch, from, to);
	}
	gpu_set_next(g, partition, next);
	return to;
}

/* The maximum number of messages that a step may take. With mem.kind = latency
 * credits do not bound what arrives, and each request is answered at once. */
static uint32_t max_mail(const struct gpu *g, uint32_t partition)
{
	bool fixed = g->cfg.mem.kind == CFG_MEM_LATENCY && partition >= g->sms;

	return fixed ? g->wires->box[partition].out.room : UINT32_MAX;
}

cycle_t gpu_step(struct gpu *g, uint32_t partition, cycle_t from, cycle_t to)
{
	struct gpu_partition *p = &g->partition[partition];
	struct post *post = g->drift->post;
	bool watched = g->options.host_time;
	double since = watched ? clock_seconds() : 0;

	/* Warps that have called malloc wait for the end of the epoch. */
	to = min_u64(to, (from / g->epoch + 1) * g->epoch);
	post_take(post, partition, from, to, max_mail(g, partition), &p->late);
	gpu_set_next(g, partition,
		     min_u64(g->next[partition],
			     wire_next(g->wires, partition)));
	if (watched)
		since = gpu_add_time(&p->network, since);
	if (g->next[partition] >= to)
		return to;
	to = gpu_drift_simulate(g, partition, from, to);
	if (watched)
		since = gpu_add_time(&p->own, since);
	if (!post_send(post, partition))
		atomic_store(&g->grids[0].launch->machine->stop, true);
	if (watched)
		gpu_add_time(&p->network, since);
	return to;
}

cycle_t gpu_next_event(const struct gpu *g, uint32_t partition)
{
	return min_u64(g->next[partition],
		       post_first(g->drift->post, partition));
}

void gpu_stop_at_block_ends(struct gpu *g)
{
	for (uint32_t i = 0; i < g->sms; i++)
		CORE_OF(g, i, stop_at_end);
}

bool gpu_block_ended(const struct gpu *g, uint32_t sm)
{
	return CORE_OF(g, sm, ended);
}

bool gpu_has_more_blocks(const struct gpu *g)
{
	return dispatch_has_more_blocks(g->dispatch);
}

uint64_t gpu_requests_waiting(const struct gpu *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->mems; i++)
		n += post_waiting(g->drift->post, g->sms + i);
	return n;
}

uint64_t gpu_requests_a_cycle(const struct gpu *g)
{
	return g->sms * lsu_lookups(&g->cfg);
}

bool gpu_must_end(struct gpu *g, cycle_t clock)
{
	if (!gpu_cut_short(g))
		return false;
	g->reached = clock;
	g->over = true;
	return true;
}

bool gpu_wants_meeting(const struct gpu *g)
{
	return g->options.progress && clock_seconds() >= g->next_progress;
}

static bool all_at_rest(const struct gpu *g)
{
	for (uint32_t i = 0; i < g->partitions; i++)
		if (gpu_next_event(g, i) != CYCLE_NEVER)
			return false;
	return true;
}

/* After the last block has ended there are no more samples. */
cycle_t gpu_next_meeting(const struct gpu *g, cycle_t now)
{
	const struct gpu_options *o = &g->options;
	cycle_t sample = g->sampled + o->interval;
	cycle_t limit = g->now + o->max_cycles;
	cycle_t next = CYCLE_NEVER;

	if (o->interval && sample > now)
		next = sample;
	if (o->max_cycles && limit > now)
		next = min_u64(next, limit);
	if (g->events)
		next = min_u64(next, now + EVENT_CYCLES);
	return next;
}

cycle_t gpu_meet(struct gpu *g, cycle_t now)
{
	gpu_deliver_events(g);
	g->reached = g->memory_at = now;
	if (all_at_rest(g)) {
		if (!dispatch_finished(g->dispatch))
			BUG("no event is left, but not all blocks have ended");
		g->over = true;
		return CYCLE_NEVER;
	}
	gpu_sample_until(g, now);
	gpu_report_progress(g, now);
	gpu_check_limit(g, now);
	return gpu_next_meeting(g, now);
}
