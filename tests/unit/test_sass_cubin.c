/*
 * Machine code that nvcc made (data/cubin), and the same with damages: every
 * one is an error that names the section, or does not matter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "heddle/heddle.h"
#include "isa/sass/cubin.h"
#include "test.h"

struct file {
	uint8_t data[32768];
	size_t n;
};

static void load(struct file *f, const char *name)
{
	char path[512];
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/unit/data/cubin/%s.cubin",
		 HEDDLE_SOURCE_DIR, name);
	in = fopen(path, "rb");
	OK(in);
	f->n = fread(f->data, 1, sizeof(f->data), in);
	OK(feof(in));
	fclose(in);
}

struct loaded {
	struct arena arena;
	struct sass_cubin c;
};

static void read_file(struct loaded *l, const struct file *f)
{
	struct diag d = { 0 };

	*l = (struct loaded){ 0 };
	if (sass_cubin_read(&l->c, &l->arena, f->data, f->n, &d))
		STREQ("", d.text);
}

static void read_name(struct loaded *l, const char *name)
{
	struct file f;

	load(&f, name);
	read_file(l, &f);
}

/* The message of a file that cannot be read; "" if it can. */
static const char *refusal(const struct file *f)
{
	static struct diag d;
	struct arena a = { 0 };
	struct sass_cubin c;

	d = (struct diag){ 0 };
	/* The file ends where its bytes end. */
	uint8_t *exact = malloc(f->n ? f->n : 1);
	memcpy(exact, f->data, f->n);
	enum err e = sass_cubin_read(&c, &a, exact, f->n, &d);
	free(exact);
	arena_free(&a);
	EQ(e, d.code);
	OK(!e == !d.text[0]);
	return d.text;
}

static void refused(const struct file *f, const char *with)
{
	const char *text = refusal(f);

	if (!strstr(text, with))
		STREQ(with, text);
}

static const struct sass_kernel *kernel(const struct loaded *l,
					const char *name)
{
	const struct sass_kernel *k = sass_cubin_kernel(&l->c, name);

	OK(k);
	return k;
}

/* ---- what is in it ---- */

TEST(sass_cubin, attributes_of_all_architectures_are_read)
{
	static const struct {
		const char *name;
		unsigned sm, variant, registers, base, system, text;
	} rows[] = {
		{ "parts_75", 75, 0, 13, 0x160, 0, 1664 },
		{ "parts_80", 80, 0, 14, 0x160, 0, 1792 },
		{ "parts_86", 86, 0, 13, 0x160, 0, 1792 },
		{ "parts_89", 89, 0, 13, 0x160, 0, 1792 },
		{ "parts_90", 90, 0, 21, 0x210, 0x400, 1920 },
		{ "parts_90a", 90, 'a', 21, 0x210, 0x400, 1920 },
		{ "parts_100", 100, 0, 18, 0x380, 0x400, 1664 },
		{ "parts_120", 120, 0, 18, 0x380, 0x400, 1920 },
	};
	const struct sass_kernel *k;
	struct loaded l;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		read_name(&l, rows[i].name);
		EQ(rows[i].sm, l.c.sm);
		EQ((int)rows[i].variant, l.c.variant);
		EQ(2, l.c.kernel_count);
		k = kernel(&l, "smooth");
		EQ(rows[i].registers, k->registers);
		EQ(1, k->barriers);
		EQ(512, k->shared_bytes);
		EQ(rows[i].system, k->shared_base);
		EQ(rows[i].base, k->param_base);
		EQ(rows[i].base + 24, k->bank0_bytes);
		EQ(rows[i].text, k->text_size);
		EQ(128, k->max_threads[0]);
		EQ(1, k->max_threads[2]);
		EQ(0, k->required[0]);
		EQ(1, k->exit_count);
		EQ(0, k->frame_bytes);
		OK(!k->needs_cluster);
		k = kernel(&l, "choose");
		EQ(0, k->shared_bytes);
		EQ(8, k->frame_bytes);
		EQ(8, k->stack_bytes);
		EQ(0, k->max_threads[0]);
		arena_free(&l.arena);
	}
}

