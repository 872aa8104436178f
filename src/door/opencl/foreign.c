#include "door/opencl/foreign.h"

#include <stdlib.h>
#include <string.h>

static enum err foreign_describe(struct meta *m, struct rt_module *module,
				 struct diag *d)
{
	const struct heddle_kernel *k;

	for (size_t i = 0; (k = rt_module_kernel(module, i)); i++)
		if (meta_of_kernel(m, k, d))
			return d->code;
	return m->count ? ERR_OK : fail(d, ERR_SYNTAX, "it has no kernel");
}

static enum err foreign_copy(struct binary *b, const void *bytes, size_t size,
			     struct diag *d)
{
	b->parts = calloc(1, sizeof(*b->parts));
	if (b->parts)
		b->parts->at = malloc(size + 1);
	if (!b->parts || !b->parts->at)
		return fail(d, ERR_NOMEM, "out of memory");
	memcpy(b->parts->at, bytes, size);
	b->parts->at[size] = '\0';
	b->parts->size = size;
	b->part_count = 1;
	return ERR_OK;
}

/* The capability is the device's: whether the code runs there is known when it
 * is loaded, which this does. */
enum err foreign_read(struct binary *b, cl_device_id d, const void *bytes,
		      size_t size, struct diag *why)
{
	struct rt_module *m;
	enum err e;

	*b = (struct binary){ .kind = CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
			      .target.isa = d->isa };
	if (d->isa == DEVICE_PTX)
		b->target.sm = (unsigned)d->cfg->gpu.capability;
	e = foreign_copy(b, bytes, size, why);
	rt_device_set(d->number);
	if (e || rt_module_new_plain(&m, b->parts->at, size, "binary"))
		return e ? e : fail(why, ERR_NOMEM, "out of memory");
	if (rt_module_load(m))
		e = fail(why, ERR_SYNTAX, "%.200s", rt_module_log(m));
	else
		e = foreign_describe(&b->meta, m, why);
	rt_module_free(m);
	return e;
}
