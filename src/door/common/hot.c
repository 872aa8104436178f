#include "door/common/hot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
	const struct hot_line *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (c)
		return c;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int by_heat(const void *a, const void *b)
{
	const struct hot_line *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited > y->waited ? -1 : 1;
	if (x->issued != y->issued)
		return x->issued > y->issued ? -1 : 1;
	return by_place(a, b);
}

static void add_line(struct hot_line *to, const struct hot_line *l)
{
	to->issued += l->issued;
	to->waited += l->waited;
	to->total.issued += l->total.issued;
	to->total.waited += l->total.waited;
	for (size_t i = 0; i < HOT_REASONS; i++)
		to->total.slots[i] += l->total.slots[i];
	if (l->most <= to->most)
		return;
	to->most = l->most;
	memcpy(to->instruction, l->instruction, sizeof(to->instruction));
}

/* Merges entries of the same line; sorts them by file and line. */
static void merge(struct hot *h)
{
	size_t n = 0;

	qsort(h->lines, h->count, sizeof(*h->lines), by_place);
	for (size_t i = 0; i < h->count; i++) {
		if (n && !by_place(&h->lines[n - 1], &h->lines[i]))
			add_line(&h->lines[n - 1], &h->lines[i]);
		else
			h->lines[n++] = h->lines[i];
	}
	h->count = n;
}

enum { SOURCE_MOST = 400 }; /* maximum bytes kept of a line */

/* Reads the text of the lines of one file, which are in order. There is no text
 * if the source is gone, must not be shown, or is not a text file. */
static enum err read_source(struct hot *h, struct hot_line *l, size_t n,
			    const struct sources *sources, struct diag *d)
{
	FILE *f = sources_open(sources, l->file);
	char *text = NULL;
	size_t room = 0, i = 0;
	ssize_t size;
	enum err e = ERR_OK;

	for (uint32_t line = 1; f && i < n; line++) {
		size = getline(&text, &room, f);
		if (size < 0)
			break;
		while (i < n && l[i].line < line)
			i++;
		if (i == n || l[i].line != line)
			continue;
		size = (ssize_t)strcspn(text, "\r\n");
		l[i].source = arena_strndup(&h->sources, text,
					    size < SOURCE_MOST ? (size_t)size :
								 SOURCE_MOST);
		if (!l[i].source) {
			e = fail(d, ERR_NOMEM, "out of memory");
			break;
		}
	}
	free(text);
	if (f)
		fclose(f);
	return e;
}

static enum err read_sources(struct hot *h, const struct sources *sources,
			     struct diag *d)
{
	size_t end;

	for (size_t i = 0; i < h->count; i = end) {
		for (end = i + 1; end < h->count; end++)
			if (strcmp(h->lines[end].file, h->lines[i].file) != 0)
				break;
		if (read_source(h, &h->lines[i], end - i, sources, d))
			return d->code;
	}
	return ERR_OK;
}

/* ---- instructions ---- */

enum { HOT_DEPTH = 32 }; /* calls that are followed */