TEST(sass_cubin, parameters_come_in_order)
{
	const struct sass_kernel *k;
	struct loaded l;

	read_name(&l, "parts_80");
	k = kernel(&l, "smooth");
	EQ(3, k->param_count);
	EQ(24, k->param_bytes);
	EQ(0, k->params[0].offset);
	EQ(8, k->params[0].size);
	EQ(8, k->params[1].offset);
	EQ(4, k->params[1].size);
	EQ(16, k->params[2].offset);
	EQ(8, k->params[2].size);
	k = kernel(&l, "choose");
	EQ(2, k->param_count);
	EQ(1, k->params[1].size);
	EQ(9, k->param_bytes);
	arena_free(&l.arena);
	/* The second form of the attribute. */
	read_name(&l, "cluster");
	k = kernel(&l, "pair");
	EQ(9000, k->params[0].size);
	EQ(9000, k->params[1].offset);
	EQ(2, k->params[2].size);
	OK(k->needs_cluster);
	EQ(2, k->cluster[0]);
	EQ(1, k->cluster[1]);
	arena_free(&l.arena);
}

static const struct sass_symbol *symbol(const struct loaded *l,
					const char *name)
{
	for (uint32_t i = 0; i < l->c.symbol_count; i++)
		if (!strcmp(l->c.symbols[i].name, name))
			return &l->c.symbols[i];
	OK(!"there is such a symbol");
	return NULL;
}

static const struct sass_bank *bank(const struct sass_bank *b, uint32_t count,
				    uint32_t number)
{
	for (uint32_t i = 0; i < count; i++)
		if (b[i].bank == number)
			return &b[i];
	OK(!"there is such a bank");
	return NULL;
}

TEST(sass_cubin, variables_and_constants_have_their_places)
{
	const struct sass_bank *b;
	const struct sass_kernel *k;
	struct loaded l;
	float w;

	read_name(&l, "parts_90");
	EQ(400, l.c.global.size);
	OK(!l.c.global.bytes);
	EQ(SASS_GLOBAL, symbol(&l, "scratch")->place);
	EQ(SASS_INIT, symbol(&l, "counter")->place);
	EQ(7, l.c.init.bytes[symbol(&l, "counter")->value]);
	OK(symbol(&l, "counter")->is_variable);
	EQ(1, l.c.init.reloc_count);
	EQ(SASS_RELOC_G64, l.c.init.relocs[0].type);
	STREQ("counter", l.c.init.relocs[0].symbol->name);
	EQ(symbol(&l, "where")->value, l.c.init.relocs[0].offset);
	EQ(SASS_UNDEFINED, symbol(&l, "vprintf")->place);
	OK(symbol(&l, "vprintf")->is_function);
	EQ(SASS_CONSTANT, symbol(&l, "weights")->place);
	b = bank(l.c.banks, l.c.bank_count, 3);
	EQ(16, b->data.size);
	memcpy(&w, b->data.bytes + 12, sizeof(w));
	EQ(4.0f, w);
	b = bank(l.c.banks, l.c.bank_count, 4);
	OK(b->data.reloc_count >= 3);
	k = kernel(&l, "choose");
	OK(bank(k->banks, k->bank_count, 2)->data.size >= 5 * 4);
	EQ(0, kernel(&l, "smooth")->bank_count);
	arena_free(&l.arena);
}

