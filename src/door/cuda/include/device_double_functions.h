/* Part of the prelude. */
#ifndef HEDDLE_DEVICE_DOUBLE_FUNCTIONS_H
#define HEDDLE_DEVICE_DOUBLE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
