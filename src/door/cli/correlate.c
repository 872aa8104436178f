/* heddle correlate: compares runs with what a profiler measured on hardware. */
#include "door/cli/correlate.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "door/cli/commands.h"
#include "door/cli/fileuse.h"
#include "door/cli/text.h"
#include "explore/files.h"

#define AT(field) offsetof(struct correlate_options, field)

static const struct opt correlate_opts[] = {
	OPT_HEADING("What is compared:"),
	{ "profiles", 0, "DIR", "a profile NAME.csv of each program is in DIR",
	  opt_string, AT(profiles) },
	{ "runs", 0, "[SET=]DIR",
	  "its run is DIR/NAME, a folder, or DIR/NAME.json; may be repeated, "
	  "to compare sets of runs",
	  opt_words, AT(runs) },
	{ "spread", 0, "FILE",
	  "how much the instructions of launches differ from run to run on "
	  "hardware: CSV with program, launch, minimum and maximum",
	  opt_string, AT(spread) },
	{ "halves", 0, NULL,
	  "sum up programs to look at and those only measured apart", opt_on,
	  AT(halves) },
	OPT_HEADING("Output:"),
	{ "worst", 0, "N", "show the N kernels that are farthest off (10)",
	  opt_u32, AT(worst) },
	{ "limit", 0, "[SET:]METRIC=SHARE",
	  "fail if the mean error over launches is larger, such as cycles=15%; "
	  "may be repeated",
	  opt_words, AT(limits) },
	{ "json", 0, "FILE", "write JSON; - is standard output", opt_string,
	  AT(json) },
	{ "csv", 0, "FILE",
	  "write CSV, a line for each launch; - is standard output", opt_string,
	  AT(csv) },
	{ "html", 0, "FILE", "write a page; - is standard output", opt_string,
	  AT(html) },
	OPT_END
};

static const char correlate_details[] =
	"PROFILE is a file that a profiler wrote on a GPU: 'ncu --csv' with\n"
	"--metrics or sections, 'ncu --page raw --csv', or 'nvprof --csv' with\n"
	"--print-gpu-trace, --metrics or both. RUN is the folder of 'heddle exec\n"
	"--gpu NAME --out FOLDER', or the file of 'heddle run --gpu NAME --json\n"
	"FILE'. NAME is the program's; by default the profile's, without .csv.\n"
	"\n"
	"The n-th launch of a kernel with a grid and block in the run is compared\n"
	"with the n-th one in the profile; what has no partner is listed, with the\n"
	"reason. If the run timed only some launches (--kernels), and as many as the\n"
	"profile has, those are compared. Nsight Compute empties the caches before\n"
	"each kernel: run with --cold.\n"
	"\n"
	"The exit status is 4 if a --limit is exceeded.\n"
	"\n"
	"Examples:\n"
	"  ncu --csv --metrics gpc__cycles_elapsed.max,smsp__inst_executed.sum \\\n"
	"      ./bfs > bfs.csv                                     on the GPU\n"
	"  heddle exec --gpu h200 --cold --out bfs.out -- ./bfs\n"
	"  heddle correlate bfs.csv:bfs.out --html bfs.html\n"
	"  heddle correlate --profiles h200 --runs sass=runs --limit cycles=15%\n";

enum { CORRELATE_WORST = 10 };

/* ---- which pairs ---- */

/* The colon between PROFILE and RUN: the first behind the name of a file. */
static char *correlate_colon(char *text)
{
	for (char *colon = strchr(text, ':'); colon;
	     colon = strchr(colon + 1, ':')) {
		bool file;

		*colon = '\0';
		file = file_is_regular(text);
		*colon = ':';
		if (file)
			return colon;
	}
	return strchr(text, ':');
}

/* bfs of "profiles/bfs.csv". */
static void correlate_name(char *out, size_t size, const char *path)
{
	const char *base = file_base_name(path);
	size_t n = strlen(base);

	if (n > 4 && !strcmp(base + n - 4, ".csv"))
		n -= 4;
	snprintf(out, size, "%.*s", (int)n, base);
}

