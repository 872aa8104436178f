#include "door/cli/demangle.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 1024

/* <source-name> of the Itanium C++ ABI: its length, then the name itself. */
static const char *take_part(const char *p, char *out, size_t size,
			     size_t *used)
{
	size_t length = 0;

	if (*p < '1' || *p > '9')
		return NULL;
	for (; *p >= '0' && *p <= '9'; p++) {
		length = 10 * length + (size_t)(*p - '0');
		if (length > NAME_SIZE)
			return NULL;
	}
	if (strnlen(p, length) < length || *used + length + 3 > size)
		return NULL;
	*used += (size_t)snprintf(out + *used, size - *used, "%s%.*s",
				  *used ? "::" : "", (int)length, p);
	return p + length;
}

void demangle(char *out, size_t size, const char *symbol)
{
	const char *p = symbol + 2;
	size_t used = 0;

	if (strncmp(symbol, "_Z", 2) == 0) {
		bool nested = *p == 'N';

		if (nested)
			p++;
		if (*p == 'L') /* internal linkage */
			p++;
		do {
			p = take_part(p, out, size, &used);
		} while (nested && p);
	}
	if (!used)
		snprintf(out, size, "%s", symbol);
}

bool demangle_matches(const char *symbol, const char *name)
{
	char full[NAME_SIZE];
	size_t n = strlen(name), length;

	if (!strcmp(symbol, name))
		return true;
	demangle(full, sizeof(full), symbol);
	length = strlen(full);
	if (length < n || strcmp(full + length - n, name) != 0)
		return false;
	return length == n ||
	       (length >= n + 2 && !memcmp(full + length - n - 2, "::", 2));
}
