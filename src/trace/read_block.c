/* Work-groups of a trace: the parts that are at hand, and what is in them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/read.h"

/* Unpacked parts that nobody uses are kept up to this many bytes: those who
 * take work-groups in turns come back for the neighbours. */
enum { IDLE_BYTES = 32 << 20 };

static struct part_place *read_block_place_of(const struct trace *t,
					      uint32_t part)
{
	return (struct part_place *)t->parts.at + part;
}

static uint32_t read_block_bytes_of(const struct trace *t,
				    const struct trace_part *p)
{
	return read_block_place_of(t, p->section)->s.plain_bytes;
}

static void leave_idle(struct trace *t, struct trace_part *p)
{
	p->before->after = p->after;
	p->after->before = p->before;
	t->idle_bytes -= read_block_bytes_of(t, p);
}

static void read_block_forget(struct trace *t, struct trace_part *p)
{
	read_block_place_of(t, p->section)->part = NULL;
	free(p->bytes);
	free(p);
}

static void join_idle(struct trace *t, struct trace_part *p)
{
	p->after = t->idle.after;
	p->before = &t->idle;
	p->after->before = t->idle.after = p;
	t->idle_bytes += read_block_bytes_of(t, p);
	while (t->idle_bytes > IDLE_BYTES) {
		struct trace_part *last = t->idle.before;

		leave_idle(t, last);
		read_block_forget(t, last);
	}
}

void close_parts(struct trace *t)
{
	while (t->idle.after != &t->idle) {
		struct trace_part *p = t->idle.after;

		leave_idle(t, p);
		read_block_forget(t, p);
	}
}

/* One user less. Under the lock. */
static void let_go(struct trace *t, struct trace_part *p)
{
	CHECK(p->users);
	if (--p->users)
		return;
	if (p->state == PART_READY)
		join_idle(t, p);
	else
		read_block_forget(t, p);
}

/* Reads it, with the lock released; all who want it wait. */
static void read_block_load(struct trace *t, struct trace_part *p)
{
	const struct part_place *at = read_block_place_of(t, p->section);
	struct diag why;
	enum err e;

	pthread_mutex_unlock(&t->lock);
	e = read_body(t, &at->s, at->offset, &p->bytes, &why);
	if (e == ERR_SYNTAX)
		note_damage(t, at->offset,
			    "work-groups of launch %" PRIu32 ": %s", at->s.of,
			    why.text);
	pthread_mutex_lock(&t->lock);
	p->state = e ? PART_BAD : PART_READY;
	if (e)
		p->why = why;
	pthread_cond_broadcast(&t->loaded);
}

/* The part with one more user. Under the lock. NULL: out of memory. */
static struct trace_part *read_block_want(struct trace *t, uint32_t section)
{
	struct part_place *at = read_block_place_of(t, section);
	struct trace_part *p = at->part;

	if (p) {
		if (!p->users++)
			leave_idle(t, p);
		while (p->state == PART_LOADING)
			pthread_cond_wait(&t->loaded, &t->lock);
		return p;
	}
	p = at->part = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->section = section;
	p->users = 1;
	read_block_load(t, p);
	return p;
}

static enum err open_part(struct trace *t, uint32_t section,
			  struct trace_part **out, struct diag *d)
{
	const struct part_place *at = read_block_place_of(t, section);
	struct trace_part *p;
	enum err e = ERR_OK;

	pthread_mutex_lock(&t->lock);
	p = read_block_want(t, section);
	if (!p)
		e = fail(d, ERR_NOMEM, "out of memory");
	else if (p->state == PART_BAD)
		e = fail(d, p->why.code,
			 "%s: work-groups of launch %" PRIu32
			 " at byte %" PRIu64 ": %s",
			 t->path, at->s.of, at->offset, p->why.text);
	if (p && e) {
		let_go(t, p);
		p = NULL;
	}
	pthread_mutex_unlock(&t->lock);
	*out = p;
	return e;
}

/* The first one that is not before `index`; l->block_count: none. */
static size_t read_block_first_from(const struct launch_item *l, uint64_t index)
{
	size_t low = 0, high = l->block_count;

	while (low < high) {
		size_t i = low + (high - low) / 2;

		if (l->blocks[i].index < index)
			low = i + 1;
		else
			high = i;
	}
	return low;
}

static const struct block_place *find_block(const struct launch_item *l,
					    uint64_t index)
{
	size_t i = read_block_first_from(l, index);

	return i < l->block_count && l->blocks[i].index == index ?
		       &l->blocks[i] :
		       NULL;
}

bool trace_has_block(const struct trace *t, uint32_t launch, uint64_t index)
{
	const struct launch_item *l = find_launch(t, launch);

	return l && find_block(l, index);
}

bool trace_next_block(const struct trace *t, uint32_t launch, uint64_t from,
		      uint64_t *index)
{
	const struct launch_item *l = find_launch(t, launch);
	size_t i = l ? read_block_first_from(l, from) : 0;

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

/* False: the bytes make no sense. */
static bool read_block_list_streams(struct trace_block_view *v,
				    struct cursor *c, uint32_t max)
{
	struct trace_stream *s = v->streams;
	uint32_t n = v->block.stream_count, next = 0;

	for (uint32_t i = 0; i < n && !c->bad; i++) {
		uint32_t key = next + (uint32_t)cursor_at_max(c, max);

		if (key >= max)
			return false;
		s[i].warp = key / TRACE_LEADERS;
		s[i].lane = key % TRACE_LEADERS;
		s[i].size = cursor_at_max(c, (size_t)(c->end - c->at));
		next = key + 1;
	}
	for (uint32_t i = 0; i < n && !c->bad; i++)
		s[i].bytes = cursor_bytes(c, s[i].size);
	return !c->bad && c->at == c->end;
}

static enum err open_block(struct trace_block_view *v, const uint8_t *bytes,
			   uint32_t size, uint32_t max, struct diag *d)
{
	struct cursor c = { .at = bytes, .end = bytes + size };

	v->block.warp_instructions = cursor_number(&c);
	v->block.thread_instructions = cursor_number(&c);
	v->block.stream_count = (uint32_t)cursor_at_max(&c, max);
	v->streams =
		calloc((size_t)v->block.stream_count + 1, sizeof(*v->streams));
	v->block.streams = v->streams;
	if (!v->streams)
		return fail(d, ERR_NOMEM, "out of memory");
	if (read_block_list_streams(v, &c, max))
		return ERR_OK;
	free(v->streams);
	v->streams = NULL;
	return fail(d, ERR_SYNTAX, "its list of streams makes no sense");
}

enum err trace_block_read(struct trace *t, uint32_t launch, uint64_t index,
			  struct trace_block_view *out, struct diag *d)
{
	const struct launch_item *l = find_launch(t, launch);
	const struct block_place *b = l ? find_block(l, index) : NULL;
	struct diag why;
	enum err e;

	*out = (struct trace_block_view){ .block.index = index };
	if (!b)
		return fail(d, ERR_RANGE,
			    "%s: launch %" PRIu32 " has no work-group %" PRIu64,
			    t->path, launch, index);
	e = open_part(t, b->part, &out->part, d);
	if (e)
		return e;
	e = open_block(out, out->part->bytes + b->at, b->size,
		       max_streams(&l->record.launch), &why);
	if (e == ERR_SYNTAX)
		note_damage(t, read_block_place_of(t, b->part)->offset,
			    "work-group %" PRIu64 " of launch %" PRIu32 ": %s",
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
	if (v->part) {
		pthread_mutex_lock(&t->lock);
		let_go(t, v->part);
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
