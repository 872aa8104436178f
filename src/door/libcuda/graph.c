#include <string.h>

#include "door/libcuda/context.h"

API(cuGraphCreate, (CUgraph * g, unsigned flags),
    NEED(g && !flags, rt_graph_new((void *)g)))
API(cuGraphDestroy, (CUgraph g), rt_graph_free((void *)g))
API(cuGraphClone, (CUgraph * out, CUgraph g),
    rt_graph_clone((void *)out, (void *)g))
API(cuGraphDestroyNode, (CUgraphNode n), rt_node_free((void *)n))
API(cuGraphNodeFindInClone, (CUgraphNode * out, CUgraphNode n, CUgraph clone),
    rt_node_in_clone((void *)out, (void *)n, (void *)clone))
API(cuGraphGetNodes, (CUgraph g, CUgraphNode *list, size_t *count),
    rt_graph_nodes((void *)g, false, (void *)list, count))
API(cuGraphGetRootNodes, (CUgraph g, CUgraphNode *list, size_t *count),
    rt_graph_nodes((void *)g, true, (void *)list, count))
API(cuGraphDebugDotPrint, (CUgraph g, const char *path, unsigned flags),
    ((void)flags, rt_graph_dot((void *)g, path)))

/*
 * From the parameters of nodes to rt_work. `second`: the parameters have the
 * fields of the second form as well.
 */

static int cu_kernel_work(struct rt_work *w, const CUDA_KERNEL_NODE_PARAMS *p,
			  bool second)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	*w = (struct rt_work){ .kind = RT_NODE_KERNEL };
	w->launch.func = (void *)p->func;
	if (second && !p->func)
		w->launch.func = (void *)p->kern;
	memcpy(w->launch.grid, p->grid, sizeof(p->grid));
	memcpy(w->launch.block, p->block, sizeof(p->block));
	w->launch.shared_bytes = p->sharedMemBytes;
	return launch_args(&w->launch, p->kernelParams, p->extra);
}

static int cu_copy_work(struct rt_work *w, const CUDA_MEMCPY3D *p)
{
	*w = (struct rt_work){ .kind = RT_NODE_COPY };
	return copy_of_3d(&w->copy, p);
}

static int cu_set_work(struct rt_work *w, const CUDA_MEMSET_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	*w = (struct rt_work){
		.kind = RT_NODE_SET,
		.set = { .p = as_pointer(p->dst),
			 .pitch = p->height > 1 ? p->pitch : 0,
			 .value = p->value,
			 .element = p->elementSize,
			 .width = p->width,
			 .height = p->height,
			 .depth = 1 },
	};
	return 0;
}

static int cu_host_work(struct rt_work *w, const CUDA_HOST_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	*w = (struct rt_work){ .kind = RT_NODE_HOST,
			       .host = { p->fn, p->userData } };
	return 0;
}

static int event_work(struct rt_work *w, CUevent e, bool record)
{
	*w = (struct rt_work){ .kind = record ? RT_NODE_RECORD : RT_NODE_WAIT,
			       .event = (void *)e };
	return 0;
}

static int cu_graph_work(struct rt_work *w, CUgraph g)
{
	*w = (struct rt_work){ .kind = RT_NODE_GRAPH, .graph = (void *)g };
	return 0;
}

static int cu_empty_work(struct rt_work *w)
{
	*w = (struct rt_work){ .kind = RT_NODE_EMPTY };
	return 0;
}

static int cu_free_work(struct rt_work *w, CUdeviceptr p)
{
	*w = (struct rt_work){ .kind = RT_NODE_FREE,
			       .memory.p = as_pointer(p) };
	return 0;
}

static int alloc_work(struct rt_work *w, const CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	if (!p || !p->bytesize)
		return CUDA_ERROR_INVALID_VALUE;
	*w = (struct rt_work){ .kind = RT_NODE_ALLOC,
			       .memory.size = p->bytesize };
	return 0;
}

/* The first parameters of every function that adds a node. */
#define ADD_PARAMS \
	CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t count

/* Adds a node with the work w_, which the expression `make` fills in. */
#define ADD_WORK(make)                                           \
	({                                                       \
		struct rt_work w_;                               \
		int r_ = (make);                                 \
                                                                 \
		r_ ? r_ : cu_node_add(out, g, deps, count, &w_); \
	})

