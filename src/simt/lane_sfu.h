/*
 * The special function unit of sm_90 (MUFU), bit by bit.
 *
 * Every .approx instruction of PTX is one of these with a few ordinary
 * instructions around it (simt/lane.c). Subnormal operands count as zero, and
 * so do subnormal results; a NaN is 0x7fffffff.
 */
#ifndef HEDDLE_SIMT_LANE_SFU_H
#define HEDDLE_SIMT_LANE_SFU_H

#include <stdint.h>

float sfu_rcp(float a);
float sfu_rsq(float a);
float sfu_sqrt(float a);
float sfu_lg2(float a);
float sfu_ex2(float a);
float sfu_tanh(float a);
/* Of an angle in turns. */
float sfu_sin(float turns);
float sfu_cos(float turns);
/* Of the upper word of a double, to the upper word of a double. */
uint32_t sfu_rcp64(uint32_t upper);
uint32_t sfu_rsq64(uint32_t upper);

#endif
