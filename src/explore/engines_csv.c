/* The tables as CSV, one row for each program. */
#include <math.h>
#include <stddef.h>

#include "explore/engines.h"

enum { MAX_COLUMNS = 6 };

/* A column: a member of struct engines_sum. One without a name ends a list. */
struct column {
	const char *name;
	size_t at;
};

#define COLUMN(name, field)                               \
	{                                                 \
		name, offsetof(struct engines_sum, field) \
	}

/* Columns of serial, then those of each other engine. */
struct table {
	const char *file;
	struct column serial[MAX_COLUMNS], each[MAX_COLUMNS];
};

static const struct table tables[] = {
	{ "engines-speed.csv",
	  { COLUMN("seconds", seconds), COLUMN("warp-instructions/s", rate) },
	  { COLUMN("speed-up", speedup) } },
	{ "engines-cycles.csv",
	  { COLUMN("cycles", cycles) },
	  { COLUMN("error %", error), COLUMN("variation %", variation),
	    COLUMN("late messages", late) } },
	{ "engines-sms.csv",
	  { { NULL, 0 } },
	  { COLUMN("accuracy %", sm_accuracy),
	    COLUMN("variation %", sm_variation),
	    COLUMN("worst error %", sm_worst) } },
	{ "engines-blocks.csv",
	  { COLUMN("deviation", deviation), COLUMN("gap", gap) },
	  { COLUMN("deviation", deviation), COLUMN("gap", gap) } },
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

static void csv_put_text(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

/* NaN: an empty field. */
static void csv_put_real(FILE *f, double v)
{
	fputc(',', f);
	if (!isnan(v))
		fprintf(f, "%.9g", v);
}

static void csv_put_columns(FILE *f, const struct engines *e,
			    const struct column *c, size_t program,
			    size_t engine)
{
	struct engines_sum s = engines_sum(e, program, engine);

	for (; c->name; c++)
		csv_put_real(f, *(const double *)((const char *)&s + c->at));
}

static enum err csv_write_table(const struct engines *e, const struct table *t,
				struct diag *d)
{
	FILE *f = engines_create(e, t->file, d);

	if (!f)
		return d->code;
	fputs("program", f);
	for (const struct column *c = t->serial; c->name; c++)
		fprintf(f, ",serial %s", c->name);
	for (size_t k = 1; k < e->engine_count; k++)
		for (const struct column *c = t->each; c->name; c++)
			fprintf(f, ",%s %s", e->engine[k].name, c->name);
	fputc('\n', f);
	for (size_t i = 0; i < e->program_count; i++) {
		csv_put_text(f, e->program[i].label);
		csv_put_columns(f, e, t->serial, i, 0);
		for (size_t k = 1; k < e->engine_count; k++)
			csv_put_columns(f, e, t->each, i, k);
		fputc('\n', f);
	}
	return engines_finish(f, t->file, d);
}

static void csv_put_shares(FILE *f, const double *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		csv_put_real(f, part ? engines_share(part, n, i) : NAN);
}

static enum err csv_write_mix(const struct engines *e, struct diag *d)
{
	static const char name[] = "engines-mix.csv";
	FILE *f = engines_create(e, name, d);

	if (!f)
		return d->code;
	fputs("program", f);
	for (int i = 0; i < MIXES; i++)
		fprintf(f, ",%s %%", mix_names[i]);
	for (int i = 0; i < COSTS; i++)
		fprintf(f, ",host time of %s %%", cost_names[i]);
	fputc('\n', f);
	for (size_t i = 0; i < e->program_count; i++) {
		const struct engines_run *r = engines_host_timed(e, i);

		csv_put_text(f, e->program[i].label);
		csv_put_shares(f, r ? r->mix : NULL, MIXES);
		csv_put_shares(f, r ? r->cost : NULL, COSTS);
		fputc('\n', f);
	}
	return engines_finish(f, name, d);
}

/* One row for each SM of a program: cycles and error of each engine. */
static enum err csv_write_sms(const struct engines *e, size_t program,
			      struct diag *d)
{
	size_t sms = engines_run_of(e, program, 0, 0)->sms;
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), "engines-sms-%zu.csv", program + 1);
	f = engines_create(e, name, d);
	if (!f)
		return d->code;
	fputs("SM,serial cycles", f);
	for (size_t k = 1; k < e->engine_count; k++)
		fprintf(f, ",%s cycles,%s error %%", e->engine[k].name,
			e->engine[k].name);
	fputc('\n', f);
	for (size_t i = 0; i < sms; i++) {
		fprintf(f, "%zu", i);
		csv_put_real(f, engines_sm_end(e, program, 0, i));
		for (size_t k = 1; k < e->engine_count; k++) {
			bool whole = engines_complete(e, program, k);

			csv_put_real(f,
				     whole ? engines_sm_end(e, program, k, i) :
					     NAN);
			csv_put_real(f, whole ? engines_sm_error(e, program, k,
								 i) :
						NAN);
		}
		fputc('\n', f);
	}
	return engines_finish(f, name, d);
}

enum err engines_csv(const struct engines *e, struct diag *d)
{
	for (size_t i = 0; i < TABLES; i++)
		if (csv_write_table(e, &tables[i], d))
			return d->code;
	for (size_t i = 0; i < e->program_count; i++)
		if (engines_complete(e, i, 0) && csv_write_sms(e, i, d))
			return d->code;
	return csv_write_mix(e, d);
}
