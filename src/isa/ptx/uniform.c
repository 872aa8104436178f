#include "isa/ptx/uniform.h"

#include "arch/lanes.h"

struct uniformer {
	const struct ptx_func *f;
	const struct ptx_flow *flow;
	const struct ptx_live *live;
	const struct time_live *l;
	struct ptx_uniform *u;
	uint32_t *writes; /* by cell */
	bool *lane;       /* by cell: a number of its own in each lane */
	bool *split;      /* by block: lanes leave it in different directions */
	uint32_t *in;     /* by block: the region that it was last found in */
	uint32_t *todo;   /* blocks */
	uint32_t *set;    /* by cell: the region that last wrote it */
	bool *other;      /* by block: in the region before */
	uint32_t region;  /* number of the current one, from 1 on */
	bool more;
};

/* ---- values ---- */

static bool reads_cells(const struct uniformer *v, uint32_t i,
			const bool *cells)
{
	for (uint32_t r = v->l->at[i]; r < v->l->at[i + 1]; r++)
		if (!v->l->ref[r].write && cells[v->l->ref[r].cell])
			return true;
	return false;
}

static bool is_of_lanes(unsigned sreg)
{
	switch (sreg) {
	case PTX_SREG_TID_X:
	case PTX_SREG_TID_Y:
	case PTX_SREG_TID_Z:
	case PTX_SREG_LANEID:
	case PTX_SREG_LANEMASK_EQ:
	case PTX_SREG_LANEMASK_LE:
	case PTX_SREG_LANEMASK_LT:
	case PTX_SREG_LANEMASK_GE:
	case PTX_SREG_LANEMASK_GT:
		return true;
	default:
		return false;
	}
}

static bool reads_lanes(const struct ptx_inst *in)
{
	for (unsigned i = 0; i < in->opnd_count; i++)
		if (in->opnds[i].kind == PTX_OPND_SREG &&
		    is_of_lanes(in->opnds[i].sreg))
			return true;
	return false;
}

static bool is_same(const struct uniformer *v, const struct ptx_opnd *o)
{
	return o->kind == PTX_OPND_IMM ||
	       (o->kind == PTX_OPND_REG && !v->u->differs[v->l->first[o->reg]]);
}

/* Of the whole warp, from one lane. */
static bool shuffles_one(const struct uniformer *v, const struct ptx_inst *in)
{
	const struct ptx_opnd *bound = &in->opnds[3];

	return in->op->attr[PTX_CLASS_SHFL] == PTX_SHFL_IDX &&
	       is_same(v, &in->opnds[2]) && bound->kind == PTX_OPND_IMM &&
	       bound->bits == LANES - 1;
}

static bool reads_own_memory(const struct uniformer *v,
			     const struct ptx_inst *in)
{
	unsigned ss = in->op->attr[PTX_CLASS_SS];

	return ss == PTX_SS_LOCAL ||
	       (ss == PTX_SS_PARAM && !time_is_param_load(v->f, in));
}

/* Whether lanes may get different results. */
static bool result_differs(const struct uniformer *v, uint32_t i)
{
	const struct ptx_inst *in = &v->f->insts[i];
	const struct ptx_row *row = &ptx_rows[in->op->op];

	switch (in->op->op) {
	case PTX_OP_VOTE:
	case PTX_OP_VOTE_BALLOT:
	case PTX_OP_VOTE_SYNC:
	case PTX_OP_VOTE_SYNC_BALLOT:
	case PTX_OP_ACTIVEMASK:
	case PTX_OP_REDUX:
	case PTX_OP_BAR_RED_POPC:
	case PTX_OP_BAR_RED_PRED:
	case PTX_OP_BARRIER_RED_POPC:
	case PTX_OP_BARRIER_RED_PRED:
		return false;
	case PTX_OP_SHFL:
	case PTX_OP_SHFL_SYNC:
		return !shuffles_one(v, in) && reads_cells(v, i, v->u->differs);
	case PTX_OP_MATCH_ANY:
	case PTX_OP_MATCH_ALL:
	case PTX_OP_ELECT:
	case PTX_OP_CALL:
		return true;
	default:
		return row->kind == KIND_ATOMIC ||
		       row->replay == REPLAY_CONVERGE || reads_lanes(in) ||
		       reads_cells(v, i, v->u->differs) ||
		       (row->kind == KIND_LOAD && reads_own_memory(v, in));
	}
}

