/*
 * Fat binaries that nvcc made (data/fatbin) and some that we make here, where
 * every field can lie.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/rt/fatbin.h"
#include "test.h"

#ifdef HEDDLE_ZSTD
enum { HAVE_ZSTD = 1 };
#else
enum { HAVE_ZSTD = 0 };
#endif

enum { LZ4 = 0x2000, ZSTD = 0x8000, ARCH = 0x100000, FAMILY = 0x200000 };

struct bytes {
	uint8_t data[8192];
	size_t n;
};

static void load(struct bytes *b, const char *name)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/unit/data/fatbin/%s",
		 HEDDLE_SOURCE_DIR, name);
	f = fopen(path, "rb");
	OK(f);
	b->n = fread(b->data, 1, sizeof(b->data), f);
	OK(feof(f));
	fclose(f);
}

static void put(struct bytes *b, const void *data, size_t n)
{
	OK(n <= sizeof(b->data) - b->n);
	memcpy(b->data + b->n, data, n);
	b->n += n;
}

static void put_int(struct bytes *b, uint64_t value, size_t n)
{
	put(b, &value, n);
}

static void set_int(struct bytes *b, size_t at, uint64_t value, size_t n)
{
	memcpy(b->data + at, &value, n);
}

/* Offsets of the fields that lie. */
enum row_field { ROW_VERSION = 4, ROW_HEAD = 6, ROW_SIZE = 8, ROW_BYTES = 16 };
enum image_field {
	IMAGE_VERSION = 2,
	IMAGE_HEAD = 4,
	IMAGE_SIZE = 8,
	IMAGE_PACKED = 16,
	IMAGE_NAME = 32,
	IMAGE_NAME_SIZE = 36,
	IMAGE_FLAGS = 40,
	IMAGE_PLAIN = 56,
	IMAGE_BYTES = 64,
};

static void put_row(struct bytes *b, uint64_t size)
{
	put_int(b, 0xba55ed50, 4);
	put_int(b, 1, 2);
	put_int(b, ROW_BYTES, 2);
	put_int(b, size, 8);
}

/* An image; `plain`: its size if it is compressed. */
static void put_image(struct bytes *b, unsigned kind, unsigned sm,
		      uint64_t flags, const void *data, size_t size,
		      uint64_t plain)
{
	size_t padding = -size & 7;

	put_int(b, kind, 2);
	put_int(b, 0x101, 2);
	put_int(b, IMAGE_BYTES, 4);
	put_int(b, size + padding, 8);
	put_int(b, plain ? size : 0, 4);
	put_int(b, 0, 8);
	put_int(b, sm, 4);
	put_int(b, 0, 8);
	put_int(b, flags | 0x11, 8);
	put_int(b, 0, 8);
	put_int(b, plain, 8);
	put(b, data, size);
	put_int(b, 0, padding);
}

/* One fat binary with one image of PTX. */
static void one_image(struct bytes *b, uint64_t flags, const void *data,
		      size_t size, uint64_t plain)
{
	b->n = 0;
	put_row(b, 0);
	put_image(b, 1, 75, flags, data, size, plain);
	set_int(b, ROW_SIZE, b->n - ROW_BYTES, 8);
}

static void open_bytes(struct fatbin *f, const struct bytes *b)
{
	struct diag d;

	EQ(ERR_OK, fatbin_open(f, b->data, b->n, &d));
}

/* The bytes lie where a read too far is seen. */
static enum err open_error(const struct bytes *b, size_t n, struct diag *d)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct fatbin f;
	enum err e;

	memcpy(copy, b->data, n);
	e = fatbin_open(&f, copy, n, d);
	free(copy);
	return e;
}

static enum err ptx(const struct bytes *b, unsigned sm, char *out, size_t room,
		    struct diag *d)
{
	struct fatbin f;
	char *text;
	size_t size;
	enum err e;

