#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opgen.h"

/* Not linked with the core: the recorder builds without it. */
static const struct {
	const char *text;
	uint8_t bytes;
} types[PTX_TYPE_COUNT] = {
#define TYPE(id, text, bytes, kind) [PTX_##id] = { text, bytes },
#include "isa/ptx/type.def"
};

/*
 * What the table of instructions does not say: which sources need particular
 * values, what surrounds the instruction, how many cases it gets. The first
 * line whose words the opcode starts with applies.
 */
static const struct family {
	const char *words;
	int cases; /* 0: by the number of sources */
	enum op_role role[4];
	bool carry_in, borrow, members;
} families[] = {
	{ .words = "shl", .role = { OP_VALUE, OP_SHIFT } },
	{ .words = "shr", .role = { OP_VALUE, OP_SHIFT } },
	{ .words = "shf", .role = { OP_VALUE, OP_VALUE, OP_SHIFT } },
	{ .words = "szext", .role = { OP_VALUE, OP_SHIFT } },
	{ .words = "bmsk", .role = { OP_SHIFT, OP_SHIFT } },
	{ .words = "bfe", .role = { OP_VALUE, OP_FIELD, OP_FIELD } },
	{ .words = "bfi", .role = { OP_VALUE, OP_VALUE, OP_FIELD, OP_FIELD } },
	{ .words = "prmt", .role = { OP_VALUE, OP_VALUE, OP_PERM } },
	{ .words = "fns", .role = { OP_VALUE, OP_BASE, OP_NTH } },
	{ .words = "lop3",
	  .cases = 128,
	  .role = { OP_VALUE, OP_VALUE, OP_VALUE, OP_LUT } },
	{ .words = "addc", .carry_in = true },
	{ .words = "madc", .carry_in = true },
	{ .words = "subc", .carry_in = true, .borrow = true },
	{ .words = "sub.cc", .borrow = true },
	{ .words = "cvt.rn.f16x2.e4m3x2", .role = { OP_FP8 } },
	{ .words = "cvt.rn.f16x2.e5m2x2", .role = { OP_FP8 } },
	{ .words = "cvt.rn.relu.f16x2.e4m3x2", .role = { OP_FP8 } },
	{ .words = "cvt.rn.relu.f16x2.e5m2x2", .role = { OP_FP8 } },
	{ .words = "rcp.approx", .cases = 2048 },
	{ .words = "sqrt.approx", .cases = 2048 },
	{ .words = "rsqrt.approx", .cases = 2048 },
	{ .words = "sin.approx", .cases = 2048 },
	{ .words = "cos.approx", .cases = 2048 },
	{ .words = "lg2.approx", .cases = 2048 },
	{ .words = "ex2.approx", .cases = 2048 },
	{ .words = "tanh.approx", .cases = 2048 },
	{ .words = "div.approx", .cases = 2048 },
	{ .words = "div.full", .cases = 2048 },
	{ .words = "shfl.sync.up",
	  .cases = 4096,
	  .members = true,
	  .role = { OP_VALUE, OP_LANE, OP_CLAMP_UP, OP_MEMBERS } },
	{ .words = "shfl.sync",
	  .cases = 4096,
	  .members = true,
	  .role = { OP_VALUE, OP_LANE, OP_CLAMP, OP_MEMBERS } },
	{ .words = "shfl.up",
	  .cases = 2048,
	  .role = { OP_VALUE, OP_LANE, OP_CLAMP_UP } },
	{ .words = "shfl",
	  .cases = 2048,
	  .role = { OP_VALUE, OP_LANE, OP_CLAMP } },
	{ .words = "vote.sync",
	  .cases = 2048,
	  .members = true,
	  .role = { OP_FEW, OP_MEMBERS } },
	{ .words = "vote", .cases = 2048, .role = { OP_FEW } },
	{ .words = "match",
	  .cases = 2048,
	  .members = true,
	  .role = { OP_FEW, OP_MEMBERS } },
	{ .words = "redux",
	  .cases = 2048,
	  .members = true,
	  .role = { OP_VALUE, OP_MEMBERS } },
	{ .words = "elect",
	  .cases = 1024,
	  .members = true,
	  .role = { OP_MEMBERS } },
	{ .words = "activemask", .cases = 1024, .members = true },
	{ .words = "movmatrix", .cases = 256 },
	{ .words = "vshl",
	  .cases = 128,
	  .role = { OP_PIECES, OP_SHIFT, OP_PIECES } },
	{ .words = "vshr",
	  .cases = 128,
	  .role = { OP_PIECES, OP_SHIFT, OP_PIECES } },
};