static void set_differs(struct uniformer *v, uint32_t cell)
{
	v->more |= !v->u->differs[cell];
	v->u->differs[cell] = true;
}

static void find_values(struct uniformer *v)
{
	for (uint32_t i = 0; i < v->f->inst_count; i++) {
		if (!result_differs(v, i))
			continue;
		for (uint32_t r = v->l->at[i]; r < v->l->at[i + 1]; r++)
			if (v->l->ref[r].write)
				set_differs(v, v->l->ref[r].cell);
	}
}

/* ---- regions ---- */

static void enter_region(struct uniformer *v, uint32_t b, uint32_t *todo)
{
	if (b < v->flow->block_count && v->in[b] != v->region) {
		v->in[b] = v->region;
		v->todo[(*todo)++] = b;
	}
}

static uint32_t labelled_block(const struct uniformer *v, uint32_t label)
{
	return v->u->block_of[v->f->labels[label].inst];
}

static const struct ptx_inst *last_inst(const struct uniformer *v, uint32_t b)
{
	return &v->f->insts[ptx_block_end(v->flow, v->f, b) - 1];
}

static bool falls_out(const struct ptx_inst *in)
{
	switch (in->op->op) {
	case PTX_OP_BRA:
	case PTX_OP_BRX:
	case PTX_OP_RET:
	case PTX_OP_EXIT:
	case PTX_OP_TRAP:
		return in->guard != PTX_NO_REG;
	default:
		return true;
	}
}

static void enter_targets(struct uniformer *v, uint32_t b, uint32_t *todo)
{
	const struct ptx_inst *in = last_inst(v, b);

	if (in->op->op == PTX_OP_BRA)
		enter_region(v, labelled_block(v, in->opnds[0].label), todo);
	if (in->op->op == PTX_OP_BRX) {
		const struct ptx_targets *t =
			&v->f->targets[in->opnds[1].targets];

		for (uint32_t i = 0; i < t->count; i++)
			enter_region(v, labelled_block(v, t->labels[i]), todo);
	}
}

/* Which sides of a branch. */
enum { SIDE_TAKEN = 1, SIDE_FALLS = 2 };

/* Finds the blocks behind these sides of the branch that ends block b, up to
 * where its paths join: a new region. Returns the block where they join. */
static uint32_t find_region(struct uniformer *v, uint32_t b, unsigned sides)
{
	uint32_t at = ptx_block_end(v->flow, v->f, b) - 1, n = 0, k = 0;
	uint32_t join = v->flow->join[at];

	join = join == PTX_NO_JOIN ? v->flow->block_count :
				     v->u->block_of[join];
	v->region++;
	if (join < v->flow->block_count)
		v->in[join] = v->region; /* it ends there */
	if (sides & SIDE_TAKEN)
		enter_targets(v, b, &n);
	if (sides & SIDE_FALLS && falls_out(&v->f->insts[at]))
		enter_region(v, b + 1, &n);
	while (k < n) {
		uint32_t now = v->todo[k++];

		enter_targets(v, now, &n);
		if (falls_out(last_inst(v, now)))
			enter_region(v, now + 1, &n);
	}
	if (join < v->flow->block_count)
		v->in[join] = 0;
	return join;
}

static bool in_region(const struct uniformer *v, uint32_t b)
{
	return v->in[b] == v->region;
}

