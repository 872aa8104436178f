/*
 * kernelslist.g of Accel-Sim: the copies and kernels of a program, in order.
 *
 *   MemcpyHtoD,0x00007f0000000000,4096
 *   kernel-1.traceg
 *
 * A kernel is a file relative to the list's folder. The trace of one kernel by
 * itself is a list of that kernel.
 *
 * Models:  copies to the device and kernels; which kernels may overlap: those of
 *          different streams that follow each other. The default stream waits
 *          for all others, and they for it.
 * Does not model: other copies, which have no address; whether the host waited
 *          in between, which the list does not say.
 * Owner:   the caller of asim_list_open.
 */
#ifndef HEDDLE_ACCELSIM_LIST_H
#define HEDDLE_ACCELSIM_LIST_H

#include "accelsim/kernel.h"

struct asim_command {
	/* A kernel; NULL: a copy. */
	char *path;
	uint32_t number; /* of the kernel, from 0 */
	uint32_t group;  /* kernels of one group may overlap */
	uint32_t stream; /* numbered from 0, which is the default one */
	struct asim_header *header;
	uint64_t file_bytes;
	/* A copy. */
	uint64_t at, bytes;
};

struct asim_list {
	char *path;
	struct asim_command *command;
	size_t count, room;
	uint32_t kernels, groups;
	uint64_t file_bytes; /* of all kernels */
	uint64_t ignored;    /* commands that are neither */
	uint64_t *streams;   /* handles of all but the default one */
	uint32_t stream_count;
};

/* Whether the file is a list, or a kernel's trace, by its beginning. */
bool asim_list_is(const char *path);
MUST_USE enum err asim_list_open(struct asim_list **out, const char *path,
				 struct diag *d);
void asim_list_free(struct asim_list *l);

/* The number of kernels from command i, a kernel, on that are in its group. They
 * are next to each other. */
size_t asim_list_group(const struct asim_list *l, size_t i);

#endif
