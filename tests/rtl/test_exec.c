/*
 * The SIMD with its registers against the model: random instructions of 32 warps, in
 * each cycle one of a warp whose last one has been written.
 */
#include <stdio.h>
#include <string.h>

#include "exec.h"
#include "random.h"
#include "test.h"

enum { WARPS = 32 };

struct bench {
	struct random_launch r;
	struct fl_warp warp[WARPS];
	uint64_t next[WARPS]; /* cycle in which it may start an instruction */
	uint64_t cycle, started, dependent;
	unsigned under_way; /* instructions without `done` */
	uint64_t div_until; /* nothing starts before */
};

static void bench_cycle(struct bench *b, const struct exec_in *x,
			struct exec_out *out)
{
	exec_cycle(x, out);
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

static void issue(struct bench *b, unsigned number)
{
	struct fl_warp *w = &b->warp[number];
	struct fl_decoded d = { .in = random_inst() };
	bool div = fl_ops[d.in.op].unit == FL_UNIT_DIV;
	uint32_t lanes = random_bits() % 4 ? random_bits() : ~0u;
	uint32_t executes = guarded_lanes(w, &d.in, lanes);
	struct exec_in x = { .start = true,
			     .warp = (uint8_t)number,
			     .index = w->index,
			     .word = fl_encode(&d.in),
			     .lanes = lanes,
			     .param = random_param(&b->r, d.in.b) };
	struct exec_out out;

	random_places(&b->r, x.places);
	OK(fl_execute(&b->r.machine, &b->r.sm, w, &d, executes, NULL));
	b->dependent += b->next[number] == b->cycle;
	b->next[number] = b->cycle + (div ? EXEC_DIV_LATENCY : EXEC_LATENCY);
	/* Another one may start in the cycle in which the quotients are there. */
	if (div)
		b->div_until = b->cycle + EXEC_DIV_LATENCY - 1;
	b->under_way++;
	bench_cycle(b, &x, &out);
	OK(out.ready);
	EQ(executes, out.executes);
	b->started++;
}

static void idle(struct bench *b)
{
	struct exec_in x = { 0 };
	struct exec_out out;
	bool blocked = b->cycle < b->div_until;

	bench_cycle(b, &x, &out);
	EQ(!blocked, out.ready);
}

TEST(rtl_exec, leaves_the_registers_that_the_model_leaves)
{
	static struct bench b;
	struct exec_in reset = { .reset = true };
	struct exec_out out;

	random_launch(&b.r);
	for (unsigned w = 0; w < WARPS; w++)
		random_warp(&b.warp[w]);
	bench_cycle(&b, &reset, &out);
	each_register(&b, true);
	while (b.started < random_words()) {
		int w = free_warp(&b);

		if (w < 0 || b.cycle < b.div_until)
			idle(&b);
		else
			issue(&b, (unsigned)w);
	}
	/* Reading waits for results only where both want the same cycle. */
	while (b.under_way)
		idle(&b);
	each_register(&b, false);
	printf("  %llu instructions, %llu of them at once after their warp's "
	       "last, %llu cycles\n",
	       (unsigned long long)b.started, (unsigned long long)b.dependent,
	       (unsigned long long)b.cycle);
	OK(b.dependent > b.started / 10);
}
