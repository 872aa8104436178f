/*
 * What the files that read a cubin share: the file's sections and where they
 * went. cubin.c reads the header, sections and symbols, cubin_reloc.c the
 * relocations, cubin_info.c the attributes.
 */
#ifndef HEDDLE_SASS_CUBIN_READ_H
#define HEDDLE_SASS_CUBIN_READ_H

#include "base/elf.h"
#include "isa/sass/cubin.h"

/* A section of the file. */
struct cubin_section {
	struct elf_part part;
	struct sass_data *data; /* what it became; NULL: it is not needed */
	uint32_t text;          /* index in cubin.texts; UINT32_MAX: none */
	uint32_t kernel;        /* of .text and .nv.*.K; UINT32_MAX: none */
};

struct cubin_reader {
	struct sass_cubin *c;
	struct arena *arena;
	struct elf elf;
	struct cubin_section *sections;
	uint32_t section_count;
	struct diag *d;
};

#define CUBIN_NONE UINT32_MAX

enum err cubin_no_memory(struct cubin_reader *r);

/* Little-endian numbers. */
uint32_t cubin_u16(const uint8_t *p);
uint32_t cubin_u32(const uint8_t *p);
uint64_t cubin_u64(const uint8_t *p);

/* Reads the relocations of all sections that are needed. */
MUST_USE enum err cubin_relocs(struct cubin_reader *r);
/* Reads the attributes of the module and its kernels. */
MUST_USE enum err cubin_attributes(struct cubin_reader *r);

#endif
