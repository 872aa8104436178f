/*
 * Marks what recording and replay do with every instruction. The rows of ptx.def
 * say it, and the lowered instruction refines it. The marks depend only on the
 * code, so recording and replay agree.
 */
#include "isa/ptx/mark.h"

#include "arch/site.h"
#include "isa/ptx/exec_rows.h"
#include "isa/ptx/form.h"
#include "isa/ptx/program.h"
#include "simt/barrier.h"

/* Executors that the lowering chooses or adds, which rows do not name. */
static const struct {
	exec_fn *fn;
	uint8_t kind; /* enum replay_kind */
} lowered[] = {
	{ warp_meet, REPLAY_FREE },
	{ warp_spin, REPLAY_FREE },
	{ exec_ret, REPLAY_FREE },
	{ exec_unrolled, REPLAY_UNROLLED },
	{ exec_facts_end, REPLAY_END },
	{ exec_mov, REPLAY_COMPUTE },
	{ exec_cvt, REPLAY_COMPUTE },
	{ exec_sreg, REPLAY_CLOCK },
	{ mem_load_param, REPLAY_COMPUTE },
	{ mem_load_shared, REPLAY_LOAD_SHARED },
};

static enum replay_kind replay_kind_of(const struct inst *in)
{
	for (size_t i = 0; i < sizeof(lowered) / sizeof(lowered[0]); i++)
		if (lowered[i].fn == in->exec)
			return (enum replay_kind)lowered[i].kind;
	return (enum replay_kind)ptx_rows[in->op].replay;
}

/* The maximum length of a loop that only waits, in instructions. */
enum { SPIN_MAX = 32 };

/* Only registers hold values that a replay does not have. */
static bool is_register(slot_t s)
{
	return s != SLOT_NONE && SLOT_PLACE(s) == SLOT_REG;
}

/* ---- predicates that others depend on ---- */

/* Predicates of one function, by the word of its frame. */
struct needed_preds {
	bool *word;
	uint32_t words;
	bool all;
};

static void need_slot(struct needed_preds *n, slot_t s)
{
	if (is_register(s) && SLOT_OFFSET(s) / 4 < n->words)
		n->word[SLOT_OFFSET(s) / 4] = true;
}

static bool is_needed(const struct needed_preds *n, slot_t s)
{
	return is_register(s) && SLOT_OFFSET(s) / 4 < n->words &&
	       (n->all || n->word[SLOT_OFFSET(s) / 4]);
}

static bool moves_predicate(const struct inst *in)
{
	return in->k == MOVE_PLAIN && in->width == 1;
}

/* Guards, and sources of instructions that a replay executes. */
static void need_sources(struct needed_preds *n, const struct inst *in,
			 bool derived)
{
	exec_fn *fn = in->exec;

	need_slot(n, in->guard);
	if (derived) {
		need_slot(n, in->a);
		need_slot(n, in->b);
		need_slot(n, in->c);
		need_slot(n, in->e);
	}
	if (fn == exec_and_pred || fn == exec_or_pred || fn == exec_xor_pred ||
	    fn == exec_not_pred || fn == exec_vote ||
	    (fn == exec_mov && moves_predicate(in)))
		need_slot(n, in->a);
	if (fn == exec_and_pred || fn == exec_or_pred || fn == exec_xor_pred)
		need_slot(n, in->b);
	if (fn == bar_red)
		need_slot(n, in->c);
}

static bool passes_predicates(const struct call_info *c)
{
	for (uint32_t i = 0; i < c->arg_count; i++)
		if (c->args[i].from_reg == 1)
			return true;
	for (uint32_t i = 0; i < c->ret_count; i++)
		if (c->rets[i].to_reg == 1)
			return true;
	return false;
}

/* Calls that pass predicates are rare: all predicates are needed then. */
static bool any_call_passes_predicates(const struct program *p)
{
	for (uint32_t f = 0; f < p->func_count; f++) {
		const struct code *c = p->funcs[f].code;

		for (uint32_t i = 0; c && i < c->count; i++)
			if (c->insts[i].exec == exec_call &&
			    passes_predicates(c->insts[i].x))
				return true;
	}
	return false;
}

