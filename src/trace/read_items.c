/* Reads the sections of a trace: information, modules, copies, launches. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "trace/number.h"
#include "trace/read.h"

/* The limits of grids and blocks on any GPU. */
enum { GRID_X_MAX = INT32_MAX, GRID_MAX = 65535, BLOCK_MAX = 1024 };

void *trace_list_add(struct trace_list *l, size_t size)
{
	char *at = l->at;

	if (l->count == l->room) {
		size_t room = l->room ? 2 * l->room : 16;

		at = realloc(l->at, room * size);
		if (!at)
			return NULL;
		l->at = at;
		l->room = room;
	}
	return memset(at + size * l->count++, 0, size);
}

/* Every item of a list starts with its number; numbers increase. */
static void *list_find(const struct trace_list *l, size_t size, uint32_t number)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t i = low + (high - low) / 2;
		char *at = (char *)l->at + i * size;
		uint32_t n;

		memcpy(&n, at, sizeof(n));
		if (n == number)
			return at;
		if (n < number)
			low = i + 1;
		else
			high = i;
	}
	return NULL;
}

struct launch_item *trace_find_launch(const struct trace *t, uint32_t number)
{
	return list_find(&t->launches, sizeof(struct launch_item), number);
}

struct module_item *trace_find_module(const struct trace *t, uint32_t number)
{
	return list_find(&t->modules, sizeof(struct module_item), number);
}

const struct trace_launch_record *trace_get_launch(const struct trace *t,
						   uint32_t number)
{
	const struct launch_item *l = trace_find_launch(t, number);

	return l ? &l->record : NULL;
}

const struct trace_copy *trace_get_copy(const struct trace *t, uint32_t number)
{
	const struct copy_item *c =
		list_find(&t->copies, sizeof(struct copy_item), number);

	return c ? &c->copy : NULL;
}

const char *trace_module_name(const struct trace *t, uint32_t number)
{
	const struct module_item *m = trace_find_module(t, number);

	return m ? m->name : NULL;
}

const struct trace_info *trace_get_info(const struct trace *t)
{
	return &t->info;
}

uint64_t trace_file_bytes(const struct trace *t)
{
	return t->bytes;
}

bool trace_is_old(const struct trace *t)
{
	return t->version < FORMAT_TEXELS;
}

bool trace_has_sizes(const struct trace *t)
{
	return t->version >= FORMAT_SIZES;
}

size_t trace_item_count(const struct trace *t)
{
	return t->items.count;
}

struct trace_item trace_item(const struct trace *t, size_t i)
{
	CHECK(i < t->items.count);
	return ((const struct trace_item *)t->items.at)[i];
}

enum err trace_module_text(struct trace *t, uint32_t number, char **text,
			   size_t *bytes, struct diag *d)
{
	const struct module_item *m = trace_find_module(t, number);
	uint8_t *body;
	struct diag why;
	enum err e;

	if (!m)
		return fail(d, ERR_RANGE, "%s: module %" PRIu32 " is lost",
			    t->path, number);
	e = trace_read_body(t, &m->s, m->offset, &body, &why);
	if (e == ERR_SYNTAX)
		trace_note_damage(t, m->offset, "module %" PRIu32 ": %s",
				  number, why.text);
	if (e)
		return fail(d, e,
			    "%s: module %" PRIu32 " at byte %" PRIu64 ": %s",
			    t->path, number, m->offset, why.text);
	*text = (char *)body;
	*bytes = m->s.plain_bytes;
	return ERR_OK;
}

/*
 * A section that is being read. Memory that section_read_* functions allocate
 * belongs to the trace at once, also if the section turns out to be invalid.
 */
struct section_reader {
	struct trace *t;
	const struct section *s;
	uint64_t offset;
	struct cursor c;
	bool no_memory;
};

static void section_read_text(struct section_reader *k, const char **out)
{
	*out = cursor_text(&k->c);
}

static uint32_t section_read32(struct section_reader *k)
{
	return (uint32_t)cursor_bounded(&k->c, UINT32_MAX);
}

