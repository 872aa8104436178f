/*
 * The LD/ST units against the model: random loads and stores of all spaces and
 * widths, in patterns that programs have and in others, with faults. The ports of
 * the circuit (external memory, timing model, registers) are slow at random.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lsu.h"
#include "random.h"
#include "test.h"

enum {
	SMS = 16,
	WARPS = 32,
	QUEUE = 64,      /* reads that external memory has under way */
	REGION = 1 << 14 /* bytes that most accesses of global memory are in */
};

/* A read of external memory. */
struct read {
	uint64_t due;
	uint8_t line[FL_SEGMENT];
};

struct bench {
	struct fl_config config;
	struct fl_launch launch;
	struct fl_kernel kernel;
	struct fl_machine machine;
	struct fl_sm sm[SMS];
	struct fl_warp warp[WARPS];
	uint8_t *external; /* the circuit's memory */
	struct lsu_in in;
	struct lsu_out out;

	struct read queue[QUEUE];
	unsigned first, count;
	bool hurry; /* nothing is slow */
	uint64_t cycle;

	/* what the circuit did with the last instruction */
	struct fl_access access;
	bool ended, faulted;
	struct lsu_out fault;
	uint64_t started, done_at, ended_at;

	/* what the warps have under way */
	struct flight {
		bool busy, load, wrote;
		uint8_t reg;
		uint32_t lanes, want[FL_LANES];
	} flight[WARPS];
	unsigned busy, most_busy;
	unsigned faults[3], conflicts, lines[FL_LANES + 1];
};

