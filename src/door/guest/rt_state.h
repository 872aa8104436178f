/*
 * The GPU that door/opencl sees in a guest: an implementation of the functions of
 * door/rt/rt.h that it calls, in the place of libheddle_cuda.so.
 *
 * Streams are queues of work. Work that is done at once ends at once, and then a
 * stream is never seen with work in it; what takes time ends later, by
 * stream_work_done. What a stream still needs is freed when nothing is in flight.
 */
#ifndef HEDDLE_GUEST_RT_STATE_H
#define HEDDLE_GUEST_RT_STATE_H

#include "apu/copy.h"
#include "door/guest/state.h"
#include "door/rt/rt.h"

enum work_kind {
	WORK_COPY,
	WORK_SET,
	WORK_LAUNCH,
	WORK_RECORD,
	WORK_WAIT,
	WORK_HOST
};

/* A moment in a stream; shared by its event and by those who wait for it. */
struct record {
	unsigned refs;
	bool done;
	double start, end; /* of the work before it; seconds */
};

struct work {
	struct work *next;
	struct rt_stream *stream;
	enum work_kind kind;
	struct rt_copy copy;
	void *owned; /* bytes that the copy reads; malloc'ed, or NULL */
	struct rt_set set;
	struct {
		struct heddle_module *module;
		struct heddle_launch launch;
		void *params; /* malloc'ed */
	} kernel;
	struct record *record;
	void (*fn)(void *); /* WORK_HOST */
	void *data;
};

struct rt_stream {
	struct rt_stream *next; /* of all streams */
	struct work *first, **last;
	bool busy;    /* the first is in flight */
	bool dropped; /* freed by its owner, when it is empty by us */
	bool began;   /* work has started since the last record */
	double since; /* when it did */
};

struct rt_event {
	struct record *record; /* NULL: never recorded */
};

struct rt_func {
	struct rt_func *next;
	struct rt_module *module;
	const struct heddle_kernel *kernel;
};

struct rt_module {
	struct heddle_module *sim;
	char *bytes;
	size_t size;
	char name[64];
	struct rt_func *funcs;
	char log[256];
};

struct gcl_gpu {
	struct rt_stream *streams;
	unsigned in_flight; /* pieces of work in streams */
	struct trash *trash;
	int fault; /* the error that a kernel left; 0: none */
};
extern struct gcl_gpu gpu;

/* rt_stream.c */
/* Queues a copy of the work; false: out of memory, and what it owns is freed. */
bool stream_add(struct rt_stream *s, const struct work *w);
void stream_work_done(struct rt_stream *s);
/* The work that takes time has ended: the stream goes on, and others. */
void stream_work_end(struct rt_stream *s);
void streams_free(void);
/* cl_state.later */
bool stream_later(struct rt_stream *s, void (*fn)(void *), void *data);
/* Does it at once. */
void work_run(const struct work *w);

/* rt_memory.c */
/* Checks both sides of a copy. */
int copy_check(const struct rt_copy *c);
void copy_run(const struct work *w);
void set_run(const struct work *w);
/* What the GPU sees of a copy or a set; how many bytes it writes, and whether they
 * are the program's. */
struct apu_copy work_box(const struct work *w);
uint64_t work_bytes(const struct work *w);
bool work_is_to_host(const struct work *w);
void memory_free_all(void);
/* Where the program has a byte of the device. */
uint64_t memory_to_program(uint64_t device);
/* struct cl_mapper */
void *map_shared(const void *device);
void *map_take(size_t size);
void map_drop(void *at, size_t size);
void *map_direct(void *host, size_t size);
void *map_host(void *pointer);
/* The GPU is open: it may access the program's memory, if it shares it. */
void memory_share(void);

/*
 * timed.c: work that takes time. Each returns false if the work is done at once.
 */
bool timed_is_on(void);
/* The GPU works, and what it has to do next waits. */
bool timed_is_full(void);
/* Starts; stream_work_end is called when the work has ended. */
void timed_start(struct work *w);
void timed_close(void);
/* For the times of OpenCL. */
void timed_call(struct x86_thread *t, uint64_t function);
void timed_place(struct x86_thread *t);
void timed_moved(struct x86_thread *t, uint64_t bytes, bool to_host);
void timed_buffer_made(void);

/* rt_module.c */
void kernel_run(const struct work *w);

/* Calls free_it(p) now, or when nothing is in flight any more. */
void free_when_idle(void (*free_it)(void *), void *p);
void empty_trash(void);
double now_seconds(void);

#endif
