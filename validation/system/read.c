/* Reads the runs and the measurements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "study.h"

const int study_threads[STUDY_THREADS] = { 1, 2, 4 };

enum { SECTION = 1 /* the region of the parallel section */ };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double study_quantile(const struct study_times *t, double q)
{
	double sorted[STUDY_SAMPLES], at;
	size_t below, above;

	if (!t->count)
		return NAN;
	at = q * (double)(t->count - 1);
	below = (size_t)at;
	above = below + (at > (double)below);
	memcpy(sorted, t->sample, t->count * sizeof(sorted[0]));
	qsort(sorted, t->count, sizeof(sorted[0]), compare);
	return sorted[below] +
	       (at - (double)below) * (sorted[above] - sorted[below]);
}

double study_median(const struct study_times *t)
{
	return study_quantile(t, 0.5);
}

double study_least(const struct study_times *t)
{
	double least = t->count ? t->sample[0] : NAN;

	for (size_t i = 1; i < t->count; i++)
		least = fmin(least, t->sample[i]);
	return least;
}

double study_simulated(const struct study_program *p, int system, int t)
{
	const struct study_run *one = &p->run[system][ONE];
	const struct study_run *more = &p->run[system][t];

	return one->ran && more->ran ? one->ns / more->ns : NAN;
}

double study_measured(const struct study_program *p, int t)
{
	return study_median(&p->measured[ONE]) / study_median(&p->measured[t]);
}

double study_difference(const struct study *s, int system, int t)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->programs; i++) {
		const struct study_program *p = &s->program[i];
		double d =
			study_simulated(p, system, t) / study_measured(p, t) -
			1;

		if (isnan(d))
			continue;
		sum += fabs(d);
		n++;
	}
	return n ? sum / (double)n : NAN;
}

/* ---- runs ---- */

/* The place of a reason; new ones are added. */
static size_t slot_of(struct study *s, const char *name)
{
	size_t i = 0;

	while (i < s->slots && strcmp(s->slot[i], name) != 0)
		i++;
	if (i == s->slots && i < STUDY_SLOTS)
		s->slot[s->slots++] = name;
	return i;
}

static const struct json_node *section_of(const struct json_node *run)
{
	const struct json_node *all = json_get(run, "region_stats");

	for (const struct json_node *r = all ? all->first : NULL; r;
	     r = r->next)
		if (json_get_number(r, "region", -1) == SECTION)
			return r;
	return NULL;
}

/* A file that is there; NULL: it has not run. */
static enum err open_run(const struct json_node **file, struct study *s,
			 const char *path, struct diag *d)
{
	FILE *there = fopen(path, "r");

	*file = NULL;
	if (!there)
		return ERR_OK;
	fclose(there);
	return json_read_file(file, &s->arena, path, d);
}

static enum err read_run(struct study *s, struct study_run *run,
			 const char *path, struct diag *d)
{
	const struct json_node *file, *r, *slots;

	if (open_run(&file, s, path, d))
		return d->code;
	if (!file)
		return ERR_OK;
	r = section_of(file);
	slots = json_get(r, "cpu.slot");
	if (!slots)
		return fail(d, ERR_SYNTAX, "'%.200s' has no parallel section",
			    path);
	*run = (struct study_run){
		.ran = true,
		.ns = json_get_number(r, "nanoseconds", NAN),
		.cycles = json_get_number(r, "cycles", NAN),
		.instructions = json_get_number(r, "cpu.instructions", NAN),
		.upgrades = json_get_number(r, "memory.l3.upgrades", NAN),
		.forwards = json_get_number(r, "memory.l3.forwards", NAN),
		.invalidations =
			json_get_number(r, "memory.l2.invalidations", NAN),
	};
	for (const struct json_node *v = slots->first; v; v = v->next) {
		size_t i = slot_of(s, v->key);

		if (i == STUDY_SLOTS)
			return fail(d, ERR_RANGE, "'%.200s': too many reasons",
				    path);
		run->slot[i] = v->number;
	}
	return ERR_OK;
}

static enum err read_opencl(struct study *s, struct study_opencl *run,
			    const char *path, struct diag *d)
{
	const struct json_node *file, *cl, *kernels;

	if (open_run(&file, s, path, d))
		return d->code;
	if (!file)
		return ERR_OK;
	cl = json_get(file, "opencl");
	kernels = json_get(cl, "kernels");
	if (!kernels) /* its GPU had no time */
		return ERR_OK;
	*run = (struct study_opencl){
		.ran = true,
		.section = json_get_number(cl, "region_ns", NAN),
		.kernel = json_get_number(cl, "kernel_ns", NAN),
		.call = json_get_number(cl, "call_ns", NAN),
		.copy = json_get_number(cl, "copy_ns", NAN),
		.reads = json_get_number(cl, "memory.memory.reads", NAN),
	};
	for (const struct json_node *k = kernels->first; k; k = k->next)
		run->fence += json_get_number(k, "fence_ns", NAN);
	return ERR_OK;
}

static enum err add_missing(struct study *s, const char *name, struct diag *d)
{
	const char *copy = arena_strndup(&s->arena, name, strlen(name));

	if (!copy)
		return fail(d, ERR_NOMEM, "out of memory");
	s->missing[s->missing_count++] = copy;
	return ERR_OK;
}

/* Coherence matters to four threads. */
static bool is_simulated(int system, int t)
{
	return system != INCOHERENT || t == FOUR;
}

