/*
 * libheddle: run GPU programs on a simulated GPU.
 *
 *	struct heddle_device *dev;
 *	struct heddle_module *mod;
 *	heddle_device_new(&dev, NULL, &err);
 *	heddle_module_load(dev, &mod, "saxpy.ptx", text, size, &err);
 *	heddle_alloc(dev, 4096, &x, &err);
 *	heddle_write(dev, x, host, 4096, &err);
 *	heddle_launch(dev, mod, &(struct heddle_launch){ ... }, &result, &err);
 *	heddle_read(dev, host, x, 4096, &err);
 *
 * Every call that can fail returns HEDDLE_OK or the kind of failure, and fills
 * *err (which may be NULL) with one line that names the cause. The
 * library never prints, exits, installs signal handlers or changes the
 * rounding mode. Devices are independent of each other. The calls on one
 * device must not overlap, except heddle_stop.
 *
 * A device computes results. With the configuration of a GPU it also tells how
 * many cycles that GPU takes, and why: see "Timing" below.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; the build reads it from these three lines. While
 * the first number is 0, a new second number may break programs. */
#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1
#define HEDDLE_VERSION_PATCH 0

#define HEDDLE_VERSION_TEXT_(a, b, c) #a "." #b "." #c
#define HEDDLE_VERSION_TEXT(a, b, c) HEDDLE_VERSION_TEXT_(a, b, c)
/* The same as a text, "0.1.0". */
#define HEDDLE_VERSION                                                  \
	HEDDLE_VERSION_TEXT(HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, \
			    HEDDLE_VERSION_PATCH)
/* The version of the library that the program has found. */
const char *heddle_version(void);

enum heddle_status {
	HEDDLE_OK,
	HEDDLE_NOMEM,   /* the host is out of memory */
	HEDDLE_SYNTAX,  /* malformed input */
	HEDDLE_RANGE,   /* a value out of range */
	HEDDLE_UNKNOWN, /* no such name */
	HEDDLE_UNSUPP,  /* not supported by this simulator */
	HEDDLE_IO,      /* input or output failed */
	HEDDLE_FAULT,   /* the program did something illegal: see the result */
	HEDDLE_MISMATCH /* values differ */
};

struct heddle_error {
	enum heddle_status code;
	char text[480]; /* one line, no newline */
};

struct heddle_device;
struct heddle_module;
typedef uint64_t heddle_ptr; /* an address of the simulated GPU */

/*
 * The configuration of a GPU: its sizes, rates and latencies. A device copies
 * it. Parameters are those of docs/params.md.
 */
struct heddle_config;

/*
 * Reads the configuration of a GPU. A name, "h200", is one of those that come
 * with the library, which looks for them near itself or in $HEDDLE_CONFIGS;
 * HEDDLE_UNKNOWN: there is none of that name. With a slash, or ending in .cfg, it
 * is the path of a file, which is read with the files that it includes.
 */
int heddle_config_load(struct heddle_config **out, const char *name,
		       struct heddle_error *err);
/* Reads a configuration from a text, which cannot include files. An empty text
 * gives the defaults. `name` is what error messages call it. */
int heddle_config_text(struct heddle_config **out, const char *name,
		       const char *text, size_t size, struct heddle_error *err);
/* Sets one parameter: "sm.count=64". */
int heddle_config_set(struct heddle_config *c, const char *assignment,
		      struct heddle_error *err);
/* Checks the rules between parameters. heddle_device_new refuses a
 * configuration that breaks one. */
int heddle_config_check(const struct heddle_config *c,
			struct heddle_error *err);
/* Every parameter with its source, as a text that reads back to the same
 * configuration. malloc'ed; NULL: out of memory. */
char *heddle_config_dump(const struct heddle_config *c);
void heddle_config_free(struct heddle_config *c);

enum heddle_value_kind {
	HEDDLE_VALUE_INT,  /* also bytes; yes and no are 1 and 0 */
	HEDDLE_VALUE_REAL, /* also MHz */
	HEDDLE_VALUE_TEXT  /* also one of several words */
};

struct heddle_value {
	enum heddle_value_kind kind;
	int64_t integer; /* for a real number: without its fraction */
	double real;     /* for a text, integer and real are 0 */
	char text[96];   /* for a number: as it stands in a file */
};

/* Finds a parameter by its key, "sm.count". HEDDLE_UNKNOWN: no such key. */
int heddle_config_get(const struct heddle_config *c, const char *key,
		      struct heddle_value *out, struct heddle_error *err);

/* How diverged lanes of a warp reconverge. */
enum heddle_divergence {
	/* As the GPU does it, by the device's compute capability: forward
	 * progress for every lane from sm_70 on, the SIMT stack before. */
	HEDDLE_DIVERGE_AUTO,
	HEDDLE_DIVERGE_STACK,      /* immediate post-dominators, no progress */
	HEDDLE_DIVERGE_INDEPENDENT /* forward progress for every lane */
};

/* What happens on an access to global memory outside of all allocations. */
enum heddle_memory_mode {
	/* It is a fault. The default, because whoever calls this library has a
	 * kernel to check: no mistake shall pass. */
	HEDDLE_MEMORY_STRICT,
	/*
	 * As on hardware: memory is mapped in pages of 2 MiB. A page is mapped
	 * while an allocation has bytes in it, and every byte of a mapped page
	 * can be read and written; heddle_launch.warn tells. Bytes of no
	 * allocation are 0 until a kernel writes them, and 0 again after an
	 * allocation has held them or when the page has no allocation left.
	 * Beyond mapped pages it is a fault. Memory of heddle_map has no such
	 * pages. Addresses are the same in both modes.
	 */
	HEDDLE_MEMORY_HARDWARE
};

