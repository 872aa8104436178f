#include <string.h>

#include "door/cudart/api.h"

API(cudaGraphCreate, (cudaGraph_t * g, unsigned flags),
    NEED(g && !flags, rt_graph_new((void *)g)))
API(cudaGraphDestroy, (cudaGraph_t g), rt_graph_free((void *)g))
API(cudaGraphClone, (cudaGraph_t * out, cudaGraph_t g),
    rt_graph_clone((void *)out, (void *)g))
API(cudaGraphDestroyNode, (cudaGraphNode_t n), rt_node_free((void *)n))
API(cudaGraphNodeFindInClone,
    (cudaGraphNode_t * out, cudaGraphNode_t n, cudaGraph_t clone),
    rt_node_in_clone((void *)out, (void *)n, (void *)clone))
API(cudaGraphGetNodes, (cudaGraph_t g, cudaGraphNode_t *list, size_t *count),
    rt_graph_nodes((void *)g, false, (void *)list, count))
API(cudaGraphGetRootNodes,
    (cudaGraph_t g, cudaGraphNode_t *list, size_t *count),
    rt_graph_nodes((void *)g, true, (void *)list, count))
API(cudaGraphDebugDotPrint, (cudaGraph_t g, const char *path, unsigned flags),
    ((void)flags, rt_graph_dot((void *)g, path)))

/*
 * From the parameters of nodes to rt_work
 */

typedef int work_from(struct rt_work *w, const void *params);

static int kernel_work(struct rt_work *w, const void *params)
{
	int e;

	w->kind = RT_NODE_KERNEL;
	w->launch = launch_of(params, &e);
	return e;
}

static int copy_work(struct rt_work *w, const void *params)
{
	int e;

	w->kind = RT_NODE_COPY;
	w->copy = copy_of_3d_params(params, &e);
	return e;
}

static int set_work(struct rt_work *w, const void *params)
{
	const struct cudaMemsetParams *p = params;

	if (!p)
		return cudaErrorInvalidValue;
	w->kind = RT_NODE_SET;
	w->set = (struct rt_set){ .p = p->dst,
				  .pitch = p->height > 1 ? p->pitch : 0,
				  .value = p->value,
				  .element = p->elementSize,
				  .width = p->width,
				  .height = p->height,
				  .depth = 1 };
	return cudaSuccess;
}

static int host_work(struct rt_work *w, const void *params)
{
	const struct cudaHostNodeParams *p = params;

	if (!p)
		return cudaErrorInvalidValue;
	w->kind = RT_NODE_HOST;
	w->host.fn = p->fn;
	w->host.data = p->userData;
	return cudaSuccess;
}

/* A copy of consecutive bytes, possibly from or to a variable. */
struct line_copy {
	void *to;
	const void *from, *symbol; /* symbol replaces `to` or `from` */
	bool to_symbol;
	size_t count, offset;
	int kind;
};

static int line_work(struct rt_work *w, const void *params)
{
	const struct line_copy *l = params;
	struct rt_copy *c = &w->copy;
	void *at = NULL;
	size_t size = 0;
	int e = cudaSuccess;

	w->kind = RT_NODE_COPY;
	*c = (struct rt_copy){ .to.p = l->to,
			       .from.p = (void *)(uintptr_t)l->from,
			       .width = l->count,
			       .height = 1,
			       .depth = 1 };
	if (l->symbol) {
		e = rt_symbol(&at, &size, l->symbol);
		if (!e && (l->offset > size || l->count > size - l->offset))
			e = cudaErrorInvalidValue;
		if (l->to_symbol)
			c->to.p = (char *)at + l->offset;
		else
			c->from.p = (char *)at + l->offset;
	}
	return e ? e : rt_copy_kind(l->kind, &c->to.where, &c->from.where);
}

static int graph_work(struct rt_work *w, const void *params)
{
	w->kind = RT_NODE_GRAPH;
	w->graph = (void *)(uintptr_t)params;
	return cudaSuccess;
}

static int empty_work(struct rt_work *w, const void *params)
{
	(void)params;
	w->kind = RT_NODE_EMPTY;
	return cudaSuccess;
}

static int record_work(struct rt_work *w, const void *params)
{
	w->kind = RT_NODE_RECORD;
	w->event = (void *)(uintptr_t)params;
	return cudaSuccess;
}

