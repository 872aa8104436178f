#include "tests/gcn/harness.h"

#include <pthread.h>
#include <stdlib.h>

#include "arch/isa.h"
#include "simt/program.h"

static struct wave_code code;
static uint32_t op_at[HARNESS_OPS + 1];

static const struct wave_code *code_of(const struct program *p)
{
	(void)p;
	return &code;
}

static void start(struct wave *w)
{
	w->pc = code.ops;
}

static const struct wave_isa waves = { .code = code_of,
				       .start = start,
				       .constants = gcn_constants };
static const struct isa isa = { .name = "one wave",
				.lanes = WAVE_LANES,
				.waves = &waves };
static struct program program = { .isa = &isa };
static struct function function = { .program = &program, .name = "code" };
static struct code kernel = { .func = &function, .local_bytes = 64 };

void harness_open(struct harness *h)
{
	struct diag d;
	void *host;

	memset(h, 0, sizeof(*h));
	gmem_init(&h->gmem, GMEM_BASE_64, 1 << 30);
	CHECK(!gmem_alloc(&h->gmem, HARNESS_BYTES, &h->memory, &d));
	CHECK(!gmem_host(&h->gmem, h->memory, HARNESS_BYTES, &host, &d));
	h->host = host;
	h->machine.gmem = &h->gmem;
	h->machine.max_steps = 1 << 20;
	program.funcs = &function;
	program.func_count = 1;
	program.gmem = &h->gmem;
	code = (struct wave_code){ .ops = h->ops,
				   .op_at = op_at,
				   .base = h->memory,
				   .bytes = 4 * HARNESS_OPS,
				   .vectors = 256 };
	h->launch = (struct launch){ .machine = &h->machine,
				     .program = &program,
				     .kernel = &kernel,
				     .grid = { 1, 1, 1 },
				     .block = { WAVE_LANES, 1, 1 },
				     .block_count = 1,
				     .warps_per_block = 1,
				     .shared_bytes = HARNESS_LDS };
	pthread_mutex_init(&h->launch.lock, NULL);
	h->worker = wave_worker_new(&h->launch, 0);
	CHECK(h->worker);
	h->group = workgroup_start(h->worker, 0);
	CHECK(h->group);
	h->w = &h->group->waves[0];
	harness_clear(h);
}

void harness_close(struct harness *h)
{
	workgroup_retire(h->worker, h->group);
	wave_worker_free(h->worker);
	pthread_mutex_destroy(&h->launch.lock);
	gmem_free_all(&h->gmem);
}

void harness_clear(struct harness *h)
{
	h->count = 0;
	gcn_lower_end(&h->ops[0]);
	memset(op_at, 0xff, sizeof(op_at));
	h->launch.fault.kind = FAULT_NONE;
	atomic_store(&h->launch.ended, false);
}

const char *harness_add(struct harness *h, const struct gcn_inst *in)
{
	struct wave_op *op = &h->ops[h->count];
	uint32_t vectors = 0;
	const char *why = gcn_lower(op, in, &vectors);
	int32_t words;

	if (why || h->count == HARNESS_OPS) {
		gcn_lower_end(op);
		return why ? why : "no more room";
	}
	op->at = 4 * h->count;
	op_at[h->count] = h->count;
	/* Branches stay among the instructions. */
	if (gcn_is_branch(in, &words))
		op->jump = words & 1 ? 1 : -(int32_t)(h->count / 2);
	gcn_lower_end(&h->ops[++h->count]);
	return NULL;
}

bool harness_run(struct harness *h, unsigned most)
{
	h->w->pc = h->ops;
	h->w->state = WAVE_RUNNING;
	h->group->live = 1;
	h->group->arrived = 0;
	for (unsigned i = 0; i < most && h->w->state == WAVE_RUNNING &&
			     h->w->pc < h->ops + h->count;
	     i++)
		wave_step(h->w);
	return h->w->state != WAVE_FAULTED;
}
