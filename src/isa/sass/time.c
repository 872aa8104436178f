#include "isa/sass/time.h"

#include <stdio.h>
#include <string.h>

#include "arch/follow.h"
#include "isa/sass/program.h"
#include "simt/mem.h"

/* Whether only the next instruction can follow this one, unless something
 * happens during its execution. */
static bool sass_falls_through(const struct timed_inst *r)
{
	return kind_falls_through(r->kind) && r->unit != UNIT_BRANCH;
}

static const char *sass_no_unit(struct arena *a, const struct function *f,
				uint32_t i)
{
	const struct sass_inst *in = sass_inst_at(f, i);
	char inst[200], text[400];

	sass_print(inst, sizeof(inst), in, (uint64_t)i * SASS_BYTES);
	snprintf(text, sizeof(text),
		 "%s: 0x%x: unit.%s.lanes = 0: the SM has no unit for: %s",
		 f->name, i * SASS_BYTES, unit_names[sass_row_of(in)->unit],
		 inst);
	return arena_strndup(a, text, strlen(text));
}

static enum err sass_time_nomem(const struct function *f, struct diag *d)
{
	return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
}

static enum err time_function(struct timed_func *out, struct arena *a,
			      const struct function *f, const struct cfg *cfg,
			      struct diag *d)
{
	const struct code *code = f->code;

	out->code = code;
	out->count = code->count;
	out->scoreboard = TIMED_COUNTER_SCORES;
	out->inst = arena_new(a, struct timed_inst, code->count + 1);
	if (!out->inst)
		return sass_time_nomem(f, d);
	for (uint32_t i = 0; i < code->count; i++) {
		struct timed_inst *r = &out->inst[i];

		if (!sass_time_inst(r, sass_inst_at(f, i), i, cfg)) {
			out->refused = sass_no_unit(a, f, i);
			return out->refused ? ERR_OK : sass_time_nomem(f, d);
		}
		r->fetches = r->kind == KIND_LOAD &&
			     mem_can_fetch(&code->insts[i]);
		r->falls_through = i + 1 < code->count && sass_falls_through(r);
	}
	if (!cfg->sm.hazards)
		return ERR_OK;
	out->checks = sass_time_checks(a, sass_inst_at(f, 0), code->count);
	return out->checks ? ERR_OK : sass_time_nomem(f, d);
}

enum err sass_time(struct timed_program **out, struct arena *a,
		   const struct program *p, const struct cfg *cfg,
		   struct diag *d)
{
	struct timed_program *timed = arena_new(a, struct timed_program, 1);
	enum err e = ERR_OK;

	if (timed) {
		timed->func =
			arena_new(a, struct timed_func, p->func_count + 1);
		timed->registers = arena_new(a, uint32_t, p->func_count + 1);
	}
	if (!timed || !timed->func || !timed->registers)
		return fail(d, ERR_NOMEM, "out of memory");
	timed->func_count = p->func_count;
	timed->scoreboard = TIMED_COUNTER_ROOM;
	timed->control = true;
	for (uint32_t i = 0; i < p->func_count && e == ERR_OK; i++) {
		const struct function *f = &p->funcs[i];

		timed->registers[i] = f->registers;
		if (f->code)
			e = time_function(&timed->func[i], a, f, cfg, d);
	}
	*out = timed;
	return e;
}
