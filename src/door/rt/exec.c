/* Instances of graphs: they order the nodes once and run them often. */
#include <stdlib.h>
#include <string.h>

#include "door/rt/capture.h"
#include "door/rt/graph.h"

struct rt_exec {
	struct rt_graph *graph; /* a copy */
	uint64_t flags;
	unsigned running; /* launches in progress: they may call the host */
	bool ended;       /* destroyed: freed after the last of them */
};

static struct rt_exec *exec_find(struct rt_exec *x)
{
	return handle_is(&rt.handles, x, HANDLE_EXEC) ? x : NULL;
}

/*
 * Plans
 */

/* Sorts the nodes topologically; false: the edges form a cycle. */
static bool graph_plan_sort(struct rt_graph *g)
{
	struct rt_node **order = g->plan.order;
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++)
		g->nodes[i]->waits = g->nodes[i]->dep_count + 1;
	for (bool grown = true; grown && n < g->count;) {
		grown = false;
		for (size_t i = 0; i < g->count; i++) {
			struct rt_node *m = g->nodes[i];
			bool ready = m->waits != 0;

			/* waits is 0 once the node is in the order. */
			for (size_t k = 0; ready && k < m->dep_count; k++)
				ready = !m->deps[k]->waits;
			if (!ready)
				continue;
			m->waits = 0;
			order[n++] = m;
			grown = true;
		}
	}
	return n == g->count;
}

/* A node continues the branch of a node that it depends on, if no other node
 * did. */
static size_t graph_plan_branch(const struct rt_node *n, struct rt_node **last,
				size_t *branches)
{
	for (size_t i = 0; i < n->dep_count; i++) {
		const struct rt_node *before = n->deps[i];

		if (last[before->branch] == before &&
		    before->work.device == n->work.device)
			return before->branch;
	}
	return (*branches)++;
}

static int graph_plan_make_branches(struct rt_graph *g)
{
	struct graph_plan *p = &g->plan;
	struct rt_node **last = calloc(g->count + 1, sizeof(*last));

	if (!last)
		return cudaErrorMemoryAllocation;
	for (size_t i = 0; i < g->count; i++) {
		struct rt_node *n = p->order[i];

		n->branch = graph_plan_branch(n, last, &p->branch_count);
		last[n->branch] = n;
	}
	free(last);
	p->branches = calloc(p->branch_count + 1, sizeof(*p->branches));
	if (!p->branches)
		return cudaErrorMemoryAllocation;
	for (size_t i = 0; i < g->count; i++)
		stream_init(&p->branches[g->nodes[i]->branch],
			    g->nodes[i]->work.device, RT_STREAM_NON_BLOCKING);
	return cudaSuccess;
}

static int graph_plan_make(struct rt_graph *g)
{
	int e = cudaSuccess;

	g->plan.order = calloc(g->count + 1, sizeof(struct rt_node *));
	if (!g->plan.order)
		return cudaErrorMemoryAllocation;
	if (!graph_plan_sort(g))
		return cudaErrorInvalidValue;
	e = graph_plan_make_branches(g);
	for (size_t i = 0; !e && i < g->count; i++)
		if (g->nodes[i]->work.kind == RT_NODE_GRAPH)
			e = graph_plan_make(g->nodes[i]->work.graph);
	return e;
}

/*
 * Running
 */

/* Makes the node's branch wait for the branches that it depends on. Launches
 * that are held back have no end yet. */
static void graph_plan_join(struct rt_graph *g, const struct rt_node *n)
{
	struct rt_stream *branches = g->plan.branches,
			 *mine = &branches[n->branch];

	for (size_t i = 0; i < n->dep_count; i++) {
		struct rt_stream *other = &branches[n->deps[i]->branch];

		if (other == mine)
			continue;
		if (other->held)
			rt_flush();
		if (other->ready > mine->ready)
			mine->ready = other->ready;
	}
}

