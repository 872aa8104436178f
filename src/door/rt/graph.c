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

static struct rt_graph *make(bool inner)
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
	*out = make(false);
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

/*
 * What a node does
 */

/* The arguments of a kernel: pointers, and behind them what they point at. */
static int take_args(struct rt_launch *l, int device)
{
	const struct heddle_kernel *k;
	struct entry *x;
	size_t pointers;
	void **args;
	char *block;
	int e = func_on(l->func, &rt.devices[device], &x);

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

static void work_drop(struct rt_work *w)
{
	if (w->kind == RT_NODE_KERNEL)
		free(w->launch.args);
	else if (w->kind == RT_NODE_GRAPH)
		graph_unmake(w->graph);
	else if (w->kind == RT_NODE_ALLOC)
		memory_node(w->memory.p, false);
}

static int work_copy(struct rt_work *to, const struct rt_work *from)
{
	*to = *from;
	if (from->kind == RT_NODE_KERNEL)
		return take_args(&to->launch, from->device);
	if (from->kind == RT_NODE_GRAPH)
		return graph_copy(&to->graph, from->graph);
	if (from->kind == RT_NODE_ALLOC)
		memory_node(to->memory.p, true);
	return cudaSuccess;
}

/* Real graphs are checked when nodes are added, not when they run. */
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

int node_take(struct rt_node *n, const struct rt_work *work)
{
	struct rt_work w = *work, mine;
	int e;

	w.device = n->work.device;
	e = work_check(&w);
	if (!e)
		e = work_copy(&mine, &w);
	if (e)
		return e;
	work_drop(&n->work);
	n->work = mine;
	return cudaSuccess;
}

/*
 * Nodes
 */

static bool among(struct rt_node *const *list, size_t n,
		  const struct rt_node *x)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == x)
			return true;
	return false;
}

static int add_after(struct rt_node *n, struct rt_node *before)
{
	struct rt_node **more =
		realloc(n->after, (n->after_count + 1) * sizeof(*more));

	if (!more)
		return cudaErrorMemoryAllocation;
	n->after = more;
	n->after[n->after_count++] = before;
	return cudaSuccess;
}

static void node_unmake(struct rt_node *n)
{
	handle_remove(&rt.handles, n);
	work_drop(&n->work);
	free(n->after);
	free(n);
}

/* An empty node of the graph. */
static struct rt_node *append(struct rt_graph *g)
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

static bool all_of(const struct rt_graph *g, struct rt_node *const *list,
		   size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!node_find(list[i]) || list[i]->graph != g ||
		    among(list, i, list[i]))
			return false;
	return true;
}

int node_new(struct rt_node **out, struct rt_graph *g,
	     struct rt_node *const *after, size_t count, struct rt_work *work)
{
	struct rt_node *n;
	int e;

	if ((count && !after) || !all_of(g, after, count))
		return cudaErrorInvalidValue;
	if (work->kind == RT_NODE_ALLOC) {
		e = memory_alloc(&work->memory.p, work->memory.size,
				 work->device,
				 &rt.devices[work->device].graph_pool);
		if (e)
			return e;
	}
	n = append(g);
	if (!n)
		return cudaErrorMemoryAllocation;
	n->work.device = work->device;
	e = node_take(n, work);
	for (size_t i = 0; !e && i < count; i++)
		e = add_after(n, after[i]);
	if (e) {
		g->count--;
		node_unmake(n);
		return e;
	}
	*out = n;
	return cudaSuccess;
}

int rt_node_add(struct rt_node **out, struct rt_graph *g,
		struct rt_node *const *after, size_t count,
		struct rt_work *work)
{
	if (!out || !graph_find(g))
		return cudaErrorInvalidValue;
	work->device = rt_thread()->device;
	return node_new(out, g, after, count, work);
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
		for (size_t k = 0; k < m->after_count; k++)
			if (m->after[k] == n)
				m->after[k--] = m->after[--m->after_count];
	}
	memmove(&g->nodes[at], &g->nodes[at + 1],
		(g->count - at - 1) * sizeof(*g->nodes));
	g->count--;
	node_unmake(n);
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
	return node_take(n, work);
}

/*
 * Whole graphs
 */

void graph_unmake(struct rt_graph *g)
{
	/* Objects call the host: nobody may find the graph then. */
	handle_remove(&rt.handles, g);
	for (size_t i = 0; i < g->count; i++)
		node_unmake(g->nodes[i]);
	for (size_t i = 0; i < g->hold_count; i++)
		rt_object_release(g->holds[i].object, g->holds[i].count);
	free(g->plan.order);
	free(g->plan.lanes);
	free(g->nodes);
	free(g->holds);
	free(g);
}

int rt_graph_free(struct rt_graph *g)
{
	if (!graph_find(g) || g->inner)
		return cudaErrorInvalidValue;
	captures_forget(g);
	graph_unmake(g);
	return cudaSuccess;
}

static void number_nodes(const struct rt_graph *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->nodes[i]->index = i;
}

/* What refers to something that has ended since is copied all the same: it is
 * refused when it runs. */
static int copy_nodes(struct rt_graph *to, const struct rt_graph *from)
{
	int e = cudaSuccess;

	number_nodes(from);
	for (size_t i = 0; !e && i < from->count; i++) {
		const struct rt_node *n = from->nodes[i];
		struct rt_node *copy = append(to);

		if (!copy)
			return cudaErrorMemoryAllocation;
		copy->origin = n;
		copy->disabled = n->disabled;
		e = work_copy(&copy->work, &n->work);
		if (e)
			copy->work = (struct rt_work){ .kind = RT_NODE_EMPTY };
	}
	/* A circle is possible: all nodes come first. A copied child graph
	 * numbered its own nodes, not these. */
	for (size_t i = 0; !e && i < from->count; i++)
		for (size_t k = 0; !e && k < from->nodes[i]->after_count; k++)
			e = add_after(
				to->nodes[i],
				to->nodes[from->nodes[i]->after[k]->index]);
	return e;
}

