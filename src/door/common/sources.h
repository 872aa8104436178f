/*
 * Which source files may be shown. A module names its sources itself (.file), and
 * could name any file that its user can read. Lines are shown only of files that
 * lie below the program's folder, or below one that the user has named; symbolic
 * links count as what they point to, and hidden files are never shown.
 */
#ifndef HEDDLE_COMMON_SOURCES_H
#define HEDDLE_COMMON_SOURCES_H

#include <stdio.h>

#include "base/diag.h"

/* A source that is in no file: a program has given it as text. */
struct source_text {
	char *name, *text;
};

/* Nothing in it: no source is shown. */
struct sources {
	char **folders; /* absolute, without symbolic links */
	size_t count;
	struct source_text *texts;
	size_t text_count;
};

/* Allows the files below a folder. An error: there is no such folder. */
MUST_USE enum err sources_add(struct sources *s, const char *folder,
			      struct diag *d);
/* The same for a list of folders, separated by colons. */
MUST_USE enum err sources_add_list(struct sources *s, const char *list,
				   struct diag *d);
/* Allows the files below the folder of a program. If the program cannot be found,
 * nothing is added. */
MUST_USE enum err sources_add_program(struct sources *s, const char *path,
				      struct diag *d);
/* Adds a text of that name, both copied. */
MUST_USE enum err sources_add_text(struct sources *s, const char *name,
				   const char *text, struct diag *d);
/* The folders as such a list, malloc'ed; NULL: out of memory. */
char *sources_list(const struct sources *s);
void sources_free(struct sources *s);

/* Opens a source for reading; NULL: it is not there, or must not be shown. A
 * relative name is looked for among the texts, in the current folder, then in those
 * of s. */
FILE *sources_open(const struct sources *s, const char *name);

#endif