/* Zero means the default. With a configuration, compute capability and memory
 * are those of the configuration unless they are given here; the number of SMs,
 * %nsmid, always is. */
struct heddle_device_options {
	/* Host threads. Default: all cores for results, one for timing. */
	unsigned threads;
	unsigned sm_major, sm_minor; /* compute capability; default 9.0 */
	unsigned sm_count;           /* %nsmid; default 132 */
	uint64_t memory;      /* bytes of global memory; default 64 GiB */
	uint64_t local_bytes; /* per-lane stack and .local; default 64 KiB */
	uint64_t heap_bytes;  /* device-side malloc; default 8 MiB */
	/* If heap_bytes is less than this, allocations still get the addresses
	 * that they would have after a heap of this size. */
	uint64_t heap_room;
	/* Stop with a fault when one warp has executed this many
	 * instructions; default 4,000,000,000. */
	uint64_t max_warp_instructions;
	enum heddle_divergence divergence;
	int address32; /* hand out addresses below 4 GiB (.address_size 32) */
	/* Launches are timed on this GPU; NULL: only results are computed. */
	const struct heddle_config *config;
	/* Allows heddle_timing_options.event; slower. */
	int timeline;
	/* The name of the engine that simulates, see heddle_engine_get; only
	 * with a configuration. Default: "exact", which uses several threads,
	 * if `threads` is more than 1, else "serial". If an engine is named and
	 * `threads` is not given, it uses all cores. */
	const char *engine;
	/* Cycles for which one partition of the GPU is simulated at a time;
	 * default: the maximum that the model and the engine allow. Changes
	 * the speed; with an exact engine, nothing else. */
	uint64_t window;
	/* Pins each of the engine's threads to a core, starting with the first
	 * that the process may use; only with a configuration. */
	int pin;
	/* 0 to 15: the addresses of devices with different numbers never
	 * overlap. Not with address32. */
	unsigned number;
	enum heddle_memory_mode memory_mode;
};

int heddle_device_new(struct heddle_device **out,
		      const struct heddle_device_options *options,
		      struct heddle_error *err);
void heddle_device_free(struct heddle_device *dev);

/*
 * Global memory. A fresh allocation is zeroed and aligned to 256 bytes, at an
 * address that is the same in every run. It takes host memory only for the
 * pages that are touched.
 */
int heddle_alloc(struct heddle_device *dev, uint64_t size, heddle_ptr *out,
		 struct heddle_error *err);
int heddle_free(struct heddle_device *dev, heddle_ptr p,
		struct heddle_error *err);
int heddle_write(struct heddle_device *dev, heddle_ptr to, const void *from,
		 uint64_t size, struct heddle_error *err);
int heddle_read(struct heddle_device *dev, void *to, heddle_ptr from,
		uint64_t size, struct heddle_error *err);
int heddle_set(struct heddle_device *dev, heddle_ptr to, uint8_t value,
	       uint64_t size, struct heddle_error *err);
/* Copies within the device's memory; the two ranges may overlap. */
int heddle_copy(struct heddle_device *dev, heddle_ptr to, heddle_ptr from,
		uint64_t size, struct heddle_error *err);

/*
 * Allocates memory that the host and the GPU share, at one address: *out is
 * both a heddle_ptr and a host pointer. It is zeroed and aligned to a page;
 * heddle_free frees it. It is host memory, which heddle_memory_info does not
 * count. The address is the same in every run, unless the host has something
 * else there. The host must not access it while a launch runs, unless both use
 * atomics.
 */
int heddle_alloc_shared(struct heddle_device *dev, uint64_t size, void **out,
			struct heddle_error *err);
/*
 * Makes host memory visible to the GPU, at its own address, until heddle_unmap
 * of the same pointer. The memory belongs to the caller, must be writable and
 * must live until then. HEDDLE_RANGE: the range overlaps memory that the GPU
 * already sees.
 */
int heddle_map(struct heddle_device *dev, void *host, uint64_t size,
	       struct heddle_error *err);
int heddle_unmap(struct heddle_device *dev, void *host,
		 struct heddle_error *err);
/*
 * The memory that starts at p, which the host and the GPU share, stays with the
 * host: kernels reach it over the GPU's link, where the configuration says how
 * long that takes (host.read_latency). Other memory that they share is as near as the
 * GPU's own. HEDDLE_RANGE: no shared or mapped memory starts there.
 */
int heddle_stay(struct heddle_device *dev, heddle_ptr p,
		struct heddle_error *err);

/* Bytes of the device's memory: how many are not allocated, and the total. */
void heddle_memory_info(const struct heddle_device *dev, uint64_t *left,
			uint64_t *total);
/* Finds the allocation or the mapped memory that contains p. HEDDLE_RANGE:
 * none does. */
int heddle_range(const struct heddle_device *dev, heddle_ptr p,
		 heddle_ptr *base, uint64_t *size, struct heddle_error *err);

/*
 * The instruction set of a module: "ptx" for PTX text, "sass" for machine code of
 * a GPU (a cubin), "gcn" for a code object of an AMD GPU of GFX6, or NULL if it is
 * none that is simulated.
 */
const char *heddle_isa_of(const void *text, size_t size);

/*
 * Reads PTX text, or machine code, and places its global variables in the
 * device's memory. `name` is what error messages call the file. The text need
 * not end in NUL. Machine code must be for the device's compute capability, or
 * one with the same major and a lower minor number. A module
 * with an unsupported instruction loads; but every kernel that contains it, or
 * calls a function that does, is refused: heddle_kernel.refused says why, and a
 * launch fails with HEDDLE_UNSUPP and the same line.
 */
int heddle_module_load(struct heddle_device *dev, struct heddle_module **out,
		       const char *name, const char *text, size_t size,
		       struct heddle_error *err);
void heddle_module_free(struct heddle_device *dev, struct heddle_module *mod);

