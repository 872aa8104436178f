/*
 * The dependences between the instructions of a region.
 */
#include "isa/ptx/schedule_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "isa/ptx/lower.h"
#include "isa/ptx/merge.h"

/* ---- classes ---- */

/* Whether it reads something that changes while the kernel runs: a clock. */
static bool reads_changing(const struct ptx_inst *in)
{
	for (unsigned i = 0; i < in->opnd_count; i++)
		if (in->opnds[i].kind == PTX_OPND_SREG &&
		    !ptx_sregs[in->opnds[i].sreg].fixed)
			return true;
	return false;
}

static bool is_weak(const struct ptx_opcode *op)
{
	unsigned sem = op->attr[PTX_CLASS_SEM];

	return (!sem || sem == PTX_SEM_WEAK) && !op->attr[PTX_CLASS_MMIO];
}

/* A guard that stands for a branch orders nothing. */
static bool has_no_guard(const struct ptx_inst *in)
{
	return in->guard == PTX_NO_REG || in->apart;
}

static enum plan_class class_of_plain(const struct ptx_inst *in)
{
	const struct ptx_row *row = &ptx_rows[in->op->op];

	switch ((enum replay_kind)row->replay) {
	case REPLAY_PRED:
		return has_no_guard(in) ? PLAN_FACT : PLAN_ORDERED;
	case REPLAY_SYNC:
		return row->lat == LAT_BAR ? PLAN_WALL : PLAN_ORDERED;
	case REPLAY_FREE:
	case REPLAY_COMPUTE:
	case REPLAY_CONVERGE:
		return row->unit == UNIT_BRANCH || row->unit == UNIT_LSU ||
				       in->op->op == PTX_OP_ACTIVEMASK ||
				       in->op->op == PTX_OP_STACKSAVE ||
				       ptx_has_slow_path(in->op->op) ||
				       reads_changing(in) ?
			       PLAN_WALL :
			       PLAN_PURE;
	default:
		return PLAN_WALL;
	}
}

static enum plan_class class_of_access(const struct ptx_func *f,
				       const struct ptx_inst *in)
{
	if (!is_weak(in->op) || !has_no_guard(in))
		return PLAN_ORDERED;
	return time_is_param_load(f, in) ? PLAN_PURE : PLAN_FACT;
}

enum plan_class plan_class_of(const struct ptx_func *f,
			      const struct ptx_inst *in)
{
	const struct ptx_row *row = &ptx_rows[in->op->op];

	switch ((enum timing_kind)row->kind) {
	case KIND_PLAIN:
		return class_of_plain(in);
	case KIND_LOAD:
	case KIND_STORE:
		if (row->replay == REPLAY_LOAD || row->replay == REPLAY_STORE)
			return class_of_access(f, in);
		return row->replay == REPLAY_ROWS ||
				       row->replay == REPLAY_MATRIX ?
			       PLAN_ORDERED :
			       PLAN_WALL;
	case KIND_ATOMIC:
		return row->replay == REPLAY_ATOM ||
				       row->replay == REPLAY_ATOM_VEC ?
			       PLAN_ORDERED :
			       PLAN_WALL;
	case KIND_TEX: /* stores to surfaces are walls */
		return in->guard == PTX_NO_REG ? PLAN_FACT : PLAN_ORDERED;
	default:
		return PLAN_WALL;
	}
}

/* ---- edges ---- */

bool plan_edge(struct plan *p, uint32_t from, uint32_t to, uint32_t latency)
{
	if (from == to || from == PLAN_NONE)
		return true;
	if (p->edges == p->edge_room) {
		uint32_t room = 2 * p->edge_room + 1024;
		struct plan_edge *more = realloc(p->edge, room * sizeof(*more));

		if (!more)
			return false;
		p->edge = more;
		p->edge_room = room;
	}
	p->edge[p->edges] =
		(struct plan_edge){ to, p->node[from].edges, latency };
	p->node[from].edges = ++p->edges;
	p->node[to].waits++;
	return true;
}

/* ---- registers ---- */