/* Runs a graph from time `start` on; *end is when all of it has ended. */
static int exec_run_graph(struct rt_graph *g, double start, uint64_t id,
			  double *end);

static int exec_run_node(struct rt_node *n, struct rt_stream *branch)
{
	double end;
	int e;

	if (n->disabled)
		return cudaSuccess;
	if ((n->work.kind == RT_NODE_WAIT || n->work.kind == RT_NODE_RECORD) &&
	    !handle_is(&rt.handles, n->work.event, HANDLE_EVENT))
		return cudaErrorInvalidResourceHandle;
	if (n->work.kind == RT_NODE_ALLOC)
		memory_node_ran(n->work.memory.p, true);
	/* Keep the graph's memory for its next run. */
	if (n->work.kind == RT_NODE_FREE && n->graph->inner) {
		memory_node_ran(n->work.memory.p, false);
		return cudaSuccess;
	}
	if (n->work.kind != RT_NODE_GRAPH)
		return work_run(branch, &n->work);
	rt_flush();
	e = exec_run_graph(n->work.graph, branch->ready, branch->id, &end);
	stream_advance(branch, end);
	return e;
}

static int exec_run_graph(struct rt_graph *g, double start, uint64_t id,
			  double *end)
{
	struct graph_plan *p = &g->plan;
	int e = cudaSuccess;

	for (size_t i = 0; i < p->branch_count; i++) {
		p->branches[i].ready = start;
		p->branches[i].id = id;
	}
	for (size_t i = 0; !e && i < g->count; i++) {
		struct rt_node *n = p->order[i];

		graph_plan_join(g, n);
		e = exec_run_node(n, &p->branches[n->branch]);
	}
	rt_flush();
	*end = start;
	for (size_t i = 0; i < p->branch_count; i++)
		if (p->branches[i].ready > *end)
			*end = p->branches[i].ready;
	return e;
}

static void exec_destroy(struct rt_exec *x)
{
	graph_destroy(x->graph);
	free(x);
}

int rt_exec_new(struct rt_exec **out, struct rt_graph *g, uint64_t flags)
{
	struct rt_exec *x;
	int e;

	if (!out || !graph_find(g))
		return cudaErrorInvalidValue;
	x = calloc(1, sizeof(*x));
	if (!x)
		return cudaErrorMemoryAllocation;
	e = graph_copy(&x->graph, g);
	if (e) {
		free(x);
		return e;
	}
	x->flags = flags;
	e = graph_plan_make(x->graph);
	if (!e && !handle_add(&rt.handles, x, HANDLE_EXEC))
		e = cudaErrorMemoryAllocation;
	if (e)
		exec_destroy(x);
	else
		*out = x;
	return e;
}

int rt_exec_free(struct rt_exec *x)
{
	if (!exec_find(x))
		return cudaErrorInvalidValue;
	handle_remove(&rt.handles, x);
	x->ended = true;
	if (!x->running)
		exec_destroy(x);
	return cudaSuccess;
}

int rt_exec_flags(uint64_t *out, struct rt_exec *x)
{
	if (!out || !exec_find(x))
		return cudaErrorInvalidValue;
	*out = x->flags;
	return cudaSuccess;
}

int rt_exec_launch(struct rt_exec *x, struct rt_stream *handle)
{
	struct rt_stream *s;
	double end;
	int e;

	if (!exec_find(x))
		return cudaErrorInvalidValue;
	s = stream_find(handle);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (s->capture) {
		struct rt_work w = { .kind = RT_NODE_GRAPH, .graph = x->graph };

		return work_submit(s, &w);
	}
	e = stream_is_legacy(s) ? capture_check_implicit(s->device) :
				  cudaSuccess;
	if (e)
		return e;
	rt_flush();
	x->running++;
	e = exec_run_graph(x->graph, stream_start_time(s), s->id, &end);
	x->running--;
	/* A host node may have destroyed the stream. */
	if (stream_find(handle) == s)
		stream_advance(s, end);
	if (x->ended && !x->running)
		exec_destroy(x);
	return e;
}

