#include "base/dwarf_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/dwarf_form.h"
#include "base/search.h"

/* Numbers of the standard, and one of NVIDIA's. */
enum {
	LNS_COPY = 1,
	LNS_ADVANCE_PC = 2,
	LNS_ADVANCE_LINE = 3,
	LNS_SET_FILE = 4,
	LNS_CONST_ADD_PC = 8,
	LNS_FIXED_ADVANCE_PC = 9,
	LNE_END_SEQUENCE = 1,
	LNE_SET_ADDRESS = 2,
	/* The row that called, by its number in the sequence from 1, or 0; the
	 * name of the function, in .debug_str. */
	LNE_INLINED_CALL = 0x90,
	LNCT_PATH = 1,
	LNCT_DIRECTORY = 2,
	MAX_FORMATS = 16,
	MAX_PATH = 4096,
};

/* The header of a unit. */
struct line_unit {
	unsigned version;
	unsigned step, line_range, opcode_base; /* step: bytes of an address */
	int line_base;
	const uint8_t *operands; /* of standard opcodes */
	const char **dirs, **files;
	uint32_t dir_count, file_count;
};

struct line_reader {
	struct byte_reader in;
	const struct dwarf_line_source *from;
	struct dwarf_line_table *to;
	bool fill; /* else it only counts */
	struct arena *arena;
	struct diag *d;

	/* Of the sequence that is being read. */
	uint32_t text; /* DWARF_NO_CODE: none */
	uint64_t address;
	uint64_t last; /* address of the last row */
	uint64_t file, line, caller;
	uint32_t first; /* row */
};

static enum err line_damage(struct line_reader *r, const char *what)
{
	return fail(r->d, ERR_SYNTAX, "section %s: %s at byte %zu of %llu",
		    r->from->name, what, r->in.at,
		    (unsigned long long)r->from->bytes.size);
}

static enum err no_memory(struct line_reader *r)
{
	return fail(r->d, ERR_NOMEM, "no memory for lines");
}

/* ---- file names ---- */

static const char *file_path(struct line_reader *r, const struct line_unit *u,
			     uint64_t dir, const char *name)
{
	const char *folder = dir < u->dir_count ? u->dirs[dir] : "";
	size_t n = strlen(folder), m = strlen(name);
	char *path;

	if (!n || *name == '/' || n + m > MAX_PATH)
		return arena_strndup(r->arena, name, m);
	path = arena_new(r->arena, char, n + m + 2);
	if (!path)
		return NULL;
	memcpy(path, folder, n);
	path[n] = '/';
	memcpy(path + n + 1, name, m);
	return path;
}

/* A list of strings that ends in an empty one, up to DWARF 4. */
static enum err old_dirs(struct line_reader *r, struct line_unit *u)
{
	struct byte_reader count = r->in;
	uint32_t n = 0;

	while (*bytes_string(&count))
		n++;
	/* Number 0 is the folder of the compilation, which is not told. */
	u->dirs = arena_new(r->arena, const char *, (size_t)n + 1);
	if (!u->dirs)
		return no_memory(r);
	u->dirs[0] = "";
	u->dir_count = n + 1;
	for (uint32_t i = 1; i <= n; i++)
		u->dirs[i] = bytes_string(&r->in);
	bytes_string(&r->in);
	return ERR_OK;
}

static const char *take_file(struct line_reader *r, const struct line_unit *u,
			     struct byte_reader *in)
{
	const char *name = bytes_string(in);
	uint64_t dir;

	if (!*name)
		return NULL;
	dir = bytes_uleb(in);
	bytes_uleb(in); /* time */
	bytes_uleb(in); /* bytes */
	return file_path(r, u, dir, name);
}

static enum err old_files(struct line_reader *r, struct line_unit *u)
{
	struct byte_reader count = r->in;
	uint32_t n = 0;

	while (*bytes_string(&count)) {
		for (int i = 0; i < 3; i++)
			bytes_uleb(&count);
		n++;
	}
	u->files = arena_new(r->arena, const char *, (size_t)n + 1);
	if (!u->files)
		return no_memory(r);
	for (uint32_t i = 1; i <= n; i++) {
		u->files[i] = take_file(r, u, &r->in);
		if (!u->files[i])
			return no_memory(r);
	}
	u->file_count = n + 1;
	bytes_string(&r->in);
	return ERR_OK;
}

