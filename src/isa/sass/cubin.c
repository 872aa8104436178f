#include "isa/sass/cubin.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "base/search.h"
#include "isa/sass/cubin_read.h"

enum {
	OSABI_CUDA = 0x33, /* with ABI version 7; of CUDA 12 and before */
	OSABI_CUDA_13 = 0x41,
	ABI_CUDA = 7,
	ABI_CUDA_13 = 8,
	ACCELERATED = 0x800, /* in e_flags: sm_90a; CUDA 13 has .nv.compat */
	ACCELERATED_13 = 0x8,
	STO_MANAGED = 0x4,
	STO_KERNEL = 0x10,
	/* Of the texts of all kernels, if they share functions. */
	MAX_SHARED_CODE = 1 << 28,
};

enum err cubin_no_memory(struct cubin_reader *r)
{
	return fail(r->d, ERR_NOMEM, "no memory for a cubin");
}

uint32_t cubin_u16(const uint8_t *p)
{
	return (uint32_t)(p[0] | p[1] << 8);
}

uint32_t cubin_u32(const uint8_t *p)
{
	return cubin_u16(p) | cubin_u16(p + 2) << 16;
}

uint64_t cubin_u64(const uint8_t *p)
{
	return cubin_u32(p) | (uint64_t)cubin_u32(p + 4) << 32;
}

bool sass_cubin_matches(const void *bytes, size_t size)
{
	Elf64_Ehdr h;

	if (size < sizeof(h))
		return false;
	memcpy(&h, bytes, sizeof(h));
	return !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_machine == EM_CUDA;
}

/* ---- header ---- */

static enum err read_abi(struct cubin_reader *r)
{
	const Elf64_Ehdr *h = &r->elf.head;
	unsigned abi = h->e_ident[EI_OSABI];
	unsigned version = h->e_ident[EI_ABIVERSION];

	if (abi == OSABI_CUDA && version == ABI_CUDA) {
		r->c->sm = h->e_flags & 0xff;
		r->c->variant = h->e_flags & ACCELERATED ? 'a' : 0;
		return ERR_OK;
	}
	if (abi == OSABI_CUDA_13 && version == ABI_CUDA_13) {
		r->c->sm = h->e_flags >> 8 & 0xff;
		r->c->variant = h->e_flags & ACCELERATED_13 ? 'a' : 0;
		return ERR_OK;
	}
	return fail(r->d, ERR_UNSUPP,
		    "cubin: OS/ABI 0x%x, version %u; known are 0x%x, version "
		    "%u, and 0x%x, version %u",
		    abi, version, OSABI_CUDA, ABI_CUDA, OSABI_CUDA_13,
		    ABI_CUDA_13);
}

uint32_t sass_cubin_sm(const void *bytes, size_t size)
{
	struct sass_cubin c = { 0 };
	struct diag ignored;
	struct cubin_reader r = { .c = &c, .d = &ignored };

	if (!sass_cubin_matches(bytes, size))
		return 0;
	memcpy(&r.elf.head, bytes, sizeof(r.elf.head));
	return read_abi(&r) ? 0 : c.sm;
}

static enum err cubin_header(struct cubin_reader *r, const void *bytes,
			     size_t size)
{
	const Elf64_Ehdr *h = &r->elf.head;
	enum err e = elf_open(&r->elf, bytes, size, r->d);

	if (e)
		return e;
	if (h->e_machine != EM_CUDA)
		return fail(r->d, ERR_SYNTAX,
			    "an ELF file for machine %u, not for a GPU",
			    h->e_machine);
	if (h->e_type == ET_REL)
		return fail(
			r->d, ERR_UNSUPP,
			"a relocatable cubin, not a linked one: link it "
			"with nvcc -dlink, or compile it without -rdc=true");
	if (h->e_type != ET_EXEC)
		return fail(r->d, ERR_SYNTAX, "cubin: an ELF file of type %u",
			    h->e_type);
	return read_abi(r);
}

/* ---- sections ---- */

