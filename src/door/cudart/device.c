#include <stdio.h>
#include <string.h>

#include "door/cudart/api.h"

enum {
	/* cudaDeviceSchedule..., MapHost, LmemResizeToMax, SyncMemops */
	SCHEDULES = 7,
	DEVICE_FLAGS = 0x9f,
	MAP_HOST = 8,
	/* The same as libcuda, which serves programs of all versions. */
	DRIVER_VERSION = 13000,
};

API_ASK(cudaDriverGetVersion, (int *version),
	NEED(version, (*version = DRIVER_VERSION, 0)))
API_ASK(cudaRuntimeGetVersion, (int *version),
	NEED(version, (*version = CUDART_VERSION_NUMBER, 0)))

API_ASK(cudaGetDeviceCount, (int *count),
	NEED(count, (*count = rt_device_count(), 0)))
API_ASK(cudaGetDevice, (int *device), NEED(device, (*device = rt_device(), 0)))
API_ASK(cudaSetDevice, (int device), rt_device_set(device))
API_ASK(cudaDeviceGetAttribute,
	(int *value, enum cudaDeviceAttr attribute, int device),
	rt_device_attribute(value, (int)attribute, device))
API(cudaDeviceSynchronize, (void), rt_device_synchronize(rt_device()))
API_ASK(cudaDeviceReset, (void), rt_device_reset(rt_device()))
API(cudaDeviceGetLimit, (size_t * value, enum cudaLimit limit),
    rt_limit_get(value, (int)limit))
API(cudaDeviceSetLimit, (enum cudaLimit limit, size_t value),
    rt_limit_set((int)limit, value))
API(cudaMemGetInfo, (size_t * free, size_t *total), rt_memory_info(free, total))
API_ASK(cudaDeviceCanAccessPeer, (int *can, int device, int peer),
	rt_peer_can(can, device, peer))
API(cudaDeviceEnablePeerAccess, (int peer, unsigned flags),
    rt_peer_enable(peer, flags))
API(cudaDeviceDisablePeerAccess, (int peer), rt_peer_disable(peer))
API(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
    (least ? *least = RT_PRIORITY_LEAST : 0,
     greatest ? *greatest = RT_PRIORITY_GREATEST : 0, 0))
API(cudaCtxResetPersistingL2Cache, (void), cudaSuccess)

static int p2p_attribute(int *value, int attribute, int from, int to)
{
	int can, e = rt_peer_can(&can, from, to);

	if (e || !value || attribute < cudaDevP2PAttrPerformanceRank ||
	    attribute > cudaDevP2PAttrCudaArrayAccessSupported || from == to)
		return e ? e : cudaErrorInvalidValue;
	*value = 0;
	return cudaSuccess;
}

API_ASK(cudaDeviceGetP2PAttribute,
	(int *value, enum cudaDeviceP2PAttr attribute, int from, int to),
	p2p_attribute(value, (int)attribute, from, to))

/*
 * Preferences: remembered, without effect
 */

static int device_set_cache(int cache)
{
	if (cache < cudaFuncCachePreferNone || cache > cudaFuncCachePreferEqual)
		return cudaErrorInvalidValue;
	rt_preferences(rt_device())->cache = cache;
	return cudaSuccess;
}

static int device_set_banks(int config)
{
	if (config < cudaSharedMemBankSizeDefault ||
	    config > cudaSharedMemBankSizeEightByte)
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

API(cudaDeviceSetCacheConfig, (enum cudaFuncCache cache),
    device_set_cache((int)cache))
API(cudaDeviceGetCacheConfig, (enum cudaFuncCache * cache),
    NEED(cache,
	 (*cache = (enum cudaFuncCache)rt_preferences(rt_device())->cache, 0)))
API(cudaDeviceSetSharedMemConfig, (enum cudaSharedMemConfig config),
    device_set_banks((int)config))
/* Shared memory only has banks of four bytes. */
API(cudaDeviceGetSharedMemConfig, (enum cudaSharedMemConfig * config),
    NEED(config, (*config = cudaSharedMemBankSizeFourByte, 0)))

static int device_set_flags(int device, unsigned flags)
{
	unsigned schedule = flags & SCHEDULES;

	if (flags & ~(unsigned)DEVICE_FLAGS || (schedule & (schedule - 1)))
		return cudaErrorInvalidValue;
	rt_preferences(device)->flags = flags;
	return cudaSuccess;
}

/* Changes the device's flags only if `flags` asks for that. */
static int init_device(int device, unsigned device_flags, unsigned flags)
{
	if (device < 0 || device >= rt_device_count())
		return cudaErrorInvalidDevice;
	return flags & cudaInitDeviceFlagsAreValid ?
		       device_set_flags(device, device_flags) :
		       cudaSuccess;
}

API_ASK(cudaSetDeviceFlags, (unsigned flags),
	device_set_flags(rt_device(), flags))
API_ASK(cudaGetDeviceFlags, (unsigned *flags),
	NEED(flags,
	     (*flags = rt_preferences(rt_device())->flags | MAP_HOST, 0)))
API_ASK(cudaInitDevice, (int device, unsigned device_flags, unsigned flags),
	init_device(device, device_flags, flags))

/* Every device is always available, so only the first of the list matters: it
 * becomes the thread's device. */
static int set_valid_devices(const int *list, int count)
{
	if (count < 0 || count > rt_device_count() || (count && !list))
		return cudaErrorInvalidValue;
	for (int i = 0; i < count; i++)
		if (list[i] < 0 || list[i] >= rt_device_count())
			return cudaErrorInvalidDevice;
	return count ? rt_device_set(list[0]) : cudaSuccess;
}

API_ASK(cudaSetValidDevices, (int *list, int count),
	set_valid_devices(list, count))

/*
 * PCI bus addresses
 */

static int device_bus_id(char *out, int size, int device)
{
	struct rt_device_info info;
	int e = rt_device_info(&info, device);

	if (e || !out || size <= 0)
		return e ? e : cudaErrorInvalidValue;
	if (size <= (int)strlen(info.bus_id))
		return cudaErrorInvalidValue;
	snprintf(out, (size_t)size, "%s", info.bus_id);
	return cudaSuccess;
}

static int device_by_bus(int *device, const char *id)
{
	unsigned domain = 0, bus, slot, function = 0;

	if (!device || !id ||
	    (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3 &&
	     sscanf(id, "%x:%x.%x", &bus, &slot, &function) < 2))
		return cudaErrorInvalidValue;
	for (int i = 0; i < rt_device_count(); i++) {
		int number;

		rt_device_attribute(&number, cudaDevAttrPciBusId, i);
		if ((unsigned)number == bus) {
			*device = i;
			return cudaSuccess;
		}
	}
	return cudaErrorInvalidValue;
}

API_ASK(cudaDeviceGetPCIBusId, (char *id, int size, int device),
	device_bus_id(id, size, device))
API_ASK(cudaDeviceGetByPCIBusId, (int *device, const char *id),
	device_by_bus(device, id))

static int texture_linear_width(size_t *out,
				const struct cudaChannelFormatDesc *f,
				int device)
{
	int texels, e = rt_device_attribute(&texels,
					    cudaDevAttrMaxTexture1DLinearWidth,
					    device);

	if (e || !out || !f)
		return e ? e : cudaErrorInvalidValue;
	*out = (size_t)texels;
	return cudaSuccess;
}

API_ASK(cudaDeviceGetTexture1DLinearMaxWidth,
	(size_t * out, const struct cudaChannelFormatDesc *f, int device),
	texture_linear_width(out, f, device))
