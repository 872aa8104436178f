/* Part of the prelude. */
#ifndef HEDDLE_DEVICE_FUNCTIONS_H
#define HEDDLE_DEVICE_FUNCTIONS_H
#include "heddle_cuda.h"
#endif
