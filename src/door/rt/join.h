/*
 * Links the PTX of objects that were compiled separately (-rdc=true) into one
 * text: what one declares as .extern, another defines. Takes the header of the
 * first text and the first definition of a .weak function or variable. Renames
 * local symbols (neither .visible nor .extern nor .weak) whose name an earlier
 * object has.
 * Numbers of .file directives may be wrong in the result.
 */
#ifndef HEDDLE_RT_JOIN_H
#define HEDDLE_RT_JOIN_H

#include <stdbool.h>
#include <stddef.h>

struct ptx_join {
	char *text; /* malloc'ed, ends in NUL */
	size_t size, room;
	/* Names defined so far: .weak symbols, and local ones. */
	struct name_list {
		char **list;
		size_t count;
	} weak, local;
};

/* False: out of memory. Call join_free in any case. */
bool join_add(struct ptx_join *j, const char *text);
void join_free(struct ptx_join *j);

#endif
