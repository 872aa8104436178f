/*
 * Warps of 64 lanes: divergence, partial warps, barriers and memory, by a toy
 * instruction set of six executors.
 */
#include "test.h"

#include <string.h>

#include "arch/isa.h"
#include "simt/barrier.h"
#include "simt/block.h"
#include "simt/crew.h"
#include "simt/mem.h"
#include "simt/tex.h"
#include "simt/view.h"

_Static_assert(LANES == 64, "compiled for 64 lanes");

/* Where the registers of the toy lie in a frame. */
enum {
	WIDE = 8 * LANES,
	REG_ADDRESS = 0,          /* 64 bits: where the lane stores */
	REG_VALUE = WIDE,         /* 32 bits */
	REG_NUMBER = 2 * WIDE,    /* 32 bits: of a barrier */
	REG_PREDICATE = 3 * WIDE, /* one bit a lane */
	REG_BYTES = 3 * WIDE + 8
};

/* ---- executors ---- */

static uint64_t buffer; /* guest address that lanes store to */
static uint32_t border; /* lanes below it take the branch */

static void toy_start(struct warp *w, const struct inst *in)
{
	uint64_t *address = slot_at(w, SLOT(SLOT_REG, REG_ADDRESS));
	uint32_t *value = slot_at(w, in->d);
	uint32_t *number = slot_at(w, SLOT(SLOT_REG, REG_NUMBER));

	for (uint32_t l = 0; l < LANES; l++) {
		uint32_t thread = w->id * LANES + l;

		address[l] = buffer + 4 * thread;
		value[l] = thread;
		number[l] = 0;
	}
}

static void toy_below(struct warp *w, const struct inst *in)
{
	pred_put(w, in->d, lanes_below(border));
}

static void toy_branch(struct warp *w, const struct inst *in)
{
	if (w->mask == w->active)
		w->pc = (uint32_t)in->offset;
	else
		warp_diverge(w, w->mask, (uint32_t)in->offset, in->c);
}

static void toy_add(struct warp *w, const struct inst *in)
{
	uint32_t *value = slot_at(w, in->d), sum[LANES];

	for (int l = 0; l < LANES; l++)
		sum[l] = value[l] + (uint32_t)in->offset;
	put32(w, in->d, sum);
}

static void toy_exit(struct warp *w, const struct inst *in)
{
	(void)in;
	warp_exit(w, w->mask);
}

static void no_launch(char *sregs, const struct launch *l, uint32_t warp)
{
	(void)sregs, (void)l, (void)warp;
}

static void no_block(char *sregs, const struct block *b)
{
	(void)sregs, (void)b;
}

static const struct isa toy = {
	.name = "toy",
	.lanes = LANES,
	.start_launch = no_launch,
	.start_block = no_block,
};

/* ---- a kernel: if and else, reconvergence, a barrier, a store ---- */

enum { ELSE = 3, THEN = 5, MEET = 6, BARRIER = 7, STORE = 8, END = 9, COUNT };

static struct inst code_of[COUNT + INST_TAIL];

static struct inst *plain(unsigned pc, exec_fn *exec)
{
	struct inst *in = &code_of[pc];

	*in = (struct inst){ .exec = exec, .index = pc };
	in->d = in->d2 = in->a = in->b = in->c = in->e = SLOT_NONE;
	in->guard = SLOT_NONE;
	return in;
}

static void make_code(void)
{
	struct inst *in;

	plain(0, toy_start)->d = SLOT(SLOT_REG, REG_VALUE);
	plain(1, toy_below)->d = SLOT(SLOT_REG, REG_PREDICATE);
	in = plain(2, toy_branch);
	in->guard = SLOT(SLOT_REG, REG_PREDICATE);
	in->offset = THEN;
	in->c = MEET;
	in = plain(ELSE, toy_add);
	in->d = SLOT(SLOT_REG, REG_VALUE);
	in->offset = 1000;
	in = plain(ELSE + 1, toy_branch);
	in->offset = MEET;
	in->c = MEET;
	in = plain(THEN, toy_add);
	in->d = SLOT(SLOT_REG, REG_VALUE);
	in->offset = 2000;
	plain(MEET, warp_meet)->flip = INST_PSEUDO;
	plain(BARRIER, bar_sync)->a = SLOT(SLOT_REG, REG_NUMBER);
	in = plain(STORE, mem_store);
	in->d = SLOT(SLOT_REG, REG_VALUE);
	in->a = SLOT(SLOT_REG, REG_ADDRESS);
	in->addr = ADDR_REG64;
	in->space = SPACE_GLOBAL;
	in->width = in->k = 4;
	in->count = 1;
	plain(END, toy_exit);
}

struct rig {
	struct gmem gmem;
	struct tex_table textures;
	struct machine machine;
	struct function func;
	struct code code;
	struct program program;
	struct launch launch;
	uint32_t *out;
	lanes_t stored[4]; /* by warp: lanes that stored together */
	unsigned stores;
};

