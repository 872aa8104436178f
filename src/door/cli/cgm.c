/* heddle cgm: plays a trace of requests on the memory system of CPUs and a
 * GPU. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "door/cli/cgm.h"
#include "door/cli/commands.h"
#include "door/cli/interrupt.h"
#include "door/cli/jsonfile.h"
#include "door/cli/text.h"

#define AT(field) offsetof(struct cgm_command, field)

static const struct opt cgm_opts[] = {
	OPT_HEADING("Options:"),
	{ "config", 0, "NAME|FILE",
	  "configuration of the system (default: cgm)", opt_string,
	  AT(config) },
	{ "set", 'o', "KEY=VALUE", "set a parameter; may be repeated",
	  opt_words, AT(set) },
	{ "threads", 'j', "N", "simulate on this many threads (default: 1)",
	  opt_count32, AT(threads) },
	{ "engine", 0, "serial|exact|cycle",
	  "how to simulate: on one thread, on --threads or all cores, or the "
	  "same in step every tick; the result is the same to the last bit",
	  opt_string, AT(engine) },
	{ "json", 0, "FILE",
	  "write all statistics as JSON; - for standard output", opt_string,
	  AT(json) },
	{ "out", 0, "DIR",
	  "write everything to this folder: program.json with values over "
	  "time, requests.csv, the page index.html",
	  opt_string, AT(out) },
	{ "interval", 0, "N",
	  "of --out: cycles of the memory system between two values, at first "
	  "(100); neighbours are joined when there are more than 512",
	  opt_count, AT(interval) },
	OPT_END
};

/* Reads a file, or the standard input for "-". */
static char *cgm_read_all(const char *path, size_t *size)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				     STDIN_FILENO;
	size_t room = 1 << 16, n = 0;
	char *text = fd < 0 ? NULL : malloc(room);
	ssize_t got = 0;

	while (text && (got = interrupt_read(fd, text + n, room - n)) > 0) {
		char *more;

		n += (size_t)got;
		if (n < room)
			continue;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			free(text);
		text = more;
	}
	if (got < 0) {
		free(text);
		text = NULL;
	}
	if (fd > STDIN_FILENO)
		close(fd);
	*size = n;
	return text;
}

static enum err cgm_file_json(struct json *j, void *ctx, struct diag *d)
{
	(void)d;
	cgm_json(j, ctx, false);
	return ERR_OK;
}

static int cgm_report(struct cgm_run *r)
{
	const struct cgm_played *p = &r->played;
	struct diag d;

	r->end = cgm_system_now(r->system);
	cgm_system_stats(r->system, &r->st);
	CHECK(!cgm_stats_broken_law(&r->st, &d));
	if (!r->o->json || strcmp(r->o->json, "-"))
		cgm_print(r);
	if (json_file(r->o->json, cgm_file_json, r, &d) ||
	    cgm_folder_write(r, &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	if (r->o->out)
		fprintf(stderr, "page  %s/" RESULTS_PAGE "\n", r->o->out);
	if (!p->wrong)
		return EXIT_OK;
	say_error("%s:%" PRIu32 ": found 0x%" PRIx64 ", expected 0x%" PRIx64
		  "; %" PRIu64 " value%s not as expected",
		  r->name, p->line, p->found, p->expected, p->wrong,
		  p->wrong == 1 ? " is" : "s are");
	return EXIT_DIFFERS;
}

static enum err cgm_play(struct cgm_run *r, struct diag *d)
{
	struct cgm_options options = { .threads = r->plan.threads,
				       .window = r->plan.window,
				       .stop = interrupted };
	double start = clock_seconds();

	if (cgm_system_new(&r->system, &r->sheet.cfg, &options, d) ||
	    cgm_folder_open(r, d))
		return d->code;
	if (cgm_trace_play(&r->trace, r->name, r->system, r->record, &r->played,
			   d))
		return d->code;
	r->seconds = clock_seconds() - start;
	return ERR_OK;
}

/* What was simulated until then is not a result. */
static int cgm_interrupted(const struct cgm_run *r)
{
	struct diag d;

	fputs("heddle: interrupted\n", stderr);
	if (r->folder.lock >= 0 &&
	    results_incomplete(&r->folder, "The run was interrupted.", &d))
		say_error("%s", d.text);
	return interrupt_exit();
}

static int cgm_run_text(struct cgm_run *r, const char *text, size_t size)
{
	const struct cgm_command *o = r->o;
	struct diag d;

	if (engine_plan_exact(&r->plan, o->engine, o->threads, &d) ||
	    configs_load(&r->sheet, o->config, o->set.at, o->set.count, &d) ||
	    cgm_trace_read(&r->trace, r->name, text, size, &d) ||
	    cgm_play(r, &d)) {
		if (interrupted())
			return cgm_interrupted(r);
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	return cgm_report(r);
}

static int cgm_run(const struct cgm_command *o, const char *path)
{
	struct cgm_run r = { .o = o,
			     .name = strcmp(path, "-") ? path :
							 "standard input",
			     .folder = { .lock = -1 } };
	int code = EXIT_INPUT;
	size_t size;
	char *text = cgm_read_all(path, &size);

	cfg_sheet_init(&r.sheet);
	if (text)
		code = cgm_run_text(&r, text, size);
	else if (interrupted())
		code = cgm_interrupted(&r);
	else
		say_error("cannot read '%.200s'", path);
	results_close(&r.folder);
	cgm_system_free(r.system);
	cgm_trace_free(&r.trace);
	arena_free(&r.arena);
	cfg_sheet_free(&r.sheet);
	free(text);
	return code;
}

static int cgm_main(int argc, char **argv)
{
	struct cgm_command o = { .config = "cgm" };
	struct words rest = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_cgm, to, argc, argv, &rest);

	if (code < 0 && rest.count != 1) {
		say_error("expected one trace, %zu given; see 'heddle cgm "
			  "--help'",
			  rest.count);
		code = EXIT_USAGE;
	} else if (code < 0 && o.interval && !o.out) {
		say_error("--interval needs --out");
		code = EXIT_USAGE;
	} else if (code < 0) {
		o.interval = o.interval ? o.interval : 100;
		code = cgm_run(&o, rest.at[0]);
	}
	words_free(&o.set);
	words_free(&rest);
	return code;
}

const struct command cmd_cgm = {
	.name = "cgm",
	.summary = "Simulate the memory system of CPUs and a GPU",
	.usage = "TRACE [OPTIONS]",
	.details =
		"Plays the requests of a text file, or of the standard input "
		"for -, and prints\nlatencies, hits, messages and how busy "
		"links were. A line is a request:\n\n"
		"  WHEN WHO WHAT ADDRESS SIZE [VALUE [COMPARE]] [= EXPECTED]\n\n"
		"WHEN is * (at once), a cycle, or +N (N cycles after this "
		"requester's earlier\nrequests are answered); WHO is cpuN, cuN "
		"or scalarN; WHAT is fetch, load, store,\nadd, and, or, xor, "
		"min, max, swap, cas, flush or fence. A line 'barrier' waits "
		"for\neverything before it; # begins a comment. Exit code 4: a "
		"value was not as expected.\n\n"
		"Examples:\n"
		"  heddle cgm requests.txt\n"
		"  heddle cgm requests.txt -o cgm.gpu_protocol=none --json "
		"out.json\n"
		"  heddle cgm requests.txt --out requests.out\n"
		"  printf '* cpu0 store 0x40 8 7\\nbarrier\\n* cu0 load 0x40 8 "
		"= 7\\n' | heddle cgm -\n",
	.tables = { cgm_opts },
	.run = cgm_main,
};
