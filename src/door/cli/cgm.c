/* heddle cgm: plays a trace of requests on the memory system of CPUs and a
 * GPU. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonwrite.h"
#include "cfg/configs.h"
#include "door/cli/commands.h"
#include "door/cli/text.h"
#include "engine/engine.h"
#include "mem/cgm/trace.h"

struct cgm_command {
	const char *config, *json, *engine;
	struct words set;
	unsigned threads;
};

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
	OPT_END
};

/* Reads a file, or the standard input for "-", with a NUL after it. */
static char *cgm_read_all(const char *path, size_t *size)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	size_t room = 1 << 16, n = 0, got;
	char *text = f ? malloc(room) : NULL;

	while (text && (got = fread(text + n, 1, room - n, f)) > 0) {
		char *more;

		n += got;
		if (n < room)
			continue;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			free(text);
		text = more;
	}
	if (text && ferror(f)) {
		free(text);
		text = NULL;
	}
	if (f && f != stdin)
		fclose(f);
	*size = n;
	return text;
}

static void cgm_print_sort(const char *who, const char *what, uint64_t count,
			   uint64_t ticks, uint64_t max, double ns)
{
	if (count)
		printf("  %-4s %-8s %12" PRIu64 "   mean %8.1f ns   max %8.1f "
		       "ns\n",
		       who, what, count, (double)ticks / (double)count * ns,
		       (double)max * ns);
}

static void cgm_print_port(const char *who, const struct cgm_stat_port *p,
			   double ns)
{
	cgm_print_sort(who, "reads", p->reads, p->read_ticks, p->read_max, ns);
	cgm_print_sort(who, "stores", p->writes, p->write_ticks, p->write_max,
		       ns);
	cgm_print_sort(who, "atomics", p->atomics, p->atomic_ticks,
		       p->atomic_max, ns);
	cgm_print_sort(who, "flushes", p->flushes, p->flush_ticks, p->flush_max,
		       ns);
}

static void cgm_print_hits(const char *name, uint64_t hits, uint64_t all)
{
	if (all)
		printf("  %-13s %12" PRIu64 " of %" PRIu64 " hit (%.1f%%)\n",
		       name, hits, all, 100.0 * (double)hits / (double)all);
}

static void cgm_print(const struct cgm_system *s, const struct cgm_stats *st,
		      cycle_t end)
{
	double ns = 1e6 / (double)cgm_system_khz(s);
	uint64_t links = st->net.links * (end ? end : 1);

	printf("time  %.1f ns, %" PRIu64 " cycles of the memory system\n",
	       (double)end * ns, end / cgm_system_cycle(s));
	cgm_print_port("CPU", &st->cpu, ns);
	cgm_print_port("GPU", &st->gpu, ns);
	puts("caches");
	cgm_print_hits("L1I", st->l1i.hits, st->l1i.accesses);
	cgm_print_hits("L1D, reads", st->l1d.hits,
		       st->l1d.accesses - st->l1d.passed);
	cgm_print_hits("L2", st->l2.hits, st->l2.accesses);
	cgm_print_hits("vector, reads", st->vector.hits,
		       st->vector.accesses - st->vector.passed);
	cgm_print_hits("scalar, reads", st->scalar.hits,
		       st->scalar.accesses - st->scalar.passed);
	cgm_print_hits("GPU's L2", st->gpu_l2.hits, st->gpu_l2.accesses);
	cgm_print_hits("L3", st->l3.hits, st->l3.requests);
	printf("coherence  %" PRIu64 " forwards, %" PRIu64 " upgrades, %" PRIu64
	       " invalidations, %" PRIu64 " recalls\n",
	       st->l3.forwards, st->l3.upgrades,
	       st->l2.invalidations + st->gpu_l2.invalidations, st->l3.recalls);
	printf("links  %" PRIu64 " requests, %" PRIu64 " coherence, %" PRIu64
	       " replies, %" PRIu64 " bytes; busy %.2f%%, the busiest "
	       "%.2f%%\n",
	       st->net.requests, st->net.coherence, st->net.replies,
	       st->net.bytes,
	       100.0 * (double)st->net.busy_ticks / (double)links,
	       100.0 * (double)st->net.busiest / (double)(end ? end : 1));
	printf("memory  %" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64
	       " of them to open rows\n",
	       st->memory.reads, st->memory.writes, st->memory.row_hits);
}

