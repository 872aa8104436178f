#include <string.h>

#include "door/cudart/api.h"

/*
 * cudaDeviceProp of CUDA 11 and 12; that of 13 is in driver_types.h. Programs
 * built with CUDA 11 pass a struct that ends where properties11 does, all
 * others one of the size that CUDA 12 gave it.
 */
#define PROPERTIES_11                                                      \
	char name[256];                                                    \
	struct CUuuid_st uuid;                                             \
	char luid[8];                                                      \
	unsigned luidDeviceNodeMask;                                       \
	size_t totalGlobalMem, sharedMemPerBlock;                          \
	int regsPerBlock, warpSize;                                        \
	size_t memPitch;                                                   \
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];          \
	int clockRate;                                                     \
	size_t totalConstMem;                                              \
	int major, minor;                                                  \
	size_t textureAlignment, texturePitchAlignment;                    \
	int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled;  \
	int integrated, canMapHostMemory, computeMode;                     \
	int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear;          \
	int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3]; \
	int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];    \
	int maxTextureCubemap, maxTexture1DLayered[2];                     \
	int maxTexture2DLayered[3], maxTextureCubemapLayered[2];           \
	int maxSurface1D, maxSurface2D[2], maxSurface3D[3];                \
	int maxSurface1DLayered[2], maxSurface2DLayered[3];                \
	int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];                \
	size_t surfaceAlignment;                                           \
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID;          \
	int pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing;   \
	int memoryClockRate, memoryBusWidth, l2CacheSize;                  \
	int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;         \
	int streamPrioritiesSupported, globalL1CacheSupported;             \
	int localL1CacheSupported;                                         \
	size_t sharedMemPerMultiprocessor;                                 \
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard;         \
	int multiGpuBoardGroupID, hostNativeAtomicSupported;               \
	int singleToDoublePrecisionPerfRatio, pageableMemoryAccess;        \
	int concurrentManagedAccess, computePreemptionSupported;           \
	int canUseHostPointerForRegisteredMem, cooperativeLaunch;          \
	int cooperativeMultiDeviceLaunch;                                  \
	size_t sharedMemPerBlockOptin;                                     \
	int pageableMemoryAccessUsesHostPageTables;                        \
	int directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;    \
	int accessPolicyMaxWindowSize;                                     \
	size_t reservedSharedMemPerBlock;

struct properties11 {
	PROPERTIES_11
};

struct properties12 {
	PROPERTIES_11
	int hostRegisterSupported, sparseCudaArraySupported;
	int hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported;
	int memoryPoolsSupported, gpuDirectRDMASupported;
	unsigned gpuDirectRDMAFlushWritesOptions;
	int gpuDirectRDMAWritesOrdering;
	unsigned memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported, ipcEventSupported;
	int clusterLaunch, unifiedFunctionPointers;
	int reserved2[2];
	int reserved1[1];
	int reserved[60];
};

_Static_assert(sizeof(struct properties11) == 728, "cudaDeviceProp of 11");
_Static_assert(sizeof(struct properties12) == 1032, "cudaDeviceProp of 12");

/* The fields that no attribute has. */
#define FILL_REST(p, info)                                          \
	do {                                                        \
		memset((p), 0, sizeof(*(p)));                       \
		memcpy((p)->name, (info).name, sizeof((p)->name));  \
		memcpy(&(p)->uuid, (info).uuid, sizeof((p)->uuid)); \
		(p)->totalGlobalMem = (info).memory;                \
	} while (0)

#define FILL(field, attribute)                          \
	rt_device_attribute(&value, attribute, device); \
	p->field = (__typeof__(p->field))value;

static int properties11(struct properties11 *p, int device)
{
	struct rt_device_info info;
	int value, e = rt_device_info(&info, device);

	if (!p)
		return cudaErrorInvalidValue;
	if (e)
		return e;
	FILL_REST(p, info);
#define ATTR(field, attribute) FILL(field, attribute)
#define FROM12(field, attribute)
#include "door/cudart/properties.def"
	return cudaSuccess;
}

static int properties12(struct properties12 *p, int device)
{
	struct rt_device_info info;
	int value, e = rt_device_info(&info, device);

	if (!p)
		return cudaErrorInvalidValue;
	if (e)
		return e;
	FILL_REST(p, info);
#define ATTR(field, attribute) FILL(field, attribute)
#include "door/cudart/properties.def"
	return cudaSuccess;
}

#if CUDART_MAJOR >= 13
static int properties13(struct cudaDeviceProp *p, int device)
{
	struct rt_device_info info;
	int value, e = rt_device_info(&info, device);

	if (!p)
		return cudaErrorInvalidValue;
	if (e)
		return e;
	FILL_REST(p, info);
#define ATTR(field, attribute) FILL(field, attribute)
#define FROM13(field, attribute) FILL(field, attribute)
#define UNTIL12(field, attribute)
#include "door/cudart/properties.def"
	return cudaSuccess;
}

API_ASK(cudaGetDeviceProperties, (struct cudaDeviceProp * p, int device),
	properties13(p, device))
#else
AS(get_properties11, "cudaGetDeviceProperties", RT_ASK,
   (struct properties11 * p, int device), properties11(p, device))
#endif
EXPORT cudaError_t cudaGetDeviceProperties_v2(struct properties12 *p,
					      int device);
API_ASK(cudaGetDeviceProperties_v2, (struct properties12 * p, int device),
	properties12(p, device))

/* Chooses the device that matches most of the wanted properties. Compares the
 * fields that are set and have the same offset in all versions. */
static int choose_device(int *device, const struct properties11 *want)
{
	int best = -1;

	if (!device || !want)
		return cudaErrorInvalidValue;
	for (int i = 0; i < rt_device_count(); i++) {
		struct properties11 have;
		int score;

		if (properties11(&have, i))
			continue;
		score = (have.totalGlobalMem >= want->totalGlobalMem) +
			(have.sharedMemPerBlock >= want->sharedMemPerBlock) +
			(have.regsPerBlock >= want->regsPerBlock) +
			(have.maxThreadsPerBlock >= want->maxThreadsPerBlock);
		if (score > best) {
			best = score;
			*device = i;
		}
	}
	return best < 0 ? cudaErrorNoDevice : cudaSuccess;
}

API_ASK(cudaChooseDevice, (int *device, const struct cudaDeviceProp *want),
	choose_device(device, (const void *)want))
