#define _GNU_SOURCE /* pipe2 */
#include "door/cli/exec_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The signals that we pass on. */
static const int passed[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
			      SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT };
#define PASSED (sizeof(passed) / sizeof(passed[0]))

/* A signal handler has no context. */
static volatile pid_t child;

/* A signal from the terminal (si_code above 0) also reaches the child, which is
 * in the same process group. */
static void child_pass_signal(int number, siginfo_t *info, void *context)
{
	int kept = errno;

	(void)context;
	if (child > 0 && info->si_code <= 0)
		kill(child, number);
	if (number == SIGTSTP)
		raise(SIGSTOP);
	errno = kept;
}

/* Signals that our parent ignores stay ignored, also in the child. */
static bool is_ignored(int number)
{
	struct sigaction old;

	return !sigaction(number, NULL, &old) && old.sa_handler == SIG_IGN;
}

static void child_handle_signals(bool pass)
{
	struct sigaction sa = { .sa_flags = SA_RESTART };

	sigemptyset(&sa.sa_mask);
	if (pass) {
		sa.sa_sigaction = child_pass_signal;
		sa.sa_flags |= SA_SIGINFO;
	} else {
		sa.sa_handler = SIG_DFL;
	}
	for (size_t i = 0; i < PASSED; i++)
		if (!is_ignored(passed[i]))
			sigaction(passed[i], &sa, NULL);
}

/* Reports a failed exec through the pipe, which a successful one closes. */
static void child_become(const char *path, char *const *argv,
			 const sigset_t *mask, int to, pid_t parent)
{
	int why;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_NOT_EXECUTABLE); /* it was killed just now */
	child_handle_signals(false);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(path, argv); /* unlike execv, runs scripts without #! */
	why = errno;
	if (write(to, &why, sizeof(why)) < 0)
		_exit(EXIT_NOT_EXECUTABLE);
	_exit(EXIT_NOT_FOUND);
}

static pid_t child_start(const char *path, char *const *argv, int ends[2])
{
	pid_t parent = getpid(), pid;
	sigset_t all, mask;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		child_become(path, argv, &mask, ends[1], parent);
	child = pid;
	child_handle_signals(true);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return pid;
}

static enum err child_wait(pid_t pid, int *status, struct diag *d)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return fail(d, ERR_IO, "waitpid: %s", strerror(errno));
	child = 0;
	return ERR_OK;
}

enum err child_run(const char *path, char *const *argv, int *status,
		   struct diag *d)
{
	int ends[2], why = 0;
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return fail(d, ERR_IO, "pipe: %s", strerror(errno));
	pid = child_start(path, argv, ends);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return fail(d, ERR_IO, "fork: %s", strerror(errno));
	}
	do {
		got = read(ends[0], &why, sizeof(why));
	} while (got < 0 && errno == EINTR);
	close(ends[0]);
	if (child_wait(pid, status, d))
		return d->code;
	if (got == (ssize_t)sizeof(why))
		return fail(d, why == ENOENT ? ERR_UNKNOWN : ERR_IO,
			    "cannot run '%.200s': %s", path,
			    why == ENOENT ? "its interpreter is missing" :
					    strerror(why));
	return ERR_OK;
}