/* A value of DWARF 5's lists. */
struct line_value {
	const char *text;
	uint64_t number;
};

static const char *string_of(const struct dwarf_line_bytes *s, uint64_t at)
{
	struct byte_reader in = { s->at, s->at ? s->size : 0, 0, false };

	bytes_skip(&in, at);
	return bytes_string(&in);
}

static struct line_value take_value(struct line_reader *r, uint64_t form)
{
	unsigned bytes = dwarf_form_bytes(form);
	size_t at = r->in.at;
	struct line_value v = { .text = "" };

	if (bytes)
		v.number = bytes_number(&r->in, bytes);
	else if (form == FORM_STRING)
		v.text = bytes_string(&r->in);
	else if (form == FORM_UDATA)
		v.number = bytes_uleb(&r->in);
	else if (form == FORM_DATA16)
		bytes_skip(&r->in, 16);
	else if (form == FORM_BLOCK)
		bytes_skip(&r->in, bytes_uleb(&r->in));
	else
		r->in.bad = true;
	if (form == FORM_LINE_STRP || form == FORM_STRP) {
		uint64_t to = r->from->offset ?
				      r->from->offset(r->from, at, v.number) :
				      v.number;

		v.text = string_of(form == FORM_STRP ? &r->from->strings :
						       &r->from->line_strings,
				   to);
	}
	return v;
}

/* A list of DWARF 5: the formats of its entries, then the entries. *dirs is the
 * list itself if it is of folders. */
static enum err new_list(struct line_reader *r, const struct line_unit *u,
			 const char ***list, uint32_t *count)
{
	uint64_t format[MAX_FORMATS][2];
	uint64_t formats = bytes_number(&r->in, 1), n;

	for (uint64_t i = 0; i < formats && i < MAX_FORMATS; i++) {
		format[i][0] = bytes_uleb(&r->in);
		format[i][1] = bytes_uleb(&r->in);
	}
	n = bytes_uleb(&r->in);
	/* An entry has at least a byte. */
	if (r->in.bad || formats > MAX_FORMATS || (n && !formats) ||
	    n > bytes_left(&r->in))
		return line_damage(r, "a damaged list of files");
	*list = arena_new(r->arena, const char *, (size_t)n + 1);
	if (!*list)
		return no_memory(r);
	for (uint64_t i = 0; i < n; i++) {
		const char *name = "";
		uint64_t dir = 0;

		for (uint64_t k = 0; k < formats; k++) {
			struct line_value v = take_value(r, format[k][1]);

			if (format[k][0] == LNCT_PATH)
				name = v.text;
			if (format[k][0] == LNCT_DIRECTORY)
				dir = v.number;
		}
		(*list)[i] = file_path(r, u, dir, name);
		if (!(*list)[i])
			return no_memory(r);
	}
	*count = (uint32_t)n;
	return ERR_OK;
}

static enum err line_files(struct line_reader *r, struct line_unit *u)
{
	const struct line_unit none = { 0 };
	enum err e;

	if (u->version < 5) {
		e = old_dirs(r, u);
		return e ? e : old_files(r, u);
	}
	e = new_list(r, &none, &u->dirs, &u->dir_count);
	return e ? e : new_list(r, u, &u->files, &u->file_count);
}

/* ---- rows ---- */

static void add_line_row(struct line_reader *r, const struct line_unit *u,
			 bool end)
{
	struct dwarf_line_table *t = r->to;

	if (r->fill && r->text != DWARF_NO_CODE)
		t->rows[t->row_count] = (struct dwarf_line_row){
			.at = (uint32_t)r->address,
			.line = r->line <= UINT32_MAX ? (uint32_t)r->line : 0,
			.file = r->file < u->file_count ? u->files[r->file] :
							  NULL,
			/* Checked when the sequence is complete. */
			.caller = r->caller <= UINT32_MAX ?
					  (uint32_t)r->caller :
					  0,
			.end = end,
		};
	if (r->text != DWARF_NO_CODE)
		t->row_count++;
	r->last = r->address;
}

/* Addresses increase within a sequence and its section of code. */
static enum err check_row(struct line_reader *r)
{
	if (r->text == DWARF_NO_CODE)
		return ERR_OK;
	if (r->address > r->from->code_size(r->from, r->text) ||
	    (r->to->row_count > r->first && r->address < r->last))
		return line_damage(r, "an address outside of its code");
	return ERR_OK;
}

