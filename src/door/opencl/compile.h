/*
 * Compiles OpenCL C with clang and libclc of the distribution:
 *
 *	source, headers --compile--> object (LLVM's bitcode)
 *	objects + device/ + libclc --link--> code (PTX, or ELF of a GCN)
 *
 * device/ holds what libclc does not have: images, printf, fast functions. It is
 * compiled once and kept in $XDG_CACHE_HOME/heddle/opencl.
 *
 * clang: $HEDDLE_CLANG, else the first of clang, clang-19, ... in PATH. libclc: the
 * folder $HEDDLE_LIBCLC, else that of the distribution.
 *
 * Nothing here needs a lock, and several threads may compile at a time.
 */
#ifndef HEDDLE_OPENCL_COMPILE_H
#define HEDDLE_OPENCL_COMPILE_H

#include "door/opencl/meta.h"
#include "door/opencl/options.h"
#include "door/opencl/state.h"

struct blob {
	char *at; /* malloc'ed, with a NUL behind it */
	size_t size;
};

struct program_header {
	const char *name, *text;
};

/* What code is made for. */
struct compile_target {
	enum device_isa isa;
	unsigned sm;     /* of PTX: 80 */
	bool incoherent; /* orders must write back, and drop what was read */
};

struct compile_job {
	struct compile_target target;
	const char *source, *name;
	const struct program_header *headers;
	size_t header_count;
	const struct options *options;
	const struct blob *objects; /* of a link */
	size_t object_count;
	/* Results. */
	struct blob out;
	struct meta meta; /* of a link */
	struct text log;
};

/* Both return ERR_SYNTAX for a fault in the source, which the log explains; other
 * errors are in the log as well. Results are the caller's in any case. */
MUST_USE enum err compile_source(struct compile_job *j, struct diag *d);
MUST_USE enum err compile_link(struct compile_job *j, struct diag *d);

#endif
