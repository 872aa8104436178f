/*
 * Opens traces: by the index at the end or, if there is none or it is damaged,
 * section by section from the beginning.
 */
#include "trace/read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/minmax.h"
#include "trace/crc.h"
#include "trace/pack.h"

/* Bytes to read at once when searching for sections. */
enum { WINDOW = 64 << 10 };

enum err trace_read_at(const struct trace *t, uint64_t offset, void *to,
		       size_t size, struct diag *d)
{
	char *at = to;

	while (size) {
		ssize_t n = pread(t->file, at, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(d, ERR_IO, "%s: %s", t->path,
				    strerror(errno));
		if (n == 0)
			return fail(d, ERR_SYNTAX,
				    "the file ends at byte %" PRIu64, offset);
		at += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return ERR_OK;
}

static enum err unpack_body(const struct section *s, uint8_t *raw,
			    uint8_t **out, struct diag *d)
{
	uint8_t *plain = raw;
	enum err e = ERR_OK;

	if (trace_crc(raw, s->body_bytes) != s->body_crc)
		e = fail(d, ERR_SYNTAX, "the checksum of its body is wrong");
	if (!e && s->packed) {
		plain = malloc((size_t)s->plain_bytes + 1);
		e = plain ? trace_unpack(plain, s->plain_bytes, raw,
					 s->body_bytes, d) :
			    fail(d, ERR_NOMEM, "out of memory");
	}
	if (plain != raw)
		free(raw);
	if (e) {
		free(plain);
		return e;
	}
	plain[s->plain_bytes] = 0;
	*out = plain;
	return ERR_OK;
}

enum err trace_read_body(const struct trace *t, const struct section *s,
			 uint64_t offset, uint8_t **out, struct diag *d)
{
	uint8_t *raw = malloc((size_t)s->body_bytes + 1);
	enum err e;

	if (!raw)
		return fail(d, ERR_NOMEM, "out of memory");
	e = trace_read_at(t, offset + SECTION_HEADER_BYTES + s->head_bytes, raw,
			  s->body_bytes, d);
	if (e) {
		free(raw);
		return e;
	}
	return unpack_body(s, raw, out, d);
}

void trace_note_damage(struct trace *t, uint64_t offset, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&t->lock);
	if (!t->damages++)
		snprintf(t->damage, sizeof(t->damage), "byte %" PRIu64 ": %s",
			 offset, text);
	pthread_mutex_unlock(&t->lock);
}

/* Records that the section at `offset` is damaged. */
static void note_section_damage(struct trace *t, uint64_t offset, uint8_t kind,
				uint32_t of, const char *why)
{
	char name[80];

	section_name(name, sizeof(name), kind, of);
	trace_note_damage(t, offset, "%s: %s", name, why);
}

/* Reads and checks the head of a section. *out is malloc'ed. */
static enum err read_head(const struct trace *t, const struct section *s,
			  uint64_t offset, uint8_t **out, struct diag *d)
{
	uint8_t *head = malloc((size_t)s->head_bytes + 1);
	enum err e;

	if (!head)
		return fail(d, ERR_NOMEM, "out of memory");
	e = trace_read_at(t, offset + SECTION_HEADER_BYTES, head, s->head_bytes,
			  d);
	if (!e && trace_crc(head, s->head_bytes) != s->head_crc)
		e = fail(d, ERR_SYNTAX, "the checksum of its head is wrong");
	if (e)
		free(head);
	else
		*out = head;
	return e;
}

/*
 * Reads a section whose header is intact and which does not extend beyond the
 * file. ERR_SYNTAX: it is damaged, which has been recorded.
 */
static enum err trace_read_section(struct trace *t, const struct section *s,
				   uint64_t offset, struct diag *d)
{
	uint8_t *head = NULL;
	enum err e = read_head(t, s, offset, &head, d);

	if (e == ERR_SYNTAX)
		note_section_damage(t, offset, s->kind, s->of, d->text);
	if (e)
		return e;
	if (!trace_add_section(t, s, offset, head))
		e = fail(d, ERR_NOMEM, "out of memory");
	free(head);
	return e;
}

static enum err read_header(const struct trace *t, uint64_t offset,
			    struct section *s, struct diag *d)
{
	uint8_t raw[SECTION_HEADER_BYTES];
	char name[80];
	enum err e = trace_read_at(t, offset, raw, sizeof(raw), d);

	if (!e)
		e = section_unpack(s, raw, d);
	if (e || section_bytes(s) <= t->bytes - offset)
		return e;
	section_name(name, sizeof(name), s->kind, s->of);
	return fail(d, ERR_SYNTAX, "%s: its last %" PRIu64 " bytes are missing",
		    name, section_bytes(s) - (t->bytes - offset));
}

/*
 * Reads the index. ERR_SYNTAX: there is no index, or it is damaged; nothing has
 * been recorded.
 */
static enum err read_index(struct trace *t, uint8_t **body, struct section *s,
			   struct diag *d)
{
	uint8_t raw[TAIL_BYTES], *head = NULL;
	uint64_t at;
	enum err e;

	if (t->bytes < FILE_HEADER_BYTES + SECTION_HEADER_BYTES + TAIL_BYTES)
		return fail(d, ERR_SYNTAX, "too short for an index");
	e = trace_read_at(t, t->bytes - TAIL_BYTES, raw, sizeof(raw), d);
	if (e)
		return e;
	if (!tail_unpack(raw, &at) || at >= t->bytes)
		return fail(d, ERR_SYNTAX, "no index at the end");
	e = read_header(t, at, s, d);
	if (!e && s->kind != SECTION_INDEX)
		e = fail(d, ERR_SYNTAX, "no index at the end");
	if (!e && at + section_bytes(s) + TAIL_BYTES != t->bytes)
		e = fail(d, ERR_SYNTAX,
			 "extra bytes between the index and the end");
	if (!e)
		e = read_head(t, s, at, &head, d);
	if (e)
		return e;
	free(head);
	return trace_read_body(t, s, at, body, d);
}

/* Reads one entry of the index and its section. *end is where the previous
 * section ended, or 0 if that was damaged. */
static enum err read_index_entry(struct trace *t, struct cursor *c,
				 uint64_t number, uint64_t *at, uint64_t *end,
				 struct diag *d)
{
	uint8_t kind = (uint8_t)cursor_bounded(c, SECTION_KINDS - 1);
	uint32_t of = (uint32_t)cursor_bounded(c, UINT32_MAX);
	uint64_t distance;
	struct section s;
	enum err e;

	distance = cursor_bounded(c, t->bytes - *at);
	*at += distance;
	if (distance < SECTION_HEADER_BYTES && number)
		c->bad = true;
	if (c->bad) {
		c->at = c->end;
		trace_note_damage(t, t->bytes, "the index is invalid");
		return ERR_OK;
	}
	if (*end && *end != *at)
		trace_note_damage(t, *end,
				  "%" PRIu64 " bytes are not in the index",
				  *at - *end);
	e = read_header(t, *at, &s, d);
	if (!e && (s.kind != kind || s.of != of || s.number != number))
		e = fail(d, ERR_SYNTAX,
			 "the file has another section here than the index");
	*end = e ? 0 : *at + section_bytes(&s);
	if (e == ERR_SYNTAX)
		note_section_damage(t, *at, kind, of, d->text);
	return e ? e : trace_read_section(t, &s, *at, d);
}

static enum err read_indexed(struct trace *t, const uint8_t *body,
			     const struct section *index, struct diag *d)
{
	struct cursor c = { .at = body, .end = body + index->plain_bytes };
	uint64_t at = 0, end = FILE_HEADER_BYTES;

	for (uint64_t i = 0; c.at < c.end; i++) {
		enum err e = read_index_entry(t, &c, i, &at, &end, d);

		if (e && e != ERR_SYNTAX)
			return e;
	}
	return ERR_OK;
}

/* Finds the next intact header from `from` on; *out is t->bytes if there is
 * none. */
static enum err find_header(const struct trace *t, uint64_t from, uint64_t *out,
			    struct diag *d)
{
	uint8_t *window = malloc(WINDOW);
	enum err e = window ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
	/* The next header may be near: start with a small window. */
	size_t size = 4 * SECTION_HEADER_BYTES;
	struct section s;
	struct diag ignored;

	*out = t->bytes;
	while (!e && t->bytes - from >= SECTION_HEADER_BYTES) {
		size_t n = min_u64(t->bytes - from, size);
		size_t last = n - SECTION_HEADER_BYTES, i = 0;

		e = trace_read_at(t, from, window, n, d);
		while (!e && i <= last &&
		       section_unpack(&s, window + i, &ignored))
			i++;
		if (!e && i <= last) {
			*out = from + i;
			break;
		}
		from += last + 1;
		size = min_u64(2 * size, WINDOW);
	}
	free(window);
	return e;
}

/* Finds the next header after `at`, and records that the bytes up to there are
 * lost, for the reason in *d. */
static enum err trace_skip_damage(struct trace *t, uint64_t at, uint64_t *next,
				  struct diag *d)
{
	char why[sizeof(d->text)];
	enum err e;

	memcpy(why, d->text, sizeof(why));
	e = find_header(t, at + 1, next, d);
	if (!e && *next < t->bytes)
		trace_note_damage(t, at, "%.200s; %" PRIu64 " bytes are lost",
				  why, *next - at);
	else if (!e)
		trace_note_damage(t, at,
				  "%.200s; the rest of the file, %" PRIu64
				  " bytes, is lost",
				  why, t->bytes - at);
	return e;
}

/* Reads every section that is intact. */
static enum err trace_read_scan(struct trace *t, struct diag *d)
{
	uint64_t at = FILE_HEADER_BYTES, number = 0;

	while (at < t->bytes) {
		struct section s;
		enum err e = read_header(t, at, &s, d);

		if (e == ERR_SYNTAX) {
			e = trace_skip_damage(t, at, &at, d);
			if (e)
				return e;
			continue;
		}
		if (e)
			return e;
		if (s.kind == SECTION_INDEX)
			return ERR_OK;
		if (s.number < number) {
			note_section_damage(t, at, s.kind, s.of,
					    "the section is out of order");
		} else {
			if (s.number > number)
				trace_note_damage(t, at,
						  "%" PRIu64
						  " sections before this are "
						  "missing",
						  s.number - number);
			number = s.number + 1;
			e = trace_read_section(t, &s, at, d);
			if (e && e != ERR_SYNTAX)
				return e;
		}
		at += section_bytes(&s);
	}
	return ERR_OK;
}

static enum err read_sections(struct trace *t, struct diag *d)
{
	struct section index;
	uint8_t *body = NULL;
	enum err e = read_index(t, &body, &index, d);

	if (!e) {
		e = read_indexed(t, body, &index, d);
		free(body);
	} else if (e == ERR_SYNTAX) {
		e = trace_read_scan(t, d);
		/* Other damage says more. */
		if (!e && !t->damages)
			trace_note_damage(
				t, t->bytes,
				"no index at the end: the recording was "
				"interrupted, or the end of the file is "
				"lost");
	}
	if (!e)
		trace_sort_blocks(t);
	return e;
}

/* Checks the file's header. If only that is damaged, the rest is still read. */
static enum err check_file_header(struct trace *t, struct diag *d)
{
	uint8_t raw[FILE_HEADER_BYTES];
	struct section s;
	struct diag ignored;
	enum err e;

	if (t->bytes < sizeof(raw))
		return fail(d, ERR_SYNTAX, "%s: not a Heddle trace", t->path);
	e = trace_read_at(t, 0, raw, sizeof(raw), d);
	if (!e)
		e = file_header_check(raw, &t->version, d);
	if (e == ERR_SYNTAX && !read_header(t, sizeof(raw), &s, &ignored)) {
		trace_note_damage(t, 0, "the file's header is damaged");
		t->version = FORMAT_VERSION;
		return ERR_OK;
	}
	if (e && e != ERR_IO) {
		struct diag why = *d;

		return fail(d, e, "%s: %s", t->path, why.text);
	}
	return e;
}

static enum err open_file(struct trace *t, const char *path, struct diag *d)
{
	struct stat st;

	t->path = strdup(path);
	if (!t->path)
		return fail(d, ERR_NOMEM, "out of memory");
	t->file = open(path, O_RDONLY | O_CLOEXEC);
	if (t->file < 0 || fstat(t->file, &st))
		return fail(d, ERR_IO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(d, ERR_IO,
			    "%s: not a regular file; a trace must be one",
			    path);
	t->bytes = (uint64_t)st.st_size;
	return check_file_header(t, d);
}

void trace_close_file(struct trace *t)
{
	if (t->file >= 0)
		close(t->file);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->loaded);
	free(t->path);
}

enum err trace_open(struct trace **out, const char *path, struct diag *d)
{
	struct trace *t;
	enum err e;

	*out = NULL;
	if (!trace_pack_supported())
		return trace_pack_missing(d);
	t = calloc(1, sizeof(*t));
	if (!t)
		return fail(d, ERR_NOMEM, "out of memory");
	t->file = -1;
	t->idle.before = t->idle.after = &t->idle;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->loaded, NULL);
	e = open_file(t, path, d);
	if (!e)
		e = read_sections(t, d);
	if (!e && !t->info.producer && !trace_set_no_info(t))
		e = fail(d, ERR_NOMEM, "out of memory");
	if (e)
		trace_close(t);
	else
		*out = t;
	return e;
}

