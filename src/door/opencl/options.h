/*
 * The options of clBuildProgram, clCompileProgram and clLinkProgram.
 *
 * Takes: -D, -I, -w, -Werror, -g, and those that begin with -cl- in OpenCL 1.2;
 * -cl-nv-... of another vendor's, without effect. Quotes and backslashes are as in
 * a shell.
 */
#ifndef HEDDLE_OPENCL_OPTIONS_H
#define HEDDLE_OPENCL_OPTIONS_H

#include "door/opencl/text.h"

struct options {
	struct word_list clang; /* what clang gets */
	bool library;           /* -create-library */
	bool unoptimized;       /* -cl-opt-disable */
};

/* link: options of clLinkProgram. ERR_UNKNOWN names the option. Call options_free
 * in any case. */
MUST_USE enum err options_read(struct options *o, const char *text, bool link,
			       struct diag *d);
void options_free(struct options *o);

#endif
