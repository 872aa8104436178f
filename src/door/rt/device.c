/* Devices: attributes, limits, opening and resetting them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/rt/state.h"

enum { MIN_HEAP = 1 << 30, MIN_STACK = 64 << 10, MAX_STACK = 512 << 10 };

/* A block gets at most 48 KiB unless it opts in, even if an SM has more. */
static int64_t block_shared(const struct cfg *c)
{
	return c->sm.block_shared < 49152 ? c->sm.block_shared : 49152;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * Facts about a GPU's memory that are not parameters. For GPUs not listed here
 * they follow from the configuration: the bus is as wide as the bandwidth
 * needs, three quarters of the L2 can be set aside from capability 8.0 on, and
 * stacked memory has error correction.
 */
static const struct board {
	const char *name;
	int bus_bits, persisting_l2;
} boards[] = {
	/* Less than the 6144 bits of its stacks. Driver 580. */
	{ "NVIDIA H200", 6016, 39321600 },
};

static const struct board *find_board(const struct cfg *c)
{
	for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++)
		if (!strcmp(boards[i].name, c->gpu.name))
			return &boards[i];
	return NULL;
}

/* Data moves on both edges of this clock: for HBM3, twice the command clock. */
static double memory_khz(const struct cfg *c)
{
	return c->dram.clock * (c->dram.standard == CFG_DRAM_HBM3 ? 2e3 : 1e3);
}

static double bus_bits(const struct cfg *c)
{
	return find_board(c) ?
		       find_board(c)->bus_bits :
		       c->dram.bandwidth * 1e6 * 8 / (2 * memory_khz(c));
}

static bool has_ecc(const struct cfg *c)
{
	return c->dram.standard == CFG_DRAM_HBM2 ||
	       c->dram.standard == CFG_DRAM_HBM3;
}

static bool has_persisting_l2(const struct cfg *c)
{
	return c->l2.on && c->gpu.capability >= 80;
}

static int64_t persisting_l2(const struct cfg *c)
{
	if (!has_persisting_l2(c))
		return 0;
	return find_board(c) ? find_board(c)->persisting_l2 :
			       c->l2.bytes / 4 * 3;
}

static int64_t double_ratio(const struct cfg *c)
{
	int64_t lanes = c->unit[UNIT_FP64].lanes;

	return lanes ? c->unit[UNIT_FP32].lanes / lanes : 0;
}

static bool read_attribute(int *value, int number, const struct cfg *c, int n)
{
	switch (number) {
#define ATTR(key, v)               \
	case key:                  \
		*value = (int)(v); \
		return true;
#include "door/rt/attribute.def"
	default:
		return false;
	}
}

void device_init(struct rt_device *d, int number)
{
	static const size_t limits[LIMITS] = {
		[cudaLimitStackSize] = 1024,
		[cudaLimitPrintfFifoSize] = 8650752,
		[cudaLimitMallocHeapSize] = 8 << 20,
		[cudaLimitDevRuntimeSyncDepth] = 2,
		[cudaLimitDevRuntimePendingLaunchCount] = 2048,
		[cudaLimitMaxL2FetchGranularity] = 64,
	};

	d->number = number;
	memcpy(d->limits, limits, sizeof(limits));
	/* The default of an H200. */
	if (has_persisting_l2(&d->sheet.cfg))
		d->limits[cudaLimitPersistingL2CacheSize] =
			(size_t)d->sheet.cfg.l2.bytes / 16 * 3;
	d->preferences = (struct rt_preferences){ .shared = 1 };
	d->pool = (struct rt_pool){ .device = number, .reuse = { 1, 1, 1 } };
	d->graph_pool = (struct rt_pool){ .device = number };
	d->current_pool = &d->pool;
	stream_init(&d->legacy, number, 0);
	d->legacy.id = 1;
	handle_add(&rt.handles, &d->pool, HANDLE_POOL);
}