TEST(sass_cubin, addends_may_be_in_place)
{
	struct loaded l;
	struct file f;
	struct elf e;
	struct elf_bytes b;
	struct diag d;

	/* sm_75 has relocations without addends. */
	load(&f, "parts_75");
	OK(!elf_open(&e, f.data, f.n, &d));
	OK(elf_section(&e, ".nv.constant4", &b));
	f.data[b.data - f.data + 8] = 0x10;
	read_file(&l, &f);
	for (uint32_t i = 0; i < l.c.bank_count; i++)
		for (uint32_t k = 0; k < l.c.banks[i].data.reloc_count; k++) {
			const struct sass_reloc *r =
				&l.c.banks[i].data.relocs[k];

			EQ(r->offset == 8 ? 0x10 : 0, r->addend);
		}
	arena_free(&l.arena);
}

TEST(sass_cubin, functions_within_a_kernel_are_found)
{
	const struct sass_kernel *k;
	struct loaded l;

	read_name(&l, "parts_90");
	k = kernel(&l, "smooth");
	EQ(1, k->func_count);
	STREQ("_Z4slowfi", k->funcs[0].name);
	OK(!sass_kernel_func(k, 0));
	OK(!sass_kernel_func(k, k->funcs[0].at - 1));
	EQ(&k->funcs[0], sass_kernel_func(k, k->funcs[0].at));
	EQ(&k->funcs[0],
	   sass_kernel_func(k, k->funcs[0].at + k->funcs[0].size - 1));
	OK(!sass_kernel_func(k, k->funcs[0].at + k->funcs[0].size));
	EQ(0, kernel(&l, "choose")->func_count);
	arena_free(&l.arena);
}

/* The header of section `name`. */
static uint8_t *header(struct file *f, const char *name)
{
	struct elf_part p;
	struct elf e;
	struct diag d;

	OK(!elf_open(&e, f->data, f->n, &d));
	for (size_t i = 0; i < e.sections.count; i++) {
		OK(!elf_part(&e, i, &p, &d));
		if (!strcmp(p.name, name))
			return f->data + e.sections.at + i * e.sections.step;
	}
	OK(!"there is such a section");
	return NULL;
}

static uint8_t *section(struct file *f, const char *name)
{
	Elf64_Shdr s;

	memcpy(&s, header(f, name), sizeof(s));
	return f->data + s.sh_offset;
}

/* The entry of a symbol in the file. */
static Elf64_Sym *find_symbol(struct file *f, const char *name)
{
	Elf64_Shdr h;
	Elf64_Sym *y = (Elf64_Sym *)(void *)section(f, ".symtab");
	const char *names = (const char *)section(f, ".strtab");

	memcpy(&h, header(f, ".symtab"), sizeof(h));
	for (size_t i = 0; i < h.sh_size / sizeof(*y); i++)
		if (!strcmp(names + y[i].st_name, name))
			return &y[i];
	OK(!"there is such a symbol");
	return NULL;
}

/* ---- linked programs ---- */

TEST(sass_cubin, kernels_of_a_linked_program_share_functions)
{
	static const char *const names[] = { "linked_75", "linked_90" };
	const struct sass_kernel *one, *two;
	uint32_t at, same, size;
	struct loaded l;

	for (int i = 0; i < 2; i++) {
		read_name(&l, names[i]);
		one = kernel(&l, "one");
		two = kernel(&l, "two");
		/* Both kernels have a whole number of lines. */
		size = (uint32_t)l.c.texts[one->own].code.size;
		EQ(size, l.c.texts[two->own].code.size);
		EQ(one->text_size, two->text_size);
		OK(!memcmp(one->text + size, two->text + size,
			   one->text_size - size));
		EQ(2, one->func_count);
		EQ(9, one->reloc_count);
		OK(sass_symbol_offset(&l.c, one, symbol(&l, "_Z4resti"), &at));
		OK(sass_symbol_offset(&l.c, two, symbol(&l, "_Z4resti"),
				      &same));
		EQ(at, same);
		STREQ("_Z4resti", sass_kernel_func(one, at)->name);
		OK(sass_symbol_offset(&l.c, one, symbol(&l, "one"), &at));
		EQ(0, at);
		OK(!sass_symbol_offset(&l.c, one, symbol(&l, "two"), &at));
		for (uint32_t k = 0; k < one->reloc_count; k++)
			OK(one->relocs[k].offset + 16 <= one->text_size);
		arena_free(&l.arena);
	}
}

