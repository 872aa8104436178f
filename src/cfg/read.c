/*
 * The reader of configuration files. One statement per line:
 *
 *	include "base.cfg"
 *	l2.ways = 16            # source: paper Lee & Ro 2013, Table V
 *
 * A later value replaces an earlier one. Anything not understood is an error:
 * an unknown key must not look as if it had an effect.
 */
#include "cfg/cfg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cfg/param.h"

#define DEPTH_MAX 8
#define FILE_MAX (1 << 20)
#define PATH_SIZE 4096

/* A file that is being read, and the one that includes it. */
struct cfg_frame {
	const struct cfg_frame *parent;
	const char *path; /* in the sheet's arena */
	unsigned line;
	unsigned depth;
	bool on_disk;
	dev_t dev;
	ino_t ino;
};

struct cfg_span {
	const char *at;
	size_t size;
};

/* The parts of a line. */
struct cfg_line {
	struct cfg_span key, value;
	enum cfg_source source;
	struct cfg_span note;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct cfg_span cfg_trim(struct cfg_span s)
{
	while (s.size && is_space(s.at[0])) {
		s.at++;
		s.size--;
	}
	while (s.size && is_space(s.at[s.size - 1]))
		s.size--;
	return s;
}

static bool is_key(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '.';
}

static bool cfg_span_starts(struct cfg_span s, const char *word)
{
	return s.size >= strlen(word) && !memcmp(s.at, word, strlen(word));
}

/* What follows the first n characters, without spaces around it. */
static struct cfg_span cfg_span_after(struct cfg_span s, size_t n)
{
	return cfg_trim((struct cfg_span){ s.at + n, s.size - n });
}

/* Puts the file and line in front of the diagnosis. */
static enum err cfg_read_locate(const struct cfg_frame *f, struct diag *d)
{
	struct diag inner = *d;

	return fail(d, inner.code, "%s:%u: %s", f->path, f->line, inner.text);
}

static enum err cfg_read_fail(const struct cfg_frame *f, struct diag *d,
			      const char *what)
{
	return fail(d, ERR_SYNTAX, "%s:%u: %s", f->path, f->line, what);
}

static const char *const source_words[CFG_SOURCE_COUNT] = {
	[CFG_DEFAULT] = "default",   [CFG_UNSTATED] = "not stated",
	[CFG_MEASURED] = "measured", [CFG_VENDOR] = "vendor",
	[CFG_PAPER] = "paper",       [CFG_ASSUMED] = "assumed",
	[CFG_OVERRIDE] = "override",
};

const char *cfg_source_text(enum cfg_source s)
{
	return s < CFG_SOURCE_COUNT ? source_words[s] : "unknown";
}

/* May stand between a source and its note. */
static bool is_separator(char c)
{
	return c == ',' || c == ':' || c == ';';
}

/*
 * Reads "source: paper Lee & Ro 2013" after the '#'. The dump writes "default",
 * "not stated" and "override", which must read back, too.
 */
static enum err cfg_read_source(const struct cfg_frame *f, struct cfg_line *l,
				struct cfg_span comment, struct diag *d)
{
	struct cfg_span s = cfg_trim(comment);

	if (!cfg_span_starts(s, "source:"))
		return ERR_OK;
	s = cfg_span_after(s, strlen("source:"));
	for (int i = 0; i < CFG_SOURCE_COUNT; i++) {
		size_t n = strlen(source_words[i]);

		if (!cfg_span_starts(s, source_words[i]) ||
		    (n < s.size && !is_space(s.at[n]) &&
		     !is_separator(s.at[n])))
			continue;
		l->source = (enum cfg_source)i;
		l->note = cfg_span_after(s, n);
		while (l->note.size && is_separator(l->note.at[0]))
			l->note = cfg_span_after(l->note, 1);
		return ERR_OK;
	}
	return cfg_read_fail(
		f, d,
		"unknown source after 'source:'; expected measured, vendor, "
		"paper or assumed");
}

/* Where the comment begins, or the end of the line. A '#' in quotes does not
 * begin one. */
static size_t comment_start(struct cfg_span s)
{
	bool quoted = false;

	for (size_t i = 0; i < s.size; i++) {
		if (s.at[i] == '"')
			quoted = !quoted;
		if (s.at[i] == '#' && !quoted)
			return i;
	}
	return s.size;
}

/* Splits a statement into key and value; the key of an include is "include". */
static enum err cfg_read_split(const struct cfg_frame *f, struct cfg_line *l,
			       struct cfg_span text, struct diag *d)
{
	size_t end = comment_start(text), n = 0;
	struct cfg_span s = cfg_trim((struct cfg_span){ text.at, end });

