/*
 * Do the rows that access memory do what a second statement of them says, in plain
 * C over bytes and by the rows' numbers? And those that change the flow: exec, the
 * pc, registers by number, the mode.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/gcn/harness.h"

static unsigned failures, rows;
static struct harness h;
static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void complain(const struct gcn_inst *in, const char *what, uint64_t got,
		     uint64_t want, unsigned lane)
{
	static unsigned last, of_row;
	char text[120];

	failures++;
	of_row = in->op == last ? of_row + 1 : 1;
	last = in->op;
	if (of_row > 2)
		return;
	gcn_print(text, sizeof(text), in);
	fprintf(stderr, "%s: %s is 0x%llx, not 0x%llx (lane %u)\n", text, what,
		(unsigned long long)got, (unsigned long long)want, lane);
}

static uint32_t *reg(unsigned r)
{
	return h.w->v + (size_t)r * WAVE_LANES;
}

static uint64_t wide(unsigned r, unsigned lane)
{
	return reg(r)[lane] | (uint64_t)reg(r + 1)[lane] << 32;
}

static void randomise(void)
{
	for (size_t i = 0; i < 32 * WAVE_LANES; i++)
		h.w->v[i] = (uint32_t)random_bits();
}

/* Runs the instruction alone; false and a complaint if it cannot. */
static bool run(const struct gcn_inst *in)
{
	const char *why;

	harness_clear(&h);
	why = harness_add(&h, in);
	if (!why && harness_run(&h, 1))
		return true;
	complain(in, why ? why : h.launch.fault.text, 0, 0, 0);
	return false;
}

static struct gcn_inst inst(unsigned op)
{
	return (struct gcn_inst){ .op = (uint16_t)op,
				  .format = gcn_rows[op].format,
				  .words = 2 };
}

/* ---- what memory holds after an atomic --------------------------------- */

static double real(uint64_t v, bool is_wide)
{
	uint32_t u = (uint32_t)v;
	float f;
	double d;

	memcpy(&f, &u, 4);
	memcpy(&d, &v, 8);
	return is_wide ? d : (double)f;
}

/* Operations by name, so that data share and buffers are stated once. */
static uint64_t after(const char *op, bool is_wide, uint64_t old, uint64_t x,
		      uint64_t y)
{
	int64_t so = is_wide ? (int64_t)old : (int32_t)old;
	int64_t sx = is_wide ? (int64_t)x : (int32_t)x;

	if (!strcmp(op, "add"))
		return old + x;
	if (!strcmp(op, "sub"))
		return old - x;
	if (!strcmp(op, "rsub"))
		return x - old;
	if (!strcmp(op, "inc"))
		return old >= x ? 0 : old + 1;
	if (!strcmp(op, "dec"))
		return old == 0 || old > x ? x : old - 1;
	if (!strcmp(op, "smin"))
		return so < sx ? old : x;
	if (!strcmp(op, "smax"))
		return so > sx ? old : x;
	if (!strcmp(op, "umin"))
		return old < x ? old : x;
	if (!strcmp(op, "umax"))
		return old > x ? old : x;
	if (!strcmp(op, "and"))
		return old & x;
	if (!strcmp(op, "or"))
		return old | x;
	if (!strcmp(op, "xor"))
		return old ^ x;
	if (!strcmp(op, "fmin"))
		return real(x, is_wide) < real(old, is_wide) ? x : old;
	if (!strcmp(op, "fmax"))
		return real(x, is_wide) > real(old, is_wide) ? x : old;
	if (!strcmp(op, "mskor"))
		return (old & ~x) | y;
	/* x is compared with, y is written. */
	if (!strcmp(op, "cmpst"))
		return old == x ? y : old;
	if (!strcmp(op, "fcmpst"))
		return real(old, is_wide) == real(x, is_wide) ? y : old;
	return x; /* swap */
}

/* ---- local data share -------------------------------------------------- */

static const char *const ds_names[0x14] = { "add",   "sub",    "rsub", "inc",
					    "dec",   "smin",   "smax", "umin",
					    "umax",  "and",    "or",   "xor",
					    "mskor", "swap",   NULL,   NULL,
					    "cmpst", "fcmpst", "fmin", "fmax" };

enum { ADDR = 0, X = 2, Y = 4, D = 8 };

/* The statement of one lane; returns how many words it reads into out. */
static unsigned ds_lane(unsigned code, uint8_t *lds, uint32_t a, unsigned o0,
			unsigned o1, uint64_t x, uint64_t y, uint32_t out[4])
{
	bool is_wide = code & 0x40, src2 = code & 0x80;
	unsigned n = is_wide ? 8 : 4, low = code & 0x3f;
	bool two = low == 0xe || low == 0xf || low == 0x2e || low == 0x2f ||
		   low == 0x37 || low == 0x38;
	bool far = low == 0xf || low == 0x2f || low == 0x38;
	uint8_t *p = lds + a + (two ? o0 * n * (far ? 64 : 1) : o0 + 256 * o1);
	uint8_t *q = lds + a + o1 * n * (far ? 64 : 1);
	uint64_t old = 0, v = 0;

	if (src2) {
		p = lds + a;
		x = 0;
		memcpy(&x, lds + a + 4 * (int)(o0 + 256 * o1), n);
	}
	memset(out, 0, 16);
	if (low == 0x1e || low == 0x1f) { /* write_b8, b16 */
		memcpy(p, &x, low - 0x1d);
		return 0;
	}
	if (low == 0x39 || low == 0x3a || low == 0x3b || low == 0x3c) {
		memcpy(out, p, low < 0x3b ? 1 : 2);
		if (low == 0x39)
			out[0] = (uint32_t)(int8_t)out[0];
		if (low == 0x3b)
			out[0] = (uint32_t)(int16_t)out[0];
		return 1;
	}
	memcpy(out, p, n);
	if (two)
		memcpy(out + n / 4, q, n);
	if (low >= 0x36)
		return (two ? 2 : 1) * n / 4;
	if (two) {
		memcpy(p, &x, n);
		memcpy(q, &y, n);
		return low < 0x20 ? 0 : n / 2;
	}
	memcpy(&old, p, n);
	v = after(ds_names[low & 0x1f], is_wide, old, x, y);
	memcpy(p, &v, n);
	return low < 0x20 || src2 ? 0 : n / 4;
}