	open_bytes(&f, b);
	*d = (struct diag){ 0 };
	e = fatbin_ptx(&f, sm, NULL, &text, &size, d);
	if (e)
		return e;
	EQ(size, strlen(text));
	OK(size < room);
	memcpy(out, text, size + 1);
	free(text);
	return ERR_OK;
}

/* The PTX for sm has that .target, or there is none (NULL). */
static void chooses(const struct bytes *b, unsigned sm, const char *target)
{
	char text[2048], line[64];
	struct diag d;
	enum err e = ptx(b, sm, text, sizeof(text), &d);

	if (!target) {
		EQ(ERR_UNSUPP, e);
		return;
	}
	EQ(ERR_OK, e);
	snprintf(line, sizeof(line), ".target %s\n", target);
	OK(strstr(text, line));
}

TEST(fatbin, plain_and_lz4_hold_the_same_text)
{
	char plain[2048], other[2048];
	struct bytes b;
	struct diag d;

	load(&b, "plain.fatbin");
	EQ(ERR_OK, ptx(&b, 90, plain, sizeof(plain), &d));
	OK(strstr(plain, ".entry _Z5scalePffi"));
	EQ('\n', plain[strlen(plain) - 1]);
	load(&b, "lz4.fatbin");
	EQ(ERR_OK, ptx(&b, 90, other, sizeof(other), &d));
	STREQ(plain, other);
	load(&b, "lz4_11.fatbin");
	EQ(ERR_OK, ptx(&b, 90, other, sizeof(other), &d));
	memcpy(strstr(other, "7.8"), "9.0", 3);
	STREQ(plain, other);
}

TEST(fatbin, zstd_holds_the_same_text_or_says_what_is_missing)
{
	char plain[2048], other[2048];
	struct bytes b;
	struct diag d;

	load(&b, "plain.fatbin");
	EQ(ERR_OK, ptx(&b, 90, plain, sizeof(plain), &d));
	load(&b, "zstd.fatbin");
	if (HAVE_ZSTD) {
		EQ(ERR_OK, ptx(&b, 90, other, sizeof(other), &d));
		STREQ(plain, other);
	} else {
		EQ(ERR_UNSUPP, ptx(&b, 90, other, sizeof(other), &d));
		OK(strstr(d.text, "this build has no zstd"));
	}
}

TEST(fatbin, an_image_has_the_name_of_its_source)
{
	struct fatbin_image im = { 0 };
	struct fatbin f;
	struct bytes b;

	load(&b, "lz4_11.fatbin");
	open_bytes(&f, &b);
	EQ(1, f.parts);
	EQ(1, f.images);
	OK(fatbin_next(&f, &im));
	EQ(FATBIN_PTX, im.kind);
	EQ(FATBIN_LZ4, im.packing);
	EQ(75, im.sm);
	EQ(0, im.variant);
	EQ(8, im.name_size);
	EQ(0, memcmp(im.name, "scale.cu", 8));
	EQ(717, im.plain_size);
	OK(!fatbin_next(&f, &im));
}

TEST(fatbin, of_several_images_nvcc_made_the_highest_that_runs)
{
	struct bytes b;
	char text[2048];
	struct diag d;

	load(&b, "several.fatbin");
	EQ(ERR_UNSUPP, ptx(&b, 70, text, sizeof(text), &d));
	OK(strstr(d.text, "holds PTX for compute_75, compute_90a, "
			  "compute_100f and machine code for sm_75; none"));
	OK(strstr(d.text, "arch=compute_70,code=compute_70"));
	if (!HAVE_ZSTD)
		return;
	chooses(&b, 75, "sm_75");
	chooses(&b, 89, "sm_75");
	chooses(&b, 90, "sm_90a");
	chooses(&b, 100, "sm_100f");
	chooses(&b, 103, "sm_100f");
	chooses(&b, 120, "sm_75");
}

