/*
 * What a code object says of its kernels: descriptors, headers, and the metadata
 * of the amdhsa triples, a map in MessagePack.
 *
 * Reads:   from the metadata name, symbol, argument list, sizes; from a descriptor
 *          or an amd_kernel_code_t registers, modes and what registers hold when
 *          a wave starts.
 * Does not read: other keys of the metadata.
 */
#ifndef HEDDLE_ISA_GCN_META_H
#define HEDDLE_ISA_GCN_META_H

#include "base/arena.h"
#include "isa/gcn/object.h"
#include "simt/program.h"

/* Registers that hold something when a wave starts, in this order. */
enum {
	GCN_START_PRIVATE = 1,       /* resource of scratch memory, 4 words */
	GCN_START_DISPATCH = 1 << 1, /* address of the dispatch packet, 2 */
	GCN_START_QUEUE = 1 << 2,    /* address of the queue, 2 */
	GCN_START_KERNARG = 1 << 3,  /* address of the arguments, 2 */
	GCN_START_ID = 1 << 4,       /* number of the dispatch, 2 */
	GCN_START_FLAT = 1 << 5,     /* scratch for flat addresses, 2 */
	GCN_START_SIZE = 1 << 6      /* bytes of a lane's scratch, 1 */
};

/* What the library fills in behind a kernel's arguments. */
enum gcn_hidden { GCN_HIDDEN_NONE, GCN_HIDDEN_PRINTF };

struct gcn_kernel {
	bool valid;
	uint32_t group_bytes, private_bytes, kernarg_bytes;
	uint32_t rsrc1, rsrc2;
	uint32_t starts; /* bits GCN_START_ */
	uint32_t vectors, scalars;
	uint64_t entry; /* address of the first instruction */
	/* Offset of the words that follow the arguments: number of dimensions,
	 * offsets of the grid; UINT32_MAX: there is no room for them. */
	uint32_t hidden;
	bool has_metadata;
	struct param *params;
	uint32_t param_count;
	uint32_t required[3], max_threads;
};

/* A descriptor of 64 bytes, a header of 256. */
void gcn_kernel_descriptor(struct gcn_kernel *k, const uint8_t bytes[64]);
void gcn_kernel_header(struct gcn_kernel *k, const uint8_t bytes[256]);

/*
 * Finds the kernel in the object's metadata and fills in its parameters, which
 * live in *a. ERR_SYNTAX: damaged.
 */
MUST_USE enum err gcn_meta_kernel(struct gcn_kernel *k, struct arena *a,
				  const struct gcn_object *o, const char *name,
				  struct diag *d);

#endif
