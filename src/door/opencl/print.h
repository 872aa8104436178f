/* printf of kernels: device/prelude.h writes records, this formats them. */
#ifndef HEDDLE_OPENCL_PRINT_H
#define HEDDLE_OPENCL_PRINT_H

#include "door/opencl/program.h"

/* Makes the buffer for a program that prints, and empties it. The device must be the
 * calling thread's. */
cl_int print_begin(struct build *b);
/* Empties the buffer. */
cl_int print_reset(const struct build *b);
/* Prints what the launches since then have written. */
void print_end(struct build *b);

/* Formats one record of `count` words. read: copies a text of the device, at most
 * `size` bytes with a NUL; false: there is none. */
void print_record(struct text *out, const uint32_t *words, size_t count,
		  bool (*read)(uint64_t at, char *to, size_t size));

#endif
