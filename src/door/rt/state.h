/* The one state of the process, shared by the files behind rt.h. */
#ifndef HEDDLE_RT_STATE_H
#define HEDDLE_RT_STATE_H

#include <pthread.h>

#include "base/diag.h"
#include "base/outfile.h"
#include "cfg/cfg.h"
#include "door/rt/handle.h"
#include "door/rt/rt.h"
#include "door/rt/settings.h"
#include "heddle/heddle.h"

enum { MAX_ENGINES = 16, LIMITS = 7 };

/* An interval of simulated seconds. */
struct time_span {
	double start, end;
};

struct rt_stream {
	int device;
	unsigned flags;
	int priority, sync_policy;
	uint64_t id;
	double ready; /* when all of its work has ended */
	/* When its work since the last event began; negative: there is none. */
	double began;
	unsigned held; /* its last launch that is held back, from 1; 0: none */
	struct capture *capture; /* NULL: not capturing */
	struct rt_node **deps;   /* capturing: what the next node depends on */
	size_t dep_count, dep_room;
	bool by_thread; /* a thread's own default stream */
};

struct rt_event {
	int device;
	unsigned flags;
	bool recorded;
	double time;
	double began, ended; /* see rt_event_span */
	unsigned held; /* the held launch whose end it marks, from 1; 0: none */
	/* Recorded in a capture: a wait for it depends on these nodes. */
	bool captured; /* stays set after the capture has ended */
	struct capture *capture;
	struct rt_node **deps;
	size_t dep_count;
};

struct rt_pool {
	int device;
	int reuse[3];
	uint64_t threshold;
	uint64_t used, used_high;
};

struct rt_device {
	int number;
	struct cfg_sheet sheet;
	struct heddle_config *config;
	struct heddle_device *sim; /* NULL: not opened yet */
	struct outfile trace;      /* being recorded, if `traced` */
	bool traced;
	unsigned sm; /* 90 */
	bool lost;   /* reset after a fault: unusable */
	int fault;   /* every call returns it; 0: none */
	struct rt_stream legacy;
	double blocking; /* when the work of its blocking streams ends */
	double latest;   /* when all of its work ends */
	double engine[MAX_ENGINES]; /* when each copy engine is free */
	size_t limits[LIMITS];
	struct rt_preferences preferences;
	struct rt_pool pool;
	struct rt_pool *current_pool;
	struct rt_pool graph_pool; /* counts the memory of graph nodes */
};

/* A thread of the host. */
struct rt_thread {
	int device;
	int last_error;
	int capture_mode;
	bool in_callback;
	struct rt_stream *streams[MAX_DEVICES]; /* its own default streams */
};

struct rt_state {
	pthread_mutex_t lock;
	bool broken; /* the settings are invalid: nothing works */
	bool used;   /* by a call other than registration */
	bool forked; /* the parent process used it: nothing works */
	struct settings settings;
	struct rt_device devices[MAX_DEVICES];
	int device_count;
	struct handles handles;
	struct handles symbols; /* by host address */
	uint64_t next_id;       /* of streams, allocations, captures */
	uint64_t launches;      /* so far */
	double host;            /* time until which the host has waited */
	/* Output of kernels, printed when the lock is released. */
	char *printed;
	size_t printed_size, printed_room;
};

extern struct rt_state rt;
struct rt_thread *rt_thread(void);

/* Prints "heddle: ..." on stderr. */
void rt_say(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Opens the calling thread's device. */
int current_device(struct rt_device **out);
/* Creates the simulator of the device on first use. */
int device_open(struct rt_device *d);
/* trace.c: called after a device is opened, and before it is closed. A trace that
 * cannot be written is dropped, once and for all; the program goes on. */
void trace_start(struct rt_device *d);
void trace_stop(struct rt_device *d);
/* A file that the user asked for could not be written: prints why, and lets
 * `heddle exec` know. */
void rt_lost_file(const char *what, const char *why);
struct rt_device *device_at(int number); /* NULL: there is none */
/* Sets a new or reset device to its initial state. */
void device_init(struct rt_device *d, int number);

/* To be called by functions that a capture forbids: invalidates the captures
 * that forbid them to this thread. 0: there are none. */
int capture_check_unsafe(void);
/* The same for functions that every capture forbids, whatever its mode. */
int capture_invalidate_all(void);
/* Invalidates one; returns cudaErrorStreamCaptureUnsupported. */
int capture_invalidate(struct capture *c);
/* Ends the captures into a graph that is being destroyed. */
void capture_end_of_graph(const struct rt_graph *g);
/* Removes a stream that is being destroyed from its capture. */
void capture_drop_stream(struct rt_stream *s);

/* NULL: not a stream. */
struct rt_stream *stream_find(struct rt_stream *s);
void stream_init(struct rt_stream *s, int device, unsigned flags);
bool stream_is_legacy(const struct rt_stream *s);
void stream_release(struct rt_stream *s);
/* Calls fn(data) without the lock: afterwards any handle may be gone, unless
 * the caller holds a reference. */
void call_host(void (*fn)(void *), void *data);

/* Time. The earliest start of work given to the stream now. */
double stream_start_time(const struct rt_stream *s);
/* The stream's next work begins at that time. */
void stream_begin(struct rt_stream *s, double start);
/* The stream's work ends at that time. */
void stream_advance(struct rt_stream *s, double end);
/* The host waits until that time. */
void host_advance(double end);
/* Schedules a copy in the stream, to or from the host or inside the device, and
 * occupies a copy engine. */
struct time_span time_copy(struct rt_stream *s, uint64_t bytes, bool host);
struct time_span time_set(struct rt_stream *s, uint64_t bytes);

/* Execute in a stream that does not capture, at once. */
int work_run(struct rt_stream *s, const struct rt_work *w);
int copy_run(const struct rt_copy *c, struct rt_stream *s);
int set_run(const struct rt_set *set, struct rt_stream *s);
int launch_run_now(const struct rt_launch *l, struct rt_stream *s);
/* Check the work without doing it. */
int copy_check(const struct rt_copy *c);
int set_check(const struct rt_set *set);
int launch_check(const struct rt_launch *l, int device);
/* Runs it in the stream or makes it a node of the stream's capture. */
int work_submit(struct rt_stream *s, struct rt_work *w);
int capture_add(struct rt_stream *s, struct rt_work *w);
/* Memory of graphs and streams. */
int memory_alloc(void **out, size_t size, int device, struct rt_pool *pool);
int memory_release(void *p);
/* Memory of graphs keeps its address as long as a node allocates it, even while
 * it is free. Called when a node is made or destroyed, and when it has run. */
void memory_node_count(void *p, bool made);
void memory_node_ran(void *p, bool allocates);
/* Managed variables of modules: the program cannot free them. */
int memory_add_variable(uint64_t at, uint64_t size, int device);
void memory_drop_variable(uint64_t at);
/* Maps the memory that the host shares into a device that was just opened. */
int memory_attach(struct rt_device *d);

/* Free what the program made on a device that is reset. */
void memory_reset(int device);
void modules_reset(int device);
void textures_reset(int device);
void arrays_reset(int device);
void handles_reset(int device);

int event_record_now(struct rt_event *e, struct rt_stream *s);
int event_wait_now(struct rt_stream *s, struct rt_event *e);

/* Lets the end of the stream's held launch set the event's time. */
int event_hold(struct rt_event *e, struct rt_stream *s);
uint64_t array_address(const struct rt_array *a);

#endif
