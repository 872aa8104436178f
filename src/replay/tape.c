/*
 * What every instruction is to a recording and to a replay, and the exchange
 * of executors. Both sides decide by the code alone, in the same way.
 */
#include <string.h>

#include "isa/ptx/form.h"
#include "replay/tape_impl.h"
#include "simt/service.h"

/* Executors by what they need of values. Rows that work lane by lane are not
 * here: they compute, or give predicates. */
static const struct {
	exec_fn *fn;
	uint8_t kind;
} executors[] = {
	{ exec_nop, TAPE_FREE },
	{ exec_join, TAPE_FREE },
	{ exec_bra, TAPE_FREE },
	{ exec_ret, TAPE_FREE },
	{ exec_exit, TAPE_FREE },
	{ exec_trap, TAPE_FREE },
	{ exec_and_pred, TAPE_FREE },
	{ exec_or_pred, TAPE_FREE },
	{ exec_xor_pred, TAPE_FREE },
	{ exec_not_pred, TAPE_FREE },
	{ exec_setp_x2, TAPE_PRED },
	{ exec_lop3_bool, TAPE_PRED },
	{ exec_isspacep, TAPE_PRED },
	{ exec_istypep, TAPE_PRED },
	{ exec_mov, TAPE_COMPUTE }, /* of a predicate: free */
	{ exec_set_x2, TAPE_COMPUTE },
	{ exec_createpolicy, TAPE_COMPUTE },
	{ exec_cvta, TAPE_COMPUTE },
	{ exec_cvta_to, TAPE_COMPUTE },
	{ exec_cvt, TAPE_COMPUTE },
	{ exec_cvt_tf32, TAPE_COMPUTE },
	{ exec_cvt_fp8, TAPE_COMPUTE },
	{ exec_cvt_pack, TAPE_COMPUTE },
	{ exec_cvt_pack_int, TAPE_COMPUTE },
	{ exec_activemask, TAPE_COMPUTE },
	{ exec_fence, TAPE_COMPUTE },
	{ exec_mbar_pending, TAPE_COMPUTE },
	{ exec_stacksave, TAPE_COMPUTE },
	{ exec_video, TAPE_COMPUTE },
	{ exec_tex, TAPE_COMPUTE },
	{ exec_tld4, TAPE_COMPUTE },
	{ exec_txq, TAPE_COMPUTE },
	{ exec_suld, TAPE_COMPUTE },
	{ exec_brx, TAPE_STEER },
	{ exec_alloca, TAPE_STEER },
	{ exec_stackrestore, TAPE_STEER },
	{ exec_bar_sync, TAPE_STEER },
	{ exec_bar_arrive, TAPE_STEER },
	{ exec_bar_red, TAPE_STEER },
	{ exec_call, TAPE_STEER }, /* by name: free; of the system: service */
	{ exec_nanosleep, TAPE_SLEEP },
	{ exec_shfl, TAPE_SYNC },
	{ exec_vote, TAPE_SYNC },
	{ exec_ballot, TAPE_SYNC },
	{ exec_match_any, TAPE_SYNC },
	{ exec_match_all, TAPE_SYNC },
	{ exec_redux, TAPE_SYNC },
	{ exec_elect, TAPE_SYNC },
	{ exec_warp_sync, TAPE_SYNC },
	{ exec_mma, TAPE_CONVERGE },
	{ exec_wmma_mma, TAPE_CONVERGE },
	{ exec_movmatrix, TAPE_CONVERGE },
	{ exec_sreg, TAPE_CLOCK },
	{ exec_ld_param, TAPE_COMPUTE },
	{ exec_ld, TAPE_LOAD },
	{ exec_ld32, TAPE_LOAD },
	{ exec_ld32_shared, TAPE_LOAD_SHARED },
	{ exec_st, TAPE_STORE },
	{ exec_atom, TAPE_ATOM },
	{ exec_red, TAPE_ATOM },
	{ exec_atom_vec, TAPE_ATOM_VEC },
	{ exec_red_vec, TAPE_ATOM_VEC },
	{ exec_mbar_init, TAPE_MBAR },
	{ exec_mbar_inval, TAPE_MBAR },
	{ exec_mbar_arrive, TAPE_MBAR },
	{ exec_mbar_tx, TAPE_MBAR },
	{ exec_cp_async_mbar, TAPE_MBAR },
	{ exec_mbar_test, TAPE_MBAR_TEST },
	{ exec_cp_async, TAPE_ASYNC },
	{ exec_bulk, TAPE_BULK },
	{ exec_ldmatrix, TAPE_ROWS },
	{ exec_stmatrix, TAPE_ROWS },
	{ exec_wmma_load, TAPE_MATRIX },
	{ exec_wmma_store, TAPE_MATRIX },
	{ exec_sust, TAPE_SURFACE },
	{ exec_sured, TAPE_SURFACE },
};

