#define _GNU_SOURCE /* asprintf */
#include "door/rt/join.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool join_put(struct ptx_join *j, const char *from, size_t n)
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

static const char *skip_white(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

static bool starts_with_word(const char *p, const char *word)
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

/* The end of a declaration: after its semicolon, or after the brace that closes
 * its body. Neither stands alone in comments or strings of compiled PTX. */
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

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* The declared name in ".weak .func (.param .b32 r) NAME(..." or
 * ".weak .global .u32 NAME[4];": the first one outside of parentheses that does
 * not follow a dot. */
static const char *declared_name(const char *p, size_t *size)
{
	int depth = 0;

	for (; *p && *p != ';' && *p != '{' && *p != '='; p++) {
		const char *from = p;

		depth += *p == '(';
		depth -= *p == ')';
		if (!is_name_char(*p))
			continue;
		while (is_name_char(p[1]))
			p++;
		/* Skip the number of .align 4 and the word of .u32. */
		if (!depth && from[-1] != '.' &&
		    !isdigit((unsigned char)*from)) {
			*size = (size_t)(p + 1 - from);
			return from;
		}
	}
	return NULL;
}

static bool name_list_has(const struct name_list *l, const char *name,
			  size_t size)
{
	for (size_t i = 0; i < l->count; i++)
		if (strlen(l->list[i]) == size &&
		    !memcmp(l->list[i], name, size))
			return true;
	return false;
}

static bool name_list_add(struct name_list *l, const char *name, size_t size)
{
	char **more = realloc(l->list, (l->count + 1) * sizeof(*more));

	if (!more)
		return false;
	l->list = more;
	l->list[l->count] = strndup(name, size);
	return l->list[l->count] && ++l->count;
}

static void name_list_free(struct name_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->list[i]);
	free(l->list);
	*l = (struct name_list){ 0 };
}

/* A function without a body is only declared. */
static bool defines(const char *from, const char *to)
{
	size_t n = (size_t)(to - from);

	return !memchr(from, '(', n) || memchr(from, '{', n);
}

static bool is_header(const char *p)
{
	return starts_with_word(p, ".version") ||
	       starts_with_word(p, ".target") ||
	       starts_with_word(p, ".address_size");
}

static bool declares_local(const char *p)
{
	return starts_with_word(p, ".global") ||
	       starts_with_word(p, ".const") ||
	       starts_with_word(p, ".shared") || starts_with_word(p, ".func");
}

/* Lists the local symbols of a text. */
static bool list_local(struct name_list *out, const char *text)
{
	for (; *text; text = line_end(text)) {
		const char *word = skip_white(text), *name;
		size_t n;

		if (word >= line_end(text) || !declares_local(word))
			continue;
		name = declared_name(word, &n);
		if (name && !name_list_has(out, name, n) &&
		    !name_list_add(out, name, n))
			return false;
	}
	return true;
}

/* Appends the text, with `suffix` added to every name in `taken`. */
static bool join_put_renamed(struct ptx_join *to, const char *text,
			     const struct name_list *taken, const char *suffix)
{
	while (*text) {
		size_t n = 1;

		/* A word after a dot is a directive, not a name. */
		if (is_name_char(*text) || *text == '.')
			while (is_name_char(text[n]))
				n++;
		if (!join_put(to, text, n) ||
		    (*text != '.' && name_list_has(taken, text, n) &&
		     !join_put(to, suffix, strlen(suffix))))
			return false;
		text += n;
	}
	return join_put(to, "", 0);
}

/* The text with its local symbols renamed where an earlier text has the same
 * name; malloc'ed. NULL: out of memory. */
static char *rename_local(struct ptx_join *j, const char *text)
{
	struct name_list mine = { 0 }, taken = { 0 };
	struct ptx_join out = { 0 };
	char suffix[32];
	bool fits = list_local(&mine, text);

	/* Unique: each earlier text with local symbols added at least one. */
	snprintf(suffix, sizeof(suffix), "__%zu", j->local.count);
	for (size_t i = 0; fits && i < mine.count; i++) {
		const char *name = mine.list[i];
		size_t n = strlen(name);

		fits = name_list_add(
			name_list_has(&j->local, name, n) ? &taken : &j->local,
			name, n);
	}
	fits = fits && join_put_renamed(&out, text, &taken, suffix);
	for (size_t i = 0; fits && i < taken.count; i++) {
		char *name = NULL;
		int n = asprintf(&name, "%s%s", taken.list[i], suffix);

		fits = n >= 0 && name_list_add(&j->local, name, (size_t)n);
		free(n >= 0 ? name : NULL);
	}
	name_list_free(&mine);
	name_list_free(&taken);
	if (!fits)
		join_free(&out);
	return out.text;
}

/* Appends a .weak declaration unless an earlier text defined it; *end is after
 * it. */
static bool join_put_weak(struct ptx_join *j, const char *text,
			  const char **end)
{
	const char *word = skip_white(text), *name;
	size_t n;

	name = declared_name(word, &n);
	*end = declaration_end(word);
	if (name && defines(word, *end)) {
		if (name_list_has(&j->weak, name, n))
			return true;
		if (!name_list_add(&j->weak, name, n))
			return false;
	}
	return join_put(j, text, (size_t)(*end - text));
}

static bool join_put_lines(struct ptx_join *j, const char *text,
			   bool with_header)
{
	while (*text) {
		const char *word = skip_white(text), *end = line_end(text);

		if (word < end && starts_with_word(word, ".weak")) {
			if (!join_put_weak(j, text, &end))
				return false;
		} else if (word < end && (with_header || !is_header(word))) {
			if (!join_put(j, text, (size_t)(end - text)))
				return false;
		}
		text = end;
	}
	return join_put(j, "\n", 1);
}

bool join_add(struct ptx_join *j, const char *text)
{
	bool first_text = !j->size, fits;
	char *mine = rename_local(j, text);

	fits = mine && join_put_lines(j, mine, first_text);
	free(mine);
	return fits;
}

void join_free(struct ptx_join *j)
{
	name_list_free(&j->weak);
	name_list_free(&j->local);
	free(j->text);
	*j = (struct ptx_join){ 0 };
}
