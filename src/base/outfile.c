#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_LINKS = 40,    /* as in Linux */
	MAX_NUMBER = 10000 /* of files that are numbered */
};

static bool outfile_is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

/* Descriptors look like symbolic links to files, but the file behind one is
 * shared with others, who have it open. */
static bool outfile_is_descriptor(const char *path)
{
	return !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/dev/std", 8) ||
	       !strncmp(path, "/proc/", 6);
}

/* The bytes of a path up to its last slash, with it. */
static size_t outfile_folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Replaces the path of a symbolic link by what it names. 1: done, 0: it is not
 * a link, -1: see errno. */
static int outfile_follow(char path[PATH_MAX])
{
	char name[PATH_MAX];
	ssize_t n = readlink(path, name, sizeof(name) - 1);
	size_t folder;

	if (n < 0)
		return errno == EINVAL || errno == ENOENT ? 0 : -1;
	name[n] = '\0';
	folder = name[0] == '/' ? 0 : outfile_folder_length(path);
	if (folder + (size_t)n >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(path + folder, name, (size_t)n + 1);
	return 1;
}

/* Resolves symbolic links, also of a file that does not exist. False: see
 * errno. */
static bool outfile_resolve(char out[PATH_MAX], const char *path)
{
	int followed = 1;

	if (strlen(path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	strcpy(out, path);
	for (int i = 0; i < MAX_LINKS; i++) {
		if (outfile_is_descriptor(out))
			return true;
		followed = outfile_follow(out);
		if (followed <= 0)
			return followed == 0;
	}
	errno = ELOOP;
	return false;
}

static void outfile_folder(char out[PATH_MAX], const char *path)
{
	size_t n = outfile_folder_length(path);

	snprintf(out, PATH_MAX, "%.*s", n ? (int)n : 1, n ? path : ".");
}

/* How to write a file, whose links are resolved. */
enum outfile_way { WAY_REPLACE, WAY_IN_PLACE, WAY_NONE };

/* *mode: of a file that exists, else 0. WAY_NONE: see errno. */
static enum outfile_way outfile_way(const char *target, mode_t *mode)
{
	char folder[PATH_MAX];
	struct stat st;

	*mode = 0;
	outfile_folder(folder, target);
	if (stat(target, &st))
		return errno != ENOENT || access(folder, W_OK | X_OK) ?
			       WAY_NONE :
			       WAY_REPLACE;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return WAY_NONE;
	}
	if (access(target, W_OK))
		return WAY_NONE;
	*mode = st.st_mode & 0777;
	return S_ISREG(st.st_mode) && !outfile_is_descriptor(target) &&
			       !access(folder, W_OK | X_OK) ?
		       WAY_REPLACE :
		       WAY_IN_PLACE;
}

static enum err outfile_cannot(const char *what, const char *path,
			       struct diag *d)
{
	int why = errno ? errno : EIO;

	return fail(d, ERR_IO, "cannot %s '%.300s': %s", what, path,
		    strerror(why));
}

char *outfile_absolute(const char *path)
{
	char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0), *whole;
	size_t size;

	if (!cwd)
		return strdup(path);
	size = strlen(cwd) + strlen(path) + 2;
	whole = malloc(size);
	if (whole)
		snprintf(whole, size, "%s/%s", cwd, path);
	free(cwd);
	return whole;
}

/* Creates the temporary file, with the rights of the one it replaces. */
static FILE *outfile_create(struct outfile *f, mode_t mode)
{
	size_t size = strlen(f->target) + 48;
	FILE *to;
	int fd = -1;

	f->temporary = malloc(size);
	if (!f->temporary)
		return NULL;
	snprintf(f->temporary, size, "%s.%ld.tmp", f->target, (long)getpid());
	errno = EEXIST;
	for (int i = 2; fd < 0 && errno == EEXIST && i <= MAX_NUMBER; i++) {
		fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  0666);
		if (fd < 0 && errno == EEXIST)
			snprintf(f->temporary, size, "%s.%ld.%d.tmp", f->target,
				 (long)getpid(), i);
	}
	if (fd < 0)
		return NULL;
	if (mode)
		(void)!fchmod(fd, mode);
	to = fdopen(fd, "w");
	if (!to) {
		close(fd);
		unlink(f->temporary);
	}
	return to;
}

