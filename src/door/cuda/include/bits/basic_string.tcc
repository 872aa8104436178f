/* libstdc++ writes __attribute__((__noinline__)) here; __noinline__ is a macro
 * of CUDA C++ where the compiler does not know it as a keyword. */
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/basic_string.tcc>
#pragma pop_macro("__noinline__")
