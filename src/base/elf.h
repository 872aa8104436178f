/*
 * A reader of 64-bit little-endian ELF files: programs and libraries, before
 * they are started, and machine code of GPUs.
 *
 * Reads: sections by name and number; the strings of the dynamic section, such
 * as the libraries that a program needs and where it looks for them.
 * Does not read: symbols, relocations, 32-bit files.
 * Nothing is copied: the bytes belong to the caller and must stay valid.
 *
 * The dynamic section is found by program headers, as the dynamic linker does;
 * it is still there after strip(1).
 */
#ifndef HEDDLE_BASE_ELF_H
#define HEDDLE_BASE_ELF_H

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

/* A section by its header. */
struct elf_part {
	const char *name; /* "": it has none */
	Elf64_Shdr head;
	struct elf_bytes bytes; /* SHT_NOBITS: empty */
};

/* Section i < f->sections.count. ERR_SYNTAX, naming it: its bytes lie outside of
 * the file. */
MUST_USE enum err elf_part(const struct elf *f, size_t i, struct elf_part *out,
			   struct diag *d);

/* String `at` of the section's bytes; NULL: it lies outside, or has no end. */
const char *elf_part_string(const struct elf_part *p, uint64_t at);

/* The bytes that a file in memory occupies by its own account: headers and
 * sections. Trusts the header, and reads `sizeof(Elf64_Ehdr)` bytes and the
 * section headers. 0: it is no file that elf_open takes. */
uint64_t elf_extent(const void *data);

/*
 * String number i, from 0, of the dynamic section's entries with a tag, such
 * as DT_NEEDED, DT_RPATH, DT_RUNPATH or DT_SONAME; NULL: no more.
 *
 *	for (unsigned i = 0; (name = elf_string(&f, DT_NEEDED, i)); i++)
 */
const char *elf_string(const struct elf *f, int64_t tag, unsigned i);

#endif
