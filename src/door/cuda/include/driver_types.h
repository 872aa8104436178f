/*
 * Types and constants of the CUDA runtime API, as its reference manual lists
 * them: errors, streams, events, memory kinds, arrays, textures, properties.
 */
#ifndef HEDDLE_DRIVER_TYPES_H
#define HEDDLE_DRIVER_TYPES_H
#pragma GCC system_header

#include "vector_types.h"
#include <stddef.h>

/* name, value, text. The text is what cudaGetErrorString gives. */
#define HEDDLE_CUDA_ERRORS(X)                                                 \
	X(cudaSuccess, 0, "no error")                                         \
	X(cudaErrorInvalidValue, 1, "invalid argument")                       \
	X(cudaErrorMemoryAllocation, 2, "out of memory")                      \
	X(cudaErrorInitializationError, 3, "initialization error")            \
	X(cudaErrorCudartUnloading, 4, "driver shutting down")                \
	X(cudaErrorProfilerDisabled, 5, "profiler disabled")                  \
	X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
	X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")           \
	X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                \
	X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")            \
	X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")        \
	X(cudaErrorInvalidTexture, 18, "invalid texture reference")           \
	X(cudaErrorInvalidChannelDescriptor, 20,                              \
	  "invalid channel descriptor")                                       \
	X(cudaErrorInvalidMemcpyDirection, 21,                                \
	  "invalid copy direction for memcpy")                                \
	X(cudaErrorInsufficientDriver, 35, "driver version is insufficient")  \
	X(cudaErrorMissingConfiguration, 52,                                  \
	  "no launch configuration before the launch")                        \
	X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")      \
	X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")       \
	X(cudaErrorInvalidDevice, 101, "invalid device ordinal")              \
	X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid") \
	X(cudaErrorDeviceUninitialized, 201, "invalid device context")        \
	X(cudaErrorNoKernelImageForDevice, 209,                               \
	  "no kernel image is available for execution on the device")         \
	X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")           \
	X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")     \
	X(cudaErrorSymbolNotFound, 500, "named symbol not found")             \
	X(cudaErrorNotReady, 600, "device not ready")                         \
	X(cudaErrorIllegalAddress, 700,                                       \
	  "an illegal memory access was encountered")                         \
	X(cudaErrorLaunchOutOfResources, 701,                                 \
	  "too many resources requested for launch")                          \
	X(cudaErrorLaunchTimeout, 702,                                        \
	  "the launch timed out and was terminated")                          \
	X(cudaErrorPeerAccessAlreadyEnabled, 704,                             \
	  "peer access is already enabled")                                   \
	X(cudaErrorPeerAccessNotEnabled, 705,                                 \
	  "peer access has not been enabled")                                 \
	X(cudaErrorAssert, 710, "device-side assert triggered")               \
	X(cudaErrorIllegalInstruction, 715,                                   \
	  "an illegal instruction was encountered")                           \
	X(cudaErrorMisalignedAddress, 716, "misaligned address")              \
	X(cudaErrorInvalidAddressSpace, 717,                                  \
	  "operation not supported on global/shared address space")           \
	X(cudaErrorInvalidPc, 718, "invalid program counter")                 \
	X(cudaErrorLaunchFailure, 719, "unspecified launch failure")          \
	X(cudaErrorCooperativeLaunchTooLarge, 720,                            \
	  "too many blocks in cooperative launch")                            \
	X(cudaErrorNotPermitted, 800, "operation not permitted")              \
	X(cudaErrorNotSupported, 801, "operation not supported")              \
	X(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define X(name, value, text) name = value,
	HEDDLE_CUDA_ERRORS(X)
#undef X
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
	cudaMemcpyHostToHost = 0,
	cudaMemcpyHostToDevice = 1,
	cudaMemcpyDeviceToHost = 2,
	cudaMemcpyDeviceToDevice = 3,
	cudaMemcpyDefault = 4
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
typedef void (*cudaHostFn_t)(void *);

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
#define cudaOccupancyDefault 0x00
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)

enum cudaChannelFormatKind {
	cudaChannelFormatKindSigned = 0,
	cudaChannelFormatKindUnsigned = 1,
	cudaChannelFormatKindFloat = 2,
	cudaChannelFormatKindNone = 3
};

struct cudaChannelFormatDesc {
	int x, y, z, w; /* bits of each channel */
	enum cudaChannelFormatKind f;
};

struct cudaExtent {
	size_t width, height, depth;
};

struct cudaPos {
	size_t x, y, z;
};

struct cudaPitchedPtr {
	void *ptr;
	size_t pitch, xsize, ysize;
};

struct cudaMemcpy3DParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	struct cudaExtent extent;
	enum cudaMemcpyKind kind;
};

enum cudaTextureAddressMode {
	cudaAddressModeWrap = 0,
	cudaAddressModeClamp = 1,
	cudaAddressModeMirror = 2,
	cudaAddressModeBorder = 3
};

enum cudaTextureFilterMode {
	cudaFilterModePoint = 0,
	cudaFilterModeLinear = 1
};

enum cudaTextureReadMode {
	cudaReadModeElementType = 0,
	cudaReadModeNormalizedFloat = 1
};

struct cudaTextureDesc {
	enum cudaTextureAddressMode addressMode[3];
	enum cudaTextureFilterMode filterMode;
	enum cudaTextureReadMode readMode;
	int sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned int maxAnisotropy;
	enum cudaTextureFilterMode mipmapFilterMode;
	float mipmapLevelBias;
	float minMipmapLevelClamp;
	float maxMipmapLevelClamp;
	int disableTrilinearOptimization;
	int seamlessCubemap;
};