/* ---- the instructions of a function ---- */

struct marker {
	struct program *p;
	struct diag *d;
	uint32_t next; /* site */
	bool passes;
	const uint32_t *group; /* ptx_func.group */
	const struct ptx_func *f;
	uint32_t *at; /* by instruction of the text: its index in the code */
};

/* Predicates among the destinations: bit 0 is d, bit 1 is d2. */
static uint8_t predicates_of(const struct inst *in)
{
	const struct ptx_form_slot *s = &ptx_form_of(in->op)->slot[0];

	if (s->kind[0] == 'p')
		return s->kind[1] == 'p' ? 3 : 1;
	return s->kind[0] == 'd' && s->kind[1] == 'p' ? 2 : 0;
}

static uint8_t recorded_predicates(const struct needed_preds *n,
				   const struct inst *in)
{
	uint8_t recorded = predicates_of(in);

	if (!is_needed(n, in->d))
		recorded &= 2;
	if (!is_needed(n, in->d2))
		recorded &= 1;
	return recorded;
}

static void mark_call(struct tape_site *s, const struct inst *in)
{
	const struct call_info *call = in->x;

	if (call->service)
		s->kind = REPLAY_SERVICE;
	else if (call->target)
		s->kind = REPLAY_FREE;
}

/* The register operands of an instruction that steers: the target and, if it
 * has one, the count. */
static void set_steering(struct tape_site *s, const struct inst *in)
{
	exec_fn *fn = in->exec;

	s->operand[0] = in->a;
	s->operand[1] = in->b;
	s->operand_bytes[0] = 4;
	if (fn == exec_call || fn == exec_alloca || fn == exec_stackrestore)
		s->operand_bytes[0] = in->width;
	else if (fn != exec_brx && fn != exec_nanosleep && in->k)
		s->operand_bytes[1] = 4;
}

static void mark_steer(struct tape_site *s, const struct inst *in)
{
	set_steering(s, in);
	for (int i = 0; i < 2; i++)
		if (s->operand_bytes[i] && is_register(s->operand[i]))
			s->recorded |= (uint8_t)(1 << i);
	if (!s->recorded && s->kind == REPLAY_STEER)
		s->kind = REPLAY_FREE;
}

/* The register that names the lanes of a .sync operation, or SLOT_NONE. */
static slot_t members_of(const struct inst *in)
{
	if (in->exec == exec_shfl)
		return in->e;
	return in->exec == exec_elect || in->exec == exec_warp_sync ? in->a :
								      in->b;
}

/* The results of votes and elections follow from lanes and predicates. */
static void mark_sync(struct tape_site *s, const struct inst *in,
		      const struct needed_preds *n)
{
	s->follows = in->exec == exec_vote || in->exec == exec_elect;
	s->operand[0] = members_of(in);
	s->operand_bytes[0] = 4;
	if (!s->follows)
		s->recorded = recorded_predicates(n, in) & 2;
	if (is_register(s->operand[0]))
		s->recorded |= 1;
}

/* The place of an instruction in the text, its blocks in the order in which they
 * are executed. */
static uint32_t order_of_facts(const struct ptx_func *f, uint32_t index)
{
	uint32_t place = f->place ? f->place[index] : index;

	return f->laid ? f->laid[place] : place;
}