static int wait_work(struct rt_work *w, const void *params)
{
	w->kind = RT_NODE_WAIT;
	w->event = (void *)(uintptr_t)params;
	return cudaSuccess;
}

static int free_work(struct rt_work *w, const void *params)
{
	w->kind = RT_NODE_FREE;
	w->memory.p = (void *)(uintptr_t)params;
	return cudaSuccess;
}

/* Every version returns the driver's error for an impossible shape. */
static int driver_error(int e)
{
	return e == cudaErrorInvalidConfiguration ? (int)cudaErrorInvalidValue :
						    e;
}

static int node_add(cudaGraphNode_t *out, cudaGraph_t g,
		    const cudaGraphNode_t *deps, size_t count, work_from *from,
		    const void *params)
{
	struct rt_work w = { 0 };
	int e = from(&w, params);

	return e ? e :
		   driver_error(rt_node_add((void *)out, (void *)g,
					    (void *)(uintptr_t)deps, count,
					    &w));
}

static int node_set(cudaGraphNode_t n, work_from *from, const void *params)
{
	struct rt_work w = { 0 };
	int e = from(&w, params);

	return e ? e : driver_error(rt_node_set((void *)n, &w));
}

static int exec_set_node(cudaGraphExec_t x, cudaGraphNode_t n, work_from *from,
			 const void *params)
{
	struct rt_work w = { 0 };
	int e = from(&w, params);

	return e ? e : driver_error(rt_exec_set((void *)x, (void *)n, &w));
}

/* Reads the work of a node, which must be of that kind. */
static int node_get(struct rt_work *w, cudaGraphNode_t n,
		    enum rt_node_kind kind, const void *out)
{
	int e = rt_node_get(w, (void *)n);

	if (e)
		return e;
	return out && w->kind == kind ? cudaSuccess : cudaErrorInvalidValue;
}

#define ADD_PARAMS                                                        \
	cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, \
		size_t count

API(cudaGraphAddKernelNode, (ADD_PARAMS, const struct cudaKernelNodeParams *p),
    node_add(out, g, deps, count, kernel_work, p))
API(cudaGraphKernelNodeSetParams,
    (cudaGraphNode_t n, const struct cudaKernelNodeParams *p),
    node_set(n, kernel_work, p))
API(cudaGraphExecKernelNodeSetParams,
    (cudaGraphExec_t x, cudaGraphNode_t n,
     const struct cudaKernelNodeParams *p),
    exec_set_node(x, n, kernel_work, p))
API(cudaGraphAddMemcpyNode, (ADD_PARAMS, const struct cudaMemcpy3DParms *p),
    node_add(out, g, deps, count, copy_work, p))
API(cudaGraphMemcpyNodeSetParams,
    (cudaGraphNode_t n, const struct cudaMemcpy3DParms *p),
    node_set(n, copy_work, p))
API(cudaGraphExecMemcpyNodeSetParams,
    (cudaGraphExec_t x, cudaGraphNode_t n, const struct cudaMemcpy3DParms *p),
    exec_set_node(x, n, copy_work, p))
API(cudaGraphAddMemsetNode, (ADD_PARAMS, const struct cudaMemsetParams *p),
    node_add(out, g, deps, count, set_work, p))
API(cudaGraphMemsetNodeSetParams,
    (cudaGraphNode_t n, const struct cudaMemsetParams *p),
    node_set(n, set_work, p))
API(cudaGraphExecMemsetNodeSetParams,
    (cudaGraphExec_t x, cudaGraphNode_t n, const struct cudaMemsetParams *p),
    exec_set_node(x, n, set_work, p))
API(cudaGraphAddHostNode, (ADD_PARAMS, const struct cudaHostNodeParams *p),
    node_add(out, g, deps, count, host_work, p))
API(cudaGraphHostNodeSetParams,
    (cudaGraphNode_t n, const struct cudaHostNodeParams *p),
    node_set(n, host_work, p))
API(cudaGraphExecHostNodeSetParams,
    (cudaGraphExec_t x, cudaGraphNode_t n, const struct cudaHostNodeParams *p),
    exec_set_node(x, n, host_work, p))
API(cudaGraphAddEmptyNode, (ADD_PARAMS),
    node_add(out, g, deps, count, empty_work, NULL))
API(cudaGraphAddChildGraphNode, (ADD_PARAMS, cudaGraph_t child),
    node_add(out, g, deps, count, graph_work, child))
