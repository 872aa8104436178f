#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/gcn/inst.h"

/* Text that is being written. */
struct gcn_text {
	char *text;
	size_t size, used;
	const char *gap; /* before the next operand */
};

__attribute__((format(printf, 2, 3))) static void gcn_put(struct gcn_text *o,
							  const char *form, ...)
{
	va_list args;
	int n;

	va_start(args, form);
	n = vsnprintf(o->text + o->used, o->size - o->used, form, args);
	va_end(args);
	if (n > 0)
		o->used += (size_t)n;
	if (o->used >= o->size)
		o->used = o->size - 1;
}

static void gcn_put_gap(struct gcn_text *o)
{
	gcn_put(o, "%s", o->gap);
	o->gap = ", ";
}

/* ---- registers and constants ------------------------------------------- */

/* `count` registers of a file from `first` on. */
static void put_range(struct gcn_text *o, const char *file, unsigned first,
		      unsigned count)
{
	if (count == 1)
		gcn_put(o, "%s%u", file, first);
	else
		gcn_put(o, "%s[%u:%u]", file, first, first + count - 1);
}

/* Registers with a name of their own. */
static bool put_named(struct gcn_text *o, unsigned code, unsigned count)
{
	static const struct {
		uint8_t code;
		const char *name;
	} pairs[] = { { GCN_VCC, "vcc" },
		      { GCN_TBA, "tba" },
		      { GCN_TMA, "tma" },
		      { GCN_EXEC, "exec" } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if ((code & ~1u) == pairs[i].code) {
			gcn_put(o, "%s%s", pairs[i].name,
				count == 2 ? "" :
				code & 1   ? "_hi" :
					     "_lo");
			return true;
		}
	if (code == GCN_M0)
		gcn_put(o, "m0");
	return code == GCN_M0;
}

static const char *const float_text[] = { "0.5", "-0.5", "1.0", "-1.0",
					  "2.0", "-2.0", "4.0", "-4.0" };

/* A scalar operand, `count` words of it. */
static void put_scalar(struct gcn_text *o, const struct gcn_inst *in,
		       unsigned code, unsigned count)
{
	if (code < GCN_VCC - 2)
		put_range(o, "s", code, count);
	else if (put_named(o, code, count))
		return;
	else if (code >= GCN_TTMP && code < GCN_TTMP + 12)
		put_range(o, "ttmp", code - GCN_TTMP, count);
	else if (code >= GCN_ZERO && code <= GCN_MINUS)
		gcn_put(o, "%u", code - GCN_ZERO);
	else if (code > GCN_MINUS && code <= GCN_MINUS + 16)
		gcn_put(o, "-%u", code - GCN_MINUS);
	else if (code >= GCN_HALF && code < GCN_HALF + 8)
		gcn_put(o, "%s", float_text[code - GCN_HALF]);
	else if (code == GCN_LITERAL)
		gcn_put(o, "0x%x", in->literal);
	else if (code == GCN_VCCZ)
		gcn_put(o, "src_vccz");
	else if (code == GCN_EXECZ)
		gcn_put(o, "src_execz");
	else if (code == GCN_SCC)
		gcn_put(o, "src_scc");
	else
		gcn_put(o, "reserved_%u", code);
}

static void put_source(struct gcn_text *o, const struct gcn_inst *in,
		       unsigned code, unsigned count)
{
	if (code >= GCN_VGPR)
		put_range(o, "v", code - GCN_VGPR, count);
	else
		put_scalar(o, in, code, count);
}

/* A number as a constant operand would be written. */
static void gcn_put_number(struct gcn_text *o, uint32_t v)
{
	static const uint32_t floats[] = { 0x3f000000, 0xbf000000, 0x3f800000,
					   0xbf800000, 0x40000000, 0xc0000000,
					   0x40800000, 0xc0800000 };

	for (unsigned i = 0; i < 8; i++)
		if (v == floats[i]) {
			gcn_put(o, "%s", float_text[i]);
			return;
		}
	if (v <= 64 || v >= UINT32_MAX - 15)
		gcn_put(o, "%d", (int32_t)v);
	else
		gcn_put(o, "0x%x", v);
}

/* ---- vector operands --------------------------------------------------- */

static bool is_print_long(const struct gcn_inst *in)
{
	return in->format == GCN_VOP3 || in->format == GCN_VOP3B;
}

/* Source number n, with what is done to it before. */
static void put_vector_source(struct gcn_text *o, const struct gcn_inst *in,
			      unsigned n, unsigned count, char how)
{
	unsigned code = in->field[GCN_SRC0 + n];
	bool neg = how && in->field[GCN_NEG] >> n & 1;
	bool abs = how == 'f' && in->field[GCN_ABS] >> n & 1;

	if (n == 1 && !is_print_long(in))
		code += GCN_VGPR;
	/* "-1.0" would be another constant. */
	if (neg && !abs && code >= GCN_ZERO && code < GCN_VGPR) {
		gcn_put(o, "neg(");
		put_source(o, in, code, count);
		gcn_put(o, ")");
		return;
	}
	gcn_put(o, "%s%s", neg ? "-" : "", abs ? "|" : "");
	put_source(o, in, code, count);
	gcn_put(o, "%s", abs ? "|" : "");
}

/* vcc, or the pair of this field in a long format. */
static void gcn_put_pair(struct gcn_text *o, const struct gcn_inst *in,
			 enum gcn_field field)
{
	put_scalar(o, in, is_print_long(in) ? in->field[field] : GCN_VCC, 2);
}

/* ---- what is in 16 bits ------------------------------------------------ */

static void put_counters(struct gcn_text *o, unsigned v)
{
	unsigned vm = v & 15, exp = v >> 4 & 7, lgkm = v >> 8 & 15;
	bool all = vm == 15 && exp == 7 && lgkm == 15;
	const char *gap = "";

	if (all || vm != 15) {
		gcn_put(o, "vmcnt(%u)", vm);
		gap = " ";
	}
	if (all || exp != 7) {
		gcn_put(o, "%sexpcnt(%u)", gap, exp);
		gap = " ";
	}
	if (all || lgkm != 15)
		gcn_put(o, "%slgkmcnt(%u)", gap, lgkm);
}

static void put_hardware_register(struct gcn_text *o, unsigned v)
{
	static const char *const names[] = { "MODE",  "STATUS",    "TRAPSTS",
					     "HW_ID", "GPR_ALLOC", "LDS_ALLOC",
					     "IB_STS" };
	unsigned id = v & 63, first = v >> 6 & 31, bits = (v >> 11) + 1;

	if (id >= 1 && id <= 7)
		gcn_put(o, "hwreg(HW_REG_%s", names[id - 1]);
	else
		gcn_put(o, "hwreg(%u", id);
	if (first || bits != 32)
		gcn_put(o, ", %u, %u", first, bits);
	gcn_put(o, ")");
}

enum { MSG_INTERRUPT = 1, MSG_GS = 2, MSG_GS_DONE = 3, MSG_SYSMSG = 15 };

static void put_message(struct gcn_text *o, unsigned v)
{
	static const char *const gs[] = { "NOP", "CUT", "EMIT", "EMIT_CUT" };
	static const char *const sys[] = { "ECC_ERR_INTERRUPT", "REG_RD",
					   "HOST_TRAP_ACK", "TTRACE_PC" };
	unsigned kind = v & 15, op = v >> 4 & 7, stream = v >> 8 & 3;
	bool is_gs = kind == MSG_GS || kind == MSG_GS_DONE;

	if (v & 0xfc80)
		gcn_put(o, "%u", v);
	else if (kind == MSG_INTERRUPT && !op && !stream)
		gcn_put(o, "sendmsg(MSG_INTERRUPT)");
	else if (kind == MSG_GS_DONE && !op && !stream)
		gcn_put(o, "sendmsg(MSG_GS_DONE, GS_OP_NOP)");
	else if (is_gs && op >= 1 && op <= 3)
		gcn_put(o, "sendmsg(MSG_GS%s, GS_OP_%s, %u)",
			kind == MSG_GS ? "" : "_DONE", gs[op], stream);
	else if (kind == MSG_SYSMSG && op >= 1 && op <= 4 && !stream)
		gcn_put(o, "sendmsg(MSG_SYSMSG, SYSMSG_OP_%s)", sys[op - 1]);
	else
		gcn_put(o, "sendmsg(%u, %u, %u)", kind, op, stream);
}

static void put_immediate(struct gcn_text *o, char letter, unsigned v)
{
	switch (letter) {
	case 'k':
		gcn_put(o, "0x%x", v);
		return;
	case 'j':
		gcn_put(o, "%d", (int16_t)v);
		return;
	case 'h':
		put_hardware_register(o, v);
		return;
	case 'w':
		put_counters(o, v);
		return;
	case 'm':
		put_message(o, v);
		return;
	default:
		gcn_put_number(o, v);
		return;
	}
}

/* ---- offsets of DS ----------------------------------------------------- */

/* The lanes that exchange values: in groups of four, or by masks of the lane's
 * number. */
static void put_pattern(struct gcn_text *o, unsigned v)
{
	unsigned and = v & 31, or = v >> 5 & 31, xor = v >> 10 & 31;
	char bits[6] = { 0 };

	gcn_put(o, " offset:");
	if ((v & 0xff00) == 0x8000) {
		gcn_put(o, "swizzle(QUAD_PERM,%u,%u,%u,%u)", v & 3, v >> 2 & 3,
			v >> 4 & 3, v >> 6 & 3);
		return;
	}
	if (v & 0x8000) {
		gcn_put(o, "%u", v);
		return;
	}
	if (and == 31 && ! or &&xor&&!(xor&(xor-1))) {
		gcn_put(o, "swizzle(SWAP,%u)", xor);
		return;
	}
	if (and == 31 && ! or &&xor&&!(xor&(xor+1))) {
		gcn_put(o, "swizzle(REVERSE,%u)", xor+1);
		return;
	}
	if (!xor) {
		unsigned group = 32 - and;

		if (group > 1 && !(group & (group - 1)) && or < group) {
			gcn_put(o, "swizzle(BROADCAST,%u,%u)", group, or);
			return;
		}
	}
	for (unsigned i = 0; i < 5; i++) {
		unsigned b = 4 - i;
		unsigned zero = ((0u & and) | or) ^ xor;
		unsigned one = ((31u & and) | or) ^ xor;

		bits[i] = (zero >> b & 1) == (one >> b & 1) ?
				  (one >> b & 1 ? '1' : '0') :
			  one >> b & 1 ? 'p' :
					 'i';
	}
	gcn_put(o, "swizzle(BITMASK_PERM,\"%s\")", bits);
}

static void put_share_offset(struct gcn_text *o, const struct gcn_inst *in,
			     char letter)
{
	unsigned low = in->field[GCN_OFFSET], high = in->field[GCN_OFFSET1];

	if (letter == '2') {
		if (low)
			gcn_put(o, " offset0:%u", low);
		if (high)
			gcn_put(o, " offset1:%u", high);
	} else if (letter == 'X' && (low || high)) {
		put_pattern(o, high << 8 | low);
	} else if (low || high) {
		gcn_put(o, " offset:%u", high << 8 | low);
	}
	if (in->field[GCN_GDS])
		gcn_put(o, " gds");
}

/* ---- buffers and images ------------------------------------------------ */

static void put_flag(struct gcn_text *o, const struct gcn_inst *in,
		     enum gcn_field field, const char *name)
{
	if (in->field[field])
		gcn_put(o, " %s", name);
}

static void put_buffer_format(struct gcn_text *o, const struct gcn_inst *in)
{
	static const char *const data[] = {
		"INVALID",     "8",          "16",          "8_8",
		"32",          "16_16",      "10_11_11",    "11_11_10",
		"10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
		"16_16_16_16", "32_32_32",   "32_32_32_32", "RESERVED_15"
	};
	static const char *const number[] = { "UNORM",     "SNORM", "USCALED",
					      "SSCALED",   "UINT",  "SINT",
					      "SNORM_OGL", "FLOAT" };
	unsigned d = in->field[GCN_DFMT], n = in->field[GCN_NFMT];

	if (d == 1 && !n)
		return;
	gcn_put(o, " format:[");
	if (d != 1)
		gcn_put(o, "BUF_DATA_FORMAT_%s%s", data[d], n ? "," : "");
	if (n)
		gcn_put(o, "BUF_NUM_FORMAT_%s", number[n]);
	gcn_put(o, "]");
}

static void print_buffer(struct gcn_text *o, const struct gcn_inst *in,
			 unsigned count)
{
	const uint16_t *f = in->field;
	unsigned words = f[GCN_ADDR64] || (f[GCN_IDXEN] && f[GCN_OFFEN]) ? 2 :
									   1;

	gcn_put(o, " ");
	put_range(o, "v", f[GCN_VDST], count);
	gcn_put(o, ", ");
	if (f[GCN_ADDR64] || f[GCN_IDXEN] || f[GCN_OFFEN])
		put_range(o, "v", f[GCN_VADDR], words);
	else
		gcn_put(o, "off");
	gcn_put(o, ", ");
	put_scalar(o, in, f[GCN_SRSRC] * 4u, 4);
	gcn_put(o, ", ");
	put_scalar(o, in, f[GCN_SOFFSET], 1);
	if (in->format == GCN_MTBUF)
		put_buffer_format(o, in);
	put_flag(o, in, GCN_IDXEN, "idxen");
	put_flag(o, in, GCN_OFFEN, "offen");
	put_flag(o, in, GCN_ADDR64, "addr64");
	if (f[GCN_OFFSET])
		gcn_put(o, " offset:%u", f[GCN_OFFSET]);
	put_flag(o, in, GCN_GLC, "glc");
	put_flag(o, in, GCN_SLC, "slc");
	put_flag(o, in, GCN_TFE, "tfe");
	put_flag(o, in, GCN_LDS, "lds");
}

static void print_image(struct gcn_text *o, const struct gcn_inst *in,
			const char *operands)
{
	const uint16_t *f = in->field;
	bool gathers = strstr(gcn_rows[in->op].name, "gather4");
	unsigned data = gathers ? 4u :
				  (unsigned)__builtin_popcount(f[GCN_DMASK]);

	gcn_put(o, " ");
	put_range(o, "v", f[GCN_VDST], (data ? data : 1) + f[GCN_TFE]);
	gcn_put(o, ", ");
	put_range(o, "v", f[GCN_VADDR], (unsigned)(operands[1] - '0'));
	gcn_put(o, ", ");
	put_scalar(o, in, f[GCN_SRSRC] * 4u, 8);
	if (operands[0] == 'S') {
		gcn_put(o, ", ");
		put_scalar(o, in, f[GCN_SSAMP] * 4u, 4);
	}
	if (f[GCN_DMASK])
		gcn_put(o, " dmask:0x%x", f[GCN_DMASK]);
	put_flag(o, in, GCN_UNORM, "unorm");
	put_flag(o, in, GCN_GLC, "glc");
	put_flag(o, in, GCN_SLC, "slc");
	put_flag(o, in, GCN_R128, "r128");
	put_flag(o, in, GCN_TFE, "tfe");
	put_flag(o, in, GCN_LWE, "lwe");
	put_flag(o, in, GCN_DA, "da");
}

static void gcn_put_target(struct gcn_text *o, unsigned target)
{
	if (target < 8)
		gcn_put(o, "mrt%u", target);
	else if (target == 8)
		gcn_put(o, "mrtz");
	else if (target == 9)
		gcn_put(o, "null");
	else if (target >= 12 && target < 16)
		gcn_put(o, "pos%u", target - 12);
	else if (target >= 32)
		gcn_put(o, "param%u", target - 32);
	else
		gcn_put(o, "invalid_target_%u", target);
}

static void print_export(struct gcn_text *o, const struct gcn_inst *in)
{
	const uint16_t *f = in->field;

	gcn_put(o, " ");
	gcn_put_target(o, f[GCN_TARGET]);
	for (unsigned i = 0; i < 4; i++) {
		unsigned from = f[GCN_COMPR] ? i / 2 : i;

		gcn_put(o, i ? ", " : " ");
		if (f[GCN_ENABLED] >> i & 1)
			gcn_put(o, "v%u", f[GCN_DATA0 + from]);
		else
			gcn_put(o, "off");
	}
	put_flag(o, in, GCN_DONE, "done");
	put_flag(o, in, GCN_COMPR, "compr");
	put_flag(o, in, GCN_VM, "vm");
}

/* ---- operands ---------------------------------------------------------- */

static void put_interpolated(struct gcn_text *o, const struct gcn_inst *in,
			     char letter)
{
	static const char *const params[] = { "p10", "p20", "p0" };
	unsigned from = in->field[GCN_SRC0];

	if (letter == 'v')
		put_range(o, "v", from, 1);
	else if (letter == 'g')
		gcn_put(o, "attr%u.%c", in->field[GCN_ATTR],
			"xyzw"[in->field[GCN_CHAN]]);
	else if (from < 3)
		gcn_put(o, "%s", params[from]);
	else
		gcn_put(o, "invalid_param_%u", from);
}

static void put_vector_operand(struct gcn_text *o, const struct gcn_inst *in,
			       const char *token, unsigned count)
{
	char how = token[1] == ',' || !token[1] ? 0 : token[2];

	switch (token[0]) {
	case 'x':
	case 'y':
	case 'z':
		put_vector_source(o, in, (unsigned)(token[0] - 'x'), count,
				  how == 'f' || how == 'n' ? how : 0);
		return;
	case 's':
		put_scalar(o, in, in->field[GCN_SRC1], 1);
		return;
	case 'u':
		gcn_put_pair(o, in, GCN_SDST);
		return;
	case 'q':
		gcn_put_pair(o, in, GCN_VDST);
		return;
	case 'c':
		gcn_put_pair(o, in, GCN_SRC2);
		return;
	default:
		put_interpolated(o, in, token[0]);
		return;
	}
}

static void put_memory_operand(struct gcn_text *o, const struct gcn_inst *in,
			       char letter, unsigned count)
{
	switch (letter) {
	case 'r':
		put_scalar(o, in, in->field[GCN_SBASE] * 2u, count);
		return;
	case 'o':
		if (in->field[GCN_IMM])
			gcn_put(o, "0x%x", in->field[GCN_OFFSET]);
		else
			put_scalar(o, in, in->field[GCN_OFFSET], 1);
		return;
	case 'A':
		put_range(o, "v", in->field[GCN_VADDR], 1);
		return;
	case 'P':
		put_range(o, "v", in->field[GCN_DATA0], count);
		return;
	default:
		put_range(o, "v", in->field[GCN_DATA1], count);
		return;
	}
}

static void gcn_put_operand(struct gcn_text *o, const struct gcn_inst *in,
			    const char *token, unsigned count)
{
	const uint16_t *f = in->field;

	if (strchr("ijkhwm", token[0]))
		put_immediate(o, token[0], f[GCN_SIMM16]);
	else if (strchr("roAPQ", token[0]))
		put_memory_operand(o, in, token[0], count);
	else if (token[0] == 'd')
		put_scalar(o, in, f[GCN_SDST], count);
	else if (token[0] == 'a')
		put_scalar(o, in, f[GCN_SRC0], count);
	else if (token[0] == 'b')
		put_scalar(o, in, f[GCN_SRC1], count);
	else if (token[0] == 'D')
		put_range(o, "v", f[GCN_VDST], count);
	else if (token[0] == 't')
		put_scalar(o, in, f[GCN_VDST], count);
	else if (token[0] == 'l' && in->format == GCN_SOPK)
		gcn_put_number(o, in->literal);
	else if (token[0] == 'l')
		gcn_put(o, "0x%x", in->literal);
	else
		put_vector_operand(o, in, token, count);
}

/* Digits behind the letter: 16 is the greatest. */
static unsigned token_count(const char *token)
{
	unsigned n = 0;

	for (token++; *token >= '0' && *token <= '9'; token++)
		n = 10 * n + (unsigned)(*token - '0');
	return n ? n : 1;
}

static void print_operands(struct gcn_text *o, const struct gcn_inst *in,
			   const char *operands)
{
	const char *t = operands;

	while (*t && *t != ';') {
		if (strchr("O2X", *t)) {
			put_share_offset(o, in, *t);
		} else if (*t != 'e') {
			gcn_put_gap(o);
			gcn_put_operand(o, in, t, token_count(t));
		} else if (in->field[GCN_SIMM16]) {
			gcn_put_gap(o);
			gcn_put(o, "%u", in->field[GCN_SIMM16]);
		}
		t += strcspn(t, ",;");
		t += *t == ',';
	}
}

static void print_result_modifiers(struct gcn_text *o,
				   const struct gcn_inst *in)
{
	static const char *const omod[] = { "", " mul:2", " mul:4", " div:2" };

	put_flag(o, in, GCN_CLAMP, "clamp");
	gcn_put(o, "%s", omod[in->field[GCN_OMOD]]);
}

/* Short and long forms have different names, where there are both. */
static const char *form_suffix(const struct gcn_inst *in)
{
	const struct gcn_row *row = &gcn_rows[in->op];
	bool both = row->format == GCN_VOP1 || row->format == GCN_VOP2 ||
		    row->format == GCN_VOPC;

	if (!both || !row->operands[0] || strpbrk(row->operands, "lts"))
		return "";
	return is_print_long(in) ? "_e64" : "_e32";
}

void gcn_print(char *text, size_t size, const struct gcn_inst *in)
{
	const struct gcn_row *row = &gcn_rows[in->op];
	struct gcn_text o = { text, size, 0, " " };

	text[0] = 0;
	gcn_put(&o, "%s%s", row->name, form_suffix(in));
	switch (row->format) {
	case GCN_MUBUF:
	case GCN_MTBUF:
		if (row->operands[0])
			print_buffer(&o, in, token_count(row->operands));
		break;
	case GCN_MIMG:
		print_image(&o, in, row->operands);
		break;
	case GCN_EXP:
		print_export(&o, in);
		break;
	default:
		print_operands(&o, in, row->operands);
		break;
	}
	if (is_print_long(in))
		print_result_modifiers(&o, in);
}