/* [NAME=]PROFILE:RUN */
static enum err correlate_add_word(struct correlate *c, const char *word,
				   struct diag *d)
{
	struct correlate_source from = { 0 };
	char name[NAME_MAX + 1], *text = strdup(word), *at = text, *colon;
	size_t n = text ? strcspn(text, "=/:") : 0;
	enum err e;

	if (!text)
		return fail(d, ERR_NOMEM, "out of memory");
	if (n && text[n] == '=') {
		text[n] = '\0';
		from.program = text;
		at = text + n + 1;
	}
	colon = correlate_colon(at);
	if (!colon || !colon[1] || colon == at) {
		free(text);
		return fail(d, ERR_SYNTAX,
			    "'%.200s': expected PROFILE:RUN or "
			    "NAME=PROFILE:RUN, such as bfs.csv:bfs.out",
			    word);
	}
	*colon = '\0';
	from.profile = at;
	from.run = colon + 1;
	if (!from.program) {
		correlate_name(name, sizeof(name), at);
		from.program = name;
	}
	e = correlate_add(c, &from, d);
	free(text);
	return e;
}

/* The run of a program in a folder of runs; false: it has none. */
static bool correlate_run_path(char out[PATH_MAX], const char *folder,
			       const char *program)
{
	if (snprintf(out, PATH_MAX, "%s/%s", folder, program) < PATH_MAX &&
	    !access(out, F_OK))
		return true;
	return snprintf(out, PATH_MAX, "%s/%s.json", folder, program) <
		       PATH_MAX &&
	       !access(out, F_OK);
}

/* Adds a program of --profiles for one of --runs. What is wrong with one
 * program is told, and does not keep the others from being compared. */
static bool correlate_add_named(struct correlate *c, const char *profiles,
				const char *file, const char *runs)
{
	char set[80] = "", profile[PATH_MAX], run[PATH_MAX];
	char program[NAME_MAX + 1];
	size_t n = strcspn(runs, "=/");
	struct correlate_source from = { program, set, profile, run };
	const char *folder = runs;
	struct diag d;

	if (runs[n] == '=') {
		snprintf(set, sizeof(set), "%.*s", (int)n, runs);
		folder = runs + n + 1;
	}
	correlate_name(program, sizeof(program), file);
	if (!correlate_run_path(run, folder, program)) {
		say_error("'%s' has no run of %s: it is left out", folder,
			  program);
		return false;
	}
	if (snprintf(profile, sizeof(profile), "%s/%s", profiles, file) >=
		    (int)sizeof(profile) ||
	    correlate_add(c, &from, &d)) {
		say_error("%s: it is left out", d.text);
		return false;
	}
	return true;
}

static int is_profile(const struct dirent *e)
{
	return e->d_name[0] != '.' && word_ends_with(e->d_name, ".csv");
}

static enum err correlate_add_folder(struct correlate *c,
				     const struct correlate_options *o,
				     bool *all, struct diag *d)
{
	struct dirent **names = NULL;
	int n = scandir(o->profiles, &names, is_profile, alphasort);

	if (n < 0)
		return fail(d, ERR_IO, "cannot read the folder '%.200s': %s",
			    o->profiles, strerror(errno));
	for (size_t k = 0; k < o->runs.count; k++)
		for (int i = 0; i < n; i++)
			*all &= correlate_add_named(c, o->profiles,
						    names[i]->d_name,
						    o->runs.at[k]);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	if (!c->pair_count)
		return fail(d, ERR_MISMATCH,
			    "no profile *.csv in '%.200s' has a run",
			    o->profiles);
	return ERR_OK;
}

/* ---- limits ---- */

/* [SET:]METRIC=SHARE */
struct correlate_limit_of {
	char set[80]; /* "": of all */
	int metric;
	double share;
};

