/*
 * How values of DWARF's debugging information are stored, by the standard's
 * numbers.
 */
#ifndef HEDDLE_BASE_DWARF_FORM_H
#define HEDDLE_BASE_DWARF_FORM_H

enum dwarf_form {
	FORM_ADDR = 0x01,
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_FLAG = 0x0c,
	FORM_SDATA = 0x0d,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_REF4 = 0x13,
	FORM_REF8 = 0x14,
	FORM_SEC_OFFSET = 0x17,
	FORM_EXPRLOC = 0x18,
	FORM_PRESENT = 0x19,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
};

/* The bytes of a form that always has as many; 0: it has not. */
static inline unsigned dwarf_form_bytes(unsigned long long form)
{
	switch (form) {
	case FORM_FLAG:
	case FORM_DATA1:
		return 1;
	case FORM_DATA2:
		return 2;
	case FORM_DATA4:
	case FORM_STRP:
	case FORM_LINE_STRP:
	case FORM_REF4:
	case FORM_SEC_OFFSET:
		return 4;
	case FORM_ADDR:
	case FORM_DATA8:
	case FORM_REF8:
		return 8;
	default:
		return 0;
	}
}

#endif
