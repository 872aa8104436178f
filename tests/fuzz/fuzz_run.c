/*
 * Untrusted PTX, loaded and run: no input may crash the simulator, read or
 * write outside its memory, or run forever.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"

enum { MAX_PARAMS = 8192 };

static void run_kernel(struct heddle_device *dev, struct heddle_module *mod,
		       const struct heddle_kernel *k)
{
	static uint8_t params[MAX_PARAMS];
	struct heddle_launch launch = {
		.kernel = k->name,
		.grid = { 2, 1, 1 },
		.block = { 37, 1, 1 },
		.shared_bytes = 64,
		.params = params,
		.param_bytes = k->param_bytes,
	};
	struct heddle_result result;
	heddle_ptr at;

	if (k->param_bytes > MAX_PARAMS)
		return;
	if (heddle_alloc(dev, 4096, &at, NULL))
		return;
	/* Every 64-bit word of the parameters is a valid address. */
	for (size_t i = 0; i + sizeof(at) <= sizeof(params); i += sizeof(at))
		memcpy(params + i, &at, sizeof(at));
	(void)heddle_launch(dev, mod, &launch, &result, NULL);
	heddle_free(dev, at, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heddle_device_options options = {
		.threads = 1,
		.memory = 16 << 20,
		.local_bytes = 4096,
		.heap_bytes = 4096,
		.max_warp_instructions = 2000,
	};
	struct heddle_device *dev;
	struct heddle_module *mod;

	options.divergence = size % 2 ? HEDDLE_DIVERGE_STACK :
					HEDDLE_DIVERGE_INDEPENDENT;
	if (heddle_device_new(&dev, &options, NULL))
		return 0;
	if (!heddle_module_load(dev, &mod, "fuzz.ptx", (const char *)data, size,
				NULL)) {
		size_t n = heddle_module_kernel_count(mod);

		for (size_t i = 0; i < n && i < 8; i++)
			run_kernel(dev, mod, heddle_module_kernel(mod, i));
		heddle_module_free(dev, mod);
	}
	heddle_device_free(dev);
	return 0;
}
