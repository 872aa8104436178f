/*
 * The grammar of the arguments of a kernel.
 *
 *	ARG     = [NAME ":"] SPEC
 *	SPEC    = NUMBER [":" TYPE]                        a value
 *	        | TYPE "[" [SIZE {"x" SIZE}] "]" ["=" INIT]  device memory
 *	        | "@" FILE.npy                             the same, from a file
 *	        | "bytes:" (HEX | "@" FILE)                a struct by value
 *	        | TEXTURE ":" TYPE ["x" CHANNELS] "[" SIZES "]" ["=" INIT]
 *	          {"," FLAG}
 *	INIT    = zero | iota[:START[:STEP]] | random[:LO:HI] | fill:VALUE
 *	        | list:VALUE{,VALUE} | @FILE
 *	TEXTURE = tex1d | tex2d | tex3d | surf1d | surf2d | surf3d
 *
 * Sizes are in NumPy's order: the last one varies fastest. Parsing a spec reads
 * no file; door/cli/source.h does.
 */
#ifndef HEDDLE_CLI_SPEC_H
#define HEDDLE_CLI_SPEC_H

#include "door/cli/values.h"

#define SHAPE_DIMS 8
#define SPEC_NAME 64

struct array_shape {
	unsigned dims;
	uint64_t size[SHAPE_DIMS];
	uint64_t count; /* the product */
};

enum init_kind {
	INIT_ZERO,
	INIT_IOTA,
	INIT_RANDOM,
	INIT_FILL,
	INIT_LIST,
	INIT_HEX, /* only for bytes: */
	INIT_FILE
};

struct array_init {
	enum init_kind kind;
	struct number a, b; /* start and step, lo and hi, value */
	const char *text;   /* a list, hex digits or a path, in the spec */
	size_t length;
};

enum spec_kind { SPEC_NUMBER, SPEC_ARRAY, SPEC_BYTES, SPEC_TEXTURE };

struct arg_spec {
	char name[SPEC_NAME]; /* "": none given */
	enum spec_kind kind;

	struct number number;
	bool typed; /* NUMBER:TYPE, or an array other than @FILE.npy */
	enum elem_type type;

	struct array_shape shape;
	bool shape_known; /* else that of the file or list */
	struct array_init init;

	/* Textures; sizes are in texels of `channels` values. */
	bool surface;
	unsigned dims, channels;
	bool linear, normalized, read_as_float;
	enum heddle_address_mode address;
};

/* Parses a spec, which points into `text`. */
MUST_USE enum err spec_parse(struct arg_spec *out, const char *text,
			     struct diag *d);
/* Parses an INIT for memory of a known type. */
MUST_USE enum err spec_parse_init(struct array_init *out, enum elem_type type,
				  const char *text, size_t length,
				  struct diag *d);
/* Whether the text begins like an INIT, not like the name of a file. */
bool spec_is_init(const char *text);

/* Formats type and sizes: "f32[16x16]". */
void spec_describe(char *text, size_t size, enum elem_type type,
		   const struct array_shape *shape);

/* Computes the count. False: the elements or their bytes exceed 2^63. */
bool shape_finish(struct array_shape *s, unsigned bytes);

#endif
