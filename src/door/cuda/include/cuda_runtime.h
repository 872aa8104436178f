/*
 * The runtime API as a program includes it. In C++ it has typed forms of the
 * functions that take void * and symbols (heddle/runtime.h); in a .cu file the
 * device part of the language comes with it.
 */
#ifndef HEDDLE_CUDA_RUNTIME_H
#define HEDDLE_CUDA_RUNTIME_H
/* Programs test this macro to find out whether the header is included. */
#define __CUDA_RUNTIME_H__
#pragma GCC system_header

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef HEDDLE_CUDA_LANGUAGE
#include "heddle_cuda.h"
#endif

/* CUDA 12 had these names; programs still use them. */
HEDDLE_HOST cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

HEDDLE_HOST cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}

#ifdef __cplusplus
#include "heddle/runtime.h"
#endif

#endif
