/* heddle trace show: prints what warps executed, one instruction a line. */
#include <inttypes.h>
#include <stdio.h>

#include "base/demangle.h"
#include "door/cli/commands.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"
#include "door/cli/trace.h"
#include "replay/walk.h"

enum { LIMIT = 200 };

struct show_options {
	unsigned launch;
	const char *block, *warp;
	uint64_t limit;
};

#define AT(field) offsetof(struct show_options, field)

static const struct opt show_opts[] = {
	OPT_HEADING("Options:"),
	{ "launch", 0, "N", "the launch (0, the first)", opt_u32, AT(launch) },
	{ "block", 0, "X,Y,Z", "the work-group (the first in the file)",
	  opt_string, AT(block) },
	{ "warp", 0, "W", "the warp (all, one after the other)", opt_string,
	  AT(warp) },
	{ "limit", 0, "N", "maximum number of instructions; 0: all (200)",
	  opt_u64, AT(limit) },
	OPT_END
};

struct show {
	const struct show_options *o;
	struct trace *t;
	struct walker *walker;
	const struct trace_launch *launch;
	uint64_t block;
	uint32_t warp;
	uint64_t shown, more; /* instructions: printed, left out */
};

static void show_inst(void *ctx, unsigned worker, const struct step *wi)
{
	struct show *s = ctx;

	(void)worker;
	if (wi->warp != s->warp)
		return;
	if (s->o->limit && s->shown >= s->o->limit) {
		s->more++;
		return;
	}
	s->shown++;
	trace_print_inst(stdout, wi);
}

static enum err show_warp(struct show *s, uint32_t warp, struct diag *d)
{
	const struct trace_launch *l = s->launch;
	uint64_t y = s->block / l->grid[0];

	printf("%sblock %" PRIu64 ",%" PRIu64 ",%" PRIu64 " warp %" PRIu32
	       "%s\n",
	       tint(stdout, TINT_BOLD), s->block % l->grid[0], y % l->grid[1],
	       y / l->grid[1], warp, tint(stdout, TINT_OFF));
	s->warp = warp;
	return walker_block(s->walker, s->o->launch, s->block, show_inst, s, d);
}

static enum err show_block(struct show *s, struct diag *d)
{
	const uint32_t *b = s->launch->block;
	uint32_t warps = (b[0] * b[1] * b[2] + LANES - 1) / LANES, first = 0;
	enum err e = ERR_OK;

	if (s->o->warp) {
		e = opt_u32(&first, s->o->warp, d);
		if (!e && first >= warps)
			e = fail(d, ERR_RANGE,
				 "--warp %s: a work-group of %s has %" PRIu32
				 " warps, counted from 0",
				 s->o->warp, s->launch->kernel, warps);
		return e ? e : show_warp(s, first, d);
	}
	for (uint32_t w = 0; !e && w < warps && !interrupted(); w++) {
		/* Only the rest of the current warp is counted. */
		if (s->o->limit && s->shown >= s->o->limit)
			break;
		e = show_warp(s, w, d);
	}
	return e;
}

/* Chooses the block of --block, or the first in the file. */
static bool choose_block(struct show *s)
{
	const struct trace_launch *l = s->launch;

	if (s->o->block)
		return trace_block_number(s->o->block, l, &s->block);
	if (trace_next_block(s->t, s->o->launch, 0, &s->block))
		return true;
	say_error("launch %u has no work-group in the file", s->o->launch);
	return false;
}

static int show_launch(struct show *s)
{
	const struct trace_launch *l = s->launch;
	char name[256], n[GROUPED_TEXT];
	struct diag d;
	enum err e;

	demangle_instance(name, sizeof(name), l->kernel);
	e = walker_new(&s->walker, s->t, &d);
	if (!e)
		e = walker_load(s->walker, s->o->launch, &d);
	if (!e) {
		printf("launch %u: %s, grid %" PRIu32 "x%" PRIu32 "x%" PRIu32
		       ", block %" PRIu32 "x%" PRIu32 "x%" PRIu32 "\n",
		       s->o->launch, name, l->grid[0], l->grid[1], l->grid[2],
		       l->block[0], l->block[1], l->block[2]);
		e = show_block(s, &d);
	}
	if (s->more)
		printf("... %s more of this warp; --limit 0 shows all\n",
		       grouped(n, s->more));
	walker_free(s->walker);
	if (e)
		say_error("%s", d.text);
	return e ? EXIT_INPUT : interrupted() ? interrupt_exit() : EXIT_OK;
}

static int show_trace(const char *path, const struct show_options *o)
{
	const struct trace_launch_record *r;
	struct show s = { .o = o };
	int code = EXIT_INPUT;

	if (!trace_begin(&s.t, path))
		return EXIT_INPUT;
	trace_warn(s.t, path);
	r = trace_get_launch(s.t, o->launch);
	if (!r) {
		say_error("%s has no launch %u", path, o->launch);
	} else {
		s.launch = &r->launch;
		if (choose_block(&s))
			code = show_launch(&s);
	}
	trace_close(s.t);
	return code;
}

static int show_main(int argc, char **argv)
{
	struct show_options o = { .limit = LIMIT };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = trace_parse(&cmd_trace_show, to, argc, argv, &files, 1);

	if (code < 0)
		code = show_trace(files.at[0], &o);
	words_free(&files);
	return code;
}

const struct command cmd_trace_show = {
	.name = "trace show",
	.summary = "Show what warps executed, instruction by instruction",
	.usage = "TRACE [OPTIONS]",
	.details =
		"A line shows the instruction's number in its function, the "
		"mask of its active\nlanes, the instruction and its source "
		"line. Its memory accesses follow; a run\nof lanes is printed "
		"as 0xADDRESS+STRIDE.\n\n"
		"Examples:\n"
		"  heddle trace show matmul.trace\n"
		"  heddle trace show matmul.trace --launch 2 --block 3,1 "
		"--warp 0 --limit 0\n",
	.tables = { show_opts },
	.run = show_main,
};
