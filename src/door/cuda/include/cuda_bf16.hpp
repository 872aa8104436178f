/* The same as cuda_bf16.h. */
#ifndef HEDDLE_CUDA_BF16_HPP
#define HEDDLE_CUDA_BF16_HPP
#include "cuda_bf16.h"
#endif
