/* Comparisons with hardware as JSON and CSV. */
#include <math.h>
#include <stdlib.h>

#include "base/jsonwrite.h"
#include "door/cli/correlate.h"
#include "explore/html.h"

static void json_sum(struct json *j, const char *key,
		     const struct correlate_sum *s)
{
	json_open_line(j, key, '{');
	json_uint(j, "launches", s->launches);
	json_uint(j, "programs", s->programs);
	json_real(j, "mean_over_programs", s->program_mean);
	json_real(j, "mean_over_launches", s->mean);
	json_real(j, "median", s->median);
	json_real(j, "p90", s->p90);
	json_real(j, "most", s->most);
	json_real(j, "ratio", s->ratio);
	json_real(j, "correlation", s->pearson);
	json_real(j, "correlation_of_logarithms", s->log_pearson);
	json_real(j, "slope", s->slope);
	json_close(j, '{');
}

static enum err json_selected(struct json *j, const char *key,
			      const struct correlate *c,
			      const struct correlate_filter *f, int metric,
			      struct diag *d)
{
	struct correlate_sum s;

	if (correlate_summarise(&s, c, f, metric, d))
		return d->code;
	if (s.launches)
		json_sum(j, key, &s);
	return ERR_OK;
}

/* The headline by classes, in one half or in all programs. */
static enum err json_classes(struct json *j, const struct correlate *c,
			     const struct correlate_filter *from,
			     struct diag *d)
{
	struct correlate_filter f = *from;
	int metric = correlate_headline(c);
	enum err e;

	json_open(j, "classes", '{');
	e = json_selected(j, "all", c, &f, metric, d);
	for (f.size = 0; !e && f.size < CORRELATE_SIZES; f.size++)
		e = json_selected(j, correlate_size_names[f.size], c, &f,
				  metric, d);
	f.size = -1;
	for (f.limit = 0; !e && f.limit < CORRELATE_LIMITS; f.limit++)
		e = json_selected(j, correlate_limit_names[f.limit], c, &f,
				  metric, d);
	json_close(j, '{');
	return e;
}

static enum err json_metrics(struct json *j, const struct correlate *c,
			     const struct correlate_filter *f, struct diag *d)
{
	enum err e = ERR_OK;

	json_open(j, "metrics", '{');
	for (int i = 0; !e && i < CORRELATE_METRICS; i++)
		e = json_selected(j, correlate_info[i].name, c, f, i, d);
	json_close(j, '{');
	return e;
}

static enum err json_part(struct json *j, const struct correlate *c,
			  const char *set, int half, struct diag *d)
{
	struct correlate_filter f = CORRELATE_ALL;
	enum err e;

	f.set = set;
	f.half = half;
	json_open(j, NULL, '{');
	json_string(j, "set", set);
	json_string(j, "half", half < 0 ? "all" : correlate_half_names[half]);
	e = json_classes(j, c, &f, d);
	if (!e)
		e = json_metrics(j, c, &f, d);
	json_close(j, '{');
	return e;
}

static void json_values(struct json *j, const struct correlate_point *p)
{
	json_open(j, "metrics", '{');
	for (int i = 0; i < CORRELATE_METRICS; i++) {
		if (isnan(p->hardware[i]) && isnan(p->simulated[i]))
			continue;
		json_open(j, correlate_info[i].name, '[');
		json_real(j, NULL, p->hardware[i]);
		json_real(j, NULL, p->simulated[i]);
		json_close(j, '[');
	}
	json_close(j, '{');
	json_open(j, "warp_states", '{');
	for (size_t i = 0; i < correlate_state_count(); i++) {
		if (isnan(p->hardware_state[i]))
			continue;
		json_open(j, correlate_state_name(i), '[');
		json_real(j, NULL, p->hardware_state[i]);
		json_real(j, NULL, p->simulated_state[i]);
		json_close(j, '[');
	}
	json_close(j, '{');
}