/* The truth tables that are tried: each input alone, common ones, asymmetric
 * ones. */
static const uint8_t luts[] = { 0x00, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20,
				0x40, 0x80, 0xff, 0xfe, 0xf0, 0xcc, 0xaa,
				0x96, 0xe8, 0xca, 0xd8, 0x1b, 0x3c };

static const struct family *family_of(const char *opcode)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		size_t n = strlen(families[i].words);

		if (!strncmp(opcode, families[i].words, n) &&
		    (opcode[n] == '.' || !opcode[n]))
			return &families[i];
	}
	return NULL;
}

static bool has_word(const char *opcode, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = strchr(opcode, '.'); s; s = strchr(s + 1, '.'))
		if (!strncmp(s + 1, word, n) && (s[n + 1] == '.' || !s[n + 1]))
			return true;
	return false;
}

static int type_named(const char *s, size_t n)
{
	for (int t = 0; t < PTX_TYPE_COUNT; t++)
		if (strlen(types[t].text) == n && !memcmp(types[t].text, s, n))
			return t;
	return -1;
}

static bool kind_named(struct op_operand *o, const char *s, size_t n)
{
	static const struct {
		const char *text;
		enum op_operand_kind kind;
	} kinds[] = {
		{ "d", OP_DEST }, { "dp", OP_DEST_PRED },
		{ "p", OP_PRED }, { "pp", OP_PRED_PAIR },
		{ "a", OP_SRC },  { "q", OP_SRC_PRED },
		{ "y", OP_DEST }, { "z", OP_SRC },
		{ "i", OP_IMM },  { "m", OP_MEM },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].text) == n &&
		    !memcmp(kinds[i].text, s, n)) {
			o->kind = kinds[i].kind;
			return true;
		}
	return false;
}

/* One operand: KIND, KIND:TYPE, KIND COUNT:TYPE or KIND:TYPE/PART. */
static bool parse_operand(struct op_operand *o, const char *s, size_t n)
{
	const char *colon = memchr(s, ':', n), *slash = memchr(s, '/', n);
	size_t head = colon ? (size_t)(colon - s) : n;
	int type = PTX_PRED;

	if (slash) {
		size_t size = n - (size_t)(slash + 1 - s);

		if (size >= sizeof(o->part))
			return false;
		memcpy(o->part, slash + 1, size);
		n -= size + 1;
	}

	o->count = 1;
	if (head && s[head - 1] >= '0' && s[head - 1] <= '9') {
		o->count = s[--head] - '0';
		o->braces = true;
	}
	if (colon)
		type = type_named(colon + 1, n - (size_t)(colon + 1 - s));
	if (type < 0 || !kind_named(o, s, head))
		return false;
	if (!colon && (o->kind == OP_DEST || o->kind == OP_SRC))
		return false;
	o->type = (enum ptx_type)type;
	return true;
}

static void add_input(struct op_form *f, enum ptx_type type, enum op_role role,
		      int count)
{
	int n = type == PTX_B128 ? 2 * count : count;

	for (int i = 0; i < n && f->inputs < OP_SLOTS; i++) {
		f->input[f->inputs] = type == PTX_B128 ? PTX_B64 : type;
		f->input_role[f->inputs++] = role;
	}
}

static int stored_bytes(enum ptx_type type)
{
	/* An 8-bit result is checked in the wider register that it extends to.
	 */
	return type == PTX_PRED       ? 1 :
	       types[type].bytes == 1 ? 4 :
					types[type].bytes;
}

static void add_output(struct op_form *f, enum ptx_type type, int count)
{
	int n = type == PTX_B128 ? 2 * count : count;

	for (int i = 0; i < n && f->outputs < OP_SLOTS; i++) {
		struct op_output *o = &f->output[f->outputs++];

		o->type = type == PTX_B128 ? PTX_B64 : type;
		o->bytes = (uint8_t)stored_bytes(o->type);
	}
}