enum cudaResourceType {
	cudaResourceTypeArray = 0,
	cudaResourceTypeMipmappedArray = 1,
	cudaResourceTypeLinear = 2,
	cudaResourceTypePitch2D = 3
};

struct cudaResourceDesc {
	enum cudaResourceType resType;
	union {
		struct {
			cudaArray_t array;
		} array;
		struct {
			cudaMipmappedArray_t mipmap;
		} mipmap;
		struct {
			void *devPtr;
			struct cudaChannelFormatDesc desc;
			size_t sizeInBytes;
		} linear;
		struct {
			void *devPtr;
			struct cudaChannelFormatDesc desc;
			size_t width, height, pitchInBytes;
		} pitch2D;
	} res;
};

struct cudaResourceViewDesc {
	int format;
	size_t width, height, depth;
	unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};

enum cudaSurfaceBoundaryMode {
	cudaBoundaryModeZero = 0,
	cudaBoundaryModeClamp = 1,
	cudaBoundaryModeTrap = 2
};

enum cudaFuncCache {
	cudaFuncCachePreferNone = 0,
	cudaFuncCachePreferShared = 1,
	cudaFuncCachePreferL1 = 2,
	cudaFuncCachePreferEqual = 3
};

enum cudaSharedMemConfig {
	cudaSharedMemBankSizeDefault = 0,
	cudaSharedMemBankSizeFourByte = 1,
	cudaSharedMemBankSizeEightByte = 2
};

enum cudaFuncAttribute {
	cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
	cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaLimit {
	cudaLimitStackSize = 0,
	cudaLimitPrintfFifoSize = 1,
	cudaLimitMallocHeapSize = 2
};

enum cudaMemoryAdvise {
	cudaMemAdviseSetReadMostly = 1,
	cudaMemAdviseUnsetReadMostly = 2,
	cudaMemAdviseSetPreferredLocation = 3,
	cudaMemAdviseUnsetPreferredLocation = 4,
	cudaMemAdviseSetAccessedBy = 5,
	cudaMemAdviseUnsetAccessedBy = 6
};

/* The attributes that programs ask for; numbers as in the manual. */
enum cudaDeviceAttr {
	cudaDevAttrMaxThreadsPerBlock = 1,
	cudaDevAttrMaxBlockDimX = 2,
	cudaDevAttrMaxBlockDimY = 3,
	cudaDevAttrMaxBlockDimZ = 4,
	cudaDevAttrMaxGridDimX = 5,
	cudaDevAttrMaxGridDimY = 6,
	cudaDevAttrMaxGridDimZ = 7,
	cudaDevAttrMaxSharedMemoryPerBlock = 8,
	cudaDevAttrTotalConstantMemory = 9,
	cudaDevAttrWarpSize = 10,
	cudaDevAttrMaxRegistersPerBlock = 12,
	cudaDevAttrClockRate = 13,
	cudaDevAttrMultiProcessorCount = 16,
	cudaDevAttrIntegrated = 18,
	cudaDevAttrCanMapHostMemory = 19,
	cudaDevAttrComputeMode = 20,
	cudaDevAttrConcurrentKernels = 31,
	cudaDevAttrEccEnabled = 32,
	cudaDevAttrMemoryClockRate = 36,
	cudaDevAttrGlobalMemoryBusWidth = 37,
	cudaDevAttrL2CacheSize = 38,
	cudaDevAttrMaxThreadsPerMultiProcessor = 39,
	cudaDevAttrAsyncEngineCount = 40,
	cudaDevAttrUnifiedAddressing = 41,
	cudaDevAttrComputeCapabilityMajor = 75,
	cudaDevAttrComputeCapabilityMinor = 76,
	cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
	cudaDevAttrMaxRegistersPerMultiprocessor = 82,
	cudaDevAttrManagedMemory = 83,
	cudaDevAttrConcurrentManagedAccess = 89,
	cudaDevAttrCooperativeLaunch = 95,
	cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

/* Names as in the manual; the layout is this implementation's own: a program
 * compiled with another vendor's headers must not be linked with this one. */
struct cudaDeviceProp {
	char name[256];
	size_t totalGlobalMem;
	size_t sharedMemPerBlock;
	int regsPerBlock;
	int warpSize;
	size_t memPitch;
	int maxThreadsPerBlock;
	int maxThreadsDim[3];
	int maxGridSize[3];
	int clockRate; /* kHz */
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment;
	int deviceOverlap;
	int multiProcessorCount;
	int kernelExecTimeoutEnabled;
	int integrated;
	int canMapHostMemory;
	int computeMode;
	int concurrentKernels;
	int ECCEnabled;
	int pciBusID, pciDeviceID, pciDomainID;
	int tccDriver;
	int asyncEngineCount;
	int unifiedAddressing;
	int memoryClockRate; /* kHz */
	int memoryBusWidth;  /* bits */
	int l2CacheSize;
	int persistingL2CacheMaxSize;
	int maxThreadsPerMultiProcessor;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor;
	int managedMemory;
	int concurrentManagedAccess;
	int cooperativeLaunch;
	size_t sharedMemPerBlockOptin;
	int maxBlocksPerMultiProcessor;
};

struct cudaFuncAttributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
	int cacheModeCA, maxDynamicSharedSizeBytes;
	int preferredShmemCarveout;
};

struct cudaPointerAttributes {
	int type; /* 0 unregistered, 1 host, 2 device, 3 managed */
	int device;
	void *devicePointer;
	void *hostPointer;
};

#endif
