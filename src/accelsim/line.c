/*
 * One line of a kernel's trace: which instruction it is a record of, and its
 * addresses.
 */
#include <stdlib.h>
#include <string.h>

#include "accelsim/line.h"
#include "base/digit.h"

/* ---- fields -------------------------------------------------------------- */

static const char *asim_skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static bool ends_field(char c)
{
	return c == ' ' || c == '\t' || c == '\0';
}

/* "7f00" or "0x7f00". NULL: it is no such number of at most 64 bits. */
static const char *read_hex(const char *p, uint64_t *out)
{
	const char *start;
	uint64_t v = 0;

	p = asim_skip_blanks(p);
	if (p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	start = p;
	for (unsigned x; (x = digit_value(*p)) < 16; p++) {
		if (v >> 60)
			return NULL;
		v = v << 4 | x;
	}
	*out = v;
	return p > start && ends_field(*p) ? p : NULL;
}

static const char *read_decimal(const char *p, int64_t *out)
{
	const char *start;
	bool minus;
	uint64_t v = 0;

	p = asim_skip_blanks(p);
	minus = *p == '-';
	p += minus;
	for (start = p; *p >= '0' && *p <= '9'; p++) {
		if (v > (UINT64_MAX >> 1) / 10 - 1)
			return NULL;
		v = 10 * v + (uint64_t)(*p - '0');
	}
	*out = minus ? -(int64_t)v : (int64_t)v;
	return p > start && ends_field(*p) ? p : NULL;
}

/* "R12" */
static const char *read_reg(const char *p, uint8_t *out)
{
	int64_t v;

	p = asim_skip_blanks(p);
	if (*p != 'R')
		return NULL;
	p = read_decimal(p + 1, &v);
	if (!p || v < 0 || v > LISTED_RZ)
		return NULL;
	*out = (uint8_t)v;
	return p;
}

/* ---- instructions -------------------------------------------------------- */

static enum err bad_line(const struct asim_source *s, const char *what,
			 struct diag *d)
{
	return asim_fail(s, d, ERR_SYNTAX, "%s", what);
}

/* Registers, after their number. */
static const char *read_regs(const char *p, struct listed_inst *in, int64_t max)
{
	int64_t n;

	p = read_decimal(p, &n);
	if (!p || n < 0 || n > max || in->regs + n > LISTED_REGS)
		return NULL;
	for (int64_t i = 0; i < n; i++) {
		p = read_reg(p, &in->reg[in->regs++]);
		if (!p)
			return NULL;
	}
	return p;
}

static const char *read_opcode(const char *p, struct listed_inst *in)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789._";
	size_t n;

	p = asim_skip_blanks(p);
	n = strspn(p, letters);
	if (!n || n >= sizeof(in->opcode) || *p < 'A' || *p > 'Z' ||
	    !ends_field(p[n]))
		return NULL;
	memcpy(in->opcode, p, n);
	in->opcode[n] = '\0';
	return p + n;
}

/* The part of a line that all records of an instruction share. */
static enum err read_static(const char **at, struct listed_inst *in,
			    const struct asim_source *s, struct diag *d)
{
	const char *p = *at;

	memset(in, 0, sizeof(*in));
	p = read_regs(p, in, 1);
	if (!p)
		return bad_line(s,
				"after the mask, expected the number of "
				"destinations, 0 or 1, and as many registers",
				d);
	in->first_writes = in->regs > 0;
	p = read_opcode(p, in);
	if (!p)
		return bad_line(s, "after the destinations, expected an opcode",
				d);
	p = read_regs(p, in, LISTED_REGS);
	if (!p)
		return bad_line(s,
				"after the opcode, expected the number of "
				"sources and as many registers, R0 to R255",
				d);
	*at = p;
	return ERR_OK;
}

/* SAME_PC: functions that have an instruction at the same distance from their
 * beginnings. */
enum { PC_STEP = 16, PC_MAX = 1 << 22, SAME_PC = 256 };

