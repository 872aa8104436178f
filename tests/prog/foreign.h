/*
 * Writes a trace as the tracer of Accel-Sim would have: what it can see of each
 * instruction, in the versions and the compressions that it has had.
 */
#ifndef HEDDLE_TESTS_FOREIGN_H
#define HEDDLE_TESTS_FOREIGN_H

#include <stdbool.h>

struct foreign_style {
	int version;       /* 3 to 5 */
	bool compressed;   /* addresses as base and stride or distances */
	bool windows;      /* shared and local memory at generic addresses */
	const char *xz;    /* a command that compresses, or NULL */
	const char *after; /* what it appends to a file's name */
};

/* Writes kernelslist.g and a file for each launch of a trace of machine code
 * into an empty folder. False: it has a launch that faulted, or none. */
bool foreign_write(const char *trace, const char *folder,
		   const struct foreign_style *style);

#endif
