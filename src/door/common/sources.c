#define _DEFAULT_SOURCE /* realpath */
#include "door/common/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err sources_keep(struct sources *s, const char *folder,
			     struct diag *d)
{
	char **more = realloc(s->folders, (s->count + 1) * sizeof(*more));

	if (!more)
		return fail(d, ERR_NOMEM, "out of memory");
	s->folders = more;
	s->folders[s->count] = strdup(folder);
	if (!s->folders[s->count])
		return fail(d, ERR_NOMEM, "out of memory");
	s->count++;
	return ERR_OK;
}

enum err sources_add(struct sources *s, const char *folder, struct diag *d)
{
	char path[PATH_MAX];
	struct stat st;

	if (!folder[0] || !realpath(folder, path) || stat(path, &st))
		return fail(d, ERR_IO, "--source %.200s: %s", folder,
			    folder[0] ? strerror(errno) : "expected a folder");
	if (!S_ISDIR(st.st_mode))
		return fail(d, ERR_IO, "--source %.200s: not a folder", folder);
	return sources_keep(s, path, d);
}

enum err sources_add_list(struct sources *s, const char *list, struct diag *d)
{
	char one[PATH_MAX];
	size_t n;

	for (;; list += n + 1) {
		n = strcspn(list, ":");
		if (n >= sizeof(one))
			return fail(d, ERR_RANGE,
				    "--source: the name is too long");
		memcpy(one, list, n);
		one[n] = '\0';
		if (sources_add(s, one, d))
			return d->code;
		if (!list[n])
			return ERR_OK;
	}
}

enum err sources_add_program(struct sources *s, const char *path,
			     struct diag *d)
{
	char whole[PATH_MAX], *slash;

	if (!realpath(path, whole))
		return ERR_OK;
	slash = strrchr(whole, '/');
	slash[slash == whole] = '\0';
	return sources_keep(s, whole, d);
}

enum err sources_add_text(struct sources *s, const char *name, const char *text,
			  struct diag *d)
{
	struct source_text t = { strdup(name), strdup(text) }, *more = NULL;

	if (t.name && t.text)
		more = realloc(s->texts, (s->text_count + 1) * sizeof(*more));
	if (!more) {
		free(t.name);
		free(t.text);
		return fail(d, ERR_NOMEM, "no memory for the source %.100s",
			    name);
	}
	s->texts = more;
	more[s->text_count++] = t;
	return ERR_OK;
}

char *sources_list(const struct sources *s)
{
	size_t size = 1, used = 0;
	char *text;

	for (size_t i = 0; i < s->count; i++)
		size += strlen(s->folders[i]) + 1;
	text = malloc(size);
	if (!text)
		return NULL;
	text[0] = '\0';
	for (size_t i = 0; i < s->count; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i ? ":" : "", s->folders[i]);
	return text;
}

void sources_free(struct sources *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->folders[i]);
	free(s->folders);
	for (size_t i = 0; i < s->text_count; i++) {
		free(s->texts[i].name);
		free(s->texts[i].text);
	}
	free(s->texts);
	*s = (struct sources){ 0 };
}

/* Whether a resolved path lies below a folder, and nothing on the way is
 * hidden. Of the root, only the files in it: it is no program's own folder. */
static bool source_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	if (n == 1)
		return !strchr(path + 1, '/') && path[1] != '.';
	return !strncmp(path, folder, n) && path[n] == '/' &&
	       !strstr(path + n, "/.");
}

static FILE *source_open_allowed(const struct sources *s, const char *name)
{
	char path[PATH_MAX];
	bool allowed = false;
	struct stat st;
	FILE *f;
	int fd;

	if (!realpath(name, path))
		return NULL;
	for (size_t i = 0; i < s->count; i++)
		allowed |= source_below(path, s->folders[i]);
	if (!allowed)
		return NULL;
	/* A pipe would be waited for, a device might do anything. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	f = !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!f)
		close(fd);
	return f;
}

static FILE *source_open_text(const struct sources *s, const char *name)
{
	if (!strncmp(name, "./", 2))
		name += 2;
	for (size_t i = 0; i < s->text_count; i++) {
		const struct source_text *t = &s->texts[i];

		if (!strcmp(t->name, name) && t->text[0])
			return fmemopen(t->text, strlen(t->text), "r");
	}
	return NULL;
}

FILE *sources_open(const struct sources *s, const char *name)
{
	FILE *f = source_open_text(s, name);
	char path[2 * PATH_MAX];

	if (!f && s->count && name[0])
		f = source_open_allowed(s, name);

	for (size_t i = 0; !f && name[0] && name[0] != '/' && i < s->count;
	     i++) {
		snprintf(path, sizeof(path), "%s/%.*s", s->folders[i],
			 PATH_MAX - 1, name);
		f = source_open_allowed(s, path);
	}
	return f;
}
