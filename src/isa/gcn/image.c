#include "isa/gcn/image.h"

#include <string.h>

enum { IMAGE_MAX = 256 << 20, IMAGE_ALIGN = 256 };

/* Of LLVM's AMDGPU backend. */
enum {
	RELOC_NONE,
	RELOC_ABS32_LO,
	RELOC_ABS32_HI,
	RELOC_ABS64,
	RELOC_REL32,
	RELOC_REL64,
	RELOC_ABS32,
	RELOC_GOTPCREL,
	RELOC_GOTPCREL32_LO,
	RELOC_GOTPCREL32_HI,
	RELOC_REL32_LO,
	RELOC_REL32_HI,
	RELOC_RELATIVE64 = 13,
	RELOC_REL16
};

static bool is_linked(const struct gcn_object *o)
{
	return o->elf.head.e_type != ET_REL;
}

static uint64_t symbol_count(const struct gcn_object *o)
{
	return o->symbols.bytes.size / sizeof(Elf64_Sym);
}

static Elf64_Sym symbol_at(const struct gcn_object *o, uint64_t i)
{
	Elf64_Sym s;

	memcpy(&s, o->symbols.bytes.data + i * sizeof(s), sizeof(s));
	return s;
}

/* ---- layout ------------------------------------------------------------ */

/* A linked object's sections keep their addresses; others follow each other. */
static enum err place_sections(struct gcn_image *im, const struct gcn_object *o,
			       struct diag *d)
{
	uint64_t end = 0;

	for (size_t i = 0; i < o->elf.sections.count; i++) {
		struct elf_part p;
		uint64_t at, align;

		im->section[i] = UINT64_MAX;
		if (elf_part(&o->elf, i, &p, d))
			return d->code;
		if (!(p.head.sh_flags & SHF_ALLOC))
			continue;
		align = p.head.sh_addralign;
		align = align && align <= IMAGE_ALIGN ? align : IMAGE_ALIGN;
		at = is_linked(o) ? p.head.sh_addr :
				    (end + align - 1) / align * align;
		if (at > IMAGE_MAX || p.head.sh_size > IMAGE_MAX - at)
			return fail(d, ERR_SYNTAX,
				    "section %s: it ends beyond %d bytes of "
				    "memory",
				    p.name, IMAGE_MAX);
		im->section[i] = at;
		if (at + p.head.sh_size > end)
			end = at + p.head.sh_size;
	}
	im->table = (end + 15) & ~UINT64_C(15);
	im->bytes = im->table + 8 * symbol_count(o);
	return ERR_OK;
}

static enum err copy_sections(struct gcn_image *im, const struct gcn_object *o,
			      struct diag *d)
{
	for (size_t i = 0; i < o->elf.sections.count; i++) {
		struct elf_part p;

		if (im->section[i] == UINT64_MAX)
			continue;
		if (elf_part(&o->elf, i, &p, d))
			return d->code;
		if (p.bytes.size)
			memcpy(im->host + im->section[i], p.bytes.data,
			       p.bytes.size);
	}
	return ERR_OK;
}

bool gcn_image_symbol(const struct gcn_image *im, const struct gcn_object *o,
		      const Elf64_Sym *s, uint64_t *offset)
{
	if (s->st_shndx == SHN_UNDEF || s->st_shndx >= o->elf.sections.count ||
	    im->section[s->st_shndx] == UINT64_MAX)
		return false;
	*offset = s->st_value + (is_linked(o) ? 0 : im->section[s->st_shndx]);
	return *offset <= im->bytes;
}

/* ---- relocations ------------------------------------------------------- */

static void place_put(struct gcn_image *im, uint64_t at, uint64_t v,
		      unsigned bytes)
{
	memcpy(im->host + at, &v, bytes);
}

/* The address of a symbol in global memory. */
static enum err place_symbol_address(const struct gcn_image *im,
				     const struct gcn_object *o,
				     uint64_t number, uint64_t *out,
				     struct diag *d)
{
	Elf64_Sym s;
	const char *name;

	if (number >= symbol_count(o))
		return fail(d, ERR_SYNTAX,
			    "a relocation names symbol %llu of %llu",
			    (unsigned long long)number,
			    (unsigned long long)symbol_count(o));
	s = symbol_at(o, number);
	name = elf_part_string(&o->names, s.st_name);
	if (!gcn_image_symbol(im, o, &s, out)) {
		if (ELF64_ST_BIND(s.st_info) == STB_WEAK &&
		    s.st_shndx == SHN_UNDEF) {
			*out = 0;
			return ERR_OK;
		}
		return fail(d, ERR_UNSUPP,
			    "the code uses '%s', which it does not define; "
			    "link it with what does",
			    name && *name ? name : "a symbol without a name");
	}
	*out += im->base;
	return ERR_OK;
}

