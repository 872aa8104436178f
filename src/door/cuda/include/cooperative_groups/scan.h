/* Part of cooperative_groups.h. */
#ifndef HEDDLE_CG_SCAN_H
#define HEDDLE_CG_SCAN_H
#include "../cooperative_groups.h"
#endif
