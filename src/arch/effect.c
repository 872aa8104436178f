#include "arch/effect.h"

static struct access effect_access(const struct effect *e, bool write)
{
	return (struct access){ .space = (enum space)e->space,
				.write = write,
				.bytes = e->bytes,
				.mask = e->distinct,
				.addr = e->addr };
}

unsigned step_accesses(const struct step *s, struct access out[STEP_ACCESSES])
{
	const struct effect *e = s->effect;

	if (!s->mask)
		return 0;
	switch ((enum timing_kind)e->kind) {
	case KIND_LOAD:
		out[0] = effect_access(e, false);
		return 1;
	case KIND_STORE:
	case KIND_ATOMIC:
		out[0] = effect_access(e, true);
		return 1;
	case KIND_ASYNC:
		out[0] = (struct access){ .space = SPACE_GLOBAL,
					  .bytes = e->bytes,
					  .mask = e->source_mask,
					  .addr = e->source };
		out[1] = effect_access(e, true);
		return 2;
	default:
		return 0;
	}
}
