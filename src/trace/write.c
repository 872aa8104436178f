#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/crc.h"
#include "trace/format.h"
#include "trace/number.h"
#include "trace/pack.h"
#include "trace/trace.h"

/* A batch of work-groups to be written to the file. */
struct write_batch {
	struct outbuf list; /* for the head: index and size of each */
	struct outbuf body;
	uint64_t blocks, warp_instructions, thread_instructions;
	uint64_t next; /* the predicted index of the next work-group */
};

struct open_launch {
	uint64_t blocks; /* of the grid */
	struct write_batch batch;
};

struct write_module {
	char *name;
	void *text;
	size_t bytes;
};

/* A section's entry in the index. */
struct index_entry {
	uint64_t offset;
	uint32_t of;
	uint8_t kind;
};

struct trace_writer {
	pthread_mutex_t lock; /* of everything here; not held to compress */
	int file;
	char *path;
	uint64_t offset;
	struct index_entry *places;
	size_t place_count, place_room;
	struct write_module *modules;
	uint32_t module_count, module_room;
	struct open_launch **launches; /* NULL: the launch has ended */
	uint32_t launch_count, launch_room;
	uint32_t copies;
	struct diag failed; /* the first failure, if its code is not 0 */
};

bool trace_supported(void)
{
	return trace_pack_supported();
}

/* Keeps the first failure, for all further calls. */
static enum err writer_keep_failure(struct trace_writer *w, enum err e,
				    struct diag *d)
{
	if (e && !w->failed.code)
		w->failed = *d;
	return e;
}

static enum err trace_write_no_memory(struct diag *d)
{
	return fail(d, ERR_NOMEM, "out of memory while recording");
}

/* Fails if an earlier call has failed. */
static enum err writer_check(struct trace_writer *w, struct diag *d)
{
	if (w->failed.code)
		*d = w->failed;
	return w->failed.code;
}

/* Makes room for one more item in an array of n items and room for *room. */
static bool trace_write_grow(void **array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 16;
	void *p;

	if (n < *room)
		return true;
	p = realloc(*array, more * size);
	if (!p)
		return false;
	*array = p;
	*room = more;
	return true;
}

#define GROW(array, n, room)                                                  \
	({                                                                    \
		void *p_ = (array);                                           \
		size_t room_ = (room);                                        \
		bool ok_ =                                                    \
			trace_write_grow(&p_, (n), &room_, sizeof(*(array))); \
                                                                              \
		(array) = p_;                                                 \
		(room) = (__typeof__(room))room_;                             \
		ok_;                                                          \
	})

