/*
 * A large PTX file, as a compiler would write it: kernels of a hundred to some
 * thousand lines of address arithmetic, loads, floating point, comparisons,
 * predicated instructions, branches forwards and back, and stores.
 */
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 60 }; /* registers of each kind */

struct text {
	char *data;
	size_t size, room;
	unsigned lines;
	uint32_t random;
	unsigned label, pending; /* labels used; distance to the open one */
};

static unsigned pick(struct text *t, unsigned below)
{
	t->random = t->random * 1664525u + 1013904223u;
	return (unsigned)((uint64_t)t->random * below >> 32);
}

/* One line. */
static void __attribute__((format(printf, 2, 3)))
line(struct text *t, const char *format, ...)
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

#define R pick(t, POOL)

static void integer(struct text *t)
{
	static const char *const three[] = { "add.s32", "sub.s32", "mul.lo.s32",
					     "and.b32", "xor.b32", "min.s32",
					     "max.u32" };

	switch (pick(t, 4)) {
	case 0:
		line(t, "\tmad.lo.s32 \t%%r%u, %%r%u, %%r%u, %%r%u;", R, R, R,
		     R);
		break;
	case 1:
		line(t, "\tshl.b32 \t%%r%u, %%r%u, %u;", R, R, pick(t, 31));
		break;
	default:
		line(t, "\t%s \t%%r%u, %%r%u, %%r%u;", three[pick(t, 7)], R, R,
		     R);
	}
}

static void floating(struct text *t)
{
	static const char *const three[] = { "add.f32", "sub.f32", "mul.f32",
					     "min.f32", "div.rn.f32" };

	switch (pick(t, 6)) {
	case 0:
		line(t, "\tadd.f32 \t%%f%u, %%f%u, 0f3F800000;", R, R);
		break;
	case 1:
		line(t, "\tcvt.rn.f32.s32 \t%%f%u, %%r%u;", R, R);
		break;
	case 2:
	case 3:
		line(t, "\tfma.rn.f32 \t%%f%u, %%f%u, %%f%u, %%f%u;", R, R, R,
		     R);
		break;
	default:
		line(t, "\t%s \t%%f%u, %%f%u, %%f%u;", three[pick(t, 5)], R, R,
		     R);
	}
}

static void memory(struct text *t)
{
	switch (pick(t, 5)) {
	case 0:
		line(t, "\tmul.wide.s32 \t%%rd%u, %%r%u, 4;", R, R);
		line(t, "\tadd.s64 \t%%rd%u, %%rd%u, %%rd%u;", R, R, R);
		break;
	case 1:
		line(t, "\tst.global.f32 \t[%%rd%u+%u], %%f%u;", R,
		     4 * pick(t, 64), R);
		break;
	case 2:
		line(t, "\tld.global.v2.f32 \t{%%f%u, %%f%u}, [%%rd%u+%u];",
		     pick(t, POOL / 2), POOL / 2 + pick(t, POOL / 2), R,
		     8 * pick(t, 64));
		break;
	case 3:
		line(t, "\tld.shared.u32 \t%%r%u, [%%r%u+%u];", R, R,
		     4 * pick(t, 64));
		break;
	default:
		line(t, "\tld.global.nc.f32 \t%%f%u, [%%rd%u];", R, R);
	}
}

/* A comparison and what hangs on it; at most one label is open. */
static void control(struct text *t)
{
	unsigned p = R;

	line(t, "\tsetp.lt.s32 \t%%p%u, %%r%u, %u;", p, R, pick(t, 1000));
	switch (pick(t, 3)) {
	case 0:
		line(t, "\tselp.b32 \t%%r%u, %%r%u, %%r%u, %%p%u;", R, R, R, p);
		break;
	case 1:
		line(t, "\t@%%p%u add.s32 \t%%r%u, %%r%u, 1;", p, R, R);
		break;
	default:
		if (t->pending)
			return;
		t->pending = 4 + pick(t, 20);
		line(t, "\t@%%p%u bra \t$L__BB_%u;", p, t->label);
	}
}

static void body(struct text *t, unsigned lines)
{
	unsigned end = t->lines + lines;

	while (t->lines < end) {
		unsigned kind = pick(t, 100);

		if (kind < 40)
			integer(t);
		else if (kind < 70)
			floating(t);
		else if (kind < 90)
			memory(t);
		else
			control(t);
		if (t->pending && --t->pending == 0)
			line(t, "$L__BB_%u:", t->label++);
	}
	if (t->pending) {
		t->pending = 0;
		line(t, "$L__BB_%u:", t->label++);
	}
}

static void kernel(struct text *t, unsigned index, unsigned lines)
{
	unsigned loop;

	line(t, ".visible .entry kernel_%u(", index);
	line(t, "\t.param .u64 kernel_%u_param_0,", index);
	line(t, "\t.param .u32 kernel_%u_param_1", index);
	line(t, ")");
	line(t, "{");
	line(t, "\t.reg .pred \t%%p<%u>;", POOL);
	line(t, "\t.reg .f32 \t%%f<%u>;", POOL);
	line(t, "\t.reg .b32 \t%%r<%u>;", POOL);
	line(t, "\t.reg .b64 \t%%rd<%u>;", POOL);
	line(t, "\tld.param.u64 \t%%rd1, [kernel_%u_param_0];", index);
	line(t, "\tld.param.u32 \t%%r1, [kernel_%u_param_1];", index);
	line(t, "\tcvta.to.global.u64 \t%%rd2, %%rd1;");
	line(t, "\tmov.u32 \t%%r2, %%tid.x;");
	line(t, "\tmov.u32 \t%%r3, %%ctaid.x;");
	line(t, "\tmov.u32 \t%%r4, %%ntid.x;");
	for (unsigned done = 0; done < lines; done += 100) {
		loop = t->label++;
		line(t, "$L__BB_%u:", loop);
		body(t, 100);
		line(t, "\tsetp.ne.s32 \t%%p1, %%r1, 0;");
		line(t, "\t@%%p1 bra \t$L__BB_%u;", loop);
	}
	line(t, "\tret;");
	line(t, "}");
	line(t, "%s", "");
}

char *generate_ptx(unsigned lines, size_t *size)
{
	struct text t = { .random = 1 };
	unsigned index = 0;

	line(&t, ".version 8.0");
	line(&t, ".target sm_90");
	line(&t, ".address_size 64");
	/* Mostly small kernels, some large, one of a tenth of the file. */
	kernel(&t, index++, lines / 10);
	while (t.lines + 4000 < lines)
		kernel(&t, index++,
		       pick(&t, 8) == 0 ? 3000 : 100 * (1 + pick(&t, 6)));
	while (t.lines + 140 < lines)
		kernel(&t, index++, 100);
	while (t.lines < lines)
		line(&t, "// the end");
	*size = t.size;
	return t.data;
}
