/*
 * Declares every executor: those expanded from lane rows, and those that WARP
 * rows name.
 */
#ifndef HEDDLE_ISA_PTX_EXEC_ROWS_H
#define HEDDLE_ISA_PTX_EXEC_ROWS_H

#include "isa/ptx/exec.h"

#define LANE1(id, ...) exec_fn exec_##id;
#define LANE2(id, ...) exec_fn exec_##id;
#define LANE3(id, ...) exec_fn exec_##id;
#define LANE4(id, ...) exec_fn exec_##id;
#define CARRY2(id, ...) exec_fn exec_##id;
#define CARRY3(id, ...) exec_fn exec_##id;
#define SETP(id, ...) exec_fn exec_##id;
#define SET(id, ...) exec_fn exec_##id;
#define SELP(id, ...) exec_fn exec_##id;
#define TEST1(id, ...) exec_fn exec_##id;
#define WARP(id, pattern, form, unit, lat, kind, replay, fn) exec_fn fn;
#include "isa/ptx/ptx.def"

/* Not in the table: reads a special register that changes; looks whether the
 * iterations of an unrolled loop are to be executed. */
exec_fn exec_sreg, exec_unrolled;
/* Behind the last of a group of facts; does nothing. */
exec_fn exec_facts_end;

#endif
