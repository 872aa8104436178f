/* Reads profiles and runs, and sums them up by program. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore/csvread.h"
#include "jain.h"

const char *const jain_set_names[JAIN_SETS] = { "ptx", "sass" };

/* clang-format off */
const struct jain_variant_info jain_variants[JAIN_VARIANTS] = {
#define VARIANT(id, its_name, its_isa, its_stage, its_options) \
	[JAIN_##id] = { .name = its_name, .isa = its_isa, \
		.options = its_options, .stage = JAIN_STAGE_##its_stage },
#include "variants.def"
};

const struct jain_study_info jain_study_info[JAIN_STUDIED] = {
#define PROGRAM(id, name, source, theirs, says) \
	[JAIN_##id] = { name, source, theirs, says },
#include "paper.def"
};

const struct jain_without jain_without[] = {
#define WITHOUT(name, why) { name, why },
#include "paper.def"
	{ NULL, NULL }
};
/* clang-format on */

enum jain_variant jain_scheduled(bool own_l1, enum jain_set set, bool ccws)
{
	return JAIN_GTO_PTX + (own_l1 ? 4 : 0) + (set == JAIN_SASS ? 2 : 0) +
	       (ccws ? 1 : 0);
}

enum err jain_path(char out[PATH_MAX], struct diag *d, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(out, PATH_MAX, fmt, ap);
	va_end(ap);
	return n >= 0 && n < PATH_MAX ?
		       ERR_OK :
		       fail(d, ERR_RANGE, "the path '%.200s...' is too long", out);
}

/* ---- profiles ---- */

static bool same_launch(const struct measured_launch *a,
			const struct measured_launch *b)
{
	return !strcmp(a->kernel, b->kernel) &&
	       !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block));
}

/* Adds the metrics of a second profile, whose launches must be the first ones
 * of *m. The second one must outlive the first. */
static enum err merge_profiles(struct measured *m, const struct measured *more,
			       struct diag *d)
{
	for (size_t i = 0; i < more->count && i < m->count; i++) {
		const struct measured_launch *from = &more->launches[i];
		struct measured_launch *to = &m->launches[i];
		struct measured_value *both;

		if (!same_launch(to, from))
			return fail(d, ERR_MISMATCH,
				    "'%.200s', line %u: %.80s is not the "
				    "launch of '%.200s' in this place",
				    more->path, from->line, from->kernel,
				    m->path);
		both = arena_new(&m->arena, struct measured_value,
				 to->value_count + from->value_count + 1);
		if (!both)
			return fail(d, ERR_NOMEM, "out of memory");
		memcpy(both, to->values, to->value_count * sizeof(*both));
		to->values = both;
		for (size_t k = 0; k < from->value_count; k++)
			measured_add_value(to, from->values[k].name,
					   from->values[k].unit,
					   from->values[k].text,
					   from->values[k].line);
	}
	return ERR_OK;
}

/* A program's profiles, and where they are. */
struct profiles {
	struct measured first, more;
	char path[2][PATH_MAX];
};

/* Reads NAME.csv of both folders; the second one need not have it. */
static enum err read_profiles(struct profiles *p, const struct jain_files *f,
			      const char *name, struct diag *d)
{
	if (jain_path(p->path[0], d, "%s/%s.csv", f->profiles, name) ||
	    jain_path(p->path[1], d, "%s/%s.csv", f->more, name) ||
	    measured_read(&p->first, p->path[0], d))
		return d->code;
	if (access(p->path[1], F_OK))
		return ERR_OK;
	if (measured_read(&p->more, p->path[1], d))
		return d->code;
	return merge_profiles(&p->first, &p->more, d);
}

/* ---- runs ---- */

static void sum_side(struct jain_side *s, const struct run_result *r)
{
	for (size_t i = 0; i < r->launch_count; i++) {
		const struct run_launch *l = &r->launches[i];

		if (!l->timed)
			continue;
		s->cycles += (double)l->cycles;
		stats_add(&s->stats,
			  l->at_once > 1 && l->own_known ? &l->own : &l->stats);
	}
}

/* Reads the run of a set and joins it with the profile. */
static enum err read_side(struct jain *j, struct jain_program *p,
			  enum jain_set set, const struct jain_files *f,
			  const struct measured *m, struct diag *d)
{
	struct correlate_source from = { .program = p->name,
					 .set = jain_set_names[set],
					 .profile = f->profiles };
	struct run_result r = { 0 };
	char path[PATH_MAX];
	enum err e;

	if (jain_path(path, d, "%s/runs/%s/%s", f->runs, jain_set_names[set],
		      p->name))
		return d->code;
	from.run = path;
	e = run_read(&r, path, d);
	if (!e)
		e = run_check_complete(&r, d);
	if (!e)
		e = correlate_join(&j->c, &from, m, &r, d);
	if (!e)
		sum_side(&p->side[set], &r);
	run_free(&r);
	return e;
}

