/*
 * A program loaded on a device: a .ptx file, or a .cu file compiled to PTX.
 */
#ifndef HEDDLE_CLI_PROGRAM_H
#define HEDDLE_CLI_PROGRAM_H

#include "base/outfile.h"
#include "door/cli/compile.h"
#include "heddle/heddle.h"

struct loaded_program {
	struct heddle_device *dev;
	struct heddle_module *mod;
	const char *record;   /* file of the trace to record; NULL: none */
	struct outfile trace; /* the same, while it is being recorded */
	bool recording;
};

/* Whether it must be compiled first. */
bool program_is_source(const char *path);
/* Reads or compiles the PTX. *text is malloc'ed; free it in any case. */
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

#endif
