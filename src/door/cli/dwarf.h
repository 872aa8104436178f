/*
 * Which functions were inlined where, from the debugging information that clang
 * puts into PTX: sections .debug_info and .debug_abbrev of DWARF 2, written as
 * bytes and labels.
 *
 * Reads only subprograms and inlined subroutines. What it does not understand it
 * leaves out: then lines have no callers, which is no error.
 */
#ifndef HEDDLE_CLI_DWARF_H
#define HEDDLE_CLI_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

struct dwarf_function {
	size_t at;             /* its place in .debug_info */
	size_t same;           /* another entry of the same function; 0: none */
	uint32_t file, line;   /* of its declaration; 0: not known */
	const char *name;      /* NULL: see the other entry */
	const char *from, *to; /* labels of its code; NULL: it has none */
};

/* A call that was inlined, and the code that came of it. */
struct dwarf_call {
	size_t callee;         /* dwarf_function.at */
	const char *from, *to; /* labels; NULL: not known */
	uint32_t file, line, column;
	const struct dwarf_call *outer; /* that it is part of; NULL: none */
};

struct dwarf {
	struct arena arena;
	struct dwarf_function *functions; /* in order of `at` */
	size_t function_count;
	struct dwarf_call *calls; /* outer ones first */
	size_t call_count;
};

/* Without the sections there are no functions and no calls. Call dwarf_free in
 * any case. */
MUST_USE enum err dwarf_read(struct dwarf *out, const char *ptx, size_t size,
			     struct diag *d);
void dwarf_free(struct dwarf *w);

/* The number of the function at a place; function_count: there is none. */
size_t dwarf_number(const struct dwarf *w, size_t at);
/* The entry that says where a function is declared; NULL: there is none. */
const struct dwarf_function *dwarf_declaration(const struct dwarf *w,
					       size_t at);
/* Its name; "": not known. */
const char *dwarf_name(const struct dwarf *w, size_t at);

#endif
