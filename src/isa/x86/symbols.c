/* The functions of a program, to name addresses. A stripped one has none. */
#include <stdio.h>
#include <stdlib.h>

#include "isa/x86/process_impl.h"

static int x86_by_address(const void *a, const void *b)
{
	const struct x86_symbol *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static enum err x86_take_symbols(struct x86_process *p, uint64_t base,
				 const struct elf_part *table,
				 const struct elf_part *strings, struct diag *d)
{
	size_t count = table->bytes.size / sizeof(Elf64_Sym);

	p->symbol = arena_new(&p->arena, struct x86_symbol, count + 1);
	if (!p->symbol)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < count; i++) {
		Elf64_Sym s;
		const char *name;

		memcpy(&s, table->bytes.data + i * sizeof(s), sizeof(s));
		name = elf_part_string(strings, s.st_name);
		if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || !s.st_value ||
		    !name)
			continue;
		name = arena_strndup(&p->arena, name, strlen(name));
		if (!name)
			return fail(d, ERR_NOMEM, "out of memory");
		p->symbol[p->symbols++] =
			(struct x86_symbol){ base + s.st_value, s.st_size,
					     name };
	}
	qsort(p->symbol, p->symbols, sizeof(*p->symbol), x86_by_address);
	return ERR_OK;
}

enum err x86_read_symbols(struct x86_process *p, const struct elf *f,
			  uint64_t base, struct diag *d)
{
	struct elf_part table, strings;
	struct diag ignored;

	/* A section that lies outside of the file costs only the names. */
	for (size_t i = 0; i < f->sections.count; i++)
		if (!elf_part(f, i, &table, &ignored) &&
		    table.head.sh_type == SHT_SYMTAB &&
		    table.head.sh_link < f->sections.count &&
		    !elf_part(f, table.head.sh_link, &strings, &ignored))
			return x86_take_symbols(p, base, &table, &strings, d);
	return ERR_OK;
}

const struct x86_symbol *x86_symbol_at(const struct x86_process *p, uint64_t at)
{
	size_t low = 0, high = p->symbols;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->symbol[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	/* Functions of assembler may have no size. */
	if (p->symbol[low - 1].size &&
	    at - p->symbol[low - 1].at >= p->symbol[low - 1].size)
		return NULL;
	return &p->symbol[low - 1];
}

void x86_name_address(const struct x86_process *p, uint64_t at, char *text,
		      size_t size)
{
	const struct x86_symbol *s = x86_symbol_at(p, at);

	if (s)
		snprintf(text, size, "0x%llx, %.100s+0x%llx",
			 (unsigned long long)at, s->name,
			 (unsigned long long)(at - s->at));
	else
		snprintf(text, size, "0x%llx", (unsigned long long)at);
}
