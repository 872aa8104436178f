/* This program as a file, and one that we write here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "test.h"

/* A library in 0x400 bytes: one segment at 0x10000, three sections. */
enum {
	BASE = 0x10000,
	PROGRAMS = 0x40,
	DYNAMIC = 0x100,
	STRINGS = 0x200,
	NAMES = 0x280,
	DATA = 0x2c0,
	SECTIONS = 0x300,
	SIZE = 0x400,
};

static const char strings[] =
	"\0libcudart.so.13\0libc.so.6\0/opt/lib\0$ORIGIN/../lib";
static const char names[] = "\0.shstrtab\0.nv_fatbin\0.bss";

struct library {
	uint8_t data[SIZE];
};

static void put_program(struct library *l, int i, Elf64_Phdr p)
{
	memcpy(l->data + PROGRAMS + i * sizeof(p), &p, sizeof(p));
}

static void put_section(struct library *l, int i, Elf64_Shdr s)
{
	memcpy(l->data + SECTIONS + i * sizeof(s), &s, sizeof(s));
}

static void put_head(struct library *l, Elf64_Ehdr h)
{
	memcpy(l->data, &h, sizeof(h));
}

static Elf64_Ehdr head(void)
{
	return (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_phoff = PROGRAMS,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shoff = SECTIONS,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 4,
		.e_shstrndx = 1,
	};
}

static void build(struct library *l)
{
	const Elf64_Dyn dynamic[] = {
		{ DT_NEEDED, { 1 } },
		{ DT_RPATH, { 27 } },
		{ DT_NEEDED, { 17 } },
		{ DT_STRTAB, { BASE + STRINGS } },
		{ DT_STRSZ, { sizeof(strings) } },
		{ DT_RUNPATH, { 36 } },
		{ DT_SONAME, { sizeof(strings) } }, /* outside */
		{ DT_NULL, { 0 } },
		{ DT_NEEDED, { 1 } },
	};

	memset(l, 0, sizeof(*l));
	put_head(l, head());
	put_program(l, 0,
		    (Elf64_Phdr){ .p_type = PT_LOAD,
				  .p_vaddr = BASE,
				  .p_filesz = SIZE });
	put_program(l, 1,
		    (Elf64_Phdr){ .p_type = PT_DYNAMIC,
				  .p_offset = DYNAMIC,
				  .p_filesz = sizeof(dynamic) });
	memcpy(l->data + DYNAMIC, dynamic, sizeof(dynamic));
	memcpy(l->data + STRINGS, strings, sizeof(strings));
	memcpy(l->data + NAMES, names, sizeof(names));
	memcpy(l->data + DATA, "fat", 3);
	put_section(l, 1,
		    (Elf64_Shdr){ .sh_name = 1,
				  .sh_type = SHT_STRTAB,
				  .sh_offset = NAMES,
				  .sh_size = sizeof(names) });
	put_section(l, 2,
		    (Elf64_Shdr){ .sh_name = 11,
				  .sh_type = SHT_PROGBITS,
				  .sh_offset = DATA,
				  .sh_size = 3 });
	put_section(l, 3,
		    (Elf64_Shdr){ .sh_name = 22,
				  .sh_type = SHT_NOBITS,
				  .sh_offset = 1 << 20,
				  .sh_size = 1 << 20 });
}

static void open_library(struct elf *f, const struct library *l)
{
	struct diag d;

	EQ(ERR_OK, elf_open(f, l->data, sizeof(l->data), &d));
}

static enum err open_error(const struct library *l)
{
	struct diag d = { 0 };
	struct elf f;
	enum err e = elf_open(&f, l->data, sizeof(l->data), &d);

	EQ(e, d.code);
	return e;
}

