/*
 * The name that a C++ compiler has mangled into a kernel's symbol. Only what
 * is needed to find a kernel by its name: ns::kernel, without parameter types.
 */
#ifndef HEDDLE_COMMON_DEMANGLE_H
#define HEDDLE_COMMON_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* The symbol itself when it is not mangled, or not in a way known here. */
void demangle(char *out, size_t size, const char *symbol);
/* The same with template arguments, "sum<float, 4>"; those that are not
 * understood here become "<...>". */
void demangle_instance(char *out, size_t size, const char *symbol);
/* Whether `name` is the symbol, its qualified name, or the last part of it. */
bool demangle_matches(const char *symbol, const char *name);

#endif
