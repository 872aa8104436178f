#include "accelsim/source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "accelsim/unpack.h"

enum { FILE_ROOM = 1 << 16, TEXT_ROOM = 1 << 18, LINE_MAX_BYTES = 1 << 16 };

struct asim_source {
	FILE *file;
	char *name;
	uint64_t bytes, done; /* of the file */
	uint32_t number;
	bool ended; /* all bytes of the text are in text[] */
	struct unpacker *unpack;
	size_t file_at, file_size; /* in raw[] */
	size_t at, size;           /* in text[] */
	char raw[FILE_ROOM];
	char text[TEXT_ROOM + 1];
};

enum err asim_fail(const struct asim_source *s, struct diag *d, enum err code,
		   const char *fmt, ...)
{
	struct diag why;
	va_list ap;

	va_start(ap, fmt);
	vfail(&why, code, fmt, ap);
	va_end(ap);
	/* A damaged line may have anything in it. */
	for (char *p = why.text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return fail(d, code, "%.200s:%u: %s", s->name, s->number, why.text);
}

static enum err read_file(struct asim_source *s, struct diag *d)
{
	s->file_at = 0;
	s->file_size = fread(s->raw, 1, sizeof(s->raw), s->file);
	s->done += s->file_size;
	if (ferror(s->file))
		return fail(d, ERR_IO, "%s: %s", s->name, strerror(errno));
	return ERR_OK;
}

/* Decompresses into the rest of text[]. */
static enum err unpack_more(struct asim_source *s, struct diag *d)
{
	size_t room = TEXT_ROOM - s->size, taken = 0, given = 0;
	struct diag why;
	enum err e = ERR_OK;

	while (!e && !given && !s->ended) {
		bool last;

		if (s->file_at == s->file_size)
			e = read_file(s, d);
		if (e)
			return e;
		last = s->file_size == 0;
		e = unpacker_run(s->unpack, s->raw + s->file_at,
				 s->file_size - s->file_at, last, &taken,
				 s->text + s->size, room, &given, &why);
		if (e)
			return asim_fail(s, d, e, "%s", why.text);
		s->file_at += taken;
		s->ended = last && !given;
	}
	s->size += given;
	return ERR_OK;
}

static enum err copy_more(struct asim_source *s, struct diag *d)
{
	size_t n;

	if (s->file_at == s->file_size && read_file(s, d))
		return d->code;
	n = s->file_size - s->file_at;
	if (n > TEXT_ROOM - s->size)
		n = TEXT_ROOM - s->size;
	memcpy(s->text + s->size, s->raw + s->file_at, n);
	s->file_at += n;
	s->size += n;
	s->ended = n == 0;
	return ERR_OK;
}

static enum err more_text(struct asim_source *s, struct diag *d)
{
	memmove(s->text, s->text + s->at, s->size - s->at);
	s->size -= s->at;
	s->at = 0;
	return s->unpack ? unpack_more(s, d) : copy_more(s, d);
}

enum err asim_source_new(struct asim_source **out, FILE *f, const char *name,
			 struct diag *d)
{
	struct asim_source *s = calloc(1, sizeof(*s));
	enum err e;

	if (!s) {
		fclose(f);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	s->file = f;
	s->name = strdup(name);
	if (!fseek(f, 0, SEEK_END)) {
		long bytes = ftell(f);

		s->bytes = bytes > 0 ? (uint64_t)bytes : 0;
		rewind(f);
	}
	e = s->name ? read_file(s, d) : fail(d, ERR_NOMEM, "out of memory");
	if (!e) {
		struct diag why;

		e = unpacker_new(&s->unpack, s->raw, s->file_size, &why);
		if (e)
			e = fail(d, e, "%s: %s", name, why.text);
	}
	if (e) {
		asim_source_free(s);
		return e;
	}
	*out = s;
	return ERR_OK;
}

enum err asim_source_open(struct asim_source **out, const char *path,
			  struct diag *d)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return fail(d, ERR_IO, "%s: %s", path, strerror(errno));
	return asim_source_new(out, f, path, d);
}

void asim_source_free(struct asim_source *s)
{
	if (!s)
		return;
	unpacker_free(s->unpack);
	fclose(s->file);
	free(s->name);
	free(s);
}

enum err asim_source_line(struct asim_source *s, const char **line,
			  size_t *size, struct diag *d)
{
	char *start, *end;

	for (;;) {
		start = s->text + s->at;
		end = memchr(start, '\n', s->size - s->at);
		if (end || s->ended)
			break;
		if (s->size - s->at > LINE_MAX_BYTES)
			return asim_fail(s, d, ERR_SYNTAX,
					 "the next line is longer than %d "
					 "bytes",
					 LINE_MAX_BYTES);
		if (more_text(s, d))
			return d->code;
	}
	*line = NULL;
	if (!end && s->at == s->size)
		return ERR_OK;
	*size = end ? (size_t)(end - start) : s->size - s->at;
	s->at += *size + (end != NULL);
	s->number++;
	if (*size && start[*size - 1] == '\r')
		--*size;
	start[*size] = '\0';
	*line = start;
	return ERR_OK;
}

const char *asim_source_name(const struct asim_source *s)
{
	return s->name;
}

uint32_t asim_source_number(const struct asim_source *s)
{
	return s->number;
}

uint64_t asim_source_done(const struct asim_source *s)
{
	return s->done;
}

uint64_t asim_source_bytes(const struct asim_source *s)
{
	return s->bytes;
}
