/* Part of heddle_cuda.h, which every .cu file includes first. */
#ifndef HEDDLE_MATH_FUNCTIONS_H
#define HEDDLE_MATH_FUNCTIONS_H
#include "heddle_cuda.h"
#endif
