#include "base/elf.h"

#include <string.h>

#include "base/minmax.h"

static bool elf_contains(const struct elf *f, uint64_t at, uint64_t size)
{
	return at <= f->size && size <= f->size - at;
}

/* Entries may be longer than the part that we know, never shorter. */
static enum err set_table(const struct elf *f, struct elf_table *t, uint64_t at,
			  uint64_t count, uint64_t step, size_t known,
			  const char *what, struct diag *d)
{
	*t = (struct elf_table){ .step = step };
	if (!count)
		return ERR_OK;
	if (step < known || at > f->size || count > (f->size - at) / step)
		return fail(d, ERR_SYNTAX,
			    "ELF: %llu %s headers of %llu bytes at byte %llu "
			    "of %zu",
			    (unsigned long long)count, what,
			    (unsigned long long)step, (unsigned long long)at,
			    f->size);
	t->at = at;
	t->count = count;
	return ERR_OK;
}

static Elf64_Phdr program_header(const struct elf *f, size_t i)
{
	Elf64_Phdr p;

	memcpy(&p, f->data + f->programs.at + i * f->programs.step, sizeof(p));
	return p;
}

static Elf64_Shdr section_header(const struct elf *f, size_t i)
{
	Elf64_Shdr s;

	memcpy(&s, f->data + f->sections.at + i * f->sections.step, sizeof(s));
	return s;
}

/* A string table must end in NUL, so that each of its strings does. Anything
 * else counts as empty. */
static struct elf_bytes string_table(const struct elf *f, uint64_t at,
				     uint64_t size)
{
	struct elf_bytes none = { 0 };

	if (!size || !elf_contains(f, at, size) || f->data[at + size - 1])
		return none;
	return (struct elf_bytes){ f->data + at, size };
}

static const char *string_at(const struct elf_bytes *table, uint64_t at)
{
	return at < table->size ? (const char *)table->data + at : NULL;
}

/*
 * Numbers that do not fit into the header are in the first section header: the
 * count of sections in sh_size, the index of the section of names in sh_link,
 * the count of program headers in sh_info.
 */
static enum err read_tables(struct elf *f, struct diag *d)
{
	const Elf64_Ehdr *h = &f->head;
	uint64_t sections = h->e_shnum, names = h->e_shstrndx;
	uint64_t programs = h->e_phnum;
	Elf64_Shdr s = { 0 };
	enum err e;

	if (h->e_shoff) {
		e = set_table(f, &f->sections, h->e_shoff, 1, h->e_shentsize,
			      sizeof(s), "section", d);
		if (e)
			return e;
		s = section_header(f, 0);
		sections = sections ? sections : s.sh_size;
		names = names == SHN_XINDEX ? s.sh_link : names;
		programs = programs == PN_XNUM ? s.sh_info : programs;
	}
	e = set_table(f, &f->sections, h->e_shoff, h->e_shoff ? sections : 0,
		      h->e_shentsize, sizeof(s), "section", d);
	if (e)
		return e;
	if (names < f->sections.count) {
		s = section_header(f, names);
		f->section_names = string_table(f, s.sh_offset, s.sh_size);
	}
	return set_table(f, &f->programs, h->e_phoff, programs, h->e_phentsize,
			 sizeof(Elf64_Phdr), "program", d);
}

/* Finds the file offset of an address; false: it is not in the file. */
static bool file_offset(const struct elf *f, uint64_t address, uint64_t *at)
{
	for (size_t i = 0; i < f->programs.count; i++) {
		Elf64_Phdr p = program_header(f, i);

		if (p.p_type == PT_LOAD && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz &&
		    elf_contains(f, p.p_offset, p.p_filesz)) {
			*at = p.p_offset + (address - p.p_vaddr);
			return true;
		}
	}
	return false;
}

static bool dynamic_entry(const struct elf *f, size_t i, Elf64_Dyn *out)
{
	if (i >= f->dynamic.size / sizeof(*out))
		return false;
	memcpy(out, f->dynamic.data + i * sizeof(*out), sizeof(*out));
	return out->d_tag != DT_NULL;
}

static enum err read_dynamic(struct elf *f, struct diag *d)
{
	uint64_t address = 0, size = 0, at;
	Elf64_Dyn e;

