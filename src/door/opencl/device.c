/* Devices: one for each configuration. */
#include <string.h>

#include "door/opencl/state.h"
#include "heddle/heddle.h"

bool device_is(cl_device_id d)
{
	for (cl_uint i = 0; i < cl.device_count; i++)
		if (d == &cl.devices[i])
			return true;
	return false;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

size_t device_max_group(const struct _cl_device_id *d)
{
	return (size_t)d->cfg->sm.block_threads;
}

size_t device_max_item(const struct _cl_device_id *d, unsigned dimension)
{
	size_t group = device_max_group(d);

	return dimension == 2 && d->isa == DEVICE_PTX && group > 64 ? 64 :
								      group;
}

cl_ulong device_max_alloc(const struct _cl_device_id *d)
{
	return d->memory / 4;
}

/* A block of CUDA gets at most 48 KiB unless it opts in. */
cl_ulong device_local_bytes(const struct _cl_device_id *d)
{
	return (cl_ulong)smaller(d->cfg->sm.block_shared,
				 d->isa == DEVICE_PTX ? 49152 : 65536);
}

/* The extensions of OpenCL 1.1 that became part of it, doubles, and atomics. */
static const char extensions[] =
	"cl_khr_byte_addressable_store cl_khr_fp64 "
	"cl_khr_global_int32_base_atomics "
	"cl_khr_global_int32_extended_atomics "
	"cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "
	"cl_khr_3d_image_writes "
	"cl_khr_int64_base_atomics cl_khr_int64_extended_atomics";

const char *device_extensions(void)
{
	return extensions;
}

enum {
	FP_ALL = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
		 CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA,
};

static const char *device_vendor(const struct _cl_device_id *d)
{
	return d->isa == DEVICE_PTX ? "NVIDIA Corporation" :
				      "Advanced Micro Devices, Inc.";
}

static cl_int query_text_info(const struct _cl_device_id *d,
			      cl_device_info name, const struct query *q)
{
	switch (name) {
	case CL_DEVICE_NAME:
		return query_text(q, d->name);
	case CL_DEVICE_VENDOR:
		return query_text(q, device_vendor(d));
	case CL_DRIVER_VERSION:
		return query_text(q, HEDDLE_VERSION);
	case CL_DEVICE_PROFILE:
		return query_text(q, "FULL_PROFILE");
	case CL_DEVICE_VERSION:
		return query_text(q, "OpenCL 1.2 Heddle");
	case CL_DEVICE_OPENCL_C_VERSION:
		return query_text(q, "OpenCL C 1.2 ");
	case CL_DEVICE_EXTENSIONS:
		return query_text(q, device_extensions());
	case CL_DEVICE_BUILT_IN_KERNELS:
		return query_text(q, "");
	default:
		return CL_INVALID_VALUE;
	}
}

/*
 * Queries with one number for an answer:
 *
 *   UINT(name, value)  cl_uint;  the others accordingly
 */
#define DEVICE_NUMBERS(UINT, ULONG, SIZE, BOOL)                           \
	UINT(CL_DEVICE_VENDOR_ID, d->isa == DEVICE_PTX ? 0x10de : 0x1002) \
	UINT(CL_DEVICE_MAX_COMPUTE_UNITS, d->cfg->sm.count)               \
	UINT(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3)                       \
	UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1)                    \
	UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 1)                   \
	UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1)                     \
	UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1)                    \
	UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1)                   \
	UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 1)                  \
	UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 0)                    \
	UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 1)                       \
	UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 1)                      \
	UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 1)                        \
	UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 1)                       \
	UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1)                      \
	UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 1)                     \
	UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 0)                       \
	UINT(CL_DEVICE_MAX_CLOCK_FREQUENCY, d->cfg->gpu.clock)            \
	UINT(CL_DEVICE_ADDRESS_BITS, 64)                                  \
	UINT(CL_DEVICE_MAX_READ_IMAGE_ARGS, DEVICE_IMAGES_READ)           \
	UINT(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, DEVICE_IMAGES_WRITTEN)       \
	UINT(CL_DEVICE_MAX_SAMPLERS, DEVICE_SAMPLERS)                     \
	UINT(CL_DEVICE_MEM_BASE_ADDR_ALIGN, DEVICE_ALIGN * 8)             \
	UINT(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128)                     \
	UINT(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, d->cfg->l1.line)        \
	UINT(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE)        \
	UINT(CL_DEVICE_LOCAL_MEM_TYPE, CL_LOCAL)                          \
	UINT(CL_DEVICE_MAX_CONSTANT_ARGS, DEVICE_CONSTANT_ARGS)           \
	UINT(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 0)                      \
	UINT(CL_DEVICE_REFERENCE_COUNT, 1)                                \
	UINT(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0)            \
	UINT(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0)              \
	UINT(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0)               \
	ULONG(CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU)                         \
	ULONG(CL_DEVICE_MAX_MEM_ALLOC_SIZE, device_max_alloc(d))          \
	ULONG(CL_DEVICE_SINGLE_FP_CONFIG,                                 \
	      FP_ALL | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)               \
	ULONG(CL_DEVICE_DOUBLE_FP_CONFIG, FP_ALL)                         \
	ULONG(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, d->cfg->l2.bytes)          \
	ULONG(CL_DEVICE_GLOBAL_MEM_SIZE, d->memory)                       \
	ULONG(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, DEVICE_CONSTANT)        \
	ULONG(CL_DEVICE_LOCAL_MEM_SIZE, device_local_bytes(d))            \
	ULONG(CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL)           \
	ULONG(CL_DEVICE_QUEUE_PROPERTIES,                                 \
	      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |                    \
		      CL_QUEUE_PROFILING_ENABLE)                          \
	ULONG(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 0)                     \
	ULONG(CL_DEVICE_SVM_CAPABILITIES, cl.svm)                         \
	SIZE(CL_DEVICE_MAX_WORK_GROUP_SIZE, device_max_group(d))          \
	SIZE(CL_DEVICE_IMAGE2D_MAX_WIDTH, DEVICE_IMAGE_2D)                \
	SIZE(CL_DEVICE_IMAGE2D_MAX_HEIGHT, DEVICE_IMAGE_2D)               \
	SIZE(CL_DEVICE_IMAGE3D_MAX_WIDTH, DEVICE_IMAGE_3D)                \
	SIZE(CL_DEVICE_IMAGE3D_MAX_HEIGHT, DEVICE_IMAGE_3D)               \
	SIZE(CL_DEVICE_IMAGE3D_MAX_DEPTH, DEVICE_IMAGE_3D)                \
	SIZE(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, DEVICE_IMAGE_BUFFER)        \
	SIZE(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, DEVICE_IMAGE_LAYERS)         \
	SIZE(CL_DEVICE_MAX_PARAMETER_SIZE, DEVICE_PARAMETERS)             \
	SIZE(CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1)                     \
	SIZE(CL_DEVICE_PRINTF_BUFFER_SIZE, DEVICE_PRINTF)                 \
	BOOL(CL_DEVICE_IMAGE_SUPPORT, CL_TRUE)                            \
	BOOL(CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_FALSE)                \
	BOOL(CL_DEVICE_HOST_UNIFIED_MEMORY, cl.unified)                   \
	BOOL(CL_DEVICE_ENDIAN_LITTLE, CL_TRUE)                            \
	BOOL(CL_DEVICE_AVAILABLE, CL_TRUE)                                \
	BOOL(CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE)                       \
	BOOL(CL_DEVICE_LINKER_AVAILABLE, CL_TRUE)                         \
	BOOL(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE)

