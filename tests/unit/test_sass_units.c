/*
 * Machine code of the units beside the ALUs: atomics, matrices, copies, barriers
 * in memory, textures, surfaces; and uniform registers of lanes that have diverged.
 *
 * A file of PTX in tests/sass/unit and the machine code that ptxas has made of it
 * for an architecture run with the same memory, each kernel by one warp. Both
 * must leave the same memory, with and without timing: PTX's executors are
 * tested against hardware.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "heddle/heddle.h"

enum {
	UNIT_BYTES = 65536, /* of each buffer */
	UNIT_BUFFERS = 3,   /* output, input, texels */
	UNIT_OBJECTS = 8,   /* textures and surfaces */
	UNIT_PATH = 512
};

struct unit_memory {
	uint8_t b[UNIT_BUFFERS][UNIT_BYTES];
};

/* What kernels get: the addresses of two buffers, and objects. */
struct unit_params {
	heddle_ptr out, in;
	uint64_t object[UNIT_OBJECTS];
};

/* Numbers of moderate size in most formats, zeros and small integers; texels are
 * floats between -4 and 4. */
static void unit_fill(struct unit_memory *m)
{
	uint64_t x = 0x9e3779b97f4a7c15;

	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < UNIT_BYTES; i += 2) {
		uint16_t v;
		float f;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		v = (uint16_t)((x >> 20 & 0x83ff) | (12 + (x >> 40) % 6) << 10);
		v = x >> 50 & 15 ? v : (uint16_t)(x & 7);
		memcpy(&m->b[1][i], &v, sizeof(v));
		f = (float)(int32_t)(x >> 24 & 0x7ff) / 256 - 4;
		if (i % 4 == 0)
			memcpy(&m->b[2][i], &f, sizeof(f));
	}
}

static char *unit_read(const char *name, size_t *size)
{
	char path[UNIT_PATH];
	char *text = malloc(1 << 20);
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/sass/unit/%s", HEDDLE_SOURCE_DIR,
		 name);
	f = fopen(path, "rb");
	OK(f && text);
	*size = fread(text, 1, 1 << 20, f);
	fclose(f);
	return text;
}

/* A device of an architecture; with a configuration, it takes time. */
static struct heddle_device *unit_device(unsigned sm, const char *config)
{
	struct heddle_device_options o = { .sm_major = sm / 10,
					   .sm_minor = sm % 10,
					   .threads = 1 };
	struct heddle_config *c = NULL;
	struct heddle_device *dev;

	if (config)
		EQ(0, heddle_config_load(&c, config, NULL));
	o.config = c;
	EQ(0, heddle_device_new(&dev, &o, NULL));
	heddle_config_free(c);
	return dev;
}

/* The objects of gen_tex.py, in the third buffer. */
static void unit_objects(struct heddle_device *dev, heddle_ptr texels,
			 uint64_t object[UNIT_OBJECTS])
{
	static const struct heddle_texture shapes[UNIT_OBJECTS] = {
		{ .width = 32 },
		{ .width = 8, .height = 8 },
		{ .width = 4, .height = 4, .depth = 4 },
		{ .width = 8, .layers = 4 },
		{ .width = 8, .height = 8, .layers = 4 },
		{ .width = 4, .height = 4, .layers = 6 },
		{ .width = 4, .height = 4, .layers = 24 },
		{ .width = 8, .height = 8, .linear = 1 },
	};

	for (int i = 0; i < UNIT_OBJECTS; i++) {
		struct heddle_texture t = shapes[i];

		t.data = texels + (heddle_ptr)i * 8192;
		t.format = HEDDLE_TEXEL_F32;
		t.channels = 4;
		for (int k = 0; k < 3; k++)
			t.address[k] = i % 2 ? HEDDLE_ADDRESS_CLAMP :
					       HEDDLE_ADDRESS_BORDER;
		EQ(0, heddle_texture_new(dev, &t, &object[i], NULL));
	}
}

/* Runs a kernel by one warp. Returns how many instructions it executed. */
static uint64_t unit_launch(struct heddle_device *dev,
			    struct heddle_module *mod, const char *kernel,
			    struct unit_memory *m)
{
	struct heddle_launch l = { .kernel = kernel,
				   .grid = { 1, 1, 1 },
				   .block = { 32, 1, 1 } };
	struct heddle_error err = { .text = "" };
	struct unit_params p;
	struct heddle_result r;
	heddle_ptr at[UNIT_BUFFERS];

