/* Memory functions in device code; the back end expands them into loops. */
#ifndef HEDDLE_CUDA_STRING_H
#define HEDDLE_CUDA_STRING_H
#pragma GCC system_header

#include "config.h"
#include <stddef.h>

HEDDLE_D void *memcpy(void *to, const void *from, size_t size)
{
	return __builtin_memcpy(to, from, size);
}

HEDDLE_D void *memmove(void *to, const void *from, size_t size)
{
	return __builtin_memmove(to, from, size);
}

HEDDLE_D void *memset(void *to, int value, size_t size)
{
	return __builtin_memset(to, value, size);
}

HEDDLE_D int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = (const unsigned char *)a;
	const unsigned char *y = (const unsigned char *)b;
	for (size_t i = 0; i < size; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

namespace std
{
using ::memcmp;
using ::memcpy;
using ::memmove;
using ::memset;
}

#endif
