/*
 * The timed program: a compute unit takes all it needs to know of an instruction
 * from its wave_op, so that the timed instructions are empty.
 */
#include "arch/timed.h"
#include "isa/gcn/program.h"

static enum err gcn_time_time_function(struct timed_func *out,
				       uint32_t *registers, struct arena *a,
				       const struct function *f, struct diag *d)
{
	out->code = f->code;
	out->refused = f->refused;
	*registers = f->registers;
	if (!f->code)
		return ERR_OK;
	out->count = f->inst_count;
	out->inst = arena_new(a, struct timed_inst, f->inst_count + 1u);
	return out->inst ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

enum err gcn_time(struct timed_program **out, struct arena *a,
		  const struct program *p, const struct cfg *cfg,
		  struct diag *d)
{
	struct timed_program *t = arena_new(a, struct timed_program, 1);

	(void)cfg;
	if (!t)
		return fail(d, ERR_NOMEM, "out of memory");
	t->func_count = p->func_count;
	t->func = arena_new(a, struct timed_func, p->func_count + 1u);
	t->registers = arena_new(a, uint32_t, p->func_count + 1u);
	if (!t->func || !t->registers)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < p->func_count; i++)
		if (gcn_time_time_function(&t->func[i], &t->registers[i], a,
					   &p->funcs[i], d))
			return d->code;
	*out = t;
	return ERR_OK;
}
