/* A case on Heddle's processor. */
#include <string.h>

#include "cases.h"
#include "isa/x86/code.h"
#include "isa/x86/mem.h"
#include "test.h"

static void to_cpu(struct x86_cpu *c, const struct case_state *s)
{
	memcpy(c->r, s->r, sizeof(s->r));
	x86_set_flags(c, (uint32_t)s->flags);
	c->down = s->flags & X86_DF;
	x86_set_mxcsr(c, s->fx.mxcsr);
	memcpy(c->x, s->fx.xmm, sizeof(c->x));
	c->fpu.control = s->fx.control;
	c->fpu.status = (uint16_t)(s->fx.status & ~(7 << 11));
	c->fpu.top = s->fx.status >> 11 & 7;
	c->fpu.full = s->fx.full;
	for (unsigned i = 0; i < 8; i++) {
		struct x86_f80 *to = &c->fpu.st[(c->fpu.top + i) & 7];

		memcpy(&to->sig, s->fx.st[i], 8);
		memcpy(&to->se, s->fx.st[i] + 8, 2);
	}
}

static void from_cpu(struct case_state *s, const struct x86_cpu *c)
{
	memcpy(s->r, c->r, sizeof(s->r));
	s->flags = x86_get_flags(c);
	s->fx.mxcsr = c->mxcsr;
	memcpy(s->fx.xmm, c->x, sizeof(c->x));
	s->fx.control = c->fpu.control;
	s->fx.status = (uint16_t)(c->fpu.status | c->fpu.top << 11);
	s->fx.full = c->fpu.full;
	for (unsigned i = 0; i < 8; i++) {
		const struct x86_f80 *st = &c->fpu.st[(c->fpu.top + i) & 7];

		memcpy(s->fx.st[i], &st->sig, 8);
		memcpy(s->fx.st[i] + 8, &st->se, 2);
	}
}

/* One address space for all cases. */
static struct x86_mem *space(void)
{
	static struct x86_mem mem;
	struct diag d;

	if (mem.memory)
		return &mem;
	OK(!x86_mem_new(&mem, &d));
	x86_mem_map(&mem, CASE_DATA_AT, X86_PAGE, X86_READ | X86_WRITE);
	x86_mem_map(&mem, CASE_CODE_AT, X86_PAGE, X86_READ | X86_EXEC);
	return &mem;
}

void case_run_heddle(struct case_state *s, const uint8_t *code, size_t size)
{
	struct x86_mem *mem = space();
	struct x86_code cache = { .mem = mem };
	struct x86_cpu c;

	memcpy(mem->memory + CASE_DATA_AT, s->data, sizeof(s->data));
	memcpy(mem->memory + CASE_CODE_AT, code, size);
	x86_cpu_init(&c, mem);
	to_cpu(&c, s);
	c.rip = CASE_CODE_AT;
	while (c.rip < CASE_CODE_AT + size && !s->fault) {
		x86_step(&c, &cache);
		s->fault = c.stop == X86_STOP_FAULT;
	}
	from_cpu(s, &c);
	memcpy(s->data, mem->memory + CASE_DATA_AT, sizeof(s->data));
}
