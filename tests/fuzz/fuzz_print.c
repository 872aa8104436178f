/*
 * Any bytes as the format and the arguments of a kernel's printf: it must end,
 * and read nothing outside of the program's memory. The first two bytes say how
 * long the format is.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] =
	".version 8.4\n.target sm_90\n.address_size 64\n"
	".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	".visible .entry k(.param .u64 format, .param .u64 args) {\n"
	".reg .b64 %rd<2>;\n"
	"ld.param.u64 %rd0, [format]; ld.param.u64 %rd1, [args];\n"
	"{ .param .b64 f; .param .b64 a; .param .b32 q;\n"
	"st.param.b64 [f], %rd0; st.param.b64 [a], %rd1;\n"
	"call (q), vprintf, (f, a); }\nret;\n}\n";

static struct heddle_device *dev;
static struct heddle_module *mod;

/* The text that is printed: each byte can be read. */
static void print(void *ctx, const char *s, size_t size)
{
	uint64_t *sum = ctx;

	for (size_t i = 0; i < size; i++)
		*sum += (unsigned char)s[i];
}

static void prepare(void)
{
	struct heddle_device_options options = {
		.threads = 1,
		.memory = 16 << 20,
		.local_bytes = 4096,
		.heap_bytes = 4096,
		.max_warp_instructions = 2000,
	};

	if (heddle_device_new(&dev, &options, NULL) ||
	    heddle_module_load(dev, &mod, "fuzz.ptx", text, strlen(text), NULL))
		abort();
}

static heddle_ptr place(const uint8_t *data, size_t size)
{
	heddle_ptr at = 0;

	if (heddle_alloc(dev, size ? size : 1, &at, NULL) ||
	    (size && heddle_write(dev, at, data, size, NULL)))
		abort();
	return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;
	struct heddle_launch launch = {
		.kernel = "k",
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.print = print,
		.ctx = &sum,
	};
	struct heddle_result result;
	heddle_ptr at[2];
	size_t format;

	if (!dev)
		prepare();
	if (size < 2)
		return 0;
	format = (data[0] | (size_t)data[1] << 8) % (size - 1);
	at[0] = place(data + 2, format);
	at[1] = place(data + 2 + format, size - 2 - format);
	launch.params = at;
	launch.param_bytes = sizeof(at);
	(void)heddle_launch(dev, mod, &launch, &result, NULL);
	heddle_free(dev, at[0], NULL);
	heddle_free(dev, at[1], NULL);
	return 0;
}
