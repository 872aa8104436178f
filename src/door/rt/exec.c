#include <stdlib.h>
#include <string.h>

#include "door/rt/capture.h"
#include "door/rt/graph.h"

struct rt_exec {
	struct rt_graph *graph; /* a copy */
	uint64_t flags;
	unsigned running; /* launches that call the host right now */
	bool ended;       /* freed when the last of them is through */
};

static struct rt_exec *find(struct rt_exec *x)
{
	return handle_is(&rt.handles, x, HANDLE_EXEC) ? x : NULL;
}

/*
 * Plans
 */

/* The nodes so that each comes after those that it follows; false: a circle. */
static bool put_in_order(struct rt_graph *g)
{
	struct rt_node **order = g->plan.order;
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++)
		g->nodes[i]->waits = g->nodes[i]->after_count + 1;
	for (bool grown = true; grown && n < g->count;) {
		grown = false;
		for (size_t i = 0; i < g->count; i++) {
			struct rt_node *m = g->nodes[i];
			bool ready = m->waits != 0;

			/* waits is 0 once it is in the order. */
			for (size_t k = 0; ready && k < m->after_count; k++)
				ready = !m->after[k]->waits;
			if (!ready)
				continue;
			m->waits = 0;
			order[n++] = m;
			grown = true;
		}
	}
	return n == g->count;
}

/* A node goes on in the lane of one that it follows, if no other did. */
static size_t choose_lane(const struct rt_node *n, struct rt_node **last,
			  size_t *lanes)
{
	for (size_t i = 0; i < n->after_count; i++) {
		const struct rt_node *before = n->after[i];

		if (last[before->lane] == before &&
		    before->work.device == n->work.device)
			return before->lane;
	}
	return (*lanes)++;
}

static int make_lanes(struct rt_graph *g)
{
	struct plan *p = &g->plan;
	struct rt_node **last = calloc(g->count + 1, sizeof(*last));

	if (!last)
		return cudaErrorMemoryAllocation;
	for (size_t i = 0; i < g->count; i++) {
		struct rt_node *n = p->order[i];

		n->lane = choose_lane(n, last, &p->lane_count);
		last[n->lane] = n;
	}
	free(last);
	p->lanes = calloc(p->lane_count + 1, sizeof(*p->lanes));
	if (!p->lanes)
		return cudaErrorMemoryAllocation;
	for (size_t i = 0; i < g->count; i++)
		stream_init(&p->lanes[g->nodes[i]->lane],
			    g->nodes[i]->work.device, RT_STREAM_NON_BLOCKING);
	return cudaSuccess;
}

static int make_plan(struct rt_graph *g)
{
	int e = cudaSuccess;

	g->plan.order = calloc(g->count + 1, sizeof(struct rt_node *));
	if (!g->plan.order)
		return cudaErrorMemoryAllocation;
	if (!put_in_order(g))
		return cudaErrorInvalidValue;
	e = make_lanes(g);
	for (size_t i = 0; !e && i < g->count; i++)
		if (g->nodes[i]->work.kind == RT_NODE_GRAPH)
			e = make_plan(g->nodes[i]->work.graph);
	return e;
}

/*
 * Running
 */

/* The lane waits for the ends of others. Launches that are held back have no
 * end so far. */
static void join(struct rt_graph *g, const struct rt_node *n)
{
	struct rt_stream *lanes = g->plan.lanes, *mine = &lanes[n->lane];

	for (size_t i = 0; i < n->after_count; i++) {
		struct rt_stream *other = &lanes[n->after[i]->lane];

		if (other == mine)
			continue;
		if (other->held)
			rt_flush();
		if (other->ready > mine->ready)
			mine->ready = other->ready;
	}
}

/* A graph from `start` on; *end is when all of it has ended. */
static int run_graph(struct rt_graph *g, double start, uint64_t id,
		     double *end);

static int run_node(struct rt_node *n, struct rt_stream *lane)
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
	/* The graph's memory stays, for its next run. */
	if (n->work.kind == RT_NODE_FREE && n->graph->inner) {
		memory_node_ran(n->work.memory.p, false);
		return cudaSuccess;
	}
	if (n->work.kind != RT_NODE_GRAPH)
		return work_run(lane, &n->work);
	rt_flush();
	e = run_graph(n->work.graph, lane->ready, lane->id, &end);
	stream_passed(lane, end);
	return e;
}

static int run_graph(struct rt_graph *g, double start, uint64_t id, double *end)
{
	struct plan *p = &g->plan;
	int e = cudaSuccess;

	for (size_t i = 0; i < p->lane_count; i++) {
		p->lanes[i].ready = start;
		p->lanes[i].id = id;
	}
	for (size_t i = 0; !e && i < g->count; i++) {
		struct rt_node *n = p->order[i];

		join(g, n);
		e = run_node(n, &p->lanes[n->lane]);
	}
	rt_flush();
	*end = start;
	for (size_t i = 0; i < p->lane_count; i++)
		if (p->lanes[i].ready > *end)
			*end = p->lanes[i].ready;
	return e;
}

