/*
 * How clang is called: which one, with which of our files, for which side of a
 * CUDA source. No CUDA toolkit is needed: the headers are ours (src/door/cuda,
 * installed as share/heddle/cuda), and so is the library that programs are
 * linked with (lib/cuda, installed as lib/heddle/cuda).
 */
#ifndef HEDDLE_CLI_CLANG_H
#define HEDDLE_CLI_CLANG_H

#include <stdio.h>

#include "base/arena.h"
#include "door/cli/opt.h"

#define CLANG_PATH_SIZE 4096
/* The versions that the PTX of clang_add_device has. */
#define CLANG_PTX_MAJOR 7
#define CLANG_PTX_MINOR 2

struct clang {
	char program[CLANG_PATH_SIZE];
	char headers[CLANG_PATH_SIZE]; /* the folder of heddle_cuda.h */
};

/* chosen: from --clang; NULL: $HEDDLE_CLANG, else the first in PATH. */
MUST_USE enum err clang_find(struct clang *c, const char *chosen,
			     struct diag *d);
/* The folder of libcudart.so.13: $HEDDLE_CUDA_LIB, else near the program. */
MUST_USE enum err clang_find_library(char out[CLANG_PATH_SIZE], struct diag *d);

/* The architecture to compile for, 80 for sm_80, when `sm` is wanted: at most
 * what every clang from 14 on knows; 0: the newest of these. */
unsigned clang_arch(unsigned sm);

/* Command lines begin with the program; their strings live in `a`. */
struct command_line {
	struct arena arena;
	struct words argv;
};
void command_line_free(struct command_line *l);

MUST_USE enum err line_add(struct command_line *l, const char *word,
			   struct diag *d);
MUST_USE enum err line_add_all(struct command_line *l, const char *const *words,
			       size_t count, struct diag *d);
/* Parts of the strings, cut at any of the characters in `at`. */
MUST_USE enum err line_add_split(struct command_line *l, const struct words *w,
				 const char *at, struct diag *d);
MUST_USE enum err line_printf(struct command_line *l, struct diag *d,
			      const char *fmt, ...) PRINTF_LIKE(3, 4);

/* `clang` and the flags of one side; what the caller adds comes after. */
MUST_USE enum err clang_begin_device(struct command_line *l,
				     const struct clang *c, unsigned arch,
				     struct diag *d);
/* fatbin: the file that the host's object shall hold; NULL: none. */
MUST_USE enum err clang_begin_host(struct command_line *l,
				   const struct clang *c, const char *fatbin,
				   struct diag *d);

/*
 * Runs the command; its messages go to stderr as they are. text: where its
 * standard output is put, malloc'ed; NULL: it is ours. what: the name of the
 * thing that fails if it does.
 */
MUST_USE enum err line_run(struct command_line *l, const char *what,
			   char **text, size_t *size, struct diag *d);
/* The command as a shell would take it. */
void line_print(const struct command_line *l, FILE *to);

#endif