/* The whole text of a file; NULL: there is none, or it cannot be read. */
static char *read_text(const char *path, size_t *size)
{
	FILE *from = fopen(path, "rb");
	char *text = NULL;
	long end;

	if (!from)
		return NULL;
	if (!fseek(from, 0, SEEK_END) && (end = ftell(from)) >= 0 &&
	    !fseek(from, 0, SEEK_SET))
		text = malloc((size_t)end + 1);
	*size = text ? fread(text, 1, (size_t)end, from) : 0;
	fclose(from);
	return text;
}

/* Adds a column of a row, by its name in the header. */
static enum err add_column(double *sum, const struct csv_reader *r, int column,
			   struct diag *d)
{
	char *end;
	double v;

	if (column < 0 || (size_t)column >= r->count)
		return fail(d, ERR_SYNTAX, "'%.200s', line %u: a column is missing",
			    r->name, r->row_line);
	v = strtod(r->fields[column], &end);
	if (*end || end == r->fields[column])
		return fail(d, ERR_SYNTAX,
			    "'%.200s', line %u: '%.40s' is not a number",
			    r->name, r->row_line, r->fields[column]);
	*sum += v;
	return ERR_OK;
}

static enum err sum_statistics(struct jain_variant_run *v, struct csv_reader *r,
			       struct diag *d)
{
	int cycles, sectors, missed;

	if (csv_read_row(r, d))
		return d->code;
	cycles = csv_find(r, "gpu.cycles");
	sectors = csv_find(r, "l1.sectors_read");
	missed = csv_find(r, "l1.sectors_missed");
	*v = (struct jain_variant_run){ 0 };
	while (!csv_ended(r))
		if (csv_read_row(r, d) || add_column(&v->cycles, r, cycles, d) ||
		    add_column(&v->l1_sectors, r, sectors, d) ||
		    add_column(&v->l1_missed, r, missed, d))
			return d->code;
	return ERR_OK;
}

/* A variant that was not run is not known. */
static enum err read_variant(struct jain_variant_run *v, const char *runs,
			     enum jain_variant variant, const char *program,
			     struct diag *d)
{
	struct arena a = { 0 };
	struct csv_reader r;
	char path[PATH_MAX], *text;
	size_t size;
	enum err e = ERR_OK;

	*v = (struct jain_variant_run){ NAN, NAN, NAN };
	if (jain_path(path, d, "%s/runs/%s/%s.csv", runs,
		      jain_variants[variant].name, program))
		return d->code;
	text = read_text(path, &size);
	if (text) {
		e = csv_start(&r, &a, path, text, size, d);
		if (!e)
			e = sum_statistics(v, &r, d);
	}
	arena_free(&a);
	free(text);
	return e;
}

/* ---- traits ---- */

/* The mean of a metric of hardware over a program's launches. */
struct weighted {
	double sum, weight;
};

static void weighted_add(struct weighted *w, double v, double weight)
{
	if (isnan(v) || isnan(weight))
		return;
	w->sum += v * weight;
	w->weight += weight;
}

static double weighted_mean(const struct weighted *w)
{
	return w->weight > 0 ? w->sum / w->weight : NAN;
}

/* What hardware measured; the launches of one set have it all. */
static void hardware_traits(struct jain_program *p, const struct correlate *c,
			    const struct correlate_pair *pair)
{
	struct weighted l1 = { 0 }, l2 = { 0 }, dram = { 0 };
	double active = 0;

	for (size_t i = 0; i < pair->count; i++) {
		const double *h = c->points[pair->first + i].hardware;

		p->hardware_cycles += h[CORRELATE_CYCLES];
		p->hardware_instructions += h[CORRELATE_INSTRUCTIONS];
		active += h[CORRELATE_INSTRUCTIONS] / h[CORRELATE_ACTIVE_IPC];
		weighted_add(&l1, 1 - h[CORRELATE_L1_HITS],
			     h[CORRELATE_L1_GLOBAL]);
		weighted_add(&l2, 1 - h[CORRELATE_L2_HITS],
			     h[CORRELATE_L2_SECTORS]);
		weighted_add(&dram, h[CORRELATE_DRAM_USE], h[CORRELATE_CYCLES]);
	}
	p->traits.ipc = p->hardware_instructions / active;
	p->traits.l1_misses = weighted_mean(&l1);
	/* A rate of hits may be a little above 1. */
	p->traits.l2_misses = fmax(weighted_mean(&l2), 0);
	p->traits.dram_use = weighted_mean(&dram);
}