static void begin_sequence(struct line_reader *r)
{
	r->text = DWARF_NO_CODE;
	r->address = r->last = 0;
	r->file = r->line = 1;
	r->caller = 0;
	r->first = r->to->row_count;
}

static void end_sequence(struct line_reader *r)
{
	struct dwarf_line_table *t = r->to;
	uint32_t n = t->row_count - r->first;

	if (r->text == DWARF_NO_CODE || !n)
		return;
	for (uint32_t i = 0; r->fill && i < n; i++) {
		struct dwarf_line_row *row = &t->rows[r->first + i];

		row->caller = row->caller && row->caller <= n ?
				      r->first + row->caller :
				      0;
	}
	if (r->fill)
		t->runs[t->run_count] = (struct dwarf_line_run){
			.text = r->text, .from = r->first, .count = n
		};
	t->run_count++;
}

static enum err extended(struct line_reader *r, const struct line_unit *u)
{
	uint64_t size = bytes_uleb(&r->in);
	size_t from = r->in.at, left = bytes_left(&r->in), at;
	enum err e = ERR_OK;

	if (!size || size > left)
		return line_damage(r, "a damaged instruction");
	switch (bytes_number(&r->in, 1)) {
	case LNE_END_SEQUENCE:
		e = check_row(r);
		if (e)
			return e;
		add_line_row(r, u, true);
		end_sequence(r);
		begin_sequence(r);
		break;
	case LNE_SET_ADDRESS:
		at = r->in.at;
		if (r->text == DWARF_NO_CODE)
			r->from->code(
				r->from, at,
				bytes_number(&r->in,
					     (unsigned)(size - 1) <= 8 ?
						     (unsigned)(size - 1) :
						     8),
				&r->text, &r->address);
		break;
	case LNE_INLINED_CALL:
		r->caller = bytes_uleb(&r->in);
		break;
	}
	r->in.at = from + (size_t)size;
	return e;
}

static void advance(struct line_reader *r, const struct line_unit *u,
		    uint64_t by)
{
	r->address += by * u->step;
}

static enum err special(struct line_reader *r, const struct line_unit *u,
			unsigned op)
{
	unsigned k = op - u->opcode_base;
	enum err e;

	advance(r, u, k / u->line_range);
	r->line += (uint64_t)(int64_t)(u->line_base + (int)(k % u->line_range));
	e = check_row(r);
	if (!e)
		add_line_row(r, u, false);
	return e;
}

static enum err standard(struct line_reader *r, const struct line_unit *u,
			 unsigned op)
{
	enum err e;

	switch (op) {
	case LNS_COPY:
		e = check_row(r);
		if (!e)
			add_line_row(r, u, false);
		return e;
	case LNS_ADVANCE_PC:
		advance(r, u, bytes_uleb(&r->in));
		return ERR_OK;
	case LNS_ADVANCE_LINE:
		r->line += (uint64_t)bytes_sleb(&r->in);
		return ERR_OK;
	case LNS_SET_FILE:
		r->file = bytes_uleb(&r->in);
		return ERR_OK;
	case LNS_CONST_ADD_PC:
		advance(r, u, (255 - u->opcode_base) / u->line_range);
		return ERR_OK;
	case LNS_FIXED_ADVANCE_PC:
		r->address += bytes_number(&r->in, 2);
		return ERR_OK;
	default:
		for (unsigned i = 0; i < u->operands[op - 1]; i++)
			bytes_uleb(&r->in);
		return ERR_OK;
	}
}

static enum err run_program(struct line_reader *r, const struct line_unit *u)
{
	enum err e = ERR_OK;

	begin_sequence(r);
	while (!e && bytes_left(&r->in)) {
		unsigned op = (unsigned)bytes_number(&r->in, 1);

		if (op >= u->opcode_base)
			e = special(r, u, op);
		else if (op)
			e = standard(r, u, op);
		else
			e = extended(r, u);
	}
	/* Without an end it is no sequence. */
	r->to->row_count = r->first;
	if (!e && r->in.bad)
		return line_damage(r, "a damaged instruction");
	return e;
}

/* ---- units ---- */

/* Reads the header of a unit whose length was read. */
static enum err unit_header(struct line_reader *r, struct line_unit *u)
{
	size_t program;
	enum err e;

