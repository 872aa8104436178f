#include "door/common/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonwrite.h"
#include "door/common/stats.h"

enum {
	/* Viewers expect thread numbers to be unique, even across processes. */
	THREADS = 1000,
	WARP_ROWS = 200,
	STREAM_ROWS = 64,
	LINE = 256 /* the longest line, but for texts of programs */
};

struct timeline_text {
	const struct heddle_place *at; /* NULL: free */
	char *text;                    /* the member "args" of an event */
};

/* A wait, as far as it is needed to write it. */
struct timeline_wait {
	uint64_t from, to;
	const char *reason, *args;
};

struct timeline_row {
	bool block_named, warp_named;
	bool idle; /* no stall since its last warp ended */
	bool held; /* `first` is not written yet */
	struct timeline_wait first;
};

/* What is shown over time. The value is a quotient of counters; cycles divide
 * if `by` is NULL. Viewers show the name and the unit behind it. */
static const struct {
	const char *name, *unit, *count, *by;
	double factor;
} counters[] = {
	{ "IPC", "of the GPU", "sm.instructions", NULL, 1 },
	{ "resident warps", "of the GPU", "sm.warp_cycles", NULL, 1 },
	{ "issue slots used", "%", "reason.issued", "sm.slots", 100 },
	{ "L1 hits", "%", "l1.read_hits", "l1.reads", 100 },
	{ "L2 hits", "%", "l2.read_hits", "l2.reads", 100 },
	{ "L2 to SMs", "bytes per cycle", "l2.bytes_out", NULL, 1 },
	{ "SMs to L2", "bytes per cycle", "l2.bytes_in", NULL, 1 },
	{ "DRAM read", "bytes per cycle", "dram.bytes_read", NULL, 1 },
	{ "DRAM written", "bytes per cycle", "dram.bytes_written", NULL, 1 },
};
enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

static void timeline_put(struct timeline *t, const char *text)
{
	gzip_put(t->zip, text, strlen(text));
}

