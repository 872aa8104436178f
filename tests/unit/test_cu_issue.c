/* When the wavefronts of a compute unit issue. All cycles are derived by hand. */
#include <string.h>

#include "cu_rig.h"
#include "test.h"

static struct cu_rig r;

/* Cycles between two ops of the first wave. */
static cycle_t between(uint32_t a, uint32_t b)
{
	return cu_at(&r, 0, b) - cu_at(&r, 0, a);
}

TEST(cu, a_wavefront_issues_a_simple_vector_instruction_in_every_turn)
{
	cu_open(&r, "");
	for (unsigned i = 0; i < 8; i++)
		cu_op(&r, WAVE_VALU);
	cu_end(&r);
	cu_run(&r, 1, 64);
	for (uint32_t i = 1; i < 8; i++)
		EQ(4, between(i - 1, i));
	cu_close(&r);
}
