#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explore/engines.h"
#include "explore/files.h"

/* The files of a comparison. */
static const char *const patterns[] = { FOLDER_MARK,     "engines.json",
					"engines-*.csv", "engines-*.gp",
					"engines-*.svg", "engines-*.png",
					"runs" };

static bool is_comparison_file(const char *name)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

static enum err engines_folder_error(const char *path, struct diag *d)
{
	return fail(d, ERR_IO, "cannot use the folder '%.200s': %s", path,
		    strerror(errno));
}

/* Goes through the folder: removes its files but the mark, or checks that all of them are
 * those of a comparison. */
static enum err engines_folder_walk(const char *path, bool clear,
				    struct diag *d)
{
	DIR *dir = opendir(path);
	char file[PATH_MAX + 256];
	enum err err = ERR_OK;
	struct dirent *e;

	if (!dir)
		return engines_folder_error(path, d);
	while (!err && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    (clear && !strcmp(e->d_name, FOLDER_MARK)))
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		if (!clear && !is_comparison_file(e->d_name))
			err = fail(d, ERR_IO,
				   "the folder '%.200s' holds '%.80s', which "
				   "is not from an earlier comparison; nothing "
				   "was changed",
				   path, e->d_name);
		else if (clear && !file_remove(file))
			err = engines_folder_error(file, d);
	}
	closedir(dir);
	return err;
}

static enum err engines_folder_temporary(struct engines *e, struct diag *d)
{
	const char *place = getenv("TMPDIR");

	snprintf(e->folder, sizeof(e->folder), "%.*s/heddle-engines-XXXXXX",
		 PATH_MAX - 64, place && *place ? place : "/tmp");
	if (!mkdtemp(e->folder)) {
		fail(d, ERR_IO, "cannot create the folder '%.200s': %s",
		     e->folder, strerror(errno));
		e->folder[0] = '\0';
		return d->code;
	}
	return ERR_OK;
}

enum err engines_folder_open(struct engines *e, const char *out, struct diag *d)
{
	char path[PATH_MAX];

	if (!out)
		return engines_folder_temporary(e, d);
	if (mkdir(out, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "cannot create the folder '%.200s': %s",
			    out, strerror(errno));
	if (!realpath(out, path))
		return engines_folder_error(out, d);
	if (engines_folder_walk(path, false, d) ||
	    folder_mark(path, "The comparison has not ended.", d) ||
	    engines_folder_walk(path, true, d))
		return d->code;
	memcpy(e->folder, path, sizeof(path));
	e->keep = true;
	return ERR_OK;
}

enum err engines_folder_finish(const struct engines *e, bool interrupted,
			       struct diag *d)
{
	if (!e->keep)
		return ERR_OK;
	return interrupted ? folder_mark(e->folder,
					 "The comparison was interrupted.", d) :
			     folder_unmark(e->folder, d);
}

void engines_folder_close(const struct engines *e)
{
	if (e->folder[0] && !e->keep)
		file_remove(e->folder);
}

FILE *engines_create(const struct engines *e, const char *name, struct diag *d)
{
	char path[PATH_MAX + 64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%.60s", e->folder, name);
	f = fopen(path, "we");
	if (!f)
		fail(d, ERR_IO, "cannot create '%.300s': %s", path,
		     strerror(errno));
	return f;
}

enum err engines_finish(FILE *f, const char *name, struct diag *d)
{
	bool bad = ferror(f);

	if (fclose(f) || bad)
		return fail(d, ERR_IO, "cannot write '%s'", name);
	return ERR_OK;
}
