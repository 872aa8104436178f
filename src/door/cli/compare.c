/* heddle compare: shows two or more runs side by side. */
#include "explore/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonwrite.h"
#include "base/outfile.h"
#include "cfg/param.h"
#include "door/cli/commands.h"
#include "door/cli/compare.h"
#include "door/cli/fileuse.h"
#include "door/cli/text.h"
#include "explore/html.h"
#include "explore/swept.h"

struct compare_cli_options {
	struct words only;
	double min_change;
	bool all;
	const char *json, *csv, *html;
};

/* 1% or 0.01 */
static enum err opt_share(void *to, const char *value, struct diag *d)
{
	char *end;
	double v = strtod(value, &end);

	if (end != value && !strcmp(end, "%")) {
		v /= 100;
		end++;
	}
	if (end == value || *end || !(v >= 0 && v < 1e9))
		return fail(d, ERR_SYNTAX,
			    "expected a change such as 1%% or 0.01");
	*(double *)to = v;
	return ERR_OK;
}

#define AT(field) offsetof(struct compare_cli_options, field)

static const struct opt compare_opts[] = {
	{ "min-change", 0, "CHANGE",
	  "leave out statistics that changed by less, such as 1% (0)",
	  opt_share, AT(min_change) },
	{ "only", 0, "PATTERN",
	  "show only statistics with this name, such as 'l2.*'; may be repeated",
	  opt_words, AT(only) },
	{ "all", 0, NULL, "show every statistic that differs, however little",
	  opt_on, AT(all) },
	{ "json", 0, "FILE", "write JSON; - is standard output", opt_string,
	  AT(json) },
	{ "csv", 0, "FILE", "write CSV; - is standard output", opt_string,
	  AT(csv) },
	{ "html", 0, "FILE", "write a page; - is standard output", opt_string,
	  AT(html) },
	OPT_END
};

static const char compare_details[] =
	"RUN is the file of 'heddle run --gpu NAME --json FILE', the folder of\n"
	"'heddle exec --gpu NAME --out FOLDER', or a point of a sweep as\n"
	"DATABASE:POINT, with the point's number on the sweep's page.\n"
	"\n"
	"Changes are relative to the first run. First come the issue slots that\n"
	"moved from one reason to another, with the cycles that they make up; then\n"
	"the statistics, those first whose change costs the most cycles at the peak\n"
	"rate of the component that counts them. 'new' is a change from 0, 'gone' a\n"
	"change to 0. Changes below 0.5% of the cycles are folded into one line. A\n"
	"run that was cut short, by an interrupt, --max-cycles or a fault, is\n"
	"refused: its cycles are not the program's.\n"
	"\n"
	"Example:\n"
	"  heddle compare h200.json half.json --min-change 5% --only 'l2.*'\n";

