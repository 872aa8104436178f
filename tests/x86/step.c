/*
 * Compares a program step by step with qemu: reads qemu's log of registers before
 * each instruction from the standard input, executes the same instructions, and
 * stops where a register is another one.
 *
 *	qemu-x86_64 -cpu qemu64 -singlestep -d cpu,fpu,nochain -D LOG PROGRAM
 *	step PROGRAM <LOG
 *
 * The program has one thread and a stack of its own (steps/start.h), so that all
 * registers are the same from its second instruction on. Flags that an instruction
 * leaves undefined count again when another one defines them.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/x86/decode.h"
#include "isa/x86/exec_fx.h"
#include "isa/x86/process_impl.h"
#include "isa/x86/row.h"
#include "isa/x86/soft.h"

struct state {
	uint64_t r[16], rip, flags;
	uint32_t control, status, full, mxcsr;
	struct x86_f80 st[8]; /* by physical number */
	struct x86_xmm x[16];
};

static const char *const names[16] = { "RAX", "RCX", "RDX", "RBX", "RSP", "RBP",
				       "RSI", "RDI", "R8 ", "R9 ", "R10", "R11",
				       "R12", "R13", "R14", "R15" };

/* What follows `name=` in a line of the log. */
static const char *after(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at && at[strlen(name)] == '=' ? at + strlen(name) + 1 : NULL;
}

static void read_registers(struct state *s, const char *line)
{
	for (int i = 0; i < 16; i++) {
		const char *at = after(line, names[i]);

		if (at)
			s->r[i] = strtoull(at, NULL, 16);
	}
	if (after(line, "RIP"))
		s->rip = strtoull(after(line, "RIP"), NULL, 16);
	if (after(line, "RFL"))
		s->flags = strtoull(after(line, "RFL"), NULL, 16);
}

static void read_floats(struct state *s, const char *line)
{
	unsigned top;

	if (sscanf(line, "FCW=%x FSW=%x [ST=%u] FTW=%x MXCSR=%x", &s->control,
		   &s->status, &top, &s->full, &s->mxcsr) == 5)
		return;
	for (unsigned i = 0; i < 8; i++) {
		char name[8];
		const char *at;

		snprintf(name, sizeof(name), "FPR%u", i);
		at = after(line, name);
		if (at)
			sscanf(at, "%" SCNx64 " %" SCNx16, &s->st[i].sig,
			       &s->st[i].se);
	}
	for (unsigned i = 0; i < 16; i++) {
		char name[8];
		const char *at;

		snprintf(name, sizeof(name), "XMM%02u", i);
		at = after(line, name);
		if (at)
			sscanf(at, "%" SCNx64 " %" SCNx64, &s->x[i].q[1],
			       &s->x[i].q[0]);
	}
}

/* The next state of the log, which ends with XMM15. */
static bool read_state(struct state *s)
{
	char line[512];

	while (fgets(line, sizeof(line), stdin)) {
		if (line[0] == 'R')
			read_registers(s, line);
		else
			read_floats(s, line);
		if (after(line, "XMM15"))
			return true;
	}
	return false;
}

static unsigned wrong;

static void same(const char *what, uint64_t want, uint64_t got)
{
	if (want == got)
		return;
	printf("  %s is %#" PRIx64 ", qemu's is %#" PRIx64 "\n", what, got,
	       want);
	wrong++;
}

/* `loose`: flags that are undefined. */
static void compare(const struct state *want, const struct x86_cpu *c,
		    unsigned loose)
{
	const uint64_t flags = (X86_ARITH | X86_DF) & ~loose;
	/* qemu does not note that an operand was denormal; the direction of
	 * the x87's last rounding is not kept. */
	const uint32_t noted = (uint32_t)~X86_FP_DENORMAL;
	const uint32_t status = noted & ~(1u << 9);

	for (int i = 0; i < 16; i++)
		same(names[i], want->r[i], c->r[i]);
	same("RIP", want->rip, c->rip);
	same("flags", want->flags & flags, x86_get_flags(c) & flags);
	same("MXCSR", want->mxcsr & noted, c->mxcsr & noted);
	same("FCW", want->control, c->fpu.control);
	same("FSW", want->status & status, x86_fpu_status(&c->fpu) & status);
	same("FTW", want->full, c->fpu.full);
	for (unsigned i = 0; i < 8; i++) {
		if (!(c->fpu.full >> i & 1))
			continue;
		same("FPR", want->st[i].sig, c->fpu.st[i].sig);
		same("FPR's exponent", want->st[i].se, c->fpu.st[i].se);
	}
	for (unsigned i = 0; i < 16; i++) {
		same("XMM", want->x[i].q[0], c->x[i].q[0]);
		same("XMM's upper half", want->x[i].q[1], c->x[i].q[1]);
	}
}

