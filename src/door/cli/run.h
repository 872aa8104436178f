/* What others need to know of `heddle run`. */
#ifndef HEDDLE_CLI_RUN_H
#define HEDDLE_CLI_RUN_H

#include <stddef.h>

#include "base/diag.h"

/*
 * The PTX of the program of a command line, what follows "heddle run". sm: the
 * compute capability, 90 for 9.0. *ptx is malloc'ed, NULL if the program is no
 * .cu file: then it need not be compiled. -1, or the exit code, with a
 * diagnosis; what is wrong with the command line is printed before.
 */
int run_compile(int argc, char **argv, unsigned sm, char **ptx, size_t *size,
		struct diag *d);

#endif
