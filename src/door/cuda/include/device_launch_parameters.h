/* threadIdx and the like are part of heddle_cuda.h. */
#ifndef HEDDLE_DEVICE_LAUNCH_PARAMETERS_H
#define HEDDLE_DEVICE_LAUNCH_PARAMETERS_H
#include "heddle_cuda.h"
#endif
