/*
 * A code object for an AMD GPU: an ELF file with functions of GFX6.
 *
 * Reads:   what clang and LLVM write for the triples amdgcn-*-amdhsa, whose kernels
 *          have a descriptor in a symbol NAME.kd, and amdgcn-*-mesa3d, whose kernels
 *          begin with an amd_kernel_code_t of 256 bytes; linked or not.
 * Does not read: arguments of kernels (meta.h), relocations (image.h).
 * Nothing is copied: names and code belong to the caller's bytes.
 */
#ifndef HEDDLE_ISA_GCN_OBJECT_H
#define HEDDLE_ISA_GCN_OBJECT_H

#include "base/elf.h"

enum { GCN_CODE_HEADER = 256 }; /* bytes of an amd_kernel_code_t */

/* A function of the file. */
struct gcn_function {
	const char *name;
	uint64_t address; /* of its first instruction */
	struct elf_bytes code;
	size_t section;
	uint64_t offset; /* of its first instruction, in the section */
	bool is_headed;  /* a header of GCN_CODE_HEADER bytes precedes it */
};

struct gcn_object {
	struct elf elf;
	struct elf_part symbols, names;
	uint32_t gfx; /* 600, 601, 602 */
};

/* Whether the bytes begin as an ELF file for an AMD GPU does. */
bool gcn_object_matches(const void *data, size_t size);

/* ERR_SYNTAX: damaged; ERR_UNSUPP: for another GPU than those of GFX6. */
MUST_USE enum err gcn_object_open(struct gcn_object *o, const void *data,
				  size_t size, struct diag *d);

/*
 * The next function from symbol *at on, which moves behind it. *found is false: no
 * more. ERR_SYNTAX: its code is not inside its section.
 */
MUST_USE enum err gcn_object_next(const struct gcn_object *o, size_t *at,
				  struct gcn_function *out, bool *found,
				  struct diag *d);

#endif
