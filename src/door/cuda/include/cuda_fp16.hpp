/* The same as cuda_fp16.h: it is all header. */
#ifndef HEDDLE_CUDA_FP16_HPP
#define HEDDLE_CUDA_FP16_HPP
#include "cuda_fp16.h"
#endif
