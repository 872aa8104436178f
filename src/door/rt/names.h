/* Numbers names from 0, in the order in which they first appear. */
#ifndef HEDDLE_RT_NAMES_H
#define HEDDLE_RT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NAMES_FULL SIZE_MAX

struct names {
	char **at;
	size_t count, room;
	size_t *slots; /* open addressing: a number, from 1; 0: free */
	size_t slot_count;
};

/* The number of the name; a new name is copied. NAMES_FULL: out of memory. */
size_t names_index(struct names *n, const char *name);
void names_free(struct names *n);

#endif
