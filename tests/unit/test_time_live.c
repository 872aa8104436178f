/*
 * Where registers are live, and how the lowering uses it: registers that are
 * never live at the same time share storage, and no value is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/inst.h"
#include "isa/ptx/live.h"
#include "isa/ptx/parse.h"
#include "isa/ptx/program.h"
#include "simt/gmem.h"
#include "test.h"

#include "run_ptx.h"

struct rig {
	struct gmem gmem;
	struct program *p;
	const struct ptx_func *f; /* the kernel `k` */
	const struct code *code;
	const uint32_t *slots; /* by register */
};

static void setup(struct rig *r, const char *text)
{
	struct diag d = { .text = "" };
	struct ptx_module *m;
	enum err e;

	memset(r, 0, sizeof(*r));
	gmem_init(&r->gmem, GMEM_BASE_64, UINT64_C(1) << 30);
	e = ptx_parse(&m, "t", text, strlen(text), &d);
	STREQ("", d.text);
	EQ(ERR_OK, e);
	e = ptx_program_new(&r->p, m, &r->gmem, &d);
	STREQ("", d.text);
	EQ(ERR_OK, e);
	r->f = ptx_find_func(m, "k");
	r->code = r->p->funcs[r->f->index].code;
	r->slots = ptx_program_of(r->p)->regs[r->f->index].slot;
}

static void teardown(struct rig *r)
{
	ptx_program_free(r->p);
	gmem_free_all(&r->gmem);
}

static uint32_t reg(const struct rig *r, const char *name)
{
	for (uint32_t i = 0; i < r->f->reg_count; i++)
		if (!strcmp(r->f->regs[i].name, name))
			return i;
	OK(!"a register of that name");
	return 0;
}

/* The number of other registers with the same storage. */
static unsigned company(const struct rig *r, const char *name)
{
	uint32_t at = r->slots[reg(r, name)];
	unsigned n = 0;

	for (uint32_t i = 0; i < r->f->reg_count; i++)
		n += r->slots[i] == at;
	return n - 1;
}

#define SHARE(before, body, ...)                                             \
	do {                                                                 \
		struct rig rig_;                                             \
		setup(&rig_, ".version 8.4\n.target sm_90\n"                 \
			     ".address_size 64\n" before                     \
			     ".entry k(.param .u64 o) {\n" body "ret; }\n"); \
		__VA_ARGS__;                                                 \
		teardown(&rig_);                                             \
	} while (0)
#define ALONE(name) EQ(0u, company(&rig_, name))
#define SHARED(name) OK(company(&rig_, name) > 0)

/* 200 values, each read by the next. */
static void chain(char *text, const char *type, const char *add)
{
	char *s = text;

	s += sprintf(s,
		     ".version 8.4\n.target sm_90\n.address_size 64\n"
		     ".entry k() { .reg .%s %%v<200>; mov.%s %%v0, 1;\n",
		     type, type);
	for (int i = 1; i < 200; i++)
		s += sprintf(s, "%s %%v%d, %%v%d, %%v%d;\n", add, i, i - 1,
			     i - 1);
	sprintf(s, "ret; }\n");
}

TEST(live, a_long_chain_takes_one_place_of_each_width)
{
	static const struct {
		const char *type, *add;
		uint32_t bytes;
	} cases[] = { { "b16", "add.u16", 2 },
		      { "b32", "add.u32", 4 },
		      { "b64", "add.u64", 8 } };
	static char text[16384];
	struct rig r;

	for (size_t i = 0; i < 3; i++) {
		chain(text, cases[i].type, cases[i].add);
		setup(&r, text);
		EQ(cases[i].bytes * LANES + 4, r.code->reg_bytes);
		teardown(&r);
	}
}

#define DECLARE                                                       \
	".reg .pred %p, %q; .reg .b32 %a, %b, %c, %d, %e; .reg .b64 " \
	"%x, %y; ld.param.u64 %x, [o]; mov.u64 %y, %x; "
