/*
 * Post-dominators by Lengauer and Tarjan's algorithm (simple linking, path
 * compression: O(m log n)) on the reversed graph, whose root is the end of
 * the function.
 */
#include "isa/ptx/flow.h"

#include <stdlib.h>
#include <string.h>

/* Nodes are block numbers; `end`, one past the last block, is the root. */
struct flow_graph {
	const struct ptx_func *f;
	uint32_t end;
	uint32_t *block_of;       /* by instruction; [inst_count] is the end */
	uint32_t *succ_at, *succ; /* successors of b: succ[succ_at[b]...] */
	uint32_t *pred_at, *pred;
	uint32_t edges;
};

/* Where control goes after an instruction. */
struct exits {
	bool falls;     /* to the next one */
	bool leaves;    /* the function */
	uint32_t count; /* of jumps */
	const uint32_t *labels;
};

static bool flow_never_returns(const struct ptx_func *f,
			       const struct ptx_inst *in)
{
	for (int i = 0; i < in->opnd_count; i++) {
		const struct ptx_opnd *o = &in->opnds[i];

		if (o->kind == PTX_OPND_FUNC)
			return o->func->limits.noreturn;
		if (o->kind == PTX_OPND_TARGETS && f->targets[o->targets].proto)
			return f->targets[o->targets].proto->limits.noreturn;
	}
	return false;
}

static struct exits exits_of(const struct ptx_func *f,
			     const struct ptx_inst *in)
{
	struct exits e = { .falls = in->guard != PTX_NO_REG };
	const struct ptx_targets *t;

	switch (in->op->op) {
	case PTX_OP_BRA:
		e.count = 1;
		e.labels = &in->opnds[0].label;
		break;
	case PTX_OP_BRX:
		t = &f->targets[in->opnds[1].targets];
		e.count = t->count;
		e.labels = t->labels;
		break;
	case PTX_OP_RET:
	case PTX_OP_EXIT:
	case PTX_OP_TRAP:
		e.leaves = true;
		break;
	case PTX_OP_CALL:
		e.leaves = flow_never_returns(f, in);
		e.falls |= !e.leaves;
		break;
	default:
		e.falls = true;
		break;
	}
	return e;
}

static bool ends_block(const struct exits *e)
{
	return !e->falls || e->leaves || e->count;
}

static uint32_t *new_words(size_t n)
{
	return malloc((n + 1) * sizeof(uint32_t));
}

/* Marks the first instructions of blocks in block_of, then numbers them. A label
 * that nothing jumps to begins no block: debugging information is full of them,
 * and must not change where registers lie, and with them the cycles. */
static void number_blocks(struct flow_graph *g, uint32_t *starts)
{
	const struct ptx_func *f = g->f;

	memset(g->block_of, 0, ((size_t)f->inst_count + 1) * sizeof(uint32_t));
	g->block_of[0] = 1;
	for (uint32_t i = 0; i < f->inst_count; i++) {
		struct exits e = exits_of(f, &f->insts[i]);

		for (uint32_t k = 0; k < e.count; k++)
			g->block_of[f->labels[e.labels[k]].inst] = 1;
		if (ends_block(&e))
			g->block_of[i + 1] = 1;
		g->edges += e.count + 2;
	}
	g->end = 0;
	for (uint32_t i = 0; i < f->inst_count; i++) {
		if (g->block_of[i])
			starts[g->end++] = i;
		g->block_of[i] = g->end - 1;
	}
	g->block_of[f->inst_count] = g->end;
}

/* Writes the successors of the block that ends with `last`; returns how many. */
static uint32_t put_successors(const struct flow_graph *g, uint32_t last,
			       uint32_t *to)
{
	struct exits e = exits_of(g->f, &g->f->insts[last]);
	uint32_t n = 0;

	for (uint32_t i = 0; i < e.count; i++)
		to[n++] = g->block_of[g->f->labels[e.labels[i]].inst];
	if (e.falls)
		to[n++] = g->block_of[last + 1];
	if (e.leaves)
		to[n++] = g->end;
	return n;
}

