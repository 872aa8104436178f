/*
 * The timed instructions of a PTX program: what ptxas would have made of it,
 * as far as timing is concerned. arch/timed.h says what they hold.
 *
 * Registers. PTX has as many as it likes; a GPU does not. Every PTX register
 * that a function uses, predicates and the carry flag among them, gets a
 * number of its own for the scoreboard, dense from 0 in order of appearance,
 * so that there are no false dependences; and a physical register of the
 * register file by a linear allocation over live ranges (time_live.h), from
 * which come the banks of the operands. Constants, kernel parameters and what
 * a uniform datapath computes from them alone have no physical register:
 * reading them costs no bank. Registers per thread, for occupancy, are an
 * estimate of what ptxas takes.
 *
 * A unit that the SM does not have is replaced by another that can do its
 * work: half precision and transcendentals by FP32, textures by the LSU, the
 * rest by INT or FP32. Nothing replaces FP64 and tensor cores: such an
 * instruction refuses its function.
 *
 * Latencies take account of the basic block (time_tune.h). With sm.compiled, a
 * register that its block writes again has a number of its own for each write,
 * as if the compiler had given it another register.
 *
 * Does not model: spilling (a kernel that needs more registers than the limit
 *          is taken to have the limit), ptxas's instruction selection. Beyond
 *          65,535 registers of a function, registers share numbers.
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
