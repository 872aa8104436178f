#include "func/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "func/block.h"
#include "func/tex.h"

/* Instructions before a block makes room for another on its thread, and how
 * many blocks a thread holds suspended at most. */
enum { BLOCK_TURN = 1 << 20, PARKED_MOST = 4096 };

const struct tex_table *warp_textures(const struct warp *w)
{
	return w->block->launch->machine->textures;
}

static void keep_text(struct launch *l, struct block *b)
{
	struct launch_text *t;

	if (!b->text_size)
		return;
	t = malloc(sizeof(*t));
	if (!t)
		return; /* printing is not worth a crash */
	*t = (struct launch_text){ b->index, b->text, b->text_size, NULL };
	b->text = NULL;
	b->text_size = b->text_room = 0;
	pthread_mutex_lock(&l->lock);
	t->next = l->texts;
	l->texts = t;
	pthread_mutex_unlock(&l->lock);
}

void worker_retire(struct worker *wk, struct block *b)
{
	struct launch *l = wk->launch;
	uint64_t steps = 0, lanes = 0;
	bool done = true;

	for (uint32_t i = 0; i < b->warp_count; i++) {
		steps += b->warps[i].steps;
		lanes += b->warps[i].lane_steps;
		done &= warp_done(&b->warps[i]);
	}
	atomic_fetch_add_explicit(&l->steps, steps, memory_order_relaxed);
	atomic_fetch_add_explicit(&l->lane_steps, lanes, memory_order_relaxed);
	atomic_fetch_add_explicit(&l->blocks_done, done ? 1 : 0,
				  memory_order_relaxed);
	keep_text(l, b);
	b->next = wk->free_blocks;
	wk->free_blocks = b;
}

static void park(struct worker *wk, struct block *b)
{
	b->next = NULL;
	if (wk->parked_last)
		wk->parked_last->next = b;
	else
		wk->parked = b;
	wk->parked_last = b;
	wk->parked_count++;
}

static struct block *unpark(struct worker *wk)
{
	struct block *b = wk->parked;

	if (b) {
		wk->parked = b->next;
		if (!wk->parked)
			wk->parked_last = NULL;
		wk->parked_count--;
	}
	return b;
}

struct block *worker_block(struct worker *wk, uint64_t index)
{
	struct block *b = wk->free_blocks;

	if (b)
		wk->free_blocks = b->next;
	else
		b = block_new(wk);
	CHECK(b);
	block_start(b, index);
	return b;
}

static struct block *fresh(struct worker *wk)
{
	struct launch *l = wk->launch;
	uint64_t index;

	if (wk->parked_count >= PARKED_MOST)
		return NULL;
	index = atomic_fetch_add_explicit(&l->next_block, 1,
					  memory_order_relaxed);
	return index < l->block_count ? worker_block(wk, index) : NULL;
}

static void report(struct launch *l, double *next)
{
	double t;

	if (!l->progress)
		return;
	t = clock_seconds();
	if (t < *next)
		return;
	*next = t + 0.1;
	l->progress(l->ctx, atomic_load(&l->blocks_done), l->block_count,
		    atomic_load(&l->steps));
}

static void *work(void *arg)
{
	struct worker *wk = arg;
	struct launch *l = wk->launch;
	double next = clock_seconds() + 0.1;
	struct block *b;

	while ((b = fresh(wk)) || (b = unpark(wk))) {
		switch (block_run(b, BLOCK_TURN)) {
		case BLOCK_DONE:
			worker_retire(wk, b);
			break;
		case BLOCK_PARKED:
			park(wk, b);
			break;
		case BLOCK_FAULT:
			worker_retire(wk, b);
			return NULL;
		}
		if (wk->index == 0)
			report(l, &next);
		if (atomic_load_explicit(&l->machine->stop,
					 memory_order_relaxed))
			atomic_store(&l->ended, true);
		if (atomic_load_explicit(&l->ended, memory_order_relaxed))
			return NULL;
	}
	return NULL;
}

