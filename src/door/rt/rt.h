/*
 * The CUDA state of one process: devices, memory, streams, events, modules,
 * launches, textures and graphs on simulated GPUs. The two front ends,
 * libcudart (runtime API) and libcuda (driver API), only translate calls: a
 * program that uses both sees the same state. It lives in libheddle_cuda.so.
 *
 * Functions return a cudaError_t as int. Every function needs a line in
 * symbols.h, or the front ends do not link.
 *
 * A front end calls rt_enter, does its work and calls rt_leave. Between the two
 * it holds the one lock, and only then may it call anything else of this
 * header. rt_enter returns an error if nothing may be done: there is no device,
 * a parent process used it, or a kernel had a fault, after which every call
 * fails. rt_leave returns its argument.
 *
 *	int e = rt_enter("cudaMalloc", RT_WORK);
 *	return rt_leave(e ? e : rt_malloc(out, size));
 *
 * Handles (streams, events, arrays, ...) and pointers come from the program and
 * may have any value. They are looked up, and refused if they are not alive.
 *
 * Execution is eager: copies, sets and launches are done when they are called,
 * in the order of the calls, which satisfies every order that streams and
 * events can require. Only launches of timed kernels are held back, so that
 * those of different streams overlap; rt_flush runs them, and every call that
 * could see their effects calls it first. Simulated time is kept separately.
 * The host takes none. A stream's work starts after the work before it in the
 * stream, the events that it waits for and the host's last wait; a copy also
 * waits for a free copy engine.
 */
#ifndef HEDDLE_RT_RT_H
#define HEDDLE_RT_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "door/cuda/include/driver_types.h"
#include "door/rt/symbols.h"

struct cfg;
struct heddle_kernel;

/* Name and text of an error; NULL: there is no such error. */
const char *rt_error_name(int e);
const char *rt_error_text(int e);

/*
 * Entering and leaving
 */
enum rt_entry {
	RT_WORK,     /* refused after a kernel's fault */
	RT_ASK,      /* queries: allowed after a fault */
	RT_REGISTER, /* before main: a forked child may still use devices */
};
/* Takes the lock in every case. `name` is the function that the program called;
 * it must live forever. */
int rt_enter(const char *name, enum rt_entry kind);
/* Releases the lock and prints what kernels wrote. An error e becomes the
 * calling thread's last error. Returns e. */
int rt_leave(int e);
/* The same without the last error, which the driver API does not have. */
int rt_leave_quietly(int e);
/* Calls fn(data) without the lock, and takes it again: afterwards any handle may be
 * gone. */
void rt_unlocked(void (*fn)(void *), void *data);
/* Last error of the calling thread; a fault of the device stays. Needs no
 * rt_enter. */
int rt_last_error(bool clear);
/* Prints, once for each name, that it is not supported; returns
 * cudaErrorNotSupported. Call it between rt_enter and rt_leave. */
int rt_unsupported(const char *name);

/*
 * Devices. cudaErrorInvalidDevice: there is no device of that number.
 */
int rt_device_count(void);
/* The calling thread's device: 0 until rt_device_set. */
int rt_device(void);
int rt_device_set(int device);
/* attribute: cudaDeviceAttr, which has the numbers of CUdevice_attribute. */
int rt_device_attribute(int *value, int attribute, int device);
struct rt_device_info {
	char name[256];
	unsigned char uuid[16];
	uint64_t memory;
	char bus_id[16]; /* "0000:01:00.0" */
};
int rt_device_info(struct rt_device_info *out, int device);
/* limit: cudaLimit, of the calling thread's device. */
int rt_limit_get(size_t *value, int limit);
int rt_limit_set(int limit, size_t value);
/* cudaFuncCache, cudaSharedMemConfig and cudaDeviceSchedule... of a device:
 * remembered, without effect. */
struct rt_preferences {
	int cache, shared;
	unsigned flags;
};
struct rt_preferences *rt_preferences(int device);
/* The parameters of the device. */
const struct cfg *rt_device_cfg(int device);
/* The error that a kernel's fault left on the device; cudaSuccess: none. */
int rt_device_fault(int device);
int rt_device_synchronize(int device);
/* Frees everything that the program made on the device. A fault stays. */
int rt_device_reset(int device);
int rt_memory_info(size_t *free, size_t *total);
/* Access between devices. */
int rt_peer_can(int *can, int device, int peer);
int rt_peer_enable(int peer, unsigned flags);
int rt_peer_disable(int peer);

