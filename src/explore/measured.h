/*
 * What a profiler measured on a GPU: the CSV of Nsight Compute and of nvprof.
 *
 * Reads:   ncu --csv (a line for each metric), ncu --page raw --csv (a line for
 *          each launch, units in the second line), nvprof --csv with
 *          --print-gpu-trace, with --metrics or --events, and with both. Lines
 *          of the profiler (==PROF== ...) and what the program printed before
 *          the table are skipped. Units may be scaled; numbers may have
 *          separators of thousands, and a decimal comma.
 * Does not read: .ncu-rep and .nvvp files, which the profilers export as CSV.
 *
 * A number is converted only when it is asked for: columns that nobody asks for
 * may hold anything.
 */
#ifndef HEDDLE_EXPLORE_MEASURED_H
#define HEDDLE_EXPLORE_MEASURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

struct measured_value {
	const char *name, *unit, *text; /* unit: "" if there is none */
	unsigned line;
};

/* A kernel's name in parts, to find the same kernel in a run. */
struct kernel_name {
	const char *base;      /* "reduce" of "void ns::reduce<float>(...)" */
	const char *arguments; /* "<float,4>"; "": none; NULL: not known */
};

struct measured_launch {
	const char *kernel; /* as the file names it */
	struct kernel_name name;
	uint64_t id; /* as the profiler numbers it */
	bool sized;  /* grid and block are known */
	uint32_t grid[3], block[3];
	/* 1, or the number of launches whose mean this is. */
	uint64_t invocations;
	unsigned line;
	struct measured_value *values;
	size_t value_count;
};

enum measured_tool { MEASURED_NCU, MEASURED_NVPROF };

struct measured {
	struct arena arena;
	const char *path;
	enum measured_tool tool;
	struct measured_launch *launches; /* in order */
	size_t count;
	char decimal; /* '.' or ',' */
};

/* The bytes of a file; malloc'ed. */
MUST_USE enum err measured_load(char **text, size_t *size, const char *path,
				struct diag *d);
/* Call measured_free in any case. A file without a launch is an error. */
MUST_USE enum err measured_read(struct measured *m, const char *path,
				struct diag *d);
MUST_USE enum err measured_read_text(struct measured *m, const char *path,
				     const char *text, size_t size,
				     struct diag *d);
void measured_free(struct measured *m);

/*
 * The value of a metric in bytes, seconds, hertz or as a count; a percentage as
 * a share. *out is NaN if the launch has none: no such metric, or one without a
 * value (n/a). A text that is no number, and a unit that is not known, are
 * errors, with the line.
 */
MUST_USE enum err measured_number(double *out, const struct measured *m,
				  const struct measured_launch *l,
				  const char *name, size_t size,
				  struct diag *d);

/* Takes a name apart: a mangled symbol, or a C++ name with or without types. */
MUST_USE enum err kernel_name_read(struct kernel_name *out, struct arena *a,
				   const char *kernel, struct diag *d);

/* For the reader's parts. */
struct csv_reader;
MUST_USE enum err measured_read_ncu(struct measured *m, struct csv_reader *r,
				    struct diag *d);
MUST_USE enum err measured_read_nvprof(struct measured *m, struct csv_reader *r,
				       struct diag *d);
/* Whether the row that was read last is the header of such a table. */
bool measured_is_ncu(const struct csv_reader *r);
bool measured_is_nvprof(const struct csv_reader *r);
/* Adds a launch with room for values; its line is that of the row. */
MUST_USE enum err measured_add(struct measured *m, struct csv_reader *r,
			       struct measured_launch **out, const char *kernel,
			       size_t room, struct diag *d);
/* Adds a value to a launch that has room for it. */
void measured_add_value(struct measured_launch *l, const char *name,
			const char *unit, const char *text, unsigned line);
/* Makes room for one more value. */
MUST_USE enum err measured_grow_values(struct measured *m,
				       struct measured_launch *l,
				       struct diag *d);
/* Finds out which character begins the fraction of a number: the first that
 * can only be one of them tells. */
void measured_find_decimal(struct measured *m);
/* Reads the next row of a table with `fields` fields; false: there is none.
 * Lines of the profiler and empty ones are skipped. Another number of fields is
 * an error. */
bool measured_next(struct csv_reader *r, size_t fields, enum err *e,
		   struct diag *d);
/* The names of the columns, kept while rows are read. */
MUST_USE enum err measured_keep_row(const char ***out, struct csv_reader *r,
				    struct diag *d);
/* Fails with the file, the row's line and the column's text. */
enum err measured_bad_field(const struct csv_reader *r, const char *column,
			    const char *text, const char *want, struct diag *d);
MUST_USE enum err measured_whole(uint64_t *out, const struct csv_reader *r,
				 const char *column, const char *text,
				 struct diag *d);

#endif
