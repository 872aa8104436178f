/* What the files that read traces share. */
#ifndef HEDDLE_TRACE_READ_H
#define HEDDLE_TRACE_READ_H

#include <pthread.h>

#include "trace/format.h"
#include "trace/trace.h"

/* Work-groups that were written together, unpacked. */
struct trace_part {
	uint32_t section; /* in trace.parts */
	uint32_t users;
	enum { PART_LOADING, PART_READY, PART_BAD } state;
	struct diag why; /* PART_BAD */
	uint8_t *bytes;
	/* Of those that nobody uses, the one used last comes first. */
	struct trace_part *before, *after;
};

struct part_place {
	struct section s;
	uint64_t offset;
	uint64_t warp_instructions, thread_instructions;
	struct trace_part *part; /* under the lock; NULL: not at hand */
};

struct block_place {
	uint64_t index;
	uint32_t part, at, size; /* in the unpacked part */
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

struct copy {
	uint32_t number;
	struct trace_copy copy;
};

/* A list that grows; its items have the size that its user gives it. */
struct trace_list {
	void *at;
	size_t count, room;
};

struct trace {
	int file;
	char *path;
	uint64_t bytes;
	struct trace_info info;
	struct trace_list items;    /* struct trace_item */
	struct trace_list modules;  /* struct module_item */
	struct trace_list copies;   /* struct copy */
	struct trace_list launches; /* struct launch_item */
	struct trace_list parts;    /* struct part_place */
	/* Changes while it is read, under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t loaded;
	struct trace_part idle; /* head of the ring of parts nobody uses */
	uint64_t idle_bytes;
	size_t damages;
	char damage[400]; /* the first */
};

/* Room for one more, zeroed; NULL: out of memory. */
void *trace_list_add(struct trace_list *l, size_t size);

/* All `size` bytes. ERR_IO: the host says why; ERR_SYNTAX: the file ends. */
MUST_USE enum err read_at(const struct trace *t, uint64_t offset, void *to,
			  size_t size, struct diag *d);
/* The body of a section at `offset`, checked and unpacked, malloc'ed with a
 * NUL after it. */
MUST_USE enum err read_body(const struct trace *t, const struct section *s,
			    uint64_t offset, uint8_t **out, struct diag *d);
/* Notes what is wrong with the bytes at `offset`. */
void note_damage(struct trace *t, uint64_t offset, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Takes what a section says about itself, and notes what is wrong with it.
 * False: out of memory. */
MUST_USE bool take_section(struct trace *t, const struct section *s,
			   uint64_t offset, const uint8_t *head);
/* There was no information. False: out of memory. */
MUST_USE bool no_info(struct trace *t);
/* After the last one. */
void sort_blocks(struct trace *t);
/* Forgets the blocks of a part. */
void drop_blocks(struct trace *t, uint32_t part);
void close_parts(struct trace *t);
void close_file(struct trace *t);
struct launch_item *find_launch(const struct trace *t, uint32_t number);
struct module_item *find_module(const struct trace *t, uint32_t number);

#endif