/*
 * Memory. Host, pinned, managed and device memory share one address space, and
 * mapped or managed memory has one address everywhere: a pointer alone tells
 * what it points to.
 */
int rt_malloc(void **out, size_t size);
/* depth slices of height rows of width bytes; *pitch: bytes from row to row. */
int rt_malloc_pitch(void **out, size_t *pitch, size_t width, size_t height,
		    size_t depth);
int rt_malloc_managed(void **out, size_t size, unsigned flags);
int rt_free(void *p);
int rt_host_alloc(void **out, size_t size, unsigned flags);
int rt_host_free(void *p);
int rt_host_register(void *p, size_t size, unsigned flags);
int rt_host_unregister(void *p);
int rt_host_device_pointer(void **out, void *p);
/* All pinned memory counts as mapped, and memory from rt_host_alloc is never
 * reported as portable. */
int rt_host_flags(unsigned *out, void *p);

enum rt_memory { /* cudaMemoryType */
		 RT_UNREGISTERED,
		 RT_HOST,
		 RT_DEVICE,
		 RT_MANAGED,
};
struct rt_pointer {
	enum rt_memory kind;
	int device;      /* that holds it; host memory: that allocated it */
	void *on_device; /* NULL: the device cannot access it */
	void *on_host;   /* NULL: the host cannot access it */
	void *base;      /* of its allocation; NULL: unregistered */
	size_t size;     /* of its allocation */
	unsigned flags;  /* of cudaHostAlloc, Register or MallocManaged */
	uint64_t id;     /* of its allocation; never used twice */
	bool pooled;     /* from rt_malloc_async */
};
void rt_pointer(struct rt_pointer *out, const void *p);
struct rt_stream;
/* Managed memory is always where it is needed: advice and prefetches are
 * remembered without effect. They apply to the whole allocation, even if only a
 * part of it is given. device: -1 is the host. */
int rt_advise(const void *p, size_t size, int advice, int device);
int rt_prefetch(const void *p, size_t size, int device, struct rt_stream *s);
/* attribute: cudaMemRangeAttribute; fills as many ints as fit into bytes. */
int rt_range_attribute(int *out, size_t bytes, int attribute, const void *p,
		       size_t size);

/* Memory pools count sizes but keep no free memory. NULL is the device's
 * current pool. */
struct rt_pool;
int rt_pool_new(struct rt_pool **out, int device);
int rt_pool_free(struct rt_pool *pool);
int rt_pool_default(struct rt_pool **out, int device);
int rt_pool_current(struct rt_pool **out, int device);
int rt_pool_use(int device, struct rt_pool *pool);
/* attribute: cudaMemPoolAttr; int for the first three, else uint64_t. */
int rt_pool_get(struct rt_pool *pool, int attribute, void *value);
int rt_pool_set(struct rt_pool *pool, int attribute, const void *value);
int rt_pool_device(struct rt_pool *pool, int *device);
/* attribute: cudaGraphMemAttributeType. Counts the memory of graph nodes from
 * the creation of the node. Only high-water marks can be set, to 0. */
int rt_graph_memory_get(int device, int attribute, uint64_t *value);
int rt_graph_memory_set(int device, int attribute, const uint64_t *value);

/*
 * Arrays: the memory of textures and surfaces.
 */
struct rt_channel { /* cudaChannelFormatDesc: bits of each channel, kind */
	int x, y, z, w;
	int kind;
};
enum { RT_CHANNEL_SIGNED, RT_CHANNEL_UNSIGNED, RT_CHANNEL_FLOAT };
struct rt_extent {
	size_t width, height, depth;
};
enum { /* cudaArray... */
       RT_ARRAY_LAYERED = 1,
       RT_ARRAY_SURFACE = 2,
       RT_ARRAY_CUBEMAP = 4,
       RT_ARRAY_GATHER = 8,
};
struct rt_array;
struct rt_mipmap;
struct rt_array_info {
	struct rt_channel channel;
	struct rt_extent extent; /* elements; 0 where it has no such dimension */
	unsigned flags;
	size_t element; /* bytes */
	int device;
};
int rt_array_new(struct rt_array **out, const struct rt_channel *channel,
		 const struct rt_extent *extent, unsigned flags);
