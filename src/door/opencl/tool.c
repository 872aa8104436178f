#define _GNU_SOURCE /* nftw */
#include "door/opencl/tool.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "door/common/process.h"

enum err tool_folder_make(struct tool_folder *f, struct diag *d)
{
	const char *base = getenv("TMPDIR");

	if (!base || *base != '/' || strlen(base) > PATH_MAX / 2)
		base = "/tmp";
	snprintf(f->path, sizeof(f->path), "%s/heddle-opencl.XXXXXX", base);
	return mkdtemp(f->path) ?
		       ERR_OK :
		       fail(d, ERR_IO, "cannot make a folder in %s: %s", base,
			    strerror(errno));
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

void tool_folder_remove(const struct tool_folder *f)
{
	nftw(f->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Makes the folders of a path below the first `from` characters. */
static void make_folders(char *path, size_t from)
{
	for (char *p = path + from; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
}

enum err tool_write(const struct tool_folder *f, const char *name,
		    const void *bytes, size_t size, struct diag *d)
{
	char path[PATH_MAX + 256];
	FILE *to;
	bool ok;

	if (snprintf(path, sizeof(path), "%s/%s", f->path, name) >=
	    (int)sizeof(path))
		return fail(d, ERR_RANGE, "the name %.60s... is too long",
			    name);
	make_folders(path, strlen(f->path) + 1);
	to = fopen(path, "we");
	if (!to)
		return fail(d, ERR_IO, "cannot write %s: %s", path,
			    strerror(errno));
	ok = fwrite(bytes, 1, size, to) == size;
	ok = !fclose(to) && ok;
	return ok ? ERR_OK :
		    fail(d, ERR_IO, "cannot write %s: %s", path,
			 strerror(errno));
}

enum err tool_read(const char *path, char **bytes, size_t *size, struct diag *d)
{
	struct text t = { 0 };
	char piece[16384];
	FILE *from = fopen(path, "re");
	size_t n;

	if (!from)
		return fail(d, ERR_IO, "cannot read %s: %s", path,
			    strerror(errno));
	text_add(&t, "", 0);
	while ((n = fread(piece, 1, sizeof(piece), from)))
		text_add(&t, piece, n);
	t.bad |= ferror(from) != 0;
	fclose(from);
	if (t.bad) {
		text_free(&t);
		return fail(d, ERR_IO, "cannot read %s", path);
	}
	*bytes = t.at;
	*size = t.size;
	return ERR_OK;
}

static void add_to_log(void *log, const char *bytes, size_t size)
{
	text_add(log, bytes, size);
}

enum err tool_run(const struct word_list *argv, struct text *log,
		  struct diag *d)
{
	bool ok;
	enum err e;

	if (argv->bad || !argv->count)
		return fail(d, ERR_NOMEM, "out of memory");
	e = process_run(argv->at, add_to_log, log, &ok, d);
	if (!e && !ok)
		e = fail(d, ERR_SYNTAX, "%.200s failed", argv->at[0]);
	return e;
}
