/*
 * The page of a study: parts, each with its plots and its section. Every study has a
 * program of its own, with its own struct study.
 */
#ifndef VALIDATION_PAGE_H
#define VALIDATION_PAGE_H

#include "explore/html.h"
#include "explore/plot.h"
#include "out.h"

struct study; /* what a study has read */

/* A page with its plots: they are made first, and drawn together. */
struct study_page {
	struct study_out out;
	struct plots plots;
	size_t shown;
};

/* The next plot that was added. */
MUST_USE enum err study_show(struct study_page *p, const char *caption,
			     struct diag *d);

/* Each adds its plots, and writes its section. */
struct study_part {
	enum err (*plot)(struct study_page *p, const struct study *s,
			 struct diag *d);
	enum err (*write)(struct study_page *p, const struct study *s,
			  struct diag *d);
};

/* Writes FOLDER/index.html and FOLDER/tables.md. parts: NULL-terminated. */
MUST_USE enum err study_write(const struct study *s, const char *folder,
			      const struct html_page *page,
			      const struct study_part *const *parts,
			      struct diag *d);

#endif
