/*
 * Memory spaces, as programs name them.
 */
#ifndef HEDDLE_ARCH_SPACE_H
#define HEDDLE_ARCH_SPACE_H

/* Traces store these numbers: new spaces go to the end. */
enum space {
	SPACE_REG,
	SPACE_CONST,
	SPACE_GLOBAL,
	SPACE_LOCAL,
	SPACE_PARAM,
	SPACE_SHARED,
	SPACE_GENERIC /* of an instruction, never of a variable */
};

#endif
