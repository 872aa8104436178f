/* Work-groups of a trace: the batches that are in memory, and their content. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "trace/read.h"

/* Batches without users are kept up to this many bytes: readers that take turns
 * soon need the neighbouring work-groups. */
enum { IDLE_BYTES = 32 << 20 };

static struct batch_place *batch_place_of(const struct trace *t, uint32_t batch)
{
	return (struct batch_place *)t->batches.at + batch;
}

static uint32_t batch_bytes(const struct trace *t, const struct trace_batch *p)
{
	return batch_place_of(t, p->section)->s.plain_bytes;
}

static void batch_leave_idle(struct trace *t, struct trace_batch *p)
{
	p->before->after = p->after;
	p->after->before = p->before;
	t->idle_bytes -= batch_bytes(t, p);
}

static void batch_free(struct trace *t, struct trace_batch *p)
{
	batch_place_of(t, p->section)->batch = NULL;
	free(p->bytes);
	free(p);
}

static void batch_join_idle(struct trace *t, struct trace_batch *p)
{
	p->after = t->idle.after;
	p->before = &t->idle;
	p->after->before = t->idle.after = p;
	t->idle_bytes += batch_bytes(t, p);
	while (t->idle_bytes > IDLE_BYTES) {
		struct trace_batch *last = t->idle.before;

		batch_leave_idle(t, last);
		batch_free(t, last);
	}
}

void trace_close_batches(struct trace *t)
{
	while (t->idle.after != &t->idle) {
		struct trace_batch *p = t->idle.after;

		batch_leave_idle(t, p);
		batch_free(t, p);
	}
}

/* Drops a user of the batch. Under the lock. */
static void batch_release(struct trace *t, struct trace_batch *p)
{
	CHECK(p->users);
	if (--p->users)
		return;
	if (p->state == BATCH_READY)
		batch_join_idle(t, p);
	else
		batch_free(t, p);
}

/* Reads the batch with the lock released; other threads that need it wait. */
static void batch_load(struct trace *t, struct trace_batch *p)
{
	const struct batch_place *at = batch_place_of(t, p->section);
	struct diag why;
	enum err e;

	pthread_mutex_unlock(&t->lock);
	e = trace_read_body(t, &at->s, at->offset, &p->bytes, &why);
	if (e == ERR_SYNTAX)
		trace_note_damage(t, at->offset,
				  "work-groups of launch %" PRIu32 ": %s",
				  at->s.of, why.text);
	pthread_mutex_lock(&t->lock);
	p->state = e ? BATCH_BAD : BATCH_READY;
	if (e)
		p->why = why;
	pthread_cond_broadcast(&t->loaded);
}

/* Adds a user to the batch, and reads it if necessary. Under the lock. NULL:
 * out of memory. */
static struct trace_batch *batch_acquire(struct trace *t, uint32_t section)
{
	struct batch_place *at = batch_place_of(t, section);
	struct trace_batch *p = at->batch;

	if (p) {
		if (!p->users++)
			batch_leave_idle(t, p);
		while (p->state == BATCH_LOADING)
			pthread_cond_wait(&t->loaded, &t->lock);
		return p;
	}
	p = at->batch = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->section = section;
	p->users = 1;
	batch_load(t, p);
	return p;
}

static enum err trace_open_batch(struct trace *t, uint32_t section,
				 struct trace_batch **out, struct diag *d)
{
	const struct batch_place *at = batch_place_of(t, section);
	struct trace_batch *p;
	enum err e = ERR_OK;

	pthread_mutex_lock(&t->lock);
	p = batch_acquire(t, section);
	if (!p)
		e = fail(d, ERR_NOMEM, "out of memory");
	else if (p->state == BATCH_BAD)
		e = fail(d, p->why.code,
			 "%s: work-groups of launch %" PRIu32
			 " at byte %" PRIu64 ": %s",
			 t->path, at->s.of, at->offset, p->why.text);
	if (p && e) {
		batch_release(t, p);
		p = NULL;
	}
	pthread_mutex_unlock(&t->lock);
	*out = p;
	return e;
}

/* The position of the first block with an index of at least `index`;
 * l->block_count: none. */
static size_t launch_first_block(const struct launch_item *l, uint64_t index)
{
	size_t i;

	SEARCH_FIRST(i, l->block_count, l->blocks[i].index < index);
	return i;
}

static const struct block_place *launch_find_block(const struct launch_item *l,
						   uint64_t index)
{
	size_t i = launch_first_block(l, index);

	return i < l->block_count && l->blocks[i].index == index ?
		       &l->blocks[i] :
		       NULL;
}

