#include "gpu/partition.h"

#include "base/clock.h"
#include "base/fetch.h"
#include "base/minmax.h"
#include "base/team.h"
#include "gpu/machine.h"

struct gpu_side gpu_sm_side(const struct gpu *g)
{
	return (struct gpu_side){ 0, g->sms };
}

struct gpu_side gpu_memory_side(const struct gpu *g)
{
	return (struct gpu_side){ g->sms, g->partitions };
}

cycle_t gpu_lookahead(const struct gpu *g)
{
	return g->lookahead;
}

void gpu_assign_threads(struct gpu *g, unsigned threads)
{
	if (threads == g->threads)
		return;
	g->threads = threads;
	wires_deal(g->wires, threads, 0, g->sms);
	wires_deal(g->wires, threads, g->sms, g->partitions);
}

cycle_t gpu_now(const struct gpu *g)
{
	return g->now;
}

static cycle_t epoch_end(const struct gpu *g, cycle_t at)
{
	return (at / g->epoch + 1) * g->epoch;
}

cycle_t gpu_window_end(const struct gpu *g, cycle_t from, cycle_t length)
{
	cycle_t end = min_u64(from + min_u64(length, g->lookahead),
			      epoch_end(g, from));

	if (g->options.interval)
		end = min_u64(end, g->sampled + g->options.interval);
	if (g->options.max_cycles)
		end = min_u64(end, g->now + g->options.max_cycles);
	return end > from ? end : from + 1;
}

/* A partition that has changes keeps them until the end of the epoch, so its
 * mark is never taken back here. */
static void note_changes(struct gpu *g, uint32_t partition, bool changed)
{
	if (changed)
		gpu_mark(g, g->changed, partition, true);
}

#define FOR_A_SIDE static inline __attribute__((always_inline))

FOR_A_SIDE cycle_t simulate_sm(struct gpu *g, uint32_t partition, cycle_t from,
			       cycle_t to)
{
	struct view *v = g->views[partition];
	cycle_t next;

	if (UNLIKELY(bitmap_has(g->merged, partition))) {
		view_clear(v);
		gpu_mark(g, g->merged, partition, false);
	}
	next = CORE(g, partition, advance, from, to);
	note_changes(g, partition, v->count | v->call_count);
	return next;
}

FOR_A_SIDE cycle_t simulate_memory(struct gpu *g, uint32_t partition,
				   cycle_t from, cycle_t to)
{
	struct mem_partition *m;
	cycle_t next;

	if (partition == g->partitions - 1)
		return dispatch_advance(g->dispatch, from, to);
	m = g->mem[partition - g->sms];
	next = mem_partition_advance(m, from, to);
	note_changes(g, partition, mem_partition_has_atomics(m));
	return next;
}

/* Prefetching does not pay in shorter windows, nor if fewer partitions take
 * turns in the host's cache. */
enum { LONG_WINDOW = 16, MANY_DUE = 16 };

/* Compute units are not prefetched. */
static bool is_sm(const struct gpu *g, uint32_t partition)
{
	return partition < g->sms && !g->cu;
}

static bool is_memory(const struct gpu *g, uint32_t partition)
{
	return partition >= g->sms && partition < g->partitions - 1;
}

/* Prefetches what the next partitions on the list need while this one is
 * simulated: those that are not on it are not touched. */
static void gpu_prefetch(const struct gpu *g, const uint32_t *entry,
			 uint32_t left)
{
	uint32_t next;

	if (left > 3) {
		next = gpu_due_partition(entry[3]);
		if (is_sm(g, next))
			sm_prefetch(g->sm[next]);
	}
	if (left > 2) {
		next = gpu_due_partition(entry[2]);
		wire_prefetch(g->wires, next);
		if (is_sm(g, next))
			sm_prefetch_slots(g->sm[next]);
		else if (is_memory(g, next))
			mem_partition_prefetch(g->mem[next - g->sms]);
	}
	if (left > 1) {
		next = gpu_due_partition(entry[1]);
		wire_prefetch_more(g->wires, next, gpu_box_of(g, next));
		if (is_sm(g, next))
			sm_prefetch_warps(g->sm[next]);
		else if (is_memory(g, next))
			mem_partition_prefetch_more(g->mem[next - g->sms]);
	}
}

