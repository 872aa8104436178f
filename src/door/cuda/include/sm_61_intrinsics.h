/* Part of heddle_cuda.h, which every .cu file includes first. */
#ifndef HEDDLE_SM_61_INTRINSICS_H
#define HEDDLE_SM_61_INTRINSICS_H
#include "cuda_runtime.h"
#endif