int rt_array_free(struct rt_array *a);
int rt_array_info(struct rt_array_info *out, const struct rt_array *a);
int rt_mipmap_new(struct rt_mipmap **out, const struct rt_channel *channel,
		  const struct rt_extent *extent, unsigned levels,
		  unsigned flags);
int rt_mipmap_free(struct rt_mipmap *m);
int rt_mipmap_level(struct rt_array **out, const struct rt_mipmap *m,
		    unsigned level);

/*
 * Streams. NULL and RT_STREAM_LEGACY are the legacy default stream of the
 * calling thread's device, RT_STREAM_THREAD is the calling thread's own default
 * stream.
 */
struct rt_stream;
struct rt_event;
struct rt_graph;
struct rt_node;
struct rt_exec;
#define RT_STREAM_LEGACY ((struct rt_stream *)1)
#define RT_STREAM_THREAD ((struct rt_stream *)2)
enum { RT_STREAM_NON_BLOCKING = 1 };
enum { RT_PRIORITY_LEAST = 0, RT_PRIORITY_GREATEST = -5 };

int rt_stream_new(struct rt_stream **out, unsigned flags, int priority);
int rt_stream_free(struct rt_stream *s);
struct rt_stream_info {
	int device, priority;
	unsigned flags;
	uint64_t id;
	int sync_policy; /* cudaSynchronizationPolicy */
};
int rt_stream_info(struct rt_stream_info *out, struct rt_stream *s);
int rt_stream_sync_policy(struct rt_stream *s, int policy);
/* Never returns cudaErrorNotReady: all work is done. */
int rt_stream_query(struct rt_stream *s);
int rt_stream_synchronize(struct rt_stream *s);
int rt_stream_wait(struct rt_stream *s, struct rt_event *e, unsigned flags);
/* Calls fn without the lock. fn may not call the API. */
int rt_stream_host(struct rt_stream *s, void (*fn)(void *), void *data);
/* Passes the stream to fn as the program named it. */
int rt_stream_callback(struct rt_stream *s,
		       void (*fn)(struct rt_stream *, int, void *), void *data);

enum { /* cudaEvent... */
       RT_EVENT_BLOCKING = 1,
       RT_EVENT_NO_TIMING = 2,
       RT_EVENT_INTERPROCESS = 4,
};
int rt_event_new(struct rt_event **out, unsigned flags);
int rt_event_free(struct rt_event *e);
int rt_event_record(struct rt_event *e, struct rt_stream *s, unsigned flags);
int rt_event_query(struct rt_event *e);
int rt_event_synchronize(struct rt_event *e);
/* When the stream's work between the event before it and this one began and ended,
 * in simulated seconds since the program's start. */
int rt_event_span(double *start, double *end, struct rt_event *e);
/* Lines of a source that the program gave as text may be shown in results. */
void rt_source_add(const char *name, const char *text);
/* The simulated time until which the host has waited. */
double rt_now(void);
int rt_event_elapsed(float *ms, struct rt_event *from, struct rt_event *to);

/*
 * Copies. Every copy moves a box of bytes between two places; a place is a
 * pointer with a pitch, or an array. Positions and width are in bytes.
 */
enum rt_where {
	RT_ANYWHERE, /* wherever the pointer leads */
	RT_AT_HOST,  /* the same; includes pageable memory */
	RT_AT_DEVICE,
	RT_AT_ARRAY,
};
struct rt_place {
	enum rt_where where;
	void *p;
	struct rt_array *array;
	size_t pitch;   /* bytes from row to row; 0: one row */
	size_t rows;    /* from slice to slice; 0: the height of the box */
	size_t x, y, z; /* start of the box; x in bytes */
};
struct rt_copy {
	struct rt_place to, from;
	size_t width, height, depth;
};
/* wait: the call waits for the copy, in simulated time as well. */
int rt_copy(const struct rt_copy *c, struct rt_stream *s, bool wait);
/* What a driver keeps in the memory of the calling thread's device: it takes no time
 * and is not reported. */