static enum err trace_write_all(struct trace_writer *w, const void *from,
				size_t size, struct diag *d)
{
	const char *at = from;

	while (size) {
		ssize_t n = write(w->file, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(d, ERR_IO, "%s: %s", w->path,
				    strerror(errno));
		at += n;
		size -= (size_t)n;
		w->offset += (uint64_t)n;
	}
	return ERR_OK;
}

static enum err index_add(struct trace_writer *w, const struct section *s,
			  struct diag *d)
{
	if (!GROW(w->places, w->place_count, w->place_room))
		return trace_write_no_memory(d);
	w->places[w->place_count++] = (struct index_entry){ .offset = w->offset,
							    .of = s->of,
							    .kind = s->kind };
	return ERR_OK;
}

/* Writes a section. The caller has set its kind, number and how the body is
 * compressed. Under the lock. */
static enum err write_section(struct trace_writer *w, struct section *s,
			      const struct outbuf *head, const void *body,
			      size_t body_bytes, struct diag *d)
{
	uint8_t header[SECTION_HEADER_BYTES];
	enum err e = writer_check(w, d);

	if (e)
		return e;
	if (head->no_memory)
		return writer_keep_failure(w, trace_write_no_memory(d), d);
	if (head->size > SECTION_MAX || body_bytes > SECTION_MAX)
		return writer_keep_failure(
			w,
			fail(d, ERR_RANGE,
			     "%zu bytes in one section of a trace: at most "
			     "%d",
			     head->size + body_bytes, SECTION_MAX),
			d);
	s->number = w->place_count;
	s->head_bytes = (uint32_t)head->size;
	s->body_bytes = (uint32_t)body_bytes;
	s->head_crc = trace_crc(head->at, head->size);
	s->body_crc = trace_crc(body, body_bytes);
	section_pack(header, s);
	e = index_add(w, s, d);
	if (!e)
		e = trace_write_all(w, header, sizeof(header), d);
	if (!e)
		e = trace_write_all(w, head->at, head->size, d);
	if (!e)
		e = trace_write_all(w, body, body_bytes, d);
	return writer_keep_failure(w, e, d);
}

/* A body as it is written: compressed if that makes it smaller. */
struct compressed {
	uint8_t *packed; /* to be freed */
	const void *at;
	size_t size;
};

static enum err compress_body(struct compressed *out, struct section *s,
			      const void *body, size_t bytes, struct diag *d)
{
	size_t n = 0;
	enum err e = trace_pack(&out->packed, &n, body, bytes, d);

	s->packed = n < bytes;
	s->plain_bytes = (uint32_t)bytes;
	out->at = s->packed ? out->packed : body;
	out->size = s->packed ? n : bytes;
	return e;
}

/* Compresses and writes a section. Takes the lock only to write, because
 * compression takes time. */
static enum err pack_section(struct trace_writer *w, struct section *s,
			     const struct outbuf *head,
			     const struct outbuf *body, struct diag *d)
{
	struct compressed q = { 0 };
	enum err e = head->no_memory || body->no_memory ?
			     trace_write_no_memory(d) :
			     compress_body(&q, s, body->at, body->size, d);

	pthread_mutex_lock(&w->lock);
	e = e ? writer_keep_failure(w, e, d) :
		write_section(w, s, head, q.at, q.size, d);
	pthread_mutex_unlock(&w->lock);
	free(q.packed);
	return e;
}

/* Writes a section without a body; frees the head. Under the lock. */
static enum err write_head(struct trace_writer *w, enum section_kind kind,
			   uint32_t of, struct outbuf *head, struct diag *d)
{
	struct section s = { .kind = (uint8_t)kind, .of = of };
	enum err e = write_section(w, &s, head, NULL, 0, d);

	outbuf_free(head);
	return e;
}

static void free_writer(struct trace_writer *w)
{
	for (uint32_t i = 0; i < w->module_count; i++) {
		free(w->modules[i].name);
		free(w->modules[i].text);
	}
	for (uint32_t i = 0; i < w->launch_count; i++) {
		if (!w->launches[i])
			continue;
		outbuf_free(&w->launches[i]->batch.list);
		outbuf_free(&w->launches[i]->batch.body);
		free(w->launches[i]);
	}
	if (w->file >= 0)
		close(w->file);
	pthread_mutex_destroy(&w->lock);
	free(w->modules);
	free(w->launches);
	free(w->places);
	free(w->path);
	free(w);
}

static enum err write_info(struct trace_writer *w,
			   const struct trace_info *info, struct diag *d)
{
	uint8_t header[FILE_HEADER_BYTES];
	struct outbuf head = { 0 };
	enum err e;

	file_header_pack(header);
	e = trace_write_all(w, header, sizeof(header), d);
	if (e)
		return e;
	outbuf_text(&head, info->producer);
	outbuf_text(&head, info->command);
	outbuf_text(&head, info->gpu);
	outbuf_number(&head, info->sm);
	outbuf_number(&head, info->sm_count);
	outbuf_number(&head, info->independent);
	outbuf_number(&head, info->memory);
	outbuf_number(&head, info->local_bytes);
	outbuf_text(&head, info->more);
	return write_head(w, SECTION_INFO, 0, &head, d);
}

enum err trace_create(struct trace_writer **out, const char *path,
		      const struct trace_info *info, struct diag *d)
{
	struct trace_writer *w;
	enum err e;

	*out = NULL;
	if (!trace_pack_supported())
		return trace_pack_missing(d);
	w = calloc(1, sizeof(*w));
	if (!w)
		return trace_write_no_memory(d);
	pthread_mutex_init(&w->lock, NULL);
	w->file = -1;
	w->path = strdup(path);
	if (w->path)
		w->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			       0666);
	e = !w->path    ? trace_write_no_memory(d) :
	    w->file < 0 ? fail(d, ERR_IO, "%s: %s", path, strerror(errno)) :
			  write_info(w, info, d);
	if (e)
		free_writer(w);
	else
		*out = w;
	return e;
}

static bool trace_write_find_module(const struct trace_writer *w,
				    const char *name, const void *text,
				    size_t bytes, uint32_t *number)
{
	for (uint32_t i = 0; i < w->module_count; i++) {
		const struct write_module *m = &w->modules[i];

		if (m->bytes == bytes && !strcmp(m->name, name) &&
		    !memcmp(m->text, text, bytes)) {
			*number = i;
			return true;
		}
	}
	return false;
}

static enum err keep_module(struct trace_writer *w, const char *name,
			    const void *text, size_t bytes, struct diag *d)
{
	struct write_module m = { .name = strdup(name),
				  .text = malloc(bytes + 1),
				  .bytes = bytes };

	if (!m.name || !m.text ||
	    !GROW(w->modules, w->module_count, w->module_room)) {
		free(m.name);
		free(m.text);
		return trace_write_no_memory(d);
	}
	memcpy(m.text, text, bytes);
	w->modules[w->module_count++] = m;
	return ERR_OK;
}

