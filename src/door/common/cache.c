#include "door/common/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes all folders of a path; false: it cannot be used. */
static bool make_folders(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	mkdir(path, 0700);
	return !access(path, W_OK | X_OK);
}

bool cache_folder(char out[PATH_MAX], const char *kind, int room)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = 0;

	if (base && *base == '/')
		n = snprintf(out, PATH_MAX, "%s/heddle/%s", base, kind);
	else if (home && *home == '/')
		n = snprintf(out, PATH_MAX, "%s/.cache/heddle/%s", home, kind);
	return n > 0 && n < PATH_MAX - room && make_folders(out);
}
