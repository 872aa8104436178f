/* Graphs, their nodes and edges, and the user objects that they hold. */
#include "door/rt/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/rt/module.h"

struct rt_graph *graph_find(struct rt_graph *g)
{
	return handle_is(&rt.handles, g, HANDLE_GRAPH) ? g : NULL;
}

struct rt_node *node_find(struct rt_node *n)
{
	return handle_is(&rt.handles, n, HANDLE_NODE) ? n : NULL;
}

static struct rt_graph *graph_make(bool inner)
{
	struct rt_graph *g = calloc(1, sizeof(*g));

	if (!g || !handle_add(&rt.handles, g, HANDLE_GRAPH)) {
		free(g);
		return NULL;
	}
	g->inner = inner;
	return g;
}

int rt_graph_new(struct rt_graph **out)
{
	*out = graph_make(false);
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

/*
 * What a node does
 */

/* Copies a kernel's arguments: the pointers, followed by what they point at. */
static int launch_copy_args(struct rt_launch *l, int device)
{
	const struct heddle_kernel *k;
	struct device_func *x;
	size_t pointers;
	void **args;
	char *block;
	int e = func_load(l->func, &rt.devices[device], &x);

	if (e)
		return e;
	k = x->kernel;
	/* The parameter block must be as aligned as any parameter. */
	pointers = (k->param_count * sizeof(*args) + 15) / 16 * 16;
	args = calloc(1, pointers + k->param_bytes + 1);
	if (!args)
		return cudaErrorMemoryAllocation;
	block = (char *)args + pointers;
	if (l->block_of_args)
		memcpy(block, l->block_of_args, k->param_bytes);
	for (uint32_t i = 0; i < k->param_count; i++) {
		args[i] = block + k->params[i].offset;
		if (!l->block_of_args)
			memcpy(args[i], l->args[i], k->params[i].size);
	}
	l->args = args;
	l->block_of_args = block;
	l->block_bytes = k->param_bytes;
	return cudaSuccess;
}

static void work_free(struct rt_work *w)
{
	if (w->kind == RT_NODE_KERNEL)
		free(w->launch.args);
	else if (w->kind == RT_NODE_GRAPH)
		graph_destroy(w->graph);
	else if (w->kind == RT_NODE_ALLOC)
		memory_node_count(w->memory.p, false);
}

static int work_copy(struct rt_work *to, const struct rt_work *from)
{
	*to = *from;
	if (from->kind == RT_NODE_KERNEL)
		return launch_copy_args(&to->launch, from->device);
	if (from->kind == RT_NODE_GRAPH)
		return graph_copy(&to->graph, from->graph);
	if (from->kind == RT_NODE_ALLOC)
		memory_node_count(to->memory.p, true);
	return cudaSuccess;
}

/* As on a real GPU, work is checked when a node is added, not when it runs. */
static int work_check(const struct rt_work *w)
{
	switch (w->kind) {
	case RT_NODE_KERNEL:
		return launch_check(&w->launch, w->device);
	case RT_NODE_COPY:
		return copy_check(&w->copy);
	case RT_NODE_SET:
		return set_check(&w->set);
	case RT_NODE_HOST:
		return w->host.fn ? cudaSuccess : cudaErrorInvalidValue;
	case RT_NODE_GRAPH:
		return graph_find(w->graph) ? cudaSuccess :
					      cudaErrorInvalidValue;
	case RT_NODE_WAIT:
	case RT_NODE_RECORD:
		return handle_is(&rt.handles, w->event, HANDLE_EVENT) ?
			       cudaSuccess :
			       cudaErrorInvalidResourceHandle;
	case RT_NODE_EMPTY:
	case RT_NODE_ALLOC:
	case RT_NODE_FREE:
		return cudaSuccess;
	}
	return cudaErrorInvalidValue;
}

int node_set_work(struct rt_node *n, const struct rt_work *work)
{
	struct rt_work w = *work, mine;
	int e;

	w.device = n->work.device;
	e = work_check(&w);
	if (!e)
		e = work_copy(&mine, &w);
	if (e)
		return e;
	work_free(&n->work);
	n->work = mine;
	return cudaSuccess;
}

/*
 * Nodes
 */

static bool node_in_list(struct rt_node *const *list, size_t n,
			 const struct rt_node *x)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == x)
			return true;
	return false;
}

