/*
 * Values over time, as SVG inside a page: lines, or areas on top of each other,
 * with what was marked in that time as bands. Where the page has series_script, a
 * pointer over one shows its values.
 */
#ifndef HEDDLE_EXPLORE_DRAW_SERIES_H
#define HEDDLE_EXPLORE_DRAW_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct series_line {
	const char *name;
	const char *colour; /* a class of the style sheet */
	double *v;          /* in each sample; NaN: none */
};

struct series_band {
	double from, to; /* cycles */
	const char *text;
};

struct series_chart {
	const char *name, *unit; /* unit: what follows a number */
	const struct series_line *line;
	size_t lines;
	bool stacked, wide;
	double top;         /* of the axis; 0: the largest value, rounded up */
	const double *ends; /* of the samples, in cycles */
	size_t samples;
	double ns; /* of a cycle */
	const struct series_band *band;
	size_t bands;
};

void draw_series(FILE *to, const struct series_chart *c);

/* The smallest round number that is at least v, but for its rounding. */
double axis_round_up(double v);

/* The scripts's text and hash, for struct html_page. */
extern const char series_script[], series_script_hash[];

/* Bars on a line of time: of each row all that it has, one above the other. */
struct series_row {
	const char *name, *colour;
	const struct series_band *bar;
	size_t bars;
};
void draw_bars(FILE *to, const struct series_row *row, size_t rows, double from,
	       double to_cycle, double ns);

#endif