TEST(elf, this_program_needs_libc_and_has_text)
{
	FILE *file = fopen("/proc/self/exe", "rb");
	size_t room = 256 << 20, size;
	uint8_t *data = malloc(room);
	struct elf_bytes text;
	const char *name;
	bool libc = false;
	struct elf f;
	struct diag d;

	OK(file && data);
	size = fread(data, 1, room, file);
	OK(feof(file));
	fclose(file);
	EQ(ERR_OK, elf_open(&f, data, size, &d));
	for (unsigned i = 0; (name = elf_string(&f, DT_NEEDED, i)); i++)
		libc |= !strncmp(name, "libc.", 5);
	OK(libc);
	OK(elf_section(&f, ".text", &text));
	OK(text.size > 1000 && text.data > data && text.data < data + size);
	OK(!elf_section(&f, ".nv_fatbin", &text));
	free(data);
}

TEST(elf, strings_of_the_dynamic_section)
{
	struct library l;
	struct elf f;

	build(&l);
	open_library(&f, &l);
	STREQ("libcudart.so.13", elf_string(&f, DT_NEEDED, 0));
	STREQ("libc.so.6", elf_string(&f, DT_NEEDED, 1));
	STREQ(NULL, elf_string(&f, DT_NEEDED, 2));
	STREQ("/opt/lib", elf_string(&f, DT_RPATH, 0));
	STREQ("$ORIGIN/../lib", elf_string(&f, DT_RUNPATH, 0));
	STREQ(NULL, elf_string(&f, DT_RUNPATH, 1));
	STREQ(NULL, elf_string(&f, DT_SONAME, 0));
}

TEST(elf, sections_by_name)
{
	struct elf_bytes s;
	struct library l;
	struct elf f;

	build(&l);
	open_library(&f, &l);
	OK(elf_section(&f, ".nv_fatbin", &s));
	EQ(3, s.size);
	EQ(0, memcmp(s.data, "fat", 3));
	OK(elf_section(&f, ".bss", &s));
	EQ(0, s.size);
	OK(!elf_section(&f, ".nv_fat", &s));
	OK(!elf_section(&f, ".nv_fatbinary", &s));
}

TEST(elf, numbers_too_large_for_the_header_are_in_the_first_section)
{
	Elf64_Ehdr h = head();
	struct elf_bytes s;
	struct library l;
	struct elf f;

	build(&l);
	h.e_shnum = 0;
	h.e_shstrndx = SHN_XINDEX;
	h.e_phnum = PN_XNUM;
	put_head(&l, h);
	put_section(&l, 0,
		    (Elf64_Shdr){ .sh_size = 4, .sh_link = 1, .sh_info = 2 });
	open_library(&f, &l);
	OK(elf_section(&f, ".nv_fatbin", &s));
	STREQ("libcudart.so.13", elf_string(&f, DT_NEEDED, 0));
	put_section(&l, 0, (Elf64_Shdr){ .sh_size = UINT64_MAX });
	EQ(ERR_SYNTAX, open_error(&l));
}

TEST(elf, a_stripped_or_static_file_has_less)
{
	Elf64_Ehdr h = head();
	struct elf_bytes s;
	struct library l;
	struct elf f;

	build(&l);
	h.e_shoff = h.e_shnum = 0;
	put_head(&l, h);
	open_library(&f, &l);
	OK(!elf_section(&f, ".nv_fatbin", &s));
	STREQ("libc.so.6", elf_string(&f, DT_NEEDED, 1));
	h = head();
	h.e_phnum = 1;
	put_head(&l, h);
	open_library(&f, &l);
	OK(elf_section(&f, ".nv_fatbin", &s));
	STREQ(NULL, elf_string(&f, DT_NEEDED, 0));
}

TEST(elf, what_is_not_such_a_file_is_refused)
{
	struct library l;
	Elf64_Ehdr h;
	struct elf f;
	struct diag d;

	build(&l);
	for (size_t n = 0; n < sizeof(h); n++)
		EQ(ERR_SYNTAX, elf_open(&f, l.data, n, &d));
	h = head();
	h.e_ident[EI_CLASS] = ELFCLASS32;
	put_head(&l, h);
	EQ(ERR_SYNTAX, open_error(&l));
	h = head();
	h.e_ident[EI_DATA] = ELFDATA2MSB;
	put_head(&l, h);
	EQ(ERR_SYNTAX, open_error(&l));
	h = head();
	h.e_ident[0] = 0;
	put_head(&l, h);
	EQ(ERR_SYNTAX, open_error(&l));
}

