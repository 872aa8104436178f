/*
 * Traces: what the launches of a program did, in a file.
 *
 * A trace has the program's code as text, and for each warp of each work-group
 * only the facts that depend on values (codec.h): which lanes a guard let
 * through, where a branch went, which addresses were accessed. The code and
 * these facts together give every executed instruction. Copies and memory sets
 * are in the trace, too, in the order in which they happened.
 *
 * The file is a sequence of sections, each with its own checksums; the last one
 * is an index. A truncated or damaged file is read as far as it is intact;
 * trace_damage says what is wrong with it and where. docs/traces.md describes
 * every byte.
 *
 * Knows nothing of instructions, devices and time.
 */
#ifndef HEDDLE_TRACE_TRACE_H
#define HEDDLE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* The program and the GPU that it saw when it was recorded. */
struct trace_info {
	const char *producer; /* "heddle 0.1.0" */
	const char *command;  /* the recorded command line, for people */
	const char *gpu;      /* its name; "" if there was none */
	uint32_t sm;          /* compute capability: 90 */
	uint32_t sm_count;    /* %nsmid */
	uint32_t independent; /* 1: lanes made progress on their own */
	uint64_t memory;      /* bytes of global memory */
	uint64_t local_bytes; /* local memory of a thread */
	/* Anything else, lines of "name = value". */
	const char *more;
};

enum trace_copy_kind {
	TRACE_TO_DEVICE,
	TRACE_FROM_DEVICE,
	TRACE_INSIDE, /* from `from` to `at` */
	TRACE_SET,
	TRACE_COPY_KINDS
};

struct trace_copy {
	enum trace_copy_kind kind;
	uint32_t device, stream;
	uint64_t at, bytes;
	uint64_t from;  /* of TRACE_INSIDE */
	uint32_t value; /* of TRACE_SET */
};

struct trace_launch {
	uint32_t module; /* number of a module */
	uint32_t device, stream;
	/* Launches with the same number may overlap, those of one stream run
	 * one after the other. Numbers increase. */
	uint32_t group;
	const char *kernel;
	uint32_t grid[3], block[3];
	uint64_t dynamic_shared;
	const void *params;
	uint32_t param_bytes;
	uint32_t registers; /* given by the launch; 0: estimated */
	uint32_t cooperative;
	uint64_t id;          /* %gridid */
	uint64_t local_bytes; /* of a thread; a program may change it */
	uint64_t code; /* of wavefronts: address of the module's code; or 0 */
};

/*
 * Reasons why a launch might behave differently if instructions took a
 * different time. A replay follows the recording all the same.
 *
 *     id       bit  text for people
 */
#define TRACE_ON_MAP(X)                                              \
	X(CLOCK, 1, "reads the clock")                               \
	X(ATOMICS, 2, "uses results of atomics")                     \
	X(WAITS, 4,                                                  \
	  "waits for other threads: fences, volatile "               \
	  "loads, barriers in memory, nanosleep")                    \
	X(PLACE, 8, "asks on which SM it is, or how many there are") \
	X(HEAP, 16, "allocates memory from the device's heap")

enum {
#define X(id, bit, text) TRACE_ON_##id = (bit),
	TRACE_ON_MAP(X)
#undef X
};

/* How a launch ended. */
struct trace_outcome {
	uint32_t depends; /* TRACE_ON_... */
	/* 0, or the fault's number. The blocks that were running when it
	 * happened are not in the trace. */
	uint32_t fault;
	const char *text; /* of the fault, or "" */
};

/* Lanes that may be the first of a group of lanes that run together. */
enum { TRACE_LEADERS = 32 };

/* The tokens of a group of lanes of a warp that ran together. */
struct trace_stream {
	uint32_t warp;
	uint32_t lane; /* the first of them, less than TRACE_LEADERS */
	const uint8_t *bytes;
	size_t size;
};

struct trace_block {
	uint64_t index; /* in the grid: x + width * (y + height * z) */
	uint64_t warp_instructions, thread_instructions;
	/* Sorted by warp, then by lane, each once; streams without bytes may be
	 * left out. */
	const struct trace_stream *streams;
	uint32_t stream_count;
};

/* Whether this build can read and write traces; if not, trace_create and
 * trace_open fail and say why. */
bool trace_supported(void);

/*
 * Writing. Memory stays bounded: full buffers go to the file. Several threads
 * may call one writer at the same time. After a failure all further calls fail
 * with the same message.
 */
struct trace_writer;

MUST_USE enum err trace_create(struct trace_writer **out, const char *path,
			       const struct trace_info *info, struct diag *d);
/* Adds a module; the same name and text again give the same module. `name` is
 * what error messages call it. */
MUST_USE enum err trace_put_module(struct trace_writer *w, const char *name,
				   const void *text, size_t bytes,
				   uint32_t *number, struct diag *d);
