#include "door/cli/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/interrupt.h"
#include "door/cli/text.h"

void memory_free(struct memory *m)
{
	free(m->arrays);
	free(m->params);
	*m = (struct memory){ 0 };
}

static enum err copy_in(struct memory *m, struct source *s, heddle_ptr to,
			struct diag *d)
{
	unsigned bytes = elem_info[s->type].bytes;
	struct heddle_error he = { 0 };
	void *chunk = malloc((size_t)CHUNK * ELEM_MAX_BYTES);
	enum err e = chunk ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");

	for (uint64_t i = 0; !e && i < s->count && !interrupted(); i += CHUNK) {
		uint64_t left = s->count - i;
		size_t n = left < CHUNK ? (size_t)left : CHUNK;

		e = source_fill(s, i, n, chunk, d);
		if (!e && heddle_write(m->program->dev, to + i * bytes, chunk,
				       n * bytes, &he))
			e = fail_api(d, &he);
	}
	free(chunk);
	return e;
}

static enum err remember(struct memory *m, const struct array *a,
			 struct diag *d)
{
	for (size_t i = 0; i < m->count; i++)
		if (!strcmp(m->arrays[i].name, a->name))
			return fail(d, ERR_SYNTAX,
				    "the name '%s' is used for two arrays",
				    a->name);
	if (m->count == m->room) {
		size_t room = m->room ? 2 * m->room : 8;
		struct array *more = realloc(m->arrays, room * sizeof(*more));

		if (!more)
			return fail(d, ERR_NOMEM, "out of memory");
		m->arrays = more;
		m->room = room;
	}
	m->arrays[m->count++] = *a;
	return ERR_OK;
}

/* Allocates and fills the array of a spec. */
static enum err place_array(struct memory *m, const struct arg_spec *spec,
			    struct array *a, struct diag *d)
{
	struct heddle_error he = { 0 };
	struct source s;
	uint64_t bytes;
	enum err e;

	if (source_open(&s, spec, a->key, d))
		return d->code;
	a->type = s.type;
	a->shape = s.shape;
	a->count = s.count;
	if (spec->channels > 1)
		a->shape.size[a->shape.dims++] = spec->channels;
	a->shape.count = a->count;
	bytes = a->count * elem_info[a->type].bytes;
	if (heddle_alloc(m->program->dev, bytes, &a->at, &he))
		e = fail_api(d, &he);
	else if (spec->init.kind == INIT_ZERO)
		e = ERR_OK; /* fresh memory is zero */
	else
		e = copy_in(m, &s, a->at, d);
	source_close(&s);
	return e ? e : remember(m, a, d);
}

/* Allocates, fills and describes a texture or surface. */
static enum err place_texture(struct memory *m, const struct arg_spec *spec,
			      struct array *a, uint64_t *handle, struct diag *d)
{
	struct heddle_texture t = {
		.format = (enum heddle_texel)elem_info[spec->type].texel,
		.channels = spec->channels,
		.linear = spec->linear,
		.normalized = spec->normalized,
		.read_as_float = spec->read_as_float,
		.address = { spec->address, spec->address, spec->address },
	};
	uint32_t *const side[] = { &t.width, &t.height, &t.depth };
	struct heddle_error he = { 0 };

	for (unsigned i = 0; i < spec->dims; i++)
		*side[i] = (uint32_t)spec->shape.size[spec->dims - 1 - i];
	if (place_array(m, spec, a, d))
		return d->code;
	t.data = a->at;
	if (heddle_texture_new(m->program->dev, &t, handle, &he))
		return fail_api(d, &he);
	return ERR_OK;
}

/* The element type of a parameter, to check a number against. */
static bool param_elem(const struct heddle_param *p, struct number n,
		       bool untyped, enum elem_type *out)
{
	char name[16];

	if (p->kind == HEDDLE_PARAM_FLOAT && untyped) {
		*out = p->size == 2 ? ELEM_f16 :
		       p->size == 4 ? ELEM_f32 :
				      ELEM_f64;
		return true;
	}
	if (p->kind == HEDDLE_PARAM_FLOAT)
		return elem_find(p->type, strlen(p->type), out);
	/* Machine code knows no types: the number decides. */
	if (untyped && n.is_float && (p->size == 4 || p->size == 8)) {
		*out = p->size == 4 ? ELEM_f32 : ELEM_f64;
		return true;
	}
	/* Compilers write .u32 and .b32 for int as well. */
	snprintf(name, sizeof(name), "%c%u",
		 p->type[0] == 's' || n.negative ? 's' : 'u', 8 * p->size);
	return elem_find(name, strlen(name), out);
}

static enum err bind_number(char *to, const struct heddle_param *p,
			    const struct arg_spec *spec, bool untyped,
			    struct diag *d)
{
	enum elem_type type = spec->type;

