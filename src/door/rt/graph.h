/* Graphs, for the files behind rt.h. */
#ifndef HEDDLE_RT_GRAPH_H
#define HEDDLE_RT_GRAPH_H

#include "door/rt/state.h"

struct rt_node {
	struct rt_graph *graph;
	struct rt_work work;    /* what it points at is the node's */
	struct rt_node **after; /* the nodes that it follows */
	size_t after_count;
	const struct rt_node *origin; /* of a clone: what it is a copy of */
	bool disabled;                /* in an instance */
	/* While a graph is ordered, compared or run. */
	size_t index, waits, lane;
};

/* References to a user's object. */
struct hold {
	struct rt_object *object;
	unsigned count;
};

/* How an instance runs: the nodes one after the other, each in a lane, which
 * is a stream of its own. */
struct plan {
	struct rt_node **order;
	struct rt_stream *lanes;
	size_t lane_count;
};

struct rt_graph {
	struct rt_node **nodes; /* in the order they were added */
	size_t count, room;
	struct hold *holds;
	size_t hold_count;
	bool inner; /* of a node or an instance, which frees it */
	struct plan plan;
};

struct rt_graph *graph_find(struct rt_graph *g); /* NULL: not one */
struct rt_node *node_find(struct rt_node *n);
/* With the nodes that it follows checked; work belongs to the caller. */
int node_new(struct rt_node **out, struct rt_graph *g,
	     struct rt_node *const *after, size_t count, struct rt_work *work);
void graph_unmake(struct rt_graph *g);
int graph_copy(struct rt_graph **out, const struct rt_graph *g);
/* The node takes a copy of what work says; its old work ends. */
int node_take(struct rt_node *n, const struct rt_work *work);
/* Whether b is n or comes before it. */
bool node_follows(struct rt_graph *g, const struct rt_node *n,
		  const struct rt_node *b);

#endif