bool trace_is_trace(const char *path)
{
	char raw[MAGIC_BYTES];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool is = file >= 0 &&
		  pread(file, raw, sizeof(raw), 0) == (ssize_t)sizeof(raw) &&
		  !memcmp(raw, FILE_MAGIC, sizeof(raw));

	if (file >= 0)
		close(file);
	return is;
}

const char *trace_damage(struct trace *t, size_t *count)
{
	const char *text;

	pthread_mutex_lock(&t->lock);
	text = t->damages ? t->damage : NULL;
	if (count)
		*count = t->damages;
	pthread_mutex_unlock(&t->lock);
	return text;
}

static enum err check_body(struct trace *t, const struct section *s,
			   uint64_t offset, struct diag *d)
{
	uint8_t *body;
	enum err e = trace_read_body(t, s, offset, &body, d);

	if (!e)
		free(body);
	if (e == ERR_SYNTAX)
		note_section_damage(t, offset, s->kind, s->of, d->text);
	return e;
}

/* False after an error of the host; damage does not stop the check. */
static bool can_continue(enum err e)
{
	return e == ERR_OK || e == ERR_SYNTAX;
}

enum err trace_check(struct trace *t, struct diag *d)
{
	const struct module_item *m = t->modules.at;
	const struct batch_place *p = t->batches.at;
	enum err e = ERR_OK;

	for (size_t i = 0; can_continue(e) && i < t->modules.count; i++)
		e = check_body(t, &m[i].s, m[i].offset, d);
	for (size_t i = 0; can_continue(e) && i < t->batches.count; i++) {
		e = check_body(t, &p[i].s, p[i].offset, d);
		if (e == ERR_SYNTAX)
			trace_forget_blocks(t, (uint32_t)i);
	}
	if (!can_continue(e) || !t->damages)
		return e;
	return fail(d, ERR_SYNTAX, "%s: %s", t->path, t->damage);
}
