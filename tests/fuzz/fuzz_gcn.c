/*
 * The readers of code for AMD GPUs: an object file, and words. What is read is printed; a
 * word that is an instruction is encoded to itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/gcn/inst.h"
#include "isa/gcn/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_code(const uint8_t *data, size_t size)
{
	for (size_t at = 0; size - at >= 4;) {
		uint32_t words[3] = { 0 }, again[3];
		size_t left = (size - at) / 4;
		struct gcn_inst in;
		char text[24];

		memcpy(words, data + at, 4 * (left < 3 ? left : 3));
		at += 4;
		if (gcn_decode(&in, words, left))
			continue;
		gcn_print(text, sizeof(text), &in);
		gcn_encode(&in, again);
		if (memcmp(words, again, 4u * in.words) != 0)
			abort();
		at += 4u * (in.words - 1u);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gcn_object o;
	struct gcn_function f;
	struct diag d = { 0 };
	bool found = true;
	size_t at = 0;

	if (!gcn_object_matches(data, size)) {
		read_code(data, size);
		return 0;
	}
	if (gcn_object_open(&o, data, size, &d)) {
		if (!d.text[0])
			abort();
		return 0;
	}
	while (!gcn_object_next(&o, &at, &f, &found, &d) && found)
		read_code(f.code.data, f.code.size);
	return 0;
}
