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
 * *err (which may be NULL) with one line that names the thing at fault. The
 * library never prints, exits, installs signal handlers or changes the
 * rounding mode. Devices are independent of each other. The calls on one
 * device must not overlap, except heddle_stop.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_VERSION "0.1.0"

enum heddle_status {
	HEDDLE_OK,
	HEDDLE_NOMEM,   /* the host has no memory left */
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

/* How diverged lanes of a warp come together again. */
enum heddle_divergence {
	/* As the GPU does it: forward progress for every lane from sm_70 on,
	 * the SIMT stack before. Decided by the device's compute capability. */
	HEDDLE_DIVERGE_AUTO,
	HEDDLE_DIVERGE_STACK,      /* immediate post-dominators, no progress */
	HEDDLE_DIVERGE_INDEPENDENT /* forward progress for every lane */
};

/* Zero means: the default. */
struct heddle_device_options {
	unsigned threads;            /* host threads; default: all cores */
	unsigned sm_major, sm_minor; /* compute capability; default 9.0 */
	unsigned sm_count;           /* %nsmid; default 132 */
	uint64_t memory;      /* bytes of global memory; default 64 GiB */
	uint64_t local_bytes; /* per-lane stack and .local; default 64 KiB */
	uint64_t heap_bytes;  /* device-side malloc; default 8 MiB */
	/* Give up when one warp has executed that many instructions:
	 * default 4,000,000,000. */
	uint64_t max_warp_instructions;
	enum heddle_divergence divergence;
	int address32; /* hand out addresses below 4 GiB (.address_size 32) */
};

int heddle_device_new(struct heddle_device **out,
		      const struct heddle_device_options *options,
		      struct heddle_error *err);
void heddle_device_free(struct heddle_device *dev);

/* Global memory. A fresh allocation is zeroed and aligned to 256 bytes. */
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

/*
 * Reads PTX text; places its global variables in the device's memory. `name`
 * is what errors call the file. The text need not end in NUL.
 */
int heddle_module_load(struct heddle_device *dev, struct heddle_module **out,
		       const char *name, const char *text, size_t size,
		       struct heddle_error *err);
void heddle_module_free(struct heddle_device *dev, struct heddle_module *mod);

/* Address and size of a global or constant variable of the module. */
int heddle_module_global(struct heddle_device *dev, struct heddle_module *mod,
			 const char *name, heddle_ptr *at, uint64_t *size,
			 struct heddle_error *err);

enum heddle_param_kind {
	HEDDLE_PARAM_INT,     /* signed or unsigned or plain bits */
	HEDDLE_PARAM_FLOAT,   /* f16, f32, f64 */
	HEDDLE_PARAM_BYTES,   /* a struct or array */
	HEDDLE_PARAM_TEXTURE, /* .texref, .surfref, .samplerref */
};

struct heddle_param {
	const char *name;
	enum heddle_param_kind kind;
	const char *type;             /* as in the PTX: "u64", "f32", "b8" */
	uint32_t size, align, offset; /* bytes; offset in the parameter block */
};

struct heddle_kernel {
	const char *name;
	uint32_t param_count, param_bytes;
	const struct heddle_param *params;
	uint32_t shared_bytes; /* static */
	uint32_t registers;    /* 32-bit virtual registers declared */
	uint32_t max_threads;  /* .maxntid as a product; 0: not stated */
	uint32_t required[3];  /* .reqntid; 0: not stated */
	uint32_t instructions;
};

size_t heddle_module_kernel_count(const struct heddle_module *mod);
const struct heddle_kernel *
heddle_module_kernel(const struct heddle_module *mod, size_t i);

/*
 * The module as PTX text, malloc'ed: reading it gives the same module.
 * NULL when out of memory.
 */
char *heddle_module_print(const struct heddle_module *mod);

struct heddle_dim3 {
	uint32_t x, y, z;
};

/*
 * What a kernel did, instruction by instruction, over one or more launches of
 * one module. Give it to heddle_launch; it costs speed. Rows are valid while
 * the module is.
 */
struct heddle_profile;

/* Accesses of one kind. A request is one warp-instruction. */
struct heddle_traffic {
	uint64_t requests;
	uint64_t parts; /* sectors of 32 bytes; passes through the banks */
	uint64_t ideal; /* the fewest parts for as many lanes and bytes */
};

struct heddle_profile_row {
	const char *function;
	uint32_t pc;
	const char *file; /* source file by .loc, else the PTX file */
	uint32_t line, ptx_line;
	const char *unit; /* functional unit: "fp32", "lsu", ... */
	char instruction[160];
	uint64_t executions, lanes;
	int branches;      /* it is a branch */
	uint64_t diverged; /* times that a branch went both ways */
	int writes;        /* it stores */
	struct heddle_traffic global, local, shared;
};

int heddle_profile_new(struct heddle_profile **out, struct heddle_error *err);
void heddle_profile_free(struct heddle_profile *p);
/* Rows of instructions that were executed, in the order of the PTX. */
size_t heddle_profile_count(struct heddle_profile *p);
int heddle_profile_get(struct heddle_profile *p, size_t i,
		       struct heddle_profile_row *out,
		       struct heddle_error *err);

struct heddle_launch {
	const char *kernel;
	struct heddle_dim3 grid, block;
	uint64_t shared_bytes; /* dynamic */
	const void *params;    /* the parameter block, as heddle_param.offset */
	size_t param_bytes;
	/* Receives what device printf and assert write; NULL drops it. Called
	 * by one thread at a time, in the order of the blocks. */
	void (*print)(void *ctx, const char *text, size_t size);
	/* Called about ten times a second by the calling thread. */
	void (*progress)(void *ctx, uint64_t blocks_done, uint64_t blocks,
			 uint64_t warp_instructions);
	void *ctx;
	struct heddle_profile *profile; /* NULL: none */
};

enum heddle_fault_kind {
	HEDDLE_FAULT_NONE,
	HEDDLE_FAULT_ADDRESS, /* nothing is mapped there */
	HEDDLE_FAULT_MISALIGNED,
	HEDDLE_FAULT_SHARED, /* outside of the block's shared memory */
	HEDDLE_FAULT_LOCAL,  /* outside of local memory, stack overflow */
	HEDDLE_FAULT_TRAP,
	HEDDLE_FAULT_ASSERT,
	HEDDLE_FAULT_BARRIER, /* deadlock at a barrier */
	HEDDLE_FAULT_LOOP,    /* max_warp_instructions reached */
	HEDDLE_FAULT_ILLEGAL, /* an operand the hardware refuses */
	HEDDLE_FAULT_STOPPED  /* heddle_stop */
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
	char text[480]; /* one line that says it all */
};

struct heddle_result {
	uint64_t blocks, threads;
	uint64_t warp_instructions;
	uint64_t thread_instructions;
	double seconds;
	struct heddle_fault fault;
};

/* Runs a kernel to its end. HEDDLE_FAULT: result->fault says what happened. */
int heddle_launch(struct heddle_device *dev, struct heddle_module *mod,
		  const struct heddle_launch *launch,
		  struct heddle_result *result, struct heddle_error *err);

/* Ends the launch under way as soon as it can; safe in a signal handler. */
void heddle_stop(struct heddle_device *dev);

/*
 * Textures and surfaces. The array's texels are `channels` values of
 * `format`; width in texels, height and depth 0 when the array has fewer
 * dimensions; layered arrays have their layers in `layers`.
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

/* The handle is what a kernel takes for a texture or surface object. */
int heddle_texture_new(struct heddle_device *dev,
		       const struct heddle_texture *t, uint64_t *handle,
		       struct heddle_error *err);
int heddle_texture_free(struct heddle_device *dev, uint64_t handle,
			struct heddle_error *err);
/* Ties a module's .texref or .surfref variable to a texture. */
int heddle_module_bind(struct heddle_device *dev, struct heddle_module *mod,
		       const char *name, uint64_t handle,
		       struct heddle_error *err);

#ifdef __cplusplus
}
#endif
#endif