static enum err correlate_read_limit(struct correlate_limit_of *l,
				     const char *whole, struct diag *d)
{
	const char *colon = strchr(whole, ':');
	const char *text = colon ? colon + 1 : whole;
	const char *equal = strchr(text, '=');
	char name[64], *end;

	l->set[0] = '\0';
	if (colon)
		snprintf(l->set, sizeof(l->set), "%.*s", (int)(colon - whole),
			 whole);

	if (!equal || equal - text >= (long)sizeof(name))
		return fail(d, ERR_SYNTAX,
			    "--limit %.100s: expected a limit such as "
			    "cycles=15%%",
			    whole);
	snprintf(name, sizeof(name), "%.*s", (int)(equal - text), text);
	l->metric = correlate_find(name);
	if (l->metric < 0)
		return fail(d, ERR_UNKNOWN,
			    "--limit %.100s: no metric is called '%.60s'; try "
			    "cycles, instructions or l1_hit_rate",
			    whole, name);
	l->share = strtod(equal + 1, &end);
	if (!strcmp(end, "%")) {
		l->share /= 100;
		end++;
	}
	if (end == equal + 1 || *end || !(l->share >= 0))
		return fail(d, ERR_SYNTAX,
			    "--limit %.100s: expected a share such as 15%% or "
			    "0.15",
			    whole);
	return ERR_OK;
}

/* A metric that no profile has is an error: its limit would always hold. */
static enum err correlate_check_limit(const struct correlate *c,
				      const char *set, const char *text,
				      struct diag *d)
{
	struct correlate_filter f = CORRELATE_ALL;
	char is[CORRELATE_ERROR_TEXT], want[CORRELATE_ERROR_TEXT];
	struct correlate_limit_of l;
	struct correlate_sum s;

	f.set = set;
	if (correlate_read_limit(&l, text, d))
		return d->code;
	if (l.set[0] && strcmp(l.set, set) != 0)
		return ERR_OK;
	if (correlate_summarise(&s, c, &f, l.metric, d))
		return d->code;
	if (!s.launches)
		return fail(d, ERR_UNKNOWN,
			    "--limit %.100s: no launch has this metric on both "
			    "sides",
			    text);
	if (s.mean > l.share)
		return fail(d, ERR_MISMATCH,
			    "%.60s%s%s: the mean error over %zu launch%s is "
			    "%s; the limit is %s",
			    set, *set ? ", " : "",
			    correlate_info[l.metric].name, s.launches,
			    s.launches == 1 ? "" : "es",
			    correlate_size_text(is, l.metric, s.mean),
			    correlate_size_text(want, l.metric, l.share));
	return ERR_OK;
}

/* A limit of a set that nobody named would always hold, too. */
static enum err correlate_check_set(const struct correlate *c, const char *text,
				    struct diag *d)
{
	struct correlate_limit_of l;

	if (correlate_read_limit(&l, text, d))
		return d->code;
	for (size_t i = 0; i < c->set_count; i++)
		if (!l.set[0] || !strcmp(c->sets[i], l.set))
			return ERR_OK;
	return fail(d, ERR_UNKNOWN,
		    "--limit %.100s: no --runs has the set '%s'", text, l.set);
}

static enum err correlate_check_limits(const struct correlate *c,
				       const struct correlate_options *o,
				       struct diag *d)
{
	enum err worst = ERR_OK;

	for (size_t i = 0; i < o->limits.count; i++) {
		if (correlate_check_set(c, o->limits.at[i], d))
			return d->code;
		for (size_t k = 0; k < c->set_count; k++) {
			enum err e = correlate_check_limit(c, c->sets[k],
							   o->limits.at[i], d);

			if (e == ERR_MISMATCH) {
				say_error("%s", d->text);
				worst = e;
			} else if (e) {
				return e;
			}
		}
	}
	return worst;
}

/* ---- the command ---- */

typedef enum err correlate_writer(FILE *to, const struct correlate *c,
				  const struct correlate_options *o,
				  struct diag *d);

static enum err correlate_write_html(FILE *to, const struct correlate *c,
				     const struct correlate_options *o,
				     struct diag *d)
{
	return report_correlate(to, c, o->halves, o->worst, d);
}

