/* Reads the runs and the measurements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/csvread.h"
#include "study.h"

const int study_threads[STUDY_THREADS] = { 1, 2, 4 };

enum { SECTION = 1 /* the region of the parallel section */ };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double study_median(const struct study_times *t)
{
	double sorted[STUDY_SAMPLES];

	if (!t->count)
		return NAN;
	memcpy(sorted, t->sample, t->count * sizeof(sorted[0]));
	qsort(sorted, t->count, sizeof(sorted[0]), compare);
	return (sorted[(t->count - 1) / 2] + sorted[t->count / 2]) / 2;
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

static enum err read_run(struct study *s, struct study_run *run,
			 const char *path, struct diag *d)
{
	const struct json_node *file, *r, *slots;
	FILE *there = fopen(path, "r");

	if (!there)
		return ERR_OK; /* it has not run */
	fclose(there);
	if (json_read_file(&file, &s->arena, path, d))
		return d->code;
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

static enum err read_program(struct study *s, struct study_program *p,
			     const char *runs, struct diag *d)
{
	static const char *const suffix[STUDY_SYSTEMS] = {
		[PAPER] = "", [HARDWARE] = "-hardware", [INCOHERENT] = "-none"
	};
	char path[PATH_MAX];

	for (int system = 0; system < STUDY_SYSTEMS; system++)
		for (int t = 0; t < STUDY_THREADS; t++) {
			snprintf(path, sizeof(path), "%s/%s-%d%s.json", runs,
				 p->name, study_threads[t], suffix[system]);
			if (read_run(s, &p->run[system][t], path, d))
				return d->code;
		}
	return ERR_OK;
}

/* ---- measurements ---- */

struct study_csv {
	struct csv_reader r;
	char *text;
	size_t size;
};

static enum err open_csv(struct study_csv *c, struct study *s, const char *path,
			 struct diag *d)
{
	FILE *from = fopen(path, "r");
	size_t room = 1 << 20;

	if (!from)
		return fail(d, ERR_IO, "cannot read '%.200s'", path);
	c->text = arena_new(&s->arena, char, room);
	c->size = c->text ? fread(c->text, 1, room, from) : 0;
	fclose(from);
	if (!c->text || c->size == room)
		return fail(d, ERR_NOMEM, "'%.200s' is too large", path);
	if (csv_start(&c->r, &s->arena, path, c->text, c->size, d) ||
	    csv_read_row(&c->r, d))
		return d->code;
	return csv_find(&c->r, "program") == 0 ?
		       ERR_OK :
		       fail(d, ERR_SYNTAX,
			    "'%.200s': the first column is not program", path);
}

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

static void add_time(struct study_program *p, int threads, double ns)
{
	for (int t = 0; t < STUDY_THREADS; t++) {
		struct study_times *times = &p->measured[t];

		if (study_threads[t] == threads && times->count < STUDY_SAMPLES)
			times->sample[times->count++] = ns;
	}
}

/* program,size,threads,run,ns */
static enum err read_times(struct study *s, const char *folder, struct diag *d)
{
	struct study_csv c = { 0 };
	char path[PATH_MAX];
	enum err e;

	snprintf(path, sizeof(path), "%s/openmp.csv", folder);
	e = open_csv(&c, s, path, d);
	while (!e && !csv_ended(&c.r)) {
		struct study_program *p;

		e = csv_read_row(&c.r, d);
		if (e || c.r.count != 5)
			continue;
		p = program_of(s, c.r.fields[0]);
		if (!p)
			return fail(d, ERR_RANGE, "'%.200s': too many programs",
				    path);
		add_time(p, atoi(c.r.fields[2]), strtod(c.r.fields[4], NULL));
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
	if (read_times(s, measured, d) || read_machine(s, measured, d))
		return d->code;
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