static void on_step(void *ctx, unsigned worker, const struct step *s)
{
	struct rig *r = ctx;
	struct access a[STEP_ACCESSES];

	(void)worker;
	if (s->in->index != STORE)
		return;
	EQ(1u, step_accesses(s, a));
	EQ(SPACE_GLOBAL, a[0].space);
	for (unsigned l = 0; l < LANES; l++)
		if (a[0].mask >> l & 1)
			EQ(buffer + 4 * (s->warp * LANES + l), a[0].addr[l]);
	r->stored[s->warp] = a[0].mask;
	r->stores++;
}

static void setup(struct rig *r, uint32_t threads)
{
	struct diag d;
	void *host;

	memset(r, 0, sizeof(*r));
	make_code();
	gmem_init(&r->gmem, GMEM_BASE_64, UINT64_C(1) << 30);
	tex_table_init(&r->textures);
	EQ(ERR_OK, gmem_alloc(&r->gmem, 4096, &buffer, &d));
	EQ(ERR_OK, gmem_host(&r->gmem, buffer, 4096, &host, &d));
	memset(host, 0, 4096);
	r->out = host;
	r->machine = (struct machine){ .gmem = &r->gmem,
				       .textures = &r->textures,
				       .threads = 1,
				       .sm_count = 1,
				       .local_bytes = 64,
				       .max_steps = 1000 };
	r->func = (struct function){ .program = &r->program,
				     .name = "k",
				     .is_kernel = true,
				     .code = &r->code,
				     .inst_count = COUNT };
	r->code = (struct code){ .func = &r->func,
				 .insts = code_of,
				 .count = COUNT,
				 .reg_bytes = REG_BYTES };
	r->program = (struct program){
		.isa = &toy, .name = "toy", .funcs = &r->func, .func_count = 1
	};
	r->launch = (struct launch){ .machine = &r->machine,
				     .program = &r->program,
				     .kernel = &r->code,
				     .grid = { 1, 1, 1 },
				     .block = { threads, 1, 1 } };
}

static void teardown(struct rig *r)
{
	launch_clear(&r->launch);
	if (r->machine.crew)
		crew_free(r->machine.crew);
	tex_table_free(&r->textures);
	gmem_free_all(&r->gmem);
}

static void check_values(const struct rig *r, uint32_t threads)
{
	for (uint32_t i = 0; i < threads; i++)
		EQ(i + (i % LANES < border ? 2000 : 1000), r->out[i]);
	EQ(0u, r->out[threads]);
}

TEST(simt64, lanes_diverge_and_reconverge)
{
	struct rig r;
	struct diag d = { .text = "" };

	border = 40;
	setup(&r, 128);
	r.launch.watch = on_step;
	r.launch.watch_ctx = &r;
	EQ(ERR_OK, launch_run(&r.launch, &d));
	check_values(&r, 128);
	EQ(2u, r.stores); /* each warp stores once, with all of its lanes */
	EQ(LANES_ALL, r.stored[0]);
	EQ(LANES_ALL, r.stored[1]);
	/* Two before the branch, which 40 lanes take; two of 24 lanes on one
	 * side, one of 40 on the other; barrier, store and exit. */
	EQ(2 * 9u, atomic_load(&r.launch.steps));
	EQ(2 * (2 * 64u + 40 + 2 * 24 + 40 + 3 * 64),
	   atomic_load(&r.launch.lane_steps));
	teardown(&r);
}

TEST(simt64, the_last_warp_may_be_partial)
{
	struct rig r;
	struct diag d = { .text = "" };

	border = 33; /* beyond the lanes that a mask of 32 bits has */
	setup(&r, 64 + 50);
	r.launch.watch = on_step;
	r.launch.watch_ctx = &r;
	EQ(ERR_OK, launch_run(&r.launch, &d));
	check_values(&r, 64 + 50);
	EQ(LANES_ALL, r.stored[0]);
	EQ(lanes_below(50), r.stored[1]);
	teardown(&r);
}

/* The same through an SM's view of memory: stores wait for the epoch's end. */
TEST(simt64, stores_are_seen_at_the_end_of_an_epoch)
{
	const struct view_entry *scratch[64];
	struct arena arena = { 0 };
	struct worker *wk;
	struct view *v;
	struct block *b;
	struct diag d;
	struct rig r;

	border = 64;
	setup(&r, 64);
	EQ(ERR_OK, launch_begin(&r.launch, &d));
	wk = worker_new(&r.launch, 0);
	EQ(ERR_OK, view_new(&v, &arena, 64, 4, &d));
	worker_set_view(wk, v);
	b = worker_block(wk, 0);
	while (warp_next(&b->warps[0]))
		warp_step(&b->warps[0]);
	OK(warp_done(&b->warps[0]));
	EQ(0u, r.out[0]);
	EQ(2u, v->count); /* 256 bytes are two lines */
	for (unsigned i = 0; i < VIEW_BUCKETS; i++)
		view_apply(&v, 1, i, 0, 1000, scratch);
	check_values(&r, 64);
	worker_retire(wk, b);
	worker_free(wk);
	EQ(ERR_OK, launch_end(&r.launch, &d));
	arena_free(&arena);
	teardown(&r);
}
