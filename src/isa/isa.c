#include "isa/isa.h"

#include "isa/gcn/isa.h"
#include "isa/ptx/isa.h"
#include "isa/sass/isa.h"

const struct isa *const isa_all[] = { &isa_sass, &isa_gcn, &isa_ptx, NULL };

const struct isa *isa_of(const char *bytes, size_t size)
{
	for (int i = 0; isa_all[i]; i++)
		if (isa_all[i]->matches(bytes, size))
			return isa_all[i];
	return NULL;
}
