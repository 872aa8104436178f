#include "accelsim/list.h"

#include <stdlib.h>
#include <string.h>

/* No more kernels run at the same time. */
enum { GROUP_MAX = 128 };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "kernel-1.traceg", "kernel-1-ctx_0x55.traceg.xz" */
static bool names_kernel(const char *text)
{
	return !strncmp(text, "kernel-", 7) && strstr(text, ".trace");
}

static bool names_copy(const char *text)
{
	return !strncmp(text, "MemcpyHtoD,", 11);
}

/* The trace of a single kernel begins with its name. */
static bool is_kernel_text(const char *text)
{
	return !strncmp(text, "-kernel name = ", 15);
}

/* The first line that is not blank. */
static bool asim_first_line(struct asim_source *s, char out[64])
{
	const char *line;
	size_t size;
	struct diag d;

	do {
		if (asim_source_line(s, &line, &size, &d) || !line)
			return false;
	} while (!size);
	snprintf(out, 64, "%s", line);
	return true;
}

/* A kernel that this build cannot decompress, or that is damaged, is one by its
 * name, so that reading it says what is wrong. */
bool asim_list_is(const char *path)
{
	bool named = names_kernel(base_of(path));
	struct asim_source *s;
	char line[64];
	struct diag d;
	bool is;

	if (asim_source_open(&s, path, &d))
		return d.code == ERR_UNSUPP && named;
	if (asim_first_line(s, line))
		is = names_copy(line) || names_kernel(line) ||
		     is_kernel_text(line) ||
		     !strcmp(base_of(path), "kernelslist.g");
	else
		is = named;
	asim_source_free(s);
	return is;
}

static struct asim_command *add_command(struct asim_list *l, struct diag *d)
{
	if (l->count == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		struct asim_command *more =
			realloc(l->command, room * sizeof(*more));

		if (!more) {
			fail(d, ERR_NOMEM, "out of memory");
			return NULL;
		}
		l->command = more;
		l->room = room;
	}
	memset(&l->command[l->count], 0, sizeof(*l->command));
	return &l->command[l->count++];
}

/* "MemcpyHtoD,0x00007f0000000000,4096" */
static enum err add_copy(struct asim_list *l, const struct asim_source *s,
			 const char *line, struct diag *d)
{
	struct asim_command *c;
	char *end;
	uint64_t at = strtoull(line + 11, &end, 16), bytes = 0;
	const char *size = *end == ',' ? end + 1 : "";

	if (*size >= '0' && *size <= '9')
		bytes = strtoull(size, &end, 10);
	if (end == size || *end || !*size || at >> 56 || bytes >> 56)
		return asim_fail(s, d, ERR_SYNTAX,
				 "'%.60s': expected MemcpyHtoD,ADDRESS,BYTES",
				 line);
	c = add_command(l, d);
	if (!c)
		return d->code;
	c->at = at;
	c->bytes = bytes;
	return ERR_OK;
}

static char *path_beside(const char *list, const char *name)
{
	size_t folder = (size_t)(base_of(list) - list);
	char *path = malloc(folder + strlen(name) + 1);

	if (path) {
		memcpy(path, list, folder);
		strcpy(path + folder, name);
	}
	return path;
}

/* Streams are handles: numbers them in the order in which they occur. The
 * default stream has the handles 0 and LEGACY. */
static enum err number_stream(struct asim_list *l, struct asim_command *c,
			      struct diag *d)
{
	enum { LEGACY = 1 };
	uint64_t *more;

	if (c->header->stream <= LEGACY)
		return ERR_OK;
	for (uint32_t i = 0; i < l->stream_count; i++)
		if (l->streams[i] == c->header->stream) {
			c->stream = i + 1;
			return ERR_OK;
		}
	more = realloc(l->streams, (l->stream_count + 1) * sizeof(*more));
	if (!more)
		return fail(d, ERR_NOMEM, "out of memory");
	l->streams = more;
	l->streams[l->stream_count++] = c->header->stream;
	c->stream = l->stream_count;
	return ERR_OK;
}

/* A kernel overlaps with those right before it if there are several streams
 * among them and none is the default one. */