static bool kind_by(exec_fn *fn, enum tape_kind *kind)
{
	for (size_t i = 0; i < sizeof(executors) / sizeof(executors[0]); i++)
		if (executors[i].fn == fn) {
			*kind = (enum tape_kind)executors[i].kind;
			return true;
		}
	return false;
}

slot_t tape_members(const struct inst *in)
{
	exec_fn *fn = exec_table[in->op];

	if (fn == exec_shfl)
		return in->e;
	return fn == exec_elect || fn == exec_warp_sync ? in->a : in->b;
}

unsigned tape_steer_bytes(const struct inst *in, int i)
{
	exec_fn *fn = exec_table[in->op];

	if (fn == exec_call || fn == exec_alloca || fn == exec_stackrestore)
		return i ? 0 : in->width;
	if (i && (fn == exec_brx || fn == exec_nanosleep || !in->k))
		return 0;
	return 4;
}

/* Values of these places are the same whoever executes. */
static bool is_register(slot_t s)
{
	return s != SLOT_NONE && SLOT_PLACE(s) == SLOT_REG;
}

/* ---- predicates that others depend on ---- */

/* One function's, by the word of its frame. */
struct needed {
	bool *word;
	uint32_t words;
	bool all;
};

static void need(struct needed *n, slot_t s)
{
	if (is_register(s) && SLOT_OFFSET(s) / 4 < n->words)
		n->word[SLOT_OFFSET(s) / 4] = true;
}

static bool is_needed(const struct needed *n, slot_t s)
{
	return is_register(s) && SLOT_OFFSET(s) / 4 < n->words &&
	       (n->all || n->word[SLOT_OFFSET(s) / 4]);
}

static bool moves_predicate(const struct inst *in)
{
	return in->k == MOVE_PLAIN && in->width == 1;
}

