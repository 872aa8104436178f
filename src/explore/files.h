/* Files and folders as a whole. */
#ifndef HEDDLE_EXPLORE_FILES_H
#define HEDDLE_EXPLORE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* Writes a file with these bytes, in place of an earlier one. */
MUST_USE enum err file_write(const char *path, const void *bytes, size_t size,
			     struct diag *d);
/* Removes a file, or a folder with everything in it. True: nothing is left
 * there; else errno says why. */
bool file_remove(const char *path);
/* The file that marks a folder whose contents are not complete, as heddle exec
 * and the CUDA libraries do. It says why, in one line. */
#define FOLDER_MARK "INCOMPLETE"
MUST_USE enum err folder_mark(const char *folder, const char *why,
			      struct diag *d);
MUST_USE enum err folder_unmark(const char *folder, struct diag *d);

bool file_is_regular(const char *path);
/* What follows the last slash of a path; the path itself if nothing does. */
const char *file_base_name(const char *path);

#endif