	for (int i = 0; i < UNIT_BUFFERS; i++) {
		EQ(0, heddle_alloc(dev, UNIT_BYTES, &at[i], NULL));
		EQ(0, heddle_write(dev, at[i], m->b[i], UNIT_BYTES, NULL));
	}
	p.out = at[0];
	p.in = at[1];
	unit_objects(dev, at[2], p.object);
	l.params = &p;
	for (size_t i = 0; i < heddle_module_kernel_count(mod); i++)
		if (!strcmp(heddle_module_kernel(mod, i)->name, kernel))
			l.param_bytes =
				heddle_module_kernel(mod, i)->param_bytes;
	(void)heddle_launch(dev, mod, &l, &r, &err);
	STREQ("", err.text);
	for (int i = 0; i < UNIT_OBJECTS; i++)
		EQ(0, heddle_texture_free(dev, p.object[i], NULL));
	for (int i = 0; i < UNIT_BUFFERS; i++) {
		EQ(0, heddle_read(dev, m->b[i], at[i], UNIT_BYTES, NULL));
		EQ(0, heddle_free(dev, at[i], NULL));
	}
	return r.warp_instructions;
}

static struct heddle_module *unit_load(struct heddle_device *dev,
				       const char *name)
{
	struct heddle_error err = { .text = "" };
	struct heddle_module *mod = NULL;
	size_t size;
	char *text = unit_read(name, &size);

	(void)heddle_module_load(dev, &mod, name, text, size, &err);
	STREQ("", err.text);
	free(text);
	return mod;
}

/* The first word that differs, for the message. */
static void unit_same(const char *kernel, const struct unit_memory *ptx,
		      const struct unit_memory *sass)
{
	char a[128], b[128];

	for (unsigned i = 0; i < UNIT_BUFFERS * UNIT_BYTES; i += 4) {
		unsigned buffer = i / UNIT_BYTES, at = i % UNIT_BYTES;
		uint32_t x, y;

		memcpy(&x, &ptx->b[buffer][at], 4);
		memcpy(&y, &sass->b[buffer][at], 4);
		if (x == y)
			continue;
		snprintf(a, sizeof(a), "%s: buffer %u+%u: %08x", kernel, buffer,
			 at, x);
		snprintf(b, sizeof(b), "%s: buffer %u+%u: %08x", kernel, buffer,
			 at, y);
		STREQ(a, b);
		return;
	}
}

/* Compares all kernels of NAME.ptx with those of NAME.smSM.cubin. */
static void unit_compare(const char *name, unsigned sm, const char *config)
{
	static struct unit_memory ptx, sass, before;
	struct heddle_device *dev = unit_device(sm, config);
	char file[UNIT_PATH];
	struct heddle_module *a, *b;

	unit_fill(&before);
	snprintf(file, sizeof(file), "%s.ptx", name);
	a = unit_load(dev, file);
	snprintf(file, sizeof(file), "%s.sm%u.cubin", name, sm);
	b = unit_load(dev, file);
	OK(heddle_module_kernel_count(a) > 0);
	for (size_t i = 0; b && i < heddle_module_kernel_count(a); i++) {
		const char *kernel = heddle_module_kernel(a, i)->name;

		ptx = before;
		sass = before;
		(void)unit_launch(dev, a, kernel, &ptx);
		(void)unit_launch(dev, b, kernel, &sass);
		unit_same(kernel, &ptx, &sass);
		if (!memcmp(&ptx, &before, sizeof(ptx)))
			STREQ("a kernel that does something", kernel);
	}
	heddle_module_free(dev, a);
	heddle_module_free(dev, b);
	heddle_device_free(dev);
}

TEST(sass_units, atomics_are_those_of_ptx)
{
	unit_compare("atom", 80, NULL);
	unit_compare("atom", 90, NULL);
	unit_compare("halves", 90, NULL);
}