static void check_ds(unsigned op)
{
	unsigned code = gcn_rows[op].code, words = 0;
	static uint8_t want[HARNESS_LDS];
	uint32_t out[WAVE_LANES][4];
	struct gcn_inst in = inst(op);
	uint64_t exec = random_bits() | 1;

	in.field[GCN_VADDR] = ADDR;
	in.field[GCN_DATA0] = X;
	in.field[GCN_DATA1] = Y;
	in.field[GCN_VDST] = D;
	/* Far ones are in units of 64 elements; the order of lanes that write
	 * two places each is not defined. */
	in.field[GCN_OFFSET] = strstr(gcn_rows[op].name, "st64") ? 1 : 8;
	if (strchr(gcn_rows[op].operands, '2') && (code & 0x3f) < 0x30 &&
	    ((code & 15) == 14 || (code & 15) == 15))
		exec = 1ull << random_bits() % 64;
	in.field[GCN_OFFSET1] =
		code & 0x80 || strchr(gcn_rows[op].operands, 'O') ? 0 : 3;
	randomise();
	for (unsigned l = 0; l < WAVE_LANES; l++)
		reg(ADDR)[l] = (uint32_t)(random_bits() % 64) * 8;
	for (unsigned i = 0; i < HARNESS_LDS; i++)
		want[i] = (uint8_t)random_bits();
	/* Comparisons that are equal now and then. */
	for (unsigned l = 0; l < WAVE_LANES; l += 3) {
		memcpy(&reg(X)[l], want + reg(ADDR)[l] + 8, 4);
		memcpy(&reg(X + 1)[l], want + reg(ADDR)[l] + 12, 4);
	}
	memcpy(h.group->lds, want, HARNESS_LDS);
	gcn_set_pair(h.w, GCN_EXEC, exec);
	for (unsigned l = 0; l < WAVE_LANES; l++)
		if (exec >> l & 1)
			words = ds_lane(code, want, reg(ADDR)[l],
					in.field[GCN_OFFSET],
					in.field[GCN_OFFSET1],
					code & 0x40 ? wide(X, l) : reg(X)[l],
					code & 0x40 ? wide(Y, l) : reg(Y)[l],
					out[l]);
	if (!run(&in))
		return;
	for (unsigned i = 0; i < HARNESS_LDS; i++)
		if (want[i] != (uint8_t)h.group->lds[i])
			complain(&in, "the data share",
				 (uint8_t)h.group->lds[i], want[i], i);
	for (unsigned l = 0; l < WAVE_LANES; l++)
		for (unsigned i = 0; exec >> l & 1 && i < words; i++)
			if (reg(D + i)[l] != out[l][i])
				complain(&in, "the result", reg(D + i)[l],
					 out[l][i], l);
}

/* Two loops over neighbours: the source of a lane by its number's bits. */
static void check_swizzle(void)
{
	struct gcn_inst in = inst(GCN_OP_DS_SWIZZLE_B32);
	uint32_t from[WAVE_LANES];

	in.field[GCN_VADDR] = X;
	in.field[GCN_VDST] = D;
	rows++;
	for (unsigned i = 0; i < 50; i++) {
		unsigned pattern = (unsigned)random_bits() & 0xffff;

		randomise();
		memcpy(from, reg(X), sizeof(from));
		in.field[GCN_OFFSET] = pattern & 255;
		in.field[GCN_OFFSET1] = (uint16_t)(pattern >> 8);
		gcn_set_pair(h.w, GCN_EXEC, ~0ull);
		if (!run(&in))
			return;
		for (unsigned l = 0; l < WAVE_LANES; l++) {
			unsigned s = l & 3, to = l & 31;

			s = pattern >> 2 * s & 3;
			to = ((to & (pattern & 31)) | (pattern >> 5 & 31)) ^
			     (pattern >> 10 & 31);
			s = pattern >> 15 ? l / 4 * 4 + s : l / 32 * 32 + to;
			if (reg(D)[l] != from[s])
				complain(&in, "the result", reg(D)[l], from[s],
					 l);
		}
	}
}

static void check_all_ds(void)
{
	for (unsigned op = 0; op < GCN_OPS; op++) {
		if (gcn_rows[op].format != GCN_DS || gcn_rows[op].refused ||
		    op == GCN_OP_DS_SWIZZLE_B32)
			continue;
		rows++;
		for (unsigned i = 0; i < 30; i++)
			check_ds(op);
	}
	check_swizzle();
}

/* ---- buffers ----------------------------------------------------------- */

enum { RSRC = 8, SOFF = 20, BASE = 4096 };

static uint8_t want[HARNESS_BYTES];