static void shape_inputs(struct op_form *f)
{
	if (f->carry_in)
		add_input(f, PTX_PRED, OP_VALUE, 1);
	for (int i = 0; i < f->operands; i++) {
		const struct op_operand *o = &f->operand[i];

		if (o->role == OP_MEMBERS)
			f->members_slot = f->inputs;
		if (o->kind == OP_SRC || o->kind == OP_MEM)
			add_input(f, o->type, o->role, o->count);
		else if (o->kind == OP_SRC_PRED)
			add_input(f, PTX_PRED, o->role, 1);
	}
}

static void shape_outputs(struct op_form *f)
{
	for (int i = 0; i < f->operands; i++) {
		const struct op_operand *o = &f->operand[i];

		if (o->kind == OP_DEST || o->kind == OP_DEST_PRED ||
		    o->kind == OP_MEM)
			add_output(f, o->type, o->count);
		if (o->kind == OP_DEST_PRED || o->kind == OP_PRED ||
		    o->kind == OP_PRED_PAIR)
			add_output(f, PTX_PRED, 1);
		if (o->kind == OP_PRED_PAIR)
			add_output(f, PTX_PRED, 1);
	}
	if (f->carry_out)
		add_output(f, PTX_PRED, 1);
	int once = f->outputs;
	for (int i = 1; i < f->immediates; i++)
		for (int j = 0; j < once; j++)
			add_output(f, f->output[j].type, 1);
}

static void shape(struct op_form *f)
{
	const struct family *k = family_of(f->opcode);
	int sources = 0;

	f->immediates = 1;
	f->carry_out = has_word(f->opcode, "cc");
	for (int i = 0; i < f->operands; i++) {
		struct op_operand *o = &f->operand[i];

		if (o->kind != OP_SRC && o->kind != OP_SRC_PRED &&
		    o->kind != OP_IMM && o->kind != OP_MEM)
			continue;
		if (k && sources < 4 && o->kind != OP_MEM)
			o->role = k->role[sources];
		else if (f->video)
			o->role = OP_PIECES;
		if (o->role == OP_LUT) {
			o->kind = OP_IMM;
			f->immediates = (int)sizeof(luts);
		}
		sources += o->count;
	}
	f->carry_in = k && k->carry_in;
	f->borrow = k && k->borrow;
	f->members = k && k->members;
	f->members_slot = -1;
	f->cases = k && k->cases ? k->cases :
		   f->video      ? 128 :
		   sources > 2   ? 1024 :
				   512;
	shape_inputs(f);
	/* activemask names no mask, but some lanes must be elsewhere. */
	if (f->members && f->members_slot < 0) {
		f->members_slot = f->inputs;
		add_input(f, PTX_B32, OP_MEMBERS, 1);
	}
	shape_outputs(f);
}

bool op_parse(struct op_form *f, const char *line)
{
	size_t n = strcspn(line, "\n");
	size_t word = strcspn(line, " \n");

	memset(f, 0, sizeof(*f));
	if (n >= sizeof(f->line) || word == n)
		return false;
	memcpy(f->line, line, n);
	memcpy(f->opcode, line, word);
	const char *s = f->line + word + 1;
	size_t end = strcspn(s, " ");

	if (s[end])
		f->legacy = !strcmp(s + end, " legacy");
	if (s[end] && !f->legacy)
		return false;
	for (const char *stop = s + end; s < stop;) {
		size_t size = strcspn(s, ", ");

		if (f->operands == OP_OPERANDS ||
		    !parse_operand(&f->operand[f->operands], s, size))
			return false;
		f->video |= *s == 'y';
		f->operands++;
		s += size + 1;
	}
	shape(f);
	return true;
}

int op_case_bytes(const struct op_form *f)
{
	int sum = 0;

	for (int i = 0; i < f->outputs; i++)
		sum += f->output[i].bytes;
	return sum;
}

uint64_t op_hash(const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < size; i++)
		h = (h ^ p[i]) * 1099511628211u;
	return h;
}

/* ---- the kernel ---------------------------------------------------------- */

