/* Part of heddle_cuda.h, which every .cu file includes first. */
#ifndef HEDDLE_DEVICE_ATOMIC_FUNCTIONS_H
#define HEDDLE_DEVICE_ATOMIC_FUNCTIONS_H
#include "heddle_cuda.h"
#endif
