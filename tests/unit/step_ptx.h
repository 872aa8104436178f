/*
 * Runs a kernel one instruction of one warp at a time, as a timing model does,
 * with warps in a random order, on SMs that each have a view of memory.
 *
 * A warp with an atomic in flight waits until it is performed. Epochs end at
 * random. An atomic is in flight for longer than an epoch: it is performed at
 * the end of the epoch after the one in which it was issued. The PTX text is as
 * in run_ptx.h.
 */
#ifndef HEDDLE_TESTS_UNIT_STEP_PTX_H
#define HEDDLE_TESTS_UNIT_STEP_PTX_H

#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "api/device.h"
#include "simt/block.h"
#include "simt/view.h"

#include "run_ptx.h"

enum {
	SMS = 3,
	BLOCKS_MOST = 16,
	WARPS_MOST = 32, /* of a block */
	LOG_ROOM = 4096,
	EPOCH_LENGTH = 600
};

struct stepper {
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct arena arena;
	struct launch launch;
	struct worker *worker[SMS];
	struct view *view[SMS];
	struct block *block[BLOCKS_MOST];
	struct atomic *waits[BLOCKS_MOST][WARPS_MOST];
	uint64_t since[BLOCKS_MOST][WARPS_MOST]; /* cycle that made it */
	const struct view_entry **scratch;
	_Alignas(64) uint64_t param;
	union {
		char *out; /* the output, in the host's memory */
		uint32_t *w;
	};
	uint64_t now, epoch; /* epoch: when it began */
	uint32_t seed;
};

static inline uint32_t step_random(struct stepper *s)
{
	s->seed = s->seed * 1664525u + 1013904223u;
	return s->seed >> 8;
}

static inline struct worker *step_worker(struct stepper *s, uint64_t block)
{
	return s->worker[block % SMS];
}

/* timed: with views; else every SM works on memory itself. */
static inline void step_open(struct stepper *s, const struct run *r,
			     const char *text, uint32_t seed, bool timed)
{
	struct diag d;
	void *host;

	memset(s, 0, sizeof(*s));
	s->seed = seed;
	EQ(0, heddle_device_new(&s->dev, &r->options, NULL));
	EQ(0,
	   heddle_module_load(s->dev, &s->mod, "t", text, strlen(text), NULL));
	EQ(0, heddle_alloc(s->dev, OUT_BYTES, &s->param, NULL));
	EQ(0, heddle_write(s->dev, s->param, r->b, OUT_BYTES, NULL));
	EQ(ERR_OK, gmem_host(&s->dev->gmem, s->param, OUT_BYTES, &host, &d));
	s->out = host;
	s->launch = (struct launch){
		.machine = &s->dev->machine,
		.program = s->mod->program,
		.kernel = program_find(s->mod->program, "k")->code,
		.grid = { r->grid.x ? r->grid.x : 1, 1, 1 },
		.block = { r->block.x ? r->block.x : 32, 1, 1 },
		.dynamic_shared = r->shared,
		.shared_bytes =
			s->mod->program->shared_static + (uint32_t)r->shared,
		.params = &s->param,
		.param_bytes = sizeof(s->param),
		.id = 1,
	};
	EQ(ERR_OK, launch_begin(&s->launch, &d));
	OK(s->launch.block_count <= BLOCKS_MOST);
	s->scratch = calloc(SMS * LOG_ROOM, sizeof(*s->scratch));
	for (uint32_t i = 0; i < SMS; i++) {
		s->worker[i] = worker_new(&s->launch, (int)i);
		EQ(ERR_OK, view_new(&s->view[i], &s->arena, LOG_ROOM, 64, &d));
		if (timed)
			worker_set_view(s->worker[i], s->view[i]);
		s->worker[i]->clock_mhz = 2000;
		s->worker[i]->smid = 10 + i;
	}
	for (uint64_t i = 0; i < s->launch.block_count; i++)
		s->block[i] = worker_block(step_worker(s, i), i);
}

