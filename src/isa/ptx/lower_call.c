/*
 * Lowers calls: finds the callee, and the copies between the frames.
 */
#include <inttypes.h>
#include <string.h>

#include "isa/ptx/lower.h"
#include "simt/service.h"

/* One end of a copy: memory of a frame, or a register. */
struct copy_end {
	bool local;
	uint8_t reg;    /* bytes of the register */
	uint32_t where; /* offset in the frame, or slot of the register */
};

/* The caller's end of a copy. */
static bool caller_end(struct lower *lo, const struct ptx_opnd *o,
		       const struct ptx_var *formal, bool is_dst,
		       struct copy_end *end)
{
	uint64_t at = 0;

	end->local = o->kind == PTX_OPND_VAR && !var_address(lo, o->var, &at);
	if (end->local && o->var->bytes < formal->bytes) {
		lower_fail(lo, ERR_SYNTAX,
			   "'%s' has %" PRIu64 " bytes, parameter '%s' has "
			   "%" PRIu64,
			   o->var->name, o->var->bytes, formal->name,
			   formal->bytes);
		return false;
	}
	if (end->local) {
		end->where = (uint32_t)at;
		return true;
	}
	if (is_dst && o->kind == PTX_OPND_SINK) {
		end->where = SLOT_NONE;
		end->reg = (uint8_t)reg_bytes(formal->type);
		return true;
	}
	/* A special register is converted to the parameter's size. */
	end->reg = (uint8_t)(o->kind == PTX_OPND_SREG ?
				     reg_bytes(formal->type) :
				     opnd_bytes(lo, o, formal->type));
	end->where = is_dst ? lower_dst(lo, o) : lower_src(lo, o, formal->type);
	return !lo->failed;
}

/* The callee's end of a copy. */
static bool callee_end(struct lower *lo, const struct ptx_var *v,
		       uint32_t offset, const uint32_t *reg_slots,
		       struct copy_end *end)
{
	end->local = v->space != SPACE_REG;
	if (end->local) {
		end->where = offset;
		return true;
	}
	if (!reg_slots) {
		lower_fail(lo, ERR_UNSUPP,
			   "indirect calls with .reg parameters are not "
			   "supported");
		return false;
	}
	end->reg = (uint8_t)reg_bytes(v->type);
	end->where = SLOT(SLOT_REG, reg_slots[v->index]);
	return true;
}

static void make_copy(struct lower *lo, struct call_arg *a,
		      const struct ptx_var *v, const struct copy_end *from,
		      const struct copy_end *to)
{
	const struct copy_end *reg = from->local ? to : from;

	*a = (struct call_arg){ .from_local = from->local,
				.to_local = to->local,
				.from = from->where,
				.to = to->where,
				.bytes = (uint32_t)v->bytes,
				.from_reg = from->reg,
				.to_reg = to->reg };
	if (from->local && to->local)
		return;
	if (v->type == PTX_PRED ?
		    from->local || to->local || from->reg != 1 || to->reg != 1 :
		    reg->reg < v->bytes || reg->reg > 8 || from->reg == 1 ||
			    to->reg == 1)
		lower_fail(lo, ERR_SYNTAX,
			   "a register cannot be passed as parameter '%s'",
			   v->name);
}

struct callee {
	const struct ptx_func *f;
	const struct layout *layout;
	const uint32_t *reg_slots; /* NULL: only the prototype is known */
};

static void lower_args(struct lower *lo, struct call_info *call,
		       const struct callee *to, const struct ptx_opnd *args)
{
	for (uint32_t i = 0; i < to->f->param_count && !lo->failed; i++) {
		const struct ptx_var *v = to->f->params[i];
		struct copy_end theirs = { 0 }, ours = { 0 };

		if (caller_end(lo, &args->elems[i], v, false, &ours) &&
		    callee_end(lo, v, to->layout->param[i], to->reg_slots,
			       &theirs))
			make_copy(lo, &call->args[i], v, &ours, &theirs);
	}
}