static void trace_info_free(struct trace_info *i)
{
	free((char *)i->producer);
	free((char *)i->command);
	free((char *)i->gpu);
	free((char *)i->more);
	*i = (struct trace_info){ 0 };
}

bool trace_set_no_info(struct trace *t)
{
	struct trace_info *i = &t->info;

	trace_note_damage(t, FILE_HEADER_BYTES,
			  "the information section is lost");
	i->producer = strdup("");
	i->command = strdup("");
	i->gpu = strdup("");
	i->more = strdup("");
	return i->producer && i->command && i->gpu && i->more;
}

static void section_read_info(struct section_reader *k)
{
	struct trace_info *i = &k->t->info;

	if (i->producer) {
		k->c.bad = true;
		return;
	}
	section_read_text(k, &i->producer);
	section_read_text(k, &i->command);
	section_read_text(k, &i->gpu);
	i->sm = section_read32(k);
	i->sm_count = section_read32(k);
	i->independent = section_read32(k);
	i->memory = cursor_number(&k->c);
	i->local_bytes = cursor_number(&k->c);
	section_read_text(k, &i->more);
	if (k->c.bad)
		trace_info_free(i);
}

/* Appends an item to a list; its number must be larger than those before. */
static void *section_new_entry(struct section_reader *k, struct trace_list *l,
			       size_t size)
{
	uint32_t before;
	char *new;

	if (l->count) {
		memcpy(&before, (char *)l->at + (l->count - 1) * size,
		       sizeof(before));
		if (before >= k->s->of) {
			k->c.bad = true;
			return NULL;
		}
	}
	new = trace_list_add(l, size);
	if (new)
		memcpy(new, &k->s->of, sizeof(k->s->of));
	else
		k->no_memory = true;
	return new;
}

/* Adds an item for the last entry of a list; if the section is invalid, removes
 * the entry instead. */
static void section_add_item(struct section_reader *k,
			     enum trace_item_kind kind, struct trace_list *l)
{
	struct trace_item *i;

	if (k->c.bad || k->c.at != k->c.end) {
		k->c.bad = true;
		l->count--;
		return;
	}
	i = trace_list_add(&k->t->items, sizeof(*i));
	if (i)
		*i = (struct trace_item){ kind, k->s->of };
	else
		k->no_memory = true;
}

static void section_read_module(struct section_reader *k)
{
	struct trace_list *l = &k->t->modules;
	struct module_item *m = section_new_entry(k, l, sizeof(*m));

	if (!m)
		return;
	m->name = cursor_text(&k->c);
	m->s = *k->s;
	m->offset = k->offset;
	if (k->c.bad || k->c.at != k->c.end)
		free(m->name);
	section_add_item(k, TRACE_MODULE, l);
}

static void section_read_copy(struct section_reader *k)
{
	struct trace_list *l = &k->t->copies;
	struct copy_item *c = section_new_entry(k, l, sizeof(*c));

	if (!c)
		return;
	c->copy.kind = (enum trace_copy_kind)cursor_bounded(
		&k->c, TRACE_COPY_KINDS - 1);
	c->copy.device = section_read32(k);
	c->copy.stream = section_read32(k);
	c->copy.at = cursor_number(&k->c);
	c->copy.bytes = cursor_number(&k->c);
	c->copy.from = cursor_number(&k->c);
	c->copy.value = section_read32(k);
	section_add_item(k, TRACE_COPY, l);
}

static void section_read_shape(struct section_reader *k, struct trace_launch *l)
{
	for (int i = 0; i < 3; i++)
		l->grid[i] = (uint32_t)cursor_bounded(&k->c, i ? GRID_MAX :
								 GRID_X_MAX);
	for (int i = 0; i < 3; i++)
		l->block[i] = (uint32_t)cursor_bounded(&k->c, BLOCK_MAX);
	for (int i = 0; i < 3; i++)
		if (!l->grid[i] || !l->block[i])
			k->c.bad = true;
	if ((uint64_t)l->block[0] * l->block[1] * l->block[2] > BLOCK_MAX)
		k->c.bad = true;
}