#define AFTER                                                    \
	"mov.u32 %c, 1; add.u32 %d, %c, 1; add.u32 %e, %d, %d; " \
	"st.global.u32 [%y], %e; "

TEST(live, what_is_written_or_read_at_another_time_lies_alone)
{
	/* %a is dead where %c starts: they share unless something prevents it
	 */
	SHARE("", DECLARE "mov.u32 %a, 1; st.global.u32 [%y], %a;" AFTER,
	      SHARED("%a"));
	SHARE("", DECLARE "atom.global.add.u32 %a, [%y], 1;" AFTER,
	      ALONE("%a"));
	SHARE("", DECLARE "atom.global.cas.b32 %a, [%y], 1, 2;" AFTER,
	      ALONE("%a"));
	SHARE("",
	      DECLARE "setp.eq.u64 %p, %x, 0; "
		      "bar.red.popc.u32 %a, 0, %p;" AFTER,
	      ALONE("%a"));
	/* read before it is written, on at least one path */
	SHARE("", DECLARE "st.global.u32 [%y], %a;" AFTER, ALONE("%a"));
	SHARE("",
	      DECLARE "setp.eq.u64 %p, %x, 0; @%p mov.u32 %a, 1; "
		      "st.global.u32 [%y], %a;" AFTER,
	      ALONE("%a"));
	SHARE("",
	      ".reg .v2 .f32 %v; " DECLARE "ld.global.v2.f32 %v, [%y]; "
	      "st.global.v2.f32 [%y], %v;" AFTER,
	      ALONE("%v"));
}

#define FUNC                                                     \
	".func (.reg .b32 r) k2(.reg .b32 s) { .reg .b32 t, u; " \
	"add.u32 t, s, 1; add.u32 u, t, 1; add.u32 r, u, 1; ret; }\n"

TEST(live, what_calls_copy_lies_alone)
{
	SHARE(FUNC,
	      DECLARE "mov.u32 %a, 1; call (%b), k2, (%a); "
		      "st.global.u32 [%y], %b;" AFTER,
	      ALONE("%a");
	      ALONE("%b");
	      rig_.f = ptx_find_func(ptx_program_of(rig_.p)->module, "k2");
	      rig_.slots = ptx_program_of(rig_.p)->regs[rig_.f->index].slot;
	      ALONE("r"); ALONE("s"); SHARED("t"));
}

TEST(live, an_instruction_s_operands_lie_apart_unless_it_reads_first)
{
	/* a lane row may write in place; a load must not */
	SHARE("", DECLARE "mov.u32 %a, 1; add.u32 %b, %a, 1;" AFTER,
	      EQ(rig_.slots[reg(&rig_, "%a")], rig_.slots[reg(&rig_, "%b")]));
	SHARE("",
	      ".shared .b32 s[4]; " DECLARE
	      "mov.u32 %a, s; ld.shared.u32 %b, [%a];" AFTER,
	      OK(rig_.slots[reg(&rig_, "%a")] != rig_.slots[reg(&rig_, "%b")]));
	/* two results of one instruction, one of them never read */
	SHARE("",
	      DECLARE "ld.global.v2.u32 {%a, %b}, [%y]; "
		      "st.global.u32 [%y], %a;" AFTER,
	      OK(rig_.slots[reg(&rig_, "%a")] != rig_.slots[reg(&rig_, "%b")]));
}

static void interval(const struct rig *r, const struct ptx_live *l,
		     const char *name, uint32_t start, uint32_t end)
{
	uint32_t cell = l->first[reg(r, name)];

	EQ(start, l->start[cell]);
	EQ(end, l->end[cell]);
}

