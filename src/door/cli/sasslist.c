#include "door/cli/sasslist.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/elf.h"
#include "door/rt/fatbin.h"
#include "isa/sass/cubin.h"
#include "isa/sass/inst.h"
#include "isa/sass/scan.h"

enum {
	TEXT_ROOM = 320,
	/* The control word of an instruction that waits for nothing: the
	 * disassembler writes no space before its semicolon. */
	IDLE_CONTROL = 0x7e0,
	CONTROL_BITS = 0x1fffff,
	AT_CONTROL = 41,
	/* An operand that it leaves out where it is PT still counts for the
	 * width: "PT, ". */
	HIDDEN_WIDTH = 4
};

static const uint32_t fatbin_magic = 0xba55ed50;

bool sass_list_matches(const void *data, size_t size)
{
	return size >= 16 && (!memcmp(data, ELFMAG, SELFMAG) ||
			      !memcmp(data, &fatbin_magic, 4));
}

unsigned sass_list_arch(const char *text)
{
	unsigned v = 0;

	if (!strncmp(text, "sm_", 3))
		text += 3;
	for (; *text >= '0' && *text <= '9' && v < 1000; text++)
		v = 10 * v + (unsigned)(*text - '0');
	if (*text == 'a' || *text == 'f')
		text++;
	return *text ? 0 : v;
}

/* An instruction, ready to be written. */
struct line {
	char guard[16]; /* of the vector predicates, with a space after it */
	char text[TEXT_ROOM];
	char control[SASS_CTRL_ROOM];
	uint64_t w[2];
	size_t width; /* as the disassembler counts it */
	bool unknown, partial;
};

/* Whether the row begins with a predicate that is not written where it is PT,
 * and is not written here. */
static bool hides_predicate(const struct sass_inst *in)
{
	const struct sass_enc *e = in->enc;

	if (sass_row_of(in)->unit != UNIT_TEX)
		return false;
	for (unsigned i = 0; i < e->items; i++)
		if (e->item[i].starts)
			return e->item[i].optional &&
			       in->opnd[SASS_PU].reg == SASS_PT;
	return false;
}

/* Parts the guard of a vector instruction from its text. */
static void take_guard(struct line *l, const struct sass_inst *in)
{
	const char *end = strchr(l->text, ' ');
	size_t n = end ? (size_t)(end - l->text) + 1 : 0;

	if (*l->text != '@' || in->enc->uniform_guard || !n ||
	    n >= sizeof(l->guard))
		return;
	memcpy(l->guard, l->text, n);
	l->guard[n] = '\0';
	memmove(l->text, end + 1, strlen(end + 1) + 1);
}

static void make_line(struct line *l, unsigned sm, const uint8_t *code,
		      uint64_t at)
{
	struct sass_inst in;
	enum sass_decoded how;

	memset(l, 0, sizeof(*l));
	memcpy(l->w, code + at, sizeof(l->w));
	how = sass_decode(&in, sm, l->w);
	l->partial = how == SASS_LEFT_OVER;
	if (how == SASS_UNKNOWN) {
		l->unknown = true;
		l->width = (size_t)snprintf(l->text, sizeof(l->text),
					    ".inst 0x%016llx, 0x%016llx",
					    (unsigned long long)l->w[0],
					    (unsigned long long)l->w[1]);
		return;
	}
	sass_print(l->text, sizeof(l->text), &in, at);
	sass_print_ctrl(l->control, sizeof(l->control), &in.ctrl);
	l->width = strlen(l->text) + (hides_predicate(&in) ? HIDDEN_WIDTH : 0);
	take_guard(l, &in);
}

static bool is_idle(const struct line *l)
{
	return (l->w[1] >> AT_CONTROL & CONTROL_BITS) == IDLE_CONTROL;
}

static void put_line(const struct sass_listing *l, const struct line *x,
		     uint64_t at, size_t column)
{
	int n = fprintf(l->to, "        /*%04llx*/", (unsigned long long)at);
	int gap = SASS_LIST_GAP - (int)strlen(x->guard);

	if (l->control && *x->control)
		gap -= fprintf(l->to, " [%s]", x->control);
	n += SASS_LIST_GAP;
	if (gap < 1) {
		n += 1 - gap;
		gap = 1;
	}
	n += fprintf(l->to, "%*s%s%s%s;", gap, "", x->guard, x->text,
		     is_idle(x) ? "" : " ");
	n -= gap + (int)strlen(x->guard);
	gap = (int)column - n > 1 ? (int)column - n : 1;
	fprintf(l->to, "%*s/* 0x%016llx */\n", gap, "",
		(unsigned long long)x->w[0]);
	fprintf(l->to, "%*s/* 0x%016llx */\n", (int)column, "",
		(unsigned long long)x->w[1]);
}

static bool is_wanted(const struct sass_listing *l, const struct sass_text *t)
{
	return !l->kernel || !strcmp(l->kernel, t->owner);
}

/* Digits of an address beyond the first four, which move its text. */
static size_t more_digits(uint64_t at)
{
	size_t n = 0;

	for (at >>= 16; at; at >>= 4)
		n++;
	return n;
}

