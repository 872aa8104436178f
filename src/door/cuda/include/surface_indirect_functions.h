/* Part of the prelude. */
#ifndef HEDDLE_SURFACE_INDIRECT_FUNCTIONS_H
#define HEDDLE_SURFACE_INDIRECT_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
