#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "door/cli/page.h"

enum err page_open(struct page_file *p, const char *path, struct diag *d)
{
	size_t size = strlen(path) + 8;

	*p = (struct page_file){ .path = path };
	if (!strcmp(path, "-")) {
		p->to = stdout;
		return ERR_OK;
	}
	p->other = malloc(size);
	if (!p->other)
		return fail(d, ERR_NOMEM, "out of memory");
	snprintf(p->other, size, "%s.tmp", path);
	p->to = fopen(p->other, "we");
	if (p->to)
		return ERR_OK;
	fail(d, ERR_IO, "cannot create '%.300s': %s", path, strerror(errno));
	free(p->other);
	return d->code;
}

enum err page_close(struct page_file *p, enum err e, struct diag *d)
{
	bool bad = ferror(p->to);

	errno = 0;
	bad |= (p->other ? fclose(p->to) : fflush(p->to)) != 0;
	if (!e && (bad || (p->other && rename(p->other, p->path))))
		e = fail(d, ERR_IO, "cannot write '%.300s': %s", p->path,
			 strerror(errno ? errno : EIO));
	if (e && p->other)
		unlink(p->other);
	free(p->other);
	return e;
}
