/*
 * Global memory as one SM sees it, and warps that are stepped.
 */
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/row.h"
#include "simt/atomic.h"
#include "test.h"

#include "step_ptx.h"

/* ---- the log, without a program ---- */

enum { MEM = 2048, VIEWS = 4, ROOM = 512, LENGTH = 700 };

/* Guest address 0x10000 on is `mem`; lines begin at multiples of 128. */
#define BASE 0x10000u

struct pad {
	struct arena arena;
	struct view *v[VIEWS];
	_Alignas(128) unsigned char mem[MEM];
	const struct view_entry *scratch[VIEWS * ROOM];
	uint64_t addr[LANES];
	uintptr_t host[LANES];
};

static void pad_open(struct pad *p)
{
	struct diag d;

	memset(p, 0, sizeof(*p));
	for (int i = 0; i < VIEWS; i++)
		EQ(ERR_OK, view_new(&p->v[i], &p->arena, ROOM, 2, &d));
	arena_seal(&p->arena);
	for (int i = 0; i < MEM; i++)
		p->mem[i] = (unsigned char)(i * 7);
}

static void pad_end_epoch(struct pad *p, cycle_t epoch)
{
	for (unsigned b = 0; b < VIEW_BUCKETS; b++)
		view_apply(p->v, VIEWS, b, epoch, LENGTH, p->scratch);
	for (int i = 0; i < VIEWS; i++)
		view_clear(p->v[i]);
}

static void pad_at(struct pad *p, int lane, uint32_t at)
{
	p->addr[lane] = BASE + at;
	p->host[lane] = (uintptr_t)p->mem + at;
}

/* Lane 0 alone. */
static void store(struct pad *p, int sm, uint32_t at, const void *from,
		  uint32_t size)
{
	pad_at(p, 0, at);
	view_store(p->v[sm], p->addr, 1, size, p->host);
	memcpy((void *)p->host[0], from, size);
}

static uint64_t load(struct pad *p, int sm, uint32_t at, uint32_t size)
{
	uint64_t v = 0;

	pad_at(p, 0, at);
	view_load(p->v[sm], p->addr, 1, size, p->host);
	memcpy(&v, (void *)p->host[0], size);
	return v;
}

TEST(view, a_load_sees_the_own_stores_to_the_byte)
{
	static struct pad p;
	const uint32_t word = 0x44332211;
	const uint16_t half = 0xbbaa;
	const uint8_t byte = 0xee;

	pad_open(&p);
	memset(p.mem, 0x99, MEM);
	EQ(0x99999999u, load(&p, 0, 64, 4));
	store(&p, 0, 64, &word, 4);
	EQ(word, load(&p, 0, 64, 4));
	EQ(0x9999999944332211ull, load(&p, 0, 64, 8));
	EQ(0x4433221199999999ull, load(&p, 0, 60, 8));
	store(&p, 0, 66, &half, 2);
	store(&p, 0, 65, &byte, 1);
	EQ(0xbbaaee11u, load(&p, 0, 64, 4));
	EQ(0xbbu, load(&p, 0, 67, 1));
	EQ(0xeeu, load(&p, 0, 65, 1));
	/* 4 bytes in each of two lines */
	store(&p, 0, 124, &word, 4);
	EQ(0x9999999944332211ull, load(&p, 0, 124, 8));
	store(&p, 0, 128, &half, 2);
	EQ(0x9999bbaa44332211ull, load(&p, 0, 124, 8));
	EQ(0x99u, p.mem[64]);
	arena_free(&p.arena);
}

TEST(view, stores_of_others_are_seen_after_the_epoch)
{
	static struct pad p;
	const uint32_t mine = 1, yours = 2;

	pad_open(&p);
	p.v[0]->now = 105;
	p.v[1]->now = 104;
	store(&p, 0, 0, &mine, 4);
	store(&p, 1, 0, &yours, 4);
	EQ(1u, load(&p, 0, 0, 4));
	EQ(2u, load(&p, 1, 0, 4));
	EQ(0x150e0700u, load(&p, 2, 0, 4));
	pad_end_epoch(&p, 100);
	for (int i = 0; i < VIEWS; i++)
		EQ(1u, load(&p, i, 0, 4));
	/* the same cycle: the higher SM comes last; then program order */
	p.v[0]->now = p.v[1]->now = p.v[3]->now = 900;
	store(&p, 3, 0, &mine, 4);
	store(&p, 1, 0, &mine, 4);
	store(&p, 3, 0, &yours, 4);
	store(&p, 0, 0, &mine, 4);
	pad_end_epoch(&p, 800);
	EQ(2u, load(&p, 0, 0, 4));
	arena_free(&p.arena);
}

