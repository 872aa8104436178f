#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "door/cli/npy.h"
#include "door/cli/source.h"

/* A file of that version and dictionary with 1 MiB of elements. */
static enum err parse(struct npy *out, int version, const char *dictionary,
		      struct diag *d)
{
	size_t n = strlen(dictionary), at = version == 1 ? 10 : 12;
	uint8_t head[512] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 0, 0 };

	head[6] = (uint8_t)version;
	head[8] = (uint8_t)n;
	head[9] = (uint8_t)(n >> 8);
	memcpy(head + at, dictionary, n);
	return npy_parse(out, "x.npy", head, at + n, at + n + (1 << 20), d);
}

static void bad(const char *dictionary, const char *why)
{
	struct diag d = { 0 };
	struct npy npy;

	OK(parse(&npy, 1, dictionary, &d) != ERR_OK);
	if (!strstr(d.text, why))
		STREQ(why, d.text);
}

TEST(cli_npy, what_is_written_is_read_back)
{
	struct array_shape shape = { 3, { 2, 3, 4 }, 24 };
	struct diag d = { 0 };
	char header[NPY_HEADER];

	for (int i = 0; i < ELEM_COUNT; i++) {
		size_t n = npy_format(header, (enum elem_type)i, &shape);
		struct npy npy;

		EQ(0, n % 64);
		EQ('\n', header[n - 1]);
		EQ(ERR_OK, npy_parse(&npy, "x.npy", header, n,
				     n + 24 * elem_info[i].bytes, &d));
		EQ(i, npy.type);
		EQ(n, npy.data);
		EQ(24, npy.shape.count);
		EQ(3, npy.shape.dims);
		EQ(4, npy.shape.size[2]);
	}
}

TEST(cli_npy, the_longest_header_fits)
{
	struct array_shape shape = { .dims = SHAPE_DIMS };
	char header[NPY_HEADER];

	for (int i = 0; i < SHAPE_DIMS; i++)
		shape.size[i] = UINT64_MAX;
	OK(npy_format(header, ELEM_bf16, &shape) <= NPY_HEADER);
}

TEST(cli_npy, one_dimension_is_written_as_python_writes_it)
{
	struct array_shape shape = { 1, { 8 }, 8 };
	char header[NPY_HEADER];

	npy_format(header, ELEM_f32, &shape);
	EQ(0, strncmp(header + 10,
		      "{'descr': '<f4', 'fortran_order': False, "
		      "'shape': (8,), } ",
		      58));
}

TEST(cli_npy, all_three_versions_are_read)
{
	static const char dictionary[] =
		"{'descr': '<i2', 'fortran_order': False, 'shape': (5, 7)}\n";

	for (int version = 1; version <= 3; version++) {
		struct diag d = { 0 };
		struct npy npy;

		EQ(ERR_OK, parse(&npy, version, dictionary, &d));
		EQ(ELEM_s16, npy.type);
		EQ(35, npy.shape.count);
	}
}

TEST(cli_npy, unusual_spellings_are_understood)
{
	struct diag d = { 0 };
	struct npy npy;

	EQ(ERR_OK, parse(&npy, 1,
			 "{\"shape\": (), 'fortran_order' : True, 'descr':"
			 " '|b1',}",
			 &d));
	EQ(ELEM_u8, npy.type);
	EQ(0, npy.shape.dims);
	EQ(1, npy.shape.count);
	EQ(ERR_OK, parse(&npy, 1,
			 "{'descr': '>u1', 'fortran_order': False, 'shape': "
			 "(3L,)}",
			 &d));
	EQ(3, npy.shape.count);
}

