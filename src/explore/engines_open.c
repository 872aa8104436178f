#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore/engines.h"
#include "explore/machine.h"
#include "heddle/heddle.h"

enum { MAX_ENGINES = 32 };

/* The length of "slack:" in "slack:K", an engine with a number in its name;
 * else 0. */
static size_t engine_name_stem(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && !strcmp(name + n - 2, ":K") ? n - 1 : 0;
}

static bool engine_is_called(const struct heddle_engine *x, const char *name)
{
	size_t n = engine_name_stem(x->name);
	const char *number = name + n;

	if (!n || strncmp(x->name, name, n))
		return !strcmp(x->name, name);
	return *number && !number[strspn(number, "0123456789")];
}

static enum err no_such_engine(const char *name, struct diag *d)
{
	char names[160];
	struct heddle_engine x;
	size_t used = 0;

	for (size_t i = 0; !heddle_engine_get(i, &x, NULL); i++)
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used,
						 sizeof(names) - used, "%s%s",
						 i ? ", " : "", x.name);
	return fail(d, ERR_UNKNOWN, "no engine named '%.40s'; there are: %s",
		    name, names);
}

static enum err engines_add_engine(struct engines *e, const char *name,
				   struct diag *d)
{
	struct engines_engine *to = &e->engine[e->engine_count];
	struct heddle_engine x;

	for (size_t i = 0; i < e->engine_count; i++)
		if (!strcmp(e->engine[i].name, name))
			return ERR_OK;
	for (size_t i = 0;; i++) {
		if (heddle_engine_get(i, &x, NULL))
			return no_such_engine(name, d);
		if (engine_is_called(&x, name))
			break;
	}
	if (e->engine_count == MAX_ENGINES)
		return fail(d, ERR_RANGE,
			    "too many engines: at most %d can be compared",
			    MAX_ENGINES);
	snprintf(to->name, sizeof(to->name), "%.40s", name);
	to->exact = x.exact;
	to->threads = x.threads;
	e->engine_count++;
	return ERR_OK;
}

/* Adds all engines; one with a number in its name with 10 and with 100, as in
 * the paper. */
static enum err engines_add_all(struct engines *e, struct diag *d)
{
	struct heddle_engine x;
	char name[48];

	for (size_t i = 0; !heddle_engine_get(i, &x, NULL); i++) {
		int n = (int)engine_name_stem(x.name);

		for (int k = 10; n && k <= 100; k *= 10) {
			snprintf(name, sizeof(name), "%.*s%d", n, x.name, k);
			if (engines_add_engine(e, name, d))
				return d->code;
		}
		if (!n && engines_add_engine(e, x.name, d))
			return d->code;
	}
	return ERR_OK;
}

static enum err engines_choose(struct engines *e, const char *list,
			       struct diag *d)
{
	char name[sizeof(e->engine->name)];

	e->engine = calloc(MAX_ENGINES, sizeof(*e->engine));
	if (!e->engine)
		return fail(d, ERR_NOMEM, "out of memory");
	if (engines_add_engine(e, "serial", d))
		return d->code;
	if (!list)
		return engines_add_all(e, d);
	while (*list) {
		size_t n = strcspn(list, ",");

		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		if (engines_add_engine(e, name, d))
			return d->code;
		list += n + (list[n] == ',');
	}
	return ERR_OK;
}

static enum err engines_check_gpu(struct engines *e, struct diag *d)
{
	struct cfg_sheet sheet;
	enum err err;

	cfg_sheet_init(&sheet);
	err = machine_load(&sheet, e->gpu, e->set.at, e->set.count, d);
	if (!err)
		snprintf(e->gpu_name, sizeof(e->gpu_name), "%s",
			 sheet.cfg.gpu.name);
	cfg_sheet_free(&sheet);
	return err;
}

/* Makes the label of the tables: "scan 512". */
static void engines_label_program(struct engines_program *p)
{
	const char *path = p->argv.at[0], *slash = strrchr(path, '/');
	size_t used = 0;

	for (size_t i = 0; i < p->argv.count; i++) {
		const char *word = i ? p->argv.at[i] : slash ? slash + 1 : path;

		if (used < sizeof(p->label))
			used += (size_t)snprintf(p->label + used,
						 sizeof(p->label) - used,
						 "%s%s", i ? " " : "", word);
	}
}

static enum err engines_add_programs(struct engines *e,
				     const struct words *lines, struct diag *d)
{
	e->program = calloc(lines->count, sizeof(*e->program));
	if (!e->program)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < lines->count; i++) {
		struct engines_program *p = &e->program[e->program_count++];

		p->run = calloc((e->engine_count + 1) * e->runs,
				sizeof(*p->run));
		if (!p->run)
			return fail(d, ERR_NOMEM, "out of memory");
		if (words_split(&p->argv, &p->text, lines->at[i], d))
			return d->code;
		p->source = word_ends_with(p->argv.at[0], ".cu") ||
			    word_ends_with(p->argv.at[0], ".ptx");
		engines_label_program(p);
	}
	return ERR_OK;
}

enum err engines_open(struct engines *e, const struct engines_request *q,
		      const struct words *lines, struct diag *d)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	e->gpu = q->gpu ? q->gpu : "gtx285";
	e->set = q->set;
	e->runs = q->runs ? q->runs : 3;
	e->threads = q->threads ? q->threads : cores > 0 ? (unsigned)cores : 1;
	if (engines_choose(e, q->engines, d) || engines_check_gpu(e, d) ||
	    engines_add_programs(e, lines, d) ||
	    engines_folder_open(e, q->out, d))
		return d->code;
	/* Speeds are wall-clock times: other programs disturb them. */
	if (getloadavg(&e->load, 1) != 1)
		e->load = 0;
	return ERR_OK;
}

void engines_close(struct engines *e)
{
	engines_folder_close(e);
	for (size_t i = 0; i < e->program_count; i++) {
		struct engines_program *p = &e->program[i];
		size_t runs = p->run ? engines_runs_of_program(e) : 0;

		for (size_t k = 0; k < runs; k++)
			free(p->run[k].ends);
		free(p->run);
		free(p->text);
		words_free(&p->argv);
	}
	free(e->program);
	free(e->engine);
}

enum err engines_write(const struct engines *e, bool *drawn, struct diag *d)
{
	FILE *f = engines_create(e, "engines.json", d);

	if (!f)
		return d->code;
	engines_json(e, f);
	if (engines_finish(f, "engines.json", d) || engines_csv(e, d))
		return d->code;
	return engines_plot(e, drawn, d);
}
