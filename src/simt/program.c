#include "simt/program.h"

#include <string.h>

const struct function *program_find(const struct program *p, const char *name)
{
	for (uint32_t i = 0; i < p->func_count; i++)
		if (!strcmp(p->funcs[i].name, name))
			return &p->funcs[i];
	return NULL;
}

const struct variable *program_variable(const struct program *p,
					const char *name)
{
	for (uint32_t i = 0; i < p->var_count; i++)
		if (!strcmp(p->vars[i].name, name))
			return &p->vars[i];
	return NULL;
}

void program_bind(struct program *p, const struct variable *v, uint64_t handle)
{
	uint64_t *lanes = (uint64_t *)(void *)(p->pool + SLOT_OFFSET(v->slot));

	for (int l = 0; l < LANES; l++)
		lanes[l] = handle;
}
