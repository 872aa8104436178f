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
 * What nodes do, to and from rt_work. `second`: the parameters have the fields
 * of the second form as well.
 */

static int kernel_work(struct rt_work *w, const CUDA_KERNEL_NODE_PARAMS *p,
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

static int copy_work(struct rt_work *w, const CUDA_MEMCPY3D *p)
{
	*w = (struct rt_work){ .kind = RT_NODE_COPY };
	return copy_of_3d(&w->copy, p);
}

static int set_work(struct rt_work *w, const CUDA_MEMSET_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	*w = (struct rt_work){
		.kind = RT_NODE_SET,
		.set = { .p = pointer(p->dst),
			 .pitch = p->height > 1 ? p->pitch : 0,
			 .value = p->value,
			 .element = p->elementSize,
			 .width = p->width,
			 .height = p->height,
			 .depth = 1 },
	};
	return 0;
}

static int host_work(struct rt_work *w, const CUDA_HOST_NODE_PARAMS *p)
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

static int graph_work(struct rt_work *w, CUgraph g)
{
	*w = (struct rt_work){ .kind = RT_NODE_GRAPH, .graph = (void *)g };
	return 0;
}

static int empty_work(struct rt_work *w)
{
	*w = (struct rt_work){ .kind = RT_NODE_EMPTY };
	return 0;
}

static int free_work(struct rt_work *w, CUdeviceptr p)
{
	*w = (struct rt_work){ .kind = RT_NODE_FREE, .memory.p = pointer(p) };
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

/* The nodes before, as every function that adds one has them. */
#define AFTER \
	CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t count

/* A statement in parentheses makes the work; w_ is what it makes. */
#define ADD_WORK(make)                                    \
	({                                                \
		struct rt_work w_;                        \
		int r_ = (make);                          \
                                                          \
		r_ ? r_ : add(out, g, after, count, &w_); \
	})

static int add(AFTER, struct rt_work *w)
{
	return NEED(out, rt_node_add((void *)out, (void *)g,
				     (void *)(uintptr_t)after, count, w));
}

static int add_alloc(AFTER, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	struct rt_work w;
	int e = alloc_work(&w, p);

	if (!e)
		e = add(out, g, after, count, &w);
	if (!e)
		p->dptr = (uintptr_t)w.memory.p;
	return e;
}

API(cuGraphAddKernelNode_v2, (AFTER, const CUDA_KERNEL_NODE_PARAMS *p),
    ADD_WORK(kernel_work(&w_, p, true)))
API_OLD(cuGraphAddKernelNode_v1, "cuGraphAddKernelNode", ENTRY_WORK,
	(AFTER, const CUDA_KERNEL_NODE_PARAMS *p),
	ADD_WORK(kernel_work(&w_, p, false)))
API(cuGraphAddMemcpyNode, (AFTER, const CUDA_MEMCPY3D *p, CUcontext ctx),
    ((void)ctx, ADD_WORK(copy_work(&w_, p))))
API(cuGraphAddMemsetNode,
    (AFTER, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext ctx),
    ((void)ctx, ADD_WORK(set_work(&w_, p))))
API(cuGraphAddHostNode, (AFTER, const CUDA_HOST_NODE_PARAMS *p),
    ADD_WORK(host_work(&w_, p)))
API(cuGraphAddChildGraphNode, (AFTER, CUgraph child),
    ADD_WORK(graph_work(&w_, child)))
API(cuGraphAddEmptyNode, (AFTER), ADD_WORK(empty_work(&w_)))
API(cuGraphAddEventRecordNode, (AFTER, CUevent e),
    ADD_WORK(event_work(&w_, e, true)))
API(cuGraphAddEventWaitNode, (AFTER, CUevent e),
    ADD_WORK(event_work(&w_, e, false)))
API(cuGraphAddMemAllocNode, (AFTER, CUDA_MEM_ALLOC_NODE_PARAMS *p),
    add_alloc(out, g, after, count, p))
API(cuGraphAddMemFreeNode, (AFTER, CUdeviceptr p), ADD_WORK(free_work(&w_, p)))

/*
 * Reading nodes, and changing them in a graph or in an instance
 */

/* The work of a node of that kind. */
static int get(struct rt_work *w, CUgraphNode n, enum rt_node_kind kind,
	       const void *out)
{
	int e = out ? rt_node_get(w, (void *)n) : CUDA_ERROR_INVALID_VALUE;

	return !e && w->kind != kind ? CUDA_ERROR_INVALID_VALUE : e;
}

#define GET(n, kind, out, body)                 \
	({                                      \
		struct rt_work w;               \
		int r_ = get(&w, n, kind, out); \
                                                \
		r_ ? r_ : ((body), 0);          \
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

/* Up to `extra`: what both forms have. */
static void kernel_params(CUDA_KERNEL_NODE_PARAMS *out,
			  const struct rt_launch *l)
{
	out->func = (void *)l->func;
	memcpy(out->grid, l->grid, sizeof(out->grid));
	memcpy(out->block, l->block, sizeof(out->block));
	out->sharedMemBytes = (unsigned)l->shared_bytes;
	out->kernelParams = l->args;
	out->extra = NULL;
}

static void set_params(CUDA_MEMSET_NODE_PARAMS *out, const struct rt_set *s)
{
	*out = (CUDA_MEMSET_NODE_PARAMS){ .dst = (uintptr_t)s->p,
					  .pitch = s->pitch,
					  .value = s->value,
					  .elementSize = s->element,
					  .width = s->width,
					  .height = s->height };
}

static void alloc_params(CUDA_MEM_ALLOC_NODE_PARAMS *out,
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
	(kernel_params(out, &w.launch), out->kern = NULL,
	 out->ctx = context_of_device(w.device))))
API_OLD(cuGraphKernelNodeGetParams_v1, "cuGraphKernelNodeGetParams", ENTRY_WORK,
	(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *out),
	GET(n, RT_NODE_KERNEL, out, kernel_params(out, &w.launch)))
API(cuGraphKernelNodeSetParams_v2,
    (CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p),
    SET(n, kernel_work(&w_, p, true)))
API_OLD(cuGraphKernelNodeSetParams_v1, "cuGraphKernelNodeSetParams", ENTRY_WORK,
	(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p),
	SET(n, kernel_work(&w_, p, false)))
API(cuGraphExecKernelNodeSetParams_v2,
    (CUgraphExec x, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p),
    EXEC_SET(x, n, kernel_work(&w_, p, true)))
API_OLD(cuGraphExecKernelNodeSetParams_v1, "cuGraphExecKernelNodeSetParams",
	ENTRY_WORK,
	(CUgraphExec x, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p),
	EXEC_SET(x, n, kernel_work(&w_, p, false)))
API(cuGraphMemcpyNodeGetParams, (CUgraphNode n, CUDA_MEMCPY3D *out),
    GET(n, RT_NODE_COPY, out, copy_to_3d(out, &w.copy)))
API(cuGraphMemcpyNodeSetParams, (CUgraphNode n, const CUDA_MEMCPY3D *p),
    SET(n, copy_work(&w_, p)))
API(cuGraphExecMemcpyNodeSetParams,
    (CUgraphExec x, CUgraphNode n, const CUDA_MEMCPY3D *p, CUcontext ctx),
    ((void)ctx, EXEC_SET(x, n, copy_work(&w_, p))))
API(cuGraphMemsetNodeGetParams, (CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *out),
    GET(n, RT_NODE_SET, out, set_params(out, &w.set)))
API(cuGraphMemsetNodeSetParams,
    (CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *p), SET(n, set_work(&w_, p)))
API(cuGraphExecMemsetNodeSetParams,
    (CUgraphExec x, CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *p,
     CUcontext ctx),
    ((void)ctx, EXEC_SET(x, n, set_work(&w_, p))))
API(cuGraphHostNodeGetParams, (CUgraphNode n, CUDA_HOST_NODE_PARAMS *out),
    GET(n, RT_NODE_HOST, out,
	(out->fn = w.host.fn, out->userData = w.host.data)))
API(cuGraphHostNodeSetParams, (CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p),
    SET(n, host_work(&w_, p)))
API(cuGraphExecHostNodeSetParams,
    (CUgraphExec x, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p),
    EXEC_SET(x, n, host_work(&w_, p)))
API(cuGraphChildGraphNodeGetGraph, (CUgraphNode n, CUgraph *out),
    GET(n, RT_NODE_GRAPH, out, *out = (void *)w.graph))
API(cuGraphExecChildGraphNodeSetParams,
    (CUgraphExec x, CUgraphNode n, CUgraph child),
    EXEC_SET(x, n, graph_work(&w_, child)))
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
    GET(n, RT_NODE_ALLOC, out, alloc_params(out, &w)))
API(cuGraphMemFreeNodeGetParams, (CUgraphNode n, CUdeviceptr *out),
    GET(n, RT_NODE_FREE, out, *out = (uintptr_t)w.memory.p))

/* A kernel node's cooperative mark; other attributes change nothing here. */
static int get_attribute(CUgraphNode n, int id, CUkernelNodeAttrValue *out)
{
	struct rt_work w;
	int e = get(&w, n, RT_NODE_KERNEL, out);

	if (e)
		return e;
	memset(out, 0, sizeof(*out));
	if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		out->cooperative = w.launch.cooperative;
	return 0;
}

static int set_attribute(CUgraphNode n, int id,
			 const CUkernelNodeAttrValue *value)
{
	struct rt_work w;
	int e = get(&w, n, RT_NODE_KERNEL, value);

	if (e || id != CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		return e;
	w.launch.cooperative = value->cooperative != 0;
	return rt_node_set((void *)n, &w);
}

static int copy_attributes(CUgraphNode to, CUgraphNode from)
{
	CUkernelNodeAttrValue v;
	int e = get_attribute(from, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v);

	return e ? e : set_attribute(to, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v);
}

API(cuGraphKernelNodeGetAttribute,
    (CUgraphNode n, CUkernelNodeAttrID id, CUkernelNodeAttrValue *out),
    get_attribute(n, (int)id, out))
API(cuGraphKernelNodeSetAttribute,
    (CUgraphNode n, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *value),
    set_attribute(n, (int)id, value))
API(cuGraphKernelNodeCopyAttributes, (CUgraphNode to, CUgraphNode from),
    copy_attributes(to, from))

/*
 * Nodes of any kind
 */

static int any_work(struct rt_work *w, const CUgraphNodeParams *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	switch (p->type) {
	case RT_NODE_KERNEL:
		return kernel_work(w, &p->kernel, true);
	case RT_NODE_COPY:
		return copy_work(w, &p->memcpy.copyParams);
	case RT_NODE_SET:
		return set_work(w, &p->memset);
	case RT_NODE_HOST:
		return host_work(w, &p->host);
	case RT_NODE_GRAPH:
		return p->graph.ownership ?
			       rt_unsupported("a child graph that is moved") :
			       graph_work(w, p->graph.graph);
	case RT_NODE_EMPTY:
		return empty_work(w);
	case RT_NODE_WAIT:
	case RT_NODE_RECORD:
		return event_work(w, p->event, p->type == RT_NODE_RECORD);
	case RT_NODE_ALLOC:
		return alloc_work(w, &p->alloc);
	case RT_NODE_FREE:
		return free_work(w, p->free);
	default:
		return rt_unsupported("a node of that kind");
	}
}

static int add_any(AFTER, CUgraphNodeParams *p)
{
	struct rt_work w;
	int e = any_work(&w, p);

	if (!e)
		e = add(out, g, after, count, &w);
	if (!e && w.kind == RT_NODE_ALLOC)
		p->alloc.dptr = (uintptr_t)w.memory.p;
	return e;
}

API_OLD(cuGraphAddNode_v1, "cuGraphAddNode", ENTRY_WORK,
	(AFTER, CUgraphNodeParams *p), add_any(out, g, after, count, p))
API(cuGraphAddNode_v2,
    (CUgraphNode * out, CUgraph g, const CUgraphNode *after,
     const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *p),
    ((void)edges, add_any(out, g, after, count, p)))
API(cuGraphNodeSetParams, (CUgraphNode n, CUgraphNodeParams *p),
    SET(n, any_work(&w_, p)))
API(cuGraphExecNodeSetParams,
    (CUgraphExec x, CUgraphNode n, CUgraphNodeParams *p),
    EXEC_SET(x, n, any_work(&w_, p)))

/*
 * Edges: all alike, their data is zero
 */

static void clear(CUgraphEdgeData *edges, const size_t *count, int e)
{
	if (!e && edges)
		memset(edges, 0, *count * sizeof(*edges));
}

static int list_edges(CUgraph g, CUgraphNode *from, CUgraphNode *to,
		      CUgraphEdgeData *edges, size_t *count)
{
	int e = rt_graph_edges((void *)g, (void *)from, (void *)to, count);

	clear(edges, count, e);
	return e;
}

static int list_around(CUgraphNode n, bool before, CUgraphNode *list,
		       CUgraphEdgeData *edges, size_t *count)
{
	int e = rt_node_edges((void *)n, before, (void *)list, count);

	clear(edges, count, e);
	return e;
}

#define PAIRS const CUgraphNode *from, const CUgraphNode *to
#define RT_PAIRS (void *)(uintptr_t)from, (void *)(uintptr_t)to

API(cuGraphGetEdges_v2,
    (CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
     size_t *count),
    list_edges(g, from, to, edges, count))
API_OLD(cuGraphGetEdges_v1, "cuGraphGetEdges", ENTRY_WORK,
	(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *count),
	list_edges(g, from, to, NULL, count))
API(cuGraphNodeGetDependencies_v2,
    (CUgraphNode n, CUgraphNode *list, CUgraphEdgeData *edges, size_t *count),
    list_around(n, true, list, edges, count))
API_OLD(cuGraphNodeGetDependencies_v1, "cuGraphNodeGetDependencies", ENTRY_WORK,
	(CUgraphNode n, CUgraphNode *list, size_t *count),
	list_around(n, true, list, NULL, count))
API(cuGraphNodeGetDependentNodes_v2,
    (CUgraphNode n, CUgraphNode *list, CUgraphEdgeData *edges, size_t *count),
    list_around(n, false, list, edges, count))
API_OLD(cuGraphNodeGetDependentNodes_v1, "cuGraphNodeGetDependentNodes",
	ENTRY_WORK, (CUgraphNode n, CUgraphNode *list, size_t *count),
	list_around(n, false, list, NULL, count))
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