/* Address and size of a global or constant variable of the module. A variable
 * with .attribute(.managed) lies in memory that the host shares: its address is
 * also a host pointer. */
int heddle_module_global(struct heddle_device *dev, struct heddle_module *mod,
			 const char *name, heddle_ptr *at, uint64_t *size,
			 struct heddle_error *err);

enum heddle_param_kind {
	HEDDLE_PARAM_INT,     /* signed, unsigned or plain bits */
	HEDDLE_PARAM_FLOAT,   /* f16, f32, f64 */
	HEDDLE_PARAM_BYTES,   /* a struct or array */
	HEDDLE_PARAM_TEXTURE, /* .texref, .surfref, .samplerref */
	/* A pointer to dynamic shared (OpenCL: local) memory: 4 bytes, an offset
	 * that the caller chooses. Dynamic memory begins at
	 * heddle_kernel.shared_bytes; `align` is what is pointed to needs. */
	HEDDLE_PARAM_SHARED,
};

struct heddle_param {
	const char *name;
	enum heddle_param_kind kind;
	/* As in the PTX: "u64", "f32", "b8"; of GCN code "by_value",
	 * "global_buffer", "dynamic_shared_pointer" and other kinds. */
	const char *type;
	uint32_t size, align, offset; /* bytes; offset in the parameter block */
	/* Of OpenCL, as the module has them; NULL: not known. type_name:
	 * "float*"; access: "read_only"; space: "global". */
	const char *type_name, *access, *space;
	int is_const, is_restrict, is_volatile;
};

struct heddle_kernel {
	const char *name;
	uint32_t param_count, param_bytes;
	const struct heddle_param *params;
	uint32_t shared_bytes; /* static */
	uint32_t registers;    /* 32-bit; of PTX: virtual ones, declared */
	uint32_t max_threads;  /* product of .maxntid; 0: not stated */
	uint32_t required[3];  /* .reqntid; 0: not stated */
	uint32_t instructions;
	uint32_t local_bytes; /* of a thread: .local variables */
	uint32_t const_bytes; /* all .const variables of the module */
	uint32_t ptx_version; /* of the module's .target: 90 is sm_90 */
	/* 32-bit registers of a thread as a launch estimates them, to compute
	 * how many blocks an SM holds; 0 without a configuration, and if no
	 * block fits. */
	uint32_t registers_estimate;
	/* Why the kernel cannot be launched: the unsupported instruction and
	 * its line; NULL: it can. The resources of a refused kernel may be
	 * 0. */
	const char *refused;
	const char *isa;   /* as heddle_isa_of says */
	uint32_t barriers; /* named barriers of a block; of PTX: 0, not known */
};

size_t heddle_module_kernel_count(const struct heddle_module *mod);
const struct heddle_kernel *
heddle_module_kernel(const struct heddle_module *mod, size_t i);

/*
 * The module as PTX text that reads back to the same module. If a function has
 * an instruction that cannot be read, its opcode replaces the function's body.
 * malloc'ed; NULL: out of memory.
 */
char *heddle_module_print(const struct heddle_module *mod);
/* The same, with the instructions in the order in which the device executes
 * them: with sm.compiled, a compiler's. Comments name those that take no time. */
char *heddle_module_print_executed(const struct heddle_module *mod);

struct heddle_dim3 {
	uint32_t x, y, z;
};

/*
 * What a kernel did, instruction by instruction, over one or more launches of
 * one module. Pass it to heddle_launch; the launch becomes slower. Rows are
 * valid as long as the module.
 */
struct heddle_profile;

/* Accesses of one kind. A request is one warp-instruction. */
struct heddle_traffic {
	uint64_t requests;
	uint64_t parts; /* sectors of 32 bytes; shared: passes over the banks */
	uint64_t ideal; /* the minimum of parts for these lanes and bytes */
};

struct heddle_profile_row {
	const char *function;
	uint32_t pc;
	const char *file; /* source file by .loc, else the PTX file */
	uint32_t line, ptx_line;
	const char *unit; /* functional unit: "fp32", "lsu", ... */
	char instruction[160];
	uint64_t executions, lanes;
	int branches;      /* 1: a branch */
	uint64_t diverged; /* how often a branch went both ways */
	int writes;        /* 1: a store */
	struct heddle_traffic global, local, shared;
};

int heddle_profile_new(struct heddle_profile **out, struct heddle_error *err);
void heddle_profile_free(struct heddle_profile *p);
/* The number of rows: one for each instruction of the program that was
 * executed, in the order of the PTX. */
size_t heddle_profile_count(struct heddle_profile *p);
int heddle_profile_get(struct heddle_profile *p, size_t i,
		       struct heddle_profile_row *out,
		       struct heddle_error *err);

struct heddle_timing_options;

