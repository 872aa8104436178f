/*
 * Contexts: a device with flags, and the stack of them that each thread has;
 * its top is the thread's current context. A device has one address space
 * here: its contexts share memory, modules, streams and events, and what was
 * made in one can be used in the others. When the last of a device's contexts
 * ends, all that was made on the device does.
 *
 * A program that uses the runtime API as well has the primary context of the
 * runtime's current device for its current one, as with the real driver.
 */
#ifndef HEDDLE_LIBCUDA_CONTEXT_H
#define HEDDLE_LIBCUDA_CONTEXT_H

#include "door/libcuda/api.h"

/* cuInit has been called, or the runtime API is in the process. */
bool initialized(void);
/* The current context; CUDA_ERROR_INVALID_CONTEXT: there is none,
 * CUDA_ERROR_CONTEXT_IS_DESTROYED: it has ended in another thread. */
int context_current(CUcontext *out);
/* CUDA_ERROR_INVALID_CONTEXT: it is not one. */
int context_device(int *device, CUcontext ctx);
/* The context that things of a device belong to, if nobody knows better. */
CUcontext context_of_device(int device);

#endif