TEST(fatbin, of_equal_images_the_most_specific)
{
	static const struct {
		unsigned sm;
		unsigned flags;
		const char *text;
	} images[] = {
		{ 90, ARCH, ".target sm_90a\n" },
		{ 103, FAMILY, ".target sm_103f\n" },
		{ 80, 0, ".target sm_80\n" },
		{ 90, 0, ".target sm_90\n" },
		{ 103, ARCH, ".target sm_103a\n" },
		{ 100, FAMILY, ".target sm_100f\n" },
	};
	struct bytes b = { 0 };

	put_row(&b, 0);
	for (size_t i = 0; i < sizeof(images) / sizeof(*images); i++)
		put_image(&b, 1, images[i].sm, images[i].flags, images[i].text,
			  strlen(images[i].text) + 1, 0);
	set_int(&b, ROW_SIZE, b.n - ROW_BYTES, 8);
	chooses(&b, 75, NULL);
	chooses(&b, 80, "sm_80");
	chooses(&b, 86, "sm_80");
	chooses(&b, 90, "sm_90a");
	chooses(&b, 100, "sm_100f");
	chooses(&b, 101, "sm_100f");
	chooses(&b, 103, "sm_103a");
	chooses(&b, 104, "sm_103f");
	chooses(&b, 120, "sm_90");
}

TEST(fatbin, machine_code_alone_is_refused_with_advice)
{
	struct bytes b;
	struct diag d;

	load(&b, "machine.fatbin");
	EQ(ERR_UNSUPP, ptx(&b, 90, NULL, 0, &d));
	OK(strstr(d.text, "holds machine code for sm_90 only and no PTX: "
			  "rebuild it with nvcc -arch=sm_90"));
	OK(strstr(d.text, "-gencode arch=compute_90,code=compute_90"));
}

TEST(fatbin, machine_code_is_decompressed_and_read_by_itself)
{
	struct fatbin_image im = { 0 }, again = { 0 };
	struct fatbin f, cubin;
	struct bytes b;
	struct diag d;
	void *data;
	size_t size;

	load(&b, "machine.fatbin");
	open_bytes(&f, &b);
	OK(fatbin_next(&f, &im));
	EQ(FATBIN_ELF, im.kind);
	EQ(FATBIN_ZSTD, im.packing);
	if (!HAVE_ZSTD)
		return;
	EQ(ERR_OK, fatbin_plain(&im, &data, &size, &d));
	EQ(3832, size);
	EQ(ERR_OK, fatbin_open(&cubin, data, FATBIN_SIZE_UNKNOWN, &d));
	OK(fatbin_next(&cubin, &again));
	EQ(size, again.size); /* by its own account */
	EQ(90, again.sm);
	EQ(ERR_OK, fatbin_open(&cubin, data, size, &d));
	again = (struct fatbin_image){ 0 };
	OK(fatbin_next(&cubin, &again));
	EQ(size, again.size);
	EQ(FATBIN_ELF, again.kind);
	EQ(90, again.sm);
	OK(!fatbin_next(&cubin, &again));
	free(data);
}

/* The bytes of the machine code that is chosen; "": none. */
static const char *machine(const struct bytes *b, unsigned sm, struct diag *d)
{
	struct fatbin_pick pick = { 0 };
	static char out[16];
	struct fatbin f;
	void *data;
	size_t size;

	open_bytes(&f, b);
	*d = (struct diag){ 0 };
	if (fatbin_machine(&f, sm, &pick, &data, &size, d)) {
		EQ(ERR_UNSUPP, d->code);
		return "";
	}
	EQ(FATBIN_ELF, pick.kind);
	OK(pick.sm <= sm && pick.sm / 10 == sm / 10);
	snprintf(out, sizeof(out), "%s", (char *)data);
	free(data);
	return out;
}

