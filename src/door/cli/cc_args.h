/*
 * The command line of `heddle cc`, which follows nvcc's: long names with one
 * dash or two, values after `=` or in the next word, single letters with the
 * value attached. Options of nvcc without an effect here are accepted, so that
 * Makefiles written for it work; options that Heddle cannot honour are refused
 * by name; unknown options are errors.
 */
#ifndef HEDDLE_CLI_CC_ARGS_H
#define HEDDLE_CLI_CC_ARGS_H

#include "door/cli/opt.h"

enum cc_kind {
	CC_CUDA,
	CC_CXX,
	CC_C,
	CC_LINK,  /* an object, a library, or an option of the linker */
	CC_DRIVER /* -lcuda: our libcuda */
};

static inline bool cc_is_source(enum cc_kind k)
{
	return k == CC_CUDA || k == CC_CXX || k == CC_C;
}

struct cc_input {
	enum cc_kind kind;
	const char *text;
};

struct cc_inputs {
	struct cc_input *at;
	size_t count, room;
	size_t sources; /* how many are to be compiled */
};

enum cc_stage {
	CC_STAGE_LINK,
	CC_STAGE_OBJECT,     /* -c */
	CC_STAGE_PTX,        /* -ptx */
	CC_STAGE_FATBIN,     /* -fatbin */
	CC_STAGE_PREPROCESS, /* -E, -M, -MM */
};

struct cc_args {
	bool compile, ptx, fatbin, preprocess, depend, depend_user;
	bool debug, device_debug, shared, keep, dryrun, verbose, fast_math;
	const char *output, *folder; /* -o, -odir; NULL: not given */
	const char *clang, *level, *standard, *fmad;
	const char *language; /* -x, for the files that follow */
	struct words all;     /* for every compilation: -I, -D, -U, ... */
	struct words host;    /* for host code: warnings, -f..., -M... */
	struct words archs;   /* values of -arch, -code, -gencode */
	struct words xcompiler, xlinker; /* words separated by commas */
	struct words xdevice;            /* -Xdevice */
	struct words cubins;             /* machine code to add */
	struct cc_inputs inputs;         /* in their order */
};

extern const struct opt cc_opts[];

/* Returns -1, or an exit code: see command_parse. */
int cc_args_read(struct cc_args *a, const struct command *c, int argc,
		 char **argv);
void cc_args_free(struct cc_args *a);
enum cc_stage cc_stage(const struct cc_args *a);

/*
 * The requested architectures that clang can compile for, 80 for sm_80, highest
 * first, without duplicates. *count is at most CC_ARCHS.
 */
#define CC_ARCHS 8
MUST_USE enum err cc_archs(const struct cc_args *a, unsigned arch[CC_ARCHS],
			   size_t *count, struct diag *d);

#endif