	*l = (struct cfg_line){ .source = CFG_UNSTATED };
	while (n < s.size && is_key(s.at[n]))
		n++;
	l->key = (struct cfg_span){ s.at, n };
	s = cfg_span_after(s, n);
	if (!n && s.size)
		return cfg_read_fail(f, d, "expected section.key = value");
	if (!n)
		return ERR_OK;
	if (!(n == 7 && cfg_span_starts(l->key, "include"))) {
		if (!s.size || s.at[0] != '=')
			return fail(d, ERR_SYNTAX,
				    "%s:%u: expected '=' after '%.*s'", f->path,
				    f->line, n < 60 ? (int)n : 60, l->key.at);
		s = cfg_span_after(s, 1);
	}
	l->value = s;
	if (!s.size)
		return fail(d, ERR_SYNTAX, "%s:%u: %.*s has no value", f->path,
			    f->line, n < 60 ? (int)n : 60, l->key.at);
	if (end == text.size)
		return ERR_OK;
	return cfg_read_source(f, l, cfg_span_after(text, end + 1), d);
}

static enum err cfg_read_unknown(const struct cfg_frame *f, struct cfg_span key,
				 struct diag *d)
{
	const char *near = cfg_nearest(key.at, key.size);
	int n = key.size < 60 ? (int)key.size : 60;

	fail(d, ERR_UNKNOWN, "no parameter named '%.*s'%s%s%s", n, key.at,
	     near ? ", did you mean '" : "", near ? near : "",
	     near ? "'?" : "");
	return f ? cfg_read_locate(f, d) : d->code;
}

/* With CFG_SOURCED, every value needs a source, and every source but "assumed" a
 * note. */
static enum err cfg_check_source(const struct cfg_frame *f,
				 const struct cfg_line *l, enum cfg_reading how,
				 struct diag *d)
{
	const char *key = l->key.at;
	int n = (int)l->key.size;

	if (how != CFG_SOURCED)
		return ERR_OK;
	if (l->source == CFG_ASSUMED)
		return ERR_OK;
	if (l->source != CFG_MEASURED && l->source != CFG_VENDOR &&
	    l->source != CFG_PAPER)
		return fail(d, ERR_SYNTAX,
			    "%s:%u: %.*s has no source; expected '# source: ' "
			    "and 'measured', 'vendor' or 'paper' with a note, "
			    "or 'assumed'",
			    f->path, f->line, n, key);
	if (!l->note.size)
		return fail(d, ERR_SYNTAX,
			    "%s:%u: %.*s: source '%s' needs a note that says "
			    "which",
			    f->path, f->line, n, key,
			    cfg_source_text(l->source));
	return ERR_OK;
}

static enum err cfg_read_value(struct cfg_sheet *s, const struct cfg_frame *f,
			       const struct cfg_line *l, enum cfg_reading how,
			       struct diag *d)
{
	int id = cfg_find(l->key.at, l->key.size);
	char *note;

	if (id < 0)
		return cfg_read_unknown(f, l->key, d);
	if (cfg_check_source(f, l, how, d))
		return d->code;
	note = arena_strndup(&s->arena, l->note.size ? l->note.at : "",
			     l->note.size);
	if (!note)
		return fail(d, ERR_NOMEM, "out of memory");
	if (cfg_value_parse(&s->cfg, (enum cfg_id)id, l->value.at,
			    l->value.size, d))
		return cfg_read_locate(f, d);
	s->origin[id] =
		(struct cfg_origin){ l->source, note, f->path, f->line };
	return ERR_OK;
}

static enum err cfg_read_lines(struct cfg_sheet *s, struct cfg_frame *f,
			       struct cfg_span text, enum cfg_reading how,
			       struct diag *d);

static enum err cfg_read_stream(char **text, size_t *size, FILE *in,
				const char *path, struct diag *d)
{
	*text = malloc(FILE_MAX + 1);
	if (!*text)
		return fail(d, ERR_NOMEM, "out of memory");
	*size = fread(*text, 1, FILE_MAX + 1, in);
	if (ferror(in))
		return fail(d, ERR_IO, "cannot read %s: %s", path,
			    strerror(errno));
	if (*size > FILE_MAX)
		return fail(d, ERR_RANGE,
			    "%s: larger than 1 MiB, not a configuration file",
			    path);
	return ERR_OK;
}

/* A file may not include itself, directly or through others. */
static enum err cfg_read_enter(struct cfg_frame *f, FILE *in, struct diag *d)
{
	struct stat st;