static void put_predecessors(struct flow_graph *g)
{
	uint32_t nodes = g->end + 1, total = g->succ_at[g->end];

	memset(g->pred_at, 0, (nodes + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < total; i++)
		g->pred_at[g->succ[i] + 1]++;
	for (uint32_t i = 0; i < nodes; i++)
		g->pred_at[i + 1] += g->pred_at[i];
	for (uint32_t b = g->end; b-- > 0;)
		for (uint32_t i = g->succ_at[b]; i < g->succ_at[b + 1]; i++)
			g->pred[--g->pred_at[g->succ[i] + 1]] = b;
	/* Each list was filled from its end: pred_at[b + 1] is where the list
	 * of b starts. */
	memmove(g->pred_at, g->pred_at + 1, nodes * sizeof(uint32_t));
	g->pred_at[nodes] = total;
}

static bool flow_build(struct flow_graph *g, const uint32_t *starts)
{
	uint32_t n = 0;

	g->succ_at = new_words(g->end + 1);
	g->pred_at = new_words(g->end + 2);
	g->succ = new_words(g->edges);
	g->pred = new_words(g->edges);
	if (!g->succ_at || !g->pred_at || !g->succ || !g->pred)
		return false;
	for (uint32_t b = 0; b < g->end; b++) {
		uint32_t next = b + 1 < g->end ? starts[b + 1] :
						 g->f->inst_count;

		g->succ_at[b] = n;
		n += put_successors(g, next - 1, g->succ + n);
	}
	g->succ_at[g->end] = n;
	put_predecessors(g);
	return true;
}

/* Lengauer and Tarjan's arrays: vertex by DFS number, all others by node. */
struct dom_tree {
	const struct flow_graph *g;
	uint32_t *vertex, *number, *parent, *semi, *label, *ancestor, *dom;
	uint32_t *bucket, *next; /* lists of nodes by their semidominator */
	uint32_t *cursor, *stack;
	uint32_t count;
};

enum { NONE = 0xffffffffu, ARRAYS = 11 };

static void dfs_visit(struct dom_tree *t, uint32_t node, uint32_t parent)
{
	t->number[node] = t->semi[node] = t->count;
	t->vertex[t->count++] = node;
	t->parent[node] = parent;
	t->label[node] = node;
	t->cursor[node] = t->g->pred_at[node];
}

static void dfs_from(struct dom_tree *t, uint32_t root, uint32_t parent)
{
	uint32_t depth = 0;

	dfs_visit(t, root, parent);
	t->stack[depth++] = root;
	while (depth) {
		uint32_t v = t->stack[depth - 1];

		if (t->cursor[v] == t->g->pred_at[v + 1]) {
			depth--;
			continue;
		}
		uint32_t w = t->g->pred[t->cursor[v]++];

		if (t->number[w] == NONE) {
			dfs_visit(t, w, v);
			t->stack[depth++] = w;
		}
	}
}

/* The node with the minimal semidominator on the linked path above v. */
static uint32_t dom_eval(struct dom_tree *t, uint32_t v)
{
	uint32_t depth = 0, u = v;

	if (t->ancestor[v] == NONE)
		return v;
	for (; t->ancestor[t->ancestor[u]] != NONE; u = t->ancestor[u])
		t->stack[depth++] = u;
	while (depth) {
		uint32_t w = t->stack[--depth], a = t->ancestor[w];

		if (t->semi[t->label[a]] < t->semi[t->label[w]])
			t->label[w] = t->label[a];
		t->ancestor[w] = t->ancestor[a];
	}
	return t->label[v];
}

static void settle_bucket(struct dom_tree *t, uint32_t of)
{
	for (uint32_t v = t->bucket[of]; v != NONE; v = t->next[v]) {
		uint32_t u = dom_eval(t, v);

		t->dom[v] = t->semi[u] < t->semi[v] ? u : of;
	}
	t->bucket[of] = NONE;
}

static void find_dominators(struct dom_tree *t)
{
	for (uint32_t i = t->count; i-- > 1;) {
		uint32_t w = t->vertex[i], s;

		for (uint32_t e = t->g->succ_at[w]; e < t->g->succ_at[w + 1];
		     e++) {
			uint32_t u = dom_eval(t, t->g->succ[e]);

			if (t->semi[u] < t->semi[w])
				t->semi[w] = t->semi[u];
		}
		/* An endless loop leaves by an edge that is not in the lists:
		 * its parent is the root. */
		if (t->number[t->parent[w]] < t->semi[w])
			t->semi[w] = t->number[t->parent[w]];
		s = t->vertex[t->semi[w]];
		t->next[w] = t->bucket[s];
		t->bucket[s] = w;
		t->ancestor[w] = t->parent[w];
		settle_bucket(t, t->parent[w]);
	}
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t w = t->vertex[i];

		if (t->dom[w] != t->vertex[t->semi[w]])
			t->dom[w] = t->dom[t->dom[w]];
	}
}

