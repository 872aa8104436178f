/* GFX6, the instruction set of AMD's Southern Islands GPUs, as the rest of the
 * simulator sees it. */
#ifndef HEDDLE_ISA_GCN_ISA_H
#define HEDDLE_ISA_GCN_ISA_H

#include "arch/isa.h"

extern const struct isa isa_gcn;

#endif