API(cudaGraphExecChildGraphNodeSetParams,
    (cudaGraphExec_t x, cudaGraphNode_t n, cudaGraph_t child),
    exec_set_node(x, n, graph_work, child))
API(cudaGraphAddEventRecordNode, (ADD_PARAMS, cudaEvent_t e),
    node_add(out, g, deps, count, record_work, e))
API(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t n, cudaEvent_t e),
    node_set(n, record_work, e))
API(cudaGraphExecEventRecordNodeSetEvent,
    (cudaGraphExec_t x, cudaGraphNode_t n, cudaEvent_t e),
    exec_set_node(x, n, record_work, e))
API(cudaGraphAddEventWaitNode, (ADD_PARAMS, cudaEvent_t e),
    node_add(out, g, deps, count, wait_work, e))
API(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t n, cudaEvent_t e),
    node_set(n, wait_work, e))
API(cudaGraphExecEventWaitNodeSetEvent,
    (cudaGraphExec_t x, cudaGraphNode_t n, cudaEvent_t e),
    exec_set_node(x, n, wait_work, e))
API(cudaGraphAddMemFreeNode, (ADD_PARAMS, void *p),
    NEED(p, node_add(out, g, deps, count, free_work, p)))

#define LINE(...) (&(struct line_copy){ __VA_ARGS__ })

API(cudaGraphAddMemcpyNode1D,
    (ADD_PARAMS, void *to, const void *from, size_t size,
     enum cudaMemcpyKind kind),
    node_add(out, g, deps, count, line_work,
	     LINE(to, from, NULL, false, size, 0, (int)kind)))
API(cudaGraphMemcpyNodeSetParams1D,
    (cudaGraphNode_t n, void *to, const void *from, size_t size,
     enum cudaMemcpyKind kind),
    node_set(n, line_work, LINE(to, from, NULL, false, size, 0, (int)kind)))
API(cudaGraphExecMemcpyNodeSetParams1D,
    (cudaGraphExec_t x, cudaGraphNode_t n, void *to, const void *from,
     size_t size, enum cudaMemcpyKind kind),
    exec_set_node(x, n, line_work,
		  LINE(to, from, NULL, false, size, 0, (int)kind)))
API(cudaGraphAddMemcpyNodeToSymbol,
    (ADD_PARAMS, const void *symbol, const void *from, size_t size,
     size_t offset, enum cudaMemcpyKind kind),
    node_add(out, g, deps, count, line_work,
	     LINE(NULL, from, symbol, true, size, offset, (int)kind)))
API(cudaGraphMemcpyNodeSetParamsToSymbol,
    (cudaGraphNode_t n, const void *symbol, const void *from, size_t size,
     size_t offset, enum cudaMemcpyKind kind),
    node_set(n, line_work,
	     LINE(NULL, from, symbol, true, size, offset, (int)kind)))
API(cudaGraphExecMemcpyNodeSetParamsToSymbol,
    (cudaGraphExec_t x, cudaGraphNode_t n, const void *symbol, const void *from,
     size_t size, size_t offset, enum cudaMemcpyKind kind),
    exec_set_node(x, n, line_work,
		  LINE(NULL, from, symbol, true, size, offset, (int)kind)))
API(cudaGraphAddMemcpyNodeFromSymbol,
    (ADD_PARAMS, void *to, const void *symbol, size_t size, size_t offset,
     enum cudaMemcpyKind kind),
    node_add(out, g, deps, count, line_work,
	     LINE(to, NULL, symbol, false, size, offset, (int)kind)))
API(cudaGraphMemcpyNodeSetParamsFromSymbol,
    (cudaGraphNode_t n, void *to, const void *symbol, size_t size,
     size_t offset, enum cudaMemcpyKind kind),
    node_set(n, line_work,
	     LINE(to, NULL, symbol, false, size, offset, (int)kind)))
API(cudaGraphExecMemcpyNodeSetParamsFromSymbol,
    (cudaGraphExec_t x, cudaGraphNode_t n, void *to, const void *symbol,
     size_t size, size_t offset, enum cudaMemcpyKind kind),
    exec_set_node(x, n, line_work,
		  LINE(to, NULL, symbol, false, size, offset, (int)kind)))

/*
 * From rt_work back to the parameters of nodes
 */