static int code_by_place(const void *a, const void *b)
{
	const struct hot_code *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* The names of the reasons, in the order of their slots. */
static void read_reasons(struct hot *h, const struct heddle_timing *t)
{
	const struct heddle_stats *s = heddle_timing_stats(t);
	struct heddle_stat v;

	for (size_t i = 0; i < heddle_stats_count(); i++)
		if (!heddle_stats_get(s, i, &v, NULL) &&
		    !strcmp(v.group, "reason") && h->reason_count < HOT_REASONS)
			h->reasons[h->reason_count++] = v.name;
}

static void add_work(struct hot *h, const struct heddle_hot_line *row,
		     uint64_t operations)
{
	uint64_t each = row->issued ? operations / row->issued : 0;
	size_t i = 0;

	if (!operations)
		return;
	while (i < h->work_count && strcmp(h->work[i].unit, row->unit) != 0)
		i++;
	if (i == HOT_UNITS)
		BUG("more units than HOT_UNITS");
	if (i == h->work_count)
		h->work[h->work_count++].unit = row->unit;
	h->work[i].operations += operations;
	h->work[i].most = each > h->work[i].most ? each : h->work[i].most;
}

/* Adds an entry for a line, unless the instruction has one there already: a
 * recursive call must not count twice. first: its own line. */
static struct hot_line *add_place(struct hot *h, size_t first, const char *file,
				  uint32_t line)
{
	for (size_t i = first; i < h->count; i++)
		if (h->lines[i].line == line && !strcmp(h->lines[i].file, file))
			return NULL;
	h->lines[h->count] = (struct hot_line){ .file = file, .line = line };
	return &h->lines[h->count++];
}

static enum err add_code(struct hot *h, const struct heddle_timing *t, size_t i,
			 const struct heddle_hot_line *row, struct diag *d)
{
	struct hot_code *c = &h->code[h->code_count];
	struct heddle_hot_detail more;
	bool detailed = !heddle_timing_detail(t, i, &more, NULL);

	*c = (struct hot_code){
		.file = row->file,
		.line = row->line,
		.order = h->code_count++,
		.pc = row->pc,
		.text = arena_strndup(&h->sources, row->instruction,
				      strlen(row->instruction)),
		.issued = row->issued,
		.waited = row->waited,
	};
	if (detailed) {
		c->slots = more.slots;
		c->lanes = more.lanes;
		add_work(h, row, more.operations);
	}
	return c->text ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

/* Adds an instruction to its line and to those that called it. */
static void add_places(struct hot *h, const struct heddle_timing *t, size_t i,
		       const struct heddle_hot_line *row)
{
	const struct hot_code *c = &h->code[h->code_count - 1];
	struct hot_count sum = { .issued = row->issued, .waited = row->waited };
	size_t first = h->count;
	struct hot_line *l = add_place(h, first, row->file, row->line);
	const char *file;
	uint32_t line;

	if (c->slots)
		memcpy(sum.slots, c->slots,
		       h->reason_count * sizeof(sum.slots[0]));
	l->issued = row->issued;
	l->waited = l->most = row->waited;
	l->total = sum;
	memcpy(l->instruction, row->instruction, sizeof(l->instruction));
	for (unsigned k = 0; k < HOT_DEPTH; k++) {
		if (heddle_timing_caller(t, i, k, &file, &line, NULL))
			break;
		l = add_place(h, first, file, line);
		if (l)
			l->total = sum;
	}
}

/* Gives each line its own instructions. */
static void hot_find_code(struct hot *h)
{
	size_t at = 0;

	for (size_t i = 0; i < h->count; i++) {
		struct hot_line *l = &h->lines[i];

		l->code = &h->code[at];
		while (at < h->code_count && h->code[at].line == l->line &&
		       !strcmp(h->code[at].file, l->file))
			at++;
		l->code_count = (size_t)(&h->code[at] - l->code);
	}
}

static unsigned count_callers(const struct heddle_timing *t, size_t i)
{
	const char *file;
	uint32_t line;
	unsigned n = 0;

	while (n < HOT_DEPTH &&
	       !heddle_timing_caller(t, i, n, &file, &line, NULL))
		n++;
	return n;
}

static enum err alloc_hot(struct hot *h, const struct heddle_timing *t,
			  size_t count, struct diag *d)
{
	size_t places = count;

	for (size_t i = 0; i < count; i++)
		places += count_callers(t, i);
	h->lines = calloc(places + 1, sizeof(*h->lines));
	h->code = calloc(count + 1, sizeof(*h->code));
	return h->lines && h->code ? ERR_OK :
				     fail(d, ERR_NOMEM, "out of memory");
}

enum err hot_read(struct hot *out, const struct heddle_timing *t, size_t kernel,
		  const struct sources *sources, struct diag *d)
{
	struct heddle_timing_info info;
	struct heddle_hot_line row;
	struct heddle_error he;

	heddle_timing_info(t, &info);
	*out = (struct hot){ 0 };
	if (alloc_hot(out, t, info.hot_lines, d))
		return d->code;
	read_reasons(out, t);
	for (size_t i = 0; i < info.hot_lines; i++) {
		if (heddle_timing_hot(t, i, &row, &he))
			return fail(d, (enum err)he.code, "%s", he.text);
		if (row.kernel != kernel)
			continue;
		if (add_code(out, t, i, &row, d))
			return d->code;
		add_places(out, t, i, &row);
		out->waited += row.waited;
	}
	merge(out);
	if (out->code_count)
		qsort(out->code, out->code_count, sizeof(*out->code),
		      code_by_place);
	hot_find_code(out);
	if (read_sources(out, sources, d))
		return d->code;
	qsort(out->lines, out->count, sizeof(*out->lines), by_heat);
	return ERR_OK;
}

void hot_clear(struct hot *h)
{
	free(h->lines);
	free(h->code);
	arena_free(&h->sources);
	*h = (struct hot){ 0 };
}

/* ---- JSON ---- */

static void json_slots(const struct hot *h, struct json *j, const char *key,
		       const uint64_t *slots)
{
	json_open_line(j, key, '{');
	for (size_t i = 0; i < h->reason_count; i++)
		if (slots[i])
			json_uint(j, h->reasons[i], slots[i]);
	json_close(j, '{');
}

static void json_code(const struct hot *h, struct json *j,
		      const struct hot_line *l)
{
	json_open(j, "code", '[');
	for (size_t i = 0; i < l->code_count; i++) {
		const struct hot_code *c = &l->code[i];

		json_open_line(j, NULL, '{');
		json_uint(j, "pc", c->pc);
		json_string(j, "text", c->text);
		json_uint(j, "issued", c->issued);
		json_uint(j, "waited", c->waited);
		json_uint(j, "lanes", c->lanes);
		json_slots(h, j, "slots", c->slots);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void json_line(const struct hot *h, struct json *j,
		      const struct hot_line *l)
{
	json_open(j, NULL, '{');
	json_string(j, "file", l->file);
	json_uint(j, "line", l->line);
	json_uint(j, "issued", l->issued);
	json_uint(j, "waited", l->waited);
	json_uint(j, "total_issued", l->total.issued);
	json_uint(j, "total_waited", l->total.waited);
	json_string(j, "instruction", l->instruction);
	if (l->source)
		json_string(j, "source", l->source);
	if (h->code_count && h->code[0].slots) {
		json_slots(h, j, "total_slots", l->total.slots);
		json_code(h, j, l);
	}
	json_close(j, '{');
}

void hot_json(const struct hot *h, struct json *j)
{
	json_open(j, "lines", '[');
	for (size_t i = 0; i < h->count; i++)
		json_line(h, j, &h->lines[i]);
	json_close(j, '[');
	json_open(j, "operations", '[');
	for (size_t i = 0; i < h->work_count; i++) {
		json_open_line(j, NULL, '{');
		json_string(j, "unit", h->work[i].unit);
		json_uint(j, "operations", h->work[i].operations);
		json_uint(j, "most", h->work[i].most);
		json_close(j, '{');
	}
	json_close(j, '[');
}
