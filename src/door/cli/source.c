#include "door/cli/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digit.h"
#include "door/cli/npy.h"

static enum err source_read_at(struct source *s, void *to, size_t size,
			       uint64_t offset, struct diag *d)
{
	char *p = to;

	while (size) {
		ssize_t got = pread(s->fd, p, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(d, ERR_IO, "cannot read '%s': %s", s->path,
				    strerror(errno));
		if (got == 0)
			return fail(d, ERR_IO,
				    "'%s' was truncated while it was read",
				    s->path);
		p += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return ERR_OK;
}

static enum err source_open_file(struct source *s, uint64_t *size,
				 struct diag *d)
{
	struct stat st;

	s->fd = open(s->path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return fail(d, ERR_IO, "cannot open '%s': %s", s->path,
			    strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(d, ERR_IO, "'%s' is not a regular file", s->path);
	*size = (uint64_t)st.st_size;
	return ERR_OK;
}

static enum err read_npy(struct source *s, struct npy *npy, uint64_t size,
			 struct diag *d)
{
	size_t length = size < NPY_MAX_HEADER ? (size_t)size : NPY_MAX_HEADER;
	void *head = malloc(NPY_MAX_HEADER);
	enum err e;

	if (!head)
		return fail(d, ERR_NOMEM, "out of memory");
	e = source_read_at(s, head, length, 0, d);
	if (!e)
		e = npy_parse(npy, s->path, head, length, size, d);
	free(head);
	return e;
}

static bool same_type(enum elem_type want, const struct npy *npy)
{
	if (npy->untyped)
		return elem_info[want].bytes == 2;
	/* Tools without bf16 store its bits as u16. */
	return want == npy->type ||
	       (want == ELEM_bf16 && npy->type == ELEM_u16);
}

static enum err source_take_npy(struct source *s, const struct arg_spec *spec,
				uint64_t size, struct diag *d)
{
	struct npy npy;

	if (read_npy(s, &npy, size, d))
		return d->code;
	if (spec->typed && !same_type(spec->type, &npy))
		return fail(d, ERR_SYNTAX,
			    "'%s' holds %s elements, expected %s", s->path,
			    elem_info[npy.type].name,
			    elem_info[spec->type].name);
	s->type = spec->typed ? spec->type : npy.type;
	s->offset = npy.data;
	if (!spec->shape_known) {
		s->shape = npy.shape;
		s->count = npy.shape.count;
	} else if (s->count != npy.shape.count) {
		return fail(d, ERR_SYNTAX,
			    "'%s' holds %" PRIu64
			    " elements, expected %" PRIu64,
			    s->path, npy.shape.count, s->count);
	}
	return ERR_OK;
}

static enum err source_take_raw(struct source *s, const struct arg_spec *spec,
				uint64_t size, struct diag *d)
{
	unsigned bytes = elem_info[s->type].bytes;

	if (!spec->shape_known) {
		if (size % bytes)
			return fail(d, ERR_SYNTAX,
				    "'%s' has %" PRIu64
				    " bytes, which is not a multiple of the "
				    "size of %s, %u",
				    s->path, size, elem_info[s->type].name,
				    bytes);
		s->count = size / bytes;
		s->shape = (struct array_shape){ 1, { s->count }, s->count };
	} else if (size != s->count * bytes) {
		return fail(d, ERR_SYNTAX,
			    "'%s' has %" PRIu64 " bytes, but %" PRIu64
			    " %s take %" PRIu64,
			    s->path, size, s->count, elem_info[s->type].name,
			    s->count * bytes);
	}
	return ERR_OK;
}

static enum err source_take_file(struct source *s, const struct arg_spec *spec,
				 struct diag *d)
{
	size_t n = spec->init.length;
	uint64_t size = 0;
	enum err e;

	s->path = strndup(spec->init.text, n);
	if (!s->path)
		return fail(d, ERR_NOMEM, "out of memory");
	if (source_open_file(s, &size, d))
		return d->code;
	/* bytes:@FILE takes the bytes even of a .npy file. */
	if (spec->kind != SPEC_BYTES && n > 4 &&
	    !strcmp(s->path + n - 4, ".npy"))
		e = source_take_npy(s, spec, size, d);
	else
		e = source_take_raw(s, spec, size, d);
	if (!e && !s->count)
		return fail(d, ERR_SYNTAX, "'%s' holds no elements", s->path);
	return e;
}

static enum err source_take_list(struct source *s, const struct arg_spec *spec,
				 struct diag *d)
{
	const char *at = spec->init.text, *end = at + spec->init.length;
	uint64_t n = 1;

	for (const char *p = at; p < end; p++)
		n += *p == ',';
	if (spec->shape_known && n != s->count)
		return fail(d, ERR_SYNTAX,
			    "the list has %" PRIu64
			    " values, but the array has %" PRIu64 " elements",
			    n, s->count);
	if (!spec->shape_known)
		s->shape = (struct array_shape){ 1, { n }, n };
	s->count = n;
	s->list = calloc(n, sizeof(*s->list));
	if (!s->list)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint64_t i = 0; i < n; i++) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma ? comma : end;

		if (number_parse(&s->list[i], at, (size_t)(stop - at), d))
			return d->code;
		at = stop + 1;
	}
	return ERR_OK;
}

enum err source_open(struct source *s, const struct arg_spec *spec,
		     uint64_t key, struct diag *d)
{
	*s = (struct source){
		.type = spec->type,
		.shape = spec->shape,
		.count = spec->shape.count *
			 (spec->channels ? spec->channels : 1),
		.init = spec->init,
		.key = key,
		.fd = -1,
	};
	enum err e = ERR_OK;

	if (spec->init.kind == INIT_FILE)
		e = source_take_file(s, spec, d);
	else if (spec->init.kind == INIT_LIST)
		e = source_take_list(s, spec, d);
	if (e)
		source_close(s);
	return e;
}

static struct number iota(enum elem_type type, const struct array_init *in,
			  uint64_t i)
{
	uint64_t start, step;

	if (elem_info[type].cls == ELEM_FLOAT)
		return number_float(
			fma((double)i, number_real(in->b), number_real(in->a)));
	start = in->a.negative ? 0 - in->a.magnitude : in->a.magnitude;
	step = in->b.negative ? 0 - in->b.magnitude : in->b.magnitude;
	return number_uint(start + i * step);
}

static struct number source_element(const struct source *s, uint64_t i)
{
	const struct array_init *in = &s->init;

	switch (in->kind) {
	case INIT_IOTA:
		return iota(s->type, in, i);
	case INIT_RANDOM:
		return elem_random(s->type, s->key, i, in->a, in->b);
	case INIT_FILL:
		return in->a;
	case INIT_LIST:
		return s->list[i];
	case INIT_HEX:
		return number_uint(digit_value(in->text[2 * i]) << 4 |
				   digit_value(in->text[2 * i + 1]));
	case INIT_ZERO:
	case INIT_FILE:
		break;
	}
	return number_uint(0);
}

enum err source_fill(struct source *s, uint64_t first, size_t n, void *to,
		     struct diag *d)
{
	unsigned bytes = elem_info[s->type].bytes;

	CHECK(first <= s->count && n <= s->count - first);
	if (s->init.kind == INIT_FILE)
		return source_read_at(s, to, n * bytes,
				      s->offset + first * bytes, d);
	if (s->init.kind == INIT_ZERO) {
		memset(to, 0, n * bytes);
		return ERR_OK;
	}
	for (size_t i = 0; i < n; i++)
		elem_store(s->type, (char *)to + i * bytes,
			   source_element(s, first + i));
	return ERR_OK;
}

void source_close(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	free(s->path);
	s->path = NULL;
	free(s->list);
	s->list = NULL;
}
