/*
 * Special registers that are fixed when a warp starts: arch/isa.h.
 */
#ifndef HEDDLE_ISA_PTX_SREG_H
#define HEDDLE_ISA_PTX_SREG_H

#include "simt/block.h"

/* Fills in those that are the same for every block of the launch. */
void ptx_start_launch(char *sregs, const struct launch *l, uint32_t warp);
/* Fills in those that depend on the block. */
void ptx_start_block(char *sregs, const struct block *b);

#endif
