/* What the files behind rt.h share: the one state of the process. */
#ifndef HEDDLE_RT_STATE_H
#define HEDDLE_RT_STATE_H

#include <pthread.h>

#include "base/diag.h"
#include "cfg/cfg.h"
#include "door/rt/handle.h"
#include "door/rt/rt.h"
#include "door/rt/settings.h"
#include "heddle/heddle.h"

enum { MAX_ENGINES = 16, LIMITS = 7 };

/* An interval of simulated seconds. */
struct span {
	double start, end;
};

struct rt_stream {
	int device;
	unsigned flags;
	int priority, sync_policy;
	uint64_t id;
	double ready;  /* when all of its work has ended */
	unsigned held; /* its last launch held back, from 1; 0: none */
	struct capture *capture; /* NULL: it does not capture */
	struct rt_node **after;  /* capturing: what the next node follows */
	size_t after_count, after_room;
	bool by_thread; /* a thread's own default stream */
};

struct rt_event {
	int device;
	unsigned flags;
	bool recorded;
	double time;
	unsigned held; /* its time is the end of that held launch, from 1 */
	/* Recorded in a capture: what waits for it follows these nodes. */
	bool captured; /* stays when the capture has ended */
	struct capture *capture;
	struct rt_node **after;
	size_t after_count;
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
	struct heddle_device *sim; /* NULL: not needed so far */
	unsigned sm;               /* 90 */
	bool lost;                 /* reset after a fault: gone for good */
	int fault;                 /* what every call answers; 0: none */
	struct rt_stream legacy;
	double blocking; /* when the work of its blocking streams has ended */
	double latest;   /* when all of its work has */
	double engine[MAX_ENGINES]; /* when a copy engine is free */
	size_t limits[LIMITS];
	struct rt_preferences preferences;
	struct rt_pool pool;
	struct rt_pool *current_pool;
	struct rt_pool graph_pool; /* counts the memory of graphs' nodes */
};

/* One of the host's threads. */
struct rt_thread {
	int device;
	int last_error;
	int capture_mode;
	bool in_callback;
	struct rt_stream *streams[MAX_DEVICES]; /* its own default streams */
};

struct rt_state {
	pthread_mutex_t lock;
	bool broken; /* the environment asks for what cannot be */
	bool used;   /* by a call other than those that register */
	bool forked; /* the parent of this process used it: nothing works */
	struct settings settings;
	struct rt_device devices[MAX_DEVICES];
	int device_count;
	struct handles handles;
	struct handles symbols; /* by the host's addresses */
	uint64_t next_id;       /* of streams, allocations, captures */
	uint64_t launches;      /* so far */
	double host;            /* the host has waited until then */
	/* What kernels printed, until the lock is given back. */
	char *printed;
	size_t printed_size, printed_room;
};

extern struct rt_state rt;
struct rt_thread *rt_thread(void);

/* "heddle: ..." on stderr. */
void rt_say(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* The calling thread's device, with its simulator made. */
int current_device(struct rt_device **out);
/* The same for any. */
int device_open(struct rt_device *d);
/* trace.c: of a device that was opened, and before it is closed. False: the
 * trace cannot be written, which was said. */
bool trace_start(struct rt_device *d);
void trace_stop(struct rt_device *d);
struct rt_device *device_at(int number); /* NULL: there is none */
/* Gives up the pools' and streams' marks of a device that is reset. */
void device_init(struct rt_device *d, int number);

/* A call that a capture does not allow is made: ends the captures that it
 * spoils. 0: there are none. */
int capture_forbids(void);
/* The same for one that no capture allows, whatever its mode. */
int captures_spoil(void);
/* Ends one; returns cudaErrorStreamCaptureUnsupported. */
int capture_spoil(struct capture *c);
void captures_forget(const struct rt_graph *g);
void capture_abandon(struct rt_stream *s);

/* NULL: not a stream. */
struct rt_stream *stream_find(struct rt_stream *s);
void stream_init(struct rt_stream *s, int device, unsigned flags);
bool stream_is_legacy(const struct rt_stream *s);
void stream_release(struct rt_stream *s);
/* Calls fn(data) without the lock: afterwards every handle may be gone, but
 * for what the caller holds on to. */
void call_host(void (*fn)(void *), void *data);

/* Time. When work given to the stream now could start. */
double stream_now(const struct rt_stream *s);
/* The stream's work has ended then. */
void stream_passed(struct rt_stream *s, double end);
/* The host has waited for it. */
void host_passed(double end);
/* When a copy of so many bytes, to or from the host or inside of the device,
 * would run in the stream; takes an engine. */
struct span time_copy(struct rt_stream *s, uint64_t bytes, bool host);
struct span time_set(struct rt_stream *s, uint64_t bytes);

/* Executes in the stream, at once; it does not capture. */
int work_run(struct rt_stream *s, const struct rt_work *w);
int copy_run(const struct rt_copy *c, struct rt_stream *s);
int set_run(const struct rt_set *set, struct rt_stream *s);
int launch_run_work(const struct rt_launch *l, struct rt_stream *s);
/* What of it can be refused, without doing it. */
int copy_check(const struct rt_copy *c);
int set_check(const struct rt_set *set);
int launch_check(const struct rt_launch *l, int device);
/* Runs it in the stream or makes it a node of the stream's capture. */
int work_submit(struct rt_stream *s, struct rt_work *w);
int capture_add(struct rt_stream *s, struct rt_work *w);
/* Memory of graphs and streams. */
int memory_alloc(void **out, size_t size, int device, struct rt_pool *pool);
int memory_release(void *p);
/* Memory of graphs: it keeps its address as long as a node allocates it, also
 * while it is free. A node is made or unmade; it has run. */
void memory_node(void *p, bool made);
void memory_node_ran(void *p, bool allocates);
/* Managed variables of modules: memory that the program cannot free. */
int memory_add_variable(uint64_t at, uint64_t size, int device);
void memory_drop_variable(uint64_t at);
/* Maps what the host shares into a device that is opened. */
int memory_attach(struct rt_device *d);

/* Everything of the program's on a device that is reset. */
void memory_reset(int device);
void modules_reset(int device);
void textures_reset(int device);
void arrays_reset(int device);
void handles_reset(int device);

int event_record_now(struct rt_event *e, struct rt_stream *s);
int event_wait_now(struct rt_stream *s, struct rt_event *e);

/* A launch that is held back will say when the event was. */
int event_hold(struct rt_event *e, struct rt_stream *s);
uint64_t array_address(const struct rt_array *a);

#endif
