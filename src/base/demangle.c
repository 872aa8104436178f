#include "base/demangle.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 1024

/* Reads a <source-name> of the Itanium C++ ABI: its length, then the name. */
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

/* Reads the name; returns what follows it in the symbol, "" if it is not
 * mangled. */
static const char *take_name(char *out, size_t size, const char *symbol)
{
	const char *p = symbol + 2, *after = "";
	size_t used = 0;

	if (strncmp(symbol, "_Z", 2) == 0) {
		bool nested = *p == 'N';

		if (nested)
			p++;
		if (*p == 'L') /* internal linkage */
			p++;
		do {
			p = take_part(p, out, size, &used);
			after = p ? p : after;
		} while (nested && p);
	}
	if (!used)
		snprintf(out, size, "%s", symbol);
	return after;
}

void demangle(char *out, size_t size, const char *symbol)
{
	take_name(out, size, symbol);
}

static const char *builtin_type(char c)
{
	static const char *const names[26] = {
		['a' - 'a'] = "signed char", ['b' - 'a'] = "bool",
		['c' - 'a'] = "char",        ['d' - 'a'] = "double",
		['f' - 'a'] = "float",       ['h' - 'a'] = "unsigned char",
		['i' - 'a'] = "int",         ['j' - 'a'] = "unsigned",
		['l' - 'a'] = "long",        ['m' - 'a'] = "unsigned long",
		['s' - 'a'] = "short",       ['t' - 'a'] = "unsigned short",
		['x' - 'a'] = "long long",   ['y' - 'a'] = "unsigned long long",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* Reads a template argument: a type, or a literal, LTYPEnumberE. NULL: not
 * understood. */
static const char *take_argument(const char *p, char *out, size_t size)
{
	size_t used = 0, digits;

	if (*p >= '1' && *p <= '9')
		return take_part(p, out, size, &used);
	if (*p != 'L') {
		if (!builtin_type(*p))
			return NULL;
		snprintf(out, size, "%s", builtin_type(*p));
		return p + 1;
	}
	if (!builtin_type(p[1]))
		return NULL;
	digits = strspn(p + 2 + (p[2] == 'n'), "0123456789");
	if (!digits || p[2 + (p[2] == 'n') + digits] != 'E')
		return NULL;
	if (p[1] == 'b')
		snprintf(out, size, "%s", p[2] == '0' ? "false" : "true");
	else
		snprintf(out, size, "%s%.*s", p[2] == 'n' ? "-" : "",
			 (int)digits, p + 2 + (p[2] == 'n'));
	return p + 2 + (p[2] == 'n') + digits + 1;
}

void demangle_instance(char *out, size_t size, const char *symbol)
{
	const char *p = take_name(out, size, symbol);
	size_t used = strlen(out), start = used;
	char argument[NAME_SIZE];

	if (*p++ != 'I')
		return;
	while (p && *p && *p != 'E') {
		p = take_argument(p, argument, sizeof(argument));
		if (p && used < size)
			used += (size_t)snprintf(out + used, size - used,
						 "%s%s",
						 used > start ? ", " : "<",
						 argument);
	}
	if (!p || !*p)
		snprintf(out + start, size - start, "<...>");
	else if (used > start && used < size)
		snprintf(out + used, size - used, ">");
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