/* Programs set the size of the heap when the device is already in use, and by
 * then it is fixed. So it gets more than the default from the start, which
 * costs nothing until it is touched. The same holds for the threads' stacks. */
static size_t heap_bytes(const struct rt_device *d)
{
	size_t sixteenth = (size_t)d->sheet.cfg.dram.bytes / 16;
	size_t min = sixteenth < MIN_HEAP ? sixteenth : MIN_HEAP;
	size_t asked = d->limits[cudaLimitMallocHeapSize];

	return asked > min ? asked : min;
}

static size_t stack_bytes(const struct rt_device *d)
{
	size_t asked = d->limits[cudaLimitStackSize];

	return asked > MIN_STACK ? asked : MIN_STACK;
}

/* The simulator takes time and memory: create it on first use. */
int device_open(struct rt_device *d)
{
	struct heddle_device_options o = {
		.threads = rt.settings.threads,
		.engine = rt.settings.engine,
		.pin = rt.settings.pin,
		.config = d->config,
		.number = (unsigned)d->number,
		.heap_bytes = heap_bytes(d),
		.heap_room = MIN_HEAP, /* addresses as on every other GPU */
		.local_bytes = stack_bytes(d),
		.memory_mode = rt.settings.strict ? HEDDLE_MEMORY_STRICT :
						    HEDDLE_MEMORY_HARDWARE,
		.timeline = rt.settings.timeline && !rt.settings.functional,
	};
	struct heddle_error err;
	int status;

	if (d->lost)
		return cudaErrorDevicesUnavailable;
	if (d->sim)
		return cudaSuccess;
	status = heddle_device_new(&d->sim, &o, &err);
	if (!status) {
		trace_start(d);
		return memory_attach(d);
	}
	d->sim = NULL;
	rt_say("error: %s", err.text);
	return status == HEDDLE_NOMEM ? cudaErrorMemoryAllocation :
					cudaErrorInitializationError;
}

struct rt_device *device_at(int number)
{
	return number >= 0 && number < rt.device_count ? &rt.devices[number] :
							 NULL;
}

int current_device(struct rt_device **out)
{
	*out = &rt.devices[rt_thread()->device];
	return device_open(*out);
}

int rt_device_count(void)
{
	return rt.device_count;
}

int rt_device(void)
{
	return rt_thread()->device;
}

int rt_device_set(int device)
{
	if (!device_at(device))
		return cudaErrorInvalidDevice;
	rt_thread()->device = device;
	return cudaSuccess;
}

int rt_device_attribute(int *value, int number, int device)
{
	const struct rt_device *d = device_at(device);

	if (!value)
		return cudaErrorInvalidValue;
	if (!d)
		return cudaErrorInvalidDevice;
	return read_attribute(value, number, &d->sheet.cfg, device) ?
		       cudaSuccess :
		       cudaErrorInvalidValue;
}

int rt_device_info(struct rt_device_info *out, int device)
{
	const struct rt_device *d = device_at(device);
	static const unsigned char uuid[16] = "heddle device ";

	if (!d)
		return cudaErrorInvalidDevice;
	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "%s", d->sheet.cfg.gpu.name);
	memcpy(out->uuid, uuid, sizeof(uuid));
	out->uuid[15] = (unsigned char)device;
	out->memory = (uint64_t)d->sheet.cfg.dram.bytes;
	snprintf(out->bus_id, sizeof(out->bus_id), "0000:%02x:00.0",
		 (unsigned)(device + 1) & 0xff);
	return cudaSuccess;
}

/* Read-only limits: shared memory of a block, and whether it is shared with
 * graphics, which it is not. */
enum { LIMIT_SHARED = 7, LIMIT_GRAPHICS, LIMIT_GRAPHICS_FALLBACK };