TEST(elf, tables_outside_of_the_file_are_refused)
{
	const Elf64_Ehdr good = head();
	Elf64_Ehdr bad[8];
	struct library l;

	for (int i = 0; i < 8; i++)
		bad[i] = good;
	bad[0].e_shoff = SIZE;
	bad[1].e_shoff = UINT64_MAX;
	bad[2].e_shentsize = sizeof(Elf64_Shdr) - 1;
	bad[3].e_shnum = 5;
	bad[4].e_phoff = SIZE - sizeof(Elf64_Phdr);
	bad[5].e_phoff = UINT64_MAX - 1;
	bad[6].e_phentsize = 0;
	bad[7].e_phnum = 1000;
	build(&l);
	for (int i = 0; i < 8; i++) {
		put_head(&l, bad[i]);
		EQ(ERR_SYNTAX, open_error(&l));
	}
	build(&l);
	put_program(&l, 1,
		    (Elf64_Phdr){ .p_type = PT_DYNAMIC,
				  .p_offset = DYNAMIC,
				  .p_filesz = UINT64_MAX });
	EQ(ERR_SYNTAX, open_error(&l));
}

TEST(elf, strings_that_do_not_end_are_none)
{
	struct elf_bytes s;
	struct library l;
	struct elf f;

	build(&l);
	l.data[STRINGS + sizeof(strings) - 1] = 'x';
	l.data[NAMES + sizeof(names) - 1] = 'x';
	open_library(&f, &l);
	STREQ(NULL, elf_string(&f, DT_NEEDED, 0));
	OK(!elf_section(&f, ".nv_fatbin", &s));
	build(&l);
	put_section(&l, 2,
		    (Elf64_Shdr){ .sh_name = 11,
				  .sh_type = SHT_PROGBITS,
				  .sh_offset = DATA,
				  .sh_size = UINT64_MAX });
	open_library(&f, &l);
	OK(!elf_section(&f, ".nv_fatbin", &s));
}

TEST(elf, sections_are_read_by_number)
{
	struct elf_part p;
	struct library l;
	struct diag d;
	struct elf f;

	build(&l);
	open_library(&f, &l);
	EQ(ERR_OK, elf_part(&f, 0, &p, &d));
	STREQ("", p.name);
	EQ(ERR_OK, elf_part(&f, 1, &p, &d));
	STREQ(".nv_fatbin", elf_part_string(&p, 11));
	OK(!elf_part_string(&p, sizeof(names)));
	EQ(ERR_OK, elf_part(&f, 2, &p, &d));
	STREQ(".nv_fatbin", p.name);
	EQ(3, p.bytes.size);
	OK(!elf_part_string(&p, 0)); /* no NUL */
	EQ(ERR_OK, elf_part(&f, 3, &p, &d));
	EQ(0, p.bytes.size);
	EQ(1 << 20, p.head.sh_size);
	put_section(&l, 2,
		    (Elf64_Shdr){ .sh_name = 11,
				  .sh_type = SHT_PROGBITS,
				  .sh_offset = SIZE - 2,
				  .sh_size = 3 });
	EQ(ERR_SYNTAX, elf_part(&f, 2, &p, &d));
	OK(strstr(d.text, "section .nv_fatbin: 3 bytes at byte 1022"));
}

TEST(elf, a_file_in_memory_tells_its_size)
{
	struct library l;

	build(&l);
	EQ(SECTIONS + 4 * sizeof(Elf64_Shdr), elf_extent(l.data));
	put_section(&l, 2,
		    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				  .sh_offset = 0x1000,
				  .sh_size = 3 });
	EQ(0x1003, elf_extent(l.data));
	l.data[0] = 0;
	EQ(0, elf_extent(l.data));
}
