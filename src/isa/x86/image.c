/* The program's own file, as the program sees it: /proc/self/exe. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/x86/special.h"

/* Where the file lies below the root; NULL: it does not. */
static const char *x86_below(const char *root, const char *file)
{
	size_t n = strlen(root);

	if (n && root[n - 1] == '/') /* the host's own root */
		n--;
	return !strncmp(root, file, n) && file[n] == '/' ? file + n : NULL;
}

/* A file outside of the root has a path in a folder that no root has. */
static int x86_image_name(struct x86_image *i, const char *root)
{
	const char *below = x86_below(root, i->file);

	return snprintf(i->path, sizeof(i->path), "%s%s",
			below ? "" : "/heddle",
			below ? below : strrchr(i->file, '/'));
}

enum err x86_image_open(struct x86_process *p, const struct x86_options *o,
			struct diag *d)
{
	char *root;
	int n;

	if (!o->file)
		return ERR_OK;
	p->image.file = realpath(o->file, NULL);
	root = realpath(o->root, NULL);
	if (!p->image.file || !root) {
		free(root);
		return fail(d, ERR_IO, "%s: %s", o->file, strerror(errno));
	}
	n = x86_image_name(&p->image, root);
	free(root);
	if (n < 0 || (size_t)n >= sizeof(p->image.path))
		return fail(d, ERR_RANGE, "%s: a path of %d bytes or more",
			    o->file, X86_PATH);
	return ERR_OK;
}

bool x86_image_is(const struct x86_process *p, const char *name)
{
	return p->image.file && !strcmp(p->image.path + 1, name);
}

int x86_image_reopen(const struct x86_process *p)
{
	int fd = open(p->image.file, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}