static void set_resource(uint32_t records, uint32_t format)
{
	uint32_t *s = &h.w->s[RSRC];

	s[0] = (uint32_t)(h.memory + BASE);
	s[1] = (uint32_t)((h.memory + BASE) >> 32);
	s[2] = records;
	s[3] = format | 0xfac; /* selectors x y z w */
	h.w->s[SOFF] = 16;
}

/* Its 48 bits, beside those of the stride, which are set where code has -1. */
static void set_base(int64_t base)
{
	h.w->s[RSRC] = (uint32_t)base;
	h.w->s[RSRC + 1] = (uint32_t)(base >> 32);
}

static void set_address(unsigned lane, uint64_t address)
{
	reg(ADDR)[lane] = (uint32_t)address;
	reg(ADDR + 1)[lane] = (uint32_t)(address >> 32);
}

static void fill_memory(void)
{
	for (unsigned i = 0; i < HARNESS_BYTES; i++)
		want[i] = (uint8_t)random_bits();
	memcpy(h.host, want, HARNESS_BYTES);
}

static void compare_memory(const struct gcn_inst *in)
{
	for (unsigned i = 0; i < HARNESS_BYTES; i++)
		if (h.host[i] != want[i])
			complain(in, "memory", h.host[i], want[i], i);
}

enum { FLOAT4 = 14, BYTES4 = 10, NUMBER_UNORM = 0, NUMBER_FLOAT = 7 };

/* A component of an element of four floats, or of four bytes as fractions. */
static uint32_t unpack(const uint8_t *p, unsigned i, bool is_float)
{
	uint32_t u;
	float f = (float)((double)p[i] / 255.0);

	memcpy(&u, is_float ? (const void *)(p + 4 * i) : (const void *)&f, 4);
	return u;
}

static void pack(uint8_t *p, unsigned i, bool is_float, uint32_t v)
{
	float f;

	memcpy(&f, &v, 4);
	if (is_float)
		memcpy(p + 4 * i, &v, 4);
	else
		p[i] = isnan(f) ? 0 :
				  (uint8_t)nearbyint((f < 0 ? 0 :
						      f > 1 ? 1 :
							      (double)f) *
						     255);
}

/* One lane; out: what it reads. */
static void buffer_lane(unsigned code, uint8_t *p, bool is_float,
			const uint32_t data[4], uint32_t out[4], bool inside)
{
	static const uint8_t sizes[] = { 1, 1, 2, 2, 4, 8, 16, 12 };
	unsigned k = (code & 3) + 1;

	memset(out, 0, 16);
	if (!inside)
		return;
	if (code < 4) {
		for (unsigned i = 0; i < k; i++)
			out[i] = unpack(p, i, is_float);
	} else if (code < 8) {
		for (unsigned i = 0; i < 4; i++)
			pack(p, i, is_float, i < k ? data[i] : 0);
	} else if (code < 0x10) {
		memcpy(out, p, sizes[code - 8]);
		if (code == 9)
			out[0] = (uint32_t)(int8_t)out[0];
		if (code == 0xb)
			out[0] = (uint32_t)(int16_t)out[0];
	} else {
		memcpy(p, data, sizes[code - 0x18 + (code < 0x1c ? 0 : 0)]);
	}
}

/* Addresses by 64 bits of each lane, or by an offset within limits. */
static void check_buffer(unsigned op, bool by_offset)
{
	unsigned code = gcn_rows[op].code, reads;
	bool typed = gcn_rows[op].format == GCN_MTBUF;
	bool is_float = random_bits() & 1;
	uint64_t exec = random_bits() | 1;
	uint32_t out[WAVE_LANES][4], records = by_offset ? 2048 : 0;
	/* With addresses of lanes, also a base below 0. */
	int64_t base = random_bits() & 1 ? (int64_t)(h.memory + BASE) :
					   -(int64_t)(random_bits() % 9);
	struct gcn_inst in = inst(op);

	in.field[GCN_VADDR] = ADDR;
	in.field[GCN_VDST] = D;
	in.field[GCN_SRSRC] = RSRC / 4;
	in.field[GCN_SOFFSET] = SOFF;
	in.field[GCN_OFFSET] = 32;
	in.field[by_offset ? GCN_OFFEN : GCN_ADDR64] = 1;
	in.field[GCN_DFMT] = is_float ? FLOAT4 : BYTES4;
	in.field[GCN_NFMT] = is_float ? NUMBER_FLOAT : NUMBER_UNORM;
	if (!typed)
		in.field[GCN_DFMT] = in.field[GCN_NFMT] = 0;
	set_resource(records, is_float ? NUMBER_FLOAT << 12 | FLOAT4 << 15 :
					 NUMBER_UNORM << 12 | BYTES4 << 15);
	if (!by_offset)
		set_base(base);
	fill_memory();
	randomise();
	gcn_set_pair(h.w, GCN_EXEC, exec);
	reads = code < 4 ? code + 1 : code < 8 ? 0 : code < 0x10 ? 4 : 0;
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		/* Distinct places of 64 bytes: lanes do not overwrite others. */
		unsigned at = l * 64 + (unsigned)(random_bits() % 3) * 16;
		unsigned size = code < 8 ? (is_float ? 16 : 4) :
				code == 0xd || code == 0x1d ? 8 :
				code == 0xe || code == 0x1e ? 16 :
				code == 0xf || code == 0x1f ? 12 :
				(code & 7) < 2              ? 1 :
				(code & 7) < 4              ? 2 :
							      4;
		uint32_t data[4];

		reg(ADDR)[l] = at;
		reg(ADDR + 1)[l] = 0;
		if (!by_offset)
			set_address(l, h.memory + BASE + at - base);
		for (unsigned i = 0; i < 4; i++)
			data[i] = reg(D + i)[l];
		if (exec >> l & 1)
			buffer_lane(code, want + BASE + 16 + 32 + at, is_float,
				    data, out[l],
				    !by_offset || at + 32 + size <= records);
	}
	if (!run(&in))
		return;
	compare_memory(&in);
	if (code >= 8)
		reads = code == 0xd ? 2 :
			code == 0xe ? 4 :
			code == 0xf ? 3 :
			code < 0x10 ? 1 :
				      0;
	for (unsigned l = 0; l < WAVE_LANES; l++)
		for (unsigned i = 0; exec >> l & 1 && i < reads; i++)
			if (reg(D + i)[l] != out[l][i])
				complain(&in, "the result", reg(D + i)[l],
					 out[l][i], l);
}