static uint32_t new_value(struct plan *p, uint32_t cell, uint32_t writer)
{
	uint32_t v = p->values++;

	p->value[v] = (struct plan_value){ .writer = writer,
					   .words = p->live->words[cell],
					   .base = v,
					   .low = p->low[cell] };
	p->value_of[cell] = v;
	p->seen[cell] = p->region;
	return v;
}

static uint32_t current_value(struct plan *p, uint32_t cell)
{
	return p->seen[cell] == p->region ? p->value_of[cell] :
					    new_value(p, cell, PLAN_NONE);
}

static bool plan_read_value(struct plan *p, uint32_t node, uint32_t cell)
{
	uint32_t at = current_value(p, cell);
	struct plan_value *v = &p->value[at];

	p->use[p->uses++] = (struct plan_use){ .value = at };
	v->reads++;
	p->reader[p->readers] = (struct plan_reader){ node, v->readers };
	v->readers = ++p->readers;
	return v->writer == PLAN_NONE ||
	       plan_edge(p, v->writer, node, p->node[v->writer].latency);
}

/* A write follows the last one, and the reads of what that one wrote. A write
 * with a guard keeps the old value in some lanes, so it reads that, too. */
static bool plan_write_value(struct plan *p, uint32_t node, uint32_t cell)
{
	bool keeps = !ptx_overwrites(&p->f->insts[p->first + node]);

	if (keeps && !plan_read_value(p, node, cell))
		return false;
	if (p->seen[cell] == p->region) {
		const struct plan_value *old = &p->value[p->value_of[cell]];

		if (!plan_edge(p, old->writer, node, 1))
			return false;
		for (uint32_t r = old->readers; r; r = p->reader[r - 1].next)
			if (!plan_edge(p, p->reader[r - 1].node, node, 0))
				return false;
	}
	p->use[p->uses++] =
		(struct plan_use){ .value = new_value(p, cell, node),
				   .write = true };
	return true;
}

/* The register of `d = a + constant`, if the instruction is one. */
static const struct ptx_opnd *sum_with_constant(const struct ptx_inst *in,
						int64_t *constant)
{
	switch (in->op->op) {
	case PTX_OP_ADD_S64:
	case PTX_OP_ADD_U64:
	case PTX_OP_ADD_S32:
	case PTX_OP_ADD_U32:
		if (in->opnds[1].kind != PTX_OPND_REG ||
		    in->opnds[2].kind != PTX_OPND_IMM)
			return NULL;
		*constant = (int64_t)in->opnds[2].bits;
		return &in->opnds[1];
	default:
		return NULL;
	}
}

/* The base of the value that the node writes, whose sources are read already. */
static void note_base(struct plan *p, uint32_t node, uint32_t source,
		      int64_t constant)
{
	for (uint32_t u = p->use_at[node]; u < p->uses; u++)
		if (p->use[u].write) {
			struct plan_value *v = &p->value[p->use[u].value];

			v->base = p->value[source].base;
			v->offset = p->value[source].offset + constant;
		}
}

static bool add_registers(struct plan *p, uint32_t node)
{
	const struct time_live *l = p->live;
	const struct ptx_inst *in = &p->f->insts[p->first + node];
	uint32_t at = l->at[p->first + node], end = l->at[p->first + node + 1];
	uint32_t source = PLAN_NONE;
	int64_t constant = 0;
	const struct ptx_opnd *sum = sum_with_constant(in, &constant);

	p->use_at[node] = p->uses;
	for (uint32_t r = at; r < end; r++)
		if (!l->ref[r].write &&
		    !plan_read_value(p, node, l->ref[r].cell))
			return false;
	if (sum && sum->elem < 0 && in->guard == PTX_NO_REG)
		source = current_value(p, l->first[sum->reg]);
	for (uint32_t r = at; r < end && l->ref[r].write; r++)
		if (!plan_write_value(p, node, l->ref[r].cell))
			return false;
	if (source != PLAN_NONE)
		note_base(p, node, source, constant);
	return true;
}

/* ---- memory ---- */

/* Spaces that the same memory can be reached through. A device function's
 * parameters are in local memory. */
