/*
 * Demangles the C++ name in a kernel's symbol, as far as needed to find a
 * kernel by its name: ns::kernel, without parameter types.
 */
#ifndef HEDDLE_BASE_DEMANGLE_H
#define HEDDLE_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the symbol itself if it is not mangled, or in an unknown way. */
void demangle(char *out, size_t size, const char *symbol);
/* The same with template arguments, "sum<float, 4>"; unknown ones become
 * "<...>". */
void demangle_instance(char *out, size_t size, const char *symbol);
/* Whether `name` is the symbol, its qualified name, or the last part of it. */
bool demangle_matches(const char *symbol, const char *name);

#endif
