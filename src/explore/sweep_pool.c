#define _GNU_SOURCE
#include "explore/sweep_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

static void pool_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

enum err pool_open(struct process_pool *p, size_t room, struct diag *d)
{
	sigset_t set;

	*p = (struct process_pool){ .room = room };
	p->children = calloc(room, sizeof(*p->children));
	if (!p->children)
		return fail(d, ERR_NOMEM, "out of memory");
	pool_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return ERR_OK;
}

/* Variables that say where things are. */
static bool is_path_variable(const char *name, size_t n)
{
	static const char *const places[] = {
		"HEDDLE_CLANG",    "HEDDLE_CONFIGS", "HEDDLE_CUDA_INCLUDE",
		"HEDDLE_CUDA_LIB", "HEDDLE_LIBCLC",  "HEDDLE_OPENCL_DEVICE",
		"HEDDLE_PTXAS"
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strlen(places[i]) == n && !memcmp(places[i], name, n))
			return true;
	return false;
}

/* Settings of runs in our environment are not for points. */
static void pool_clear_environment(void)
{
	char name[64];

	for (char **e = environ; e && *e;) {
		size_t n = strcspn(*e, "=");

		if (strncmp(*e, "HEDDLE_", 7) != 0 || n >= sizeof(name) ||
		    is_path_variable(*e, n)) {
			e++;
			continue;
		}
		memcpy(name, *e, n);
		name[n] = '\0';
		unsetenv(name);
		e = environ;
	}
}

/* Reports a failed exec through the pipe, which a successful one closes. */
static void pool_exec(const char *const *argv, const char *log, pid_t parent,
		      int to)
{
	int file = open(log, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;
	int why;

	pool_clear_environment();
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	if (file >= 0 && nothing >= 0 && dup2(nothing, 0) >= 0 &&
	    dup2(file, 1) >= 0 && dup2(file, 2) >= 0)
		execv(argv[0], (char *const *)argv);
	why = errno;
	if (write(to, &why, sizeof(why)) < 0)
		_exit(1);
	_exit(127);
}

size_t pool_place(const struct process_pool *p)
{
	for (size_t i = 0; i < p->room; i++)
		if (!p->children[i].pid)
			return i;
	BUG("no free slot in the pool");
}

enum err pool_start(struct process_pool *p, const char *const *argv,
		    const char *log, size_t tag, double timeout, struct diag *d)
{
	struct pool_child *c = &p->children[pool_place(p)];
	pid_t pid, parent = getpid();
	int ends[2], why;
	ssize_t got;

	if (pipe2(ends, O_CLOEXEC))
		return fail(d, ERR_IO, "pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		pool_exec(argv, log, parent, ends[1]);
	close(ends[1]);
	do {
		got = pid < 0 ? 0 : read(ends[0], &why, sizeof(why));
	} while (got < 0 && errno == EINTR);
	close(ends[0]);
	if (pid < 0)
		return fail(d, ERR_IO, "fork: %s", strerror(errno));
	if (got == (ssize_t)sizeof(why)) {
		waitpid(pid, NULL, 0);
		return fail(d, ERR_IO, "cannot start '%.200s': %s", argv[0],
			    strerror(why));
	}
	*c = (struct pool_child){ .pid = pid,
				  .tag = tag,
				  .start = clock_seconds() };
	c->deadline = timeout > 0 ? c->start + timeout : 0;
	p->running++;
	return ERR_OK;
}

/* Collects a process that has ended; false: there is none. */
static bool pool_reap(struct process_pool *p, struct pool_end *end)
{
	double now = clock_seconds();

	for (size_t i = 0; i < p->room; i++) {
		struct pool_child *c = &p->children[i];

		if (!c->pid)
			continue;
		if (waitpid(c->pid, &end->status, WNOHANG) == c->pid) {
			end->tag = c->tag;
			end->place = i;
			end->late = c->late;
			end->seconds = now - c->start;
			/* Also kill what it has started. */
			kill(-c->pid, SIGKILL);
			c->pid = 0;
			p->running--;
			return true;
		}
		if (c->deadline > 0 && now > c->deadline) {
			c->late = true;
			kill(-c->pid, SIGKILL);
			kill(c->pid, SIGKILL);
		}
	}
	return false;
}

/* How long to sleep: at most `seconds`, and until the next deadline. */
static double pool_sleep_seconds(const struct process_pool *p, double seconds)
{
	double now = clock_seconds();

	for (size_t i = 0; i < p->room; i++) {
		const struct pool_child *c = &p->children[i];
		double left = c->deadline - now;

		if (c->pid && c->deadline > 0 && left < seconds)
			seconds = left > 0.01 ? left : 0.01;
	}
	return seconds;
}

bool pool_wait(struct process_pool *p, double seconds, struct pool_end *end)
{
	struct timespec t;
	sigset_t set;
	int got;

	if (pool_reap(p, end))
		return true;
	seconds = pool_sleep_seconds(p, seconds);
	t.tv_sec = (time_t)seconds;
	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	pool_signals(&set);
	got = sigtimedwait(&set, NULL, &t);
	if (got > 0 && got != SIGCHLD) {
		p->interrupted = got;
		return false;
	}
	return pool_reap(p, end);
}

void pool_close(struct process_pool *p)
{
	for (size_t i = 0; i < p->room && p->children; i++) {
		pid_t pid = p->children[i].pid;

		if (!pid)
			continue;
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(p->children);
	*p = (struct process_pool){ .room = 0 };
}
