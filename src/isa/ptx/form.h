/* The operand forms of the table, compiled. row.h explains the kinds. */
#ifndef HEDDLE_ISA_PTX_FORM_H
#define HEDDLE_ISA_PTX_FORM_H

#include <stdbool.h>
#include <stdint.h>

struct ptx_form_slot {
	char kind[2];  /* "d", "dp", "m", ... */
	uint8_t count; /* N of dN and aN, else 0 */
	uint8_t type;  /* enum ptx_type; by_opcode: index in opcode.type */
	bool by_opcode;
};

struct ptx_form {
	struct ptx_form_slot slot[8];
	uint8_t slots;
	uint16_t counts; /* bit n: the form allows n operands */
};

const struct ptx_form *ptx_form_of(unsigned op);

#endif
