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

/* Work-groups on their way to the file. */
struct write_part {
	struct out list; /* of the head: index and size of each */
	struct out body;
	uint64_t blocks, warp_instructions, thread_instructions;
	uint64_t next; /* the index that would cost least */
};

struct open_launch {
	uint64_t blocks; /* of the grid */
	struct write_part part;
};

struct write_module {
	char *name;
	void *text;
	size_t bytes;
};

/* A section as the index has it. */
struct write_place {
	uint64_t offset;
	uint32_t of;
	uint8_t kind;
};

struct trace_writer {
	pthread_mutex_t lock; /* of everything but what is compressed */
	int file;
	char *path;
	uint64_t offset;
	struct write_place *places;
	size_t place_count, place_room;
	struct write_module *modules;
	uint32_t module_count, module_room;
	struct open_launch **launches; /* NULL: it was ended */
	uint32_t launch_count, launch_room;
	uint32_t copies;
	struct diag failed; /* code: of the first failure */
};

bool trace_supported(void)
{
	return trace_pack_supported();
}

/* Keeps the first failure for all that follows. */
static enum err trace_write_keep(struct trace_writer *w, enum err e,
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

static enum err usable(struct trace_writer *w, struct diag *d)
{
	if (w->failed.code)
		*d = w->failed;
	return w->failed.code;
}

/* Room for one more of n things, in an array of *room. */
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

static enum err write_all(struct trace_writer *w, const void *from, size_t size,
			  struct diag *d)
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

static enum err keep_place(struct trace_writer *w, const struct section *s,
			   struct diag *d)
{
	if (!GROW(w->places, w->place_count, w->place_room))
		return trace_write_no_memory(d);
	w->places[w->place_count++] = (struct write_place){ .offset = w->offset,
							    .of = s->of,
							    .kind = s->kind };
	return ERR_OK;
}

/* A section whose body is ready; s has its kind, whose it is, and how the body
 * was packed. Under the lock. */
static enum err write_section(struct trace_writer *w, struct section *s,
			      const struct out *head, const void *body,
			      size_t body_bytes, struct diag *d)
{
	uint8_t header[SECTION_HEADER_BYTES];
	enum err e = usable(w, d);

	if (e)
		return e;
	if (head->no_memory)
		return trace_write_keep(w, trace_write_no_memory(d), d);
	if (head->size > SECTION_MAX || body_bytes > SECTION_MAX)
		return trace_write_keep(
			w,
			fail(d, ERR_RANGE,
			     "%zu bytes of a trace in one piece: at most "
			     "%d",
			     head->size + body_bytes, SECTION_MAX),
			d);
	s->number = w->place_count;
	s->head_bytes = (uint32_t)head->size;
	s->body_bytes = (uint32_t)body_bytes;
	s->head_crc = trace_crc(head->at, head->size);
	s->body_crc = trace_crc(body, body_bytes);
	section_pack(header, s);
	e = keep_place(w, s, d);
	if (!e)
		e = write_all(w, header, sizeof(header), d);
	if (!e)
		e = write_all(w, head->at, head->size, d);
	if (!e)
		e = write_all(w, body, body_bytes, d);
	return trace_write_keep(w, e, d);
}

/* A body as it goes to the file: compressed where that helps. */
struct squeezed {
	uint8_t *packed; /* free it */
	const void *at;
	size_t size;
};

static enum err squeeze(struct squeezed *out, struct section *s,
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

/* Compressing takes time, and is not done under the lock. */
static enum err pack_section(struct trace_writer *w, struct section *s,
			     const struct out *head, const struct out *body,
			     struct diag *d)
{
	struct squeezed q = { 0 };
	enum err e = head->no_memory || body->no_memory ?
			     trace_write_no_memory(d) :
			     squeeze(&q, s, body->at, body->size, d);

	pthread_mutex_lock(&w->lock);
	e = e ? trace_write_keep(w, e, d) :
		write_section(w, s, head, q.at, q.size, d);
	pthread_mutex_unlock(&w->lock);
	free(q.packed);
	return e;
}

/* One that has only a head; frees it. Under the lock. */
static enum err write_head(struct trace_writer *w, enum section_kind kind,
			   uint32_t of, struct out *head, struct diag *d)
{
	struct section s = { .kind = (uint8_t)kind, .of = of };
	enum err e = write_section(w, &s, head, NULL, 0, d);

	out_free(head);
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
		out_free(&w->launches[i]->part.list);
		out_free(&w->launches[i]->part.body);
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
	struct out head = { 0 };
	enum err e;

	file_header_pack(header);
	e = write_all(w, header, sizeof(header), d);
	if (e)
		return e;
	out_text(&head, info->producer);
	out_text(&head, info->command);
	out_text(&head, info->gpu);
	out_number(&head, info->sm);
	out_number(&head, info->sm_count);
	out_number(&head, info->independent);
	out_number(&head, info->memory);
	out_number(&head, info->local_bytes);
	out_text(&head, info->more);
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

/* Under the lock, so that modules are in the file in their order. */
static enum err new_module(struct trace_writer *w, const char *name,
			   const void *text, size_t bytes, struct diag *d)
{
	struct section s = { .kind = SECTION_MODULE, .of = w->module_count };
	struct squeezed q = { 0 };
	struct out head = { 0 };
	enum err e = keep_module(w, name, text, bytes, d);

	out_text(&head, name);
	if (!e)
		e = squeeze(&q, &s, text, bytes, d);
	e = e ? trace_write_keep(w, e, d) :
		write_section(w, &s, &head, q.at, q.size, d);
	free(q.packed);
	out_free(&head);
	return e;
}

enum err trace_put_module(struct trace_writer *w, const char *name,
			  const void *text, size_t bytes, uint32_t *number,
			  struct diag *d)
{
	enum err e;

	pthread_mutex_lock(&w->lock);
	e = usable(w, d);
	if (!e && !trace_write_find_module(w, name, text, bytes, number)) {
		*number = w->module_count;
		e = new_module(w, name, text, bytes, d);
	}
	pthread_mutex_unlock(&w->lock);
	return e;
}

enum err trace_put_copy(struct trace_writer *w, const struct trace_copy *c,
			struct diag *d)
{
	struct out head = { 0 };
	enum err e;

	out_number(&head, c->kind);
	out_number(&head, c->device);
	out_number(&head, c->stream);
	out_number(&head, c->at);
	out_number(&head, c->bytes);
	out_number(&head, c->from);
	out_number(&head, c->value);
	pthread_mutex_lock(&w->lock);
	e = write_head(w, SECTION_COPY, w->copies++, &head, d);
	pthread_mutex_unlock(&w->lock);
	return e;
}

static void put_launch(struct out *head, const struct trace_launch *l)
{
	out_number(head, l->module);
	out_number(head, l->device);
	out_number(head, l->stream);
	out_number(head, l->group);
	out_text(head, l->kernel);
	for (int i = 0; i < 3; i++)
		out_number(head, l->grid[i]);
	for (int i = 0; i < 3; i++)
		out_number(head, l->block[i]);
	out_number(head, l->dynamic_shared);
	out_number(head, l->param_bytes);
	out_put(head, l->params, l->param_bytes);
	out_number(head, l->registers);
	out_number(head, l->cooperative);
	out_number(head, l->id);
	out_number(head, l->local_bytes);
}

/* Under the lock. */
static enum err open_launch(struct trace_writer *w,
			    const struct trace_launch *l, uint32_t *number,
			    struct diag *d)
{
	struct open_launch *o = calloc(1, sizeof(*o));
	struct out head = { 0 };

	if (!o || !GROW(w->launches, w->launch_count, w->launch_room)) {
		free(o);
		return trace_write_keep(w, trace_write_no_memory(d), d);
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
	e = usable(w, d);
	CHECK(l->module < w->module_count || e);
	if (!e)
		e = open_launch(w, l, number, d);
	pthread_mutex_unlock(&w->lock);
	return e;
}

/* Not under the lock: the part is the caller's alone. Frees what it has. */
static enum err write_part(struct trace_writer *w, uint32_t launch,
			   struct write_part *p, struct diag *d)
{
	struct section s = { .kind = SECTION_BLOCKS, .of = launch };
	struct out head = { 0 };
	enum err e = ERR_OK;

	out_number(&head, p->blocks);
	out_number(&head, p->warp_instructions);
	out_number(&head, p->thread_instructions);
	out_put(&head, p->list.at, p->list.size);
	head.no_memory |= p->list.no_memory;
	if (p->blocks)
		e = pack_section(w, &s, &head, &p->body, d);
	out_free(&head);
	out_free(&p->list);
	out_free(&p->body);
	return e;
}

static void put_streams(struct out *body, const struct trace_block *b)
{
	uint32_t before = 0;

	out_number(body, b->warp_instructions);
	out_number(body, b->thread_instructions);
	out_number(body, b->stream_count);
	for (uint32_t i = 0; i < b->stream_count; i++) {
		const struct trace_stream *s = &b->streams[i];
		uint32_t key = s->warp * TRACE_LEADERS + s->lane;

		CHECK(s->lane < TRACE_LEADERS && key >= before);
		out_number(body, key - before);
		out_number(body, s->size);
		before = key + 1;
	}
	for (uint32_t i = 0; i < b->stream_count; i++)
		out_put(body, b->streams[i].bytes, b->streams[i].size);
}

static void add_block(struct write_part *p, const struct trace_block *b)
{
	size_t start = p->body.size;

	put_streams(&p->body, b);
	out_number(&p->list, number_fold(b->index - p->next));
	out_number(&p->list, p->body.size - start);
	p->next = b->index + 1;
	p->blocks++;
	p->warp_instructions += b->warp_instructions;
	p->thread_instructions += b->thread_instructions;
}

enum err trace_put_block(struct trace_writer *w, uint32_t launch,
			 const struct trace_block *b, struct diag *d)
{
	struct write_part full = { 0 };
	struct open_launch *o;
	enum err e;

	pthread_mutex_lock(&w->lock);
	e = usable(w, d);
	if (!e) {
		CHECK(launch < w->launch_count && w->launches[launch]);
		o = w->launches[launch];
		CHECK(b->index < o->blocks);
		add_block(&o->part, b);
		if (o->part.body.size >= PART_BYTES ||
		    o->part.list.size >= HEAD_BYTES) {
			full = o->part;
			o->part = (struct write_part){ 0 };
		}
	}
	pthread_mutex_unlock(&w->lock);
	if (!e && full.blocks)
		e = write_part(w, launch, &full, d);
	return e;
}

/* Takes the launch away from the writer; NULL: it is not open. */
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
	struct out head = { 0 };
	enum err e;

	CHECK(o);
	outcome = outcome ? outcome : &fine;
	e = write_part(w, launch, &o->part, d);
	free(o);
	if (e)
		return e;
	out_number(&head, outcome->depends);
	out_number(&head, outcome->fault);
	out_text(&head, outcome->text);
	pthread_mutex_lock(&w->lock);
	e = write_head(w, SECTION_END, launch, &head, d);
	pthread_mutex_unlock(&w->lock);
	return e;
}

/* What every section is and where it starts. */
static enum err write_index(struct trace_writer *w, struct diag *d)
{
	struct section s = { .kind = SECTION_INDEX };
	uint64_t before = 0, at = w->offset;
	struct out head = { 0 }, body = { 0 };
	uint8_t tail[TAIL_BYTES];
	enum err e;

	for (size_t i = 0; i < w->place_count; i++) {
		out_number(&body, w->places[i].kind);
		out_number(&body, w->places[i].of);
		out_number(&body, w->places[i].offset - before);
		before = w->places[i].offset;
	}
	e = pack_section(w, &s, &head, &body, d);
	out_free(&head);
	out_free(&body);
	if (e)
		return e;
	tail_pack(tail, at);
	return write_all(w, tail, sizeof(tail), d);
}

/* Of launches that nobody ended: the work-groups so far. */
static enum err write_rest(struct trace_writer *w, struct diag *d)
{
	enum err e = usable(w, d);

	for (uint32_t i = 0; !e && i < w->launch_count; i++)
		if (w->launches[i])
			e = write_part(w, i, &w->launches[i]->part, d);
	return e;
}

enum err trace_finish(struct trace_writer *w, struct diag *d)
{
	enum err e;

	if (!w)
		return ERR_OK;
	e = write_rest(w, d);
	if (!e)
		e = write_index(w, d);
	/* The last moment to hear of a full disk. */
	if (close(w->file) && !e)
		e = fail(d, ERR_IO, "%s: %s", w->path, strerror(errno));
	w->file = -1;
	free_writer(w);
	return e;
}