static enum err find_class(struct jain *j, struct jain_program *p,
			   const char *runs, struct diag *d)
{
	struct correlate_pair *pairs = &j->c.pairs[j->c.pair_count - JAIN_SETS];
	double cycles = p->side[JAIN_SASS].cycles;
	struct jain_variant_run small, half;

	if (read_variant(&small, runs, JAIN_SMALL, p->name, d) ||
	    read_variant(&half, runs, JAIN_HALF, p->name, d))
		return d->code;
	hardware_traits(p, &j->c, &pairs[JAIN_SASS]);
	p->traits.cache_gain = small.cycles / cycles;
	p->traits.bandwidth_gain = half.cycles / cycles;
	p->class = jain_classify(&p->traits);
	for (int i = 0; i < JAIN_SETS; i++)
		pairs[i].group = (int)p->class;
	return ERR_OK;
}

/* ---- programs ---- */

static enum err read_runs(struct jain *j, struct jain_program *p,
			  const struct jain_files *f, const struct measured *m,
			  struct diag *d)
{
	for (int i = 0; i < JAIN_SETS; i++)
		if (read_side(j, p, i, f, m, d))
			return d->code;
	return find_class(j, p, f->runs, d);
}

static enum err read_program(struct jain *j, const struct jain_files *f,
			     const char *name, struct diag *d)
{
	struct correlate before = j->c;
	struct jain_program *p = &j->programs[j->count];
	struct profiles profiles = { 0 };
	enum err e;

	*p = (struct jain_program){ 0 };
	p->name = arena_strndup(&j->arena, name, strlen(name));
	if (!p->name)
		return fail(d, ERR_NOMEM, "out of memory");
	e = read_profiles(&profiles, f, name, d);
	if (!e)
		e = read_runs(j, p, f, &profiles.first, d);
	measured_free(&profiles.first);
	measured_free(&profiles.more);
	if (e) {
		/* The other set of this program counts nowhere. */
		j->c.pair_count = before.pair_count;
		j->c.point_count = before.point_count;
		j->c.lone_count = before.lone_count;
		return e;
	}
	j->count++;
	return ERR_OK;
}

static int is_program(const struct dirent *e)
{
	for (size_t i = 0; jain_without[i].name; i++)
		if (!strcmp(jain_without[i].name, e->d_name))
			return 0;
	return e->d_name[0] != '.';
}

static enum err read_study(struct jain *j, const char *runs, struct diag *d)
{
	for (int p = 0; p < JAIN_STUDIED; p++)
		for (int i = 0; i < JAIN_VARIANTS; i++)
			if (read_variant(&j->studied[p][i], runs, i,
					 jain_study_info[p].name, d))
				return d->code;
	return ERR_OK;
}

enum err jain_read(struct jain *j, const struct jain_files *f, struct diag *d)
{
	struct dirent **names = NULL;
	char folder[PATH_MAX];
	int n;

	*j = (struct jain){ 0 };
	if (jain_path(folder, d, "%s/runs/%s", f->runs,
		      jain_set_names[JAIN_SASS]))
		return d->code;
	n = scandir(folder, &names, is_program, alphasort);
	if (n < 0)
		return fail(d, ERR_IO, "cannot read the folder '%.200s': %s",
			    folder, strerror(errno));
	j->programs = arena_new(&j->arena, struct jain_program, (size_t)n + 1);
	for (int i = 0; i < n; i++) {
		if (j->programs && read_program(j, f, names[i]->d_name, d))
			fprintf(stderr, "jain: %s is left out: %s\n",
				names[i]->d_name, d->text);
		free(names[i]);
	}
	free(names);
	if (!j->programs)
		return fail(d, ERR_NOMEM, "out of memory");
	if (read_study(j, f->runs, d))
		return d->code;
	return j->count ? ERR_OK :
			  fail(d, ERR_MISMATCH,
			       "'%.200s' has no program with a profile and "
			       "runs of PTX and machine code",
			       f->runs);
}

void jain_free(struct jain *j)
{
	correlate_free(&j->c);
	arena_free(&j->arena);
}
