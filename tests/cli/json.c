/*
 * Is a file JSON, to the letter? With a path, prints what is there:
 *
 *	cli_json FILE                        nothing, if it is
 *	cli_json FILE timing.stats.sm.cycles the number, text or word
 *	cli_json FILE timing.intervals       how many elements it has
 *
 * The names of a path are those of members; a member whose own name has dots
 * is found by its whole name.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *at, *start;
	const char *path; /* the rest of it; NULL: the value is not on it */
	int found;
};

static void bad(const struct reader *r, const char *what)
{
	int line = 1;

	for (const char *p = r->start; p < r->at; p++)
		line += *p == '\n';
	fprintf(stderr, "line %d: %s\n", line, what);
	exit(1);
}

static void space(struct reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
}

static void take(struct reader *r, const char *word)
{
	if (strncmp(r->at, word, strlen(word)) != 0)
		bad(r, word);
	r->at += strlen(word);
}

/* Returns the first character after the quote; the string ends before
 * r->at[-1]. */
static const char *string(struct reader *r)
{
	const char *s;

	take(r, "\"");
	for (s = r->at; *r->at != '"'; r->at++) {
		if ((unsigned char)*r->at < 0x20)
			bad(r, "a control character in a text");
		if (*r->at != '\\')
			continue;
		r->at++;
		if (*r->at == 'u') {
			for (int i = 0; i < 4; i++)
				if (!isxdigit((unsigned char)*++r->at))
					bad(r, "bad \\u");
		} else if (!*r->at || !strchr("\"\\/bfnrt", *r->at)) {
			bad(r, "bad escape");
		}
	}
	r->at++;
	return s;
}

static void digits(struct reader *r)
{
	if (!isdigit((unsigned char)*r->at))
		bad(r, "expected a digit");
	while (isdigit((unsigned char)*r->at))
		r->at++;
}

static void number(struct reader *r)
{
	r->at += *r->at == '-';
	if (*r->at == '0')
		r->at++;
	else
		digits(r);
	if (*r->at == '.') {
		r->at++;
		digits(r);
	}
	if (*r->at == 'e' || *r->at == 'E') {
		r->at++;
		r->at += *r->at == '+' || *r->at == '-';
		digits(r);
	}
}

static void value(struct reader *r);

/* If the path leads into the member of this name, the rest of it; else NULL. */
static const char *step(const char *path, const char *name, size_t n)
{
	if (!path || strncmp(path, name, n) != 0)
		return NULL;
	return path[n] == '.' ? path + n + 1 : path[n] ? NULL : path + n;
}

static void member(struct reader *r, const char *path)
{
	const char *name = string(r);

	r->path = step(path, name, (size_t)(r->at - 1 - name));
	space(r);
	take(r, ":");
	value(r);
}

/* Reads an object or array; returns how many elements it has. */
static int elements(struct reader *r, char close)
{
	const char *path = r->path;
	int n = 0;

	r->at++;
	r->path = NULL;
	for (space(r); *r->at != close; space(r)) {
		if (n++) {
			take(r, ",");
			space(r);
		}
		if (close == '}')
			member(r, path);
		else
			value(r);
	}
	r->at++;
	return n;
}

static void value(struct reader *r)
{
	int wanted = r->path && !*r->path;
	const char *from;
	int n = -1;

	space(r);
	from = r->at;
	if (*r->at == '{')
		n = elements(r, '}');
	else if (*r->at == '[')
		n = elements(r, ']');
	else if (*r->at == '"')
		string(r);
	else if (*r->at == '-' || isdigit((unsigned char)*r->at))
		number(r);
	else
		take(r, *r->at == 't' ? "true" :
			*r->at == 'f' ? "false" :
					"null");
	if (!wanted)
		return;
	r->found = 1;
	if (n >= 0)
		printf("%d\n", n);
	else
		printf("%.*s\n", (int)(r->at - from), from);
}

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t room = 1 << 20, size = 0, got;
	char *text = malloc(room + 1);

	while (f && text && (got = fread(text + size, 1, room - size, f))) {
		size += got;
		if (size == room)
			text = realloc(text, (room *= 2) + 1);
	}
	if (!f || !text) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	fclose(f);
	text[size] = '\0';
	return text;
}

int main(int argc, char **argv)
{
	struct reader r = { 0 };
	char *text;

	if (argc < 2 || argc > 3)
		return 2;
	text = read_all(argv[1]);
	r.at = r.start = text;
	r.path = argc == 3 ? argv[2] : NULL;
	value(&r);
	space(&r);
	if (*r.at)
		bad(&r, "something follows the value");
	free(text);
	if (argc == 3 && !r.found) {
		fprintf(stderr, "no %s\n", argv[2]);
		return 1;
	}
	return 0;
}
