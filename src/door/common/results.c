#include "door/common/results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHER_NAME ".tmp"
#define NAME_SIZE 64
enum { MOST_PROCESSES = 100000 };

/* All files of a result. */
static const char *const files[] = {
	RESULTS_MARK,     RESULTS_PROGRAM,      RESULTS_SYSTEM,   RESULTS_PAGE,
	RESULTS_REQUESTS, "launch-[0-9]*.json", "gpu-[0-9]*.cfg",
};
#define PROCESS "process-[0-9]*"

static bool is_ours(const char *name)
{
	size_t n = strlen(name), other = strlen(OTHER_NAME);
	char plain[NAME_SIZE];

	if (n >= sizeof(plain))
		return false;
	memcpy(plain, name, n + 1);
	if (n > other && !strcmp(plain + n - other, OTHER_NAME))
		plain[n - other] = '\0';
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!fnmatch(files[i], plain, 0))
			return true;
	return false;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static enum err no_folder(const char *path, struct diag *d)
{
	return fail(d, ERR_IO, "cannot use the folder '%.200s': %s", path,
		    strerror(errno));
}

/* Opens a folder inside another to list it; NULL: see errno. */
static DIR *list(int at, const char *name)
{
	int fd = openat(at, name,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

/* Checks that a folder only holds a result; remove: deletes it except for the
 * mark. Subfolders are those of processes, one level deep. */
static enum err walk(int at, const char *name, const char *path, bool remove,
		     bool inner, struct diag *d)
{
	DIR *dir = list(at, name);
	struct dirent *e;
	enum err err = ERR_OK;

	if (!dir)
		return no_folder(path, d);
	while (!err && (e = readdir(dir))) {
		int flags = 0;

		if (is_dots(e->d_name) ||
		    (!inner && !strcmp(e->d_name, RESULTS_MARK)))
			continue;
		if (!inner && !fnmatch(PROCESS, e->d_name, 0)) {
			err = walk(dirfd(dir), e->d_name, path, remove, true,
				   d);
			flags = AT_REMOVEDIR;
		} else if (!is_ours(e->d_name)) {
			err = fail(d, ERR_IO,
				   "the folder '%.200s' holds '%.80s', which "
				   "is not a result of an earlier run; nothing "
				   "was changed",
				   path, e->d_name);
		}
		if (!err && remove && unlinkat(dirfd(dir), e->d_name, flags))
			err = no_folder(path, d);
	}
	closedir(dir);
	return err;
}

static enum err mark(const char *path, const char *text, struct diag *d)
{
	FILE *f = results_create(path, RESULTS_MARK, d);

	if (!f)
		return d->code;
	fprintf(f, "%s\n", text);
	return results_commit(f, path, RESULTS_MARK, d);
}

static enum err lock(struct results *r, const char *path, struct diag *d)
{
	r->lock = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->lock < 0)
		return no_folder(path, d);
	/* Some file systems have no locks; go on without. */
	if (flock(r->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return fail(d, ERR_IO,
			    "the folder '%.200s' is in use by another run",
			    path);
	return ERR_OK;
}

enum err results_open(struct results *r, const char *path, struct diag *d)
{
	*r = (struct results){ .lock = -1 };
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "cannot make the folder '%.200s': %s",
			    path, strerror(errno));
	if (!realpath(path, r->path))
		return no_folder(path, d);
	if (lock(r, path, d) || walk(AT_FDCWD, r->path, path, false, false, d))
		return d->code;
	/* Mark it first: a run that ends in between must not look complete. */
	if (mark(r->path, "The run has not ended.", d))
		return d->code;
	return walk(AT_FDCWD, r->path, path, true, false, d);
}

void results_close(struct results *r)
{
	if (r->lock >= 0)
		close(r->lock);
	r->lock = -1;
}

enum err results_incomplete(const struct results *r, const char *why,
			    struct diag *d)
{
	return mark(r->path, why, d);
}

enum err results_complete(const struct results *r, struct diag *d)
{
	if (unlinkat(r->lock, RESULTS_MARK, 0) && errno != ENOENT)
		return no_folder(r->path, d);
	return ERR_OK;
}

/* Claims a folder by creating program.json under its temporary name; true: it
 * belongs to the caller. */
static bool take(const char *path)
{
	char name[PATH_MAX + NAME_SIZE];
	int fd;

	snprintf(name, sizeof(name), "%s/" RESULTS_PROGRAM OTHER_NAME, path);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	close(fd);
	snprintf(name, sizeof(name), "%s/" RESULTS_PROGRAM, path);
	if (access(name, F_OK))
		return true;
	snprintf(name, sizeof(name), "%s/" RESULTS_PROGRAM OTHER_NAME, path);
	unlink(name);
	return false;
}

enum err results_take(char out[PATH_MAX], const char *path, struct diag *d)
{
	if (strlen(path) + NAME_SIZE > PATH_MAX)
		return fail(d, ERR_IO, "the folder's name is too long");
	snprintf(out, PATH_MAX, "%s", path);
	if (take(out))
		return ERR_OK;
	for (int i = 2; i < MOST_PROCESSES; i++) {
		snprintf(out, PATH_MAX, "%s/process-%d", path, i);
		if (!mkdir(out, 0777) && take(out))
			return ERR_OK;
		if (errno != EEXIST)
			return no_folder(out, d);
	}
	return fail(d, ERR_IO, "too many processes in '%.200s'", path);
}

static void count(int at, const char *name, unsigned *taken,
		  unsigned *completed)
{
	char file[NAME_SIZE + 32];
	bool done, begun;

	snprintf(file, sizeof(file), "%.60s/" RESULTS_PROGRAM, name);
	done = !faccessat(at, file, F_OK, 0);
	snprintf(file, sizeof(file), "%.60s/" RESULTS_PROGRAM OTHER_NAME, name);
	begun = !faccessat(at, file, F_OK, 0);
	*taken += done || begun;
	*completed += done && !begun;
}

void results_count(const struct results *r, unsigned *taken,
		   unsigned *completed)
{
	DIR *dir = list(r->lock, ".");
	struct dirent *e;

	*taken = *completed = 0;
	count(r->lock, ".", taken, completed);
	while (dir && (e = readdir(dir)))
		if (!fnmatch(PROCESS, e->d_name, 0))
			count(r->lock, e->d_name, taken, completed);
	if (dir)
		closedir(dir);
}

FILE *results_create(const char *path, const char *name, struct diag *d)
{
	char file[PATH_MAX + NAME_SIZE];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s" OTHER_NAME, path, name);
	f = fopen(file, "we");
	if (!f)
		fail(d, ERR_IO, "cannot create '%.300s': %s", file,
		     strerror(errno));
	return f;
}

enum err results_commit(FILE *f, const char *path, const char *name,
			struct diag *d)
{
	char from[PATH_MAX + NAME_SIZE], to[PATH_MAX + NAME_SIZE];
	bool failed = ferror(f);

	snprintf(from, sizeof(from), "%s/%s" OTHER_NAME, path, name);
	snprintf(to, sizeof(to), "%s/%s", path, name);
	if (!fclose(f) && !failed && !rename(from, to))
		return ERR_OK;
	(void)fail(d, ERR_IO, "cannot write '%.300s': %s", to, strerror(errno));
	/* It stays, to show that something was begun, but leaves its room on a
	 * full disk to the mark. */
	f = fopen(from, "we");
	if (f)
		fclose(f);
	return d->code;
}
