/*
 * Joins PTX texts of objects that were compiled apart (-rdc=true) into one, as
 * a linker would: what one names as .extern another one defines. The header of
 * the first counts; of a .weak function or variable the first definition. What
 * is an object's own (neither .visible nor .extern nor .weak) gets another name
 * if an earlier object has one of that name.
 * Names that are no symbols of the object (.file numbers) may be told wrong.
 */
#ifndef HEDDLE_RT_JOIN_H
#define HEDDLE_RT_JOIN_H

#include <stdbool.h>
#include <stddef.h>

struct join {
	char *text; /* malloc'ed, ends in NUL */
	size_t size, room;
	/* Names that were defined so far: .weak ones, and objects' own. */
	struct names {
		char **list;
		size_t count;
	} weak, own;
};

/* False: out of memory. join_free in any case. */
bool join_add(struct join *j, const char *text);
void join_free(struct join *j);

#endif
