#include "isa/gcn/lines.h"

#include <string.h>

struct gcn_line_source {
	struct dwarf_line_source base; /* first */
	const struct gcn_object *object;
	struct elf_bytes relocations; /* of the table */
};

static const struct gcn_line_source *
gcn_line_source_of(const struct dwarf_line_source *s)
{
	return (const struct gcn_line_source *)s;
}

/* The relocation of byte `at` of the table, and its symbol. */
static bool find_relocation(const struct gcn_line_source *s, uint64_t at,
			    Elf64_Rela *r, Elf64_Sym *symbol)
{
	const struct elf_bytes *all = &s->relocations;
	const struct elf_bytes *symbols = &s->object->symbols.bytes;

	for (size_t i = 0; i + sizeof(*r) <= all->size; i += sizeof(*r)) {
		uint64_t number;

		memcpy(r, all->data + i, sizeof(*r));
		if (r->r_offset != at)
			continue;
		number = ELF64_R_SYM(r->r_info);
		if (number >= symbols->size / sizeof(*symbol))
			return false;
		memcpy(symbol, symbols->data + number * sizeof(*symbol),
		       sizeof(*symbol));
		return true;
	}
	return false;
}

/* The section of a linked object that an address is in. */
static void find_section(const struct gcn_object *o, uint64_t address,
			 uint32_t *text, uint64_t *offset)
{
	for (size_t i = 0; i < o->elf.sections.count; i++) {
		struct elf_part p;
		struct diag d;

		if (!elf_part(&o->elf, i, &p, &d) &&
		    p.head.sh_flags & SHF_EXECINSTR &&
		    address - p.head.sh_addr < p.head.sh_size) {
			*text = (uint32_t)i;
			*offset = address - p.head.sh_addr;
			return;
		}
	}
}

static void gcn_line_code(const struct dwarf_line_source *s, uint64_t at,
			  uint64_t value, uint32_t *text, uint64_t *offset)
{
	const struct gcn_object *o = gcn_line_source_of(s)->object;
	Elf64_Sym symbol;
	Elf64_Rela r;

	if (o->elf.head.e_type != ET_REL) {
		find_section(o, value, text, offset);
		return;
	}
	if (!find_relocation(gcn_line_source_of(s), at, &r, &symbol) ||
	    symbol.st_shndx >= o->elf.sections.count)
		return;
	*text = symbol.st_shndx;
	*offset = symbol.st_value + (uint64_t)r.r_addend;
}

static uint64_t gcn_line_code_size(const struct dwarf_line_source *s,
				   uint32_t text)
{
	struct elf_part p;
	struct diag d;

	return elf_part(&gcn_line_source_of(s)->object->elf, text, &p, &d) ?
		       0 :
		       p.head.sh_size;
}

static uint64_t gcn_line_offset(const struct dwarf_line_source *s, uint64_t at,
				uint64_t value)
{
	Elf64_Sym symbol;
	Elf64_Rela r;

	return find_relocation(gcn_line_source_of(s), at, &r, &symbol) ?
		       symbol.st_value + (uint64_t)r.r_addend :
		       value;
}

static struct dwarf_line_bytes gcn_line_section(const struct gcn_object *o,
						const char *name)
{
	struct elf_bytes b = { 0 };

	return elf_section(&o->elf, name, &b) ?
		       (struct dwarf_line_bytes){ b.data, b.size } :
		       (struct dwarf_line_bytes){ 0 };
}

enum err gcn_lines_read(struct dwarf_line_table *out, struct arena *a,
			const struct gcn_object *o, struct diag *d)
{
	static const char name[] = ".debug_line";
	struct gcn_line_source s = {
		.base = { .name = name,
			  .bytes = gcn_line_section(o, name),
			  .strings = gcn_line_section(o, ".debug_str"),
			  .line_strings =
				  gcn_line_section(o, ".debug_line_str"),
			  .code = gcn_line_code,
			  .code_size = gcn_line_code_size,
			  .offset = gcn_line_offset },
		.object = o,
	};

	elf_section(&o->elf, ".rela.debug_line", &s.relocations);
	return dwarf_lines_read(out, a, &s.base, d);
}
