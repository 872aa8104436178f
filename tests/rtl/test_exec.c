/*
 * The SIMD with its registers against the model: random instructions of 32 warps, in
 * each cycle one of a warp whose last one has been written. Meanwhile the other
 * register file is read and written, and now and then the two change places.
 */
#include <stdio.h>
#include <string.h>

#include "exec.h"
#include "random.h"
#include "test.h"
#include "warp.h"

enum { WARPS = 32 };

struct bench {
	struct random_launch r;
	struct fl_warp files[2][WARPS];
	struct fl_warp *warp; /* of the file that is simulated */
	bool file, filled;
	uint64_t next[WARPS]; /* cycle in which it may start an instruction */
	uint64_t cycle, started, dependent;
	unsigned under_way; /* instructions without `done` */
	uint64_t swaps,
		others; /* exchanges of files; accesses to the other one */
	uint64_t ready; /* nothing starts before */
	uint64_t loads; /* written while instructions start */
};

/* A row of the other file: a register, or all predicates. */
static void row_of(struct fl_warp *w, const struct exec_in *x, uint32_t *to,
		   const uint32_t *from)
{
	uint32_t *at = x->y_pred ? w->pred : w->reg[x->y_reg];
	size_t bytes = x->y_pred ? 4 * FL_PREDS : 4 * FL_LANES;

	if (to)
		memcpy(to, at, bytes);
	else
		memcpy(at, from, bytes);
}

/* Reads or writes some row of the other file in each cycle. */
static void use_other_file(struct bench *b, struct exec_in *x)
{
	x->file = b->file;
	x->y_start = b->filled;
	x->y_write = random_bits() % 2;
	x->y_warp = random_bits() % WARPS;
	x->y_pred = random_bits() % 8 == 0;
	x->y_reg = random_bits() % FL_REGS;
	for (unsigned l = 0; l < FL_LANES; l++)
		x->y_data[l] = random_bits();
}

static void check_other_file(struct bench *b, const struct exec_in *x,
			     const struct exec_out *out)
{
	struct fl_warp *w = &b->files[!b->file][x->y_warp];
	uint32_t was[FL_LANES] = { 0 };

	row_of(w, x, was, NULL);
	if (x->y_write)
		row_of(w, x, NULL, x->y_data);
	OK(!memcmp(was, out->y_result, x->y_pred ? 4 * FL_PREDS : sizeof(was)));
	b->others++;
}

static void bench_cycle(struct bench *b, const struct exec_in *in,
			struct exec_out *out)
{
	struct exec_in x = *in;

	use_other_file(b, &x);
	exec_cycle(&x, out);
	if (x.y_start)
		check_other_file(b, &x, out);
	if (out->done) {
		OK(b->under_way > 0);
		/* It is the warp's last cycle in which it cannot start. */
		EQ(b->next[out->done_warp], b->cycle + 1);
		b->under_way--;
	}
	b->cycle++;
}

/* Reads a register or predicate, or writes all of its lanes; waits for its turn. */
static void access_from_outside(struct bench *b, struct exec_in *x,
				struct exec_out *out)
{
	x->x_start = true;
	do
		bench_cycle(b, x, out);
	while (!out->x_ready);
}

/* Writes the warps into the circuit, or compares them with it. */
static void each_register(struct bench *b, bool write)
{
	struct exec_in x = { .x_lanes = write ? ~0u : 0 };
	struct exec_out out;

	for (unsigned i = 0; i < WARPS * (FL_REGS + FL_PREDS); i++) {
		unsigned reg = i % (FL_REGS + FL_PREDS);
		struct fl_warp *w = &b->warp[i / (FL_REGS + FL_PREDS)];

		x.x_warp = (uint8_t)(w - b->warp);
		x.x_pred = reg >= FL_REGS;
		x.x_reg = (uint8_t)(reg % FL_REGS);
		const uint32_t *at = x.x_pred ? &w->pred[x.x_reg] :
						w->reg[x.x_reg];
		size_t bytes = x.x_pred ? 4 : sizeof(x.x_data);

		if (write)
			memcpy(x.x_data, at, bytes);
		access_from_outside(b, &x, &out);
		if (!write && memcmp(out.x_result, at, bytes)) {
			printf("  warp %u, %s %u differs\n", x.x_warp,
			       x.x_pred ? "predicate" : "register", x.x_reg);
			OK(false);
		}
	}
}

/* A warp that may start an instruction; the one that waits longest is the likeliest
 * to depend on its last. */
static int free_warp(const struct bench *b)
{
	unsigned first = random_bits() % 4 ? 0 : random_bits() % WARPS;

	for (unsigned i = 0; i < WARPS; i++)
		if (b->next[(first + i) % WARPS] <= b->cycle)
			return (int)((first + i) % WARPS);
	return -1;
}

/* What a load of another warp writes while an instruction starts. */
static void load_meanwhile(const struct bench *b, struct exec_in *x)
{
	unsigned other = random_bits() % WARPS;

	x->x_start = other != x->warp && b->next[other] <= b->cycle;
	x->x_warp = (uint8_t)other;
	x->x_reg = random_bits() % FL_REGS;
	x->x_lanes = random_bits() | 1;
	for (unsigned l = 0; l < FL_LANES; l++)
		x->x_data[l] = random_bits();
}