TEST(sass_units, with_time_they_are_those_of_ptx_too)
{
	unit_compare("atom", 90, "h200");
	unit_compare("halves", 90, "h200");
	unit_compare("copy", 90, "h200");
	unit_compare("async", 90, "h200");
	unit_compare("tex", 90, "h200");
	unit_compare("mma90", 90, "h200");
	unit_compare("mmasp", 90, "h200");
}

TEST(sass_units, matrices_are_those_of_ptx)
{
	unit_compare("mma75", 75, NULL);
	unit_compare("mma", 80, NULL);
	unit_compare("mma4", 80, NULL);
	unit_compare("mma", 90, NULL);
	unit_compare("mma89", 89, NULL);
	unit_compare("mma90", 90, NULL);
}

TEST(sass_units, sparse_matrices_are_those_of_ptx)
{
	unit_compare("mmasp", 80, NULL);
	unit_compare("mmasp", 90, NULL);
	unit_compare("mmasp4", 80, NULL);
	unit_compare("mmasp4", 90, NULL);
}

/* On the H200, too, a predicate that is false makes C zero: 16 ones times 16 ones
 * and 1000 gave 16. */
TEST(sass_units, matrices_are_added_only_where_a_predicate_says_so)
{
	unit_compare("product", 90, NULL);
}

TEST(sass_units, copies_and_rows_are_those_of_ptx)
{
	unit_compare("copy", 80, NULL);
	unit_compare("copy", 90, NULL);
	unit_compare("base", 80, NULL);
}

TEST(sass_units, barriers_and_bulk_copies_are_those_of_ptx)
{
	unit_compare("barrier80", 80, NULL);
	unit_compare("async", 90, NULL);
}

TEST(sass_units, textures_and_surfaces_are_those_of_ptx)
{
	unit_compare("cube", 75, NULL);
	unit_compare("cube", 80, NULL);
	unit_compare("cube", 90, NULL);
	unit_compare("tex", 75, NULL);
	unit_compare("tex", 80, NULL);
	unit_compare("tex", 90, NULL);
}

TEST(sass_units, diverged_lanes_have_their_own_uniform_registers)
{
	unit_compare("diverge", 80, NULL);
	unit_compare("diverge", 90, NULL);
	unit_compare("diverge", 90, "h200");
}

TEST(sass_units, groups_of_lanes_reduce_by_themselves)
{
	unit_compare("groups", 80, NULL);
	unit_compare("groups", 90, NULL);
	unit_compare("groups", 90, "h200");
}

/* The instructions of a kernel of spin.ptx in machine code. */
static uint64_t unit_spins(struct heddle_device *dev, struct heddle_module *mod,
			   const char *kernel)
{
	static struct unit_memory m;

	unit_fill(&m);
	return unit_launch(dev, mod, kernel, &m);
}

TEST(sass_units, a_compare_and_swap_that_spins_serves_a_lane_of_each_bank)
{
	struct heddle_device *dev = unit_device(90, NULL);
	struct heddle_module *mod = unit_load(dev, "spin.sm90.cubin");
	uint64_t once = unit_spins(dev, mod, "places1");
	uint64_t loop = unit_spins(dev, mod, "places2") - once;

	OK(loop > 3);
	EQ(once, unit_spins(dev, mod, "places17"));
	EQ(once + 15 * loop, unit_spins(dev, mod, "places16"));
	EQ(once + 31 * loop, unit_spins(dev, mod, "places32"));
	/* Each half of the warp has its turn. */
	once = unit_spins(dev, mod, "doubles1");
	loop = unit_spins(dev, mod, "doubles2") - once;
	OK(loop > 3);
	EQ(once + 15 * loop, unit_spins(dev, mod, "doubles16"));
	EQ(once + 15 * loop, unit_spins(dev, mod, "doubles32"));
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
	unit_compare("spin", 90, NULL);
	unit_compare("spin", 90, "h200");
}

/* The ticket of a lane in sides.ptx, if lanes below `first` take one side. */
static uint32_t unit_ticket(struct heddle_device *dev,
			    struct heddle_module *mod, uint32_t first,
			    unsigned lane)
{
	static struct unit_memory m;
	uint32_t ticket;

	unit_fill(&m);
	memcpy(m.b[1], &first, sizeof(first));
	(void)unit_launch(dev, mod, "sides", &m);
	memcpy(&ticket, &m.b[0][lane * sizeof(ticket)], sizeof(ticket));
	return ticket;
}

