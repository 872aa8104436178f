/*
 * Any bytes as the binary of an OpenCL program: reading gives a message or a binary,
 * and what was read is the same when it is written and read again. The same bytes as
 * intermediate code, whose kernels are listed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "door/opencl/binary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_again(const struct binary *b)
{
	struct text first = { 0 }, second = { 0 };
	struct binary again;
	struct diag d;

	binary_write(b, &first);
	if (binary_read(&again, first.at, first.size, &d))
		abort();
	binary_write(&again, &second);
	if (first.size != second.size ||
	    memcmp(first.at, second.at, first.size) != 0)
		abort();
	binary_free(&again);
	text_free(&first);
	text_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct binary b;
	struct meta m;
	struct diag d = { 0 };
	char *ir = strndup((const char *)data, size);

	if (!binary_read(&b, data, size, &d))
		read_again(&b);
	else if (!d.code || !d.text[0])
		abort();
	binary_free(&b);
	if (ir && meta_read_ir(&m, ir, &d) && !d.code)
		abort();
	meta_free(&m);
	free(ir);
	return 0;
}
