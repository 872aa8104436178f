/*
 * A map of components over time. A cell's shade is its rate, relative to the
 * highest one. Cells of a shade are one path, and neighbours in a row are joined,
 * so that 160 rows of 96 columns take a few hundred kilobytes at most.
 */
#include <inttypes.h>
#include <math.h>

#include "base/human.h"
#include "explore/draw.h"
#include "explore/html.h"

enum {
	WIDTH = 460,
	LEFT = 40,
	RIGHT = 454,
	TOP = 8,
	HEIGHT = 300, /* of the cells */
	SHADES = 9,
	LABELS = 8, /* at most, of rows */
};

struct shade_map {
	const struct run_maps *m;
	const struct run_map *map;
	double scale; /* the highest rate of a row */
};

/* Events per cycle of a row in a column. */
static double cell_rate(const struct shade_map *s, size_t row, size_t column)
{
	const struct run_maps *m = s->m;
	uint64_t from = column ? m->ends[column - 1] : 0;

	return (double)s->map->count[row * m->columns + column] /
	       (double)(m->ends[column] - from);
}

/* 0: nothing happened. */
static int cell_shade(const struct shade_map *s, size_t row, size_t column)
{
	double v = cell_rate(s, row, column) / s->scale;

	return v > 0 ? 1 + (int)fmin(SHADES - 1, floor(v * SHADES)) : 0;
}

/* Where a column begins, in tenths of the picture's units. */
static int column_at(const struct shade_map *s, size_t column)
{
	double whole = (double)s->m->ends[s->m->columns - 1];
	double begin = column ? (double)s->m->ends[column - 1] : 0;

	return (int)lround(10 * (RIGHT - LEFT) * begin / whole);
}

static void draw_shade(FILE *to, const struct shade_map *s, int shade)
{
	size_t n = s->m->columns, end;

	html(to, "<path fill-opacity=\"%.2f\" d=\"", (double)shade / SHADES);
	for (size_t row = 0; row < s->map->rows; row++)
		for (size_t k = 0; k < n; k = end) {
			int x = column_at(s, k);

			end = k + 1;
			if (cell_shade(s, row, k) != shade)
				continue;
			while (end < n && cell_shade(s, row, end) == shade)
				end++;
			html(to, "M%d %zuh%dv1h-%dz", x, row,
			     column_at(s, end) - x, column_at(s, end) - x);
		}
	html(to, "\"/>\n");
}

/* Round numbers of components beside the rows. */
static void draw_row_labels(FILE *to, const struct shade_map *s)
{
	static const size_t steps[] = { 1, 2, 5, 10, 20, 50, 100, 200 };
	size_t n = s->map->components, i = 0;

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) &&
	       n > LABELS * steps[i])
		i++;
	for (size_t k = 0; k < n; k += steps[i])
		html(to,
		     "<text class=\"t2\" x=\"%d\" y=\"%.1f\" "
		     "font-size=\"11\" text-anchor=\"end\">%zu</text>\n",
		     LEFT - 5, TOP + HEIGHT * ((double)k + .5) / (double)n + 4,
		     k);
}

static void draw_cells(FILE *to, const struct shade_map *s)
{
	char a[GROUPED_TEXT];

	html(to,
	     "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" "
	     "height=\"%d\"/>\n<g class=\"shade\" "
	     "transform=\"translate(%d %d) scale(.1 %.5f)\">\n",
	     LEFT, TOP, RIGHT - LEFT, HEIGHT, LEFT, TOP,
	     (double)HEIGHT / (double)s->map->rows);
	for (int i = 1; i <= SHADES; i++)
		draw_shade(to, s, i);
	html(to,
	     "</g>\n<text class=\"t2\" x=\"%d\" y=\"%d\" "
	     "font-size=\"11\">0</text><text class=\"t2\" x=\"%d\" "
	     "y=\"%d\" font-size=\"11\" text-anchor=\"end\">%s cycles"
	     "</text>\n",
	     LEFT, TOP + HEIGHT + 15, RIGHT, TOP + HEIGHT + 15,
	     grouped(a, s->m->ends[s->m->columns - 1]));
}

/* Whether columns follow each other in time, and every row has a component: a
 * result may have been written by anybody. */
static bool map_makes_sense(const struct run_maps *m, const struct run_map *map)
{
	uint64_t last = 0;

	for (size_t i = 0; i < m->columns; last = m->ends[i++])
		if (m->ends[i] <= last)
			return false;
	return map->rows && map->components >= map->rows &&
	       map->components <= 64 * RUN_MAP_SIDE;
}

void draw_map(FILE *to, const struct run_maps *m, const struct run_map *map,
	      const char *name, const char *what, double most)
{
	struct shade_map s = { .m = m, .map = map };
	double share;

	if (!map_makes_sense(m, map))
		return;
	for (size_t i = 0; i < map->rows; i++)
		for (size_t k = 0; k < m->columns; k++)
			s.scale = fmax(s.scale, cell_rate(&s, i, k));
	if (!(s.scale > 0))
		return;
	share = ceil((double)map->components / (double)map->rows);
	html(to, "<figure><figcaption>%s, by %s", what, name);
	if (share > 1)
		html(to, ", %.0f in a row", share);
	html(to,
	     "; darkest: %.3g per cycle, %.0f%% of the peak</figcaption>\n"
	     "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s of %zu, by "
	     "%s, over time</title>\n",
	     s.scale / share, 100 * s.scale / share / most, WIDTH,
	     TOP + HEIGHT + 22, what, map->components, name);
	draw_cells(to, &s);
	draw_row_labels(to, &s);
	html(to, "</svg></figure>\n");
}
