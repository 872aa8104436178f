/*
 * Random programs in PTX: divergence, loops with breaks, barriers, shuffles,
 * more values than registers. FastLanes must leave the memory that Heddle's
 * execution of the PTX leaves, on a machine of random size and latencies.
 *
 * FASTLANES_PROGRAMS=N tries N programs, from number FASTLANES_FIRST on, so that many
 * processes can share many programs;
 * FASTLANES_SEED=N one of them, and prints it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastlanes/circuit.h"
#include "heddle/heddle.h"
#include "rig.h"
#include "test.h"

enum {
	TEXT = 1 << 18,
	BLOCKS = 3,
	MAX_THREADS = 80,
	INPUTS = 4, /* words of a thread */
	AT_IN = 0x100000,
	AT_OUT = 0x200000,
	MAX_DEPTH = 3,
	MAX_LOOPS = 2
};

struct maker {
	char *text;
	size_t used;
	uint64_t state;
	unsigned words, wides, floats, preds; /* registers */
	unsigned labels, counters, loop_end[MAX_DEPTH], loops;
	unsigned threads; /* of a block; the last warp is not full */
	bool strided;     /* the outputs of a thread follow each other */
	bool returned;    /* some lanes may have ended */
};

static unsigned pick(struct maker *m, unsigned n)
{
	m->state = m->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(m->state >> 33) % n;
}

static void say(struct maker *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct maker *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	m->used +=
		(size_t)vsnprintf(m->text + m->used, TEXT - m->used, fmt, ap);
	va_end(ap);
	OK(m->used < TEXT - 1000);
}

static unsigned word(struct maker *m)
{
	return pick(m, m->words);
}

/* "%r5", or a constant. */
static const char *word_or_constant(struct maker *m)
{
	static const char *const constants[] = { "0",   "1",          "-1",
						 "31",  "0x80000000", "12345",
						 "-77", "0x7fffffff", "65537" };
	static char name[2][16];
	static int which;

	if (!pick(m, 4))
		return constants[pick(m, 9)];
	which ^= 1;
	snprintf(name[which], sizeof(name[which]), "%%r%u", word(m));
	return name[which];
}

static void guard(struct maker *m)
{
	if (!pick(m, 5))
		say(m, "@%s%%p%u ", pick(m, 2) ? "!" : "", pick(m, m->preds));
}

static void word_statement(struct maker *m)
{
	static const char *const two[] = {
		"add.u32",    "sub.s32", "mul.lo.s32", "mul.hi.u32",
		"mul.hi.s32", "min.s32", "max.u32",    "and.b32",
		"or.b32",     "xor.b32", "shl.b32",    "shr.u32",
		"shr.s32",    "div.u32", "rem.s32",    "div.s32"
	};
	static const char *const one[] = { "not.b32",  "neg.s32", "abs.s32",
					   "popc.b32", "clz.b32", "brev.b32" };

	guard(m);
	switch (pick(m, 8)) {
	case 0:
		say(m, "%s %%r%u, %%r%u;\n", one[pick(m, 6)], word(m), word(m));
		return;
	case 1:
		say(m, "mad.lo.u32 %%r%u, %%r%u, %s, %%r%u;\n", word(m),
		    word(m), word_or_constant(m), word(m));
		return;
	case 2:
		say(m, "selp.b32 %%r%u, %%r%u, %s, %%p%u;\n", word(m), word(m),
		    word_or_constant(m), pick(m, m->preds));
		return;
	case 3:
		say(m, "mov.b32 %%r%u, %s;\n", word(m), word_or_constant(m));
		return;
	case 4:
		say(m, "lop3.b32 %%r%u, %%r%u, %%r%u, %%r%u, %u;\n", word(m),
		    word(m), word(m), word(m), pick(m, 256));
		return;
	default:
		say(m, "%s %%r%u, %%r%u, %s;\n", two[pick(m, 16)], word(m),
		    word(m), word_or_constant(m));
	}
}

static void wide_statement(struct maker *m)
{
	static const char *const two[] = { "add.s64",   "sub.u64", "mul.lo.s64",
					   "and.b64",   "or.b64",  "xor.b64",
					   "min.u64",   "max.s64", "mul.hi.u64",
					   "mul.hi.s64" };
	unsigned d = pick(m, m->wides), a = pick(m, m->wides);
	unsigned b = pick(m, m->wides);

	guard(m);
	switch (pick(m, 6)) {
	case 0:
		say(m, "mul.wide.s32 %%rd%u, %%r%u, %%r%u;\n", d, word(m),
		    word(m));
		return;
	case 1:
		say(m, "cvt.u32.u64 %%r%u, %%rd%u;\n", word(m), a);
		return;
	case 2:
		say(m, "%s %%rd%u, %%rd%u, %u;\n",
		    pick(m, 2) ? "shl.b64" : "shr.s64", d, a, pick(m, 70));
		return;
	case 3:
		say(m, "%s %%rd%u, %%rd%u, %%r%u;\n",
		    pick(m, 2) ? "shl.b64" : "shr.u64", d, a, word(m));
		return;
	default:
		say(m, "%s %%rd%u, %%rd%u, %%rd%u;\n", two[pick(m, 10)], d, a,
		    b);
	}
}

