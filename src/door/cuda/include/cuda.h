/*
 * The part of the driver API's header that device code and mixed programs
 * lean on: its version number and handle types. Its functions are declared by
 * the driver door.
 */
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H
#pragma GCC system_header

#include "heddle/config.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef enum cudaError_enum { CUDA_SUCCESS = 0 } CUresult;

#endif