/* Notes the cells that the region's blocks write. */
static void find_set(struct uniformer *v)
{
	for (uint32_t b = 0; b < v->flow->block_count; b++) {
		if (!in_region(v, b))
			continue;
		for (uint32_t r = v->l->at[v->flow->starts[b]];
		     r < v->l->at[ptx_block_end(v->flow, v->f, b)]; r++)
			if (v->l->ref[r].write)
				v->set[v->l->ref[r].cell] = v->region;
	}
}

/* What paths of the region have left where block b begins; once: even if it is
 * written in one place only. */
static void find_left(struct uniformer *v, uint32_t b, bool once)
{
	const uint64_t *live = v->live->in + (size_t)b * v->live->set_words;

	for (uint32_t w = 0; w < v->live->set_words; w++)
		for (uint64_t x = live[w]; x; x &= x - 1) {
			uint32_t cell =
				v->live->cell_of[w * 64 + __builtin_ctzll(x)];

			if (v->set[cell] == v->region &&
			    (once || v->writes[cell] > 1))
				set_differs(v, cell);
		}
}

/* Lanes take different ways at the end of block b. */
static void split_at(struct uniformer *v, uint32_t b)
{
	uint32_t join = find_region(v, b, SIDE_TAKEN | SIDE_FALLS);
	bool loops = in_region(v, b);

	find_set(v);
	if (join < v->flow->block_count)
		find_left(v, join, loops);
	for (uint32_t x = b; loops && x < v->flow->block_count; x++) {
		const struct ptx_inst *in = last_inst(v, x);
		uint32_t head;

		if (!in_region(v, x) || in->op->op != PTX_OP_BRA)
			continue;
		head = labelled_block(v, in->opnds[0].label);
		if (head <= b && in_region(v, head))
			find_left(v, head, false);
	}
}

static bool is_split(const struct uniformer *v, uint32_t b)
{
	const struct ptx_inst *in = last_inst(v, b);

	if (in->op->op == PTX_OP_BRX && in->opnds[0].kind == PTX_OPND_REG &&
	    v->u->differs[v->l->first[in->opnds[0].reg]])
		return true;
	return (in->op->op == PTX_OP_BRA || in->op->op == PTX_OP_BRX) &&
	       in->guard != PTX_NO_REG && v->u->differs[v->l->first[in->guard]];
}

static void find_splits(struct uniformer *v)
{
	for (uint32_t b = 0; b < v->flow->block_count; b++) {
		if (v->split[b] || !is_split(v, b))
			continue;
		v->split[b] = true;
		split_at(v, b);
	}
}

/* ---- lanes that are alone ---- */

static bool is_lane(const struct uniformer *v, const struct ptx_opnd *o)
{
	return (o->kind == PTX_OPND_REG && v->lane[v->l->first[o->reg]]) ||
	       (o->kind == PTX_OPND_SREG && is_of_lanes(o->sreg));
}

/* One of two operands is a lane's own number, the other the same in all. */
static bool is_lane_and_same(const struct uniformer *v,
			     const struct ptx_opnd *a, const struct ptx_opnd *b)
{
	return (is_lane(v, a) && is_same(v, b)) ||
	       (is_lane(v, b) && is_same(v, a));
}

static bool is_factor(const struct ptx_opnd *o)
{
	return o->kind == PTX_OPND_IMM && o->bits;
}

