/*
 * Any bytes as an array of NumPy's: a shape whose elements lie in the file, or
 * a message of one line. What is accepted is the same when it is written and
 * read back.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger than its header: elements need not be in the fuzzer's input. */
enum { FILE_BYTES = 1 << 20 };

static void check_array(const struct npy *a, uint64_t size)
{
	uint64_t product = 1;

	if ((int)a->type < 0 || (int)a->type >= ELEM_COUNT ||
	    a->shape.dims > SHAPE_DIMS || a->data > size)
		abort();
	for (unsigned i = 0; i < a->shape.dims; i++)
		product *= a->shape.size[i];
	if (a->shape.count != product ||
	    product > (size - a->data) / elem_info[a->type].bytes)
		abort();
}

static void check_again(const struct npy *a)
{
	char header[NPY_HEADER];
	size_t n = npy_format(header, a->type, &a->shape);
	struct diag d = { 0 };
	struct npy b;

	if (n > NPY_HEADER || n % 64 ||
	    npy_parse(&b, "again", header, n,
		      n + a->shape.count * elem_info[a->type].bytes, &d) ||
	    b.type != a->type || b.shape.dims != a->shape.dims ||
	    memcmp(b.shape.size, a->shape.size,
		   a->shape.dims * sizeof(b.shape.size[0])) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t whole = size + FILE_BYTES;
	struct diag d = { 0 };
	struct npy a;

	if (size > NPY_MAX_HEADER)
		size = NPY_MAX_HEADER;
	if (npy_parse(&a, "fuzz", data, size, whole, &d)) {
		if (!d.code || !d.text[0] || strchr(d.text, '\n'))
			abort();
		return 0;
	}
	check_array(&a, whole);
	check_again(&a);
	return 0;
}
