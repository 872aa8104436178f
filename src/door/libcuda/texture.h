/* Textures as described by the driver API, for objects and references. */
#ifndef HEDDLE_LIBCUDA_TEXTURE_H
#define HEDDLE_LIBCUDA_TEXTURE_H

#include "door/libcuda/api.h"

int texture_new(uint64_t *out, const struct rt_resource *r,
		const CUDA_TEXTURE_DESC *d, const struct rt_view *v);
/* Frees the references of a module that is being unloaded. */
void references_free(const struct rt_module *m);
/* Forgets the objects of references after a device was reset. */
void references_reset(void);

#endif
