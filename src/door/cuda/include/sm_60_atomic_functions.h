/* Part of the prelude. */
#ifndef HEDDLE_SM_60_ATOMIC_FUNCTIONS_H
#define HEDDLE_SM_60_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
