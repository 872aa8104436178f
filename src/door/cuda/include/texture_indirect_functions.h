/* Part of the prelude. */
#ifndef HEDDLE_TEXTURE_INDIRECT_FUNCTIONS_H
#define HEDDLE_TEXTURE_INDIRECT_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