static bool grow_places(struct asim_code *c, uint32_t at)
{
	uint32_t room = c->at_room ? c->at_room : 1024, *more;

	while (room <= at)
		room *= 2;
	if (room == c->at_room)
		return true;
	more = realloc(c->at, room * sizeof(*more));
	if (!more)
		return false;
	memset(more + c->at_room, 0xff, (room - c->at_room) * sizeof(*more));
	c->at = more;
	c->at_room = room;
	return true;
}

static bool grow_insts(struct asim_code *c)
{
	uint32_t room = c->room ? 2 * c->room : 256;
	struct asim_inst *more;

	if (c->count < c->room)
		return true;
	more = realloc(c->inst, room * sizeof(*more));
	if (!more)
		return false;
	c->inst = more;
	c->room = room;
	return true;
}

static bool same_listed(const struct listed_inst *a,
			const struct listed_inst *b)
{
	return a->regs == b->regs && a->first_writes == b->first_writes &&
	       !memcmp(a->reg, b->reg, sizeof(a->reg)) &&
	       !strcmp(a->opcode, b->opcode);
}

static bool is_exit(const char *opcode)
{
	return !strncmp(opcode, "EXIT", 4) && (!opcode[4] || opcode[4] == '.');
}

static enum err add_inst(struct asim_code *c, const struct asim_source *s,
			 uint32_t pc, const struct listed_inst *in,
			 const char *text, size_t size, uint32_t line,
			 uint32_t *out, struct diag *d)
{
	struct asim_inst *to;

	if (c->complete)
		return bad_line(s,
				"an instruction that was not there when the "
				"file was read before",
				d);
	if (c->count >= PC_MAX / PC_STEP)
		return asim_fail(s, d, ERR_RANGE,
				 "more than %d different instructions",
				 PC_MAX / PC_STEP);
	if (!grow_places(c, pc / PC_STEP) || !grow_insts(c))
		return fail(d, ERR_NOMEM, "out of memory");
	to = &c->inst[c->count];
	*to = (struct asim_inst){ .listed = *in,
				  .pc = pc,
				  .next = ASIM_NONE,
				  .after = ASIM_NONE,
				  .text_bytes = (uint16_t)size,
				  .text = malloc(size + 1),
				  .exits = is_exit(in->opcode),
				  .low = UINT64_MAX };
	if (!to->text)
		return fail(d, ERR_NOMEM, "out of memory");
	memcpy(to->text, text, size);
	to->text[size] = '\0';
	to->listed.line = line;
	to->first_line = asim_source_number(s);
	*out = c->count++;
	return ERR_OK;
}

/* The instruction of a line, from its pc on. Most lines have the same text as
 * one before. */
static enum err find_inst(struct asim_code *c, const struct asim_source *s,
			  uint32_t pc, const char **at, uint32_t line,
			  uint32_t *out, struct diag *d)
{
	const char *text = asim_skip_blanks(*at), *end = text;
	uint32_t place = pc / PC_STEP;
	uint32_t first = place < c->at_room ? c->at[place] : ASIM_NONE;
	uint32_t last = ASIM_NONE, same = 0;
	struct listed_inst in;

	for (uint32_t i = first; i != ASIM_NONE; i = c->inst[i].next) {
		const struct asim_inst *x = &c->inst[i];

		if (!strncmp(text, x->text, x->text_bytes) &&
		    ends_field(text[x->text_bytes])) {
			*at = text + x->text_bytes;
			*out = i;
			return ERR_OK;
		}
		last = i;
		same++;
	}
	if (read_static(&end, &in, s, d))
		return d->code;
	*at = end;
	for (uint32_t i = first; i != ASIM_NONE; i = c->inst[i].next)
		if (same_listed(&c->inst[i].listed, &in)) {
			*out = i;
			return ERR_OK;
		}
	if (same == SAME_PC)
		return asim_fail(s, d, ERR_RANGE,
				 "more than %d different instructions at "
				 "program counter %04x",
				 SAME_PC, pc);
	if (add_inst(c, s, pc, &in, text, (size_t)(end - text), line, out, d))
		return d->code;
	*(last == ASIM_NONE ? &c->at[place] : &c->inst[last].next) = *out;
	return ERR_OK;
}

