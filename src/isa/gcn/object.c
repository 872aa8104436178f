#include "isa/gcn/object.h"

#include <string.h>

#include "base/bytes.h"

/* Of the ELF header; not in every elf.h. */
enum {
	MACHINE_AMDGPU = 224,
	FLAG_MACHINE = 0xff, /* of e_flags */
	SYMBOL_KERNEL = 10   /* with an amd_kernel_code_t */
};

bool gcn_object_matches(const void *data, size_t size)
{
	Elf64_Ehdr head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	return !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
	       head.e_ident[EI_CLASS] == ELFCLASS64 &&
	       head.e_machine == MACHINE_AMDGPU;
}

/* Which GPU the code is for; 0: one that is not known here. */
static uint32_t gfx_of(uint32_t flags)
{
	switch (flags & FLAG_MACHINE) {
	case 0x20:
		return 600;
	case 0x21:
		return 601;
	case 0x3a:
		return 602;
	default:
		return 0;
	}
}

static enum err find_symbols(struct gcn_object *o, struct diag *d)
{
	for (size_t i = 0; i < o->elf.sections.count; i++) {
		struct elf_part p;

		if (elf_part(&o->elf, i, &p, d))
			return d->code;
		if (p.head.sh_type != SHT_SYMTAB)
			continue;
		o->symbols = p;
		if (p.head.sh_link >= o->elf.sections.count)
			break;
		return elf_part(&o->elf, p.head.sh_link, &o->names, d);
	}
	return fail(d, ERR_SYNTAX,
		    o->symbols.name ? "section .symtab: its strings are not "
				      "in the file" :
				      "the file has no symbols");
}

enum err gcn_object_open(struct gcn_object *o, const void *data, size_t size,
			 struct diag *d)
{
	memset(o, 0, sizeof(*o));
	if (elf_open(&o->elf, data, size, d))
		return d->code;
	o->gfx = gfx_of(o->elf.head.e_flags);
	if (!o->gfx)
		return fail(d, ERR_UNSUPP,
			    "the code is for another GPU than those of GFX6 "
			    "(Southern Islands: gfx600 to gfx602): machine "
			    "0x%x",
			    (unsigned)(o->elf.head.e_flags & FLAG_MACHINE));
	return find_symbols(o, d);
}

/* The code of a symbol in its section. */
static enum err find_code(const struct gcn_object *o, const Elf64_Sym *s,
			  struct gcn_function *f, struct diag *d)
{
	bool linked = o->elf.head.e_type != ET_REL;
	struct elf_part in;
	uint64_t at, skip = 0;

	if (elf_part(&o->elf, s->st_shndx, &in, d))
		return d->code;
	at = s->st_value - (linked ? in.head.sh_addr : 0);
	if (ELF64_ST_TYPE(s->st_info) == SYMBOL_KERNEL)
		skip = GCN_CODE_HEADER;
	if (at > in.bytes.size || s->st_size > in.bytes.size - at ||
	    s->st_size < skip)
		return fail(d, ERR_SYNTAX,
			    "section %s: the code of %s is not inside of it",
			    in.name, f->name);
	f->address = s->st_value + skip;
	f->section = s->st_shndx;
	f->offset = at + skip;
	f->is_headed = skip != 0;
	f->code.data = in.bytes.data + at + skip;
	f->code.size = (size_t)(s->st_size - skip);
	return ERR_OK;
}

static bool is_function(const struct gcn_object *o, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	return (type == STT_FUNC || type == SYMBOL_KERNEL) && s->st_size &&
	       s->st_shndx != SHN_UNDEF && s->st_shndx < o->elf.sections.count;
}

enum err gcn_object_next(const struct gcn_object *o, size_t *at,
			 struct gcn_function *out, bool *found, struct diag *d)
{
	size_t count = o->symbols.bytes.size / sizeof(Elf64_Sym);

	*found = false;
	while (*at < count) {
		Elf64_Sym s;

		memcpy(&s, o->symbols.bytes.data + *at * sizeof(s), sizeof(s));
		++*at;
		if (!is_function(o, &s))
			continue;
		out->name = elf_part_string(&o->names, s.st_name);
		if (!out->name)
			return fail(d, ERR_SYNTAX,
				    "section .symtab: symbol %zu has no name",
				    *at - 1);
		*found = true;
		return find_code(o, &s, out, d);
	}
	return ERR_OK;
}
