/*
 * Plots by gnuplot, all of a page in one go: each is written to the script,
 * then gnuplot runs once and leaves SVG, and PNG if wanted, in a folder of its
 * own, which ends with the plots.
 *
 * Texts may come from strangers: they reach gnuplot in single quotes, in which
 * it executes and expands nothing, and it escapes them in SVG. Only what
 * gnuplot draws with gets into a page: elements and attributes that are not on
 * a list make it an error.
 */
#ifndef HEDDLE_EXPLORE_PLOT_H
#define HEDDLE_EXPLORE_PLOT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"

enum { PLOT_SERIES = 8 };

enum plot_kind {
	PLOT_LINES, /* y over positions, with tick labels */
	PLOT_BARS,  /* the same as groups of bars */
	PLOT_POINTS /* x and y; joined: with a line through them */
};

struct plot_series {
	const char *title; /* NULL: not in the key */
	const double *x;   /* PLOT_POINTS */
	const double *y;   /* NaN: nothing there */
	size_t count;
	bool joined, faint;
};

struct plot {
	enum plot_kind kind;
	const char *name; /* of its files, without the end */
	const char *x_label, *y_label;
	const char *const *ticks; /* count of them: the positions */
	size_t tick_count;
	bool from_one; /* a line at y = 1, from which things are measured */
	struct plot_series series[PLOT_SERIES];
	size_t series_count;
};

struct plots {
	char folder[PATH_MAX];
	FILE *script;
	bool png;
	size_t count;
	char (*names)[96]; /* without the end */
};

/* plots_end in any case. */
MUST_USE enum err plots_begin(struct plots *p, bool png, struct diag *d);
MUST_USE enum err plots_add(struct plots *p, const struct plot *plot,
			    struct diag *d);
/* An error without gnuplot, or if it fails. */
MUST_USE enum err plots_draw(struct plots *p, struct diag *d);
/* A plot that is drawn, as SVG for a page: with its colours. */
MUST_USE enum err plots_inline(const struct plots *p, size_t i, FILE *to,
			       const char *alt, struct diag *d);
/* Its files, to a folder that exists. */
MUST_USE enum err plots_copy(const struct plots *p, size_t i,
			     const char *folder, struct diag *d);
void plots_end(struct plots *p);

/* One text in quotes for gnuplot: no newlines, at most `most` characters. */
void plot_quote(FILE *to, const char *text, size_t most);
/* An SVG of gnuplot's, prepared for a page. number: makes names in it unique
 * there. False: something is in it that does not belong there. */
bool plot_svg(FILE *to, const char *svg, size_t number, const char *alt);

#endif
