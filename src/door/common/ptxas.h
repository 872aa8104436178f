/*
 * Compiles PTX to machine code with ptxas, the vendor's assembler, where that is
 * installed: $HEDDLE_PTXAS, else the first in PATH, else $CUDA_HOME/bin/ptxas.
 *
 * Results are kept in $XDG_CACHE_HOME/heddle/ptxas (~/.cache/heddle/ptxas), each
 * under a hash of the PTX, the version of ptxas and its options. A file appears
 * there when it is complete, so that several processes may share the folder, and
 * one that is damaged is made again. Without such a folder nothing is kept.
 *
 * May be called in any process, also one with threads; not by two threads at a
 * time.
 */
#ifndef HEDDLE_COMMON_PTXAS_H
#define HEDDLE_COMMON_PTXAS_H

#include <stddef.h>

#include "base/diag.h"

/* PTX to compile. */
struct ptxas_source {
	const char *name; /* in messages */
	const char *text;
	size_t size;
	unsigned sm;  /* compute capability of the GPU, 90 for 9.0 */
	char variant; /* 'a' or 'f' of the PTX's .target; 0: none */
};

/* *cubin is malloc'ed. ERR_UNKNOWN: there is no ptxas, and the message says what
 * to do; ERR_SYNTAX: it refuses the PTX, and the message has its first line. */
MUST_USE enum err ptxas_compile(const struct ptxas_source *s, void **cubin,
				size_t *size, struct diag *d);

#endif
