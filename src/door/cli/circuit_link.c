#define _GNU_SOURCE /* memfd_create, pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "door/cli/circuit.h"
#include "door/cli/interrupt.h"
#include "fastlanes/sim.h"

enum {
	QUEUE = 340,  /* requests: fits into what a pipe takes at once */
	BATCH = 1024, /* events */
	/* Cycles of the circuit between two looks for an interrupt: about a fifth
	 * of a second. */
	PATIENCE = 4000
};

/* ---- pipes --------------------------------------------------------------- */

static enum err circuit_is_gone(struct diag *d)
{
	return fail(d, ERR_IO, "the program of the circuit has ended");
}

static enum err send_all(const struct circuit *c, const void *bytes,
			 size_t size, struct diag *d)
{
	for (const char *p = bytes; size;) {
		ssize_t n = write(c->to, p, size);

		if (n < 0 && errno != EINTR)
			return circuit_is_gone(d);
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return ERR_OK;
}

static enum err receive_all(const struct circuit *c, void *bytes, size_t size,
			    struct diag *d)
{
	for (char *p = bytes; size;) {
		ssize_t n = read(c->from, p, size);

		if (!n || (n < 0 && errno != EINTR))
			return circuit_is_gone(d);
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return ERR_OK;
}

static enum err flush_requests(struct circuit *c, struct diag *d)
{
	size_t n = c->queued;

	c->queued = 0;
	return send_all(c, c->queue, n * sizeof(c->queue[0]), d);
}

static enum err send_request(struct circuit *c, enum fl_sim_op op, uint32_t at,
			     uint32_t data, struct diag *d)
{
	c->queue[c->queued++] = (struct fl_sim_request){ op, at, data };
	return c->queued == QUEUE ? flush_requests(c, d) : ERR_OK;
}

/* ---- the link -------------------------------------------------------------- */

static enum err circuit_write(void *ctx, uint32_t at, uint32_t data,
			      struct diag *d)
{
	return send_request(ctx, FL_SIM_WRITE, at, data, d);
}

static enum err circuit_read(void *ctx, uint32_t at, uint32_t *data,
			     struct diag *d)
{
	struct circuit *c = ctx;

	if (send_request(c, FL_SIM_READ, at, 0, d) || flush_requests(c, d))
		return d->code;
	return receive_all(c, data, sizeof(*data), d);
}

static enum err circuit_record(void *ctx, bool on, struct diag *d)
{
	return send_request(ctx, FL_SIM_EVENTS, 0, on, d);
}

static enum err pass_events(const struct circuit *c, uint32_t count,
			    const struct fl_launch *l, struct diag *d)
{
	struct fl_sim_event events[BATCH];

	if (count > BATCH)
		return fail(d, ERR_RANGE, "the circuit sends %u events at once",
			    count);
	if (receive_all(c, events, count * sizeof(events[0]), d))
		return d->code;
	for (uint32_t i = 0; i < count && l->event; i++)
		l->event(l->ctx,
			 &(struct fl_event){ events[i].cycle, events[i].sm,
					     events[i].warp, events[i].pc,
					     events[i].lanes });
	return ERR_OK;
}

static enum err circuit_wait(void *ctx, const struct fl_launch *l,
			     struct diag *d)
{
	struct circuit *c = ctx;
	struct fl_sim_ran ran;

	if (send_request(c, FL_SIM_RUN, 0, PATIENCE, d) || flush_requests(c, d))
		return d->code;
	do {
		if (receive_all(c, &ran, sizeof(ran), d) ||
		    pass_events(c, ran.events, l, d))
			return d->code;
	} while (ran.more);
	return ERR_OK;
}

/* ---- the program ------------------------------------------------------------- */

enum err circuit_open(struct circuit *c, struct diag *d)
{
	const off_t bytes = (off_t)FL_CIRCUIT_LINES * FL_SEGMENT;
	void *at;

	*c = (struct circuit){
		.link = { circuit_write, circuit_read, circuit_record,
			  circuit_wait, c },
		.to = -1,
		.from = -1,
		.memory_file = memfd_create("heddle-circuit", 0),
		.queue = calloc(QUEUE, sizeof(*c->queue)),
	};
	if (!c->queue)
		return fail(d, ERR_NOMEM, "out of memory");
	if (c->memory_file < 0 || ftruncate(c->memory_file, bytes))
		return fail(d, ERR_IO, "memory of the circuit: %s",
			    strerror(errno));
	at = mmap(NULL, FL_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		  c->memory_file, 0);
	if (at == MAP_FAILED)
		return fail(d, ERR_NOMEM, "no 512 MiB of addresses");
	c->memory = at;
	return ERR_OK;
}

/* In the child. */
static void become_circuit(const struct circuit *c, const char *program,
			   int from, int to, uint32_t latency,
			   uint32_t interval)
{
	char words[3][16];
	char *argv[] = { NULL, words[0], words[1], words[2], NULL };

	snprintf(words[0], sizeof(words[0]), "%d", c->memory_file);
	snprintf(words[1], sizeof(words[1]), "%u", latency);
	snprintf(words[2], sizeof(words[2]), "%u", interval);
	/* execv takes no const strings, for historical reasons. */
	argv[0] = (char *)program;
	dup2(from, STDIN_FILENO);
	dup2(to, STDOUT_FILENO);
	execv(program, argv);
	_exit(127);
}

enum err circuit_start(struct circuit *c, const char *program, uint32_t latency,
		       uint32_t interval, struct diag *d)
{
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC))
		return fail(d, ERR_IO, "pipe: %s", strerror(errno));
	if (pipe2(from, O_CLOEXEC)) {
		close(to[0]);
		close(to[1]);
		return fail(d, ERR_IO, "pipe: %s", strerror(errno));
	}
	signal(SIGPIPE, SIG_IGN);
	fflush(NULL);
	c->pid = fork();
	if (c->pid == 0)
		become_circuit(c, program, to[0], from[1], latency, interval);
	close(to[0]);
	close(from[1]);
	c->to = to[1];
	c->from = from[0];
	if (c->pid < 0) {
		c->pid = 0;
		return fail(d, ERR_IO, "fork: %s", strerror(errno));
	}
	return ERR_OK;
}

void circuit_close(struct circuit *c)
{
	if (c->to >= 0)
		close(c->to);
	if (c->from >= 0)
		close(c->from);
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (c->memory)
		munmap(c->memory, FL_MEMORY_BYTES);
	if (c->memory_file >= 0)
		close(c->memory_file);
	free(c->queue);
}
