#include "explore/sweep_target.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accelsim/list.h"
#include "base/sha256.h"
#include "explore/files.h"
#include "heddle/heddle.h"

/*
 * Identity
 */

static void hash_end(char out[STORE_KEY_SIZE], struct sha256 *h)
{
	unsigned char digest[SHA256_BYTES];

	sha256_end(h, digest);
	store_hash(out, digest, sizeof(digest));
}

/* The NUL separates a text from the next. */
static void hash_text(struct sha256 *h, const char *text)
{
	sha256_add(h, text, strlen(text) + 1);
}

static enum err hash_file(struct sha256 *h, const char *path, struct diag *d)
{
	char bytes[65536];
	struct stat st;
	FILE *f = fopen(path, "rb");
	bool failed;
	size_t n;

	if (!f)
		return fail(d, ERR_IO, "cannot open '%.300s': %s", path,
			    strerror(errno));
	if (!fstat(fileno(f), &st))
		sha256_add(h, &st.st_size, sizeof(st.st_size));
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		sha256_add(h, bytes, n);
	failed = ferror(f);
	fclose(f);
	return failed ? fail(d, ERR_IO, "cannot read '%.300s': %s", path,
			     strerror(errno)) :
			ERR_OK;
}

/* Adds a word and, if it names a file, the file's contents: "data.txt" of a
 * program, "x:f32[]=@data.npy" of `heddle run`. */
static enum err hash_word(struct sha256 *h, const char *word, struct diag *d)
{
	const char *at = strchr(word, '@');

	hash_text(h, word);
	if (file_is_regular(word))
		return hash_file(h, word, d);
	return at && file_is_regular(at + 1) ? hash_file(h, at + 1, d) : ERR_OK;
}

/* A list of Accel-Sim names the files that hold its kernels. */
static enum err hash_list(struct sha256 *h, const char *path, struct diag *d)
{
	struct asim_list *l;
	enum err e = ERR_OK;

	if (!asim_list_is(path))
		return ERR_OK;
	if (asim_list_open(&l, path, d))
		return d->code;
	for (size_t i = 0; !e && i < l->count; i++)
		if (l->command[i].path)
			e = hash_file(h, l->command[i].path, d);
	asim_list_free(l);
	return e;
}

/* What a program on a system is given besides its words. */
static void hash_system(struct sha256 *h, const struct sweep_program *p)
{
	char region[16];

	snprintf(region, sizeof(region), "%d", p->region);
	hash_text(h, region);
	hash_text(h, p->root ? p->root : "");
	for (size_t i = 0; i < p->env_count; i++)
		hash_text(h, p->env[i]);
}

static enum err target_identify(struct sweep_target *t,
				const struct sweep_program *p, struct diag *d)
{
	struct sha256 h;

	sha256_init(&h);
	hash_text(&h, p->kind == SWEEP_EXEC   ? "exec" :
		      p->kind == SWEEP_SYSTEM ? "system" :
						"run");
	hash_text(&h, p->kernels ? p->kernels : "");
	hash_text(&h, p->record ? "record" : "");
	if (p->cold)
		hash_text(&h, "cold");
	if (p->isa)
		hash_text(&h, p->isa);
	if (p->kind == SWEEP_SYSTEM)
		hash_system(&h, p);
	if (hash_file(&h, t->path[0] ? t->path : p->words[0], d))
		return d->code;
	if (p->kind == SWEEP_TRACE && hash_list(&h, p->words[0], d))
		return d->code;
	for (size_t i = 1; i < p->word_count; i++)
		if (hash_word(&h, p->words[i], d))
			return d->code;
	for (size_t i = 0; i < p->input_count; i++)
		if (hash_file(&h, p->inputs[i], d))
			return d->code;
	t->identity.name = p->name;
	t->identity.command = p->command;
	hash_end(t->identity.hash, &h);
	return ERR_OK;
}

/*
 * Programs
 */

/* A source is compiled once, not at every point. */
static enum err target_compile(struct sweep_target *t,
			       const struct target_finder *f,
			       const struct sweep_program *p, unsigned sm,
			       const char *folder, struct diag *d)
{
	char hash[STORE_KEY_SIZE], *ptx = NULL;
	size_t size = 0;
	enum err e = f->compile(f->ctx, &ptx, &size, p, sm, d);

	if (e || !ptx)
		return e;
	store_hash(hash, ptx, size);
	snprintf(t->path, sizeof(t->path), "%s/%s.ptx", folder, hash);
	e = file_write(t->path, ptx, size, d);
	free(ptx);
	return e;
}

enum err target_prepare(struct sweep_target *t, const struct target_finder *f,
			const struct sweep *s, const struct sweep_program *p,
			unsigned sm, const char *folder, struct diag *d)
{
	struct diag why;
	enum err e = p->kind == SWEEP_RUN ?
			     target_compile(t, f, p, sm, folder, &why) :
		     p->kind == SWEEP_EXEC ?
			     f->find(f->ctx, t->path, p->words[0], &why) :
			     ERR_OK;

	snprintf(t->threads, sizeof(t->threads), "%u", s->threads);
	snprintf(t->sm, sizeof(t->sm), "%u", sm);
	if (!e)
		e = target_identify(t, p, &why);
	return e ? fail(d, e, "program '%.60s': %s", p->name, why.text) :
		   ERR_OK;
}

/*
 * Command lines
 */

