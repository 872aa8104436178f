#include "door/libcuda/api.h"

/*
 * Instances of graphs
 */

static int cu_exec_make(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
	if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
		return rt_unsupported("a graph that the device launches");
	return NEED(out, rt_exec_new((void *)out, (void *)g, flags));
}

static int cu_exec_make_params(CUgraphExec *out, CUgraph g,
			       CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	int e = p ? cu_exec_make(out, g, p->flags) : CUDA_ERROR_INVALID_VALUE;

	if (p) {
		p->hErrNode_out = NULL;
		p->result_out = e != 0;
	}
	return e;
}

/* Old form that reports the bad node and a log; both stay empty. */
static int exec_make_logged(CUgraphExec *out, CUgraph g, CUgraphNode *bad,
			    char *log, size_t size)
{
	if (bad)
		*bad = NULL;
	if (log && size)
		*log = '\0';
	return cu_exec_make(out, g, 0);
}

static int cu_exec_upload(struct rt_exec *x, struct rt_stream *s)
{
	struct rt_stream_info info;
	uint64_t flags;
	int e = rt_exec_flags(&flags, x);

	return e ? e : rt_stream_info(&info, s);
}

static int exec_get_flags(cuuint64_t *out, struct rt_exec *x)
{
	return NEED(out, rt_exec_flags(out, x));
}

static int cu_exec_is_enabled(unsigned *out, struct rt_exec *x,
			      struct rt_node *n)
{
	bool on;
	int e = out ? rt_exec_enabled(&on, x, n) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*out = on;
	return e;
}

static int cu_exec_update(CUgraphExec x, CUgraph g, CUgraphNode *bad,
			  CUgraphExecUpdateResult *result)
{
	struct rt_node *node = NULL;
	int what = 0, e = rt_exec_update((void *)x, (void *)g, &what, &node);

	if (bad)
		*bad = (void *)node;
	if (result)
		*result = what;
	return e;
}

static int cu_exec_update_info(CUgraphExec x, CUgraph g,
			       CUgraphExecUpdateResultInfo *info)
{
	if (!info)
		return CUDA_ERROR_INVALID_VALUE;
	info->errorFromNode = NULL;
	return cu_exec_update(x, g, &info->errorNode, &info->result);
}

API(cuGraphInstantiateWithFlags,
    (CUgraphExec * out, CUgraph g, unsigned long long flags),
    cu_exec_make(out, g, flags))
API_ON(cuGraphInstantiateWithParams, _ptsz, 0,
       (CUgraphExec * out, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p),
       ((void)default_, cu_exec_make_params(out, g, p)))
API(cuGraphInstantiate_v2,
    (CUgraphExec * out, CUgraph g, CUgraphNode *bad, char *log, size_t size),
    exec_make_logged(out, g, bad, log, size))
SAME(cuGraphInstantiate_v1, "cuGraphInstantiate", cuGraphInstantiate_v2)
API(cuGraphExecDestroy, (CUgraphExec x), rt_exec_free((void *)x))
API(cuGraphExecGetFlags, (CUgraphExec x, cuuint64_t *out),
    exec_get_flags(out, (void *)x))
API_ON(cuGraphUpload, _ptsz, s, (CUgraphExec x, CUstream s),
       cu_exec_upload((void *)x, ON(s)))
API_ON(cuGraphLaunch, _ptsz, s, (CUgraphExec x, CUstream s),
       rt_exec_launch((void *)x, ON(s)))
API(cuGraphNodeSetEnabled, (CUgraphExec x, CUgraphNode n, unsigned on),
    rt_exec_enable((void *)x, (void *)n, on != 0))
API(cuGraphNodeGetEnabled, (CUgraphExec x, CUgraphNode n, unsigned *out),
    cu_exec_is_enabled(out, (void *)x, (void *)n))
API(cuGraphExecUpdate_v2,
    (CUgraphExec x, CUgraph g, CUgraphExecUpdateResultInfo *info),
    cu_exec_update_info(x, g, info))
API_OLD(cuGraphExecUpdate_v1, "cuGraphExecUpdate", ENTRY_WORK,
	(CUgraphExec x, CUgraph g, CUgraphNode *bad,
	 CUgraphExecUpdateResult *result),
	cu_exec_update(x, g, bad, result))

/*
 * User objects
 */

API(cuUserObjectCreate,
    (CUuserObject * out, void *p, CUhostFn destroy, unsigned count,
     unsigned flags),
    NEED(flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC,
	 rt_object_new((void *)out, p, destroy, count)))
API(cuUserObjectRetain, (CUuserObject o, unsigned count),
    rt_object_retain((void *)o, count))
API(cuUserObjectRelease, (CUuserObject o, unsigned count),
    rt_object_release((void *)o, count))