/* Whether the instruction gives each lane a number of its own. */
static bool numbers_lanes(const struct uniformer *v, const struct ptx_inst *in)
{
	const struct ptx_opnd *o = in->opnds;

	switch (in->op->op) {
	case PTX_OP_MOV:
	case PTX_OP_CVT_II:
		return is_lane(v, &o[1]);
	case PTX_OP_ADD_S32:
	case PTX_OP_ADD_U32:
	case PTX_OP_ADD_S64:
	case PTX_OP_ADD_U64:
	case PTX_OP_SUB_S32:
	case PTX_OP_SUB_U32:
		return is_lane_and_same(v, &o[1], &o[2]);
	case PTX_OP_MUL_LO_S32:
	case PTX_OP_MUL_LO_U32:
	case PTX_OP_MUL_WIDE_S32:
	case PTX_OP_MUL_WIDE_U32:
	case PTX_OP_SHL_B32:
	case PTX_OP_SHL_B64:
		return is_lane(v, &o[1]) &&
		       (in->op->op == PTX_OP_SHL_B32 ||
					in->op->op == PTX_OP_SHL_B64 ?
				o[2].kind == PTX_OPND_IMM :
				is_factor(&o[2]));
	case PTX_OP_MAD_LO_S32:
	case PTX_OP_MAD_LO_U32:
		return (is_same(v, &o[1]) && is_same(v, &o[2]) &&
			is_lane(v, &o[3])) ||
		       (is_lane(v, &o[1]) && is_factor(&o[2]) &&
			is_same(v, &o[3]));
	default:
		return false;
	}
}

static bool is_equality(const struct ptx_inst *in, bool *equal)
{
	const uint8_t *attr = in->op->attr;
	bool differs;

	switch (in->op->op) {
	case PTX_OP_SETP_B32:
	case PTX_OP_SETP_B64:
		*equal = attr[PTX_CLASS_ECMP] == PTX_ECMP_EQ;
		differs = !*equal;
		break;
	case PTX_OP_SETP_U32:
	case PTX_OP_SETP_U64:
		*equal = attr[PTX_CLASS_UCMP] == PTX_UCMP_EQ;
		differs = attr[PTX_CLASS_UCMP] == PTX_UCMP_NE;
		break;
	case PTX_OP_SETP_S32:
	case PTX_OP_SETP_S64:
		*equal = attr[PTX_CLASS_SCMP] == PTX_SCMP_EQ;
		differs = attr[PTX_CLASS_SCMP] == PTX_SCMP_NE;
		break;
	default:
		return false;
	}
	return (*equal || differs) && !attr[PTX_CLASS_BOOL] &&
	       in->opnds[0].kind == PTX_OPND_REG;
}

/* The predicates that are set, or not, in one lane at most. */
static void find_predicate(struct uniformer *v, const struct ptx_inst *in,
			   uint32_t cell)
{
	const struct ptx_opnd *o = in->opnds;
	bool equal;

	if (is_equality(in, &equal) && is_lane_and_same(v, &o[1], &o[2])) {
		v->u->if_set[cell] = equal;
		v->u->if_not[cell] = !equal;
	} else if (in->op->op == PTX_OP_NOT_PRED && o[1].kind == PTX_OPND_REG) {
		v->u->if_set[cell] = v->u->if_not[v->l->first[o[1].reg]];
		v->u->if_not[cell] = v->u->if_set[v->l->first[o[1].reg]];
	} else if (in->op->op == PTX_OP_ELECT) {
		v->u->if_set[cell] =
			true; /* and no branch is on the register */
	}
}

static void find_lanes(struct uniformer *v)
{
	for (uint32_t i = 0; i < v->f->inst_count; i++) {
		const struct ptx_inst *in = &v->f->insts[i];

		for (uint32_t r = v->l->at[i]; r < v->l->at[i + 1]; r++) {
			uint32_t cell = v->l->ref[r].cell;

			if (!v->l->ref[r].write || v->writes[cell] != 1 ||
			    in->guard != PTX_NO_REG)
				continue;
			v->lane[cell] = numbers_lanes(v, in);
			find_predicate(v, in, cell);
		}
	}
}

/* The blocks that only the lanes on one side of the branch at the end of block b
 * execute. */