TEST(fatbin, machine_code_is_chosen_as_a_driver_does)
{
	struct bytes b = { .n = 0 };
	struct diag d;

	put_row(&b, 0);
	put_image(&b, 1, 80, 0, "ptx", 4, 0);
	put_image(&b, 2, 75, 0, "m75", 4, 0);
	put_image(&b, 2, 86, 0, "m86", 4, 0);
	put_image(&b, 2, 80, 0, "m80", 4, 0);
	put_image(&b, 2, 90, 0, "m90", 4, 0);
	put_image(&b, 2, 90, ARCH, "m90a", 5, 0);
	put_image(&b, 2, 100, FAMILY, "m100f", 6, 0);
	put_image(&b, 2, 120, ARCH, "m120a", 6, 0);
	set_int(&b, ROW_SIZE, b.n - ROW_BYTES, 8);
	STREQ("", machine(&b, 70, &d));
	STREQ("m75", machine(&b, 75, &d));
	STREQ("m80", machine(&b, 80, &d));
	STREQ("m86", machine(&b, 86, &d));
	STREQ("m86", machine(&b, 89, &d));
	STREQ("m90a", machine(&b, 90, &d));
	STREQ("m100f", machine(&b, 103, &d));
	STREQ("m120a", machine(&b, 120, &d));
	STREQ("", machine(&b, 121, &d));
	OK(strstr(d.text, "holds machine code for sm_75, sm_86, sm_80, sm_90, "
			  "sm_90a, sm_100f, sm_120a, which sm_121 does not "
			  "execute"));
	b.n = 0;
	put_row(&b, 0);
	put_image(&b, 1, 80, 0, "ptx", 4, 0);
	set_int(&b, ROW_SIZE, b.n - ROW_BYTES, 8);
	STREQ("", machine(&b, 80, &d));
	STREQ("the program holds no machine code", d.text);
}

TEST(fatbin, compressed_machine_code_is_chosen_too)
{
	struct fatbin f;
	struct bytes b;
	struct diag d;
	void *data;
	size_t size;

	load(&b, "machine.fatbin");
	open_bytes(&f, &b);
	EQ(ERR_UNSUPP, fatbin_machine(&f, 80, NULL, &data, &size, &d));
	if (!HAVE_ZSTD)
		return;
	EQ(ERR_OK, fatbin_machine(&f, 90, NULL, &data, &size, &d));
	EQ(3832, size);
	OK(!memcmp(data, "\177ELF", 4));
	free(data);
}

TEST(fatbin, intermediate_code_is_named)
{
	struct fatbin_image im = { 0 };
	struct fatbin f;
	struct bytes b;
	struct diag d;
	void *data;
	size_t size;

	load(&b, "lto.fatbin");
	open_bytes(&f, &b);
	OK(fatbin_next(&f, &im));
	EQ(FATBIN_OTHER, im.kind);
	EQ(ERR_UNSUPP, fatbin_plain(&im, &data, &size, &d));
	EQ(ERR_UNSUPP, ptx(&b, 90, NULL, 0, &d));
	OK(strstr(d.text, "intermediate code for lto_90 only and no PTX"));
}

TEST(fatbin, a_long_list_of_images_ends_in_dots)
{
	struct bytes b = { 0 };
	struct diag d;

	put_row(&b, 0);
	for (unsigned sm = 200; sm < 300; sm++)
		put_image(&b, 2, sm, ARCH, "", 0, 0);
	set_int(&b, ROW_SIZE, b.n - ROW_BYTES, 8);
	EQ(ERR_UNSUPP, ptx(&b, 90, NULL, 0, &d));
	OK(strstr(d.text, "sm_200a, sm_201a, "));
	OK(strstr(d.text, "... only and no PTX: rebuild"));
}

TEST(fatbin, an_empty_one_is_read_and_has_nothing)
{
	struct bytes b = { 0 };
	struct fatbin f;
	struct diag d;

	put_row(&b, 0);
	open_bytes(&f, &b);
	EQ(1, f.parts);
	EQ(0, f.images);
	EQ(ERR_UNSUPP, ptx(&b, 90, NULL, 0, &d));
	OK(strstr(d.text, "empty"));
}

