/* What `heddle sweep` and `heddle fastlanes run` use of `heddle run`. */
#ifndef HEDDLE_CLI_RUN_H
#define HEDDLE_CLI_RUN_H

#include <stddef.h>

#include "base/diag.h"
#include "door/cli/opt.h"

opt_set opt_dim; /* struct heddle_dim3 */

/*
 * Compiles the program of a command line, the words after "heddle run". sm: the
 * compute capability, 90 for 9.0. *ptx is malloc'ed; NULL: the program is not a
 * .cu file. Returns -1, or an exit code with a diagnosis; mistakes in the
 * command line have been printed then.
 */
int run_compile(int argc, char **argv, unsigned sm, char **ptx, size_t *size,
		struct diag *d);

#endif