static int copy_holds(struct rt_graph *to, const struct rt_graph *from)
{
	int e = cudaSuccess;

	for (size_t i = 0; !e && i < from->hold_count; i++)
		e = rt_graph_retain(to, from->holds[i].object,
				    from->holds[i].count, false);
	return e;
}

int graph_copy(struct rt_graph **out, const struct rt_graph *g)
{
	struct rt_graph *copy = make(true);
	int e;

	if (!copy)
		return cudaErrorMemoryAllocation;
	e = copy_nodes(copy, g);
	if (!e)
		e = copy_holds(copy, g);
	if (e)
		graph_unmake(copy);
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

	/* waits: reached from n. */
	for (size_t i = 0; i < g->count; i++)
		g->nodes[i]->waits = g->nodes[i] == n;
	while (grown && !found) {
		grown = false;
		for (size_t i = g->count; i-- > 0;) {
			struct rt_node *m = g->nodes[i];

			for (size_t k = 0; m->waits && k < m->after_count;
			     k++) {
				grown |= !m->after[k]->waits;
				m->after[k]->waits = 1;
			}
		}
	}
	return b->graph == g && b->waits;
}

/*
 * Lists
 */

/* Fills a list that has room for `room`, and what is left of it with NULL. */
struct filler {
	struct rt_node **list;
	size_t room, count;
};

static void put(struct filler *f, struct rt_node *n)
{
	if (f->list && f->count < f->room)
		f->list[f->count] = n;
	f->count++;
}

static void finish(struct filler *f, size_t *count)
{
	for (size_t i = f->count; f->list && i < f->room; i++)
		f->list[i] = NULL;
	*count = f->list && f->count > f->room ? f->room : f->count;
}

int rt_graph_nodes(struct rt_graph *g, bool roots, struct rt_node **list,
		   size_t *count)
{
	struct filler f = { .list = list };

	if (!graph_find(g) || !count)
		return cudaErrorInvalidValue;
	f.room = *count;
	for (size_t i = 0; i < g->count; i++)
		if (!roots || !g->nodes[i]->after_count)
			put(&f, g->nodes[i]);
	finish(&f, count);
	return cudaSuccess;
}

int rt_graph_edges(struct rt_graph *g, struct rt_node **from,
		   struct rt_node **to, size_t *count)
{
	struct filler a = { .list = from }, b = { .list = to };

	if (!graph_find(g) || !count || !from != !to)
		return cudaErrorInvalidValue;
	a.room = b.room = *count;
	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; k < g->nodes[i]->after_count; k++) {
			put(&a, g->nodes[i]->after[k]);
			put(&b, g->nodes[i]);
		}
	finish(&a, count);
	finish(&b, count);
	return cudaSuccess;
}

int rt_node_edges(struct rt_node *n, bool before, struct rt_node **list,
		  size_t *count)
{
	struct filler f = { .list = list };

	if (!node_find(n) || !count)
		return cudaErrorInvalidValue;
	f.room = *count;
	for (size_t i = 0; before && i < n->after_count; i++)
		put(&f, n->after[i]);
	for (size_t i = 0; !before && i < n->graph->count; i++) {
		struct rt_node *m = n->graph->nodes[i];

		if (among(m->after, m->after_count, n))
			put(&f, m);
	}
	finish(&f, count);
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
		    among(to[i]->after, to[i]->after_count, from[i]) != present)
			return cudaErrorInvalidValue;
	return cudaSuccess;
}

int rt_edges_add(struct rt_graph *g, struct rt_node *const *from,
		 struct rt_node *const *to, size_t count)
{
	int e = check_pairs(g, from, to, count, false);

	for (size_t i = 0; !e && i < count; i++)
		e = add_after(to[i], from[i]);
	return e;
}

int rt_edges_remove(struct rt_graph *g, struct rt_node *const *from,
		    struct rt_node *const *to, size_t count)
{
	int e = check_pairs(g, from, to, count, true);

	for (size_t i = 0; !e && i < count; i++) {
		struct rt_node *n = to[i];

		for (size_t k = 0; k < n->after_count; k++)
			if (n->after[k] == from[i])
				n->after[k] = n->after[--n->after_count];
	}
	return e;
}

static const char *label(const struct rt_work *w)
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
			label(&g->nodes[i]->work));
		for (size_t k = 0; k < g->nodes[i]->after_count; k++)
			fprintf(to, "\tn%zu -> n%zu;\n",
				g->nodes[i]->after[k]->index, i);
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
	struct hold *more;
	int e;

	if (!graph_find(g))
		return cudaErrorInvalidValue;
	more = realloc(g->holds, (g->hold_count + 1) * sizeof(*more));
	if (!more)
		return cudaErrorMemoryAllocation;
	g->holds = more;
	e = move ? object_find(o) && count && count <= o->count ?
		   cudaSuccess :
		   cudaErrorInvalidValue :
		   rt_object_retain(o, count);
	if (!e)
		g->holds[g->hold_count++] = (struct hold){ o, count };
	return e;
}

int rt_graph_release(struct rt_graph *g, struct rt_object *o, unsigned count)
{
	if (!graph_find(g))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < g->hold_count; i++) {
		struct hold *h = &g->holds[i];

		if (h->object != o || count > h->count || !count)
			continue;
		h->count -= count;
		if (!h->count)
			*h = g->holds[--g->hold_count];
		return rt_object_release(o, count);
	}
	return cudaErrorInvalidValue;
}