struct heddle_launch {
	const char *kernel;
	struct heddle_dim3 grid, block;
	uint64_t shared_bytes; /* dynamic */
	const void *params;    /* the parameter block, as heddle_param.offset */
	size_t param_bytes;
	/* Receives the output of device printf and assert; NULL drops it.
	 * Called by one thread at a time, in the order of the blocks. */
	void (*print)(void *ctx, const char *text, size_t size);
	/* Called about ten times a second by the calling thread. */
	void (*progress)(void *ctx, uint64_t blocks_done, uint64_t blocks,
			 uint64_t warp_instructions);
	void *ctx;
	/* NULL: none; for devices without a configuration. */
	struct heddle_profile *profile;
	/* The rest is for devices with a configuration. Registers of a thread,
	 * to compute how many blocks an SM holds; 0: estimated. */
	uint32_t registers;
	const struct heddle_timing_options *timing; /* NULL: none */
	/* Computes only results, like a device without a configuration, on as
	 * many host threads as the device has. The caches of the GPU do not
	 * change. In a group, all launches must have it or none. */
	int functional;
	/* For all devices. The blocks may wait for each other: all of them are
	 * resident at once, or the launch is refused with HEDDLE_RANGE; the
	 * grid has the workspace in which cooperative groups synchronise.
	 * Without a configuration, at most 4,096 blocks. */
	int cooperative;
	/* Of OpenCL, where the module has a place for it: what get_global_id
	 * starts with, and what get_work_dim returns (0: as many dimensions as
	 * the shape has). */
	uint32_t global_offset[3], work_dim;
	/*
	 * Receives one line of text, without a newline, for each source line
	 * of the kernel that accessed memory outside of all allocations; for
	 * code without source lines, for each instruction. `kernel` is the
	 * kernel's symbol, which the line does not repeat. Only on devices with
	 * HEDDLE_MEMORY_HARDWARE, not after a fault, and once in the life of a
	 * device. The lines depend on the program only, not on host threads or
	 * engines. NULL drops them. Called after the kernel has ended.
	 */
	void (*warn)(void *ctx, const char *kernel, const char *line);
	/*
	 * The same for each pair of instructions of which one reads a register
	 * before the other has written it, as the stall counts and counters of
	 * machine code allow. Only with the parameter sm.hazards of the
	 * configuration.
	 */
	void (*hazard)(void *ctx, const char *kernel, const char *line);
};

enum heddle_fault_kind {
	HEDDLE_FAULT_NONE,
	HEDDLE_FAULT_ADDRESS, /* nothing is allocated or mapped there */
	HEDDLE_FAULT_MISALIGNED,
	HEDDLE_FAULT_SHARED, /* outside the block's shared memory */
	HEDDLE_FAULT_LOCAL,  /* outside local memory, stack overflow */
	HEDDLE_FAULT_TRAP,
	HEDDLE_FAULT_ASSERT,
	HEDDLE_FAULT_BARRIER, /* deadlock at a barrier */
	HEDDLE_FAULT_LOOP,    /* max_warp_instructions reached */
	HEDDLE_FAULT_ILLEGAL, /* an operand that the hardware refuses */
	HEDDLE_FAULT_STOPPED, /* heddle_stop, or another kernel's fault */
	HEDDLE_FAULT_LIMIT,   /* max_cycles reached */
	HEDDLE_FAULT_TRACE    /* a trace does not match the replayed program */
};

struct heddle_fault {
	enum heddle_fault_kind kind;
	char kernel[256];
	struct heddle_dim3 block, thread;
	uint32_t warp, lane;
	uint32_t pc; /* index of the instruction in its function */
	char function[256];
	char file[1024]; /* source file by .loc, else the PTX file */
	uint32_t line;
	uint32_t ptx_line;
	char instruction[256];
	uint64_t address;
	char text[1536]; /* all of this in one line */
};

struct heddle_result {
	uint64_t blocks, threads;
	uint64_t warp_instructions;
	uint64_t thread_instructions;
	double seconds; /* the host's time */
	struct heddle_fault fault;
	/* The simulated GPU's time, from the launch to the end of the last
	 * block; 0 without a configuration. */
	uint64_t cycles;
	double gpu_seconds;
	/* With HEDDLE_MEMORY_HARDWARE: accesses of threads outside of all
	 * allocations. */
	uint64_t outside_accesses;
	/* With sm.hazards: reads of registers that came too early. */
	uint64_t hazards;
};

/* Runs a kernel to its end. HEDDLE_FAULT: result->fault says what happened. */
int heddle_launch(struct heddle_device *dev, struct heddle_module *mod,
		  const struct heddle_launch *launch,
		  struct heddle_result *result, struct heddle_error *err);

/*
 * Runs several kernels. Kernels of one stream run one after the other, kernels
 * of different streams concurrently; without a configuration all run one after
 * the other, in the given order. results: one for each. The timing options of
 * the first launch are those of the group. A fault ends all of them. With a
 * configuration, a group has 1 to 128 kernels: HEDDLE_RANGE if not.
 */
struct heddle_group_launch {
	struct heddle_module *module;
	const struct heddle_launch *launch;
	uint32_t stream;
};

int heddle_launch_group(struct heddle_device *dev,
			const struct heddle_group_launch *launches, size_t n,
			struct heddle_result *results,
			struct heddle_error *err);

/*
 * How many blocks with this many threads are resident on an SM at once; 0: none
 * fits. HEDDLE_UNSUPP: the device has no configuration.
 */
int heddle_occupancy(struct heddle_device *dev, struct heddle_module *mod,
		     const char *kernel, uint32_t threads,
		     uint64_t dynamic_shared, uint32_t *blocks,
		     struct heddle_error *err);

/* Ends the running launch as soon as possible; safe in a signal handler. */
void heddle_stop(struct heddle_device *dev);

/*
 * Timing: the results of the last launch, or group of launches, on a device
 * with a configuration. The L2 keeps its contents from launch to launch, and
 * data copied by heddle_write is placed there (l2.host_copies); L1 caches start
 * empty. After a launch that was cut short, and with the option `cold`, the GPU
 * starts with empty caches.
 */

/* Statistics: counters by group and name, "l2.reads". The group "reason" tells
 * what the issue slots were used for or lost to, the group "unit" which units
 * executed instructions. */
struct heddle_stats;

enum heddle_stat_kind {
	HEDDLE_STAT_COUNT,
	HEDDLE_STAT_PEAK, /* the maximum over all components of the GPU */
	HEDDLE_STAT_RATIO
};

struct heddle_stat {
	const char *group, *name;
	const char *unit, *doc;
	enum heddle_stat_kind kind;
	uint64_t count; /* exact; 0 for a ratio */
	double value;   /* NaN for a ratio whose denominator is 0 */
};