TEST(live, intervals_cover_loops)
{
	struct arena a = { 0 };
	struct diag d = { .text = "" };
	struct ptx_flow flow;
	struct ptx_live l;
	struct rig r;

	setup(&r, ".version 8.4\n.target sm_90\n.address_size 64\n"
		  ".entry k() { .reg .b32 %a, %b, %c, %d; .reg .pred %p;\n"
		  "mov.u32 %a, 1; mov.u32 %b, 2;\n"             /* 0, 1 */
		  "L: add.u32 %c, %a, %b; add.u32 %b, %c, 1;\n" /* 2, 3 */
		  "setp.lt.u32 %p, %b, 9; @%p bra L;\n"         /* 4, 5 */
		  "mov.u32 %d, %b; ret; }\n");                  /* 6, 7 */
	EQ(ERR_OK, ptx_flow(&flow, r.f, &a, &d));
	EQ(ERR_OK, ptx_live(&l, r.f, &flow, &a, &d));
	interval(&r, &l, "%a", 1, 11); /* read again after the jump back */
	interval(&r, &l, "%b", 3, 12);
	interval(&r, &l, "%c", 5, 6);
	interval(&r, &l, "%d", 13, 13); /* written, never read */
	interval(&r, &l, "%p", 9, 10);
	arena_free(&a);
	teardown(&r);
}

TEST(live, a_value_lives_where_a_jump_back_enters)
{
	struct run r = { 0 };

	/* %r1 is written further down than it is read; %r2 and %r3 are
	 * written between the label and the read */
	run_both(&r, KERNEL("bra D;\n"
			    "U: mov.u32 %r2, 5; add.u32 %r3, %r2, 1; "
			    "st.global.u32 [%rd1+128], %r3; "
			    "st.global.u32 [%rd1], %r1; ret;\n"
			    "D: add.u32 %r1, %r0, 7; bra U;"));
	for (uint32_t i = 0; i < 32; i++) {
		EQ(i + 7, r.w[i]);
		EQ(6u, r.w[32 + i]);
	}
}

/* ---- random programs, compared with a plain model of one thread ---- */

enum { BLOCKS = 24, BODY = 12, VARS = 8 };

enum kind { ADD, XOR, MUL, SKIP, LOOP };

/* d = a op b; SKIP: to block b if a is odd; LOOP: to block b while a, counted
 * down, is not zero. */
struct step {
	enum kind kind;
	uint32_t d, a, b;
};

struct prog {
	struct step step[BLOCKS * (BODY + 1)];
	uint32_t first[BLOCKS + 1]; /* step, by block */
	uint32_t steps, regs;
	uint32_t seed;
	char text[64 * BLOCKS * (BODY + 4)], *end;
};

static uint32_t draw(struct prog *g, uint32_t n)
{
	g->seed = g->seed * 1664525u + 1013904223u;
	return (g->seed >> 16) % n;
}

static void put_op(struct prog *g, enum kind kind, uint32_t d, uint32_t a,
		   uint32_t b)
{
	static const char *const names[] = { "add.u32", "xor.b32",
					     "mul.lo.u32" };

	g->step[g->steps++] = (struct step){ kind, d, a, b };
	g->end += sprintf(g->end, "%s %%t%u, %%t%u, %%t%u;\n", names[kind], d,
			  a, b);
}

/* A variable, a counter (they follow the variables), or a value of the same
 * block. */
static uint32_t source(struct prog *g, uint32_t local)
{
	uint32_t fresh = g->regs - local;

	if (fresh && draw(g, 4))
		return local + draw(g, fresh);
	return draw(g, VARS);
}

static void put_jump(struct prog *g, uint32_t block)
{
	if (draw(g, 3)) {
		uint32_t a = draw(g, VARS);
		uint32_t to = block + 1 + draw(g, BLOCKS - block);

		g->step[g->steps++] = (struct step){ SKIP, 0, a, to };
		g->end += sprintf(g->end,
				  "and.b32 %%u, %%t%u, 1; setp.ne.u32 %%p0, "
				  "%%u, 0; @%%p0 bra B%u;\n",
				  a, to);
	} else {
		uint32_t count = VARS + block, to = draw(g, block + 1);

		g->step[g->steps++] = (struct step){ LOOP, 0, count, to };
		g->end += sprintf(g->end,
				  "add.s32 %%t%u, %%t%u, -1; setp.gt.s32 %%p0, "
				  "%%t%u, 0; @%%p0 bra B%u;\n",
				  count, count, count, to);
	}
}