void op_print(struct op_text *t, const char *fmt, ...)
{
	for (;;) {
		size_t left = t->room - t->size;
		va_list ap;

		va_start(ap, fmt);
		int n = vsnprintf(t->s ? t->s + t->size : NULL, left, fmt, ap);
		va_end(ap);
		if (t->failed || n < 0)
			return;
		if ((size_t)n < left) {
			t->size += (size_t)n;
			return;
		}
		size_t room = 2 * t->room + (size_t)n + 4096;
		char *s = realloc(t->s, room);

		if (!s) {
			t->failed = true;
			return;
		}
		t->s = s;
		t->room = room;
	}
}

void op_ptx_header(struct op_text *t, bool legacy)
{
	/* Warp operations without .sync ended with PTX 6.4 and sm_70. */
	op_print(t, ".version %s\n.target %s\n.address_size 64\n",
		 legacy ? "6.0" : "9.0", legacy ? "sm_60" : "sm_90");
}

/* Registers are named by operand, element and width: %r3_0. */
static char width_letter(enum ptx_type type)
{
	if (type == PTX_PRED)
		return 'p';
	switch (types[type].bytes) {
	case 2:
		return 'h';
	case 8:
		return 'd';
	case 16:
		return 'x';
	default:
		return 'r';
	}
}

static int register_bits(enum ptx_type type)
{
	switch (width_letter(type)) {
	case 'h':
		return 16;
	case 'd':
		return 64;
	case 'x':
		return 128;
	default:
		return 32;
	}
}

static void declare(struct op_text *t, const struct op_form *f)
{
	op_print(t, "\t.reg .pred %%p<%d>, %%at, %%t;\n", 2 * f->operands + 2);
	op_print(t, "\t.reg .b32 %%i, %%n, %%lane, %%w, %%k, %%s;\n");
	op_print(t, "\t.reg .b64 %%in, %%out, %%mem, %%o, %%lo, %%hi, %%kd;\n");
	for (int i = 0; i < f->operands; i++) {
		const struct op_operand *o = &f->operand[i];

		if (o->type == PTX_PRED)
			continue;
		for (int j = 0; j < o->count; j++)
			op_print(t, "\t.reg .b%d %%%c%d_%d;\n",
				 register_bits(o->type), width_letter(o->type),
				 i, j);
	}
}

/* %i is the case, %in and %out its first slots, %mem and %s its memory. */
static void addresses(struct op_text *t, const struct op_form *f, int number,
		      bool shared)
{
	op_print(t, "\tmov.u32 %%i, %%ctaid.x;\n\tmov.u32 %%n, %%tid.x;\n");
	op_print(t, "\tmad.lo.u32 %%i, %%i, %d, %%n;\n", OP_BLOCK);
	op_print(t, "\tmul.wide.u32 %%o, %%i, 8;\n");
	op_print(t, "\tld.param.u64 %%in, [k%d_in];\n", number);
	op_print(t, "\tadd.u64 %%in, %%in, %%o;\n");
	op_print(t, "\tld.param.u64 %%out, [k%d_out];\n", number);
	op_print(t, "\tadd.u64 %%out, %%out, %%o;\n");
	for (int i = 0; i < f->operands; i++) {
		if (f->operand[i].kind != OP_MEM)
			continue;
		if (shared) {
			op_print(t, "\tmov.u32 %%s, k%d_shared;\n", number);
			op_print(t, "\tmad.lo.u32 %%s, %%n, %d, %%s;\n",
				 OP_MEM_BYTES);
			continue;
		}
		op_print(t, "\tmul.wide.u32 %%o, %%i, %d;\n", OP_MEM_BYTES);
		op_print(t, "\tld.param.u64 %%mem, [k%d_mem];\n", number);
		op_print(t, "\tadd.u64 %%mem, %%mem, %%o;\n");
	}
}

static void load(struct op_text *t, const struct op_form *f, int slot,
		 enum ptx_type type, const char *reg)
{
	long at = 8L * slot * f->cases;

	if (type == PTX_PRED) {
		op_print(t, "\tld.global.b32 %%w, [%%in+%ld];\n", at);
		op_print(t, "\tand.b32 %%w, %%w, 1;\n");
		op_print(t, "\tsetp.ne.u32 %s, %%w, 0;\n", reg);
	} else if (type == PTX_B128) {
		op_print(t, "\tld.global.b64 %%lo, [%%in+%ld];\n", at);
		op_print(t, "\tld.global.b64 %%hi, [%%in+%ld];\n",
			 at + 8L * f->cases);
		op_print(t, "\tmov.b128 %s, {%%lo, %%hi};\n", reg);
	} else {
		op_print(t, "\tld.global.b%d %s, [%%in+%ld];\n",
			 register_bits(type), reg, at);
	}
}

