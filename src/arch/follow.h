/*
 * What may follow an instruction, as far as its timing kind tells.
 */
#ifndef HEDDLE_ARCH_FOLLOW_H
#define HEDDLE_ARCH_FOLLOW_H

#include <stdbool.h>

#include "arch/kind.h"

/* Whether it can only be the next one, unless something happens during the
 * execution. */
static inline bool kind_falls_through(unsigned kind)
{
	switch ((enum timing_kind)kind) {
	case KIND_BARRIER:
	case KIND_ARRIVE:
	case KIND_BRANCH:
	case KIND_INDIRECT:
	case KIND_CALL:
	case KIND_EXIT:
	case KIND_MEET:
		return false;
	default:
		return true;
	}
}

#endif
