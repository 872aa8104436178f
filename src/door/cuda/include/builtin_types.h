/* Types that are built into the language, and those of the runtime API. */
#ifndef HEDDLE_BUILTIN_TYPES_H
#define HEDDLE_BUILTIN_TYPES_H
#include "cuda_runtime_api.h"
#endif