static uint8_t space_of_access(const struct ptx_inst *in,
			       const struct ptx_opnd *base)
{
	enum space s = lower_space(in->op);

	if (s == SPACE_GENERIC && base->kind == PTX_OPND_VAR)
		s = base->var->space;
	return (uint8_t)(s == SPACE_PARAM ? SPACE_LOCAL : s);
}

static struct plan_access access_of(struct plan *p, uint32_t node)
{
	const struct ptx_inst *in = &p->f->insts[p->first + node];
	bool store = p->node[node].stores;
	const struct ptx_opnd *o = &in->opnds[store ? 0 : 1];
	const struct ptx_opnd *base = &o->elems[0];
	struct plan_access a = {
		.node = node,
		.space = space_of_access(in, base),
		.constant = in->op->op == PTX_OP_LD_NC ||
			    in->op->op == PTX_OP_LDU,
		.base = PLAN_NONE,
		.offset = o->offset,
		.bytes = ptx_types[in->op->type[0]].bytes *
			 ptx_vector_length(in->op),
	};

	a.constant |= a.space == SPACE_CONST;
	if (base->kind == PTX_OPND_VAR) {
		a.var = base->var;
		a.offset += base->offset;
	} else if (base->kind == PTX_OPND_REG && base->elem < 0) {
		/* The instruction has read it: it has a value. */
		const struct plan_value *v =
			&p->value[p->value_of[p->live->first[base->reg]]];

		a.base = v->base;
		a.offset += v->offset;
	}
	return a;
}

/* Whether two accesses may meet, of which at least one is a store. */
static bool may_meet(const struct plan_access *a, const struct plan_access *b)
{
	bool same = (a->var && a->var == b->var) ||
		    (!a->var && a->base != PLAN_NONE && a->base == b->base);

	if (a->constant || b->constant)
		return false;
	if (a->space != b->space && a->space != SPACE_GENERIC &&
	    b->space != SPACE_GENERIC)
		return false;
	if (a->var && b->var && a->var != b->var)
		return false;
	if (!same)
		return true;
	return a->offset < b->offset + (int64_t)b->bytes &&
	       b->offset < a->offset + (int64_t)a->bytes;
}

/* Remembers a load of shared memory that could be merged with others. */
static void note_shared(struct plan *p, const struct plan_access *a)
{
	const struct ptx_inst *in = &p->f->insts[p->first + a->node];
	bool near = a->space == SPACE_SHARED || a->space == SPACE_GENERIC;

	if (p->node[a->node].stores) {
		p->epoch += near;
		return;
	}
	if (a->space != SPACE_SHARED || in->guard != PTX_NO_REG ||
	    (a->bytes != 4 && a->bytes != 8) ||
	    (!a->var && a->base == PLAN_NONE))
		return;
	p->shared[p->shareds++] = (struct plan_shared){ .node = a->node,
							.base = a->base,
							.var = a->var,
							.offset = a->offset,
							.bytes = a->bytes,
							.epoch = p->epoch };
}

static bool add_access(struct plan *p, uint32_t node)
{
	struct plan_access a = access_of(p, node);

	note_shared(p, &a);
	for (uint32_t i = 0; i < p->accesses; i++) {
		const struct plan_access *b = &p->access[i];
		bool both = p->node[node].stores && p->node[b->node].stores;

		if (!both && !p->node[node].stores && !p->node[b->node].stores)
			continue;
		if ((both || may_meet(&a, b)) &&
		    !plan_edge(p, b->node, node, 1))
			return false;
	}
	p->access[p->accesses++] = a;
	return true;
}

/* An instruction that keeps its order among all that have facts. */
static bool add_ordered(struct plan *p, uint32_t node)
{
	if (!plan_edge(p, p->ordered, node, 1))
		return false;
	for (uint32_t i = 0; i < p->fact_count; i++)
		if (!plan_edge(p, p->facts[i], node, 1))
			return false;
	p->ordered = node;
	p->epoch++;
	p->fact_count = p->accesses = 0;
	return true;
}

