/* Arguments and answers that no kind of call.def describes. */
#include <stdlib.h>
#include <string.h>

#include "door/guest/state.h"
#include "door/opencl/kernel.h"

static uint64_t word_at(const void *list, uint64_t i)
{
	uint64_t v;

	memcpy(&v, (const char *)list + 8 * i, sizeof(v));
	return v;
}

static uint64_t here(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

enum { PROPERTIES_MOST = 64 };

/* Pairs of a name and a value; the platform's is a handle. */
bool gcl_read_pairs(struct gcl_call *c, unsigned i)
{
	uint64_t *copy = calloc(PROPERTIES_MOST + 2, sizeof(*copy));

	c->room[i] = copy;
	c->host[i] = here(copy);
	for (unsigned n = 0; copy && n < PROPERTIES_MOST; n += 2) {
		const void *name = x86_mem_get(c->mem, c->word[i] + 8 * n, 8);
		const void *value =
			x86_mem_get(c->mem, c->word[i] + 8 * n + 8, 8);

		if (!name)
			return false;
		copy[n] = word_at(name, 0);
		if (!copy[n])
			return true;
		if (!value)
			return false;
		copy[n + 1] = word_at(value, 0);
		if (copy[n] == CL_CONTEXT_PLATFORM)
			copy[n + 1] = here(gcl_object(copy[n + 1]));
	}
	return false;
}

bool gcl_read_image(struct gcl_call *c, unsigned i)
{
	const void *from =
		x86_mem_get(c->mem, c->word[i], sizeof(cl_image_desc));
	cl_image_desc *d = malloc(sizeof(*d));

	c->room[i] = d;
	c->host[i] = here(d);
	if (!from || !d)
		return false;
	memcpy(d, from, sizeof(*d));
	d->buffer = gcl_object(here(d->buffer));
	return true;
}

enum { STRING_MOST = 16 << 20, STRINGS_MOST = 1 << 20 };

/* A string with its end, or one of `length` bytes; NULL: it may not be read. */
static const char *string_at(const struct gcl_call *c, uint64_t at,
			     uint64_t length)
{
	return length ? x86_mem_get(c->mem, at, length) :
			x86_mem_string(c->mem, at, STRING_MOST);
}

/* A NULL among the strings stays. */
bool gcl_read_strings(struct gcl_call *c, unsigned i)
{
	const struct gcl_arg *a = &c->row->arg[i];
	uint64_t count = (uint32_t)c->word[a->other];
	bool sized = a->bytes && c->word[a->bytes];
	const void *list = count <= STRINGS_MOST ?
				   x86_mem_get(c->mem, c->word[i], 8 * count) :
				   NULL;
	const void *sizes =
		sized ? x86_mem_get(c->mem, c->word[a->bytes], 8 * count) :
			NULL;
	const char **copy = list ? calloc(count + 1, sizeof(*copy)) : NULL;

	c->room[i] = copy;
	c->host[i] = here(copy);
	if (!copy || (sized && !sizes))
		return false;
	for (uint64_t k = 0; k < count; k++) {
		uint64_t at = word_at(list, k);

		if (!at)
			continue;
		copy[k] = string_at(c, at, sizes ? word_at(sizes, k) : 0);
		if (!copy[k])
			return false;
	}
	return true;
}

/* Memory objects and samplers are handles; all else is what it is. */
bool gcl_read_value(struct gcl_call *c, unsigned i)
{
	cl_kernel k = (cl_kernel)(uintptr_t)c->host[0];
	const void *from = x86_mem_get(c->mem, c->word[i], c->word[2]);
	cl_uint index = (cl_uint)c->word[1];
	enum arg_kind kind = ARG_VALUE;
	uint64_t *copy;

	if (!from)
		return false;
	c->host[i] = here(from);
	if (object_is(k, OBJECT_KERNEL) && index < k->meta->arg_count)
		kind = k->args[index].kind;
	if (kind == ARG_VALUE || kind == ARG_LOCAL || c->word[2] != 8 ||
	    (kind == ARG_EITHER &&
	     !object_is(gcl_object(word_at(from, 0)), OBJECT_MEM)))
		return true;
	copy = malloc(sizeof(*copy));
	c->room[i] = copy;
	c->host[i] = here(copy);
	if (copy)
		*copy = here(gcl_object(word_at(from, 0)));
	return copy != NULL;
}

/* How many bytes door/opencl will write to each of the places. */
static bool binary_sizes(const struct gcl_call *c, size_t *sizes,
			 uint64_t count)
{
	return !clGetProgramInfo((cl_program)(uintptr_t)c->host[0],
				 CL_PROGRAM_BINARY_SIZES,
				 count * sizeof(*sizes), sizes, NULL);
}

bool gcl_read_places(struct gcl_call *c, unsigned i)
{
	uint64_t count = c->word[2] / 8;
	const void *list = count <= CL_DEVICES ?
				   x86_mem_get(c->mem, c->word[i], 8 * count) :
				   NULL;
	size_t sizes[CL_DEVICES] = { 0 };
	void **copy = list ? calloc(count + 1, sizeof(*copy)) : NULL;

	c->room[i] = copy;
	c->host[i] = here(copy);
	if (!copy)
		return false;
	/* A wrong program is for clGetProgramInfo to refuse. */
	if (!binary_sizes(c, sizes, count))
		return true;
	for (uint64_t k = 0; k < count; k++) {
		uint64_t at = word_at(list, k);

		if (!at || !sizes[k])
			continue;
		copy[k] =
			x86_mem_put(x86_process_mem(gcl.process), at, sizes[k]);
		if (!copy[k])
			return false;
	}
	return true;
}

/* What the words of an answer are. */
enum answer { ANSWER_PLAIN, ANSWER_HANDLES, ANSWER_ADDRESS, ANSWER_PAIRS };

static enum answer answer_of(cl_uint name)
{
	switch (name) {
	case CL_DEVICE_PLATFORM:
	case CL_CONTEXT_DEVICES:
	case CL_QUEUE_CONTEXT:
	case CL_QUEUE_DEVICE:
	case CL_MEM_CONTEXT:
	case CL_MEM_ASSOCIATED_MEMOBJECT:
	case CL_IMAGE_BUFFER:
	case CL_SAMPLER_CONTEXT:
	case CL_PROGRAM_CONTEXT:
	case CL_PROGRAM_DEVICES:
	case CL_KERNEL_CONTEXT:
	case CL_KERNEL_PROGRAM:
	case CL_EVENT_COMMAND_QUEUE:
	case CL_EVENT_CONTEXT:
		return ANSWER_HANDLES;
	case CL_MEM_HOST_PTR:
		return ANSWER_ADDRESS;
	case CL_CONTEXT_PROPERTIES:
		return ANSWER_PAIRS;
	default:
		return ANSWER_PLAIN;
	}
}

void gcl_translate_answer(cl_uint name, void *value, size_t size)
{
	enum answer kind = answer_of(name);
	uint64_t before = 0;

	for (size_t i = 0; kind != ANSWER_PLAIN && i < size / 8; i++) {
		uint64_t v = word_at(value, i), old = v;

		if (kind == ANSWER_ADDRESS)
			v = gcl_address((void *)(uintptr_t)v);
		else if (kind == ANSWER_HANDLES ||
			 (i % 2 && before == CL_CONTEXT_PLATFORM))
			v = gcl_handle((void *)(uintptr_t)v);
		memcpy((char *)value + 8 * i, &v, sizeof(v));
		before = old;
	}
}