static int node_get_type(cudaGraphNode_t n, enum cudaGraphNodeType *type)
{
	struct rt_work w;
	int e = rt_node_get(&w, (void *)n);

	if (e || !type)
		return e ? e : cudaErrorInvalidValue;
	*type = (enum cudaGraphNodeType)w.kind;
	return cudaSuccess;
}

/* Returns the kernel's handle as func; every call accepts it. */
static int node_get_kernel(cudaGraphNode_t n, struct cudaKernelNodeParams *out)
{
	struct rt_work w;
	int e = node_get(&w, n, RT_NODE_KERNEL, out);
	const struct rt_launch *l = &w.launch;

	if (e)
		return e;
	*out = (struct cudaKernelNodeParams){
		.func = l->func,
		.gridDim = { l->grid[0], l->grid[1], l->grid[2] },
		.blockDim = { l->block[0], l->block[1], l->block[2] },
		.sharedMemBytes = (unsigned)l->shared_bytes,
		.kernelParams = l->args,
	};
	return cudaSuccess;
}

static void place_to_3d(const struct rt_place *p, size_t element,
			cudaArray_t *array, struct cudaPos *at,
			struct cudaPitchedPtr *ptr)
{
	bool is_array = p->where == RT_AT_ARRAY;

	*array = is_array ? (void *)p->array : NULL;
	*at = (struct cudaPos){ is_array ? p->x / element : p->x, p->y, p->z };
	*ptr = (struct cudaPitchedPtr){ is_array ? NULL : p->p, p->pitch, 0,
					p->rows };
}

static enum cudaMemcpyKind copy_kind_of(const struct rt_copy *c)
{
	bool to = c->to.where == RT_AT_HOST, from = c->from.where == RT_AT_HOST;

	if (c->to.where == RT_ANYWHERE || c->from.where == RT_ANYWHERE)
		return cudaMemcpyDefault;
	return to   ? from ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost :
	       from ? cudaMemcpyHostToDevice :
		      cudaMemcpyDeviceToDevice;
}

static int node_get_copy(cudaGraphNode_t n, struct cudaMemcpy3DParms *out)
{
	struct rt_array_info info = { .element = 1 };
	struct rt_work w;
	int e = node_get(&w, n, RT_NODE_COPY, out);
	const struct rt_copy *c = &w.copy;

	if (e)
		return e;
	if (c->to.where == RT_AT_ARRAY || c->from.where == RT_AT_ARRAY) {
		e = rt_array_info(&info, c->to.where == RT_AT_ARRAY ?
						 c->to.array :
						 c->from.array);
		if (e)
			return e;
	}
	*out = (struct cudaMemcpy3DParms){ .extent = { c->width / info.element,
						       c->height, c->depth },
					   .kind = copy_kind_of(c) };
	place_to_3d(&c->to, info.element, &out->dstArray, &out->dstPos,
		    &out->dstPtr);
	place_to_3d(&c->from, info.element, &out->srcArray, &out->srcPos,
		    &out->srcPtr);
	return cudaSuccess;
}

static int node_get_set(cudaGraphNode_t n, struct cudaMemsetParams *out)
{
	struct rt_work w;
	int e = node_get(&w, n, RT_NODE_SET, out);

	if (!e)
		*out = (struct cudaMemsetParams){ w.set.p,     w.set.pitch,
						  w.set.value, w.set.element,
						  w.set.width, w.set.height };
	return e;
}

static int node_get_host(cudaGraphNode_t n, struct cudaHostNodeParams *out)
{
	struct rt_work w;
	int e = node_get(&w, n, RT_NODE_HOST, out);

	if (!e)
		*out = (struct cudaHostNodeParams){ w.host.fn, w.host.data };
	return e;
}

static int node_get_event(cudaGraphNode_t n, enum rt_node_kind kind,
			  cudaEvent_t *out)
{
	struct rt_work w;
	int e = node_get(&w, n, kind, out);

	if (!e)
		*out = (void *)w.event;
	return e;
}

static int node_get_child(cudaGraphNode_t n, cudaGraph_t *out)
{
	struct rt_work w;
	int e = node_get(&w, n, RT_NODE_GRAPH, out);

	if (!e)
		*out = (void *)w.graph;
	return e;
}

