/* The symbols of the library, by name and version. */
#ifndef HEDDLE_LIBCUDA_PROCS_H
#define HEDDLE_LIBCUDA_PROCS_H

#include <stdbool.h>
#include <stddef.h>

struct proc {
	const char *name; /* without _v2 and the like */
	int since;        /* version of CUDA, 12050 */
	bool thread; /* for programs with a default stream for each thread */
	void *address;
};
extern const struct proc procs[];
extern const size_t proc_count;

#endif
