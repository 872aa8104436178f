/*
 * Lines of machine code: those that nvcc wrote (data/cubin), and tables made
 * here, of other versions and with damages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "isa/sass/lines.h"
#include "test.h"

static void load(struct sass_cubin *c, struct arena *a, const char *name)
{
	static uint8_t data[32768];
	char path[512];
	struct diag d = { 0 };
	size_t n;
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/unit/data/cubin/%s.cubin",
		 HEDDLE_SOURCE_DIR, name);
	in = fopen(path, "rb");
	OK(in);
	n = fread(data, 1, sizeof(data), in);
	fclose(in);
	EQ(ERR_OK, sass_cubin_read(c, a, data, n, &d));
}

/* "17 < 22 < 34": the line, and the lines that called it. */
static const char *chain(const struct sass_lines *l,
			 const struct sass_kernel *k, uint32_t at)
{
	static char text[64];
	struct inst_place p;
	size_t n;

	if (!sass_lines_at(l, k, at, &p))
		return "none";
	STREQ("/src/parts.cu", p.file);
	n = (size_t)snprintf(text, sizeof(text), "%u", p.line);
	for (unsigned i = 0; sass_lines_caller(l, k, at, i, &p); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " < %u",
				      p.line);
	return text;
}

TEST(sass_lines, instructions_have_lines_and_callers)
{
	static const struct {
		const char *name;
		uint32_t square, load;
	} rows[] = { { "lines_75", 0xb0, 0x40 }, { "lines_90", 0x110, 0x50 } };
	const struct sass_kernel *k;
	struct sass_lines l;
	struct sass_cubin c;
	struct diag d;

	for (int i = 0; i < 2; i++) {
		struct arena a = { 0 };

		load(&c, &a, rows[i].name);
		EQ(ERR_OK, sass_lines_read(&l, &a, &c, &d));
		k = sass_cubin_kernel(&c, "smooth");
		STREQ("27", chain(&l, k, 0));
		STREQ("32", chain(&l, k, rows[i].load));
		STREQ("17 < 22 < 34", chain(&l, k, rows[i].square));
		STREQ("23 < 34", chain(&l, k, rows[i].square + 16));
		STREQ("35", chain(&l, k, rows[i].square + 32));
		EQ(124, sass_lines_ptx(&l, k, rows[i].load));
		STREQ("ld.global.f32 \t%f1, [%rd4];",
		      sass_lines_ptx_text(&l, 124));
		/* The function, after the kernel. */
		STREQ("10", chain(&l, k, k->funcs[0].at));
		STREQ("none", chain(&l, k, k->text_size));
		k = sass_cubin_kernel(&c, "choose");
		STREQ("38", chain(&l, k, 0));
		STREQ("49", chain(&l, k, k->text_size - 16));
		arena_free(&a);
	}
}

TEST(sass_lines, code_without_tables_has_no_lines)
{
	struct arena a = { 0 };
	struct sass_lines l;
	struct sass_cubin c;
	struct diag d;

	load(&c, &a, "linked_90");
	EQ(ERR_OK, sass_lines_read(&l, &a, &c, &d));
	for (uint32_t at = 0; at < c.kernels[0].text_size; at += 16) {
		STREQ("none", chain(&l, &c.kernels[0], at));
		EQ(0, sass_lines_ptx(&l, &c.kernels[0], at));
	}
	OK(!sass_lines_ptx_text(&l, 0));
	OK(!sass_lines_ptx_text(&l, 1));
	arena_free(&a);
}

/* ---- tables made here ---- */

/* A kernel of 256 bytes and a function of 64 behind it, with one table. */
enum { FUNC = 256 };

struct made {
	struct sass_text texts[2];
	struct sass_symbol symbols[2];
	struct sass_kernel kernel;
	struct sass_reloc relocs[4];
	struct sass_cubin c;
	uint8_t bytes[512];
	struct arena arena;
	struct sass_lines lines;
	size_t unit, header; /* where lengths go */
};

