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

static cycle_t gpu_simulate(struct gpu *g, uint32_t partition, cycle_t from,
			    cycle_t to)
{
	struct gpu_partition *p = &g->partition[partition];
	cycle_t next;

	if (partition < g->sms) {
		if (p->merged)
			view_clear(g->views[partition]);
		p->merged = false;
		next = sm_advance(g->sm[partition], from, to);
		p->changed = g->views[partition]->count ||
			     g->views[partition]->heap_count;
	} else if (partition < g->partitions - 1) {
		struct mem_partition *m = g->mem[partition - g->sms];

		next = mem_partition_advance(m, from, to);
		p->changed = mem_partition_has_atomics(m);
	} else {
		next = dispatch_advance(g->dispatch, from, to);
	}
	return next;
}

/* Prefetching does not pay in shorter windows. */
enum { LONG_WINDOW = 16 };

/* Prefetches what the next partitions need while this one is simulated. Stops
 * at `end`: another thread may be simulating the partitions after it. */
static void gpu_prefetch(const struct gpu *g, uint32_t partition, uint32_t end)
{
	uint32_t mems = g->partitions - 1;

	if (partition + 2 < end) {
		wire_prefetch(g->wires, partition + 2);
		wire_prefetch_more(g->wires, partition + 1,
				   gpu_box_of(g, partition + 1));
	}
	if (partition + 3 < end && partition + 3 < g->sms)
		sm_prefetch(g->sm[partition + 3]);
	if (partition + 2 < end && partition + 2 < g->sms)
		sm_prefetch_slots(g->sm[partition + 2]);
	else if (partition + 2 < end && partition + 2 < mems)
		mem_partition_prefetch(g->mem[partition + 2 - g->sms]);
	if (partition + 1 < end && partition + 1 < g->sms)
		sm_prefetch_warps(g->sm[partition + 1]);
	else if (partition + 1 < end && partition + 1 < mems)
		mem_partition_prefetch_more(g->mem[partition + 1 - g->sms]);
}

/* A cycle of the memory side by the clock of the SMs. */
static cycle_t to_sm_clock(const struct gpu *g, cycle_t memory)
{
	if (memory == CYCLE_NEVER)
		return CYCLE_NEVER;
	return memory > g->lead ? memory - g->lead : 0;
}

/*
 * A partition without events in the window costs a look at its cache line. If
 * there is mail, its mailbox is opened all the same. wire_open also clears the
 * mark of a partition that sent something in the window before; otherwise there
 * would seem to be mail for ever.
 */
static inline cycle_t partition_advance(struct gpu *g, uint32_t partition,
					uint32_t end, cycle_t from, cycle_t to,
					bool watched)
{
	struct gpu_partition *p = &g->partition[partition];
	double since = watched ? clock_seconds() : 0;
	bool memory = partition >= g->sms;
	cycle_t sent;

	if (memory) {
		to = from + g->lead;
		from = g->memory_at;
	}
	if (g->mail || p->sent || p->next < to) {
		p->next = min_u64(p->next, wire_open(g->wires, partition,
						     gpu_box_of(g, partition)));
		p->sent = false;
	}
	if (watched)
		since = gpu_add_time(&p->network, since);
	if (p->next >= to)
		return memory ? to_sm_clock(g, p->next) : p->next;
	if (to - from >= LONG_WINDOW) {
		if (!memory)
			sm_prefetch_mail(g->sm[partition], to);
		gpu_prefetch(g, partition, end);
		if (!memory)
			sm_prefetch_mail_more(g->sm[partition], to);
	}
	p->next = gpu_simulate(g, partition, from, to);
	sent = wire_sent(g->wires, partition);
	p->sent = sent != CYCLE_NEVER;
	if (watched)
		gpu_add_time(&p->own, since);
	return memory ? min_u64(to_sm_clock(g, p->next), sent) :
			min_u64(p->next, to_sm_clock(g, sent));
}

cycle_t gpu_advance(struct gpu *g, struct gpu_side partitions, cycle_t from,
		    cycle_t to)
{
	cycle_t next = CYCLE_NEVER;

	/* Two loops with a constant flag: runs without host_time do not pay for
	 * it. */
	if (g->options.host_time)
		for (uint32_t i = partitions.first; i < partitions.end; i++)
			next = min_u64(next,
				       partition_advance(g, i, partitions.end,
							 from, to, true));
	else
		for (uint32_t i = partitions.first; i < partitions.end; i++)
			next = min_u64(next,
				       partition_advance(g, i, partitions.end,
							 from, to, false));
	return next;
}

/* Lists what there is to merge, so that idle SMs cost nothing. */
static void list_changes(struct gpu *g)
{
	struct gpu_merge *m = &g->merge;
	uint64_t filled = 0;

	m->mem_count = m->view_count = m->bucket_count = 0;
	atomic_store_explicit(&m->used, 0, memory_order_relaxed);
	for (uint32_t i = 0; i < g->sms; i++)
		if (g->partition[i].changed) {
			m->views[m->view_count++] = g->views[i];
			filled |= g->views[i]->filled;
			g->partition[i].changed = false;
			g->partition[i].merged = true;
		}
	for (uint32_t i = 0; i < g->mems; i++)
		if (g->partition[g->sms + i].changed) {
			m->mems[m->mem_count++] = i;
			g->partition[g->sms + i].changed = false;
		}
	for (; filled; filled &= filled - 1)
		m->buckets[m->bucket_count++] =
			(uint8_t)__builtin_ctzll(filled);
}

/* Merges two sorted runs of calls into one. Calls of the first run come first
 * in a cycle. */
static void merge_calls(const struct heap_call **to, const struct heap_call **a,
			uint32_t na, const struct heap_call **b, uint32_t nb)
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
static const struct heap_call **sort_calls(const struct heap_call **call,
					   const struct heap_call **scratch,
					   uint32_t n)
{
	for (uint32_t run = 1; run < n; run *= 2) {
		const struct heap_call **other = call;

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

/* Calls of malloc and free are few and must be performed in order: one thread
 * does it. */
static void gpu_perform_heap_calls(struct gpu *g)
{
	struct gpu_merge *m = &g->merge;
	const struct heap_call **call;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->view_count; i++) {
		struct view *v = m->views[i];

		for (uint32_t k = 0; k < v->heap_count; k++)
			m->heap[n++] = &v->heap[k];
		v->heap_count = 0;
	}
	call = sort_calls(m->heap, m->heap + g->sms * VIEW_WARPS, n);
	for (uint32_t i = 0; i < n; i++)
		heap_call_perform(call[i]);
}

bool gpu_end_epoch(struct gpu *g, cycle_t now)
{
	g->merge.epoch = g->epoch_at;
	g->epoch_at = now / g->epoch * g->epoch;
	list_changes(g);
	gpu_perform_heap_calls(g);
	return g->merge.view_count || g->merge.mem_count;
}

bool gpu_memory_done(struct gpu *g, cycle_t from)
{
	g->memory_at = from + g->lead;
	g->mail = wire_any(g->wires, BOX_MEMORY);
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
