/*
 * One run in a process of its own, `heddle exec` or `heddle run`: a crash does
 * not reach us, and we do not disturb its time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/engines.h"

enum { NAME_SIZE = 80 };

/* The command line of a child, and the strings that it needs. */
struct child_command {
	struct words argv;
	char folder[PATH_MAX], log[PATH_MAX], threads[16];
	const char *self;
};

/* Variables of our environment that would change what is compared. */
static const char *const settings[] = {
	"HEDDLE_GPU",        "HEDDLE_DEVICES", "HEDDLE_SET",
	"HEDDLE_FUNCTIONAL", "HEDDLE_ENGINE",  "HEDDLE_THREADS",
	"HEDDLE_HOST_TIME",  "HEDDLE_OUT",     "HEDDLE_QUIET",
	"HEDDLE_HAZARDS",
};

static enum err child_make_folder(const char *path, struct diag *d)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "cannot create the folder '%.200s': %s",
			    path, strerror(errno));
	return ERR_OK;
}

/* FOLDER/runs/2-scan/exact-1, and the same with .log */
static enum err child_name_files(struct child_command *l,
				 const struct engines *e, size_t program,
				 size_t engine, unsigned run, struct diag *d)
{
	const struct engines_program *p = &e->program[program];
	char folder[PATH_MAX], name[NAME_SIZE];
	int n;

	snprintf(folder, sizeof(folder), "%.*s/runs", PATH_MAX - 200,
		 e->folder);
	if (child_make_folder(folder, d))
		return d->code;
	snprintf(name, sizeof(name), "/%zu-%.*s", program + 1,
		 (int)strcspn(p->label, " /"), p->label);
	strncat(folder, name, sizeof(folder) - strlen(folder) - 1);
	if (child_make_folder(folder, d))
		return d->code;
	snprintf(name, sizeof(name), "/%s-%u",
		 engines_is_host_time(e, engine) ? "host-time" :
						   e->engine[engine].name,
		 run + 1);
	for (char *c = name; *c; c++)
		*c = *c == ':' ? '-' : *c;
	n = snprintf(l->folder, sizeof(l->folder), "%s%s", folder, name);
	if (n + 8 > (int)sizeof(l->log))
		return fail(d, ERR_IO, "the folder's name is too long");
	memcpy(l->log, l->folder, (size_t)n);
	strcpy(l->log + n, ".log");
	if (p->source)
		strcpy(l->folder + n, ".json");
	return ERR_OK;
}

static enum err child_add_option(struct child_command *l, const char *option,
				 const char *value, struct diag *d)
{
	if (words_add(&l->argv, option, d) ||
	    (value && words_add(&l->argv, value, d)))
		return d->code;
	return ERR_OK;
}

static enum err child_add_program(struct child_command *l,
				  const struct engines_program *p,
				  struct diag *d)
{
	for (size_t i = 0; i < p->argv.count; i++)
		if (words_add(&l->argv, p->argv.at[i], d))
			return d->code;
	return ERR_OK;
}

static enum err child_make_command(struct child_command *l,
				   const struct engines *e, size_t program,
				   size_t engine, struct diag *d)
{
	const struct engines_program *p = &e->program[program];
	bool host_time = engines_is_host_time(e, engine);
	const struct engines_engine *x = &e->engine[host_time ? 0 : engine];

	snprintf(l->threads, sizeof(l->threads), "%u", e->threads);
	if (child_add_option(l, l->self, p->source ? "run" : "exec", d) ||
	    (p->source && child_add_program(l, p, d)) ||
	    child_add_option(l, "-q", NULL, d) ||
	    child_add_option(l, "--gpu", e->gpu, d) ||
	    child_add_option(l, "--engine", x->name, d) ||
	    (x->threads && child_add_option(l, "--threads", l->threads, d)) ||
	    (host_time && child_add_option(l, "--host-time", NULL, d)) ||
	    child_add_option(l, p->source ? "--json" : "--out", l->folder, d))
		return d->code;
	for (size_t i = 0; i < e->set.count; i++)
		if (child_add_option(l, "-o", e->set.at[i], d))
			return d->code;
	if (!p->source &&
	    (child_add_option(l, "--", NULL, d) || child_add_program(l, p, d)))
		return d->code;
	return words_add(&l->argv, NULL, d);
}

static void child_exec(const struct child_command *l, int log)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		unsetenv(settings[i]);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	/* execv takes no const strings, for historical reasons. */
	execv(l->self, (char *const *)l->argv.at);
	dprintf(STDERR_FILENO, "cannot run '%s': %s\n", l->self,
		strerror(errno));
	_exit(127);
}

static enum err child_run_command(const struct engines *e,
				  const struct child_command *l, int *status,
				  struct diag *d)
{
	int log = open(l->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	pid_t pid;

	if (log < 0)
		return fail(d, ERR_IO, "cannot create '%.200s': %s", l->log,
			    strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		child_exec(l, log);
	close(log);
	if (pid < 0)
		return fail(d, ERR_IO, "fork: %s", strerror(errno));
	e->host.child(e->host.ctx, pid);
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return fail(d, ERR_IO, "waitpid: %s", strerror(errno));
	e->host.child(e->host.ctx, 0);
	return ERR_OK;
}

/* ": " and the last line that the child printed; "" if it printed none. */
static void child_last_line(char *to, size_t size, const char *log)
{
	FILE *f = fopen(log, "re");
	char text[200];

	to[0] = '\0';
	while (f && fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = '\0';
		if (text[0])
			snprintf(to, size, ": %s", text);
	}
	if (f)
		fclose(f);
}

static enum err child_check_status(const struct child_command *l, int status,
				   struct diag *d)
{
	char said[204];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return ERR_OK;
	child_last_line(said, sizeof(said), l->log);
	if (WIFSIGNALED(status))
		return fail(d, ERR_FAULT, "killed by signal %d (%s)%s",
			    WTERMSIG(status), strsignal(WTERMSIG(status)),
			    said);
	return fail(d, ERR_FAULT, "exit status %d%s", WEXITSTATUS(status),
		    said);
}

static enum err child_run_and_read(struct engines_run *r,
				   const struct engines *e,
				   const struct child_command *l, bool source,
				   struct diag *d)
{
	int status;

	if (child_run_command(e, l, &status, d) ||
	    child_check_status(l, status, d) ||
	    (source ? engines_read_file(r, l->folder, d) :
		      engines_read_folder(r, l->folder, d)))
		return d->code;
	if (!r->launches)
		return fail(d, ERR_FAULT, "no kernel was launched");
	return ERR_OK;
}

void engines_child(const struct engines *e, size_t program, size_t engine,
		   unsigned run)
{
	struct engines_run *r = engines_run_of(e, program, engine, run);
	struct child_command l = { .self = "/proc/self/exe" };
	struct diag d;

	r->tried = true;
	if (child_name_files(&l, e, program, engine, run, &d) ||
	    child_make_command(&l, e, program, engine, &d) ||
	    child_run_and_read(r, e, &l, e->program[program].source, &d))
		snprintf(r->why, sizeof(r->why), "%.230s", d.text);
	else
		r->done = true;
	words_free(&l.argv);
}