TEST(sass_cubin, a_short_kernel_is_filled_up_to_the_functions)
{
	const struct sass_kernel *one, *two;
	struct loaded l;
	struct file f;
	Elf64_Shdr h;
	uint32_t at;

	/* The last line of a kernel is cut off. */
	load(&f, "linked_90");
	memcpy(&h, header(&f, ".text.one"), sizeof(h));
	h.sh_size -= 128;
	memcpy(header(&f, ".text.one"), &h, sizeof(h));
	Elf64_Sym *y = find_symbol(&f, "one");
	y->st_size -= 128;
	read_file(&l, &f);
	one = kernel(&l, "one");
	two = kernel(&l, "two");
	EQ(one->text_size, two->text_size);
	at = (uint32_t)l.c.texts[one->own].code.size;
	OK(!memcmp(one->text + at, one->text + at - 16, 16));
	OK(!memcmp(one->text + at + 112, one->text + at - 16, 16));
	at += 128;
	OK(!memcmp(one->text + at, two->text + at, one->text_size - at));
	arena_free(&l.arena);
}

static uint64_t word(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

TEST(sass_cubin, relocations_fill_their_fields_only)
{
	static const struct {
		enum sass_reloc_type type;
		uint64_t low, high;
	} rows[] = {
		{ SASS_RELOC_32, 0xffffffff89abcdf0, ~(uint64_t)0 },
		{ SASS_RELOC_64, 0x0123456789abcdf0, ~(uint64_t)0 },
		{ SASS_RELOC_G64, 0x0123456789abcdf0, ~(uint64_t)0 },
		{ SASS_RELOC_32_HI, 0xffffffff01234567, ~(uint64_t)0 },
		{ SASS_RELOC_ABS32_LO_32, 0x89abcdf0ffffffff, ~(uint64_t)0 },
		{ SASS_RELOC_ABS32_HI_32, 0x01234567ffffffff, ~(uint64_t)0 },
		{ SASS_RELOC_NONE, ~(uint64_t)0, ~(uint64_t)0 },
	};
	uint64_t value = 0x0123456789abcdf0;
	uint8_t bytes[24];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sass_reloc r = { .type = rows[i].type, .offset = 8 };

		memset(bytes, 0xff, sizeof(bytes));
		sass_reloc_apply(&r, value, bytes);
		EQ(rows[i].low, word(bytes + 8));
		EQ(rows[i].high, word(bytes + 16));
		EQ(~(uint64_t)0, word(bytes));
	}
}

/* The target of a call is in units of 4 bytes, at bits 34 to 80; from sm_90 on,
 * its lowest 8 bits are at 16. */
TEST(sass_cubin, targets_of_calls_reach_into_the_upper_word)
{
	struct sass_reloc old = { .type = SASS_RELOC_ABS47_34 };
	struct sass_reloc new = { .type = SASS_RELOC_ABS55_16_34 };
	uint64_t value = 0x0001234567abcdf0;
	uint8_t bytes[16];

	memset(bytes, 0, sizeof(bytes));
	sass_reloc_apply(&old, value, bytes);
	EQ((value >> 2) << 34, word(bytes));
	EQ(value >> 32, word(bytes + 8));
	memset(bytes, 0xff, sizeof(bytes));
	sass_reloc_apply(&new, value, bytes);
	EQ((value >> 10) << 34 | 0x3ff7cffff, word(bytes));
	EQ(value >> 40 | 0xfffffffffffe0000, word(bytes + 8));
}

