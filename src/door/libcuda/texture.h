/* Textures as the driver API describes them, for objects and references. */
#ifndef HEDDLE_LIBCUDA_TEXTURE_H
#define HEDDLE_LIBCUDA_TEXTURE_H

#include "door/libcuda/api.h"

int texture_new(uint64_t *out, const struct rt_resource *r,
		const CUDA_TEXTURE_DESC *d, const struct rt_view *v);
/* The module ends: its references do, too. */
void references_drop(const struct rt_module *m);
/* A device was reset: the objects behind references are gone. */
void references_reset(void);

#endif