	if (spec->typed) {
		if (elem_info[type].bytes != p->size)
			return fail(
				d, ERR_SYNTAX,
				"a %s has %u bytes, but the parameter has %u",
				elem_info[type].name, elem_info[type].bytes,
				p->size);
		elem_store(type, to, spec->number);
		return ERR_OK;
	}
	if (p->kind == HEDDLE_PARAM_BYTES)
		return fail(d, ERR_SYNTAX,
			    "the parameter is a struct of %u bytes: expected "
			    "bytes:HEX or bytes:@FILE",
			    p->size);
	if (p->kind == HEDDLE_PARAM_TEXTURE)
		return fail(d, ERR_SYNTAX,
			    "the parameter is a texture or surface: expected "
			    "tex2d:... or surf2d:...");
	if (!param_elem(p, spec->number, untyped, &type))
		return fail(
			d, ERR_UNSUPP,
			"a number cannot become a .%s; write NUMBER:TYPE or "
			"bytes:HEX",
			p->type);
	if (elem_accepts(type, spec->number, d))
		return d->code;
	elem_store(type, to, spec->number);
	return ERR_OK;
}

/* Local memory of a work-group: the number is its size in bytes. */
static enum err bind_shared(struct memory *m, char *to,
			    const struct heddle_param *p,
			    const struct arg_spec *spec, struct diag *d)
{
	uint64_t align = p->align ? p->align : 1;
	uint64_t at =
		(m->shared_start + m->shared_bytes + align - 1) / align * align;
	uint32_t offset = (uint32_t)at;

	if (spec->kind != SPEC_NUMBER || spec->number.is_float ||
	    spec->number.negative || spec->number.magnitude > 65536)
		return fail(d, ERR_SYNTAX,
			    "the parameter is a pointer to local memory: "
			    "expected its size in bytes, at most 65536");
	m->shared_bytes = at + spec->number.magnitude - m->shared_start;
	memcpy(to, &offset, sizeof(offset));
	return ERR_OK;
}

static enum err bind_address(char *to, const struct heddle_param *p,
			     uint64_t address, const char *what, struct diag *d)
{
	if (p->kind == HEDDLE_PARAM_FLOAT ||
	    !(p->size == 8 || (p->size == 4 && address <= UINT32_MAX)))
		return fail(d, ERR_SYNTAX,
			    "the parameter is a .%s of %u bytes, which cannot "
			    "hold %s",
			    p->type, p->size, what);
	memcpy(to, &address, p->size);
	return ERR_OK;
}

static enum err bind_bytes(char *to, const struct heddle_param *p,
			   const struct arg_spec *spec, struct diag *d)
{
	struct source s;
	enum err e;

	if (source_open(&s, spec, 0, d))
		return d->code;
	if (s.count != p->size)
		e = fail(d, ERR_SYNTAX,
			 "%" PRIu64 " bytes given, but the parameter has %u",
			 s.count, p->size);
	else
		e = source_fill(&s, 0, p->size, to, d);
	source_close(&s);
	return e;
}

static enum err bind_one(struct memory *m, const struct heddle_param *p,
			 unsigned index, const char *text, struct diag *d)
{
	char *to = (char *)m->params + p->offset;
	struct array a = { .key = random_key(m->seed, index) };
	uint64_t handle;
	struct arg_spec spec;

	if (spec_parse(&spec, text, d))
		return d->code;
	if (spec.name[0])
		memcpy(a.name, spec.name, sizeof(a.name));
	else
		snprintf(a.name, sizeof(a.name), "arg%u", index);
	if (p->kind == HEDDLE_PARAM_SHARED)
		return bind_shared(m, to, p, &spec, d);
	switch (spec.kind) {
	case SPEC_NUMBER:
		return bind_number(to, p, &spec, m->untyped, d);
	case SPEC_BYTES:
		return bind_bytes(to, p, &spec, d);
	case SPEC_TEXTURE:
		if (place_texture(m, &spec, &a, &handle, d))
			return d->code;
		return bind_address(to, p, handle, "a texture", d);
	case SPEC_ARRAY:
		if (place_array(m, &spec, &a, d))
			return d->code;
		return bind_address(to, p, a.at, "an array's address", d);
	}
	BUG("unknown kind of spec");
}

static enum err wrong_arg_count(const struct heddle_kernel *k, size_t given,
				struct diag *d)
{
	char list[200] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < k->param_count; i++) {
		const struct heddle_param *p = &k->params[i];

		if (used + 48 > sizeof(list)) {
			strcpy(list + used, ", ...");
			break;
		}
		used += (size_t)snprintf(
			list + used, sizeof(list) - used, "%s.%.16s",
			i ? ", " : "",
			p->kind == HEDDLE_PARAM_BYTES ? "b8[]" : p->type);
	}
	return fail(
		d, ERR_SYNTAX,
		"the kernel takes %u parameter%s%s%s%s, but %zu --arg given%s",
		k->param_count, k->param_count == 1 ? "" : "s",
		used ? " (" : "", list, used ? ")" : "", given,
		given ? "" :
			"; use --arg 42 for a number, --arg "
			"x:f32[1024]=iota for the address of an array");
}

