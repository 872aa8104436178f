/*
 * Masks over the lanes of a warp. How many lanes a warp has is a property of
 * its instruction set (isa.lanes); a mask can hold any of them.
 */
#ifndef HEDDLE_ARCH_LANES_H
#define HEDDLE_ARCH_LANES_H

#include <stdint.h>

typedef uint32_t lanes_t;

#endif