/* s: the symbol's address, or where the table has it. p: the place's. */
static enum err place_apply(struct gcn_image *im, uint64_t at, uint32_t type,
			    uint64_t s, uint64_t addend, struct diag *d)
{
	uint64_t absolute = s + addend, p = im->base + at;
	uint64_t relative = absolute - p;

	switch (type) {
	case RELOC_NONE:
		return ERR_OK;
	case RELOC_ABS32:
	case RELOC_ABS32_LO:
		place_put(im, at, absolute, 4);
		return ERR_OK;
	case RELOC_ABS32_HI:
		place_put(im, at, absolute >> 32, 4);
		return ERR_OK;
	case RELOC_ABS64:
		place_put(im, at, absolute, 8);
		return ERR_OK;
	case RELOC_REL32:
	case RELOC_REL32_LO:
	case RELOC_GOTPCREL:
	case RELOC_GOTPCREL32_LO:
		place_put(im, at, relative, 4);
		return ERR_OK;
	case RELOC_REL32_HI:
	case RELOC_GOTPCREL32_HI:
		place_put(im, at, relative >> 32, 4);
		return ERR_OK;
	case RELOC_REL64:
		place_put(im, at, relative, 8);
		return ERR_OK;
	case RELOC_RELATIVE64:
		place_put(im, at, im->base + addend, 8);
		return ERR_OK;
	case RELOC_REL16:
		place_put(im, at, (relative - 4) / 4, 2);
		return ERR_OK;
	default:
		return fail(d, ERR_UNSUPP, "relocation of type %u", type);
	}
}

static bool uses_table(uint32_t type)
{
	return type >= RELOC_GOTPCREL && type <= RELOC_GOTPCREL32_HI;
}

static enum err place_relocate(struct gcn_image *im, const struct gcn_object *o,
			       const Elf64_Rela *r, uint64_t start,
			       struct diag *d)
{
	uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
	uint64_t number = ELF64_R_SYM(r->r_info), s = 0;
	uint64_t at = start + r->r_offset;

	if (at > im->table || im->table - at < 8)
		return fail(d, ERR_SYNTAX,
			    "a relocation at 0x%llx is outside of its section",
			    (unsigned long long)r->r_offset);
	if (type != RELOC_RELATIVE64 && type != RELOC_NONE &&
	    place_symbol_address(im, o, number, &s, d))
		return d->code;
	if (uses_table(type)) {
		place_put(im, im->table + 8 * number, s, 8);
		s = im->base + im->table + 8 * number;
	}
	return place_apply(im, at, type, s, (uint64_t)r->r_addend, d);
}

static enum err relocate_section(struct gcn_image *im,
				 const struct gcn_object *o,
				 const struct elf_part *p, struct diag *d)
{
	uint64_t start = 0;

	if (!is_linked(o)) {
		if (p->head.sh_info >= o->elf.sections.count)
			return fail(d, ERR_SYNTAX,
				    "section %s relocates no section", p->name);
		start = im->section[p->head.sh_info];
		if (start == UINT64_MAX)
			return ERR_OK; /* of debug information */
	}
	for (size_t at = 0; at + sizeof(Elf64_Rela) <= p->bytes.size;
	     at += sizeof(Elf64_Rela)) {
		Elf64_Rela r;

		memcpy(&r, p->bytes.data + at, sizeof(r));
		if (place_relocate(im, o, &r, start, d))
			return d->code;
	}
	return ERR_OK;
}

static enum err relocate_all(struct gcn_image *im, const struct gcn_object *o,
			     struct diag *d)
{
	for (size_t i = 0; i < o->elf.sections.count; i++) {
		struct elf_part p;

		if (elf_part(&o->elf, i, &p, d))
			return d->code;
		if (p.head.sh_type == SHT_RELA &&
		    relocate_section(im, o, &p, d))
			return d->code;
	}
	return ERR_OK;
}

enum err gcn_image_new(struct gcn_image *im, struct arena *a,
		       const struct gcn_object *o, struct gmem *g,
		       struct diag *d)
{
	void *host;
	enum err e;

	im->base = 0;
	im->section = arena_new(a, uint64_t, o->elf.sections.count + 1);
	if (!im->section)
		return fail(d, ERR_NOMEM, "out of memory");
	e = place_sections(im, o, d);
	if (!e)
		e = gmem_alloc(g, im->bytes + 8, &im->base, d);
	if (e)
		return e;
	gmem_keep(g, im->base);
	e = gmem_host(g, im->base, im->bytes + 8, &host, d);
	im->host = host;
	if (!e)
		e = copy_sections(im, o, d);
	return e ? e : relocate_all(im, o, d);
}