static enum err read_program(struct study *s, struct study_program *p,
			     const char *runs, struct diag *d)
{
	static const char *const suffix[STUDY_SYSTEMS] = {
		[PAPER] = "", [HARDWARE] = "-hardware", [INCOHERENT] = "-none"
	};
	char name[128], path[PATH_MAX];

	for (int system = 0; system < STUDY_SYSTEMS; system++)
		for (int t = 0; t < STUDY_THREADS; t++) {
			struct study_run *run = &p->run[system][t];

			snprintf(name, sizeof(name), "%.64s-%d%s", p->name,
				 study_threads[t], suffix[system]);
			snprintf(path, sizeof(path), "%s/%s.json", runs, name);
			if (read_run(s, run, path, d))
				return d->code;
			if (!run->ran && is_simulated(system, t) &&
			    add_missing(s, name, d))
				return d->code;
		}
	for (int v = 0; v < STUDY_VARIANTS; v++) {
		snprintf(name, sizeof(name), "%.64s-%s", p->name,
			 study_variants[v].name);
		snprintf(path, sizeof(path), "%s/%s.json", runs, name);
		if (read_opencl(s, &p->opencl[v], path, d))
			return d->code;
		if (!p->opencl[v].ran && add_missing(s, name, d))
			return d->code;
	}
	return ERR_OK;
}

/* ---- measurements ---- */

static struct study_program *program_of(struct study *s, const char *name)
{
	for (size_t i = 0; i < s->programs; i++)
		if (!strcmp(s->program[i].name, name))
			return &s->program[i];
	if (s->programs == STUDY_PROGRAMS)
		return NULL;
	s->program[s->programs].name = name;
	return &s->program[s->programs++];
}

static void add_sample(struct study_times *t, double v, double pace)
{
	if (t->count == STUDY_SAMPLES)
		return;
	t->pace[t->count] = pace;
	t->sample[t->count++] = v;
}

/* Where another program had the other half of a core, a run's pace is 1.6 to 2 times
 * the best. */
static const double disturbed = 1.3;

static double best_pace(const struct study *s)
{
	double best = INFINITY;

	for (size_t i = 0; i < s->programs; i++)
		for (int t = 0; t < STUDY_THREADS; t++) {
			const struct study_times *m =
				&s->program[i].measured[t];

			for (size_t k = 0; k < m->count; k++)
				best = fmin(best, m->pace[k]);
		}
	return best;
}

/* Keeps the runs whose processors had about the pace of the best. */
static void keep_undisturbed(struct study *s)
{
	double most = disturbed * best_pace(s);

	for (size_t i = 0; i < s->programs; i++)
		for (int t = 0; t < STUDY_THREADS; t++) {
			struct study_times *m = &s->program[i].measured[t];

			m->all = m->count;
			m->count = 0;
			for (size_t k = 0; k < m->all; k++)
				if (m->pace[k] <= most)
					m->sample[m->count++] = m->sample[k];
		}
}

/* program,size,threads,run,ns,pace_ns */
static void add_openmp(struct study_program *p, const char *const *field)
{
	for (int t = 0; t < STUDY_THREADS; t++)
		if (study_threads[t] == atoi(field[2]))
			add_sample(&p->measured[t], strtod(field[4], NULL),
				   strtod(field[5], NULL));
}

/* program,size,run,section_ns,calls_ns,kernels_ns,launches */
static void add_opencl(struct study_program *p, const char *const *field)
{
	double section = strtod(field[3], NULL);

	add_sample(&p->sections, section, 0);
	add_sample(&p->shares, strtod(field[5], NULL) / section, 0);
}

static enum err read_times(
	struct study *s, const char *folder, const char *name, size_t columns,
	void add(struct study_program *, const char *const *), struct diag *d)
{
	struct study_csv c = { 0 };
	char path[PATH_MAX];
	enum err e;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	e = study_csv_open(&c, &s->arena, path, "program", d);
	while (!e && !csv_ended(&c.r)) {
		struct study_program *p;

		e = csv_read_row(&c.r, d);
		if (e)
			return e;
		if (c.r.count != columns)
			return fail(d, ERR_SYNTAX,
				    "%s: a line has %zu columns, not %zu", name,
				    c.r.count, columns);
		p = program_of(s, c.r.fields[0]);
		if (!p)
			return fail(d, ERR_RANGE, "%s: too many programs",
				    name);
		add(p, (const char *const *)c.r.fields);
	}
	return e;
}

static enum err read_machine(struct study *s, const char *folder,
			     struct diag *d)
{
	static const char key[] = "frequency in use: ";
	char path[PATH_MAX], line[512];
	FILE *from;

	snprintf(path, sizeof(path), "%s/machine.txt", folder);
	from = fopen(path, "r");
	if (!from)
		return fail(d, ERR_IO, "cannot read '%.200s'", path);
	s->mhz = NAN;
	while (fgets(line, sizeof(line), from))
		if (!strncmp(line, key, strlen(key)))
			s->mhz = strtod(line + strlen(key), NULL);
	fclose(from);
	return ERR_OK;
}

enum err study_read(struct study *s, const char *runs, const char *measured,
		    struct diag *d)
{
	*s = (struct study){ 0 };
	if (read_times(s, measured, "openmp.csv", 6, add_openmp, d) ||
	    read_times(s, measured, "opencl.csv", 7, add_opencl, d) ||
	    read_machine(s, measured, d))
		return d->code;
	keep_undisturbed(s);
	for (size_t i = 0; i < s->programs; i++)
		if (read_program(s, &s->program[i], runs, d))
			return d->code;
	return s->slots ? ERR_OK :
			  fail(d, ERR_RANGE, "'%.200s' has no run", runs);
}

void study_free(struct study *s)
{
	arena_free(&s->arena);
}