struct worker *worker_new(struct launch *l, int index)
{
	struct worker *wk = calloc(1, sizeof(*wk));

	if (!wk)
		return NULL;
	wk->launch = l;
	wk->index = index;
	wk->free_frames =
		calloc(l->program->module->func_count, sizeof(struct frame *));
	if (!wk->free_frames) {
		free(wk);
		return NULL;
	}
	return wk;
}

void worker_free(struct worker *wk)
{
	struct block *b;

	if (!wk)
		return;
	while ((b = unpark(wk)))
		worker_retire(wk, b);
	while ((b = wk->free_blocks)) {
		wk->free_blocks = b->next;
		block_free(b);
	}
	while (wk->all_frames) {
		struct frame *f = wk->all_frames;

		wk->all_frames = f->next_all;
		free(f);
	}
	free(wk->free_frames);
	free(wk);
}

/* The calling thread is worker 0; the others are started beside it. */
static void run_workers(struct worker **workers, uint32_t n)
{
	uint32_t started = 1;

	for (; started < n; started++)
		if (pthread_create(&workers[started]->thread, NULL, work,
				   workers[started]))
			break; /* fewer threads give the same results */
	work(workers[0]);
	for (uint32_t i = 1; i < started; i++)
		pthread_join(workers[i]->thread, NULL);
}

void launch_begin(struct launch *l)
{
	l->block_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	l->warps_per_block =
		(l->block[0] * l->block[1] * l->block[2] + LANES - 1) / LANES;
	l->independent = l->machine->independent;
	pthread_mutex_init(&l->lock, NULL);
}

enum err launch_end(struct launch *l, struct diag *d)
{
	pthread_mutex_destroy(&l->lock);
	if (!atomic_load(&l->ended))
		return ERR_OK;
	if (l->fault.kind == FAULT_NONE)
		l->fault.kind = FAULT_STOPPED;
	return fail(d, ERR_FAULT, "%s", fault_text(l->fault.kind));
}

enum err launch_run(struct launch *l, struct diag *d)
{
	uint32_t n = l->machine->threads;
	struct worker **workers;
	bool ok;
	enum err e;

	launch_begin(l);
	if (n > l->block_count)
		n = (uint32_t)l->block_count;
	workers = calloc(n, sizeof(struct worker *));
	ok = workers != NULL;
	for (uint32_t i = 0; ok && i < n; i++) {
		workers[i] = worker_new(l, (int)i);
		ok = workers[i] != NULL;
	}
	if (ok)
		run_workers(workers, n);
	for (uint32_t i = 0; workers && i < n; i++)
		worker_free(workers[i]);
	free(workers);
	e = launch_end(l, d);
	if (!ok)
		return fail(d, ERR_NOMEM, "no memory for %u host threads", n);
	return e;
}

static int by_block(const void *a, const void *b)
{
	const struct launch_text *x = *(struct launch_text *const *)a;
	const struct launch_text *y = *(struct launch_text *const *)b;

	return x->block < y->block ? -1 : x->block > y->block;
}

void launch_sort_texts(struct launch *l)
{
	struct launch_text **all, *t, **end = &l->texts;
	size_t n = 0, i = 0;

	for (t = l->texts; t; t = t->next)
		n++;
	all = malloc((n + 1) * sizeof(*all));
	if (!all)
		return;
	for (t = l->texts; t; t = t->next)
		all[i++] = t;
	qsort(all, n, sizeof(*all), by_block);
	for (i = 0; i < n; i++) {
		*end = all[i];
		end = &all[i]->next;
	}
	*end = NULL;
	free(all);
}

void launch_clear(struct launch *l)
{
	while (l->texts) {
		struct launch_text *t = l->texts;

		l->texts = t->next;
		free(t->text);
		free(t);
	}
}