static enum err cgm_write_json(const char *path, const struct cgm_system *s,
			       const struct cgm_stats *st, cycle_t end,
			       const struct engine_plan *plan, struct diag *d)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
	struct json j = { .to = f };
	bool good;

	if (!f)
		return fail(d, ERR_IO, "cannot write '%.200s'", path);
	json_open(&j, NULL, '{');
	json_string(&j, "engine", plan->engine.name);
	json_uint(&j, "threads", cgm_system_threads(s));
	json_uint(&j, "window", cgm_system_window(s));
	json_bool(&j, "exact", plan->engine.exact);
	json_uint(&j, "ticks", end);
	json_uint(&j, "ticks_khz", cgm_system_khz(s));
	json_uint(&j, "cycles", end / cgm_system_cycle(s));
	for (unsigned i = 0; i < CGM_INSTANCES; i++) {
		const struct cgm_stat_place *p = &cgm_stat_places[i];

		json_open(&j, p->name, '{');
		for (unsigned k = 0; k < cgm_stat_count; k++)
			if (cgm_stat_rows[k].kind == p->kind)
				json_uint(&j, cgm_stat_rows[k].name,
					  cgm_stat_value(st, p,
							 &cgm_stat_rows[k]));
		json_close(&j, '{');
	}
	json_close(&j, '{');
	good = !ferror(f);
	if (f != stdout)
		good &= !fclose(f);
	return good ? ERR_OK : fail(d, ERR_IO, "cannot write '%.200s'", path);
}

static int cgm_report(const struct cgm_command *o, const char *name,
		      const struct cgm_system *s, const struct cgm_played *p,
		      const struct engine_plan *plan)
{
	cycle_t end = cgm_system_now(s);
	struct cgm_stats st;
	struct diag d;

	cgm_system_stats(s, &st);
	CHECK(!cgm_stats_broken_law(&st, &d));
	if (!o->json || strcmp(o->json, "-"))
		cgm_print(s, &st, end);
	if (o->json && cgm_write_json(o->json, s, &st, end, plan, &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	if (!p->wrong)
		return EXIT_OK;
	say_error("%s:%" PRIu32 ": found 0x%" PRIx64 ", expected 0x%" PRIx64
		  "; %" PRIu64 " value%s not as expected",
		  name, p->line, p->found, p->expected, p->wrong,
		  p->wrong == 1 ? " is" : "s are");
	return EXIT_DIFFERS;
}

static int cgm_play(const struct cgm_command *o, const char *name,
		    const struct cgm_trace *t, const struct cfg *cfg,
		    const struct engine_plan *plan)
{
	struct cgm_options options = { .threads = plan->threads,
				       .window = plan->window };
	struct cgm_system *s = NULL;
	struct cgm_played played;
	struct diag d;
	int code = EXIT_INPUT;

	if (cgm_system_new(&s, cfg, &options, &d) ||
	    cgm_trace_play(t, name, s, &played, &d))
		say_error("%s", d.text);
	else
		code = cgm_report(o, name, s, &played, plan);
	cgm_system_free(s);
	return code;
}

static int cgm_run(const struct cgm_command *o, const char *path)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	struct cfg_sheet sheet;
	struct cgm_trace t = { 0 };
	struct engine_plan plan;
	struct diag d;
	int code = EXIT_INPUT;
	size_t size;
	char *text;

	cfg_sheet_init(&sheet);
	text = cgm_read_all(path, &size);
	if (!text)
		say_error("cannot read '%.200s'", path);
	else if (engine_plan_exact(&plan, o->engine, o->threads, &d) ||
		 configs_load(&sheet, o->config ? o->config : "cgm", o->set.at,
			      o->set.count, &d) ||
		 cgm_trace_read(&t, name, text, size, &d))
		say_error("%s", d.text);
	else
		code = cgm_play(o, name, &t, &sheet.cfg, &plan);
	cgm_trace_free(&t);
	cfg_sheet_free(&sheet);
	free(text);
	return code;
}

static int cgm_main(int argc, char **argv)
{
	struct cgm_command o = { 0 };
	struct words rest = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_cgm, to, argc, argv, &rest);

	if (code < 0 && rest.count != 1) {
		say_error("expected one trace, %zu given; see 'heddle cgm "
			  "--help'",
			  rest.count);
		code = EXIT_USAGE;
	} else if (code < 0) {
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
		"  printf '* cpu0 store 0x40 8 7\\nbarrier\\n* cu0 load 0x40 8 "
		"= 7\\n' | heddle cgm -\n",
	.tables = { cgm_opts },
	.run = cgm_main,
};
