/*
 * Any bytes as machine code, and as its text. The first byte names the
 * architecture. A word that is decoded is encoded to itself; its text is read
 * as an instruction with this text. Text that is read is written as it was.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/inst.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDRESS = 0x1230, TEXT = 256 };

/* The instruction is encoded, decoded and read again. */
static void check(const struct sass_inst *in)
{
	char text[TEXT], again[TEXT];
	struct sass_inst twin;
	struct diag d = { 0 };
	uint64_t w[2];

	sass_encode(in, w);
	if (sass_decode(&twin, in->sm, w) == SASS_UNKNOWN)
		abort();
	sass_print(text, sizeof(text), in, ADDRESS);
	sass_print(again, sizeof(again), &twin, ADDRESS);
	if (strcmp(text, again))
		abort();
	if (strstr(text, "INVALID") || strstr(text, "???"))
		return;
	if (in->enc->idle[0] | in->enc->idle[1] | in->rest[0] | in->rest[1])
		return;
	if (sass_parse(&twin, in->sm, ADDRESS, text, &d))
		abort();
	sass_print(again, sizeof(again), &twin, ADDRESS);
	if (strcmp(text, again))
		abort();
}

static void check_word(unsigned sm, const uint8_t *bytes)
{
	struct sass_inst in;
	uint64_t w[2], again[2];

	memcpy(w, bytes, sizeof(w));
	if (sass_decode(&in, sm, w) == SASS_UNKNOWN)
		return;
	sass_encode(&in, again);
	/* Three bits above the control word are not used. */
	if (w[0] != again[0] || w[1] != again[1])
		abort();
	check(&in);
}

static void check_line(unsigned sm, const uint8_t *bytes, size_t size)
{
	char text[TEXT];
	struct sass_inst in;
	struct diag d = { 0 };

	if (size >= sizeof(text))
		size = sizeof(text) - 1;
	memcpy(text, bytes, size);
	text[size] = '\0';
	if (!sass_parse(&in, sm, ADDRESS, text, &d))
		check(&in);
	else if (!d.code || !d.text[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned sm[] = { 70, 75, 80, 86, 89, 90, 100, 120 };
	unsigned arch;

	if (!size)
		return 0;
	arch = sm[data[0] & 7];
	for (size_t i = 1; i + SASS_BYTES <= size; i += SASS_BYTES)
		check_word(arch, data + i);
	check_line(arch, data + 1, size - 1);
	return 0;
}
