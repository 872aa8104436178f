/*
 * CUDA C++ for clang without vendor software: declares what the language makes
 * visible in every .cu file. The compiler reads it before the program:
 *
 *	clang -x cuda -nocudainc -nocudalib -I<this folder> -include heddle_cuda.h
 *
 * The order of the includes matters: device overloads of the math functions are
 * declared before <cmath> (math_decl.h), so that its constexpr functions stay
 * on the host, and defined after it.
 *
 * A host file that includes this through another header gets the runtime API.
 */
#ifndef HEDDLE_CUDA_PRELUDE_H
#define HEDDLE_CUDA_PRELUDE_H
#pragma GCC system_header

#include "heddle/config.h"
#include "vector_types.h"

#ifdef HEDDLE_CUDA_LANGUAGE
#include "heddle/math_decl.h"

#include <cmath>
#include <cstdlib>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "heddle/atomics.h"
#include "heddle/builtin.h"
#include "heddle/intrinsics.h"
#include "heddle/math.h"
#include "heddle/memory.h"
#include "heddle/print.h"
#include "heddle/simd.h"
#include "heddle/string.h"
#include "heddle/sync.h"
#include "heddle/texture.h"
#include "heddle/warp.h"
#include "vector_functions.h"

HEDDLE_D clock_t clock(void)
{
	return heddle_clock();
}
#endif

#include "cuda_runtime.h"

#endif
