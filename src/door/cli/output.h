/*
 * Prints, hashes, stores and compares arrays after a launch. outputs_add finds
 * mistakes before the launch.
 */
#ifndef HEDDLE_CLI_OUTPUT_H
#define HEDDLE_CLI_OUTPUT_H

#include "base/jsonwrite.h"
#include "door/cli/memory.h"
#include "door/cli/opt.h"

enum output_kind { OUTPUT_PRINT, OUTPUT_HASH, OUTPUT_FILE, OUTPUT_EXPECT };

#define DIFFERENCES 8 /* printed of each comparison */

struct difference {
	uint64_t index;
	struct number want, got;
};

struct output {
	enum output_kind kind;
	const struct array *array;
	const char *path; /* of a file, or the value of --expect */

	uint64_t limit; /* of --print */
	uint64_t hash;

	struct source want;
	uint64_t different;
	double max_error;
	struct difference first[DIFFERENCES];
};

struct outputs {
	const struct memory *memory;
	struct tolerance tolerance;
	struct output *at;
	size_t count, room;
};

/* The options that ask for them, for the table of a command whose struct `type` holds a
 * struct output_options as `member`. */
struct output_options {
	struct words prints, outs, expects, hashes;
	struct tolerance tolerance;
};
#define OUTPUT_OPTS(type, member)                                              \
	{ "print",        0,                                                   \
	  "NAME[:COUNT]", "print the first values of an array (64)",           \
	  opt_words,      offsetof(type, member.prints) },                     \
		{ "out",                                                       \
		  0,                                                           \
		  "NAME=FILE",                                                 \
		  "write an array to a file: .npy, else raw bytes; - is "      \
		  "standard output",                                           \
		  opt_words,                                                   \
		  offsetof(type, member.outs) },                               \
		{ "expect",                                                    \
		  0,                                                           \
		  "NAME=WHAT",                                                 \
		  "compare an array with a file, a SPEC or an INIT; exit "     \
		  "code 4 if they differ",                                     \
		  opt_words,                                                   \
		  offsetof(type, member.expects) },                            \
		{ "tolerance",                                                 \
		  0,                                                           \
		  "ABS[,REL]",                                                 \
		  "what --expect allows: |got - want| <= ABS + REL * |want| "  \
		  "(0)",                                                       \
		  opt_tolerance,                                               \
		  offsetof(type, member.tolerance) },                          \
	{                                                                      \
		"hash", 0, "NAME", "print a 64-bit hash of an array (FNV-1a)", \
			opt_words, offsetof(type, member.hashes)               \
	}
opt_set opt_tolerance; /* struct tolerance */
/* Adds all that was asked for. */
MUST_USE enum err outputs_add_all(struct outputs *o,
				  const struct output_options *asked,
				  struct diag *d);
void output_options_free(struct output_options *o);

/* texts: values of the option: NAME[:COUNT], NAME, NAME=FILE or NAME=SPEC. */
MUST_USE enum err outputs_add(struct outputs *o, enum output_kind kind,
			      const struct words *texts, struct diag *d);
/* Processes all outputs. ERR_MISMATCH: a comparison failed. */
MUST_USE enum err outputs_finish(struct outputs *o, struct diag *d);
/* Prints failed comparisons to stderr; all: also those that succeeded. */
void outputs_report(const struct outputs *o, bool all);
void outputs_json(const struct outputs *o, struct json *j);
void outputs_free(struct outputs *o);

#endif
