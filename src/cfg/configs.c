#define _GNU_SOURCE /* dladdr */
#include "cfg/configs.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"

#define PATH_SIZE 4096
#define SUFFIX ".cfg"

/* A folder without our tiny.cfg belongs to another program. */
static bool holds_configs(const char *folder)
{
	char file[PATH_SIZE + 16];

	snprintf(file, sizeof(file), "%s/tiny" SUFFIX, folder);
	return access(file, R_OK) == 0;
}

/* Looks in the folders above `file`. The deepest file is
 * prefix/lib/TRIPLE/heddle/cuda/FILE. */
static bool configs_find_near(char out[PATH_SIZE], const char *file)
{
	static const char *const below[] = { "/share/heddle/configs",
					     "/configs" };
	char folder[PATH_SIZE - 32];

	if ((size_t)snprintf(folder, sizeof(folder), "%s", file) >=
	    sizeof(folder))
		return false;
	for (int up = 0; up < 6 && strrchr(folder, '/'); up++) {
		*strrchr(folder, '/') = '\0';
		for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
			snprintf(out, PATH_SIZE, "%s%s", folder, below[i]);
			if (holds_configs(out))
				return true;
		}
	}
	return false;
}

/* Looks near the library that holds this code. For a program, the loader's name
 * need not be its path. */
static bool configs_near_library(char out[PATH_SIZE])
{
	char path[PATH_MAX];
	Dl_info info;

	return dladdr((void *)holds_configs, &info) && info.dli_fname &&
	       strchr(info.dli_fname, '/') && realpath(info.dli_fname, path) &&
	       configs_find_near(out, path);
}

static bool configs_near_program(char out[PATH_SIZE])
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return configs_find_near(out, path);
}

/* Finds the folder of an installation or of a build tree. */
static enum err configs_find_folder(char out[PATH_SIZE], struct diag *d)
{
	const char *env = getenv("HEDDLE_CONFIGS");

	if (env && *env) {
		if (strlen(env) < PATH_SIZE) {
			snprintf(out, PATH_SIZE, "%s", env);
			return ERR_OK;
		}
		return fail(d, ERR_IO, "$HEDDLE_CONFIGS is too long");
	}
	if (configs_near_library(out) || configs_near_program(out))
		return ERR_OK;
	return fail(d, ERR_IO,
		    "cannot find the configurations of GPUs near the program; "
		    "name their folder with $HEDDLE_CONFIGS");
}

static bool is_config_file(const char *name)
{
	size_t n = strlen(name), m = strlen(SUFFIX);

	return n > m && !strcmp(name + n - m, SUFFIX) && name[0] != '.';
}

static int configs_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum err configs_add(struct configs *c, const char *file, struct diag *d)
{
	size_t n = strlen(file) - strlen(SUFFIX);
	char **names = realloc(c->names, (c->count + 1) * sizeof(*names));
	char *name = strdup(file);

	c->names = names ? names : c->names;
	if (!names || !name) {
		free(name);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	name[n] = '\0';
	c->names[c->count++] = name;
	return ERR_OK;
}

enum err configs_list(struct configs *c, struct diag *d)
{
	char folder[PATH_SIZE];
	struct dirent *entry;
	enum err e = ERR_OK;
	DIR *dir;

	*c = (struct configs){ 0 };
	if (configs_find_folder(folder, d))
		return d->code;
	dir = opendir(folder);
	if (!dir)
		return fail(d, ERR_IO, "cannot read %s: %s", folder,
			    strerror(errno));
	while (!e && (entry = readdir(dir)))
		if (is_config_file(entry->d_name))
			e = configs_add(c, entry->d_name, d);
	closedir(dir);
	if (c->count)
		qsort(c->names, c->count, sizeof(*c->names), configs_by_name);
	return e;
}

void configs_free(struct configs *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->names[i]);
	free(c->names);
	*c = (struct configs){ 0 };
}

