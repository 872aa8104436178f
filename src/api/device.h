/* What the files behind heddle.h share. */
#ifndef HEDDLE_API_DEVICE_H
#define HEDDLE_API_DEVICE_H

#include "base/diag.h"
#include "func/gmem.h"
#include "func/launch.h"
#include "func/program.h"
#include "func/tex.h"
#include "heddle/heddle.h"

struct heddle_device {
	struct gmem gmem;
	struct machine machine;
	struct tex_table textures;
	uint64_t launches;
};

struct heddle_module {
	struct program *program;
	struct heddle_kernel *kernels;
	size_t kernel_count;
	struct arena arena;
};

/* Makes the profile the launch's watcher; NULL is fine. */
MUST_USE enum err profile_attach(struct heddle_profile *p, struct launch *run,
				 struct diag *d);

/* Passes a diagnosis on to the caller. */
int api_result(enum err e, const struct diag *d, struct heddle_error *err);

#endif
