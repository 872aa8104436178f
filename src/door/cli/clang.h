/*
 * Finds and calls clang for the host or device side of a CUDA source. No CUDA
 * toolkit is needed: the headers are ours (src/door/cuda, installed as
 * share/heddle/cuda), and so is the library that programs are linked with
 * (lib/cuda, installed as lib/heddle/cuda).
 */
#ifndef HEDDLE_CLI_CLANG_H
#define HEDDLE_CLI_CLANG_H

#include <stdio.h>

#include "base/arena.h"
#include "door/cli/opt.h"

#define CLANG_PATH_SIZE 4096
/* The PTX version of clang_begin_device. */
#define CLANG_PTX_MAJOR 7
#define CLANG_PTX_MINOR 2

struct clang {
	char program[CLANG_PATH_SIZE];
	char headers[CLANG_PATH_SIZE]; /* the folder of heddle_cuda.h */
};

/* Finds a program in PATH, unless its name has a slash. */
bool find_program(char out[CLANG_PATH_SIZE], const char *program);
/* Finds our folder that holds the file `name`: given by the variable of the
 * environment, or relative to the executable, installed or in a build tree: one of
 * `below` under a folder that holds it. */
MUST_USE enum err find_own_folder(char out[CLANG_PATH_SIZE],
				  const char *variable, const char *name,
				  const char *const *below, size_t count,
				  struct diag *d);

/* chosen: the value of --clang; NULL: $HEDDLE_CLANG, else the first in PATH. */
MUST_USE enum err clang_find(struct clang *c, const char *chosen,
			     struct diag *d);
/* Finds the folder of libcudart.so.13: $HEDDLE_CUDA_LIB, else near the
 * program. */
MUST_USE enum err clang_find_library(char out[CLANG_PATH_SIZE], struct diag *d);

/* The architecture to compile for, 80 for sm_80: the highest that is at most
 * `sm` and that every clang from 14 on knows. sm 0: the highest of all. */
unsigned clang_arch(unsigned sm);

/* A command line: the program first. The arena holds strings made for it. */
struct command_line {
	struct arena arena;
	struct words argv;
};
void command_line_free(struct command_line *l);

MUST_USE enum err line_add(struct command_line *l, const char *word,
			   struct diag *d);
MUST_USE enum err line_add_all(struct command_line *l, const char *const *words,
			       size_t count, struct diag *d);
/* Splits the strings at any of the characters in `at` and adds the parts. */
MUST_USE enum err line_add_split(struct command_line *l, const struct words *w,
				 const char *at, struct diag *d);
MUST_USE enum err line_printf(struct command_line *l, struct diag *d,
			      const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Starts a command line: clang and the flags of one side. */
MUST_USE enum err clang_begin_device(struct command_line *l,
				     const struct clang *c, unsigned arch,
				     struct diag *d);
/* Asks for .loc lines, which ptx_add_callers (door/cli/inlined.h) completes;
 * all: for all debugging information. */
MUST_USE enum err clang_add_lines(struct command_line *l, bool all,
				  struct diag *d);
/* fatbin: the file to embed in the object; NULL: none. */
MUST_USE enum err clang_begin_host(struct command_line *l,
				   const struct clang *c, const char *fatbin,
				   struct diag *d);

/*
 * Runs the command; its messages go to stderr. text: receives its standard
 * output, malloc'ed, with a 0 behind it; NULL: it inherits ours. what: the error if the command
 * fails.
 */
MUST_USE enum err line_run(struct command_line *l, const char *what,
			   char **text, size_t *size, struct diag *d);
/* Prints the command, quoted for a shell. */
void line_print(const struct command_line *l, FILE *to);

#endif
