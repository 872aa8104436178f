/*
 * Commands and their events. A command is run when everything it waits for has
 * been: the events of its wait list and, in a queue in order, the command before
 * it. What keeps it from running is an event of the user in the end.
 *
 * A queue in order is one stream of rt, in which work takes its time one after the
 * other. A queue out of order uses several streams in turns: its commands may
 * overlap as far as their events allow.
 */
#ifndef HEDDLE_OPENCL_COMMAND_H
#define HEDDLE_OPENCL_COMMAND_H

#include "door/opencl/state.h"

struct event_callback {
	struct event_callback *next;
	cl_int type;
	void(CL_CALLBACK *fn)(cl_event, cl_int, void *);
	void *data;
};

struct _cl_event {
	struct object o;
	cl_context context;
	cl_command_queue queue; /* NULL: an event of the user */
	cl_command_type type;
	cl_int status; /* CL_QUEUED to CL_COMPLETE, or an error */
	size_t listed; /* the first of deps: the list that the program gave */
	struct rt_event *mark; /* the command's end; NULL: not run */
	double queued, submitted;
	struct rt_stream *stream; /* while it runs */
	cl_int (*run)(cl_event e, void *data);
	void (*drop)(void *data); /* NULL: nothing but free */
	void *data;
	cl_event *deps; /* until it runs */
	size_t dep_count;
	size_t waits; /* how many of them have not run */
	cl_event *waiters;
	size_t waiter_count;
	struct event_callback *callbacks;
	cl_event next; /* in the list of commands that are ready, see run_all */
};

struct _cl_command_queue {
	struct object o;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties properties;
	struct rt_stream *streams[CL_STREAMS]; /* made on first use */
	unsigned turn;
	/* The command that the next one waits for: in order, the last; else the
	 * last barrier. NULL: none, or it has run. */
	cl_event last;
	cl_event *pending; /* commands that have not run, in order */
	size_t pending_count, pending_room;
};

/* What clEnqueue... is given about events. */
struct wait_list {
	cl_uint count;
	const cl_event *list;
	cl_event *event; /* NULL: the program wants none */
};

/* What a command does. data is copied. */
struct cl_command {
	cl_command_type type;
	cl_int (*run)(cl_event e, void *data);
	void (*drop)(
		void *data); /* what the data holds; also if it cannot run */
	const void *data;
	size_t size;
	cl_bool blocking;
	bool barrier; /* later commands of the queue wait for it */
	bool all;     /* it waits for all earlier commands of the queue */
};

/* The queue is valid, and the list and its events are of its context. */
cl_int command_check(cl_command_queue q, const struct wait_list *w);
/* Runs the command now or when it may run. Its data is dropped when it has ended,
 * or if this fails. */
cl_int command_submit(cl_command_queue q, const struct cl_command *c,
		      const struct wait_list *w);
/* The command ends with an error, or with CL_COMPLETE; then what waits for it
 * runs. */
void event_end(cl_event e, cl_int status);
/* Calls the functions that wait for a status that the event has reached. */
void event_notify(cl_event e);
/* Waits until the command has ended, in simulated time as well. Returns its status.
 */
cl_int event_wait(cl_event e);
/* An event that waits for nothing; NULL: out of memory. */
cl_event event_new(cl_context c, cl_command_queue q, cl_command_type type);
/* Runs launches that are held back, and gives those that failed their status. */
void cl_settle(void);
/* Notes that the event's launch may be held back. */
void cl_unsettled(cl_event e);

/* The stream for the queue's next command. */
cl_int queue_stream(cl_command_queue q, struct rt_stream **out);
/* Lets `s` wait for all streams of the queue, or all of them for `mark`. */
cl_int queue_join(cl_command_queue q, struct rt_stream *s);
cl_int queue_wait_for(cl_command_queue q, struct rt_event *mark);
/* Events of rt are kept and used again. */
struct rt_event *mark_new(int device);
void mark_free(struct rt_event *m, int device);

#endif
