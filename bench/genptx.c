/*
 * Generates a large PTX file like those of a compiler: kernels of a hundred to
 * several thousand lines of address arithmetic, loads, floating point,
 * comparisons, predicated instructions, forward and backward branches, and
 * stores.
 */
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 60 }; /* registers of each kind */

struct ptx_text {
	char *data;
	size_t size, room;
	unsigned lines;
	uint32_t random;
	unsigned label, pending; /* labels used; lines until the open one */
};

static unsigned ptx_pick(struct ptx_text *t, unsigned below)
{
	t->random = t->random * 1664525u + 1013904223u;
	return (unsigned)((uint64_t)t->random * below >> 32);
}

/* Appends one line. */
static void __attribute__((format(printf, 2, 3)))
ptx_line(struct ptx_text *t, const char *format, ...)
{
	va_list args;

	if (t->room - t->size < 256) {
		t->room = 2 * t->room + 4096;
		t->data = need(realloc(t->data, t->room));
	}
	va_start(args, format);
	t->size += (size_t)vsnprintf(t->data + t->size, 255, format, args);
	va_end(args);
	t->data[t->size++] = '\n';
	t->lines++;
}

#define R ptx_pick(t, POOL)

static void ptx_integer(struct ptx_text *t)
{
	static const char *const three[] = { "add.s32", "sub.s32", "mul.lo.s32",
					     "and.b32", "xor.b32", "min.s32",
					     "max.u32" };

	switch (ptx_pick(t, 4)) {
	case 0:
		ptx_line(t, "\tmad.lo.s32 \t%%r%u, %%r%u, %%r%u, %%r%u;", R, R,
			 R, R);
		break;
	case 1:
		ptx_line(t, "\tshl.b32 \t%%r%u, %%r%u, %u;", R, R,
			 ptx_pick(t, 31));
		break;
	default:
		ptx_line(t, "\t%s \t%%r%u, %%r%u, %%r%u;",
			 three[ptx_pick(t, 7)], R, R, R);
	}
}

static void ptx_float(struct ptx_text *t)
{
	static const char *const three[] = { "add.f32", "sub.f32", "mul.f32",
					     "min.f32", "div.rn.f32" };

	switch (ptx_pick(t, 6)) {
	case 0:
		ptx_line(t, "\tadd.f32 \t%%f%u, %%f%u, 0f3F800000;", R, R);
		break;
	case 1:
		ptx_line(t, "\tcvt.rn.f32.s32 \t%%f%u, %%r%u;", R, R);
		break;
	case 2:
	case 3:
		ptx_line(t, "\tfma.rn.f32 \t%%f%u, %%f%u, %%f%u, %%f%u;", R, R,
			 R, R);
		break;
	default:
		ptx_line(t, "\t%s \t%%f%u, %%f%u, %%f%u;",
			 three[ptx_pick(t, 5)], R, R, R);
	}
}

static void ptx_memory(struct ptx_text *t)
{
	switch (ptx_pick(t, 5)) {
	case 0:
		ptx_line(t, "\tmul.wide.s32 \t%%rd%u, %%r%u, 4;", R, R);
		ptx_line(t, "\tadd.s64 \t%%rd%u, %%rd%u, %%rd%u;", R, R, R);
		break;
	case 1:
		ptx_line(t, "\tst.global.f32 \t[%%rd%u+%u], %%f%u;", R,
			 4 * ptx_pick(t, 64), R);
		break;
	case 2:
		ptx_line(t, "\tld.global.v2.f32 \t{%%f%u, %%f%u}, [%%rd%u+%u];",
			 ptx_pick(t, POOL / 2),
			 POOL / 2 + ptx_pick(t, POOL / 2), R,
			 8 * ptx_pick(t, 64));
		break;
	case 3:
		ptx_line(t, "\tld.shared.u32 \t%%r%u, [%%r%u+%u];", R, R,
			 4 * ptx_pick(t, 64));
		break;
	default:
		ptx_line(t, "\tld.global.nc.f32 \t%%f%u, [%%rd%u];", R, R);
	}
}

/* A comparison and an instruction that depends on it; at most one label is
 * open. */
