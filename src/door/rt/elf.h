/*
 * A reader of 64-bit little-endian ELF files: programs and libraries, before
 * they are started.
 *
 * Reads: sections by name; the strings of the dynamic section, such as the
 * libraries that a program needs and where it looks for them.
 * Does not read: symbols, relocations, 32-bit files.
 * Nothing is copied: the bytes belong to the caller and must stay valid.
 *
 * The dynamic section is found by program headers, as the dynamic linker does;
 * it is still there after strip(1).
 */
#ifndef HEDDLE_DOOR_RT_ELF_H
#define HEDDLE_DOOR_RT_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* A table of the file: entries of `step` bytes, the known part first. */
struct elf_table {
	size_t at, count, step;
};

struct elf_bytes {
	const uint8_t *data;
	size_t size;
};

struct elf {
	const uint8_t *data;
	size_t size;
	Elf64_Ehdr head;
	struct elf_table programs, sections;
	struct elf_bytes section_names;
	struct elf_bytes dynamic, strings; /* empty: linked statically */
};

/* ERR_SYNTAX: not such a file, or one with inconsistent headers. */
MUST_USE enum err elf_open(struct elf *f, const void *data, size_t size,
			   struct diag *d);

/* The contents of the first section of that name; false: there is none. A
 * section without bytes in the file is empty. */
bool elf_section(const struct elf *f, const char *name, struct elf_bytes *out);

/*
 * String number i, from 0, of the dynamic section's entries with a tag, such
 * as DT_NEEDED, DT_RPATH, DT_RUNPATH or DT_SONAME; NULL: no more.
 *
 *	for (unsigned i = 0; (name = elf_string(&f, DT_NEEDED, i)); i++)
 */
const char *elf_string(const struct elf *f, int64_t tag, unsigned i);

#endif
