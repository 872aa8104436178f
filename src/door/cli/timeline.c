#include "door/cli/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonwrite.h"

/* Viewers expect thread numbers to be unique, even across processes. */
enum { THREADS = 1000, WARP_ROWS = 200 };

static void timeline_write_head(struct timeline *t,
				const struct timeline_head *h)
{
	struct json j = { .to = t->to };

	json_open(&j, NULL, '{');
	json_string(&j, "displayTimeUnit", "ms");
	json_open(&j, "otherData", '{');
	json_string(&j, "heddle", HEDDLE_VERSION);
	json_string(&j, "time", "1 us of this trace is 1 cycle of the GPU");
	json_string(&j, "gpu", h->gpu);
	json_real(&j, "clock_mhz", h->mhz);
	json_string(&j, "kernel", h->kernel);
	json_close(&j, '{');
	json_key(&j, "traceEvents");
	fputc('[', t->to);
}

enum err timeline_open(struct timeline *t, const char *path,
		       const struct timeline_head *h, uint64_t limit,
		       struct diag *d)
{
	size_t slots = (size_t)h->sms * h->slots;

	*t = (struct timeline){
		.path = path, .sms = h->sms, .slots = h->slots, .limit = limit
	};
	pthread_mutex_init(&t->lock, NULL);
	t->slot = calloc(slots + 1, sizeof(*t->slot));
	t->named = calloc(h->sms + 1, sizeof(*t->named));
	if (!t->slot || !t->named)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < slots; i++)
		t->slot[i].idle = true;
	t->to = fopen(path, "w");
	if (!t->to)
		return fail(d, ERR_IO, "cannot create '%s': %s", path,
			    strerror(errno));
	timeline_write_head(t, h);
	return ERR_OK;
}

/* Starts an element of the array. */
static void timeline_element(struct timeline *t)
{
	fputs(t->comma ? ",\n" : "\n", t->to);
	t->comma = true;
}

static void timeline_name_row(struct timeline *t, const char *what, uint32_t sm,
			      uint32_t row, const char *name, uint32_t number)
{
	timeline_element(t);
	fprintf(t->to,
		"{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"name\":\"%s_name\",\"args\":{\"name\":\"%s %" PRIu32 "\"}}",
		sm + 1, row, what, name, number);
	timeline_element(t);
	fprintf(t->to,
		"{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":"
		"%" PRIu32 "}}",
		sm + 1, row, what, row);
}

static void timeline_name_rows(struct timeline *t, const struct heddle_event *e,
			       uint32_t row)
{
	struct timeline_slot *s = &t->slot[e->sm * t->slots + e->slot];
	bool block = e->kind == HEDDLE_EVENT_BLOCK;
	bool *named = block ? &s->block_named : &s->warp_named;

	if (!t->named[e->sm])
		timeline_name_row(t, "process", e->sm, (e->sm + 1) * THREADS,
				  "SM", e->sm);
	if (!*named)
		timeline_name_row(t, "thread", e->sm, row,
				  block ? "blocks at slot" : "warp slot",
				  e->slot);
	t->named[e->sm] = *named = true;
}

static void timeline_write_event(struct timeline *t,
				 const struct heddle_event *e)
{
	bool block = e->kind == HEDDLE_EVENT_BLOCK;
	bool stall = e->kind == HEDDLE_EVENT_STALL;
	uint32_t row =
		(e->sm + 1) * THREADS + e->slot + (block ? 0 : WARP_ROWS);

	if (t->written == t->limit) {
		t->dropped++;
		return;
	}
	t->written++;
	timeline_name_rows(t, e, row);
	timeline_element(t);
	fprintf(t->to,
		"{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"cat\":\"%s\",",
		e->sm + 1, row, e->from, e->to - e->from,
		block ? "block" :
		stall ? "wait" :
			"warp");
	if (stall)
		fprintf(t->to, "\"name\":\"%s\"}", e->reason);
	else
		fprintf(t->to,
			"\"name\":\"%sblock %" PRIu64
			"\",\"args\":{\"block\":%" PRIu64 "}}",
			block ? "" : "warp of ", e->block, e->block);
}

/*
 * A slice must precede the slices inside it that start in the same cycle. The
 * event of a warp comes when it ends, so its first stall, the only one that can
 * start with the warp, is held back until then.
 */
static void timeline_order(struct timeline *t, const struct heddle_event *e)
{
	struct timeline_slot *s = &t->slot[e->sm * t->slots + e->slot];

	if (e->kind == HEDDLE_EVENT_STALL && s->idle) {
		s->first = *e;
		s->held = true;
		s->idle = false;
		return;
	}
	timeline_write_event(t, e);
	if (e->kind != HEDDLE_EVENT_WARP)
		return;
	if (s->held)
		timeline_write_event(t, &s->first);
	s->held = false;
	s->idle = true;
}

bool timeline_add(struct timeline *t, const struct heddle_event *e)
{
	bool good;

	if (e->sm >= t->sms || e->slot >= t->slots)
		BUG("an event of an unknown SM or slot");
	pthread_mutex_lock(&t->lock);
	errno = 0;
	timeline_order(t, e);
	if (!t->error && ferror(t->to))
		t->error = errno ? errno : EIO;
	good = !t->error;
	pthread_mutex_unlock(&t->lock);
	return good;
}

/* Writes the first stalls of warps that have not ended. */
static void timeline_write_held(struct timeline *t)
{
	for (size_t i = 0; i < (size_t)t->sms * t->slots; i++)
		if (t->slot[i].held)
			timeline_write_event(t, &t->slot[i].first);
}

enum err timeline_close(struct timeline *t, struct diag *d)
{
	int bad = t->error;

	if (!t->to)
		return ERR_OK;
	errno = 0;
	if (!bad)
		timeline_write_held(t);
	fputs("\n]\n}\n", t->to);
	if (!bad && ferror(t->to))
		bad = errno ? errno : EIO;
	if (fclose(t->to) != 0 && !bad)
		bad = errno ? errno : EIO;
	t->to = NULL;
	return bad ? fail(d, ERR_IO, "cannot write '%s': %s", t->path,
			  strerror(bad)) :
		     ERR_OK;
}

void timeline_free(struct timeline *t)
{
	if (!t->path)
		return;
	if (t->to)
		fclose(t->to);
	free(t->slot);
	free(t->named);
	pthread_mutex_destroy(&t->lock);
	*t = (struct timeline){ 0 };
}