enum { MEANT_MAX = 3 };

/* Names of GPUs that may have been meant, the nearest first. */
struct meant {
	const char *name[MEANT_MAX];
	size_t distance[MEANT_MAX];
	int count;
};

static void meant_add(struct meant *m, const char *name, size_t distance)
{
	int at = m->count;

	while (at > 0 && m->distance[at - 1] > distance)
		at--;
	if (at == MEANT_MAX)
		return;
	m->count += m->count < MEANT_MAX;
	for (int i = m->count - 1; i > at; i--) {
		m->name[i] = m->name[i - 1];
		m->distance[i] = m->distance[i - 1];
	}
	m->name[at] = name;
	m->distance[at] = distance;
}

/* Whether both names begin with the same letters, as products of a family do,
 * before their numbers. */
static bool same_family(const char *a, const char *b)
{
	const char *const digits = "0123456789";
	size_t n = strcspn(a, digits);

	return n > 0 && a[n] && n == strcspn(b, digits) && !strncmp(a, b, n);
}

/* GPUs with the name in theirs (v100: qv100); if there are none, those that are
 * spelt similarly or are of the same family. */
static struct meant configs_meant(const struct configs *all, const char *name)
{
	size_t n = strlen(name), limit = n / 3 + 1;
	struct meant m = { .count = 0 };

	for (size_t i = 0; n > 1 && i < all->count; i++)
		if (strstr(all->names[i], name))
			meant_add(&m, all->names[i], 0);
	if (m.count)
		return m;
	for (size_t i = 0; i < all->count; i++) {
		const char *other = all->names[i];
		size_t far = word_distance(name, n, other, strlen(other));

		if (far <= limit || same_family(name, other))
			meant_add(&m, other, far);
	}
	return m;
}

static enum err no_such_config(const char *name, struct diag *d)
{
	struct configs all;
	struct meant m;

	if (configs_list(&all, d)) {
		configs_free(&all);
		return d->code;
	}
	m = configs_meant(&all, name);
	if (!m.count)
		fail(d, ERR_UNKNOWN,
		     "no GPU named '%.100s'; 'heddle gpus' lists them", name);
	else
		fail(d, ERR_UNKNOWN,
		     "no GPU named '%.100s', did you mean '%s'%s%s%s%s%s%s?",
		     name, m.name[0], m.count > 2 ? ", '" : "",
		     m.count > 2 ? m.name[1] : "", m.count > 2 ? "'" : "",
		     m.count > 1 ? " or '" : "",
		     m.count > 1 ? m.name[m.count - 1] : "",
		     m.count > 1 ? "'" : "");
	configs_free(&all);
	return d->code;
}

/* Configurations in our folder must name the sources of their values. */
enum err configs_read(struct cfg_sheet *s, const char *name, struct diag *d)
{
	char folder[PATH_SIZE], path[PATH_SIZE + 128];

	if (strchr(name, '/') || is_config_file(name))
		return cfg_read_file(s, name, CFG_ANY, d);
	if (configs_find_folder(folder, d))
		return d->code;
	if (strlen(name) > 100)
		return no_such_config(name, d);
	snprintf(path, sizeof(path), "%s/%s" SUFFIX, folder, name);
	if (access(path, F_OK) != 0)
		return no_such_config(name, d);
	return cfg_read_file(s, path, CFG_SOURCED, d);
}

enum err configs_load(struct cfg_sheet *s, const char *name,
		      const char *const *overrides, size_t count,
		      struct diag *d)
{
	if (configs_read(s, name, d))
		return d->code;
	for (size_t i = 0; i < count; i++)
		if (cfg_sheet_set(s, overrides[i], d))
			return d->code;
	if (cfg_check(&s->cfg, d)) {
		struct diag rule = *d;

		cfg_sheet_explain(s, &rule);
		return fail(d, rule.code, "%s: %s", name, rule.text);
	}
	return ERR_OK;
}
