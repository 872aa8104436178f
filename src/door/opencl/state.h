/*
 * OpenCL on simulated GPUs: a thin front of door/rt, which it shares with the
 * CUDA libraries.
 *
 * Every function of the API calls cl_enter, does its work and calls cl_leave.
 * In between it holds the one lock of OpenCL, and that of rt inside it. Calls of
 * the program's functions (callbacks) are made by cl_leave, without the locks.
 *
 * Commands are executed when they are enqueued, by the thread that enqueues
 * them, unless they wait for an event of the user: then by the thread that sets
 * it. Launches of timed kernels may be held back by rt, so that those that may
 * run at the same time do; cl_settle runs them.
 */
#ifndef HEDDLE_OPENCL_STATE_H
#define HEDDLE_OPENCL_STATE_H

#include <pthread.h>

#include "base/sha256.h"
#include "cfg/cfg.h"
#include "door/opencl/object.h"
#include "door/rt/handle.h"
#include "door/rt/rt.h"

enum { CL_DEVICES = 16, CL_STREAMS = 16 };

/* What code a device executes. */
enum device_isa { DEVICE_PTX, DEVICE_GCN };

struct _cl_platform_id {
	const struct _cl_icd_dispatch *dispatch;
};

struct _cl_device_id {
	const struct _cl_icd_dispatch *dispatch;
	int number; /* rt's */
	enum device_isa isa;
	const struct cfg *cfg;
	char name[256];
	uint64_t memory;
};

struct _cl_context {
	struct object o;
	cl_device_id devices[CL_DEVICES];
	cl_uint device_count;
	cl_context_properties *properties; /* as given, with the final 0 */
	size_t property_count;
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
	void *notify_data;
};

struct _cl_sampler {
	struct object o;
	cl_context context;
	cl_bool normalized;
	cl_addressing_mode address;
	cl_filter_mode filter;
};

/* Sources that programs were made of, without repetitions. */
struct cl_sources {
	unsigned char (*digests)[SHA256_BYTES];
	size_t count;
};

/* Where memory objects are mapped, by default the process' own memory. */
struct cl_mapper {
	void *(*take)(size_t size); /* aligned to a page; NULL: none */
	void (*drop)(void *at, size_t size);
	/* The host's address of device memory that it shares; NULL: it does not,
	 * and mapping copies. */
	void *(*shared)(const void *device);
	/* The device's address of the host's bytes, which kernels may access; NULL:
	 * they may not. */
	void *(*direct)(void *host, size_t size);
	/* The host's address of a pointer of the program's. */
	void *(*host)(void *pointer);
};

struct cl_state {
	struct cl_sources sources;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a command has ended, a program is built */
	bool ready;             /* the devices are known */
	struct handles live;    /* the objects of the program */
	struct _cl_platform_id platform;
	struct _cl_device_id devices[CL_DEVICES];
	cl_uint device_count;
	struct callback *first, **last; /* to be called by cl_leave */
	struct callback *called;        /* by now */
	struct cl_mapper mapper;
	cl_device_svm_capabilities svm; /* of all devices; 0: no such memory */
	struct svm *allocations;        /* of svm.h */
	cl_bool unified; /* devices and the host have one memory */
	/* Calls fn(data) when the stream has done what it has now; NULL: it always
	 * has. False: out of memory. */
	bool (*later)(struct rt_stream *s, void (*fn)(void *), void *data);
	/* The caller has moved the bytes itself: the command in progress only has
	 * its event. */
	bool moved;
};

extern struct cl_state cl;

/* Takes the locks in every case. `name`: the function the program called. */
cl_int cl_enter(const char *name);
/* Returns e. */
cl_int cl_leave(cl_int e);
/* Waits until another thread changes something. */
void cl_wait(void);
/* Prints "heddle: ..." on stderr. */
void cl_say(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Calls fn(data) without the locks. */
void cl_unlocked(void (*fn)(void *), void *data);

/* Lets cl_leave call fn(data), and holds the object until then; NULL: none.
 * False: out of memory. */
bool cl_call_later(void (*fn)(void *), void *data, void *object);

/* The error of OpenCL for one of rt. */
cl_int cl_error(int e);

bool device_is(cl_device_id d);
bool context_has(const struct _cl_context *c, cl_device_id d);

/* The numbers of a query about a device that other checks need, too. */
size_t device_max_group(const struct _cl_device_id *d);
size_t device_max_item(const struct _cl_device_id *d, unsigned dimension);
cl_ulong device_max_alloc(const struct _cl_device_id *d);
cl_ulong device_local_bytes(const struct _cl_device_id *d);
/* With a space between two. */
const char *device_extensions(void);
enum {
	DEVICE_ALIGN = 256, /* bytes, of buffers and the start of sub-buffers */
	DEVICE_IMAGE_2D = 16384,
	DEVICE_IMAGE_3D = 2048,
	DEVICE_IMAGE_LAYERS = 2048,
	DEVICE_IMAGE_BUFFER = 1 << 27,
	DEVICE_SAMPLERS = 16,
	DEVICE_IMAGES_READ = 128,
	DEVICE_IMAGES_WRITTEN = 64,
	DEVICE_PARAMETERS = 4352, /* bytes of a kernel's arguments */
	DEVICE_CONSTANT = 65536,
	DEVICE_CONSTANT_ARGS = 9,
	DEVICE_PRINTF = 1 << 20,
};

#define CL_PLATFORM_EXTENSIONS_TEXT "cl_khr_icd"

#endif