int rt_poke(void *at, const void *from, size_t size);
int rt_peek(void *to, const void *at, size_t size);
/* A copy of consecutive bytes. kind: cudaMemcpyKind. */
int rt_copy_line(void *to, const void *from, size_t size, int kind,
		 struct rt_stream *s, bool wait);
/* Translates a cudaMemcpyKind. cudaErrorInvalidMemcpyDirection: not a kind. */
int rt_copy_kind(int kind, enum rt_where *to, enum rt_where *from);

/* Sets width elements in each row; an element is 1, 2 or 4 bytes of value. */
struct rt_set {
	void *p;
	size_t pitch, rows;
	uint32_t value, element;
	size_t width, height, depth;
};
int rt_set(const struct rt_set *set, struct rt_stream *s, bool wait);

int rt_malloc_async(void **out, size_t size, struct rt_pool *pool,
		    struct rt_stream *s);
int rt_free_async(void *p, struct rt_stream *s);

/*
 * Modules. An image is read when a part of it is first used on a device; errors
 * are returned then, and printed once on stderr.
 */
struct rt_module;
struct rt_func;
/* image: a fat binary (or its wrapper), an ELF file, or PTX text that ends in
 * NUL. It must live as long as the module unless `copy`. */
int rt_module_new(struct rt_module **out, const void *image, bool copy);
/* The same for one image for one kind of GPU, of which it is loaded as it is. */
int rt_module_new_plain(struct rt_module **out, const void *image, size_t size,
			const char *name);
int rt_module_free(struct rt_module *m);
/* Reads the image now, for the calling thread's device. */
int rt_module_load(struct rt_module *m);
/* Why rt_module_load failed; "" if it did not. */
const char *rt_module_log(struct rt_module *m);
/* cudaErrorSymbolNotFound: the module has no such kernel. */
int rt_module_func(struct rt_func **out, struct rt_module *m, const char *name);
/* What the library says of kernel `i`; NULL: there are no more. */
const struct heddle_kernel *rt_module_kernel(struct rt_module *m, size_t i);
int rt_module_func_count(size_t *out, struct rt_module *m);
int rt_module_func_at(struct rt_func **out, struct rt_module *m, size_t i);
int rt_module_global(void **at, size_t *size, struct rt_module *m,
		     const char *name);
/* Binds a texture or surface reference of the module to an object. */
int rt_module_bind(struct rt_module *m, const char *name, uint64_t handle);

/* Whether rt_module_new accepts size bytes as an image; prints why not. */
int rt_image_check(const void *image, size_t size);
/* Links more PTX to *text, which is malloc'ed or NULL. */
int rt_image_join(char **text, size_t *size, const char *more);

/*
 * What a program registers at its start: a fat binary and, by host addresses,
 * its kernels and variables. These functions never fail: errors are reported at
 * the first use. The program keeps the module as an opaque pointer.
 */
struct rt_module *rt_register_image(const void *wrapper);
void rt_unregister_image(struct rt_module *m);
void rt_register_func(struct rt_module *m, const void *host, const char *name);
void rt_register_var(struct rt_module *m, const void *host, const char *name,
		     size_t size);
/* Loading the module sets *host to the variable's address. */
void rt_register_managed(struct rt_module *m, void **host, const char *name,
			 size_t size);
void rt_register_texture(struct rt_module *m, const void *host,
			 const char *name);
/* host: a registered address, or the handle of a kernel itself. */
int rt_func_of(struct rt_func **out, const void *host);
int rt_symbol(void **at, size_t *size, const void *host);
/* The module and name of a texture or surface reference. */
int rt_reference(struct rt_module **m, const char **name, const void *host);