TEST(view, an_instruction_makes_one_entry_for_a_line)
{
	static struct pad p;

	pad_open(&p);
	for (int l = 0; l < LANES; l++)
		pad_at(&p, l, (uint32_t)(l % 2 * 128 + l * 4));
	view_store(p.v[0], p.addr, 0xffffffffu, 4, p.host);
	EQ(2u, p.v[0]->count);
	for (int l = 0; l < LANES; l++)
		pad_at(&p, l, (uint32_t)(256 + l * 16));
	view_store(p.v[0], p.addr, 0xffffffffu, 16, p.host);
	EQ(6u, p.v[0]->count);
	/* the words begin in the middle of a line */
	for (int l = 0; l < LANES; l++)
		pad_at(&p, l, (uint32_t)(64 + l * 4));
	view_store(p.v[0], p.addr, 0xffffffffu, 4, p.host);
	EQ(8u, p.v[0]->count);
	view_begin(p.v[0]);
	for (int i = 0; i < 20; i++)
		view_write(p.v[0], BASE + 100 + (uint32_t)i * 3,
			   (char *)p.mem + 100 + i * 3, "abc", 3);
	EQ(10u, p.v[0]->count);
	EQ('b', (char)load(&p, 0, 101, 1));
	EQ('c', (char)load(&p, 0, 159, 1));
	view_clear(p.v[0]);
	EQ(0u, p.v[0]->count);
	arena_free(&p.arena);
}

static void fill_log(struct pad *p, int n)
{
	for (int i = 0; i < n; i++)
		store(p, 0, (uint32_t)i % 16 * 128, "x", 1);
}

static struct atomic *take_atomic(struct pad *p)
{
	static const struct inst in = { .k = ATOM_ADD |
					     NUM_U32 << ATOM_TYPE_SHIFT,
					.width = 4,
					.d = SLOT_NONE };
	static struct effect effect;
	static struct warp w = { .effect = &effect };
	struct atomic *a;

	pad_at(p, 0, 0);
	a = view_atomic(p->v[0], &w, &in, 1, 4, p->host);
	OK(effect.atomic == a);
	a->perform = atom_perform;
	return a;
}

TEST(view, the_log_and_the_atomics_are_bounded)
{
	static struct pad p;
	struct atomic *a;

	pad_open(&p);
	fill_log(&p, ROOM);
	DIES(fill_log(&p, 1));
	take_atomic(&p);
	a = take_atomic(&p);
	atomic_perform(a, 1);
	DIES(take_atomic(&p));
	EQ(2u, p.v[0]->atomic_count);
	atomic_finish(p.v[0], a);
	a = take_atomic(&p);
	DIES(atomic_finish(p.v[0], a)); /* not performed */
	arena_free(&p.arena);
}

/* ---- a plain oracle of the epoch rule, store by store ---- */

struct byte_store {
	cycle_t cycle;
	int sm;
	uint32_t at;
	uint8_t value;
};

enum { STORES = 65536 };

struct oracle {
	uint8_t mem[MEM];
	struct byte_store list[STORES]; /* in the order of simulation */
	uint32_t count;
};

static uint8_t oracle_byte(const struct oracle *o, int sm, uint32_t at)
{
	for (uint32_t i = o->count; i-- > 0;)
		if (o->list[i].sm == sm && o->list[i].at == at)
			return o->list[i].value;
	return o->mem[at];
}

static void oracle_store(struct oracle *o, cycle_t cycle, int sm, uint32_t at,
			 const uint8_t *from, uint32_t size)
{
	CHECK(o->count + size <= STORES);
	for (uint32_t i = 0; i < size; i++)
		o->list[o->count++] =
			(struct byte_store){ cycle, sm, at + i, from[i] };
}

