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
	pid_t pid; /* 0: the slot is free */
	size_t tag;
	double start, deadline; /* seconds; 0: none */
	bool late;              /* killed after its deadline */
};

struct process_pool {
	struct pool_child *children;
	size_t room, running;
	int interrupted; /* the signal; 0: none */
};

/* How a process ended. */
struct pool_end {
	size_t tag, place;
	int status; /* of waitpid */
	bool late;  /* killed after its deadline */
	double seconds;
};

MUST_USE enum err pool_open(struct process_pool *p, size_t room,
			    struct diag *d);
/* Kills the processes that still run. */
void pool_close(struct process_pool *p);

/* The slot of the next process, below p->room. There must be a free one. */
size_t pool_place(const struct process_pool *p);
/* Starts a process. tag: the caller's. log: the file for its standard output
 * and error. timeout: seconds; 0: none. */
MUST_USE enum err pool_start(struct process_pool *p, const char *const *argv,
			     const char *log, size_t tag, double timeout,
			     struct diag *d);
/*
 * Waits until a process ends, for at most that many seconds. False: none has
 * ended, or a signal has set p->interrupted.
 */
bool pool_wait(struct process_pool *p, double seconds, struct pool_end *end);

#endif
