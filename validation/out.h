/*
 * A study's page and, beside it, the same tables as text.
 */
#ifndef VALIDATION_OUT_H
#define VALIDATION_OUT_H

#include <stdio.h>

#include "base/diag.h"

struct study_out {
	FILE *page, *text;
};

/* Has FOLDER/index.html and FOLDER/tables.md written: both, or neither. */
MUST_USE enum err out_files(const char *folder,
			    enum err write(const struct study_out *o,
					   const void *ctx, struct diag *d),
			    const void *ctx, struct diag *d);
void out_section(const struct study_out *o, const char *heading,
		 const char *about);
void out_section_end(const struct study_out *o);
/* Folded on the page until a reader opens it. */
void out_details(const struct study_out *o, const char *summary);
void out_details_end(const struct study_out *o);
/* heads: NULL-terminated; the first column has names. */
void out_table(const struct study_out *o, const char *const *heads);
void out_table_end(const struct study_out *o);
void out_row(const struct study_out *o, const char *name);
void out_row_end(const struct study_out *o);
/* A cell of numbers. */
void out_cell(const struct study_out *o, const char *fmt, ...)
	PRINTF_LIKE(2, 3);
/* A cell of words. */
void out_words(const struct study_out *o, const char *words);
/* "12.3%", or "-" if it is not known. */
void out_percent(const struct study_out *o, double share);
/* "1.23", or "-". */
void out_ratio(const struct study_out *o, double v);
/* "123", or "-". */
void out_whole(const struct study_out *o, double v);

#endif