static void compare_json_slots(struct json *j, const struct compare *c)
{
	json_open(j, "slots", '[');
	for (size_t i = 0; i < c->slot_count; i++) {
		const struct compare_slots *s = &c->slots[i];

		json_open_line(j, NULL, '{');
		json_string(j, "reason", s->name);
		json_bool(j, "known", s->reason >= 0);
		json_open(j, "slots", '[');
		for (size_t k = 0; k < c->count; k++)
			json_real(j, NULL, s->slots[k]);
		json_close(j, '[');
		json_open(j, "cycles", '[');
		for (size_t k = 0; k < c->count; k++)
			json_real(j, NULL, s->cycles[k]);
		json_close(j, '[');
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void compare_json_runs(struct json *j, const struct compare *c)
{
	json_open(j, "runs", '[');
	for (size_t k = 0; k < c->count; k++) {
		json_open(j, NULL, '{');
		json_string(j, "run", c->runs[k].name);
		json_string(j, "program", c->runs[k].program);
		json_string(j, "gpu", c->runs[k].gpu);
		json_uint(j, "launches", c->runs[k].launches);
		json_real(j, "cycles", c->runs[k].cycles);
		json_real(j, "gpu_seconds", c->runs[k].seconds);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void compare_json_config(struct json *j, const struct compare *c)
{
	char text[CFG_VALUE_SIZE];

	json_open(j, "config", '{');
	for (size_t i = 0; i < c->param_count; i++) {
		json_open_line(j, cfg_params[c->params[i]].key, '[');
		for (size_t k = 0; k < c->count; k++) {
			cfg_value_print(text, &c->runs[k].cfg, c->params[i]);
			json_string(j, NULL, text);
		}
		json_close(j, '[');
	}
	json_close(j, '{');
}

static void compare_write_json(FILE *to, const struct compare *c)
{
	char key[STAT_KEY_SIZE];
	struct json j = { .to = to };

	json_open(&j, NULL, '{');
	compare_json_runs(&j, c);
	compare_json_config(&j, c);
	compare_json_slots(&j, c);
	json_open(&j, "statistics", '[');
	for (size_t i = 0; i < c->row_count; i++) {
		unsigned stat = c->rows[i].stat;

		stat_key(key, stat);
		json_open_line(&j, NULL, '{');
		json_string(&j, "name", key);
		json_open(&j, "values", '[');
		for (size_t k = 0; k < c->count; k++)
			json_real(&j, NULL, c->runs[k].values[stat]);
		json_close(&j, '[');
		json_real(&j, "effect_cycles", c->rows[i].effect);
		json_close(&j, '{');
	}
	json_close(&j, '[');
	json_close(&j, '{');
}

static void compare_write_csv(FILE *to, const struct compare *c)
{
	char text[CFG_VALUE_SIZE], key[STAT_KEY_SIZE];

	fputs("name", to);
	for (size_t k = 0; k < c->count; k++) {
		fputc(',', to);
		csv_text(to, c->runs[k].name);
	}
	for (size_t k = 1; k < c->count; k++)
		fprintf(to, ",change %c", compare_letter(k));
	fputs(",effect\n", to);
	for (size_t i = 0; i < c->param_count; i++) {
		fprintf(to, "config.%s", cfg_params[c->params[i]].key);
		for (size_t k = 0; k < c->count; k++) {
			cfg_value_print(text, &c->runs[k].cfg, c->params[i]);
			fputc(',', to);
			csv_text(to, text);
		}
		for (size_t k = 0; k < c->count; k++)
			fputc(',', to);
		fputc('\n', to);
	}
	for (size_t i = 0; i < c->row_count; i++) {
		unsigned stat = c->rows[i].stat;
		double first = c->runs[0].values[stat];

		stat_key(key, stat);
		fputs(key, to);
		for (size_t k = 0; k < c->count; k++)
			csv_real(to, c->runs[k].values[stat]);
		for (size_t k = 1; k < c->count; k++)
			csv_real(to, compare_change(first,
						    c->runs[k].values[stat]));
		csv_real(to, c->rows[i].effect);
		fputc('\n', to);
	}
}

static enum err compare_write_file(const struct compare *c, const char *path,
				   void (*write)(FILE *to,
						 const struct compare *c),
				   struct diag *d)
{
	struct outfile page;

	if (!path)
		return ERR_OK;
	if (outfile_open(&page, path, d))
		return d->code;
	write(page.to, c);
	return outfile_close(&page, ERR_OK, d);
}

/* Adds a run, or a point of a sweep: DB:POINT, which is not the name of a
 * file. */
static enum err compare_add_path(struct compare *c, const char *path,
				 struct diag *d)
{
	const char *colon = strrchr(path, ':');
	struct run_result run;
	char *end, *db;
	long long point;
	enum err e;

	if (colon && colon[1] && access(path, F_OK)) {
		point = strtoll(colon + 1, &end, 10);
		db = *end ? NULL : strndup(path, (size_t)(colon - path));
		if (db) {
			e = swept_compare(c, db, point, path, d);
			free(db);
			return e;
		}
	}
	e = run_read(&run, path, d);
	if (!e)
		e = run_check_complete(&run, d);
	if (!e)
		e = compare_add(c, &run, path, d);
	run_free(&run);
	return e;
}

/* Refuses files that cannot be written, or that are also read. */
static enum err compare_check_files(const struct compare_cli_options *o,
				    const struct words *runs, struct diag *d)
{
	struct file_uses u = { 0 };
	enum err e = ERR_OK;

	for (size_t i = 0; !e && i < runs->count; i++)
		e = file_uses_add(&u, "RUN", runs->at[i], false, d);
	if (!e)
		e = file_uses_add(&u, "--json", o->json, true, d);
	if (!e)
		e = file_uses_add(&u, "--csv", o->csv, true, d);
	if (!e)
		e = file_uses_add(&u, "--html", o->html, true, d);
	if (!e)
		e = file_uses_check(&u, d);
	file_uses_free(&u);
	return e;
}

static enum err compare_all(struct compare *c,
			    const struct compare_cli_options *o,
			    const struct words *runs, struct diag *d)
{
	struct compare_options how = { .min_change = o->min_change,
				       .all = o->all,
				       .only = o->only.at,
				       .only_count = o->only.count };
	enum err e = compare_check_files(o, runs, d);

	for (size_t i = 0; !e && i < runs->count; i++)
		e = compare_add_path(c, runs->at[i], d);
	if (e || compare_rows(c, &how, d) ||
	    compare_write_file(c, o->json, compare_write_json, d) ||
	    compare_write_file(c, o->csv, compare_write_csv, d) ||
	    compare_write_file(c, o->html, report_compare, d))
		return d->code;
	if (!o->json && !o->csv && !o->html)
		compare_print(c);
	return ERR_OK;
}

static int compare_main(int argc, char **argv)
{
	struct compare_cli_options o = { 0 };
	struct words runs = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_compare, to, argc, argv, &runs);
	struct compare c = { 0 };
	struct diag d;

	if (code < 0 && runs.count < 2) {
		say_error("expected at least two runs");
		fputs("Try 'heddle compare --help'.\n", stderr);
		code = EXIT_USAGE;
	}
	if (code < 0) {
		code = EXIT_OK;
		if (compare_all(&c, &o, &runs, &d)) {
			say_error("%s", d.text);
			code = EXIT_INPUT;
		}
	}
	compare_free(&c);
	words_free(&runs);
	words_free(&o.only);
	return code;
}

const struct command cmd_compare = {
	.name = "compare",
	.summary =
		"Show two or more runs side by side, and what moved between them",
	.usage = "RUN RUN... [OPTIONS]",
	.details = compare_details,
	.tables = { compare_opts },
	.run = compare_main,
};
