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

enum err hot_read(struct hot *out, const struct heddle_timing *t, size_t kernel,
		  const struct sources *sources, struct diag *d)
{
	struct heddle_timing_info info;
	struct heddle_hot_line row;
	struct heddle_error he;

	heddle_timing_info(t, &info);
	*out = (struct hot){ 0 };
	out->lines = calloc(info.hot_lines + 1, sizeof(*out->lines));
	if (!out->lines)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < info.hot_lines; i++) {
		struct hot_line *l = &out->lines[out->count];

		if (heddle_timing_hot(t, i, &row, &he))
			return fail(d, (enum err)he.code, "%s", he.text);
		if (row.kernel != kernel)
			continue;
		l->file = row.file;
		l->line = row.line;
		l->issued = row.issued;
		l->waited = l->most = row.waited;
		memcpy(l->instruction, row.instruction, sizeof(l->instruction));
		out->waited += row.waited;
		out->count++;
	}
	merge(out);
	if (read_sources(out, sources, d))
		return d->code;
	qsort(out->lines, out->count, sizeof(*out->lines), by_heat);
	return ERR_OK;
}

void hot_clear(struct hot *h)
{
	free(h->lines);
	arena_free(&h->sources);
	*h = (struct hot){ 0 };
}

void hot_json(const struct hot *h, struct json *j)
{
	json_open(j, "lines", '[');
	for (size_t i = 0; i < h->count; i++) {
		const struct hot_line *l = &h->lines[i];

		json_open(j, NULL, '{');
		json_string(j, "file", l->file);
		json_uint(j, "line", l->line);
		json_uint(j, "issued", l->issued);
		json_uint(j, "waited", l->waited);
		json_string(j, "instruction", l->instruction);
		if (l->source)
			json_string(j, "source", l->source);
		json_close(j, '{');
	}
	json_close(j, '[');
}
