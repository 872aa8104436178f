/*
 * Untrusted PTX, run cycle by cycle on a small GPU: no input may crash the
 * timing model, read or write outside its memory, or run forever. The length of
 * the input selects a variant of the machine.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"

enum { MAX_PARAMS = 8192, MAX_CYCLES = 20000, SETTINGS = 4 };

/* Changes to configs/tiny.cfg that use other features of the SM and memory. */
static const char *const variants[][SETTINGS] = {
	{ NULL },
	{ "mem.kind=latency", "sm.scheduler=gto" },
	{ "front.perfect=no", "ccache.perfect=no", "sm.scheduler=ccws" },
	{ "regs.operands=collector", "sm.issue_width=2", "sm.scheduler=cggty" },
	{ "sm.compiled=yes", "regs.cross=1", "sm.branch_guard=9" },
	{ "l1.write=back", "l1.write_miss=validate", "sm.scheduler=two_level",
	  "sm.active_warps=2" },
	{ "l1.on=no", "l2.on=no", "dram.refresh=yes" },
	{ "lsu.pending=1", "l1.mshrs=1", "l2.mshrs=1", "net.queue=1" },
};
enum { VARIANTS = sizeof(variants) / sizeof(*variants) };

static struct heddle_config *config_of(size_t variant)
{
	struct heddle_config *c;

	if (heddle_config_load(&c, HEDDLE_TINY, NULL))
		abort();
	for (int i = 0; i < SETTINGS && variants[variant][i]; i++)
		if (heddle_config_set(c, variants[variant][i], NULL))
			abort();
	if (heddle_config_check(c, NULL))
		abort();
	return c;
}

static void run_kernel(struct heddle_device *dev, struct heddle_module *mod,
		       const struct heddle_kernel *k)
{
	static const struct heddle_timing_options timing = {
		.max_cycles = MAX_CYCLES
	};
	static uint8_t params[MAX_PARAMS];
	struct heddle_launch launch = {
		.kernel = k->name,
		.grid = { 5, 1, 1 },
		.block = { 37, 1, 1 },
		.shared_bytes = 64,
		.params = params,
		.param_bytes = k->param_bytes,
		.timing = &timing,
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
	static struct heddle_config *configs[VARIANTS];
	struct heddle_device_options options = {
		.threads = 1,
		.memory = 16 << 20,
		.local_bytes = 4096,
		.heap_bytes = 4096,
		.max_warp_instructions = 2000,
	};
	struct heddle_device *dev;
	struct heddle_module *mod;

	if (!configs[size % VARIANTS])
		configs[size % VARIANTS] = config_of(size % VARIANTS);
	options.config = configs[size % VARIANTS];
	options.divergence = size / VARIANTS % 2 ? HEDDLE_DIVERGE_STACK :
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