static enum err correlate_write_file(const struct correlate *c,
				     const struct correlate_options *o,
				     const char *path, correlate_writer *write,
				     struct diag *d)
{
	struct outfile f;

	if (!path)
		return ERR_OK;
	if (outfile_open(&f, path, d))
		return d->code;
	return outfile_close(&f, write(f.to, c, o, d), d);
}

static enum err correlate_check_files(const struct correlate_options *o,
				      struct diag *d)
{
	struct file_uses u = { 0 };
	enum err e = file_uses_add(&u, "--json", o->json, true, d);

	if (!e)
		e = file_uses_add(&u, "--csv", o->csv, true, d);
	if (!e)
		e = file_uses_add(&u, "--html", o->html, true, d);
	if (!e)
		e = file_uses_check(&u, d);
	file_uses_free(&u);
	return e;
}

static enum err correlate_check_options(const struct correlate_options *o,
					const struct words *pairs,
					struct diag *d)
{
	struct correlate_limit_of l;

	if (!o->profiles != !o->runs.count)
		return fail(d, ERR_SYNTAX,
			    "--profiles and --runs belong together");
	if (!pairs->count && !o->profiles)
		return fail(d, ERR_SYNTAX,
			    "expected PROFILE:RUN, or --profiles and --runs");
	for (size_t i = 0; i < o->limits.count; i++)
		if (correlate_read_limit(&l, o->limits.at[i], d))
			return d->code;
	return ERR_OK;
}

/* *all: no program was left out. */
static enum err correlate_all(struct correlate *c,
			      const struct correlate_options *o,
			      const struct words *pairs, bool *all,
			      struct diag *d)
{
	enum err e = correlate_check_files(o, d);

	for (size_t i = 0; !e && i < pairs->count; i++)
		e = correlate_add_word(c, pairs->at[i], d);
	if (!e && o->profiles)
		e = correlate_add_folder(c, o, all, d);
	if (!e && o->spread)
		e = correlate_spread(c, o->spread, d);
	if (!e)
		e = correlate_write_file(c, o, o->json, correlate_write_json,
					 d);
	if (!e)
		e = correlate_write_file(c, o, o->csv, correlate_write_csv, d);
	if (!e)
		e = correlate_write_file(c, o, o->html, correlate_write_html,
					 d);
	if (!e && !(o->json && !strcmp(o->json, "-")) &&
	    !(o->csv && !strcmp(o->csv, "-")) &&
	    !(o->html && !strcmp(o->html, "-")))
		e = correlate_print(c, o, d);
	return e;
}

static int correlate_run(const struct correlate_options *o,
			 const struct words *pairs)
{
	struct correlate c = { 0 };
	bool all = true;
	struct diag d;
	int code = EXIT_OK;
	enum err e;

	if (correlate_check_options(o, pairs, &d)) {
		say_error("%s", d.text);
		fputs("Try 'heddle correlate --help'.\n", stderr);
		return EXIT_USAGE;
	}
	if (correlate_all(&c, o, pairs, &all, &d)) {
		say_error("%s", d.text);
		code = EXIT_INPUT;
	} else {
		e = correlate_check_limits(&c, o, &d);
		if (e && e != ERR_MISMATCH)
			say_error("%s", d.text);
		code = e == ERR_MISMATCH ? EXIT_DIFFERS :
		       e || !all         ? EXIT_INPUT :
					   EXIT_OK;
	}
	correlate_free(&c);
	return code;
}

static int correlate_main(int argc, char **argv)
{
	struct correlate_options o = { .worst = CORRELATE_WORST };
	struct words pairs = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_correlate, to, argc, argv, &pairs);

	if (code < 0)
		code = correlate_run(&o, &pairs);
	words_free(&pairs);
	words_free(&o.runs);
	words_free(&o.limits);
	return code;
}

const struct command cmd_correlate = {
	.name = "correlate",
	.summary = "Compare runs with what a profiler measured on a GPU",
	.usage = "[NAME=]PROFILE:RUN... [OPTIONS]",
	.details = correlate_details,
	.tables = { correlate_opts },
	.run = correlate_main,
};