static enum err cubin_parts(struct cubin_reader *r)
{
	r->section_count = (uint32_t)r->elf.sections.count;
	r->sections = arena_new(r->arena, struct cubin_section,
				(size_t)r->section_count + 1);
	if (!r->sections)
		return cubin_no_memory(r);
	for (uint32_t i = 0; i < r->section_count; i++) {
		struct cubin_section *s = &r->sections[i];
		enum err e = elf_part(&r->elf, i, &s->part, r->d);

		if (e)
			return e;
		s->text = s->kernel = CUBIN_NONE;
	}
	return ERR_OK;
}

/* The rest of a name after a prefix; NULL: it has another. */
static const char *after(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(name, prefix, n) ? NULL : name + n;
}

static char *keep(struct cubin_reader *r, const char *s)
{
	return arena_strndup(r->arena, s, strlen(s));
}

/* Copies a section. One without bytes in the file has zeros, which take no
 * memory here. */
static enum err take_data(struct cubin_reader *r, struct cubin_section *s,
			  struct sass_data *out)
{
	const Elf64_Shdr *h = &s->part.head;

	if (h->sh_type == SHT_NULL)
		return fail(r->d, ERR_SYNTAX, "section %s: of type 0",
			    s->part.name);
	if (h->sh_addralign > 1 << 16 ||
	    (h->sh_addralign & (h->sh_addralign - 1)))
		return fail(r->d, ERR_SYNTAX,
			    "section %s: aligned to %llu bytes", s->part.name,
			    (unsigned long long)h->sh_addralign);
	if (s->data)
		return ERR_OK;
	*out = (struct sass_data){
		.name = keep(r, s->part.name),
		.size = h->sh_size,
		.align = h->sh_addralign ? (uint32_t)h->sh_addralign : 1,
	};
	if (!out->name)
		return cubin_no_memory(r);
	s->data = out;
	if (h->sh_type == SHT_NOBITS)
		return ERR_OK;
	/* A byte more, so that no bytes are not NULL. */
	out->bytes = arena_new(r->arena, uint8_t, s->part.bytes.size + 1);
	if (!out->bytes)
		return cubin_no_memory(r);
	if (out->size)
		memcpy(out->bytes, s->part.bytes.data, out->size);
	return ERR_OK;
}

static bool is_text(const struct elf_part *p)
{
	return p->head.sh_type == SHT_PROGBITS && after(p->name, ".text.");
}

static enum err take_text(struct cubin_reader *r, uint32_t i)
{
	struct cubin_section *s = &r->sections[i];
	struct sass_text *t = &r->c->texts[r->c->text_count];

	if (s->part.bytes.size % SASS_INST_BYTES ||
	    s->part.bytes.size > INT32_MAX)
		return fail(r->d, ERR_SYNTAX,
			    "section %s: %zu bytes, which are no whole "
			    "instructions of %u",
			    s->part.name, s->part.bytes.size, SASS_INST_BYTES);
	t->section = i;
	t->owner = keep(r, after(s->part.name, ".text."));
	s->text = r->c->text_count++;
	return t->owner ? take_data(r, s, &t->code) : cubin_no_memory(r);
}

static enum err read_texts(struct cubin_reader *r)
{
	uint32_t n = 0;
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < r->section_count; i++)
		n += is_text(&r->sections[i].part);
	r->c->texts = arena_new(r->arena, struct sass_text, (size_t)n + 1);
	if (!r->c->texts)
		return cubin_no_memory(r);
	for (uint32_t i = 0; !e && i < r->section_count; i++)
		if (is_text(&r->sections[i].part))
			e = take_text(r, i);
	return e;
}

static enum err read_variables(struct cubin_reader *r)
{
	struct sass_cubin *c = r->c;
	const struct {
		const char *name;
		struct sass_data *to;
	} known[] = {
		{ ".nv.global", &c->global },
		{ ".nv.global.init", &c->init },
		{ ".debug_line", &c->debug.line },
		{ ".debug_line_str", &c->debug.line_str },
		{ ".debug_str", &c->debug.str },
		{ ".nv_debug_line_sass", &c->debug.line_sass },
		{ ".nv_debug_ptx_txt", &c->debug.ptx },
	};
	enum err e = ERR_OK;

