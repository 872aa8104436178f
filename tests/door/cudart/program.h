/*
 * A CUDA program as a compiler leaves it, made by hand: PTX in a fat binary
 * whose kernels and variables are registered. It needs no compiler for GPUs.
 */
#ifndef HEDDLE_TESTS_DOOR_PROGRAM_H
#define HEDDLE_TESTS_DOOR_PROGRAM_H

#include <stddef.h>

#include "door/cuda/include/cuda_runtime_api.h"

/* The kernels of program.c, as a program names them: by addresses. */
void kernel_add(void);   /* int *p, int n, int v: p[i] += v */
void kernel_index(void); /* int *p: p[global thread] = block * 1000 + thread */
void kernel_reverse(void);  /* int *p: by dynamic shared memory, one block */
void kernel_variable(void); /* int *p: p[0] = variable + table[1]; variable++ */
void kernel_store(void);    /* int *p, int v: *p = v, one thread */
void kernel_texture(void);  /* texture t, float *p, int n: p[i] = t[i] */
void kernel_surface(void);  /* surface s, int *p: p[i] = s[i], then s[i] = i */
void kernel_spin(void);     /* int n: counts to n */
void kernel_grow(void);     /* managed++ */
void kernel_missing(void);  /* is not in the PTX */
void kernel_sass(void);     /* of a fat binary without PTX */

extern int variable[1]; /* __device__ int */
extern int table[4];    /* __constant__ int[4] */
extern int *managed;    /* __managed__ int, by its pointer */

/* kernel<<<grid, block, shared, stream>>>(args). */
cudaError_t launch(void (*kernel)(void), dim3 grid, dim3 block, size_t shared,
		   cudaStream_t s, void **args);
#define ARGS(...) ((void *[]){ __VA_ARGS__ })
#define DIM(...) ((dim3){ __VA_ARGS__ })

/* kernel_add with one thread for each of n numbers. */
cudaError_t add(int *p, int n, int v, cudaStream_t s);

/* Registers one more fat binary; the handle that a program holds. */
void **register_ptx(const char *text);
/* One of several images, for compute capabilities (90 for 9.0). */
struct ptx_image {
	unsigned sm;
	const char *text;
};
void **register_choice(const struct ptx_image *list, size_t count);
void register_kernel(void **image, void (*stub)(void), const char *name);

/* EQ that says the error's name. */
#define GIVES(want, expr) STREQ(cudaGetErrorName(want), cudaGetErrorName(expr))
#define WORKS(expr) GIVES(cudaSuccess, expr)

#endif