static void mark_inst(struct marker *k, const struct code *c, uint32_t i,
		      const struct needed_preds *n, bool derived)
{
	const struct inst *in = &c->insts[i];
	struct tape_site *s = &c->sites[i];
	enum replay_kind kind = replay_kind_of(in);

	if (kind == REPLAY_TEXELS && k->p->old_trace)
		kind = REPLAY_NO_TEXELS;
	s->plain = in->exec;
	s->site = k->next;
	s->kind = (uint8_t)kind;
	if (derived) {
		s->kind = REPLAY_FREE;
	} else if (kind == REPLAY_PRED) {
		s->operand[0] = in->d;
		s->operand[1] = in->d2;
		s->recorded = recorded_predicates(n, in);
		s->kind = s->recorded ? REPLAY_PRED : REPLAY_COMPUTE;
	} else if (kind == REPLAY_SYNC) {
		mark_sync(s, in, n);
	} else if (in->exec == exec_call) {
		mark_call(s, in);
	} else if (in->exec == exec_mov && moves_predicate(in)) {
		s->kind = REPLAY_FREE;
	} else if (kind == REPLAY_MBAR || kind == REPLAY_MBAR_TEST) {
		s->recorded = is_register(in->b) ? RECORDED_OPERAND : 0;
	}
	if (s->kind == REPLAY_STEER || s->kind == REPLAY_SLEEP)
		mark_steer(s, in);
	if (kind == REPLAY_SURFACE || kind == REPLAY_SURFACE_RED)
		s->operand_bytes[0] = ptx_types[lists_op(in->x)->type[0]].bytes;
	s->writes = ptx_rows[in->op].kind == KIND_STORE;
	s->reordered =
		k->group && (!(in->flip & INST_PSEUDO) || kind == REPLAY_END) ?
			k->group[in->index] :
			0;
	s->order = order_of_facts(k->f, in->index);
	k->next += tape_site_count(s);
}

/* Whether it depends on no values. */
static bool has_no_facts(const struct tape_site *s)
{
	return s->kind == REPLAY_FREE || s->kind == REPLAY_COMPUTE ||
	       s->kind == REPLAY_NO_TEXELS ||
	       (s->kind == REPLAY_SLEEP && !s->recorded);
}

/* Whether the test is in a loop in which only the test has facts: then the
 * barrier alone decides the number of iterations. */
static bool is_spin(const struct code *c, uint32_t test)
{
	for (uint32_t i = test + 1; i < c->count && i < test + SPIN_MAX; i++) {
		const struct inst *in = &c->insts[i];

		if (!has_no_facts(&c->sites[i]))
			return false;
		if (in->exec != exec_bra || in->offset > (int64_t)test)
			continue;
		if (i - (uint32_t)in->offset >= SPIN_MAX)
			return false;
		for (uint32_t k = (uint32_t)in->offset; k < test; k++)
			if (!has_no_facts(&c->sites[k]))
				return false;
		return true;
	}
	return false;
}

static bool is_derived(const bool *derived, const struct inst *in)
{
	return derived[in->index] && !(in->flip & INST_PSEUDO);
}

/* Whether it is a copy of an instruction of the text, in an unrolled loop. */
static bool is_copied(const struct ptx_func *f, const struct inst *in)
{
	return f->copy && f->copy[in->index] && !(in->flip & INST_PSEUDO);
}

/* The instructions of the code in the order of the text, without copies of them.
 * What the lowering has added stays in its place: it has no facts. */
static uint32_t *text_order(struct marker *k, const struct code *c,
			    uint32_t *count, struct arena *scratch)
{
	const struct ptx_func *f = k->f;
	uint32_t *order = arena_new(scratch, uint32_t, c->count);
	uint32_t text = 0;

	k->at = arena_new(scratch, uint32_t, f->inst_count + 1);
	if (!order || !k->at)
		return NULL;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct inst *in = &c->insts[i];

		if (!(in->flip & INST_PSEUDO) && !is_copied(f, in))
			k->at[f->place ? f->place[in->index] : in->index] = i;
	}
	for (uint32_t i = 0; i < c->count; i++) {
		if (is_copied(f, &c->insts[i]))
			continue;
		order[(*count)++] =
			c->insts[i].flip & INST_PSEUDO ? i : k->at[text++];
	}
	return order;
}

/* A copy has the sites of its original, and records the same. */
static void mark_copy(struct marker *k, const struct code *c, uint32_t i,
		      const struct needed_preds *n, bool derived)
{
	uint32_t index = c->insts[i].index, next = k->next;
	const struct tape_site *of = &c->sites[k->at[k->f->place[index]]];
	struct tape_site *s = &c->sites[i];

	k->next = of->site;
	mark_inst(k, c, i, n, derived);
	k->next = next;
	/* The branch back is a copy of its predicate. */
	if (of->kind == REPLAY_PRED) {
		s->kind = of->kind;
		s->recorded = of->recorded;
	}
	s->copy = k->f->copy[index];
	s->ahead = true;
}

