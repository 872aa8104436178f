/*
 * The exchange of registers: random sets of warps and numbers of registers, to and from a
 * memory that is ready at random and answers late. What is saved and loaded, and nothing
 * else, changes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastlanes/circuit.h"
#include "random.h"
#include "switch.h"
#include "test.h"

enum {
	SMS = 16,
	WARPS = 32,
	ROWS = FL_REGS + 1, /* the last one: all predicates */
	PLACES = 64,        /* of rows, for each warp, in memory */
	UNDER_WAY = 32,     /* reads */
	LATENCY = 5,        /* of a memory that is always ready */
	NEVER_ENDS = 100000
};

typedef uint32_t line[SWITCH_WORDS];

struct registers {
	line row[WARPS][ROWS];
};
struct memory {
	line row[SMS][WARPS][PLACES];
};

struct bench {
	struct registers file, want_file;
	struct memory memory, want_memory;
	struct switch_in in;
	struct switch_out out;
	bool fast;
	uint64_t cycle;
	struct {
		line data;
		uint64_t due;
	} answer[UNDER_WAY];
	unsigned first, count;
	uint64_t lines, cycles; /* of this exchange */
};

static line *memory_line(struct bench *b, uint32_t at)
{
	uint32_t i = at - FL_CIRCUIT_CONTEXT;

	OK(at >= FL_CIRCUIT_CONTEXT && i < SMS * WARPS * PLACES);
	return &b->memory.row[0][0][0] + i;
}

/* The memory's side of a cycle. */
static void offer_memory(struct bench *b)
{
	bool is_due = b->count && b->answer[b->first].due <= b->cycle;

	b->in.req_ready = b->count < UNDER_WAY &&
			  (b->fast || random_bits() % 3 != 0);
	b->in.resp_valid = is_due && (b->fast || random_bits() % 3 != 0);
	if (b->in.resp_valid)
		memcpy(b->in.resp_data, b->answer[b->first].data, sizeof(line));
	else
		for (int i = 0; i < SWITCH_WORDS; i++)
			b->in.resp_data[i] = random_bits();
}

static void take_request(struct bench *b)
{
	unsigned at = (b->first + b->count) % UNDER_WAY;
	line *l = memory_line(b, b->out.req_line);

	b->lines++;
	if (b->out.req_write) {
		OK(b->out.req_whole);
		memcpy(*l, b->out.req_data, sizeof(line));
		return;
	}
	memcpy(b->answer[at].data, *l, sizeof(line));
	b->answer[at].due =
		b->cycle + LATENCY + (b->fast ? 0 : random_bits() % 30);
	b->count++;
}

/* The register file's side: what is read is there in the next cycle. */
static void use_file(struct bench *b)
{
	const struct switch_out *o = &b->out;
	line *row = &b->file.row[o->y_warp][o->y_pred ? FL_REGS : o->y_reg];

	for (int i = 0; i < SWITCH_WORDS; i++)
		b->in.y_result[i] = random_bits();
	if (!o->y_start)
		return;
	if (o->y_write)
		memcpy(*row, o->y_data, sizeof(line));
	else
		memcpy(b->in.y_result, *row, sizeof(line));
}

static void bench_cycle(struct bench *b)
{
	offer_memory(b);
	switch_cycle(&b->in, &b->out);
	if (b->in.resp_valid) {
		b->first = (b->first + 1) % UNDER_WAY;
		b->count--;
	}
	if (b->out.req_valid && b->in.req_ready)
		take_request(b);
	use_file(b);
	b->in.start = false;
	b->cycle++;
}

/* What it shall leave. */
static void expect(struct bench *b)
{
	const struct switch_in *in = &b->in;

	for (unsigned w = 0; w < WARPS; w++)
		for (unsigned r = 0; r < ROWS; r++) {
			line *kept = b->want_memory.row[in->save_sm][w];

			if (r >= in->regs && r < FL_REGS)
				continue;
			if (in->save && in->save_warps >> w & 1)
				memcpy(kept[r], b->want_file.row[w][r],
				       sizeof(line));
		}
	for (unsigned w = 0; w < WARPS; w++)
		for (unsigned r = 0; r < ROWS; r++) {
			line *kept = b->want_memory.row[in->load_sm][w];

			if (r >= in->regs && r < FL_REGS)
				continue;
			if (in->load && in->load_warps >> w & 1)
				memcpy(b->want_file.row[w][r], kept[r],
				       sizeof(line));
		}
}