/* Under the lock, so that modules are in the file in the order of their
 * numbers. */
static enum err write_new_module(struct trace_writer *w, const char *name,
				 const void *text, size_t bytes, struct diag *d)
{
	struct section s = { .kind = SECTION_MODULE, .of = w->module_count };
	struct compressed q = { 0 };
	struct outbuf head = { 0 };
	enum err e = keep_module(w, name, text, bytes, d);

	outbuf_text(&head, name);
	if (!e)
		e = compress_body(&q, &s, text, bytes, d);
	e = e ? writer_keep_failure(w, e, d) :
		write_section(w, &s, &head, q.at, q.size, d);
	free(q.packed);
	outbuf_free(&head);
	return e;
}

enum err trace_put_module(struct trace_writer *w, const char *name,
			  const void *text, size_t bytes, uint32_t *number,
			  struct diag *d)
{
	enum err e;

	pthread_mutex_lock(&w->lock);
	e = writer_check(w, d);
	if (!e && !trace_write_find_module(w, name, text, bytes, number)) {
		*number = w->module_count;
		e = write_new_module(w, name, text, bytes, d);
	}
	pthread_mutex_unlock(&w->lock);
	return e;
}

enum err trace_put_copy(struct trace_writer *w, const struct trace_copy *c,
			struct diag *d)
{
	struct outbuf head = { 0 };
	enum err e;

	outbuf_number(&head, c->kind);
	outbuf_number(&head, c->device);
	outbuf_number(&head, c->stream);
	outbuf_number(&head, c->at);
	outbuf_number(&head, c->bytes);
	outbuf_number(&head, c->from);
	outbuf_number(&head, c->value);
	pthread_mutex_lock(&w->lock);
	e = write_head(w, SECTION_COPY, w->copies++, &head, d);
	pthread_mutex_unlock(&w->lock);
	return e;
}

static void put_launch(struct outbuf *head, const struct trace_launch *l)
{
	outbuf_number(head, l->module);
	outbuf_number(head, l->device);
	outbuf_number(head, l->stream);
	outbuf_number(head, l->group);
	outbuf_text(head, l->kernel);
	for (int i = 0; i < 3; i++)
		outbuf_number(head, l->grid[i]);
	for (int i = 0; i < 3; i++)
		outbuf_number(head, l->block[i]);
	outbuf_number(head, l->dynamic_shared);
	outbuf_number(head, l->param_bytes);
	outbuf_put(head, l->params, l->param_bytes);
	outbuf_number(head, l->registers);
	outbuf_number(head, l->cooperative);
	outbuf_number(head, l->id);
	outbuf_number(head, l->local_bytes);
	if (l->code)
		outbuf_number(head, l->code);
}

/* Under the lock. */
static enum err write_new_launch(struct trace_writer *w,
				 const struct trace_launch *l, uint32_t *number,
				 struct diag *d)
{
	struct open_launch *o = calloc(1, sizeof(*o));
	struct outbuf head = { 0 };

	if (!o || !GROW(w->launches, w->launch_count, w->launch_room)) {
		free(o);
		return writer_keep_failure(w, trace_write_no_memory(d), d);
	}
	o->blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	*number = w->launch_count++;
	w->launches[*number] = o;
	put_launch(&head, l);
	return write_head(w, SECTION_LAUNCH, *number, &head, d);
}

enum err trace_begin_launch(struct trace_writer *w,
			    const struct trace_launch *l, uint32_t *number,
			    struct diag *d)
{
	enum err e;

	pthread_mutex_lock(&w->lock);
	e = writer_check(w, d);
	CHECK(l->module < w->module_count || e);
	if (!e)
		e = write_new_launch(w, l, number, d);
	pthread_mutex_unlock(&w->lock);
	return e;
}

/* Writes a batch and frees its buffers. Not under the lock: no other thread has
 * the batch. */
static enum err write_batch(struct trace_writer *w, uint32_t launch,
			    struct write_batch *p, struct diag *d)
{
	struct section s = { .kind = SECTION_BLOCKS, .of = launch };
	struct outbuf head = { 0 };
	enum err e = ERR_OK;

	outbuf_number(&head, p->blocks);
	outbuf_number(&head, p->warp_instructions);
	outbuf_number(&head, p->thread_instructions);
	outbuf_put(&head, p->list.at, p->list.size);
	head.no_memory |= p->list.no_memory;
	if (p->blocks)
		e = pack_section(w, &s, &head, &p->body, d);
	outbuf_free(&head);
	outbuf_free(&p->list);
	outbuf_free(&p->body);
	return e;
}