/* The loop that follows the copies which instruction i looks at. */
static void mark_unrolled(struct marker *k, const struct code *c, uint32_t i)
{
	struct tape_site *s = &c->sites[i];

	s->site = c->sites[k->at[c->insts[i].m]].site;
	s->ahead = true;
	for (uint32_t p = (uint32_t)c->insts[i].offset; p < c->count; p++) {
		if (is_copied(k->f, &c->insts[p]))
			return;
		c->sites[p].ahead |= !(c->insts[p].flip & INST_PSEUDO);
		if (c->insts[p].exec == exec_bra)
			return;
	}
}

static void mark_copies(struct marker *k, const struct code *c,
			const struct needed_preds *n, const bool *derived)
{
	for (uint32_t i = 0; k->f->copy && i < c->count; i++) {
		if (is_copied(k->f, &c->insts[i]))
			mark_copy(k, c, i, n,
				  is_derived(derived, &c->insts[i]));
		if (c->insts[i].exec == exec_unrolled)
			mark_unrolled(k, c, i);
	}
}

/* ---- guards that stand for branches ---- */

/* A group of facts: its instructions are from `first` to `last` in the code. */
struct guard_finder {
	struct marker *k;
	const struct code *c;
	uint32_t first, last;
	bool failed;
};

static bool sets_predicate(const struct ptx_inst *in, uint32_t reg,
			   unsigned *which)
{
	const struct ptx_opnd *o = in->opnds;
	unsigned n = in->opnd_count && o->kind == PTX_OPND_DUAL ? 2 : 1;

	if (!in->opnd_count)
		return false;
	o = n == 2 ? o->elems : o;
	for (*which = 0; *which < n; ++*which)
		if (o[*which].kind == PTX_OPND_REG && o[*which].reg == reg)
			return true;
	return false;
}

/* The instruction among those of the group that sets the predicate; c->count:
 * it is set before. */
static uint32_t find_setter(const struct guard_finder *g, uint32_t reg,
			    unsigned *which)
{
	for (uint32_t i = g->first; i <= g->last; i++) {
		const struct inst *in = &g->c->insts[i];

		if (in->flip & INST_PSEUDO || in->op == PTX_OP_ST ||
		    in->op == PTX_OP_BRA)
			continue;
		if (sets_predicate(&g->k->f->insts[in->index], reg, which))
			return i;
	}
	return g->c->count;
}

static const struct tape_guard *find_guard(struct guard_finder *g, uint32_t reg,
					   slot_t slot, bool negated);

static void find_sources(struct guard_finder *g, struct tape_guard *to,
			 uint32_t at, unsigned sources)
{
	const struct inst *in = &g->c->insts[at];
	const struct ptx_inst *ptx = &g->k->f->insts[in->index];

	for (unsigned i = 0; i < sources; i++)
		to->source[i] = find_guard(g, ptx->opnds[1 + i].reg,
					   i ? in->b : in->a,
					   in->flip >> i & 1);
}

/* How the predicate in a register follows from the facts of the group, and from
 * what is known when it begins. predicate.h sees to it that it does. */
static const struct tape_guard *find_guard(struct guard_finder *g, uint32_t reg,
					   slot_t slot, bool negated)
{
	unsigned which = 0;
	uint32_t at = find_setter(g, reg, &which);
	const struct tape_site *s = &g->c->sites[at];
	struct tape_guard *to =
		arena_new(&g->k->p->arena, struct tape_guard, 1);

	if (!to) {
		g->failed = true;
		return NULL;
	}
	*to = (struct tape_guard){ .kind = GUARD_REG,
				   .negated = negated,
				   .reg = slot };
	if (at == g->c->count)
		return to;
	if (s->kind == REPLAY_PRED) {
		to->kind = GUARD_FACT;
		to->at = at;
		to->fact = which && s->recorded & 1;
		return to;
	}
	switch (g->c->insts[at].op) {
	case PTX_OP_AND_PRED:
		to->kind = GUARD_AND;
		break;
	case PTX_OP_OR_PRED:
		to->kind = GUARD_OR;
		break;
	case PTX_OP_XOR_PRED:
		to->kind = GUARD_XOR;
		break;
	case PTX_OP_NOT_PRED:
		to->negated = !negated;
		to->kind = GUARD_SAME;
		break;
	default:
		to->kind = GUARD_SAME;
	}
	find_sources(g, to, at, to->kind == GUARD_SAME ? 1 : 2);
	return to;
}