static int node_add_dep(struct rt_node *n, struct rt_node *before)
{
	struct rt_node **more =
		realloc(n->deps, (n->dep_count + 1) * sizeof(*more));

	if (!more)
		return cudaErrorMemoryAllocation;
	n->deps = more;
	n->deps[n->dep_count++] = before;
	return cudaSuccess;
}

static void node_destroy(struct rt_node *n)
{
	handle_remove(&rt.handles, n);
	work_free(&n->work);
	free(n->deps);
	free(n);
}

/* Appends an empty node to the graph. */
static struct rt_node *graph_append(struct rt_graph *g)
{
	struct rt_node *n = calloc(1, sizeof(*n));

	if (n && g->count == g->room) {
		size_t room = g->room ? g->room * 2 : 16;
		struct rt_node **more = realloc(g->nodes, room * sizeof(*more));

		if (more) {
			g->nodes = more;
			g->room = room;
		}
	}
	if (!n || g->count == g->room ||
	    !handle_add(&rt.handles, n, HANDLE_NODE)) {
		free(n);
		return NULL;
	}
	n->graph = g;
	n->work.kind = RT_NODE_EMPTY;
	g->nodes[g->count++] = n;
	return n;
}

static bool graph_has_all(const struct rt_graph *g, struct rt_node *const *list,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!node_find(list[i]) || list[i]->graph != g ||
		    node_in_list(list, i, list[i]))
			return false;
	return true;
}

int node_new(struct rt_node **out, struct rt_graph *g,
	     struct rt_node *const *deps, size_t count, struct rt_work *work)
{
	struct rt_node *n;
	int e;

	if ((count && !deps) || !graph_has_all(g, deps, count))
		return cudaErrorInvalidValue;
	if (work->kind == RT_NODE_ALLOC) {
		e = memory_alloc(&work->memory.p, work->memory.size,
				 work->device,
				 &rt.devices[work->device].graph_pool);
		if (e)
			return e;
	}
	n = graph_append(g);
	if (!n)
		return cudaErrorMemoryAllocation;
	n->work.device = work->device;
	e = node_set_work(n, work);
	for (size_t i = 0; !e && i < count; i++)
		e = node_add_dep(n, deps[i]);
	if (e) {
		g->count--;
		node_destroy(n);
		return e;
	}
	*out = n;
	return cudaSuccess;
}

int rt_node_add(struct rt_node **out, struct rt_graph *g,
		struct rt_node *const *deps, size_t count, struct rt_work *work)
{
	if (!out || !graph_find(g))
		return cudaErrorInvalidValue;
	work->device = rt_thread()->device;
	return node_new(out, g, deps, count, work);
}

int rt_node_free(struct rt_node *n)
{
	struct rt_graph *g;
	size_t at = 0;

	if (!node_find(n))
		return cudaErrorInvalidValue;
	g = n->graph;
	for (size_t i = 0; i < g->count; i++) {
		struct rt_node *m = g->nodes[i];

		if (m == n)
			at = i;
		for (size_t k = 0; k < m->dep_count; k++)
			if (m->deps[k] == n)
				m->deps[k--] = m->deps[--m->dep_count];
	}
	memmove(&g->nodes[at], &g->nodes[at + 1],
		(g->count - at - 1) * sizeof(*g->nodes));
	g->count--;
	node_destroy(n);
	return cudaSuccess;
}

int rt_node_get(struct rt_work *out, struct rt_node *n)
{
	if (!node_find(n))
		return cudaErrorInvalidValue;
	*out = n->work;
	return cudaSuccess;
}

