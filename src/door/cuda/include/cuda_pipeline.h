/* The C interface; the C++ one is <cuda/pipeline>. */
#ifndef HEDDLE_CUDA_PIPELINE_H
#define HEDDLE_CUDA_PIPELINE_H
#include "cuda_pipeline_primitives.h"
#endif
