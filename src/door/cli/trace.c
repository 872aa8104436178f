/*
 * heddle trace: records what the launches of a program do, and shows it. Each
 * subcommand is a command of its own.
 */
#include "door/cli/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "accelsim/list.h"
#include "door/cli/commands.h"
#include "door/cli/text.h"
#include "door/cli/values.h"

static const struct command *const subcommands[] = {
	&cmd_trace_record, &cmd_trace_info, &cmd_trace_show,
	&cmd_trace_diff,   &cmd_trace_map,  NULL,
};

int trace_parse(const struct command *c, void *const to[], int argc,
		char **argv, struct words *files, size_t count)
{
	int code = command_parse(c, to, argc, argv, files);

	if (code >= 0 || files->count == count)
		return code;
	if (files->count < count)
		say_error("%s", count == 1 ? "no trace given" :
					     "expected two traces");
	else
		say_error("unexpected argument '%s': expected %zu trace%s",
			  files->at[count], count, count == 1 ? "" : "s");
	fprintf(stderr,
		"Usage: heddle %s %s\n"
		"Try 'heddle %s --help'.\n",
		c->name, c->usage, c->name);
	return EXIT_USAGE;
}

bool trace_warn(struct trace *t, const char *path)
{
	size_t count;
	const char *damage = trace_damage(t, &count);

	if (!damage)
		return false;
	fprintf(stderr, "heddle: warning: %s: %s", path, damage);
	if (count > 1)
		fprintf(stderr, " (and %zu more)", count - 1);
	fputs("\n", stderr);
	return true;
}

bool trace_begin(struct trace **out, const char *path)
{
	struct diag d;

	if (asim_list_is(path)) {
		say_error("'%s' is a trace of Accel-Sim: 'heddle trace info' "
			  "and 'heddle run' take it, other commands take "
			  "traces of Heddle",
			  path);
		return false;
	}
	if (!trace_open(out, path, &d))
		return true;
	say_error("%s", d.text);
	return false;
}

bool trace_block_number(const char *text, const struct trace_launch *l,
			uint64_t *index)
{
	uint64_t at[3] = { 0 };
	const char *p = text;

	for (int i = 0; i < 3; i++) {
		size_t n = strcspn(p, ",x");
		struct diag d;

		if (number_parse_uint(&at[i], "--block", p, n, UINT32_MAX,
				      &d) ||
		    (i == 2 && p[n])) {
			say_error("--block %s: expected X[,Y[,Z]]", text);
			return false;
		}
		p += n;
		if (!*p)
			break;
		p++;
	}
	if (at[0] >= l->grid[0] || at[1] >= l->grid[1] || at[2] >= l->grid[2]) {
		say_error("--block %s: outside the grid of %s, %" PRIu32
			  "x%" PRIu32 "x%" PRIu32 ", counted from 0",
			  text, l->kernel, l->grid[0], l->grid[1], l->grid[2]);
		return false;
	}
	*index = at[0] + l->grid[0] * (at[1] + (uint64_t)l->grid[1] * at[2]);
	return true;
}

const struct command cmd_trace = {
	.name = "trace",
	.summary = "Record what a program does on a GPU, and show it",
	.usage = "COMMAND [OPTIONS]",
	.details =
		"'heddle run TRACE --gpu NAME' times the launches of a trace on "
		"a GPU.\n",
	.parts = subcommands,
};
