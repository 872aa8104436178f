/* Any bytes: read as JSON, or refused with a message. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/jsonread.h"

static size_t count(const struct json_node *n)
{
	size_t total = 1;

	for (const struct json_node *e = n->first; e; e = e->next)
		total += count(e) + (e->key ? strlen(e->key) : 0);
	return total + (n->text ? strlen(n->text) : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	const struct json_node *n;
	struct diag d;
	enum err e = json_read(&n, &a, (const char *)data, size, "fuzz", &d);

	CHECK(e ? d.code == e && d.text[0] : count(n) <= 3 * size + 1);
	arena_free(&a);
	return 0;
}