	for (uint32_t i = 0; !e && i < r->section_count; i++)
		for (size_t k = 0; !e && k < sizeof(known) / sizeof(*known);
		     k++)
			if (!strcmp(r->sections[i].part.name, known[k].name) &&
			    !known[k].to->name)
				e = take_data(r, &r->sections[i], known[k].to);
	if (!e && c->init.name && !c->init.bytes)
		return fail(r->d, ERR_SYNTAX,
			    "section .nv.global.init: has no bytes");
	return e;
}

/* ---- symbols ---- */

static enum sass_home place_of(const struct cubin_section *s)
{
	static const struct {
		const char *prefix;
		enum sass_home place;
	} places[] = {
		{ ".nv.global.init", SASS_INIT },
		{ ".nv.global", SASS_GLOBAL },
		{ ".nv.constant3", SASS_CONSTANT },
		{ ".nv.shared.", SASS_SHARED },
	};

	if (s->text != CUBIN_NONE)
		return SASS_TEXT;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (after(s->part.name, places[i].prefix))
			return places[i].place;
	return SASS_ELSEWHERE;
}

static uint64_t cubin_size(const struct cubin_section *s)
{
	return s->part.head.sh_size;
}

static enum err set_place(struct cubin_reader *r, struct sass_symbol *y,
			  const Elf64_Sym *s)
{
	const struct cubin_section *in;

	if (s->st_shndx == SHN_UNDEF || s->st_shndx >= SHN_LORESERVE) {
		y->place = s->st_shndx ? SASS_ELSEWHERE : SASS_UNDEFINED;
		return ERR_OK;
	}
	if (s->st_shndx >= r->section_count)
		return fail(r->d, ERR_SYNTAX,
			    "section .symtab: %s is in section %u of %u",
			    y->name, s->st_shndx, r->section_count);
	in = &r->sections[s->st_shndx];
	y->place = place_of(in);
	y->text = in->text;
	if (y->place != SASS_ELSEWHERE &&
	    (y->value > cubin_size(in) || y->size > cubin_size(in) - y->value))
		return fail(r->d, ERR_SYNTAX,
			    "section .symtab: %s has %llu bytes at %llu of %s, "
			    "which has %llu",
			    y->name, (unsigned long long)y->size,
			    (unsigned long long)y->value, in->part.name,
			    (unsigned long long)cubin_size(in));
	return ERR_OK;
}

static enum err read_symbol(struct cubin_reader *r, struct sass_symbol *y,
			    const Elf64_Sym *s, const struct elf_part *names)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	const char *name = elf_part_string(names, s->st_name);

	if (!name)
		return fail(r->d, ERR_SYNTAX,
			    "section .symtab: a name at byte %u of %s, which "
			    "has %zu",
			    s->st_name, names->name, names->bytes.size);
	if (type == STT_SECTION && s->st_shndx < r->section_count)
		name = r->sections[s->st_shndx].part.name;
	y->name = keep(r, name);
	y->value = s->st_value;
	y->size = s->st_size;
	y->is_function = type == STT_FUNC;
	y->is_variable = type == STT_OBJECT;
	y->is_managed = y->is_variable && s->st_other & STO_MANAGED;
	y->is_local = ELF64_ST_BIND(s->st_info) == STB_LOCAL;
	return y->name ? set_place(r, y, s) : cubin_no_memory(r);
}

/* A kernel's section begins with its symbol. */
static void mark_kernel(struct cubin_reader *r, const struct sass_symbol *y,
			const Elf64_Sym *s)
{
	if (y->place == SASS_TEXT && y->is_function &&
	    s->st_other & STO_KERNEL && !y->value &&
	    !strcmp(y->name, r->c->texts[y->text].owner))
		r->c->texts[y->text].is_kernel = true;
}

static enum err fill_symbols(struct cubin_reader *r,
			     const struct elf_part *table,
			     const struct elf_part *names)
{
	for (uint32_t i = 0; i < r->c->symbol_count; i++) {
		struct sass_symbol *y = &r->c->symbols[i];
		Elf64_Sym s;
		enum err e;

		memcpy(&s, table->bytes.data + i * sizeof(s), sizeof(s));
		e = read_symbol(r, y, &s, names);
		if (e)
			return e;
		mark_kernel(r, y, &s);
	}
	return ERR_OK;
}