static void json_point(struct json *j, const struct correlate *c,
		       const struct correlate_point *p)
{
	const struct correlate_pair *pair = &c->pairs[p->pair];
	char why[CORRELATE_WHY];

	json_open_line(j, NULL, '{');
	json_string(j, "program", pair->program);
	json_string(j, "set", pair->set);
	json_string(j, "half", correlate_half_names[pair->half]);
	json_string(j, "kernel", p->kernel);
	json_uint(j, "id", p->id);
	json_uint(j, "launch", p->launch);
	json_uint(j, "launches", p->launches);
	json_uints(j, "grid", p->grid, 3);
	json_uints(j, "block", p->block, 3);
	json_string(j, "size", correlate_size_names[p->size]);
	json_string(j, "limit", correlate_limit_names[p->limit]);
	json_real(j, "error", correlate_error(p, correlate_headline(c)));
	json_string(j, "why", correlate_why(why, p));
	json_values(j, p);
	json_close(j, '{');
}

static void json_lone(struct json *j, const struct correlate *c)
{
	json_open(j, "without_partner", '[');
	for (size_t i = 0; i < c->lone_count; i++) {
		const struct correlate_lone *l = &c->lone[i];

		json_open_line(j, NULL, '{');
		json_string(j, "program", c->pairs[l->pair].program);
		json_string(j, "set", c->pairs[l->pair].set);
		json_string(j, "only_in", l->hardware ? "profile" : "run");
		json_string(j, "kernel", l->kernel);
		json_uint(j, "first", l->number);
		json_uint(j, "launches", l->count);
		json_string(j, "why", l->why);
		json_close(j, '{');
	}
	json_close(j, '[');
}

enum err correlate_write_json(FILE *to, const struct correlate *c,
			      const struct correlate_options *o, struct diag *d)
{
	struct json j = { .to = to };
	enum err e = ERR_OK;

	json_open(&j, NULL, '{');
	json_string(&j, "headline", correlate_info[correlate_headline(c)].name);
	json_open(&j, "summaries", '[');
	for (size_t i = 0; !e && i < c->set_count; i++)
		for (int h = -1; !e && h < (o->halves ? CORRELATE_HALVES : 0);
		     h++)
			e = json_part(&j, c, c->sets[i], h, d);
	json_close(&j, '[');
	json_open(&j, "launches", '[');
	for (size_t i = 0; i < c->point_count; i++)
		json_point(&j, c, &c->points[i]);
	json_close(&j, '[');
	json_lone(&j, c);
	json_close(&j, '{');
	return e;
}

enum err correlate_write_csv(FILE *to, const struct correlate *c,
			     const struct correlate_options *o, struct diag *d)
{
	(void)o;
	(void)d;
	fputs("program,set,half,kernel,id,launch,grid,block,size,limit", to);
	for (int i = 0; i < CORRELATE_METRICS; i++)
		fprintf(to, ",hardware.%s,simulated.%s", correlate_info[i].name,
			correlate_info[i].name);
	fputc('\n', to);
	for (size_t i = 0; i < c->point_count; i++) {
		const struct correlate_point *p = &c->points[i];
		const struct correlate_pair *pair = &c->pairs[p->pair];

		csv_text(to, pair->program);
		fputc(',', to);
		csv_text(to, pair->set);
		fprintf(to, ",%s,", correlate_half_names[pair->half]);
		csv_text(to, p->kernel);
		fprintf(to, ",%llu,%llu,%ux%ux%u,%ux%ux%u,\"%s\",%s",
			(unsigned long long)p->id,
			(unsigned long long)p->launch, p->grid[0], p->grid[1],
			p->grid[2], p->block[0], p->block[1], p->block[2],
			correlate_size_names[p->size],
			correlate_limit_names[p->limit]);
		for (int k = 0; k < CORRELATE_METRICS; k++) {
			csv_real(to, p->hardware[k]);
			csv_real(to, p->simulated[k]);
		}
		fputc('\n', to);
	}
	return ERR_OK;
}
