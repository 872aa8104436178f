/* Part of the prelude. */
#ifndef HEDDLE_MATH_FUNCTIONS_H
#define HEDDLE_MATH_FUNCTIONS_H
#include "heddle_cuda.h"
#endif
