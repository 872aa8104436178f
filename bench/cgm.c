/* The memory system of CPUs and a GPU: cores that read and write at random. */
#include <string.h>

#include "bench.h"

#include "cfg/configs.h"
#include "mem/cgm/system.h"

enum { CORES = 4, REQUESTS = 60000, IN_FLIGHT = 8, WINDOW_BLOCKS = 1 << 14 };

struct requester {
	uint32_t random, left, in_flight;
	uint64_t value, address[CGM_SOURCE_DEPTH], next;
};

static cycle_t next_request(void *ctx, cycle_t now, struct cgm_request *r)
{
	struct requester *q = ctx;

	if (!q->left || q->in_flight == IN_FLIGHT)
		return CYCLE_NEVER;
	q->left--;
	q->in_flight++;
	q->value =
		(uint64_t)(next_random(&q->random) % WINDOW_BLOCKS) * CGM_BLOCK;
	q->address[q->next % CGM_SOURCE_DEPTH] = q->value;
	*r = (struct cgm_request){ .tag = q->next++ % CGM_SOURCE_DEPTH,
				   .op = q->left % 4 ? CGM_OP_LOAD :
						       CGM_OP_STORE,
				   .address = q->value,
				   .size = 8,
				   .value = (const uint8_t *)&q->value };
	return now;
}

/* A word holds nothing or its address. */
static void take_answer(void *ctx, cycle_t now, const struct cgm_answer *a)
{
	struct requester *q = ctx;
	uint64_t v;

	(void)now;
	q->in_flight--;
	memcpy(&v, a->value, sizeof(v));
	expect(a->op != CGM_OP_LOAD || !v || v == q->address[a->tag],
	       "a load found what nobody stored");
}

double bench_cgm(void)
{
	struct requester q[CORES] = { { 0 } };
	struct cgm_options options = { 0 };
	struct cfg_sheet sheet;
	struct cgm_system *s;
	struct diag d;
	double start;

	cfg_sheet_init(&sheet);
	expect(!configs_read(&sheet, CONFIGS "/cgm.cfg", &d) &&
		       !cgm_system_new(&s, &sheet.cfg, &options, &d),
	       "cannot make the memory system");
	for (unsigned i = 0; i < CORES; i++) {
		struct cgm_source *source =
			cgm_system_source(s, CGM_PORT_DATA, i);

		q[i].random = i + 1;
		q[i].left = REQUESTS;
		source->driver =
			(struct cgm_driver){ next_request, take_answer, &q[i] };
		cgm_system_wake(s, source);
	}
	start = cpu_seconds();
	expect(!cgm_system_run(s, CYCLE_NEVER, &d), "out of memory");
	start = cpu_seconds() - start;
	expect(cgm_system_is_idle(s), "requests are left");
	cgm_system_free(s);
	cfg_sheet_free(&sheet);
	return CORES * REQUESTS / start;
}
