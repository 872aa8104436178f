/* What the tests of the driver API share: PTX, contexts, short forms. */
#ifndef HEDDLE_TESTS_DOOR_DRIVER_H
#define HEDDLE_TESTS_DOOR_DRIVER_H

#include "door/cuda/include/cuda.h"
#include "test.h"

/* Symbols that our cuda.h does not declare. */
#include "door/libcuda/types.h"

/*
 * Kernels:
 *	add(float *a, float *b, float *c, int n)   c[i] = a[i] + b[i]
 *	scale(int *p)                              p[0] = factor * offset[1]
 *	sample(float *p)                           p[i] = the texref `image`
 *	fetch(float *p)                            the same, of linear memory
 *	sample_object(float *p, texture t)         p[i] = t
 *	fetch_object(float *p, texture t)          the same, of linear memory
 *	wild(void)                                 writes where nothing is
 * Variables: factor (.global u32), offset (.const u32[2] = {5, 7}), image.
 */
extern const char ptx_kernels[];
/* Line 6 is wrong. */
extern const char ptx_wrong[];
/* `twice`, which another text defines, and that text. */
extern const char ptx_caller[], ptx_callee[];

/* cuInit and a new context of device 0; destroy ends it. */
CUcontext begin(void);
void end(CUcontext ctx);
CUmodule load(const char *text);
CUfunction function(CUmodule m, const char *name);

/* EQ that says the result's name. */
const char *result_name(CUresult e);
#define GIVES(want, expr) STREQ(#want, result_name(expr))
#define WORKS(expr) GIVES(CUDA_SUCCESS, expr)

#define ARGS(...) ((void *[]){ __VA_ARGS__ })

#endif