TEST(sass_units, the_side_with_fewer_lanes_goes_first)
{
	struct heddle_device *dev = unit_device(90, NULL);
	struct heddle_module *mod = unit_load(dev, "sides.sm90.cubin");

	EQ(0, unit_ticket(dev, mod, 1, 0));
	EQ(0, unit_ticket(dev, mod, 15, 0));
	EQ(15, unit_ticket(dev, mod, 15, 15));
	/* With as many lanes, the one at the lower address. */
	EQ(0, unit_ticket(dev, mod, 16, 0));
	EQ(16, unit_ticket(dev, mod, 16, 16));
	EQ(0, unit_ticket(dev, mod, 17, 17));
	EQ(15, unit_ticket(dev, mod, 17, 0));
	EQ(0, unit_ticket(dev, mod, 31, 31));
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

TEST(sass_units, lanes_that_wait_further_out_are_not_waited_for)
{
	unit_compare("falls", 90, NULL);
	unit_compare("falls", 90, "h200");
}

TEST(sass_units, special_registers_are_those_of_ptx)
{
	unit_compare("sregs", 80, NULL);
	unit_compare("sregs", 90, NULL);
}

/* The address of a variable. */
static heddle_ptr unit_variable(struct heddle_device *dev,
				struct heddle_module *mod, const char *name)
{
	uint64_t size;
	heddle_ptr at;

	EQ(0, heddle_module_global(dev, mod, name, &at, &size, NULL));
	return at;
}

TEST(sass_units, managed_variables_are_the_hosts_too)
{
	static const char *const file[] = { "managed.ptx",
					    "managed.sm90.cubin" };

	for (unsigned i = 0; i < 2; i++) {
		static struct unit_memory m;
		struct heddle_device *dev = unit_device(90, NULL);
		struct heddle_module *mod = unit_load(dev, file[i]);
		volatile uint32_t *counter =
			(void *)(uintptr_t)unit_variable(dev, mod, "counter");
		volatile uint32_t *zeros =
			(void *)(uintptr_t)unit_variable(dev, mod, "zeros");
		uint32_t plain;

		EQ(5u, *counter);
		unit_launch(dev, mod, "count", &m);
		EQ(12u, *counter);
		EQ(12u, zeros[1]);
		EQ(0, heddle_read(dev, &plain, unit_variable(dev, mod, "plain"),
				  sizeof(plain), NULL));
		EQ(1u, plain);
		*counter = 100;
		unit_launch(dev, mod, "count", &m);
		EQ(101u, zeros[1]);
		heddle_module_free(dev, mod);
		heddle_device_free(dev);
	}
}

/* Branches and exits become instructions that do nothing. */
TEST(sass_units, code_without_an_end_is_a_fault)
{
	struct heddle_device *dev = unit_device(80, NULL);
	struct heddle_error err = { .text = "" };
	struct heddle_module *mod = NULL;
	struct heddle_result r;
	heddle_ptr at[2];
	size_t size;
	char *text = unit_read("copy.sm80.cubin", &size);

	for (size_t i = 0; i + 16 <= size; i += 16) {
		uint64_t word;

		memcpy(&word, text + i, sizeof(word));
		if ((word & 0xfff) != 0x947 && (word & 0xfff) != 0x94d)
			continue;
		memcpy(text + i, &(uint64_t){ 0x7918 }, sizeof(word));
		memcpy(text + i + 8, &(uint64_t){ 0x000fc00000000000 },
		       sizeof(word));
	}
	EQ(0, heddle_module_load(dev, &mod, "damaged", text, size, NULL));
	EQ(0, heddle_alloc(dev, UNIT_BYTES, &at[0], NULL));
	EQ(0, heddle_alloc(dev, UNIT_BYTES, &at[1], NULL));
	EQ(HEDDLE_FAULT,
	   heddle_launch(dev, mod,
			 &(struct heddle_launch){ .kernel = "rows",
						  .grid = { 1, 1, 1 },
						  .block = { 32, 1, 1 },
						  .params = at,
						  .param_bytes = sizeof(at) },
			 &r, &err));
	OK(strstr(err.text, "past the end of its text"));
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
	free(text);
}