static void is_ptx(const char *text, size_t size, unsigned sm, char variant)
{
	struct fatbin_image im = { 0 };
	struct fatbin f;
	struct diag d;

	EQ(ERR_OK, fatbin_open(&f, text, size, &d));
	EQ(1, f.parts);
	EQ(1, f.images);
	OK(fatbin_next(&f, &im));
	EQ(FATBIN_PTX, im.kind);
	EQ(FATBIN_PLAIN, im.packing);
	EQ(sm, im.sm);
	EQ(variant, im.variant);
	EQ(strlen(text), im.size);
	OK(!fatbin_next(&f, &im));
}

TEST(fatbin, plain_ptx_has_the_architecture_of_its_target)
{
	struct bytes b;

	load(&b, "scale.ptx");
	b.data[b.n] = 0;
	is_ptx((char *)b.data, b.n, 90, 'a');
	is_ptx((char *)b.data, b.n + 1, 90, 'a');
	is_ptx((char *)b.data, sizeof(b.data) - 1, 90, 'a');
	is_ptx((char *)b.data, FATBIN_SIZE_UNKNOWN, 90, 'a');
	is_ptx(".target sm_100f", FATBIN_SIZE_UNKNOWN, 100, 'f');
	is_ptx(".version 6.0 .target\tsm_35, debug", FATBIN_SIZE_UNKNOWN, 35,
	       0);
	is_ptx("/*/.target sm_1*/.target/**/sm_70//", FATBIN_SIZE_UNKNOWN, 70,
	       0);
	is_ptx("// .target sm_10\n.target sm_", FATBIN_SIZE_UNKNOWN, 0, 0);
	is_ptx(".target", FATBIN_SIZE_UNKNOWN, 0, 0);
	is_ptx("/* .target sm_90", FATBIN_SIZE_UNKNOWN, 0, 0);
	is_ptx(".targets sm_90 {.target sm_90", FATBIN_SIZE_UNKNOWN, 0, 0);
}

TEST(fatbin, ptx_for_another_gpu_is_refused_as_text_too)
{
	struct bytes b;

	load(&b, "scale.ptx");
	chooses(&b, 90, "sm_90a");
	chooses(&b, 89, NULL);
	chooses(&b, 100, NULL);
}

TEST(fatbin, what_is_none_of_these_is_refused)
{
	static const char *const wrong[] = { "", "\x01", "PTX\x80\x02",
					     "\x7f\x45L" };
	struct fatbin f;
	struct diag d;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		d = (struct diag){ 0 };
		EQ(ERR_SYNTAX,
		   fatbin_open(&f, wrong[i], FATBIN_SIZE_UNKNOWN, &d));
		EQ(ERR_SYNTAX, d.code);
		EQ(ERR_SYNTAX, fatbin_open(&f, wrong[i], strlen(wrong[i]), &d));
	}
	EQ(ERR_SYNTAX, fatbin_open(&f, NULL, FATBIN_SIZE_UNKNOWN, &d));
}

TEST(fatbin, a_program_is_not_machine_code_of_a_gpu)
{
	uint8_t head[64] = "\x7f"
			   "ELF\x02\x01\x01";
	struct fatbin f;
	struct diag d;

	head[18] = 62; /* e_machine */
	EQ(ERR_SYNTAX, fatbin_open(&f, head, sizeof(head), &d));
	OK(strstr(d.text, "an ELF file for machine 62"));
	head[18] = 190;
	EQ(ERR_OK, fatbin_open(&f, head, sizeof(head), &d));
	EQ(ERR_SYNTAX, fatbin_open(&f, head, sizeof(head) - 1, &d));
	head[4] = 1;
	EQ(ERR_SYNTAX, fatbin_open(&f, head, sizeof(head), &d));
}

struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *const *linked;
};