struct rt_func_info {
	const char *name;
	size_t shared_bytes, const_bytes, local_bytes;
	int max_threads, registers;
	int ptx_version, binary_version; /* 90 */
	int max_dynamic_shared, carveout, cache;
	size_t param_count, param_bytes;
};
int rt_func_info(struct rt_func_info *out, struct rt_func *f);
int rt_func_param(size_t *offset, size_t *size, struct rt_func *f, size_t i);
/* attribute: cudaFuncAttribute, the same numbers as CUfunction_attribute. */
int rt_func_set(struct rt_func *f, int attribute, int value);
int rt_func_cache(struct rt_func *f, int cache);
int rt_func_module(struct rt_module **out, struct rt_func *f);

/*
 * Launches
 */
struct rt_launch {
	struct rt_func *func;
	uint32_t grid[3], block[3];
	size_t shared_bytes; /* dynamic */
	void **args;         /* one pointer for each parameter */
	/* The parameter block; NULL: use args. */
	const void *block_of_args;
	size_t block_bytes;
	bool cooperative;
	uint32_t cluster[3]; /* 0: none; more than one block is not supported */
	/* Of OpenCL, for code that asks for them: see heddle_launch. */
	uint32_t offset[3], dims;
};
/* The stream must belong to the calling thread's device. */
int rt_launch(const struct rt_launch *l, struct rt_stream *s);
/* Runs the launches held back, on all devices. */
void rt_flush(void);
/* How many blocks of that many threads an SM holds. */
int rt_occupancy(int *blocks, struct rt_func *f, int threads, size_t dynamic);
int rt_occupancy_shared(size_t *dynamic, struct rt_func *f, int blocks,
			int threads);

/*
 * Texture and surface objects; kernels take their handles.
 */
enum rt_resource_kind { /* cudaResourceType */
			RT_RESOURCE_ARRAY,
			RT_RESOURCE_MIPMAP,
			RT_RESOURCE_LINEAR,
			RT_RESOURCE_PITCH,
};
struct rt_resource {
	enum rt_resource_kind kind;
	struct rt_array *array;
	struct rt_mipmap *mipmap;
	void *p;
	struct rt_channel channel;   /* linear, pitch */
	size_t size;                 /* linear: bytes */
	size_t width, height, pitch; /* pitch: elements, rows, bytes */
};
struct rt_sampler { /* the beginning of cudaTextureDesc */
	int address[3];
	int filter, read, srgb;
	float border[4];
	int normalized;
	unsigned anisotropy;
	int mip_filter;
	float mip_bias, mip_min, mip_max;
	int no_trilinear, seamless;
};
struct rt_view { /* the beginning of cudaResourceViewDesc */
	int format;
	size_t width, height, depth;
	unsigned first_level, last_level, first_layer, last_layer;
};
int rt_texture_new(uint64_t *out, const struct rt_resource *r,
		   const struct rt_sampler *s, const struct rt_view *v);
int rt_surface_new(uint64_t *out, const struct rt_resource *r);
int rt_texture_free(uint64_t handle);
int rt_surface_free(uint64_t handle);
/* What the object was made of. s and v may be NULL; has_view: an rt_view was
 * given. */
int rt_texture_get(uint64_t handle, bool surface, struct rt_resource *r,
		   struct rt_sampler *s, struct rt_view *v, bool *has_view);

/*
 * Graphs
 */
enum rt_node_kind { /* cudaGraphNodeType */
		    RT_NODE_KERNEL,
		    RT_NODE_COPY,
		    RT_NODE_SET,
		    RT_NODE_HOST,
		    RT_NODE_GRAPH,
		    RT_NODE_EMPTY,
		    RT_NODE_WAIT,
		    RT_NODE_RECORD,
		    RT_NODE_ALLOC = 10,
		    RT_NODE_FREE = 11,
};
/* What a node does. A kernel's arguments are copied into the node. */
struct rt_work {
	enum rt_node_kind kind;
	int device; /* rt_node_add fills it in */
	union {
		struct rt_launch launch;
		struct rt_copy copy;
		struct rt_set set;
		struct {
			void (*fn)(void *);
			void *data;
		} host;
		struct rt_event *event;
		struct rt_graph *graph; /* copied into the node */
		struct {
			void *p; /* ALLOC: rt_node_add fills it in */
			size_t size;
		} memory;
	};
};
int rt_graph_new(struct rt_graph **out);
int rt_graph_free(struct rt_graph *g);
int rt_graph_clone(struct rt_graph **out, struct rt_graph *g);
int rt_node_add(struct rt_node **out, struct rt_graph *g,
		struct rt_node *const *deps, size_t count,
		struct rt_work *work);