static void section_read_params(struct section_reader *k,
				struct trace_launch *l)
{
	const uint8_t *from;
	void *params;

	l->param_bytes = (uint32_t)cursor_bounded(&k->c, SECTION_MAX);
	from = cursor_bytes(&k->c, l->param_bytes);
	if (!from)
		return;
	params = malloc((size_t)l->param_bytes + 1);
	if (!params) {
		k->no_memory = k->c.bad = true;
		return;
	}
	l->params = memcpy(params, from, l->param_bytes);
}

static void launch_item_free(struct launch_item *l)
{
	free((char *)l->record.launch.kernel);
	free((void *)l->record.launch.params);
	if (l->record.ended)
		free((char *)l->record.outcome.text);
	free(l->blocks);
}

static void section_read_launch(struct section_reader *k)
{
	struct trace_list *list = &k->t->launches;
	struct launch_item *new = section_new_entry(k, list, sizeof(*new));
	struct trace_launch *l;

	if (!new)
		return;
	new->record.outcome.text = "";
	l = &new->record.launch;
	l->module = section_read32(k);
	l->device = section_read32(k);
	l->stream = section_read32(k);
	l->group = section_read32(k);
	section_read_text(k, &l->kernel);
	section_read_shape(k, l);
	l->dynamic_shared = cursor_number(&k->c);
	section_read_params(k, l);
	l->registers = section_read32(k);
	l->cooperative = section_read32(k);
	l->id = cursor_number(&k->c);
	l->local_bytes = cursor_number(&k->c);
	if (k->c.at != k->c.end)
		l->code = cursor_number(&k->c);
	if (k->c.bad || k->c.at != k->c.end)
		launch_item_free(new);
	section_add_item(k, TRACE_LAUNCH, list);
}

static void section_read_end(struct section_reader *k)
{
	struct launch_item *l = trace_find_launch(k->t, k->s->of);
	struct trace_outcome o;

	if (!l || l->record.ended) {
		k->c.bad = true;
		return;
	}
	o.depends = section_read32(k);
	o.fault = section_read32(k);
	o.text = cursor_text(&k->c);
	if (k->c.bad || k->c.at != k->c.end) {
		free((char *)o.text);
		k->c.bad = true;
		return;
	}
	l->record.outcome = o;
	l->record.ended = true;
}

