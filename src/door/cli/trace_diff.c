/*
 * heddle trace diff: finds where two traces differ.
 *
 * Work-groups with the same tokens did the same. In the others, what the warps
 * executed is compared instruction by instruction.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/commands.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"
#include "door/cli/trace.h"
#include "replay/walk.h"

enum { MAX_WARPS = 1024 / LANES };

/* What a warp executed: a hash for each instruction. */
struct warp_steps {
	uint64_t *at;
	size_t count, room;
	size_t next; /* position in the other trace */
	size_t differ, first;
};

struct diff_side {
	const char *path;
	struct trace *t;
	struct walker *walker;
};

struct diff_spot {
	uint32_t launch, warp;
	uint64_t block;
	size_t step;
	bool found;
};

struct diff {
	struct diff_side side[2];
	struct warp_steps warp[MAX_WARPS];
	bool same_code; /* both launches have the same module */
	bool no_memory;
	/* The differences. */
	struct found {
		uint64_t differ;
		uint32_t first;
	} modules, copies, launches;
	uint64_t compared, blocks, steps; /* blocks, steps: different ones */
	struct diff_spot spot;            /* the first */
};

static void diff_note(struct found *f, uint32_t number)
{
	if (!f->differ++)
		f->first = number;
}

static uint64_t diff_hash(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Hashes lanes, addresses and the instruction: its place if the code is the
 * same, else its opcode. */
static uint64_t step_number(const struct diff *f, const struct step *wi)
{
	struct access access[STEP_ACCESSES];
	unsigned n = step_accesses(wi, access);
	uint64_t h = diff_hash(0, wi->in->op);

	if (f->same_code)
		h = diff_hash(diff_hash(h, wi->code->func->index),
			      wi->in->index);
	h = diff_hash(h, wi->mask);
	for (unsigned i = 0; i < n; i++) {
		const struct access *a = &access[i];

		h = diff_hash(diff_hash(h, a->mask),
			      (uint64_t)a->bytes << 8 |
				      (uint64_t)a->space << 1 | a->write);
		for (unsigned l = 0; l < LANES; l++)
			if (a->mask >> l & 1)
				h = diff_hash(h, a->addr[l]);
	}
	return h;
}

static void keep_step(void *ctx, unsigned worker, const struct step *wi)
{
	struct diff *f = ctx;
	struct warp_steps *s = &f->warp[wi->warp];

	(void)worker;
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 1024;
		uint64_t *at = realloc(s->at, room * sizeof(*at));

		if (!at) {
			f->no_memory = true;
			return;
		}
		s->at = at;
		s->room = room;
	}
	s->at[s->count++] = step_number(f, wi);
}

static void step_differs(struct warp_steps *s, size_t step)
{
	if (!s->differ++)
		s->first = step;
}

static void compare_step(void *ctx, unsigned worker, const struct step *wi)
{
	struct diff *f = ctx;
	struct warp_steps *s = &f->warp[wi->warp];
	size_t n = s->next++;

	(void)worker;
	if (n >= s->count || s->at[n] != step_number(f, wi))
		step_differs(s, n);
}

/* Adds up the warps of a block. */
static void diff_sum_block(struct diff *f, uint32_t launch, uint64_t block)
{
	uint64_t before = f->steps;

	for (uint32_t w = 0; w < MAX_WARPS; w++) {
		struct warp_steps *s = &f->warp[w];

		for (; s->next < s->count; s->next++)
			step_differs(s, s->next);
		f->steps += s->differ;
		if (s->differ && !f->spot.found)
			f->spot = (struct diff_spot){ .launch = launch,
						      .block = block,
						      .warp = w,
						      .step = s->first,
						      .found = true };
	}
	f->blocks += f->steps > before;
}

static enum err diff_walk_block(struct diff *f, uint32_t launch, uint64_t block,
				struct diag *d)
{
	enum err e;

	for (uint32_t w = 0; w < MAX_WARPS; w++)
		f->warp[w] = (struct warp_steps){ .at = f->warp[w].at,
						  .room = f->warp[w].room };
	e = walker_block(f->side[0].walker, launch, block, keep_step, f, d);
	if (!e)
		e = walker_block(f->side[1].walker, launch, block, compare_step,
				 f, d);
	if (!e && f->no_memory)
		e = fail(d, ERR_NOMEM, "out of memory");
	if (!e)
		diff_sum_block(f, launch, block);
	return e;
}

static bool same_tokens(const struct trace_block *a,
			const struct trace_block *b)
{
	if (a->warp_instructions != b->warp_instructions ||
	    a->stream_count != b->stream_count)
		return false;
	for (uint32_t i = 0; i < a->stream_count; i++) {
		const struct trace_stream *x = &a->streams[i];
		const struct trace_stream *y = &b->streams[i];

		if (x->warp != y->warp || x->lane != y->lane ||
		    x->size != y->size || memcmp(x->bytes, y->bytes, x->size))
			return false;
	}
	return true;
}

