#include "isa/fastlanes/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "trace/crc.h"

static const char code_magic[8] = { 'F', 'A', 'S', 'T', 'L', 'A', 'N', 'E' };

enum {
	HEADER_BYTES = 24,
	HEADER_CRC = 20, /* place of the checksum */
	ENTRY_BYTES = 16,
	SECTION_ALIGN = 8
};

/* In the order of the file. */
enum fl_section {
	SECTION_STRS,
	SECTION_PARM,
	SECTION_KERN,
	SECTION_VARS,
	SECTION_DATA,
	SECTION_CODE,
	SECTION_COUNT
};
static const char *const section_names[SECTION_COUNT] = { "STRS", "PARM",
							  "KERN", "VARS",
							  "DATA", "CODE" };
/* Bytes of an entry; 1: no entries. */
static const uint32_t entry_bytes[SECTION_COUNT] = { 1, 24, 56, 16, 1, 8 };

enum { BODY = HEADER_BYTES + SECTION_COUNT * ENTRY_BYTES };

bool fl_code_matches(const void *bytes, size_t size)
{
	return size >= sizeof(code_magic) &&
	       !memcmp(bytes, code_magic, sizeof(code_magic));
}

void fl_code_free(struct fl_code *c)
{
	struct arena a;

	if (!c)
		return;
	a = c->arena;
	arena_free(&a);
}

/* ---- writing ----------------------------------------------------------- */

struct code_writer {
	uint8_t *data;
	size_t size, room;
	bool failed;
	struct code_writer *strings;
};

static void put_bytes(struct code_writer *w, const void *from, size_t size)
{
	if (w->size + size > w->room) {
		size_t room = 2 * (w->size + size) + 256;
		uint8_t *more = w->failed ? NULL : realloc(w->data, room);

		if (!more) {
			w->failed = true;
			return;
		}
		w->data = more;
		w->room = room;
	}
	if (size)
		memcpy(w->data + w->size, from, size);
	w->size += size;
}

static void put_word(struct code_writer *w, uint64_t v, unsigned bytes)
{
	uint8_t le[8];

	for (unsigned i = 0; i < bytes; i++)
		le[i] = (uint8_t)(v >> 8 * i);
	put_bytes(w, le, bytes);
}

static void put_u32(struct code_writer *w, uint32_t v)
{
	put_word(w, v, 4);
}

static void put_name(struct code_writer *w, const char *name)
{
	put_u32(w, (uint32_t)w->strings->size);
	put_bytes(w->strings, name, strlen(name) + 1);
}

static void fl_put_params(struct code_writer *w, const struct fl_code *c)
{
	for (uint32_t i = 0; i < c->param_count; i++) {
		const struct fl_param *p = &c->params[i];

		put_name(w, p->name);
		put_name(w, p->type);
		put_u32(w, p->offset);
		put_u32(w, p->size);
		put_u32(w, p->align);
		put_u32(w, 0);
	}
}

static void put_kernels(struct code_writer *w, const struct fl_code *c)
{
	for (uint32_t i = 0; i < c->kernel_count; i++) {
		const struct fl_kernel *k = &c->kernels[i];

		put_name(w, k->name);
		put_u32(w, k->first);
		put_u32(w, k->count);
		put_u32(w, k->regs);
		put_u32(w, k->preds);
		put_u32(w, k->shared);
		put_u32(w, k->local);
		put_u32(w, k->param_bytes);
		put_u32(w, k->first_param);
		put_u32(w, k->param_count);
		for (int j = 0; j < 3; j++)
			put_u32(w, k->required[j]);
		put_u32(w, k->max_threads);
	}
}

static void fl_put_vars(struct code_writer *w, const struct fl_code *c)
{
	for (uint32_t i = 0; i < c->var_count; i++) {
		put_name(w, c->vars[i].name);
		put_u32(w, c->vars[i].address);
		put_u32(w, c->vars[i].bytes);
		put_u32(w, c->vars[i].constant);
	}
}

static void put_data(struct code_writer *w, const struct fl_code *c)
{
	put_u32(w, FL_DATA_BASE);
	put_u32(w, c->data_bytes);
	put_bytes(w, c->init, c->init_bytes);
}

static void fl_put_code(struct code_writer *w, const struct fl_code *c)
{
	for (uint32_t i = 0; i < c->word_count; i++)
		put_word(w, c->words[i], 8);
}