/* A cycle of the memory side by the clock of the SMs. */
static cycle_t to_sm_clock(const struct gpu *g, cycle_t memory)
{
	if (memory == CYCLE_NEVER)
		return CYCLE_NEVER;
	return memory > g->lead ? memory - g->lead : 0;
}

/* Those of 64 partitions that are due before `to`, of which `mail` has mail. Adds
 * them to the list, sets *next to the earliest event of the others, if that is
 * earlier, and returns them as bits. */
static inline uint64_t list_due(uint32_t **list, const cycle_t *own,
				uint32_t first, uint64_t mail, uint64_t left,
				cycle_t to, cycle_t *next)
{
	uint32_t *entry = *list;
	uint64_t due = left;

	for (; left; left &= left - 1) {
		uint32_t k = (uint32_t)__builtin_ctzll(left);
		uint32_t has_mail = mail >> k & 1;

		*entry = (first + k) | has_mail << GPU_MAIL_BIT;
		/* Nearly all are due. */
		if (LIKELY((own[k] < to) | has_mail)) {
			entry++;
			continue;
		}
		due &= ~(left & -left);
		*next = min_u64(*next, own[k]);
	}
	*list = entry;
	return due;
}

struct gpu_due gpu_find_due(struct gpu *g, struct gpu_side side, cycle_t from,
			    cycle_t to)
{
	bool memory = side.first >= g->sms;
	unsigned box = memory ? BOX_SM : BOX_MEMORY; /* of the other side */
	uint32_t *end = g->due;
	cycle_t next = CYCLE_NEVER;
	struct gpu_due d;

	to = memory ? from + g->lead : to;
	for (uint32_t i = side.first / 64; i < bitmap_words(side.end); i++) {
		uint64_t mask = bitmap_mask(i, side.first, side.end);
		uint64_t mail = wire_collect(g->wires, box, i, mask);
		uint64_t left = mail | (bitmap_word_at(g->awake, i) & mask);

		if (left)
			bitmap_add(g->touched, i,
				   list_due(&end, &g->next[64 * i], 64 * i,
					    mail, left, to, &next));
	}
	d.entry = g->due;
	d.count = (uint32_t)(end - g->due);
	d.next = memory ? to_sm_clock(g, next) : next;
	d.many = d.count >= MANY_DUE;
	return d;
}

/*
 * The window of one side by its own clock. Each function below is compiled for
 * both sides, with and without host_time: each side pays only for itself, and
 * runs without host_time do not pay for it.
 */
struct gpu_window {
	cycle_t from, to;
	bool memory, watched;
};

/* Takes the mail of a partition, if there is any. Returns its next event, which
 * may be that. */
FOR_A_SIDE cycle_t partition_open(struct gpu *g, uint32_t entry,
				  struct gpu_window w)
{
	uint32_t partition = gpu_due_partition(entry);
	cycle_t next = g->next[partition];
	double since;

	if (!gpu_due_mail(entry))
		return next;
	since = w.watched ? clock_seconds() : 0;
	next = min_u64(next, wire_receive(g->wires, partition,
					  w.memory ? BOX_SM : BOX_MEMORY));
	if (w.watched)
		gpu_add_time(&g->partition[partition].network, since);
	return next;
}

/* Prefetches for the next partitions on the list, and for the mail of this
 * one. */
FOR_A_SIDE void prefetch_for(const struct gpu *g, const struct gpu_due *due,
			     uint32_t i, struct gpu_window w)
{
	uint32_t partition = gpu_due_partition(due->entry[i]);

	if (w.to - w.from < LONG_WINDOW)
		return;
	if (!w.memory && is_sm(g, partition))
		sm_prefetch_mail(g->sm[partition], w.to);
	gpu_prefetch(g, due->entry + i, due->count - i);
	if (!w.memory && is_sm(g, partition))
		sm_prefetch_mail_more(g->sm[partition], w.to);
}

/* Simulates a partition that has an event in the window. Returns its next
 * one. */
