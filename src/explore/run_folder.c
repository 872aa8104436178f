/* The folder of `heddle exec --out`: program.json, launch-*.json, gpu-*.cfg. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/files.h"
#include "explore/run.h"

enum { MARK_TEXT = 200 };

/* ---- the mark of an incomplete folder ---- */

static enum err folder_read_mark(struct run_result *r, struct diag *d)
{
	char path[PATH_MAX], text[MARK_TEXT] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/" FOLDER_MARK, r->path);
	f = fopen(path, "re");
	if (!f)
		return ERR_OK;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return run_text(r, &r->incomplete,
			text[0] ? text : "The run has not ended.", d);
}

/* ---- devices ---- */

static enum err folder_read_cfg(struct run_result *r, struct run_device *dev,
				const char *name, struct diag *d)
{
	char path[PATH_MAX];
	struct cfg_sheet sheet;
	enum err e;

	if (strchr(name, '/'))
		return fail(
			d, ERR_SYNTAX,
			"'%.200s': invalid name of a configuration, '%.80s'",
			r->path, name);
	snprintf(path, sizeof(path), "%s/%s", r->path, name);
	cfg_sheet_init(&sheet);
	e = cfg_read_file(&sheet, path, CFG_ANY, d);
	dev->cfg = sheet.cfg;
	cfg_sheet_free(&sheet);
	return e;
}

static enum err folder_read_devices(struct run_result *r,
				    const struct json_node *list,
				    struct diag *d)
{
	if (!list || list->kind != JSON_ARRAY || !list->count)
		return fail(d, ERR_SYNTAX,
			    "'%.200s' has no GPU: program.json lists no device",
			    r->path);
	r->devices = arena_new(&r->arena, struct run_device, list->count);
	if (!r->devices)
		return fail(d, ERR_NOMEM, "out of memory");
	for (const struct json_node *n = list->first; n; n = n->next) {
		struct run_device *dev = &r->devices[r->device_count++];

		if (run_text(r, &dev->gpu, json_get_text(n, "gpu", "?"), d) ||
		    folder_read_cfg(r, dev, json_get_text(n, "config", ""), d))
			return d->code;
	}
	return ERR_OK;
}

static enum err folder_read_program(struct run_result *r, struct diag *d)
{
	const struct json_node *root;
	struct arena tree = { 0 };
	char path[PATH_MAX];
	enum err e;

	snprintf(path, sizeof(path), "%s/program.json", r->path);
	e = json_read_file(&root, &tree, path, d);
	if (!e) {
		r->host_seconds =
			json_get_number(root, "totals.host_seconds", 0);
		e = run_text(r, &r->version, json_get_text(root, "heddle", "?"),
			     d);
	}
	if (!e)
		e = run_text(r, &r->program,
			     json_get_text(root, "program", "?"), d);
	if (!e)
		e = folder_read_devices(r, json_get(root, "devices"), d);
	arena_free(&tree);
	return e;
}

/* ---- what an unfinished program has left ---- */

static bool folder_has(const struct run_result *r, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", r->path, name);
	return file_is_regular(path);
}

/* A process of the program has its folder marked by the file that it was going
 * to rename. */
static enum err folder_find_unfinished(struct run_result *r, struct diag *d)
{
	if (r->incomplete || folder_has(r, "program.json") ||
	    !folder_has(r, "program.json.tmp"))
		return ERR_OK;
	return run_text(r, &r->incomplete,
			"The process ended before its results were written.",
			d);
}

/* Without program.json, which is written last: the devices are in their files,
 * and launches that have one are complete. */
static enum err folder_read_rest(struct run_result *r, struct diag *d)
{
	char name[32];
	size_t n = 0;

	for (;; n++) {
		snprintf(name, sizeof(name), "gpu-%zu.cfg", n);
		if (!folder_has(r, name))
			break;
	}
	if (!n)
		return fail(d, ERR_FAULT,
			    "'%.200s' is incomplete and has no GPU: %.200s",
			    r->path, r->incomplete);
	r->devices = arena_new(&r->arena, struct run_device, n);
	if (!r->devices)
		return fail(d, ERR_NOMEM, "out of memory");
	for (; r->device_count < n; r->device_count++) {
		struct run_device *dev = &r->devices[r->device_count];

		snprintf(name, sizeof(name), "gpu-%zu.cfg", r->device_count);
		if (folder_read_cfg(r, dev, name, d) ||
		    run_text(r, &dev->gpu, dev->cfg.gpu.name, d))
			return d->code;
	}
	if (run_text(r, &r->program, "an unfinished program", d))
		return d->code;
	return run_text(r, &r->version, "of an unknown version", d);
}

/* ---- launches ---- */

static int is_launch_file(const struct dirent *e)
{
	return !fnmatch("launch-[0-9]*.json", e->d_name, 0);
}

static enum err folder_read_launch(struct run_result *r, const char *name,
				   struct diag *d)
{
	struct run_launch *l = &r->launches[r->launch_count];
	const struct json_node *root;
	struct arena tree = { 0 };
	char path[PATH_MAX];
	double device;
	enum err e;

	snprintf(path, sizeof(path), "%s/%s", r->path, name);
	e = json_read_file(&root, &tree, path, d);
	if (!e)
		e = run_launch_read(r, l, root, d);
	if (!e) {
		device = json_get_number(root, "device", 0);
		if (device >= 0 && device < (double)r->device_count)
			l->device = (size_t)device;
		else
			e = fail(d, ERR_SYNTAX,
				 "'%.300s': its device is not in program.json",
				 path);
		r->launch_count++;
	}
	arena_free(&tree);
	return e;
}

static int launches_by_number(const void *a, const void *b)
{
	const struct run_launch *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static enum err folder_read_launches(struct run_result *r, struct diag *d)
{
	struct dirent **names = NULL;
	int n = scandir(r->path, &names, is_launch_file, NULL);
	enum err e = ERR_OK;

	if (n < 0)
		return fail(d, ERR_IO, "cannot read the folder '%.200s': %s",
			    r->path, strerror(errno));
	r->launches =
		arena_new(&r->arena, struct run_launch, (size_t)(n ? n : 1));
	if (!r->launches)
		e = fail(d, ERR_NOMEM, "out of memory");
	for (int i = 0; i < n; i++) {
		if (!e)
			e = folder_read_launch(r, names[i]->d_name, d);
		free(names[i]);
	}
	free(names);
	if (!e && r->launch_count)
		qsort(r->launches, r->launch_count, sizeof(*r->launches),
		      launches_by_number);
	return e;
}

enum err run_folder_read(struct run_result *r, struct diag *d)
{
	if (strlen(r->path) + 300 > PATH_MAX)
		return fail(d, ERR_IO, "the folder's name is too long");
	if (folder_read_mark(r, d) || folder_find_unfinished(r, d))
		return d->code;
	if (r->incomplete && !folder_has(r, "program.json") ?
		    folder_read_rest(r, d) :
		    folder_read_program(r, d))
		return d->code;
	if (folder_read_launches(r, d))
		return d->code;
	if (!r->timed_count && r->incomplete)
		return fail(d, ERR_FAULT,
			    "'%.200s' is incomplete and has no timed launch: "
			    "%.200s",
			    r->path, r->incomplete);
	if (!r->timed_count)
		return fail(d, ERR_SYNTAX,
			    "'%.200s' has no timed launch: the run was made "
			    "without --gpu, or with --functional",
			    r->path);
	return ERR_OK;
}
