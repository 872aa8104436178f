/*
 * Any line as a kernel's symbol, and the next as a choice of launches: names fit
 * into the room they are given, a symbol is found by its own name, and a choice
 * is taken or refused with a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "door/rt/select.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_symbol(const char *symbol)
{
	static const size_t sizes[] = { 1, 2, 9, 64, 4096 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *out = malloc(sizes[i]);

		demangle_instance(out, sizes[i], symbol);
		if (strlen(out) >= sizes[i])
			abort();
		demangle(out, sizes[i], symbol);
		if (strlen(out) >= sizes[i])
			abort();
		/* Longer names are cut. */
		if (sizes[i] == 4096 && strlen(symbol) < 1000 &&
		    !demangle_matches(symbol, out))
			abort();
		free(out);
	}
	if (!demangle_matches(symbol, symbol))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *symbol = strndup((const char *)data, size);
	char *choice = strchr(symbol, '\n');
	const char *why;

	if (choice)
		*choice++ = 0;
	check_symbol(symbol);
	why = select_open(choice);
	if (why && !*why)
		abort();
	for (uint64_t i = 1; !why && i < 4; i++)
		if (!select_timed(symbol, i) && !choice)
			abort();
	select_open(NULL);
	free(symbol);
	return 0;
}
