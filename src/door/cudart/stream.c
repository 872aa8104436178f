#include <string.h>

#include "door/cudart/api.h"

API(cudaStreamCreate, (cudaStream_t * s), rt_stream_new((void *)s, 0, 0))
API(cudaStreamCreateWithFlags, (cudaStream_t * s, unsigned flags),
    rt_stream_new((void *)s, flags, 0))
API(cudaStreamCreateWithPriority,
    (cudaStream_t * s, unsigned flags, int priority),
    rt_stream_new((void *)s, flags, priority))
API(cudaStreamDestroy, (cudaStream_t s), rt_stream_free((void *)s))

API_ON(cudaStreamQuery, _ptsz, (cudaStream_t s), rt_stream_query(ON(s)))
API_ON(cudaStreamSynchronize, _ptsz, (cudaStream_t s),
       rt_stream_synchronize(ON(s)))
API_ON(cudaStreamWaitEvent, _ptsz,
       (cudaStream_t s, cudaEvent_t e, unsigned flags),
       rt_stream_wait(ON(s), (void *)e, flags))
API_ON(cudaLaunchHostFunc, _ptsz, (cudaStream_t s, cudaHostFn_t fn, void *data),
       rt_stream_host(ON(s), fn, data))
API_ON(cudaStreamAddCallback, _ptsz,
       (cudaStream_t s, cudaStreamCallback_t fn, void *data, unsigned flags),
       NEED(!flags, rt_stream_callback(ON(s), (void *)fn, data)))

/* Returns one of the stream's properties. */
#define PROPERTY(s, out, expr)                                 \
	({                                                     \
		struct rt_stream_info i;                       \
		int e = rt_stream_info(&i, ON(s));             \
                                                               \
		if (!e && (out))                               \
			*(out) = (expr);                       \
		!e && !(out) ? (int)cudaErrorInvalidValue : e; \
	})

API_ON(cudaStreamGetPriority, _ptsz, (cudaStream_t s, int *priority),
       PROPERTY(s, priority, i.priority))
API_ON(cudaStreamGetFlags, _ptsz, (cudaStream_t s, unsigned *flags),
       PROPERTY(s, flags, i.flags))
API_ON(cudaStreamGetId, _ptsz, (cudaStream_t s, unsigned long long *id),
       PROPERTY(s, id, i.id))
API_ON(cudaStreamGetDevice, _ptsz, (cudaStream_t s, int *device),
       PROPERTY(s, device, i.device))

/* L2 access windows and memory domains are not modelled: a stream has none, and
 * setting one is accepted without effect. */
static int stream_get_attribute(struct rt_stream *s, int id,
				cudaLaunchAttributeValue *out)
{
	struct rt_stream_info info;
	int e = rt_stream_info(&info, s);

	if (e || !out)
		return e ? e : cudaErrorInvalidValue;
	memset(out, 0, sizeof(*out));
	switch (id) {
	case cudaLaunchAttributeSynchronizationPolicy:
		out->syncPolicy =
			(enum cudaSynchronizationPolicy)info.sync_policy;
		return cudaSuccess;
	case cudaLaunchAttributePriority:
		out->priority = info.priority;
		return cudaSuccess;
	case cudaLaunchAttributeAccessPolicyWindow:
	case cudaLaunchAttributeMemSyncDomain:
	case cudaLaunchAttributeMemSyncDomainMap:
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

static int stream_set_attribute(struct rt_stream *s, int id,
				const cudaLaunchAttributeValue *value)
{
	struct rt_stream_info info;
	int e = rt_stream_info(&info, s);

	if (e || !value)
		return e ? e : cudaErrorInvalidValue;
	switch (id) {
	case cudaLaunchAttributeSynchronizationPolicy:
		return rt_stream_sync_policy(s, (int)value->syncPolicy);
	case cudaLaunchAttributeAccessPolicyWindow:
	case cudaLaunchAttributeMemSyncDomain:
	case cudaLaunchAttributeMemSyncDomainMap:
	case cudaLaunchAttributePriority:
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

static int stream_copy_attributes(struct rt_stream *to, struct rt_stream *from)
{
	struct rt_stream_info info;
	int e = rt_stream_info(&info, from);

	return e ? e : rt_stream_sync_policy(to, info.sync_policy);
}

API_ON(cudaStreamGetAttribute, _ptsz,
       (cudaStream_t s, cudaLaunchAttributeID id,
	cudaLaunchAttributeValue *out),
       stream_get_attribute(ON(s), (int)id, out))
API_ON(cudaStreamSetAttribute, _ptsz,
       (cudaStream_t s, cudaLaunchAttributeID id,
	const cudaLaunchAttributeValue *value),
       stream_set_attribute(ON(s), (int)id, value))
API_ON(cudaStreamCopyAttributes, _ptsz, (cudaStream_t to, cudaStream_t from),
       stream_copy_attributes(ON(to), ON(from)))

/*
 * Events
 */

API(cudaEventCreate, (cudaEvent_t * e), rt_event_new((void *)e, 0))
API(cudaEventCreateWithFlags, (cudaEvent_t * e, unsigned flags),
    rt_event_new((void *)e, flags))
API(cudaEventDestroy, (cudaEvent_t e), rt_event_free((void *)e))
API(cudaEventQuery, (cudaEvent_t e), rt_event_query((void *)e))
API(cudaEventSynchronize, (cudaEvent_t e), rt_event_synchronize((void *)e))
API(cudaEventElapsedTime, (float *ms, cudaEvent_t from, cudaEvent_t to),
    rt_event_elapsed(ms, (void *)from, (void *)to))
API_ON(cudaEventRecord, _ptsz, (cudaEvent_t e, cudaStream_t s),
       rt_event_record((void *)e, ON(s), 0))
API_ON(cudaEventRecordWithFlags, _ptsz,
       (cudaEvent_t e, cudaStream_t s, unsigned flags),
       rt_event_record((void *)e, ON(s), flags))
#if CUDART_MAJOR == 12
MORE(cudaEventElapsedTime_v2, (float *ms, cudaEvent_t from, cudaEvent_t to),
     rt_event_elapsed(ms, (void *)from, (void *)to))
#endif
