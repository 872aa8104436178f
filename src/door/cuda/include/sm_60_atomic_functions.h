/* Part of heddle_cuda.h, which every .cu file includes first. */
#ifndef HEDDLE_SM_60_ATOMIC_FUNCTIONS_H
#define HEDDLE_SM_60_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