/* It is written, unless an instruction has a result. */
static void take_load(struct bench *b, const struct exec_in *x,
		      const struct exec_out *out)
{
	uint32_t *reg = b->warp[x->x_warp].reg[x->x_reg];

	EQ(!out->done, out->x_ready);
	for (unsigned l = 0; l < FL_LANES; l++)
		if (out->x_ready && x->x_lanes >> l & 1)
			reg[l] = x->x_data[l];
	b->loads += out->x_ready;
}

static void issue(struct bench *b, unsigned number)
{
	struct fl_warp *w = &b->warp[number];
	struct fl_decoded d = { .in = random_inst() };
	uint32_t lanes = random_bits() % 4 ? random_bits() : ~0u;
	uint32_t executes = guarded_lanes(w, &d.in, lanes);
	struct exec_in x = { .start = true,
			     .warp = (uint8_t)number,
			     .index = w->index,
			     .word = fl_encode(&d.in),
			     .lanes = lanes };
	struct exec_out out;

	random_places(&b->r, x.places);
	OK(fl_execute(&b->r.machine, &b->r.sm, w, &d, executes, NULL));
	b->dependent += b->next[number] == b->cycle;
	b->next[number] = b->cycle + warp_cycles(d.in.op) + EXEC_LATENCY;
	b->ready = b->cycle + 1;
	if (warp_waits(d.in.op))
		b->ready += warp_waits(d.in.op) + 1;
	b->under_way++;
	load_meanwhile(b, &x);
	bench_cycle(b, &x, &out);
	OK(out.ready);
	EQ(executes, out.executes);
	if (x.x_start)
		take_load(b, &x, &out);
	b->started++;
}

static void idle(struct bench *b)
{
	struct exec_in x = { 0 };
	struct exec_out out;
	bool blocked = b->cycle < b->ready;

	bench_cycle(b, &x, &out);
	EQ(!blocked, out.ready);
}

/* A memory instruction leaves with its operands and the lanes that execute it. */
static void issue_memory(struct bench *b, unsigned number)
{
	struct fl_warp *w = &b->warp[number];
	struct fl_inst in = { .op = FL_STG,
			      .guard = random_bits() % 16,
			      .a = random_bits() % FL_REGS,
			      .c = random_bits() % FL_REGS,
			      .b = random_bits() };
	uint32_t lanes = random_bits();
	struct exec_in x = { .start = true,
			     .warp = (uint8_t)number,
			     .word = fl_encode(&in),
			     .lanes = lanes };
	struct exec_out out;

	bench_cycle(b, &x, &out);
	OK(out.m_start);
	EQ(number, out.m_warp);
	EQ(x.word, out.m_word);
	EQ(guarded_lanes(w, &in, lanes), out.m_lanes);
	OK(!memcmp(w->reg[in.a], out.m_a, sizeof(out.m_a)));
	OK(!memcmp(w->reg[in.c], out.m_c, sizeof(out.m_c)));
}

static void write_params(struct bench *b)
{
	struct exec_out out;

	for (unsigned i = 0; i < 1024; i++) {
		struct exec_in x = { .p_we = true,
				     .p_at = (uint16_t)i,
				     .p_data = random_param(&b->r, 4 * i) };

		bench_cycle(b, &x, &out);
	}
}

static void start_bench(struct bench *b)
{
	struct exec_in reset = { .reset = true };
	struct exec_out out;

	random_launch(&b->r);
	for (unsigned w = 0; w < 2 * WARPS; w++)
		random_warp(&b->files[w / WARPS][w % WARPS]);
	bench_cycle(b, &reset, &out);
}

static void fill_files(struct bench *b)
{
	for (int i = 0; i < 2; i++) {
		b->file = i;
		b->warp = b->files[i];
		each_register(b, true);
	}
	b->filled = true;
}

static void finish_all(struct bench *b)
{
	/* Reading waits for results only where both want the same cycle. */
	while (b->under_way)
		idle(b);
}

static void swap_files(struct bench *b)
{
	finish_all(b);
	b->file = !b->file;
	b->warp = b->files[b->file];
	b->swaps++;
}

TEST(rtl_exec, leaves_the_registers_that_the_model_leaves)
{
	static struct bench b;

	start_bench(&b);
	fill_files(&b);
	write_params(&b);
	while (b.started < random_words()) {
		int w = free_warp(&b);

		if (w < 0 || b.cycle < b.ready)
			idle(&b);
		else if (random_bits() % 16 == 0)
			issue_memory(&b, (unsigned)w);
		else
			issue(&b, (unsigned)w);
		if (random_bits() % 256 == 0)
			swap_files(&b);
	}
	for (int i = 0; i < 2; i++) {
		swap_files(&b);
		each_register(&b, false);
	}
	printf("  %llu instructions, %llu of them at once after their warp's "
	       "last, %llu cycles, %llu exchanges of files\n",
	       (unsigned long long)b.started, (unsigned long long)b.dependent,
	       (unsigned long long)b.cycle, (unsigned long long)b.swaps);
	OK(b.dependent > b.started / 10);
	OK(b.swaps > 2 && b.loads > b.started / 10);
}