TEST(sass_cubin, relocations_have_names)
{
	char room[32];

	STREQ("R_CUDA_64", sass_reloc_name(2, room));
	STREQ("R_CUDA_ABS55_16_34", sass_reloc_name(75, room));
	STREQ("R_CUDA_FUNC_DESC_64", sass_reloc_name(35, room));
	STREQ("R_CUDA type 250", sass_reloc_name(250, room));
}

/* ---- what is refused ---- */

TEST(sass_cubin, relocatable_objects_are_refused)
{
	struct file f;

	load(&f, "relocatable");
	refused(&f, "nvcc -dlink");
}

TEST(sass_cubin, unknown_relocations_are_refused_by_name)
{
	struct file f;

	load(&f, "parts_90");
	section(&f, ".rela.nv.constant4")[8] = 59;
	refused(&f, "section .rela.nv.constant4: relocation "
		    "R_CUDA_ABS16_32 at byte");
	load(&f, "parts_90");
	section(&f, ".rela.nv.constant4")[8] = 35;
	refused(&f,
		"section .rela.nv.constant4: kernels that launch kernels "
		"are not supported: relocation R_CUDA_FUNC_DESC_64 at byte");
	load(&f, "parts_90");
	section(&f, ".rela.nv.constant4")[8] = 75;
	refused(&f, "section .rela.nv.constant4: R_CUDA_ABS55_16_34");
	load(&f, "parts_90");
	section(&f, ".rela.nv.constant4")[12] = 0xff;
	refused(&f, "section .rela.nv.constant4: symbol");
	load(&f, "parts_90");
	section(&f, ".rela.nv.constant4")[1] = 0xff;
	refused(&f, "section .rela.nv.constant4: R_CUDA_64 at byte 65");
}

TEST(sass_cubin, old_headers_are_read)
{
	struct loaded l;
	struct file f;

	load(&f, "parts_75");
	f.data[EI_OSABI] = 0x33;
	f.data[EI_ABIVERSION] = 7;
	memcpy(f.data + 48, &(uint32_t){ 0x4b054b }, 4);
	read_file(&l, &f);
	EQ(75, l.c.sm);
	EQ(0, l.c.variant);
	arena_free(&l.arena);
	/* No attribute for the registers: they are in the header of the code. */
	*section(&f, ".nv.info") = 4;
	for (uint8_t *p = section(&f, ".nv.info"); p[1] == 0x2f || p[1] == 0x11;
	     p += 12)
		p[1] = p[1] == 0x2f ? 0x7f : p[1];
	read_file(&l, &f);
	EQ(13, kernel(&l, "smooth")->registers);
	arena_free(&l.arena);
	memcpy(f.data + 48, &(uint32_t){ 0x5a0d5a }, 4);
	read_file(&l, &f);
	EQ(90, l.c.sm);
	EQ('a', l.c.variant);
	arena_free(&l.arena);
	f.data[EI_ABIVERSION] = 9;
	refused(&f, "OS/ABI 0x33, version 9");
	f.data[EI_OSABI] = 0;
	refused(&f, "OS/ABI 0x0");
}

TEST(sass_cubin, other_files_are_no_cubins)
{
	struct file f;

	load(&f, "parts_75");
	OK(sass_cubin_matches(f.data, f.n));
	EQ(75, sass_cubin_sm(f.data, f.n));
	EQ(0, sass_cubin_sm(f.data, 40));
	STREQ("sass", heddle_isa_of(f.data, f.n));
	f.data[49] = 61; /* its architecture */
	EQ(61, sass_cubin_sm(f.data, f.n));
	OK(!heddle_isa_of(f.data, f.n));
	OK(!sass_cubin_matches(f.data, 40));
	f.data[18] = EM_X86_64;
	OK(!sass_cubin_matches(f.data, f.n));
	refused(&f, "not for a GPU");
	f.data[0] = 0;
	refused(&f, "not an ELF file");
}

