/* SSE4.2: comparisons of texts in vectors. */
#include "isa/x86/exec.h"
#include "isa/x86/flags.h"
#include "isa/x86/row.h"

/* Bits of the immediate. */
enum {
	X86_TEXT_WORDS = 1,
	X86_TEXT_SIGNED = 2,
	X86_TEXT_HOW = 2, /* the first bit of two */
	X86_TEXT_NEGATE = 1 << 4,
	X86_TEXT_VALID = 1 << 5, /* only what is part of the second text */
	X86_TEXT_LAST = 1 << 6   /* the last one; of masks: whole elements */
};

enum x86_text_how { X86_TEXT_ANY, X86_TEXT_RANGES, X86_TEXT_EACH, X86_TEXT_IN };

struct x86_text {
	struct x86_xmm a, b;
	unsigned imm, most; /* most: elements of a vector */
	unsigned a_length, b_length;
};

X86_INLINE int x86_text_at(const struct x86_text *t, const struct x86_xmm *v,
			   unsigned n)
{
	if (t->imm & X86_TEXT_WORDS)
		return t->imm & X86_TEXT_SIGNED ? (int16_t)v->h[n] : v->h[n];
	return t->imm & X86_TEXT_SIGNED ? (int8_t)v->b[n] : v->b[n];
}

/* Up to the first element that is 0. */
static unsigned x86_text_implicit(const struct x86_text *t,
				  const struct x86_xmm *v)
{
	unsigned n = 0;

	while (n < t->most && x86_text_at(t, v, n))
		n++;
	return n;
}

/* The magnitude of a register. */
static unsigned x86_text_explicit(const struct x86_text *t, uint64_t reg,
				  bool wide)
{
	int64_t v = wide ? (int64_t)reg : (int32_t)reg;
	uint64_t n = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	return n < t->most ? (unsigned)n : t->most;
}

/* An element of the second text is in the set, or in one of the ranges, that the first
 * one is. */
static bool x86_text_in_set(const struct x86_text *t, unsigned j, bool ranges)
{
	int v = x86_text_at(t, &t->b, j);

	for (unsigned i = 0; i + ranges < t->a_length; i += 1 + ranges) {
		int from = x86_text_at(t, &t->a, i);
		int to = ranges ? x86_text_at(t, &t->a, i + 1) : from;

		if (v >= from && v <= to)
			return true;
	}
	return false;
}

/* The first text stands in the second one at j, as far as that goes. */
static bool x86_text_stands(const struct x86_text *t, unsigned j)
{
	for (unsigned i = 0; i < t->a_length && i + j < t->most; i++)
		if (i + j >= t->b_length ||
		    x86_text_at(t, &t->a, i) != x86_text_at(t, &t->b, i + j))
			return false;
	return true;
}

static bool x86_text_same(const struct x86_text *t, unsigned j)
{
	if (j >= t->a_length || j >= t->b_length)
		return j >= t->a_length && j >= t->b_length;
	return x86_text_at(t, &t->a, j) == x86_text_at(t, &t->b, j);
}

/* A bit for each element of the second text. */
static unsigned x86_text_bits(const struct x86_text *t)
{
	enum x86_text_how how = (enum x86_text_how)(t->imm >> X86_TEXT_HOW & 3);
	unsigned bits = 0;

	for (unsigned j = 0; j < t->most; j++) {
		bool is = how == X86_TEXT_EACH ?
				  x86_text_same(t, j) :
			  how == X86_TEXT_IN ?
				  x86_text_stands(t, j) :
			  j >= t->b_length ?
				  false :
				  x86_text_in_set(t, j, how == X86_TEXT_RANGES);

		if (t->imm & X86_TEXT_NEGATE &&
		    (!(t->imm & X86_TEXT_VALID) || j < t->b_length))
			is = !is;
		bits |= (unsigned)is << j;
	}
	return bits;
}

/* Compares, and sets flags. False: memory is not there. */
static bool x86_text_compare(struct x86_cpu *c, const struct x86_inst *i,
			     bool implicit, struct x86_text *t, unsigned *bits)
{
	*t = (struct x86_text){ .a = c->x[i->dst], .imm = (unsigned)i->imm };
	t->most = t->imm & X86_TEXT_WORDS ? 8 : 16;
	if (i->src_kind == X86_OPND_MEM) {
		const uint8_t *p = x86_readable(c, x86_address(c, i), 16);

		if (!p)
			return false;
		memcpy(&t->b, p, 16);
	} else {
		t->b = c->x[i->src];
	}
	t->a_length = implicit ? x86_text_implicit(t, &t->a) :
				 x86_text_explicit(t, c->r[X86_RAX], i->number);
	t->b_length = implicit ? x86_text_implicit(t, &t->b) :
				 x86_text_explicit(t, c->r[X86_RDX], i->number);
	*bits = x86_text_bits(t);
	x86_set_flags(c, (*bits ? X86_CF : 0) |
				 (t->b_length < t->most ? X86_ZF : 0) |
				 (t->a_length < t->most ? X86_SF : 0) |
				 (*bits & 1 ? X86_OF : 0));
	return true;
}

static const struct x86_inst *
x86_text_index(struct x86_cpu *c, const struct x86_inst *i, bool implicit)
{
	struct x86_text t;
	unsigned bits;

	if (!x86_text_compare(c, i, implicit, &t, &bits))
		return x86_fail(c, i);
	c->r[X86_RCX] = !bits ? t.most :
			t.imm & X86_TEXT_LAST ?
				(unsigned)(31 - __builtin_clz(bits)) :
				(unsigned)__builtin_ctz(bits);
	return i + 1;
}

static const struct x86_inst *
x86_text_mask(struct x86_cpu *c, const struct x86_inst *i, bool implicit)
{
	struct x86_xmm mask = { .q = { 0, 0 } };
	struct x86_text t;
	unsigned bits;

	if (!x86_text_compare(c, i, implicit, &t, &bits))
		return x86_fail(c, i);
	if (!(t.imm & X86_TEXT_LAST))
		mask.q[0] = bits;
	for (unsigned j = 0; t.imm & X86_TEXT_LAST && j < 16; j++)
		if (bits >> (t.most == 8 ? j / 2 : j) & 1)
			mask.b[j] = 0xff;
	c->x[0] = mask;
	return i + 1;
}

X86_DO(pcmpestri)
{
	return x86_text_index(c, i, false);
}

X86_DO(pcmpestrm)
{
	return x86_text_mask(c, i, false);
}

X86_DO(pcmpistri)
{
	return x86_text_index(c, i, true);
}

X86_DO(pcmpistrm)
{
	return x86_text_mask(c, i, true);
}
