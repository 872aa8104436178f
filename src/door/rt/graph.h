/* Graphs, for the files behind rt.h. */
#ifndef HEDDLE_RT_GRAPH_H
#define HEDDLE_RT_GRAPH_H

#include "door/rt/state.h"

struct rt_node {
	struct rt_graph *graph;
	struct rt_work work;   /* the node owns what it points at */
	struct rt_node **deps; /* the nodes that it depends on */
	size_t dep_count;
	const struct rt_node *origin; /* in a clone: the node it is a copy of */
	bool disabled;                /* in an instance */
	/* Scratch while a graph is ordered, compared or run. */
	size_t index, waits, branch;
};

/* References that a graph holds to a user object. */
struct object_ref {
	struct rt_object *object;
	unsigned count;
};

/* How an instance runs: its nodes in order, each in a branch, which is a stream
 * of its own. */
struct graph_plan {
	struct rt_node **order;
	struct rt_stream *branches;
	size_t branch_count;
};

struct rt_graph {
	struct rt_node **nodes; /* in the order they were added */
	size_t count, room;
	struct object_ref *refs;
	size_t ref_count;
	bool inner; /* owned by a node or an instance, which frees it */
	struct graph_plan plan;
};

struct rt_graph *graph_find(struct rt_graph *g); /* NULL: not a graph */
struct rt_node *node_find(struct rt_node *n);
/* Adds a node after checking its dependencies; the caller keeps work. */
int node_new(struct rt_node **out, struct rt_graph *g,
	     struct rt_node *const *deps, size_t count, struct rt_work *work);
void graph_destroy(struct rt_graph *g);
int graph_copy(struct rt_graph **out, const struct rt_graph *g);
/* Replaces the node's work by a copy of *work. */
int node_set_work(struct rt_node *n, const struct rt_work *work);
/* Whether n is b or depends on it, directly or not. */
bool node_follows(struct rt_graph *g, const struct rt_node *n,
		  const struct rt_node *b);

#endif