static bool is_apart(const struct marker *k, const struct inst *in)
{
	return !(in->flip & INST_PSEUDO) && k->f->insts[in->index].apart;
}

/* Finds the guards of the group whose first instruction is `first`. */
static bool mark_guards_of(struct marker *k, const struct code *c,
			   uint32_t first)
{
	struct guard_finder g = { .k = k, .c = c, .first = first };
	uint32_t group = c->sites[first].reordered;
	bool any = false;

	for (uint32_t i = first; i < c->count; i++) {
		if (c->sites[i].reordered && c->sites[i].reordered != group)
			break;
		if (c->sites[i].reordered == group)
			g.last = i;
		any |= is_apart(k, &c->insts[i]);
	}
	for (uint32_t i = first; any && i <= g.last && !g.failed; i++)
		if (c->sites[i].reordered == group && is_apart(k, &c->insts[i]))
			c->sites[i].apart = find_guard(
				&g, k->f->insts[c->insts[i].index].guard,
				c->insts[i].guard, c->insts[i].guard_flip != 0);
	return !g.failed;
}

static bool mark_guards(struct marker *k, const struct code *c)
{
	uint32_t group = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t now = c->sites[i].reordered;

		if (now && now != group && !mark_guards_of(k, c, i))
			return false;
		group = now ? now : group;
	}
	return true;
}

static void mark_insts(struct marker *k, const struct code *c,
		       struct needed_preds *n, const bool *derived,
		       const uint32_t *order, uint32_t count)
{
	for (uint32_t i = 0; i < c->count; i++)
		need_sources(n, &c->insts[i],
			     is_derived(derived, &c->insts[i]));
	for (uint32_t t = 0; t < count; t++) {
		uint32_t i = order[t];

		mark_inst(k, c, i, n, is_derived(derived, &c->insts[i]));
	}
	mark_copies(k, c, n, derived);
	for (uint32_t i = 0; i < c->count; i++)
		if (c->sites[i].kind == REPLAY_MBAR_TEST && is_spin(c, i))
			c->sites[i].recorded |= RECORDED_SPIN;
}

static enum err mark_code(struct marker *k, struct code *c)
{
	struct arena scratch = { 0 };
	struct needed_preds n = { .words = c->reg_bytes / 4 + 1,
				  .all = k->passes };
	const struct ptx_func *f = ptx_func_of(c->func);
	const bool *derived = ptx_derived(f, &scratch);
	const uint32_t *order;
	uint32_t count = 0;
	enum err e = ERR_OK;

	k->f = f;
	k->group = f->group;
	order = text_order(k, c, &count, &scratch);
	n.word = arena_new(&scratch, bool, n.words);
	c->sites = arena_new(&k->p->arena, struct tape_site, c->count);
	if (derived && order && n.word && c->sites)
		mark_insts(k, c, &n, derived, order, count);
	if (!derived || !order || !n.word || !c->sites || !mark_guards(k, c))
		e = fail(k->d, ERR_NOMEM, "out of memory");
	arena_free(&scratch);
	if (e)
		c->sites = NULL;
	return e;
}

enum err ptx_mark(struct program *p, struct diag *d)
{
	struct marker k = { .p = p, .d = d };

	k.passes = any_call_passes_predicates(p);
	for (uint32_t f = 0; f < p->func_count; f++)
		if (p->funcs[f].code && mark_code(&k, p->funcs[f].code))
			return d->code;
	return ERR_OK;
}
