/* Where results that take long to make are kept: $XDG_CACHE_HOME/heddle, by default
 * ~/.cache/heddle. */
#ifndef HEDDLE_COMMON_CACHE_H
#define HEDDLE_COMMON_CACHE_H

#include <limits.h>
#include <stdbool.h>

/* Finds the folder for results of one kind, and makes it if there is none. The path
 * leaves `room` bytes for names of files. False: there is none that can be used. */
bool cache_folder(char out[PATH_MAX], const char *kind, int room);

#endif
