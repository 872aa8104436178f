/*
 * Approximations of 1/x and 1/sqrt(x): within what the manuals allow, 1.5 * 2^-12,
 * and the special values that every processor has.
 */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "test.h"

/* rcpss or rsqrtss xmm0, xmm1; without the prefix the packed one. */
static struct case_state run(uint8_t opcode, bool packed, uint32_t operand,
			     bool native)
{
	const uint8_t code[] = { 0xf3, 0x0f, opcode, 0xc1 };
	const uint8_t *from = code + packed;
	size_t size = sizeof(code) - packed;
	struct case_state s = { .fx = { .mxcsr = 0x1f80 } };

	for (int i = 0; i < 4; i++)
		memcpy(s.fx.xmm[1] + 4 * i, &operand, 4);
#ifdef __x86_64__
	if (native) {
		case_run_native(&s, from, size);
		return s;
	}
#endif
	OK(!native);
	case_run_heddle(&s, from, size);
	return s;
}

static uint32_t element(const struct case_state *s, unsigned n)
{
	uint32_t v;

	memcpy(&v, s->fx.xmm[0] + 4 * n, 4);
	return v;
}

static float number(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, 4);
	return v;
}

enum { RCP = 0x53, RSQRT = 0x52 };

TEST(approximations, special_values_are_those_of_processors)
{
	static const struct {
		uint32_t operand, rcp, rsqrt;
	} rows[] = {
		{ 0x00000000, 0x7f800000, 0x7f800000 }, /* 0 */
		{ 0x80000000, 0xff800000, 0xff800000 },
		{ 0x00000001, 0x7f800000, 0x7f800000 }, /* denormal */
		{ 0x807fffff, 0xff800000, 0xff800000 },
		{ 0x7f800000, 0x00000000, 0x00000000 }, /* infinite */
		{ 0xff800000, 0x80000000, 0xffc00000 },
		{ 0x7f7fffff, 0x00000000, 0x1f800000 }, /* the largest */
		{ 0xbf800000, 0xbf800000, 0xffc00000 }, /* negative */
		{ 0x7fa00001, 0x7fe00001, 0x7fe00001 }, /* signals */
		{ 0xffc12345, 0xffc12345, 0xffc12345 },
		{ 0x40800000, 0x3e800000, 0x3f000000 }, /* 4 */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct case_state a = run(RCP, false, rows[i].operand, false),
				  b = run(RSQRT, true, rows[i].operand, false);

		EQ(rows[i].rcp, element(&a, 0));
		EQ(0, element(&a, 1));
		EQ(rows[i].rsqrt, element(&b, 0));
		EQ(rows[i].rsqrt, element(&b, 3));
		EQ(0x1f80, a.fx.mxcsr);
		EQ(0x1f80, b.fx.mxcsr);
	}
}

#ifdef __x86_64__
static bool near(uint32_t want, uint32_t got)
{
	float w = number(want), g = number(got);

	if (isnan(w) || isinf(w) || w == 0)
		return want == got;
	return fabs((double)w - (double)g) <= 2 * 1.5 / 4096 * fabs((double)w);
}

TEST(approximations, a_processor_has_nearly_the_same)
{
	uint32_t operand = 1;

	for (int i = 0; i < 4000; i++, operand = operand * 1664525 + 1013904223)
		for (int packed = 0; packed < 2; packed++)
			for (uint8_t op = RSQRT; op <= RCP; op++) {
				struct case_state w = run(op, packed, operand,
							  true),
						  g = run(op, packed, operand,
							  false);

				OK(near(element(&w, 0), element(&g, 0)));
				OK(near(element(&w, 2), element(&g, 2)));
			}
}
#endif
