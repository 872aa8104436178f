#define _GNU_SOURCE /* memfd_create */
#include "door/cli/exec_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/wordlist.h"
#include "door/cli/fileuse.h"
#include "door/common/results.h"
#include "heddle/heddle.h"

static const struct {
	const char *option, *variable;
} exec_file_info[EXEC_FILES] = {
	[EXEC_TRACE] = { "--record", "HEDDLE_TRACE" },
	[EXEC_CSV] = { "--csv", "HEDDLE_CSV" },
	[EXEC_TIMELINE] = { "--timeline", "HEDDLE_TIMELINE" },
};

static enum err exec_check_files(const struct exec_files *f,
				 const char *program, struct diag *d)
{
	struct file_uses u = { 0 };
	enum err e = ERR_OK;

	if (!access(program, F_OK))
		e = file_uses_add(&u, "PROGRAM", program, false, d);
	for (int i = 0; !e && i < EXEC_FILES; i++)
		e = file_uses_add(&u, exec_file_info[i].option, f->path[i],
				  true, d);
	if (!e)
		e = file_uses_check(&u, d);
	file_uses_free(&u);
	return e;
}

/* Processes do not replace files, which might be those of others. */
static enum err exec_remove_old(enum exec_file i, const char *path,
				struct diag *d)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return ERR_OK;
	if (i == EXEC_TRACE && !heddle_trace_is(path))
		return fail(d, ERR_RANGE, "'%.200s' exists and is not a trace",
			    path);
	return unlink(path) ? fail(d, ERR_IO, "cannot replace '%.200s': %s",
				   path, strerror(errno)) :
			      ERR_OK;
}

/* A file without a name, which processes open through /proc, whatever they have
 * closed. */
static enum err exec_open_status(struct exec_files *f, struct diag *d)
{
	char name[64];

	f->status = memfd_create("heddle", MFD_CLOEXEC);
	if (f->status < 0)
		return fail(d, ERR_IO, "memfd_create: %s", strerror(errno));
	snprintf(name, sizeof(name), "/proc/%ld/fd/%d", (long)getpid(),
		 f->status);
	return setenv(RESULTS_STATUS, name, 1) ?
		       fail(d, ERR_NOMEM, "out of memory") :
		       ERR_OK;
}

enum err exec_files_open(struct exec_files *f, const struct settings *s,
			 const char *program, struct diag *d)
{
	const char *const asked[EXEC_FILES] = { [EXEC_TRACE] = s->trace,
						[EXEC_CSV] = s->csv,
						[EXEC_TIMELINE] = s->timeline };
	bool any = false;

	*f = (struct exec_files){ .status = -1 };
	for (int i = 0; i < EXEC_FILES; i++) {
		f->path[i] = asked[i] ? outfile_absolute(asked[i]) : NULL;
		if (asked[i] && !f->path[i])
			return fail(d, ERR_NOMEM, "out of memory");
		any |= asked[i] != NULL;
	}
	if (!any)
		return ERR_OK;
	if (exec_check_files(f, program, d))
		return d->code;
	for (int i = 0; i < EXEC_FILES; i++) {
		if (!f->path[i])
			continue;
		if (exec_remove_old((enum exec_file)i, f->path[i], d))
			return d->code;
		if (setenv(exec_file_info[i].variable, f->path[i], 1))
			return fail(d, ERR_NOMEM, "out of memory");
	}
	return exec_open_status(f, d);
}

/* Whether the name is NAME.PID.tmp or NAME.PID.N.tmp of a process that is no
 * more. */
static bool exec_is_left(const char *entry, const char *name)
{
	size_t n = strlen(name);
	long pid;
	char *end;

	if (strncmp(entry, name, n) || entry[n] != '.' ||
	    !word_ends_with(entry, ".tmp"))
		return false;
	pid = strtol(entry + n + 1, &end, 10);
	return pid > 0 && *end == '.' && kill((pid_t)pid, 0) && errno == ESRCH;
}

static void exec_handle_left(enum exec_file i, const char *path)
{
	if (i == EXEC_TRACE)
		fprintf(stderr,
			"heddle: '%s' is an incomplete trace; 'heddle run "
			"--partial' replays its complete launches\n",
			path);
	else
		unlink(path);
}

static void exec_find_left(enum exec_file i, const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX], file[PATH_MAX + 300];
	struct dirent *e;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path) + 1, path);
	dir = opendir(folder);
	while (dir && (e = readdir(dir)))
		if (exec_is_left(e->d_name, slash + 1)) {
			snprintf(file, sizeof(file), "%s%.255s", folder,
				 e->d_name);
			exec_handle_left(i, file);
		}
	if (dir)
		closedir(dir);
}

static void exec_say_missing(enum exec_file i, const char *path, int status)
{
	if (WIFSIGNALED(status))
		fprintf(stderr,
			"heddle: '%s' was not written: the program was killed "
			"by signal %d (%s)\n",
			path, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (i == EXEC_TRACE)
		fprintf(stderr,
			"heddle: no trace was written: the program did not use "
			"CUDA or OpenCL through Heddle, or ended without its normal "
			"exit\n");
	else
		fprintf(stderr,
			"heddle: '%s' was not written: no launch was timed, or "
			"the program ended without its normal exit\n",
			path);
}

bool exec_files_check(const struct exec_files *f, int status)
{
	struct stat st;
	bool lost = f->status >= 0 && !fstat(f->status, &st) && st.st_size;

	for (int i = 0; i < EXEC_FILES; i++) {
		if (!f->path[i])
			continue;
		if (access(f->path[i], F_OK) && !lost)
			exec_say_missing((enum exec_file)i, f->path[i], status);
		exec_find_left((enum exec_file)i, f->path[i]);
	}
	return !lost;
}

void exec_files_free(struct exec_files *f)
{
	for (int i = 0; i < EXEC_FILES; i++)
		free(f->path[i]);
	if (f->status >= 0)
		close(f->status);
	*f = (struct exec_files){ .status = -1 };
}