/* Capability 9.0 dropped cudaLimitDevRuntimeSyncDepth. */
static int check_limit(int limit, const struct rt_device *d)
{
	if (limit < 0 || limit > LIMIT_GRAPHICS_FALLBACK)
		return cudaErrorInvalidValue;
	return limit == LIMIT_GRAPHICS_FALLBACK ||
			       (limit == cudaLimitDevRuntimeSyncDepth &&
				d->sm >= 90) ?
		       cudaErrorUnsupportedLimit :
		       cudaSuccess;
}

int rt_limit_get(size_t *value, int limit)
{
	const struct rt_device *d = &rt.devices[rt_thread()->device];
	int e = value ? check_limit(limit, d) : cudaErrorInvalidValue;

	if (e)
		return e;
	if (limit < LIMITS)
		*value = d->limits[limit];
	else
		*value = limit == LIMIT_SHARED ?
				 (size_t)d->sheet.cfg.sm.block_shared :
				 0;
	return cudaSuccess;
}

int rt_limit_set(int limit, size_t value)
{
	struct rt_device *d = &rt.devices[rt_thread()->device];
	int e = check_limit(limit, d);
	size_t had;

	if (e)
		return e;
	if (limit >= LIMITS)
		return cudaErrorNotPermitted;
	if ((limit == cudaLimitStackSize && value > MAX_STACK) ||
	    (limit == cudaLimitPersistingL2CacheSize &&
	     value > (size_t)persisting_l2(&d->sheet.cfg)))
		return cudaErrorInvalidValue;
	had = d->limits[limit];
	if (d->sim && ((limit == cudaLimitMallocHeapSize && value > had &&
			value > heap_bytes(d)) ||
		       (limit == cudaLimitStackSize && value > had &&
			value > stack_bytes(d)))) {
		rt_say("cudaDeviceSetLimit: the limit cannot be raised to %zu "
		       "bytes once the device is in use; set it before",
		       value);
		return cudaErrorInvalidValue;
	}
	d->limits[limit] = value;
	return cudaSuccess;
}

struct rt_preferences *rt_preferences(int device)
{
	return &rt.devices[device].preferences;
}

const struct cfg *rt_device_cfg(int device)
{
	return &rt.devices[device].sheet.cfg;
}

int rt_device_fault(int device)
{
	return rt.devices[device].fault;
}

int rt_device_synchronize(int device)
{
	struct rt_device *d = device_at(device);
	int e = capture_invalidate_all();

	if (!d)
		return cudaErrorInvalidDevice;
	if (e)
		return e;
	rt_flush();
	host_advance(d->latest);
	return d->fault;
}

/* Resetting a device after a fault does not bring it back, as on a real one. */
int rt_device_reset(int device)
{
	struct rt_device *d = device_at(device);

	if (!d)
		return cudaErrorInvalidDevice;
	rt_flush();
	if (d->fault)
		d->lost = true;
	host_advance(d->latest);
	handles_reset(device);
	textures_reset(device);
	memory_reset(device);
	modules_reset(device);
	trace_stop(d);
	heddle_device_free(d->sim);
	d->sim = NULL;
	device_init(d, device);
	return cudaSuccess;
}

int rt_memory_info(size_t *free, size_t *total)
{
	struct rt_device *d;
	uint64_t have, all;
	int e = current_device(&d);

	if (e)
		return e;
	heddle_memory_info(d->sim, &have, &all);
	if (free)
		*free = have;
	if (total)
		*total = all;
	return cudaSuccess;
}

/* Devices cannot access each other's memory; copies between them work. */
int rt_peer_can(int *can, int device, int peer)
{
	if (!can)
		return cudaErrorInvalidValue;
	if (!device_at(device) || !device_at(peer))
		return cudaErrorInvalidDevice;
	*can = 0;
	return cudaSuccess;
}

int rt_peer_enable(int peer, unsigned flags)
{
	if (!device_at(peer))
		return cudaErrorInvalidDevice;
	return flags ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported;
}

int rt_peer_disable(int peer)
{
	return device_at(peer) ? cudaErrorPeerAccessNotEnabled :
				 cudaErrorInvalidDevice;
}