static int node_add_alloc(ADD_PARAMS, struct cudaMemAllocNodeParams *p)
{
	struct rt_work w = { .kind = RT_NODE_ALLOC };
	int e;

	if (!p || !p->bytesize)
		return cudaErrorInvalidValue;
	w.memory.size = p->bytesize;
	e = rt_node_add((void *)out, (void *)g, (void *)(uintptr_t)deps, count,
			&w);
	if (!e)
		p->dptr = w.memory.p;
	return e;
}

static int node_get_alloc(cudaGraphNode_t n, struct cudaMemAllocNodeParams *out)
{
	struct rt_work w;
	int e = node_get(&w, n, RT_NODE_ALLOC, out);

	if (e)
		return e;
	*out = (struct cudaMemAllocNodeParams){
		.poolProps = { .allocType = cudaMemAllocationTypePinned,
			       .location = { cudaMemLocationTypeDevice,
					     w.device } },
		.bytesize = w.memory.size,
		.dptr = w.memory.p,
	};
	return cudaSuccess;
}

static int node_get_free(cudaGraphNode_t n, void *out)
{
	struct rt_work w;
	int e = node_get(&w, n, RT_NODE_FREE, out);

	if (!e)
		*(void **)out = w.memory.p;
	return e;
}

API(cudaGraphNodeGetType, (cudaGraphNode_t n, enum cudaGraphNodeType *type),
    node_get_type(n, type))
API(cudaGraphKernelNodeGetParams,
    (cudaGraphNode_t n, struct cudaKernelNodeParams *out),
    node_get_kernel(n, out))
API(cudaGraphMemcpyNodeGetParams,
    (cudaGraphNode_t n, struct cudaMemcpy3DParms *out), node_get_copy(n, out))
API(cudaGraphMemsetNodeGetParams,
    (cudaGraphNode_t n, struct cudaMemsetParams *out), node_get_set(n, out))
API(cudaGraphHostNodeGetParams,
    (cudaGraphNode_t n, struct cudaHostNodeParams *out), node_get_host(n, out))
API(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t n, cudaEvent_t *out),
    node_get_event(n, RT_NODE_RECORD, out))
API(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t n, cudaEvent_t *out),
    node_get_event(n, RT_NODE_WAIT, out))
API(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t n, cudaGraph_t *out),
    node_get_child(n, out))
API(cudaGraphAddMemAllocNode, (ADD_PARAMS, struct cudaMemAllocNodeParams *p),
    node_add_alloc(out, g, deps, count, p))
API(cudaGraphMemAllocNodeGetParams,
    (cudaGraphNode_t n, struct cudaMemAllocNodeParams *out),
    node_get_alloc(n, out))
API(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t n, void *out),
    node_get_free(n, out))
API(cudaDeviceGetGraphMemAttribute,
    (int device, enum cudaGraphMemAttributeType attribute, void *value),
    rt_graph_memory_get(device, (int)attribute, value))
API(cudaDeviceSetGraphMemAttribute,
    (int device, enum cudaGraphMemAttributeType attribute, void *value),
    rt_graph_memory_set(device, (int)attribute, value))
API(cudaDeviceGraphMemTrim, (int device),
    device < 0 || device >= rt_device_count() ? (int)cudaErrorInvalidDevice :
						cudaSuccess)

/* The cooperative flag of a kernel node; other attributes have no effect. */
static int get_node_attribute(cudaGraphNode_t n, int id,
			      cudaLaunchAttributeValue *out)
{
	struct rt_work w;
	int e = node_get(&w, n, RT_NODE_KERNEL, out);

	if (e)
		return e;
	memset(out, 0, sizeof(*out));
	if (id == cudaLaunchAttributeCooperative)
		out->cooperative = w.launch.cooperative;
	return cudaSuccess;
}

static int set_node_attribute(cudaGraphNode_t n, int id,
			      const cudaLaunchAttributeValue *value)
{
	struct rt_work w;
	int e = node_get(&w, n, RT_NODE_KERNEL, value);

	if (e || id != cudaLaunchAttributeCooperative)
		return e;
	w.launch.cooperative = value->cooperative != 0;
	return rt_node_set((void *)n, &w);
}

static int copy_node_attributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
	cudaLaunchAttributeValue v;
	int e = get_node_attribute(from, cudaLaunchAttributeCooperative, &v);

	return e ? e :
		   set_node_attribute(to, cudaLaunchAttributeCooperative, &v);
}

API(cudaGraphKernelNodeGetAttribute,
    (cudaGraphNode_t n, cudaLaunchAttributeID id,
     cudaLaunchAttributeValue *out),
    get_node_attribute(n, (int)id, out))