TEST(sass_cubin, damages_are_named_by_section)
{
	static const struct {
		const char *section, *where, *says;
		int byte, value;
	} rows[] = {
		/* Bytes 24 to 31 of a header: offset; 32 to 39: size. */
		{ ".text.smooth", "head", "section .text.smooth", 29, 1 },
		{ ".symtab", "head", "section .symtab", 30, 1 },
		{ ".nv.info", "head", "section .nv.info", 36, 1 },
		{ ".nv.constant3", "head", "section .nv.constant3", 35, 9 },
		{ ".text.smooth", "head", "section .text.smooth", 32, 0x88 },
		{ ".symtab", "head", "section .symtab", 32, 1 },
		{ ".symtab", "head", "section .symtab", 41, 0xff },
		{ ".nv.shared.smooth", "head", "section .nv.shared.smooth", 35,
		  0xff },
		{ ".nv.global", "head", "section .nv.global", 48, 3 },
		{ ".nv.info", "data", "section .nv.info", 0, 9 },
		{ ".nv.info", "data", "section .nv.info", 2, 0xff },
		{ ".nv.info", "data", "section .nv.info", 4, 0xff },
		{ ".nv.info.smooth", "data", "section .nv.info.smooth", 0, 0 },
		{ ".rela.nv.global.init", "head", ".rela.nv.global.init", 32,
		  7 },
	};
	struct file f;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		load(&f, "parts_90");
		(rows[i].where[0] == 'h' ? header : section)(
			&f, rows[i].section)[rows[i].byte] =
			(uint8_t)rows[i].value;
		refused(&f, rows[i].says);
	}
}

/* The first record of a section of attributes with a code. */
static uint8_t *record(struct file *f, const char *name, int code)
{
	uint8_t *p = section(f, name);

	while (p[1] != code)
		p += p[0] == 4 ? 4 + p[2] + (p[3] << 8) : 4;
	return p;
}

TEST(sass_cubin, attributes_that_cannot_be_are_refused)
{
	struct file f;

	load(&f, "parts_90");
	record(&f, ".nv.info.smooth", 0x1c)[4] = 0x08;
	refused(&f, "section .nv.info.smooth: an exit at byte");
	load(&f, "parts_90");
	record(&f, ".nv.info.smooth", 0x17)[8] = 9;
	refused(&f, "section .nv.info.smooth: parameter 9 of 3");
	load(&f, "parts_90");
	record(&f, ".nv.info.smooth", 0x17)[10] = 0xff;
	refused(&f, "section .nv.info.smooth: parameter 2 has 8 bytes at 255");
	load(&f, "parts_90");
	record(&f, ".nv.info.smooth", 0x0a)[9] = 0x7f;
	refused(&f, "section .nv.constant0.smooth");
	load(&f, "parts_90");
	record(&f, ".nv.info.smooth", 0x4c)[2] = 17;
	refused(&f, "section .nv.info.smooth: 17 barriers");
	load(&f, "parts_90");
	record(&f, ".nv.info", 0x2f)[9] = 1;
	refused(&f, "section .nv.info: 2");
	load(&f, "parts_90");
	record(&f, ".nv.info", 0x2f)[8] = 0;
	refused(&f, "section .nv.info: 0 registers");
}

TEST(sass_cubin, a_part_of_a_file_is_no_file)
{
	struct file whole, part;

	load(&whole, "linked_90");
	for (size_t n = 0; n < whole.n; n += n < 128 ? 1 : 61) {
		part = whole;
		part.n = n;
		OK(*refusal(&part));
	}
}

TEST(sass_cubin, no_byte_can_crash_the_reader)
{
	static const char *const names[] = { "parts_75", "linked_90" };
	struct file f;

	for (int i = 0; i < 2; i++) {
		load(&f, names[i]);
		for (size_t at = 0; at < f.n; at += 3) {
			uint8_t was = f.data[at];

			f.data[at] ^= 0xff;
			refusal(&f);
			f.data[at] = was;
		}
	}
}
