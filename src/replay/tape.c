/*
 * Replaces the executors of a program by those that record or replay.
 */
#include <string.h>

#include "arch/isa.h"
#include "replay/tape_impl.h"

static void set_executors(const struct program *p, exec_fn *const fns[])
{
	for (uint32_t f = 0; f < p->func_count; f++) {
		const struct code *c = p->funcs[f].code;

		for (uint32_t i = 0; c && c->sites && i < c->count; i++) {
			const struct tape_site *s = &c->sites[i];
			exec_fn *fn = fns ? fns[s->kind] : NULL;

			c->insts[i].exec = fn ? fn : s->plain;
		}
	}
}

/* Marks the sites of a program, once. */
static enum err mark_once(struct program *p, struct diag *d)
{
	enum err e = p->sited ? ERR_OK : p->isa->mark(p, d);

	p->sited = !e;
	return e;
}

enum err program_record(struct program *p, struct diag *d)
{
	enum err e = mark_once(p, d);

	if (!e)
		set_executors(p, record_fn);
	return e;
}

void program_restore(struct program *p)
{
	if (p->sited)
		set_executors(p, NULL);
}

/* Removes registers that a replay neither reads nor writes, so that they are
 * not prefetched. */
static void drop_operands(struct inst *in, const struct tape_site *s)
{
	bool all = s->kind == REPLAY_COMPUTE;

	in->a = in->b = SLOT_NONE;
	if (all)
		in->c = in->e = in->d2 = SLOT_NONE;
	if ((all || s->kind != REPLAY_PRED) && in->d != SLOT_NONE)
		in->d = SLOT(SLOT_CONST, 0);
}

static void set_sites(struct code *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct tape_site *s = &c->sites[i];
		struct inst *in = &c->insts[i];

		if (has_site(s->kind) || s->kind == REPLAY_COMPUTE)
			drop_operands(in, s);
		if (has_site(s->kind))
			in->c = SLOT(SLOT_SREG, s->site);
		if (s->kind == REPLAY_PRED) {
			in->k = s->recorded | (s->whole ? REPLAY_WHOLE : 0);
			in->d = s->operand[0];
			in->d2 = s->operand[1];
		}
	}
}

enum err program_replay(struct program *p, struct diag *d)
{
	enum err e = mark_once(p, d);

	if (e)
		return e;
	set_executors(p, replay_fn);
	for (uint32_t f = 0; f < p->func_count; f++)
		if (p->funcs[f].code)
			set_sites(p->funcs[f].code);
	return ERR_OK;
}