FOR_A_SIDE cycle_t partition_run(struct gpu *g, uint32_t partition,
				 struct gpu_window w)
{
	double since = w.watched ? clock_seconds() : 0;
	cycle_t next;

	if (w.memory)
		next = simulate_memory(g, partition, w.from, w.to);
	else
		next = simulate_sm(g, partition, w.from, w.to);
	if (w.watched)
		gpu_add_time(&g->partition[partition].own, since);
	return next;
}

/* many: due->many, a constant here. */
FOR_A_SIDE cycle_t advance_all(struct gpu *g, const struct gpu_due *due,
			       struct gpu_window w, bool many)
{
	cycle_t own = CYCLE_NEVER, sent = CYCLE_NEVER;

	for (uint32_t i = 0; i < due->count; i++) {
		uint32_t partition = gpu_due_partition(due->entry[i]);
		cycle_t next = partition_open(g, due->entry[i], w);

		if (next < w.to) {
			if (many)
				prefetch_for(g, due, i, w);
			next = partition_run(g, partition, w);
			sent = min_u64(sent,
				       wire_take_sent(g->wires, partition));
		}
		gpu_set_next(g, partition, next);
		own = min_u64(own, next);
	}
	return w.memory ? min_u64(to_sm_clock(g, own), sent) :
			  min_u64(own, to_sm_clock(g, sent));
}

FOR_A_SIDE cycle_t advance_due(struct gpu *g, const struct gpu_due *due,
			       struct gpu_window w)
{
	return due->many ? advance_all(g, due, w, true) :
			   advance_all(g, due, w, false);
}

FOR_A_SIDE cycle_t advance_watched(struct gpu *g, const struct gpu_due *due,
				   cycle_t from, cycle_t to, bool watched)
{
	if (due->count && gpu_due_partition(due->entry[0]) >= g->sms)
		return advance_due(g, due,
				   (struct gpu_window){ g->memory_at,
							from + g->lead, true,
							watched });
	return advance_due(g, due,
			   (struct gpu_window){ from, to, false, watched });
}

cycle_t gpu_advance(struct gpu *g, struct gpu_due due, cycle_t from, cycle_t to)
{
	return UNLIKELY(g->options.host_time) ?
		       advance_watched(g, &due, from, to, true) :
		       advance_watched(g, &due, from, to, false);
}

/* Lists a partition that has something to merge; returns the buckets of its
 * stores. */
static uint64_t list_change(struct gpu *g, uint32_t partition)
{
	struct gpu_merge *m = &g->merge;

	if (partition >= g->sms) {
		m->mems[m->mem_count++] = partition - g->sms;
		return 0;
	}
	m->views[m->view_count++] = g->views[partition];
	bitmap_set(g->merged, partition, true, true);
	return g->views[partition]->filled;
}

/* Lists what there is to merge, so that idle SMs cost nothing. */
static void list_changes(struct gpu *g)
{
	struct gpu_merge *m = &g->merge;
	uint64_t filled = 0;

	m->mem_count = m->view_count = m->bucket_count = 0;
	atomic_store_explicit(&m->used, 0, memory_order_relaxed);
	for (uint32_t i = 0; i < bitmap_words(g->partitions); i++) {
		uint64_t left = bitmap_word_at(g->changed, i);

		for (; left; left &= left - 1)
			filled |= list_change(
				g, 64 * i + (uint32_t)__builtin_ctzll(left));
	}
	bitmap_clear(g->changed, g->partitions);
	for (; filled; filled &= filled - 1)
		m->buckets[m->bucket_count++] =
			(uint8_t)__builtin_ctzll(filled);
}

/* Merges two sorted runs of calls into one. Calls of the first run come first
 * in a cycle. */
static void merge_calls(const struct service_call **to,
			const struct service_call **a, uint32_t na,
			const struct service_call **b, uint32_t nb)
{
	while (na && nb) {
		bool second = (*b)->cycle < (*a)->cycle;

		*to++ = second ? *b++ : *a++;
		nb -= second;
		na -= !second;
	}
	while (na-- > 0)
		*to++ = *a++;
	while (nb-- > 0)
		*to++ = *b++;
}