	if (u->version >= 5)
		bytes_skip(&r->in, 2); /* bytes of addresses and selectors */
	program = (size_t)bytes_number(&r->in, 4);
	program = program <= bytes_left(&r->in) ? program + r->in.at : 0;
	u->step = (unsigned)bytes_number(&r->in, 1);
	if (u->version >= 4)
		bytes_skip(&r->in, 1); /* operations of an instruction */
	bytes_skip(&r->in, 1);         /* is_stmt */
	u->line_base = (int8_t)bytes_number(&r->in, 1);
	u->line_range = (unsigned)bytes_number(&r->in, 1);
	u->opcode_base = (unsigned)bytes_number(&r->in, 1);
	u->operands = r->in.data + r->in.at;
	if (u->opcode_base)
		bytes_skip(&r->in, u->opcode_base - 1);
	if (r->in.bad || !program || !u->line_range || !u->opcode_base)
		return line_damage(r, "a damaged header");
	e = line_files(r, u);
	if (e)
		return e;
	if (r->in.bad || r->in.at > program)
		return line_damage(r, "a damaged list of files");
	r->in.at = program;
	return ERR_OK;
}

static enum err read_unit(struct line_reader *r)
{
	struct line_unit u = { .version = (unsigned)bytes_number(&r->in, 2) };
	enum err e;

	if (u.version < 2 || u.version > 5)
		return ERR_OK;
	e = unit_header(r, &u);
	return e ? e : run_program(r, &u);
}

/* Reads all units, or only counts their rows. */
static enum err read_units(struct line_reader *r, size_t size)
{
	enum { LONG_UNIT = 0xffffff00 }; /* of 64-bit DWARF; not used */
	enum err e = ERR_OK;

	r->in.at = 0;
	r->in.size = size;
	r->to->row_count = r->to->run_count = 0;
	while (!e && bytes_left(&r->in)) {
		uint64_t n = bytes_number(&r->in, 4);
		size_t end;

		if (r->in.bad || n >= (unsigned)LONG_UNIT ||
		    n > bytes_left(&r->in))
			return line_damage(r, "a damaged unit");
		end = r->in.at + (size_t)n;
		r->in.size = end;
		e = read_unit(r);
		r->in = (struct byte_reader){ r->in.data, size, end, false };
	}
	return e;
}

static int by_text(const void *a, const void *b)
{
	const struct dwarf_line_run *x = a, *y = b;

	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

enum err dwarf_lines_read(struct dwarf_line_table *to, struct arena *a,
			  const struct dwarf_line_source *from, struct diag *d)
{
	struct line_reader r = { .in = { from->bytes.at, 0, 0, false },
				 .from = from,
				 .to = to,
				 .arena = a,
				 .d = d };
	size_t size = from->bytes.at ? (size_t)from->bytes.size : 0;
	enum err e = read_units(&r, size);

	if (e)
		return e;
	to->rows =
		arena_new(a, struct dwarf_line_row, (size_t)to->row_count + 1);
	to->runs =
		arena_new(a, struct dwarf_line_run, (size_t)to->run_count + 1);
	if (!to->rows || !to->runs)
		return no_memory(&r);
	r.fill = true;
	e = read_units(&r, size);
	if (!e)
		qsort(to->runs, to->run_count, sizeof(*to->runs), by_text);
	return e;
}

/* The last row of a run that is not after the address; NULL: none, or it is the
 * end. */
static const struct dwarf_line_row *row_in_run(const struct dwarf_line_table *t,
					       const struct dwarf_line_run *run,
					       uint32_t at)
{
	const struct dwarf_line_row *rows = &t->rows[run->from];
	size_t i;

	SEARCH_FIRST(i, run->count, rows[i].at <= at);
	return i && !rows[i - 1].end ? &rows[i - 1] : NULL;
}

const struct dwarf_line_row *dwarf_lines_find(const struct dwarf_line_table *t,
					      uint32_t text, uint32_t at)
{
	size_t i;

	SEARCH_FIRST(i, t->run_count, t->runs[i].text < text);
	for (; i < t->run_count && t->runs[i].text == text; i++) {
		const struct dwarf_line_row *row =
			row_in_run(t, &t->runs[i], at);

		if (row)
			return row;
	}
	return NULL;
}