static void put(struct made *m, const void *data, size_t n)
{
	OK(n <= sizeof(m->bytes) - m->c.debug.line.size);
	memcpy(m->bytes + m->c.debug.line.size, data, n);
	m->c.debug.line.size += n;
}

static void put_bytes(struct made *m, const char *hex)
{
	unsigned v;
	int n;

	while (sscanf(hex, "%x%n", &v, &n) == 1) {
		put(m, &(uint8_t){ (uint8_t)v }, 1);
		hex += n;
	}
}

static void begin(struct made *m)
{
	*m = (struct made){ 0 };
	m->texts[0] =
		(struct sass_text){ .owner = "f", .code.size = 64, .at = FUNC };
	m->texts[1] = (struct sass_text){ .owner = "k",
					  .code.size = 256,
					  .is_kernel = true };
	m->symbols[0] = (struct sass_symbol){ "f", .place = SASS_TEXT };
	m->symbols[1] =
		(struct sass_symbol){ "k", .place = SASS_TEXT, .text = 1 };
	m->kernel = (struct sass_kernel){ .own = 1, .text_size = FUNC + 64 };
	m->c = (struct sass_cubin){ .texts = m->texts,
				    .text_count = 2,
				    .symbols = m->symbols,
				    .symbol_count = 2,
				    .kernels = &m->kernel,
				    .kernel_count = 1 };
	m->c.debug.line = (struct sass_data){ .name = ".debug_line",
					      .bytes = m->bytes,
					      .relocs = m->relocs };
}

/* The header up to the lists of files, of a version. */
static void put_header(struct made *m, int version)
{
	m->unit = m->c.debug.line.size;
	put_bytes(m, "0 0 0 0");
	put(m, &(uint16_t){ (uint16_t)version }, 2);
	if (version == 5)
		put_bytes(m, "8 0");
	m->header = m->c.debug.line.size;
	put_bytes(m, "0 0 0 0");
	/* Addresses in units of 1 byte, opcodes from 10 on. */
	put_bytes(m, version >= 4 ? "1 1 1 fb e a" : "1 1 fb e a");
	put_bytes(m, "0 1 1 1 1 0 0 0 1");
}

static void end_header(struct made *m)
{
	uint32_t n = (uint32_t)(m->c.debug.line.size - m->header - 4);

	memcpy(m->bytes + m->header, &n, 4);
}

static void end_unit(struct made *m)
{
	uint32_t n = (uint32_t)(m->c.debug.line.size - m->unit - 4);

	memcpy(m->bytes + m->unit, &n, 4);
}

static void put_address(struct made *m, int symbol, int64_t addend)
{
	put_bytes(m, "0 9 2");
	m->relocs[m->c.debug.line.reloc_count++] = (struct sass_reloc){
		.type = SASS_RELOC_64,
		.offset = m->c.debug.line.size,
		.symbol = &m->symbols[symbol],
		.addend = addend,
	};
	put_bytes(m, "0 0 0 0 0 0 0 0");
}

static enum err read_made(struct made *m, struct diag *d)
{
	*d = (struct diag){ 0 };
	arena_free(&m->arena);
	m->arena = (struct arena){ 0 };
	return sass_lines_read(&m->lines, &m->arena, &m->c, d);
}

static void expect(struct made *m, uint32_t at, const char *file, uint32_t line)
{
	struct inst_place p = { "", 0 };

	OK(sass_lines_at(&m->lines, &m->kernel, at, &p));
	STREQ(file, p.file);
	EQ(line, p.line);
}

static void expect_none(struct made *m, uint32_t at)
{
	struct inst_place p;

	OK(!sass_lines_at(&m->lines, &m->kernel, at, &p));
}

/* Line 7 from byte 0 of a section on, line 9 of file 2 from 32, an end at 64. */
static void put_rows(struct made *m, int symbol)
{
	put_address(m, symbol, 0);
	put_bytes(m, "3 6 1  2 20 4 2 3 2 1  2 20 0 1 1");
}

