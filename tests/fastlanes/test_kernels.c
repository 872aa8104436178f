/*
 * The ten kernels of the paper's Table III: the model must leave the memory that
 * Heddle's execution of the PTX leaves, to the bit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"
#include "rig.h"
#include "test.h"

enum { ARGS = 6, FIRST = 0x100000 };

/* An argument: an array of words, or a number. */
struct arg {
	enum { END, FLOATS, WORDS, NUMBER } kind;
	uint32_t value; /* count of words, or the number */
};

struct kernel {
	const char *file, *name;
	uint32_t grid[2], threads;
	struct arg arg[ARGS];
	bool directions; /* it reads the constant of the quasirandom numbers */
};

static const struct kernel kernels[] = {
	{ "black_scholes",
	  "_Z13black_scholesPKfS0_S0_PfS1_i",
	  { 8, 1 },
	  128,
	  { { FLOATS, 3000 },
	    { FLOATS, 3000 },
	    { FLOATS, 3000 },
	    { FLOATS, 3000 },
	    { FLOATS, 3000 },
	    { NUMBER, 3000 } },
	  false },
	{ "scalar_prod",
	  "_Z15scalar_productsPKfS0_Pfii",
	  { 5, 1 },
	  128,
	  { { FLOATS, 8192 },
	    { FLOATS, 8192 },
	    { FLOATS, 8 },
	    { NUMBER, 8 },
	    { NUMBER, 1024 } },
	  false },
	{ "fwt",
	  "_Z12walsh_sharedPfi",
	  { 4, 1 },
	  128,
	  { { FLOATS, 4096 }, { NUMBER, 1024 } },
	  false },
	{ "fwt",
	  "_Z12walsh_radix4Pfii",
	  { 8, 1 },
	  128,
	  { { FLOATS, 4096 }, { NUMBER, 4096 }, { NUMBER, 256 } },
	  false },
	{ "fwt",
	  "_Z8modulatePfPKfi",
	  { 8, 1 },
	  128,
	  { { FLOATS, 4000 }, { FLOATS, 4000 }, { NUMBER, 4000 } },
	  false },
	{ "quasirandom_generator",
	  "_Z5sobolPji",
	  { 4, 3 },
	  128,
	  { { WORDS, 6000 }, { NUMBER, 2000 } },
	  true },
	{ "quasirandom_generator",
	  "_Z9to_normalPKjPfi",
	  { 4, 1 },
	  128,
	  { { WORDS, 4000 }, { FLOATS, 4000 }, { NUMBER, 4000 } },
	  false },
	{ "scan",
	  "_Z10scan_naivePKjPjS1_i",
	  { 7, 1 },
	  256,
	  { { WORDS, 1700 }, { WORDS, 1700 }, { WORDS, 16 }, { NUMBER, 1700 } },
	  false },
	{ "scan",
	  "_Z14scan_efficientPKjPjS1_i",
	  { 7, 1 },
	  256,
	  { { WORDS, 3500 }, { WORDS, 3500 }, { WORDS, 16 }, { NUMBER, 3500 } },
	  false },
	{ "scan",
	  "_Z11add_offsetsPjPKjii",
	  { 7, 1 },
	  256,
	  { { WORDS, 1700 }, { WORDS, 16 }, { NUMBER, 256 }, { NUMBER, 1700 } },
	  false },
};

static uint32_t random_word(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 4 ^ *state << 11;
}

static void fill(uint32_t *to, const struct arg *a, uint32_t *state)
{
	for (uint32_t i = 0; i < a->value; i++) {
		uint32_t v = random_word(state);
		float f = 0.25f + (float)(v & 0xffff) / 4096;

		if (a->kind == FLOATS)
			memcpy(&v, &f, sizeof(v));
		to[i] = v;
	}
}

static char *read_text(const char *file, size_t *size)
{
	char path[512], *text = malloc(1 << 20);
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/fastlanes/ptx/%s.ptx",
		 HEDDLE_SOURCE_DIR, file);
	in = fopen(path, "rb");
	OK(in && text);
	*size = fread(text, 1, 1 << 20, in);
	fclose(in);
	return text;
}

/* The arrays of a launch: in the model's memory, and on a device. */
struct arrays {
	uint32_t at[ARGS];
	heddle_ptr device[ARGS];
};

static uint32_t *array_at(const struct arrays *a, int i)
{
	return (void *)(rig_memory() + a->at[i]);
}

static void make_arrays(const struct kernel *k, struct arrays *a,
			struct heddle_device *dev)
{
	uint32_t state = 12345, next = FIRST;
	struct heddle_error he = { 0 };

	for (int i = 0; i < ARGS; i++) {
		size_t bytes = 4 * (size_t)k->arg[i].value;

		if (k->arg[i].kind != FLOATS && k->arg[i].kind != WORDS)
			continue;
		a->at[i] = next;
		fill(array_at(a, i), &k->arg[i], &state);
		next += (uint32_t)(bytes + 255) & ~255u;
		heddle_alloc(dev, bytes, &a->device[i], &he);
		heddle_write(dev, a->device[i], array_at(a, i), bytes, &he);
		STREQ("", he.text);
	}
}

