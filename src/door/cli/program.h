/*
 * A program loaded on a device: a .ptx file, a .cu file compiled to PTX, or a file
 * of machine code: a cubin, or a fat binary, which may hold both.
 */
#ifndef HEDDLE_CLI_PROGRAM_H
#define HEDDLE_CLI_PROGRAM_H

#include "base/outfile.h"
#include "door/cli/compile.h"
#include "heddle/heddle.h"

struct loaded_program {
	struct heddle_device *dev;
	struct heddle_module *mod;
	/* The PTX that machine code was made of: it knows the types of
	 * parameters. NULL: there is none. */
	struct heddle_device *types_dev;
	struct heddle_module *types;
	const char *record;   /* file of the trace to record; NULL: none */
	struct outfile trace; /* the same, while it is being recorded */
	bool recording;
};

/* *text is malloc'ed; free it in any case. */
MUST_USE enum err program_read_file(const char *path, char **text, size_t *size,
				    struct diag *d);
/* Whether it must be compiled first. */
bool program_is_source(const char *path);
/* Reads the PTX or compiles a source to PTX. *text is malloc'ed; free it in any
 * case. */
MUST_USE enum err program_text(const char *path,
			       const struct compile_options *compile,
			       char **text, size_t *size, struct diag *d);

/* Loads a program; p->record must be set. options: NULL for the default
 * device. */
MUST_USE enum err program_load(struct loaded_program *p, const char *path,
			       const struct compile_options *compile,
			       const struct heddle_device_options *options,
			       struct diag *d);
/* Completes the trace. keep: false, to drop it. */
MUST_USE enum err program_end_trace(struct loaded_program *p, bool keep,
				    struct diag *d);
void program_unload(struct loaded_program *p);

/*
 * Finds a kernel by its name, mangled or not; NULL: the only kernel. Returns
 * NULL and fills in *d if there is none, or several.
 */
const struct heddle_kernel *program_kernel(const struct loaded_program *p,
					   const char *name, struct diag *d);

/* The same kernel as the PTX describes it, if machine code was made of PTX; else
 * the kernel. */
const struct heddle_kernel *program_typed_kernel(const struct loaded_program *p,
						 const struct heddle_kernel *k);

#endif