/* Guards, and predicates of which free instructions make others. */
static void need_of(struct needed *n, const struct inst *in, exec_fn *fn,
		    bool derived)
{
	need(n, in->guard);
	if (derived) {
		need(n, in->a);
		need(n, in->b);
		need(n, in->c);
		need(n, in->e);
	}
	if (fn == exec_and_pred || fn == exec_or_pred || fn == exec_xor_pred ||
	    fn == exec_not_pred || fn == exec_vote ||
	    (fn == exec_mov && moves_predicate(in)))
		need(n, in->a);
	if (fn == exec_and_pred || fn == exec_or_pred || fn == exec_xor_pred)
		need(n, in->b);
	if (fn == exec_bar_red)
		need(n, in->c);
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

/* The executor that the row names, whichever the lowering chose. */
static exec_fn *row_fn(const struct inst *in)
{
	enum tape_kind ignored;

	return kind_by(in->exec, &ignored) ? in->exec : exec_table[in->op];
}

/* Calls that pass predicates are too rare to be followed. */
static bool any_passes(const struct program *p)
{
	for (uint32_t f = 0; f < p->module->func_count; f++) {
		const struct code *c = p->codes[f];

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
};

/* Predicates among the destinations: bit 0 is d, bit 1 is d2. */
static uint8_t predicates_of(const struct inst *in)
{
	const struct ptx_form_slot *s = &ptx_form_of(in->op)->slot[0];

	if (s->kind[0] == 'p')
		return s->kind[1] == 'p' ? 3 : 1;
	return s->kind[0] == 'd' && s->kind[1] == 'p' ? 2 : 0;
}

static uint8_t told_predicates(const struct needed *n, const struct inst *in)
{
	uint8_t told = predicates_of(in);

	if (!is_needed(n, in->d))
		told &= 2;
	if (!is_needed(n, in->d2))
		told &= 1;
	return told;
}

static void mark_call(struct tape_site *s, const struct inst *in)
{
	const struct call_info *call = in->x;

	if (call->service)
		s->kind = TAPE_SERVICE;
	else if (call->target)
		s->kind = TAPE_FREE;
}

static void mark_steer(struct tape_site *s, const struct inst *in)
{
	for (int i = 0; i < 2; i++)
		if (tape_steer_bytes(in, i) &&
		    is_register(tape_steer_slot(in, i)))
			s->told |= (uint8_t)(1 << i);
	if (!s->told && s->kind == TAPE_STEER)
		s->kind = TAPE_FREE;
}

/* Votes and elections need no value: their results follow. */
static void mark_sync(struct tape_site *s, const struct inst *in,
		      const struct needed *n, exec_fn *fn)
{
	if (fn != exec_vote && fn != exec_elect)
		s->told = told_predicates(n, in) & 2;
	if (is_register(tape_members(in)))
		s->told |= 1;
}

static enum err refuse(const struct marker *k, const struct code *c,
		       const struct inst *in)
{
	const struct ptx_inst *ptx = &c->func->insts[in->index];
	char text[200];

	ptx_print_inst(text, sizeof(text), c->func, ptx);
	return fail(k->d, ERR_UNSUPP,
		    "%s:%u:%u: traces cannot record this instruction: %s",
		    k->p->module->name, ptx->loc.line, ptx->loc.col, text);
}

/* How many sites the facts of an instruction take. */
static uint32_t sites_of(const struct tape_site *s)
{
	switch ((enum tape_kind)s->kind) {
	case TAPE_FREE:
	case TAPE_COMPUTE:
	case TAPE_CLOCK:
	case TAPE_SERVICE:
	case TAPE_CONVERGE:
		return 0;
	case TAPE_MBAR:
	case TAPE_MBAR_TEST:
		return 2;
	case TAPE_ASYNC:
	case TAPE_BULK:
		return SITES_OF_ONE;
	case TAPE_PRED:
	case TAPE_STEER:
	case TAPE_SLEEP:
	case TAPE_SYNC:
		return (uint32_t)__builtin_popcount(s->told);
	default:
		return 1;
	}
}

static enum err mark_inst(struct marker *k, const struct code *c, uint32_t i,
			  const struct needed *n, bool derived)
{
	const struct inst *in = &c->insts[i];
	struct tape_site *s = &c->sites[i];
	exec_fn *fn = row_fn(in);
	enum tape_kind kind = TAPE_COMPUTE;

	s->plain = in->exec;
	s->site = k->next;
	if (!kind_by(fn, &kind)) {
		if (ptx_rows[in->op].class != PTX_ROW_LANE)
			return refuse(k, c, in);
		if (predicates_of(in))
			kind = TAPE_PRED;
	}
	s->kind = (uint8_t)kind;
	if (derived) {
		s->kind = TAPE_FREE;
	} else if (kind == TAPE_PRED) {
		s->told = told_predicates(n, in);
		s->kind = s->told ? TAPE_PRED : TAPE_COMPUTE;
	} else if (kind == TAPE_SYNC) {
		mark_sync(s, in, n, fn);
	} else if (fn == exec_call) {
		mark_call(s, in);
	} else if (fn == exec_mov && moves_predicate(in)) {
		s->kind = TAPE_FREE;
	} else if (kind == TAPE_MBAR || kind == TAPE_MBAR_TEST) {
		s->told = is_register(in->b) ? TOLD_OPERAND : 0;
	}
	if (s->kind == TAPE_STEER || s->kind == TAPE_SLEEP)
		mark_steer(s, in);
	k->next += sites_of(s);
	return ERR_OK;
}

/* Nothing depends on values in it. */
static bool is_without_facts(const struct tape_site *s)
{
	return s->kind == TAPE_FREE || s->kind == TAPE_COMPUTE ||
	       (s->kind == TAPE_SLEEP && !s->told);
}

/* A loop around the test, and nothing in it but the test has facts: how often
 * it goes round is then decided by the barrier. */
static bool is_spin(const struct code *c, uint32_t test)
{
	for (uint32_t i = test + 1; i < c->count && i < test + SPIN_MOST; i++) {
		const struct inst *in = &c->insts[i];

		if (!is_without_facts(&c->sites[i]))
			return false;
		if (row_fn(in) != exec_bra || in->offset > (int64_t)test)
			continue;
		if (i - (uint32_t)in->offset >= SPIN_MOST)
			return false;
		for (uint32_t k = (uint32_t)in->offset; k < test; k++)
			if (!is_without_facts(&c->sites[k]))
				return false;
		return true;
	}
	return false;
}

static bool is_derived(const bool *derived, const struct inst *in)
{
	return derived[in->index] && !(in->flip & INST_PSEUDO);
}

static enum err mark_all_of(struct marker *k, const struct code *c,
			    struct needed *n, const bool *derived)
{
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < c->count; i++)
		need_of(n, &c->insts[i], row_fn(&c->insts[i]),
			is_derived(derived, &c->insts[i]));
	for (uint32_t i = 0; !e && i < c->count; i++)
		e = mark_inst(k, c, i, n, is_derived(derived, &c->insts[i]));
	for (uint32_t i = 0; !e && i < c->count; i++)
		if (c->sites[i].kind == TAPE_MBAR_TEST && is_spin(c, i))
			c->sites[i].told |= TOLD_SPIN;
	return e;
}

static enum err mark_code(struct marker *k, struct code *c)
{
	struct arena scratch = { 0 };
	struct needed n = { .words = c->reg_bytes / 4 + 1, .all = k->passes };
	const bool *derived = tape_derived(c->func, &scratch);
	enum err e;

	n.word = arena_new(&scratch, bool, n.words);
	c->sites = arena_new(&k->p->arena, struct tape_site, c->count);
	if (!derived || !n.word || !c->sites)
		e = fail(k->d, ERR_NOMEM, "out of memory");
	else
		e = mark_all_of(k, c, &n, derived);
	arena_free(&scratch);
	if (e)
		c->sites = NULL;
	return e;
}

static void set_executors(const struct program *p, exec_fn *const fns[])
{
	for (uint32_t f = 0; f < p->module->func_count; f++) {
		const struct code *c = p->codes[f];

		for (uint32_t i = 0; c && c->sites && i < c->count; i++) {
			const struct tape_site *s = &c->sites[i];
			exec_fn *fn = fns ? fns[s->kind] : NULL;

			c->insts[i].exec = fn ? fn : s->plain;
		}
	}
}

/* Once for a program: what its instructions are does not change. */
static enum err mark_all(struct program *p, struct diag *d)
{
	struct marker k = { .p = p, .d = d };

	if (p->taped)
		return ERR_OK;
	k.passes = any_passes(p);
	for (uint32_t f = 0; f < p->module->func_count; f++)
		if (p->codes[f] && mark_code(&k, p->codes[f]))
			return d->code;
	p->taped = true;
	return ERR_OK;
}

enum err program_record(struct program *p, struct diag *d)
{
	enum err e = mark_all(p, d);

	if (!e)
		set_executors(p, record_fn);
	return e;
}

void program_restore(struct program *p)
{
	if (p->taped)
		set_executors(p, NULL);
}

/* Registers that a replay neither reads nor writes: who runs ahead of it, to
 * have them at hand, need not look for them. */
static void forget_operands(struct inst *in, const struct tape_site *s)
{
	bool all = s->kind == TAPE_COMPUTE;

	in->a = in->b = SLOT_NONE;
	if (all)
		in->c = in->e = in->d2 = SLOT_NONE;
	if ((all || s->kind != TAPE_PRED) && in->d != SLOT_NONE)
		in->d = SLOT(SLOT_CONST, 0);
}

static void set_sites(struct code *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct tape_site *s = &c->sites[i];
		struct inst *in = &c->insts[i];

		if (has_site(s->kind) || s->kind == TAPE_COMPUTE)
			forget_operands(in, s);
		if (has_site(s->kind))
			in->c = SLOT(SLOT_SREG, s->site);
		if (s->kind == TAPE_PRED)
			in->k = s->told;
	}
}

enum err program_replay(struct program *p, struct diag *d)
{
	enum err e = mark_all(p, d);

	if (e)
		return e;
	set_executors(p, replay_fn);
	for (uint32_t f = 0; f < p->module->func_count; f++)
		if (p->codes[f])
			set_sites(p->codes[f]);
	return ERR_OK;
}