/* The same random constant on both. */
static void set_directions(struct rig *r, struct heddle_device *dev,
			   struct heddle_module *mod)
{
	struct heddle_error he = { 0 };
	uint32_t state = 99;
	heddle_ptr at;
	uint64_t size;

	STREQ("direction", r->code->vars[0].name);
	heddle_module_global(dev, mod, "direction", &at, &size, &he);
	STREQ("", he.text);
	EQ(size, r->code->vars[0].bytes);
	fill((void *)(rig_memory() + r->code->vars[0].address),
	     &(struct arg){ WORDS, (uint32_t)size / 4 }, &state);
	heddle_write(dev, at, rig_memory() + r->code->vars[0].address, size,
		     &he);
	STREQ("", he.text);
}

static void run_device(const struct kernel *k, const struct arrays *a,
		       const struct rig *r, struct heddle_device *dev,
		       struct heddle_module *mod)
{
	struct heddle_error he = { 0 };
	struct heddle_result result;
	uint8_t params[FL_PARAM_MAX] = { 0 };

	for (int i = 0; i < ARGS && k->arg[i].kind != END; i++) {
		const struct fl_param *p = &r->code->params[i];
		uint64_t v = k->arg[i].kind == NUMBER ? k->arg[i].value :
							a->device[i];

		memcpy(params + p->offset, &v, p->size);
	}
	heddle_launch(dev, mod,
		      &(struct heddle_launch){
			      .kernel = k->name,
			      .grid = { k->grid[0], k->grid[1], 1 },
			      .block = { k->threads, 1, 1 },
			      .params = params,
			      .param_bytes = r->code->kernels[0].param_bytes,
		      },
		      &result, &he);
	STREQ("", he.text);
}

static void compare_arrays(const struct kernel *k, const struct arrays *a,
			   struct heddle_device *dev)
{
	struct heddle_error he = { 0 };
	uint32_t *want = malloc(65536);

	OK(want);
	for (int i = 0; i < ARGS; i++) {
		size_t bytes = 4 * (size_t)k->arg[i].value;

		if (!a->at[i])
			continue;
		heddle_read(dev, want, a->device[i], bytes, &he);
		STREQ("", he.text);
		for (uint32_t j = 0; j < k->arg[i].value; j++)
			if (want[j] != array_at(a, i)[j]) {
				printf("  %s: argument %d, word %u\n", k->name,
				       i, j);
				EQ(want[j], array_at(a, i)[j]);
			}
	}
	free(want);
}

static void one_kernel(const struct kernel *k, const char *const *settings)
{
	struct rig r = { 0 };
	struct arrays a = { { 0 }, { 0 } };
	struct heddle_error he = { 0 };
	struct heddle_device *dev;
	struct heddle_module *mod;
	size_t size;
	char *text = read_text(k->file, &size);

	heddle_device_new(&dev, NULL, &he);
	heddle_module_load(dev, &mod, k->file, text, size, &he);
	STREQ("", he.text);
	if (!rig_compile(&r, k->file, text, size, k->name))
		STREQ("", r.d.text);
	rig_config(&r, settings);
	make_arrays(k, &a, dev);
	if (k->directions)
		set_directions(&r, dev, mod);
	for (uint32_t i = 0; i < ARGS && k->arg[i].kind != END; i++)
		rig_param(&r, i,
			  k->arg[i].kind == NUMBER ? k->arg[i].value : a.at[i]);
	r.launch.grid[1] = k->grid[1];
	run_device(k, &a, &r, dev, mod);
	rig_run(&r, k->grid[0], k->threads);
	EQ(FL_FAULT_NONE, r.fault.kind);
	compare_arrays(k, &a, dev);
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
	rig_free(&r);
	free(text);
}

/* FASTLANES_KERNELS=N: only the last N of them, which are the shortest. */
static void all_kernels(const char *const *settings)
{
	const char *few = getenv("FASTLANES_KERNELS");
	size_t count = sizeof(kernels) / sizeof(kernels[0]);
	size_t n = few ? strtoull(few, NULL, 10) : count;

	for (size_t i = n < count ? count - n : 0; i < count; i++)
		one_kernel(&kernels[i], settings);
}

TEST(fastlanes_kernels, table_iii_leaves_the_memory_that_ptx_leaves)
{
	all_kernels(NULL);
}

/* Fewer multiprocessors, lanes, warps and less cache: other orders of blocks and
 * warps. */
TEST(fastlanes_kernels, narrower_machines_leave_the_same_memory)
{
	static const char *const narrow[] = { "sm.count=3",
					      "sm.simd_width=8",
					      "sm.max_warps=11",
					      "l1.bytes=1K",
					      "l1.ways=2",
					      "l2.bytes=4K",
					      "sm.max_blocks=2",
					      "sm.max_threads=352",
					      "sm.block_threads=352",
					      NULL };

	all_kernels(narrow);
}