static void store(struct op_text *t, const struct op_form *f, int slot,
		  enum ptx_type type, const char *reg)
{
	long at = 8L * slot * f->cases;

	if (type == PTX_PRED) {
		op_print(t, "\tselp.u32 %%w, 1, 0, %s;\n", reg);
		op_print(t, "\tst.global.b32 [%%out+%ld], %%w;\n", at);
	} else if (type == PTX_B128) {
		op_print(t, "\tmov.b128 {%%lo, %%hi}, %s;\n", reg);
		op_print(t, "\tst.global.b64 [%%out+%ld], %%lo;\n", at);
		op_print(t, "\tst.global.b64 [%%out+%ld], %%hi;\n",
			 at + 8L * f->cases);
	} else {
		op_print(t, "\tst.global.b%d [%%out+%ld], %s;\n",
			 register_bits(type), at, reg);
	}
}

static const char *name_of(char *buffer, size_t room,
			   const struct op_operand *o, int i, int j)
{
	if (o->type == PTX_PRED)
		snprintf(buffer, room, "%%p%d", 2 * i + j);
	else
		snprintf(buffer, room, "%%%c%d_%d", width_letter(o->type), i,
			 j);
	return buffer;
}

static void memory_address(char *buffer, size_t room,
			   const struct op_operand *o, bool shared, int j)
{
	snprintf(buffer, room, "[%%%s+%d]", shared ? "s" : "mem",
		 j * types[o->type].bytes);
}

/* Loads the sources into registers, and initialises memory. */
static void load_inputs(struct op_text *t, const struct op_form *f, bool shared)
{
	int slot = f->carry_in;

	for (int i = 0; i < f->operands; i++) {
		const struct op_operand *o = &f->operand[i];
		char reg[32], at[32];

		if (o->kind != OP_SRC && o->kind != OP_SRC_PRED &&
		    o->kind != OP_MEM)
			continue;
		for (int j = 0; j < o->count; j++) {
			name_of(reg, sizeof(reg), o, i, j);
			load(t, f, slot, o->type, reg);
			slot += o->type == PTX_B128 ? 2 : 1;
			if (o->kind != OP_MEM)
				continue;
			memory_address(at, sizeof(at), o, shared, j);
			op_print(t, "\tst.%s.b%d %s, %s;\n",
				 shared ? "shared" : "global",
				 register_bits(o->type), at, reg);
		}
	}
}

static void operand_text(struct op_text *t, const struct op_form *f, int i,
			 bool shared, int lut)
{
	const struct op_operand *o = &f->operand[i];
	char reg[32];

	switch (o->kind) {
	case OP_IMM:
		op_print(t, "%d", lut);
		return;
	case OP_MEM:
		memory_address(reg, sizeof(reg), o, shared, 0);
		op_print(t, "%s", reg);
		return;
	case OP_DEST_PRED:
		op_print(t, "%s|%%p%d", name_of(reg, sizeof(reg), o, i, 0),
			 2 * i + 1);
		return;
	case OP_PRED_PAIR:
		op_print(t, "%%p%d|%%p%d", 2 * i, 2 * i + 1);
		return;
	default:
		break;
	}
	if (f->video) {
		bool minus = o->part[0] == '-';

		name_of(reg, sizeof(reg), o, i, 0);
		op_print(t, "%s%s%s%s", minus ? "-" : "", reg,
			 o->part[minus] ? "." : "", o->part + minus);
		return;
	}
	op_print(t, "%s", o->braces ? "{" : "");
	for (int j = 0; j < o->count; j++)
		op_print(t, "%s%s", j ? ", " : "",
			 name_of(reg, sizeof(reg), o, i, j));
	op_print(t, "%s", o->braces ? "}" : "");
}

/* Sets the carry flag to 0 or 1 by an instruction of the same width and kind.
 */
