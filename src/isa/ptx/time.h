/*
 * The timed instructions (arch/timed.h) of a PTX program: what ptxas would have
 * made of it, as far as timing is concerned.
 *
 * Registers. PTX has an unlimited number of registers; a GPU does not. Every
 * PTX register that a function uses, including predicates and the carry flag,
 * gets a number of its own for the scoreboard, dense from 0 in order of
 * appearance, so that there are no false dependences. It also gets a physical
 * register by linear allocation over live ranges (time_live.h), which decides
 * the banks of the operands. Constants, kernel parameters and what a uniform
 * datapath computes from them alone have no physical register: reading them
 * uses no bank. Registers per thread, for occupancy, are an estimate of what
 * ptxas allocates.
 *
 * A unit that the SM does not have is replaced by another one: half precision
 * and transcendentals by FP32, textures by the LSU, the rest by INT or FP32.
 * Nothing replaces FP64 and tensor cores: such an instruction refuses its
 * function.
 *
 * Latencies depend on the basic block (time_tune.h). With sm.compiled, the
 * instructions have been scheduled before they were lowered (schedule.h), and a
 * register that its block writes again has a number of its own for each write,
 * as if the compiler had given it another register.
 *
 * Does not model: spilling (a kernel that needs more registers than the limit
 *          is assumed to have the limit), ptxas's instruction selection. Beyond
 *          65,535 registers in a function, registers share numbers.
 */
#ifndef HEDDLE_ISA_PTX_TIME_H
#define HEDDLE_ISA_PTX_TIME_H

#include "arch/timed.h"
#include "isa/ptx/program.h"

/* isa.time */
MUST_USE enum err ptx_time(struct timed_program **out, struct arena *a,
			   const struct program *p, const struct cfg *cfg,
			   struct diag *d);

#endif
