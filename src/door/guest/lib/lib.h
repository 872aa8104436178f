/*
 * What the files of the guests' library share. Nothing of this is the program's.
 */
#ifndef HEDDLE_GUEST_LIB_LIB_H
#define HEDDLE_GUEST_LIB_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "door/guest/wire.h"

/* A word of a call. */
#define W(a) (uint64_t)(a)

/* event.c */
int64_t gcl_call(enum gcl_function function, const uint64_t *words);
/* A call of the program's, after which its functions may be due. */
int64_t gcl_program_call(enum gcl_function function, const uint64_t *words);
void gcl_callbacks_run(void);
/* What clWaitForEvents does. */
cl_int gcl_wait(cl_uint count, const cl_event *list);

/* What a blocking command is about to wait for. */
struct gcl_blocking {
	cl_bool blocks;
	cl_event own, *event;
};

/* The place for the command's event. A command that blocks first waits for those of
 * its list, so that their errors are seen. */
cl_event *gcl_begin(struct gcl_blocking *b, cl_bool blocks, cl_uint count,
		    const cl_event *list, cl_event *event);
/* Ends the command. e: what its call returned. */
cl_int gcl_end(struct gcl_blocking *b, cl_int e);

/* opencl.c */
/* From and to caches that do not hear of what the GPU does. */
void gcl_flush(const void *from, size_t size);
/* Whether the system has such caches. */
bool gcl_flushes(void);

/* svm.c */
/* The program has mapped the bytes: it reads what the GPU has written. */
void gcl_mapped(void *at, size_t size);
/* It unmaps them again: the GPU shall read what it has written. */
void gcl_unmapped(void *at);

#endif
