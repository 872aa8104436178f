/*
 * Writes pages: self-contained HTML. A page loads nothing, can be opened from a
 * file, follows the reader's light or dark setting, and fits a phone.
 *
 * Texts are untrusted: names of kernels, lines of sources, labels. html()
 * escapes every %s, so that markup can only come from a format, which is ours.
 */
#ifndef HEDDLE_EXPLORE_HTML_H
#define HEDDLE_EXPLORE_HTML_H

#include <stdio.h>

#include "base/diag.h"

/*
 * As fprintf, but escapes %s for text and for attributes in double quotes, in
 * HTML and in SVG: & < > " ' become entities; control characters and bytes that
 * are not UTF-8 become U+FFFD. The conversions are %s %c %d %i %u %x %f %g %e
 * %%, with flags, width, precision and the lengths l, ll, z.
 */
void html(FILE *to, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Writes a field of CSV, quoted where needed. A field that a spreadsheet would
 * take for a formula gets an apostrophe in front. */
void csv_text(FILE *to, const char *text);
/* Writes a comma and a number, or an empty field if it is not finite. */
void csv_real(FILE *to, double v);

struct html_page {
	const char *title;    /* also of the window */
	const char *subtitle; /* below it; NULL: none */
	/* The page's only script, with the hash that lets it run; NULL: none. */
	const char *script, *script_hash;
};

void html_open(FILE *to, const struct html_page *p);
void html_close(FILE *to, const struct html_page *p);

/* A section with a heading and, unless NULL, a line below it. */
void html_section(FILE *to, const char *heading, const char *about);
void html_section_end(FILE *to);

/* One of the numbers at the top of a page. about: a remark below, or NULL. */
void html_card(FILE *to, const char *name, const char *value,
	       const char *about);

/* A row of a table of class "bars": name, a bar of 0 to 1, the share in
 * percent, an explanation. fill: the class of the bar's colour. */
void html_bar(FILE *to, const char *name, double share, const char *fill,
	      const char *about);

#endif
