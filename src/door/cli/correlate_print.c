/* Comparisons with hardware as text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/correlate.h"
#include "door/cli/text.h"

enum { NAME_WIDTH = 34 };

struct correlate_view {
	const struct correlate *c;
	const struct correlate_options *o;
	const char *set;
	int headline;
	struct diag *d;
};

static void print_heads(const char *first)
{
	printf("%s%-*s %8s %9s %9s %8s %8s %8s %7s %7s %6s%s\n",
	       tint(stdout, TINT_BOLD), NAME_WIDTH, first, "launches",
	       "programs*", "launches*", "median", "90%", "sim/hw", "corr.",
	       "of log", "slope", tint(stdout, TINT_OFF));
}

static const char *share(char text[16], int metric, double v)
{
	if (isnan(v))
		snprintf(text, 16, "-");
	else if (correlate_info[metric].scale == CORRELATE_POINTS)
		snprintf(text, 16, "%.1fp", 100 * v);
	else
		snprintf(text, 16, v < 10 ? "%.1f%%" : "%.3g%%", 100 * v);
	return text;
}

static const char *number(char text[16], double v, int digits)
{
	if (isnan(v))
		snprintf(text, 16, "-");
	else
		snprintf(text, 16, "%.*f", digits, v);
	return text;
}

/* A line of the table; nothing if no launch is selected. */
static enum err print_sum(const struct correlate_view *v, const char *name,
			  const struct correlate_filter *f, int metric)
{
	char a[16], b[16], c[16], e[16], g[16], h[16], i[16], k[16];
	struct correlate_sum s;

	if (correlate_summarise(&s, v->c, f, metric, v->d))
		return v->d->code;
	if (!s.launches)
		return ERR_OK;
	printf("%-*.*s %8zu %9s %9s %8s %8s %8s %7s %7s %6s\n", NAME_WIDTH,
	       NAME_WIDTH, name, s.launches, share(a, metric, s.program_mean),
	       share(b, metric, s.mean), share(c, metric, s.median),
	       share(e, metric, s.p90), number(g, s.ratio, 2),
	       number(h, s.pearson, 3), number(i, s.log_pearson, 3),
	       number(k, s.slope, 2));
	return ERR_OK;
}

/* How many launches have a range of instructions instead of one number. */
static void print_spread(const struct correlate_view *v,
			 const struct correlate_filter *f)
{
	size_t n = 0, inside = 0;

	for (size_t i = 0; i < v->c->point_count; i++) {
		const struct correlate_point *p = &v->c->points[i];
		double s = p->simulated[CORRELATE_INSTRUCTIONS];

		if (!correlate_selects(v->c, f, p) || p->low >= p->high)
			continue;
		n++;
		inside += s >= p->low && s <= p->high;
	}
	if (n)
		printf("  instructions of %zu launch%s differ from run to run "
		       "on hardware: %zu simulated within\n",
		       n, n == 1 ? "" : "es", inside);
}

static enum err print_classes(const struct correlate_view *v, int half)
{
	struct correlate_filter f = CORRELATE_ALL;
	char name[80];

	f.set = v->set;
	f.half = half;
	snprintf(name, sizeof(name), "%s%s",
		 half < 0 ? "all programs" : "programs ",
		 half < 0 ? "" : correlate_half_names[half]);
	if (print_sum(v, name, &f, v->headline))
		return v->d->code;
	for (f.size = 0; f.size < CORRELATE_SIZES; f.size++) {
		snprintf(name, sizeof(name), "  %s",
			 correlate_size_names[f.size]);
		if (print_sum(v, name, &f, v->headline))
			return v->d->code;
	}
	f.size = -1;
	for (f.limit = 0; f.limit < CORRELATE_LIMITS; f.limit++) {
		snprintf(name, sizeof(name), "  %s",
			 correlate_limit_names[f.limit]);
		if (print_sum(v, name, &f, v->headline))
			return v->d->code;
	}
	return ERR_OK;
}

static enum err print_metrics(const struct correlate_view *v)
{
	struct correlate_filter f = CORRELATE_ALL;