TEST(fatbin, a_wrapper_leads_to_its_fat_binary)
{
	struct wrapper w = { 0x466243b1, 1, NULL, NULL };
	struct bytes b;
	struct fatbin f;
	struct diag d;

	load(&b, "plain.fatbin");
	w.data = b.data;
	memset(b.data + b.n, 0xff, 16); /* not looked at */
	EQ(ERR_OK, fatbin_open(&f, &w, FATBIN_SIZE_UNKNOWN, &d));
	EQ(1, f.images);
	EQ(b.n, f.size);
	EQ(0, f.prelinked_count);
	EQ(ERR_SYNTAX, fatbin_open(&f, &w, sizeof(w), &d));
	w.version = 3;
	EQ(ERR_UNSUPP, fatbin_open(&f, &w, FATBIN_SIZE_UNKNOWN, &d));
	w.version = 1;
	w.data = NULL;
	EQ(ERR_SYNTAX, fatbin_open(&f, &w, FATBIN_SIZE_UNKNOWN, &d));
	w.data = &w;
	EQ(ERR_SYNTAX, fatbin_open(&f, &w, FATBIN_SIZE_UNKNOWN, &d));
}

TEST(fatbin, a_linked_program_has_the_ptx_in_its_objects)
{
	struct bytes a, b, linked = { 0 };
	const void *objects[] = { a.data, b.data, NULL };
	struct wrapper w = { 0x466243b1, 2, linked.data, objects };
	struct fatbin f, one;
	struct diag d;
	char *text;
	size_t size;

	load(&a, "plain.fatbin");
	load(&b, "lz4.fatbin");
	put_row(&linked, 0);
	EQ(ERR_OK, fatbin_open(&f, &w, FATBIN_SIZE_UNKNOWN, &d));
	EQ(0, f.images);
	EQ(2, f.prelinked_count);
	EQ(ERR_UNSUPP, fatbin_ptx(&f, 90, NULL, &text, &size, &d));
	OK(strstr(d.text, "linked from 2 objects"));
	for (unsigned i = 0; i < 2; i++) {
		EQ(ERR_OK, fatbin_prelinked(&f, i, &one, &d));
		EQ(ERR_OK, fatbin_ptx(&one, 90, NULL, &text, &size, &d));
		EQ(716, size);
		free(text);
	}
	EQ(ERR_RANGE, fatbin_prelinked(&f, 2, &one, &d));
	w.linked = NULL;
	EQ(ERR_OK, fatbin_open(&f, &w, FATBIN_SIZE_UNKNOWN, &d));
	EQ(0, f.prelinked_count);
}

TEST(fatbin, several_in_a_section_are_parts)
{
	struct bytes b, next;
	struct fatbin f, one;
	struct fatbin_image im = { 0 };
	struct diag d;
	char *text;
	size_t size;

	load(&b, "plain.fatbin");
	load(&next, "machine.fatbin");
	put(&b, (uint8_t[200]){ 0 }, 200);
	put(&b, next.data, next.n);
	put_row(&b, 0);
	load(&next, "lz4.fatbin");
	put(&b, next.data, next.n);
	put(&b, (uint8_t[3]){ 0 }, 3);
	open_bytes(&f, &b);
	EQ(4, f.parts);
	EQ(3, f.images);
	OK(fatbin_next(&f, &im) && im.part == 0);
	OK(fatbin_next(&f, &im) && im.part == 1);
	OK(fatbin_next(&f, &im) && im.part == 3);
	OK(!fatbin_next(&f, &im));
	EQ(ERR_RANGE, fatbin_ptx(&f, 90, NULL, &text, &size, &d));
	EQ(ERR_OK, fatbin_part(&f, 1, &one, &d));
	EQ(ERR_UNSUPP, fatbin_ptx(&one, 90, NULL, &text, &size, &d));
	EQ(ERR_OK, fatbin_part(&f, 2, &one, &d));
	EQ(0, one.images);
	EQ(ERR_OK, fatbin_part(&f, 3, &one, &d));
	EQ(ERR_OK, fatbin_ptx(&one, 90, NULL, &text, &size, &d));
	EQ(716, size);
	free(text);
	EQ(ERR_RANGE, fatbin_part(&f, 4, &one, &d));
	put_int(&b, 1, 1);
	EQ(ERR_SYNTAX, open_error(&b, b.n, &d));
}