/* Puts the sections behind each other, and the header in front of them. */
static void put_file(struct code_writer *out, const struct code_writer *part)
{
	uint32_t at = BODY;

	put_bytes(out, code_magic, sizeof(code_magic));
	put_u32(out, FL_VERSION);
	put_u32(out, SECTION_COUNT);
	put_u32(out, 0);
	put_u32(out, 0);
	for (int i = 0; i < SECTION_COUNT; i++) {
		put_bytes(out, section_names[i], 4);
		put_u32(out, at);
		put_u32(out, (uint32_t)part[i].size);
		put_u32(out, trace_crc(part[i].data, part[i].size));
		at += (uint32_t)(part[i].size + SECTION_ALIGN - 1) &
		      ~(uint32_t)(SECTION_ALIGN - 1);
	}
	for (int i = 0; i < SECTION_COUNT; i++) {
		put_bytes(out, part[i].data, part[i].size);
		while (!out->failed && out->size % SECTION_ALIGN)
			put_word(out, 0, 1);
	}
}

/* Size and checksum of the header, whose own place counts as 0. */
static void seal_file(struct code_writer *out)
{
	struct code_writer at = { .data = out->data + HEADER_CRC - 4,
				  .room = 8 };

	put_u32(&at, (uint32_t)out->size);
	put_u32(&at, trace_crc(out->data, BODY));
}

enum err fl_code_write(const struct fl_code *c, uint8_t **out, size_t *size,
		       struct diag *d)
{
	struct code_writer part[SECTION_COUNT] = { { 0 } }, file = { 0 };
	bool failed = false;

