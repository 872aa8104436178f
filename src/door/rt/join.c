#define _GNU_SOURCE /* asprintf */
#include "door/rt/join.h"

#include <ctype.h>
#include <stdio.h>
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

static bool known(const struct names *l, const char *name, size_t size)
{
	for (size_t i = 0; i < l->count; i++)
		if (strlen(l->list[i]) == size &&
		    !memcmp(l->list[i], name, size))
			return true;
	return false;
}

static bool names_add(struct names *l, const char *name, size_t size)
{
	char **more = realloc(l->list, (l->count + 1) * sizeof(*more));

	if (!more)
		return false;
	l->list = more;
	l->list[l->count] = strndup(name, size);
	return l->list[l->count] && ++l->count;
}

static void names_free(struct names *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->list[i]);
	free(l->list);
	*l = (struct names){ 0 };
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

static bool is_own(const char *p)
{
	return starts(p, ".global") || starts(p, ".const") ||
	       starts(p, ".shared") || starts(p, ".func");
}

/* The names that the text has for itself. */
static bool list_own(struct names *out, const char *text)
{
	for (; *text; text = line_end(text)) {
		const char *word = skip_space(text), *name;
		size_t n;

		if (word >= line_end(text) || !is_own(word))
			continue;
		name = declared(word, &n);
		if (name && !known(out, name, n) && !names_add(out, name, n))
			return false;
	}
	return true;
}

/* The text where every name of `taken` ends in a number that makes it new. */
static bool put_renamed(struct join *to, const char *text,
			const struct names *taken, const char *suffix)
{
	while (*text) {
		size_t n = 1;

		/* Behind a dot is a word of PTX. */
		if (is_name(*text) || *text == '.')
			while (is_name(text[n]))
				n++;
		if (!put(to, text, n) ||
		    (*text != '.' && known(taken, text, n) &&
		     !put(to, suffix, strlen(suffix))))
			return false;
		text += n;
	}
	return put(to, "", 0);
}

/* The text with its own names different from those of the texts before it;
 * malloc'ed. NULL: out of memory. */
static char *rename_own(struct join *j, const char *text)
{
	struct names mine = { 0 }, taken = { 0 };
	struct join out = { 0 };
	char suffix[32];
	bool fits = list_own(&mine, text);

	/* Every text before this one added a name at least, if it has any. */
	snprintf(suffix, sizeof(suffix), "__%zu", j->own.count);
	for (size_t i = 0; fits && i < mine.count; i++) {
		const char *name = mine.list[i];
		size_t n = strlen(name);

		fits = names_add(known(&j->own, name, n) ? &taken : &j->own,
				 name, n);
	}
	fits = fits && put_renamed(&out, text, &taken, suffix);
	for (size_t i = 0; fits && i < taken.count; i++) {
		char *name = NULL;
		int n = asprintf(&name, "%s%s", taken.list[i], suffix);

		fits = n >= 0 && names_add(&j->own, name, (size_t)n);
		free(n >= 0 ? name : NULL);
	}
	names_free(&mine);
	names_free(&taken);
	if (!fits)
		join_free(&out);
	return out.text;
}

/* A declaration that may stand in several texts; *end is behind it. */
static bool put_weak(struct join *j, const char *text, const char **end)
{
	const char *word = skip_space(text), *name;
	size_t n;

	name = declared(word, &n);
	*end = declaration_end(word);
	if (name && defines(word, *end)) {
		if (known(&j->weak, name, n))
			return true;
		if (!names_add(&j->weak, name, n))
			return false;
	}
	return put(j, text, (size_t)(*end - text));
}

static bool put_lines(struct join *j, const char *text, bool with_header)
{
	while (*text) {
		const char *word = skip_space(text), *end = line_end(text);

		if (word < end && starts(word, ".weak")) {
			if (!put_weak(j, text, &end))
				return false;
		} else if (word < end && (with_header || !is_header(word))) {
			if (!put(j, text, (size_t)(end - text)))
				return false;
		}
		text = end;
	}
	return put(j, "\n", 1);
}

bool join_add(struct join *j, const char *text)
{
	bool first_text = !j->size, fits;
	char *mine = rename_own(j, text);

	fits = mine && put_lines(j, mine, first_text);
	free(mine);
	return fits;
}

void join_free(struct join *j)
{
	names_free(&j->weak);
	names_free(&j->own);
	free(j->text);
	*j = (struct join){ 0 };
}
