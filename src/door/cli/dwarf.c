#include "door/cli/dwarf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/dwarf_form.h"
#include "base/search.h"

/* Numbers of the standard. */
enum {
	TAG_INLINED = 0x1d,
	TAG_SUBPROGRAM = 0x2e,
	AT_NAME = 0x03,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_ORIGIN = 0x31,
	AT_DECL_FILE = 0x3a,
	AT_DECL_LINE = 0x3b,
	AT_SPECIFICATION = 0x47,
	AT_CALL_COLUMN = 0x57,
	AT_CALL_FILE = 0x58,
	AT_CALL_LINE = 0x59,
	HEADER_BYTES = 11, /* of a unit */
	MAX_DEPTH = 64,    /* of nested entries */
};

/* ---- the text of a section as bytes ---- */

struct dwarf_label {
	size_t at;
	const char *name;
	size_t size;
};

struct dwarf_bytes {
	uint8_t *byte;
	size_t size, room;
	struct dwarf_label *label; /* values that are addresses */
	size_t labels, label_room;
	bool failed; /* out of memory */
};

static void bytes_free(struct dwarf_bytes *b)
{
	free(b->byte);
	free(b->label);
}

static bool bytes_grow(struct dwarf_bytes *b)
{
	size_t room = 2 * b->room + 4096;
	uint8_t *more = realloc(b->byte, room);

	if (!more) {
		b->failed = true;
		return false;
	}
	b->byte = more;
	b->room = room;
	return true;
}

static void put_value(struct dwarf_bytes *b, uint64_t v, unsigned bytes)
{
	if (b->size + 8 > b->room && !bytes_grow(b))
		return;
	for (unsigned i = 0; i < bytes; i++)
		b->byte[b->size++] = (uint8_t)(v >> 8 * i);
}

static void put_label(struct dwarf_bytes *b, const char *name, size_t size)
{
	if (b->labels == b->label_room) {
		size_t room = 2 * b->label_room + 256;
		struct dwarf_label *more =
			realloc(b->label, room * sizeof(*more));

		if (!more) {
			b->failed = true;
			return;
		}
		b->label = more;
		b->label_room = room;
	}
	b->label[b->labels++] = (struct dwarf_label){ b->size, name, size };
}

/* The values of .b8, .b16, .b32 or .b64, up to the end of the line. */
static void put_values(struct dwarf_bytes *b, const char *p, const char *end,
		       unsigned bytes)
{
	while (p < end && !b->failed) {
		size_t n = 0;

		while (p < end && (isspace((unsigned char)*p) || *p == ','))
			p++;
		while (p + n < end && !isspace((unsigned char)p[n]) &&
		       p[n] != ',')
			n++;
		if (!n || (n > 1 && p[0] == '/' && p[1] == '/'))
			return;
		if (!isdigit((unsigned char)*p))
			put_label(b, p, n);
		put_value(b,
			  isdigit((unsigned char)*p) ? strtoull(p, NULL, 0) : 0,
			  bytes);
		p += n;
	}
}

static const char *line_end(const char *p, const char *end)
{
	const char *q = memchr(p, '\n', (size_t)(end - p));

	return q ? q : end;
}

static bool line_begins(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - p) >= n && !memcmp(p, with, n);
}

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* Whether the line begins the section of that name. */
static bool begins_section(const char *p, const char *end, const char *name)
{
	const char *q;

	p = skip_space(p, end);
	if (!line_begins(p, end, ".section"))
		return false;
	q = skip_space(p + strlen(".section"), end);
	return line_begins(q, end, name) &&
	       (q + strlen(name) == end ||
		isspace((unsigned char)q[strlen(name)]));
}

/* Reads a section of a text that ends in 0; no bytes if there is none. */
static void read_section(struct dwarf_bytes *b, const char *ptx, size_t size,
			 const char *name)
{
	static const struct {
		const char *word;
		unsigned bytes;
	} sizes[] = {
		{ ".b8", 1 }, { ".b16", 2 }, { ".b32", 4 }, { ".b64", 8 }
	};
	const char *end = ptx + size, *p = ptx, *stop;
	bool inside = false;

	for (; p < end; p = stop + 1) {
		stop = line_end(p, end);
		if (!inside) {
			inside = begins_section(p, stop, name);
			continue;
		}
		p = skip_space(p, stop);
		if (line_begins(p, stop, "}"))
			return;
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			size_t n = strlen(sizes[i].word);

			if (line_begins(p, stop, sizes[i].word) &&
			    p + n < stop && isspace((unsigned char)p[n]))
				put_values(b, p + n, stop, sizes[i].bytes);
		}
	}
}

/* ---- reading bytes ---- */

struct dwarf_reader {
	struct byte_reader in;
	const struct dwarf_bytes *b;
	size_t next_label; /* the first one not before the place */
};

