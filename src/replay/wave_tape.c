/* Replaces the executors of a program of wavefronts. */
#include "replay/wave_tape.h"

/* Keeps the original executors, once. */
static enum err keep_plain(struct program *p, struct diag *d)
{
	const struct wave_code *c = p->isa->waves->code(p);

	if (p->wave_plain)
		return ERR_OK;
	p->wave_plain = arena_new(&p->arena, wave_fn *, c->count + 1);
	if (!p->wave_plain)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < c->count; i++)
		p->wave_plain[i] = c->ops[i].exec;
	return ERR_OK;
}

/* fn NULL: the original ones. */
static void set_steps(struct program *p, wave_fn *fn)
{
	const struct wave_code *c = p->isa->waves->code(p);

	for (uint32_t i = 0; i < c->count; i++)
		c->ops[i].exec = fn ? fn : p->wave_plain[i];
}

enum err wave_tape_record(struct program *p, struct diag *d)
{
	enum err e = keep_plain(p, d);

	if (!e)
		set_steps(p, wave_record_step);
	return e;
}

void wave_tape_restore(struct program *p)
{
	if (p->wave_plain)
		set_steps(p, NULL);
}

enum err wave_tape_replay(struct program *p, struct diag *d)
{
	enum err e = keep_plain(p, d);

	if (!e)
		set_steps(p, wave_replay_step);
	return e;
}