static enum err read_symbols(struct cubin_reader *r)
{
	const struct elf_part *table = NULL;
	size_t n;

	for (uint32_t i = 0; i < r->section_count; i++)
		if (r->sections[i].part.head.sh_type == SHT_SYMTAB)
			table = &r->sections[i].part;
	if (!table)
		return fail(r->d, ERR_SYNTAX, "cubin: no section .symtab");
	n = table->bytes.size / sizeof(Elf64_Sym);
	if (n * sizeof(Elf64_Sym) != table->bytes.size || n > INT32_MAX ||
	    table->head.sh_link >= r->section_count)
		return fail(r->d, ERR_SYNTAX,
			    "section %s: %zu bytes with names in section %u",
			    table->name, table->bytes.size,
			    table->head.sh_link);
	r->c->symbol_count = (uint32_t)n;
	r->c->symbols = arena_new(r->arena, struct sass_symbol, n + 1);
	if (!r->c->symbols)
		return cubin_no_memory(r);
	return fill_symbols(r, table, &r->sections[table->head.sh_link].part);
}

/* ---- kernels ---- */

/* The kernel that .nv.*.NAME belongs to: ptxas says so in the header. */
static uint32_t kernel_of(const struct cubin_reader *r,
			  const struct elf_part *p, const char *name)
{
	uint32_t i = p->head.sh_info;

	if (i < r->section_count && r->sections[i].kernel != CUBIN_NONE &&
	    !strcmp(r->c->kernels[r->sections[i].kernel].name, name))
		return r->sections[i].kernel;
	for (i = 0; i < r->c->kernel_count; i++)
		if (!strcmp(r->c->kernels[i].name, name))
			return i;
	return CUBIN_NONE;
}

static void assign_sections(struct cubin_reader *r)
{
	static const char *const prefix[] = { ".nv.info.", ".nv.shared." };

	for (uint32_t i = 0; i < r->section_count; i++) {
		struct cubin_section *s = &r->sections[i];
		const char *name = s->part.name, *rest;

		for (size_t k = 0; k < sizeof(prefix) / sizeof(*prefix); k++)
			if ((rest = after(name, prefix[k])))
				s->kernel = kernel_of(r, &s->part, rest);
		rest = after(name, ".nv.constant");
		if (rest && (rest = strchr(rest, '.')))
			s->kernel = kernel_of(r, &s->part, rest + 1);
	}
}

static enum err list_kernels(struct cubin_reader *r)
{
	struct sass_cubin *c = r->c;

	c->kernels = arena_new(r->arena, struct sass_kernel,
			       (size_t)c->text_count + 1);
	if (!c->kernels)
		return cubin_no_memory(r);
	for (uint32_t i = 0; i < c->text_count; i++) {
		if (!c->texts[i].is_kernel)
			continue;
		r->sections[c->texts[i].section].kernel = c->kernel_count;
		c->kernels[c->kernel_count++] =
			(struct sass_kernel){ .name = c->texts[i].owner,
					      .own = i };
	}
	for (uint32_t i = 0; i < c->symbol_count; i++) {
		const struct sass_symbol *y = &c->symbols[i];
		uint32_t k;

		if (y->place != SASS_TEXT || !y->is_function || y->value)
			continue;
		k = r->sections[c->texts[y->text].section].kernel;
		if (k != CUBIN_NONE && !strcmp(c->kernels[k].name, y->name))
			c->kernels[k].symbol = i;
	}
	assign_sections(r);
	return ERR_OK;
}

/* From sm_90 on, the first bytes of shared memory belong to the system. */
static enum err take_shared(struct cubin_reader *r)
{
	enum { SYSTEM_BYTES = 0x400, SINCE = 90 };
	uint32_t reserved = r->c->sm >= SINCE ? SYSTEM_BYTES : 0;