size_t heddle_stats_count(void);
int heddle_stats_get(const struct heddle_stats *s, size_t i,
		     struct heddle_stat *out, struct heddle_error *err);
/* Finds a statistic by its key, "sm.ipc". */
int heddle_stats_find(const struct heddle_stats *s, const char *key,
		      struct heddle_stat *out, struct heddle_error *err);

enum heddle_stats_form {
	HEDDLE_STATS_TEXT, /* columns for people */
	HEDDLE_STATS_JSON, /* an object; no newline after it */
	/* The same without what launches share that run at the same time. */
	HEDDLE_STATS_OWN_JSON,
	HEDDLE_STATS_CSV_HEADER,
	HEDDLE_STATS_CSV_ROW,
	/* The same; what launches share that run at the same time is empty. */
	HEDDLE_STATS_OWN_CSV_ROW
};

/* Writes all statistics through `put`; indent: spaces before lines of JSON. */
void heddle_stats_print(const struct heddle_stats *s,
			enum heddle_stats_form form, unsigned indent,
			void (*put)(void *ctx, const char *text, size_t size),
			void *ctx);

struct heddle_timing_progress {
	uint64_t cycles;
	uint64_t blocks_done, blocks;
	uint64_t warp_instructions;
};

/* If the launch is cut short, what has not ended is reported until then. */
enum heddle_event_kind {
	HEDDLE_EVENT_BLOCK, /* a block was resident */
	HEDDLE_EVENT_WARP,  /* a warp was alive */
	HEDDLE_EVENT_STALL  /* a warp was stalled, because of `reason` */
};

/* An instruction of the program. */
struct heddle_place {
	const char *function;
	uint32_t pc;
	const char *file; /* source file by .loc, else the PTX file */
	uint32_t line, ptx_line;
	char instruction[160];
};

struct heddle_event {
	enum heddle_event_kind kind;
	const char *reason; /* of a stall, else NULL */
	/* Of a stall: the instruction before which the warp waited; of a wait
	 * at a barrier, for other lanes or for the last stores: the one after
	 * which it did. Else NULL. The same instruction has the same address;
	 * valid until the launch ends. */
	const struct heddle_place *at;
	uint32_t sm, slot; /* slot: the warp's slot on the SM */
	uint32_t launch;   /* number in the group */
	uint64_t block;
	uint64_t from, to; /* cycles since the launch */
};

/* Engines: ways to simulate the same GPU on the host's threads. */
struct heddle_engine {
	/* A K in the name, as in "slack:K", stands for a number of at least 1:
	 * "slack:10". */
	const char *name, *doc;
	int exact;   /* 1: all exact engines give the same results */
	int threads; /* 1: it uses more than one thread */
};

size_t heddle_engine_count(void);
int heddle_engine_get(size_t i, struct heddle_engine *out,
		      struct heddle_error *err);

/* What each SM and each slice of the L2 did in an interval. Valid during the
 * call. */
struct heddle_parts {
	size_t sms, slices;
	const uint64_t *issued;   /* warp-instructions, by SM */
	const uint64_t *requests; /* by slice */
};

struct heddle_timing_options {
	uint64_t max_cycles; /* ends the launch as a fault; 0: no limit */
	/* Calls `sample` after every interval of this many cycles, with what
	 * was counted in it; 0: never. */
	uint64_t interval;
	void (*sample)(void *ctx, uint64_t from, uint64_t to,
		       const struct heddle_stats *s);
	/* The same, with what each component did in the interval. */
	void (*parts)(void *ctx, uint64_t from, uint64_t to,
		      const struct heddle_parts *p);
	/* Needs a device with `timeline`. */
	void (*event)(void *ctx, const struct heddle_event *e);
	/* Called about ten times a second. */
	void (*progress)(void *ctx, const struct heddle_timing_progress *p);
	void *ctx;
	/* Measures heddle_timing_info.host_time; a few percent slower. */
	int host_time;
	/* Counts what heddle_timing_detail tells; a few percent slower. */
	int details;
	/* Starts with empty caches and closed DRAM rows, as profilers measure:
	 * what earlier launches and copies left in the L2 has been written
	 * back and is gone. */
	int cold;
};

struct heddle_timing;

/* Valid until the next launch on the device. NULL: the launch was not timed. */
const struct heddle_timing *
heddle_device_timing(const struct heddle_device *dev);

/* What the host's threads spent their time on, in seconds. A network port
 * counts as part of the component that has it. */
struct heddle_host_time {
	double sms;      /* the SMs */
	double network;  /* messages between partitions */
	double memory;   /* the memory partitions: L2 and DRAM */
	double dispatch; /* the dispatcher of blocks */
	double rest;     /* everything else, and waiting for each other */
};

struct heddle_timing_info {
	uint64_t cycles; /* from the launch to the end of the last block */
	double gpu_seconds, clock_mhz;
	/* How it was simulated. exact: any exact engine, with any number of
	 * threads, gives the same statistics to the last bit. */
	const char *engine; /* valid as long as the device */
	unsigned threads;
	uint64_t window; /* cycles */
	int exact;
	int whole;          /* 0: cut short; statistics are those so far */
	int cold;           /* it was asked to start with empty caches */
	const char *law;    /* a bug in Heddle: counters disagree; or NULL */
	const char *config; /* the resolved configuration, as text */
	size_t kernels;     /* of the group */
	size_t hot_lines;
	size_t sms;
	double host_seconds; /* of the simulation alone */
	/* All 0 without heddle_timing_options.host_time, and with an engine
	 * that does not simulate one partition at a time. */
	struct heddle_host_time host_time;
};

void heddle_timing_info(const struct heddle_timing *t,
			struct heddle_timing_info *out);
const struct heddle_stats *heddle_timing_stats(const struct heddle_timing *t);

