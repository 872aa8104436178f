/* What a launch and its waves find when they start. */
#include <stdlib.h>
#include <string.h>

#include "isa/gcn/exec.h"
#include "isa/gcn/program.h"

enum { PACKET_BYTES = 64, ALIGN = 64 };

static const struct gcn_kernel *start_kernel_of(const struct launch *l)
{
	const struct function *f = l->kernel->func;

	return &gcn_program_of(l->program)->kernels[f->index];
}

/* Bytes of the arguments, with those that the library fills in. */
static uint32_t argument_bytes(const struct launch *l)
{
	uint32_t own = start_kernel_of(l)->kernarg_bytes;
	uint32_t n = own > l->param_bytes ? own : l->param_bytes;

	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static void start_put(char *to, unsigned at, uint64_t v, unsigned bytes)
{
	memcpy(to + at, &v, bytes);
}

/* The packet that a queue would hold: sizes of work-groups and of the grid. */
static void make_packet(char *to, const struct launch *l)
{
	const struct gcn_kernel *k = start_kernel_of(l);

	start_put(to, 2, launch_dimensions(l), 2);
	for (unsigned i = 0; i < 3; i++) {
		start_put(to, 4 + 2 * i, l->block[i], 2);
		start_put(to, 12 + 4 * i, (uint64_t)l->grid[i] * l->block[i],
			  4);
	}
	start_put(to, 24, k->private_bytes, 4);
	start_put(to, 28, l->shared_bytes, 4);
	start_put(to, 40, WINDOW_PARAM, 8);
}

/* As the OpenCL library reads them: number of dimensions, offsets. */
static void make_hidden(char *to, const struct launch *l)
{
	const struct gcn_kernel *k = start_kernel_of(l);
	uint32_t words[4] = { launch_dimensions(l), l->offset[0], l->offset[1],
			      l->offset[2] };

	if (k->hidden <= k->kernarg_bytes &&
	    sizeof(words) <= k->kernarg_bytes - k->hidden)
		memcpy(to + k->hidden, words, sizeof(words));
}

enum err gcn_begin_launch(struct launch *l, struct diag *d)
{
	uint32_t bytes = argument_bytes(l);
	char *block = aligned_alloc(ALIGN, bytes + PACKET_BYTES);

	if (!block)
		return fail(d, ERR_NOMEM, "out of memory");
	memset(block, 0, bytes + PACKET_BYTES);
	if (l->param_bytes)
		memcpy(block, l->params, l->param_bytes);
	make_hidden(block, l);
	make_packet(block + bytes, l);
	l->state = block;
	l->params = block;
	l->param_bytes = bytes + PACKET_BYTES;
	return ERR_OK;
}

void gcn_end_launch(struct launch *l)
{
	free(l->state);
	l->state = NULL;
	l->params = NULL;
	l->param_bytes = 0;
}

/* ---- waves ------------------------------------------------------------- */

static unsigned start_put_pair(struct wave *w, unsigned at, uint64_t v)
{
	gcn_set_pair(w, at, v);
	return at + 2;
}

/* Words of lanes are interleaved: element size 4, index stride 64, the lane's
 * number is added; 32-bit unsigned integers. */
static unsigned put_scratch(struct wave *w, unsigned at)
{
	uint64_t base = wave_scratch_address(&w->group->waves[0]);

	w->s[at] = (uint32_t)base;
	w->s[at + 1] = (uint32_t)(base >> 32 & 0xffff) | UINT32_C(1) << 31;
	w->s[at + 2] = UINT32_MAX;
	w->s[at + 3] = 4 << 12 | 4 << 15 | 1 << 19 | 3 << 21 | 1 << 23;
	return at + 4;
}

static unsigned put_user(struct wave *w, const struct gcn_kernel *k)
{
	const struct launch *l = w->group->launch;
	unsigned at = 0;

	if (k->starts & GCN_START_PRIVATE)
		at = put_scratch(w, at);
	if (k->starts & GCN_START_DISPATCH)
		at = start_put_pair(
			w, at, WINDOW_PARAM + l->param_bytes - PACKET_BYTES);
	if (k->starts & GCN_START_QUEUE)
		at = start_put_pair(w, at, 0);
	if (k->starts & GCN_START_KERNARG)
		at = start_put_pair(w, at, WINDOW_PARAM);
	if (k->starts & GCN_START_ID)
		at = start_put_pair(w, at, l->id);
	if (k->starts & GCN_START_FLAT)
		at = start_put_pair(w, at, 0);
	if (k->starts & GCN_START_SIZE)
		w->s[at++] = k->private_bytes;
	return at;
}

static void put_scalars(struct wave *w, const struct gcn_kernel *k)
{
	const struct workgroup *g = w->group;
	unsigned at = k->rsrc2 >> 1 & 31, user = put_user(w, k);

	if (at < user)
		at = user;
	for (unsigned i = 0; i < 3; i++)
		if (k->rsrc2 >> (7 + i) & 1)
			w->s[at++] = g->id[i];
	if (k->rsrc2 >> 10 & 1)
		w->s[at++] = g->wave_count;
	if (k->rsrc2 & 1)
		w->s[at++] = (uint32_t)(w->index * g->scratch_bytes);
}

/* From a work-item to the next one of its work-group. */
static void next_item(uint32_t id[3], const uint32_t block[3])
{
	if (++id[0] < block[0])
		return;
	id[0] = 0;
	if (++id[1] < block[1])
		return;
	id[1] = 0;
	id[2]++;
}

static void put_vectors(struct wave *w, const struct gcn_kernel *k)
{
	const struct launch *l = w->group->launch;
	unsigned ids = (k->rsrc2 >> 11 & 3) + 1;

	uint32_t n = w->index * WAVE_LANES;
	uint32_t id[3] = { n % l->block[0], n / l->block[0] % l->block[1],
			   n / l->block[0] / l->block[1] };

	for (unsigned i = 0; i < WAVE_LANES; i++) {
		for (unsigned j = 0; j < ids && j < 3; j++)
			gcn_vector(w, j)[i] = id[j];
		next_item(id, l->block);
	}
}

static uint64_t live_lanes(const struct wave *w)
{
	const struct launch *l = w->group->launch;
	uint32_t all = l->block[0] * l->block[1] * l->block[2];
	uint32_t left = all - w->index * WAVE_LANES;

	return lanes_below(left < WAVE_LANES ? left : WAVE_LANES);
}

void gcn_start_wave(struct wave *w)
{
	const struct launch *l = w->group->launch;
	const struct gcn_program *p = gcn_program_of(l->program);
	const struct gcn_kernel *k = start_kernel_of(l);

	w->pc = p->ops + p->op_at[k->entry / 4];
	w->mode = (k->rsrc1 >> 12 & 0xff) |
		  (k->rsrc1 >> 21 & 1 ? GCN_DX10_CLAMP : 0) |
		  (k->rsrc1 >> 23 & 1 ? GCN_IEEE : 0);
	put_scalars(w, k);
	put_vectors(w, k);
	gcn_set_pair(w, GCN_EXEC, live_lanes(w));
}

enum { LDS_GRANULE = 256 };

void gcn_demand(struct wave_demand *out, const struct launch *l)
{
	const struct gcn_kernel *k = start_kernel_of(l);

	*out = (struct wave_demand){
		.waves = l->warps_per_block,
		.vectors = k->vectors,
		.scalars = k->scalars,
		.lds_bytes = (l->shared_bytes + LDS_GRANULE - 1) / LDS_GRANULE *
			     LDS_GRANULE,
	};
}
