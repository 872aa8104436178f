#include "door/cli/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[6] = { '\x93', 'N', 'U', 'M', 'P', 'Y' };

/* The state of reading the Python dictionary of the header. */
struct npy_reader {
	const char *name;
	const char *at, *end;
	struct npy *out;
	struct diag *d;
	bool descr, order, shape;
	bool fortran;
};

static enum err npy_malformed(struct npy_reader *r, const char *what)
{
	return fail(r->d, ERR_SYNTAX, "%s: malformed .npy header: %s", r->name,
		    what);
}

static void npy_skip_space(struct npy_reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\n' || *r->at == '\t'))
		r->at++;
}

static bool npy_take(struct npy_reader *r, char c)
{
	npy_skip_space(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool npy_take_word(struct npy_reader *r, const char *word)
{
	size_t n = strlen(word);

	npy_skip_space(r);
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
		return false;
	r->at += n;
	return true;
}

static bool npy_take_string(struct npy_reader *r, char *to, size_t size)
{
	size_t n = 0;
	char quote;

	npy_skip_space(r);
	if (r->at == r->end || (*r->at != '\'' && *r->at != '"'))
		return false;
	quote = *r->at++;
	while (r->at < r->end && *r->at != quote) {
		/* Messages show it: plain text only. */
		if (n + 1 == size || *r->at == '\\' || *r->at < ' ' ||
		    *r->at > '~')
			return false;
		to[n++] = *r->at++;
	}
	to[n] = '\0';
	return npy_take(r, quote);
}

static enum err npy_find_descr(struct npy_reader *r, const char *descr)
{
	const char *plain = descr;

	if (descr[0] == '>' && descr[1] && strcmp(descr + 2, "1") != 0)
		return fail(r->d, ERR_UNSUPP,
			    "%s: type '%s' is big-endian; save it as "
			    "little-endian ('<')",
			    r->name, descr);
	if (strchr("<>|=", descr[0]) && descr[0])
		plain++;
	for (int i = 0; i < ELEM_COUNT; i++)
		if (!strcmp(plain, elem_info[i].npy + 1)) {
			r->out->type = (enum elem_type)i;
			r->out->untyped = i == ELEM_bf16;
			return ERR_OK;
		}
	if (!strcmp(plain, "b1")) {
		r->out->type = ELEM_u8;
		return ERR_OK;
	}
	return fail(r->d, ERR_UNSUPP,
		    "%s: element type '%s' is not one of" ELEM_NAMES, r->name,
		    descr);
}

static enum err npy_read_descr(struct npy_reader *r)
{
	char descr[64];

	npy_skip_space(r);
	if (r->at < r->end && *r->at == '[')
		return fail(r->d, ERR_UNSUPP,
			    "%s: an array of structures is not supported",
			    r->name);
	if (!npy_take_string(r, descr, sizeof(descr)))
		return npy_malformed(r, "'descr' is not a string");
	r->descr = true;
	return npy_find_descr(r, descr);
}

static enum err npy_read_order(struct npy_reader *r)
{
	r->fortran = npy_take_word(r, "True");
	if (!r->fortran && !npy_take_word(r, "False"))
		return npy_malformed(r, "'fortran_order' is not True or False");
	r->order = true;
	return ERR_OK;
}

static bool npy_take_number(struct npy_reader *r, uint64_t *out)
{
	const char *start;

	npy_skip_space(r);
	start = r->at;
	*out = 0;
	while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
		if (__builtin_mul_overflow(*out, (uint64_t)10, out) ||
		    __builtin_add_overflow(*out, (uint64_t)(*r->at - '0'), out))
			return false;
		r->at++;
	}
	if (r->at < r->end && *r->at == 'L') /* Python 2 */
		r->at++;
	return r->at > start;
}

static enum err npy_read_shape(struct npy_reader *r)
{
	struct array_shape *s = &r->out->shape;

	*s = (struct array_shape){ 0 };
	if (!npy_take(r, '('))
		return npy_malformed(r, "'shape' is not a tuple");
	while (!npy_take(r, ')')) {
		if (s->dims == SHAPE_DIMS)
			return fail(r->d, ERR_UNSUPP,
				    "%s: more than %d dimensions", r->name,
				    SHAPE_DIMS);
		if (!npy_take_number(r, &s->size[s->dims++]))
			return npy_malformed(r,
					     "'shape' holds an invalid number");
		if (!npy_take(r, ',') && !(r->at < r->end && *r->at == ')'))
			return npy_malformed(r, "'shape' is not a tuple");
	}
	r->shape = true;
	return ERR_OK;
}

static enum err npy_read_entry(struct npy_reader *r)
{
	char key[32];

	if (!npy_take_string(r, key, sizeof(key)) || !npy_take(r, ':'))
		return npy_malformed(r, "expected 'key': value");
	if (!strcmp(key, "descr"))
		return npy_read_descr(r);
	if (!strcmp(key, "fortran_order"))
		return npy_read_order(r);
	if (!strcmp(key, "shape"))
		return npy_read_shape(r);
	return npy_malformed(r, "unknown key");
}

static enum err npy_read_dictionary(struct npy_reader *r)
{
	if (!npy_take(r, '{'))
		return npy_malformed(r, "expected '{'");
	while (!npy_take(r, '}')) {
		if (npy_read_entry(r))
			return r->d->code;
		if (!npy_take(r, ',') && !(r->at < r->end && *r->at == '}'))
			return npy_malformed(r, "expected ',' or '}'");
	}
	if (!r->descr || !r->order || !r->shape)
		return npy_malformed(
			r, "descr, fortran_order or shape is missing");
	if (r->fortran && r->out->shape.dims > 1)
		return fail(r->d, ERR_UNSUPP,
			    "%s: Fortran order is not supported; save it with "
			    "numpy.ascontiguousarray",
			    r->name);
	return ERR_OK;
}

/* Reads version and length of the header, and finds its dictionary. */
static enum err npy_read_preamble(struct npy_reader *r, const uint8_t *head,
				  size_t length)
{
	size_t at, size;

	if (length < 10 || memcmp(head, magic, sizeof(magic)) != 0)
		return fail(r->d, ERR_SYNTAX, "%s: not a .npy file", r->name);
	if (head[6] < 1 || head[6] > 3)
		return fail(r->d, ERR_UNSUPP,
			    "%s: .npy version %u.%u is not supported; expected "
			    "1.0 to 3.0",
			    r->name, head[6], head[7]);
	at = head[6] == 1 ? 10 : 12;
	if (length < at)
		return fail(r->d, ERR_SYNTAX, "%s: truncated .npy header",
			    r->name);
	size = head[8] | (size_t)head[9] << 8;
	if (head[6] > 1)
		size |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
	if (size > NPY_MAX_HEADER - at)
		return fail(r->d, ERR_UNSUPP,
			    "%s: .npy header of %zu bytes is too long", r->name,
			    size);
	if (size > length - at)
		return fail(r->d, ERR_SYNTAX, "%s: truncated .npy header",
			    r->name);
	r->at = (const char *)head + at;
	r->end = r->at + size;
	r->out->data = at + size;
	return ERR_OK;
}

enum err npy_parse(struct npy *out, const char *name, const void *head,
		   size_t length, uint64_t size, struct diag *d)
{
	struct npy_reader r = { .name = name, .out = out, .d = d };
	uint64_t bytes;

	*out = (struct npy){ 0 };
	if (npy_read_preamble(&r, head, length) || npy_read_dictionary(&r))
		return d->code;
	if (!shape_finish(&out->shape, elem_info[out->type].bytes))
		return fail(d, ERR_RANGE,
			    "%s: the array is larger than any memory", name);
	bytes = out->shape.count * elem_info[out->type].bytes;
	if (size < out->data || size - out->data < bytes)
		return fail(d, ERR_SYNTAX,
			    "%s: truncated: the header promises %" PRIu64
			    " bytes of elements, but the file has %" PRIu64,
			    name, bytes,
			    size < out->data ? 0 : size - out->data);
	return ERR_OK;
}

size_t npy_format(char header[NPY_HEADER], enum elem_type type,
		  const struct array_shape *shape)
{
	char *p = header + 10;
	size_t room = NPY_HEADER - 10, n, total;

	n = (size_t)snprintf(p, room,
			     "{'descr': '%s', 'fortran_order': False, "
			     "'shape': (",
			     elem_info[type].npy);
	for (unsigned i = 0; i < shape->dims; i++)
		n += (size_t)snprintf(p + n, room - n, "%s%" PRIu64,
				      i ? ", " : "", shape->size[i]);
	n += (size_t)snprintf(p + n, room - n, "%s), }",
			      shape->dims == 1 ? "," : "");
	/* 8 dimensions of 20 digits, and the text around them. */
	CHECK(n < room);
	total = (10 + n + 1 + 63) / 64 * 64;
	CHECK(total <= NPY_HEADER);
	memset(p + n, ' ', total - 10 - n);
	header[total - 1] = '\n';
	memcpy(header, magic, sizeof(magic));
	header[6] = 1;
	header[7] = 0;
	header[8] = (char)((total - 10) & 0xff);
	header[9] = (char)((total - 10) >> 8);
	return total;
}