struct heddle_kernel_timing {
	const char *kernel;
	uint32_t stream;
	uint64_t blocks, blocks_done;
	uint64_t start, end; /* cycles; end 0: it was cut short */
	/* How many blocks an SM holds, and the resources of a block. */
	uint32_t blocks_per_sm;
	/* "blocks", "warps", "registers" or "shared memory", or "grid" if there
	 * are fewer blocks than the SMs could hold; and what would be the limit
	 * if there were enough. */
	const char *limit, *resource;
	uint32_t registers;    /* of a thread */
	uint32_t warps;        /* of a block */
	uint64_t shared_bytes; /* of a block */
	uint32_t most_warps;   /* maximum warps of an SM */
	/* How far apart the blocks of a wave ended. A wave is as many blocks
	 * with consecutive numbers as the GPU holds at once. */
	double wave_deviation; /* standard deviation within waves, cycles */
	uint64_t wave_gap;     /* maximum cycles from first to last end */
};

int heddle_timing_kernel(const struct heddle_timing *t, size_t i,
			 struct heddle_kernel_timing *out,
			 struct heddle_error *err);
/* What kernel i of the group did, also while others ran beside it; what they share
 * is 0 then (docs/stats.md lists it). NULL: there is no such kernel. */
const struct heddle_stats *
heddle_timing_kernel_stats(const struct heddle_timing *t, size_t i);

/* The cycle in which the last block of an SM ended; 0: it had none. */
int heddle_timing_sm_end(const struct heddle_timing *t, size_t sm,
			 uint64_t *out, struct heddle_error *err);

/* What one SM counted: the groups sm, front, lsu, l1, reason and unit; the others
 * are 0. NULL: there is no such SM, or no memory was left for them. Valid until
 * the next call or launch. */
const struct heddle_stats *heddle_timing_sm_stats(const struct heddle_timing *t,
						  size_t sm);

/* An instruction that was issued; they are in the order of the PTX. Valid as
 * long as the module. */
struct heddle_hot_line {
	size_t kernel; /* number in the group */
	const char *function;
	uint32_t pc;
	const char *file; /* source file by .loc, else the PTX file */
	uint32_t line, ptx_line;
	const char *unit;
	char instruction[160];
	uint64_t issued; /* warp-instructions */
	uint64_t waited; /* cycles since a warp's previous issue, summed */
	/* What it cost beyond its need. Loads and stores of global memory:
	 * sectors beyond those that could hold the lanes' bytes. Shared memory:
	 * passes added by bank conflicts. Branches: times it went both ways. */
	uint64_t excess;
};

int heddle_timing_hot(const struct heddle_timing *t, size_t i,
		      struct heddle_hot_line *out, struct heddle_error *err);

/* A line that called an inlined function. depth 0: the function that the
 * instruction belongs to; 1: the function that this call stands in, and so on.
 * HEDDLE_UNKNOWN: no such call. Valid as long as the module. */
int heddle_timing_caller(const struct heddle_timing *t, size_t i,
			 unsigned depth, const char **file, uint32_t *line,
			 struct heddle_error *err);

/* More about instruction i of heddle_timing_hot; HEDDLE_UNKNOWN without
 * heddle_timing_options.details. */
struct heddle_hot_detail {
	/* Issue slots lost while warps waited before it, or at it if it is a
	 * barrier, by the statistics of the group "reason", in their order. Warps that waited for the same
	 * reason at the same time share the slots. */
	const uint64_t *slots;
	size_t slot_count;
	uint64_t lanes; /* thread-instructions */
	/* Floating-point operations, of which a fused multiply-add is two, and
	 * operations on matrices. */
	uint64_t operations;
};

int heddle_timing_detail(const struct heddle_timing *t, size_t i,
			 struct heddle_hot_detail *out,
			 struct heddle_error *err);

/*
 * Traces: a file of what the launches of a program did, to be timed later on
 * any GPU without the program. Recording is slower and changes nothing else.
 *
 * Between the two calls all launches, copies and memory sets of the device are
 * recorded, timed or not. command: the recorded command line, for people; may
 * be NULL. The file is complete after heddle_trace_end; if that is never
 * called, it can be read as far as it goes. If it cannot be written, launches
 * go on without being recorded, and heddle_trace_end says why. HEDDLE_UNSUPP:
 * this build has no traces.
 */
int heddle_trace_begin(struct heddle_device *dev, const char *path,
		       const char *command, struct heddle_error *err);
int heddle_trace_end(struct heddle_device *dev, struct heddle_error *err);
/* Whether the file starts like a trace. */
int heddle_trace_is(const char *path);

/* Reasons why a launch might behave differently if its instructions took a
 * different time; a replay follows the recording all the same. Bits. */
enum heddle_depends {
	HEDDLE_ON_CLOCK = 1,   /* it read the clock */
	HEDDLE_ON_ATOMICS = 2, /* it used results of atomics */
	HEDDLE_ON_WAITS = 4,   /* it may have waited for other threads */
	HEDDLE_ON_PLACE = 8,   /* it asked for its SM or the number of SMs */
	HEDDLE_ON_HEAP = 16    /* it allocated from the device's heap */
};

struct heddle_replayed_launch {
	uint32_t number; /* in the trace, from 0 */
	uint32_t stream;
	const char *kernel;
	struct heddle_dim3 grid, block;
	uint64_t shared_bytes; /* dynamic */
	unsigned depends;      /* enum heddle_depends */
	const char *isa;       /* of its code, as heddle_isa_of says */
	uint32_t target;       /* 90: that of sm_90 */
};

/* A group of launches that ran concurrently; usually only one. */
struct heddle_replayed {
	size_t count;
	const struct heddle_replayed_launch *launches;
	const struct heddle_result *results;
};

