/*
 * Tables of lines: from a place in a program's code to the line of the source that it
 * came from.
 *
 * Reads:   .debug_line of DWARF 2 to 5, with NVIDIA's opcode for calls that were
 *	inlined.
 * Does not read: units of other versions, whose code then has no lines; columns; tables of
 *	code that the source does not know.
 *
 * Owner:   everything is in the arena that dwarf_lines_read is given; names are in the
 *	bytes.
 */
#ifndef HEDDLE_BASE_DWARF_LINE_H
#define HEDDLE_BASE_DWARF_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum { DWARF_NO_CODE = UINT32_MAX };

struct dwarf_line_bytes {
	const uint8_t *at; /* NULL: there are none */
	uint64_t size;
};

/* A section with a table, and what belongs to it. */
struct dwarf_line_source {
	const char *name; /* for messages */
	struct dwarf_line_bytes bytes, strings, line_strings;

	/* Which code the address at byte `at` of the table is in, where the bytes
	 * say `value`, and at which offset. *text stays for code that is not
	 * known. */
	void (*code)(const struct dwarf_line_source *s, uint64_t at,
		     uint64_t value, uint32_t *text, uint64_t *offset);
	/* The bytes of that code. */
	uint64_t (*code_size)(const struct dwarf_line_source *s, uint32_t text);
	/* An offset of a string at byte `at`; NULL: as the bytes say. */
	uint64_t (*offset)(const struct dwarf_line_source *s, uint64_t at,
			   uint64_t value);
};

struct dwarf_line_row {
	uint32_t at; /* in its code */
	uint32_t line;
	const char *file;
	uint32_t caller; /* a row, from 1; 0: it was not inlined */
	bool end;        /* of the run: no line from here on */
};

struct dwarf_line_run {
	uint32_t text;
	uint32_t from, count;
};

/* The rows of a section's table, in its order, and the runs that they form: a
 * run's rows have increasing addresses in one piece of code. */
struct dwarf_line_table {
	struct dwarf_line_row *rows;
	struct dwarf_line_run *runs; /* by code */
	uint32_t row_count, run_count;
};

/* ERR_SYNTAX: damaged, with the name of the section. */
MUST_USE enum err dwarf_lines_read(struct dwarf_line_table *to, struct arena *a,
				   const struct dwarf_line_source *from,
				   struct diag *d);

/* The row of a place in code; NULL: not known. */
const struct dwarf_line_row *dwarf_lines_find(const struct dwarf_line_table *t,
					      uint32_t text, uint32_t at);

#endif