static void put_old_files(struct made *m)
{
	put(m, "/inc\0", 6);
	put(m, "a.cu\0\0\0", 8);
	put(m, "b.h\0\1\0", 7);
	put(m, "", 1);
}

TEST(sass_lines, versions_2_to_4_list_files_from_1)
{
	struct diag d;
	struct made m;

	for (int version = 2; version <= 4; version++) {
		begin(&m);
		put_header(&m, version);
		put_old_files(&m);
		end_header(&m);
		put_rows(&m, 1);
		put_rows(&m, 0);
		end_unit(&m);
		EQ(ERR_OK, read_made(&m, &d));
		expect(&m, 0, "a.cu", 7);
		expect(&m, 63, "/inc/b.h", 9);
		expect_none(&m, 64);
		expect_none(&m, FUNC - 1);
		expect(&m, FUNC, "a.cu", 7);
		expect(&m, FUNC + 31, "a.cu", 7);
		expect(&m, FUNC + 32, "/inc/b.h", 9);
		arena_free(&m.arena);
	}
}

TEST(sass_lines, version_5_lists_files_with_their_formats)
{
	static uint8_t strings[] = "x\0deep.h";
	struct diag d;
	struct made m;

	begin(&m);
	m.c.debug.line_str = (struct sass_data){ .name = ".debug_line_str",
						 .bytes = strings,
						 .size = sizeof(strings) };
	put_header(&m, 5);
	/* Folders: names as strings. */
	put_bytes(&m, "1 1 8 2");
	put(&m, "/here", 6);
	put(&m, "/inc", 5);
	/* Files: a checksum, names in .debug_line_str, folders. */
	put_bytes(&m, "3 5 1e 1 1f 2 b 3");
	for (int i = 0; i < 3; i++) {
		put_bytes(&m, "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
		put_bytes(&m, i == 2 ? "2 0 0 0 1" : "0 0 0 0 0");
	}
	end_header(&m);
	put_rows(&m, 1);
	end_unit(&m);
	EQ(ERR_OK, read_made(&m, &d));
	expect(&m, 0, "/here/x", 7);
	expect(&m, 32, "/inc/deep.h", 9);
	arena_free(&m.arena);
}

TEST(sass_lines, units_follow_each_other)
{
	struct diag d;
	struct made m;

	begin(&m);
	put_header(&m, 2);
	put_old_files(&m);
	end_header(&m);
	put_rows(&m, 0);
	end_unit(&m);
	/* One of a version that is not known. */
	put_bytes(&m, "6 0 0 0 9 0 1 2 3 4");
	put_header(&m, 2);
	put(&m, "\0other.cu\0\0\0\0", 14);
	end_header(&m);
	put_rows(&m, 1);
	end_unit(&m);
	EQ(ERR_OK, read_made(&m, &d));
	expect(&m, FUNC, "a.cu", 7);
	expect(&m, 0, "other.cu", 7);
	expect_none(&m, 32); /* it has no file 2 */
	arena_free(&m.arena);
}

TEST(sass_lines, callers_that_go_in_circles_end)
{
	struct inst_place p;
	struct diag d;
	struct made m;
	unsigned depth = 0;

	begin(&m);
	put_header(&m, 2);
	put_old_files(&m);
	end_header(&m);
	put_address(&m, 1, 0);
	/* Row 1 was called by row 2, and row 2 by row 1; row 3 by row 99. */
	put_bytes(&m, "0 3 90 2 0 1  2 10 0 3 90 1 0 1  2 10 0 3 90 63 0 1");
	put_bytes(&m, "2 10 0 1 1");
	end_unit(&m);
	EQ(ERR_OK, read_made(&m, &d));
	while (sass_lines_caller(&m.lines, &m.kernel, 0, depth, &p))
		depth++;
	EQ(64, depth);
	OK(!sass_lines_caller(&m.lines, &m.kernel, 32, 0, &p));
	expect(&m, 32, "a.cu", 1);
	arena_free(&m.arena);
}

TEST(sass_lines, code_that_no_relocation_names_has_no_lines)
{
	struct diag d;
	struct made m;

	begin(&m);
	put_header(&m, 2);
	put_old_files(&m);
	end_header(&m);
	put_rows(&m, 1);
	end_unit(&m);
	m.c.debug.line.reloc_count = 0;
	EQ(ERR_OK, read_made(&m, &d));
	expect_none(&m, 0);
	arena_free(&m.arena);
}

static void damaged(struct made *m, const char *says)
{
	struct diag d;

	EQ(ERR_SYNTAX, read_made(m, &d));
	if (!strstr(d.text, says))
		STREQ(says, d.text);
	arena_free(&m->arena);
	m->arena = (struct arena){ 0 };
}

TEST(sass_lines, damages_are_errors_of_the_section)
{
	struct made m, was;
	struct diag d;

	begin(&m);
	put_header(&m, 2);
	put_old_files(&m);
	end_header(&m);
	put_rows(&m, 1);
	end_unit(&m);
	EQ(ERR_OK, read_made(&m, &d));
	arena_free(&m.arena);
	m.arena = (struct arena){ 0 };
	was = m;
	/* The lists of `was` point into itself. */
	m.bytes[0]++;
	damaged(&m, "section .debug_line: a damaged unit");
	memcpy(m.bytes, was.bytes, sizeof(m.bytes));
	m.bytes[m.header + 1] = 9;
	damaged(&m, "section .debug_line: a damaged header");
	memcpy(m.bytes, was.bytes, sizeof(m.bytes));
	m.bytes[m.header]--;
	damaged(&m, "section .debug_line: a damaged list of files");
	memcpy(m.bytes, was.bytes, sizeof(m.bytes));
	m.relocs[0].addend = 250;
	damaged(&m, "section .debug_line: an address outside of its code");
	m.relocs[0].addend = -16;
	damaged(&m, "section .debug_line: an address outside of its code");
}

TEST(sass_lines, no_byte_can_crash_the_reader)
{
	struct inst_place p;
	struct made m;
	struct diag d;

	for (int version = 2; version <= 5; version++) {
		begin(&m);
		put_header(&m, version);
		put_old_files(&m);
		end_header(&m);
		put_rows(&m, 1);
		end_unit(&m);
		for (size_t at = 0; at < m.c.debug.line.size; at++)
			for (int bit = 0; bit < 8; bit++) {
				m.bytes[at] ^= (uint8_t)(1 << bit);
				if (!read_made(&m, &d))
					sass_lines_at(&m.lines, &m.kernel, 0,
						      &p);
				m.bytes[at] ^= (uint8_t)(1 << bit);
			}
		arena_free(&m.arena);
	}
}

/* ---- numbers ---- */

TEST(bytes, numbers_end_with_their_bytes)
{
	static const uint8_t data[] = { 0x34, 0x12, 0xff, 0x7f, 0x80,
					0x7f, 'a',  0,    'b' };
	struct byte_reader r = { data, sizeof(data), 0, false };

	EQ(0x1234, bytes_number(&r, 2));
	EQ(16383, bytes_uleb(&r));
	EQ(-128, bytes_sleb(&r));
	STREQ("a", bytes_string(&r));
	EQ(1, bytes_left(&r));
	STREQ("", bytes_string(&r)); /* no end */
	OK(r.bad);
	EQ(0, bytes_left(&r));
	EQ(0, bytes_number(&r, 1));
	r = (struct byte_reader){ data, 3, 2, false };
	bytes_uleb(&r);
	OK(r.bad);
	r = (struct byte_reader){ data, 3, 2, false };
	bytes_skip(&r, 2);
	OK(r.bad);
}
