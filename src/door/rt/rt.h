/*
 * The CUDA world of one process: devices, memory, streams, events, modules,
 * launches, textures and graphs on simulated GPUs. The doors to it, libcudart
 * (runtime API) and libcuda (driver API), only translate: whichever a program
 * uses, it meets the same state. It lies in libheddle_cuda.so.
 *
 * Results are those of cudaError_t, as int. Every function has a line in
 * symbols.h, without which the doors do not link.
 *
 * Rule for the doors: rt_enter, work, rt_leave. Between the two the one lock
 * is held, and only between them may anything else of this header be called.
 * rt_enter says why nothing may be done (no device, a parent process that used
 * it, or a kernel's fault, which no call survives); rt_leave passes its argument
 * on.
 *
 *	int e = rt_enter("cudaMalloc", RT_WORK);
 *	return rt_leave(e ? e : rt_malloc(out, size));
 *
 * Handles (streams, events, arrays, ...) and pointers are the program's: they
 * may be anything. They are looked up, and refused if they are not alive.
 *
 * Execution is eager: copies, sets and launches are done when they are called,
 * in the order of the calls, which satisfies every order that streams and
 * events can ask for. Only launches of timed kernels are held back, so that
 * those of different streams overlap; rt_flush runs them, and everything that
 * could see them does so first. Simulated time is kept beside
 * that: the host takes none; a stream's work starts when the work before it in
 * the stream, the events that it waits for and the host's last wait have
 * passed, and a copy when its engine is free.
 */
#ifndef HEDDLE_RT_RT_H
#define HEDDLE_RT_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "door/cuda/include/driver_types.h"
#include "door/rt/symbols.h"

/* Name and text of an error; NULL: there is no such error. */
const char *rt_error_name(int e);
const char *rt_error_text(int e);

/*
 * Entering and leaving
 */
enum rt_entry {
	RT_WORK,     /* refused after a kernel's fault */
	RT_ASK,      /* questions that are answered all the same */
	RT_REGISTER, /* what runs before main; a child may still have its own */
};
/* Takes the lock, in every case. `name` is the function that the program
 * called; it lives for ever. */
int rt_enter(const char *name, enum rt_entry kind);
/* Gives the lock back and prints what kernels wrote. e becomes the calling
 * thread's last error if it is one. Returns e. */
int rt_leave(int e);
/* The same without the last error, which the driver API does not know. */
int rt_leave_quietly(int e);
/* Last error of the calling thread; a fault of the device stays. They need no
 * rt_enter. */
int rt_last_error(bool clear);
/* Says once for each name that it is not supported; returns
 * cudaErrorNotSupported. Between rt_enter and rt_leave. */
int rt_unsupported(const char *name);

/*
 * Devices. Numbers outside of them: cudaErrorInvalidDevice.
 */
int rt_device_count(void);
/* The calling thread's device: 0 until it says otherwise. */
int rt_device(void);
int rt_device_set(int device);
/* By the numbers of cudaDeviceAttr, which are CUdevice_attribute's. */
int rt_device_attribute(int *value, int attribute, int device);
struct rt_device_info {
	char name[256];
	unsigned char uuid[16];
	uint64_t memory;
	char bus_id[16]; /* "0000:01:00.0" */
};
int rt_device_info(struct rt_device_info *out, int device);
/* cudaLimit; of the calling thread's device. */
int rt_limit_get(size_t *value, int limit);
int rt_limit_set(int limit, size_t value);
/* cudaFuncCache, cudaSharedMemConfig and cudaDeviceSchedule... of the calling
 * thread's device: kept, without effect. */
struct rt_preferences {
	int cache, shared;
	unsigned flags;
};
struct rt_preferences *rt_preferences(int device);
int rt_device_synchronize(int device);
/* Frees all that the program made on the device. A fault stays. */
int rt_device_reset(int device);
int rt_memory_info(size_t *free, size_t *total);
/* Between devices. */
int rt_peer_can(int *can, int device, int peer);
int rt_peer_enable(int peer, unsigned flags);
int rt_peer_disable(int peer);

/*
 * Memory. Addresses of host, pinned, managed and device memory are all
 * different, and mapped or managed memory has one address for all: a pointer
 * says where it leads.
 */
