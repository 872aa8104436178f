#include "explore/csvread.h"

#include <string.h>

enum err csv_start(struct csv_reader *r, struct arena *a, const char *name,
		   const char *text, size_t size, struct diag *d)
{
	*r = (struct csv_reader){ .arena = a,
				  .name = name,
				  .at = text,
				  .end = text + size,
				  .line = 1 };
	r->fields = arena_new(a, const char *, CSV_FIELDS);
	if (!r->fields)
		return fail(d, ERR_NOMEM, "out of memory");
	/* A mark of UTF-8 that Windows puts in front. */
	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		r->at += 3;
	return ERR_OK;
}

bool csv_ended(const struct csv_reader *r)
{
	return r->at == r->end;
}

const char *csv_peek(const struct csv_reader *r, size_t *size)
{
	size_t left = (size_t)(r->end - r->at);
	const char *newline = memchr(r->at, '\n', left);

	*size = newline ? (size_t)(newline - r->at) : left;
	if (*size && r->at[*size - 1] == '\r')
		--*size;
	return r->at;
}

void csv_skip_line(struct csv_reader *r)
{
	const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));

	r->at = newline ? newline + 1 : r->end;
	r->line++;
}

/* Ends of a line are \n, \r\n and the end of the text. */
static bool csv_at_line_end(const struct csv_reader *r)
{
	return r->at == r->end || *r->at == '\n' ||
	       (*r->at == '\r' && (r->at + 1 == r->end || r->at[1] == '\n'));
}

/* The end of a quoted field: its closing quote, or NULL. */
static const char *csv_closing_quote(const char *at, const char *end)
{
	for (; at < end; at++) {
		if (*at != '"')
			continue;
		if (at + 1 == end || at[1] != '"')
			return at;
		at++;
	}
	return NULL;
}

/* Copies without the doubles of quotes, and counts lines. */
static const char *csv_unquote(struct csv_reader *r, const char *from,
			       const char *to)
{
	char *copy = arena_alloc(r->arena, (size_t)(to - from) + 1, 1);
	char *out = copy;

	for (; copy && from < to; from++) {
		*out++ = *from;
		r->line += *from == '\n';
		from += *from == '"';
	}
	return copy;
}

static enum err csv_quoted(struct csv_reader *r, const char **out,
			   struct diag *d)
{
	const char *from = r->at + 1, *to = csv_closing_quote(from, r->end);

	if (!to)
		return fail(d, ERR_SYNTAX,
			    "%.200s:%u: a quote is not closed; the file may "
			    "have been cut short",
			    r->name, r->line);
	*out = csv_unquote(r, from, to);
	r->at = to + 1;
	if (r->at != r->end && *r->at != ',' && !csv_at_line_end(r))
		return fail(d, ERR_SYNTAX,
			    "%.200s:%u: text after a closing quote; expected a "
			    "comma or the end of the line",
			    r->name, r->line);
	return ERR_OK;
}

static enum err csv_read_field(struct csv_reader *r, const char **out,
			       struct diag *d)
{
	const char *from = r->at;

	if (from != r->end && *from == '"') {
		if (csv_quoted(r, out, d))
			return d->code;
	} else {
		while (!csv_at_line_end(r) && *r->at != ',')
			r->at++;
		*out = arena_strndup(r->arena, from, (size_t)(r->at - from));
	}
	if (!*out)
		return fail(d, ERR_NOMEM, "out of memory");
	if (memchr(from, '\0', (size_t)(r->at - from)))
		return fail(d, ERR_SYNTAX,
			    "%.200s:%u: a NUL; this is not a text file",
			    r->name, r->row_line);
	return ERR_OK;
}

enum err csv_read_row(struct csv_reader *r, struct diag *d)
{
	r->row_line = r->line;
	r->count = 0;
	for (;;) {
		if (r->count == CSV_FIELDS)
			return fail(d, ERR_SYNTAX,
				    "%.200s:%u: more than %d fields", r->name,
				    r->row_line, CSV_FIELDS);
		if (csv_read_field(r, &r->fields[r->count], d))
			return d->code;
		r->count++;
		if (csv_at_line_end(r))
			break;
		r->at++; /* the comma */
	}
	csv_skip_line(r);
	return ERR_OK;
}

int csv_find(const struct csv_reader *r, const char *text)
{
	for (size_t i = 0; i < r->count; i++)
		if (!strcmp(r->fields[i], text))
			return (int)i;
	return -1;
}
