/*
 * Pages: HTML with everything in it. A page loads nothing from anywhere, works
 * from a file, follows the reader's light or dark setting, and fits a phone.
 *
 * Texts come from strangers: names of kernels, lines of sources, labels. html()
 * makes it hard to forget: every %s is escaped, so that markup can only stand
 * in a format, which is ours.
 */
#ifndef HEDDLE_EXPLORE_HTML_H
#define HEDDLE_EXPLORE_HTML_H

#include <stdio.h>

#include "base/diag.h"

/*
 * As fprintf, with %s escaped for text and for attributes in double quotes, in
 * HTML and in SVG: & < > " ' become entities, bytes that are no UTF-8 and
 * control characters U+FFFD. The conversions are %s %c %d %i %u %x %f %g %e
 * %%, with flags, width, precision and the lengths l, ll, z.
 */
void html(FILE *to, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The same text for a field of CSV: quoted where that is needed. A field that a
 * spreadsheet would take for a formula is preceded by an apostrophe. */
void csv_text(FILE *to, const char *text);
/* A comma and a number, or an empty field if it is not finite. */
void csv_real(FILE *to, double v);

struct html_page {
	const char *title;    /* of the window, too */
	const char *subtitle; /* below it; NULL: none */
	/* The page's only script, with the hash that lets it run; NULL: none. */
	const char *script, *script_hash;
};

void html_open(FILE *to, const struct html_page *p);
void html_close(FILE *to, const struct html_page *p);

/* A section with a heading and, unless NULL, a line below it. */
void html_section(FILE *to, const char *heading, const char *about);
void html_section_end(FILE *to);

/* One of the numbers at the top of a page. about: below it, or NULL. */
void html_card(FILE *to, const char *name, const char *value,
	       const char *about);

/* A row of a table of class "bars": name, a bar of 0 to 1, the share in
 * percent, an explanation. fill: the class of the bar's colour. */
void html_bar(FILE *to, const char *name, double share, const char *fill,
	      const char *about);

#endif
