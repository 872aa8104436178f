#include "net/post.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/minmax.h"

struct post_entry {
	struct msg m;
	uint64_t sequence; /* order in which messages entered the queue */
};

/* A binary heap of the messages for one partition. */
struct post_queue {
	_Alignas(64) _Atomic cycle_t first; /* arrival of the first message */
	atomic_uint count;
	pthread_mutex_t lock;
	uint32_t room;
	uint64_t sequence; /* of the next entry */
	struct post_entry *entry;
};

struct post {
	struct wires *wires;
	uint32_t partitions;
	struct post_queue *queue;
};

struct post *post_new(struct wires *w)
{
	struct post *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->wires = w;
	p->partitions = w->partitions;
	p->queue = aligned_alloc(64, p->partitions * sizeof(*p->queue));
	if (!p->queue) {
		free(p);
		return NULL;
	}
	wires_use_outboxes(w, true);
	for (uint32_t i = 0; i < p->partitions; i++) {
		p->queue[i] = (struct post_queue){ .first = CYCLE_NEVER };
		pthread_mutex_init(&p->queue[i].lock, NULL);
	}
	return p;
}

void post_free(struct post *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->partitions; i++) {
		pthread_mutex_destroy(&p->queue[i].lock);
		free(p->queue[i].entry);
	}
	free(p->queue);
	wires_use_outboxes(p->wires, false);
	free(p);
}

static bool post_before(const struct post_entry *a, const struct post_entry *b)
{
	if (a->m.time != b->m.time)
		return a->m.time < b->m.time;
	if (a->m.source != b->m.source)
		return a->m.source < b->m.source;
	return a->sequence < b->sequence;
}

static bool post_grow(struct post_queue *q)
{
	uint32_t room = q->room ? 2 * q->room : 64;
	struct post_entry *more = realloc(q->entry, room * sizeof(*more));

	if (!more)
		return false;
	q->entry = more;
	q->room = room;
	return true;
}

static bool post_push(struct post_queue *q, const struct msg *m)
{
	struct post_entry l = { .m = *m, .sequence = q->sequence++ };
	uint32_t at = atomic_load_explicit(&q->count, memory_order_relaxed);

	if (at == q->room && !post_grow(q))
		return false;
	atomic_store_explicit(&q->count, at + 1, memory_order_relaxed);
	for (; at && post_before(&l, &q->entry[(at - 1) / 2]);
	     at = (at - 1) / 2)
		q->entry[at] = q->entry[(at - 1) / 2];
	q->entry[at] = l;
	return true;
}

static struct msg post_pop(struct post_queue *q)
{
	uint32_t n = atomic_load_explicit(&q->count, memory_order_relaxed) - 1;
	struct msg first = q->entry[0].m;
	struct post_entry l = q->entry[n];
	uint32_t at = 0;

	atomic_store_explicit(&q->count, n, memory_order_relaxed);
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < n &&
		    post_before(&q->entry[child + 1], &q->entry[child]))
			child++;
		if (child >= n || !post_before(&q->entry[child], &l))
			break;
		q->entry[at] = q->entry[child];
		at = child;
	}
	q->entry[at] = l;
	return first;
}

static void post_update_first(struct post_queue *q)
{
	bool any = atomic_load_explicit(&q->count, memory_order_relaxed);

	atomic_store_explicit(&q->first, any ? q->entry[0].m.time : CYCLE_NEVER,
			      memory_order_release);
}

bool post_send(struct post *p, uint32_t partition)
{
	uint32_t n = wire_outbox_count(p->wires, partition);
	bool good = true;

	if (!n)
		return true;
	for (uint32_t i = 0; i < n; i++) {
		const struct msg *m = wire_outbox_at(p->wires, partition, i);
		struct post_queue *q = &p->queue[m->to];

		pthread_mutex_lock(&q->lock);
		good &= post_push(q, m);
		post_update_first(q);
		pthread_mutex_unlock(&q->lock);
	}
	wire_outbox_clear(p->wires, partition);
	return good;
}

static void post_count_late(struct post_late *late, cycle_t by)
{
	late->messages++;
	late->cycles += by;
	late->max = max_u64(late->max, by);
}

void post_take(struct post *p, uint32_t partition, cycle_t from, cycle_t to,
	       uint32_t limit, struct post_late *late)
{
	struct post_queue *q = &p->queue[partition];

	if (post_first(p, partition) >= to)
		return;
	limit = (uint32_t)min_u64(limit, wire_inbox_space(p->wires, partition));
	pthread_mutex_lock(&q->lock);
	while (limit-- > 0 &&
	       atomic_load_explicit(&q->first, memory_order_relaxed) < to) {
		struct msg m = post_pop(q);

		if (m.time < from) {
			post_count_late(late, from - m.time);
			m.time = from;
		}
		wire_inbox_insert(p->wires, partition, &m);
		post_update_first(q);
	}
	pthread_mutex_unlock(&q->lock);
}

cycle_t post_first(const struct post *p, uint32_t partition)
{
	return atomic_load_explicit(&p->queue[partition].first,
				    memory_order_acquire);
}

uint32_t post_waiting(const struct post *p, uint32_t partition)
{
	return atomic_load_explicit(&p->queue[partition].count,
				    memory_order_relaxed);
}
