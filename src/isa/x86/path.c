/*
 * Paths of the guest, below its root: walked component by component, so that
 * neither ".." nor a link leads out. An absolute link begins at the root.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "isa/x86/special.h"

enum { X86_LINKS = 40 };

struct x86_walk {
	const struct x86_process *p;
	char done[X86_PATH]; /* resolved, relative to the root; "" is the root */
	char left[X86_PATH]; /* still to be walked */
	unsigned links;
	bool follow; /* the last component, if it is a link */
};

/* Puts `path` before what is left. */
static int x86_walk_before(struct x86_walk *w, const char *path)
{
	char rest[X86_PATH];
	int n;

	memcpy(rest, w->left, sizeof(rest));
	n = snprintf(w->left, sizeof(w->left), "%s/%s", path, rest);
	return n < 0 || (size_t)n >= sizeof(w->left) ? -ENAMETOOLONG : 0;
}

static void x86_walk_up(struct x86_walk *w)
{
	char *slash = strrchr(w->done, '/');

	if (slash)
		*slash = '\0';
	else
		w->done[0] = '\0';
}

/* A link in the place of the last component. */
static int x86_walk_link(struct x86_walk *w)
{
	char to[X86_PATH];
	ssize_t n = readlinkat(w->p->root, w->done, to, sizeof(to) - 1);

	if (n < 0)
		n = x86_special_link(w->p, w->done, to, sizeof(to) - 1);
	if (n < 0)
		return 0; /* not a link, or nothing at all: the caller sees */
	if (++w->links > X86_LINKS)
		return -ELOOP;
	to[n] = '\0';
	if (to[0] == '/')
		w->done[0] = '\0';
	else
		x86_walk_up(w);
	return x86_walk_before(w, to);
}

/* Walks one component of `length`. */
static int x86_walk_step(struct x86_walk *w, const char *name, size_t length,
			 bool last)
{
	size_t used = strlen(w->done);

	if (!length || (length == 1 && name[0] == '.'))
		return 0;
	if (length == 2 && !memcmp(name, "..", 2)) {
		x86_walk_up(w);
		return 0;
	}
	if (used + length + 2 > sizeof(w->done))
		return -ENAMETOOLONG;
	if (used)
		w->done[used++] = '/';
	memcpy(w->done + used, name, length);
	w->done[used + length] = '\0';
	return last && !w->follow ? 0 : x86_walk_link(w);
}

static int x86_walk_all(struct x86_walk *w)
{
	while (w->left[0]) {
		char name[X86_PATH];
		size_t length = strcspn(w->left, "/");
		size_t skip = length + strspn(w->left + length, "/");
		bool last = !w->left[skip];
		int e;

		memcpy(name, w->left, length);
		memmove(w->left, w->left + skip, strlen(w->left + skip) + 1);
		e = x86_walk_step(w, name, length, last);
		if (e)
			return e;
	}
	return 0;
}

int x86_path(const struct x86_process *p, const char *from, const char *path,
	     bool follow, char *out)
{
	struct x86_walk w = { .p = p, .follow = follow };
	int e;

	if (!path[0])
		return -ENOENT;
	if (strlen(path) >= X86_PATH)
		return -ENAMETOOLONG;
	strcpy(w.left, path);
	e = path[0] == '/' ? 0 : x86_walk_before(&w, from);
	if (!e)
		e = x86_walk_all(&w);
	if (!e)
		strcpy(out, w.done[0] ? w.done : ".");
	return e;
}
