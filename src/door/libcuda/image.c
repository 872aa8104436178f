#include "door/libcuda/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An option's number is stored in the pointer itself. */
static unsigned option_number(const void *value)
{
	return (unsigned)(uintptr_t)value;
}

static void read_option(struct jit *j, int i, CUjit_option option)
{
	void *value = j->values[i];

	switch (option) {
	case CU_JIT_ERROR_LOG_BUFFER:
		j->error = value;
		break;
	case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
		j->error_size = i;
		j->error_room = option_number(value);
		break;
	case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
		j->info_size = i;
		break;
	case CU_JIT_WALL_TIME:
		j->wall_time = i;
		break;
	default:
		break;
	}
}

int jit_read(struct jit *out, unsigned count, const CUjit_option *options,
	     void **values)
{
	*out = (struct jit){ .values = values,
			     .error_size = -1,
			     .info_size = -1,
			     .wall_time = -1 };
	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < count; i++) {
		if ((int)options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS)
			return CUDA_ERROR_INVALID_VALUE;
		read_option(out, (int)i, options[i]);
	}
	/* Without its size option, a buffer has no room. */
	if (out->error_size < 0)
		out->error = NULL;
	return 0;
}

void jit_report(const struct jit *j, const char *text)
{
	size_t written = 0;

	if (j->error && j->error_room) {
		snprintf(j->error, j->error_room, "%s", text);
		/* The NUL counts if the text is not empty. */
		written = *text ? strlen(j->error) + 1 : 0;
	}
	if (j->error_size >= 0)
		j->values[j->error_size] = (void *)written;
	if (j->info_size >= 0)
		j->values[j->info_size] = NULL;
	/* A float in milliseconds: 0, as nothing was compiled. */
	if (j->wall_time >= 0)
		j->values[j->wall_time] = NULL;
}

/* Reads the rest of a file, of any length. */
static int read_rest(void **image, size_t *size, FILE *from)
{
	size_t room = 1 << 16, used = 0, n;
	char *p = malloc(room);

	while (p && (n = fread(p + used, 1, room - used - 1, from))) {
		char *more = p;

		used += n;
		if (used + 1 == room)
			more = realloc(p, room *= 2);
		if (!more)
			free(p);
		p = more;
	}
	if (!p)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (ferror(from)) {
		free(p);
		return CUDA_ERROR_OPERATING_SYSTEM;
	}
	p[used] = '\0';
	*image = p;
	*size = used;
	return 0;
}

int image_read(void **image, size_t *size, const char *path)
{
	FILE *from;
	int e;

	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	from = fopen(path, "rb");
	if (!from)
		return errno == ENOMEM ? CUDA_ERROR_OUT_OF_MEMORY :
					 CUDA_ERROR_FILE_NOT_FOUND;
	e = read_rest(image, size, from);
	fclose(from);
	if (!e) {
		e = rt_image_check(*image, *size);
		if (e)
			free(*image);
	}
	return e;
}

/* PTX has a .version directive; the other formats begin with a magic number. */
static bool is_image(const void *image)
{
	static const unsigned magics[] = { 0x464c457f, /* ELF */
					   0xba55ed50, /* a fat binary */
					   0x466243b1 /* its wrapper */ };
	unsigned first = 0;

	memcpy(&first, image, strnlen(image, sizeof(first)));
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (first == magics[i])
			return true;
	return strstr(image, ".version") != NULL;
}

int image_load(struct rt_module **out, const void *image, const struct jit *j)
{
	struct rt_module *m;
	int e = is_image(image) ? rt_module_new(&m, image, true) :
				  CUDA_ERROR_INVALID_IMAGE;

	if (e) {
		jit_report(j, rt_error_text(e) ? rt_error_text(e) : "");
		return e;
	}
	e = rt_module_load(m);
	jit_report(j, e ? rt_module_log(m) : "");
	if (e)
		rt_module_free(m);
	else
		*out = m;
	return e;
}
