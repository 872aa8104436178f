#include "explore/measured.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/utf8.h"
#include "explore/csvread.h"

enum {
	MEASURED_MAX_FILE = 1 << 30,
	KERNEL_NAME_SIZE = 4096,
};

/* ---- kernel names ---- */

/* "(int)4" is 4 and "(bool)1" is true; the name of a type ends before `at`. */
static const char *argument_cast(const char *at, bool *truth)
{
	const char *close = strchr(at, ')');

	*truth = close && !strncmp(at, "(bool)", 6);
	return close && (isalnum((unsigned char)close[1]) || close[1] == '-') ?
		       close + 1 :
		       at;
}

/* Writes template arguments in one spelling: without blanks, casts and suffixes
 * of literals; "unsigned int" is "unsigned". */
static void plain_arguments(char *out, const char *at)
{
	const char *begin = out;
	bool truth = false;

	for (; *at; at++) {
		bool opens = out == begin || out[-1] == '<' || out[-1] == ',';

		if (*at == '(' && opens)
			at = argument_cast(at, &truth);
		if (truth && opens && (*at == '0' || *at == '1')) {
			out += sprintf(out, *at == '1' ? "true" : "false");
			truth = false;
			continue;
		}
		if (*at == ' ' ||
		    (out > begin && isdigit((unsigned char)out[-1]) &&
		     strchr("uUlL", *at)))
			continue;
		*out++ = *at;
		if (out - begin >= 11 && !strncmp(out - 11, "unsignedint", 11))
			out -= 3;
	}
	*out = '\0';
}

/* The parts of a name without its parameters: those of its last component. */
static void name_parts(const char *at, const char **base, const char **args)
{
	int depth = 0;

	*base = at;
	*args = NULL;
	for (; *at; at++) {
		if (!strncmp(at, "(anonymous namespace)", 21)) {
			at += 20;
		} else if (*at == '<') {
			if (!depth++)
				*args = at;
		} else if (*at == '>') {
			depth -= depth > 0;
		} else if (!depth && (*at == ' ' || *at == ':')) {
			*base = at + 1;
			*args = NULL;
		} else if (!depth && *at == '(') {
			return;
		}
	}
}

enum err kernel_name_read(struct kernel_name *out, struct arena *a,
			  const char *kernel, struct diag *d)
{
	char text[KERNEL_NAME_SIZE], plain[KERNEL_NAME_SIZE + 8] = "";
	const char *base, *args;
	size_t length;

	if (!strncmp(kernel, "_Z", 2))
		demangle_instance(text, sizeof(text), kernel);
	else
		snprintf(text, sizeof(text), "%s", kernel);
	name_parts(text, &base, &args);
	length = args ? (size_t)(args - base) : strcspn(base, "( ");
	if (args) {
		int depth = 0;
		char *end = text + (args - text);

		for (; *end; end++) {
			depth += (*end == '<') - (*end == '>');
			if (!depth)
				break;
		}
		*end = '\0';
		plain_arguments(plain, args);
	}
	out->base = arena_strndup(a, base, length);
	out->arguments = NULL;
	if (*plain && !strstr(plain, "<..."))
		out->arguments = arena_strndup(a, plain, strlen(plain));
	if (!out->base || (*plain && !strstr(plain, "<...") && !out->arguments))
		return fail(d, ERR_NOMEM, "out of memory");
	return ERR_OK;
}

/* ---- launches and values ---- */

/* Room for one more element at the end of an array in the arena. */
static void *measured_grow(struct arena *a, void *at, size_t count, size_t size)
{
	void *more;

	/* The sizes are 8, 16, 32, ... */
	if (count && (count < 8 || (count & (count - 1))))
		return at;
	more = arena_alloc(a, count ? 2 * count : 8, size);
	if (more && count)
		memcpy(more, at, count * size);
	return more;
}

enum err measured_add(struct measured *m, struct csv_reader *r,
		      struct measured_launch **out, const char *kernel,
		      size_t room, struct diag *d)
{
	struct measured_launch *l;

	m->launches = measured_grow(&m->arena, m->launches, m->count,
				    sizeof(*m->launches));
	if (!m->launches)
		return fail(d, ERR_NOMEM, "out of memory");
	l = &m->launches[m->count];
	*l = (struct measured_launch){ .id = m->count,
				       .line = r->row_line,
				       .invocations = 1 };
	l->kernel = arena_strndup(&m->arena, kernel, strlen(kernel));
	l->values = arena_new(&m->arena, struct measured_value, room + 1);
	if (!l->kernel || !l->values)
		return fail(d, ERR_NOMEM, "out of memory");
	utf8_make_plain((char *)l->kernel);
	m->count++;
	*out = l;
	return kernel_name_read(&l->name, &m->arena, l->kernel, d);
}

