#include <stdio.h>
#include <string.h>

#include "door/libcuda/api.h"

API_INIT(cuDeviceGetCount, (int *count),
	 NEED(count, (*count = rt_device_count(), 0)))
API_INIT(cuDeviceGetAttribute,
	 (int *value, CUdevice_attribute attribute, CUdevice device),
	 rt_device_attribute(value, (int)attribute, device))
API_INIT(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer),
	 rt_peer_can(can, device, peer))

static int device_check(int device)
{
	return device < 0 || device >= rt_device_count() ?
		       CUDA_ERROR_INVALID_DEVICE :
		       0;
}

static int device_get(CUdevice *out, int ordinal)
{
	int e = device_check(ordinal);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = ordinal;
	return 0;
}

static int device_get_name(char *out, int size, int device)
{
	struct rt_device_info info;
	int e = rt_device_info(&info, device);

	if (e || !out || size <= 0)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	snprintf(out, (size_t)size, "%s", info.name);
	return 0;
}

static int device_get_uuid(CUuuid *out, int device)
{
	struct rt_device_info info;
	int e = rt_device_info(&info, device);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	memcpy(out->bytes, info.uuid, sizeof(out->bytes));
	return 0;
}

static int device_get_memory(size_t *out, int device)
{
	struct rt_device_info info;
	int e = rt_device_info(&info, device);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = info.memory;
	return 0;
}

API_INIT(cuDeviceGet, (CUdevice * out, int ordinal), device_get(out, ordinal))
API_INIT(cuDeviceGetName, (char *out, int size, CUdevice device),
	 device_get_name(out, size, device))
API_INIT(cuDeviceGetUuid_v2, (CUuuid * out, CUdevice device),
	 device_get_uuid(out, device))
SAME(cuDeviceGetUuid_v1, "cuDeviceGetUuid", cuDeviceGetUuid_v2)
API_INIT(cuDeviceTotalMem_v2, (size_t * out, CUdevice device),
	 device_get_memory(out, device))

static int device_capability(int *major, int *minor, int device)
{
	int e = major && minor ?
			rt_device_attribute(
				major,
				CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
				device) :
			CUDA_ERROR_INVALID_VALUE;

	return e ? e :
		   rt_device_attribute(
			   minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
			   device);
}

/* The old struct of properties is a list of attributes. */
static int device_properties(CUdevprop *out, int device)
{
	int e = device_check(device);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	const struct {
		int *to, attribute;
	} rows[] = {
		{ &out->maxThreadsPerBlock,
		  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK },
		{ &out->maxThreadsDim[0], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X },
		{ &out->maxThreadsDim[1], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y },
		{ &out->maxThreadsDim[2], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z },
		{ &out->maxGridSize[0], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X },
		{ &out->maxGridSize[1], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y },
		{ &out->maxGridSize[2], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z },
		{ &out->sharedMemPerBlock,
		  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK },
		{ &out->totalConstantMemory,
		  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY },
		{ &out->SIMDWidth, CU_DEVICE_ATTRIBUTE_WARP_SIZE },
		{ &out->memPitch, CU_DEVICE_ATTRIBUTE_MAX_PITCH },
		{ &out->regsPerBlock,
		  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK },
		{ &out->clockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE },
		{ &out->textureAlign, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT },
	};
	for (size_t i = 0; !e && i < sizeof(rows) / sizeof(rows[0]); i++)
		e = rt_device_attribute(rows[i].to, rows[i].attribute, device);
	return e;
}

API_INIT(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device),
	 device_capability(major, minor, device))
API_INIT(cuDeviceGetProperties, (CUdevprop * out, CUdevice device),
	 device_properties(out, device))

/*
 * PCI bus addresses
 */

static int cu_device_bus_id(char *out, int size, int device)
{
	struct rt_device_info info;
	int e = rt_device_info(&info, device);

	if (e || !out || size <= (int)strlen(info.bus_id))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	snprintf(out, (size_t)size, "%s", info.bus_id);
	return 0;
}

static int cu_device_by_bus(CUdevice *out, const char *id)
{
	unsigned domain = 0, bus, slot;

	if (!out || !id ||
	    (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3 &&
	     sscanf(id, "%x:%x", &bus, &slot) != 2))
		return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < rt_device_count(); i++) {
		int number;

		rt_device_attribute(&number, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, i);
		if ((unsigned)number == bus) {
			*out = i;
			return 0;
		}
	}
	return CUDA_ERROR_INVALID_DEVICE;
}

API_INIT(cuDeviceGetPCIBusId, (char *out, int size, CUdevice device),
	 cu_device_bus_id(out, size, device))
API_INIT(cuDeviceGetByPCIBusId, (CUdevice * out, const char *id),
	 cu_device_by_bus(out, id))

/* There are no links between devices: every attribute is 0. */
static int device_p2p_attribute(int *value, int attribute, int from, int to)
{
	int e = device_check(from) ? device_check(from) : device_check(to);

	if (!e && from == to)
		e = CUDA_ERROR_INVALID_DEVICE;
	if (e || !value ||
	    attribute < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ||
	    attribute >
		    CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*value = 0;
	return 0;
}

API_INIT(cuDeviceGetP2PAttribute,
	 (int *value, CUdevice_P2PAttribute attribute, CUdevice from,
	  CUdevice to),
	 device_p2p_attribute(value, (int)attribute, from, to))

static int cu_texture_linear_width(size_t *out, CUarray_format format,
				   unsigned channels, int device)
{
	struct rt_channel c;
	int texels, e = rt_device_attribute(
			    &texels,
			    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH,
			    device);

	if (e || !out || !channel_of(&c, format, channels))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = (size_t)texels;
	return 0;
}

API_INIT(cuDeviceGetTexture1DLinearMaxWidth,
	 (size_t * out, CUarray_format format, unsigned channels,
	  CUdevice device),
	 cu_texture_linear_width(out, format, channels, device))

/* Limiting a context to some of the SMs is not supported. */
API_INIT(cuDeviceGetExecAffinitySupport,
	 (int *out, CUexecAffinityType type, CUdevice device),
	 device_check(device) ? device_check(device) :
				NEED(out && (int)type == 0, (*out = 0, 0)))