int rt_node_set(struct rt_node *n, const struct rt_work *work)
{
	if (!node_find(n) || n->work.kind != work->kind)
		return cudaErrorInvalidValue;
	return node_set_work(n, work);
}

/*
 * Whole graphs
 */

void graph_destroy(struct rt_graph *g)
{
	/* Releasing objects calls the host, which must not find the graph. */
	handle_remove(&rt.handles, g);
	for (size_t i = 0; i < g->count; i++)
		node_destroy(g->nodes[i]);
	for (size_t i = 0; i < g->ref_count; i++)
		rt_object_release(g->refs[i].object, g->refs[i].count);
	free(g->plan.order);
	free(g->plan.branches);
	free(g->nodes);
	free(g->refs);
	free(g);
}

int rt_graph_free(struct rt_graph *g)
{
	if (!graph_find(g) || g->inner)
		return cudaErrorInvalidValue;
	capture_end_of_graph(g);
	graph_destroy(g);
	return cudaSuccess;
}

static void number_nodes(const struct rt_graph *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->nodes[i]->index = i;
}

/* Nodes that refer to destroyed objects are copied as well: they fail when they
 * run. */
static int copy_nodes(struct rt_graph *to, const struct rt_graph *from)
{
	int e = cudaSuccess;

	number_nodes(from);
	for (size_t i = 0; !e && i < from->count; i++) {
		const struct rt_node *n = from->nodes[i];
		struct rt_node *copy = graph_append(to);

		if (!copy)
			return cudaErrorMemoryAllocation;
		copy->origin = n;
		copy->disabled = n->disabled;
		e = work_copy(&copy->work, &n->work);
		if (e)
			copy->work = (struct rt_work){ .kind = RT_NODE_EMPTY };
	}
	/* Edges may form a cycle, so add all nodes first. Copying a child graph
	 * has numbered its own nodes, not these. */
	for (size_t i = 0; !e && i < from->count; i++)
		for (size_t k = 0; !e && k < from->nodes[i]->dep_count; k++)
			e = node_add_dep(
				to->nodes[i],
				to->nodes[from->nodes[i]->deps[k]->index]);
	return e;
}

static int copy_holds(struct rt_graph *to, const struct rt_graph *from)
{
	int e = cudaSuccess;

	for (size_t i = 0; !e && i < from->ref_count; i++)
		e = rt_graph_retain(to, from->refs[i].object,
				    from->refs[i].count, false);
	return e;
}

int graph_copy(struct rt_graph **out, const struct rt_graph *g)
{
	struct rt_graph *copy = graph_make(true);
	int e;

	if (!copy)
		return cudaErrorMemoryAllocation;
	e = copy_nodes(copy, g);
	if (!e)
		e = copy_holds(copy, g);
	if (e)
		graph_destroy(copy);
	else
		*out = copy;
	return e;
}

int rt_graph_clone(struct rt_graph **out, struct rt_graph *g)
{
	int e;

	if (!out || !graph_find(g))
		return cudaErrorInvalidValue;
	e = graph_copy(out, g);
	if (!e)
		(*out)->inner = false;
	return e;
}

int rt_node_in_clone(struct rt_node **out, struct rt_node *n,
		     struct rt_graph *clone)
{
	if (!out || !graph_find(clone))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < clone->count; i++)
		if (clone->nodes[i]->origin == n) {
			*out = clone->nodes[i];
			return cudaSuccess;
		}
	*out = NULL;
	return cudaErrorInvalidValue;
}

bool node_follows(struct rt_graph *g, const struct rt_node *n,
		  const struct rt_node *b)
{
	bool found = false, grown = true;

	/* waits: the node was reached from n. */
	for (size_t i = 0; i < g->count; i++)
		g->nodes[i]->waits = g->nodes[i] == n;
	while (grown && !found) {
		grown = false;
		for (size_t i = g->count; i-- > 0;) {
			struct rt_node *m = g->nodes[i];

			for (size_t k = 0; m->waits && k < m->dep_count; k++) {
				grown |= !m->deps[k]->waits;
				m->deps[k]->waits = 1;
			}
		}
	}
	return b->graph == g && b->waits;
}

