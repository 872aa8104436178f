#include <string.h>

#include "door/libcuda/context.h"

API(cuStreamCreate, (CUstream * s, unsigned flags),
    rt_stream_new((void *)s, flags, 0))
API(cuStreamCreateWithPriority, (CUstream * s, unsigned flags, int priority),
    rt_stream_new((void *)s, flags, priority))
API_HANDLE(cuStreamDestroy_v2, (CUstream s), rt_stream_free((void *)s))
SAME(cuStreamDestroy_v1, "cuStreamDestroy", cuStreamDestroy_v2)

API_ON(cuStreamQuery, _ptsz, s, (CUstream s), rt_stream_query(ON(s)))
API_ON(cuStreamSynchronize, _ptsz, s, (CUstream s),
       rt_stream_synchronize(ON(s)))
API_ON(cuStreamWaitEvent, _ptsz, s, (CUstream s, CUevent e, unsigned flags),
       rt_stream_wait(ON(s), (void *)e, flags))
API_ON(cuStreamAddCallback, _ptsz, s,
       (CUstream s, CUstreamCallback fn, void *data, unsigned flags),
       NEED(!flags, rt_stream_callback(ON(s), (void *)fn, data)))

/* Returns one of the stream's properties. */
#define PROPERTY(s, out, expr)                                      \
	({                                                          \
		struct rt_stream_info i;                            \
		int r_ = rt_stream_info(&i, ON(s));                 \
                                                                    \
		if (!r_ && (out))                                   \
			*(out) = (expr);                            \
		!r_ && !(out) ? (int)CUDA_ERROR_INVALID_VALUE : r_; \
	})

API_ON(cuStreamGetPriority, _ptsz, s, (CUstream s, int *out),
       PROPERTY(s, out, i.priority))
API_ON(cuStreamGetFlags, _ptsz, s, (CUstream s, unsigned *out),
       PROPERTY(s, out, i.flags))
API_ON(cuStreamGetId, _ptsz, s, (CUstream s, unsigned long long *out),
       PROPERTY(s, out, i.id))
API_ON(cuStreamGetDevice, _ptsz, s, (CUstream s, CUdevice *out),
       PROPERTY(s, out, i.device))
API_ON(cuStreamGetCtx, _ptsz, s, (CUstream s, CUcontext *out),
       PROPERTY(s, out, context_of_device(i.device)))
/* There are no green contexts. */
API_ON(cuStreamGetCtx_v2, _ptsz, s,
       (CUstream s, CUcontext *out, CUgreenCtx *green),
       NEED(green,
	    (*green = NULL, PROPERTY(s, out, context_of_device(i.device)))))

/* L2 access windows and memory domains are not modelled: a stream has none, and
 * setting one is accepted without effect. */
static int cu_stream_get_attribute(struct rt_stream *s, int id,
				   CUstreamAttrValue *out)
{
	struct rt_stream_info info;
	int e = rt_stream_info(&info, s);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	memset(out, 0, sizeof(*out));
	switch (id) {
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		out->syncPolicy = (CUsynchronizationPolicy)info.sync_policy;
		return 0;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		out->priority = info.priority;
		return 0;
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		return 0;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static int cu_stream_set_attribute(struct rt_stream *s, int id,
				   const CUstreamAttrValue *value)
{
	struct rt_stream_info info;
	int e = rt_stream_info(&info, s);

	if (e || !value)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	switch (id) {
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		return rt_stream_sync_policy(s, (int)value->syncPolicy);
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		return 0;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static int cu_stream_copy_attributes(struct rt_stream *to,
				     struct rt_stream *from)
{
	struct rt_stream_info info;
	int e = rt_stream_info(&info, from);

	return e ? e : rt_stream_sync_policy(to, info.sync_policy);
}

API_ON(cuStreamGetAttribute, _ptsz, s,
       (CUstream s, CUstreamAttrID id, CUstreamAttrValue *out),
       cu_stream_get_attribute(ON(s), (int)id, out))
API_ON(cuStreamSetAttribute, _ptsz, s,
       (CUstream s, CUstreamAttrID id, const CUstreamAttrValue *value),
       cu_stream_set_attribute(ON(s), (int)id, value))
API_ON(cuStreamCopyAttributes, _ptsz, to, (CUstream to, CUstream from),
       cu_stream_copy_attributes(ON(to), ON(from)))

/*
 * Events
 */

API(cuEventCreate, (CUevent * e, unsigned flags),
    rt_event_new((void *)e, flags))
API_HANDLE(cuEventDestroy_v2, (CUevent e), rt_event_free((void *)e))
SAME(cuEventDestroy_v1, "cuEventDestroy", cuEventDestroy_v2)
API_HANDLE(cuEventQuery, (CUevent e), rt_event_query((void *)e))
API_HANDLE(cuEventSynchronize, (CUevent e), rt_event_synchronize((void *)e))
API_HANDLE(cuEventElapsedTime_v2, (float *ms, CUevent from, CUevent to),
	   ms ? rt_event_elapsed(ms, (void *)from, (void *)to) :
		CUDA_ERROR_INVALID_HANDLE)
SAME(cuEventElapsedTime_v1, "cuEventElapsedTime", cuEventElapsedTime_v2)
API_ON(cuEventRecord, _ptsz, s, (CUevent e, CUstream s),
       rt_event_record((void *)e, ON(s), 0))
API_ON(cuEventRecordWithFlags, _ptsz, s,
       (CUevent e, CUstream s, unsigned flags),
       rt_event_record((void *)e, ON(s), flags))