	for (size_t i = 0; i < f->programs.count; i++) {
		Elf64_Phdr p = program_header(f, i);

		if (p.p_type != PT_DYNAMIC)
			continue;
		if (!elf_contains(f, p.p_offset, p.p_filesz))
			return fail(d, ERR_SYNTAX,
				    "ELF: the dynamic section lies outside of "
				    "the file");
		f->dynamic.data = f->data + p.p_offset;
		f->dynamic.size = p.p_filesz;
		break;
	}
	for (size_t i = 0; dynamic_entry(f, i, &e); i++) {
		if (e.d_tag == DT_STRTAB)
			address = e.d_un.d_ptr;
		else if (e.d_tag == DT_STRSZ)
			size = e.d_un.d_val;
	}
	if (size && file_offset(f, address, &at))
		f->strings = string_table(f, at, size);
	return ERR_OK;
}

enum err elf_open(struct elf *f, const void *data, size_t size, struct diag *d)
{
	enum err e;

	*f = (struct elf){ .data = data, .size = size };
	if (size < sizeof(f->head) || memcmp(data, ELFMAG, SELFMAG))
		return fail(d, ERR_SYNTAX, "not an ELF file");
	memcpy(&f->head, data, sizeof(f->head));
	if (f->head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    f->head.e_ident[EI_DATA] != ELFDATA2LSB)
		return fail(d, ERR_SYNTAX,
			    "an ELF file, but not a 64-bit little-endian one");
	e = read_tables(f, d);
	return e ? e : read_dynamic(f, d);
}

bool elf_section(const struct elf *f, const char *name, struct elf_bytes *out)
{
	for (size_t i = 0; i < f->sections.count; i++) {
		Elf64_Shdr s = section_header(f, i);
		const char *its = string_at(&f->section_names, s.sh_name);

		if (!its || strcmp(its, name))
			continue;
		*out = (struct elf_bytes){ f->data, 0 };
		if (s.sh_type == SHT_NOBITS)
			return true;
		if (!elf_contains(f, s.sh_offset, s.sh_size))
			return false;
		*out = (struct elf_bytes){ f->data + s.sh_offset, s.sh_size };
		return true;
	}
	return false;
}

enum err elf_part(const struct elf *f, size_t i, struct elf_part *out,
		  struct diag *d)
{
	Elf64_Shdr s = section_header(f, i);
	const char *name = string_at(&f->section_names, s.sh_name);

	*out = (struct elf_part){ .name = name ? name : "", .head = s };
	if (s.sh_type == SHT_NOBITS || s.sh_type == SHT_NULL)
		return ERR_OK;
	if (!elf_contains(f, s.sh_offset, s.sh_size))
		return fail(d, ERR_SYNTAX,
			    "section %s: %llu bytes at byte %llu of a file of "
			    "%zu",
			    *out->name ? out->name : "without a name",
			    (unsigned long long)s.sh_size,
			    (unsigned long long)s.sh_offset, f->size);
	out->bytes = (struct elf_bytes){ f->data + s.sh_offset, s.sh_size };
	return ERR_OK;
}

const char *elf_part_string(const struct elf_part *p, uint64_t at)
{
	if (at >= p->bytes.size ||
	    !memchr(p->bytes.data + at, 0, p->bytes.size - at))
		return NULL;
	return (const char *)p->bytes.data + at;
}

uint64_t elf_extent(const void *data)
{
	struct elf f = { .data = data, .size = SIZE_MAX };
	uint64_t end;

	memcpy(&f.head, data, sizeof(f.head));
	if (memcmp(data, ELFMAG, SELFMAG) ||
	    f.head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    f.head.e_shentsize != sizeof(Elf64_Shdr) || !f.head.e_shoff)
		return 0;
	f.sections = (struct elf_table){ f.head.e_shoff, f.head.e_shnum,
					 sizeof(Elf64_Shdr) };
	if (!f.sections.count)
		f.sections.count = section_header(&f, 0).sh_size;
	end = f.sections.at + f.sections.count * f.sections.step;
	if (f.head.e_phnum)
		end = max_u64(end, f.head.e_phoff + (uint64_t)f.head.e_phnum *
							    f.head.e_phentsize);
	for (size_t i = 0; i < f.sections.count; i++) {
		Elf64_Shdr s = section_header(&f, i);

		if (s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL)
			end = max_u64(end, s.sh_offset + s.sh_size);
	}
	return end;
}

const char *elf_string(const struct elf *f, int64_t tag, unsigned i)
{
	Elf64_Dyn e;

	for (size_t k = 0; dynamic_entry(f, k, &e); k++)
		if (e.d_tag == tag && !i--)
			return string_at(&f->strings, e.d_un.d_val);
	return NULL;
}