/*
 * Changes
 */

static struct rt_node *exec_node(struct rt_exec *x, const struct rt_node *n)
{
	for (size_t i = 0; i < x->graph->count; i++)
		if (x->graph->nodes[i]->origin == n)
			return x->graph->nodes[i];
	return NULL;
}

static int exec_set_work(struct rt_node *n, const struct rt_work *work)
{
	int e;

	if (n->work.kind != work->kind)
		return cudaErrorInvalidValue;
	e = node_set_work(n, work);
	if (!e && work->kind == RT_NODE_GRAPH)
		e = graph_plan_make(n->work.graph);
	return e;
}

int rt_exec_set(struct rt_exec *x, struct rt_node *n,
		const struct rt_work *work)
{
	struct rt_node *mine = exec_find(x) ? exec_node(x, n) : NULL;

	if (!mine)
		return cudaErrorInvalidValue;
	return x->running ? cudaErrorIllegalState : exec_set_work(mine, work);
}

static bool can_disable(const struct rt_node *n)
{
	return n->work.kind == RT_NODE_KERNEL || n->work.kind == RT_NODE_COPY ||
	       n->work.kind == RT_NODE_SET;
}

int rt_exec_enable(struct rt_exec *x, struct rt_node *n, bool on)
{
	struct rt_node *mine = exec_find(x) ? exec_node(x, n) : NULL;

	if (!mine || !can_disable(mine))
		return cudaErrorInvalidValue;
	mine->disabled = !on;
	return cudaSuccess;
}

int rt_exec_enabled(bool *on, struct rt_exec *x, struct rt_node *n)
{
	struct rt_node *mine = exec_find(x) ? exec_node(x, n) : NULL;

	if (!mine || !can_disable(mine))
		return cudaErrorInvalidValue;
	*on = !mine->disabled;
	return cudaSuccess;
}

/* Nodes of the two graphs correspond by the order in which they were added. */
static bool same_edges(const struct rt_node *a, const struct rt_node *b)
{
	if (a->dep_count != b->dep_count)
		return false;
	for (size_t i = 0; i < a->dep_count; i++) {
		bool found = false;

		for (size_t k = 0; k < b->dep_count; k++)
			found |= a->deps[i]->index == b->deps[k]->index;
		if (!found)
			return false;
	}
	return true;
}

static int exec_compare(struct rt_graph *a, struct rt_graph *b,
			struct rt_node **bad)
{
	if (a->count != b->count)
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (size_t i = 0; i < a->count; i++)
		a->nodes[i]->index = b->nodes[i]->index = i;
	for (size_t i = 0; i < a->count; i++) {
		*bad = b->nodes[i];
		if (a->nodes[i]->work.kind != b->nodes[i]->work.kind)
			return cudaGraphExecUpdateErrorNodeTypeChanged;
		if (!same_edges(a->nodes[i], b->nodes[i]))
			return cudaGraphExecUpdateErrorTopologyChanged;
	}
	*bad = NULL;
	return cudaGraphExecUpdateSuccess;
}

int rt_exec_update(struct rt_exec *x, struct rt_graph *g, int *result,
		   struct rt_node **bad)
{
	int e = cudaSuccess;

	*bad = NULL;
	*result = cudaGraphExecUpdateError;
	if (!exec_find(x) || !graph_find(g))
		return cudaErrorInvalidValue;
	if (x->running)
		return cudaErrorIllegalState;
	*result = exec_compare(x->graph, g, bad);
	for (size_t i = 0;
	     *result == cudaGraphExecUpdateSuccess && !e && i < g->count; i++) {
		e = exec_set_work(x->graph->nodes[i], &g->nodes[i]->work);
		if (e) {
			*bad = g->nodes[i];
			*result = cudaGraphExecUpdateErrorParametersChanged;
		}
	}
	return *result == cudaGraphExecUpdateSuccess ?
		       cudaSuccess :
		       cudaErrorGraphExecUpdateFailure;
}
