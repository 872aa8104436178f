#include "isa/x86/code.h"

#include <stdlib.h>
#include <string.h>

#include "isa/x86/decode.h"
#include "isa/x86/mem.h"
#include "isa/x86/row.h"

enum { X86_BLOCK_MOST = 64 };

enum err x86_code_new(struct x86_code *code, struct x86_mem *mem,
		      struct diag *d)
{
	*code = (struct x86_code){ .mem = mem, .arena = { .piece = 1 << 20 } };
	code->slot = calloc(X86_CODE_SLOTS, sizeof(*code->slot));
	if (!code->slot)
		return fail(d, ERR_NOMEM, "out of memory");
	return ERR_OK;
}

void x86_code_free(struct x86_code *code)
{
	arena_free(&code->arena);
	free(code->slot);
	code->slot = NULL;
}

static void x86_code_forget(struct x86_code *code)
{
	arena_free(&code->arena);
	code->arena = (struct arena){ .piece = 1 << 20 };
	memset(code->slot, 0, X86_CODE_SLOTS * sizeof(*code->slot));
	code->changes = code->mem->changes;
}

size_t x86_code_room(const struct x86_mem *m, uint64_t at)
{
	size_t here = X86_PAGE - at % X86_PAGE;

	if (!x86_mem_can(m, at, 1, X86_EXEC))
		return 0;
	if (here >= X86_LONGEST || !x86_mem_can(m, at + here, 1, X86_EXEC))
		return here;
	return here + X86_PAGE;
}

/* Decodes up to `most` instructions; returns how many. The last one is followed
 * by a row that goes on, if it does not end the block itself. 0: nothing may be
 * executed there. */
static unsigned x86_code_decode(struct x86_mem *m, uint64_t start,
				struct x86_inst *to, unsigned most)
{
	uint64_t at = start;
	unsigned n = 0;
	size_t room;
	bool end;

	while (n < most && (room = x86_code_room(m, at))) {
		end = x86_decode(&to[n], m->memory + at, room, at);
		to[n].from = (uint32_t)(at - start);
		to[n].place = (uint8_t)n;
		x86_mem_decoded(m, at);
		at += to[n].length;
		if (to[n].length)
			x86_mem_decoded(m, at - 1);
		n++;
		if (end)
			return n;
	}
	to[n] = (struct x86_inst){ .run = x86_do_end, .imm = at };
	return n;
}

static const struct x86_block *
x86_code_add(struct x86_code *code, struct x86_cpu *c, struct x86_block **slot)
{
	struct x86_inst inst[X86_BLOCK_MOST + 1];
	unsigned n = x86_code_decode(code->mem, c->rip, inst, X86_BLOCK_MOST);
	struct x86_block *b;

	if (!n) {
		c->stop = X86_STOP_FAULT;
		c->fault = (struct x86_fault){ .kind = X86_FAULT_FETCH,
					       .address = c->rip };
		return NULL;
	}
	b = arena_alloc(&code->arena, 1,
			sizeof(*b) + (n + 1) * sizeof(b->inst[0]));
	if (!b)
		BUG("out of memory for decoded instructions");
	b->start = c->rip;
	b->count = n;
	b->next = *slot;
	memcpy(b->inst, inst, (n + 1) * sizeof(inst[0]));
	*slot = b;
	return b;
}

static unsigned x86_code_slot(uint64_t at)
{
	return (unsigned)(at ^ at >> 15) % X86_CODE_SLOTS;
}

const struct x86_block *x86_code_at(struct x86_code *code, struct x86_cpu *c)
{
	struct x86_block **slot;

	if (UNLIKELY(code->changes != code->mem->changes))
		x86_code_forget(code);
	slot = &code->slot[x86_code_slot(c->rip)];
	for (const struct x86_block *b = *slot; b; b = b->next)
		if (LIKELY(b->start == c->rip))
			return b;
	return x86_code_add(code, c, slot);
}

/* After c->at stopped a block: counts what was executed and sets rip. */
static void x86_run_stopped(struct x86_cpu *c, const struct x86_inst *first,
			    uint64_t start)
{
	uint64_t before = (uint64_t)(c->at - first);

	c->rip = start + c->at->from;
	if (c->stop == X86_STOP_FAULT) {
		c->count += before;
		return;
	}
	c->count += before + 1;
	c->rip += c->at->length;
}

void x86_run(struct x86_cpu *c, struct x86_code *code, uint64_t budget)
{
	uint64_t end = c->count + budget;

	c->stop = X86_STOP_NONE;
	do {
		const struct x86_block *b = x86_code_at(code, c);
		const struct x86_inst *i;

		if (UNLIKELY(!b))
			return;
		for (i = b->inst; i;)
			i = i->run(c, i);
		if (UNLIKELY(c->stop)) {
			x86_run_stopped(c, b->inst, b->start);
			return;
		}
		c->count += b->count;
	} while (c->count < end);
}

void x86_step(struct x86_cpu *c, struct x86_code *code)
{
	struct x86_inst inst[2];
	uint64_t start = c->rip;

	c->stop = X86_STOP_NONE;
	if (!x86_code_decode(code->mem, start, inst, 1)) {
		c->stop = X86_STOP_FAULT;
		c->fault = (struct x86_fault){ .kind = X86_FAULT_FETCH,
					       .address = start };
		return;
	}
	if (inst[0].run(c, inst))
		c->rip = start + inst[0].length;
	if (c->stop)
		x86_run_stopped(c, inst, start);
	else
		c->count++;
}
