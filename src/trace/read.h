/* Shared by the files that read traces. */
#ifndef HEDDLE_TRACE_READ_H
#define HEDDLE_TRACE_READ_H

#include <pthread.h>

#include "trace/format.h"
#include "trace/trace.h"

/* A batch: the work-groups of one section, in memory, uncompressed. */
struct trace_batch {
	uint32_t section; /* index in trace.batches */
	uint32_t users;
	enum { BATCH_LOADING, BATCH_READY, BATCH_BAD } state;
	struct diag why; /* BATCH_BAD */
	uint8_t *bytes;
	/* The list of batches without users, most recently used first. */
	struct trace_batch *before, *after;
};

struct batch_place {
	struct section s;
	uint64_t offset;
	uint64_t warp_instructions, thread_instructions;
	struct trace_batch *batch; /* under the lock; NULL: not in memory */
};

struct block_place {
	uint64_t index;
	uint32_t batch, at, size; /* in the uncompressed batch */
};

struct launch_item {
	uint32_t number;
	struct trace_launch_record record;
	struct block_place *blocks; /* sorted by index */
	size_t block_count, block_room;
};

struct module_item {
	uint32_t number;
	char *name;
	struct section s;
	uint64_t offset;
};

struct copy_item {
	uint32_t number;
	struct trace_copy copy;
};

/* A list that grows; its user passes the size of an item. */
struct trace_list {
	void *at;
	size_t count, room;
};

struct trace {
	int file;
	uint32_t version; /* of the format */
	char *path;
	uint64_t bytes;
	struct trace_info info;
	struct trace_list items;    /* struct trace_item */
	struct trace_list modules;  /* struct module_item */
	struct trace_list copies;   /* struct copy_item */
	struct trace_list launches; /* struct launch_item */
	struct trace_list batches;  /* struct batch_place */
	/* The rest changes during reading, under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t loaded;
	struct trace_batch idle; /* head of the list of batches without users */
	uint64_t idle_bytes;
	size_t damages;
	char damage[400]; /* the first one */
};

/* Appends a zeroed item. NULL: out of memory. */
void *trace_list_add(struct trace_list *l, size_t size);

/* Reads exactly `size` bytes. ERR_IO: the host's error; ERR_SYNTAX: the file
 * ends before. */
MUST_USE enum err trace_read_at(const struct trace *t, uint64_t offset,
				void *to, size_t size, struct diag *d);
/* Reads the body of the section at `offset`, checks and decompresses it. *out
 * is malloc'ed; a NUL follows the body. */
MUST_USE enum err trace_read_body(const struct trace *t,
				  const struct section *s, uint64_t offset,
				  uint8_t **out, struct diag *d);
/* Records damage at `offset`. */
void trace_note_damage(struct trace *t, uint64_t offset, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Adds a section to the trace by what its head says; records damage if that is
 * invalid. False: out of memory. */
MUST_USE bool trace_add_section(struct trace *t, const struct section *s,
				uint64_t offset, const uint8_t *head);
/* For a file without its information section. False: out of memory. */
MUST_USE bool trace_set_no_info(struct trace *t);
/* Call after the last section. */
void trace_sort_blocks(struct trace *t);
/* Forgets the blocks of a batch. */
void trace_forget_blocks(struct trace *t, uint32_t batch);
void trace_close_batches(struct trace *t);
void trace_close_file(struct trace *t);
struct launch_item *trace_find_launch(const struct trace *t, uint32_t number);
struct module_item *trace_find_module(const struct trace *t, uint32_t number);

#endif