static const char *const buffer_names[0x11] = {
	"swap", "cmpst", "add", "sub", NULL,  "smin",   "umin", "smax", "umax",
	"and",  "or",    "xor", "inc", "dec", "fcmpst", "fmin", "fmax"
};

static void check_buffer_atomic(unsigned op)
{
	unsigned code = gcn_rows[op].code, low = code;
	bool is_wide = code >= 0x50;
	const char *name;
	uint64_t exec = random_bits() | 1, old[WAVE_LANES];
	unsigned n = is_wide ? 8 : 4;
	struct gcn_inst in = inst(op);

	low -= is_wide ? 0x50 : 0x30;
	name = buffer_names[low];
	in.field[GCN_VADDR] = ADDR;
	in.field[GCN_VDST] = D;
	in.field[GCN_SRSRC] = RSRC / 4;
	in.field[GCN_SOFFSET] = GCN_ZERO;
	in.field[GCN_ADDR64] = 1;
	in.field[GCN_GLC] = random_bits() & 1;
	set_resource(0, 0);
	fill_memory();
	randomise();
	gcn_set_pair(h.w, GCN_EXEC, exec);
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		unsigned at = (unsigned)(random_bits() % 8) * 8;
		bool compares = !strcmp(name, "cmpst") ||
				!strcmp(name, "fcmpst");
		uint8_t *p = want + BASE + at;
		uint64_t x, y, v;

		reg(ADDR)[l] = at;
		reg(ADDR + 1)[l] = 0;
		if (!(exec >> l & 1))
			continue;
		old[l] = 0;
		memcpy(&old[l], p, n);
		if (compares && l % 3 == 0) {
			reg(D + n / 4)[l] = (uint32_t)old[l];
			if (is_wide)
				reg(D + 3)[l] = (uint32_t)(old[l] >> 32);
		}
		x = is_wide ? wide(D, l) : reg(D)[l];
		y = is_wide ? wide(D + 2, l) : reg(D + 1)[l];
		v = compares ? after(name, is_wide, old[l], y, x) :
			       after(name, is_wide, old[l], x, 0);
		memcpy(p, &v, n);
		if (!in.field[GCN_GLC])
			old[l] = x;
	}
	if (!run(&in))
		return;
	compare_memory(&in);
	for (unsigned l = 0; l < WAVE_LANES; l++)
		if (exec >> l & 1 &&
		    (is_wide ? wide(D, l) : reg(D)[l]) != old[l])
			complain(&in, "the result", reg(D)[l], old[l], l);
}

static void check_buffers(void)
{
	for (unsigned op = 0; op < GCN_OPS; op++) {
		unsigned f = gcn_rows[op].format;

		if ((f != GCN_MUBUF && f != GCN_MTBUF) || gcn_rows[op].refused)
			continue;
		rows++;
		if (gcn_rows[op].code >= 0x70)
			continue; /* caches: nothing is to be seen of them */
		for (unsigned i = 0; i < 20; i++) {
			if (gcn_rows[op].code >= 0x30)
				check_buffer_atomic(op);
			else
				check_buffer(op, i % 2);
		}
	}
}

/* Scratch: the words of a lane lie 256 bytes apart. */
static void check_interleaved(void)
{
	struct gcn_inst in = inst(GCN_OP_BUFFER_LOAD_DWORD);

	fill_memory();
	set_resource(UINT32_MAX, 1 << 19 | 3 << 21 | 1 << 23);
	h.w->s[RSRC + 1] |= 1u << 31;
	in.field[GCN_VADDR] = ADDR;
	in.field[GCN_VDST] = D;
	in.field[GCN_SRSRC] = RSRC / 4;
	in.field[GCN_SOFFSET] = GCN_ZERO;
	in.field[GCN_OFFEN] = 1;
	in.field[GCN_OFFSET] = 4;
	gcn_set_pair(h.w, GCN_EXEC, ~0ull);
	for (unsigned l = 0; l < WAVE_LANES; l++)
		reg(ADDR)[l] = l % 8 * 4;
	if (!run(&in))
		return;
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		uint32_t v;

		memcpy(&v, want + BASE + (l % 8 + 1) * 256 + 4 * l, 4);
		if (reg(D)[l] != v)
			complain(&in, "scratch", reg(D)[l], v, l);
	}
}

/* ---- scalar loads ------------------------------------------------------ */

