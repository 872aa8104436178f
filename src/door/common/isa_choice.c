#include "door/common/isa_choice.h"

#include <string.h>

static const char *const choices[] = {
	[ISA_AUTO] = "auto",
	[ISA_SASS] = "sass",
	[ISA_PTX] = "ptx",
};

enum err isa_choice_read(enum isa_choice *out, const char *text, struct diag *d)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
		if (!strcmp(text, choices[i])) {
			*out = (enum isa_choice)i;
			return ERR_OK;
		}
	return fail(d, ERR_UNKNOWN, "expected auto, sass or ptx");
}
