#include "base/jsonread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digit.h"

struct json_reader {
	struct arena *a;
	const char *name, *text, *at, *end;
	struct diag *d;
	unsigned depth;
};

static enum err jsonread_fail(struct json_reader *r, const char *what)
{
	unsigned line = 1, column = 1;

	for (const char *p = r->text; p < r->at; p++) {
		column = *p == '\n' ? 1 : column + 1;
		line += *p == '\n';
	}
	return fail(r->d, ERR_SYNTAX, "%s:%u:%u: %s", r->name, line, column,
		    what);
}

static enum err jsonread_no_memory(struct json_reader *r)
{
	return fail(r->d, ERR_NOMEM, "%s: out of memory", r->name);
}

static void jsonread_skip_space(struct json_reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

static bool jsonread_take(struct json_reader *r, char c)
{
	jsonread_skip_space(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* Reads four hexadecimal digits; negative if there are not four. */
static int jsonread_hex4(struct json_reader *r)
{
	int v = 0;

	if (r->end - r->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		unsigned digit = digit_value(r->at[i]);

		if (digit >= 16)
			return -1;
		v = v << 4 | (int)digit;
	}
	r->at += 4;
	return v;
}

static char *jsonread_put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* Reads what follows \u: one character, of one escape or a surrogate pair. Half
 * a pair becomes U+FFFD. */
static enum err jsonread_escape_u(struct json_reader *r, char **to)
{
	int c = jsonread_hex4(r), low;

	if (c < 0)
		return jsonread_fail(
			r, "expected four hexadecimal digits after \\u");
	if (c == 0)
		return jsonread_fail(r, "NUL in a string is not supported");
	if (c >= 0xd800 && c < 0xdc00 && r->end - r->at >= 2 &&
	    r->at[0] == '\\' && r->at[1] == 'u') {
		const char *before = r->at;

		r->at += 2;
		low = jsonread_hex4(r);
		if (low >= 0xdc00 && low < 0xe000) {
			*to = jsonread_put_utf8(
				*to, 0x10000u +
					     ((uint32_t)c - 0xd800u) * 0x400u +
					     (uint32_t)low - 0xdc00u);
			return ERR_OK;
		}
		r->at = before;
	}
	*to = jsonread_put_utf8(*to, c >= 0xd800 && c < 0xe000 ? 0xfffd :
								 (uint32_t)c);
	return ERR_OK;
}

static enum err jsonread_escape(struct json_reader *r, char **to)
{
	static const char from[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *p;
	char c;

	if (r->at == r->end)
		return jsonread_fail(r, "the text ends inside a string");
	c = *r->at++;
	if (c == 'u')
		return jsonread_escape_u(r, to);
	p = c ? strchr(from, c) : NULL;
	if (!p)
		return jsonread_fail(r,
				     "unknown escape: expected one of "
				     "\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
	*(*to)++ = means[p - from];
	return ERR_OK;
}

/* The closing quote, or NULL. */
static const char *jsonread_string_end(const struct json_reader *r)
{
	const char *p = r->at;

	while (p < r->end && *p != '"')
		p += *p == '\\' ? 2 : 1;
	return p < r->end ? p : NULL;
}

/* Reads what follows the opening quote. No escape is shorter than the character
 * it stands for, so the text up to the closing quote is room enough. */
static enum err jsonread_string(struct json_reader *r, const char **out)
{
	const char *end = jsonread_string_end(r);
	char *to;

	if (!end)
		return jsonread_fail(r, "string without a closing quote");
	to = arena_alloc(r->a, (size_t)(end - r->at) + 1, 1);
	if (!to)
		return jsonread_no_memory(r);
	*out = to;
	while (r->at < r->end && *r->at != '"') {
		unsigned char c = (unsigned char)*r->at++;

		if (c < 0x20)
			return jsonread_fail(r, "control character in a "
						"string: write an escape");
		if (c != '\\')
			*to++ = (char)c;
		else if (jsonread_escape(r, &to))
			return r->d->code;
	}
	r->at++;
	return ERR_OK;
}

static const char *jsonread_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* The end of the number that starts at p; p itself if there is none. */
static const char *jsonread_number_end(const char *p, const char *end)
{
	const char *start = p, *at;

	p += p < end && *p == '-';
	at = jsonread_digits(p, end);
	if (at == p || (*p == '0' && at > p + 1))
		return start;
	p = at;
	if (p < end && *p == '.') {
		at = jsonread_digits(p + 1, end);
		if (at == p + 1)
			return start;
		p = at;
	}
	if (p < end && (*p | 0x20) == 'e') {
		const char *e = p + 1;

		e += e < end && (*e == '+' || *e == '-');
		at = jsonread_digits(e, end);
		if (at == e)
			return start;
		p = at;
	}
	return p;
}

static enum err jsonread_number(struct json_reader *r, struct json_node *n)
{
	const char *end = jsonread_number_end(r->at, r->end);

	if (end == r->at)
		return jsonread_fail(r, "expected a value");
	n->kind = JSON_NUMBER;
	n->text = arena_strndup(r->a, r->at, (size_t)(end - r->at));
	if (!n->text)
		return jsonread_no_memory(r);
	n->number = strtod(n->text, NULL);
	r->at = end;
	return ERR_OK;
}

static enum err jsonread_value(struct json_reader *r, struct json_node *n);

/* Reads elements or members up to the closing bracket. */
static enum err jsonread_elements(struct json_reader *r, struct json_node *n,
				  char close)
{
	const struct json_node **end = &n->first;

	if (jsonread_take(r, close))
		return ERR_OK;
	do {
		struct json_node *e = arena_new(r->a, struct json_node, 1);

		if (!e)
			return jsonread_no_memory(r);
		if (close == '}') {
			if (!jsonread_take(r, '"'))
				return jsonread_fail(
					r, "expected a key in quotes");
			if (jsonread_string(r, &e->key))
				return r->d->code;
			if (!jsonread_take(r, ':'))
				return jsonread_fail(
					r, "expected ':' after a key");
		}
		if (jsonread_value(r, e))
			return r->d->code;
		*end = e;
		end = &e->next;
		n->count++;
	} while (jsonread_take(r, ','));
	if (!jsonread_take(r, close))
		return jsonread_fail(r, close == '}' ? "expected ',' or '}'" :
						       "expected ',' or ']'");
	return ERR_OK;
}

static bool jsonread_word(struct json_reader *r, const char *w)
{
	size_t n = strlen(w);

	if ((size_t)(r->end - r->at) < n || memcmp(r->at, w, n))
		return false;
	r->at += n;
	return true;
}

static enum err jsonread_nested(struct json_reader *r, struct json_node *n,
				char close)
{
	enum err e;

	if (r->depth == JSON_DEPTH) {
		char what[64];

		snprintf(what, sizeof(what),
			 "nested too deeply: at most %d levels", JSON_DEPTH);
		return jsonread_fail(r, what);
	}
	n->kind = close == '}' ? JSON_OBJECT : JSON_ARRAY;
	r->depth++;
	e = jsonread_elements(r, n, close);
	r->depth--;
	return e;
}

static enum err jsonread_value(struct json_reader *r, struct json_node *n)
{
	if (jsonread_take(r, '{'))
		return jsonread_nested(r, n, '}');
	if (jsonread_take(r, '['))
		return jsonread_nested(r, n, ']');
	if (jsonread_take(r, '"')) {
		n->kind = JSON_STRING;
		return jsonread_string(r, &n->text);
	}
	n->kind = JSON_BOOL;
	n->truth = true;
	if (jsonread_word(r, "true"))
		return ERR_OK;
	n->truth = false;
	if (jsonread_word(r, "false"))
		return ERR_OK;
	n->kind = JSON_NULL;
	if (jsonread_word(r, "null"))
		return ERR_OK;
	return jsonread_number(r, n);
}

enum err json_read(const struct json_node **out, struct arena *a,
		   const char *text, size_t bytes, const char *name,
		   struct diag *d)
{
	struct json_reader r = { .a = a,
				 .name = name,
				 .text = text,
				 .at = text,
				 .end = text + bytes,
				 .d = d };
	struct json_node *n = arena_new(a, struct json_node, 1);

	if (!n)
		return jsonread_no_memory(&r);
	if (jsonread_value(&r, n))
		return d->code;
	jsonread_skip_space(&r);
	if (r.at < r.end)
		return jsonread_fail(&r, "text after the end of the value");
	*out = n;
	return ERR_OK;
}

/* Reads the whole file into the arena. */
static enum err jsonread_slurp(char **out, size_t *bytes, struct arena *a,
			       FILE *f, const char *path, struct diag *d)
{
	size_t room = 1 << 16, n;
	char *all = NULL;

	*bytes = 0;
	for (;;) {
		char *more = arena_alloc(a, room, 1);

		if (!more)
			return fail(d, ERR_NOMEM, "%s: out of memory", path);
		if (*bytes)
			memcpy(more, all, *bytes);
		all = more;
		n = fread(all + *bytes, 1, room - *bytes, f);
		*bytes += n;
		if (*bytes < room)
			break;
		room *= 2;
	}
	if (ferror(f))
		return fail(d, ERR_IO, "%s: %s", path, strerror(errno));
	*out = all;
	return ERR_OK;
}

enum err json_read_file(const struct json_node **out, struct arena *a,
			const char *path, struct diag *d)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t bytes;
	enum err e;

	if (!f)
		return fail(d, ERR_IO, "%s: %s", path, strerror(errno));
	e = jsonread_slurp(&text, &bytes, a, f, path, d);
	fclose(f);
	return e ? e : json_read(out, a, text, bytes, path, d);
}

const struct json_node *json_get(const struct json_node *n, const char *path)
{
	while (n && *path) {
		size_t len = strcspn(path, ".");

		if (n->kind != JSON_OBJECT)
			return NULL;
		for (n = n->first; n; n = n->next)
			if (!strncmp(n->key, path, len) && !n->key[len])
				break;
		path += len;
		path += *path == '.';
	}
	return n;
}

const char *json_get_text(const struct json_node *n, const char *path,
			  const char *otherwise)
{
	n = json_get(n, path);
	return n && n->kind == JSON_STRING ? n->text : otherwise;
}

double json_get_number(const struct json_node *n, const char *path,
		       double otherwise)
{
	n = json_get(n, path);
	return n && n->kind == JSON_NUMBER ? n->number : otherwise;
}
