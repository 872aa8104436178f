/* Part of cooperative_groups.h. */
#ifndef HEDDLE_CG_MEMCPY_ASYNC_H
#define HEDDLE_CG_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
#endif