static bool add_fact(struct plan *p, uint32_t node)
{
	const struct ptx_inst *in = &p->f->insts[p->first + node];
	const uint8_t kind = ptx_rows[in->op->op].kind;

	if (p->fact_count == SCHEDULE_FACTS) {
		/* What stood behind a branch is always in a group. */
		p->node[node].group = in->apart ? ++p->group : 0;
		return add_ordered(p, node);
	}
	if (!p->fact_count)
		p->group++;
	p->node[node].group = p->group;
	p->facts[p->fact_count++] = node;
	if (!plan_edge(p, p->ordered, node, 1))
		return false;
	return kind == KIND_PLAIN || kind == KIND_TEX || add_access(p, node);
}

/* ---- the region ---- */

/* Cycles that a compiler expects a load to take. */
static uint16_t load_latency(const struct plan *p, const struct ptx_inst *in)
{
	switch (lower_space(in->op)) {
	case SPACE_SHARED:
		return (uint16_t)p->cfg->mem.shared_latency;
	case SPACE_CONST:
	case SPACE_PARAM:
	case SPACE_LOCAL:
		return (uint16_t)p->cfg->mem.l1_latency;
	default:
		return timed_cycles(p->cfg->mem.l2_latency);
	}
}

static uint16_t latency_of(const struct plan *p, const struct ptx_inst *in)
{
	const struct ptx_row *row = &ptx_rows[in->op->op];
	uint16_t fixed = timed_cycles(p->cfg->lat[row->lat].cycles);

	switch ((enum timing_kind)row->kind) {
	case KIND_LOAD:
		return time_is_param_load(p->f, in) ? 1 : load_latency(p, in);
	case KIND_ATOMIC:
	case KIND_TEX:
		return timed_cycles(p->cfg->mem.l2_latency);
	case KIND_STORE:
		return 1;
	default:
		if (row->replay == REPLAY_PRED &&
		    fixed < p->cfg->sm.branch_guard)
			return timed_cycles(p->cfg->sm.branch_guard);
		return fixed ? fixed : 1;
	}
}

static bool add_node(struct plan *p, uint32_t i)
{
	const struct ptx_inst *in = &p->f->insts[p->first + i];
	struct plan_node *n = &p->node[i];

	*n = (struct plan_node){
		.latency = latency_of(p, in),
		.class = (uint8_t)plan_class_of(p->f, in),
		.stores = ptx_rows[in->op->op].kind == KIND_STORE,
		.folded = p->fold[p->first + i] == FOLD_AWAY,
		.leader = PLAN_NONE,
		.follower = PLAN_NONE,
	};
	if (n->folded)
		n->latency = 0;
	if (!add_registers(p, i))
		return false;
	if (n->class == PLAN_FACT)
		return add_fact(p, i);
	return n->class != PLAN_ORDERED || add_ordered(p, i);
}

static void set_heights(struct plan *p)
{
	for (uint32_t i = p->count; i-- > 0;) {
		struct plan_node *n = &p->node[i];

		n->height = n->latency;
		for (uint32_t e = n->edges; e; e = p->edge[e - 1].next) {
			const struct plan_edge *edge = &p->edge[e - 1];
			uint32_t h = edge->latency + p->node[edge->to].height;

			n->height = h > n->height ? h : n->height;
		}
	}
}

bool plan_graph(struct plan *p)
{
	p->region++;
	p->edges = p->values = p->readers = p->uses = 0;
	p->accesses = p->fact_count = p->shareds = p->epoch = 0;
	p->ordered = PLAN_NONE;
	for (uint32_t i = 0; i < p->count; i++)
		if (!add_node(p, i))
			return false;
	p->use_at[p->count] = p->uses;
	for (uint32_t i = 0; i < p->count; i++) {
		uint32_t at = p->first + i;

		for (uint32_t r = p->live->at[at]; r < p->live->at[at + 1];
		     r++) {
			uint32_t cell = p->live->ref[r].cell;

			p->value[p->value_of[cell]].stays = p->now[cell];
		}
	}
	if (!merge_loads(p))
		return false;
	set_heights(p);
	return true;
}