static void check_scalar_loads(void)
{
	fill_memory();
	for (unsigned op = GCN_OP_S_LOAD_DWORD;
	     op <= GCN_OP_S_BUFFER_LOAD_DWORDX16; op++) {
		struct gcn_inst in = inst(op);
		unsigned n = 1u << (gcn_rows[op].code & 7);
		bool is_buffer = gcn_rows[op].code & 8;
		uint32_t v[16] = { 0 };

		rows++;
		in.words = 1;
		in.field[GCN_SDST] = 32;
		in.field[GCN_SBASE] = RSRC / 2;
		in.field[GCN_IMM] = op & 1;
		in.field[GCN_OFFSET] = op & 1 ? 7 : SOFF;
		set_resource(40, 0);
		h.w->s[SOFF] = 28;
		memcpy(v, want + BASE + 28,
		       is_buffer && n > 3 ? 12 : 4 * (size_t)n);
		if (!run(&in))
			return;
		for (unsigned i = 0; i < n; i++)
			if (h.w->s[32 + i] != v[i])
				complain(&in, "a word", h.w->s[32 + i], v[i],
					 i);
	}
}

/* ---- images ------------------------------------------------------------ */

enum { SIDE = 16, TEXEL = 4, SAMPLER = 40 };

static void set_image(unsigned data, unsigned number)
{
	uint32_t *s = &h.w->s[RSRC];

	memset(s, 0, 32);
	s[0] = (uint32_t)((h.memory + BASE) >> 8);
	s[1] = (uint32_t)((h.memory + BASE) >> 40) | data << 20 | number << 26;
	s[2] = (SIDE - 1) | (SIDE - 1) << 14;
	s[3] = 0xfac | 9u << 28;
	s[4] = (SIDE - 1) << 13;
}

static struct gcn_inst image(unsigned op, unsigned mask)
{
	struct gcn_inst in = inst(op);

	in.field[GCN_VADDR] = ADDR;
	in.field[GCN_VDST] = D;
	in.field[GCN_SRSRC] = RSRC / 4;
	in.field[GCN_SSAMP] = SAMPLER / 4;
	in.field[GCN_DMASK] = (uint16_t)mask;
	return in;
}

/* Coordinates from -2 to SIDE + 1; a level that is 0. */
static int coordinate(unsigned i, unsigned lane)
{
	return (int)((lane * (i ? 7 : 5)) % (SIDE + 4)) - 2;
}

static bool place_texel(unsigned lane, unsigned *at)
{
	int x = coordinate(0, lane), y = coordinate(1, lane);

	*at = BASE + (unsigned)(y * SIDE + x) * TEXEL;
	return x >= 0 && y >= 0 && x < SIDE && y < SIDE;
}

static void put_coordinates(bool is_float)
{
	for (unsigned l = 0; l < WAVE_LANES; l++)
		for (unsigned i = 0; i < 3; i++) {
			float f = (float)coordinate(i, l) + 0.5f;
			int n = i < 2 ? coordinate(i, l) : 0;

			memcpy(&reg(ADDR + i)[l],
			       is_float ? (void *)&f : (void *)&n, 4);
		}
}

static void check_image_access(unsigned op)
{
	bool stores = strstr(gcn_rows[op].name, "store");
	bool samples = strstr(gcn_rows[op].name, "sample");
	struct gcn_inst in = image(op, 15);

	rows++;
	fill_memory();
	randomise();
	set_image(BYTES4, NUMBER_UNORM);
	/* Not normalised, nearest, transparent border. */
	memset(&h.w->s[SAMPLER], 0, 16);
	h.w->s[SAMPLER] = 6 | 6 << 3 | 6 << 6 | 1 << 15;
	put_coordinates(samples);
	gcn_set_pair(h.w, GCN_EXEC, ~0ull);
	for (unsigned l = 0; stores && l < WAVE_LANES; l++) {
		unsigned at;

		for (unsigned i = 0; place_texel(l, &at) && i < 4; i++)
			pack(want + at, i, false, reg(D + i)[l]);
	}
	if (!run(&in))
		return;
	compare_memory(&in);
	for (unsigned l = 0; !stores && l < WAVE_LANES; l++) {
		unsigned at;
		bool inside = place_texel(l, &at);

		for (unsigned i = 0; i < 4; i++) {
			uint32_t v = inside ? unpack(want + at, i, false) : 0;

			if (reg(D + i)[l] != v)
				complain(&in, "a texel", reg(D + i)[l], v, l);
		}
	}
}

static void check_image_atomic(unsigned op)
{
	struct gcn_inst in = image(op, 1);
	char name[16];
	bool compares;

	rows++;
	snprintf(name, sizeof(name), "%s", gcn_rows[op].name + 13);
	compares = strstr(name, "cmpswap");
	if (compares)
		strcpy(name, name[0] == 'f' ? "fcmpst" : "cmpst");
	in.field[GCN_DMASK] = compares ? 3 : 1;
	fill_memory();
	randomise();
	set_image(4, 4); /* one word, unsigned */
	put_coordinates(false);
	gcn_set_pair(h.w, GCN_EXEC, ~0ull);
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		uint64_t old = 0, v;
		unsigned at;

		if (!place_texel(l, &at))
			continue;
		memcpy(&old, want + at, 4);
		if (compares && l % 2)
			reg(D + 1)[l] = (uint32_t)old;
		v = compares ?
			    after(name, false, old, reg(D + 1)[l], reg(D)[l]) :
			    after(name, false, old, reg(D)[l], 0);
		memcpy(want + at, &v, 4);
	}
	if (run(&in))
		compare_memory(&in);
}