#define ADD(...)                                                     \
	words_add_all(argv, (const char *const[]){ __VA_ARGS__ },    \
		      sizeof((const char *const[]){ __VA_ARGS__ }) / \
			      sizeof(const char *),                  \
		      d)

/* Adds how to simulate. */
static enum err target_add_how(struct words *argv, const struct sweep *s,
			       const struct sweep_program *p,
			       const struct sweep_target *t, struct diag *d)
{
	if (p->cold && ADD("--cold"))
		return d->code;
	if (p->isa && !t->trace[0] && ADD("--isa", p->isa))
		return d->code;
	if (s->engine && ADD("--engine", s->engine))
		return d->code;
	return s->threads ? ADD("--threads", t->threads) : ERR_OK;
}

enum err target_record(struct words *argv, struct sweep_target *t,
		       const struct sweep_program *p, const char *self,
		       const char *config, const char *folder, struct diag *d)
{
	const char *program = t->path[0] ? t->path : p->words[0];

	snprintf(t->trace, sizeof(t->trace), "%.*s/%s.trace", PATH_MAX - 64,
		 folder, t->identity.hash);
	argv->count = 0;
	if (p->kind == SWEEP_EXEC) {
		/* The program sees the baseline's properties. */
		if (ADD(self, "exec", "--quiet", "--gpu", config,
			"--functional", "--record", t->trace) ||
		    (p->isa && ADD("--isa", p->isa)) || ADD("--", p->words[0]))
			return d->code;
	} else if (ADD(self, "run", program, "--quiet", "--record", t->trace) ||
		   /* Machine code runs on the baseline's GPU only. */
		   (p->isa && ADD("--isa", p->isa, "--sm", t->sm))) {
		return d->code;
	}
	if (words_add_all(argv, p->words + 1, p->word_count - 1, d))
		return d->code;
	return words_add(argv, NULL, d);
}

/* The sweep sets the variable of "NAME=VALUE" itself. */
static bool target_overrides(const struct plan_config *k, const char *text)
{
	size_t n = strcspn(text, "=") + 1;

	for (size_t i = 0; i < k->env_count; i++)
		if (!strncmp(k->env[i], text, n))
			return true;
	return false;
}

/* A program on a system; the sweep's variables are set after its own. */
static enum err target_system(struct words *argv, const struct sweep *s,
			      const struct sweep_program *p,
			      const struct sweep_target *t,
			      const struct plan_config *k, const char *self,
			      const char *config, const char *out,
			      struct diag *d)
{
	if (ADD(self, "system", "--quiet", "--config", config, "--json", out) ||
	    target_add_how(argv, s, p, t, d) ||
	    (p->root && ADD("--root", p->root)))
		return d->code;
	for (size_t i = 0; i < p->env_count; i++)
		if (!target_overrides(k, p->env[i]) && ADD("--env", p->env[i]))
			return d->code;
	for (size_t i = 0; i < k->env_count; i++)
		if (ADD("--env", k->env[i]))
			return d->code;
	return ADD("--", p->words[0]);
}

enum err target_command(struct words *argv, const struct sweep *s,
			const struct sweep_program *p,
			const struct sweep_target *t,
			const struct plan_config *k, const char *self,
			const char *config, const char *out, struct diag *d)
{
	const char *program = t->path[0] ? t->path : p->words[0];

	argv->count = 0;
	if (t->trace[0]) {
		if (ADD(self, "run", t->trace, "--quiet", "--gpu", config,
			"--json", out) ||
		    target_add_how(argv, s, p, t, d))
			return d->code;
		return words_add(argv, NULL, d);
	}
	if (p->kind == SWEEP_SYSTEM) {
		if (target_system(argv, s, p, t, k, self, config, out, d))
			return d->code;
	} else if (p->kind == SWEEP_EXEC) {
		if (ADD(self, "exec", "--quiet", "--gpu", config, "--out",
			out) ||
		    target_add_how(argv, s, p, t, d) ||
		    (p->kernels && ADD("--kernels", p->kernels)) ||
		    ADD("--", p->words[0]))
			return d->code;
	} else if (ADD(self, "run", program, "--quiet", "--gpu", config,
		       "--json", out) ||
		   target_add_how(argv, s, p, t, d)) {
		return d->code;
	}
	if (words_add_all(argv, p->words + 1, p->word_count - 1, d))
		return d->code;
	return words_add(argv, NULL, d);
}

/*
 * The simulator
 */

static int is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Adds all libraries of the folder, sorted by name. */
static enum err hash_folder(struct sha256 *h, const char *folder,
			    struct diag *d)
{
	struct dirent **names = NULL;
	int n = scandir(folder, &names, is_visible, alphasort);
	enum err e = ERR_OK;

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX + 300];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (!e && file_is_regular(path))
			e = hash_file(h, path, d);
		free(names[i]);
	}
	free(names);
	return e;
}

enum err target_version(char version[VERSION_SIZE], char self[PATH_MAX],
			const char *libraries, struct diag *d)
{
	char hash[STORE_KEY_SIZE];
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
	struct sha256 h;

	if (n < 0)
		return fail(d, ERR_IO, "cannot find this program: %s",
			    strerror(errno));
	self[n] = '\0';
	sha256_init(&h);
	if (hash_file(&h, self, d))
		return d->code;
	if (libraries && hash_folder(&h, libraries, d))
		return d->code;
	hash_end(hash, &h);
	snprintf(version, VERSION_SIZE, "%s+%.12s", HEDDLE_VERSION, hash);
	return ERR_OK;
}