/* By (cycle, SM), each SM's own in their order. */
static void oracle_end_epoch(struct oracle *o, cycle_t epoch)
{
	for (cycle_t c = epoch; c < epoch + LENGTH; c++)
		for (int sm = 0; sm < VIEWS; sm++)
			for (uint32_t i = 0; i < o->count; i++)
				if (o->list[i].cycle == c &&
				    o->list[i].sm == sm)
					o->mem[o->list[i].at] =
						o->list[i].value;
	o->count = 0;
}

static uint32_t rng = 12345;

static uint32_t below(uint32_t n)
{
	rng = rng * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)rng * n >> 32);
}

/* Lanes at random or consecutive, in a small piece of memory or everywhere. */
static uint32_t random_lanes(struct pad *p, uint32_t size, uint32_t align)
{
	uint32_t span = below(2) ? MEM : 512, row = below(3);
	uint32_t first = below((span - LANES * size) / align + 1) * align;

	if (span < LANES * size || size > 64)
		row = 1;
	for (int l = 0; l < LANES; l++) {
		uint32_t at = below((MEM - size) / align + 1) * align;

		if (row == 0)
			at = first + (uint32_t)l * size;
		else if (row == 1)
			at = at % 256 / align * align;
		pad_at(p, l, at);
	}
	return below(3) ? 0xffffffffu : below(0xffffffffu);
}

static void random_store(struct pad *p, struct oracle *o, int sm)
{
	uint32_t size = 1u << below(6), mask;
	uint8_t bytes[LANES][32];

	mask = random_lanes(p, size, size);
	for (int l = 0; l < LANES; l++)
		for (uint32_t i = 0; i < size; i++)
			bytes[l][i] = (uint8_t)below(256);
	for (int l = 0; l < LANES; l++)
		if (mask >> l & 1)
			oracle_store(o, p->v[sm]->now, sm,
				     (uint32_t)(p->addr[l] - BASE), bytes[l],
				     size);
	view_store(p->v[sm], p->addr, mask, size, p->host);
	for (int l = 0; l < LANES; l++)
		if (mask >> l & 1)
			memcpy((void *)p->host[l], bytes[l], size);
}

static void random_write(struct pad *p, struct oracle *o, int sm)
{
	uint8_t bytes[200];
	uint32_t n = below(4);

	view_begin(p->v[sm]);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t size = below(200) + 1, at = below(MEM - size);

		for (uint32_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)below(256);
		oracle_store(o, p->v[sm]->now, sm, at, bytes, size);
		view_write(p->v[sm], BASE + at, (char *)p->mem + at, bytes,
			   size);
	}
}

static void random_load(struct pad *p, const struct oracle *o, int sm)
{
	uint32_t size = below(2) ? 1u << below(6) : below(VIEW_LINE) + 1;
	uint32_t mask = random_lanes(p, size, 1);

	view_load(p->v[sm], p->addr, mask, size, p->host);
	for (int l = 0; l < LANES; l++) {
		const uint8_t *got = (const uint8_t *)p->host[l];
		uint32_t at = (uint32_t)(p->addr[l] - BASE);

		for (uint32_t i = 0; mask >> l & 1 && i < size; i += 5)
			EQ(oracle_byte(o, sm, at + i), got[i]);
	}
}

TEST(view, racy_programs_do_what_the_rule_says)
{
	static struct pad p;
	static struct oracle o;
	cycle_t epoch = 0;

	pad_open(&p);
	memcpy(o.mem, p.mem, MEM);
	for (int round = 0; round < 150; round++, epoch += LENGTH) {
		uint32_t ops = below(40), used = 1 + below(VIEWS);
		cycle_t now[VIEWS];

		for (int i = 0; i < VIEWS; i++)
			now[i] = epoch;
		for (uint32_t k = 0; k < ops; k++) {
			int sm = (int)below(used);

			now[sm] += below(3) ? below(3) : below(60);
			if (now[sm] >= epoch + LENGTH)
				now[sm] = epoch + LENGTH - 1;
			p.v[sm]->now = now[sm];
			switch (below(4)) {
			case 0:
				random_write(&p, &o, sm);
				break;
			case 1:
				random_load(&p, &o, sm);
				break;
			default:
				random_store(&p, &o, sm);
			}
		}
		pad_end_epoch(&p, epoch);
		oracle_end_epoch(&o, epoch);
		for (int i = 0; i < MEM; i++)
			EQ(o.mem[i], p.mem[i]);
	}
	arena_free(&p.arena);
}