static void put_streams(struct outbuf *body, const struct trace_block *b)
{
	uint32_t before = 0;

	outbuf_number(body, b->warp_instructions);
	outbuf_number(body, b->thread_instructions);
	outbuf_number(body, b->stream_count);
	for (uint32_t i = 0; i < b->stream_count; i++) {
		const struct trace_stream *s = &b->streams[i];
		uint32_t key = s->warp * TRACE_LEADERS + s->lane;

		CHECK(s->lane < TRACE_LEADERS && key >= before);
		outbuf_number(body, key - before);
		outbuf_number(body, s->size);
		before = key + 1;
	}
	for (uint32_t i = 0; i < b->stream_count; i++)
		outbuf_put(body, b->streams[i].bytes, b->streams[i].size);
}

static void add_block(struct write_batch *p, const struct trace_block *b)
{
	size_t start = p->body.size;

	put_streams(&p->body, b);
	outbuf_number(&p->list, number_fold(b->index - p->next));
	outbuf_number(&p->list, p->body.size - start);
	p->next = b->index + 1;
	p->blocks++;
	p->warp_instructions += b->warp_instructions;
	p->thread_instructions += b->thread_instructions;
}

enum err trace_put_block(struct trace_writer *w, uint32_t launch,
			 const struct trace_block *b, struct diag *d)
{
	struct write_batch full = { 0 };
	struct open_launch *o;
	enum err e;

	pthread_mutex_lock(&w->lock);
	e = writer_check(w, d);
	if (!e) {
		CHECK(launch < w->launch_count && w->launches[launch]);
		o = w->launches[launch];
		CHECK(b->index < o->blocks);
		add_block(&o->batch, b);
		if (o->batch.body.size >= BATCH_BYTES ||
		    o->batch.list.size >= HEAD_BYTES) {
			full = o->batch;
			o->batch = (struct write_batch){ 0 };
		}
	}
	pthread_mutex_unlock(&w->lock);
	if (!e && full.blocks)
		e = write_batch(w, launch, &full, d);
	return e;
}

/* Removes the launch from the writer; NULL: it is not open. */
static struct open_launch *trace_write_take_launch(struct trace_writer *w,
						   uint32_t launch)
{
	struct open_launch *o;

	pthread_mutex_lock(&w->lock);
	CHECK(launch < w->launch_count);
	o = w->launches[launch];
	w->launches[launch] = NULL;
	pthread_mutex_unlock(&w->lock);
	return o;
}

enum err trace_end_launch(struct trace_writer *w, uint32_t launch,
			  const struct trace_outcome *outcome, struct diag *d)
{
	const struct trace_outcome fine = { .text = "" };
	struct open_launch *o = trace_write_take_launch(w, launch);
	struct outbuf head = { 0 };
	enum err e;

	CHECK(o);
	outcome = outcome ? outcome : &fine;
	e = write_batch(w, launch, &o->batch, d);
	free(o);
	if (e)
		return e;
	outbuf_number(&head, outcome->depends);
	outbuf_number(&head, outcome->fault);
	outbuf_text(&head, outcome->text);
	pthread_mutex_lock(&w->lock);
	e = write_head(w, SECTION_END, launch, &head, d);
	pthread_mutex_unlock(&w->lock);
	return e;
}

/* Writes the kind, number and start of every section, and the file's tail. */
static enum err write_index(struct trace_writer *w, struct diag *d)
{
	struct section s = { .kind = SECTION_INDEX };
	uint64_t before = 0, at = w->offset;
	struct outbuf head = { 0 }, body = { 0 };
	uint8_t tail[TAIL_BYTES];
	enum err e;

	for (size_t i = 0; i < w->place_count; i++) {
		outbuf_number(&body, w->places[i].kind);
		outbuf_number(&body, w->places[i].of);
		outbuf_number(&body, w->places[i].offset - before);
		before = w->places[i].offset;
	}
	e = pack_section(w, &s, &head, &body, d);
	outbuf_free(&head);
	outbuf_free(&body);
	if (e)
		return e;
	tail_pack(tail, at);
	return trace_write_all(w, tail, sizeof(tail), d);
}

/* Writes the remaining work-groups of launches that have not ended. */
static enum err write_open_launches(struct trace_writer *w, struct diag *d)
{
	enum err e = writer_check(w, d);

	for (uint32_t i = 0; !e && i < w->launch_count; i++)
		if (w->launches[i])
			e = write_batch(w, i, &w->launches[i]->batch, d);
	return e;
}

enum err trace_finish(struct trace_writer *w, struct diag *d)
{
	enum err e;

	if (!w)
		return ERR_OK;
	e = write_open_launches(w, d);
	if (!e)
		e = write_index(w, d);
	/* Closing may report a full disk. */
	if (close(w->file) && !e)
		e = fail(d, ERR_IO, "%s: %s", w->path, strerror(errno));
	w->file = -1;
	free_writer(w);
	return e;
}