/* Fills in ipdom, by block. */
static bool post_dominators(const struct flow_graph *g, uint32_t *ipdom)
{
	size_t nodes = (size_t)g->end + 1;
	uint32_t *words = malloc(nodes * ARRAYS * sizeof(uint32_t));
	struct dom_tree t = { .g = g };
	uint32_t **arrays[ARRAYS] = { &t.vertex, &t.number, &t.parent,
				      &t.semi,   &t.label,  &t.ancestor,
				      &t.dom,    &t.bucket, &t.next,
				      &t.cursor, &t.stack };

	if (!words)
		return false;
	memset(words, 0xff, nodes * ARRAYS * sizeof(uint32_t));
	for (size_t i = 0; i < ARRAYS; i++)
		*arrays[i] = words + i * nodes;
	dfs_from(&t, g->end, NONE);
	for (uint32_t b = g->end; b-- > 0;)
		if (t.number[b] == NONE)
			dfs_from(&t, b, g->end);
	find_dominators(&t);
	for (uint32_t b = 0; b < g->end; b++)
		ipdom[b] = t.dom[b] == g->end ? PTX_NO_JOIN : t.dom[b];
	free(words);
	return true;
}

static void set_joins(struct ptx_flow *out, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->f->inst_count; i++) {
		unsigned op = g->f->insts[i].op->op;
		uint32_t join = out->ipdom[g->block_of[i]];

		out->join[i] = PTX_NO_JOIN;
		if ((op == PTX_OP_BRA || op == PTX_OP_BRX) &&
		    join != PTX_NO_JOIN)
			out->join[i] = out->starts[join];
	}
}

static bool flow_analyse(struct ptx_flow *out, struct flow_graph *g,
			 struct arena *a)
{
	uint32_t *starts = new_words(g->f->inst_count);
	bool ok;

	g->block_of = new_words((size_t)g->f->inst_count + 1);
	ok = starts && g->block_of;
	if (ok) {
		number_blocks(g, starts);
		out->block_count = g->end;
		out->join = arena_new(a, uint32_t, g->f->inst_count);
		out->starts = arena_new(a, uint32_t, g->end);
		out->ipdom = arena_new(a, uint32_t, g->end);
		ok = out->join && out->starts && out->ipdom &&
		     flow_build(g, starts) && post_dominators(g, out->ipdom);
	}
	if (ok) {
		memcpy(out->starts, starts, g->end * sizeof(uint32_t));
		set_joins(out, g);
	}
	free(starts);
	return ok;
}

enum err ptx_flow(struct ptx_flow *out, const struct ptx_func *f,
		  struct arena *a, struct diag *d)
{
	struct flow_graph g = { .f = f };
	bool ok;

	memset(out, 0, sizeof(*out));
	ok = flow_analyse(out, &g, a);
	free(g.block_of);
	free(g.succ_at);
	free(g.succ);
	free(g.pred_at);
	free(g.pred);
	if (!ok)
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	return ERR_OK;
}