bool trace_has_block(const struct trace *t, uint32_t launch, uint64_t index)
{
	const struct launch_item *l = trace_find_launch(t, launch);

	return l && launch_find_block(l, index);
}

bool trace_next_block(const struct trace *t, uint32_t launch, uint64_t from,
		      uint64_t *index)
{
	const struct launch_item *l = trace_find_launch(t, launch);
	size_t i = l ? launch_first_block(l, from) : 0;

	if (!l || i == l->block_count)
		return false;
	*index = l->blocks[i].index;
	return true;
}

static uint32_t max_streams(const struct trace_launch *l)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];

	return (threads + TRACE_LEADERS - 1) / TRACE_LEADERS * TRACE_LEADERS;
}

/* False: the bytes are invalid. */
static bool block_read_streams(struct trace_block_view *v, struct cursor *c,
			       uint32_t max)
{
	struct trace_stream *s = v->streams;
	uint32_t n = v->block.stream_count, next = 0;

	for (uint32_t i = 0; i < n && !c->bad; i++) {
		uint32_t key = next + (uint32_t)cursor_bounded(c, max);

		if (key >= max)
			return false;
		s[i].warp = key / TRACE_LEADERS;
		s[i].lane = key % TRACE_LEADERS;
		s[i].size = cursor_bounded(c, (size_t)(c->end - c->at));
		next = key + 1;
	}
	for (uint32_t i = 0; i < n && !c->bad; i++)
		s[i].bytes = cursor_bytes(c, s[i].size);
	return !c->bad && c->at == c->end;
}

static enum err block_parse(struct trace_block_view *v, const uint8_t *bytes,
			    uint32_t size, uint32_t max, struct diag *d)
{
	struct cursor c = { .at = bytes, .end = bytes + size };

	v->block.warp_instructions = cursor_number(&c);
	v->block.thread_instructions = cursor_number(&c);
	v->block.stream_count = (uint32_t)cursor_bounded(&c, max);
	v->streams =
		calloc((size_t)v->block.stream_count + 1, sizeof(*v->streams));
	v->block.streams = v->streams;
	if (!v->streams)
		return fail(d, ERR_NOMEM, "out of memory");
	if (block_read_streams(v, &c, max))
		return ERR_OK;
	free(v->streams);
	v->streams = NULL;
	return fail(d, ERR_SYNTAX, "its list of streams is invalid");
}

enum err trace_block_read(struct trace *t, uint32_t launch, uint64_t index,
			  struct trace_block_view *out, struct diag *d)
{
	const struct launch_item *l = trace_find_launch(t, launch);
	const struct block_place *b = l ? launch_find_block(l, index) : NULL;
	struct diag why;
	enum err e;

	*out = (struct trace_block_view){ .block.index = index };
	if (!b)
		return fail(d, ERR_RANGE,
			    "%s: launch %" PRIu32 " has no work-group %" PRIu64,
			    t->path, launch, index);
	e = trace_open_batch(t, b->batch, &out->batch, d);
	if (e)
		return e;
	e = block_parse(out, out->batch->bytes + b->at, b->size,
			max_streams(&l->record.launch), &why);
	if (e == ERR_SYNTAX)
		trace_note_damage(t, batch_place_of(t, b->batch)->offset,
				  "work-group %" PRIu64 " of launch %" PRIu32
				  ": %s",
				  index, launch, why.text);
	if (e) {
		trace_block_drop(t, out);
		return fail(d, e,
			    "%s: work-group %" PRIu64 " of launch %" PRIu32
			    ": %s",
			    t->path, index, launch, why.text);
	}
	return ERR_OK;
}

void trace_block_drop(struct trace *t, struct trace_block_view *v)
{
	free(v->streams);
	if (v->batch) {
		pthread_mutex_lock(&t->lock);
		batch_release(t, v->batch);
		pthread_mutex_unlock(&t->lock);
	}
	*v = (struct trace_block_view){ 0 };
}

const struct trace_stream *trace_find_stream(const struct trace_block_view *v,
					     uint32_t warp, uint32_t lane)
{
	uint32_t low = 0, high = v->block.stream_count;

	while (low < high) {
		uint32_t i = low + (high - low) / 2;
		const struct trace_stream *s = &v->streams[i];

		if (s->warp == warp && s->lane == lane)
			return s;
		if (s->warp < warp || (s->warp == warp && s->lane < lane))
			low = i + 1;
		else
			high = i;
	}
	return NULL;
}
