/*
 * Programs for x86-64: an ELF file is loaded, and not run, because it could write
 * files; other bytes are executed as code, up to the first system call, block by
 * block and, again, instruction by instruction, which must end alike.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/x86/code.h"
#include "isa/x86/mem.h"
#include "isa/x86/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUDGET = 2000, DATA_AT = 0x10000, CODE_AT = 0x20000 };

static void load(const uint8_t *data, size_t size)
{
	const char *argv[] = { "program", NULL };
	struct x86_options o = { .image = data,
				 .size = size,
				 .argv = argv,
				 .root = "/",
				 .cores = 1,
				 .quantum = 1 };
	struct x86_process *p;
	struct diag d = { 0 };

	if (x86_process_new(&p, &o, &d) && !d.text[0])
		abort();
	x86_process_free(p);
}

static void start(struct x86_cpu *c, struct x86_mem *mem, const uint8_t *data,
		  size_t size)
{
	struct diag d;

	if (x86_mem_new(mem, &d))
		abort();
	x86_mem_map(mem, DATA_AT, 4 * X86_PAGE, X86_READ | X86_WRITE);
	x86_mem_map(mem, CODE_AT, X86_PAGE, X86_READ | X86_EXEC);
	memcpy(mem->memory + CODE_AT, data, size < X86_PAGE ? size : X86_PAGE);
	x86_cpu_init(c, mem);
	for (unsigned i = 0; i < 16; i++)
		c->r[i] = DATA_AT + 1000 * i;
	c->r[X86_RCX] = 7;
	c->rip = CODE_AT;
}

static void run(struct x86_cpu *c, const uint8_t *data, size_t size)
{
	struct x86_mem mem;
	struct x86_code code;
	struct diag d;

	start(c, &mem, data, size);
	if (x86_code_new(&code, &mem, &d))
		abort();
	do
		x86_run(c, &code, 1);
	while ((c->stop == X86_STOP_NONE || c->stop == X86_STOP_YIELD ||
		c->stop == X86_STOP_REGION) &&
	       c->count < BUDGET);
	x86_code_free(&code);
	x86_mem_free(&mem);
}

/* As many instructions as the other one has executed, and the one that faulted. */
static void step(struct x86_cpu *c, const struct x86_cpu *other,
		 const uint8_t *data, size_t size)
{
	struct x86_mem mem;
	struct x86_code code = { .mem = &mem };

	start(c, &mem, data, size);
	while (c->count < other->count && c->stop != X86_STOP_FAULT)
		x86_step(c, &code);
	if (other->stop == X86_STOP_FAULT)
		x86_step(c, &code);
	x86_mem_free(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct x86_cpu a, b;

	if (size >= 4 && !memcmp(data, "\177ELF", 4)) {
		load(data, size);
		return 0;
	}
	run(&a, data, size);
	step(&b, &a, data, size);
	if (a.stop != b.stop || a.count != b.count || a.rip != b.rip ||
	    memcmp(a.r, b.r, sizeof(a.r)) || memcmp(a.x, b.x, sizeof(a.x)))
		abort();
	return 0;
}
