/*
 * Special registers that are fixed when a warp starts.
 */
#include "isa/ptx/sreg.h"

#include "isa/ptx/program.h"

/* The lanes of a special register, or NULL if no instruction reads it. */
static void *sreg_lanes(const struct launch *l, char *sregs, enum ptx_sreg s)
{
	uint32_t at = ptx_program_of(l->program)->sreg_at[s];

	return at == SREG_UNUSED ? NULL : sregs + at;
}

static void fill32(const struct launch *l, char *sregs, enum ptx_sreg s,
		   uint32_t v)
{
	uint32_t *to = sreg_lanes(l, sregs, s);

	for (int k = 0; to && k < LANES; k++)
		to[k] = v;
}

static void fill64(const struct launch *l, char *sregs, enum ptx_sreg s,
		   uint64_t v)
{
	uint64_t *to = sreg_lanes(l, sregs, s);

	for (int k = 0; to && k < LANES; k++)
		to[k] = v;
}

/* Special registers that differ by lane. */
static void fill_lanes(char *s, const struct launch *l, uint32_t id)
{
	const uint32_t *dim = l->block;
	uint32_t first = id * LANES;

#define EACH(sreg, value)                                         \
	do {                                                      \
		uint32_t *to = sreg_lanes(l, s, PTX_SREG_##sreg); \
		for (uint32_t k = 0; to && k < LANES; k++)        \
			to[k] = (value);                          \
	} while (0)
	EACH(TID_X, (first + k) % dim[0]);
	EACH(TID_Y, (first + k) / dim[0] % dim[1]);
	EACH(TID_Z, (first + k) / dim[0] / dim[1]);
	EACH(LANEID, k);
	EACH(LANEMASK_EQ, 1u << k);
	EACH(LANEMASK_LT, (1u << k) - 1);
	EACH(LANEMASK_LE, (2u << k) - 1);
	EACH(LANEMASK_GT, ~((2u << k) - 1));
	EACH(LANEMASK_GE, ~((1u << k) - 1));
#undef EACH
}

/* The system's part of shared memory is behind the block's. It counts even if the
 * block does not use it. */
static void fill_shared(char *s, const struct launch *l)
{
	const struct function *f = l->kernel->func;
	uint32_t own = program_shared_start(f) + (uint32_t)l->dynamic_shared;
	uint32_t units = (uint32_t)program_shared_units(own);
	uint32_t at = l->shared_bytes - f->shared_system;

	fill32(l, s, PTX_SREG_RESERVED_SMEM_BEGIN, at);
	fill32(l, s, PTX_SREG_RESERVED_SMEM_END, at + SHARED_SYSTEM_END);
	fill32(l, s, PTX_SREG_RESERVED_SMEM_CAP, at + SHARED_SYSTEM);
	fill32(l, s, PTX_SREG_RESERVED_SMEM_0, at);
	fill32(l, s, PTX_SREG_RESERVED_SMEM_1, at + SHARED_SYSTEM_1);
	fill32(l, s, PTX_SREG_TOTAL_SMEM_SIZE, units);
	fill32(l, s, PTX_SREG_AGGR_SMEM_SIZE, own + SHARED_SYSTEM);
}

/* Special registers that are the same for every block of the launch. */
void ptx_start_launch(char *s, const struct launch *l, uint32_t id)
{
	const uint32_t *dim = l->block;

	fill_lanes(s, l, id);
	fill32(l, s, PTX_SREG_NTID_X, dim[0]);
	fill32(l, s, PTX_SREG_NTID_Y, dim[1]);
	fill32(l, s, PTX_SREG_NTID_Z, dim[2]);
	fill32(l, s, PTX_SREG_NCTAID_X, l->grid[0]);
	fill32(l, s, PTX_SREG_NCTAID_Y, l->grid[1]);
	fill32(l, s, PTX_SREG_NCTAID_Z, l->grid[2]);
	fill32(l, s, PTX_SREG_NCLUSTERID_X, l->grid[0]);
	fill32(l, s, PTX_SREG_NCLUSTERID_Y, l->grid[1]);
	fill32(l, s, PTX_SREG_NCLUSTERID_Z, l->grid[2]);
	fill32(l, s, PTX_SREG_CLUSTER_NCTAID_X, 1);
	fill32(l, s, PTX_SREG_CLUSTER_NCTAID_Y, 1);
	fill32(l, s, PTX_SREG_CLUSTER_NCTAID_Z, 1);
	fill32(l, s, PTX_SREG_CLUSTER_NCTARANK, 1);
	fill32(l, s, PTX_SREG_WARPID, id);
	fill32(l, s, PTX_SREG_NWARPID, LAUNCH_WARP_IDS);
	fill32(l, s, PTX_SREG_NSMID, l->machine->sm_count);
	fill64(l, s, PTX_SREG_GRIDID, l->id);
	fill32(l, s, PTX_SREG_ENVREG1, (uint32_t)(l->workspace >> 32));
	fill32(l, s, PTX_SREG_ENVREG2, (uint32_t)l->workspace);
	fill_shared(s, l);
	fill32(l, s, PTX_SREG_DYNAMIC_SMEM_SIZE, (uint32_t)l->dynamic_shared);
}

void ptx_start_block(char *s, const struct block *b)
{
	const struct launch *l = b->launch;

	fill32(l, s, PTX_SREG_CTAID_X, b->ctaid[0]);
	fill32(l, s, PTX_SREG_CTAID_Y, b->ctaid[1]);
	fill32(l, s, PTX_SREG_CTAID_Z, b->ctaid[2]);
	fill32(l, s, PTX_SREG_CLUSTERID_X, b->ctaid[0]);
	fill32(l, s, PTX_SREG_CLUSTERID_Y, b->ctaid[1]);
	fill32(l, s, PTX_SREG_CLUSTERID_Z, b->ctaid[2]);
	fill32(l, s, PTX_SREG_SMID,
	       b->worker->view ? b->worker->smid :
				 (uint32_t)(b->index % l->machine->sm_count));
}