static uint64_t grid_blocks(const struct trace_launch *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/* Reads one entry of the list of work-groups. */
static bool section_read_block(struct section_reader *k, struct launch_item *l,
			       uint64_t *next, uint32_t *at)
{
	struct trace_list list = { l->blocks, l->block_count, l->block_room };
	uint64_t index = *next + number_unfold(cursor_number(&k->c));
	uint32_t size =
		(uint32_t)cursor_bounded(&k->c, k->s->plain_bytes - *at);
	struct block_place *b;

	if (k->c.bad || index >= grid_blocks(&l->record.launch)) {
		k->c.bad = true;
		return false;
	}
	b = trace_list_add(&list, sizeof(*b));
	if (!b) {
		k->no_memory = true;
		return false;
	}
	*b = (struct block_place){ .index = index,
				   .batch = (uint32_t)k->t->batches.count,
				   .at = *at,
				   .size = size };
	l->blocks = list.at;
	l->block_count = list.count;
	l->block_room = list.room;
	*next = index + 1;
	*at += size;
	return true;
}

static void section_read_blocks(struct section_reader *k)
{
	struct launch_item *l = trace_find_launch(k->t, k->s->of);
	uint64_t count = cursor_number(&k->c), next = 0;
	uint64_t warp = cursor_number(&k->c), thread = cursor_number(&k->c);
	struct batch_place *p;
	uint32_t at = 0;
	size_t before;

	if (!l) {
		k->c.bad = true;
		return;
	}
	before = l->block_count;
	for (uint64_t i = 0; i < count; i++)
		if (!section_read_block(k, l, &next, &at))
			break;
	if (k->c.bad || k->c.at != k->c.end || at != k->s->plain_bytes) {
		l->block_count = before;
		k->c.bad = true;
		return;
	}
	p = trace_list_add(&k->t->batches, sizeof(*p));
	if (!p) {
		k->no_memory = true;
		return;
	}
	p->s = *k->s;
	p->offset = k->offset;
	p->warp_instructions = warp;
	p->thread_instructions = thread;
	l->record.warp_instructions += warp;
	l->record.thread_instructions += thread;
	l->record.plain_bytes += k->s->plain_bytes;
	l->record.file_bytes += section_bytes(k->s);
}

bool trace_add_section(struct trace *t, const struct section *s,
		       uint64_t offset, const uint8_t *head)
{
	static void (*const readers[SECTION_KINDS])(struct section_reader *) = {
		[SECTION_INFO] = section_read_info,
		[SECTION_MODULE] = section_read_module,
		[SECTION_COPY] = section_read_copy,
		[SECTION_LAUNCH] = section_read_launch,
		[SECTION_BLOCKS] = section_read_blocks,
		[SECTION_END] = section_read_end,
	};
	struct section_reader k = {
		.t = t,
		.s = s,
		.offset = offset,
		.c = { .at = head, .end = head + s->head_bytes },
	};
	char name[80];

	if (readers[s->kind])
		readers[s->kind](&k);
	else
		k.c.bad = true;
	if (k.c.bad && !k.no_memory) {
		section_name(name, sizeof(name), s->kind, s->of);
		trace_note_damage(t, offset, "%s: its head is invalid", name);
	}
	return !k.no_memory;
}

static int block_by_index(const void *a, const void *b)
{
	const struct block_place *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* Keeps one of each; true if there were duplicates. */
static bool drop_duplicates(struct launch_item *l)
{
	size_t n = 0;
	bool duplicates;

	for (size_t i = 0; i < l->block_count; i++)
		if (!n || l->blocks[n - 1].index != l->blocks[i].index)
			l->blocks[n++] = l->blocks[i];
	duplicates = n < l->block_count;
	l->block_count = n;
	return duplicates;
}

void trace_forget_blocks(struct trace *t, uint32_t batch)
{
	const struct batch_place *p =
		(struct batch_place *)t->batches.at + batch;
	struct launch_item *l = trace_find_launch(t, p->s.of);
	struct trace_launch_record *r = &l->record;
	size_t n = 0;

	for (size_t i = 0; i < l->block_count; i++)
		if (l->blocks[i].batch != batch)
			l->blocks[n++] = l->blocks[i];
	l->block_count = n;
	r->blocks = n;
	r->whole = false;
	r->warp_instructions -= p->warp_instructions;
	r->thread_instructions -= p->thread_instructions;
	r->plain_bytes -= p->s.plain_bytes;
	r->file_bytes -= section_bytes(&p->s);
}

void trace_sort_blocks(struct trace *t)
{
	struct launch_item *l = t->launches.at;

	for (size_t i = 0; i < t->launches.count; i++, l++) {
		struct trace_launch_record *r = &l->record;

		if (l->block_count)
			qsort(l->blocks, l->block_count, sizeof(*l->blocks),
			      block_by_index);
		if (drop_duplicates(l))
			trace_note_damage(t, FILE_HEADER_BYTES,
					  "work-groups of launch %" PRIu32
					  " appear twice",
					  l->number);
		r->blocks = l->block_count;
		r->whole = r->ended && r->blocks == grid_blocks(&r->launch);
	}
}

void trace_close(struct trace *t)
{
	struct module_item *m;
	struct launch_item *l;

	if (!t)
		return;
	trace_close_batches(t);
	trace_info_free(&t->info);
	m = t->modules.at;
	for (size_t i = 0; i < t->modules.count; i++)
		free(m[i].name);
	l = t->launches.at;
	for (size_t i = 0; i < t->launches.count; i++)
		launch_item_free(&l[i]);
	free(t->modules.at);
	free(t->launches.at);
	free(t->copies.at);
	free(t->batches.at);
	free(t->items.at);
	trace_close_file(t);
	free(t);
}
