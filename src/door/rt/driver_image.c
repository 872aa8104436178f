/* Checking and joining images, for the linker of the driver API. */
#include <stdlib.h>

#include "door/rt/fatbin.h"
#include "door/rt/join.h"
#include "door/rt/state.h"

int rt_image_check(const void *image, size_t size)
{
	struct fatbin f;
	struct diag d;

	if (!fatbin_open(&f, image, size, &d))
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