static void ptx_control(struct ptx_text *t)
{
	unsigned p = R;

	ptx_line(t, "\tsetp.lt.s32 \t%%p%u, %%r%u, %u;", p, R,
		 ptx_pick(t, 1000));
	switch (ptx_pick(t, 3)) {
	case 0:
		ptx_line(t, "\tselp.b32 \t%%r%u, %%r%u, %%r%u, %%p%u;", R, R, R,
			 p);
		break;
	case 1:
		ptx_line(t, "\t@%%p%u add.s32 \t%%r%u, %%r%u, 1;", p, R, R);
		break;
	default:
		if (t->pending)
			return;
		t->pending = 4 + ptx_pick(t, 20);
		ptx_line(t, "\t@%%p%u bra \t$L__BB_%u;", p, t->label);
	}
}

static void ptx_body(struct ptx_text *t, unsigned lines)
{
	unsigned end = t->lines + lines;

	while (t->lines < end) {
		unsigned kind = ptx_pick(t, 100);

		if (kind < 40)
			ptx_integer(t);
		else if (kind < 70)
			ptx_float(t);
		else if (kind < 90)
			ptx_memory(t);
		else
			ptx_control(t);
		if (t->pending && --t->pending == 0)
			ptx_line(t, "$L__BB_%u:", t->label++);
	}
	if (t->pending) {
		t->pending = 0;
		ptx_line(t, "$L__BB_%u:", t->label++);
	}
}

static void ptx_kernel(struct ptx_text *t, unsigned index, unsigned lines)
{
	unsigned loop;

	ptx_line(t, ".visible .entry kernel_%u(", index);
	ptx_line(t, "\t.param .u64 kernel_%u_param_0,", index);
	ptx_line(t, "\t.param .u32 kernel_%u_param_1", index);
	ptx_line(t, ")");
	ptx_line(t, "{");
	ptx_line(t, "\t.reg .pred \t%%p<%u>;", POOL);
	ptx_line(t, "\t.reg .f32 \t%%f<%u>;", POOL);
	ptx_line(t, "\t.reg .b32 \t%%r<%u>;", POOL);
	ptx_line(t, "\t.reg .b64 \t%%rd<%u>;", POOL);
	ptx_line(t, "\tld.param.u64 \t%%rd1, [kernel_%u_param_0];", index);
	ptx_line(t, "\tld.param.u32 \t%%r1, [kernel_%u_param_1];", index);
	ptx_line(t, "\tcvta.to.global.u64 \t%%rd2, %%rd1;");
	ptx_line(t, "\tmov.u32 \t%%r2, %%tid.x;");
	ptx_line(t, "\tmov.u32 \t%%r3, %%ctaid.x;");
	ptx_line(t, "\tmov.u32 \t%%r4, %%ntid.x;");
	for (unsigned done = 0; done < lines; done += 100) {
		loop = t->label++;
		ptx_line(t, "$L__BB_%u:", loop);
		ptx_body(t, 100);
		ptx_line(t, "\tsetp.ne.s32 \t%%p1, %%r1, 0;");
		ptx_line(t, "\t@%%p1 bra \t$L__BB_%u;", loop);
	}
	ptx_line(t, "\tret;");
	ptx_line(t, "}");
	ptx_line(t, "%s", "");
}

char *generate_ptx(unsigned lines, size_t *size)
{
	struct ptx_text t = { .random = 1 };
	unsigned index = 0;

	ptx_line(&t, ".version 8.0");
	ptx_line(&t, ".target sm_90");
	ptx_line(&t, ".address_size 64");
	/* Mostly small kernels, some large, one with a tenth of the file. */
	ptx_kernel(&t, index++, lines / 10);
	while (t.lines + 4000 < lines)
		ptx_kernel(&t, index++,
			   ptx_pick(&t, 8) == 0 ? 3000 :
						  100 * (1 + ptx_pick(&t, 6)));
	while (t.lines + 140 < lines)
		ptx_kernel(&t, index++, 100);
	while (t.lines < lines)
		ptx_line(&t, "// the end");
	*size = t.size;
	return t.data;
}