/* ---- programs, stepped ---- */

/* The launch must do the same when it is run and when it is stepped, in memory
 * and through views. Returns the output of the last in r. */
static void same_as_run(struct run *r, const char *text)
{
	static struct run run;
	static struct stepper s;

	run = *r;
	run.options.threads = 1;
	run_ok(&run, text);
	for (uint32_t k = 0; k < 12; k++) {
		step_open(&s, r, text, 77 * k + 1, k % 2);
		step_all(&s);
		for (int i = 0; i < OUT_BYTES / 4; i++)
			EQ(run.w[i], s.w[i]);
		for (uint64_t b = 0; b < s.launch.block_count; b++) {
			uint64_t n = 0;

			for (uint32_t i = 0; i < s.block[b]->warp_count; i++)
				n += s.block[b]->warps[i].steps;
			OK(n > 0);
		}
		memcpy(run.b, s.out, OUT_BYTES);
		EQ(ERR_OK, step_close(&s));
		EQ(run.result.warp_instructions, atomic_load(&s.launch.steps));
		EQ(run.result.thread_instructions,
		   atomic_load(&s.launch.lane_steps));
		EQ(run.result.blocks, atomic_load(&s.launch.blocks_done));
	}
	memcpy(r->b, run.b, OUT_BYTES);
}

static void same_both(struct run r, const char *text)
{
	r.options.divergence = HEDDLE_DIVERGE_STACK;
	same_as_run(&r, text);
	r.options.divergence = HEDDLE_DIVERGE_INDEPENDENT;
	same_as_run(&r, text);
}

TEST(step, lanes_diverge_and_reconverge)
{
	same_both((struct run){ .block = { 100, 1, 1 } },
		  KERNEL("mov.u32 %r1, 0; mov.u32 %r2, 0; and.b32 %r5, %r0, 15;"
			 "\nL: setp.ge.u32 %p1, %r1, 20; @%p1 bra E;\n"
			 "setp.eq.u32 %p1, %r1, %r5; @%p1 bra E;\n"
			 "xor.b32 %r3, %r1, %r0; and.b32 %r3, %r3, 1; "
			 "setp.ne.u32 %p1, %r3, 0; @%p1 bra C;\n"
			 "add.u32 %r2, %r2, %r1; st.global.u32 [%rd1], %r2; "
			 "ld.global.u32 %r2, [%rd1];\n"
			 "C: add.u32 %r1, %r1, 1; bra L;\n"
			 "E: @%p1 add.u32 %r2, %r2, 7; "
			 "st.global.u32 [%rd1], %r2; ret;"));
}

TEST(step, splits_take_turns)
{
	/* more than a slice on either side of a branch */
	same_both((struct run){ .block = { 64, 1, 1 } },
		  KERNEL("and.b32 %r1, %r0, 3; mul.lo.u32 %r1, %r1, 150; "
			 "add.u32 %r1, %r1, 200; mov.u32 %r2, 0; "
			 "and.b32 %r3, %r0, 1; setp.eq.u32 %p2, %r3, 0; "
			 "@%p2 bra A;\n"
			 "B: add.u32 %r2, %r2, 3; sub.u32 %r1, %r1, 1; "
			 "setp.ne.u32 %p1, %r1, 0; @%p1 bra B; bra E;\n"
			 "A: add.u32 %r2, %r2, 5; sub.u32 %r1, %r1, 1; "
			 "setp.ne.u32 %p1, %r1, 0; @%p1 bra A;\n"
			 "E: activemask.b32 %r4; add.u32 %r2, %r2, %r4; "
			 "st.global.u32 [%rd1], %r2; ret;"));
}