int rt_node_free(struct rt_node *n);
/* The node owns the arguments of a kernel, which launch.args points at: they
 * are valid until the node changes. */
int rt_node_get(struct rt_work *out, struct rt_node *n);
int rt_node_set(struct rt_node *n, const struct rt_work *work);
int rt_node_in_clone(struct rt_node **out, struct rt_node *n,
		     struct rt_graph *clone);
/* With a NULL list these only set *count. Otherwise they fill in up to *count
 * nodes, set the rest to NULL, and set *count to the number filled in. */
int rt_graph_nodes(struct rt_graph *g, bool roots, struct rt_node **list,
		   size_t *count);
int rt_graph_edges(struct rt_graph *g, struct rt_node **from,
		   struct rt_node **to, size_t *count);
int rt_node_edges(struct rt_node *n, bool before, struct rt_node **list,
		  size_t *count);
int rt_edges_add(struct rt_graph *g, struct rt_node *const *from,
		 struct rt_node *const *to, size_t count);
int rt_edges_remove(struct rt_graph *g, struct rt_node *const *from,
		    struct rt_node *const *to, size_t count);
int rt_graph_dot(struct rt_graph *g, const char *path);

/* cudaErrorInvalidValue: the edges form a cycle. */
int rt_exec_new(struct rt_exec **out, struct rt_graph *g, uint64_t flags);
int rt_exec_free(struct rt_exec *x);
int rt_exec_flags(uint64_t *out, struct rt_exec *x);
int rt_exec_launch(struct rt_exec *x, struct rt_stream *s);
/* n: a node of the graph that x was made from. */
int rt_exec_set(struct rt_exec *x, struct rt_node *n,
		const struct rt_work *work);
int rt_exec_enable(struct rt_exec *x, struct rt_node *n, bool on);
int rt_exec_enabled(bool *on, struct rt_exec *x, struct rt_node *n);
/* Takes over the work of g's nodes if g has the same topology. result:
 * cudaGraphExecUpdateResult; bad: the node of g at fault, or NULL. */
int rt_exec_update(struct rt_exec *x, struct rt_graph *g, int *result,
		   struct rt_node **bad);

/* Capture: the work of a stream becomes nodes of a graph. */
enum rt_capture_mode { /* cudaStreamCaptureMode */
		       RT_CAPTURE_GLOBAL,
		       RT_CAPTURE_THREAD,
		       RT_CAPTURE_RELAXED,
};
struct rt_capture_info {
	int status; /* cudaStreamCaptureStatus */
	uint64_t id;
	struct rt_graph *graph;
	/* What the next node depends on; valid until the next call. */
	struct rt_node *const *deps;
	size_t count;
};
/* g NULL: a new graph. */
int rt_capture_begin(struct rt_stream *s, enum rt_capture_mode mode,
		     struct rt_graph *g, struct rt_node *const *deps,
		     size_t count);
int rt_capture_end(struct rt_stream *s, struct rt_graph **out);
int rt_capture_info(struct rt_capture_info *out, struct rt_stream *s);
int rt_capture_after(struct rt_stream *s, struct rt_node *const *deps,
		     size_t count, bool replace);
/* Exchanges the calling thread's mode with *mode. */
int rt_capture_mode(int *mode);

/*
 * User objects: objects of the program with a reference count. Dropping the
 * last reference calls destroy without the lock. A graph may hold references.
 */
struct rt_object;
int rt_object_new(struct rt_object **out, void *p, void (*destroy)(void *),
		  unsigned count);
int rt_object_retain(struct rt_object *o, unsigned count);
int rt_object_release(struct rt_object *o, unsigned count);
int rt_graph_retain(struct rt_graph *g, struct rt_object *o, unsigned count,
		    bool move);
int rt_graph_release(struct rt_graph *g, struct rt_object *o, unsigned count);

#endif