enum err outfile_open(struct outfile *f, const char *path, struct diag *d)
{
	char target[PATH_MAX];
	enum outfile_way way;
	mode_t mode;

	*f = (struct outfile){ .path = path };
	if (outfile_is_stdout(path)) {
		f->to = stdout;
		return ERR_OK;
	}
	if (!outfile_resolve(target, path))
		return outfile_cannot("create", path, d);
	way = outfile_way(target, &mode);
	if (way == WAY_NONE)
		return outfile_cannot("create", path, d);
	f->target = outfile_absolute(target);
	if (f->target)
		f->to = way == WAY_REPLACE ? outfile_create(f, mode) :
					     fopen(target, "we");
	if (f->to)
		return ERR_OK;
	outfile_cannot("create", path, d);
	free(f->target);
	free(f->temporary);
	return d->code;
}

enum err outfile_close(struct outfile *f, enum err e, struct diag *d)
{
	bool bad = ferror(f->to);

	errno = 0;
	bad |= (f->target ? fclose(f->to) : fflush(f->to)) != 0;
	if (!e && !bad && f->temporary)
		bad = rename(f->temporary, f->target) != 0;
	if (!e && bad)
		e = outfile_cannot("write", f->path, d);
	if (e && f->temporary)
		unlink(f->temporary);
	free(f->target);
	free(f->temporary);
	f->to = NULL;
	return e;
}

/* Gives the temporary file another name, if nothing has that name yet; else see
 * errno. Not every file system has links. */
static bool outfile_rename_new(const char *temporary, const char *name)
{
	int fd;

	if (!link(temporary, name)) {
		unlink(temporary);
		return true;
	}
	if (errno == EEXIST)
		return false;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	close(fd);
	return !rename(temporary, name);
}

/* Renames the temporary file to the first name that is free. */
static bool outfile_number(const struct outfile *f)
{
	size_t size = strlen(f->target) + 16;
	char *name = malloc(size);
	bool done = false;

	if (!name)
		return false;
	snprintf(name, size, "%s", f->target);
	errno = EEXIST;
	for (int i = 2; !done && errno == EEXIST && i <= MAX_NUMBER; i++) {
		done = outfile_rename_new(f->temporary, name);
		snprintf(name, size, "%s.%d", f->target, i);
	}
	free(name);
	return done;
}

enum err outfile_close_new(struct outfile *f, enum err e, struct diag *d)
{
	bool bad = ferror(f->to) || fflush(f->to);

	if (e || bad || !f->temporary)
		return outfile_close(f, e, d);
	if (!outfile_number(f))
		return outfile_close(f, outfile_cannot("write", f->path, d), d);
	/* There is nothing left to rename. */
	free(f->temporary);
	f->temporary = NULL;
	return outfile_close(f, ERR_OK, d);
}

void outfile_drop(struct outfile *f)
{
	struct diag ignored;

	(void)!outfile_close(f, ERR_IO, &ignored);
}

enum err outfile_check(const char *path, struct diag *d)
{
	char target[PATH_MAX];
	mode_t mode;

	if (outfile_is_stdout(path))
		return ERR_OK;
	if (!outfile_resolve(target, path) ||
	    outfile_way(target, &mode) == WAY_NONE)
		return outfile_cannot("create", path, d);
	return ERR_OK;
}

static bool outfile_same_stat(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool outfile_same(const char *a, const char *b)
{
	char x[PATH_MAX], y[PATH_MAX], folder[PATH_MAX];
	bool old_a, old_b;
	struct stat s, t;

	if (outfile_is_stdout(a) || outfile_is_stdout(b) ||
	    !outfile_resolve(x, a) || !outfile_resolve(y, b))
		return false;
	old_a = !stat(x, &s);
	old_b = !stat(y, &t);
	if (old_a || old_b)
		return old_a && old_b && S_ISREG(s.st_mode) &&
		       outfile_same_stat(&s, &t);
	outfile_folder(folder, x);
	if (stat(folder, &s))
		return false;
	outfile_folder(folder, y);
	return !stat(folder, &t) && outfile_same_stat(&s, &t) &&
	       !strcmp(x + outfile_folder_length(x),
		       y + outfile_folder_length(y));
}
