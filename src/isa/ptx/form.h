/* Operand forms of the table, compiled: see row.h for what the kinds mean. */
#ifndef HEDDLE_ISA_PTX_FORM_H
#define HEDDLE_ISA_PTX_FORM_H

#include <stdbool.h>
#include <stdint.h>

struct ptx_form_slot {
	char kind[2];  /* "d", "dp", "m", ... */
	uint8_t count; /* of dN and aN, else 0 */
	uint8_t type;  /* enum ptx_type, or which of the opcode's types */
	bool by_opcode;
};

struct ptx_form {
	struct ptx_form_slot slot[8];
	uint8_t slots;
	uint16_t counts; /* bit n: n operands are right */
};

const struct ptx_form *ptx_form_of(unsigned op);

#endif