API(cuGraphRetainUserObject,
    (CUgraph g, CUuserObject o, unsigned count, unsigned flags),
    NEED(flags <= CU_GRAPH_USER_OBJECT_MOVE,
	 rt_graph_retain((void *)g, (void *)o, count,
			 flags == CU_GRAPH_USER_OBJECT_MOVE)))
API(cuGraphReleaseUserObject, (CUgraph g, CUuserObject o, unsigned count),
    rt_graph_release((void *)g, (void *)o, count))

/*
 * Capture
 */

static int capture_begin(struct rt_stream *s, int mode, CUgraph g,
			 const CUgraphNode *deps, size_t count)
{
	if (mode < RT_CAPTURE_GLOBAL || mode > RT_CAPTURE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	return rt_capture_begin(s, (enum rt_capture_mode)mode, (void *)g,
				(void *)(uintptr_t)deps, count);
}

/* Where to write the properties of a capture; NULL: not asked for. */
struct capture_query {
	CUstreamCaptureStatus *status;
	cuuint64_t *id;
	CUgraph *graph;
	const CUgraphNode **deps;
	const CUgraphEdgeData **edges;
	size_t *count;
};

static int cu_capture_info(struct rt_stream *s, struct capture_query a)
{
	struct rt_capture_info i;
	int e = a.status ? rt_capture_info(&i, s) : CUDA_ERROR_INVALID_VALUE;

	if (e)
		return e;
	*a.status = (CUstreamCaptureStatus)i.status;
	if (a.edges)
		*a.edges = NULL;
	if (i.status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return 0;
	if (a.id)
		*a.id = i.id;
	if (a.graph)
		*a.graph = (void *)i.graph;
	if (a.deps)
		*a.deps = (void *)(uintptr_t)i.deps;
	if (a.count)
		*a.count = i.count;
	return 0;
}

static int cu_capture_set_deps(struct rt_stream *s, CUgraphNode *deps,
			       size_t count, unsigned flags)
{
	return NEED(
		flags <= CU_STREAM_SET_CAPTURE_DEPENDENCIES,
		rt_capture_after(s, (void *)deps, count,
				 flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}

API_ON(cuStreamBeginCapture_v2, _ptsz, s,
       (CUstream s, CUstreamCaptureMode mode),
       capture_begin(ON(s), mode, NULL, NULL, 0))
API_OLD_ON(cuStreamBeginCapture_v1, "cuStreamBeginCapture", _ptsz, s,
	   (CUstream s), capture_begin(ON(s), RT_CAPTURE_GLOBAL, NULL, NULL, 0))
API_ON(cuStreamBeginCaptureToGraph, _ptsz, s,
       (CUstream s, CUgraph g, const CUgraphNode *deps,
	const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode),
       ((void)edges, NEED(g, capture_begin(ON(s), mode, g, deps, count))))
API_ON(cuStreamEndCapture, _ptsz, s, (CUstream s, CUgraph *out),
       NEED(out, rt_capture_end(ON(s), (void *)out)))
API_ON(cuStreamIsCapturing, _ptsz, s,
       (CUstream s, CUstreamCaptureStatus *status),
       cu_capture_info(ON(s), (struct capture_query){ .status = status }))
API_ON(cuStreamGetCaptureInfo_v3, _ptsz, s,
       (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *g,
	const CUgraphNode **deps, const CUgraphEdgeData **edges, size_t *count),
       cu_capture_info(ON(s), (struct capture_query){ status, id, g, deps,
						      edges, count }))
API_ON(cuStreamGetCaptureInfo_v2, _ptsz, s,
       (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *g,
	const CUgraphNode **deps, size_t *count),
       cu_capture_info(ON(s), (struct capture_query){ status, id, g, deps, NULL,
						      count }))
API_OLD_ON(cuStreamGetCaptureInfo_v1, "cuStreamGetCaptureInfo", _ptsz, s,
	   (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id),
	   cu_capture_info(ON(s), (struct capture_query){ .status = status,
							  .id = id }))
API_ON(cuStreamUpdateCaptureDependencies_v2, _ptsz, s,
       (CUstream s, CUgraphNode *deps, const CUgraphEdgeData *edges,
	size_t count, unsigned flags),
       ((void)edges, cu_capture_set_deps(ON(s), deps, count, flags)))
API_OLD_ON(cuStreamUpdateCaptureDependencies_v1,
	   "cuStreamUpdateCaptureDependencies", _ptsz, s,
	   (CUstream s, CUgraphNode *deps, size_t count, unsigned flags),
	   cu_capture_set_deps(ON(s), deps, count, flags))
API(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode),
    NEED(mode, rt_capture_mode(mode)))
