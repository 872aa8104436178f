/*
 * String instructions, repeated or not. A repeated one counts as one
 * instruction; if it faults, the registers say how far it came, as on a
 * processor.
 *
 * dst_kind and src_kind are not used: the operands are memory at RDI and RSI, or
 * the accumulator.
 */
#include "isa/x86/exec.h"
#include "isa/x86/row.h"

/* The registers of an address size. */
X86_INLINE uint64_t x86_str_reg(const struct x86_cpu *c,
				const struct x86_inst *i, unsigned reg)
{
	return i->size32 ? (uint32_t)c->r[reg] : c->r[reg];
}

X86_INLINE void x86_str_move(struct x86_cpu *c, const struct x86_inst *i,
			     unsigned reg, uint64_t by)
{
	x86_put(c, reg, i->size32 ? 32 : 64, c->r[reg] + by);
}

X86_INLINE uint64_t x86_str_step(const struct x86_cpu *c,
				 const struct x86_inst *i)
{
	return c->down ? 0 - (uint64_t)i->bits / 8 : i->bits / 8u;
}

X86_INLINE uint64_t x86_str_source(const struct x86_cpu *c,
				   const struct x86_inst *i)
{
	return x86_str_reg(c, i, X86_RSI) + c->segment[i->segment];
}

/* One element; false: it faulted. */
typedef bool x86_element(struct x86_cpu *c, const struct x86_inst *i);

static bool x86_movs_one(struct x86_cpu *c, const struct x86_inst *i)
{
	uint64_t v;

	if (!x86_load(c, x86_str_source(c, i), i->bits, &v) ||
	    !x86_store(c, x86_str_reg(c, i, X86_RDI), i->bits, v))
		return false;
	x86_str_move(c, i, X86_RSI, x86_str_step(c, i));
	x86_str_move(c, i, X86_RDI, x86_str_step(c, i));
	return true;
}

static bool x86_stos_one(struct x86_cpu *c, const struct x86_inst *i)
{
	if (!x86_store(c, x86_str_reg(c, i, X86_RDI), i->bits, c->r[X86_RAX]))
		return false;
	x86_str_move(c, i, X86_RDI, x86_str_step(c, i));
	return true;
}

static bool x86_lods_one(struct x86_cpu *c, const struct x86_inst *i)
{
	uint64_t v;

	if (!x86_load(c, x86_str_source(c, i), i->bits, &v))
		return false;
	x86_put(c, X86_RAX, i->bits, v);
	x86_str_move(c, i, X86_RSI, x86_str_step(c, i));
	return true;
}

static bool x86_scas_one(struct x86_cpu *c, const struct x86_inst *i)
{
	uint64_t a = x86_get(c, X86_RAX, i->bits), b;

	if (!x86_load(c, x86_str_reg(c, i, X86_RDI), i->bits, &b))
		return false;
	x86_set_sub(c, a, b, x86_low(a - b, i->bits), i->bits);
	x86_str_move(c, i, X86_RDI, x86_str_step(c, i));
	return true;
}

static bool x86_cmps_one(struct x86_cpu *c, const struct x86_inst *i)
{
	uint64_t a, b;

	if (!x86_load(c, x86_str_source(c, i), i->bits, &a) ||
	    !x86_load(c, x86_str_reg(c, i, X86_RDI), i->bits, &b))
		return false;
	x86_set_sub(c, a, b, x86_low(a - b, i->bits), i->bits);
	x86_str_move(c, i, X86_RSI, x86_str_step(c, i));
	x86_str_move(c, i, X86_RDI, x86_str_step(c, i));
	return true;
}

/* compares: a repetition ends by ZF, too. */
X86_INLINE const struct x86_inst *x86_repeat(struct x86_cpu *c,
					     const struct x86_inst *i,
					     x86_element *element,
					     bool compares)
{
	if (i->number == X86_REP_NONE)
		return element(c, i) ? i + 1 : x86_fail(c, i);
	while (x86_str_reg(c, i, X86_RCX)) {
		if (!element(c, i))
			return x86_fail(c, i);
		x86_str_move(c, i, X86_RCX, ~0ull);
		if (compares && x86_zf(c) != (i->number == X86_REP))
			break;
	}
	return i + 1;
}

/* The bytes of a repetition that go upwards within what may be accessed at once;
 * 0: go element by element. */
static uint64_t x86_str_bytes(const struct x86_cpu *c, const struct x86_inst *i)
{
	uint64_t n = c->r[X86_RCX], bytes = n * (i->bits / 8u);

	if (i->number == X86_REP_NONE || c->down || i->size32 || n > X86_SPACE)
		return 0;
	return bytes;
}

static void x86_str_done(struct x86_cpu *c, uint64_t bytes, bool source)
{
	c->r[X86_RDI] += bytes;
	if (source)
		c->r[X86_RSI] += bytes;
	c->r[X86_RCX] = 0;
}

X86_DO(movs)
{
	uint64_t bytes = x86_str_bytes(c, i), from = x86_str_source(c, i);
	uint64_t to = c->r[X86_RDI];

	/* Copies that overlap repeat what they have written. */
	if (bytes && (to + bytes <= from || from + bytes <= to)) {
		const void *p = x86_mem_get(c->mem, from, bytes);
		void *q = p ? x86_mem_put(c->mem, to, bytes) : NULL;

		if (q) {
			memcpy(q, p, bytes);
			x86_str_done(c, bytes, true);
			return i + 1;
		}
	}
	return x86_repeat(c, i, x86_movs_one, false);
}

X86_DO(stos)
{
	uint64_t bytes = i->bits == 8 || !c->r[X86_RAX] ? x86_str_bytes(c, i) :
							  0;
	void *q = bytes ? x86_mem_put(c->mem, c->r[X86_RDI], bytes) : NULL;

	if (q) {
		memset(q, (uint8_t)c->r[X86_RAX], bytes);
		x86_str_done(c, bytes, false);
		return i + 1;
	}
	return x86_repeat(c, i, x86_stos_one, false);
}

X86_DO(lods)
{
	return x86_repeat(c, i, x86_lods_one, false);
}

X86_DO(scas)
{
	return x86_repeat(c, i, x86_scas_one, true);
}

X86_DO(cmps)
{
	return x86_repeat(c, i, x86_cmps_one, true);
}
