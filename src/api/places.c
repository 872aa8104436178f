#include "api/places.h"

#include <stdio.h>

#include "arch/isa.h"
#include "simt/program.h"

enum err places_init(struct places *p, struct arena *a,
		     const struct timed_program *timed, struct diag *d)
{
	*p = (struct places){ .arena = a,
			      .timed = timed,
			      .at = arena_new(a, struct heddle_place **,
					      timed->func_count + 1) };
	for (uint32_t i = 0; p->at && i < timed->func_count; i++) {
		const struct timed_func *f = &timed->func[i];

		if (!f->inst)
			continue;
		p->at[i] = arena_new(a, struct heddle_place *,
				     f->code->func->inst_count + 1);
		if (!p->at[i])
			return fail(d, ERR_NOMEM, "out of memory");
	}
	return p->at ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

static void describe_inst(struct heddle_place *out, const struct function *f,
			  uint32_t pc)
{
	struct inst_text in;

	f->program->isa->describe(f, pc, &in);
	*out = (struct heddle_place){ .function = f->name,
				      .pc = pc,
				      .file = in.file,
				      .line = in.line,
				      .ptx_line = in.asm_line };
	snprintf(out->instruction, sizeof(out->instruction), "%.*s",
		 (int)sizeof(out->instruction) - 1, in.text);
}

const struct heddle_place *places_find(struct places *p, uint32_t func,
				       uint32_t pc)
{
	const struct function *f = p->timed->func[func].code->func;
	struct heddle_place **at = &p->at[func][pc];

	if (pc >= f->inst_count)
		return NULL;
	if (!*at) {
		*at = arena_new(p->arena, struct heddle_place, 1);
		if (*at)
			describe_inst(*at, f, pc);
	}
	return *at;
}
