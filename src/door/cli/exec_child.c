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
#include <time.h>
#include <unistd.h>

/* The signals that we pass on. */
static const int passed[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
			      SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT };
#define PASSED (sizeof(passed) / sizeof(passed[0]))

enum {
	ROUND_MS = 20,    /* between two looks at the processes that are left */
	ASK_EVERY = 10,   /* rounds after which they are asked again to end */
	ASK_ROUNDS = 100, /* then they are killed */
	MAX_ROUNDS = 200
};

/* A signal handler has no context. */
static volatile pid_t child;
static volatile sig_atomic_t ended_by; /* the signal to end; 0: none came */

/* A signal from the terminal (si_code above 0) also reaches the child, which is
 * in the same process group. */
static void child_pass_signal(int number, siginfo_t *info, void *context)
{
	int kept = errno;

	(void)context;
	if (number == SIGINT || number == SIGTERM || number == SIGHUP)
		ended_by = number;
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

/* Sends a signal to our children; returns how many there are. 0: send none. */
static unsigned child_signal_all(int number)
{
	char name[64];
	unsigned n = 0;
	FILE *list;
	int pid;

	snprintf(name, sizeof(name), "/proc/self/task/%ld/children",
		 (long)getpid());
	list = fopen(name, "re");
	while (list && fscanf(list, "%d", &pid) == 1) {
		n++;
		if (number)
			kill((pid_t)pid, number);
	}
	if (list)
		fclose(list);
	return n;
}

/* The program was a script that was told to end: what it had started, and what
 * is ours now, ends with it. */
static void child_end_family(int number)
{
	const struct timespec pause = { .tv_nsec = ROUND_MS * 1000000L };

	for (int i = 0; i < MAX_ROUNDS; i++) {
		int send = i >= ASK_ROUNDS ? SIGKILL :
			   i % ASK_EVERY   ? 0 :
					     number;

		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (!child_signal_all(send))
			return;
		nanosleep(&pause, NULL);
	}
}

enum err child_run(const char *path, char *const *argv, int *status,
		   struct diag *d)
{
	int ends[2], why = 0;
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return fail(d, ERR_IO, "pipe: %s", strerror(errno));
	/* Processes whose parent has ended become our children. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
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
	if (ended_by)
		child_end_family(ended_by);
	if (got == (ssize_t)sizeof(why))
		return fail(d, why == ENOENT ? ERR_UNKNOWN : ERR_IO,
			    "cannot run '%.200s': %s", path,
			    why == ENOENT ? "its interpreter is missing" :
					    strerror(why));
	return ERR_OK;
}