enum err memory_bind(struct memory *m, const struct heddle_kernel *k,
		     const struct words *args, struct diag *d)
{
	struct diag why;

	if (args->count != k->param_count)
		return wrong_arg_count(k, args->count, d);
	m->untyped = isa_is_machine(k->isa);
	m->param_bytes = k->param_bytes;
	m->shared_start = k->shared_bytes;
	m->params = calloc(1, k->param_bytes ? k->param_bytes : 1);
	if (!m->params)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < k->param_count && !interrupted(); i++)
		if (bind_one(m, &k->params[i], i, args->at[i], &why))
			return fail(d, why.code,
				    "--arg %.80s (parameter %u): %.350s",
				    args->at[i], i, why.text);
	return ERR_OK;
}

static enum err set_variable_array(struct memory *m,
				   const struct arg_spec *spec, struct array *a,
				   uint64_t room, struct diag *d)
{
	struct source s;
	enum err e = ERR_OK;

	if (source_open(&s, spec, a->key, d))
		return d->code;
	a->type = s.type;
	a->shape = s.shape;
	a->count = s.count;
	if (a->count * elem_info[a->type].bytes > room)
		e = fail(d, ERR_RANGE,
			 "%" PRIu64
			 " bytes given, but the variable has %" PRIu64,
			 a->count * elem_info[a->type].bytes, room);
	else
		e = copy_in(m, &s, a->at, d);
	source_close(&s);
	return e ? e : remember(m, a, d);
}

static enum err set_variable_number(struct memory *m,
				    const struct arg_spec *spec,
				    struct array *a, uint64_t room,
				    struct diag *d)
{
	struct heddle_error he = { 0 };
	unsigned char value[ELEM_MAX_BYTES];
	unsigned bytes = elem_info[spec->type].bytes;

	if (!spec->typed || bytes != room)
		return fail(d, ERR_SYNTAX,
			    "the variable has %" PRIu64
			    " bytes: expected NUMBER:TYPE of that size, such "
			    "as 42:s32",
			    room);
	elem_store(spec->type, value, spec->number);
	if (heddle_write(m->program->dev, a->at, value, bytes, &he))
		return fail_api(d, &he);
	a->type = spec->type;
	a->count = 1;
	a->shape = (struct array_shape){ 1, { 1 }, 1 };
	return remember(m, a, d);
}

static enum err set_variable(struct memory *m, const char *text, struct diag *d)
{
	const struct loaded_program *p = m->program;
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : 0;
	struct heddle_error he = { 0 };
	struct array a = { 0 };
	uint64_t room, handle;
	struct arg_spec spec;

	if (!length || length >= sizeof(a.name))
		return fail(d, ERR_SYNTAX, "expected NAME=SPEC");
	memcpy(a.name, text, length);
	a.key = random_key(m->seed, hash_bytes(HASH_START, a.name, length));
	if (spec_parse(&spec, equals + 1, d))
		return d->code;
	if (spec.name[0])
		return fail(d, ERR_SYNTAX, "unexpected name '%s:' in the SPEC",
			    spec.name);
	if (spec.kind == SPEC_TEXTURE) {
		if (place_texture(m, &spec, &a, &handle, d))
			return d->code;
		return heddle_module_bind(p->dev, p->mod, a.name, handle, &he) ?
			       fail_api(d, &he) :
			       ERR_OK;
	}
	if (m->find ? !m->find(m->ctx, a.name, &a.at, &room) :
		      heddle_module_global(p->dev, p->mod, a.name, &a.at, &room,
					   &he))
		return m->find ? fail(d, ERR_UNKNOWN, "no variable named '%s'",
				      a.name) :
				 fail_api(d, &he);
	if (spec.kind == SPEC_NUMBER)
		return set_variable_number(m, &spec, &a, room, d);
	return set_variable_array(m, &spec, &a, room, d);
}

enum err memory_set(struct memory *m, const char *text, struct diag *d)
{
	struct diag why;

	if (set_variable(m, text, &why))
		return fail(d, why.code, "--set %.80s: %.380s", text, why.text);
	return ERR_OK;
}

const struct array *memory_find(const struct memory *m, const char *name,
				size_t length, struct diag *d)
{
	char list[300] = "";
	size_t used = 0;

	for (size_t i = 0; i < m->count; i++) {
		const char *own = m->arrays[i].name;

		if (strlen(own) == length && !memcmp(own, name, length))
			return &m->arrays[i];
		if (used + strlen(own) + 8 < sizeof(list))
			used += (size_t)snprintf(list + used,
						 sizeof(list) - used, "%s%s",
						 used ? ", " : "", own);
	}
	if (used)
		fail(d, ERR_UNKNOWN, "no array named '%.*s'; the arrays are %s",
		     length < 80 ? (int)length : 80, name, list);
	else
		fail(d, ERR_UNKNOWN,
		     "no array named '%.*s': the launch has no arrays",
		     length < 80 ? (int)length : 80, name);
	return NULL;
}
