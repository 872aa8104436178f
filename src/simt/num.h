/*
 * Types of numbers as the arithmetic that instruction sets share knows them:
 * atomics on memory and matrices. Bits without a type count as unsigned.
 */
#ifndef HEDDLE_SIMT_NUM_H
#define HEDDLE_SIMT_NUM_H

enum num_type {
	/* Of atomics. */
	NUM_U32,
	NUM_S32,
	NUM_U64,
	NUM_S64,
	NUM_F16,
	NUM_BF16,
	NUM_F16X2,
	NUM_BF16X2,
	NUM_F32,
	NUM_F64,
	/* Of matrices only. */
	NUM_TF32,
	NUM_E4M3,
	NUM_E5M2,
	NUM_S8,
	NUM_U8,
	NUM_S4,
	NUM_U4,
	NUM_B1,
	NUM_TYPES
};

#endif
