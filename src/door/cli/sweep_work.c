/* heddle sweep work: a task of a job array. */
#include "explore/sweep_work.h"

#include "door/cli/commands.h"
#include "door/cli/text.h"

struct work_options {
	uint64_t task, tasks;
};

#define AT(field) offsetof(struct work_options, field)

static const struct opt work_opts[] = {
	OPT_HEADING("Options:"),
	{ "task", 0, "N", "the number of this task, from 0", opt_u64,
	  AT(task) },
	{ "tasks", 0, "N", "the number of tasks", opt_count, AT(tasks) },
	OPT_END
};

static int work_main(int argc, char **argv)
{
	struct work_options o = { .tasks = 1 };
	struct words folders = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_sweep_work, to, argc, argv, &folders);
	int interrupted = 0;
	struct diag d;

	if (code < 0 && folders.count != 1) {
		say_error("expected one folder of points, %zu given",
			  folders.count);
		code = EXIT_USAGE;
	}
	if (code < 0 &&
	    sweep_work(folders.at[0], o.task, o.tasks, &interrupted, &d)) {
		say_error("%s", d.text);
		code = EXIT_INPUT;
	}
	if (code < 0)
		code = interrupted ? exit_of_signal(interrupted) : EXIT_OK;
	words_free(&folders);
	return code;
}

const struct command cmd_sweep_work = {
	.name = "sweep work",
	.summary = "Run a share of a sweep's points, as a task of a job array",
	.usage = "FOLDER [OPTIONS]",
	.details =
		"FOLDER was created by 'heddle sweep FILE --on slurm'. The "
		"task runs points N,\nN + TASKS, N + 2 * TASKS and so on that "
		"have no result yet.\n",
	.tables = { work_opts },
	.hidden = true,
	.run = work_main,
};
