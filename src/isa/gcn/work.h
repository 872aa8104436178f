/*
 * Floating-point operations of GCN instructions, for reports.
 */
#ifndef HEDDLE_ISA_GCN_WORK_H
#define HEDDLE_ISA_GCN_WORK_H

#include "arch/isa.h"
#include "isa/gcn/inst.h"

/* As for the other machine code: additions and multiplications count one, also those
 * that belong to the sequence of a division; multiply-adds count two, fused or not;
 * what a quarter of the lanes computes (reciprocals, roots, exponentials) counts one,
 * comparisons, conversions, minima and maxima nothing. */
struct inst_work gcn_work_of(enum gcn_op op);

#endif
