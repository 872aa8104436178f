/* Part of the prelude. */
#ifndef HEDDLE_COMMON_FUNCTIONS_H
#define HEDDLE_COMMON_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
