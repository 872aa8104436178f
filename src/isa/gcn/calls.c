#include "isa/gcn/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "isa/gcn/inst.h"

/* Instructions between s_getpc_b64 and the addition, at most. */
enum { APART = 8 };

struct call {
	uint32_t to, from;
};

/*
 * Beside the functions there are two nodes: one that calls all, and one that calls
 * those whose addresses are in data.
 */
struct gcn_calls {
	struct call *list; /* by `to` */
	uint32_t count, room;
	uint32_t all, data, nodes;
	uint32_t *stack;
	bool bad; /* out of memory */
	const struct gcn_calls_in *in;
};

static void add_call(struct gcn_calls *c, uint32_t from, uint32_t to)
{
	struct call *more;

	if (c->count == c->room) {
		uint32_t room = 2 * c->room + 64;

		more = arena_new(c->in->arena, struct call, room);
		if (!more) {
			c->bad = true;
			return;
		}
		if (c->count)
			memcpy(more, c->list, c->count * sizeof(*more));
		c->list = more;
		c->room = room;
	}
	c->list[c->count++] = (struct call){ to, from };
}

/* The function with an instruction at an address in global memory; false: none. */
static bool function_at(const struct gcn_calls_in *in, uint64_t address,
			uint32_t *f)
{
	uint64_t at = address - in->image->base;
	uint32_t op;

	if (at >= in->image->bytes || at % 4)
		return false;
	op = in->p->op_at[at / 4];
	if (op == WAVE_NO_OP)
		return false;
	*f = in->p->ops[op].func;
	return true;
}

static void decode_at(const struct gcn_calls_in *in, const struct wave_op *op,
		      struct gcn_inst *out)
{
	uint32_t words[3] = { 0 };

	memcpy(words, in->image->host + op->at, 4u * op->words);
	(void)gcn_decode(out, words, op->words);
}

/* Whether the instruction adds a literal to a scalar register. */
static bool adds_literal(const struct gcn_inst *i, unsigned reg)
{
	return i->op == GCN_OP_S_ADD_U32 && i->field[GCN_SDST] == reg &&
	       ((i->field[GCN_SRC0] == reg &&
		 i->field[GCN_SRC1] == GCN_LITERAL) ||
		(i->field[GCN_SRC1] == reg &&
		 i->field[GCN_SRC0] == GCN_LITERAL));
}

/* What the address that begins with instruction n of the function is of. */
static void follow_address(struct gcn_calls *c, const struct function *f,
			   uint32_t n)
{
	const struct gcn_calls_in *in = c->in;
	const struct wave_op *first = &in->p->ops[in->p->first_op[f->index]];
	const struct wave_op *pc = first + n;
	uint64_t base = in->image->base + pc->at + 4u * pc->words, at, entry;
	uint32_t to, last = n + APART < f->inst_count ? n + APART :
							f->inst_count - 1;
	struct gcn_inst i;

	decode_at(in, pc, &i);
	for (unsigned reg = i.field[GCN_SDST]; n < last;) {
		decode_at(in, first + ++n, &i);
		if (!adds_literal(&i, reg))
			continue;
		at = base + (uint64_t)(int64_t)(int32_t)i.literal;
		if (function_at(in, at, &to)) {
			add_call(c, f->index, to);
			return;
		}
		at -= in->image->base;
		if (at >= in->image->bytes)
			break;
		if (at < in->image->table || at + 8 > in->image->bytes)
			return; /* data */
		memcpy(&entry, in->image->host + at, 8);
		if (function_at(in, entry, &to))
			add_call(c, f->index, to);
		return;
	}
	add_call(c, f->index, c->all);
}

static bool calls_by_address(const struct gcn_calls_in *in,
			     const struct function *f)
{
	const struct wave_op *op = &in->p->ops[in->p->first_op[f->index]];

	for (uint32_t i = 0; i < f->inst_count; i++)
		if (op[i].op == GCN_OP_S_SWAPPC_B64 ||
		    op[i].op == GCN_OP_S_SETPC_B64)
			return true;
	return false;
}

static void find_in_function(struct gcn_calls *c, const struct function *f)
{
	const struct gcn_calls_in *in = c->in;
	const struct wave_op *op = &in->p->ops[in->p->first_op[f->index]];

	for (uint32_t i = 0; i < f->inst_count; i++)
		if (op[i].op == GCN_OP_S_GETPC_B64)
			follow_address(c, f, i);
	if (calls_by_address(in, f))
		add_call(c, f->index, c->data);
}

/* Addresses of functions in sections of data. */
static void find_in_data(struct gcn_calls *c)
{
	const struct gcn_calls_in *in = c->in;

	for (size_t i = 0; i < in->object->elf.sections.count; i++) {
		struct elf_part p;
		struct diag d;
		uint64_t start = in->image->section[i], at, value;
		uint32_t to;

		if (start == UINT64_MAX ||
		    elf_part(&in->object->elf, i, &p, &d) ||
		    p.head.sh_flags & SHF_EXECINSTR)
			continue;
		for (at = 0; at + 8 <= p.head.sh_size; at += 8) {
			memcpy(&value, in->image->host + start + at, 8);
			if (function_at(in, value, &to))
				add_call(c, c->data, to);
		}
	}
}

static int call_by_to(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

struct gcn_calls *gcn_calls_find(const struct gcn_calls_in *in)
{
	struct gcn_calls *c = arena_new(in->arena, struct gcn_calls, 1);
	uint32_t n = in->p->base.func_count;

	if (!c)
		return NULL;
	*c = (struct gcn_calls){
		.in = in, .all = n, .data = n + 1, .nodes = n + 2
	};
	c->stack = arena_new(in->arena, uint32_t, c->nodes);
	for (uint32_t f = 0; f < n; f++)
		find_in_function(c, &in->p->base.funcs[f]);
	find_in_data(c);
	if (c->bad || !c->stack)
		return NULL;
	if (c->count)
		qsort(c->list, c->count, sizeof(*c->list), call_by_to);
	return c;
}

/* The first call of a function, or where it would be. */
static uint32_t first_call(const struct gcn_calls *c, uint32_t to)
{
	size_t i;

	SEARCH_FIRST(i, c->count, c->list[i].to < to);
	return (uint32_t)i;
}

static void visit(struct gcn_calls *c, uint32_t node, uint32_t mark,
		  uint32_t *by, uint32_t *depth)
{
	if (by[node])
		return;
	by[node] = mark;
	c->stack[(*depth)++] = node;
}

void gcn_calls_mark(struct gcn_calls *c, uint32_t to, uint32_t mark,
		    uint32_t *by)
{
	uint32_t depth = 0;

	visit(c, to, mark, by, &depth);
	while (depth) {
		uint32_t node = c->stack[--depth];

		for (uint32_t i = first_call(c, node);
		     i < c->count && c->list[i].to == node; i++)
			visit(c, c->list[i].from, mark, by, &depth);
		if (node < c->all)
			visit(c, c->all, mark, by, &depth);
	}
}
