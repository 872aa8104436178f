/* Part of heddle_cuda.h, which every .cu file includes first. */
#ifndef HEDDLE_DEVICE_DOUBLE_FUNCTIONS_H
#define HEDDLE_DEVICE_DOUBLE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