	for (uint32_t i = 0; i < r->c->kernel_count; i++) {
		r->c->kernels[i].shared_base = reserved;
		r->c->kernels[i].shared_align = 1;
	}
	for (uint32_t i = 0; i < r->section_count; i++) {
		const struct cubin_section *s = &r->sections[i];
		const Elf64_Shdr *h = &s->part.head;
		struct sass_kernel *k;

		if (s->kernel == CUBIN_NONE ||
		    !after(s->part.name, ".nv.shared."))
			continue;
		if (h->sh_type != SHT_NOBITS || h->sh_size > INT32_MAX ||
		    h->sh_addralign > 1 << 16)
			return fail(r->d, ERR_SYNTAX,
				    "section %s: type 0x%x, %llu bytes aligned "
				    "to %llu",
				    s->part.name, h->sh_type,
				    (unsigned long long)h->sh_size,
				    (unsigned long long)h->sh_addralign);
		k = &r->c->kernels[s->kernel];
		k->shared_bytes = (uint32_t)h->sh_size;
		if (k->shared_bytes >= reserved)
			k->shared_bytes -= reserved;
		k->shared_align = h->sh_addralign ? (uint32_t)h->sh_addralign :
						    1;
	}
	return ERR_OK;
}

/* ---- constant banks ---- */

/* .nv.constant3 or .nv.constant2.KERNEL: the number; -1: another section. */
static int bank_number(const char *name)
{
	const char *rest = after(name, ".nv.constant");
	char *end;
	unsigned long n;

	if (!rest || *rest < '0' || *rest > '9')
		return -1;
	n = strtoul(rest, &end, 10);
	return n < 32 && (!*end || *end == '.') ? (int)n : -1;
}

static enum err add_bank(struct cubin_reader *r, struct cubin_section *s,
			 int bank, struct sass_bank *list, uint32_t *count)
{
	struct sass_bank *b = &list[*count];
	enum err e;

	if (s->part.head.sh_type == SHT_NOBITS || cubin_size(s) > 1 << 16)
		return fail(r->d, ERR_SYNTAX,
			    "section %s: %llu bytes of constants, where 65536 "
			    "are possible",
			    s->part.name, (unsigned long long)cubin_size(s));
	for (uint32_t i = 0; i < *count; i++)
		if (list[i].bank == (uint32_t)bank)
			return fail(r->d, ERR_SYNTAX,
				    "section %s: there are two of them",
				    s->part.name);
	b->bank = (uint32_t)bank;
	e = take_data(r, s, &b->data);
	if (!e)
		++*count;
	return e;
}

static enum err take_bank(struct cubin_reader *r, struct cubin_section *s,
			  int bank)
{
	enum { BANKS = 32 };
	struct sass_cubin *c = r->c;
	struct sass_kernel *k;

	if (!strchr(after(s->part.name, ".nv.constant"), '.')) {
		if (!c->banks)
			c->banks = arena_new(r->arena, struct sass_bank, BANKS);
		return c->banks ?
			       add_bank(r, s, bank, c->banks, &c->bank_count) :
			       cubin_no_memory(r);
	}
	if (s->kernel == CUBIN_NONE)
		return ERR_OK;
	k = &c->kernels[s->kernel];
	if (!bank) {
		if (cubin_size(s) > 1 << 16)
			return fail(r->d, ERR_SYNTAX, "section %s: %llu bytes",
				    s->part.name,
				    (unsigned long long)cubin_size(s));
		k->bank0_bytes = (uint32_t)cubin_size(s);
		return ERR_OK;
	}
	if (!k->banks)
		k->banks = arena_new(r->arena, struct sass_bank, BANKS);
	return k->banks ? add_bank(r, s, bank, k->banks, &k->bank_count) :
			  cubin_no_memory(r);
}

static enum err read_banks(struct cubin_reader *r)
{
	enum err e = ERR_OK;

	for (uint32_t i = 0; !e && i < r->section_count; i++) {
		int bank = bank_number(r->sections[i].part.name);

		if (bank >= 0)
			e = take_bank(r, &r->sections[i], bank);
	}
	return e;
}

/* ---- the text of a kernel ---- */

/* The offset of the first function that all kernels share: behind the longest
 * kernel. */
static uint64_t functions_start(const struct sass_cubin *c)
{
	enum { LINE = 128 }; /* to which ptxas aligns code */
	uint64_t longest = 0;

	for (uint32_t i = 0; i < c->text_count; i++)
		if (c->texts[i].is_kernel)
			longest = max_u64(longest, c->texts[i].code.size);
	return round_up(longest, LINE);
}