/* The widest of the texts and one that has been found. */
static size_t widest(unsigned sm, const uint8_t *code, uint64_t size,
		     size_t found)
{
	struct line x;

	for (uint64_t at = 0; at < size; at += SASS_BYTES) {
		size_t width;

		make_line(&x, sm, code, at);
		width = more_digits(at) + x.width + !is_idle(&x);
		if (width > found)
			found = width;
	}
	return found;
}

/* Where the words stand. */
static size_t words_column(const struct sass_listing *l, size_t widest)
{
	enum { SLACK = 2, CONTROL = 12 }; /* after a text and its semicolon */

	return SASS_LIST_COLUMN + widest + 1 + SLACK +
	       (l->control ? CONTROL : 0);
}

/* Writes which instruction of a function, or of none, it is. */
static void name_line(char to[SASS_LIST_NOTE], const struct line *x,
		      const char *owner, uint64_t at)
{
	uint64_t opcode = sass_bits(x->w, 91, 1) << 12 | sass_bits(x->w, 0, 12);

	snprintf(to, SASS_LIST_NOTE, "0x%llx%s%.150s, opcode 0x%03llx",
		 (unsigned long long)at, owner ? " of " : "",
		 owner ? owner : "", (unsigned long long)opcode);
}

/* `owner`: the function, or NULL. */
static void put_lines(struct sass_listing *l, unsigned sm, const char *owner,
		      const uint8_t *code, uint64_t size, size_t column)
{
	struct line x;

	for (uint64_t at = 0; at < size; at += SASS_BYTES) {
		make_line(&x, sm, code, at);
		put_line(l, &x, at, column);
		if (x.unknown && !l->unknown++)
			name_line(l->first_unknown, &x, owner, at);
		if (x.partial && !l->partial++)
			name_line(l->first_partial, &x, owner, at);
	}
}

void sass_list_code(struct sass_listing *l, unsigned sm, const uint8_t *code,
		    uint64_t size)
{
	put_lines(l, sm, NULL, code, size,
		  words_column(l, widest(sm, code, size, 0)));
}

static void put_function(struct sass_listing *l, const struct sass_cubin *c,
			 const struct sass_text *t, const char *flags,
			 size_t column)
{
	fprintf(l->to, "\t\tFunction : %s\n\t.headerflags\t@\"%s\"\n", t->owner,
		flags);
	put_lines(l, c->sm, t->owner, t->code.bytes, t->code.size, column);
	fputs("\t\t..........\n\n\n", l->to);
	l->functions++;
}

/* The architecture that the PTX was written for: a note says it. */
static unsigned virtual_sm(const void *data, size_t size, unsigned sm)
{
	enum { AT_VIRTUAL = 26 };
	struct elf_bytes note;
	struct elf f;
	struct diag d;

	if (elf_open(&f, data, size, &d) ||
	    !elf_section(&f, ".note.nv.cuinfo", &note) ||
	    note.size < AT_VIRTUAL + 2)
		return sm;
	return note.data[AT_VIRTUAL] | (unsigned)note.data[AT_VIRTUAL + 1] << 8;
}

static int by_section(const void *a, const void *b)
{
	const struct sass_text *x = a, *y = b;

	return (x->section > y->section) - (x->section < y->section);
}

/* ---- hazards ------------------------------------------------------------- */

/* One kernel's. */
struct hazard_list {
	FILE *to;
	const char *kernel;
};

static void put_hazard(void *ctx, const struct sass_hazard *h)
{
	const struct hazard_list *l = ctx;
	const uint64_t at[2] = { h->writer * UINT64_C(16),
				 h->reader * UINT64_C(16) };
	char text[2][TEXT_ROOM], reg[16];

	sass_print(text[0], TEXT_ROOM, &h->insts[h->writer], at[0]);
	sass_print(text[1], TEXT_ROOM, &h->insts[h->reader], at[1]);
	sass_print_register(reg, sizeof(reg), h->file, h->reg);
	fprintf(l->to, "%s: %s is read ", l->kernel, reg);
	if (h->cycles == SASS_NEVER_WAITED)
		fputs("without a wait for its counter", l->to);
	else
		fprintf(l->to, "%u cycle%s too early", h->cycles,
			h->cycles == 1 ? "" : "s");
	fprintf(l->to, ":\n  /*%04llx*/ %s\n  /*%04llx*/ %s\n",
		(unsigned long long)at[0], text[0], (unsigned long long)at[1],
		text[1]);
}

static enum err list_hazards(struct sass_listing *l, const struct sass_cubin *c,
			     struct diag *d)
{
	if (!sass_scan_knows(c->sm))
		return fail(d, ERR_UNSUPP,
			    "--hazards: the latencies of sm_%u are not known, "
			    "only those of sm_70 to sm_90",
			    c->sm);
	for (uint32_t i = 0; i < c->kernel_count; i++) {
		const struct sass_kernel *k = &c->kernels[i];
		struct hazard_list to = { l->to, k->name };
		struct sass_scan s = { .found = put_hazard, .ctx = &to };

		if (l->kernel && strcmp(l->kernel, k->name))
			continue;
		if (sass_scan(&s, c->sm, k, d))
			return d->code;
		fprintf(l->to,
			"%s: %u instructions, %llu reads of results, %llu too "
			"early\n",
			k->name, k->text_size / SASS_BYTES,
			(unsigned long long)s.reads,
			(unsigned long long)s.hazards);
		l->functions++;
		l->early += s.hazards;
		l->unknown += s.unknown;
	}
	return ERR_OK;
}