TEST(cli_npy, what_cannot_be_used_is_refused_by_name)
{
	bad("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}",
	    "big-endian");
	bad("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "<c8");
	bad("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "|O");
	bad("{'descr': '', 'fortran_order': False, 'shape': (1,)}", "type");
	bad("{'descr': '>', 'fortran_order': False, 'shape': (1,)}",
	    "element type '>' is not one of");
	/* Nothing of a stranger's reaches the terminal but plain text. */
	bad("{'descr': '<u\n\033[31m', 'fortran_order': False, 'shape': (1,)}",
	    "'descr' is not a string");
	bad("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
	    "structures");
	bad("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}",
	    "Fortran");
	bad("{'descr': '<f4', 'fortran_order': False, "
	    "'shape': (1,1,1,1,1,1,1,1,1)}",
	    "dimensions");
}

TEST(cli_npy, malformed_headers_are_refused)
{
	bad("", "expected '{'");
	bad("{", "malformed");
	bad("{}", "missing");
	bad("{'descr': '<f4', 'shape': (1,)}", "missing");
	bad("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
	    "True or False");
	bad("{'descr': '<f4', 'fortran_order': False, 'shape': 1}", "tuple");
	bad("{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
	    "tuple");
	bad("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
	    "number");
	bad("{'descr': '<f4', 'fortran_order': False, "
	    "'shape': (99999999999999999999,)}",
	    "number");
	bad("{'descr': '<f4', 'fortran_order': False, "
	    "'shape': (4294967296, 4294967296)}",
	    "larger");
	bad("{'descr': '<f4', 'fortran_order': False, 'shape': (1,) 'x': 1}",
	    "malformed");
	bad("{'descr': '<f4", "malformed");
}

TEST(cli_npy, a_truncated_file_is_noticed)
{
	struct array_shape shape = { 1, { 100 }, 100 };
	char header[NPY_HEADER];
	size_t n = npy_format(header, ELEM_f32, &shape);
	struct diag d = { 0 };
	struct npy npy;

	EQ(ERR_OK, npy_parse(&npy, "x", header, n, n + 400, &d));
	OK(npy_parse(&npy, "x", header, n, n + 399, &d) != ERR_OK);
	OK(strstr(d.text, "truncated") != NULL);
	/* Cut anywhere, it is refused and nothing beyond the cut is read. */
	for (size_t cut = 0; cut < n; cut++) {
		char *copy = malloc(cut ? cut : 1);

		memcpy(copy, header, cut);
		OK(npy_parse(&npy, "x", copy, cut, cut, &d) != ERR_OK);
		free(copy);
	}
}

/* Writes a file of that ending; the test removes it. */
static void write_file(char path[64], const char *ending, const void *bytes,
		       size_t size)
{
	int fd;

	snprintf(path, 64, "/tmp/heddle_test_XXXXXX%s", ending);
	fd = mkstemps(path, (int)strlen(ending));
	OK(fd >= 0);
	EQ((ssize_t)size, write(fd, bytes, size));
	close(fd);
}

/* Opens FORMAT with the path in it and removes the file. */
static enum err open_spec(struct source *s, const char *format,
			  const char *path, struct diag *d)
{
	char text[128];
	struct arg_spec spec;
	enum err e;

	snprintf(text, sizeof(text), "%s@%s", format, path);
	EQ(ERR_OK, spec_parse(&spec, text, d));
	e = source_open(s, &spec, 0, d);
	unlink(path);
	return e;
}

TEST(cli_source, a_npy_file_gives_type_sizes_and_elements)
{
	struct array_shape shape = { 2, { 2, 2 }, 4 };
	float values[4] = { 1, 2, 3, 4 }, got[2];
	char file[NPY_HEADER + sizeof(values)], path[64];
	size_t n = npy_format(file, ELEM_f32, &shape);
	struct diag d = { 0 };
	struct source s;

	memcpy(file + n, values, sizeof(values));
	write_file(path, ".npy", file, n + sizeof(values));
	EQ(ERR_OK, open_spec(&s, "", path, &d));
	EQ(ELEM_f32, s.type);
	EQ(2, s.shape.dims);
	EQ(4, s.count);
	EQ(ERR_OK, source_fill(&s, 2, 2, got, &d));
	EQ(3.0f, got[0]);
	EQ(4.0f, got[1]);
	source_close(&s);
}

TEST(cli_source, a_raw_file_must_have_the_arrays_size)
{
	struct diag d = { 0 };
	struct source s;
	char path[64];
	uint32_t got;

	write_file(path, ".raw", "abcdefgh", 8);
	EQ(ERR_OK, open_spec(&s, "u32[]=", path, &d));
	EQ(2, s.count);
	EQ(ERR_OK, source_fill(&s, 1, 1, &got, &d));
	EQ(0x68676665, got);
	source_close(&s);
	write_file(path, ".raw", "abcdefgh", 8);
	OK(open_spec(&s, "u32[3]=", path, &d) != ERR_OK);
	OK(strstr(d.text, "has 8 bytes") != NULL);
	write_file(path, ".raw", "abcdefg", 7);
	OK(open_spec(&s, "u32[]=", path, &d) != ERR_OK);
	OK(strstr(d.text, "multiple") != NULL);
	write_file(path, ".npy", "abcdefgh", 8);
	OK(open_spec(&s, "u32[]=", path, &d) != ERR_OK);
	OK(strstr(d.text, "not a .npy file") != NULL);
}

TEST(cli_source, a_missing_file_or_a_folder_is_named)
{
	struct diag d = { 0 };
	struct source s;
	struct arg_spec spec;

	EQ(ERR_OK, spec_parse(&spec, "u8[]=@/nonexistent/x", &d));
	OK(source_open(&s, &spec, 0, &d) != ERR_OK);
	OK(strstr(d.text, "/nonexistent/x") != NULL);
	EQ(ERR_OK, spec_parse(&spec, "u8[]=@/tmp", &d));
	OK(source_open(&s, &spec, 0, &d) != ERR_OK);
	OK(strstr(d.text, "regular file") != NULL);
}