int rt_malloc(void **out, size_t size);
/* depth slices of height rows of width bytes, each row at *pitch. */
int rt_malloc_pitch(void **out, size_t *pitch, size_t width, size_t height,
		    size_t depth);
int rt_malloc_managed(void **out, size_t size, unsigned flags);
int rt_free(void *p);
int rt_host_alloc(void **out, size_t size, unsigned flags);
int rt_host_free(void *p);
int rt_host_register(void *p, size_t size, unsigned flags);
int rt_host_unregister(void *p);
int rt_host_device_pointer(void **out, void *p);
/* All of it is mapped, and what the host allocated is never called portable. */
int rt_host_flags(unsigned *out, void *p);

enum rt_memory { /* cudaMemoryType */
		 RT_UNREGISTERED,
		 RT_HOST,
		 RT_DEVICE,
		 RT_MANAGED,
};
struct rt_pointer {
	enum rt_memory kind;
	int device;      /* where it lies; host memory: where it was made */
	void *on_device; /* NULL: the device cannot see it */
	void *on_host;   /* NULL: the host cannot see it */
	void *base;      /* of its allocation; NULL: unregistered */
	size_t size;     /* of its allocation */
	unsigned flags;  /* of cudaHostAlloc, Register or MallocManaged */
	uint64_t id;     /* of its allocation; no two ever have the same */
	bool pooled;     /* from rt_malloc_async */
};
void rt_pointer(struct rt_pointer *out, const void *p);
struct rt_stream;
/* Managed memory is where it is needed: advice and prefetches are remembered
 * and change nothing. They are those of the whole allocation, whichever part
 * of it is named. device: -1 is the host. */
int rt_advise(const void *p, size_t size, int advice, int device);
int rt_prefetch(const void *p, size_t size, int device, struct rt_stream *s);
/* cudaMemRangeAttribute: ints, as many as fit into bytes. */
int rt_range_attribute(int *out, size_t bytes, int attribute, const void *p,
		       size_t size);

/* Memory pools: sizes are counted, memory is not kept back. NULL is the
 * device's current pool. */
struct rt_pool;
int rt_pool_new(struct rt_pool **out, int device);
int rt_pool_free(struct rt_pool *pool);
int rt_pool_default(struct rt_pool **out, int device);
int rt_pool_current(struct rt_pool **out, int device);
int rt_pool_use(int device, struct rt_pool *pool);
/* cudaMemPoolAttr; int for the first three, else uint64_t. */
int rt_pool_get(struct rt_pool *pool, int attribute, void *value);
int rt_pool_set(struct rt_pool *pool, int attribute, const void *value);
int rt_pool_device(struct rt_pool *pool, int *device);
/* cudaGraphMemAttributeType: memory of the nodes of graphs, from the time the
 * node is made. Only high marks can be set, to 0. */
int rt_graph_memory_get(int device, int attribute, uint64_t *value);
int rt_graph_memory_set(int device, int attribute, const uint64_t *value);

/*
 * Arrays: the memory of textures and surfaces.
 */
