/* The functions of a program, to name addresses. A stripped one has none. */
#include <stdio.h>
#include <stdlib.h>

#include "base/search.h"
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
	p->object = arena_new(&p->arena, struct x86_symbol, count + 1);
	if (!p->symbol || !p->object)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < count; i++) {
		Elf64_Sym s;
		struct x86_symbol one;
		const char *name;
		bool data;

		memcpy(&s, table->bytes.data + i * sizeof(s), sizeof(s));
		name = elf_part_string(strings, s.st_name);
		data = ELF64_ST_TYPE(s.st_info) == STT_OBJECT;
		if ((ELF64_ST_TYPE(s.st_info) != STT_FUNC && !data) ||
		    !s.st_value || !name)
			continue;
		name = arena_strndup(&p->arena, name, strlen(name));
		if (!name)
			return fail(d, ERR_NOMEM, "out of memory");
		one = (struct x86_symbol){ base + s.st_value, s.st_size, name };
		if (data)
			p->object[p->objects++] = one;
		else
			p->symbol[p->symbols++] = one;
	}
	qsort(p->symbol, p->symbols, sizeof(*p->symbol), x86_by_address);
	qsort(p->object, p->objects, sizeof(*p->object), x86_by_address);
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

/* The last one that begins at an address or before. */
static const struct x86_symbol *x86_symbol_before(const struct x86_symbol *list,
						  size_t count, uint64_t at)
{
	size_t i;

	SEARCH_FIRST(i, count, list[i].at <= at);
	return i ? &list[i - 1] : NULL;
}

const struct x86_symbol *x86_symbol_at(const struct x86_process *p, uint64_t at)
{
	const struct x86_symbol *s =
		x86_symbol_before(p->symbol, p->symbols, at);

	/* Functions of assembler may have no size: theirs ends somewhere before
	 * what is not mapped. */
	if (s && !s->size)
		return x86_mem_is_mapped(&p->mem, at, 1) ? s : NULL;
	return s && at - s->at < s->size ? s : NULL;
}

/* A variable in [at, at + X86_DATA_BLOCK), the first one. */
enum { X86_DATA_BLOCK = 64 };

static const struct x86_symbol *x86_object_at(const struct x86_process *p,
					      uint64_t at)
{
	const struct x86_symbol *s =
		x86_symbol_before(p->object, p->objects, at);
	const struct x86_symbol *next = s ? s + 1 : p->object;

	if (s && at - s->at < s->size)
		return s;
	/* One that begins in the same block. */
	return next < p->object + p->objects && next->at - at < X86_DATA_BLOCK ?
		       next :
		       NULL;
}

void x86_name_data(const struct x86_process *p, uint64_t at, char *text,
		   size_t size)
{
	const struct x86_symbol *s = x86_object_at(p, at);
	unsigned long long place = at;

	if (s && at > s->at)
		snprintf(text, size, "%.100s+0x%llx", s->name,
			 (unsigned long long)(at - s->at));
	else if (s)
		snprintf(text, size, "%.100s", s->name);
	else if (at >= p->brk_start && at < p->brk)
		snprintf(text, size, "heap+0x%llx", place - p->brk_start);
	else if (at >= X86_STACK_TOP - X86_STACK_BYTES && at < X86_STACK_TOP)
		snprintf(text, size, "first thread's stack");
	else if (at < X86_MMAP_TOP && at > p->brk)
		snprintf(text, size, "mapped memory, 0x%llx", place);
	else
		snprintf(text, size, "0x%llx", place);
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