/*
 * Lists
 */

/* A caller's list with room for `room` nodes; NULL: only count. */
struct node_list {
	struct rt_node **list;
	size_t room, count;
};

static void node_list_add(struct node_list *f, struct rt_node *n)
{
	if (f->list && f->count < f->room)
		f->list[f->count] = n;
	f->count++;
}

static void node_list_finish(struct node_list *f, size_t *count)
{
	for (size_t i = f->count; f->list && i < f->room; i++)
		f->list[i] = NULL;
	*count = f->list && f->count > f->room ? f->room : f->count;
}

int rt_graph_nodes(struct rt_graph *g, bool roots, struct rt_node **list,
		   size_t *count)
{
	struct node_list f = { .list = list };

	if (!graph_find(g) || !count)
		return cudaErrorInvalidValue;
	f.room = *count;
	for (size_t i = 0; i < g->count; i++)
		if (!roots || !g->nodes[i]->dep_count)
			node_list_add(&f, g->nodes[i]);
	node_list_finish(&f, count);
	return cudaSuccess;
}

int rt_graph_edges(struct rt_graph *g, struct rt_node **from,
		   struct rt_node **to, size_t *count)
{
	struct node_list a = { .list = from }, b = { .list = to };

	if (!graph_find(g) || !count || !from != !to)
		return cudaErrorInvalidValue;
	a.room = b.room = *count;
	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; k < g->nodes[i]->dep_count; k++) {
			node_list_add(&a, g->nodes[i]->deps[k]);
			node_list_add(&b, g->nodes[i]);
		}
	node_list_finish(&a, count);
	node_list_finish(&b, count);
	return cudaSuccess;
}

int rt_node_edges(struct rt_node *n, bool before, struct rt_node **list,
		  size_t *count)
{
	struct node_list f = { .list = list };

	if (!node_find(n) || !count)
		return cudaErrorInvalidValue;
	f.room = *count;
	for (size_t i = 0; before && i < n->dep_count; i++)
		node_list_add(&f, n->deps[i]);
	for (size_t i = 0; !before && i < n->graph->count; i++) {
		struct rt_node *m = n->graph->nodes[i];

		if (node_in_list(m->deps, m->dep_count, n))
			node_list_add(&f, m);
	}
	node_list_finish(&f, count);
	return cudaSuccess;
}

static int check_pairs(struct rt_graph *g, struct rt_node *const *from,
		       struct rt_node *const *to, size_t count, bool present)
{
	if (!graph_find(g) || (count && (!from || !to)))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++)
		if (!node_find(from[i]) || !node_find(to[i]) ||
		    from[i]->graph != g || to[i]->graph != g ||
		    from[i] == to[i] ||
		    node_in_list(to[i]->deps, to[i]->dep_count, from[i]) !=
			    present)
			return cudaErrorInvalidValue;
	return cudaSuccess;
}

int rt_edges_add(struct rt_graph *g, struct rt_node *const *from,
		 struct rt_node *const *to, size_t count)
{
	int e = check_pairs(g, from, to, count, false);

	for (size_t i = 0; !e && i < count; i++)
		e = node_add_dep(to[i], from[i]);
	return e;
}

int rt_edges_remove(struct rt_graph *g, struct rt_node *const *from,
		    struct rt_node *const *to, size_t count)
{
	int e = check_pairs(g, from, to, count, true);

	for (size_t i = 0; !e && i < count; i++) {
		struct rt_node *n = to[i];

		for (size_t k = 0; k < n->dep_count; k++)
			if (n->deps[k] == from[i])
				n->deps[k] = n->deps[--n->dep_count];
	}
	return e;
}

