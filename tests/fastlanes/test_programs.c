/*
 * The programs of tests/prog on FastLanes: their own checks, with memory and
 * launches of the model in place of a device's. Those that FastLanes must compile
 * are listed, so that none disappears unnoticed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prog.h"
#include "rig.h"

enum { FIRST_ROOM = 0x100000 };

/* The program under test; struct prog has no place for it. */
static struct {
	char *text;
	size_t size;
	const char *name;
	uint32_t next; /* address of further memory */
} now;

/* ---- what tests/prog/prog.h asks for ----------------------------------- */

heddle_ptr prog_room(struct prog *p, size_t size)
{
	uint32_t at = now.next;

	(void)p;
	OK(size < FL_MEMORY_BYTES / 2 - at);
	memset(rig_memory() + at, 0, size);
	now.next = (uint32_t)((at + size + 255) & ~(size_t)255);
	return at;
}

heddle_ptr prog_put(struct prog *p, const void *from, size_t size)
{
	heddle_ptr at = prog_room(p, size);

	memcpy(rig_memory() + at, from, size);
	return at;
}

/* The memory itself: programs read it before they launch again. */
void *prog_get(struct prog *p, heddle_ptr from, size_t size)
{
	(void)p;
	(void)size;
	return rig_memory() + from;
}

heddle_ptr prog_global(struct prog *p, const char *name, size_t size)
{
	struct rig r = { 0 };
	heddle_ptr at = 0;

	(void)p;
	OK(rig_compile(&r, now.name, now.text, now.size, NULL));
	for (uint32_t i = 0; i < r.code->var_count; i++)
		if (!strcmp(r.code->vars[i].name, name)) {
			EQ(size, r.code->vars[i].bytes);
			at = r.code->vars[i].address;
		}
	rig_free(&r);
	OK(at);
	return at;
}

uint32_t prog_random(struct prog *p)
{
	p->seed ^= p->seed << 13;
	p->seed ^= p->seed >> 17;
	p->seed ^= p->seed << 5;
	return p->seed;
}

int prog_try(const char *file, int line, struct prog *p,
	     const struct prog_launch *l)
{
	struct rig r = { 0 };

	(void)p;
	if (!rig_compile(&r, now.name, now.text, now.size, l->kernel))
		test_streq(file, line, l->kernel, "", r.d.text);
	rig_config(&r, NULL);
	EQ(l->arg_count, r.code->kernels[0].param_count);
	for (uint32_t i = 0; i < l->arg_count; i++) {
		const struct fl_param *at = &r.code->params[i];

		EQ(at->size, l->args[i].size);
		memcpy(r.params + at->offset, l->args[i].at, at->size);
	}
	memcpy(r.launch.grid, &l->grid, sizeof(r.launch.grid));
	memcpy(r.launch.block, &l->block, sizeof(r.launch.block));
	r.launch.dynamic_shared = (uint32_t)l->shared;
	r.launch.max_cycles = 50000000;
	rig_run(&r, l->grid.x, l->block.x);
	test_eq(file, line, l->kernel, TEST_VALUE(0),
		TEST_VALUE((int)r.fault.kind));
	rig_free(&r);
	return 0;
}

void prog_run(const char *file, int line, struct prog *p,
	      const struct prog_launch *l)
{
	prog_try(file, line, p, l);
}

void prog_eq(const char *file, int line, const char *array, size_t i,
	     struct test_value want, struct test_value got)
{
	char what[96];

	snprintf(what, sizeof(what), "%s: %s[%zu]", now.name, array, i);
	test_eq(file, line, what, want, got);
}

void prog_near(const char *file, int line, const char *array, size_t i,
	       double want, double got, double error)
{
	if (!(fabs(got - want) <= error * fmax(1, fabs(want))))
		prog_eq(file, line, array, i, TEST_VALUE(want),
			TEST_VALUE(got));
}

/* ---- the programs ------------------------------------------------------ */

/* Programs that compile and are not run: block_flag waits for blocks that come
 * later, wild_store faults. */
static const char *const not_run[] = { "block_flag", "wild_store", NULL };
/* Programs that must compile; another one is run if it does. */
static const char *const known[] = {
	"bitonic_sort",  "early_exit",   "life",
	"local_stack",   "loop_break",   "loop_nest",
	"matmul_tile",   "nested_if",    "radix_step",
	"reduce_shared", "scan_block",   "spmv",
	"stencil",       "switch_dense", "transpose",
	"warp_flag",     "warp_vote",    NULL
};

static bool is_in(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

static void read_program(const char *name)
{
	char path[512];
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/prog/nvcc/%s.ptx",
		 HEDDLE_SOURCE_DIR, name);
	in = fopen(path, "rb");
	OK(in);
	free(now.text);
	now.text = malloc(1 << 20);
	OK(now.text);
	now.size = fread(now.text, 1, 1 << 20, in);
	OK(feof(in));
	fclose(in);
	now.name = name;
	now.next = FIRST_ROOM;
}

static bool compiles(void)
{
	struct rig r = { 0 };
	bool yes = rig_compile(&r, now.name, now.text, now.size, NULL);

	rig_free(&r);
	return yes;
}

static void one_program(const char *name, const char *modes,
			void (*check)(struct prog *))
{
	struct prog p = { .seed = 2463534242u };

	read_program(name);
	if (!compiles()) {
		if (is_in(known, name))
			STREQ("compiled", name);
		return;
	}
	/* The lanes of a warp do not wait for each other. */
	if (!is_in(not_run, name) && strcmp(modes, "PROGRESS"))
		check(&p);
}

TEST(fastlanes_programs, small_programs_leave_the_expected_memory)
{
#define PROG(name, modes, what) one_program(#name, #modes, check_##name);
#include "programs.def"
#undef PROG
	free(now.text);
	now.text = NULL;
}