static void set_carry(struct op_text *t, const struct op_form *f)
{
	enum ptx_type type = f->operand[0].type;
	bool wide = types[type].bytes == 8;

	op_print(t, "\tld.global.b%d %%k%s, [%%in];\n", wide ? 64 : 32,
		 wide ? "d" : "");
	op_print(t, "\tand.b%d %%k%s, %%k%s, 1;\n", wide ? 64 : 32,
		 wide ? "d" : "", wide ? "d" : "");
	if (f->borrow)
		op_print(t, "\tsub.cc.%s %%k%s, 0, %%k%s;\n", types[type].text,
			 wide ? "d" : "", wide ? "d" : "");
	else
		op_print(t, "\tadd.cc.%s %%k%s, %%k%s, -1;\n", types[type].text,
			 wide ? "d" : "", wide ? "d" : "");
}

static void instruction(struct op_text *t, const struct op_form *f, bool shared,
			int lut)
{
	if (f->carry_in)
		set_carry(t, f);
	op_print(t, "\t%s", f->opcode);
	for (int i = 0; i < f->operands; i++) {
		op_print(t, "%s", i ? ", " : " ");
		operand_text(t, f, i, shared, lut);
	}
	op_print(t, ";\n");
	if (f->carry_out)
		op_print(t, "\t%s.u32 %%k, 0, 0;\n",
			 f->borrow ? "subc" : "addc");
}

static int store_outputs(struct op_text *t, const struct op_form *f,
			 bool shared, int slot)
{
	for (int i = 0; i < f->operands; i++) {
		const struct op_operand *o = &f->operand[i];
		bool both = o->kind == OP_PRED_PAIR;
		char reg[32], at[32];

		if (o->kind == OP_SRC || o->kind == OP_SRC_PRED ||
		    o->kind == OP_IMM)
			continue;
		for (int j = 0; j < o->count + both; j++) {
			name_of(reg, sizeof(reg), o, i, j);
			if (o->kind == OP_MEM) {
				memory_address(at, sizeof(at), o, shared, j);
				op_print(t, "\tld.volatile.%s.b%d %s, %s;\n",
					 shared ? "shared" : "global",
					 register_bits(o->type), reg, at);
			}
			store(t, f, slot, o->type, reg);
			slot += o->type == PTX_B128 ? 2 : 1;
		}
		if (o->kind == OP_DEST_PRED) {
			snprintf(reg, sizeof(reg), "%%p%d", 2 * i + 1);
			store(t, f, slot++, PTX_PRED, reg);
		}
	}
	if (f->carry_out) {
		op_print(t, "\tsetp.ne.u32 %%t, %%k, 0;\n");
		store(t, f, slot++, PTX_PRED, "%t");
	}
	return slot;
}

/* Lanes that are not members branch around the instruction. */
static void guard(struct op_text *t, const struct op_form *f)
{
	op_print(t, "\tld.global.b32 %%w, [%%in+%ld];\n",
		 8L * f->members_slot * f->cases);
	op_print(t, "\tmov.u32 %%lane, %%laneid;\n");
	op_print(t, "\tshr.u32 %%w, %%w, %%lane;\n");
	op_print(t, "\tand.b32 %%w, %%w, 1;\n");
	op_print(t, "\tsetp.eq.u32 %%at, %%w, 0;\n");
	op_print(t, "\t@%%at bra DONE;\n");
}

void op_ptx_kernel(struct op_text *t, const struct op_form *f, int number)
{
	bool shared = has_word(f->opcode, "shared");
	int slot = 0;

	op_print(t, "// %s\n.visible .entry k%d(.param .u64 k%d_in,\n", f->line,
		 number, number);
	op_print(t, "\t.param .u64 k%d_out, .param .u64 k%d_mem)\n{\n", number,
		 number);
	declare(t, f);
	if (shared)
		op_print(t, "\t.shared .align 32 .b8 k%d_shared[%d];\n", number,
			 OP_BLOCK * OP_MEM_BYTES);
	addresses(t, f, number, shared);
	load_inputs(t, f, shared);
	if (f->members)
		guard(t, f);
	for (int i = 0; i < f->immediates; i++) {
		instruction(t, f, shared, luts[i]);
		slot = store_outputs(t, f, shared, slot);
	}
	if (f->members)
		op_print(t, "DONE:\n");
	op_print(t, "\tret;\n}\n");
}
