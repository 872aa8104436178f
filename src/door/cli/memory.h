/*
 * Prepares the device's memory for a launch: named arrays, the kernel's
 * parameter block, the module's variables.
 */
#ifndef HEDDLE_CLI_MEMORY_H
#define HEDDLE_CLI_MEMORY_H

#include "door/cli/opt.h"
#include "door/cli/program.h"
#include "door/cli/source.h"

/* An array on the device, with the name that --print and others use. */
struct array {
	char name[SPEC_NAME];
	enum elem_type type;
	struct array_shape shape;
	uint64_t count; /* elements, each channel counted */
	heddle_ptr at;
	uint64_t key; /* of its stream of random values */
};

struct memory {
	const struct loaded_program *program;
	uint64_t seed;
	struct array *arrays;
	size_t count, room;
	void *params;
	size_t param_bytes;
	/* Local memory that arguments ask for, and where it begins. */
	uint64_t shared_bytes, shared_start;
	bool untyped; /* the kernel's parameters have sizes, but no types */
	/* Finds a variable for --set; NULL: it is one of the module. */
	bool (*find)(void *ctx, const char *name, heddle_ptr *at,
		     uint64_t *bytes);
	void *ctx;
};

/* Sets the kernel's parameters, one --arg for each, in order. */
MUST_USE enum err memory_bind(struct memory *m, const struct heddle_kernel *k,
			      const struct words *args, struct diag *d);
/* Sets a variable of the module: --set NAME=SPEC. */
MUST_USE enum err memory_set(struct memory *m, const char *text,
			     struct diag *d);
/* NULL: *d lists the names that exist. */
const struct array *memory_find(const struct memory *m, const char *name,
				size_t length, struct diag *d);
void memory_free(struct memory *m);

/* Elements that are read or written at once. */
#define CHUNK 65536

#endif