MUST_USE enum err trace_put_copy(struct trace_writer *w,
				 const struct trace_copy *c, struct diag *d);
/* Begins a launch. Several may be open at once. *number counts them from 0. */
MUST_USE enum err trace_begin_launch(struct trace_writer *w,
				     const struct trace_launch *l,
				     uint32_t *number, struct diag *d);
/* Adds a block. Each block of the grid is added once, in any order, from any
 * thread. */
MUST_USE enum err trace_put_block(struct trace_writer *w, uint32_t launch,
				  const struct trace_block *b, struct diag *d);
/* Ends a launch. outcome NULL: it completed and depends on nothing. */
MUST_USE enum err trace_end_launch(struct trace_writer *w, uint32_t launch,
				   const struct trace_outcome *outcome,
				   struct diag *d);
/* Writes the index and frees the writer, also if it fails. w may be NULL. */
MUST_USE enum err trace_finish(struct trace_writer *w, struct diag *d);

/*
 * Reading. Several threads may read a trace at the same time, but not open or
 * close it.
 */
struct trace;

/*
 * Opens a trace. ERR_IO, ERR_SYNTAX: nothing of it can be read. A truncated or
 * damaged file can be opened: see trace_damage.
 */
MUST_USE enum err trace_open(struct trace **out, const char *path,
			     struct diag *d);
void trace_close(struct trace *t); /* t may be NULL */
/* Whether the file starts like a trace. */
bool trace_is_trace(const char *path);

/* The first damage found in the file, and where, in one line; NULL: none so
 * far. *count: how many were found; may be NULL. */
const char *trace_damage(struct trace *t, size_t *count);
/* Checks every byte of the file, and forgets blocks that are damaged. Call it
 * before any block is read. ERR_SYNTAX: the file is damaged. */
MUST_USE enum err trace_check(struct trace *t, struct diag *d);

const struct trace_info *trace_get_info(const struct trace *t);
uint64_t trace_file_bytes(const struct trace *t);
/* Whether it has format version 1: no addresses of texels, and an indirect branch
 * of machine code to several places is one instruction. */
bool trace_is_old(const struct trace *t);
/* Whether it has what calls of malloc and free allocate and free: since version
 * 3. */
bool trace_has_sizes(const struct trace *t);

enum trace_item_kind { TRACE_MODULE, TRACE_COPY, TRACE_LAUNCH };

/* An event of the recorded program; items are in the order of events. */
struct trace_item {
	enum trace_item_kind kind;
	uint32_t number; /* of the module, the copy or the launch */
};

/* A launch, as far as it was recorded. */
struct trace_launch_record {
	struct trace_launch launch;
	struct trace_outcome outcome;
	bool ended; /* the outcome is known; false: recording was interrupted */
	/* It has ended, and all blocks of its grid are in the file, as far
	 * as is known. */
	bool whole;
	uint64_t blocks; /* in the file */
	uint64_t warp_instructions, thread_instructions;
	uint64_t plain_bytes; /* of the blocks' streams, uncompressed */
	uint64_t file_bytes;  /* of the blocks' sections */
};

size_t trace_item_count(const struct trace *t);
struct trace_item trace_item(const struct trace *t, size_t i);

/* Find a module, copy or launch by its number. Numbers increase from item to
 * item. NULL, or ERR_RANGE: it is not in the file. */
const char *trace_module_name(const struct trace *t, uint32_t number);
const struct trace_copy *trace_get_copy(const struct trace *t, uint32_t number);
const struct trace_launch_record *trace_get_launch(const struct trace *t,
						   uint32_t number);
/* *text is malloc'ed; a NUL follows its *bytes bytes. */
MUST_USE enum err trace_module_text(struct trace *t, uint32_t number,
				    char **text, size_t *bytes, struct diag *d);

bool trace_has_block(const struct trace *t, uint32_t launch, uint64_t index);
/* Finds the first block with an index of at least `from` that is in the file;
 * false: none. */
MUST_USE bool trace_next_block(const struct trace *t, uint32_t launch,
			       uint64_t from, uint64_t *index);

/*
 * A block's streams. They stay in memory until trace_block_drop. Blocks that
 * were written together are read together, so the neighbours of this one need
 * no further reading.
 */
struct trace_block_view {
	struct trace_block block;
	struct trace_stream *streams; /* block.streams */
	struct trace_batch *batch;
};

/* Reads a block. ERR_RANGE: it is not in the file. ERR_SYNTAX: it is
 * damaged. */
MUST_USE enum err trace_block_read(struct trace *t, uint32_t launch,
				   uint64_t index, struct trace_block_view *out,
				   struct diag *d);
void trace_block_drop(struct trace *t, struct trace_block_view *v);
/* The stream of the lanes of a warp whose first lane is `lane`; NULL: none. */
const struct trace_stream *trace_find_stream(const struct trace_block_view *v,
					     uint32_t warp, uint32_t lane);

#endif