/* Lays out the functions. Returns the end of the last one; 0: there is none. */
static uint64_t place_functions(struct sass_cubin *c)
{
	uint64_t start = functions_start(c), at = start;

	for (uint32_t i = 0; i < c->text_count; i++) {
		struct sass_text *t = &c->texts[i];

		if (t->is_kernel || at > MAX_SHARED_CODE)
			continue;
		t->at = (uint32_t)at;
		at += t->code.size;
	}
	return at > start ? at : 0;
}

static void append_text(struct sass_kernel *k, const struct sass_text *t,
			uint32_t at)
{
	memcpy(k->text + at, t->code.bytes, t->code.size);
	for (uint32_t i = 0; i < t->code.reloc_count; i++) {
		struct sass_reloc *to = &k->relocs[k->reloc_count++];

		*to = t->code.relocs[i];
		to->offset += at;
	}
}

static bool in_text(const struct sass_cubin *c, const struct sass_kernel *k,
		    uint32_t text)
{
	return text == k->own || !c->texts[text].is_kernel;
}

/* Nothing runs between a kernel and the functions, but all of it is decoded. */
static void fill_gap(struct sass_kernel *k, size_t from)
{
	for (size_t at = from; from && at < k->text_size; at += SASS_INST_BYTES)
		memcpy(k->text + at, k->text + from - SASS_INST_BYTES,
		       SASS_INST_BYTES);
}

/* end: of the last function, or 0. */
static enum err compose_text(struct cubin_reader *r, struct sass_kernel *k,
			     uint64_t end)
{
	struct sass_cubin *c = r->c;
	const struct sass_text *own = &c->texts[k->own];
	size_t relocs = 0;

	for (uint32_t i = 0; i < c->text_count; i++)
		if (in_text(c, k, i))
			relocs += c->texts[i].code.reloc_count;
	k->text_size = (uint32_t)(end ? end : own->code.size);
	k->text = arena_new(r->arena, uint8_t, (size_t)k->text_size + 1);
	k->relocs = arena_new(r->arena, struct sass_reloc, relocs + 1);
	if (!k->text || !k->relocs)
		return cubin_no_memory(r);
	append_text(k, own, 0);
	fill_gap(k, own->code.size);
	for (uint32_t i = 0; end && i < c->text_count; i++)
		if (!c->texts[i].is_kernel)
			append_text(k, &c->texts[i], c->texts[i].at);
	return ERR_OK;
}

static bool is_code(const struct sass_symbol *y)
{
	return y->place == SASS_TEXT && y->is_function;
}

/* The bytes that a kernel's copy of the shared functions takes here. */
static uint64_t shared_weight(const struct sass_cubin *c, uint64_t code)
{
	for (uint32_t i = 0; i < c->text_count; i++)
		if (!c->texts[i].is_kernel)
			code += c->texts[i].code.reloc_count *
				(uint64_t)sizeof(struct sass_reloc);
	for (uint32_t i = 0; i < c->symbol_count; i++)
		if (is_code(&c->symbols[i]) &&
		    !c->texts[c->symbols[i].text].is_kernel)
			code += sizeof(struct sass_func);
	return code;
}

static enum err compose_texts(struct cubin_reader *r)
{
	struct sass_cubin *c = r->c;
	uint64_t end = place_functions(c);
	enum err e = ERR_OK;

	if (end && shared_weight(c, end) * c->kernel_count > MAX_SHARED_CODE)
		return fail(r->d, ERR_RANGE,
			    "cubin: %u kernels with the functions that they "
			    "share have %llu bytes of code each; together that "
			    "is more than %u MiB",
			    c->kernel_count, (unsigned long long)end,
			    MAX_SHARED_CODE >> 20);
	for (uint32_t i = 0; !e && i < c->kernel_count; i++)
		e = compose_text(r, &c->kernels[i], end);
	return e;
}

/* ptxas calls a kernel's copy of a function $kernel$function, and its own
 * helpers $__internal_0_$function. */
static const char *plain_name(const struct sass_symbol *y)
{
	const char *rest = y->name[0] == '$' ? strchr(y->name + 1, '$') : NULL;

	return rest && rest[1] ? rest + 1 : y->name;
}

