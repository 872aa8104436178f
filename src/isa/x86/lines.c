#include "isa/x86/lines.h"

#include <string.h>

/* All of the program's code is one piece, from its first address on. */
struct x86_line_source {
	struct dwarf_line_source base; /* first */
	uint64_t first, size;
};

static const struct x86_line_source *
x86_line_source_of(const struct dwarf_line_source *s)
{
	return (const struct x86_line_source *)s;
}

static void x86_line_code(const struct dwarf_line_source *s, uint64_t at,
			  uint64_t value, uint32_t *text, uint64_t *offset)
{
	const struct x86_line_source *own = x86_line_source_of(s);

	(void)at;
	/* Functions that the linker has left out are at 0. */
	if (value < own->first || value - own->first >= own->size)
		return;
	*text = 0;
	*offset = value - own->first;
}

static uint64_t x86_line_code_size(const struct dwarf_line_source *s,
				   uint32_t text)
{
	(void)text;
	return x86_line_source_of(s)->size;
}

/* From the first section with instructions to the end of the last one. */
static void x86_line_range(struct x86_line_source *s, const struct elf *f)
{
	uint64_t end = 0;

	s->first = UINT64_MAX;
	for (size_t i = 0; i < f->sections.count; i++) {
		struct elf_part p;
		struct diag ignored;

		if (elf_part(f, i, &p, &ignored) ||
		    !(p.head.sh_flags & SHF_EXECINSTR))
			continue;
		if (p.head.sh_addr < s->first)
			s->first = p.head.sh_addr;
		if (p.head.sh_addr + p.head.sh_size > end)
			end = p.head.sh_addr + p.head.sh_size;
	}
	s->size = end > s->first ? end - s->first : 0;
}

/* A copy of a section, which outlives the file; nothing if there is none. False: no
 * memory. */
static bool x86_line_section(struct dwarf_line_bytes *to, struct arena *a,
			     const struct elf *f, const char *name)
{
	struct elf_bytes b;
	uint8_t *copy;

	if (!elf_section(f, name, &b) || !b.size)
		return true;
	copy = arena_room(a, uint8_t, b.size);
	if (!copy)
		return false;
	memcpy(copy, b.data, b.size);
	*to = (struct dwarf_line_bytes){ copy, b.size };
	return true;
}

enum err x86_lines_read(struct x86_lines *to, struct arena *a,
			const struct elf *f, uint64_t base, struct diag *d)
{
	static const char name[] = ".debug_line";
	struct x86_line_source s = { .base = { .name = name,
					       .code = x86_line_code,
					       .code_size =
						       x86_line_code_size } };
	enum err e;

	x86_line_range(&s, f);
	if (!x86_line_section(&s.base.bytes, a, f, name) ||
	    !x86_line_section(&s.base.strings, a, f, ".debug_str") ||
	    !x86_line_section(&s.base.line_strings, a, f, ".debug_line_str"))
		return fail(d, ERR_NOMEM, "out of memory");
	to->base = base + s.first;
	if (!s.base.bytes.at || !s.size || s.size > UINT32_MAX)
		return ERR_OK;
	e = dwarf_lines_read(&to->table, a, &s.base, d);
	if (e == ERR_SYNTAX)
		to->table = (struct dwarf_line_table){ 0 };
	return e == ERR_SYNTAX ? ERR_OK : e;
}

uint32_t x86_lines_find(const struct x86_lines *l, uint64_t at,
			const char **file)
{
	const struct dwarf_line_row *row;

	if (at < l->base || at - l->base > UINT32_MAX)
		return 0;
	row = dwarf_lines_find(&l->table, 0, (uint32_t)(at - l->base));
	if (!row)
		return 0;
	*file = row->file;
	return row->line;
}