static void check_resinfo(void)
{
	struct gcn_inst in = image(GCN_OP_IMAGE_GET_RESINFO, 15);
	static const uint32_t info[4] = { SIDE, SIDE, 1, 1 };

	rows++;
	set_image(BYTES4, NUMBER_UNORM);
	gcn_set_pair(h.w, GCN_EXEC, ~0ull);
	if (!run(&in))
		return;
	for (unsigned i = 0; i < 4; i++)
		if (reg(D + i)[5] != info[i])
			complain(&in, "a size", reg(D + i)[5], info[i], 5);
}

/* Between two texels in both directions, with normalised coordinates. */
static void check_filter(void)
{
	struct gcn_inst in = image(GCN_OP_IMAGE_SAMPLE_LZ, 1);
	float x = (3 + 0.75f) / SIDE, y = (5 + 1.0f) / SIDE, v;
	const uint8_t *p = want + BASE + (5 * SIDE + 3) * TEXEL;
	float sum;

	fill_memory();
	set_image(BYTES4, NUMBER_UNORM);
	memset(&h.w->s[SAMPLER], 0, 16);
	h.w->s[SAMPLER + 2] = 1 << 20;
	gcn_set_pair(h.w, GCN_EXEC, ~0ull);
	memcpy(&reg(ADDR)[9], &x, 4);
	memcpy(&reg(ADDR + 1)[9], &y, 4);
	sum = ((float)p[0] * 0.75f + (float)p[4] * 0.25f +
	       (float)p[64] * 0.75f + (float)p[68] * 0.25f) /
	      510;
	if (!run(&in))
		return;
	memcpy(&v, &reg(D)[9], 4);
	if (fabsf(v - sum) > 1e-6f)
		complain(&in, "the filtered texel in 1e-9",
			 (uint64_t)(v * 1e9f), (uint64_t)(sum * 1e9f), 9);
}

static void check_images(void)
{
	for (unsigned op = GCN_OP_IMAGE_LOAD; op < GCN_OP_EXP; op++) {
		const char *n = gcn_rows[op].name;

		if (gcn_rows[op].refused)
			continue;
		if (op == GCN_OP_IMAGE_GET_RESINFO)
			check_resinfo();
		else if (strstr(n, "atomic"))
			check_image_atomic(op);
		else
			check_image_access(op);
	}
	check_filter();
}

/* ---- flow -------------------------------------------------------------- */

static void expect(const struct gcn_inst *in, const char *what, uint64_t got,
		   uint64_t value)
{
	if (got != value)
		complain(in, what, got, value, 0);
}