struct heddle_replay_options {
	int one;         /* replay only launch number `launch`, alone, */
	uint32_t launch; /* after the copies that precede it */
	/* Replay the complete launches of a trace that is truncated or
	 * damaged, or has launches that did not end. Without this, such a trace
	 * is refused. */
	int partial;
	const struct heddle_timing_options *timing; /* NULL: none */
	void (*progress)(void *ctx, uint64_t blocks_done, uint64_t blocks,
			 uint64_t warp_instructions);
	/* Called now and then while a trace of Accel-Sim is read, before it is
	 * replayed: bytes of `file` so far, and of all of it. May be NULL. */
	void (*reading)(void *ctx, const char *file, uint64_t bytes,
			uint64_t all);
	/* Called after each group; heddle_device_timing is that group's. The
	 * replay ends if it returns anything but 0. May be NULL. */
	int (*done)(void *ctx, const struct heddle_replayed *r);
	void *ctx;
};

/* Whether heddle_replay takes the file: a trace, or a trace of Accel-Sim, which
 * is a kernelslist.g or the .traceg of one kernel. */
int heddle_replay_is(const char *path);

/*
 * Replays a trace's launches and copies in order. With a configuration they are
 * timed: for a program without races, cycles and statistics are the same as
 * when the program itself runs. Without one, the trace is only checked. Nothing
 * is computed, printed or allocated. options may be NULL. HEDDLE_FAULT: a
 * launch had faulted when it was recorded, or the trace does not match the
 * program. Traces of Accel-Sim have no control words: registers alone decide what
 * waits. `partial` does not apply to them: HEDDLE_UNSUPP.
 */
int heddle_replay(struct heddle_device *dev, const char *path,
		  const struct heddle_replay_options *options,
		  struct heddle_error *err);

/*
 * Textures and surfaces. A texel of the array has `channels` values of
 * `format`. width is in texels; height and depth are 0 if the array has fewer
 * dimensions; `layers` is the number of layers of a layered array.
 */
enum heddle_texel {
	HEDDLE_TEXEL_U8,
	HEDDLE_TEXEL_U16,
	HEDDLE_TEXEL_U32,
	HEDDLE_TEXEL_S8,
	HEDDLE_TEXEL_S16,
	HEDDLE_TEXEL_S32,
	HEDDLE_TEXEL_F16,
	HEDDLE_TEXEL_F32
};

enum heddle_address_mode {
	HEDDLE_ADDRESS_WRAP,
	HEDDLE_ADDRESS_CLAMP,
	HEDDLE_ADDRESS_MIRROR,
	HEDDLE_ADDRESS_BORDER
};

struct heddle_texture {
	heddle_ptr data; /* texels, row by row */
	enum heddle_texel format;
	uint32_t channels; /* 1, 2 or 4 */
	uint32_t width, height, depth, layers;
	uint64_t row_bytes, slice_bytes; /* 0: packed */
	enum heddle_address_mode address[3];
	int linear;        /* filter: 0 nearest, 1 linear */
	int normalized;    /* coordinates in [0, 1) */
	int read_as_float; /* integers become [0, 1] or [-1, 1] */
	float border[4];
};

/* *handle is what a kernel receives as a texture or surface object. */
int heddle_texture_new(struct heddle_device *dev,
		       const struct heddle_texture *t, uint64_t *handle,
		       struct heddle_error *err);
int heddle_texture_free(struct heddle_device *dev, uint64_t handle,
			struct heddle_error *err);
/* Binds a module's .texref or .surfref variable to a texture. */
int heddle_module_bind(struct heddle_device *dev, struct heddle_module *mod,
		       const char *name, uint64_t handle,
		       struct heddle_error *err);

/*
 * The memory system of CPUs and a GPU, alone: CGM, docs/cgm.md. Whoever simulates
 * processors drives it with requests, and gets values and times.
 *
 *	heddle_cgm_new(&m, NULL, NULL, &err);
 *	heddle_cgm_attach(m, HEDDLE_CGM_PORT_DATA, 0, &driver, &err);
 *	heddle_cgm_run(m, HEDDLE_CGM_NEVER, &err);
 *
 * Time is counted in ticks of its fastest clock (heddle_cgm_info). A port is driven
 * in one of two ways: a driver is called during heddle_cgm_run, whenever the port
 * can take a request; or heddle_cgm_send and heddle_cgm_take are called between
 * runs, by a simulator that has a clock of its own. Requests and times are the
 * same in both. Calls on one memory system must not overlap.
 */
struct heddle_cgm;

#define HEDDLE_CGM_NEVER UINT64_MAX

enum { HEDDLE_CGM_BLOCK = 64 /* bytes */, HEDDLE_CGM_DEPTH = 64 };

enum heddle_cgm_port {
	HEDDLE_CGM_PORT_FETCH,  /* a core's instructions */
	HEDDLE_CGM_PORT_DATA,   /* a core's data */
	HEDDLE_CGM_PORT_VECTOR, /* the vectors of a compute unit */
	HEDDLE_CGM_PORT_SCALAR  /* its scalars */
};

enum heddle_cgm_op {
	HEDDLE_CGM_FETCH, /* reads instructions */
	HEDDLE_CGM_LOAD,
	HEDDLE_CGM_STORE,
	/* Atomics: they return what was there. */
	HEDDLE_CGM_ADD,
	HEDDLE_CGM_AND,
	HEDDLE_CGM_OR,
	HEDDLE_CGM_XOR,
	HEDDLE_CGM_MIN, /* unsigned */
	HEDDLE_CGM_MAX, /* unsigned */
	HEDDLE_CGM_SWAP,
	HEDDLE_CGM_CAS, /* writes the value if `compare` was there */
	/* Drops the block from all caches, after writing it to memory. */
	HEDDLE_CGM_FLUSH,
	/* Of caches that are not coherent: writes back what they wrote and
	 * drops what they read. */
	HEDDLE_CGM_FENCE
};