static void PRINTF_LIKE(2, 3)
	timeline_print(struct timeline *t, const char *fmt, ...)
{
	char line[LINE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	timeline_put(t, line);
}

/* Starts an element of the array. */
static void timeline_element(struct timeline *t)
{
	timeline_put(t, t->comma ? ",\n" : "\n");
	t->comma = true;
}

/* Notes the first error; false: there is one. */
static bool timeline_check(struct timeline *t)
{
	if (!t->error && ferror(t->file.to))
		t->error = errno ? errno : EIO;
	return !t->error;
}

enum err timeline_open(struct timeline *t, const char *path, uint64_t limit,
		       bool several, struct diag *d)
{
	*t = (struct timeline){ .limit = limit ? limit : TIMELINE_LIMIT,
				.several = several };
	pthread_mutex_init(&t->lock, NULL);
	if (outfile_open(&t->file, path, d))
		return d->code;
	t->path = path;
	if (gzip_begin(&t->zip, t->file.to, d))
		return d->code;
	timeline_put(t, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
	return ERR_OK;
}

/*
 * Names
 */

static void timeline_name(struct timeline *t, const char *what,
			  uint32_t process, uint32_t row, const char *name)
{
	timeline_element(t);
	timeline_print(t,
		       "{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		       ",\"name\":\"%s_name\",\"args\":{\"name\":\"%s\"}}",
		       process, row, what, name);
	timeline_element(t);
	timeline_print(t,
		       "{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		       ",\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":"
		       "%" PRIu32 "}}",
		       process, row, what, row);
}

/* sm: NULL for the GPU as a whole. */
static void timeline_name_process(struct timeline *t,
				  const struct timeline_device *v,
				  const uint32_t *sm)
{
	uint32_t process = v->process + (sm ? *sm + 1 : 0);
	char gpu[32] = "", name[64];

	if (t->several || !sm)
		snprintf(gpu, sizeof(gpu), "GPU %u",
			 (unsigned)(v - t->devices));
	if (sm)
		snprintf(name, sizeof(name), "%s%sSM %" PRIu32, gpu,
			 gpu[0] ? " " : "", *sm);
	timeline_name(t, "process", process, process * THREADS,
		      sm ? name : gpu);
}

static void timeline_name_rows(struct timeline *t, struct timeline_row *r,
			       const struct heddle_event *e, uint32_t number)
{
	struct timeline_device *v = t->current;
	bool block = e->kind == HEDDLE_EVENT_BLOCK;
	bool *named = block ? &r->block_named : &r->warp_named;
	char name[48];

	if (!v->named[e->sm])
		timeline_name_process(t, v, &e->sm);
	if (!*named) {
		snprintf(name, sizeof(name), "%s %" PRIu32,
			 block ? "blocks at slot" : "warp slot", e->slot);
		timeline_name(t, "thread", v->process + 1 + e->sm, number,
			      name);
	}
	v->named[e->sm] = *named = true;
}

/*
 * Instructions
 */

static char *timeline_args(const struct heddle_place *at)
{
	char *text = NULL, line[1100];
	const char *slash = strrchr(at->file, '/');
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct json j = { .to = f };

	if (!f)
		return NULL;
	snprintf(line, sizeof(line), "%.1000s:%" PRIu32,
		 slash ? slash + 1 : at->file, at->line);
	json_open_line(&j, NULL, '{');
	json_string(&j, "line", line);
	json_string(&j, "instruction", at->instruction);
	json_close(&j, '{');
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void timeline_forget_texts(struct timeline *t)
{
	for (size_t i = 0; i < t->text_room; i++)
		free(t->texts[i].text);
	free(t->texts);
	t->texts = NULL;
	t->text_count = t->text_room = 0;
}

/* Where the text of an instruction is, or belongs. There is room. */
static struct timeline_text *timeline_text_at(struct timeline_text *texts,
					      size_t room,
					      const struct heddle_place *at)
{
	size_t i = ((uintptr_t)at >> 4) * 2654435761u % room;

	while (texts[i].at && texts[i].at != at)
		i = (i + 1) % room;
	return &texts[i];
}

static bool timeline_grow_texts(struct timeline *t)
{
	size_t room = t->text_room ? 2 * t->text_room : 256;
	struct timeline_text *texts = calloc(room, sizeof(*texts));

	if (!texts)
		return false;
	for (size_t i = 0; i < t->text_room; i++)
		if (t->texts[i].at)
			*timeline_text_at(texts, room, t->texts[i].at) =
				t->texts[i];
	free(t->texts);
	t->texts = texts;
	t->text_room = room;
	return true;
}

/* The member "args" for an instruction; NULL: none, or no memory. */
static const char *timeline_text(struct timeline *t,
				 const struct heddle_place *at)
{
	struct timeline_text *found;

	if (!at ||
	    (2 * t->text_count >= t->text_room && !timeline_grow_texts(t)))
		return NULL;
	found = timeline_text_at(t->texts, t->text_room, at);
	if (!found->at) {
		*found = (struct timeline_text){ at, timeline_args(at) };
		t->text_count++;
	}
	return found->text;
}

/*
 * Events
 */

static void timeline_slice(struct timeline *t, uint32_t process, uint32_t row,
			   uint64_t from, uint64_t to, const char *category)
{
	timeline_element(t);
	timeline_print(t,
		       "{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		       ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
		       ",\"cat\":\"%s\",",
		       process, row, t->current->offset + from, to - from,
		       category);
}

/* Counts an event of an SM; true: there are too many. */
static bool timeline_is_full(struct timeline *t)
{
	if (t->written < t->limit) {
		t->written++;
		return false;
	}
	t->dropped++;
	return true;
}

static uint32_t timeline_warp_row(const struct timeline *t, uint32_t sm,
				  uint32_t slot)
{
	return (t->current->process + 1 + sm) * THREADS + slot + WARP_ROWS;
}

static void timeline_write_wait(struct timeline *t, uint32_t sm, uint32_t slot,
				const struct timeline_wait *w)
{
	if (timeline_is_full(t))
		return;
	timeline_slice(t, t->current->process + 1 + sm,
		       timeline_warp_row(t, sm, slot), w->from, w->to, "wait");
	timeline_print(t, "\"name\":\"%s\"%s", w->reason,
		       w->args ? ",\"args\":" : "");
	if (w->args)
		timeline_put(t, w->args);
	timeline_put(t, "}");
}

/* Writes the life of a block or a warp. */
static void timeline_write_life(struct timeline *t,
				const struct heddle_event *e)
{
	bool block = e->kind == HEDDLE_EVENT_BLOCK;
	uint32_t row =
		timeline_warp_row(t, e->sm, e->slot) - (block ? WARP_ROWS : 0);

	if (timeline_is_full(t))
		return;
	timeline_slice(t, t->current->process + 1 + e->sm, row, e->from, e->to,
		       block ? "block" : "warp");
	timeline_print(t,
		       "\"name\":\"%sblock %" PRIu64
		       "\",\"args\":{\"block\":%" PRIu64 "}}",
		       block ? "" : "warp of ", e->block, e->block);
}

/*
 * A slice must precede the slices inside it that start in the same cycle. The
 * event of a warp comes when it ends, so its first wait, the only one that can
 * start with the warp, is held back until then.
 */
static void timeline_order(struct timeline *t, struct timeline_row *r,
			   const struct heddle_event *e)
{
	struct timeline_wait w = { e->from, e->to, e->reason, NULL };

	if (e->kind == HEDDLE_EVENT_STALL) {
		w.args = timeline_text(t, e->at);
		if (!r->idle) {
			timeline_write_wait(t, e->sm, e->slot, &w);
			return;
		}
		r->first = w;
		r->held = true;
		r->idle = false;
		return;
	}
	timeline_write_life(t, e);
	if (e->kind != HEDDLE_EVENT_WARP)
		return;
	if (r->held)
		timeline_write_wait(t, e->sm, e->slot, &r->first);
	r->held = false;
	r->idle = true;
}

bool timeline_add(struct timeline *t, const struct heddle_event *e)
{
	struct timeline_device *v = t->current;
	struct timeline_row *r;
	bool good;

	if (e->sm >= v->gpu.sms || e->slot >= v->gpu.slots)
		BUG("an event of an unknown SM or slot");
	pthread_mutex_lock(&t->lock);
	errno = 0;
	r = &v->rows[(size_t)e->sm * v->gpu.slots + e->slot];
	timeline_name_rows(t, r, e,
			   timeline_warp_row(t, e->sm, e->slot) -
				   (e->kind == HEDDLE_EVENT_BLOCK ? WARP_ROWS :
								    0));
	timeline_order(t, r, e);
	good = timeline_check(t);
	pthread_mutex_unlock(&t->lock);
	return good;
}

static void timeline_counter(struct timeline *t, uint64_t at, int counter,
			     double value)
{
	timeline_element(t);
	timeline_print(t,
		       "{\"ph\":\"C\",\"pid\":%" PRIu32 ",\"ts\":%" PRIu64
		       ",\"name\":\"%s\",\"args\":{\"%s\":%.6g}}",
		       t->current->process, t->current->offset + at,
		       counters[counter].name, counters[counter].unit, value);
}

bool timeline_sample(struct timeline *t, uint64_t from, uint64_t to,
		     const struct heddle_stats *s)
{
	bool good;

	pthread_mutex_lock(&t->lock);
	errno = 0;
	for (int i = 0; to > from && i < COUNTERS; i++) {
		double v = (double)stat_count_of(s, counters[i].count);
		double by = counters[i].by ?
				    (double)stat_count_of(s, counters[i].by) :
				    (double)(to - from);

		timeline_counter(t, from, i,
				 by > 0 ? v / by * counters[i].factor : 0);
	}
	good = timeline_check(t);
	pthread_mutex_unlock(&t->lock);
	return good;
}

/*
 * Groups of launches
 */

static enum err timeline_add_gpu(struct timeline *t, struct timeline_device *v,
				 const struct timeline_gpu *gpu, struct diag *d)
{
	size_t rows = (size_t)gpu->sms * gpu->slots;

	v->gpu = *gpu;
	v->gpu.name = strdup(gpu->name);
	v->rows = calloc(rows + 1, sizeof(*v->rows));
	v->named = calloc(gpu->sms + 1, sizeof(*v->named));
	if (!v->gpu.name || !v->rows || !v->named)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < rows; i++)
		v->rows[i].idle = true;
	v->process = t->processes + 1;
	t->processes += gpu->sms + 1;
	timeline_name_process(t, v, NULL);
	return ERR_OK;
}

enum err timeline_begin(struct timeline *t, unsigned device,
			const struct timeline_gpu *gpu, double at,
			struct diag *d)
{
	struct timeline_device *v = &t->devices[device];
	uint64_t offset = (uint64_t)(at * gpu->mhz * 1e6 + 0.5);

	CHECK(device < TIMELINE_GPUS);
	if (!v->rows && timeline_add_gpu(t, v, gpu, d))
		return d->code;
	t->current = v;
	v->offset = offset > v->end ? offset : v->end;
	return ERR_OK;
}

/* The rest of a launch's slice, from its name on; malloc'ed, or NULL. */
static char *timeline_launch_text(const struct timeline_launch *l)
{
	char *text = NULL, name[300];
	struct json j = { 0 };
	size_t size;

	j.to = open_memstream(&text, &size);
	if (!j.to)
		return NULL;
	snprintf(name, sizeof(name), "launch %" PRIu64 ", %.250s", l->number,
		 l->kernel);
	json_open_line(&j, NULL, '{');
	json_string(&j, "name", name);
	json_open_line(&j, "args", '{');
	json_uint(&j, "launch", l->number);
	json_string(&j, "kernel", l->kernel);
	json_uint(&j, "stream", l->stream);
	if (l->grid.x) {
		json_uints(&j, "grid", &l->grid.x, 3);
		json_uints(&j, "block", &l->block.x, 3);
	}
	json_close(&j, '{');
	json_close(&j, '{');
	return fclose(j.to) ? NULL : text;
}

void timeline_launch(struct timeline *t, const struct timeline_launch *l)
{
	struct timeline_device *v = t->current;
	unsigned stream = (unsigned)(l->stream % STREAM_ROWS);
	uint32_t row = v->process * THREADS + stream + 1;
	char *text = timeline_launch_text(l), name[48];

	snprintf(name, sizeof(name), "launches, stream %" PRIu64, l->stream);
	if (!(v->streams >> stream & 1))
		timeline_name(t, "thread", v->process, row, name);
	v->streams |= UINT64_C(1) << stream;
	timeline_slice(t, v->process, row, l->start, l->end, "launch");
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		timeline_put(t, text + 1); /* without its brace */
	} else {
		timeline_print(t, "\"name\":\"launch %" PRIu64 "\"}",
			       l->number);
	}
	free(text);
}

void timeline_end(struct timeline *t, uint64_t cycles)
{
	struct timeline_device *v = t->current;

	/* Waits of warps that have not ended. */
	for (uint32_t i = 0; i < v->gpu.sms * v->gpu.slots; i++) {
		struct timeline_row *r = &v->rows[i];

		if (r->held)
			timeline_write_wait(t, i / v->gpu.slots,
					    i % v->gpu.slots, &r->first);
		r->held = false;
		r->idle = true;
	}
	for (int i = 0; i < COUNTERS; i++)
		timeline_counter(t, cycles, i, 0);
	v->end = v->offset + cycles;
	timeline_forget_texts(t);
}

/*
 * The end
 */

static void timeline_write_tail(struct timeline *t, struct json *j,
				const char *program, const char *cut)
{
	json_open(j, NULL, '{');
	json_string(j, "heddle", HEDDLE_VERSION);
	json_string(j, "program", program);
	json_string(j, "time", "1 us of this trace is 1 cycle of the GPU");
	json_bool(j, "whole", !cut && !t->dropped);
	json_string(j, "cut", cut ? cut : "");
	json_uint(j, "events", t->written);
	json_uint(j, "events_left_out", t->dropped);
	json_open(j, "gpus", '[');
	for (int i = 0; i < TIMELINE_GPUS; i++) {
		const struct timeline_device *v = &t->devices[i];

		if (!v->rows)
			continue;
		json_open_line(j, NULL, '{');
		json_uint(j, "device", (uint64_t)i);
		json_string(j, "name", v->gpu.name);
		json_real(j, "clock_mhz", v->gpu.mhz);
		json_uint(j, "sms", v->gpu.sms);
		json_close(j, '{');
	}
	json_close(j, '[');
	json_close(j, '{');
}

enum err timeline_close(struct timeline *t, const char *program,
			const char *cut, bool new, struct diag *d)
{
	struct json j = { 0 };
	char *tail = NULL;
	size_t size;
	enum err e = ERR_OK;

	if (!t->path)
		return ERR_OK;
	j.to = open_memstream(&tail, &size);
	if (!j.to)
		e = fail(d, ERR_NOMEM, "out of memory");
	if (!e) {
		timeline_write_tail(t, &j, program, cut);
		fclose(j.to);
		timeline_put(t, "\n],\n\"otherData\":");
		timeline_put(t, tail);
		timeline_put(t, "}\n");
	}
	free(tail);
	errno = 0;
	gzip_end(t->zip);
	t->zip = NULL;
	if (!e && !timeline_check(t))
		e = fail(d, ERR_IO, "cannot write '%.300s': %s", t->path,
			 strerror(t->error));
	t->path = NULL;
	return new ? outfile_close_new(&t->file, e, d) :
		     outfile_close(&t->file, e, d);
}

void timeline_free(struct timeline *t)
{
	gzip_drop(t->zip);
	if (t->path)
		outfile_drop(&t->file);
	timeline_forget_texts(t);
	for (int i = 0; i < TIMELINE_GPUS; i++) {
		free((char *)t->devices[i].gpu.name);
		free(t->devices[i].rows);
		free(t->devices[i].named);
	}
	pthread_mutex_destroy(&t->lock);
	*t = (struct timeline){ 0 };
}