static void set_alone(struct uniformer *v, uint32_t b, unsigned side)
{
	uint32_t mine, others;

	(void)find_region(v, b, (SIDE_TAKEN | SIDE_FALLS) & ~side);
	others = v->region;
	for (uint32_t x = 0; x < v->flow->block_count; x++)
		v->other[x] = v->in[x] == others;
	(void)find_region(v, b, side);
	mine = v->region;
	for (uint32_t x = 0; x < v->flow->block_count; x++)
		v->u->alone[x] |= v->in[x] == mine && !v->other[x] && x != b;
}

static void find_alone(struct uniformer *v)
{
	for (uint32_t b = 0; b < v->flow->block_count; b++) {
		const struct ptx_inst *in = last_inst(v, b);
		uint32_t cell;
		bool taken, falls;

		if (in->guard == PTX_NO_REG)
			continue;
		cell = v->l->first[in->guard];
		taken = in->guard_negated ? v->u->if_not[cell] :
					    v->u->if_set[cell];
		falls = in->guard_negated ? v->u->if_set[cell] :
					    v->u->if_not[cell];
		if (taken)
			set_alone(v, b, SIDE_TAKEN);
		if (falls)
			set_alone(v, b, SIDE_FALLS);
	}
}

bool uniform_is_alone(const struct ptx_uniform *u, const struct ptx_func *f,
		      const struct time_live *l, uint32_t inst)
{
	const struct ptx_inst *in = &f->insts[inst];
	uint32_t cell;

	if (u->alone[u->block_of[inst]])
		return true;
	if (in->guard == PTX_NO_REG)
		return false;
	cell = l->first[in->guard];
	return in->guard_negated ? u->if_not[cell] : u->if_set[cell];
}

/* ---- functions ---- */

/* Values from elsewhere: registers that are read and not written. */
static void uniform_begin(struct uniformer *v)
{
	uint32_t n = v->f->inst_count;

	for (uint32_t r = 0; r < v->l->at[n]; r++)
		v->writes[v->l->ref[r].cell] += v->l->ref[r].write;
	for (uint32_t c = 0; c < v->l->cells; c++)
		v->u->differs[c] = !v->writes[c] ||
				   v->flow->block_count > UNIFORM_BLOCKS;
	for (uint32_t b = 0; b < v->flow->block_count; b++)
		for (uint32_t i = v->flow->starts[b];
		     i < ptx_block_end(v->flow, v->f, b); i++)
			v->u->block_of[i] = b;
	v->u->block_of[n] = v->flow->block_count;
}

bool uniform_find(struct ptx_uniform *out, const struct ptx_func *f,
		  const struct ptx_flow *flow, const struct ptx_live *live,
		  const struct time_live *l, struct arena *a)
{
	struct uniformer v = {
		.f = f, .flow = flow, .live = live, .l = l, .u = out
	};
	uint32_t blocks = flow->block_count + 1, cells = l->cells + 1;

	out->differs = arena_new(a, bool, cells);
	out->alone = arena_new(a, bool, blocks);
	out->if_set = arena_new(a, bool, cells);
	out->if_not = arena_new(a, bool, cells);
	out->block_of = arena_new(a, uint32_t, f->inst_count + 1);
	v.writes = arena_new(a, uint32_t, cells);
	v.lane = arena_new(a, bool, cells);
	v.split = arena_new(a, bool, blocks);
	v.in = arena_new(a, uint32_t, blocks);
	v.todo = arena_new(a, uint32_t, blocks);
	v.set = arena_new(a, uint32_t, cells);
	v.other = arena_new(a, bool, blocks);
	if (!out->differs || !out->alone || !out->if_set || !out->if_not ||
	    !out->block_of || !v.writes || !v.lane || !v.split || !v.in ||
	    !v.todo || !v.set || !v.other)
		return false;
	uniform_begin(&v);
	if (flow->block_count > UNIFORM_BLOCKS)
		return true;
	do {
		v.more = false;
		find_values(&v);
		find_splits(&v);
	} while (v.more);
	find_lanes(&v);
	find_alone(&v);
	return true;
}