	if (fstat(fileno(in), &st))
		return fail(d, ERR_IO, "cannot read %s: %s", f->path,
			    strerror(errno));
	f->on_disk = true;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	for (const struct cfg_frame *p = f->parent; p; p = p->parent)
		if (p->on_disk && p->dev == f->dev && p->ino == f->ino)
			return fail(d, ERR_SYNTAX, "%s:%u: %s includes itself",
				    f->parent->path, f->parent->line, p->path);
	return ERR_OK;
}

static enum err cfg_read_path(struct cfg_sheet *s, const char *path,
			      const struct cfg_frame *parent,
			      enum cfg_reading how, struct diag *d)
{
	struct cfg_frame f = { .parent = parent,
			       .depth = parent ? parent->depth + 1 : 1 };
	char *text = NULL;
	size_t size = 0;
	enum err e;
	FILE *in;

	if (f.depth > DEPTH_MAX)
		return fail(d, ERR_RANGE,
			    "%s:%u: includes are nested more than %d files "
			    "deep",
			    parent->path, parent->line, DEPTH_MAX);
	f.path = arena_strndup(&s->arena, path, strlen(path));
	if (!f.path)
		return fail(d, ERR_NOMEM, "out of memory");
	in = fopen(path, "rb");
	if (!in) {
		fail(d, ERR_IO, "cannot open %s: %s", path, strerror(errno));
		return parent ? cfg_read_locate(parent, d) : d->code;
	}
	e = cfg_read_enter(&f, in, d);
	if (!e)
		e = cfg_read_stream(&text, &size, in, path, d);
	if (!e)
		e = cfg_read_lines(s, &f, (struct cfg_span){ text, size }, how,
				   d);
	free(text);
	fclose(in);
	return e;
}

/* A relative path starts at the folder of the file that includes it. */
static enum err cfg_read_include(struct cfg_sheet *s, const struct cfg_frame *f,
				 struct cfg_span value, enum cfg_reading how,
				 struct diag *d)
{
	const char *slash = strrchr(f->path, '/');
	size_t folder = slash ? (size_t)(slash - f->path) + 1 : 0;
	char path[PATH_SIZE];

