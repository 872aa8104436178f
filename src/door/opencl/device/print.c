/* Where printf writes to; prelude.h has the rest. */
#include "common.h"

/* The library writes the address of the buffer here. */
CONSTANT volatile ulong heddle_cl_print;

API GLOBAL uint *print_buffer(void) __asm__("__heddle_print_buffer");
API GLOBAL uint *print_buffer(void)
{
	return (GLOBAL uint *)heddle_cl_print;
}