static struct dwarf_reader dwarf_reader(const struct dwarf_bytes *b, size_t at)
{
	return (struct dwarf_reader){
		.in = { b->byte, b->size, at, .bad = at > b->size },
		.b = b,
	};
}

/* The label at the place of the reader, which only moves forward. */
static const struct dwarf_label *label_here(struct dwarf_reader *r)
{
	const struct dwarf_bytes *b = r->b;

	while (r->next_label < b->labels &&
	       b->label[r->next_label].at < r->in.at)
		r->next_label++;
	return r->next_label < b->labels &&
			       b->label[r->next_label].at == r->in.at ?
		       &b->label[r->next_label] :
		       NULL;
}

struct dwarf_value {
	uint64_t number;
	const char *text;
	const struct dwarf_label *label;
};

static struct dwarf_value take_form(struct dwarf_reader *r, uint64_t form)
{
	struct dwarf_value v = { .label = label_here(r) };
	unsigned bytes = dwarf_form_bytes(form);

	if (bytes)
		v.number = bytes_number(&r->in, bytes);
	else if (form == FORM_STRING)
		v.text = bytes_string(&r->in);
	else if (form == FORM_BLOCK1)
		bytes_skip(&r->in, bytes_number(&r->in, 1));
	else if (form == FORM_BLOCK2)
		bytes_skip(&r->in, bytes_number(&r->in, 2));
	else if (form == FORM_BLOCK4)
		bytes_skip(&r->in, bytes_number(&r->in, 4));
	else if (form == FORM_BLOCK || form == FORM_EXPRLOC)
		bytes_skip(&r->in, bytes_uleb(&r->in));
	else if (form == FORM_SDATA || form == FORM_UDATA)
		v.number = bytes_uleb(&r->in);
	else if (form != FORM_PRESENT)
		r->in.bad = true;
	return v;
}

/* ---- entries ---- */

/* Moves to the abbreviation of a code: at its attributes. */
static bool find_abbreviation(struct dwarf_reader *r, uint64_t code,
			      uint64_t *tag, bool *children)
{
	uint64_t its, name, form;

	while (!r->in.bad && (its = bytes_uleb(&r->in))) {
		*tag = bytes_uleb(&r->in);
		*children = bytes_number(&r->in, 1) != 0;
		if (its == code)
			return !r->in.bad;
		do {
			name = bytes_uleb(&r->in);
			form = bytes_uleb(&r->in);
		} while (!r->in.bad && (name || form));
	}
	return false;
}

/* One entry, as far as it is of interest. */
struct dwarf_entry {
	uint64_t tag, same, file, line, call_file, call_line, call_column;
	const char *name;
	const struct dwarf_label *from, *to;
	bool children;
};

static void take_attribute(struct dwarf_reader *r, struct dwarf_entry *e,
			   uint64_t name, uint64_t form)
{
	struct dwarf_value v = take_form(r, form);

	switch (name) {
	case AT_NAME:
		e->name = v.text;
		break;
	case AT_LOW_PC:
		e->from = v.label;
		break;
	case AT_HIGH_PC:
		e->to = v.label;
		break;
	case AT_ORIGIN:
	case AT_SPECIFICATION:
		e->same = v.number;
		break;
	case AT_DECL_FILE:
		e->file = v.number;
		break;
	case AT_DECL_LINE:
		e->line = v.number;
		break;
	case AT_CALL_FILE:
		e->call_file = v.number;
		break;
	case AT_CALL_LINE:
		e->call_line = v.number;
		break;
	case AT_CALL_COLUMN:
		e->call_column = v.number;
		break;
	}
}

/* False: it ends a list of entries, or cannot be read. */
static bool take_entry(struct dwarf_reader *r, const struct dwarf_bytes *abbrev,
		       struct dwarf_entry *e)
{
	struct dwarf_reader a = dwarf_reader(abbrev, 0);
	uint64_t code = bytes_uleb(&r->in), name, form;

	*e = (struct dwarf_entry){ 0 };
	if (!code)
		return false;
	if (!find_abbreviation(&a, code, &e->tag, &e->children)) {
		r->in.bad = true;
		return false;
	}
	for (;;) {
		name = bytes_uleb(&a.in);
		form = bytes_uleb(&a.in);
		r->in.bad |= a.in.bad;
		if (r->in.bad || (!name && !form))
			return !r->in.bad;
		take_attribute(r, e, name, form);
	}
}

static const char *keep_label(struct dwarf *w, const struct dwarf_label *l)
{
	return l ? arena_strndup(&w->arena, l->name, l->size) : NULL;
}

