/* Checking and joining images, for the linker of the driver API. */
#include <stdlib.h>

#include "base/elf.h"
#include "door/rt/fatbin.h"
#include "door/rt/join.h"
#include "door/rt/state.h"

/* Machine code must not claim more bytes than there are: later it is known by
 * its address alone. */
static enum err check_sections(const void *image, size_t size, struct diag *d)
{
	struct elf_part part;
	struct elf f;
	enum err e = elf_open(&f, image, size, d);

	for (size_t i = 0; !e && i < f.sections.count; i++)
		e = elf_part(&f, i, &part, d);
	return e;
}

int rt_image_check(const void *image, size_t size)
{
	struct fatbin f;
	struct diag d;
	enum err e = fatbin_open(&f, image, size, &d);

	if (!e && f.form == FATBIN_CUBIN)
		e = check_sections(image, size, &d);
	if (!e)
		return cudaSuccess;
	rt_say("error: %s", d.text);
	return cudaErrorInvalidKernelImage;
}

int rt_image_join(char **text, size_t *size, const char *more)
{
	struct ptx_join j = { 0 };
	bool fits = (!*text || join_add(&j, *text)) && join_add(&j, more);

	if (fits) {
		free(*text);
		*text = j.text;
		*size = j.size;
		j.text = NULL;
	}
	join_free(&j);
	return fits ? cudaSuccess : cudaErrorMemoryAllocation;
}
