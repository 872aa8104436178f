/* Part of cooperative_groups.h. */
#ifndef HEDDLE_CG_REDUCE_H
#define HEDDLE_CG_REDUCE_H
#include "../cooperative_groups.h"
#endif