static void unmake(struct rt_exec *x)
{
	graph_unmake(x->graph);
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
	e = make_plan(x->graph);
	if (!e && !handle_add(&rt.handles, x, HANDLE_EXEC))
		e = cudaErrorMemoryAllocation;
	if (e)
		unmake(x);
	else
		*out = x;
	return e;
}

int rt_exec_free(struct rt_exec *x)
{
	if (!find(x))
		return cudaErrorInvalidValue;
	handle_remove(&rt.handles, x);
	x->ended = true;
	if (!x->running)
		unmake(x);
	return cudaSuccess;
}

int rt_exec_flags(uint64_t *out, struct rt_exec *x)
{
	if (!out || !find(x))
		return cudaErrorInvalidValue;
	*out = x->flags;
	return cudaSuccess;
}

int rt_exec_launch(struct rt_exec *x, struct rt_stream *handle)
{
	struct rt_stream *s;
	double end;
	int e;

	if (!find(x))
		return cudaErrorInvalidValue;
	s = stream_find(handle);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (s->capture) {
		struct rt_work w = { .kind = RT_NODE_GRAPH, .graph = x->graph };

		return work_submit(s, &w);
	}
	e = stream_is_legacy(s) ? capture_implicit(s->device) : cudaSuccess;
	if (e)
		return e;
	rt_flush();
	x->running++;
	e = run_graph(x->graph, stream_now(s), s->id, &end);
	x->running--;
	/* A node that called the host may have ended the stream. */
	if (stream_find(handle) == s)
		stream_passed(s, end);
	if (x->ended && !x->running)
		unmake(x);
	return e;
}

/*
 * Changes
 */

static struct rt_node *copy_of(struct rt_exec *x, const struct rt_node *n)
{
	for (size_t i = 0; i < x->graph->count; i++)
		if (x->graph->nodes[i]->origin == n)
			return x->graph->nodes[i];
	return NULL;
}

static int change(struct rt_node *n, const struct rt_work *work)
{
	int e;

	if (n->work.kind != work->kind)
		return cudaErrorInvalidValue;
	e = node_take(n, work);
	if (!e && work->kind == RT_NODE_GRAPH)
		e = make_plan(n->work.graph);
	return e;
}

int rt_exec_set(struct rt_exec *x, struct rt_node *n,
		const struct rt_work *work)
{
	struct rt_node *mine = find(x) ? copy_of(x, n) : NULL;

	if (!mine)
		return cudaErrorInvalidValue;
	return x->running ? cudaErrorIllegalState : change(mine, work);
}

static bool can_disable(const struct rt_node *n)
{
	return n->work.kind == RT_NODE_KERNEL || n->work.kind == RT_NODE_COPY ||
	       n->work.kind == RT_NODE_SET;
}

int rt_exec_enable(struct rt_exec *x, struct rt_node *n, bool on)
{
	struct rt_node *mine = find(x) ? copy_of(x, n) : NULL;

	if (!mine || !can_disable(mine))
		return cudaErrorInvalidValue;
	mine->disabled = !on;
	return cudaSuccess;
}

int rt_exec_enabled(bool *on, struct rt_exec *x, struct rt_node *n)
{
	struct rt_node *mine = find(x) ? copy_of(x, n) : NULL;

	if (!mine || !can_disable(mine))
		return cudaErrorInvalidValue;
	*on = !mine->disabled;
	return cudaSuccess;
}

/* Nodes correspond by the order in which they were added. */
static bool same_edges(const struct rt_node *a, const struct rt_node *b)
{
	if (a->after_count != b->after_count)
		return false;
	for (size_t i = 0; i < a->after_count; i++) {
		bool found = false;

		for (size_t k = 0; k < b->after_count; k++)
			found |= a->after[i]->index == b->after[k]->index;
		if (!found)
			return false;
	}
	return true;
}

static int compare(struct rt_graph *a, struct rt_graph *b, struct rt_node **bad)
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
	if (!find(x) || !graph_find(g))
		return cudaErrorInvalidValue;
	if (x->running)
		return cudaErrorIllegalState;
	*result = compare(x->graph, g, bad);
	for (size_t i = 0;
	     *result == cudaGraphExecUpdateSuccess && !e && i < g->count; i++) {
		e = change(x->graph->nodes[i], &g->nodes[i]->work);
		if (e) {
			*bad = g->nodes[i];
			*result = cudaGraphExecUpdateErrorParametersChanged;
		}
	}
	return *result == cudaGraphExecUpdateSuccess ?
		       cudaSuccess :
		       cudaErrorGraphExecUpdateFailure;
}
