/*
 * heddle system: a static Linux program for x86-64, executed instruction by
 * instruction.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/human.h"
#include "base/jsonwrite.h"
#include "door/cli/commands.h"
#include "door/cli/jsonfile.h"
#include "door/cli/program.h"
#include "door/cli/regions.h"
#include "door/cli/system.h"
#include "door/cli/text.h"
#include "door/guest/guest.h"

#define AT(field) offsetof(struct system_options_given, field)

static const struct opt system_opts[] = {
	OPT_HEADING("The program's world:"),
	{ "root", 0, "DIR",
	  "the folder that is / for the program, and its working folder (.)",
	  opt_string, AT(root) },
	{ "env", 0, "NAME=VALUE",
	  "a variable of its environment, which is empty otherwise; may be "
	  "repeated",
	  opt_words, AT(env) },
	{ "cores", 0, "N", "how many cores it sees (4)", opt_count32,
	  AT(cores) },
	{ "quantum", 0, "N",
	  "instructions after which the next thread has its turn (10000)",
	  opt_count, AT(quantum) },
	{ "max-instructions", 0, "N",
	  "stop after this many, of all threads; exit code 3", opt_count,
	  AT(limit) },
	OPT_HEADING("The GPU of programs that use OpenCL:"),
	{ "gpu", 0, "NAME", "one of `heddle gpus`, or a .cfg file (hd7970)",
	  opt_string, AT(gpu) },
	OPT_HEADING("Cycle by cycle:"),
	{ "config", 0, "NAME|FILE",
	  "simulate the cores and caches of this configuration, such as cgm",
	  opt_string, AT(config) },
	{ "set", 'o', "KEY=VALUE",
	  "set a parameter of it, such as cgm.cores=2; may be repeated",
	  opt_words, AT(set) },
	{ "engine", 0, "serial|exact",
	  "how to simulate: on one thread, or on --threads of them, with the "
	  "same results",
	  opt_string, AT(engine) },
	{ "threads", 'j', "N", "simulate on this many threads (1)", opt_count32,
	  AT(threads) },
	{ "detail-until", 0, "REGION",
	  "after the first end of this region of the program, only execute: no "
	  "pipelines, no caches",
	  opt_u64, AT(detail_until) },
	{ "profile", 0, NULL,
	  "print the functions and the lines of the source in which commit "
	  "slots were used or lost",
	  opt_on, AT(profile) },
	{ "progress", 0, NULL, "say now and then how far it has come", opt_on,
	  AT(progress) },
	OPT_HEADING("What to do with the results:"),
	{ "json", 0, "FILE", "write how it ended as JSON; - is standard output",
	  opt_string, AT(json) },
	{ "out", 0, "DIR",
	  "with --config: write everything to this folder, program.json with "
	  "values over time and the page index.html",
	  opt_string, AT(out) },
	{ "source", 0, "DIR",
	  "of --out: lines of sources below this folder may be shown, too, "
	  "beside those below the program's",
	  opt_string, AT(source) },
	{ "interval", 0, "N",
	  "of --out: cycles of a core between two values, at first (1000); "
	  "neighbours are joined when there are more than 512",
	  opt_count, AT(interval) },
	{ "quiet", 'q', NULL, "do not print how it ended", opt_on, AT(quiet) },
	OPT_END
};
#undef AT

static const char *const system_ends[] = {
	[X86_EXITED] = "exited",       [X86_SIGNALED] = "signal",
	[X86_FAULTED] = "fault",       [X86_DEADLOCK] = "deadlock",
	[X86_REFUSED] = "unsupported", [X86_LIMITED] = "limit",
};

int system_exit(const struct x86_end *end)
{
	switch (end->how) {
	case X86_EXITED:
		return end->status;
	case X86_SIGNALED:
		return exit_of_signal(end->status);
	default:
		return EXIT_FAULT;
	}
}

void system_say_end(const struct x86_end *end, uint64_t limit)
{
	char text[GROUPED_TEXT];

	if (end->how == X86_LIMITED)
		say_error("stopped after %s instructions, see "
			  "--max-instructions",
			  grouped(text, limit));
	else if (end->how != X86_EXITED && end->how != X86_SIGNALED)
		say_error("%s", end->text);
}

void system_say_status(const char *name, const struct x86_end *end)
{
	fprintf(stderr, "%s: ", name);
	if (end->how == X86_EXITED)
		fprintf(stderr, "exit status %d\n", end->status);
	else if (end->how == X86_SIGNALED)
		fprintf(stderr, "killed by signal %d (%s)\n", end->status,
			strsignal(end->status));
	else
		fprintf(stderr, "did not end (%s)\n", system_ends[end->how]);
}

void system_say_refused(const struct x86_process *p)
{
	struct x86_refused r;
	char name[32];

	for (unsigned i = 0; x86_process_refused(p, i, &r); i++) {
		snprintf(name, sizeof(name), "%" PRIu64, r.number);
		fprintf(stderr,
			"heddle: note: system call %s was refused with %s, "
			"%" PRIu64 " time%s%s%s\n",
			r.name ? r.name : name, r.error, r.times,
			r.times == 1 ? "" : "s", r.text && *r.text ? ": " : "",
			r.text ? r.text : "");
	}
}

static void system_say_summary(const char *name, const struct x86_end *end,
			       double seconds)
{
	char count[GROUPED_TEXT], threads[GROUPED_TEXT], rate[GROUPED_TEXT];
	char time[GROUPED_TEXT];

	system_say_status(name, end);
	fprintf(stderr,
		"  executed  %s instructions, %s thread%s\n"
		"  time      %s, %s instructions/s\n",
		grouped(count, end->instructions),
		grouped(threads, end->threads), end->threads == 1 ? "" : "s",
		duration(time, seconds),
		scaled(rate, (double)end->instructions / seconds));
}

void system_json_end(struct json *j, const struct x86_process *p,
		     const struct x86_end *end)
{
	struct x86_refused r;

	json_string(j, "end", system_ends[end->how]);
	json_uint(j, "status", (uint64_t)end->status);
	if (end->text[0])
		json_string(j, "text", end->text);
	json_uint(j, "instructions", end->instructions);
	json_uint(j, "nanoseconds", end->nanoseconds);
	json_uint(j, "threads", end->threads);
	json_open(j, "refused", '[');
	for (unsigned i = 0; x86_process_refused(p, i, &r); i++) {
		json_open_line(j, NULL, '{');
		json_uint(j, "number", r.number);
		if (r.name)
			json_string(j, "call", r.name);
		json_string(j, "error", r.error);
		json_uint(j, "times", r.times);
		json_close(j, '{');
	}
	json_close(j, '[');
}

struct system_ended {
	const struct x86_process *process;
	const struct x86_end *end;
};

static enum err system_file_json(struct json *j, void *ctx, struct diag *d)
{
	const struct system_ended *e = ctx;

	(void)d;
	json_open(j, NULL, '{');
	system_json_end(j, e->process, e->end);
	regions_write(j, x86_process_regions(e->process), "nanoseconds");
	json_close(j, '{');
	return ERR_OK;
}

enum err system_load(struct x86_process **p,
		     const struct system_options_given *o,
		     const struct words *rest, unsigned cores,
		     struct x86_service service, struct diag *d)
{
	struct x86_options x = { .file = rest->at[0],
				 .argv = rest->at,
				 .envp = o->env.at,
				 .root = o->root,
				 .standard = { 0, 1, 2 },
				 .cores = cores,
				 .quantum = o->quantum,
				 .limit = o->limit,
				 .lines = o->out || o->profile,
				 .service = service };
	char *image = NULL;
	struct diag why;
	enum err e = program_read_file(rest->at[0], &image, &x.size, d);

	x.image = image;
	if (!e && x86_process_new(p, &x, &why))
		e = fail(d, why.code, "%s: %s", rest->at[0], why.text);
	free(image);
	return e;
}

/* The GPU is opened when the program first asks for it. */
enum err system_open_gpu(struct x86_service *service,
			 const struct system_options_given *o, struct diag *d)
{
#ifdef HEDDLE_GUEST_OPENCL
	enum err e = gcl_set_gpu(o->config ? o->config : o->gpu, o->set.at,
				 o->set.count, d);

	*service = gcl_service();
	return e;
#else
	*service = (struct x86_service){ 0 };
	return o->gpu ? fail(d, ERR_UNSUPP,
			     "--gpu: this build has no OpenCL; it needs the "
			     "packages opencl-headers and ocl-icd-opencl-dev") :
			ERR_OK;
#endif
}

