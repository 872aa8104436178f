/* The blocks of a replay: read when they start. */
#include "accelsim/play.h"

#include <stdlib.h>
#include <string.h>

#include "accelsim/exec.h"
#include "base/minmax.h"

/* Ends the launch. */
static void play_misfit(struct block *b, const char *why)
{
	warp_fault(&b->warps[0], NULL, FAULT_TRACE, b->warps[0].active, 0,
		   "block %llu: %s", (unsigned long long)b->index, why);
}

static struct asim_held *take_ahead(struct asim_play *p, uint64_t index)
{
	for (struct asim_held **at = &p->ahead; *at; at = &(*at)->next) {
		struct asim_held *h = *at;

		if (h->block.index != index)
			continue;
		*at = h->next;
		return h;
	}
	return NULL;
}

static struct asim_held *spare_block(struct asim_play *p)
{
	struct asim_held *h = p->spare;

	if (!h)
		return calloc(1, sizeof(*h));
	p->spare = h->next;
	return h;
}

/* Reads on until a block; those before it are kept, for threads that are late. */
static struct asim_held *read_until(struct asim_play *p, uint64_t index,
				    struct diag *d)
{
	for (;;) {
		struct asim_held *h = spare_block(p);
		bool found = false;
		enum err e;

		if (!h) {
			fail(d, ERR_NOMEM, "out of memory");
			return NULL;
		}
		e = asim_read_block(&h->block, p->code, p->source, &found, d);
		if (!e && !found)
			e = fail(d, ERR_SYNTAX,
				 "the file has become shorter since it was "
				 "read first");
		if (!e && h->block.index == index)
			return h;
		h->next = e ? p->spare : p->ahead;
		*(e ? &p->spare : &p->ahead) = h;
		if (e)
			return NULL;
	}
}

/* Where the warps begin; from NULL: at the end. */
static void start_warps(struct block *b, const struct asim_block *from)
{
	uint32_t end = b->launch->kernel->count - 1;

	for (uint32_t i = 0; i < b->warp_count; i++) {
		const struct asim_warp *w = from ? &from->warp[i] : NULL;

		b->warps[i].splits[0].pc =
			w && w->count ? from->record[w->first].inst : end;
	}
}

static void play_start(struct block_hooks *hooks, struct block *b)
{
	struct asim_play *p = (struct asim_play *)(void *)hooks;
	struct asim_tape *t = b->tape;
	struct diag d = { .text = "no memory for the block" };

	if (!t)
		b->tape = t = calloc(1, sizeof(*t));
	if (!t) {
		start_warps(b, NULL);
		play_misfit(b, d.text);
		return;
	}
	memset(t, 0, sizeof(*t));
	pthread_mutex_lock(&p->lock);
	t->held = take_ahead(p, b->index);
	if (!t->held)
		t->held = read_until(p, b->index, &d);
	pthread_mutex_unlock(&p->lock);
	start_warps(b, t->held ? &t->held->block : NULL);
	if (!t->held)
		play_misfit(b, d.text);
}

static void play_end(struct block_hooks *hooks, struct block *b, bool done)
{
	struct asim_play *p = (struct asim_play *)(void *)hooks;
	struct asim_tape *t = b->tape;

	(void)done;
	if (!t || !t->held)
		return;
	pthread_mutex_lock(&p->lock);
	t->held->next = p->spare;
	p->spare = t->held;
	pthread_mutex_unlock(&p->lock);
	t->held = NULL;
}

static void play_drop(struct block *b)
{
	struct asim_tape *t = b->tape;

	if (t && t->held) {
		asim_block_clear(&t->held->block);
		free(t->held);
	}
	free(t);
	b->tape = NULL;
}

/* ---- local memory -------------------------------------------------------- */

static uint64_t local_offset(const struct asim_header *h, uint64_t address)
{
	return address - h->local_base < ASIM_WINDOW ? address - h->local_base :
						       address;
}

/* Stacks grow down from the end of the window: what lies below all accesses is
 * left out. */
static void find_local(struct asim_play *p, const struct program *program)
{
	const struct asim_code *c = p->code;
	const struct inst *insts = program->funcs[0].code->insts;
	uint64_t low = UINT64_MAX, high = 0;

	if (c->local_low <= c->local_high) {
		low = local_offset(&c->header, c->local_low);
		high = local_offset(&c->header, c->local_high);
	}
	for (uint32_t i = 0; i < c->count; i++) {
		const struct asim_inst *in = &c->inst[c->sorted[i]];

		if (insts[i].space != SPACE_LOCAL || !in->high_line)
			continue;
		low = min_u64(low, local_offset(&c->header, in->low));
		high = max_u64(high, local_offset(&c->header, in->high));
	}
	if (low > high)
		return;
	p->local_low = low & ~UINT64_C(15);
	p->local_bytes = (high - p->local_low + 32) & ~UINT64_C(15);
}

/* ---- begin and end ------------------------------------------------------- */

/* No GPU gives a thread more. */
enum { LOCAL_MAX = 512 << 10 };

enum err asim_play_start(struct asim_play *p, struct asim_code *c,
			 const struct program *program, const char *path,
			 struct diag *d)
{
	struct asim_header ignored;
	enum err e;

	*p = (struct asim_play){ .hooks = { .start = play_start,
					    .end = play_end,
					    .drop = play_drop,
					    .peek = asim_peek,
					    .replays = true },
				 .code = c };
	pthread_mutex_init(&p->lock, NULL);
	find_local(p, program);
	if (p->local_bytes > LOCAL_MAX)
		return fail(d, ERR_RANGE,
			    "%s: local memory from 0x%llx on, %llu bytes of a "
			    "thread: at most %d",
			    path, (unsigned long long)p->local_low,
			    (unsigned long long)p->local_bytes, LOCAL_MAX);
	e = asim_source_open(&p->source, path, d);
	return e ? e : asim_read_header(&ignored, p->source, d);
}

static void free_held(struct asim_held *h)
{
	while (h) {
		struct asim_held *next = h->next;

		asim_block_clear(&h->block);
		free(h);
		h = next;
	}
}

void asim_play_end(struct asim_play *p)
{
	if (!p->code)
		return;
	free_held(p->ahead);
	free_held(p->spare);
	asim_source_free(p->source);
	pthread_mutex_destroy(&p->lock);
}
