#include "door/rt/join.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool put(struct join *j, const char *from, size_t n)
{
	if (j->size + n + 1 > j->room) {
		size_t room = (j->size + n + 1) * 2;
		char *more = realloc(j->text, room);

		if (!more)
			return false;
		j->text = more;
		j->room = room;
	}
	memcpy(j->text + j->size, from, n);
	j->size += n;
	j->text[j->size] = '\0';
	return true;
}

static const char *skip_space(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

static bool starts(const char *p, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(p, word, n) && (isspace((unsigned char)p[n]) || !p[n]);
}

/* The end of the line, its newline included. */
static const char *line_end(const char *p)
{
	const char *end = strchr(p, '\n');

	return end ? end + 1 : p + strlen(p);
}

/* Behind a declaration: its semicolon, or the brace that closes its body.
 * Comments and strings of PTX have neither alone on a compiler's lines. */
static const char *declaration_end(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '{')
			depth++;
		else if (*p == '}' && --depth == 0)
			return line_end(p);
		else if (*p == ';' && !depth)
			return line_end(p);
	}
	return p;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* Of ".weak .func (.param .b32 r) NAME(...", ".weak .global .u32 NAME[4];" the
 * first name that follows neither a dot nor a parenthesis. */
static const char *declared(const char *p, size_t *size)
{
	int depth = 0;

	for (; *p && *p != ';' && *p != '{' && *p != '='; p++) {
		const char *from = p;

		depth += *p == '(';
		depth -= *p == ')';
		if (!is_name(*p))
			continue;
		while (is_name(p[1]))
			p++;
		/* .align 4 has a number, .u32 a dot. */
		if (!depth && from[-1] != '.' &&
		    !isdigit((unsigned char)*from)) {
			*size = (size_t)(p + 1 - from);
			return from;
		}
	}
	return NULL;
}

/* Whether the name is new; it is not from now on. */
static int first(struct join *j, const char *name, size_t size)
{
	char **more;

	for (size_t i = 0; i < j->weak_count; i++)
		if (strlen(j->weak[i]) == size &&
		    !memcmp(j->weak[i], name, size))
			return 0;
	more = realloc(j->weak, (j->weak_count + 1) * sizeof(*more));
	if (!more)
		return -1;
	j->weak = more;
	j->weak[j->weak_count] = strndup(name, size);
	return j->weak[j->weak_count] ? (j->weak_count++, 1) : -1;
}

/* A function without a body is only announced. */
static bool defines(const char *from, const char *to)
{
	size_t n = (size_t)(to - from);

	return !memchr(from, '(', n) || memchr(from, '{', n);
}

static bool is_header(const char *p)
{
	return starts(p, ".version") || starts(p, ".target") ||
	       starts(p, ".address_size");
}

bool join_add(struct join *j, const char *text)
{
	bool first_text = !j->size;

	while (*text) {
		const char *word = skip_space(text), *end = line_end(text);
		size_t n;

		if (word >= end) {
			text = end;
			continue;
		}
		if (starts(word, ".weak")) {
			const char *name = declared(word, &n);
			int is_new = 1;

			end = declaration_end(word);
			if (name && defines(word, end))
				is_new = first(j, name, n);
			if (is_new < 0)
				return false;
			if (is_new && !put(j, text, (size_t)(end - text)))
				return false;
		} else if (first_text || !is_header(word)) {
			if (!put(j, text, (size_t)(end - text)))
				return false;
		}
		text = end;
	}
	return put(j, "\n", 1);
}

void join_free(struct join *j)
{
	for (size_t i = 0; i < j->weak_count; i++)
		free(j->weak[i]);
	free(j->weak);
	free(j->text);
	*j = (struct join){ 0 };
}
