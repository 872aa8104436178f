/*
 * Contexts: a context is a device with flags. Each thread has a stack of them,
 * whose top is its current context. A device has one address space here: its
 * contexts share memory, modules, streams and events, and what was made in one
 * can be used in the others. Destroying the last context of a device frees all
 * that was made on the device.
 *
 * If a program also uses the runtime API, the primary context of the runtime's
 * current device is its current context, as with the real driver.
 */
#ifndef HEDDLE_LIBCUDA_CONTEXT_H
#define HEDDLE_LIBCUDA_CONTEXT_H

#include "door/libcuda/api.h"

/* Whether cuInit was called or the process has loaded the runtime API. */
bool driver_initialized(void);
/* The current context. CUDA_ERROR_INVALID_CONTEXT: there is none;
 * CUDA_ERROR_CONTEXT_IS_DESTROYED: another thread destroyed it. */
int context_current(CUcontext *out);
/* CUDA_ERROR_INVALID_CONTEXT: ctx is not a live context. */
int context_device(int *device, CUcontext ctx);
/* A context of the device, preferably the current one; NULL: none. */
CUcontext context_of_device(int device);

#endif
