/*
 * Joins PTX texts of objects that were compiled apart (-rdc=true) into one, as
 * a linker would: what one names as .extern another one defines. The header of
 * the first counts; of a .weak function or variable the first definition.
 * Names that are no symbols of the object (.file numbers) may be told wrong.
 */
#ifndef HEDDLE_RT_JOIN_H
#define HEDDLE_RT_JOIN_H

#include <stdbool.h>
#include <stddef.h>

struct join {
	char *text; /* malloc'ed, ends in NUL */
	size_t size, room;
	char **weak; /* names that were defined so far */
	size_t weak_count;
};

/* False: out of memory. join_free in any case. */
bool join_add(struct join *j, const char *text);
void join_free(struct join *j);

#endif