static cl_int query_number(const struct _cl_device_id *d, cl_device_info name,
			   const struct query *q)
{
#define UINT(id, v) \
	case id:    \
		return QUERY(q, cl_uint, (cl_uint)(v));
#define ULONG(id, v) \
	case id:     \
		return QUERY(q, cl_ulong, (cl_ulong)(v));
#define SIZE(id, v) \
	case id:    \
		return QUERY(q, size_t, (size_t)(v));
#define BOOL(id, v) \
	case id:    \
		return QUERY(q, cl_bool, v);
	switch (name) {
		DEVICE_NUMBERS(UINT, ULONG, SIZE, BOOL)
	default:
		return query_text_info(d, name, q);
	}
#undef UINT
#undef ULONG
#undef SIZE
#undef BOOL
}

static cl_int device_query(cl_device_id d, cl_device_info name,
			   const struct query *q)
{
	const size_t items[3] = { device_max_item(d, 0), device_max_item(d, 1),
				  device_max_item(d, 2) };

	switch (name) {
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return query_put(q, items, sizeof(items));
	case CL_DEVICE_PLATFORM:
		return QUERY(q, cl_platform_id, &cl.platform);
	case CL_DEVICE_PARENT_DEVICE:
		return QUERY(q, cl_device_id, NULL);
	case CL_DEVICE_PARTITION_PROPERTIES:
		return QUERY(q, cl_device_partition_property, 0);
	case CL_DEVICE_PARTITION_TYPE:
		return query_put(q, NULL, 0);
	default:
		return query_number(d, name, q);
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id d,
						cl_device_info name,
						size_t room, void *value,
						size_t *size)
{
	cl_int e = cl_enter("clGetDeviceInfo");

	if (!e && !device_is(d))
		e = CL_INVALID_DEVICE;
	return cl_leave(e ? e :
			    device_query(d, name,
					 &(struct query){ room, value, size }));
}

static cl_int device_list(cl_device_type type, cl_uint room, cl_device_id *list,
			  cl_uint *count)
{
	const cl_device_type known = CL_DEVICE_TYPE_DEFAULT |
				     CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
				     CL_DEVICE_TYPE_ACCELERATOR |
				     CL_DEVICE_TYPE_CUSTOM;
	cl_uint n = type == CL_DEVICE_TYPE_DEFAULT ? 1 : cl.device_count;

	if (type != CL_DEVICE_TYPE_ALL && (!type || (type & ~known)))
		return CL_INVALID_DEVICE_TYPE;
	if ((!list && !count) || (list && !room))
		return CL_INVALID_VALUE;
	if (type != CL_DEVICE_TYPE_ALL &&
	    !(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)))
		return CL_DEVICE_NOT_FOUND;
	for (cl_uint i = 0; list && i < n && i < room; i++)
		list[i] = &cl.devices[i];
	if (count)
		*count = n;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id p,
					       cl_device_type type,
					       cl_uint room, cl_device_id *list,
					       cl_uint *count)
{
	cl_int e = cl_enter("clGetDeviceIDs");

	if (!e && p && p != &cl.platform)
		e = CL_INVALID_PLATFORM;
	return cl_leave(e ? e : device_list(type, room, list, count));
}

/* No device can be partitioned. */
CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevices(cl_device_id d, const cl_device_partition_property *p,
		   cl_uint room, cl_device_id *list, cl_uint *count)
{
	cl_int e = cl_enter("clCreateSubDevices");

	(void)p, (void)room, (void)list, (void)count;
	if (!e)
		e = device_is(d) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
	return cl_leave(e);
}

/* Root devices have no count of references. */
static cl_int device_count_references(const char *name, cl_device_id d)
{
	cl_int e = cl_enter(name);

	return cl_leave(!e && !device_is(d) ? CL_INVALID_DEVICE : e);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id d)
{
	return device_count_references("clRetainDevice", d);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id d)
{
	return device_count_references("clReleaseDevice", d);
}