static uint8_t *new_memory(void)
{
	void *at = mmap(NULL, FL_MEMORY_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	OK(at != MAP_FAILED);
	return at;
}

/* ---- the other side of the ports ---------------------------------------- */

static void take_request(struct bench *b)
{
	const struct lsu_out *o = &b->out;
	uint8_t *line = b->external + (size_t)o->req_line * FL_SEGMENT;
	const uint8_t *data = (const uint8_t *)o->req_data;

	OK(o->req_line < FL_MEMORY_BYTES / FL_SEGMENT);
	if (!o->req_write) {
		struct read *r = &b->queue[(b->first + b->count++) % QUEUE];

		OK(b->count <= QUEUE);
		r->due = b->cycle + 1 + (b->hurry ? 0 : random_bits() % 20);
		memcpy(r->line, line, FL_SEGMENT);
		return;
	}
	for (unsigned i = 0; i < FL_SEGMENT; i++)
		if (o->req_bytes[i / 32] >> i % 32 & 1)
			line[i] = data[i];
}

static bool give_line(struct bench *b)
{
	struct read *r = &b->queue[b->first % QUEUE];

	if (!b->count || r->due > b->cycle)
		return false;
	memcpy(b->in.resp_data, r->line, FL_SEGMENT);
	b->first++;
	b->count--;
	return true;
}

static void take_segment(struct bench *b)
{
	struct fl_access *a = &b->access;

	OK(!b->ended);
	if (b->out.seg_end) {
		b->ended = true;
		b->ended_at = b->cycle;
		if (b->out.seg_shared_count)
			a->count = b->out.seg_shared_count;
		return;
	}
	OK(a->count < FL_LANES);
	a->segment[a->count++] = b->out.seg_line;
}

static bool willing(const struct bench *b)
{
	return b->hurry || random_bits() % 4;
}

static void take_write(struct bench *b)
{
	struct flight *f = &b->flight[b->out.x_warp];

	OK(f->busy && f->load && !f->wrote);
	f->wrote = true;
	EQ(f->lanes, b->out.x_lanes);
	EQ(f->reg, b->out.x_reg);
	for (unsigned l = 0; l < FL_LANES; l++)
		if (f->lanes >> l & 1)
			EQ(f->want[l], b->out.x_data[l]);
}

static void take_done(struct bench *b)
{
	struct flight *f = &b->flight[b->out.done_warp];

	OK(f->busy);
	EQ(f->load && f->lanes, f->wrote);
	f->busy = false;
	b->busy--;
	b->done_at = b->cycle;
}

static void bench_cycle(struct bench *b)
{
	struct lsu_out *o = &b->out;

	b->in.seg_ready = willing(b);
	b->in.req_ready = willing(b);
	b->in.x_ready = willing(b);
	b->in.resp_valid = give_line(b);
	lsu_cycle(&b->in, o);
	if (o->req_valid && b->in.req_ready)
		take_request(b);
	if (o->seg_end || (o->seg_valid && b->in.seg_ready))
		take_segment(b);
	if (o->x_start && b->in.x_ready)
		take_write(b);
	if (o->done)
		take_done(b);
	if (o->fault_valid) {
		b->faulted = true;
		b->fault = *o;
	}
	b->cycle++;
}

static void wait_ready(struct bench *b)
{
	unsigned cycles = 0;

	do {
		bench_cycle(b);
		OK(++cycles < 3000);
	} while (!b->out.ready);
}

static void wait_done(struct bench *b)
{
	unsigned cycles = 0;

	while (b->busy) {
		bench_cycle(b);
		OK(++cycles < 3000);
	}
}

/* ---- a launch ------------------------------------------------------------ */

static void configure(struct bench *b)
{
	uint32_t shared = random_bits() % 4 ? random_bits() % 2048 : 16384;
	uint32_t words = random_bits() % 40;

	b->config = (struct fl_config){ .sms = SMS,
					.warps = 1 + random_bits() % WARPS };
	b->launch.local_base = 0x1000000 + random_bits() % 1000 * FL_SEGMENT;
	b->machine.shared_of_block = shared;
	b->machine.local_words = words;
	b->in.cfg_warps = (uint8_t)b->config.warps;
	b->in.cfg_block_shared = (uint16_t)shared;
	b->in.cfg_local_words = (uint16_t)words;
	b->in.cfg_local_base = b->launch.local_base;
}

static void bench_start(struct bench *b)
{
	if (!b->external) {
		b->external = new_memory();
		b->launch.memory = new_memory();
		for (unsigned s = 0; s < SMS; s++)
			b->sm[s].shared = calloc(1, 16384 + 2048);
	}
	b->launch.kernel = &b->kernel;
	b->machine.c = &b->config;
	b->machine.l = &b->launch;
	b->machine.sm = b->sm;
	if (!b->cycle) {
		b->in.reset = true;
		bench_cycle(b);
		b->in.reset = false;
	}
	configure(b);
	/* Lines that loads were waiting for still come. */
	b->in.clear = true;
	bench_cycle(b);
	b->in.clear = false;
	memset(b->flight, 0, sizeof(b->flight));
	b->busy = 0;
	wait_ready(b);
	for (unsigned s = 0; s < SMS; s++) {
		b->sm[s].number = s;
		b->sm[s].warp = b->warp;
		memset(b->sm[s].shared, 0, 16384);
	}
}

/* ---- random instructions -------------------------------------------------- */

static const uint8_t mem_ops[] = { FL_LDG, FL_STG, FL_LDS,
				   FL_STS, FL_LDL, FL_STL };

static struct fl_inst random_access(void)
{
	for (;;) {
		struct fl_inst decoded, in = {
			.op = mem_ops[random_bits() % 6],
			.guard = FL_PT,
			.mod = (uint8_t)(random_bits() % 8 ?
						 random_bits() % 5 :
						 random_bits() % 32),
			.imm = true,
		};

		if (!(in.mod & FL_MOD_ABS))
			in.a = random_bits() % 32;
		if (fl_has(&in, 'd'))
			in.d = random_bits() % 32;
		else
			in.c = random_bits() % 32;
		if (!fl_decode(&decoded, fl_encode(&in)))
			return in;
	}
}

static bool is_shared(const struct fl_inst *in)
{
	return in->op == FL_LDS || in->op == FL_STS;
}

static uint32_t size_of_space(const struct bench *b, const struct fl_inst *in)
{
	if (is_shared(in))
		return b->machine.shared_of_block;
	if (in->op == FL_LDL || in->op == FL_STL)
		return 4 * b->machine.local_words;
	return FL_MEMORY_BYTES;
}

static uint32_t width_of(const struct fl_inst *in)
{
	static const uint8_t bytes[] = { 4, 1, 1, 2, 2 };

	return bytes[in->mod & 7];
}

/* An address of a lane: a multiple of the width within a span, at steps. */
static uint32_t random_at(uint32_t lane, uint32_t kind, uint32_t step,
			  uint32_t span, uint32_t bytes)
{
	uint32_t at =
		kind == 0 ? lane * step :
		kind == 1 ? random_bits() :
		kind == 2 ? lane * bytes :
		kind == 3 ? random_bits() % 4 * 128 + random_bits() % 128 :
		kind == 4 ? random_bits() % 3 * 4 :
			    (lane ^ step) * bytes;

	at = span ? at % span : 0;
	return at - at % bytes;
}

/* Gives the lanes addresses; a few are outside or misaligned. */
static void random_addresses(const struct bench *b, struct fl_warp *w,
			     struct fl_inst *in)
{
	uint32_t size = size_of_space(b, in), bytes = width_of(in);
	uint32_t kind = random_bits() % 6, step = random_bits() % 40 * bytes;
	uint32_t base = 0, span = size, bad = random_bits() % 64;

	if (size == FL_MEMORY_BYTES) {
		base = random_bits() % 32 == 0 ? FL_MEMORY_BYTES - REGION :
						 FL_DATA_BASE;
		span = random_bits() % 16 ? REGION : FL_MEMORY_BYTES - base;
	}
	span = span >= bytes ? span - (bytes - 1) : 0;
	in->b = random_bits() % 2 ? random_bits() : random_bits() % 16;
	if (in->mod & FL_MOD_ABS)
		in->b = base + random_at(0, kind, step, span, bytes);
	for (unsigned l = 0; l < FL_LANES; l++)
		w->reg[in->a][l] =
			base - in->b + random_at(l, kind, step, span, bytes);
	if (bad == 0)
		w->reg[in->a][random_bits() % 32] += random_bits() % 8;
	if (bad == 1)
		w->reg[in->a][random_bits() % 32] =
			size - in->b - random_bits() % 5;
	if (bad == 2)
		w->reg[in->a][random_bits() % 32] = random_bits();
	if (bad == 3)
		in->b += random_bits() % 2 ? 1 : 0x10000;
}

static uint32_t random_lanes(void)
{
	switch (random_bits() % 6) {
	case 0:
		return random_bits();
	case 1:
		return 1u << random_bits() % 32;
	case 2:
		return random_bits() & random_bits() & random_bits();
	case 3:
		return random_bits() % 8 ? ~0u >> random_bits() % 32 : 0;
	default:
		return ~0u;
	}
}

/* ---- the comparison -------------------------------------------------------- */

/* Starts an instruction, and waits until another may start. */
static void run_circuit(struct bench *b, const struct fl_warp *w,
			const struct fl_inst *in, uint32_t lanes)
{
	b->access = (struct fl_access){ 0 };
	b->ended = b->faulted = false;
	b->started = b->cycle;
	b->in.start = true;
	b->in.word = fl_encode(in);
	b->in.lanes = lanes;
	memcpy(b->in.a, w->reg[in->a], sizeof(b->in.a));
	memcpy(b->in.c, w->reg[in->c], sizeof(b->in.c));
	bench_cycle(b);
	b->in.start = false;
	/* It has its own copy of all of this. */
	memset(b->in.a, 0x5a, sizeof(b->in.a));
	memset(b->in.c, 0x5a, sizeof(b->in.c));
	b->in.lanes = ~lanes;
	b->in.word = ~b->in.word;
	b->in.warp ^= 31;
	wait_ready(b);
}

static void same_segments(const struct fl_access *want,
			  const struct fl_access *got)
{
	EQ(want->count, got->count);
	for (uint32_t i = 0; !want->shared && i < want->count; i++)
		EQ(want->segment[i], got->segment[i]);
}

static void same_lines(const struct bench *b, const struct fl_access *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		OK(!memcmp(b->external + (size_t)a->segment[i] * FL_SEGMENT,
			   b->launch.memory +
				   (size_t)a->segment[i] * FL_SEGMENT,
			   FL_SEGMENT));
}

static void same_fault(struct bench *b)
{
	struct fl_fault *f = &b->machine.fault;

	EQ((int)f->kind, (int)b->fault.fault_kind);
	EQ(f->lane, (uint32_t)b->fault.fault_lane);
	EQ(f->address, b->fault.fault_address);
	b->faults[f->kind]++;
	f->kind = FL_FAULT_NONE;
}

/* A fault ends a launch: what the lanes before it have stored is not compared. */
static void after_fault(struct bench *b, const struct fl_warp *w,
			const struct fl_inst *in)
{
	uint32_t base = b->launch.local_base;

	for (unsigned l = 0; in->op == FL_STG && l < FL_LANES; l++) {
		uint32_t at = (w->reg[in->a][l] + in->b) % FL_MEMORY_BYTES &
			      ~(FL_SEGMENT - 1u);

		memcpy(b->launch.memory + at, b->external + at, FL_SEGMENT);
	}
	b->kernel.local = 4 * b->machine.local_words;
	if (in->op == FL_STL)
		memcpy(b->launch.memory + base, b->external + base,
		       fl_local_bytes(&b->config, &b->kernel));
	bench_start(b);
}

/* The block and the warp of the next instruction, one that has none under way. */
static struct fl_warp *random_place(struct bench *b, struct fl_sm **sm)
{
	uint32_t shared = (b->machine.shared_of_block + 3) & ~3u, place;
	struct fl_warp *w;

	b->in.sm = random_bits() % SMS;
	*sm = &b->sm[b->in.sm];
	place = shared ? random_bits() % (16384 / shared) % 32 : 0;
	(*sm)->block[0].shared_at = place * shared;
	b->in.shared_base = (uint16_t)(place * shared);
	b->in.warp = random_bits() % b->config.warps;
	if (b->flight[b->in.warp].busy)
		wait_done(b);
	w = &b->warp[b->in.warp];
	random_warp(w);
	w->depth = 1;
	return w;
}

/* What the model did, before the circuit does it. */
static void take_off(struct bench *b, const struct fl_warp *w,
		     const struct fl_inst *in, uint32_t lanes, bool load)
{
	struct flight *f = &b->flight[b->in.warp];

	*f = (struct flight){
		.busy = true, .load = load, .reg = in->d, .lanes = lanes
	};
	if (load)
		memcpy(f->want, w->reg[in->d], sizeof(f->want));
	if (++b->busy > b->most_busy)
		b->most_busy = b->busy;
}

static void one_instruction(struct bench *b)
{
	uint32_t lanes = random_lanes();
	struct fl_decoded d = { .in = random_access() };
	struct fl_access want = { 0 };
	struct fl_sm *sm;
	struct fl_warp *w = random_place(b, &sm), before;

	random_addresses(b, w, &d.in);
	before = *w;
	if (!fl_execute(&b->machine, sm, w, &d, lanes, &want)) {
		run_circuit(b, &before, &d.in, lanes);
		OK(b->faulted);
		same_fault(b);
		after_fault(b, &before, &d.in);
		return;
	}
	take_off(b, w, &d.in, lanes, want.load);
	run_circuit(b, &before, &d.in, lanes);
	OK(!b->faulted && b->ended);
	same_segments(&want, &b->access);
	b->conflicts += want.shared && want.count > 1;
	b->lines[want.count] += !want.shared;
	if (!want.load && !want.shared)
		same_lines(b, &want);
}

/* The memory of a block, at a place, is zero again. */
static void zero_block(struct bench *b)
{
	uint32_t shared = (b->machine.shared_of_block + 3) & ~3u;
	uint32_t place = shared ? random_bits() % (16384 / shared) % 32 : 0;

	b->in.sm = random_bits() % SMS;
	b->in.shared_base = (uint16_t)(place * shared);
	b->in.zero = true;
	bench_cycle(b);
	OK(!b->out.ready);
	b->in.zero = false;
	wait_ready(b);
	memset(b->sm[b->in.sm].shared + place * shared, 0, shared);
}

static struct bench bench;

TEST(rtl_lsu, loads_and_stores_as_the_model_does)
{
	struct bench *b = &bench;

	b->hurry = false;
	bench_start(b);
	for (uint64_t i = 0; i < 5 * random_words(); i++) {
		if (i % 256 == 0)
			bench_start(b);
		if (random_bits() % 64 == 0)
			zero_block(b);
		one_instruction(b);
	}
	printf("  %u outside, %u misaligned, %u with bank conflicts, %u with "
	       "32 lines, at most %u at a time\n",
	       b->faults[FL_FAULT_ADDRESS], b->faults[FL_FAULT_MISALIGNED],
	       b->conflicts, b->lines[32], b->most_busy);
	OK(b->faults[FL_FAULT_ADDRESS] > 50 &&
	   b->faults[FL_FAULT_MISALIGNED] > 50);
	OK(b->conflicts > 100 && b->lines[32] > 40 && b->most_busy >= 4);
}

/* Cycles of an instruction of 32 lanes, `step` bytes apart, in a fast circuit. */
static unsigned cycles_of(struct bench *b, enum fl_op op, uint32_t step)
{
	struct fl_inst in = { .op = op,
			      .guard = FL_PT,
			      .imm = true,
			      .a = 1,
			      .b = is_shared(&(struct fl_inst){ .op = op }) ?
					   0 :
					   FL_DATA_BASE };
	struct fl_warp *w = &b->warp[0];

	struct fl_decoded d = { .in = in };
	struct fl_access access;
	struct fl_warp before;

	random_warp(w);
	for (unsigned l = 0; l < FL_LANES; l++)
		w->reg[1][l] = l * step;
	before = *w;
	b->in.warp = 0;
	b->in.sm = 0;
	b->in.shared_base = 0;
	b->sm[0].block[0].shared_at = 0;
	OK(fl_execute(&b->machine, b->sm, w, &d, ~0u, &access));
	take_off(b, w, &in, ~0u, access.load);
	run_circuit(b, &before, &in, ~0u);
	wait_done(b);
	return (unsigned)(b->done_at - b->started);
}

TEST(rtl_lsu, takes_the_cycles_that_it_promises)
{
	struct bench *b = &bench;

	b->hurry = true;
	do
		bench_start(b);
	while (b->machine.shared_of_block < 128 * 32 ||
	       b->machine.local_words < 32);
	EQ(9u, cycles_of(b, FL_STS, 4));
	EQ(10u, cycles_of(b, FL_LDS, 4));
	EQ(10u, cycles_of(b, FL_LDS, 8));
	EQ(19u, (unsigned)(b->ended_at - b->started));
	EQ(19u, cycles_of(b, FL_LDG, 4));
	EQ(17u, cycles_of(b, FL_STG, 4));
	EQ(45u, cycles_of(b, FL_LDG, 128));
	EQ(43u, cycles_of(b, FL_STG, 128));
}