static void lower_rets(struct lower *lo, struct call_info *call,
		       const struct callee *to, const struct ptx_opnd *rets)
{
	for (uint32_t i = 0; i < to->f->ret_count && !lo->failed; i++) {
		const struct ptx_var *v = to->f->rets[i];
		struct copy_end theirs = { 0 }, ours = { 0 };

		if (caller_end(lo, &rets->elems[i], v, true, &ours) &&
		    callee_end(lo, v, to->layout->ret[i], to->reg_slots,
			       &theirs))
			make_copy(lo, &call->rets[i], v, &theirs, &ours);
	}
}

static void check_service_call(struct lower *lo, struct call_info *call,
			       const struct ptx_func *f)
{
	const struct service *s = call->service;

	if (f->param_count != s->args || f->ret_count != (s->ret ? 1u : 0u)) {
		lower_fail(lo, ERR_SYNTAX,
			   "'%s' must be declared with %u parameters and %u "
			   "return values",
			   s->name, s->args, s->ret ? 1u : 0u);
		return;
	}
	for (uint32_t i = 0; i < s->args; i++) {
		if (!call->args[i].from_local ||
		    call->args[i].bytes < s->bytes[i]) {
			lower_fail(lo, ERR_UNSUPP,
				   "parameter %u of '%s' must be a .param of "
				   "%u bytes",
				   i + 1, s->name, s->bytes[i]);
			return;
		}
		call->arg_local[i] = call->args[i].from;
	}
	if (s->ret && (!call->rets[0].to_local || call->rets[0].bytes < s->ret))
		lower_fail(lo, ERR_UNSUPP,
			   "the result of '%s' must be a .param of %u bytes",
			   s->name, s->ret);
}

/* Finds the callee: a function, or the prototype of an indirect call. */
static bool find_callee(struct lower *lo, struct inst *out,
			struct call_info *call, const struct ptx_opnd *o,
			const struct ptx_opnd *end, struct callee *to)
{
	struct ptx_program *p = lo->program;
	struct layout *l;

	if (o->kind == PTX_OPND_FUNC) {
		const struct ptx_func *f = ptx_aliased(o->func);

		to->f = f;
		to->layout = &p->layouts[f->index];
		to->reg_slots = p->regs[f->index].slot;
		call->target = p->base.funcs[f->index].code;
		if (!f->has_body)
			call->service = service_find(f->name);
		if (!call->target && !call->service)
			lower_fail(lo, ERR_UNKNOWN,
				   "'%s' is not defined in the module",
				   f->name);
		return !lo->failed;
	}
	out->a = lower_src(lo, o, PTX_U64);
	out->width = (uint8_t)opnd_bytes(lo, o, PTX_U64);
	for (; o < end; o++)
		if (o->kind == PTX_OPND_TARGETS) {
			const struct ptx_targets *t =
				&lo->f->targets[o->targets];

			to->f = t->kind == PTX_TARGETS_PROTO ? t->proto :
							       t->funcs[0];
		}
	l = arena_new(&p->base.arena, struct layout, 1);
	if (!l || !to->f || !layout_make(l, &p->base.arena, to->f, 0)) {
		lower_fail(lo, ERR_NOMEM, "out of memory");
		return false;
	}
	to->layout = l;
	return true;
}

void lower_call(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = lo->in->opnds;
	const struct ptx_opnd *end = o + lo->in->opnd_count;
	const struct ptx_opnd *rets = NULL, *args = NULL;
	struct arena *a = &lo->program->base.arena;
	struct call_info *call = arena_new(a, struct call_info, 1);
	struct callee to = { 0 };

	if (!call)
		goto nomem;
	out->x = call;
	if (o->kind == PTX_OPND_ARGS)
		rets = o++;
	if (o + 1 < end && o[1].kind == PTX_OPND_ARGS)
		args = &o[1];
	if (!find_callee(lo, out, call, o, end, &to))
		return;
	call->arg_count = to.f->param_count;
	call->ret_count = to.f->ret_count;
	call->args = arena_new(a, struct call_arg, call->arg_count + 1);
	call->rets = arena_new(a, struct call_arg, call->ret_count + 1);
	if (!call->args || !call->rets)
		goto nomem;
	if (call->arg_count)
		lower_args(lo, call, &to, args);
	if (call->ret_count)
		lower_rets(lo, call, &to, rets);
	if (call->service && !lo->failed)
		check_service_call(lo, call, to.f);
	return;
nomem:
	lower_fail(lo, ERR_NOMEM, "out of memory");
}