	f.set = v->set;
	print_heads("metric");
	for (int i = 0; i < CORRELATE_METRICS; i++)
		if (print_sum(v, correlate_info[i].name, &f, i))
			return v->d->code;
	print_spread(v, &f);
	return ERR_OK;
}

static enum err print_programs(const struct correlate_view *v)
{
	struct correlate_filter f = CORRELATE_ALL;

	f.set = v->set;
	print_heads("program");
	for (size_t i = 0; i < v->c->pair_count; i++) {
		f.pair = (long)i;
		if (print_sum(v, v->c->pairs[i].program, &f, v->headline))
			return v->d->code;
	}
	return ERR_OK;
}

static enum err print_worst(const struct correlate_view *v)
{
	struct correlate_filter f = CORRELATE_ALL;
	size_t *list, count;

	f.set = v->set;
	if (correlate_worst(&list, &count, v->c, &f, v->o->worst, v->d)) {
		free(list);
		return v->d->code;
	}
	if (count)
		printf("%sfarthest off, one launch of each kernel%s\n",
		       tint(stdout, TINT_BOLD), tint(stdout, TINT_OFF));
	for (size_t i = 0; i < count; i++) {
		const struct correlate_point *p = &v->c->points[list[i]];
		char a[CORRELATE_VALUE], b[CORRELATE_VALUE], why[CORRELATE_WHY];
		char error[CORRELATE_ERROR_TEXT];
		int m = v->headline;

		printf("  %s, %s, launch %" PRIu64 ", grid %ux%ux%u, block "
		       "%ux%ux%u: %s %s, hardware %s, %s\n    %s\n",
		       v->c->pairs[p->pair].program, p->kernel, p->launch,
		       p->grid[0], p->grid[1], p->grid[2], p->block[0],
		       p->block[1], p->block[2], correlate_info[m].name,
		       correlate_value_text(a, m, p->simulated[m]),
		       correlate_value_text(b, m, p->hardware[m]),
		       correlate_error_text(error, m, correlate_error(p, m)),
		       correlate_why(why, p));
	}
	free(list);
	return ERR_OK;
}

static void print_lone(const struct correlate *c)
{
	if (c->lone_count)
		printf("\n%swithout a partner%s\n", tint(stdout, TINT_BOLD),
		       tint(stdout, TINT_OFF));
	for (size_t i = 0; i < c->lone_count; i++) {
		const struct correlate_lone *l = &c->lone[i];
		const struct correlate_pair *p = &c->pairs[l->pair];

		printf("  %s%s%s, %s, %" PRIu64 " launch%s only in the %s: "
		       "%s\n",
		       p->program, *p->set ? ", " : "", p->set, l->kernel,
		       l->count, l->count == 1 ? "" : "es",
		       l->hardware ? "profile" : "run", l->why);
	}
}

static enum err print_set(const struct correlate_view *v)
{
	char name[80];

	snprintf(name, sizeof(name), "%.40s%s%s", v->set, *v->set ? ": " : "",
		 correlate_info[v->headline].name);
	print_heads(name);
	if (print_classes(v, -1))
		return v->d->code;
	for (int h = 0; h < CORRELATE_HALVES && v->o->halves; h++)
		if (print_classes(v, h))
			return v->d->code;
	putchar('\n');
	if (print_metrics(v))
		return v->d->code;
	putchar('\n');
	if (v->c->pair_count > 1) {
		if (print_programs(v))
			return v->d->code;
		putchar('\n');
	}
	return print_worst(v);
}

enum err correlate_print(const struct correlate *c,
			 const struct correlate_options *o, struct diag *d)
{
	struct correlate_view v = {
		.c = c, .o = o, .headline = correlate_headline(c), .d = d
	};

	for (size_t i = 0; i < c->set_count; i++) {
		v.set = c->sets[i];
		if (i)
			putchar('\n');
		if (print_set(&v))
			return d->code;
	}
	print_lone(c);
	printf("\n* mean of absolute errors, over programs (of their means) and "
	       "over launches; p: percentage points\n");
	return ERR_OK;
}
