/* threadIdx and its kin are part of the prelude. */
#ifndef HEDDLE_DEVICE_LAUNCH_PARAMETERS_H
#define HEDDLE_DEVICE_LAUNCH_PARAMETERS_H
#include "heddle_cuda.h"
#endif