API(cudaGraphKernelNodeSetAttribute,
    (cudaGraphNode_t n, cudaLaunchAttributeID id,
     const cudaLaunchAttributeValue *value),
    set_node_attribute(n, (int)id, value))
API(cudaGraphKernelNodeCopyAttributes,
    (cudaGraphNode_t to, cudaGraphNode_t from), copy_node_attributes(to, from))

/*
 * Nodes of any kind: CUDA 12 and later
 */

static int any_params_work(struct rt_work *w,
			   const struct cudaGraphNodeParams *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		return kernel_work(w, &p->kernel);
	case cudaGraphNodeTypeMemcpy:
		return copy_work(w, &p->memcpy.copyParams);
	case cudaGraphNodeTypeMemset:
		return set_work(w, &p->memset);
	case cudaGraphNodeTypeHost:
		return host_work(w, &p->host);
	case cudaGraphNodeTypeGraph:
		return graph_work(w, p->graph.graph);
	case cudaGraphNodeTypeEmpty:
		return empty_work(w, NULL);
	case cudaGraphNodeTypeWaitEvent:
		return wait_work(w, p->eventWait.event);
	case cudaGraphNodeTypeEventRecord:
		return record_work(w, p->eventRecord.event);
	case cudaGraphNodeTypeMemFree:
		return free_work(w, p->free.dptr);
	case cudaGraphNodeTypeMemAlloc:
		w->kind = RT_NODE_ALLOC;
		w->memory.size = p->alloc.bytesize;
		return cudaSuccess;
	default:
		return rt_unsupported("a node of that kind");
	}
}

static int node_add_any(ADD_PARAMS, struct cudaGraphNodeParams *p)
{
	struct rt_work w = { 0 };
	int e = any_params_work(&w, p);

	if (!e)
		e = driver_error(rt_node_add((void *)out, (void *)g,
					     (void *)(uintptr_t)deps, count,
					     &w));
	if (!e && w.kind == RT_NODE_ALLOC)
		p->alloc.dptr = w.memory.p;
	return e;
}

static int any_work(struct rt_work *w, const void *params)
{
	return any_params_work(w, params);
}

API(cudaGraphNodeSetParams, (cudaGraphNode_t n, struct cudaGraphNodeParams *p),
    node_set(n, any_work, p))
API(cudaGraphExecNodeSetParams,
    (cudaGraphExec_t x, cudaGraphNode_t n, struct cudaGraphNodeParams *p),
    exec_set_node(x, n, any_work, p))

/*
 * User objects
 */

API(cudaUserObjectCreate,
    (cudaUserObject_t * out, void *p, cudaHostFn_t destroy, unsigned count,
     unsigned flags),
    NEED(flags == cudaUserObjectNoDestructorSync,
	 rt_object_new((void *)out, p, destroy, count)))
API(cudaUserObjectRetain, (cudaUserObject_t o, unsigned count),
    rt_object_retain((void *)o, count))
API(cudaUserObjectRelease, (cudaUserObject_t o, unsigned count),
    rt_object_release((void *)o, count))
API(cudaGraphRetainUserObject,
    (cudaGraph_t g, cudaUserObject_t o, unsigned count, unsigned flags),
    NEED(flags <= 1, rt_graph_retain((void *)g, (void *)o, count, flags == 1)))
API(cudaGraphReleaseUserObject,
    (cudaGraph_t g, cudaUserObject_t o, unsigned count),
    rt_graph_release((void *)g, (void *)o, count))

/*
 * Functions with one more parameter in CUDA 13; CUDA 12 has both forms
 */

/* All edges are plain dependencies: their data is zero. */
static void clear_edges(cudaGraphEdgeData *edges, const size_t *count, int e)
{
	if (!e && edges)
		memset(edges, 0, *count * sizeof(*edges));
}

static int list_edges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
		      cudaGraphEdgeData *edges, size_t *count)
{
	int e = rt_graph_edges((void *)g, (void *)from, (void *)to, count);

	clear_edges(edges, count, e);
	return e;
}

static int list_neighbours(cudaGraphNode_t n, bool before,
			   cudaGraphNode_t *list, cudaGraphEdgeData *edges,
			   size_t *count)
{
	int e = rt_node_edges((void *)n, before, (void *)list, count);

	clear_edges(edges, count, e);
	return e;
}