static int cu_node_add(ADD_PARAMS, struct rt_work *w)
{
	return NEED(out, rt_node_add((void *)out, (void *)g,
				     (void *)(uintptr_t)deps, count, w));
}

static int cu_node_add_alloc(ADD_PARAMS, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	struct rt_work w;
	int e = alloc_work(&w, p);

	if (!e)
		e = cu_node_add(out, g, deps, count, &w);
	if (!e)
		p->dptr = (uintptr_t)w.memory.p;
	return e;
}

API(cuGraphAddKernelNode_v2, (ADD_PARAMS, const CUDA_KERNEL_NODE_PARAMS *p),
    ADD_WORK(cu_kernel_work(&w_, p, true)))
API_OLD(cuGraphAddKernelNode_v1, "cuGraphAddKernelNode", ENTRY_WORK,
	(ADD_PARAMS, const CUDA_KERNEL_NODE_PARAMS *p),
	ADD_WORK(cu_kernel_work(&w_, p, false)))
API(cuGraphAddMemcpyNode, (ADD_PARAMS, const CUDA_MEMCPY3D *p, CUcontext ctx),
    ((void)ctx, ADD_WORK(cu_copy_work(&w_, p))))
API(cuGraphAddMemsetNode,
    (ADD_PARAMS, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext ctx),
    ((void)ctx, ADD_WORK(cu_set_work(&w_, p))))
API(cuGraphAddHostNode, (ADD_PARAMS, const CUDA_HOST_NODE_PARAMS *p),
    ADD_WORK(cu_host_work(&w_, p)))
API(cuGraphAddChildGraphNode, (ADD_PARAMS, CUgraph child),
    ADD_WORK(cu_graph_work(&w_, child)))
API(cuGraphAddEmptyNode, (ADD_PARAMS), ADD_WORK(cu_empty_work(&w_)))
API(cuGraphAddEventRecordNode, (ADD_PARAMS, CUevent e),
    ADD_WORK(event_work(&w_, e, true)))
API(cuGraphAddEventWaitNode, (ADD_PARAMS, CUevent e),
    ADD_WORK(event_work(&w_, e, false)))
API(cuGraphAddMemAllocNode, (ADD_PARAMS, CUDA_MEM_ALLOC_NODE_PARAMS *p),
    cu_node_add_alloc(out, g, deps, count, p))
API(cuGraphAddMemFreeNode, (ADD_PARAMS, CUdeviceptr p),
    ADD_WORK(cu_free_work(&w_, p)))

/*
 * Reading nodes, and changing them in a graph or in an instance
 */

/* Reads the work of a node, which must be of that kind. */
static int cu_node_get(struct rt_work *w, CUgraphNode n, enum rt_node_kind kind,
		       const void *out)
{
	int e = out ? rt_node_get(w, (void *)n) : CUDA_ERROR_INVALID_VALUE;

	return !e && w->kind != kind ? CUDA_ERROR_INVALID_VALUE : e;
}

#define GET(n, kind, out, body)                         \
	({                                              \
		struct rt_work w;                       \
		int r_ = cu_node_get(&w, n, kind, out); \
                                                        \
		r_ ? r_ : ((body), 0);                  \
	})
#define SET(n, make)                                     \
	({                                               \
		struct rt_work w_;                       \
		int r_ = (make);                         \
                                                         \
		r_ ? r_ : rt_node_set((void *)(n), &w_); \
	})
#define EXEC_SET(x, n, make)                                          \
	({                                                            \
		struct rt_work w_;                                    \
		int r_ = (make);                                      \
                                                                      \
		r_ ? r_ : rt_exec_set((void *)(x), (void *)(n), &w_); \
	})

/* Fills in the fields up to `extra`, which both forms have. */
static void kernel_node_params(CUDA_KERNEL_NODE_PARAMS *out,
			       const struct rt_launch *l)
{
	out->func = (void *)l->func;
	memcpy(out->grid, l->grid, sizeof(out->grid));
	memcpy(out->block, l->block, sizeof(out->block));
	out->sharedMemBytes = (unsigned)l->shared_bytes;
	out->kernelParams = l->args;
	out->extra = NULL;
}

