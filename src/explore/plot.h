/*
 * Plots by gnuplot. All plots of a page are added to one script; gnuplot runs
 * once and writes SVG, and PNG if wanted, to a temporary folder, which
 * plots_end removes.
 *
 * Texts are untrusted. They reach gnuplot in single quotes, where it executes
 * and expands nothing, and it escapes them in SVG. An SVG with an element or
 * attribute that gnuplot does not draw with is refused.
 */
#ifndef HEDDLE_EXPLORE_PLOT_H
#define HEDDLE_EXPLORE_PLOT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"

enum { PLOT_SERIES = 8 };
/* If all values are this close to the largest, the y axis does not begin at 0,
 * so that their differences can be seen. */
#define PLOT_NEAR 0.1

enum plot_kind {
	PLOT_LINES, /* y over positions, with tick labels */
	PLOT_BARS,  /* the same as groups of bars */
	PLOT_POINTS /* x and y */
};

struct plot_series {
	const char *title; /* NULL: not in the key */
	const double *x;   /* PLOT_POINTS */
	const double *y;   /* NaN: no value */
	size_t count;
	bool joined; /* PLOT_POINTS: with a line through the points */
	bool faint;
};

struct plot {
	enum plot_kind kind;
	const char *name; /* of its files, without a suffix */
	const char *x_label, *y_label;
	const char *const *ticks; /* labels of the positions */
	size_t tick_count;
	bool from_one; /* draw a line at y = 1, the baseline */
	struct plot_series series[PLOT_SERIES];
	size_t series_count;
};

struct plots {
	char folder[PATH_MAX];
	FILE *script;
	bool png;
	size_t count;
	char (*names)[96]; /* without a suffix */
};

/* plots_end in any case. */
MUST_USE enum err plots_begin(struct plots *p, bool png, struct diag *d);
MUST_USE enum err plots_add(struct plots *p, const struct plot *plot,
			    struct diag *d);
/* Runs gnuplot. An error if it is not installed, or fails. */
MUST_USE enum err plots_draw(struct plots *p, struct diag *d);
/* Writes a drawn plot as SVG for a page, in the page's colours. */
MUST_USE enum err plots_inline(const struct plots *p, size_t i, FILE *to,
			       const char *alt, struct diag *d);
/* Copies its files to an existing folder. */
MUST_USE enum err plots_copy(const struct plots *p, size_t i,
			     const char *folder, struct diag *d);
void plots_end(struct plots *p);

/* Whether the y axis begins above 0, and where it begins and ends then. */
bool plot_cuts_axis(const struct plot *p, double *from, double *to);
/* Writes a text in quotes for gnuplot: no newlines, at most `most`
 * characters. */
void plot_quote(FILE *to, const char *text, size_t most);
/* Writes an SVG of gnuplot's for a page. number: makes its names unique on the
 * page. False: it holds something that does not belong on a page. */
bool plot_svg(FILE *to, const char *svg, size_t number, const char *alt);

#endif
