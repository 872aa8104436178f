/*
 * What the compiler says of a program's kernels: names, arguments, attributes. It
 * is read from the text of LLVM's intermediate code, and kept in a program's binary
 * as lines of fields between tabs:
 *
 *	kernel NAME  REQUIRED-X Y Z  HINT-X Y Z  VECTOR-HINT
 *	arg    SPACE  ACCESS  QUALIFIERS  TYPE  NAME
 */
#ifndef HEDDLE_OPENCL_META_H
#define HEDDLE_OPENCL_META_H

#include <stdint.h>

#include "door/opencl/text.h"
#include "heddle/heddle.h"

enum meta_space {
	META_PRIVATE,
	META_GLOBAL,
	META_CONSTANT,
	META_LOCAL,
	META_UNKNOWN /* a value, or an address: of code that does not say it */
};

struct meta_arg {
	enum meta_space space;
	char *access; /* "none", "read_only", ... */
	char *qualifiers;
	char *type;
	char *name;
};

struct meta_kernel {
	char *name;
	uint32_t required[3], hint[3]; /* 0: not stated */
	char *vector;                  /* "float4"; "": not stated */
	struct meta_arg *args;
	size_t arg_count;
};

struct meta {
	struct meta_kernel *kernels;
	size_t count;
};

/* ERR_SYNTAX: it is not such a text. Call meta_free in any case. */
MUST_USE enum err meta_read_ir(struct meta *m, const char *ir, struct diag *d);
MUST_USE enum err meta_read(struct meta *m, const char *text, size_t size,
			    struct diag *d);
/* Adds a kernel whose code is all that is known of it. ERR_NOMEM. */
MUST_USE enum err meta_of_kernel(struct meta *m, const struct heddle_kernel *k,
				 struct diag *d);
void meta_write(const struct meta *m, struct text *to);
void meta_free(struct meta *m);
const struct meta_kernel *meta_find(const struct meta *m, const char *name);

#endif
