/*
 * printf, assert, malloc and free of the device. clang turns a call of printf
 * in device code into vprintf(format, buffer of arguments); glibc's assert()
 * calls __assert_fail. The functions left undefined here (vprintf, malloc,
 * free, __assertfail) are system calls of PTX that Heddle provides.
 */
#ifndef HEDDLE_CUDA_PRINT_H
#define HEDDLE_CUDA_PRINT_H
#pragma GCC system_header

#include "config.h"
#include <stddef.h>

extern "C" {
__device__ int vprintf(const char *format, const char *args);
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t size) __attribute__((nothrow, malloc));
__device__ void free(void *p) __attribute__((nothrow));
__device__ void __assertfail(const char *text, const char *file, unsigned line,
			     const char *function, size_t char_size)
	__attribute__((noreturn, nothrow));

/* inline, so that it is emitted only where an assert() uses it. */
__device__ __inline__ __attribute__((noreturn, always_inline, nothrow)) void
__assert_fail(const char *text, const char *file, unsigned line,
	      const char *function)
{
	__assertfail(text, file, line, function, sizeof(char));
}
}

namespace std
{
using ::free;
using ::malloc;
using ::printf;
}

#endif
