/*
 * HEDDLE_TRACE: records a trace of each device of the process. The first trace
 * takes the name as it is. Further ones, of other devices, of a device after a
 * reset or of other processes, append a number: nothing is overwritten.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "door/rt/state.h"

enum { MAX_TRACES = 10000 };

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

/* Creates a file under the first free name; false: there is none. */
static bool trace_create_file(char *to, size_t size, const char *path)
{
	for (int i = 1; i < MAX_TRACES; i++) {
		int n = i == 1 ? snprintf(to, size, "%s", path) :
				 snprintf(to, size, "%s.%d", path, i);
		int fd;

		if (n < 0 || (size_t)n >= size) {
			errno = ENAMETOOLONG;
			return false;
		}
		fd = open(to, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
		if (fd >= 0) {
			close(fd);
			return true;
		}
		if (errno != EEXIST)
			return false;
	}
	return false;
}

bool trace_start(struct rt_device *d)
{
	char name[PATH_MAX], command[1024];
	struct heddle_error err;

	if (!rt.settings.trace)
		return true;
	if (!trace_create_file(name, sizeof(name), rt.settings.trace)) {
		rt_say("error: HEDDLE_TRACE: cannot create '%s': %s",
		       rt.settings.trace, strerror(errno));
		return false;
	}
	command_line(command, sizeof(command));
	if (!heddle_trace_begin(d->sim, name, command, &err))
		return true;
	rt_say("error: HEDDLE_TRACE: %s", err.text);
	return false;
}

void trace_stop(struct rt_device *d)
{
	struct heddle_error err;

	if (rt.settings.trace && d->sim && heddle_trace_end(d->sim, &err))
		rt_say("error: HEDDLE_TRACE: %s", err.text);
}