static enum err compare_block(struct diff *f, uint32_t launch, uint64_t block,
			      struct diag *d)
{
	struct trace_block_view a, b;
	bool same;
	enum err e = trace_block_read(f->side[0].t, launch, block, &a, d);

	if (e)
		return e;
	e = trace_block_read(f->side[1].t, launch, block, &b, d);
	if (!e) {
		same = f->same_code && same_tokens(&a.block, &b.block);
		trace_block_drop(f->side[1].t, &b);
		f->compared++;
		if (!same)
			e = diff_walk_block(f, launch, block, d);
	}
	trace_block_drop(f->side[0].t, &a);
	return e;
}

/* Notes a block that only one trace has. */
static void diff_block_alone(struct diff *f, uint32_t launch, uint64_t block)
{
	f->blocks++;
	if (!f->spot.found)
		f->spot = (struct diff_spot){ .launch = launch,
					      .block = block,
					      .found = true };
}

static bool same_launch(const struct trace_launch *a,
			const struct trace_launch *b)
{
	return !strcmp(a->kernel, b->kernel) &&
	       !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block)) &&
	       a->dynamic_shared == b->dynamic_shared &&
	       a->cooperative == b->cooperative && a->stream == b->stream &&
	       a->device == b->device && a->group == b->group &&
	       a->param_bytes == b->param_bytes &&
	       !memcmp(a->params, b->params, a->param_bytes);
}

static bool same_shape(const struct trace_launch *a,
		       const struct trace_launch *b)
{
	return !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block));
}

static enum err same_module(struct diff *f, uint32_t a, uint32_t b, bool *same,
			    struct diag *d)
{
	char *x, *y;
	size_t n, m;
	enum err e = trace_module_text(f->side[0].t, a, &x, &n, d);

	if (e)
		return e;
	e = trace_module_text(f->side[1].t, b, &y, &m, d);
	if (!e) {
		*same = n == m && !memcmp(x, y, n);
		free(y);
	}
	free(x);
	return e;
}

/* The next block that either trace has. */
static bool diff_next_block(const struct diff *f, uint32_t launch,
			    uint64_t from, uint64_t *index)
{
	uint64_t a, b;
	bool x = trace_next_block(f->side[0].t, launch, from, &a);
	bool y = trace_next_block(f->side[1].t, launch, from, &b);

	if (x || y)
		*index = !y || (x && a < b) ? a : b;
	return x || y;
}

static enum err compare_launch(struct diff *f, uint32_t number, struct diag *d)
{
	const struct trace_launch_record *a =
		trace_get_launch(f->side[0].t, number);
	const struct trace_launch_record *b =
		trace_get_launch(f->side[1].t, number);
	enum err e;

	if (!a || !b || !same_launch(&a->launch, &b->launch))
		diff_note(&f->launches, number);
	if (!a || !b || !same_shape(&a->launch, &b->launch))
		return ERR_OK;
	e = same_module(f, a->launch.module, b->launch.module, &f->same_code,
			d);
	for (uint64_t i = 0;
	     !e && !interrupted() && diff_next_block(f, number, i, &i); i++) {
		bool x = trace_has_block(f->side[0].t, number, i);
		bool y = trace_has_block(f->side[1].t, number, i);

		if (x && y)
			e = compare_block(f, number, i, d);
		else
			diff_block_alone(f, number, i);
	}
	return e;
}

static bool same_copy(const struct trace_copy *a, const struct trace_copy *b)
{
	return a && b && a->kind == b->kind && a->device == b->device &&
	       a->stream == b->stream && a->at == b->at &&
	       a->bytes == b->bytes && a->from == b->from &&
	       a->value == b->value;
}

/* One more than the largest number of an item of that kind. */
static uint32_t item_count_of(const struct trace *t, enum trace_item_kind kind)
{
	uint32_t n = 0;

	for (size_t i = 0; i < trace_item_count(t); i++)
		if (trace_item(t, i).kind == kind)
			n = trace_item(t, i).number + 1;
	return n;
}

static uint32_t diff_item_count(const struct diff *f, enum trace_item_kind kind)
{
	uint32_t a = item_count_of(f->side[0].t, kind);
	uint32_t b = item_count_of(f->side[1].t, kind);

	return a > b ? a : b;
}

static enum err diff_compare(struct diff *f, struct diag *d)
{
	enum err e = ERR_OK;
	uint32_t n = diff_item_count(f, TRACE_MODULE);

	for (uint32_t i = 0; !e && i < n; i++) {
		bool same = false;

		if (trace_module_name(f->side[0].t, i) &&
		    trace_module_name(f->side[1].t, i))
			e = same_module(f, i, i, &same, d);
		if (!same)
			diff_note(&f->modules, i);
	}
	n = diff_item_count(f, TRACE_COPY);
	for (uint32_t i = 0; i < n; i++)
		if (!same_copy(trace_get_copy(f->side[0].t, i),
			       trace_get_copy(f->side[1].t, i)))
			diff_note(&f->copies, i);
	n = diff_item_count(f, TRACE_LAUNCH);
	for (uint32_t i = 0; !e && i < n && !interrupted(); i++)
		e = compare_launch(f, i, d);
	return e;
}