#define PAIRS const cudaGraphNode_t *from, const cudaGraphNode_t *to
#define RT_PAIRS (void *)(uintptr_t)from, (void *)(uintptr_t)to

#if CUDART_MAJOR >= 13
API(cudaGraphGetEdges,
    (cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
     cudaGraphEdgeData *edges, size_t *count),
    list_edges(g, from, to, edges, count))
API(cudaGraphNodeGetDependencies,
    (cudaGraphNode_t n, cudaGraphNode_t *list, cudaGraphEdgeData *edges,
     size_t *count),
    list_neighbours(n, true, list, edges, count))
API(cudaGraphNodeGetDependentNodes,
    (cudaGraphNode_t n, cudaGraphNode_t *list, cudaGraphEdgeData *edges,
     size_t *count),
    list_neighbours(n, false, list, edges, count))
API(cudaGraphAddDependencies,
    (cudaGraph_t g, PAIRS, const cudaGraphEdgeData *edges, size_t count),
    ((void)edges, rt_edges_add((void *)g, RT_PAIRS, count)))
API(cudaGraphRemoveDependencies,
    (cudaGraph_t g, PAIRS, const cudaGraphEdgeData *edges, size_t count),
    ((void)edges, rt_edges_remove((void *)g, RT_PAIRS, count)))
API(cudaGraphAddNode,
    (cudaGraphNode_t * out, cudaGraph_t g, const cudaGraphNode_t *deps,
     const cudaGraphEdgeData *edges, size_t count,
     struct cudaGraphNodeParams *p),
    ((void)edges, node_add_any(out, g, deps, count, p)))
#else
/* The short forms, under the names that CUDA 13 uses for the long ones. */
AS(edges12, "cudaGraphGetEdges", RT_WORK,
   (cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count),
   list_edges(g, from, to, NULL, count))
AS(before12, "cudaGraphNodeGetDependencies", RT_WORK,
   (cudaGraphNode_t n, cudaGraphNode_t *list, size_t *count),
   list_neighbours(n, true, list, NULL, count))
AS(behind12, "cudaGraphNodeGetDependentNodes", RT_WORK,
   (cudaGraphNode_t n, cudaGraphNode_t *list, size_t *count),
   list_neighbours(n, false, list, NULL, count))
AS(add12, "cudaGraphAddDependencies", RT_WORK,
   (cudaGraph_t g, PAIRS, size_t count),
   rt_edges_add((void *)g, RT_PAIRS, count))
AS(remove12, "cudaGraphRemoveDependencies", RT_WORK,
   (cudaGraph_t g, PAIRS, size_t count),
   rt_edges_remove((void *)g, RT_PAIRS, count))
AS(node12, "cudaGraphAddNode", RT_WORK,
   (ADD_PARAMS, struct cudaGraphNodeParams *p),
   node_add_any(out, g, deps, count, p))

/* The long forms, under names of their own. */
MORE(cudaGraphGetEdges_v2,
     (cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
      cudaGraphEdgeData *edges, size_t *count),
     list_edges(g, from, to, edges, count))
MORE(cudaGraphNodeGetDependencies_v2,
     (cudaGraphNode_t n, cudaGraphNode_t *list, cudaGraphEdgeData *edges,
      size_t *count),
     list_neighbours(n, true, list, edges, count))
MORE(cudaGraphNodeGetDependentNodes_v2,
     (cudaGraphNode_t n, cudaGraphNode_t *list, cudaGraphEdgeData *edges,
      size_t *count),
     list_neighbours(n, false, list, edges, count))
MORE(cudaGraphAddDependencies_v2,
     (cudaGraph_t g, PAIRS, const cudaGraphEdgeData *edges, size_t count),
     ((void)edges, rt_edges_add((void *)g, RT_PAIRS, count)))
MORE(cudaGraphRemoveDependencies_v2,
     (cudaGraph_t g, PAIRS, const cudaGraphEdgeData *edges, size_t count),
     ((void)edges, rt_edges_remove((void *)g, RT_PAIRS, count)))
MORE(cudaGraphAddNode_v2,
     (cudaGraphNode_t * out, cudaGraph_t g, const cudaGraphNode_t *deps,
      const cudaGraphEdgeData *edges, size_t count,
      struct cudaGraphNodeParams *p),
     ((void)edges, node_add_any(out, g, deps, count, p)))
#endif
