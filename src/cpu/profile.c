#include "cpu/profile.h"

struct cpu_profile *cpu_profile_new(struct arena *a)
{
	struct cpu_profile *p = arena_new(a, struct cpu_profile, 1);

	if (!p)
		return NULL;
	p->row = arena_room(a, struct cpu_profile_row,
			    (size_t)1 << CPU_PROFILE_BITS);
	return p->row ? p : NULL;
}

/* Its row, or the one of all that have none. */
static struct cpu_profile_row *cpu_profile_find(struct cpu_profile *p,
						const struct guest_inst *inst)
{
	uint64_t hash = (uintptr_t)inst * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t)(hash >> (64 - CPU_PROFILE_BITS));
	struct cpu_profile_row *r;

	while (r = &p->row[at], r->inst && r->inst != inst)
		at = (at + 1) % (1u << CPU_PROFILE_BITS);
	if (r->inst)
		return r;
	if (p->used == CPU_PROFILE_ROWS)
		return &p->rest;
	p->used++;
	r->inst = inst;
	return r;
}

void cpu_profile_add(struct cpu_profile *p, const struct guest_inst *inst,
		     enum cpu_slot_use use, uint64_t slots)
{
	struct cpu_profile_row *r = inst ? cpu_profile_find(p, inst) : &p->rest;

	r->slot[use] += slots;
}