/* Sorts calls by cycle; those of one cycle stay in the order of SM and
 * sequence. Returns the array that holds the result: `call` or `scratch`. */
static const struct service_call **
sort_calls(const struct service_call **call,
	   const struct service_call **scratch, uint32_t n)
{
	for (uint32_t run = 1; run < n; run *= 2) {
		const struct service_call **other = call;

		for (uint32_t i = 0; i < n; i += 2 * run) {
			uint32_t a = (uint32_t)min_u64(run, n - i);
			uint32_t b = (uint32_t)min_u64(run, n - i - a);

			merge_calls(scratch + i, call + i, a, call + i + a, b);
		}
		call = scratch;
		scratch = other;
	}
	return call;
}

void gpu_perform_call(struct gpu *g, const struct service_call *c)
{
	uint64_t bytes[LANES];
	struct service_cost cost;

	service_call_perform(c, bytes);
	cost = gpu_calls_cost(&g->calls, &g->cfg.system, c, bytes);
	CORE(g, c->sm, return, c->slot, &cost);
}

/* Calls of the system are few and must be performed in order: one thread does
 * it. */
static void gpu_perform_calls(struct gpu *g)
{
	struct gpu_merge *m = &g->merge;
	const struct service_call **call;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->view_count; i++) {
		struct view *v = m->views[i];

		for (uint32_t k = 0; k < v->call_count; k++)
			m->calls[n++] = &v->calls[k];
		v->call_count = 0;
	}
	call = sort_calls(m->calls, m->calls + g->sms * VIEW_WARPS, n);
	for (uint32_t i = 0; i < n; i++)
		gpu_perform_call(g, call[i]);
}

bool gpu_end_epoch(struct gpu *g, cycle_t now)
{
	g->merge.epoch = g->epoch_at;
	g->epoch_at = now / g->epoch * g->epoch;
	if (!bitmap_any(g->changed, g->partitions))
		return false;
	list_changes(g);
	gpu_perform_calls(g);
	return g->merge.view_count || g->merge.mem_count;
}

bool gpu_memory_done(struct gpu *g, cycle_t from)
{
	g->memory_at = from + g->lead;
	gpu_sample_until(g, from);
	gpu_report_progress(g, from);
	gpu_check_limit(g, from);
	return epoch_end(g, g->epoch_at) <= from && gpu_end_epoch(g, from);
}

static size_t count_entries(const struct gpu_merge *m, unsigned bucket)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->view_count; i++) {
		const struct view *v = m->views[i];

		if (v->filled >> bucket & 1)
			for (uint32_t e = v->head[bucket]; e != VIEW_NONE;
			     e = v->log[e].newer)
				n++;
	}
	return n;
}

/* Each SM's log is in the cache of the core that has simulated the SM. */
static inline __attribute__((always_inline)) void
fetch_bucket(const struct gpu_merge *m, unsigned bucket)
{
	for (uint32_t i = 0; i < m->view_count; i++)
		fetch_shared(&m->views[i]->head[bucket], 1);
	for (uint32_t i = 0; i < m->view_count; i++) {
		const struct view *v = m->views[i];

		if (v->filled >> bucket & 1)
			fetch_shared(&v->log[v->head[bucket]], sizeof(*v->log));
	}
}

static void apply_bucket(void *ctx, uint32_t i)
{
	struct gpu *g = ctx;
	struct gpu_merge *m = &g->merge;
	unsigned bucket = m->buckets[i];
	size_t at;

	fetch_bucket(m, bucket);
	at = atomic_fetch_add_explicit(&m->used, count_entries(m, bucket),
				       memory_order_relaxed);
	view_apply(m->views, m->view_count, bucket, m->epoch, g->epoch,
		   m->scratch + at);
}

static void gpu_perform_atomics(void *ctx, uint32_t i)
{
	struct gpu *g = ctx;

	mem_partition_perform(g->mem[g->merge.mems[i]]);
}

void gpu_merge(struct gpu *g)
{
	struct team *team = g->options.team;

	team_each(team, g->merge.bucket_count, apply_bucket, g);
	team_each(team, g->merge.mem_count, gpu_perform_atomics, g);
}