void measured_add_value(struct measured_launch *l, const char *name,
			const char *unit, const char *text, unsigned line)
{
	l->values[l->value_count++] =
		(struct measured_value){ name, unit, text, line };
}

enum err measured_grow_values(struct measured *m, struct measured_launch *l,
			      struct diag *d)
{
	l->values = measured_grow(&m->arena, l->values, l->value_count,
				  sizeof(*l->values));
	return l->values ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

/* ---- tables ---- */

bool measured_next(struct csv_reader *r, size_t fields, enum err *e,
		   struct diag *d)
{
	const char *line = "";
	size_t size = 0;

	while (!csv_ended(r)) {
		line = csv_peek(r, &size);
		if (size)
			break;
		csv_skip_line(r);
	}
	if (!size || (size >= 2 && !memcmp(line, "==", 2)))
		return false;
	*e = csv_read_row(r, d);
	if (!*e && r->count != fields)
		*e = fail(d, ERR_SYNTAX,
			  "%.200s:%u: %zu fields, but the table has %zu "
			  "columns; the file may have been cut short",
			  r->name, r->row_line, r->count, fields);
	return !*e;
}

enum err measured_keep_row(const char ***out, struct csv_reader *r,
			   struct diag *d)
{
	*out = arena_new(r->arena, const char *, r->count + 1);
	if (!*out)
		return fail(d, ERR_NOMEM, "out of memory");
	memcpy(*out, r->fields, r->count * sizeof(**out));
	return ERR_OK;
}

enum err measured_bad_field(const struct csv_reader *r, const char *column,
			    const char *text, const char *want, struct diag *d)
{
	return fail(d, ERR_SYNTAX,
		    "%.200s:%u: '%.60s' in the column %.60s; expected %s",
		    r->name, r->row_line, text, column, want);
}

enum err measured_whole(uint64_t *out, const struct csv_reader *r,
			const char *column, const char *text, struct diag *d)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-')
		return measured_bad_field(r, column, text, "a whole number", d);
	return ERR_OK;
}

/* ---- files ---- */

/* Reads the tables, and skips what is before and between them. */
static enum err measured_read_tables(struct measured *m, struct csv_reader *r,
				     struct diag *d)
{
	struct diag why;

	while (!csv_ended(r)) {
		struct csv_reader header = *r;
		enum err e;

		if (*r->at != '"' || csv_read_row(&header, &why) ||
		    !(measured_is_ncu(&header) ||
		      measured_is_nvprof(&header))) {
			csv_skip_line(r);
			continue;
		}
		*r = header;
		if (measured_is_ncu(r)) {
			m->tool = MEASURED_NCU;
			e = measured_read_ncu(m, r, d);
		} else {
			m->tool = MEASURED_NVPROF;
			e = measured_read_nvprof(m, r, d);
		}
		if (e)
			return e;
	}
	return ERR_OK;
}

enum err measured_read_text(struct measured *m, const char *path,
			    const char *text, size_t size, struct diag *d)
{
	struct csv_reader r;

	*m = (struct measured){ .path = path, .decimal = '.' };
	if (csv_start(&r, &m->arena, path, text, size, d) ||
	    measured_read_tables(m, &r, d))
		return d->code;
	if (!m->count)
		return fail(d, ERR_SYNTAX,
			    "'%.200s' has no launch: expected the CSV of "
			    "'ncu --csv', 'ncu --page raw --csv', or 'nvprof "
			    "--csv' with --print-gpu-trace or --metrics",
			    path);
	measured_find_decimal(m);
	return ERR_OK;
}

enum err measured_load(char **text, size_t *size, const char *path,
		       struct diag *d)
{
	FILE *f = fopen(path, "re");
	size_t room = 1 << 16, n;
	char *more;

	*text = NULL;
	*size = 0;
	if (!f)
		return fail(d, ERR_IO, "cannot read '%.200s': %s", path,
			    strerror(errno));
	do {
		room *= 2;
		more = room > MEASURED_MAX_FILE ? NULL : realloc(*text, room);
		if (!more) {
			fclose(f);
			return fail(d, ERR_NOMEM,
				    "'%.200s' is too large for this reader",
				    path);
		}
		*text = more;
		n = fread(*text + *size, 1, room - *size, f);
		*size += n;
	} while (*size == room);
	n = (size_t)ferror(f);
	fclose(f);
	return n ? fail(d, ERR_IO, "cannot read '%.200s': %s", path,
			strerror(errno)) :
		   ERR_OK;
}

enum err measured_read(struct measured *m, const char *path, struct diag *d)
{
	char *text;
	size_t size;
	enum err e;

	*m = (struct measured){ .path = path, .decimal = '.' };
	e = measured_load(&text, &size, path, d);
	if (!e)
		e = measured_read_text(m, path, text, size, d);
	free(text);
	return e;
}

void measured_free(struct measured *m)
{
	arena_free(&m->arena);
}