static int compare_funcs(const void *a, const void *b)
{
	const struct sass_func *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static enum err list_functions(struct cubin_reader *r, struct sass_kernel *k,
			       const uint32_t *first, const uint32_t *list)
{
	struct sass_cubin *c = r->c;
	size_t n = 0;

	for (uint32_t t = 0; t < c->text_count; t++)
		if (in_text(c, k, t))
			n += first[t + 1] - first[t];
	k->funcs = arena_new(r->arena, struct sass_func, n + 1);
	if (!k->funcs)
		return cubin_no_memory(r);
	for (uint32_t t = 0; t < c->text_count; t++) {
		for (uint32_t i = first[t];
		     in_text(c, k, t) && i < first[t + 1]; i++) {
			const struct sass_symbol *y = &c->symbols[list[i]];
			uint32_t at = t == k->own ? 0 : c->texts[t].at;

			if (list[i] == k->symbol)
				continue;
			k->funcs[k->func_count++] = (struct sass_func){
				.name = plain_name(y),
				.at = at + (uint32_t)y->value,
				.size = (uint32_t)y->size,
			};
		}
	}
	qsort(k->funcs, k->func_count, sizeof(*k->funcs), compare_funcs);
	return ERR_OK;
}

/* Sorts the symbols of code by section once, for all kernels. */
static enum err read_functions(struct cubin_reader *r)
{
	struct sass_cubin *c = r->c;
	uint32_t *first =
		arena_new(r->arena, uint32_t, (size_t)c->text_count + 2);
	uint32_t *list =
		arena_new(r->arena, uint32_t, (size_t)c->symbol_count + 1);
	enum err e = ERR_OK;

	if (!first || !list)
		return cubin_no_memory(r);
	for (uint32_t i = 0; i < c->symbol_count; i++)
		if (is_code(&c->symbols[i]))
			first[c->symbols[i].text + 2]++;
	for (uint32_t t = 2; t < c->text_count + 2; t++)
		first[t] += first[t - 1];
	for (uint32_t i = 0; i < c->symbol_count; i++)
		if (is_code(&c->symbols[i]))
			list[first[c->symbols[i].text + 1]++] = i;
	for (uint32_t i = 0; !e && i < c->kernel_count; i++)
		e = list_functions(r, &c->kernels[i], first, list);
	return e;
}

/* ---- all of it ---- */

enum err sass_cubin_read(struct sass_cubin *out, struct arena *a,
			 const void *bytes, size_t size, struct diag *d)
{
	static enum err (*const step[])(struct cubin_reader *) = {
		cubin_parts,   read_texts,       read_variables, read_symbols,
		list_kernels,  read_banks,       cubin_relocs,   take_shared,
		compose_texts, cubin_attributes, read_functions,
	};
	struct cubin_reader r = { .c = out, .arena = a, .d = d };
	enum err e;

	*out = (struct sass_cubin){ 0 };
	e = cubin_header(&r, bytes, size);
	for (size_t i = 0; !e && i < sizeof(step) / sizeof(*step); i++)
		e = step[i](&r);
	return e;
}

const struct sass_kernel *sass_cubin_kernel(const struct sass_cubin *c,
					    const char *name)
{
	for (uint32_t i = 0; i < c->kernel_count; i++)
		if (!strcmp(c->kernels[i].name, name))
			return &c->kernels[i];
	return NULL;
}

const struct sass_func *sass_kernel_func(const struct sass_kernel *k,
					 uint32_t at)
{
	size_t i;

	SEARCH_FIRST(i, k->func_count, k->funcs[i].at <= at);
	if (!i || at - k->funcs[i - 1].at >= k->funcs[i - 1].size)
		return NULL;
	return &k->funcs[i - 1];
}

bool sass_symbol_offset(const struct sass_cubin *c, const struct sass_kernel *k,
			const struct sass_symbol *y, uint32_t *at)
{
	if (!in_text(c, k, y->text))
		return false;
	*at = (y->text == k->own ? 0 : c->texts[y->text].at) +
	      (uint32_t)y->value;
	return true;
}