/* ---- addresses ----------------------------------------------------------- */

/* No GPU or host has longer addresses. */
enum { ADDRESS_BITS = 56 };

enum { LIST_ALL, BASE_STRIDE, BASE_DELTA };

static enum err bad_address(const struct asim_source *s, struct diag *d)
{
	return asim_fail(s, d, ERR_SYNTAX,
			 "expected an address of at most %d bits for each lane "
			 "of the mask",
			 ADDRESS_BITS);
}

/* Notes an address of an instruction, and that the record has it. */
static bool note_address(struct asim_code *c, struct asim_inst *in, uint64_t a,
			 uint32_t number)
{
	if (a >> ADDRESS_BITS)
		return false;
	in->low = a < in->low ? a : in->low;
	if (a >= in->high) {
		in->high_line = a > in->high || !in->high_line ? number :
								 in->high_line;
		in->high = a;
	}
	for (int i = 0; i < 4; i++)
		if (a >> i & 1 && !in->bit_line[i])
			in->bit_line[i] = number;
	if (c->header.local_base && a - c->header.local_base < ASIM_WINDOW) {
		c->local_low = a < c->local_low ? a : c->local_low;
		c->local_high = a > c->local_high ? a : c->local_high;
	}
	return true;
}

static const char *read_all_addresses(const char *p, unsigned lanes,
				      uint64_t *to)
{
	for (unsigned i = 0; p && i < lanes; i++)
		p = read_hex(p, &to[i]);
	return p;
}

static const char *read_deltas(const char *p, unsigned lanes, uint64_t *to)
{
	int64_t delta;

	p = read_hex(p, &to[0]);
	for (unsigned i = 1; p && i < lanes; i++) {
		p = read_decimal(p, &delta);
		if (p)
			to[i] = to[i - 1] + (uint64_t)delta;
	}
	return p;
}

static const char *read_stride(const char *p, uint64_t to[2])
{
	int64_t stride;

	p = read_hex(p, &to[0]);
	p = p ? read_decimal(p, &stride) : NULL;
	if (p)
		to[1] = (uint64_t)stride;
	return p;
}

static bool grow_addresses(struct asim_block *b)
{
	uint32_t room = b->address_room ? 2 * b->address_room : 1024;
	uint64_t *more;

	if (b->address_count + 32 <= b->address_room)
		return true;
	if (room >= ASIM_STRIDED)
		return false;
	more = realloc(b->address, room * sizeof(*more));
	if (!more)
		return false;
	b->address = more;
	b->address_room = room;
	return true;
}

/* The addresses as they are written, in to[]. Returns how many words of it are
 * kept; *at is NULL if they are wrong. */
static unsigned read_words(const char **at, int64_t mode, unsigned lanes,
			   uint64_t to[32])
{
	switch (mode) {
	case LIST_ALL:
		*at = read_all_addresses(*at, lanes, to);
		return lanes;
	case BASE_STRIDE:
		*at = read_stride(*at, to);
		return lanes ? 2 : 0;
	default:
		*at = read_deltas(*at, lanes, to);
		return lanes;
	}
}