static void float_statement(struct maker *m)
{
	static const char *const two[] = { "add.f32",    "sub.rn.f32",
					   "mul.f32",    "min.f32",
					   "max.f32",    "div.rn.f32",
					   "add.rz.f32", "mul.ftz.f32" };
	static const char *const one[] = { "neg.f32",        "abs.f32",
					   "sqrt.rn.f32",    "ex2.approx.f32",
					   "rcp.approx.f32", "sin.approx.f32" };
	unsigned d = pick(m, m->floats), a = pick(m, m->floats);
	unsigned b = pick(m, m->floats), c = pick(m, m->floats);

	guard(m);
	switch (pick(m, 5)) {
	case 0:
		say(m, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", d, a, b, c);
		return;
	case 1:
		say(m, "%s %%f%u, %%f%u;\n", one[pick(m, 6)], d, a);
		return;
	case 2:
		say(m, "cvt.rn.f32.s32 %%f%u, %%r%u;\n", d, word(m));
		return;
	case 3:
		say(m, "cvt.rzi.s32.f32 %%r%u, %%f%u;\n", word(m), a);
		return;
	default:
		say(m, "%s %%f%u, %%f%u, %%f%u;\n", two[pick(m, 8)], d, a, b);
	}
}

static void compare_statement(struct maker *m)
{
	static const char *const cmp[] = { "eq", "ne", "lt", "le", "gt", "ge" };
	unsigned p = pick(m, m->preds);

	guard(m);
	switch (pick(m, 5)) {
	case 0:
		say(m, "setp.%su.f32 %%p%u, %%f%u, %%f%u;\n", cmp[pick(m, 6)],
		    p, pick(m, m->floats), pick(m, m->floats));
		return;
	case 1:
		say(m, "setp.%s.s64 %%p%u, %%rd%u, %%rd%u;\n", cmp[pick(m, 6)],
		    p, pick(m, m->wides), pick(m, m->wides));
		return;
	case 2:
		say(m, "xor.pred %%p%u, %%p%u, %%p%u;\n", p, pick(m, m->preds),
		    pick(m, m->preds));
		return;
	case 3:
		say(m, "setp.%s.and.u32 %%p%u|%%p%u, %%r%u, %%r%u, !%%p%u;\n",
		    cmp[pick(m, 6)], p, (p + 1) % m->preds, word(m), word(m),
		    pick(m, m->preds));
		return;
	default:
		say(m, "setp.%s.s32 %%p%u, %%r%u, %s;\n", cmp[pick(m, 6)], p,
		    word(m), word_or_constant(m));
	}
}

/* Own words of local and shared memory, by an index that differs. */
static void memory_statement(struct maker *m)
{
	unsigned a = word(m), d = word(m);

	switch (pick(m, 3)) {
	case 0:
		say(m,
		    "and.b32 %%x0, %%r%u, 28;\ncvt.u64.u32 %%xd0, %%x0;\n"
		    "mov.u64 %%xd1, loc;\nadd.s64 %%xd0, %%xd1, %%xd0;\n",
		    a);
		if (pick(m, 2))
			say(m, "st.local.u32 [%%xd0], %%r%u;\n", word(m));
		say(m, "ld.local.u32 %%r%u, [%%xd0];\n", d);
		return;
	case 1:
		say(m,
		    "st.shared.u16 [%%x1], %%r%u;\n"
		    "ld.shared.s8 %%r%u, [%%x1+1];\n",
		    a, d);
		return;
	default:
		say(m, "ld.global.u8 %%r%u, [%%xd2+%u];\n", d,
		    pick(m, 4 * INPUTS));
	}
}

static void statements(struct maker *m, unsigned depth, unsigned n);

static void if_statement(struct maker *m, unsigned depth)
{
	unsigned l = m->labels++, p = pick(m, m->preds);

	say(m, "@%%p%u bra E%u;\n", p, l);
	statements(m, depth + 1, 1 + pick(m, 4));
	if (pick(m, 2)) {
		say(m, "bra.uni X%u;\nE%u:\n", l, l);
		statements(m, depth + 1, 1 + pick(m, 4));
		say(m, "X%u:\n", l);
	} else {
		say(m, "E%u:\n", l);
	}
}

/* Up to 5 times, inside of others up to 2, by a count that differs; a break leaves one
 * or all loops. */
static void loop_statement(struct maker *m, unsigned depth)
{
	unsigned l = m->labels++, i = m->counters++;

	say(m, "and.b32 %%i%u, %%r%u, %u;\nadd.u32 %%i%u, %%i%u, %u;\nL%u:\n",
	    i, word(m), depth ? 1 : 3, i, i, depth ? 1 : 2, l);
	m->loop_end[m->loops++] = l;
	statements(m, depth + 1, 1 + pick(m, 4));
	if (pick(m, 2))
		say(m, "@%%p%u bra Z%u;\n", pick(m, m->preds),
		    m->loop_end[pick(m, m->loops)]);
	statements(m, depth + 1, pick(m, 3));
	m->loops--;
	say(m,
	    "sub.u32 %%i%u, %%i%u, 1;\nsetp.ne.u32 %%q0, %%i%u, 0;\n"
	    "@%%q0 bra L%u;\nZ%u:\n",
	    i, i, i, l, l);
}

/* All lanes are here: exchange through shared memory, or a shuffle. */
static void together_statement(struct maker *m)
{
	unsigned a = word(m), d = word(m);

	if (pick(m, 2)) {
		say(m,
		    "bar.sync 0;\nst.shared.u32 [%%x1], %%r%u;\nbar.sync 0;\n"
		    "ld.shared.u32 %%r%u, [%%x2];\nbar.sync 0;\n",
		    a, d);
		return;
	}
	if (m->returned)
		return;
	say(m, "shfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %u, %u, %%x3;\n",
	    pick(m, 2) ? "bfly" : "idx", d, pick(m, m->preds), a, pick(m, 32),
	    31u);
}

static void statement(struct maker *m, unsigned depth)
{
	unsigned which = pick(m, 20);

	if (which < 6)
		word_statement(m);
	else if (which < 9)
		wide_statement(m);
	else if (which < 11)
		float_statement(m);
	else if (which < 14)
		compare_statement(m);
	else if (which < 16)
		memory_statement(m);
	else if (depth < MAX_DEPTH &&
		 (which < 18 || (which == 18 && m->counters == MAX_LOOPS)))
		if_statement(m, depth);
	else if (depth < MAX_DEPTH && which == 18)
		loop_statement(m, depth);
	else if (!depth)
		together_statement(m);
}

static void statements(struct maker *m, unsigned depth, unsigned n)
{
	while (n--)
		statement(m, depth);
}

/* %x0, %xd0, %xd1 are scratch; %x1 and %x2 the thread's and its neighbour's word of
 * shared memory, %x3 the lanes of the warp, %xd2 its inputs, %xd3 its outputs. */
static const char head[] =
	".version 7.0\n.target sm_75\n.address_size 64\n"
	".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	".reg .b32 %%r<100>; .reg .b32 %%x<8>; .reg .b32 %%i<1000>;\n"
	".reg .b64 %%rd<40>; .reg .b64 %%xd<8>; .reg .f32 %%f<40>;\n"
	".reg .pred %%p<20>; .reg .pred %%q<2>;\n"
	".shared .align 4 .b8 sh[%u]; .local .align 4 .b8 loc[32];\n"
	"mov.u32 %%x4, %%tid.x; mov.u32 %%x5, %%ctaid.x;\n"
	"mad.lo.s32 %%x6, %%x5, %u, %%x4;\n"
	"shl.b32 %%x0, %%x4, 2; mov.u32 %%x7, sh; add.s32 %%x1, %%x7, %%x0;\n"
	"add.s32 %%x0, %%x4, 7; rem.u32 %%x0, %%x0, %u; shl.b32 %%x0, %%x0, 2;\n"
	"add.s32 %%x2, %%x7, %%x0;\n"
	"activemask.b32 %%x3;\n"
	"ld.param.u64 %%xd0, [in]; mul.wide.u32 %%xd1, %%x6, %u;\n"
	"add.s64 %%xd2, %%xd0, %%xd1;\n"
	"ld.param.u64 %%xd0, [out]; mul.wide.u32 %%xd1, %%x6, %u;\n"
	"add.s64 %%xd3, %%xd0, %%xd1;\n";

static unsigned outputs_of(const struct maker *m)
{
	return m->words + 2 * m->wides + m->floats + 1;
}

/* Bytes from one output of a thread to the next. */
static unsigned output_step(const struct maker *m)
{
	return m->strided ? 4 : 4 * BLOCKS * m->threads;
}

/* The first words are inputs, others are made of them. */
static void begin_words(struct maker *m)
{
	for (unsigned i = 0; i < m->words; i++)
		if (i < INPUTS)
			say(m, "ld.global.u32 %%r%u, [%%xd2+%u];\n", i, 4 * i);
		else
			say(m, "mad.lo.u32 %%r%u, %%r%u, %u, %u;\n", i,
			    i % INPUTS, 2 * i + 1, i);
	for (unsigned i = 0; i < m->wides; i++)
		say(m, "ld.global.u64 %%rd%u, [%%xd2+%u];\n", i,
		    8 * (i % (INPUTS / 2)));
}

static void begin(struct maker *m)
{
	bool many = !pick(m, 3);

	m->words = many ? 22 + pick(m, 12) : 4 + pick(m, 4);
	m->wides = many ? 2 + pick(m, 5) : 1 + pick(m, 2);
	m->floats = many ? 2 + pick(m, 5) : 1 + pick(m, 2);
	m->preds = many ? 8 + pick(m, 8) : 3 + pick(m, 4);
	m->threads = 4 + pick(m, pick(m, 4) ? 37 : MAX_THREADS - 3);
	m->strided = !pick(m, 4);
	say(m, head, 4 * m->threads, m->threads, m->threads, 4 * INPUTS,
	    m->strided ? 4 * outputs_of(m) : 4);
	begin_words(m);
	for (unsigned i = 0; i < m->floats; i++)
		say(m, "cvt.rn.f32.s32 %%f%u, %%r%u;\n", i, i % m->words);
	for (unsigned i = 0; i < m->preds; i++)
		say(m, "setp.lt.s32 %%p%u, %%r%u, %u;\n", i, i % m->words, i);
	for (unsigned i = 0; i < 8; i++)
		say(m, "st.local.u32 [loc+%u], %%r%u;\n", 4 * i, i % m->words);
	say(m, "st.shared.u32 [%%x1], %%r0;\nbar.sync 0;\n");
}

static void finish(struct maker *m)
{
	unsigned at = 0, step = output_step(m);

	for (unsigned i = 0; i < m->words; i++, at += step)
		say(m, "st.global.u32 [%%xd3+%u], %%r%u;\n", at, i);
	for (unsigned i = 0; i < m->wides; i++, at += 2 * step)
		say(m,
		    "st.global.u32 [%%xd3+%u], %%rd%u;\nshr.u64 %%rd%u, "
		    "%%rd%u, 32;\nst.global.u32 [%%xd3+%u], %%rd%u;\n",
		    at, i, i, i, at + step, i);
	for (unsigned i = 0; i < m->floats; i++, at += step)
		say(m, "st.global.f32 [%%xd3+%u], %%f%u;\n", at, i);
	say(m, "mov.u32 %%x0, 0;\n");
	for (unsigned i = 0; i < m->preds; i++)
		say(m, "@%%p%u or.b32 %%x0, %%x0, %u;\n", i, 1u << i);
	say(m, "st.global.u32 [%%xd3+%u], %%x0;\nret;\n}\n", at);
}

static void make(struct maker *m, uint64_t seed)
{
	m->used = 0;
	m->labels = m->counters = m->loops = 0;
	m->returned = false;
	m->state = seed * 0x9e3779b97f4a7c15u + 1;
	begin(m);
	/* Most are short: many small programs find more than few large ones. */
	statements(m, 0, 3 + pick(m, pick(m, 4) ? 7 : 30));
	if (!pick(m, 4)) {
		/* The rest is for those who stay. */
		say(m, "@%%p0 ret;\n");
		m->returned = true;
		statements(m, 0, 3);
	}
	finish(m);
}

/* ---- both ways --------------------------------------------------------- */

static void fill_input(uint64_t seed)
{
	uint32_t *in = (void *)(rig_memory() + AT_IN);
	uint64_t s = seed + 77;

	for (int i = 0; i < BLOCKS * MAX_THREADS * INPUTS; i++) {
		s = s * 6364136223846793005u + 1442695040888963407u;
		in[i] = (uint32_t)(s >> 32) >> (s >> 20 & 31);
	}
}

/* Words that all threads leave. */
static size_t words_of(const struct maker *m)
{
	return BLOCKS * m->threads * (size_t)outputs_of(m);
}

static void run_ptx(const struct maker *m, uint32_t *out)
{
	size_t in_bytes = 4 * BLOCKS * MAX_THREADS * INPUTS;
	size_t out_bytes = 4 * words_of(m);
	struct heddle_error he = { 0 };
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct heddle_result result;
	heddle_ptr at[2];

	heddle_device_new(&dev, NULL, &he);
	heddle_module_load(dev, &mod, "random.ptx", m->text, m->used, &he);
	STREQ("", he.text);
	heddle_alloc(dev, in_bytes, &at[0], &he);
	heddle_alloc(dev, out_bytes, &at[1], &he);
	heddle_write(dev, at[0], rig_memory() + AT_IN, in_bytes, &he);
	heddle_launch(dev, mod,
		      &(struct heddle_launch){ .kernel = "k",
					       .grid = { BLOCKS, 1, 1 },
					       .block = { m->threads, 1, 1 },
					       .params = at,
					       .param_bytes = sizeof(at) },
		      &result, &he);
	STREQ("", he.text);
	heddle_read(dev, out, at[1], out_bytes, &he);
	STREQ("", he.text);
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

/* Every fourth program runs on the paper's machine, others on any that the circuit
 * has room for. */
static void vary_config(struct maker *m, struct fl_config *c)
{
	if (!pick(m, 4))
		return;
	c->sms = 1 + pick(m, FL_CIRCUIT_SMS);
	c->warps = (m->threads + 31) / 32 + pick(m, 30);
	c->blocks = 1 + pick(m, FL_MAX_BLOCKS);
	c->l1_sets = 1u << pick(m, 8);
	c->l1_ways = 1 + pick(m, FL_CIRCUIT_L1_WAYS);
	c->l2_sets = 1u << pick(m, 11);
	c->l2_ways = 1 + pick(m, FL_CIRCUIT_L2_WAYS);
	c->lsu_lanes = 1 + pick(m, 32);
	for (int u = 0; u < FL_UNIT_MEM; u++) {
		c->latency[u] = 1 + pick(m, pick(m, 2) ? 255 : 12);
		c->interval[u] = 1 + pick(m, pick(m, 8) ? 4 : 255);
	}
	for (int w = 0; w < FL_WAYS; w++)
		c->way_latency[w] = 1 + pick(m, pick(m, 2) ? 900 : 30);
	/* With two register files, more multiprocessors exchange registers after
	 * each slice: short ones take the circuit long. */
	c->slice = c->sms > 2 ? 200 + pick(m, 5000) : 1 + pick(m, 300);
}

/* Returns the bytes that the program spills. */
static uint32_t run_both(struct maker *m, uint64_t seed, uint32_t *want)
{
	size_t words = words_of(m);
	const uint32_t *got = (const void *)(rig_memory() + AT_OUT);
	struct rig r = { .seed = seed };
	uint32_t local;

	fill_input(seed);
	run_ptx(m, want);
	if (!rig_compile(&r, "random.ptx", m->text, m->used, NULL))
		STREQ("", r.d.text);
	rig_config(&r, NULL);
	vary_config(m, &r.config);
	rig_param(&r, 0, AT_IN);
	rig_param(&r, 1, AT_OUT);
	memset(rig_memory() + AT_OUT, 0, 4 * words);
	rig_run(&r, BLOCKS, m->threads);
	EQ(FL_FAULT_NONE, r.fault.kind);
	for (size_t i = 0; i < words; i++)
		if (want[i] != got[i]) {
			printf("  seed %llu, word %zu of the outputs\n",
			       (unsigned long long)seed, i);
			EQ(want[i], got[i]);
		}
	local = r.code->kernels[0].local;
	rig_free(&r);
	return local - 32;
}

TEST(fastlanes_random, programs_leave_the_memory_that_ptx_leaves)
{
	const char *count = getenv("FASTLANES_PROGRAMS");
	const char *one = getenv("FASTLANES_SEED");
	const char *from = one ? one : getenv("FASTLANES_FIRST");
	uint64_t first = from ? strtoull(from, NULL, 10) : 1, spilled = 0;
	uint64_t n = one ? 1 : count ? strtoull(count, NULL, 10) : 150;
	struct maker m = { .text = malloc(TEXT) };
	uint32_t *want = malloc(4 * BLOCKS * MAX_THREADS * 200);

	OK(m.text && want);
	for (uint64_t seed = first; seed < first + n; seed++) {
		make(&m, seed);
		if (one)
			fputs(m.text, stdout);
		spilled += run_both(&m, seed, want) > 0;
	}
	/* About a third of the programs have too many values; of few ones, chance says. */
	OK(n < 100 || spilled > n / 5);
	free(m.text);
	free(want);
}
