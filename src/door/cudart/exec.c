/* Instances of graphs. */
#include "door/cudart/api.h"

static int exec_make(cudaGraphExec_t *out, cudaGraph_t g,
		     unsigned long long flags)
{
	if (flags & cudaGraphInstantiateFlagDeviceLaunch)
		return rt_unsupported("a graph that the device launches");
	return rt_exec_new((void *)out, (void *)g, flags);
}

static int exec_make_params(cudaGraphExec_t *out, cudaGraph_t g,
			    cudaGraphInstantiateParams *p)
{
	int e;

	if (!p)
		return cudaErrorInvalidValue;
	e = exec_make(out, g, p->flags);
	p->errNode_out = NULL;
	p->result_out = e ? cudaGraphInstantiateError :
			    cudaGraphInstantiateSuccess;
	return e;
}

API(cudaGraphInstantiateWithFlags,
    (cudaGraphExec_t * out, cudaGraph_t g, unsigned long long flags),
    exec_make(out, g, flags))
API_ON(cudaGraphInstantiateWithParams, _ptsz,
       (cudaGraphExec_t * out, cudaGraph_t g, cudaGraphInstantiateParams *p),
       ((void)default_, exec_make_params(out, g, p)))
API(cudaGraphExecDestroy, (cudaGraphExec_t x), rt_exec_free((void *)x))
API_ON(cudaGraphLaunch, _ptsz, (cudaGraphExec_t x, cudaStream_t s),
       rt_exec_launch((void *)x, ON(s)))

static int exec_upload(struct rt_exec *x, struct rt_stream *s)
{
	struct rt_stream_info info;
	uint64_t flags;
	int e = rt_exec_flags(&flags, x);

	return e ? e : rt_stream_info(&info, s);
}

static int exec_flags(unsigned long long *out, struct rt_exec *x)
{
	uint64_t flags;
	int e = rt_exec_flags(&flags, x);

	if (e || !out)
		return e ? e : cudaErrorInvalidValue;
	*out = flags;
	return cudaSuccess;
}

static int exec_is_enabled(unsigned *out, struct rt_exec *x, struct rt_node *n)
{
	bool on;
	int e = rt_exec_enabled(&on, x, n);

	if (e || !out)
		return e ? e : cudaErrorInvalidValue;
	*out = on;
	return cudaSuccess;
}

API_ON(cudaGraphUpload, _ptsz, (cudaGraphExec_t x, cudaStream_t s),
       exec_upload((void *)x, ON(s)))
API(cudaGraphExecGetFlags, (cudaGraphExec_t x, unsigned long long *flags),
    exec_flags(flags, (void *)x))
API(cudaGraphNodeSetEnabled,
    (cudaGraphExec_t x, cudaGraphNode_t n, unsigned on),
    rt_exec_enable((void *)x, (void *)n, on != 0))
API(cudaGraphNodeGetEnabled,
    (cudaGraphExec_t x, cudaGraphNode_t n, unsigned *on),
    exec_is_enabled(on, (void *)x, (void *)n))

static int exec_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *bad,
		       enum cudaGraphExecUpdateResult *result)
{
	struct rt_node *node;
	int what, e = rt_exec_update((void *)x, (void *)g, &what, &node);

	if (bad)
		*bad = (void *)node;
	if (result)
		*result = (enum cudaGraphExecUpdateResult)what;
	return e;
}

#if CUDART_MAJOR >= 12
API(cudaGraphInstantiate,
    (cudaGraphExec_t * out, cudaGraph_t g, unsigned long long flags),
    exec_make(out, g, flags))
static int exec_update_info(cudaGraphExec_t x, cudaGraph_t g,
			    cudaGraphExecUpdateResultInfo *info)
{
	if (!info)
		return cudaErrorInvalidValue;
	info->errorFromNode = NULL;
	return exec_update(x, g, &info->errorNode, &info->result);
}

API(cudaGraphExecUpdate,
    (cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info),
    exec_update_info(x, g, info))
#else
AS(instantiate11, "cudaGraphInstantiate", RT_WORK,
   (cudaGraphExec_t * out, cudaGraph_t g, cudaGraphNode_t *bad, char *log,
    size_t size),
   (bad ? *bad = NULL : NULL, log &&size ? *log = '\0' : '\0',
    exec_make(out, g, 0)))
AS(update11, "cudaGraphExecUpdate", RT_WORK,
   (cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *bad,
    enum cudaGraphExecUpdateResult *result),
   exec_update(x, g, bad, result))
#endif