	if (value.size < 3 || value.at[0] != '"' ||
	    value.at[value.size - 1] != '"' ||
	    memchr(value.at + 1, '"', value.size - 2))
		return cfg_read_fail(f, d, "expected include \"file.cfg\"");
	value.at++;
	value.size -= 2;
	if (!f->on_disk)
		return cfg_read_fail(f, d,
				     "include works only in a file on disk");
	if (value.at[0] == '/')
		folder = 0;
	if (folder + value.size >= sizeof(path))
		return cfg_read_fail(f, d, "the path to include is too long");
	memcpy(path, f->path, folder);
	memcpy(path + folder, value.at, value.size);
	path[folder + value.size] = '\0';
	return cfg_read_path(s, path, f, how, d);
}

static enum err cfg_read_lines(struct cfg_sheet *s, struct cfg_frame *f,
			       struct cfg_span text, enum cfg_reading how,
			       struct diag *d)
{
	while (text.size) {
		const char *end = memchr(text.at, '\n', text.size);
		size_t n = end ? (size_t)(end - text.at) : text.size;
		struct cfg_line l;

		f->line++;
		for (size_t i = 0; i < n; i++)
			if ((unsigned char)text.at[i] < 0x20 &&
			    !is_space(text.at[i]))
				return cfg_read_fail(
					f, d, "unexpected control character");
		if (cfg_read_split(f, &l, (struct cfg_span){ text.at, n }, d))
			return d->code;
		if (l.key.size == 7 && cfg_span_starts(l.key, "include")) {
			if (cfg_read_include(s, f, l.value, how, d))
				return d->code;
		} else if (l.key.size) {
			if (cfg_read_value(s, f, &l, how, d))
				return d->code;
		}
		text.at += n + (end != NULL);
		text.size -= n + (end != NULL);
	}
	return ERR_OK;
}

enum err cfg_read_file(struct cfg_sheet *s, const char *path,
		       enum cfg_reading how, struct diag *d)
{
	return cfg_read_path(s, path, NULL, how, d);
}

enum err cfg_read_text(struct cfg_sheet *s, const char *name, const char *text,
		       size_t size, enum cfg_reading how, struct diag *d)
{
	struct cfg_frame f = { .depth = 1 };

	f.path = arena_strndup(&s->arena, name, strlen(name));
	if (!f.path)
		return fail(d, ERR_NOMEM, "out of memory");
	return cfg_read_lines(s, &f, (struct cfg_span){ text, size }, how, d);
}

/* Splits "sm.count=64" into the parameter and the text of its value. */
static enum err cfg_split_assignment(int *id, struct cfg_span *value,
				     const char *assignment, struct diag *d)
{
	const char *equals = strchr(assignment, '=');
	struct cfg_span key;

	*id = -1;
	*value = (struct cfg_span){ 0 };
	if (!equals)
		return fail(d, ERR_SYNTAX,
			    "'%.60s': expected section.key=value", assignment);
	key = cfg_trim(
		(struct cfg_span){ assignment, (size_t)(equals - assignment) });
	*value = cfg_trim((struct cfg_span){ equals + 1, strlen(equals + 1) });
	*id = cfg_find(key.at, key.size);
	return *id < 0 ? cfg_read_unknown(NULL, key, d) : ERR_OK;
}

enum err cfg_set(struct cfg *c, const char *assignment, struct diag *d)
{
	struct cfg_span value;
	int id;

	if (cfg_split_assignment(&id, &value, assignment, d))
		return d->code;
	return cfg_value_parse(c, (enum cfg_id)id, value.at, value.size, d);
}

enum err cfg_sheet_set(struct cfg_sheet *s, const char *assignment,
		       struct diag *d)
{
	struct cfg_span value;
	int id;

	if (cfg_split_assignment(&id, &value, assignment, d) ||
	    cfg_value_parse(&s->cfg, (enum cfg_id)id, value.at, value.size, d))
		return d->code;
	s->origin[id] =
		(struct cfg_origin){ .source = CFG_OVERRIDE, .note = "" };
	return ERR_OK;
}

/* The length of the key of "key = value" at p; 0: there is none. */
static size_t cfg_key_length(const char *p)
{
	size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_.");

	return strncmp(p + n, " = ", 3) ? 0 : n;
}

/* Prints where a parameter was set; nothing if it has its default value. */
static size_t cfg_print_place(char *to, size_t size, const struct cfg_origin *o,
			      size_t n, const char *key, bool first)
{
	const char *before = first ? " (" : "; ";
	int used = 0;

	if (o->file)
		used = snprintf(to, size, "%s%.*s: %s:%u", before, (int)n, key,
				o->file, o->line);
	else if (o->source == CFG_OVERRIDE)
		used = snprintf(to, size, "%s%.*s: -o", before, (int)n, key);
	return used > 0 && (size_t)used < size ? (size_t)used : 0;
}

void cfg_sheet_explain(const struct cfg_sheet *s, struct diag *d)
{
	char places[sizeof(d->text)] = "";
	size_t used = 0, n;

	for (const char *p = d->text; *p; p += n ? n : 1) {
		int id;

		n = cfg_key_length(p);
		id = n ? cfg_find(p, n) : -1;
		if (id >= 0)
			used += cfg_print_place(places + used,
						sizeof(places) - used - 2,
						&s->origin[id], n, p, !used);
	}
	places[used] = '\0';
	n = strlen(d->text);
	if (used && n + used + 2 <= sizeof(d->text))
		snprintf(d->text + n, sizeof(d->text) - n, "%s)", places);
}

void cfg_sheet_init(struct cfg_sheet *s)
{
	memset(s, 0, sizeof(*s));
	cfg_defaults(&s->cfg);
	for (int i = 0; i < CFG_COUNT; i++)
		s->origin[i].note = "";
}

void cfg_sheet_free(struct cfg_sheet *s)
{
	arena_free(&s->arena);
}