TEST(fatbin, a_truncated_one_is_refused_at_every_length)
{
	struct bytes b;
	struct diag d;

	load(&b, "several.fatbin");
	EQ(ERR_OK, open_error(&b, b.n, &d));
	/* Three bytes of the magic number could be text. */
	for (size_t n = 4; n < b.n; n++)
		EQ(ERR_SYNTAX, open_error(&b, n, &d));
}

TEST(fatbin, headers_that_lie_are_refused)
{
	static const char text[] = ".version 9.0\n.target sm_75\n";
	static const struct {
		size_t at;
		uint64_t value;
		size_t bytes;
		enum err want;
	} lies[] = {
		{ ROW_VERSION, 2, 2, ERR_UNSUPP },
		{ ROW_HEAD, 15, 2, ERR_SYNTAX },
		{ ROW_HEAD, 0xffff, 2, ERR_SYNTAX },
		{ ROW_HEAD, 0, 2, ERR_SYNTAX },
		{ ROW_SIZE, UINT64_MAX, 8, ERR_SYNTAX },
		{ ROW_SIZE, UINT64_MAX - 15, 8, ERR_SYNTAX },
		{ ROW_SIZE, 100, 8, ERR_SYNTAX },
		{ ROW_SIZE, 63, 8, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_VERSION, 0x201, 2, ERR_UNSUPP },
		{ ROW_BYTES + IMAGE_HEAD, 63, 4, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_HEAD, UINT32_MAX, 4, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_SIZE, UINT64_MAX, 8, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_SIZE, UINT64_MAX - 63, 8, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_SIZE, 33, 8, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_SIZE, 31, 8, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_PACKED, 33, 4, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_NAME, 65, 4, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_NAME_SIZE, 65, 4, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_NAME_SIZE, UINT32_MAX, 4, ERR_SYNTAX },
		{ ROW_BYTES + IMAGE_FLAGS, LZ4 | ZSTD, 8, ERR_SYNTAX },
	};
	struct bytes b;
	struct diag d;

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		one_image(&b, 0, text, sizeof(text), 0);
		EQ(ERR_OK, open_error(&b, b.n, &d));
		set_int(&b, lies[i].at, lies[i].value, lies[i].bytes);
		d = (struct diag){ 0 };
		EQ(lies[i].want, open_error(&b, b.n, &d));
		EQ(lies[i].want, d.code);
		OK(d.text[0]);
	}
}

TEST(fatbin, sizes_of_lz4_that_lie_are_refused)
{
	static const uint64_t lies[] = { 0, 4, 6, 256 * 6 };
	struct bytes b;
	char text[64];
	struct diag d;

	one_image(&b, LZ4, "\x50hello", 6, 5);
	EQ(ERR_OK, ptx(&b, 90, text, sizeof(text), &d));
	STREQ("hello", text);
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		set_int(&b, ROW_BYTES + IMAGE_PLAIN, lies[i], 8);
		EQ(ERR_SYNTAX, ptx(&b, 90, text, sizeof(text), &d));
		OK(strstr(d.text, "PTX for compute_75: LZ4"));
	}
	set_int(&b, ROW_BYTES + IMAGE_PLAIN, FATBIN_PLAIN_MAX, 8);
	EQ(ERR_SYNTAX, ptx(&b, 90, text, sizeof(text), &d));
	set_int(&b, ROW_BYTES + IMAGE_PLAIN, FATBIN_PLAIN_MAX + 1, 8);
	EQ(ERR_RANGE, ptx(&b, 90, text, sizeof(text), &d));
	set_int(&b, ROW_BYTES + IMAGE_PLAIN, UINT64_MAX, 8);
	EQ(ERR_RANGE, ptx(&b, 90, text, sizeof(text), &d));
	set_int(&b, ROW_BYTES + IMAGE_PLAIN, 5, 8);
	set_int(&b, ROW_BYTES + IMAGE_PACKED, 5, 4);
	EQ(ERR_SYNTAX, ptx(&b, 90, text, sizeof(text), &d));
}