static enum err asim_access(struct asim_block *b, struct asim_record *r,
			    struct asim_code *c, const struct asim_source *s,
			    const char **at, struct diag *d)
{
	unsigned lanes = (unsigned)__builtin_popcount(r->mask), kept;
	uint64_t *to, address[32];
	int64_t mode = 0;

	*at = read_decimal(*at, &mode);
	if (!*at || mode < LIST_ALL || mode > BASE_DELTA)
		return bad_line(s,
				"after a width, expected how addresses are "
				"written: 0, 1 or 2",
				d);
	if (!grow_addresses(b))
		return fail(d, ERR_NOMEM, "out of memory");
	to = b->address + b->address_count;
	kept = read_words(at, mode, lanes, to);
	if (!*at)
		return bad_address(s, d);
	if (!lanes)
		return ERR_OK;
	r->at = b->address_count | (mode == BASE_STRIDE ? ASIM_STRIDED : 0);
	b->address_count += kept;
	if (c->complete)
		return ERR_OK;
	c->addresses += lanes;
	asim_addresses(b, r, address);
	for (uint32_t left = r->mask; left; left &= left - 1)
		if (!note_address(c, &c->inst[r->inst],
				  address[__builtin_ctz(left)],
				  asim_source_number(s)))
			return bad_address(s, d);
	return ERR_OK;
}

void asim_addresses(const struct asim_block *b, const struct asim_record *r,
		    uint64_t address[32])
{
	const uint64_t *from = &b->address[r->at & ~ASIM_STRIDED];
	uint64_t any = *from;
	unsigned n = 0;

	for (unsigned l = 0; l < 32; l++)
		if (!(r->mask >> l & 1))
			address[l] = any;
		else if (r->at & ASIM_STRIDED)
			address[l] = from[0] + n++ * from[1];
		else
			address[l] = from[n++];
}

/* ---- lines --------------------------------------------------------------- */

static enum err read_pc(const char **at, uint32_t *pc,
			const struct asim_source *s, struct diag *d)
{
	uint64_t v = 0;

	*at = read_hex(*at, &v);
	if (!*at || v % PC_STEP || v >= PC_MAX)
		return asim_fail(s, d, ERR_SYNTAX,
				 "expected a program counter, a multiple of %d "
				 "below 0x%x, in hexadecimal",
				 PC_STEP, PC_MAX);
	*pc = (uint32_t)v;
	return ERR_OK;
}

static enum err asim_mask(const char **at, uint32_t *mask,
			  const struct asim_source *s, struct diag *d)
{
	uint64_t v = 0;

	*at = read_hex(*at, &v);
	if (!*at || v > UINT32_MAX)
		return bad_line(s,
				"after the program counter, expected a mask of "
				"32 lanes in hexadecimal",
				d);
	*mask = (uint32_t)v;
	return ERR_OK;
}

/* The immediate, which old versions do not have. */
static enum err read_immediate(const char *p, struct asim_inst *in, bool keep,
			       const struct asim_source *s, struct diag *d)
{
	int64_t v = 0;

	p = asim_skip_blanks(p);
	if (*p) {
		p = read_decimal(p, &v);
		if (!p || *asim_skip_blanks(p))
			return bad_line(s,
					"at the end of the line, expected an "
					"immediate or nothing",
					d);
	}
	if (keep)
		in->listed.imm = v;
	return ERR_OK;
}

enum err asim_read_line(struct asim_record *r, struct asim_block *b,
			struct asim_code *c, const struct asim_source *s,
			const char *line, struct diag *d)
{
	uint32_t number = asim_source_number(s), pc = 0;
	uint32_t before = c->count;
	const char *p = line;
	int64_t v = number;

	if (c->header.lines && (!(p = read_decimal(p, &v)) || v < 0))
		return bad_line(s, "expected the number of a source line", d);
	if (read_pc(&p, &pc, s, d) || asim_mask(&p, &r->mask, s, d) ||
	    find_inst(c, s, pc, &p, (uint32_t)v, &r->inst, d))
		return d->code;
	r->at = ASIM_NONE;
	p = read_decimal(p, &v);
	if (!p || v < 0 || v > 64)
		return bad_line(s,
				"after the sources, expected the width of an "
				"access in bytes, or 0",
				d);
	if (v && asim_access(b, r, c, s, &p, d))
		return d->code;
	if (!v && r->mask && !c->complete && !c->inst[r->inst].bare_line)
		c->inst[r->inst].bare_line = number;
	if (read_immediate(p, &c->inst[r->inst], c->count > before, s, d))
		return d->code;
	return ERR_OK;
}