void system_close_gpu(void)
{
#ifdef HEDDLE_GUEST_OPENCL
	gcl_close();
#endif
}

static void system_say(const struct system_options_given *o, const char *name,
		       const struct x86_process *p, const struct x86_end *end,
		       double seconds)
{
	system_say_end(end, o->limit);
	system_say_refused(p);
	regions_warn(p);
	if (o->quiet)
		return;
	system_say_summary(name, end, seconds);
	regions_print(x86_process_regions(p), 1e-9);
}

static int system_run(const struct system_options_given *o,
		      const struct words *rest)
{
	struct x86_service service;
	struct x86_process *p;
	struct x86_end end;
	struct diag d;
	double start;
	int code;

	if (system_open_gpu(&service, o, &d) ||
	    system_load(&p, o, rest, o->cores, service, &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	start = clock_seconds();
	x86_process_run(p, &end);
	system_close_gpu();
	system_say(o, rest->at[0], p, &end, clock_seconds() - start);
	code = system_exit(&end);
	if (json_file(o->json, system_file_json,
		      &(struct system_ended){ p, &end }, &d)) {
		say_error("%s", d.text);
		code = EXIT_INPUT;
	}
	x86_process_free(p);
	return code;
}

/* What only one of both ways to run a program knows is refused in the other. */
static const char *system_misplaced(const struct system_options_given *o)
{
	if (o->config && o->cores)
		return "--cores: the configuration says how many, see "
		       "-o cgm.cores=N";
	if (o->config && o->quantum)
		return "--quantum: the configuration says it, see "
		       "-o os.quantum=NANOSECONDS";
	if (!o->config && o->detail_until != UINT64_MAX)
		return "--detail-until needs --config";
	if (o->detail_until != UINT64_MAX &&
	    o->detail_until >= X86_REGION_NUMBERS)
		return "--detail-until: regions have numbers from 0 to 255";
	if (!o->config &&
	    (o->set.count || o->engine || o->threads || o->out || o->profile))
		return "-o, --engine, --threads, --profile and --out need "
		       "--config";
	if ((o->interval || o->source) && !o->out)
		return "--interval and --source need --out";
	return NULL;
}

static void system_defaults(struct system_options_given *o)
{
	if (!o->cores)
		o->cores = 4;
	if (!o->quantum)
		o->quantum = 10000;
	if (!o->interval)
		o->interval = 1000;
}

static int system_main(int argc, char **argv)
{
	struct system_options_given o = { .root = ".",
					  .detail_until = UINT64_MAX };
	struct words rest = { 0 };
	void *const to[] = { &o };
	struct diag d;
	int code = command_parse(&cmd_system, to, argc, argv, &rest);

	if (code < 0 && !rest.count) {
		say_error("no program given");
		code = EXIT_USAGE;
	}
	if (code < 0 && system_misplaced(&o)) {
		say_error("%s", system_misplaced(&o));
		code = EXIT_USAGE;
	}
	system_defaults(&o);
	if (code < 0 &&
	    (words_add(&rest, NULL, &d) || words_add(&o.env, NULL, &d))) {
		say_error("%s", d.text);
		code = EXIT_INPUT;
	}
	if (code < 0)
		code = o.config ? system_simulate(&o, &rest) :
				  system_run(&o, &rest);
	words_free(&rest);
	words_free(&o.env);
	words_free(&o.set);
	return code;
}

const struct command cmd_system = {
	.name = "system",
	.summary = "Run a static x86-64 Linux program",
	.usage = "[OPTIONS] [--] PROGRAM [ARGUMENT...]",
	.details =
		"Executes a static Linux program for x86-64 (gcc -static) and "
		"tells how many\n"
		"instructions it took. The program's results, threads, time "
		"and random numbers\n"
		"are the same in every run and on every machine: an "
		"instruction lasts one\n"
		"nanosecond of its time, and threads take turns. Files are "
		"those below --root;\n"
		"standard input and output are heddle's. The processor has "
		"what x86-64-v2\n"
		"has, up to SSE4.2, and says so.\n\n"
		"With --config the threads run on the cores of a system that "
		"is simulated cycle\n"
		"by cycle, and time is that of the system. It says how many "
		"cycles they took, why\n"
		"commit slots were not used, and what caches and coherence "
		"did. --out adds values\n"
		"over time, the functions in which slots were lost, each link "
		"and queue, and a page\n"
		"for a browser that says what bounds the run. Ctrl-C ends it, "
		"and what is known is\n"
		"written.\n\n"
		"The exit code is the program's, 128 and the number of the "
		"signal that it\n"
		"raised, or 3 if it did something wrong, which is then "
		"explained.\n\n"
		"Programs linked with libheddle_guest_opencl.a have OpenCL "
		"1.2 on a simulated\n"
		"GPU: gcc -static prog.c -lheddle_guest_opencl.\n\n"
		"Examples:\n"
		"  heddle system -- ./hello\n"
		"  heddle system --config cgm -o cgm.cores=2 -- ./hello\n"
		"  heddle system --config cgm --env OMP_NUM_THREADS=4 --out "
		"k.out -- ./kmeans\n"
		"  heddle system --cores 8 --env OMP_NUM_THREADS=8 -- "
		"./stream 1000\n",
	.tables = { system_opts },
	.ends_at_word = true,
	.run = system_main,
};