static void set_node_params(CUDA_MEMSET_NODE_PARAMS *out,
			    const struct rt_set *s)
{
	*out = (CUDA_MEMSET_NODE_PARAMS){ .dst = (uintptr_t)s->p,
					  .pitch = s->pitch,
					  .value = s->value,
					  .elementSize = s->element,
					  .width = s->width,
					  .height = s->height };
}

static void alloc_node_params(CUDA_MEM_ALLOC_NODE_PARAMS *out,
			      const struct rt_work *w)
{
	*out = (CUDA_MEM_ALLOC_NODE_PARAMS){
		.poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			       .location = { CU_MEM_LOCATION_TYPE_DEVICE,
					     w->device } },
		.bytesize = w->memory.size,
		.dptr = (uintptr_t)w->memory.p,
	};
}

static int node_type(CUgraphNode n, CUgraphNodeType *out)
{
	struct rt_work w;
	int e = out ? rt_node_get(&w, (void *)n) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*out = w.kind;
	return e;
}

API(cuGraphNodeGetType, (CUgraphNode n, CUgraphNodeType *out),
    node_type(n, out))
API(cuGraphKernelNodeGetParams_v2,
    (CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *out),
    GET(n, RT_NODE_KERNEL, out,
	(kernel_node_params(out, &w.launch), out->kern = NULL,
	 out->ctx = context_of_device(w.device))))
API_OLD(cuGraphKernelNodeGetParams_v1, "cuGraphKernelNodeGetParams", ENTRY_WORK,
	(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *out),
	GET(n, RT_NODE_KERNEL, out, kernel_node_params(out, &w.launch)))
API(cuGraphKernelNodeSetParams_v2,
    (CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p),
    SET(n, cu_kernel_work(&w_, p, true)))
API_OLD(cuGraphKernelNodeSetParams_v1, "cuGraphKernelNodeSetParams", ENTRY_WORK,
	(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p),
	SET(n, cu_kernel_work(&w_, p, false)))
API(cuGraphExecKernelNodeSetParams_v2,
    (CUgraphExec x, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p),
    EXEC_SET(x, n, cu_kernel_work(&w_, p, true)))
API_OLD(cuGraphExecKernelNodeSetParams_v1, "cuGraphExecKernelNodeSetParams",
	ENTRY_WORK,
	(CUgraphExec x, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p),
	EXEC_SET(x, n, cu_kernel_work(&w_, p, false)))
API(cuGraphMemcpyNodeGetParams, (CUgraphNode n, CUDA_MEMCPY3D *out),
    GET(n, RT_NODE_COPY, out, copy_to_3d(out, &w.copy)))
API(cuGraphMemcpyNodeSetParams, (CUgraphNode n, const CUDA_MEMCPY3D *p),
    SET(n, cu_copy_work(&w_, p)))
API(cuGraphExecMemcpyNodeSetParams,
    (CUgraphExec x, CUgraphNode n, const CUDA_MEMCPY3D *p, CUcontext ctx),
    ((void)ctx, EXEC_SET(x, n, cu_copy_work(&w_, p))))
API(cuGraphMemsetNodeGetParams, (CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *out),
    GET(n, RT_NODE_SET, out, set_node_params(out, &w.set)))
API(cuGraphMemsetNodeSetParams,
    (CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *p),
    SET(n, cu_set_work(&w_, p)))
API(cuGraphExecMemsetNodeSetParams,
    (CUgraphExec x, CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *p,
     CUcontext ctx),
    ((void)ctx, EXEC_SET(x, n, cu_set_work(&w_, p))))
API(cuGraphHostNodeGetParams, (CUgraphNode n, CUDA_HOST_NODE_PARAMS *out),
    GET(n, RT_NODE_HOST, out,
	(out->fn = w.host.fn, out->userData = w.host.data)))
API(cuGraphHostNodeSetParams, (CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p),
    SET(n, cu_host_work(&w_, p)))
API(cuGraphExecHostNodeSetParams,
    (CUgraphExec x, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p),
    EXEC_SET(x, n, cu_host_work(&w_, p)))
API(cuGraphChildGraphNodeGetGraph, (CUgraphNode n, CUgraph *out),
    GET(n, RT_NODE_GRAPH, out, *out = (void *)w.graph))
