/*
 * A program on a device: a .ptx file, or a .cu file compiled to PTX.
 */
#ifndef HEDDLE_CLI_PROGRAM_H
#define HEDDLE_CLI_PROGRAM_H

#include "door/cli/compile.h"
#include "heddle/heddle.h"

struct loaded_program {
	struct heddle_device *dev;
	struct heddle_module *mod;
	const char *record; /* the trace to write; NULL: none */
};

/* Whether it has to be compiled first. */
bool program_is_source(const char *path);
/* The PTX of it; *text is malloc'ed, and to be freed after a failure, too. */
MUST_USE enum err program_text(const char *path,
			       const struct compile_options *compile,
			       char **text, size_t *size, struct diag *d);

/* `options` may be NULL: the default device. Keeps p->record. */
MUST_USE enum err program_load(struct loaded_program *p, const char *path,
			       const struct compile_options *compile,
			       const struct heddle_device_options *options,
			       struct diag *d);
/* What was recorded is on the disk. */
MUST_USE enum err program_end_trace(struct loaded_program *p, struct diag *d);
void program_unload(struct loaded_program *p);

/*
 * The kernel of that name, mangled or not; the only one when name is NULL.
 * NULL with *d filled when there is none, or several.
 */
const struct heddle_kernel *program_kernel(const struct loaded_program *p,
					   const char *name, struct diag *d);

#endif