TEST(step, barriers_and_early_exits)
{
	same_both((struct run){ .block = { 128, 1, 1 },
				.grid = { 4, 1, 1 },
				.shared = 512 },
		  KERNEL("mov.u32 %r9, %ctaid.x; shl.b32 %r9, %r9, 9; "
			 "cvt.u64.u32 %rd5, %r9; add.u64 %rd1, %rd1, %rd5; "
			 "shr.u32 %r1, %r0, 5; setp.eq.u32 %p1, %r1, 1; "
			 "@%p1 exit; shl.b32 %r2, %r0, 2; "
			 "st.shared.u32 [%r2], %r0; st.global.u32 [%rd1], %r0; "
			 "bar.sync 0; xor.b32 %r3, %r2, 256; "
			 "ld.shared.u32 %r4, [%r3]; "
			 "setp.lt.u32 %p2, %r0, 64; "
			 "bar.red.popc.u32 %r5, 1, %p2; "
			 "ld.global.u32 %r6, [%rd1]; add.u32 %r4, %r4, %r5; "
			 "add.u32 %r4, %r4, %r6; "
			 "st.global.u32 [%rd1], %r4; ret;"));
}

TEST(step, calls_and_recursion)
{
	same_both((struct run){ .block = { 64, 1, 1 }, .grid = { 2, 1, 1 } },
		  MODULE(".func (.param .b32 r) f(.param .b32 n);"
			 ".func (.param .b32 r) f(.param .b32 n) { "
			 ".reg .b32 %x<4>; .reg .pred %q; "
			 "ld.param.b32 %x0, [n]; setp.eq.u32 %q, %x0, 0; "
			 "mov.u32 %x2, 1; @%q bra E; sub.u32 %x1, %x0, 1; "
			 "{ .param .b32 a; .param .b32 b; "
			 "st.param.b32 [a], %x1; call (b), f, (a); "
			 "ld.param.b32 %x2, [b]; } "
			 "mul.lo.u32 %x2, %x2, 3; add.u32 %x2, %x2, %x0; "
			 "E: st.param.b32 [r], %x2; ret; }",
			 "and.b32 %r2, %r0, 15; "
			 "{ .param .b32 a; .param .b32 b; "
			 "st.param.b32 [a], %r2; call (b), f, (a); "
			 "ld.param.b32 %r1, [b]; }\n"
			 "st.global.u32 [%rd1], %r1; ret;"));
}

TEST(step, operations_that_wait_for_their_lanes)
{
	struct run r = { .options.divergence = HEDDLE_DIVERGE_INDEPENDENT };

	/* the halves arrive at different times; a barrier in both branches */
	same_as_run(&r, KERNEL("setp.lt.u32 %p1, %r0, 16; mov.u32 %r5, 0; "
			       "@%p1 bra A;\n"
			       "B: add.u32 %r5, %r5, 1; "
			       "setp.lt.u32 %p2, %r5, 400; @%p2 bra B; "
			       "st.global.u32 [%rd1+512], %r5; "
			       "bar.warp.sync -1; "
			       "ld.global.u32 %r6, [%rd0+512]; bra J;\n"
			       "A: add.u32 %r5, %r0, 9; "
			       "st.global.u32 [%rd1+512], %r5; "
			       "bar.warp.sync -1; "
			       "ld.global.u32 %r6, [%rd0+636];\n"
			       "J: shfl.sync.bfly.b32 %r7, %r6, 1, 31, -1; "
			       "redux.sync.add.u32 %r8, %r7, -1; "
			       "st.global.u32 [%rd1], %r8; ret;"));
	EQ(16u * (400 + 9), r.w[0]);
}

TEST(step, matrices_in_global_memory)
{
	struct run r = { 0 };

	/* lines of 64 bytes that lie in two lines of the log each */
	for (int i = 0; i < 1024; i++)
		r.w[i] = (uint32_t)i;
	same_as_run(&r, KERNEL("st.global.u32 [%rd1+128], %r0; "
			       "wmma.load.c.sync.aligned.row.m16n16k16.global"
			       ".f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
			       "[%rd0+32], 24; "
			       "wmma.store.d.sync.aligned.row.m16n16k16.global"
			       ".f32 [%rd0+2080], "
			       "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, 24; "
			       "ld.global.u32 %r1, [%rd1+2176]; "
			       "st.global.u32 [%rd1], %r1; ret;"));
	EQ(8u, r.w[520]);
	EQ(0u, r.w[520 + 24]); /* what lane 0 stored */
	EQ(7u, r.w[520 + 24 + 7]);
	EQ(536u, r.w[520 + 16]); /* between two rows: as it was */
}