static const char *work_label(const struct rt_work *w)
{
	static const char *const names[] = {
		[RT_NODE_COPY] = "memcpy",   [RT_NODE_SET] = "memset",
		[RT_NODE_HOST] = "host",     [RT_NODE_GRAPH] = "graph",
		[RT_NODE_EMPTY] = "empty",   [RT_NODE_WAIT] = "wait",
		[RT_NODE_RECORD] = "record", [RT_NODE_ALLOC] = "alloc",
		[RT_NODE_FREE] = "free",
	};

	if (w->kind == RT_NODE_KERNEL)
		return func_find(w->launch.func) ? w->launch.func->name :
						   "kernel";
	return names[w->kind];
}

int rt_graph_dot(struct rt_graph *g, const char *path)
{
	FILE *to;

	if (!graph_find(g) || !path)
		return cudaErrorInvalidValue;
	to = fopen(path, "w");
	if (!to)
		return cudaErrorOperatingSystem;
	number_nodes(g);
	fprintf(to, "digraph graph_1 {\n");
	for (size_t i = 0; i < g->count; i++) {
		fprintf(to, "\tn%zu [label=\"%zu %s\"];\n", i, i,
			work_label(&g->nodes[i]->work));
		for (size_t k = 0; k < g->nodes[i]->dep_count; k++)
			fprintf(to, "\tn%zu -> n%zu;\n",
				g->nodes[i]->deps[k]->index, i);
	}
	fprintf(to, "}\n");
	return fclose(to) ? cudaErrorOperatingSystem : cudaSuccess;
}

/*
 * User objects
 */

struct rt_object {
	void *p;
	void (*destroy)(void *);
	unsigned count;
};

static struct rt_object *object_find(struct rt_object *o)
{
	return handle_is(&rt.handles, o, HANDLE_OBJECT) ? o : NULL;
}

int rt_object_new(struct rt_object **out, void *p, void (*destroy)(void *),
		  unsigned count)
{
	struct rt_object *o;

	if (!out || !destroy || !count)
		return cudaErrorInvalidValue;
	o = calloc(1, sizeof(*o));
	if (!o || !handle_add(&rt.handles, o, HANDLE_OBJECT)) {
		free(o);
		return cudaErrorMemoryAllocation;
	}
	*o = (struct rt_object){ p, destroy, count };
	*out = o;
	return cudaSuccess;
}

int rt_object_retain(struct rt_object *o, unsigned count)
{
	if (!object_find(o) || !count || o->count + count < count)
		return cudaErrorInvalidValue;
	o->count += count;
	return cudaSuccess;
}

int rt_object_release(struct rt_object *o, unsigned count)
{
	if (!object_find(o) || !count || count > o->count)
		return cudaErrorInvalidValue;
	o->count -= count;
	if (o->count)
		return cudaSuccess;
	handle_remove(&rt.handles, o);
	call_host(o->destroy, o->p);
	free(o);
	return cudaSuccess;
}

int rt_graph_retain(struct rt_graph *g, struct rt_object *o, unsigned count,
		    bool move)
{
	struct object_ref *more;
	int e;

	if (!graph_find(g))
		return cudaErrorInvalidValue;
	more = realloc(g->refs, (g->ref_count + 1) * sizeof(*more));
	if (!more)
		return cudaErrorMemoryAllocation;
	g->refs = more;
	e = move ? object_find(o) && count && count <= o->count ?
		   cudaSuccess :
		   cudaErrorInvalidValue :
		   rt_object_retain(o, count);
	if (!e)
		g->refs[g->ref_count++] = (struct object_ref){ o, count };
	return e;
}

int rt_graph_release(struct rt_graph *g, struct rt_object *o, unsigned count)
{
	if (!graph_find(g))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < g->ref_count; i++) {
		struct object_ref *h = &g->refs[i];

		if (h->object != o || count > h->count || !count)
			continue;
		h->count -= count;
		if (!h->count)
			*h = g->refs[--g->ref_count];
		return rt_object_release(o, count);
	}
	return cudaErrorInvalidValue;
}