	for (int i = 0; i < SECTION_COUNT; i++)
		part[i].strings = &part[SECTION_STRS];
	fl_put_params(&part[SECTION_PARM], c);
	put_kernels(&part[SECTION_KERN], c);
	fl_put_vars(&part[SECTION_VARS], c);
	put_data(&part[SECTION_DATA], c);
	fl_put_code(&part[SECTION_CODE], c);
	put_file(&file, part);
	for (int i = 0; i < SECTION_COUNT; i++) {
		failed |= part[i].failed;
		free(part[i].data);
	}
	if (failed || file.failed) {
		free(file.data);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	seal_file(&file);
	*out = file.data;
	*size = file.size;
	return ERR_OK;
}

/* ---- reading ----------------------------------------------------------- */

struct code_reader {
	const char *name;
	struct diag *d;
	struct byte_reader part[SECTION_COUNT];
	uint32_t entries[SECTION_COUNT];
	struct fl_code *c;
};

static enum err damaged(struct code_reader *r, enum fl_section s,
			const char *fmt, ...) PRINTF_LIKE(3, 4);

static enum err damaged(struct code_reader *r, enum fl_section s,
			const char *fmt, ...)
{
	char why[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return fail(r->d, ERR_SYNTAX, "%s: section %s: %s", r->name,
		    section_names[s], why);
}

/* The header, with the place of its checksum as 0. */
static uint32_t header_crc(const uint8_t *bytes)
{
	uint8_t copy[BODY];

	memcpy(copy, bytes, BODY);
	memset(copy + HEADER_CRC, 0, 4);
	return trace_crc(copy, BODY);
}

static enum err fl_read_header(struct code_reader *r, const uint8_t *bytes,
			       size_t size)
{
	struct byte_reader h = { bytes, size, sizeof(code_magic), false };
	uint32_t version, sections, total, crc;

	if (!fl_code_matches(bytes, size))
		return fail(r->d, ERR_SYNTAX,
			    "%s: not a CODE file: it does not begin with "
			    "FASTLANE",
			    r->name);
	if (size < BODY)
		return fail(r->d, ERR_SYNTAX,
			    "%s: the header is cut: %zu of %u bytes", r->name,
			    size, (unsigned)BODY);
	version = (uint32_t)bytes_number(&h, 4);
	sections = (uint32_t)bytes_number(&h, 4);
	total = (uint32_t)bytes_number(&h, 4);
	crc = (uint32_t)bytes_number(&h, 4);
	if (version != FL_VERSION || sections != SECTION_COUNT)
		return fail(r->d, ERR_UNSUPP,
			    "%s: version %u with %u sections; this is version "
			    "%u, with %u",
			    r->name, version, sections, (unsigned)FL_VERSION,
			    (unsigned)SECTION_COUNT);
	if (crc != header_crc(bytes))
		return fail(r->d, ERR_SYNTAX,
			    "%s: the header is damaged: its checksum is wrong",
			    r->name);
	if (total != size)
		return fail(r->d, ERR_SYNTAX,
			    "%s: %zu bytes, but the header says %u", r->name,
			    size, total);
	return ERR_OK;
}

static enum err read_section(struct code_reader *r, enum fl_section s,
			     const uint8_t *bytes, size_t size, uint32_t *next)
{
	struct byte_reader e = { bytes, size, HEADER_BYTES + s * ENTRY_BYTES,
				 false };
	const char *tag = (const char *)bytes + e.at;
	uint32_t at, length, crc;

	bytes_skip(&e, 4);
	at = (uint32_t)bytes_number(&e, 4);
	length = (uint32_t)bytes_number(&e, 4);
	crc = (uint32_t)bytes_number(&e, 4);
	if (memcmp(tag, section_names[s], 4))
		return damaged(r, s, "another section is in its place");
	if (at != *next || at > size || length > size - at)
		return damaged(r, s,
			       "it is not where the one before ends, or "
			       "is larger than the file");
	if (trace_crc(bytes + at, length) != crc)
		return damaged(r, s, "its checksum is wrong");
	if (length % entry_bytes[s])
		return damaged(r, s, "%u bytes are no multiple of %u", length,
			       entry_bytes[s]);
	r->part[s] = (struct byte_reader){ bytes + at, length, 0, false };
	r->entries[s] = length / entry_bytes[s];
	*next = at +
		((length + SECTION_ALIGN - 1) & ~(uint32_t)(SECTION_ALIGN - 1));
	return ERR_OK;
}

static uint32_t get_u32(struct byte_reader *b)
{
	return (uint32_t)bytes_number(b, 4);
}

/* NULL: the name is not in STRS. */
static const char *get_name(struct code_reader *r, struct byte_reader *b)
{
	struct byte_reader s = r->part[SECTION_STRS];
	const char *name;

	s.at = get_u32(b);
	if (s.at >= s.size)
		return NULL;
	name = bytes_string(&s);
	return s.bad ? NULL : arena_strndup(&r->c->arena, name, strlen(name));
}

static enum err read_params(struct code_reader *r)
{
	struct byte_reader *b = &r->part[SECTION_PARM];

	for (uint32_t i = 0; i < r->c->param_count; i++) {
		struct fl_param *p = &r->c->params[i];

		p->name = get_name(r, b);
		p->type = get_name(r, b);
		p->offset = get_u32(b);
		p->size = get_u32(b);
		p->align = get_u32(b);
		if (get_u32(b) || !p->name || !p->type ||
		    p->size > FL_PARAM_MAX || p->offset > FL_PARAM_MAX)
			return damaged(r, SECTION_PARM,
				       "parameter %u: its name, offset or size",
				       i);
	}
	return ERR_OK;
}

static bool kernel_fits(const struct fl_code *c, const struct fl_kernel *k)
{
	if (!k->name || !k->name[0] || !k->count || k->count > FL_MAX_CODE ||
	    k->first > c->word_count || k->count > c->word_count - k->first ||
	    k->regs > FL_REGS || k->preds > FL_PREDS ||
	    k->param_bytes > FL_PARAM_MAX || k->shared > FL_MEMORY_BYTES ||
	    k->local > FL_MEMORY_BYTES || k->first_param > c->param_count ||
	    k->param_count > c->param_count - k->first_param)
		return false;
	for (uint32_t i = 0; i < k->param_count; i++) {
		const struct fl_param *p = &c->params[k->first_param + i];

		if (p->offset + p->size > k->param_bytes)
			return false;
	}
	return true;
}

static enum err read_kernels(struct code_reader *r)
{
	struct byte_reader *b = &r->part[SECTION_KERN];

	for (uint32_t i = 0; i < r->c->kernel_count; i++) {
		struct fl_kernel *k = &r->c->kernels[i];

		k->name = get_name(r, b);
		k->first = get_u32(b);
		k->count = get_u32(b);
		k->regs = get_u32(b);
		k->preds = get_u32(b);
		k->shared = get_u32(b);
		k->local = get_u32(b);
		k->param_bytes = get_u32(b);
		k->first_param = get_u32(b);
		k->param_count = get_u32(b);
		for (int j = 0; j < 3; j++)
			k->required[j] = get_u32(b);
		k->max_threads = get_u32(b);
		if (!kernel_fits(r->c, k))
			return damaged(r, SECTION_KERN,
				       "kernel %u: its name, code, parameters "
				       "or needs",
				       i);
	}
	return ERR_OK;
}

static enum err read_vars(struct code_reader *r)
{
	struct byte_reader *b = &r->part[SECTION_VARS];

	for (uint32_t i = 0; i < r->c->var_count; i++) {
		struct fl_var *v = &r->c->vars[i];
		uint64_t end = (uint64_t)FL_DATA_BASE + r->c->data_bytes;

		v->name = get_name(r, b);
		v->address = get_u32(b);
		v->bytes = get_u32(b);
		v->constant = get_u32(b);
		if (!v->name || v->address < FL_DATA_BASE ||
		    (uint64_t)v->address + v->bytes > end || v->constant > 1)
			return damaged(r, SECTION_VARS,
				       "variable %u: its name or address", i);
	}
	return ERR_OK;
}

static enum err read_data(struct code_reader *r)
{
	struct byte_reader *b = &r->part[SECTION_DATA];
	uint32_t base = get_u32(b), total = get_u32(b);
	size_t init = bytes_left(b);

	if (b->bad || base != FL_DATA_BASE ||
	    total > FL_MEMORY_BYTES - FL_DATA_BASE || init > total)
		return damaged(r, SECTION_DATA, "its address or size");
	r->c->data_bytes = total;
	r->c->init_bytes = (uint32_t)init;
	r->c->init = arena_new(&r->c->arena, uint8_t, init + 1);
	if (!r->c->init)
		return fail(r->d, ERR_NOMEM, "out of memory");
	memcpy(r->c->init, b->data + b->at, init);
	return ERR_OK;
}

/* ---- checking the code ------------------------------------------------- */

/* Whether the registers and predicates are within what the kernel states. */
static bool regs_fit(const struct fl_kernel *k, const struct fl_inst *in)
{
	unsigned pred = in->guard & 7;
	bool base = fl_has(in, 'm') && !(in->mod & FL_MOD_ABS);

	if ((fl_has(in, 'd') && in->d >= k->regs) ||
	    ((fl_has(in, 'a') || base) && in->a >= k->regs) ||
	    (fl_has(in, 'c') && in->c >= k->regs) ||
	    (fl_has(in, 'b') && !in->imm && in->b >= k->regs))
		return false;
	if (pred != FL_PT && pred >= k->preds)
		return false;
	if (fl_has(in, 'p') && in->d != FL_PT && in->d >= k->preds)
		return false;
	pred = in->mod >> 2;
	if (fl_has(in, 'k') && pred != FL_PT && pred >= k->preds)
		return false;
	pred = in->a & 7;
	if (fl_has(in, 'r') && pred != FL_PT && pred >= k->preds)
		return false;
	pred = in->c & 7;
	return !(fl_has(in, 'q') || (fl_has(in, 'y') && in->mod & 3)) ||
	       pred == FL_PT || pred < k->preds;
}

/* NULL, or what is wrong with an instruction in its kernel. */
static const char *fl_check_place(const struct fl_kernel *k,
				  const struct fl_inst *in, uint32_t at)
{
	bool ends =
		in->guard == FL_PT &&
		(in->op == FL_BRA || in->op == FL_EXIT || in->op == FL_TRAP);

	if (!regs_fit(k, in))
		return "a register beyond those that the kernel states";
	if (in->op == FL_BRA &&
	    (fl_target(in) >= k->count ||
	     (fl_join(in) >= k->count && fl_join(in) != FL_NO_JOIN)))
		return "a branch leaves the kernel";
	if (in->op == FL_LDP && (in->b % 4 || in->b >= k->param_bytes))
		return "a parameter beyond the kernel's";
	return at + 1 == k->count && !ends ? "the kernel runs past its end" :
					     NULL;
}

static enum err fl_check_kernel(struct code_reader *r,
				const struct fl_kernel *k)
{
	for (uint32_t i = 0; i < k->count; i++) {
		uint64_t word = r->c->words[k->first + i];
		struct fl_inst in;
		const char *why = fl_decode(&in, word);

		if (!why)
			why = fl_check_place(k, &in, i);
		if (why)
			return damaged(r, SECTION_CODE,
				       "%.60s: instruction %u, 0x%016" PRIx64
				       ": %s",
				       k->name, i, word, why);
	}
	return ERR_OK;
}

static enum err fl_read_words(struct code_reader *r)
{
	struct byte_reader *b = &r->part[SECTION_CODE];

	for (uint32_t i = 0; i < r->c->word_count; i++)
		r->c->words[i] = bytes_number(b, 8);
	for (uint32_t i = 0; i < r->c->kernel_count; i++)
		if (fl_check_kernel(r, &r->c->kernels[i]))
			return r->d->code;
	return ERR_OK;
}

/* Makes room for what the sections hold. */
static enum err code_room(struct code_reader *r, struct arena *a)
{
	struct fl_code *c = arena_new(a, struct fl_code, 1);

	if (!c)
		return fail(r->d, ERR_NOMEM, "out of memory");
	c->param_count = r->entries[SECTION_PARM];
	c->kernel_count = r->entries[SECTION_KERN];
	c->var_count = r->entries[SECTION_VARS];
	c->word_count = r->entries[SECTION_CODE];
	c->params = arena_new(a, struct fl_param, c->param_count + 1);
	c->kernels = arena_new(a, struct fl_kernel, c->kernel_count + 1);
	c->vars = arena_new(a, struct fl_var, c->var_count + 1);
	c->words = arena_new(a, uint64_t, c->word_count + 1);
	c->arena = *a;
	r->c = c;
	return c->params && c->kernels && c->vars && c->words ?
		       ERR_OK :
		       fail(r->d, ERR_NOMEM, "out of memory");
}

enum err fl_code_read(struct fl_code **out, const char *name, const void *bytes,
		      size_t size, struct diag *d)
{
	struct code_reader r = { .name = name, .d = d };
	struct arena a = { 0 };
	uint32_t next = BODY;
	enum err e = fl_read_header(&r, bytes, size);

	for (int s = 0; !e && s < SECTION_COUNT; s++)
		e = read_section(&r, (enum fl_section)s, bytes, size, &next);
	if (!e && next != size)
		e = damaged(&r, SECTION_CODE, "the file goes on after it");
	if (!e)
		e = code_room(&r, &a);
	if (!e)
		e = read_data(&r);
	if (!e)
		e = read_params(&r);
	if (!e)
		e = read_kernels(&r);
	if (!e)
		e = read_vars(&r);
	if (!e)
		e = fl_read_words(&r);
	if (!e) {
		*out = r.c;
		return ERR_OK;
	}
	if (r.c)
		fl_code_free(r.c);
	else
		arena_free(&a);
	return e;
}

/* ---- text -------------------------------------------------------------- */

static void fl_print_kernel(FILE *to, const struct fl_code *c,
			    const struct fl_kernel *k)
{
	fprintf(to,
		"\n// %s: %u instructions, %u registers, %u predicates, %u bytes "
		"of shared, %u of local memory, %u of parameters\n%s:\n",
		k->name, k->count, k->regs, k->preds, k->shared, k->local,
		k->param_bytes, k->name);
	for (uint32_t i = 0; i < k->count; i++) {
		uint64_t word = c->words[k->first + i];
		struct fl_inst in;
		char text[128];

		if (fl_decode(&in, word))
			snprintf(text, sizeof(text), ".word");
		else
			fl_print(text, sizeof(text), &in);
		fprintf(to, "  %5u  %016" PRIx64 "  %s\n", i, word, text);
	}
}

char *fl_code_print(const struct fl_code *c)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fprintf(to,
		"// FastLanes code, version %u: %u kernels, %u instructions\n",
		(unsigned)FL_VERSION, c->kernel_count, c->word_count);
	for (uint32_t i = 0; i < c->var_count; i++)
		fprintf(to, "// %s at 0x%08x: %u bytes%s\n", c->vars[i].name,
			c->vars[i].address, c->vars[i].bytes,
			c->vars[i].constant ? ", constant" : "");
	for (uint32_t i = 0; i < c->kernel_count; i++)
		fl_print_kernel(to, c, &c->kernels[i]);
	return fclose(to) ? NULL : text;
}