/* The instruction that a trace executed at the spot. */
struct moment {
	const struct diff_spot *spot;
	size_t step;
	bool printed;
};

static void print_moment(void *ctx, unsigned worker, const struct step *wi)
{
	struct moment *m = ctx;

	(void)worker;
	if (wi->warp != m->spot->warp || m->step++ != m->spot->step)
		return;
	trace_print_inst(stdout, wi);
	m->printed = true;
}

static enum err print_side(struct diff *f, int i, struct diag *d)
{
	const struct diff_side *s = &f->side[i];
	struct moment m = { .spot = &f->spot };
	enum err e;

	printf("%s:\n", s->path);
	if (!trace_has_block(s->t, f->spot.launch, f->spot.block)) {
		puts("          this work-group is not in the file");
		return ERR_OK;
	}
	e = walker_block(s->walker, f->spot.launch, f->spot.block, print_moment,
			 &m, d);
	if (!e && !m.printed)
		puts("          the warp has ended");
	return e;
}

static enum err print_spot(struct diff *f, struct diag *d)
{
	const struct diff_spot *s = &f->spot;
	const struct trace_launch *l;
	uint64_t y;
	enum err e;

	if (!s->found)
		return ERR_OK;
	/* Both traces have the launch of the spot. */
	l = &trace_get_launch(f->side[0].t, s->launch)->launch;
	y = s->block / l->grid[0];
	printf("first in launch %" PRIu32 ", block %" PRIu64 ",%" PRIu64
	       ",%" PRIu64 ", warp %" PRIu32 ", its instruction %zu:\n",
	       s->launch, s->block % l->grid[0], y % l->grid[1], y / l->grid[1],
	       s->warp, s->step);
	e = print_side(f, 0, d);
	return e ? e : print_side(f, 1, d);
}

static void diff_print_count(const char *what, uint64_t all, uint64_t differ)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	printf("%-18s %12s compared, %12s differ", what, grouped(a, all),
	       grouped(b, differ));
}

static void print_found(const struct diff *f, const char *what,
			enum trace_item_kind kind, const struct found *found)
{
	diff_print_count(what, diff_item_count(f, kind), found->differ);
	if (found->differ)
		printf(", the first is number %" PRIu32, found->first);
	putchar('\n');
}

static int print_diff(struct diff *f, struct diag *d)
{
	char n[GROUPED_TEXT];
	enum err e;

	print_found(f, "modules", TRACE_MODULE, &f->modules);
	print_found(f, "copies, sets", TRACE_COPY, &f->copies);
	print_found(f, "launches", TRACE_LAUNCH, &f->launches);
	diff_print_count("work-groups", f->compared, f->blocks);
	if (f->steps)
		printf("\n%-18s %12s %10s %12s differ", "warp-instructions", "",
		       "", grouped(n, f->steps));
	putchar('\n');
	e = print_spot(f, d);
	if (e) {
		say_error("%s", d->text);
		return EXIT_INPUT;
	}
	return f->modules.differ || f->copies.differ || f->launches.differ ||
			       f->blocks ?
		       EXIT_DIFFERS :
		       EXIT_OK;
}

static bool open_sides(struct diff *f, const struct words *files)
{
	struct diag d;

	for (int i = 0; i < 2; i++) {
		struct diff_side *s = &f->side[i];

		s->path = files->at[i];
		if (!trace_begin(&s->t, s->path))
			return false;
		trace_warn(s->t, s->path);
		if (walker_new(&s->walker, s->t, &d)) {
			say_error("%s", d.text);
			return false;
		}
	}
	return true;
}

static int diff_traces(const struct words *files)
{
	struct diff *f = calloc(1, sizeof(*f));
	int code = EXIT_INPUT;
	struct diag d;

	if (!f) {
		say_error("out of memory");
		return EXIT_INPUT;
	}
	if (open_sides(f, files)) {
		if (diff_compare(f, &d))
			say_error("%s", d.text);
		else if (interrupted())
			code = interrupt_exit();
		else
			code = print_diff(f, &d);
	}
	for (int i = 0; i < 2; i++) {
		walker_free(f->side[i].walker);
		trace_close(f->side[i].t);
	}
	for (int w = 0; w < MAX_WARPS; w++)
		free(f->warp[w].at);
	free(f);
	return code;
}

static int diff_main(int argc, char **argv)
{
	struct words files = { 0 };
	int code = trace_parse(&cmd_trace_diff, NULL, argc, argv, &files, 2);

	if (code < 0)
		code = diff_traces(&files);
	words_free(&files);
	return code;
}

const struct command cmd_trace_diff = {
	.name = "trace diff",
	.summary = "Show where two traces differ",
	.usage = "TRACE TRACE",
	.details = "Compares modules, copies and launches in their order, and "
		   "work-groups by what\ntheir warps executed: instructions, "
		   "lanes, addresses. The recording program and\nGPU are not "
		   "compared. Exit code 4: the traces differ.\n",
	.run = diff_main,
};