struct heddle_cgm_request {
	enum heddle_cgm_op op;
	unsigned size;    /* bytes, in one block; atomics: 1, 2, 4 or 8 */
	uint64_t tag;     /* any number: comes back with the answer */
	uint64_t address; /* virtual, below 2^46; of a fence: ignored */
	/* Of a store: which of its bytes are written, bit i for address + i; 0:
	 * all. For the lanes of a vector. */
	uint64_t mask;
	uint64_t compare;                /* HEDDLE_CGM_CAS */
	uint8_t value[HEDDLE_CGM_BLOCK]; /* of a store or atomic */
};

struct heddle_cgm_answer {
	enum heddle_cgm_op op;
	unsigned size;
	uint64_t tag;
	uint64_t sent, time; /* ticks: of the request, and of this answer */
	/* What a load found, or what was there before an atomic. */
	uint8_t value[HEDDLE_CGM_BLOCK];
};

/*
 * Drives a port. Called by heddle_cgm_run, for different ports from different
 * threads if there are several, with `now` a cycle of the port's clock. It must
 * not call on the memory system.
 */
struct heddle_cgm_driver {
	/*
	 * Asks for the next request: fills *r, which is zero, to be sent now,
	 * and returns `now`; or returns when to ask again, a later tick or
	 * HEDDLE_CGM_NEVER: after the next answer, or heddle_cgm_wake.
	 */
	uint64_t (*next)(void *ctx, uint64_t now, struct heddle_cgm_request *r);
	void (*answer)(void *ctx, const struct heddle_cgm_answer *a);
	void *ctx;
};

/* Zero means the default. */
struct heddle_cgm_options {
	unsigned threads; /* host threads; default 1 */
	/* An exact engine, see heddle_engine_get; default: as a device's. */
	const char *engine;
};

/* config: the parameters cgm and dram are read; NULL: the configuration "cgm".
 * options may be NULL. HEDDLE_UNSUPP: the engine is not exact. */
int heddle_cgm_new(struct heddle_cgm **out, const struct heddle_config *config,
		   const struct heddle_cgm_options *options,
		   struct heddle_error *err);
void heddle_cgm_free(struct heddle_cgm *m); /* m may be NULL */

struct heddle_cgm_info {
	unsigned cores, cus;
	uint64_t ticks_per_second;
	/* Ticks of a cycle of each clock; a core and its ports have the CPU's,
	 * a compute unit the GPU's. */
	uint64_t cpu_cycle, gpu_cycle, memory_cycle;
	uint64_t now;       /* everything before this tick has been simulated */
	int idle;           /* 1: nothing is in flight anywhere */
	uint64_t bytes;     /* of the host's memory */
	const char *engine; /* valid as long as the memory system */
	unsigned threads;
	uint64_t window; /* ticks */
};

void heddle_cgm_info(const struct heddle_cgm *m, struct heddle_cgm_info *out);

/* Fills memory before the first run, at the CPU's addresses; what is not filled
 * is 0. HEDDLE_RANGE: there has been a run. */
int heddle_cgm_preload(struct heddle_cgm *m, uint64_t address, const void *from,
		       uint64_t size, struct heddle_error *err);

/* Gives a port to a driver, or takes it from one if driver is NULL. HEDDLE_RANGE:
 * there is no such port, or an answer is due, or has not been taken. */
int heddle_cgm_attach(struct heddle_cgm *m, enum heddle_cgm_port port,
		      unsigned index, const struct heddle_cgm_driver *driver,
		      struct heddle_error *err);
/* Has a port's driver asked again in the next run. */
int heddle_cgm_wake(struct heddle_cgm *m, enum heddle_cgm_port port,
		    unsigned index, struct heddle_error *err);

/* How many requests a port without a driver has room for: HEDDLE_CGM_DEPTH, less
 * those whose answers have not been taken. 0 also for a port with a driver, or
 * that is not there. */
unsigned heddle_cgm_room(const struct heddle_cgm *m, enum heddle_cgm_port port,
			 unsigned index);
/* Sends a request at a port without a driver: in the next run, one a cycle, in
 * order. HEDDLE_RANGE: it is impossible, or there is no room. */
int heddle_cgm_send(struct heddle_cgm *m, enum heddle_cgm_port port,
		    unsigned index, const struct heddle_cgm_request *r,
		    struct heddle_error *err);
/* Takes an answer that the last run brought to a port without a driver, in the
 * order in which they came. 1: *out is filled; 0: there is none. */
int heddle_cgm_take(struct heddle_cgm *m, enum heddle_cgm_port port,
		    unsigned index, struct heddle_cgm_answer *out);

/*
 * Simulates everything before tick `until`; HEDDLE_CGM_NEVER: until nothing is
 * left to do. HEDDLE_RANGE: `until` is over; or a driver asked for what is
 * impossible: its port is not asked again in this run, and all others have
 * gone on. HEDDLE_NOMEM: the memory system can only be freed.
 * HEDDLE_MISMATCH: a bug in Heddle, counters disagree.
 */
int heddle_cgm_run(struct heddle_cgm *m, uint64_t until,
		   struct heddle_error *err);

/* Its statistics, docs/cgm.md, as they are now. A group is one of elements,
 * "l1d.hits" a key. */
size_t heddle_cgm_stats_count(void);
int heddle_cgm_stats_get(const struct heddle_cgm *m, size_t i,
			 struct heddle_stat *out, struct heddle_error *err);
int heddle_cgm_stats_find(const struct heddle_cgm *m, const char *key,
			  struct heddle_stat *out, struct heddle_error *err);

#ifdef __cplusplus
}
#endif
#endif
