/*
 * Code and constant operands that an SM requests from the memory: warps that wait
 * for them go on when they arrive.
 */
#include "sm/core.h"

/* Where code is: behind all memory that programs have, and local memory. Grids of
 * one launch lie one after the other; another launch's are at the same place. */
#define CODE_SPACE (UINT64_C(1) << 56)

/* Of a line that is requested. */
static uint32_t code_bytes(const struct sm *s)
{
	uint32_t insts = 1u << (s->line_shift + front_ask_shift(s->front));

	return insts * (uint32_t)s->env.cfg->front.inst;
}

void sm_ask_code(void *ctx, uint32_t line)
{
	struct sm *s = ctx;
	uint32_t bytes = code_bytes(s);

	lsu_ask_code(s->lsu, s->now, CODE_SPACE + (uint64_t)line * bytes,
		     bytes);
}

/* Its instructions can issue from `at` on. */
static void code_comes(struct sm *s, int slot, uint32_t line, cycle_t at)
{
	struct slot *p = SM_SLOT(s, slot);
	unsigned shift = front_ask_shift(s->front);

	if (p->line >> shift == line && p->line_ready >= FRONT_COMING)
		p->line_ready = at;
	if (p->ahead >> shift == line && p->ahead_ready >= FRONT_COMING)
		p->ahead_ready = at;
	if (p->earliest < FRONT_COMING || p->line_ready >= FRONT_COMING)
		return;
	p->earliest = at;
	if (p->wait == REASON_FETCH && !p->hold)
		sm_wait_for_operands(s, slot);
}

static void operand_comes(struct sm *s, int slot, uint32_t subcore,
			  uint64_t address)
{
	struct slot *p = SM_SLOT(s, slot);

	if (!p->deferred || p->sub != subcore ||
	    !lsu_same_constants(s->lsu, p->next->constant, address))
		return;
	p->deferred = false;
	sm_ready(s, slot);
}

void sm_asked_came(void *ctx, cycle_t now, bool operand, uint32_t subcore,
		   uint64_t address)
{
	struct sm *s = ctx;
	uint64_t slots = operand ? s->waits[REASON_CONSTANT] : s->live;
	uint32_t line;
	cycle_t at;

	if (operand) {
		for (; slots; slots &= slots - 1)
			operand_comes(s, __builtin_ctzll(slots), subcore,
				      address);
		return;
	}
	line = (uint32_t)((address - CODE_SPACE) / code_bytes(s));
	front_arrived(s->front, line, now);
	at = now + front_decode_cycles(s->front);
	for (; slots; slots &= slots - 1)
		code_comes(s, __builtin_ctzll(slots), line, at);
}
