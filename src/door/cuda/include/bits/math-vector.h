/* glibc declares vector variants of the math functions here with types of the
 * host's vector unit, which a compilation for the device does not have. The
 * stubs are glibc's own for machines without such variants. */
#pragma GCC system_header
#include <bits/libm-simd-decl-stubs.h>