enum block { RAW, RUN, LAST = 4 };

/* A frame that says it yields `size` bytes; blocks follow. */
static void put_frame(struct bytes *b, uint64_t size)
{
	put_int(b, 0xfd2fb528, 4);
	put_int(b, 0xe0, 1); /* no window, eight bytes of size */
	put_int(b, size, 8);
}

static void put_block(struct bytes *b, enum block type, const char *data,
		      size_t n)
{
	put_int(b, n << 3 | (type & RUN) << 1 | (type & LAST) >> 2, 3);
	put(b, data, type & RUN ? 1 : n);
}

static enum err zstd_ptx(const struct bytes *frame, uint64_t plain,
			 struct diag *d)
{
	struct bytes b;
	char text[64];
	enum err e;

	one_image(&b, ZSTD, frame->data, frame->n, plain);
	e = ptx(&b, 90, text, sizeof(text), d);
	if (!e)
		STREQ("hello  !!!!", text);
	return e;
}

TEST(fatbin, sizes_of_zstd_that_lie_are_refused)
{
	struct bytes frame = { 0 }, b;
	struct diag d;

	if (!HAVE_ZSTD)
		return;
	put_frame(&frame, 11);
	put_block(&frame, RAW, "hello  ", 7);
	put_block(&frame, RUN | LAST, "!", 4);
	EQ(ERR_OK, zstd_ptx(&frame, 11, &d));
	EQ(ERR_SYNTAX, zstd_ptx(&frame, 10, &d));
	EQ(ERR_SYNTAX, zstd_ptx(&frame, 12, &d));
	EQ(ERR_SYNTAX, zstd_ptx(&frame, FATBIN_PLAIN_MAX, &d));
	OK(strstr(d.text, "PTX for compute_75: zstd"));
	EQ(ERR_RANGE, zstd_ptx(&frame, FATBIN_PLAIN_MAX + 1, &d));
	for (b = frame; b.n--;)
		EQ(ERR_SYNTAX, zstd_ptx(&b, 11, &d));
	b = frame;
	put_int(&b, 0, 1);
	EQ(ERR_SYNTAX, zstd_ptx(&b, 11, &d));
	set_int(&frame, 5, 10, 8);
	EQ(ERR_SYNTAX, zstd_ptx(&frame, 11, &d));
	EQ(ERR_SYNTAX, zstd_ptx(&frame, 10, &d));
	set_int(&frame, 5, FATBIN_PLAIN_MAX, 8);
	EQ(ERR_SYNTAX, zstd_ptx(&frame, FATBIN_PLAIN_MAX, &d));
}

TEST(fatbin, zstd_of_many_blocks_grows)
{
	enum { BLOCKS = 40, RUN_SIZE = 1 << 17 };
	struct bytes frame = { 0 }, b;
	struct fatbin f;
	struct diag d;
	char *text;
	size_t size;

	if (!HAVE_ZSTD)
		return;
	put_frame(&frame, BLOCKS * RUN_SIZE);
	for (int i = 0; i < BLOCKS; i++)
		put_block(&frame, i < BLOCKS - 1 ? RUN : RUN | LAST, "x",
			  RUN_SIZE);
	one_image(&b, ZSTD, frame.data, frame.n, BLOCKS * RUN_SIZE);
	open_bytes(&f, &b);
	EQ(ERR_OK, fatbin_ptx(&f, 90, NULL, &text, &size, &d));
	EQ(BLOCKS * RUN_SIZE, size);
	EQ(size, strspn(text, "x"));
	free(text);
}