/* ---- atomics ---- */

/* An atomic to %r2, which goes to the thread's word at offset n. */
#define KEEP(op, n) "atom.global." op "; st.global.u32 [%rd1+" #n "], %r2;\n"

static void fill_words(struct run *r)
{
	for (uint32_t i = 0; i < OUT_BYTES / 4; i++)
		r->w[i] = i < 32 ? i * 0x01000193 : 0;
}

TEST(step, atomics_of_every_kind)
{
	struct run r = { 0 };

	/* one warp: lanes act in their order in both */
	fill_words(&r);
	same_as_run(
		&r,
		KERNEL("and.b32 %r1, %r0, 7; "
		       "mul.wide.u32 %rd2, %r1, 16; "
		       "add.u64 %rd2, %rd2, %rd0; "
		       "add.u32 %r9, %r0, 3; cvt.u64.u32 %rd3, %r0; "
		       "cvt.rn.f32.u32 %f1, %r0; "
		       "mul.f32 %f1, %f1, 0f3dcccccd; "
		       "cvt.u16.u32 %rs1, %r1;\n" KEEP(
			       "add.u32 %r2, [%rd2], %r9",
			       128) KEEP("inc.u32 %r2, [%rd2], 20",
					 256) KEEP("dec.u32 %r2, [%rd2], %r9",
						   384)
			       KEEP("exch.b32 %r2, [%rd2], %r0", 512) KEEP(
				       "cas.b32 %r2, [%rd2], %r1, 77",
				       640) KEEP("max.s32 %r2, [%rd2], %r0",
						 768) KEEP("xor.b32 %r2, [%rd2], -1",
							   896)
				       KEEP("add.f32 %r2, [%rd2+8], %f1",
					    1024) "red.global.add.u32 [%rd2+4], %r0; "
						  "atom.global.min.u64 %rd4, [%rd2+8], %rd3; "
						  "st.global.u32 [%rd1+1152], %rd4; "
						  "atom.global.cas.b16 %rs2, [%rd2+2], %rs1, 5; "
						  "cvt.u32.u16 %r2, %rs2; "
						  "st.global.u32 [%rd1+1280], %r2; ret;"));
}

TEST(step, atomics_of_vectors_and_128_bits)
{
	struct run r = { 0 };

	fill_words(&r);
	same_as_run(
		&r,
		KERNEL("and.b32 %r1, %r0, 3; mul.wide.u32 %rd2, %r1, 16; "
		       "add.u64 %rd2, %rd2, %rd0; cvt.rn.f32.u32 %f1, %r0; "
		       "mul.wide.u32 %rd6, %r0, 16; add.u64 %rd6, %rd6, %rd0;\n"
		       "atom.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%rd2], "
		       "{%f1, %f1, %f1, %f1}; "
		       "st.global.v4.f32 [%rd6+512], {%f2, %f3, %f4, %f5}; "
		       "red.global.add.v2.f32 [%rd2], {%f1, %f1}; "
		       "cvt.u64.u32 %rd3, %r0; mov.u64 %rd4, 9; "
		       "mov.b128 %rq0, {%rd3, %rd4}; "
		       "atom.global.exch.b128 %rq1, [%rd2], %rq0; "
		       "mov.b128 {%rd7, %rd8}, %rq1; "
		       "st.global.v2.u64 [%rd6+1024], {%rd7, %rd8}; "
		       "mov.b128 %rq2, {%rd4, %rd3}; "
		       "atom.global.cas.b128 %rq1, [%rd2], %rq0, %rq2; "
		       "mov.b128 {%rd7, %rd8}, %rq1; "
		       "st.global.v2.u64 [%rd6+1536], {%rd7, %rd8}; ret;"));
}

