/*
 * heddle trace map: writes a trace as one GPU would see it. explore/trace_map.h
 * does the work.
 */
#include "explore/trace_map.h"

#include <inttypes.h>
#include <stdio.h>

#include "door/cli/commands.h"
#include "door/cli/configs.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"
#include "door/cli/trace.h"
#include "explore/machine.h"

struct map_options {
	const char *gpu, *out, *launch;
	struct words set;
};

#define AT(field) offsetof(struct map_options, field)

static const struct opt map_opts[] = {
	OPT_HEADING("Options:"),
	{ "gpu", 0, "NAME|FILE",
	  "the GPU: a name ('heddle gpus' lists them) or a file", opt_string,
	  AT(gpu) },
	{ "set", 'o', "KEY=VALUE",
	  "set a parameter of the GPU; may be repeated", opt_words, AT(set) },
	{ "out", 0, "FOLDER",
	  "the folder of the files; created if it does not exist", opt_string,
	  AT(out) },
	{ "launch", 0, "N", "only this launch (all)", opt_string, AT(launch) },
	OPT_END
};

static void print_line(const char *what, uint64_t n)
{
	char text[GROUPED_TEXT];

	printf("  %-34s %16s\n", what, grouped(text, n));
}

static void print_counts(const struct trace_map_counts *n, const struct cfg *c,
			 const char *folder)
{
	printf("%s: %" PRIu32 " files, one for each SM of %s\n", folder,
	       (uint32_t)c->sm.count, c->gpu.name);
	print_line("work-groups", n->blocks);
	print_line("warp-instructions", n->recorded);
	print_line("registers only", n->reg);
	print_line("shared memory", n->shared);
	print_line("constants", n->constant);
	print_line("memory, in one access", n->whole);
	print_line("memory, in several", n->split);
	print_line("accesses of memory", n->accesses);
}

static bool map_stopped(void *ctx)
{
	(void)ctx;
	return interrupted();
}

static enum err read_launch(struct trace_map_request *q, const char *text,
			    struct diag *d)
{
	if (!text)
		return ERR_OK;
	q->one = true;
	return opt_u32(&q->launch, text, d);
}

static int map_trace(const char *path, const struct map_options *o)
{
	struct trace_map_request q = { .folder = o->out,
				       .stopped = map_stopped };
	struct trace_map_counts n;
	struct cfg_sheet sheet;
	struct diag d;
	enum err e;

	if (!trace_begin(&q.trace, path))
		return EXIT_INPUT;
	trace_warn(q.trace, path);
	cfg_sheet_init(&sheet);
	q.cfg = &sheet.cfg;
	e = machine_load(&sheet, o->gpu, o->set.at, o->set.count, &d);
	if (!e)
		e = read_launch(&q, o->launch, &d);
	if (!e)
		e = trace_map(&q, &n, &d);
	if (e)
		say_error("%s", d.text);
	else if (!interrupted())
		print_counts(&n, &sheet.cfg, o->out);
	cfg_sheet_free(&sheet);
	trace_close(q.trace);
	return e ? EXIT_INPUT : interrupted() ? interrupt_exit() : EXIT_OK;
}

static int map_main(int argc, char **argv)
{
	struct map_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = trace_parse(&cmd_trace_map, to, argc, argv, &files, 1);

	if (code < 0 && (!o.gpu || !o.out)) {
		say_error("%s is missing", o.gpu ? "--out" : "--gpu");
		fputs("Try 'heddle trace map --help'.\n", stderr);
		code = EXIT_USAGE;
	}
	if (code < 0)
		code = map_trace(files.at[0], &o);
	words_free(&o.set);
	words_free(&files);
	return code;
}

const struct command cmd_trace_map = {
	.name = "trace map",
	.summary = "Write a trace as one GPU would see it, a file for each SM",
	.usage = "TRACE --gpu NAME --out FOLDER [OPTIONS]",
	.details = "Work-groups are assigned to the SMs round-robin. Each "
		   "coalesced access of memory\nis one line; instructions of "
		   "registers and of shared memory have their own.\n\n"
		   "Example:\n"
		   "  heddle trace map matmul.trace --gpu c2050 --out "
		   "matmul.map\n",
	.tables = { map_opts },
	.run = map_main,
};