API(cuGraphExecChildGraphNodeSetParams,
    (CUgraphExec x, CUgraphNode n, CUgraph child),
    EXEC_SET(x, n, cu_graph_work(&w_, child)))
API(cuGraphEventRecordNodeGetEvent, (CUgraphNode n, CUevent *out),
    GET(n, RT_NODE_RECORD, out, *out = (void *)w.event))
API(cuGraphEventRecordNodeSetEvent, (CUgraphNode n, CUevent e),
    SET(n, event_work(&w_, e, true)))
API(cuGraphExecEventRecordNodeSetEvent,
    (CUgraphExec x, CUgraphNode n, CUevent e),
    EXEC_SET(x, n, event_work(&w_, e, true)))
API(cuGraphEventWaitNodeGetEvent, (CUgraphNode n, CUevent *out),
    GET(n, RT_NODE_WAIT, out, *out = (void *)w.event))
API(cuGraphEventWaitNodeSetEvent, (CUgraphNode n, CUevent e),
    SET(n, event_work(&w_, e, false)))
API(cuGraphExecEventWaitNodeSetEvent, (CUgraphExec x, CUgraphNode n, CUevent e),
    EXEC_SET(x, n, event_work(&w_, e, false)))
API(cuGraphMemAllocNodeGetParams,
    (CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS *out),
    GET(n, RT_NODE_ALLOC, out, alloc_node_params(out, &w)))
API(cuGraphMemFreeNodeGetParams, (CUgraphNode n, CUdeviceptr *out),
    GET(n, RT_NODE_FREE, out, *out = (uintptr_t)w.memory.p))

/* The cooperative flag of a kernel node; other attributes have no effect. */
static int node_get_attribute(CUgraphNode n, int id, CUkernelNodeAttrValue *out)
{
	struct rt_work w;
	int e = cu_node_get(&w, n, RT_NODE_KERNEL, out);

	if (e)
		return e;
	memset(out, 0, sizeof(*out));
	if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		out->cooperative = w.launch.cooperative;
	return 0;
}