TEST(step, lanes_of_a_generic_atomic_may_be_in_shared_memory)
{
	struct run r = { .shared = 128 };

	same_as_run(&r, KERNEL("mov.u64 %rd2, 0; cvta.shared.u64 %rd2, %rd2; "
			       "mul.wide.u32 %rd5, %r0, 4; "
			       "cvt.u32.u64 %r5, %rd5; mov.u32 %r6, 100; "
			       "st.shared.u32 [%r5], %r6; "
			       "and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; "
			       "selp.b64 %rd3, %rd2, %rd0, %p1; "
			       "atom.add.u32 %r2, [%rd3], %r0; "
			       "st.global.u32 [%rd1+256], %r2; "
			       "add.u64 %rd3, %rd3, 8; st.u32 [%rd3], %r0; "
			       "ld.u32 %r3, [%rd3]; "
			       "st.global.u32 [%rd1+512], %r3; "
			       "ld.shared.u32 %r2, [0]; "
			       "st.global.u32 [%rd1+768], %r2; ret;"));
	EQ(16 * 16, r.w[0]); /* 1 + 3 + ... + 31 */
}

TEST(step, locks_and_counters_among_blocks)
{
	struct run r = { .grid = { 6, 1, 1 }, .block = { 64, 1, 1 } };
	static struct stepper s;
	const char *text = KERNEL(
		"setp.ne.u32 %p1, %r0, 0; @%p1 bra W;\n"
		"L: atom.global.cas.b32 %r2, [%rd0+256], 0, 1; "
		"setp.ne.u32 %p2, %r2, 0; @%p2 bra L;\n"
		"ld.volatile.global.u32 %r3, [%rd0+512]; add.u32 %r3, %r3, 1; "
		"st.volatile.global.u32 [%rd0+512], %r3; membar.gl; "
		"atom.global.exch.b32 %r2, [%rd0+256], 0;\n"
		"W: red.global.add.u32 [%rd0+768], 1; ret;");

	for (uint32_t k = 0; k < 10; k++) {
		step_open(&s, &r, text, k, true);
		step_all(&s);
		EQ(6u, s.w[128]);
		EQ(0u, s.w[64]);
		EQ(6u * 64, s.w[192]);
		EQ(ERR_OK, step_close(&s));
	}
}

/* Executes until an atomic is in flight. */
static struct atomic *to_atomic(struct stepper *s)
{
	while (!s->waits[0][0])
		OK(step_warp(s, 0, 0));
	return s->waits[0][0];
}

TEST(step, an_atomic_acts_when_performed_and_answers_when_finished)
{
	struct run r = { 0 };
	static struct stepper s;
	struct atomic *a;
	uint32_t *d;

	r.w[0] = 100;
	step_open(&s, &r,
		  KERNEL("mov.u32 %r2, 55; setp.lt.u32 %p1, %r0, 4; "
			 "@%p1 atom.global.add.u32 %r2, [%rd0], 1; "
			 "st.global.u32 [%rd1], %r2; ret;"),
		  1, true);
	a = to_atomic(&s);
	d = (uint32_t *)(a->regs + SLOT_OFFSET(a->in->d));
	EQ(0xfu, a->mask);
	EQ(0xfu, s.block[0]->warps[0].mask);
	EQ(4u, a->bytes);
	EQ(s.param, a->addr[3]);
	EQ(100u, s.w[0]);
	atomic_perform(a, 0xc); /* lanes 2 and 3 arrive first */
	EQ(102u, s.w[0]);
	EQ(3u, a->left);
	EQ(55u, d[2]);
	atomic_perform(a, 0xffffffffu);
	EQ(104u, s.w[0]);
	EQ(55u, d[0]);
	atomic_finish(s.view[0], a);
	EQ(0u, s.view[0]->atomic_count);
	s.waits[0][0] = NULL;
	EQ(102u, d[0]);
	EQ(103u, d[1]);
	EQ(100u, d[2]);
	EQ(101u, d[3]);
	EQ(55u, d[4]);
	step_all(&s);
	EQ(102u, s.w[0]);
	EQ(55u, s.w[31]);
	EQ(ERR_OK, step_close(&s));
}

/* ---- effects for timing ---- */

static const struct inst *step_to(struct stepper *s, int op)
{
	const struct inst *in;

	do {
		in = warp_next(&s->block[0]->warps[0]);
		OK(in && step_warp(s, 0, 0));
	} while (in->op != op);
	return in;
}