static void put_block(struct prog *g, uint32_t block)
{
	uint32_t local = g->regs;

	g->first[block] = g->steps;
	g->end += sprintf(g->end, "B%u:\n", block);
	for (int i = 0; i < BODY; i++) {
		uint32_t a = source(g, local), b = source(g, local);
		uint32_t d = draw(g, 4) ? g->regs : draw(g, VARS);

		g->regs += d == g->regs;
		put_op(g, (enum kind)draw(g, 3), d, a, b);
	}
	put_jump(g, block);
}

/* The value of register i where the first block starts. */
static uint32_t initial(uint32_t i, uint32_t thread)
{
	return i < VARS ? (thread + 1) * (2 * i + 3) : (thread + i) % 3 + 1;
}

static void generate(struct prog *g, uint32_t seed)
{
	static const char head[] = KERNEL("");

	memset(g, 0, sizeof(*g));
	g->seed = seed;
	g->regs = VARS + BLOCKS;
	g->end = g->text +
		 sprintf(g->text, "%.*s", (int)(sizeof(head) - 1 - 3), head);
	g->end += sprintf(g->end, ".reg .b32 %%t<4000>, %%u;\n");
	for (uint32_t i = 0; i < g->regs; i++)
		if (i < VARS)
			g->end += sprintf(g->end,
					  "mad.lo.u32 %%t%u, %%r0, %u, %u;\n",
					  i, 2 * i + 3, 2 * i + 3);
		else
			g->end += sprintf(g->end,
					  "add.u32 %%t%u, %%r0, %u; "
					  "rem.u32 %%t%u, %%t%u, 3; "
					  "add.u32 %%t%u, %%t%u, 1;\n",
					  i, i, i, i, i, i);
	for (uint32_t b = 0; b < BLOCKS; b++)
		put_block(g, b);
	g->first[BLOCKS] = g->steps;
	g->end += sprintf(g->end, "B%u:\n", BLOCKS);
	for (uint32_t i = 0; i < VARS; i++)
		g->end += sprintf(g->end, "st.global.u32 [%%rd1+%u], %%t%u;\n",
				  256 * i, i);
	sprintf(g->end, "ret;\n}\n");
}

/* Runs one thread of the program; t has its variables at the end. */
static void interpret(const struct prog *g, uint32_t thread, uint32_t *t)
{
	for (uint32_t i = 0; i < VARS + BLOCKS; i++)
		t[i] = initial(i, thread);
	for (uint32_t pc = 0; pc < g->steps;) {
		const struct step *s = &g->step[pc++];

		switch (s->kind) {
		case ADD:
			t[s->d] = t[s->a] + t[s->b];
			break;
		case XOR:
			t[s->d] = t[s->a] ^ t[s->b];
			break;
		case MUL:
			t[s->d] = t[s->a] * t[s->b];
			break;
		case SKIP:
			pc = t[s->a] & 1 ? g->first[s->b] : pc;
			break;
		case LOOP:
			pc = (int32_t)--t[s->a] > 0 ? g->first[s->b] : pc;
			break;
		}
	}
}

TEST(live, random_programs_compute_what_each_thread_would_alone)
{
	struct prog *g = malloc(sizeof(*g));

	for (uint32_t seed = 1; seed <= 60; seed++) {
		struct run r = { .block = { 64, 1, 1 } };
		uint32_t t[VARS + BLOCKS + BLOCKS * BODY];
		struct rig rig;

		generate(g, seed);
		setup(&rig, g->text);
		OK(rig.code->reg_bytes < 64 * 4 * LANES + 64 * 8);
		teardown(&rig);
		run_both(&r, g->text);
		for (uint32_t thread = 0; thread < 64; thread++) {
			interpret(g, thread, t);
			for (uint32_t i = 0; i < VARS; i++)
				EQ(t[i], r.w[64 * i + thread]);
		}
	}
	free(g);
}
