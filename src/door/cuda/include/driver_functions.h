/* make_cudaExtent() and the like. */
#ifndef HEDDLE_DRIVER_FUNCTIONS_H
#define HEDDLE_DRIVER_FUNCTIONS_H
#include "cuda_runtime_api.h"
#endif