TEST(step, addresses_are_left_for_timing)
{
	struct run r = { .shared = 1024 };
	static struct stepper s;
	const uint64_t *addr;

	for (uint32_t i = 0; i < 1024; i++)
		r.w[i] = i;
	step_open(&s, &r,
		  KERNEL("mul.wide.u32 %rd2, %r0, 8; add.u64 %rd2, %rd2, %rd0; "
			 "ld.global.u32 %r1, [%rd2+4]; "
			 "st.global.u32 [%rd1+8], %r1; "
			 "shl.b32 %r2, %r0, 4; shl.b32 %r4, %r0, 2; "
			 "mul.wide.u32 %rd3, %r0, 16; add.u64 %rd3, %rd3, %rd0;"
			 "setp.lt.u32 %p1, %r0, 8; selp.u32 %r3, 0, 16, %p1; "
			 "cp.async.cg.shared.global [%r2], [%rd3], 16, %r3; "
			 "ld.shared.u32 %r5, [%r4+8]; "
			 "nanosleep.u32 500; mov.u64 %rd7, %clock64; "
			 "mov.u64 %rd8, %globaltimer; mov.u32 %r9, %smid; "
			 "st.global.u64 [%rd0+2048], %rd7; "
			 "st.global.u64 [%rd0+2056], %rd8; "
			 "st.global.u32 [%rd0+2064], %r9; "
			 "st.global.u32 [%rd1+1024], %r5; ret;"),
		  1, true);
	addr = s.worker[0]->effect.addr;
	step_to(&s, PTX_OP_LD);
	step_to(&s, PTX_OP_LD); /* after that of the parameter */
	for (uint32_t l = 0; l < 32; l++)
		EQ(s.param + 8 * l + 4, addr[l]);
	step_to(&s, PTX_OP_ST);
	for (uint32_t l = 0; l < 32; l++)
		EQ(s.param + 4 * l + 8, addr[l]);
	step_to(&s, PTX_OP_CP_ASYNC);
	EQ(0xffffff00u, s.worker[0]->effect.source_mask);
	for (uint32_t l = 0; l < 32; l++) {
		EQ(16 * l, addr[l]);
		EQ(s.param + 16 * l, s.worker[0]->effect.source[l]);
	}
	step_to(&s, PTX_OP_LD);
	for (uint32_t l = 0; l < 32; l++)
		EQ(4 * l + 8, addr[l]);
	step_to(&s, PTX_OP_NANOSLEEP);
	EQ(500u, s.worker[0]->effect.sleep_ns);
	EQ((unsigned)EVENT_YIELD, s.block[0]->warps[0].event);
	s.now = 6000000000ull;
	s.epoch = s.now;
	step_all(&s);
	EQ(6000000001ull, *(uint64_t *)(s.out + 2048));
	EQ(6000000002ull / 2, *(uint64_t *)(s.out + 2056));
	EQ(10u, s.w[516]);
	/* lane 7 copies nothing; lane 8 what the store before it wrote */
	EQ(0u, s.w[256 + 0]);
	EQ(2 * (32 - 2) + 1u, s.w[256 + 32 - 2]);
	EQ(ERR_OK, step_close(&s));
}

TEST(step, a_block_that_waits_for_ever_is_found)
{
	struct run r = { .block = { 64, 1, 1 } }, run;
	static struct stepper s;
	const char *text = KERNEL("setp.lt.u32 %p1, %r0, 32; "
				  "@%p1 bar.sync 1, 64; bar.sync 2; ret;");

	run = r;
	run_ptx(&run, text);
	EQ(HEDDLE_FAULT, run.status);
	step_open(&s, &r, text, 3, true);
	step_all(&s);
	EQ(FAULT_BARRIER, (int)s.launch.fault.kind);
	OK(strstr(run.result.fault.text, s.launch.fault.text) != NULL);
	EQ(ERR_FAULT, step_close(&s));
}

TEST(step, an_endless_warp_is_named)
{
	struct run r = { 0 };
	static struct stepper s;

	step_open(&s, &r, KERNEL("L: add.u32 %r1, %r1, 1; bra L;"), 3, true);
	for (int i = 0; i < 1000; i++)
		OK(step_warp(&s, 0, 0));
	warp_endless(&s.block[0]->warps[0]);
	EQ(FAULT_LOOP, (int)s.launch.fault.kind);
	EQ((const struct inst *)NULL, warp_next(&s.block[0]->warps[0]));
	EQ(ERR_FAULT, step_close(&s));
	EQ(1000u, atomic_load(&s.launch.steps));
}