static uint32_t some_warps(void)
{
	switch (random_bits() % 4) {
	case 0:
		return ~0u;
	case 1:
		return 1u << random_bits() % WARPS;
	default:
		return random_bits() & random_bits();
	}
}

static void choose(struct bench *b)
{
	b->in.regs = (uint8_t)(random_bits() % (FL_REGS + 1));
	b->in.save = random_bits() % 3 != 0;
	b->in.load = !b->in.save || random_bits() % 2;
	b->in.save_sm = random_bits() % SMS;
	b->in.load_sm = random_bits() % SMS;
	b->in.save_warps = some_warps();
	b->in.load_warps = some_warps();
}

/* The exchange that b->in says. The warps and multiprocessors are looked at only in its first
 * cycle. */
static void exchange(struct bench *b)
{
	expect(b);
	b->lines = b->cycles = 0;
	b->in.start = true;
	do {
		bench_cycle(b);
		b->in.save_warps = random_bits();
		b->in.load_warps = random_bits();
		b->in.save_sm = random_bits() % SMS;
		b->in.load_sm = random_bits() % SMS;
		OK(++b->cycles < NEVER_ENDS);
	} while (b->cycles < 2 || b->out.busy);
	OK(!b->count);
	OK(!memcmp(&b->file, &b->want_file, sizeof(b->file)));
	OK(!memcmp(&b->memory, &b->want_memory, sizeof(b->memory)));
}

static void fill(void *to, size_t bytes)
{
	uint32_t *words = to;

	for (size_t i = 0; i < bytes / 4; i++)
		words[i] = random_bits();
}

static struct bench *new_bench(void)
{
	struct bench *b = calloc(1, sizeof(*b));

	OK(b);
	fill(&b->file, sizeof(b->file));
	fill(&b->memory, sizeof(b->memory));
	b->want_file = b->file;
	b->want_memory = b->memory;
	b->in.reset = true;
	bench_cycle(b);
	b->in.reset = false;
	return b;
}

TEST(rtl_switch, what_is_saved_and_loaded_changes_and_nothing_else)
{
	struct bench *b = new_bench();
	uint64_t lines = 0;

	for (int i = 0; i < 300; i++) {
		choose(b);
		b->fast = random_bits() % 3 == 0;
		exchange(b);
		lines += b->lines;
	}
	printf("  %u lines\n", (unsigned)lines);
	OK(lines > 10000);
	free(b);
}

TEST(rtl_switch, a_line_moves_in_every_cycle)
{
	struct bench *b = new_bench();

	b->fast = true;
	for (unsigned regs = 0; regs <= FL_REGS; regs++)
		for (int load = 0; load < 2; load++) {
			unsigned lines = 5 * (regs + 1);

			choose(b);
			b->in.regs = (uint8_t)regs;
			b->in.save = !load;
			b->in.load = load;
			b->in.save_warps = b->in.load_warps = 0x80100103;
			exchange(b);
			EQ(lines, b->lines);
			/* Start, the steps from one part to the next, and the time
			 * that a row or a line needs to come. */
			EQ(lines + (load ? 4 + LATENCY : 6), b->cycles);
		}
	free(b);
}

/* A launch that ends early leaves an exchange; another one may have another number of
 * registers, and must not start before it has ended. */
TEST(rtl_switch, it_is_busy_until_the_last_answer_has_come)
{
	struct bench *b = new_bench();

	for (int i = 0; i < 100; i++) {
		choose(b);
		b->in.load = true;
		exchange(b);
		/* Nothing follows it. */
		for (int k = 0; k < 20; k++) {
			bench_cycle(b);
			OK(!b->out.busy && !b->out.req_valid &&
			   !b->out.y_start);
		}
	}
	free(b);
}
