/* For headers that are mostly device code. */
#include "config.h"
#ifndef HEDDLE_CUDA_LANGUAGE
#error "this header is for CUDA C++: name the file .cu, or compile it with -x cu"
#endif