static void add_call(struct dwarf *w, const struct dwarf_entry *e,
		     const struct dwarf_call *outer)
{
	w->calls[w->call_count++] = (struct dwarf_call){
		.callee = (size_t)e->same,
		.from = keep_label(w, e->from),
		.to = keep_label(w, e->to),
		.file = (uint32_t)e->call_file,
		.line = (uint32_t)e->call_line,
		.column = (uint32_t)e->call_column,
		.outer = outer,
	};
}

static void add_function(struct dwarf *w, const struct dwarf_entry *e,
			 size_t at)
{
	w->functions[w->function_count++] = (struct dwarf_function){
		.at = at,
		.same = (size_t)e->same,
		.file = (uint32_t)e->file,
		.line = (uint32_t)e->line,
		.from = keep_label(w, e->from),
		.to = keep_label(w, e->to),
		.name = e->name ? arena_strndup(&w->arena, e->name,
						strlen(e->name)) :
				  NULL,
	};
}

/* Walks over all entries. w == NULL: only counts those of interest. */
static size_t walk_entries(struct dwarf *w, const struct dwarf_bytes *info,
			   const struct dwarf_bytes *abbrev)
{
	struct dwarf_reader r = dwarf_reader(info, HEADER_BYTES);
	const struct dwarf_call *outer[MAX_DEPTH] = { NULL };
	size_t depth = 0, found = 0, at;
	struct dwarf_entry e;

	while (r.in.at < info->size && !r.in.bad) {
		at = r.in.at;
		if (!take_entry(&r, abbrev, &e)) {
			if (!depth--)
				break;
			continue;
		}
		found += e.tag == TAG_INLINED || e.tag == TAG_SUBPROGRAM;
		if (w && e.tag == TAG_SUBPROGRAM)
			add_function(w, &e, at);
		if (w && e.tag == TAG_INLINED)
			add_call(w, &e, outer[depth]);
		if (!e.children)
			continue;
		if (++depth == MAX_DEPTH)
			break;
		outer[depth] = e.tag == TAG_SUBPROGRAM ?
				       NULL :
			       w && e.tag == TAG_INLINED ?
				       &w->calls[w->call_count - 1] :
				       outer[depth - 1];
	}
	return found;
}

size_t dwarf_number(const struct dwarf *w, size_t at)
{
	size_t i;

	SEARCH_FIRST(i, w->function_count, w->functions[i].at < at);
	return i < w->function_count && w->functions[i].at == at ?
		       i :
		       w->function_count;
}

/* NULL: there is none, as for a function that no other one is the same as. */
static const struct dwarf_function *function_at(const struct dwarf *w,
						size_t at)
{
	size_t i = dwarf_number(w, at);

	return i < w->function_count ? &w->functions[i] : NULL;
}

/* A definition outside of its class is in the same file unless it says so. */
static void complete_files(struct dwarf *w)
{
	for (size_t i = 0; i < w->function_count; i++) {
		struct dwarf_function *f = &w->functions[i];
		const struct dwarf_function *other =
			f->same ? function_at(w, f->same) : NULL;

		if (f->line && !f->file && other)
			f->file = other->file;
	}
}

enum err dwarf_read(struct dwarf *out, const char *ptx, size_t size,
		    struct diag *d)
{
	struct dwarf_bytes info = { 0 }, abbrev = { 0 };
	enum err e = ERR_OK;
	size_t n;

	*out = (struct dwarf){ 0 };
	read_section(&info, ptx, size, ".debug_info");
	read_section(&abbrev, ptx, size, ".debug_abbrev");
	n = walk_entries(NULL, &info, &abbrev);
	out->functions = arena_new(&out->arena, struct dwarf_function, n + 1);
	out->calls = arena_new(&out->arena, struct dwarf_call, n + 1);
	if (info.failed || abbrev.failed || !out->functions || !out->calls)
		e = fail(d, ERR_NOMEM, "out of memory");
	else
		walk_entries(out, &info, &abbrev);
	complete_files(out);
	bytes_free(&info);
	bytes_free(&abbrev);
	return e;
}

void dwarf_free(struct dwarf *w)
{
	arena_free(&w->arena);
}

enum { MAX_ENTRIES = 4 }; /* of one function */

const struct dwarf_function *dwarf_declaration(const struct dwarf *w, size_t at)
{
	const struct dwarf_function *f = function_at(w, at);

	for (int i = 0; f && !f->line && i < MAX_ENTRIES; i++)
		f = f->same ? function_at(w, f->same) : NULL;
	return f && f->line ? f : NULL;
}

const char *dwarf_name(const struct dwarf *w, size_t at)
{
	const struct dwarf_function *f = function_at(w, at);

	for (int i = 0; f && !f->name && i < MAX_ENTRIES; i++)
		f = f->same ? function_at(w, f->same) : NULL;
	return f && f->name ? f->name : "";
}
