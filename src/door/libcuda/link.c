#include <stdlib.h>
#include <string.h>

#include "door/libcuda/image.h"

/*
 * The linker. Its inputs are PTX, and so is its result, the image that modules
 * are loaded from.
 */
struct CUlinkState_st {
	struct CUlinkState_st *next;
	struct jit jit;
	char *text; /* all inputs so far; malloc'ed, ends in NUL */
	size_t size;
};

static struct CUlinkState_st *states;

static struct CUlinkState_st **link_find(CUlinkState s)
{
	struct CUlinkState_st **at = &states;

	while (*at && *at != s)
		at = &(*at)->next;
	return *at ? at : NULL;
}

static int link_create(unsigned count, const CUjit_option *options,
		       void **values, CUlinkState *out)
{
	struct CUlinkState_st *s;
	struct jit j;
	int e = out ? jit_read(&j, count, options, values) :
		      CUDA_ERROR_INVALID_VALUE;

	if (e)
		return e;
	s = calloc(1, sizeof(*s));
	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s->jit = j;
	s->next = states;
	states = *out = s;
	return 0;
}

/* Checks the text by loading a module from it. */
static int link_check(const struct CUlinkState_st *s, const char *text)
{
	struct rt_module *m;
	int e = image_load(&m, text, &s->jit);

	return e ? e : rt_module_free(m);
}

/* Adds PTX, with or without its NUL. A text with .extern symbols can only be
 * checked once all inputs are there. */
static int link_add_text(struct CUlinkState_st *s, const char *data,
			 size_t size)
{
	char *copy = strndup(data, size);
	int e = 0;

	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!strstr(copy, ".extern"))
		e = link_check(s, copy);
	if (!e)
		e = rt_image_join(&s->text, &s->size, copy);
	free(copy);
	return e;
}

static int link_refuse(const struct CUlinkState_st *s, const char *why)
{
	jit_report(&s->jit, why);
	return rt_unsupported(why);
}

static int link_add_data(CUlinkState state, CUjitInputType type,
			 const void *data, size_t size)
{
	if (!link_find(state))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!data || !size || (int)type < 0 || type >= CU_JIT_NUM_INPUT_TYPES)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_JIT_INPUT_PTX)
		return link_refuse(state, "linking of anything but PTX");
	return link_add_text(state, data, size);
}

static int link_add_file(CUlinkState state, CUjitInputType type,
			 const char *path)
{
	void *image;
	size_t size;
	int e;

	if (!link_find(state))
		return CUDA_ERROR_INVALID_HANDLE;
	if (type != CU_JIT_INPUT_PTX)
		return link_refuse(state, "linking of anything but PTX");
	e = image_read(&image, &size, path);
	if (e)
		return e;
	e = link_add_data(state, type, image, size);
	free(image);
	return e;
}

/* The result of linking no inputs. */
static const char empty_module[] =
	".version 6.0\n.target sm_30\n.address_size 64\n";

static int link_complete(CUlinkState state, void **out, size_t *size)
{
	int e;

	if (!link_find(state))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	e = state->text ?
		    link_check(state, state->text) :
		    rt_image_join(&state->text, &state->size, empty_module);
	if (e)
		return e;
	*out = state->text;
	if (size)
		*size = state->size + 1;
	return 0;
}

static int link_destroy(CUlinkState state)
{
	struct CUlinkState_st **at = link_find(state);

	if (!at)
		return CUDA_ERROR_INVALID_HANDLE;
	*at = state->next;
	free(state->text);
	free(state);
	return 0;
}

API(cuLinkCreate_v2,
    (unsigned count, CUjit_option *options, void **values, CUlinkState *out),
    link_create(count, options, values, out))
SAME(cuLinkCreate_v1, "cuLinkCreate", cuLinkCreate_v2)
/* Options of an input are accepted without effect. */
API(cuLinkAddData_v2,
    (CUlinkState state, CUjitInputType type, void *data, size_t size,
     const char *name, unsigned count, CUjit_option *options, void **values),
    ((void)name, (void)count, (void)options, (void)values,
     link_add_data(state, type, data, size)))
SAME(cuLinkAddData_v1, "cuLinkAddData", cuLinkAddData_v2)
API(cuLinkAddFile_v2,
    (CUlinkState state, CUjitInputType type, const char *path, unsigned count,
     CUjit_option *options, void **values),
    ((void)count, (void)options, (void)values,
     link_add_file(state, type, path)))
SAME(cuLinkAddFile_v1, "cuLinkAddFile", cuLinkAddFile_v2)
API(cuLinkComplete, (CUlinkState state, void **out, size_t *size),
    link_complete(state, out, size))
API(cuLinkDestroy, (CUlinkState state), link_destroy(state))
