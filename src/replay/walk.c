#include "replay/walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "replay/tape.h"
#include "simt/block.h"
#include "simt/tex.h"

struct walker_program {
	uint32_t number;
	struct program *program;
	struct walker_program *next;
};

struct walker {
	struct trace *trace;
	struct gmem gmem; /* where modules place their variables */
	struct tex_table textures;
	struct machine machine;
	struct walker_program *programs;
};

enum { TURN = 1 << 14, THREADS_MAX = 1024, SIDE_MAX = 65535 };

enum err walker_new(struct walker **out, struct trace *t, struct diag *d)
{
	const struct trace_info *info = trace_get_info(t);
	struct walker *k = calloc(1, sizeof(*k));

	if (!k)
		return fail(d, ERR_NOMEM, "out of memory");
	k->trace = t;
	gmem_init(&k->gmem, GMEM_BASE_64, GMEM_SPAN_64);
	tex_table_init(&k->textures);
	k->machine = (struct machine){ .gmem = &k->gmem,
				       .textures = &k->textures,
				       .threads = 1,
				       /* 0 in a damaged file */
				       .sm_count = info->sm_count ?
							   info->sm_count :
							   1,
				       .sm = info->sm,
				       .max_steps = UINT64_MAX,
				       .independent = info->independent != 0 };
	*out = k;
	return ERR_OK;
}

void walker_free(struct walker *k)
{
	if (!k)
		return;
	while (k->programs) {
		struct walker_program *p = k->programs;

		k->programs = p->next;
		p->program->isa->unload(p->program);
		free(p);
	}
	tex_table_free(&k->textures);
	gmem_free_all(&k->gmem);
	free(k);
}

static enum err walk_load_program(struct walker *k, uint32_t number,
				  struct program **out, struct diag *d)
{
	const char *name = trace_module_name(k->trace, number);
	const struct isa *isa;
	size_t bytes;
	char *text;
	enum err e = trace_module_text(k->trace, number, &text, &bytes, d);

	if (e)
		return e;
	isa = isa_of(text, bytes);
	e = isa ? isa->load(out, name, text, bytes, NULL, &k->gmem, d) :
		  fail(d, ERR_UNSUPP, "%s: unknown instruction set", name);
	free(text);
	if (!e && isa->waves) {
		isa->unload(*out);
		return fail(d, ERR_UNSUPP,
			    "%s: wavefronts of AMD's machine code are replayed "
			    "with --gpu, but not shown",
			    name);
	}
	if (!e && program_replay(*out, k->trace, d)) {
		isa->unload(*out);
		return d->code;
	}
	return e;
}

static enum err find_program(struct walker *k, uint32_t number,
			     struct program **out, struct diag *d)
{
	struct walker_program *p;
	enum err e;

	for (p = k->programs; p; p = p->next)
		if (p->number == number) {
			*out = p->program;
			return ERR_OK;
		}
	p = calloc(1, sizeof(*p));
	if (!p)
		return fail(d, ERR_NOMEM, "out of memory");
	e = walk_load_program(k, number, &p->program, d);
	if (e) {
		free(p);
		return e;
	}
	p->number = number;
	p->next = k->programs;
	k->programs = p;
	*out = p->program;
	return ERR_OK;
}

enum err walker_load(struct walker *k, uint32_t launch, struct diag *d)
{
	const struct trace_launch_record *r =
		trace_get_launch(k->trace, launch);
	struct program *p;

	if (!r)
		return fail(d, ERR_RANGE, "the trace has no launch %u", launch);
	return find_program(k, r->launch.module, &p, d);
}

/* The file may be damaged. */
static enum err walk_check_shape(const struct trace_launch *l, uint64_t block,
				 struct diag *d)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

	if (!threads || threads > THREADS_MAX || l->block[1] > THREADS_MAX ||
	    l->block[2] > THREADS_MAX || l->grid[1] > SIDE_MAX ||
	    l->grid[2] > SIDE_MAX)
		return fail(d, ERR_RANGE,
			    "blocks of %u x %u x %u threads, %u x %u x %u of "
			    "them: not a valid launch",
			    l->block[0], l->block[1], l->block[2], l->grid[0],
			    l->grid[1], l->grid[2]);
	if (block >= blocks)
		return fail(d, ERR_RANGE,
			    "block %" PRIu64 ": the grid has %" PRIu64, block,
			    blocks);
	if (l->local_bytes > WINDOW_BYTES || l->local_bytes % 16)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes of local memory: at most %u",
			    l->local_bytes, WINDOW_BYTES);
	return ERR_OK;
}

static enum err walk_find_kernel(const struct program *p, const char *name,
				 const struct code **out, struct diag *d)
{
	const struct function *f = program_find(p, name);

	*out = f && f->is_kernel ? f->code : NULL;
	if (*out)
		return ERR_OK;
	return fail(d, ERR_UNKNOWN, "%s has no kernel named '%s'", p->name,
		    name);
}

static enum err walk_one_block(struct launch *l, uint64_t index, struct diag *d)
{
	struct worker *wk;
	struct block *b;
	enum err e, end;

	e = launch_begin(l, d);
	wk = e ? NULL : worker_new(l, 0);
	if (!wk) {
		end = launch_end(l, d);
		return fail(d, e ? e : end ? end : ERR_NOMEM, "out of memory");
	}
	wk->turn = TURN;
	b = worker_block(wk, index);
	while (!atomic_load(&l->ended) && block_run(b, TURN) == BLOCK_PARKED)
		;
	worker_retire(wk, b);
	worker_free(wk);
	e = launch_end(l, d);
	if (e && l->fault.text[0])
		return fail(d, e, "%s: %s", fault_text(l->fault.kind),
			    l->fault.text);
	return e;
}

enum err walker_block(struct walker *k, uint32_t launch, uint64_t block,
		      step_fn *watch, void *ctx, struct diag *d)
{
	const struct trace_launch_record *r =
		trace_get_launch(k->trace, launch);
	struct program *p = NULL;
	struct replaying replaying;
	struct launch l = { .machine = &k->machine,
			    .watch = watch,
			    .watch_ctx = ctx,
			    .hooks = &replaying.hooks };
	enum err e;

	if (!r)
		return fail(d, ERR_RANGE, "the trace has no launch %u", launch);
	e = walk_check_shape(&r->launch, block, d);
	if (!e)
		e = find_program(k, r->launch.module, &p, d);
	if (!e)
		e = walk_find_kernel(p, r->launch.kernel, &l.kernel, d);
	if (!e && r->launch.dynamic_shared >
			  WINDOW_BYTES - program_shared_start(l.kernel->func))
		e = fail(d, ERR_RANGE,
			 "%" PRIu64 " bytes of dynamic shared memory",
			 r->launch.dynamic_shared);
	if (e)
		return e;
	l.program = p;
	memcpy(l.grid, r->launch.grid, sizeof(l.grid));
	memcpy(l.block, r->launch.block, sizeof(l.block));
	l.dynamic_shared = r->launch.dynamic_shared;
	l.shared_bytes = (uint32_t)program_shared_bytes(l.kernel->func,
							l.dynamic_shared);
	k->machine.local_bytes = r->launch.local_bytes;
	if (l.kernel->local_bytes > k->machine.local_bytes)
		return fail(d, ERR_RANGE,
			    "'%s' needs more local memory than was recorded",
			    r->launch.kernel);
	replaying_start(&replaying, k->trace, launch);
	return walk_one_block(&l, block, d);
}
