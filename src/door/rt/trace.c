/*
 * HEDDLE_TRACE: records a trace of each device of the process. The first trace
 * that is complete takes the name as it is. Further ones, of other devices, of a
 * device after a reset or of other processes, append a number: nothing is
 * overwritten.
 */
#include <stdio.h>
#include <string.h>

#include "door/rt/state.h"

/* The command line of the process, to be read by people. */
static void command_line(char *to, size_t size)
{
	FILE *f = fopen("/proc/self/cmdline", "rb");
	size_t n = f ? fread(to, 1, size - 1, f) : 0;

	if (f)
		fclose(f);
	while (n && !to[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!to[i])
			to[i] = ' ';
	to[n] = '\0';
}

static bool trace_lost; /* one could not be written: there are no more */

static void trace_give_up(struct outfile *f, const char *why)
{
	trace_lost = true;
	if (f)
		outfile_drop(f);
	rt_lost_file("trace", why);
}

void trace_start(struct rt_device *d)
{
	struct outfile *f = &d->trace;
	struct heddle_error err;
	char command[1024];
	struct diag why;

	if (!rt.settings.trace || trace_lost)
		return;
	if (outfile_open(f, rt.settings.trace, &why)) {
		trace_give_up(NULL, why.text);
		return;
	}
	command_line(command, sizeof(command));
	if (heddle_trace_begin(d->sim, f->temporary ? f->temporary : f->target,
			       command, &err))
		trace_give_up(f, err.text);
	else
		d->traced = true;
}

void trace_stop(struct rt_device *d)
{
	struct heddle_error err;
	struct diag why;

	if (!d->traced)
		return;
	d->traced = false;
	if (heddle_trace_end(d->sim, &err))
		trace_give_up(&d->trace, err.text);
	else if (outfile_close_new(&d->trace, ERR_OK, &why))
		trace_give_up(NULL, why.text);
}
