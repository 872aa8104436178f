/*
 * Processes that run points, several at a time.
 *
 * Each has a process group of its own and ends when we do: a Ctrl-C reaches us
 * alone, and nothing is left running. The signals that pool_wait waits for
 * (SIGCHLD, SIGINT, SIGTERM, SIGHUP) are blocked from pool_open on, and stay so
 * after pool_close. Variables HEDDLE_* of our environment are not passed on,
 * but for those that name a folder or a compiler.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_POOL_H
#define HEDDLE_EXPLORE_SWEEP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/diag.h"

struct pool_child {
	pid_t pid; /* 0: free */
	size_t tag;
	double start, deadline; /* 0: none */
	bool late;              /* killed for that */
};

struct process_pool {
	struct pool_child *children;
	size_t room, running;
	bool interrupted;
};

/* How one ended. */
struct pool_end {
	size_t tag, place;
	int status; /* as waitpid gives it */
	bool late;  /* it was killed after its time */
	double seconds;
};

MUST_USE enum err pool_open(struct process_pool *p, size_t room,
			    struct diag *d);
/* Kills what still runs. */
void pool_close(struct process_pool *p);

/* Where the next one will be, below p->room; nobody else is there. */
size_t pool_place(const struct process_pool *p);
/* log: a file for its standard output and error. timeout: seconds; 0: none. */
MUST_USE enum err pool_start(struct process_pool *p, const char *const *argv,
			     const char *log, size_t tag, double timeout,
			     struct diag *d);
/*
 * Waits until one ends, for that many seconds at most. False: none has, or
 * p->interrupted: somebody wants us to stop.
 */
bool pool_wait(struct process_pool *p, double seconds, struct pool_end *end);

#endif
