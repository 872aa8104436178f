/*
 * Types of the driver API that our cuda.h leaves out: graphs, texture and
 * surface references. The layouts are those of CUDA 13; older ones are a prefix
 * of the newer.
 */
#ifndef HEDDLE_LIBCUDA_TYPES_H
#define HEDDLE_LIBCUDA_TYPES_H

#include "door/cuda/include/cuda.h"

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;

/* The numbers are those of the runtime API: see rt.h. */
typedef int CUgraphNodeType;
typedef int CUstreamCaptureMode;
typedef int CUgraphExecUpdateResult;

enum { CU_MODULE_EAGER_LOADING = 1 };
enum { CU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1 };
enum { CU_GRAPH_USER_OBJECT_MOVE = 1 };
enum { CU_STREAM_SET_CAPTURE_DEPENDENCIES = 1 };
enum { CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH = 4 };
enum { CU_TRSA_OVERRIDE_FORMAT = 1 };

typedef struct {
	unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

/* The first form ends with `extra`. */
typedef struct {
	CUfunction func;
	unsigned grid[3], block[3];
	unsigned sharedMemBytes;
	void **kernelParams;
	void **extra;
	CUkernel kern;
	CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct {
	CUdeviceptr dst;
	size_t pitch;
	unsigned value, elementSize;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct {
	CUhostFn fn;
	void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct {
	CUmemPoolProps poolProps;
	const CUmemAccessDesc *accessDescs;
	size_t accessDescCount, bytesize;
	CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct {
	CUgraphNodeType type;
	int reserved0[3];
	union {
		long long reserved1[29];
		CUDA_KERNEL_NODE_PARAMS kernel;
		struct {
			int flags, reserved;
			CUcontext copyCtx;
			CUDA_MEMCPY3D copyParams;
		} memcpy;
		CUDA_MEMSET_NODE_PARAMS memset;
		CUDA_HOST_NODE_PARAMS host;
		struct {
			CUgraph graph;
			int ownership;
		} graph;
		CUevent event;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		CUdeviceptr free;
	};
	long long reserved2;
} CUgraphNodeParams;

typedef struct {
	cuuint64_t flags;
	CUstream hUploadStream;
	CUgraphNode hErrNode_out;
	int result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

typedef struct {
	CUgraphExecUpdateResult result;
	CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;

#endif