static enum err list_cubin(struct sass_listing *l, const void *data,
			   size_t size, struct diag *d)
{
	struct arena a = { 0 };
	struct sass_cubin c;
	char flags[128];
	size_t column = 0;

	if (sass_cubin_read(&c, &a, data, size, d)) {
		arena_free(&a);
		return d->code;
	}
	l->images++;
	if (l->hazards) {
		enum err e = list_hazards(l, &c, d);

		arena_free(&a);
		return e;
	}
	fprintf(l->to, "\n\tcode for sm_%u%s\n\t.target\tsm_%u%s\n\n", c.sm,
		c.variant ? (char[]){ c.variant, 0 } : "", c.sm,
		c.variant ? (char[]){ c.variant, 0 } : "");
	snprintf(flags, sizeof(flags),
		 "%sEF_CUDA_SM%u EF_CUDA_VIRTUAL_SM(EF_CUDA_SM%u)",
		 c.variant ? "EF_CUDA_ACCELERATORS " : "", c.sm,
		 virtual_sm(data, size, c.sm));
	qsort(c.texts, c.text_count, sizeof(*c.texts), by_section);
	for (uint32_t i = 0; i < c.text_count; i++)
		column = widest(c.sm, c.texts[i].code.bytes,
				c.texts[i].code.size, column);
	column = words_column(l, column);
	for (uint32_t i = 0; i < c.text_count; i++)
		if (is_wanted(l, &c.texts[i]))
			put_function(l, &c, &c.texts[i], flags, column);
	arena_free(&a);
	return ERR_OK;
}

static void put_image_head(const struct sass_listing *l,
			   const struct fatbin_image *im)
{
	fprintf(l->to,
		"\nFatbin %s code:\n================\narch = sm_%u%s\n"
		"code version = [%u,%u]\nhost = linux\ncompile_size = 64bit\n",
		im->kind == FATBIN_ELF ? "elf" : "ptx", im->sm,
		im->variant ? (char[]){ im->variant, 0 } : "", im->version[0],
		im->version[1]);
	if (im->packing != FATBIN_PLAIN)
		fputs("compressed\n", l->to);
	if (im->kind == FATBIN_PTX)
		fputs("ptxasOptions = \n", l->to);
}

static enum err list_image(struct sass_listing *l,
			   const struct fatbin_image *im, struct diag *d)
{
	void *plain;
	size_t size;
	enum err e;

	put_image_head(l, im);
	if (im->kind != FATBIN_ELF)
		return ERR_OK;
	if (fatbin_plain(im, &plain, &size, d))
		return d->code;
	e = list_cubin(l, plain, size, d);
	free(plain);
	return e;
}

static enum err list_fatbin(struct sass_listing *l, const void *data,
			    size_t size, struct diag *d)
{
	struct fatbin_image im = { 0 };
	struct fatbin f;

	if (fatbin_open(&f, data, size, d))
		return d->code;
	while (fatbin_next(&f, &im)) {
		if (im.kind == FATBIN_OTHER || (l->sm && im.sm != l->sm))
			continue;
		if (list_image(l, &im, d))
			return d->code;
	}
	return ERR_OK;
}

/* The sections of a program or object file that hold fat binaries. */
static enum err list_program(struct sass_listing *l, const void *data,
			     size_t size, struct diag *d)
{
	struct elf_bytes part;
	struct elf f;

	if (elf_open(&f, data, size, d))
		return d->code;
	if (elf_section(&f, ".nv_fatbin", &part) && part.size &&
	    list_fatbin(l, part.data, part.size, d))
		return d->code;
	return ERR_OK;
}

static enum err nothing_listed(const struct sass_listing *l, struct diag *d)
{
	if (l->kernel && l->images)
		return fail(d, ERR_UNSUPP,
			    "no function named '%s' in its machine code; "
			    "'heddle dis' without --kernel lists all",
			    l->kernel);
	if (l->sm)
		return fail(d, ERR_UNSUPP, "no machine code for sm_%u", l->sm);
	return fail(d, ERR_UNSUPP,
		    "no machine code; nvcc puts it there for -arch=sm_XX");
}

enum err sass_list(struct sass_listing *l, const void *data, size_t size,
		   struct diag *d)
{
	enum err e;

	if (!memcmp(data, &fatbin_magic, 4))
		e = list_fatbin(l, data, size, d);
	else if (!sass_cubin_matches(data, size))
		e = list_program(l, data, size, d);
	else
		e = list_cubin(l, data, size, d);
	if (e)
		return e;
	if (!l->images || (l->kernel && !l->functions))
		return nothing_listed(l, d);
	return ERR_OK;
}
