/*
 * Decoded instructions, cached by address: blocks that end with a jump, a system
 * call, or where they are long. All of them are forgotten when the guest changes
 * memory that they came from (x86_mem's `changes`), which it sees at the next
 * block.
 */
#ifndef HEDDLE_ISA_X86_CODE_H
#define HEDDLE_ISA_X86_CODE_H

#include "base/arena.h"
#include "base/diag.h"
#include "isa/x86/inst.h"

struct x86_block {
	uint64_t start;
	struct x86_block *next; /* of the same slot */
	unsigned count;         /* without the row that ends it */
	struct x86_inst inst[];
};

enum { X86_CODE_SLOTS = 1 << 15 };

struct x86_code {
	struct x86_mem *mem;
	uint64_t changes;
	struct arena arena;
	struct x86_block **slot;
};

MUST_USE enum err x86_code_new(struct x86_code *code, struct x86_mem *mem,
			       struct diag *d);
void x86_code_free(struct x86_code *code);
/* How many bytes may be executed at an address, as far as it matters. */
size_t x86_code_room(const struct x86_mem *m, uint64_t at);
/* The block at c->rip. NULL: it faulted; nothing may be executed there. */
const struct x86_block *x86_code_at(struct x86_code *code, struct x86_cpu *c);

#endif