struct rt_channel { /* cudaChannelFormatDesc: bits of each, kind */
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
 * calling thread's device, RT_STREAM_THREAD is the calling thread's own.
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
/* cudaErrorNotReady is not among its answers: all is done. */
int rt_stream_query(struct rt_stream *s);
int rt_stream_synchronize(struct rt_stream *s);
int rt_stream_wait(struct rt_stream *s, struct rt_event *e, unsigned flags);
/* Calls fn without the lock. Inside of it the API is not permitted. */
int rt_stream_host(struct rt_stream *s, void (*fn)(void *), void *data);
/* cudaStreamCallback_t gets the stream as the program named it. */
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
int rt_event_elapsed(float *ms, struct rt_event *from, struct rt_event *to);

/*
 * Copies. Every copy is a box of bytes between two places; a place is a
 * pointer with a pitch, or an array. Positions and width in bytes.
 */
enum rt_where {
	RT_ANYWHERE, /* as the pointer says */
	RT_AT_HOST,  /* as the pointer says, too; pageable memory is welcome */
	RT_AT_DEVICE,
	RT_AT_ARRAY,
};
struct rt_place {
	enum rt_where where;
	void *p;
	struct rt_array *array;
	size_t pitch;   /* bytes from row to row; 0: one row */
	size_t rows;    /* from slice to slice; 0: as high as the box */
	size_t x, y, z; /* where the box begins; x in bytes */
};
struct rt_copy {
	struct rt_place to, from;
	size_t width, height, depth;
};
/* wait: the call ends when the copy has, in simulated time as well. */
int rt_copy(const struct rt_copy *c, struct rt_stream *s, bool wait);
/* The common one. kind: cudaMemcpyKind. */
int rt_copy_line(void *to, const void *from, size_t size, int kind,
		 struct rt_stream *s, bool wait);
/* The places that a cudaMemcpyKind names. cudaErrorInvalidMemcpyDirection. */
int rt_copy_kind(int kind, enum rt_where *to, enum rt_where *from);

/* element: 1, 2 or 4 bytes of value, width of them in a row. */
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
 * Modules. An image is read when something of it is first used on a device;
 * what it is and what it lacks is said then, and once on stderr.
 */
struct rt_module;
struct rt_func;
/* image: a fat binary (its wrapper, or itself), an ELF file, or PTX text, NUL
 * at its end; it must live as long as the module unless `copy`. */
int rt_module_new(struct rt_module **out, const void *image, bool copy);
int rt_module_free(struct rt_module *m);
/* Reads it now, for the calling thread's device. */
int rt_module_load(struct rt_module *m);
/* What rt_module_load said about the module when it failed, else "". */
const char *rt_module_log(struct rt_module *m);
/* cudaErrorSymbolNotFound. */
int rt_module_func(struct rt_func **out, struct rt_module *m, const char *name);
int rt_module_func_count(size_t *out, struct rt_module *m);
int rt_module_func_at(struct rt_func **out, struct rt_module *m, size_t i);
int rt_module_global(void **at, size_t *size, struct rt_module *m,
		     const char *name);
/* Ties a texture or surface reference of the module to an object. */
int rt_module_bind(struct rt_module *m, const char *name, uint64_t handle);

/* Whether size bytes are an image that rt_module_new can take; what is wrong
 * with them is said. */
int rt_image_check(const void *image, size_t size);
/* Joins PTX to what *text (malloc'ed, or NULL) holds, as a linker does. */
int rt_image_join(char **text, size_t *size, const char *more);

/*
 * What a program registers at its start: a fat binary and, by addresses of the
 * host, its kernels and variables. They return what the program holds; they
 * never fail: what is wrong comes out at the first use.
 */
struct rt_module *rt_register_image(const void *wrapper);
void rt_unregister_image(struct rt_module *m);
void rt_register_func(struct rt_module *m, const void *host, const char *name);
void rt_register_var(struct rt_module *m, const void *host, const char *name,
		     size_t size);
/* *host is set to the variable's address when the module is loaded. */
void rt_register_managed(struct rt_module *m, void **host, const char *name,
			 size_t size);
void rt_register_texture(struct rt_module *m, const void *host,
			 const char *name);
/* By the host's address, or by the handle of a kernel itself. */
int rt_func_of(struct rt_func **out, const void *host);
int rt_symbol(void **at, size_t *size, const void *host);
/* A texture or surface reference: its module and name. */
int rt_reference(struct rt_module **m, const char **name, const void *host);

struct rt_func_info {
	const char *name;
	size_t shared_bytes, const_bytes, local_bytes;
	int max_threads, registers;
	int ptx_version, binary_version; /* 90 */
	int max_dynamic_shared, carveout, cache;
	size_t param_count;
};
int rt_func_info(struct rt_func_info *out, struct rt_func *f);
int rt_func_param(size_t *offset, size_t *size, struct rt_func *f, size_t i);
/* cudaFuncAttribute; the numbers of CUfunction_attribute agree. */
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
	/* NULL: args. Else the parameter block. */
	const void *block_of_args;
	size_t block_bytes;
	bool cooperative;
	uint32_t cluster[3]; /* 0: none; more than one block is not supported */
};
/* A stream of another device than the calling thread's is refused. */
int rt_launch(const struct rt_launch *l, struct rt_stream *s);
/* Runs the launches that were held back, on all devices. */
void rt_flush(void);
/* Blocks of so many threads that an SM holds. */
int rt_occupancy(int *blocks, struct rt_func *f, int threads, size_t dynamic);
int rt_occupancy_shared(size_t *dynamic, struct rt_func *f, int blocks,
			int threads);

