#include "isa/sass/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"

enum { MAX_CALLERS = 64 };

/* ---- tables ---- */

/* A table and the cubin that it is of. */
struct sass_line_source {
	struct dwarf_line_source base; /* first */
	const struct sass_cubin *cubin;
	const struct sass_data *from;
};

static const struct sass_line_source *
line_source_of(const struct dwarf_line_source *s)
{
	return (const struct sass_line_source *)s;
}

static int by_offset(const void *key, const void *element)
{
	const uint64_t *at = key;
	const struct sass_reloc *r = element;

	return *at < r->offset ? -1 : *at > r->offset;
}

/* The relocation of an address says what it is relative to. */
static void line_code(const struct dwarf_line_source *s, uint64_t at,
		      uint64_t value, uint32_t *text, uint64_t *offset)
{
	const struct sass_data *from = line_source_of(s)->from;
	const struct sass_reloc *reloc =
		from->reloc_count ?
			bsearch(&at, from->relocs, from->reloc_count,
				sizeof(*reloc), by_offset) :
			NULL;

	(void)value;
	if (!reloc || reloc->symbol->place != SASS_TEXT)
		return;
	*text = reloc->symbol->text;
	*offset = reloc->symbol->value + (uint64_t)reloc->addend;
}

static uint64_t line_code_size(const struct dwarf_line_source *s, uint32_t text)
{
	return line_source_of(s)->cubin->texts[text].code.size;
}

static struct dwarf_line_bytes line_bytes_of(const struct sass_data *d)
{
	return (struct dwarf_line_bytes){ d->bytes, d->bytes ? d->size : 0 };
}

static enum err read_table(struct sass_lines *l, struct dwarf_line_table *to,
			   const struct sass_data *from, struct arena *a,
			   struct diag *d)
{
	const struct sass_line_source s = {
		.base = { .name = from->name,
			  .bytes = line_bytes_of(from),
			  .strings = line_bytes_of(&l->cubin->debug.str),
			  .line_strings =
				  line_bytes_of(&l->cubin->debug.line_str),
			  .code = line_code,
			  .code_size = line_code_size },
		.cubin = l->cubin,
		.from = from,
	};

	return dwarf_lines_read(to, a, &s.base, d);
}

/* ---- the PTX ---- */

static enum err list_ptx(struct sass_lines *l, struct arena *a, struct diag *d)
{
	const struct sass_data *p = &l->cubin->debug.ptx;
	struct byte_reader in = { p->bytes, p->bytes ? p->size : 0, 0, false };
	uint32_t n = 0;

	while (bytes_left(&in)) {
		bytes_string(&in);
		n += !in.bad;
	}
	l->ptx_text = arena_new(a, const char *, (size_t)n + 1);
	if (!l->ptx_text)
		return fail(d, ERR_NOMEM, "no memory for lines");
	in = (struct byte_reader){ in.data, in.size, 0, false };
	for (uint32_t i = 0; i < n; i++)
		l->ptx_text[i] = bytes_string(&in);
	l->ptx_lines = n;
	return ERR_OK;
}

static enum err list_shared(struct sass_lines *l, struct arena *a,
			    struct diag *d)
{
	const struct sass_cubin *c = l->cubin;

	l->shared = arena_new(a, uint32_t, (size_t)c->text_count + 1);
	if (!l->shared)
		return fail(d, ERR_NOMEM, "no memory for lines");
	for (uint32_t i = 0; i < c->text_count; i++)
		if (!c->texts[i].is_kernel && c->texts[i].code.size)
			l->shared[l->shared_count++] = i;
	return ERR_OK;
}

enum err sass_lines_read(struct sass_lines *out, struct arena *a,
			 const struct sass_cubin *c, struct diag *d)
{
	enum err e;

	*out = (struct sass_lines){ .cubin = c };
	e = read_table(out, &out->source, &c->debug.line, a, d);
	if (!e)
		e = read_table(out, &out->ptx, &c->debug.line_sass, a, d);
	if (!e)
		e = list_ptx(out, a, d);
	return e ? e : list_shared(out, a, d);
}

/* ---- questions ---- */

/* The section of code that an offset of a kernel's text lies in; *at becomes the
 * offset there. */
static uint32_t find_text(const struct sass_lines *l,
			  const struct sass_kernel *k, uint32_t *at)
{
	size_t i;

	SEARCH_FIRST(i, l->shared_count,
		     l->cubin->texts[l->shared[i]].at <= *at);
	if (!i)
		return k->own;
	*at -= l->cubin->texts[l->shared[i - 1]].at;
	return l->shared[i - 1];
}

static const struct dwarf_line_row *find_line(const struct sass_lines *l,
					      const struct dwarf_line_table *t,
					      const struct sass_kernel *k,
					      uint32_t at)
{
	uint32_t text = find_text(l, k, &at);

	return dwarf_lines_find(t, text, at);
}

static bool row_place(const struct dwarf_line_row *row, struct inst_place *out)
{
	if (!row || !row->line || !row->file)
		return false;
	*out = (struct inst_place){ row->file, row->line };
	return true;
}

bool sass_lines_at(const struct sass_lines *l, const struct sass_kernel *k,
		   uint32_t at, struct inst_place *out)
{
	return row_place(find_line(l, &l->source, k, at), out);
}

bool sass_lines_caller(const struct sass_lines *l, const struct sass_kernel *k,
		       uint32_t at, unsigned depth, struct inst_place *out)
{
	const struct dwarf_line_row *row = find_line(l, &l->source, k, at);

	/* A damaged table could go in circles. */
	if (depth >= MAX_CALLERS)
		return false;
	for (unsigned i = 0; row && i <= depth; i++)
		row = row->caller ? &l->source.rows[row->caller - 1] : NULL;
	return row_place(row, out);
}

uint32_t sass_lines_ptx(const struct sass_lines *l, const struct sass_kernel *k,
			uint32_t at)
{
	const struct dwarf_line_row *row = find_line(l, &l->ptx, k, at);

	return row ? row->line : 0;
}

const char *sass_lines_ptx_text(const struct sass_lines *l, uint32_t line)
{
	return line && line <= l->ptx_lines ? l->ptx_text[line - 1] : NULL;
}