#define SAVE(id, expr)                                                       \
	do {                                                                 \
		uint64_t a = random_bits(), e = random_bits();               \
		struct gcn_inst in = inst(GCN_OP_S_##id##_SAVEEXEC_B64);     \
                                                                             \
		rows++;                                                      \
		in.words = 1;                                                \
		in.field[GCN_SDST] = 50;                                     \
		in.field[GCN_SRC0] = 52;                                     \
		gcn_set_pair(h.w, 52, a);                                    \
		gcn_set_pair(h.w, GCN_EXEC, e);                              \
		if (run(&in)) {                                              \
			expect(&in, "exec", gcn_mask(h.w), expr);            \
			expect(&in, "what was saved", gcn_pair(h.w, 50), e); \
			expect(&in, "scc", h.w->s[GCN_SCC], (expr) != 0);    \
		}                                                            \
	} while (0)

static void check_exec(void)
{
	SAVE(AND, a & e);
	SAVE(OR, a | e);
	SAVE(XOR, a ^ e);
	SAVE(ANDN2, a & ~e);
	SAVE(ORN2, a | ~e);
	SAVE(NAND, ~(a & e));
	SAVE(NOR, ~(a | e));
	SAVE(XNOR, ~(a ^ e));
}

/* One instruction's effect on scalar register 60 or vector register 20. */
static void check_moves(void)
{
	static const struct {
		unsigned op, dst, src, from, to;
	} moves[] = {
		{ GCN_OP_S_MOVRELS_B32, 60, 62, 65, 60 },
		{ GCN_OP_S_MOVRELD_B32, 60, 62, 62, 63 },
		{ GCN_OP_S_MOVRELS_B64, 60, 62, 65, 60 },
		{ GCN_OP_S_MOVRELD_B64, 60, 66, 66, 63 },
	};
	static const struct {
		unsigned op, from, to;
	} lanes[] = {
		{ GCN_OP_V_MOVRELS_B32, 13, 20 },
		{ GCN_OP_V_MOVRELD_B32, 10, 23 },
		{ GCN_OP_V_MOVRELSD_B32, 13, 23 },
	};

	for (unsigned i = 0; i < 4; i++) {
		struct gcn_inst in = inst(moves[i].op);

		rows++;
		in.words = 1;
		in.field[GCN_SDST] = (uint16_t)moves[i].dst;
		in.field[GCN_SRC0] = (uint16_t)moves[i].src;
		for (unsigned r = 50; r < 70; r++)
			h.w->s[r] = r * 1000;
		h.w->s[GCN_M0] = 3;
		if (run(&in))
			expect(&in, "the register", h.w->s[moves[i].to],
			       moves[i].from * 1000);
	}
	for (unsigned i = 0; i < 3; i++) {
		struct gcn_inst in = inst(lanes[i].op);

		rows++;
		in.words = 1;
		in.field[GCN_VDST] = 20;
		in.field[GCN_SRC0] = GCN_VGPR + 10;
		randomise();
		gcn_set_pair(h.w, GCN_EXEC, 1ull << 7);
		if (run(&in))
			expect(&in, "the lane", reg(lanes[i].to)[7],
			       reg(lanes[i].from)[7]);
	}
	h.w->s[GCN_M0] = 1000;
	{
		struct gcn_inst in = inst(GCN_OP_V_MOVRELS_B32);

		in.words = 1;
		in.field[GCN_SRC0] = GCN_VGPR;
		harness_clear(&h);
		if (harness_add(&h, &in) || harness_run(&h, 1))
			complain(&in, "a register that does not exist", 0, 1,
				 0);
	}
}

static void check_lanes(void)
{
	struct gcn_inst in = inst(GCN_OP_V_READLANE_B32);

	rows += 3;
	randomise();
	in.words = 1;
	in.field[GCN_VDST] = 60;
	in.field[GCN_SRC0] = GCN_VGPR + 3;
	in.field[GCN_SRC1] = 61;
	h.w->s[61] = 64 + 17;
	gcn_set_pair(h.w, GCN_EXEC, 0);
	if (run(&in))
		expect(&in, "the lane", h.w->s[60], reg(3)[17]);
	in = inst(GCN_OP_V_WRITELANE_B32);
	in.words = 1;
	in.field[GCN_VDST] = 4;
	in.field[GCN_SRC0] = 60;
	in.field[GCN_SRC1] = 61;
	if (run(&in))
		expect(&in, "the lane", reg(4)[17], h.w->s[60]);
	in = inst(GCN_OP_V_READFIRSTLANE_B32);
	in.words = 1;
	in.field[GCN_VDST] = 60;
	in.field[GCN_SRC0] = GCN_VGPR + 3;
	gcn_set_pair(h.w, GCN_EXEC, 0xff00);
	if (run(&in))
		expect(&in, "the lane", h.w->s[60], reg(3)[8]);
}

/* getpc, setpc, swappc; getreg, setreg. */
static void check_registers(void)
{
	struct gcn_inst in = inst(GCN_OP_S_GETPC_B64);
	const uint16_t mode = 1 | 4 << 6 | 3 << 11; /* bits 4 to 7 */

	rows += 6;
	in.words = 1;
	in.field[GCN_SDST] = 60;
	if (run(&in))
		expect(&in, "the address", gcn_pair(h.w, 60), h.memory + 4);
	in = inst(GCN_OP_S_SWAPPC_B64);
	in.words = 1;
	in.field[GCN_SDST] = 62;
	in.field[GCN_SRC0] = 60;
	gcn_set_pair(h.w, 60, h.memory);
	if (run(&in)) {
		expect(&in, "the address", gcn_pair(h.w, 62), h.memory + 4);
		expect(&in, "the next one", (uint64_t)(h.w->pc - h.ops), 0);
	}
	in = inst(GCN_OP_S_SETPC_B64);
	in.words = 1;
	in.field[GCN_SRC0] = 60;
	if (run(&in))
		expect(&in, "the next one", (uint64_t)(h.w->pc - h.ops), 0);
	gcn_set_pair(h.w, 60, h.memory + 2);
	harness_clear(&h);
	if (harness_add(&h, &in) || harness_run(&h, 1))
		complain(&in, "a jump into an instruction", 0, 1, 0);
	h.w->mode = 0xc5;
	in = inst(GCN_OP_S_GETREG_B32);
	in.words = 1;
	in.field[GCN_SDST] = 60;
	in.field[GCN_SIMM16] = mode;
	if (run(&in))
		expect(&in, "the field", h.w->s[60], 0xc);
	in = inst(GCN_OP_S_SETREG_B32);
	in.words = 1;
	in.field[GCN_SDST] = 60;
	in.field[GCN_SIMM16] = mode;
	h.w->s[60] = 0x13;
	if (run(&in))
		expect(&in, "the mode", h.w->mode, 0x35);
	in = inst(GCN_OP_S_SETREG_IMM32_B32);
	in.field[GCN_SIMM16] = mode;
	in.literal = 0xa;
	if (run(&in))
		expect(&in, "the mode", h.w->mode, 0xa5);
}

/* Divisions of single and double precision, as compilers write them: the
 * quotient is right to the last bit. */
static void add(unsigned op, unsigned format, unsigned d, unsigned a,
		unsigned b, unsigned c, unsigned negated)
{
	struct gcn_inst in = inst(op);
	const char *why;

	in.format = (uint8_t)format;
	in.words = format == GCN_VOP1 ? 1 : 2;
	in.field[GCN_VDST] = (uint16_t)d;
	in.field[GCN_SDST] = GCN_VCC;
	in.field[GCN_SRC0] = (uint16_t)a;
	in.field[GCN_SRC1] = (uint16_t)b;
	in.field[GCN_SRC2] = (uint16_t)c;
	in.field[GCN_NEG] = (uint16_t)negated;
	why = harness_add(&h, &in);
	if (why)
		complain(&in, why, 0, 0, 0);
}

enum { V = GCN_VGPR, NUM = 0, DEN = 2, SN = 4, SD = 6, R = 8, E = 10, Q = 12 };

static void add_division(bool w)
{
	const unsigned one = GCN_HALF + 2;
	unsigned fma_op = w ? GCN_OP_V_FMA_F64 : GCN_OP_V_FMA_F32;
	unsigned scale = w ? GCN_OP_V_DIV_SCALE_F64 : GCN_OP_V_DIV_SCALE_F32;

	harness_clear(&h);
	add(scale, GCN_VOP3B, SD, V + DEN, V + DEN, V + NUM, 0);
	add(w ? GCN_OP_V_RCP_F64 : GCN_OP_V_RCP_F32, GCN_VOP1, R, V + SD, 0, 0,
	    0);
	for (unsigned i = 0; i < 2; i++) {
		add(fma_op, GCN_VOP3, E, V + SD, V + R, one, 1);
		add(fma_op, GCN_VOP3, R, V + E, V + R, V + R, 0);
	}
	add(scale, GCN_VOP3B, SN, V + NUM, V + DEN, V + NUM, 0);
	add(w ? GCN_OP_V_MUL_F64 : GCN_OP_V_MUL_F32, GCN_VOP3, Q, V + SN, V + R,
	    0, 0);
	add(fma_op, GCN_VOP3, E, V + SD, V + Q, V + SN, 1);
	if (!w) {
		add(fma_op, GCN_VOP3, Q, V + E, V + R, V + Q, 0);
		add(fma_op, GCN_VOP3, E, V + SD, V + Q, V + SN, 1);
	}
	add(w ? GCN_OP_V_DIV_FMAS_F64 : GCN_OP_V_DIV_FMAS_F32, GCN_VOP3, Q,
	    V + E, V + R, V + Q, 0);
	add(w ? GCN_OP_V_DIV_FIXUP_F64 : GCN_OP_V_DIV_FIXUP_F32, GCN_VOP3, Q,
	    V + Q, V + DEN, V + NUM, 0);
}

static uint64_t any_float(bool w)
{
	static const double some[] = { 0,        1,       3,         0x1p-126,
				       0x1p-149, 0x1p127, 0x1.8p100, 0x1p-1022,
				       0x1p1023, INFINITY };
	double d = random_bits() % 4 ?
			   ldexp((double)(random_bits() & 0xffffff) + 0x1000000,
				 (int)(random_bits() % (w ? 2040 : 250)) -
					 (w ? 1045 : 150)) :
			   some[random_bits() % 10];
	float f = (float)d;
	uint64_t u = 0;

	memcpy(&u, w ? (void *)&d : (void *)&f, w ? 8 : 4);
	return u;
}

/* The last place of subnormal quotients is rounded twice. */
static bool is_near(uint64_t got, uint64_t value, bool w)
{
	double q = real(value, w);

	if (got == value || (isnan(q) && isnan(real(got, w))))
		return true;
	return fabs(q) < (w ? 0x1p-1021 : 0x1p-125) &&
	       llabs((long long)(got - value)) <= 1;
}

static void check_division(bool w)
{
	struct gcn_inst in =
		inst(w ? GCN_OP_V_DIV_FMAS_F64 : GCN_OP_V_DIV_FMAS_F32);

	rows += 2;
	add_division(w);
	for (unsigned round = 0; round < 200; round++) {
		uint64_t n[WAVE_LANES], d[WAVE_LANES];

		h.w->mode = 0xf0;
		gcn_set_pair(h.w, GCN_EXEC, ~0ull);
		for (unsigned l = 0; l < WAVE_LANES; l++) {
			n[l] = any_float(w);
			d[l] = any_float(w);
			reg(NUM)[l] = (uint32_t)n[l];
			reg(NUM + 1)[l] = (uint32_t)(n[l] >> 32);
			reg(DEN)[l] = (uint32_t)d[l];
			reg(DEN + 1)[l] = (uint32_t)(d[l] >> 32);
		}
		if (!harness_run(&h, 32)) {
			complain(&in, "a fault", 0, 0, 0);
			return;
		}
		for (unsigned l = 0; l < WAVE_LANES; l++) {
			double q = real(n[l], w) / real(d[l], w);
			float f = (float)q;
			uint64_t value = 0, got = w ? wide(Q, l) : reg(Q)[l];

			memcpy(&value, w ? (void *)&q : (void *)&f, w ? 8 : 4);
			if (!is_near(got, value, w))
				complain(&in, "the quotient", got, value, l);
		}
	}
}

/* Segments of 2/pi: their sum is the number. */
static void check_segments(void)
{
	struct gcn_inst in = inst(GCN_OP_V_TRIG_PREOP_F64);
	double sum = 0, one = 1;
	uint64_t u;

	rows++;
	in.format = GCN_VOP3;
	in.field[GCN_VDST] = D;
	in.field[GCN_SRC0] = GCN_VGPR;
	in.field[GCN_SRC1] = GCN_VGPR + 2;
	memcpy(&u, &one, 8);
	gcn_set_pair(h.w, GCN_EXEC, ~0ull);
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		reg(0)[l] = (uint32_t)u;
		reg(1)[l] = (uint32_t)(u >> 32);
		reg(2)[l] = l;
	}
	if (!run(&in))
		return;
	sum = real(wide(D, 0), true) + real(wide(D, 1), true);
	if (sum != 0.6366197723675814)
		complain(&in, "2/pi in 1e-18", (uint64_t)(sum * 1e18),
			 636619772367581400, 0);
	if (!(real(wide(D, 1), true) < 0x1p-53) || wide(D, 31))
		complain(&in, "a later segment", wide(D, 1), 0, 1);
}

int main(void)
{
	harness_open(&h);
	check_all_ds();
	check_buffers();
	check_interleaved();
	check_scalar_loads();
	check_images();
	check_exec();
	check_moves();
	check_lanes();
	check_registers();
	check_division(false);
	check_division(true);
	check_segments();
	harness_close(&h);
	printf("%u rows, %u failures\n", rows, failures);
	return failures || rows < 240;
}