/*
 * Textures and surfaces by object; handles are what kernels take.
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
struct rt_sampler { /* cudaTextureDesc, from its start */
	int address[3];
	int filter, read, srgb;
	float border[4];
	int normalized;
	unsigned anisotropy;
	int mip_filter;
	float mip_bias, mip_least, mip_most;
	int no_trilinear, seamless;
};
struct rt_view { /* cudaResourceViewDesc, from its start */
	int format;
	size_t width, height, depth;
	unsigned first_level, last_level, first_layer, last_layer;
};
int rt_texture_new(uint64_t *out, const struct rt_resource *r,
		   const struct rt_sampler *s, const struct rt_view *v);
int rt_surface_new(uint64_t *out, const struct rt_resource *r);
int rt_texture_free(uint64_t handle);
int rt_surface_free(uint64_t handle);
/* What it was made of. s and v may be NULL; has_view: rt_view was given. */
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
	int device; /* rt_node_add: filled in */
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
			void *p; /* ALLOC: filled in by rt_node_add */
			size_t size;
		} memory;
	};
};
int rt_graph_new(struct rt_graph **out);
int rt_graph_free(struct rt_graph *g);
int rt_graph_clone(struct rt_graph **out, struct rt_graph *g);
int rt_node_add(struct rt_node **out, struct rt_graph *g,
		struct rt_node *const *after, size_t count,
		struct rt_work *work);
int rt_node_free(struct rt_node *n);
/* The arguments of a kernel are the node's own: valid while it is unchanged;
 * launch.args points at them. */
int rt_node_get(struct rt_work *out, struct rt_node *n);
int rt_node_set(struct rt_node *n, const struct rt_work *work);
int rt_node_in_clone(struct rt_node **out, struct rt_node *n,
		     struct rt_graph *clone);
/* Lists: with a NULL list *count is set; else up to *count are filled in, the
 * rest set to NULL, and *count set to how many there were. */
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

/* cudaErrorInvalidValue: the edges make a circle. */
int rt_exec_new(struct rt_exec **out, struct rt_graph *g, uint64_t flags);
int rt_exec_free(struct rt_exec *x);
int rt_exec_flags(uint64_t *out, struct rt_exec *x);
int rt_exec_launch(struct rt_exec *x, struct rt_stream *s);
/* n: the node of the graph that x was made from. */
int rt_exec_set(struct rt_exec *x, struct rt_node *n,
		const struct rt_work *work);
int rt_exec_enable(struct rt_exec *x, struct rt_node *n, bool on);
int rt_exec_enabled(bool *on, struct rt_exec *x, struct rt_node *n);
/* Takes what g's nodes do, if it has the same shape. result:
 * cudaGraphExecUpdateResult, bad: the node of g at fault or NULL. */
int rt_exec_update(struct rt_exec *x, struct rt_graph *g, int *result,
		   struct rt_node **bad);

/* Capture: what is done in a stream becomes nodes of a graph. */
enum rt_capture_mode { /* cudaStreamCaptureMode */
		       RT_CAPTURE_GLOBAL,
		       RT_CAPTURE_THREAD,
		       RT_CAPTURE_RELAXED,
};
struct rt_capture_info {
	int status; /* cudaStreamCaptureStatus */
	uint64_t id;
	struct rt_graph *graph;
	/* Valid until the next call. */
	struct rt_node *const *after;
	size_t count;
};
/* g NULL: a new graph. */
int rt_capture_begin(struct rt_stream *s, enum rt_capture_mode mode,
		     struct rt_graph *g, struct rt_node *const *after,
		     size_t count);
int rt_capture_end(struct rt_stream *s, struct rt_graph **out);
int rt_capture_info(struct rt_capture_info *out, struct rt_stream *s);
int rt_capture_after(struct rt_stream *s, struct rt_node *const *after,
		     size_t count, bool replace);
/* Exchanges the calling thread's mode with *mode. */
int rt_capture_mode(int *mode);

/*
 * User objects: the program's, with a count of references; the last one calls
 * destroy (without the lock). A graph may hold some.
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