static uint32_t group_number(const struct asim_list *l, size_t i)
{
	const struct asim_command *c = &l->command[i], *b = c - 1;
	size_t n = 0;

	if (!i || !b->path || !b->stream || !c->stream)
		return l->groups;
	while (n < i && l->command[i - 1 - n].path &&
	       l->command[i - 1 - n].group == b->group)
		n++;
	if (n == GROUP_MAX || (n == 1 && b->stream == c->stream))
		return l->groups;
	return b->group;
}

static enum err read_kernel_header(struct asim_command *c, struct diag *d)
{
	struct asim_source *s;
	enum err e;

	c->header = malloc(sizeof(*c->header));
	if (!c->header)
		return fail(d, ERR_NOMEM, "out of memory");
	e = asim_source_open(&s, c->path, d);
	if (e)
		return e;
	e = asim_read_header(c->header, s, d);
	c->file_bytes = asim_source_bytes(s);
	asim_source_free(s);
	return e;
}

static enum err add_kernel(struct asim_list *l, char *path, struct diag *d)
{
	struct asim_command *c = path ? add_command(l, d) : NULL;

	if (!c) {
		free(path);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	c->path = path;
	if (read_kernel_header(c, d) || number_stream(l, c, d))
		return d->code;
	c->number = l->kernels++;
	l->file_bytes += c->file_bytes;
	c->group = group_number(l, l->count - 1);
	l->groups += c->group == l->groups;
	return ERR_OK;
}

static enum err add_line(struct asim_list *l, const struct asim_source *s,
			 char *line, struct diag *d)
{
	struct diag why;

	line[strcspn(line, " \t\r")] = '\0';
	if (!*line)
		return ERR_OK;
	if (names_copy(line))
		return add_copy(l, s, line, d);
	if (!strncmp(line, "Memcpy", 6)) {
		l->ignored++;
		return ERR_OK;
	}
	if (!names_kernel(line))
		return asim_fail(
			s, d, ERR_SYNTAX,
			"'%.60s': expected MemcpyHtoD,ADDRESS,BYTES or "
			"kernel-N.traceg",
			line);
	if (add_kernel(l, path_beside(l->path, line), &why))
		return asim_fail(s, d, why.code, "%s", why.text);
	return ERR_OK;
}

static enum err read_lines(struct asim_list *l, struct asim_source *s,
			   struct diag *d)
{
	for (;;) {
		const char *line;
		char copy[512];
		size_t size;

		if (asim_source_line(s, &line, &size, d))
			return d->code;
		if (!line)
			return ERR_OK;
		if (size >= sizeof(copy) || memchr(line, 0, size))
			return asim_fail(s, d, ERR_SYNTAX,
					 "expected MemcpyHtoD,ADDRESS,BYTES or "
					 "kernel-N.traceg");
		memcpy(copy, line, size + 1);
		if (add_line(l, s, copy, d))
			return d->code;
	}
}

static enum err asim_read_list(struct asim_list *l, struct diag *d)
{
	struct asim_source *s;
	char line[64] = "";
	enum err e = asim_source_open(&s, l->path, d);
	bool one;

	if (e)
		return e;
	one = asim_first_line(s, line) && is_kernel_text(line);
	asim_source_free(s);
	if (one)
		return add_kernel(l, strdup(l->path), d);
	e = asim_source_open(&s, l->path, d);
	if (e)
		return e;
	e = read_lines(l, s, d);
	asim_source_free(s);
	return e;
}

enum err asim_list_open(struct asim_list **out, const char *path,
			struct diag *d)
{
	struct asim_list *l = calloc(1, sizeof(*l));
	enum err e;

	if (!l)
		return fail(d, ERR_NOMEM, "out of memory");
	l->path = strdup(path);
	e = l->path ? asim_read_list(l, d) :
		      fail(d, ERR_NOMEM, "out of memory");
	if (e) {
		asim_list_free(l);
		return e;
	}
	*out = l;
	return ERR_OK;
}

void asim_list_free(struct asim_list *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->count; i++) {
		free(l->command[i].path);
		free(l->command[i].header);
	}
	free(l->command);
	free(l->streams);
	free(l->path);
	free(l);
}

size_t asim_list_group(const struct asim_list *l, size_t i)
{
	size_t n = 1;

	while (i + n < l->count && l->command[i + n].path &&
	       l->command[i + n].group == l->command[i].group)
		n++;
	return n;
}
