/* Stream capture. */
#include "door/cudart/api.h"

static int is_capturing(struct rt_stream *s,
			enum cudaStreamCaptureStatus *status)
{
	struct rt_capture_info info;
	int e = rt_capture_info(&info, s);

	if (e || !status)
		return e ? e : cudaErrorInvalidValue;
	*status = (enum cudaStreamCaptureStatus)info.status;
	return cudaSuccess;
}

API_ON(cudaStreamBeginCapture, _ptsz,
       (cudaStream_t s, enum cudaStreamCaptureMode mode),
       rt_capture_begin(ON(s), (enum rt_capture_mode)mode, NULL, NULL, 0))
API_ON(cudaStreamBeginCaptureToGraph, _ptsz,
       (cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *deps,
	const cudaGraphEdgeData *edges, size_t count,
	enum cudaStreamCaptureMode mode),
       ((void)edges,
	NEED(g, rt_capture_begin(ON(s), (enum rt_capture_mode)mode, (void *)g,
				 (void *)(uintptr_t)deps, count))))
API_ON(cudaStreamEndCapture, _ptsz, (cudaStream_t s, cudaGraph_t *out),
       rt_capture_end(ON(s), (void *)out))
API_ON(cudaStreamIsCapturing, _ptsz,
       (cudaStream_t s, enum cudaStreamCaptureStatus *status),
       is_capturing(ON(s), status))
API(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode * mode),
    rt_capture_mode((void *)mode))

/*
 * The dependencies of the stream's next node. CUDA 13 gave the long forms the
 * names that the short ones had before.
 */

static int capture_info(struct rt_stream *s,
			enum cudaStreamCaptureStatus *status,
			unsigned long long *id, cudaGraph_t *g,
			const cudaGraphNode_t **deps,
			const cudaGraphEdgeData **edges, size_t *count)
{
	struct rt_capture_info info;
	int e = rt_capture_info(&info, s);

	if (e || !status)
		return e ? e : cudaErrorInvalidValue;
	*status = (enum cudaStreamCaptureStatus)info.status;
	if (edges)
		*edges = NULL;
	if (info.status != cudaStreamCaptureStatusActive)
		return cudaSuccess;
	if (id)
		*id = info.id;
	if (g)
		*g = (void *)info.graph;
	if (deps)
		*deps = (void *)(uintptr_t)info.deps;
	if (count)
		*count = info.count;
	return cudaSuccess;
}

#define INFO_OUT                                              \
	cudaStream_t s, enum cudaStreamCaptureStatus *status, \
		unsigned long long *id
#define INFO_MORE cudaGraph_t *g, const cudaGraphNode_t **deps

#if CUDART_MAJOR >= 13
API_ON(cudaStreamGetCaptureInfo, _ptsz,
       (INFO_OUT, INFO_MORE, const cudaGraphEdgeData **edges, size_t *count),
       capture_info(ON(s), status, id, g, deps, edges, count))
API_ON(cudaStreamUpdateCaptureDependencies, _ptsz,
       (cudaStream_t s, cudaGraphNode_t *deps, const cudaGraphEdgeData *edges,
	size_t count, unsigned flags),
       ((void)edges,
	rt_capture_after(ON(s), (void *)deps, count,
			 flags == cudaStreamSetCaptureDependencies)))
#else
AS_ON(info12, "cudaStreamGetCaptureInfo", "_ptsz", (INFO_OUT),
      capture_info(ON(s), status, id, NULL, NULL, NULL, NULL))
AS_ON(after12, "cudaStreamUpdateCaptureDependencies", "_ptsz",
      (cudaStream_t s, cudaGraphNode_t *deps, size_t count, unsigned flags),
      rt_capture_after(ON(s), (void *)deps, count,
		       flags == cudaStreamSetCaptureDependencies))
MORE_ON(cudaStreamGetCaptureInfo_v2, _ptsz,
	(INFO_OUT, INFO_MORE, size_t *count),
	capture_info(ON(s), status, id, g, deps, NULL, count))
MORE_ON(cudaStreamGetCaptureInfo_v3, _ptsz,
	(INFO_OUT, INFO_MORE, const cudaGraphEdgeData **edges, size_t *count),
	capture_info(ON(s), status, id, g, deps, edges, count))
MORE_ON(cudaStreamUpdateCaptureDependencies_v2, _ptsz,
	(cudaStream_t s, cudaGraphNode_t *deps, const cudaGraphEdgeData *edges,
	 size_t count, unsigned flags),
	((void)edges,
	 rt_capture_after(ON(s), (void *)deps, count,
			  flags == cudaStreamSetCaptureDependencies)))
#endif