static int node_set_attribute(CUgraphNode n, int id,
			      const CUkernelNodeAttrValue *value)
{
	struct rt_work w;
	int e = cu_node_get(&w, n, RT_NODE_KERNEL, value);

	if (e || id != CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		return e;
	w.launch.cooperative = value->cooperative != 0;
	return rt_node_set((void *)n, &w);
}

static int node_copy_attributes(CUgraphNode to, CUgraphNode from)
{
	CUkernelNodeAttrValue v;
	int e = node_get_attribute(from, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v);

	return e ? e :
		   node_set_attribute(to, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v);
}

API(cuGraphKernelNodeGetAttribute,
    (CUgraphNode n, CUkernelNodeAttrID id, CUkernelNodeAttrValue *out),
    node_get_attribute(n, (int)id, out))
API(cuGraphKernelNodeSetAttribute,
    (CUgraphNode n, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *value),
    node_set_attribute(n, (int)id, value))
API(cuGraphKernelNodeCopyAttributes, (CUgraphNode to, CUgraphNode from),
    node_copy_attributes(to, from))

/*
 * Nodes of any kind
 */

static int cu_any_work(struct rt_work *w, const CUgraphNodeParams *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	switch (p->type) {
	case RT_NODE_KERNEL:
		return cu_kernel_work(w, &p->kernel, true);
	case RT_NODE_COPY:
		return cu_copy_work(w, &p->memcpy.copyParams);
	case RT_NODE_SET:
		return cu_set_work(w, &p->memset);
	case RT_NODE_HOST:
		return cu_host_work(w, &p->host);
	case RT_NODE_GRAPH:
		return p->graph.ownership ?
			       rt_unsupported("a child graph that is moved") :
			       cu_graph_work(w, p->graph.graph);
	case RT_NODE_EMPTY:
		return cu_empty_work(w);
	case RT_NODE_WAIT:
	case RT_NODE_RECORD:
		return event_work(w, p->event, p->type == RT_NODE_RECORD);
	case RT_NODE_ALLOC:
		return alloc_work(w, &p->alloc);
	case RT_NODE_FREE:
		return cu_free_work(w, p->free);
	default:
		return rt_unsupported("a node of that kind");
	}
}

static int cu_node_add_any(ADD_PARAMS, CUgraphNodeParams *p)
{
	struct rt_work w;
	int e = cu_any_work(&w, p);

	if (!e)
		e = cu_node_add(out, g, deps, count, &w);
	if (!e && w.kind == RT_NODE_ALLOC)
		p->alloc.dptr = (uintptr_t)w.memory.p;
	return e;
}

API_OLD(cuGraphAddNode_v1, "cuGraphAddNode", ENTRY_WORK,
	(ADD_PARAMS, CUgraphNodeParams *p),
	cu_node_add_any(out, g, deps, count, p))
API(cuGraphAddNode_v2,
    (CUgraphNode * out, CUgraph g, const CUgraphNode *deps,
     const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *p),
    ((void)edges, cu_node_add_any(out, g, deps, count, p)))
API(cuGraphNodeSetParams, (CUgraphNode n, CUgraphNodeParams *p),
    SET(n, cu_any_work(&w_, p)))
API(cuGraphExecNodeSetParams,
    (CUgraphExec x, CUgraphNode n, CUgraphNodeParams *p),
    EXEC_SET(x, n, cu_any_work(&w_, p)))

/*
 * Edges: all are plain dependencies, their data is zero
 */

static void cu_clear_edges(CUgraphEdgeData *edges, const size_t *count, int e)
{
	if (!e && edges)
		memset(edges, 0, *count * sizeof(*edges));
}

static int cu_list_edges(CUgraph g, CUgraphNode *from, CUgraphNode *to,
			 CUgraphEdgeData *edges, size_t *count)
{
	int e = rt_graph_edges((void *)g, (void *)from, (void *)to, count);

	cu_clear_edges(edges, count, e);
	return e;
}

static int cu_list_neighbours(CUgraphNode n, bool before, CUgraphNode *list,
			      CUgraphEdgeData *edges, size_t *count)
{
	int e = rt_node_edges((void *)n, before, (void *)list, count);

	cu_clear_edges(edges, count, e);
	return e;
}

#define PAIRS const CUgraphNode *from, const CUgraphNode *to
#define RT_PAIRS (void *)(uintptr_t)from, (void *)(uintptr_t)to

API(cuGraphGetEdges_v2,
    (CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
     size_t *count),
    cu_list_edges(g, from, to, edges, count))
API_OLD(cuGraphGetEdges_v1, "cuGraphGetEdges", ENTRY_WORK,
	(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *count),
	cu_list_edges(g, from, to, NULL, count))
API(cuGraphNodeGetDependencies_v2,
    (CUgraphNode n, CUgraphNode *list, CUgraphEdgeData *edges, size_t *count),
    cu_list_neighbours(n, true, list, edges, count))
API_OLD(cuGraphNodeGetDependencies_v1, "cuGraphNodeGetDependencies", ENTRY_WORK,
	(CUgraphNode n, CUgraphNode *list, size_t *count),
	cu_list_neighbours(n, true, list, NULL, count))
API(cuGraphNodeGetDependentNodes_v2,
    (CUgraphNode n, CUgraphNode *list, CUgraphEdgeData *edges, size_t *count),
    cu_list_neighbours(n, false, list, edges, count))
API_OLD(cuGraphNodeGetDependentNodes_v1, "cuGraphNodeGetDependentNodes",
	ENTRY_WORK, (CUgraphNode n, CUgraphNode *list, size_t *count),
	cu_list_neighbours(n, false, list, NULL, count))
API(cuGraphAddDependencies_v2,
    (CUgraph g, PAIRS, const CUgraphEdgeData *edges, size_t count),
    ((void)edges, rt_edges_add((void *)g, RT_PAIRS, count)))
API_OLD(cuGraphAddDependencies_v1, "cuGraphAddDependencies", ENTRY_WORK,
	(CUgraph g, PAIRS, size_t count),
	rt_edges_add((void *)g, RT_PAIRS, count))
API(cuGraphRemoveDependencies_v2,
    (CUgraph g, PAIRS, const CUgraphEdgeData *edges, size_t count),
    ((void)edges, rt_edges_remove((void *)g, RT_PAIRS, count)))
API_OLD(cuGraphRemoveDependencies_v1, "cuGraphRemoveDependencies", ENTRY_WORK,
	(CUgraph g, PAIRS, size_t count),
	rt_edges_remove((void *)g, RT_PAIRS, count))