static inline enum err step_close(struct stepper *s)
{
	struct diag d;
	enum err e;

	for (uint64_t i = 0; i < s->launch.block_count; i++)
		worker_retire(step_worker(s, i), s->block[i]);
	for (uint32_t i = 0; i < SMS; i++)
		worker_free(s->worker[i]);
	e = launch_end(&s->launch, &d);
	launch_clear(&s->launch);
	arena_free(&s->arena);
	free(s->scratch);
	heddle_module_free(s->dev, s->mod);
	heddle_device_free(s->dev);
	return e;
}

static inline void step_end_epoch(struct stepper *s)
{
	for (uint64_t b = 0; b < s->launch.block_count; b++)
		for (uint32_t i = 0; i < s->block[b]->warp_count; i++) {
			struct atomic **a = &s->waits[b][i];

			if (!*a || s->since[b][i] >= s->epoch)
				continue;
			/* slices answer in parts */
			atomic_perform(*a, 0x0000ffffu);
			atomic_perform(*a, 0xffff0000u);
			atomic_finish(step_worker(s, b)->view, *a);
			*a = NULL;
		}
	for (unsigned i = 0; i < VIEW_BUCKETS; i++)
		view_apply(s->view, SMS, i, s->epoch, EPOCH_LENGTH, s->scratch);
	for (uint32_t i = 0; i < SMS; i++)
		view_clear(s->view[i]);
	s->epoch = ++s->now;
}

/* Executes one instruction of the warp, if it has one. */
static inline bool step_warp(struct stepper *s, uint64_t b, uint32_t i)
{
	struct warp *w = &s->block[b]->warps[i];
	struct worker *wk = step_worker(s, b);
	const struct inst *in;

	if (s->waits[b][i] || !(in = warp_next(w)))
		return false;
	EQ(in, warp_next(w));
	s->view[b % SMS]->now = ++s->now;
	warp_step(w);
	if (wk->view) {
		s->waits[b][i] = wk->effect.atomic;
		s->since[b][i] = s->now;
		wk->effect.atomic = NULL;
	}
	return true;
}

/* Executes one instruction of any warp. False: no warp can continue. */
static inline bool step_any(struct stepper *s)
{
	uint32_t warps = s->launch.warps_per_block;
	uint32_t all = (uint32_t)s->launch.block_count * warps;
	uint32_t from = step_random(s) % all;

	for (uint32_t i = 0; i < all; i++) {
		uint32_t k = (from + i) % all;

		if (step_warp(s, k / warps, k % warps))
			return true;
	}
	return false;
}

static inline bool step_waits(const struct stepper *s)
{
	for (int b = 0; b < BLOCKS_MOST; b++)
		for (int i = 0; i < WARPS_MOST; i++)
			if (s->waits[b][i])
				return true;
	return false;
}

/* Handles blocks of which no warp can continue. False: all are done. */
static inline bool step_unblock(struct stepper *s)
{
	bool any = false;

	for (uint64_t b = 0; b < s->launch.block_count; b++) {
		struct block *k = s->block[b];
		bool done = true;

		for (uint32_t i = 0; i < k->warp_count; i++)
			done &= warp_done(&k->warps[i]);
		if (done)
			continue;
		any = true;
		if (!block_unblock(k))
			block_deadlock(k);
	}
	return any;
}

/* Runs to the end of the launch. */
static inline void step_all(struct stepper *s)
{
	while (!atomic_load(&s->launch.ended)) {
		if (s->now - s->epoch >= EPOCH_LENGTH - 1 ||
		    step_random(s) % 64 == 0)
			step_end_epoch(s);
		if (step_any(s))
			continue;
		if (step_waits(s))
			step_end_epoch(s);
		else if (!step_unblock(s))
			break;
	}
	step_end_epoch(s);
}

#endif
