/*
 * The simulator's side of OpenCL for guests: what the library of lib/opencl.c asks
 * for by its system call is done by door/opencl, on a GPU of rt.h.
 *
 *   program -> lib/opencl.c -> system call -> call.c -> door/opencl -> rt*.c -> GPU
 *
 * Handles are numbers of this file's own, the same in every run; any other number
 * is a wrong handle. An address is checked before it is used: one that the program
 * may not access is an error of the call.
 * Does not model: several GPUs of one program; interrupts: functions of the
 * program that wait for an event are called when it calls OpenCL again.
 * Owner:   the command; there is one at a time in a process.
 */
#ifndef HEDDLE_GUEST_GUEST_H
#define HEDDLE_GUEST_GUEST_H

#include "base/diag.h"
#include "heddle/heddle.h"
#include "isa/x86/process.h"

/* Which GPU guests have; NULL: hd7970. It is opened by their first call. */
MUST_USE enum err gcl_set_gpu(const char *name, struct diag *d);
/* For x86_options. */
struct x86_service gcl_service(void);
/* Frees all; before the process is. */
void gcl_close(void);

#endif