/* The flags that are undefined after an instruction, if `loose` were before. */
static unsigned loose_after(const struct x86_inst *i, unsigned loose)
{
	const struct x86_row *r = &x86_rows[i->row];

	if (i->row == X86_ROW_INC || i->row == X86_ROW_DEC)
		return loose & X86_CF;
	if (r->form == X86_FORM_RMW2 || r->form == X86_FORM_RD2)
		return r->undefined;
	if (i->row == X86_ROW_NEG || i->row == X86_ROW_XADD ||
	    i->row == X86_ROW_CMPXCHG || i->row == X86_ROW_POPFQ ||
	    (i->row >= X86_ROW_COMISS && i->row <= X86_ROW_UCOMISD))
		return 0;
	/* qemu leaves these as they are; processors clear them. */
	if (i->row >= X86_ROW_FUCOMI && i->row <= X86_ROW_FCOMIP)
		return loose | X86_AF | X86_SF | X86_OF;
	return loose | r->undefined;
}

static struct x86_process *load(const char *path)
{
	static const char *const none[] = { NULL };
	const char *argv[] = { path, NULL };
	struct x86_options o = { .argv = argv,
				 .envp = none,
				 .root = ".",
				 .cores = 1,
				 .quantum = 1 };
	static char image[1 << 20];
	FILE *f = fopen(path, "rb");
	struct x86_process *p;
	struct diag d;

	if (!f) {
		perror(path);
		exit(2);
	}
	o.image = image;
	o.size = fread(image, 1, sizeof(image), f);
	fclose(f);
	o.standard[0] = o.standard[1] = o.standard[2] =
		open("/dev/null", O_RDWR);
	if (x86_process_new(&p, &o, &d)) {
		printf("%s: %s\n", path, d.text);
		exit(2);
	}
	return p;
}

/* Executes one instruction; it is left in *i. */
static void step(struct x86_process *p, struct x86_thread *t,
		 struct x86_inst *i)
{
	x86_decode(i, p->mem.memory + t->cpu.rip, X86_LONGEST, t->cpu.rip);
	x86_step(&t->cpu, &p->code);
	if (t->cpu.stop == X86_STOP_SYSCALL)
		x86_syscall(p, t);
}

int main(int argc, char **argv)
{
	struct x86_process *p = load(argc > 1 ? argv[1] : "");
	struct x86_thread *t = p->thread[0];
	struct x86_inst i = { 0 };
	struct state s = { 0 };
	uint64_t steps = 0;
	unsigned loose = X86_ARITH;

	if (!read_state(&s))
		return printf("no log\n"), 2;
	memcpy(t->cpu.r, s.r, sizeof(s.r));
	while (!p->ended && t->cpu.stop != X86_STOP_FAULT) {
		uint64_t before = t->cpu.rip;

		step(p, t, &i);
		steps++;
		loose = loose_after(&i, loose);
		if (p->ended)
			break;
		do /* qemu repeats a string instruction in steps */
			if (!read_state(&s))
				return printf("the log ends early\n"), 1;
		while (s.rip == before && t->cpu.rip != before);
		compare(&s, &t->cpu, loose);
		if (wrong) {
			printf("after step %" PRIu64 ", %s at %#" PRIx64 "\n",
			       steps,
			       i.row < X86_ROWS ? x86_rows[i.row].name : "?",
			       before);
			return 1;
		}
	}
	if (read_state(&s) || !p->ended || p->end.how != X86_EXITED)
		return printf("qemu goes on\n"), 1;
	printf("%" PRIu64 " steps\n", steps);
	x86_process_free(p);
	return 0;
}
