/*
 * Any bytes as a code object, or as instructions. An object is loaded, and its
 * kernels run with any arguments; words that are instructions run on one wave. The
 * guest may fault: the host must not.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"
#include "isa/gcn/object.h"
#include "tests/gcn/harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 200 };

/* A buffer's resource, an address, and bits of the input for the rest. */
static void fill(struct harness *h, const uint8_t *data, size_t size)
{
	struct wave *w = h->w;

	for (size_t i = 0; i < 104; i++)
		w->s[i] = data[i % size] * 0x01010101u;
	for (size_t i = 0; i < 32 * WAVE_LANES; i++)
		w->v[i] = (uint32_t)(data[i % size] * 4u + i % WAVE_LANES);
	for (unsigned i = 0; i < 8; i += 4) {
		w->s[i] = (uint32_t)h->memory;
		w->s[i + 1] = (uint32_t)(h->memory >> 32);
		w->s[i + 2] = HARNESS_BYTES;
		w->s[i + 3] = 0x00024fac;
	}
	/* An image of 16 x 16 texels of four bytes. */
	w->s[8] = (uint32_t)(h->memory >> 8);
	w->s[9] = (uint32_t)(h->memory >> 40) | 10 << 20;
	w->s[10] = 15 | 15 << 14;
	w->s[11] = 0xfac | 9u << 28;
	gcn_set_pair(w, GCN_EXEC, data[0] & 1 ? ~0ull : 0x123456789abcdefull);
	w->mode = data[size - 1];
}

static void run_words(const uint8_t *data, size_t size)
{
	static struct harness h;

	if (!h.w)
		harness_open(&h);
	harness_clear(&h);
	for (size_t at = 0; size - at >= 4 && h.count < HARNESS_OPS;) {
		uint32_t words[3] = { 0 };
		size_t left = (size - at) / 4;
		struct gcn_inst in;

		memcpy(words, data + at, 4 * (left < 3 ? left : 3));
		at += 4;
		if (gcn_decode(&in, words, left))
			continue;
		at += 4u * (in.words - 1u);
		(void)harness_add(&h, &in);
	}
	if (size)
		fill(&h, data, size);
	harness_run(&h, STEPS);
}

static void launch(struct heddle_device *dev, struct heddle_module *mod,
		   const struct heddle_kernel *k)
{
	struct heddle_result r;
	char *params = calloc(1, k->param_bytes + 8);
	struct heddle_launch l = { .kernel = k->name,
				   .grid = { 2, 1, 1 },
				   .block = { 64, 1, 1 },
				   .params = params,
				   .param_bytes = k->param_bytes };

	if (k->required[0])
		l.block = (struct heddle_dim3){
			k->required[0], k->required[1] | !k->required[1],
			k->required[2] | !k->required[2]
		};
	if (params)
		(void)heddle_launch(dev, mod, &l, &r, NULL);
	free(params);
}

static void run_object(const uint8_t *data, size_t size)
{
	static struct heddle_device *dev;
	const struct heddle_device_options o = {
		.threads = 1, .max_warp_instructions = 2000
	};
	struct heddle_module *mod;
	struct heddle_error err;

	if (!dev && heddle_device_new(&dev, &o, NULL))
		abort();
	if (heddle_module_load(dev, &mod, "object", (const char *)data, size,
			       &err)) {
		if (!err.text[0])
			abort();
		return;
	}
	for (size_t i = 0; i < heddle_module_kernel_count(mod); i++)
		launch(dev, mod, heddle_module_kernel(mod, i));
	free(heddle_module_print(mod));
	heddle_module_free(dev, mod);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (gcn_object_matches(data, size))
		run_object(data, size);
	else
		run_words(data, size);
	return 0;
}
