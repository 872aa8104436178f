#define _GNU_SOURCE /* nftw */
#include "explore/files.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum err file_write(const char *path, const void *bytes, size_t size,
		    struct diag *d)
{
	FILE *f = fopen(path, "we");
	bool complete = f && fwrite(bytes, 1, size, f) == size;

	if (f && fclose(f))
		complete = false;
	return complete ? ERR_OK :
			  fail(d, ERR_IO, "cannot write '%.300s': %s", path,
			       strerror(errno));
}

static int file_remove_one(const char *path, const struct stat *st, int type,
			   struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

bool file_remove(const char *path)
{
	return !unlink(path) || errno == ENOENT ||
	       !nftw(path, file_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static enum err folder_mark_path(char path[PATH_MAX], const char *folder,
				 struct diag *d)
{
	if (strlen(folder) + sizeof(FOLDER_MARK) + 1 > PATH_MAX)
		return fail(d, ERR_IO, "the folder's name is too long");
	snprintf(path, PATH_MAX, "%s/" FOLDER_MARK, folder);
	return ERR_OK;
}

enum err folder_mark(const char *folder, const char *why, struct diag *d)
{
	char path[PATH_MAX], line[200];

	if (folder_mark_path(path, folder, d))
		return d->code;
	snprintf(line, sizeof(line), "%s\n", why);
	return file_write(path, line, strlen(line), d);
}

enum err folder_unmark(const char *folder, struct diag *d)
{
	char path[PATH_MAX];

	if (folder_mark_path(path, folder, d))
		return d->code;
	return file_remove(path) ? ERR_OK :
				   fail(d, ERR_IO, "cannot remove '%.300s': %s",
					path, strerror(errno));
}

bool file_is_regular(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
